//! Search: iterative deepening in the midgame, exact solving in the endgame. Knows nothing of protocols or files.
//!
//! [`Searcher`] is the door. Behind it: `root` (iterations, windows, lines) → `tree` (the recursive search of both
//! kinds) → `endgame` (the last dozen empties), with `table`, `probcut`, `split` and `worker` beside them.

mod effort;
mod endgame;
mod leaves;
mod level;
mod moves;
mod node;
mod probcut;
mod report;
mod root;
mod sorting;
mod split;
mod table;
#[cfg(test)]
mod tests;
mod tree;
mod worker;

use std::{
    cell::RefCell,
    time::{Duration, Instant},
};

use rayon::{ThreadPool, ThreadPoolBuilder};
use thiserror::Error;

pub use effort::{Effort, Prover};
pub use level::{LevelPlan, MAX_LEVEL, full_width_steps, level_plan, steps_to};
pub use probcut::{MIDGAME_PROBCUT_DEPTH, deviations, midgame_probe_depth};
pub use report::{Bound, Line, Nodes, Outcome, Progress, Proof, Selectivity, StopFlag};

use crate::{board::Position, eval::Evaluator, isa::Tier, with_tier};
use endgame::EndWorker;
use root::Task;
use table::Table;
use tree::TreeTier;
use worker::{Monitor, Shared, Worker};

/// One iteration of a search: `depth` plies (to the end when that reaches it) at a selectivity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Plies; anything from the number of empties on means to the end.
    pub depth: u32,
    /// Selectivity of the probabilistic cuts.
    pub selectivity: Selectivity,
}

/// Why a searcher could not be set up.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SearcherError {
    /// The table does not fit into memory.
    #[error("not enough memory for a table of {0} MiB")]
    Memory(usize),
    /// The threads could not be started.
    #[error("cannot start the search threads: {0}")]
    Threads(String),
}

/// Limits of one search.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Scores outside this window (discs) are only bounded, in searches to the end.
    pub window: (i32, i32),
    /// How many of the best moves get a line.
    pub lines: usize,
    /// No iteration is started after this.
    pub soft_time: Option<Duration>,
    /// The search is stopped after this.
    pub hard_time: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { window: (-64, 64), lines: 1, soft_time: None, hard_time: None }
    }
}

/// Table, threads and evaluation.
#[derive(Debug)]
pub struct Searcher {
    tier: Tier,
    table: Table,
    evaluator: Evaluator,
    // One for the calling thread, the others for the helping threads.
    end_workers: Vec<EndWorker>,
    // `None` with one thread.
    helpers: Option<ThreadPool>,
    heartbeat: Option<Duration>,
}

/// Stack of a helping thread in bytes: split points nest, and each frame of the tree search holds a move list.
const HELPER_STACK: usize = 16 << 20;

impl Searcher {
    /// A searcher with `threads` (at least 1) and a table of `hash_mib` MiB.
    ///
    /// # Errors
    /// When memory or threads are not to be had.
    pub fn new(tier: Tier, threads: usize, hash_mib: usize, evaluator: Evaluator) -> Result<Self, SearcherError> {
        let threads = threads.max(1);
        let helpers = (threads > 1)
            .then(|| {
                ThreadPoolBuilder::new()
                    .num_threads(threads - 1)
                    .stack_size(HELPER_STACK)
                    .thread_name(|index| format!("search-{}", index + 1))
                    .build()
            })
            .transpose()
            .map_err(|error| SearcherError::Threads(error.to_string()))?;
        let table = Table::new(hash_mib).ok_or(SearcherError::Memory(hash_mib))?;
        Ok(Self {
            tier,
            table,
            end_workers: (0..threads).map(|_| EndWorker::new()).collect(),
            evaluator,
            helpers,
            heartbeat: None,
        })
    }

    /// Forgets everything learnt from earlier searches.
    pub fn clear(&mut self) {
        self.table.clear();
        for worker in &mut self.end_workers {
            worker.cache.clear();
        }
    }

    /// Changes the size of the table, which is cleared.
    ///
    /// # Errors
    /// When the memory is not to be had; the old table stays.
    pub fn resize_table(&mut self, hash_mib: usize) -> Result<(), SearcherError> {
        self.table = Table::new(hash_mib).ok_or(SearcherError::Memory(hash_mib))?;
        Ok(())
    }

    /// Asks for reports at this interval besides those after each finished line.
    pub fn set_heartbeat(&mut self, interval: Option<Duration>) {
        self.heartbeat = interval;
    }

    /// The evaluation in use.
    pub fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }

    /// Unpacks what a search of these steps evaluates positions with, unless an earlier one did.
    pub fn prepare(&self, steps: &[Step], empties: u32) {
        let deepest = steps.iter().map(|step| step.depth).max().unwrap_or(1).min(empties);
        // The probes of probabilistic cuts reach below the empties at which the evaluation orders moves.
        let least = endgame::MIDDLE_EMPTIES + 1 - probcut::ENDGAME_PROBE_DEPTH;
        let fewest = (empties - deepest).max(least).min(empties.saturating_sub(1));
        self.evaluator.prepare(fewest, empties);
    }

    /// Searches `position` through `steps`, calling `on_progress` after each finished line.
    pub fn search(
        &mut self,
        position: Position,
        steps: &[Step],
        limits: &Limits,
        stop: &StopFlag,
        on_progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Outcome {
        let started = Instant::now();
        if position.is_over() {
            let score = position.final_score();
            return Outcome {
                lines: Vec::new(),
                proven: (score, score),
                nodes: Nodes::default(),
                elapsed: started.elapsed(),
                completed: true,
            };
        }
        if position.must_pass() {
            let limits = Limits { window: (-limits.window.1, -limits.window.0), ..*limits };
            let mut seen = |progress: &Progress<'_>| {
                let passed = root::behind_pass(Outcome {
                    lines: progress.lines.to_vec(),
                    proven: progress.proven,
                    nodes: progress.nodes,
                    elapsed: progress.elapsed,
                    completed: false,
                });
                on_progress(&Progress { lines: &passed.lines, proven: passed.proven, finished: 1, ..progress.clone() });
            };
            return root::behind_pass(self.search(position.pass(), steps, &limits, stop, &mut seen));
        }
        self.table.next_age();
        self.prepare(steps, position.empties());
        for worker in &mut self.end_workers {
            worker.reset_counters();
        }
        let shared = Shared::new(&self.table, stop, limits.hard_time.map(|limit| started + limit));
        let task =
            Task { position, steps, window: limits.window, lines: limits.lines, soft_limit: limits.soft_time, started };
        let Some((first, rest)) = self.end_workers.split_first_mut() else { unreachable!("at least one worker") };
        let (evaluator, tier) = (&self.evaluator, self.tier);
        let monitor = RefCell::new(Monitor {
            on_progress,
            heartbeat: self.heartbeat,
            started,
            last: started,
            lines: Vec::new(),
            finished: 0,
            proven: (-64, 64),
        });
        let root = |first| {
            let mut worker = Worker::new(&shared, evaluator, first);
            worker.monitor = Some(&monitor);
            with_tier!(tier, isa => root::run(isa, &mut worker, &task, &monitor))
        };
        match &self.helpers {
            None => root(first),
            Some(pool) => pool.in_place_scope(|scope| {
                for end_worker in rest {
                    let shared = &shared;
                    scope.spawn(move |_| {
                        let mut worker = Worker::new(shared, evaluator, end_worker);
                        with_tier!(tier, isa => isa.help(&mut worker));
                    });
                }
                let outcome = root(first);
                shared.splits.finish();
                outcome
            }),
        }
    }
}
