//! The engine as one object: give it a position and a goal, get moves with scores. Front ends (protocols, command
//! line, tools) use nothing below this.

pub mod clock;

use std::time::{Duration, Instant};

use thiserror::Error;

use crate::{
    board::{Move, Position},
    isa::Tier,
    search::{Bound, Line, Nodes, Proof, Selectivity, StopFlag},
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
    /// All cores, 256 MiB, the best tier, book on, seed 0.
    fn default() -> Self {
        Self {
            threads: std::thread::available_parallelism().map_or(1, usize::from).min(Self::MAX_THREADS),
            hash_mib: 256,
            tier: Tier::detect(),
            use_book: true,
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
}

/// What a search is to find.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// A playing level, 0 to [`Goal::MAX_LEVEL`]: midgame depth and endgame depth with selectivities by empties.
    Level(u32),
    /// A search of fixed depth in plies and selectivity (to the end when the depth reaches it).
    Depth(u32, Selectivity),
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

/// A report while searching: called after each finished line of each iteration.
#[derive(Clone, Debug)]
pub struct Progress<'a> {
    /// The lines so far, best first; those of the current iteration and, where it has not got to them, the last one.
    pub lines: &'a [Line],
    /// Nodes so far.
    pub nodes: Nodes,
    /// Time since the search began.
    pub elapsed: Duration,
}

/// The answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Best first; empty exactly when the game is over. A forced pass is one line whose move is the pass.
    pub lines: Vec<Line>,
    /// Nodes searched.
    pub nodes: Nodes,
    /// Time taken.
    pub elapsed: Duration,
    /// False when the search was stopped or ran out of time before it reached its goal.
    pub completed: bool,
}

/// An engine: settings, transposition table, threads and book.
#[derive(Debug)]
pub struct Engine {
    settings: Settings,
}

impl Engine {
    /// An engine with these settings.
    ///
    /// # Errors
    /// When a setting is out of range or its resources are not to be had.
    pub fn new(settings: Settings) -> Result<Self, EngineError> {
        if settings.threads == 0 || settings.threads > Settings::MAX_THREADS {
            return Err(EngineError::Threads(settings.threads));
        }
        if settings.hash_mib == 0 || settings.hash_mib > Settings::MAX_HASH_MIB {
            return Err(EngineError::HashRange(settings.hash_mib));
        }
        Ok(Self { settings })
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Forgets everything learnt from earlier searches.
    pub fn clear(&mut self) {}

    /// Changes the size of the transposition table, which is cleared.
    ///
    /// # Errors
    /// When the size is out of range or not to be had; the old table stays.
    pub fn resize_hash(&mut self, hash_mib: usize) -> Result<(), EngineError> {
        if hash_mib == 0 || hash_mib > Settings::MAX_HASH_MIB {
            return Err(EngineError::HashRange(hash_mib));
        }
        self.settings.hash_mib = hash_mib;
        Ok(())
    }

    /// Static evaluation in centi-discs from the mover's view, −6400 to 6400.
    pub fn evaluate(&self, position: Position) -> i32 {
        let mobility = |p: Position| p.legal_moves().count_ones() as i32;
        let corners = |bits: u64| (bits & 0x8100000000000081).count_ones() as i32;
        100 * (mobility(position) - mobility(position.pass()))
            + 800 * (corners(position.mover()) - corners(position.opponent()))
    }

    /// Searches `position`, calling `on_progress` from this thread as results improve, until the goal is reached,
    /// the time is up or `stop` is set.
    pub fn search(
        &mut self,
        position: Position,
        request: &Request,
        stop: &StopFlag,
        on_progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Outcome {
        // Placeholder until the search is in: full-width negamax, fixed depth.
        let start = Instant::now();
        let depth = match request.goal {
            Goal::Level(level) => level.min(4),
            Goal::Depth(depth, _) => depth.min(4),
            Goal::Solve { .. } => position.empties(),
        };
        let mut nodes = Nodes::default();
        let mut lines: Vec<Line> = Vec::new();
        for mv in position.moves() {
            let Some(child) = position.play(mv) else { continue };
            let score = -self.negamax(child, depth.saturating_sub(1), -100_000, 100_000, &mut nodes, stop);
            let to_end = depth >= position.empties();
            lines.push(Line {
                mv,
                score,
                bound: Bound::Exact,
                depth,
                selectivity: Selectivity::None,
                to_end,
                proof: if to_end { Proof::Score } else { Proof::None },
                pv: vec![mv],
                book_games: None,
            });
        }
        lines.sort_by_key(|line| -line.score);
        lines.truncate(request.lines.max(1));
        let elapsed = start.elapsed();
        on_progress(&Progress { lines: &lines, nodes, elapsed });
        Outcome { lines, nodes, elapsed, completed: !stop.is_stopped() }
    }

    fn negamax(&self, p: Position, depth: u32, mut alpha: i32, beta: i32, nodes: &mut Nodes, stop: &StopFlag) -> i32 {
        nodes.total += 1;
        nodes.searched += 1;
        let moves = p.moves();
        if moves.is_empty() {
            return p.final_score() * 100;
        }
        if depth == 0 || stop.is_stopped() {
            return self.evaluate(p);
        }
        let mut best = -100_000;
        for mv in moves {
            let Some(child) = p.play(mv) else { continue };
            let deeper = if mv == Move::Pass { depth } else { depth - 1 };
            best = best.max(-self.negamax(child, deeper, -beta, -alpha, nodes, stop));
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        best
    }
}
