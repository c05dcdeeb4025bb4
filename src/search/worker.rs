//! One thread's part of a search, and what all threads share.

use std::{
    cell::RefCell,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use super::{
    Line, Nodes, Progress, Selectivity, StopFlag,
    endgame::EndWorker,
    split::{Split, SplitBoard},
    table::Table,
};
use crate::eval::Evaluator;

/// Polls between two looks at the clock.
const POLLS_PER_CLOCK: u32 = 64;

/// What the threads of a search share.
#[derive(Debug)]
pub(super) struct Shared<'a> {
    pub table: &'a Table,
    pub stop: &'a StopFlag,
    /// Set by the search itself when its time is up.
    pub out_of_time: StopFlag,
    pub deadline: Option<Instant>,
    pub splits: SplitBoard,
    pub counters: Counters,
}

/// Nodes of the helping threads, brought up to date now and then.
#[derive(Debug, Default)]
pub(super) struct Counters {
    searched: AtomicU64,
    ordered: AtomicU64,
}

impl<'a> Shared<'a> {
    /// What the threads of a search that begins now share.
    pub fn new(table: &'a Table, stop: &'a StopFlag, deadline: Option<Instant>) -> Self {
        Self {
            table,
            stop,
            out_of_time: StopFlag::new(),
            deadline,
            splits: SplitBoard::default(),
            counters: Counters::default(),
        }
    }

    /// Nodes of all threads so far, exact for the thread of `root`.
    pub fn nodes(&self, root: &Worker<'_>) -> Nodes {
        let searched = self.counters.searched.load(Ordering::Relaxed) + root.end.searched - root.reported.searched;
        let ordered = self.counters.ordered.load(Ordering::Relaxed) + root.end.ordered
            - (root.reported.total - root.reported.searched);
        Nodes { total: searched + ordered, searched }
    }
}

/// Where the root thread reports: after each finished line, and in between if a heartbeat is asked for.
pub(super) struct Monitor<'a> {
    pub on_progress: &'a mut dyn FnMut(&Progress<'_>),
    pub heartbeat: Option<Duration>,
    pub started: Instant,
    pub last: Instant,
    pub lines: Vec<Line>,
    pub finished: usize,
    pub proven: (i32, i32),
}

impl Monitor<'_> {
    /// Reports the present state.
    pub fn report(&mut self, nodes: Nodes) {
        self.last = Instant::now();
        (self.on_progress)(&Progress {
            lines: &self.lines,
            finished: self.finished,
            proven: self.proven,
            nodes,
            elapsed: self.started.elapsed(),
        });
    }
}

impl std::fmt::Debug for Monitor<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Monitor").field("lines", &self.lines).finish_non_exhaustive()
    }
}

/// One thread's state.
#[derive(Debug)]
pub(super) struct Worker<'a> {
    pub shared: &'a Shared<'a>,
    pub evaluator: &'a Evaluator,
    pub end: &'a mut EndWorker,
    pub selectivity: Selectivity,
    /// The split point below which this thread works.
    pub split: Option<Arc<Split>>,
    /// Set for the root thread only.
    pub monitor: Option<&'a RefCell<Monitor<'a>>>,
    stopped: bool,
    polls: u32,
    /// What this thread has already added to the shared counters.
    reported: Nodes,
}

impl<'a> Worker<'a> {
    pub fn new(shared: &'a Shared<'a>, evaluator: &'a Evaluator, end: &'a mut EndWorker) -> Self {
        Self {
            shared,
            evaluator,
            end,
            selectivity: Selectivity::None,
            split: None,
            monitor: None,
            stopped: false,
            polls: 0,
            reported: Nodes::default(),
        }
    }

    /// Looks whether the search below is to be abandoned; remembers it.
    #[inline(always)]
    pub fn poll(&mut self) -> bool {
        self.polls = self.polls.wrapping_add(1);
        if self.polls.is_multiple_of(POLLS_PER_CLOCK) {
            self.report_nodes();
            if self.shared.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                self.shared.out_of_time.stop();
            }
            self.beat();
        }
        if self.must_stop() {
            self.stopped = true;
        }
        self.stopped
    }

    /// Reports if the heartbeat is due.
    fn beat(&self) {
        let Some(mut monitor) = self.monitor.and_then(|monitor| monitor.try_borrow_mut().ok()) else { return };
        if monitor.heartbeat.is_some_and(|interval| monitor.last.elapsed() >= interval) {
            monitor.report(self.shared.nodes(self));
        }
    }

    #[inline(always)]
    fn must_stop(&self) -> bool {
        self.shared.stop.is_stopped()
            || self.shared.out_of_time.is_stopped()
            || self.split.as_ref().is_some_and(|split| split.is_cut())
    }

    /// True once a poll found that the search below is to be abandoned.
    #[inline(always)]
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// True when the whole search is to end.
    pub fn search_is_over(&self) -> bool {
        self.shared.stop.is_stopped() || self.shared.out_of_time.is_stopped()
    }

    /// Called where a cut below has been dealt with: stopped only if something above is to be abandoned too.
    pub fn resume(&mut self) {
        self.stopped = self.must_stop();
    }

    /// True when another thread waits for work.
    #[inline(always)]
    pub fn can_split(&self) -> bool {
        self.shared.splits.idle.load(Ordering::Relaxed) > 0
    }

    /// Adds this thread's nodes since the last call to the shared counters.
    pub fn report_nodes(&mut self) {
        let counters = &self.shared.counters;
        let ordered = self.reported.total - self.reported.searched;
        counters.searched.fetch_add(self.end.searched - self.reported.searched, Ordering::Relaxed);
        counters.ordered.fetch_add(self.end.ordered - ordered, Ordering::Relaxed);
        self.reported = Nodes { total: self.end.searched + self.end.ordered, searched: self.end.searched };
    }
}
