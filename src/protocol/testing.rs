//! Dialogues held in-process, and engines that behave as a test wants.

use std::{
    io::{self, Read, Write},
    sync::mpsc::{self, Receiver, Sender},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use super::{Mode, Options, Thinker, run};
use crate::{
    board::{Color, Game, Position},
    engine::{Engine, Outcome, Progress, Request, Settings},
    notation,
    search::{Bound, Line, Nodes, Proof, Selectivity, StopFlag},
};

/// Nothing in these tests may take longer.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

pub(super) fn small_engine() -> Engine {
    Engine::new(Settings { threads: 1, hash_mib: 1, use_book: false, ..Settings::default() }).unwrap()
}

/// What is answered to a whole script at once; searches are not cut short by its end.
pub(super) fn talk(mode: Mode, script: impl AsRef<[u8]>) -> String {
    talk_to(small_engine(), mode, script)
}

pub(super) fn talk_to(engine: impl Thinker, mode: Mode, script: impl AsRef<[u8]>) -> String {
    let options = Options { level: 3, log: None, end_grace: PATIENCE };
    let mut output = Vec::new();
    run(mode, engine, options, io::Cursor::new(script.as_ref().to_vec()), &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

/// The game of a text of moves, with the forced passes that it may leave out.
fn game(moves: &str) -> Game {
    let mut game = Game::default();
    for mv in moves.as_bytes().chunks(2) {
        game.play_with_implied_pass(notation::parse_move(mv).unwrap()).unwrap();
    }
    game
}

/// The moves of a text as GTP `play` commands.
pub(super) fn plays(moves: &str) -> String {
    let game = game(moves);
    let turns = game.boards().iter().zip(game.moves());
    turns.map(|(board, mv)| ["play ", &board.side_to_move().to_string(), " ", &mv.to_string(), "\n"].concat()).collect()
}

/// The moves of a text as a game from `NBoard`, half a second each.
pub(super) fn set_game(moves: &str) -> String {
    let game = game(moves);
    let mut text = set_board("---------------------------O*------*O--------------------------- *");
    text.truncate(text.len() - ";)\n".len());
    for (board, &mv) in game.boards().iter().zip(game.moves()) {
        text += if board.side_to_move() == Color::Black { "B[" } else { "W[" };
        text += &super::text::two_letters(mv);
        text += "//0.5]";
    }
    text + ";)\n"
}

/// A position as a game from `NBoard`.
pub(super) fn set_board(board: &str) -> String {
    format!("set game (;GM[Othello]PC[NBoard]PB[]PW[]RE[?]TI[5:00]TY[8]BO[8 {board}];)\n")
}

/// A dialogue with a session that runs in another thread.
pub(super) struct Dialogue {
    to: Option<Sender<Vec<u8>>>,
    from: Receiver<String>,
    thread: JoinHandle<io::Result<()>>,
}

struct Feed(Receiver<Vec<u8>>, Vec<u8>);

impl Read for Feed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.1.is_empty() {
            self.1 = self.0.recv().unwrap_or_default();
        }
        let count = self.1.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.1[..count]);
        self.1.drain(..count);
        Ok(count)
    }
}

struct Lines(Sender<String>, Vec<u8>);

impl Write for Lines {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.1.extend_from_slice(buffer);
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let text = String::from_utf8(std::mem::take(&mut self.1)).unwrap();
        assert!(text.is_ascii() && text.ends_with('\n'), "{text:?}");
        for line in text.lines() {
            self.0.send(line.to_owned()).map_err(|_| io::ErrorKind::BrokenPipe)?;
        }
        Ok(())
    }
}

impl Dialogue {
    pub(super) fn new(mode: Mode, engine: impl Thinker + Send + 'static, options: Options) -> Self {
        let (to, input) = mpsc::channel();
        let (output, from) = mpsc::channel();
        let thread =
            thread::spawn(move || run(mode, engine, options, Feed(input, Vec::new()), Lines(output, Vec::new())));
        Self { to: Some(to), from, thread }
    }

    pub(super) fn send(&self, text: &str) {
        self.to.as_ref().unwrap().send(text.as_bytes().to_vec()).unwrap();
    }

    /// The next line of the engine.
    pub(super) fn line(&self) -> String {
        self.from.recv_timeout(PATIENCE).expect("an answer")
    }

    /// All lines up to the first that starts so, which is the last of them.
    pub(super) fn until(&self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            lines.push(self.line());
            if lines.last().unwrap().starts_with(start) {
                return lines;
            }
        }
    }

    /// True when nothing is said for a while.
    pub(super) fn is_silent(&self, time: Duration) -> bool {
        self.from.recv_timeout(time).is_err()
    }

    pub(super) fn close_input(&mut self) {
        self.to = None;
    }

    /// Waits for the end; returns the lines not read and how long it took.
    pub(super) fn join(self, since: Instant) -> (Vec<String>, Duration) {
        while !self.thread.is_finished() {
            assert!(since.elapsed() < PATIENCE, "does not end");
            thread::sleep(Duration::from_millis(1));
        }
        self.thread.join().unwrap().unwrap();
        (self.from.try_iter().collect(), since.elapsed())
    }

    /// Stops reading the engine's output and waits for the end.
    pub(super) fn close_output(self) -> io::Result<()> {
        drop(self.from);
        let start = Instant::now();
        while !self.thread.is_finished() {
            assert!(start.elapsed() < PATIENCE, "does not end");
            thread::sleep(Duration::from_millis(1));
        }
        self.thread.join().unwrap()
    }
}

/// Deepens for ever, one depth a millisecond, until stopped or out of time.
pub(super) struct Endless;

impl Thinker for Endless {
    fn search(
        &mut self,
        position: Position,
        request: &Request,
        stop: &StopFlag,
        on_progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Outcome {
        let start = Instant::now();
        let moves = position.moves();
        let mut depth = 1;
        let lines = loop {
            let lines: Vec<Line> = moves.iter().take(request.lines).map(|&mv| line(mv, -40, depth)).collect();
            let (finished, nodes, elapsed) = (lines.len(), Nodes::default(), start.elapsed());
            on_progress(&Progress { lines: &lines, finished, proven: (-64, 64), nodes, elapsed });
            if stop.is_stopped() || request.time.is_some_and(|time| start.elapsed() >= time.hard) || moves.is_empty() {
                break lines;
            }
            thread::sleep(Duration::from_millis(1));
            depth += 1;
        };
        Outcome { lines, proven: (-64, 64), nodes: Nodes::default(), elapsed: start.elapsed(), completed: false }
    }
}

/// Reports these sets of lines, with a pause after each; the last is the result.
pub(super) struct Reports(pub(super) Vec<Vec<Line>>, pub(super) Duration);

impl Thinker for Reports {
    fn search(
        &mut self,
        _: Position,
        _: &Request,
        _: &StopFlag,
        on_progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Outcome {
        let (nodes, elapsed) = (Nodes { total: 123456789, searched: 1 }, Duration::from_micros(25));
        for lines in &self.0 {
            on_progress(&Progress { lines, finished: lines.len(), proven: (-64, 64), nodes, elapsed });
            thread::sleep(self.1);
        }
        let lines = self.0.last().cloned().unwrap_or_default();
        Outcome { lines, proven: (-64, 64), nodes, elapsed, completed: true }
    }
}

/// A midgame line.
pub(super) fn line(mv: crate::board::Move, score: i32, depth: u32) -> Line {
    Line {
        mv,
        score,
        bound: Bound::Exact,
        depth,
        selectivity: Selectivity::P73,
        to_end: false,
        proof: Proof::None,
        pv: vec![mv],
        book_games: None,
    }
}
