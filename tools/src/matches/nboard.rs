//! A program that speaks `NBoard`'s engine protocol, version 2.

use std::{fmt::Write as _, time::Instant};

use flipside::board::{Color, Game, Move};

use super::{
    openings::parse_move,
    player::{Clock, Fault, Player, TimeControl},
    process::Process,
};

/// An `NBoard` engine as a player. It is started again for the next game after a fault.
#[derive(Debug)]
pub struct NboardPlayer {
    command: String,
    depth: Option<u32>,
    process: Option<Process>,
    pings: u32,
    control: TimeControl,
}

impl NboardPlayer {
    /// A player behind this command line, its depth set when given.
    pub fn new(command: &str, depth: Option<u32>) -> Self {
        Self { command: command.to_owned(), depth, process: None, pings: 0, control: TimeControl::Unlimited }
    }

    fn send(&mut self, line: &str) -> Result<(), Fault> {
        self.process.as_mut().ok_or_else(|| Fault::crash("it is not running"))?.send(line)
    }

    /// Waits for the answer to a new ping; everything before it is dropped.
    fn synchronise(&mut self, deadline: Instant) -> Result<(), Fault> {
        self.pings += 1;
        let ping = format!("ping {}", self.pings);
        let pong = format!("pong {}", self.pings);
        self.send(&ping)?;
        while self.receive(deadline, &ping)?.trim() != pong {}
        Ok(())
    }

    fn receive(&mut self, deadline: Instant, question: &str) -> Result<String, Fault> {
        self.process.as_mut().ok_or_else(|| Fault::crash("it is not running"))?.receive(deadline, question)
    }

    fn ask_move(&mut self, game: &Game, times: &[f64], clock: &Clock) -> Result<Move, Fault> {
        self.send(&format!("set game {}", ggf(game, times, self.control)))?;
        self.synchronise(clock.deadline)?;
        self.send("go")?;
        loop {
            let line = self.receive(clock.deadline, "go")?;
            if let Some(answer) = line.strip_prefix("===") {
                let word = answer.trim().split(['/', ' ']).next().unwrap_or_default();
                return parse_move(word).ok_or_else(|| Fault::Illegal(format!("'{word}' is no move")));
            }
        }
    }

    fn begin(&mut self, deadline: Instant) -> Result<(), Fault> {
        if self.process.is_none() {
            self.process = Some(Process::start(&self.command)?);
            self.send("nboard 2")?;
        }
        if let Some(depth) = self.depth {
            self.send(&format!("set depth {depth}"))?;
        }
        self.synchronise(deadline)
    }
}

/// The game in GGF, each move with the seconds it took.
fn ggf(game: &Game, times: &[f64], control: TimeControl) -> String {
    let seconds = match control {
        TimeControl::Game(time) => time.as_secs().max(1),
        // A move's time is not part of the format: as much as thirty such moves.
        TimeControl::Move(time) => (time * 30).as_secs().max(1),
        TimeControl::Unlimited => 6 * 3600,
    };
    let start = game.start().to_string().replace('X', "*");
    let mut text = format!(
        "(;GM[Othello]PC[Flipside]PB[black]PW[white]RE[?]TI[{}:{:02}]TY[8]BO[8 {start}]",
        seconds / 60,
        seconds % 60
    );
    for (index, mv) in game.moves().iter().enumerate() {
        let color = if game.boards()[index].side_to_move() == Color::Black { 'B' } else { 'W' };
        let name = mv.square().map_or("PA".to_owned(), |square| square.to_string().to_uppercase());
        let seconds = times.get(index).copied().unwrap_or(0.0);
        let _ = write!(text, "{color}[{name}//{seconds:.2}]");
    }
    text.push_str(";)");
    text
}

impl Player for NboardPlayer {
    fn new_game(&mut self, _: u64, control: TimeControl, deadline: Instant) -> Result<(), Fault> {
        self.control = control;
        let begun = self.begin(deadline);
        if begun.is_err() {
            self.process = None;
        }
        begun
    }

    fn choose(&mut self, game: &Game, times: &[f64], clock: &Clock) -> Result<Move, Fault> {
        let answer = self.ask_move(game, times, clock);
        if answer.is_err() {
            self.process = None;
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matches::openings::parse_transcript;

    #[test]
    fn games_are_written_as_ggf() {
        let game = parse_transcript("f5d6").unwrap();
        assert_eq!(
            ggf(&game, &[0.0, 1.234], TimeControl::Game(std::time::Duration::from_secs(65))),
            "(;GM[Othello]PC[Flipside]PB[black]PW[white]RE[?]TI[1:05]TY[8]BO[8 \
             ---------------------------O*------*O--------------------------- *]B[F5//0.00]W[D6//1.23];)"
        );
    }
}
