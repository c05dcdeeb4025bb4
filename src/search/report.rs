//! What a search says about its results, and how it is told to stop.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use crate::board::Move;

/// How a score bounds the true value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The score is the value (of a search of the stated depth and selectivity).
    Exact,
    /// The value is at least the score.
    Lower,
    /// The value is at most the score.
    Upper,
}

/// Confidence level of the probabilistic cuts (multi-ProbCut, M. Buro 1995) in a search.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[repr(u8)]
pub enum Selectivity {
    /// Cuts that hold with 73 % confidence each.
    P73,
    /// 87 %.
    P87,
    /// 95 %.
    P95,
    /// 98 %.
    P98,
    /// 99 %.
    P99,
    /// No probabilistic cuts.
    None,
}

impl Selectivity {
    /// All levels, the most selective first.
    pub const ALL: [Self; 6] = [Self::P73, Self::P87, Self::P95, Self::P98, Self::P99, Self::None];

    /// The confidence in percent, 100 without cuts.
    pub const fn percent(self) -> u32 {
        match self {
            Self::P73 => 73,
            Self::P87 => 87,
            Self::P95 => 95,
            Self::P98 => 98,
            Self::P99 => 99,
            Self::None => 100,
        }
    }
}

/// What has been proven about a line's score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof {
    /// A heuristic score, or one that relies on probabilistic cuts.
    None,
    /// The exact final disc difference (or, with a [`Bound`] other than exact, a proven bound of it).
    Score,
    /// Only win, loss or draw is proven: the sign of the score is exact.
    WinLossDraw,
}

/// One move of the root position with its score and expected continuation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The move; equals the first of `pv`.
    pub mv: Move,
    /// Score in centi-discs from the view of the side to move at the root: −6400 to 6400.
    pub score: i32,
    /// Whether `score` is the value or a bound of it.
    pub bound: Bound,
    /// Plies searched (empties when `to_end`).
    pub depth: u32,
    /// Selectivity of that search.
    pub selectivity: Selectivity,
    /// True when the search reached the end of the game in every variation it did not cut.
    pub to_end: bool,
    /// What is proven.
    pub proof: Proof,
    /// The principal variation, passes included; starts with `mv`.
    pub pv: Vec<Move>,
    /// `Some(games)` when the line comes from the book, with the number of games that played it.
    pub book_games: Option<u32>,
}

impl Line {
    /// The score in discs, rounded to the nearest disc; exact for proven scores.
    pub const fn discs(&self) -> i32 {
        (self.score + if self.score >= 0 { 50 } else { -50 }) / 100
    }

    /// Depth as users of the field write it: `12` (plies), `12@73%`, `24@95%` for a selective search to the end,
    /// `100%` for an exact score and `100%W` for proven win, loss or draw.
    pub fn depth_text(&self) -> String {
        match (self.proof, self.selectivity) {
            (Proof::Score, _) => "100%".to_owned(),
            (Proof::WinLossDraw, _) => "100%W".to_owned(),
            (Proof::None, Selectivity::None) => self.depth.to_string(),
            (Proof::None, selectivity) => format!("{}@{}%", self.depth, selectivity.percent()),
        }
    }
}

/// Nodes searched. A node is a position made by playing a move in the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Nodes {
    /// All positions made, those made only to order moves or to probe the table included (the unit of Edax and
    /// Neural Reversi).
    pub total: u64,
    /// Positions made for searching alone.
    pub searched: u64,
}

impl std::ops::AddAssign for Nodes {
    fn add_assign(&mut self, other: Self) {
        self.total += other.total;
        self.searched += other.searched;
    }
}

impl fmt::Display for Nodes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.total.fmt(formatter)
    }
}

/// A shared flag that asks a running search to stop; clones refer to the same flag.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// A flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the search to stop. A search that is given a flag already set returns at once with its cheapest answer.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True once `stop` was called.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A report while searching: called after each finished line of each iteration.
#[derive(Clone, Debug)]
pub struct Progress<'a> {
    /// The lines so far, best first; those of the current iteration and, where it has not got to them, the last one.
    pub lines: &'a [Line],
    /// How many of the lines are of the current iteration.
    pub finished: usize,
    /// Proven bounds of the position's score in discs.
    pub proven: (i32, i32),
    /// Nodes so far.
    pub nodes: Nodes,
    /// Time since the search began.
    pub elapsed: Duration,
}

/// The answer of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Best first; empty exactly when the game is over. A forced pass is one line whose move is the pass.
    pub lines: Vec<Line>,
    /// Proven bounds of the position's score in discs from the mover's view: −64 and 64 when nothing is proven, equal
    /// when the score is.
    pub proven: (i32, i32),
    /// Nodes searched.
    pub nodes: Nodes,
    /// Time taken.
    pub elapsed: Duration,
    /// False when the search was stopped or ran out of time before it reached its goal.
    pub completed: bool,
}
