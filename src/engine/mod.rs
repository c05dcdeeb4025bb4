//! The engine as one object: give it a position and a goal, get moves with scores. Front ends (protocols, command
//! line, tools) use nothing below this.

pub mod clock;

use std::{cmp::Reverse, path::PathBuf, time::Duration};

use thiserror::Error;

pub use crate::search::{Outcome, Progress};
use crate::{
    board::{Game, Position},
    book::{Answer, BookError, Searched, Shelf},
    eval::Evaluator,
    isa::Tier,
    search::{
        Limits, Line, Searcher, SearcherError, Selectivity, Step, StopFlag, full_width_steps, level_plan, steps_to,
    },
};

/// How an engine is set up.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Search threads, 1 to [`Settings::MAX_THREADS`].
    pub threads: usize,
    /// Size of the transposition table in MiB, 1 to [`Settings::MAX_HASH_MIB`].
    pub hash_mib: usize,
    /// Instruction-set tier; the best of this CPU unless forced.
    pub tier: Tier,
    /// Whether the opening book may answer.
    pub use_book: bool,
    /// The user's own book, which is used beside the built-in one and takes the games learned; made when a game is
    /// learned and it is not there yet.
    pub book_file: Option<PathBuf>,
    /// Seed of every random choice (among equally good book moves).
    pub seed: u64,
}

impl Settings {
    /// Most threads that can be asked for.
    pub const MAX_THREADS: usize = 256;
    /// Largest table that can be asked for, in MiB.
    pub const MAX_HASH_MIB: usize = 1 << 20;
}

impl Default for Settings {
    /// All cores, 256 MiB, the best tier, built-in book only, seed 0.
    fn default() -> Self {
        Self {
            threads: std::thread::available_parallelism().map_or(1, usize::from).min(Self::MAX_THREADS),
            hash_mib: 256,
            tier: Tier::detect(),
            use_book: true,
            book_file: None,
            seed: 0,
        }
    }
}

/// Why an engine could not be set up.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EngineError {
    /// Thread count out of range.
    #[error("{0} threads: expected 1 to {max}", max = Settings::MAX_THREADS)]
    Threads(usize),
    /// Table size out of range.
    #[error("hash size {0} MiB: expected 1 to {max}", max = Settings::MAX_HASH_MIB)]
    HashRange(usize),
    /// The table could not be allocated.
    #[error("hash size {0} MiB: not enough memory")]
    HashMemory(usize),
    /// The search threads could not be started.
    #[error("cannot start the search threads: {0}")]
    ThreadPool(String),
    /// The user's book is not to be had.
    #[error("{0}")]
    Book(String),
}

/// What a search is to find.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// A playing level, 0 to [`Goal::MAX_LEVEL`]: midgame depth and endgame depth with selectivities by empties.
    Level(u32),
    /// A search of fixed depth in plies and selectivity (to the end when the depth reaches it).
    Depth(u32, Selectivity),
    /// A search to a depth in plies in which no iteration makes probabilistic cuts: to measure what they are worth.
    FullWidth(u32),
    /// The exact final score within the window `alpha`..`beta` in discs (−64, 64 for the full score; −1, 1 for win,
    /// loss or draw); outside the window only a bound is found.
    Solve {
        /// Scores at or below are only proven to be so.
        alpha: i32,
        /// Scores at or above are only proven to be so.
        beta: i32,
    },
}

impl Goal {
    /// The highest level: solves everything in reach of patience.
    pub const MAX_LEVEL: u32 = 60;
    /// The exact score.
    pub const EXACT: Self = Self::Solve { alpha: -64, beta: 64 };
    /// Win, loss or draw.
    pub const WIN_LOSS_DRAW: Self = Self::Solve { alpha: -1, beta: 1 };
}

/// How long a search may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeBudget {
    /// No new iteration is started after this.
    pub soft: Duration,
    /// The search is stopped after this and answers with its last completed iteration (or a proven improvement).
    pub hard: Duration,
}

/// A question to the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    /// What to find.
    pub goal: Goal,
    /// How many of the best moves get a score of their own (capped at the number of legal moves; at least 1).
    pub lines: usize,
    /// Time limit, if any.
    pub time: Option<TimeBudget>,
}

impl Request {
    /// The best move for a goal, without a clock.
    pub const fn best(goal: Goal) -> Self {
        Self { goal, lines: 1, time: None }
    }
}

/// An engine: settings, transposition table, threads and book.
#[derive(Debug)]
pub struct Engine {
    settings: Settings,
    searcher: Searcher,
    shelf: Shelf,
}

/// Level of the searches with which a learned game's new positions get their first score.
const LEARN_LEVEL: u32 = 6;

impl Engine {
    /// An engine with these settings.
    ///
    /// # Errors
    /// When a setting is out of range or its resources are not to be had.
    pub fn new(settings: Settings) -> Result<Self, EngineError> {
        Self::with_evaluator(settings, Evaluator::default())
    }

    /// An engine that evaluates with other than the embedded weights.
    ///
    /// # Errors
    /// As [`Engine::new`].
    pub fn with_evaluator(settings: Settings, evaluator: Evaluator) -> Result<Self, EngineError> {
        if settings.threads == 0 || settings.threads > Settings::MAX_THREADS {
            return Err(EngineError::Threads(settings.threads));
        }
        check_hash(settings.hash_mib)?;
        let searcher = Searcher::new(settings.tier, settings.threads, settings.hash_mib, evaluator)?;
        let shelf = Shelf::open(settings.book_file.as_deref(), settings.seed)?;
        Ok(Self { settings, searcher, shelf })
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How the evaluation's weights were trained.
    pub fn weights_facts(&self) -> &str {
        self.searcher.evaluator().facts()
    }

    /// Asks for progress reports at this interval besides those after each finished line: for displays of long
    /// searches.
    pub fn set_heartbeat(&mut self, interval: Option<Duration>) {
        self.searcher.set_heartbeat(interval);
    }

    /// Unpacks the evaluation for solving positions with up to `empties`, so that the time of the first search is not
    /// that of loading its weights.
    pub fn prepare_to_solve(&self, empties: u32) {
        self.searcher.prepare(&steps_to(Step { depth: empties, selectivity: Selectivity::None }, empties), empties);
    }

    /// Unpacks the evaluation in the background, so that the first search under a clock need not.
    pub fn warm_up(&self) {
        let evaluator = self.searcher.evaluator().clone();
        // Without a thread to spare the first search does the work itself.
        let _ = std::thread::Builder::new().name("warm-up".to_owned()).spawn(move || evaluator.prepare(0, 60));
    }

    /// Forgets everything learnt from earlier searches.
    pub fn clear(&mut self) {
        self.searcher.clear();
    }

    /// Changes the size of the transposition table, which is cleared.
    ///
    /// # Errors
    /// When the size is out of range or not to be had; the old table stays.
    pub fn resize_hash(&mut self, hash_mib: usize) -> Result<(), EngineError> {
        check_hash(hash_mib)?;
        self.searcher.resize_table(hash_mib)?;
        self.settings.hash_mib = hash_mib;
        Ok(())
    }

    /// Static evaluation in centi-discs from the mover's view, −6400 to 6400.
    pub fn evaluate(&self, position: Position) -> i32 {
        if position.is_over() { position.final_score() * 100 } else { self.searcher.evaluator().evaluate(position) }
    }

    /// Adds a game to the user's book, which is written to its file if it has one. New positions get a score from a
    /// quick search; the result of a finished game goes all the way back.
    ///
    /// # Errors
    /// When the file cannot be read or written; what was learned is then kept in memory.
    pub fn learn(&mut self, game: &Game) -> Result<(), BookError> {
        let searcher = &mut self.searcher;
        self.shelf.learn(game, &mut |position| {
            let steps = level_plan(LEARN_LEVEL, position.empties()).steps;
            let outcome = searcher.search(position, &steps, &Limits::default(), &StopFlag::new(), &mut |_| {});
            Searched::from_outcome(&outcome, 0)
        })
    }

    /// Values proven draws in the book at `discs` for Black (100: they are Black's, −100: White's).
    pub fn set_contempt(&mut self, discs: i32) {
        self.shelf.set_contempt(discs);
    }

    /// Searches `position`, calling `on_progress` from this thread as results improve, until the goal is reached,
    /// the time is up or `stop` is set.
    ///
    /// A search to a level asks the book first, unless that is off. When it knows as many moves as are wanted, they
    /// are the answer; else the other lines come from the search. A single move is chosen at random among the book's
    /// best (see [`Shelf::answer`]); the choices are those of [`Settings::seed`].
    pub fn search(
        &mut self,
        position: Position,
        request: &Request,
        stop: &StopFlag,
        on_progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Outcome {
        let wanted = request.lines.clamp(1, position.moves().len().max(1));
        let answer = match request.goal {
            Goal::Level(level) if self.settings.use_book => self.shelf.answer(position, level, wanted),
            _ => Answer::Unknown,
        };
        match answer {
            Answer::Unknown => self.search_tree(position, request, stop, on_progress),
            Answer::Complete(outcome) => outcome,
            Answer::Partly(known) => {
                let mut merged = |progress: &Progress<'_>| {
                    let lines = beside_book(&known, progress.lines, wanted);
                    on_progress(&Progress { lines: &lines, ..progress.clone() });
                };
                let outcome = self.search_tree(position, request, stop, &mut merged);
                Outcome { lines: beside_book(&known, &outcome.lines, wanted), ..outcome }
            }
        }
    }

    fn search_tree(
        &mut self,
        position: Position,
        request: &Request,
        stop: &StopFlag,
        on_progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Outcome {
        let empties = position.empties();
        let (steps, window) = match request.goal {
            Goal::Level(level) => (level_plan(level, empties).steps, (-64, 64)),
            Goal::Depth(depth, selectivity) => {
                (steps_to(Step { depth: depth.max(1), selectivity }, empties), (-64, 64))
            }
            Goal::FullWidth(depth) => (full_width_steps(depth, empties), (-64, 64)),
            Goal::Solve { alpha, beta } => {
                let goal = Step { depth: empties, selectivity: Selectivity::None };
                let alpha = alpha.clamp(-64, 63);
                (steps_to(goal, empties), (alpha, beta.clamp(alpha + 1, 64)))
            }
        };
        let limits = Limits {
            window,
            lines: request.lines,
            soft_time: request.time.map(|time| time.soft),
            hard_time: request.time.map(|time| time.hard),
        };
        self.searcher.search(position, &steps, &limits, stop, on_progress)
    }
}

/// The lines of the book and, for other moves, those of the search: `wanted` in all, the best first.
fn beside_book(known: &[Line], searched: &[Line], wanted: usize) -> Vec<Line> {
    let others = searched.iter().filter(|line| known.iter().all(|book| book.mv != line.mv));
    let mut lines: Vec<Line> = known.iter().chain(others).take(wanted).cloned().collect();
    lines.sort_by_key(|line| Reverse(line.score));
    lines
}

fn check_hash(hash_mib: usize) -> Result<(), EngineError> {
    if (1..=Settings::MAX_HASH_MIB).contains(&hash_mib) { Ok(()) } else { Err(EngineError::HashRange(hash_mib)) }
}

impl From<SearcherError> for EngineError {
    fn from(error: SearcherError) -> Self {
        match error {
            SearcherError::Memory(mebibytes) => Self::HashMemory(mebibytes),
            SearcherError::Threads(message) => Self::ThreadPool(message),
        }
    }
}

impl From<BookError> for EngineError {
    fn from(error: BookError) -> Self {
        Self::Book(error.to_string())
    }
}
