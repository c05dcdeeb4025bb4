//! A program that speaks GTP, version 2.

use std::time::Instant;

use flipside::board::{Color, Game, Move};

use super::{
    openings::parse_move,
    player::{Clock, Fault, Player, TimeControl},
    process::Process,
};

/// A GTP program as a player. It is started again for the next game after a fault.
#[derive(Debug)]
pub struct GtpPlayer {
    command: String,
    passes: bool,
    process: Option<Process>,
    // Moves the program knows of.
    known: Vec<Move>,
}

impl GtpPlayer {
    /// A player behind this command line; `passes` says whether it is told of passes.
    pub fn new(command: &str, passes: bool) -> Self {
        Self { command: command.to_owned(), passes, process: None, known: Vec::new() }
    }

    /// Sends a command and returns the text of a successful answer.
    fn ask(&mut self, command: &str, deadline: Instant) -> Result<String, Fault> {
        let answer = self.exchange(command, deadline);
        if answer.is_err() {
            self.process = None;
        }
        answer?.map_err(|text| Fault::Protocol(format!("'{command}' was refused: {text}")))
    }

    fn exchange(&mut self, command: &str, deadline: Instant) -> Result<Result<String, String>, Fault> {
        let process = self.process.as_mut().ok_or_else(|| Fault::crash("it is not running"))?;
        process.send(command)?;
        // Anything before the sign is chatter.
        let first = loop {
            let line = process.receive(deadline, command)?;
            if line.starts_with(['=', '?']) {
                break line;
            }
        };
        let (sign, rest) = first.split_at(1);
        let mut text = rest.trim_start_matches(|character: char| character.is_ascii_digit()).trim().to_owned();
        loop {
            let line = process.receive(deadline, command)?;
            if line.is_empty() {
                break;
            }
            text.push('\n');
            text.push_str(&line);
        }
        Ok(if sign == "=" { Ok(text) } else { Err(text) })
    }

    fn tell_moves(&mut self, game: &Game, deadline: Instant) -> Result<(), Fault> {
        if !game.moves().starts_with(&self.known) {
            self.ask("clear_board", deadline)?;
            self.known.clear();
        }
        for index in self.known.len()..game.moves().len() {
            let mv = game.moves()[index];
            if self.passes || mv != Move::Pass {
                let color = color_name(game.boards()[index].side_to_move());
                self.ask(&format!("play {color} {}", mv.to_string().to_uppercase()), deadline)?;
            }
            self.known.push(mv);
        }
        Ok(())
    }
}

fn color_name(color: Color) -> &'static str {
    match color {
        Color::Black => "black",
        Color::White => "white",
    }
}

impl Player for GtpPlayer {
    fn new_game(&mut self, _: u64, control: TimeControl, deadline: Instant) -> Result<(), Fault> {
        self.known.clear();
        if self.process.is_none() {
            self.process = Some(Process::start(&self.command)?);
            let commands = self.ask("list_commands", deadline)?;
            if commands.lines().any(|line| line.trim() == "set_game") {
                self.ask("set_game Othello", deadline)?;
            }
            self.ask("boardsize 8", deadline)?;
        }
        self.ask("clear_board", deadline)?;
        match control {
            TimeControl::Unlimited => {}
            // Canadian byo-yomi of one stone is a time for each move.
            TimeControl::Move(time) => {
                self.ask(&format!("time_settings 0 {} 1", time.as_secs().max(1)), deadline)?;
            }
            TimeControl::Game(time) => {
                self.ask(&format!("time_settings {} 0 0", time.as_secs().max(1)), deadline)?;
            }
        }
        Ok(())
    }

    fn choose(&mut self, game: &Game, _: &[f64], clock: &Clock) -> Result<Move, Fault> {
        self.tell_moves(game, clock.deadline)?;
        let color = color_name(game.board().side_to_move());
        if let Some(left) = clock.left {
            self.ask(&format!("time_left {color} {} 0", left.as_secs()), clock.deadline)?;
        }
        let answer = self.ask(&format!("genmove {color}"), clock.deadline)?;
        let word = answer.split_whitespace().next().unwrap_or_default();
        let mv = parse_move(word).ok_or_else(|| Fault::Illegal(format!("'{word}' is no move")))?;
        self.known.push(mv);
        Ok(mv)
    }
}
