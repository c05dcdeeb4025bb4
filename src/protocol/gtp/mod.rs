//! GTP, version 2, with the conventions of Othello clients.
//!
//! - Squares are `A1` to `H8`, row 1 at the top of the board, colours `b`, `black`, `w`, `white`, passes `pass`, all in
//!   any case; command names are in lower case.
//! - A side without a placement passes. Clients may say so (`play w pass`), or just ask the other side again: a colour
//!   out of turn is accepted exactly when the side to move must pass. Saying a pass once more is harmless.
//! - A command that fails changes nothing.
//! - Commands are answered in order. `quit` and the end of the input, though they wait their turn too, stop a running
//!   search, which then answers with its best move so far; so does the comment line `# interrupt` of `GoGui`.
//!
//! Beyond the standard commands:
//! - `hint [N]`: the N best moves, one a line: move, score in discs for the side to move, depth, variation.
//! - `set_position BOARD` or `setboard BOARD`: 64 squares from a1 to h8 and the side to move.
//! - `set_level N`: the playing level.
//! - `loadsgf FILE [N]`: reads SGF, GGF and plain move lists, up to but without move N.
//! - `gogui-…`: what `GoGui` and its tools need to host the game. They number rows from the bottom, so
//!   `gogui-rules_board` shows row 8 first.

mod commands;
mod rules;

use std::{
    io::{self, Write},
    time::{Duration, Instant},
};

use self::commands::Command;
use super::{
    Event, Io, Thinker,
    input::Effect,
    text::{clean, number, printable, without_comment, words},
};
use crate::{
    board::{Board, Color, Game, Move},
    engine::{
        Goal, Outcome, Request, TimeBudget,
        clock::{Clock, TimeControl},
    },
};

/// What a command answers: a text, or why it failed.
type Answer = Result<String, String>;

/// A dialogue in GTP.
pub(super) struct Session<S, W> {
    io: Io<S, W>,
    level: u32,
    game: Game,
    // Indices into the game's moves of the passes that no client asked for; they are taken back together with the
    // move that implied them.
    implied_passes: Vec<usize>,
    control: Option<TimeControl>,
    // Black's and White's; `None` is no limit.
    clocks: [Option<Clock>; 2],
}

impl<S: Thinker, W: Write> Session<S, W> {
    pub(super) fn new(io: Io<S, W>) -> Self {
        Self {
            level: io.level,
            io,
            game: Game::default(),
            implied_passes: Vec::new(),
            control: None,
            clocks: [None; 2],
        }
    }

    /// Answers `first`, if given, and then the input until `quit` or its end.
    pub(super) fn run(mut self, first: Option<Event>) -> io::Result<()> {
        let mut next = first;
        loop {
            match next.take().unwrap_or_else(|| self.io.input.next()) {
                Event::End => return Ok(()),
                Event::TooLong => self.respond("", &Err("line too long".to_owned()))?,
                Event::Line(line) => {
                    let Some(line) = Parsed::new(&line) else { continue };
                    let answer = self.execute(&line);
                    self.respond(&line.id, &answer)?;
                    if line.command == b"quit" {
                        return Ok(());
                    }
                }
            }
        }
    }

    fn respond(&mut self, id: &str, answer: &Answer) -> io::Result<()> {
        let (sign, text) = match answer {
            Ok(text) => ('=', text.clone()),
            Err(reason) => ('?', printable(reason)),
        };
        let blank = if text.is_empty() || text.starts_with('\n') { "" } else { " " };
        self.io.output.send(&format!("{sign}{id}{blank}{text}\n"))
    }

    fn execute(&mut self, line: &Parsed) -> Answer {
        if line.command.is_empty() {
            return Err("no command after the id".to_owned());
        }
        let Some(command) = Command::named(&line.command) else {
            return Err("unknown command".to_owned());
        };
        let arguments: Vec<&[u8]> = words(&line.rest).collect();
        self.answer(command, &arguments, &line.rest)
    }

    /// Starts a game anew, clocks included.
    fn set_up(&mut self, start: Board) {
        self.game = Game::new(start);
        self.implied_passes.clear();
        self.clocks = [self.control.map(Clock::new); 2];
    }

    fn play(&mut self, color: Color, mv: Move) -> Result<(), String> {
        let board = self.game.board();
        let to_move = board.side_to_move();
        if mv == Move::Pass && color != to_move && self.game.moves().last() == Some(&Move::Pass) {
            // Said once more; the board has the pass already.
            return Ok(());
        }
        if color == to_move || self.game.is_over() {
            return self.game.play(mv).map_err(|error| format!("illegal move: {error}"));
        }
        if !board.position().must_pass() {
            return Err(format!("wrong colour: {to_move} is to move"));
        }
        if mv == Move::Pass {
            return Err(format!("illegal move: {color} cannot pass: {to_move} passes and {color} has legal moves"));
        }
        let passes_at = self.game.moves().len();
        self.game.play_with_implied_pass(mv).map_err(|error| format!("illegal move: {error}"))?;
        self.implied_passes.push(passes_at);
        Ok(())
    }

    fn undo(&mut self) -> Result<(), String> {
        self.game.undo().ok_or_else(|| "cannot undo".to_owned())?;
        if self.game.moves().len().checked_sub(1) == self.implied_passes.last().copied()
            && !self.implied_passes.is_empty()
        {
            self.game.undo();
            self.implied_passes.pop();
        }
        Ok(())
    }

    /// The board on which `color` is to choose a move: the current one, or the one after a forced pass.
    fn board_for(&self, color: Color) -> Result<Board, String> {
        let board = self.game.board();
        if board.side_to_move() == color {
            return Ok(board);
        }
        board.play(Move::Pass).ok_or_else(|| format!("wrong colour: {} is to move", board.side_to_move()))
    }

    fn genmove(&mut self, color: Color) -> Answer {
        if self.game.is_over() {
            return Ok("PASS".to_owned());
        }
        let board = self.board_for(color)?;
        let start = Instant::now();
        let budget = self.clock(color).map(|clock| clock.budget(board.position().empties()));
        let mv = self.choose(board, budget);
        self.play(color, mv)?;
        if let Some(clock) = self.clock(color) {
            clock.spend(start.elapsed());
        }
        Ok(vertex(mv))
    }

    /// The best move; one must exist.
    fn choose(&mut self, board: Board, time: Option<TimeBudget>) -> Move {
        let moves = board.position().moves();
        if let [only] = moves.as_slice() {
            return *only;
        }
        let outcome = self.search(board, 1, time);
        let best = outcome.lines.first().map(|line| line.mv).filter(|mv| moves.contains(mv));
        best.or_else(|| moves.first().copied()).unwrap_or(Move::Pass)
    }

    fn search(&mut self, board: Board, lines: usize, time: Option<TimeBudget>) -> Outcome {
        let request = Request { goal: Goal::Level(self.level), lines, time };
        let stop = self.io.input.begin_search(judge);
        let outcome = self.io.engine.search(board.position(), &request, &stop, &mut |_| {});
        self.io.input.end_search();
        outcome
    }

    const fn clock(&mut self, color: Color) -> Option<&mut Clock> {
        let [black, white] = &mut self.clocks;
        match color {
            Color::Black => black.as_mut(),
            Color::White => white.as_mut(),
        }
    }
}

/// A command line: `[id] command arguments`, without comment and control characters.
struct Parsed {
    id: String,
    command: Vec<u8>,
    rest: Vec<u8>,
}

impl Parsed {
    /// `None` for a line that has nothing in it.
    fn new(line: &[u8]) -> Option<Self> {
        let line = without_comment(&clean(line));
        let (mut command, mut rest) = super::text::first_word(&line);
        if command.is_empty() {
            return None;
        }
        let mut id = String::new();
        if command.iter().all(u8::is_ascii_digit) {
            id = command.iter().copied().map(char::from).collect();
            (command, rest) = super::text::first_word(rest);
        }
        Some(Self { id, command: command.to_vec(), rest: rest.to_vec() })
    }
}

fn judge(line: &[u8]) -> Effect {
    let Some(parsed) = Parsed::new(line) else {
        let interrupts =
            clean(line).trim_ascii().strip_prefix(b"#").is_some_and(|rest| rest.trim_ascii() == b"interrupt");
        return if interrupts { Effect::Interrupt } else { Effect::None };
    };
    match parsed.command.as_slice() {
        b"quit" => Effect::Quit,
        b"genmove" | b"reg_genmove" | b"hint" => Effect::Search,
        _ => Effect::None,
    }
}

/// A move as answers show it: `D3`, `PASS`.
fn vertex(mv: Move) -> String {
    mv.to_string().to_ascii_uppercase()
}

/// A time in seconds, which clients may overdraw.
fn seconds(word: &[u8]) -> Result<Duration, String> {
    let value: f64 = number(word).filter(|value: &f64| value.is_finite()).ok_or("expected a time in seconds")?;
    Ok(Duration::try_from_secs_f64(value.clamp(0.0, 1e9)).unwrap_or_default())
}

#[cfg(test)]
mod tests;
