//! The protocol of `NBoard`, version 2 (Chris Welty).
//!
//! What the protocol's users rely on, and what is kept here:
//! - `ping` stops the search; no line about the old position comes after the `pong`. So does every command that makes
//!   the search obsolete. A `go` that was stopped so gets no answer.
//! - `go` does not play the move.
//! - Scores are in discs for the side to move; numbers have no exponent, no decimal comma and no signed zero.
//! - All lines of a search iteration carry the same depth text, because a new text makes the client drop old lines.
//! - Unknown lines are ignored. The protocol has no errors: what is wrong with a game or move is said in the status.

use std::{
    io::{self, Write},
    time::{Duration, Instant},
};

use super::{
    Event, Io, NAME, Thinker,
    input::{Effect, Stopped},
    text::{clean, depth, discs, first_word, number, printable, two_letters, variation, words},
};
use crate::{
    board::{Board, Color, Game, Move},
    engine::{
        Goal, Outcome, Progress, Request, TimeBudget,
        clock::{Clock, TimeControl},
    },
    notation::{self, ggf::GgfClock},
    search::{Bound, Line, Proof, Selectivity},
};

/// Least time between two sets of lines.
const INTERVAL: Duration = Duration::from_millis(50);

/// A dialogue with `NBoard`.
pub(super) struct Session<S, W> {
    io: Io<S, W>,
    level: u32,
    game: Game,
    // Black's and White's; `None` is no limit.
    clocks: [Option<Clock>; 2],
}

impl<S: Thinker, W: Write> Session<S, W> {
    pub(super) fn new(io: Io<S, W>) -> Self {
        Self { level: io.level, io, game: Game::default(), clocks: [None; 2] }
    }

    /// Answers `first`, if given, and then the input until `quit` or its end.
    pub(super) fn run(mut self, first: Option<Event>) -> io::Result<()> {
        let mut next = first;
        loop {
            match next.take().unwrap_or_else(|| self.io.input.next()) {
                Event::End => return Ok(()),
                Event::TooLong => self.status("Line too long")?,
                Event::Line(line) => {
                    let line = clean(&line);
                    let (command, rest) = first_word(&line);
                    if command == b"quit" {
                        return Ok(());
                    }
                    self.execute(command, rest)?;
                }
            }
        }
    }

    fn execute(&mut self, command: &[u8], rest: &[u8]) -> io::Result<()> {
        match command {
            b"nboard" => self.send(&format!("set myname {NAME}")),
            b"set" => self.set(rest),
            b"move" => self.play(rest),
            b"ping" => self.ping(rest),
            b"hint" => self.hint(rest),
            b"go" => self.go(),
            b"analyze" => self.analyze(),
            b"learn" => {
                let learned = self.io.engine.learn(&self.game);
                self.send("learned")?;
                // After `learned`, which clears the client's status.
                learned.or_else(|error| self.status(&error))
            }
            _ => Ok(()),
        }
    }

    fn send(&mut self, text: &str) -> io::Result<()> {
        self.io.output.send(text)
    }

    fn status(&mut self, text: &str) -> io::Result<()> {
        let text = printable(text);
        self.send(&format!("status {text}"))
    }

    fn clear_status(&mut self) -> io::Result<()> {
        self.send("status")
    }

    fn set(&mut self, rest: &[u8]) -> io::Result<()> {
        let (variable, value) = first_word(rest);
        match variable {
            b"depth" => {
                if let Some(depth) = number::<u32>(value) {
                    self.level = depth.min(Goal::MAX_LEVEL);
                }
            }
            b"contempt" => {
                if let Some(contempt) = number(value) {
                    self.io.engine.set_contempt(contempt);
                }
            }
            b"game" => match notation::ggf::parse_game(value).or_else(|_| notation::ggf::parse_game(&bare(value))) {
                Ok(ggf) => {
                    self.clocks = [ggf.time_black, ggf.time_white].map(|clock| clock.map(start_clock));
                    for ((&mv, info), board) in ggf.game.moves().iter().zip(&ggf.move_info).zip(ggf.game.boards()) {
                        self.spend(board.side_to_move(), mv, info.seconds);
                    }
                    self.game = ggf.game;
                }
                Err(error) => return self.status(&format!("Cannot read the game: {error}")),
            },
            _ => {}
        }
        Ok(())
    }

    fn play(&mut self, rest: &[u8]) -> io::Result<()> {
        let (mv, info) = match notation::ggf::parse_move_item(rest)
            .or_else(|_| notation::ggf::parse_move_item(before_slash(rest)))
        {
            Ok(item) => item,
            Err(error) => return self.status(&format!("Cannot read the move: {error}")),
        };
        let mut color = self.game.board().side_to_move();
        if mv != Move::Pass && self.game.board().position().must_pass() {
            color = color.opponent();
        }
        match self.game.play_with_implied_pass(mv) {
            Ok(()) => {
                self.spend(color, mv, info.seconds);
                Ok(())
            }
            Err(error) => self.status(&format!("Illegal move: {error}")),
        }
    }

    fn spend(&mut self, color: Color, mv: Move, seconds: Option<f64>) {
        let seconds = seconds.filter(|seconds| seconds.is_finite()).unwrap_or(0.0).clamp(0.0, 1e9);
        if let (Some(clock), Ok(elapsed)) = (self.clock(color), Duration::try_from_secs_f64(seconds)) {
            // The increment is for moves.
            if mv != Move::Pass || !elapsed.is_zero() {
                clock.spend(elapsed);
            }
        }
    }

    const fn clock(&mut self, color: Color) -> Option<&mut Clock> {
        let [black, white] = &mut self.clocks;
        match color {
            Color::Black => black.as_mut(),
            Color::White => white.as_mut(),
        }
    }

    fn ping(&mut self, rest: &[u8]) -> io::Result<()> {
        // The search has been stopped by the arrival of this line. Anything but an integer would be an error to the
        // client in the answer.
        match words(rest).next() {
            Some(number) if is_integer(number) => self.send(&format!("pong {}", String::from_utf8_lossy(number))),
            _ => Ok(()),
        }
    }

    fn hint(&mut self, rest: &[u8]) -> io::Result<()> {
        if self.game.is_over() {
            return self.clear_status();
        }
        let wanted = words(rest).next().and_then(count).unwrap_or(1).max(1);
        let board = self.game.board();
        self.status(&format!("Hinting at depth {}", self.level))?;
        let (outcome, stopped) = self.search(board, wanted, None)?;
        if stopped != Stopped::ByCommand {
            self.send(&node_statistics(&outcome))?;
        }
        self.clear_status()
    }

    fn go(&mut self) -> io::Result<()> {
        let board = self.game.board();
        match *board.position().moves().as_slice() {
            // Nothing can be played; a client that asks all the same waits for some answer.
            [] => {
                self.clear_status()?;
                return self.send("=== PA");
            }
            [Move::Pass] => return self.send("=== PA"),
            [only] => return self.send(&format!("=== {}//0.01", two_letters(only))),
            _ => {}
        }
        self.status(&format!("Thinking at depth {}", self.level))?;
        let budget = self.clock(board.side_to_move()).map(|clock| clock.budget(board.position().empties()));
        let start = Instant::now();
        let (outcome, stopped) = self.search(board, 1, budget)?;
        if stopped == Stopped::ByCommand {
            return self.clear_status();
        }
        self.send(&node_statistics(&outcome))?;
        let best = outcome.lines.first().filter(|line| board.play(line.mv).is_some());
        let seconds = start.elapsed().as_secs_f64();
        match (best, board.position().moves().first()) {
            (Some(line), _) => {
                let (mv, eval) = (two_letters(line.mv), discs(line.score));
                self.send(&format!("=== {mv}/{eval}/{seconds:.2}"))
            }
            (None, Some(&mv)) => self.send(&format!("=== {}//{seconds:.2}", two_letters(mv))),
            (None, None) => Ok(()),
        }
    }

    /// Searches and shows the lines as they improve.
    fn search(&mut self, board: Board, lines: usize, time: Option<TimeBudget>) -> io::Result<(Outcome, Stopped)> {
        let request = Request { goal: Goal::Level(self.level), lines, time };
        let moves = board.position().moves().len();
        let mut reporter = Reporter::new(lines.min(moves));
        let stop = self.io.input.begin_search(judge);
        let mut written = Ok(());
        let output = &mut self.io.output;
        let outcome = self.io.engine.search(board.position(), &request, &stop, &mut |progress: &Progress<'_>| {
            if let (Ok(()), false, Some(text)) = (&written, stop.is_stopped(), reporter.due(progress)) {
                written = output.send(&text);
                if written.is_err() {
                    stop.stop();
                }
            }
        });
        let stopped = self.io.input.end_search();
        written?;
        if let (true, Some(text)) = (stopped != Stopped::ByCommand, reporter.last(&outcome.lines)) {
            self.send(&text)?;
        }
        Ok((outcome, stopped))
    }

    /// Scores every position of the game, the last one first.
    fn analyze(&mut self) -> io::Result<()> {
        let boards = self.game.boards().to_vec();
        let stop = self.io.input.begin_search(judge);
        let mut shown: Option<Instant> = None;
        let mut written = Ok(());
        for (number, board) in boards.iter().enumerate().rev() {
            let position = board.position();
            if shown.is_none_or(|shown| shown.elapsed() >= INTERVAL) {
                shown = Some(Instant::now());
                written = self.status(&format!("Analyzing position {number} of {}", boards.len() - 1));
            }
            let score = if position.is_over() {
                Some(position.final_score() * 100)
            } else {
                let request = Request::best(Goal::Level(self.level));
                let outcome = self.io.engine.search(position, &request, &stop, &mut |_| {});
                outcome.lines.first().filter(|_| !stop.is_stopped()).map(|line| line.score)
            };
            if let (Ok(()), Some(score)) = (&written, score) {
                written = self.send(&format!("analysis {number} {}", discs(score)));
            }
            if written.is_err() || stop.is_stopped() {
                break;
            }
        }
        self.io.input.end_search();
        written?;
        self.clear_status()
    }
}

/// What a line does to a running search: those that ask for something new make it obsolete.
fn judge(line: &[u8]) -> Effect {
    let line = clean(line);
    let (command, rest) = first_word(&line);
    match command {
        b"quit" => Effect::Quit,
        b"ping" | b"move" | b"hint" | b"go" | b"learn" | b"analyze" => Effect::Interrupt,
        b"set" if first_word(rest).0 == b"game" => Effect::Interrupt,
        _ => Effect::None,
    }
}

/// A number of moves; one too large to be read is all of them.
fn count(word: &[u8]) -> Option<usize> {
    if word.iter().all(u8::is_ascii_digit) { Some(number(word).unwrap_or(usize::MAX)) } else { None }
}

fn is_integer(word: &[u8]) -> bool {
    let digits = word.strip_prefix(b"-").unwrap_or(word);
    !digits.is_empty() && digits.len() <= 18 && digits.iter().all(u8::is_ascii_digit)
}

fn start_clock(clock: GgfClock) -> Clock {
    Clock::new(TimeControl { main: clock.main, increment: clock.increment, byo_yomi: None })
}

fn node_statistics(outcome: &Outcome) -> String {
    format!("nodestats {} {:.3}", outcome.nodes.total, outcome.elapsed.as_secs_f64())
}

/// Decides which of a search's reports the client is shown: sets of lines that are complete, one for each depth, and
/// not too many of them.
struct Reporter {
    expected: usize,
    depth: Option<(u32, Selectivity, bool)>,
    // A complete set for which it was too early.
    waiting: Option<String>,
    text: String,
    shown: Option<Instant>,
}

impl Reporter {
    const fn new(expected: usize) -> Self {
        Self { expected, depth: None, waiting: None, text: String::new(), shown: None }
    }

    /// The text to show at a report, if it is time for one.
    fn due(&mut self, progress: &Progress<'_>) -> Option<String> {
        let mut depths = progress.lines.iter().filter(|line| line.book_games.is_none()).map(iteration);
        let first = depths.next();
        let complete = progress.lines.len() >= self.expected && depths.all(|depth| Some(depth) == first);
        if complete && (self.depth.is_none() || self.depth != first) {
            self.depth = first;
            self.waiting = Some(lines_text(progress.lines));
        }
        if self.shown.is_some_and(|shown| shown.elapsed() < INTERVAL) {
            return None;
        }
        let text = self.waiting.take()?;
        self.shown = Some(Instant::now());
        self.unless_shown(text)
    }

    /// The text for the result, unless it was shown already.
    fn last(&mut self, lines: &[Line]) -> Option<String> {
        self.unless_shown(lines_text(lines))
    }

    fn unless_shown(&mut self, text: String) -> Option<String> {
        if text.is_empty() || text == self.text {
            return None;
        }
        self.text.clone_from(&text);
        Some(text)
    }
}

const fn iteration(line: &Line) -> (u32, Selectivity, bool) {
    (line.depth, line.selectivity, line.to_end)
}

/// `search` and `book` lines; all `search` lines carry the depth text of the least searched one.
fn lines_text(lines: &[Line]) -> String {
    let searched = lines.iter().filter(|line| line.book_games.is_none());
    let depth_of_set = searched.min_by_key(|line| certainty(line)).map(depth_text).unwrap_or_default();
    let text = |line: &Line| {
        let (moves, eval) = (variation(line), discs(line.score));
        match line.book_games {
            Some(games) => format!("book {moves} {eval} {games} {}", depth_text(line)),
            None => format!("search {moves} {eval} 0 {depth_of_set}"),
        }
    };
    lines.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// `12` for a midgame search, whatever its selectivity, because the client takes anything with a percent sign for a
/// solve; `24@95%` for a selective search to the end; `100%` and `100%W` for proven scores.
fn depth_text(line: &Line) -> String {
    if line.proof == Proof::None && !line.to_end { line.depth.to_string() } else { depth(line) }
}

/// Sorts lines by how much is known about their scores.
fn certainty(line: &Line) -> (u8, u32, Selectivity) {
    let proof = match (line.proof, line.bound) {
        (Proof::Score, Bound::Exact) => 2,
        (Proof::WinLossDraw, _) => 1,
        _ => 0,
    };
    (proof, line.depth, line.selectivity)
}

#[cfg(test)]
mod tests;

/// A move without its evaluation and time.
fn before_slash(item: &[u8]) -> &[u8] {
    item.split(|&byte| byte == b'/').next().unwrap_or(item)
}

/// A game without clocks and without the evaluations and times of its moves: what is left to play on when those
/// cannot be read.
fn bare(ggf: &[u8]) -> Vec<u8> {
    let mut game = Vec::with_capacity(ggf.len());
    for property in ggf.split_inclusive(|&byte| byte == b']') {
        let Some(bracket) = property.iter().position(|&byte| byte == b'[') else {
            game.extend(property);
            continue;
        };
        let (tag, value) = property.split_at(bracket);
        match tag.trim_ascii() {
            b"TI" | b"TB" | b"TW" => {}
            b"B" | b"W" => {
                game.extend(tag);
                game.extend(before_slash(value.strip_suffix(b"]").unwrap_or(value)));
                game.push(b']');
            }
            _ => game.extend(property),
        }
    }
    game
}
