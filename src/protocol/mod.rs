//! Protocols that GUIs and match runners speak: `NBoard` and GTP. They see only the engine.
//!
//! A front end makes an [`Engine`], fills in [`Options`] and hands both to [`run`] with its input and output:
//!
//! ```no_run
//! use flipside::{
//!     engine::{Engine, Settings},
//!     protocol::{self, Log, Mode, Options},
//! };
//!
//! let engine = Engine::new(Settings::default())?;
//! let options = Options { level: 21, log: Some(Log::create("dialogue.log".as_ref())?), ..Options::default() };
//! protocol::run(Mode::Auto, engine, options, std::io::stdin(), std::io::stdout())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `run` returns when the client says `quit`, closes the input or stops reading the output; all three are `Ok`, and
//! the program should then exit with status 0 without waiting for anything. An error is a real failure to write.
//! Nothing here writes to standard error, and in `NBoard` mode nothing else may either: that client reads both streams
//! as one, so a front end that has warnings must not print them once `Mode::Nboard` runs.
//!
//! How it works: one thread reads lines ([`input`]), the caller's thread answers them in order and runs the search.
//! The reader sees every line the moment it arrives, so it can stop a running search; the answers still come out in
//! the order of the commands, from one thread, so none can be stale.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::unreachable)
)]

mod gtp;
mod input;
mod log;
mod nboard;
mod output;
#[cfg(test)]
mod testing;
mod text;

use std::{
    io::{self, Read, Write},
    time::Duration,
};

pub use self::log::Log;
use self::{
    input::{Event, Input},
    output::Output,
};
use crate::{
    board::{Game, Position},
    engine::{Engine, Goal, Outcome, Progress, Request},
    search::StopFlag,
};

/// The engine's name, as clients show it.
pub const NAME: &str = "Flipside";

/// Which protocol to speak.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// The first command decides: `nboard` means `NBoard`, anything else GTP.
    #[default]
    Auto,
    /// `NBoard`, version 2.
    Nboard,
    /// GTP, version 2.
    Gtp,
}

/// How to hold a dialogue.
#[derive(Clone, Debug)]
pub struct Options {
    /// The playing level until the client sets one, 0 to [`Goal::MAX_LEVEL`] (more counts as that).
    pub level: u32,
    /// Where to record the dialogue, if anywhere.
    pub log: Option<Log>,
    /// How long the searches that were asked for before `quit` or the end of the input may go on after it, all in
    /// all. Short, because nobody may be listening any more; not nothing, because it may be a script that is.
    pub end_grace: Duration,
}

impl Default for Options {
    /// Level 21, no log, 60 ms.
    fn default() -> Self {
        Self { level: 21, log: None, end_grace: Duration::from_millis(60) }
    }
}

/// What the protocols ask of an engine.
pub trait Thinker {
    /// Searches a position; see [`Engine::search`].
    fn search(
        &mut self,
        position: Position,
        request: &Request,
        stop: &StopFlag,
        on_progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Outcome;

    /// Gets ready in the background, so that the first search need not.
    fn warm_up(&self) {}

    /// Adds a game to the book; the error says why the book could not be written.
    ///
    /// # Errors
    /// When the book could not be written.
    fn learn(&mut self, game: &Game) -> Result<(), String> {
        let _ = game;
        Ok(())
    }

    /// Values a drawn book position at `discs` for Black.
    fn set_contempt(&mut self, discs: i32) {
        let _ = discs;
    }
}

impl Thinker for Engine {
    fn search(
        &mut self,
        position: Position,
        request: &Request,
        stop: &StopFlag,
        on_progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Outcome {
        Self::search(self, position, request, stop, on_progress)
    }

    fn warm_up(&self) {
        Self::warm_up(self);
    }

    fn learn(&mut self, game: &Game) -> Result<(), String> {
        Self::learn(self, game).map_err(|error| error.to_string())
    }

    fn set_contempt(&mut self, discs: i32) {
        Self::set_contempt(self, discs);
    }
}

/// Holds a dialogue until the client ends it: by `quit`, by closing the input or by no longer reading the output.
///
/// # Errors
/// When the reading thread cannot be started or the output fails for a reason other than being closed.
pub fn run<S: Thinker>(
    mode: Mode,
    engine: S,
    options: Options,
    input: impl Read + Send + 'static,
    output: impl Write,
) -> io::Result<()> {
    engine.warm_up();
    let input = Input::start(input, options.log.clone(), options.end_grace)?;
    let io = Io { engine, input, output: Output::new(output, options.log), level: options.level.min(Goal::MAX_LEVEL) };
    let ended = match mode {
        Mode::Auto => auto(io),
        Mode::Nboard => nboard::Session::new(io).run(None),
        Mode::Gtp => gtp::Session::new(io).run(None),
    };
    match ended {
        Err(error) if matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::WriteZero) => Ok(()),
        other => other,
    }
}

/// Everything a session works with.
struct Io<S, W> {
    engine: S,
    input: Input,
    output: Output<W>,
    level: u32,
}

fn auto<S: Thinker, W: Write>(io: Io<S, W>) -> io::Result<()> {
    loop {
        let event = io.input.next();
        match &event {
            Event::End => return Ok(()),
            Event::Line(line) => match text::words(&text::without_comment(&text::clean(line))).next() {
                None => {}
                Some(b"nboard") => return nboard::Session::new(io).run(Some(event)),
                Some(_) => return gtp::Session::new(io).run(Some(event)),
            },
            Event::TooLong => return gtp::Session::new(io).run(Some(event)),
        }
    }
}
