//! Splitting a node among threads (young brothers wait, R. Feldmann 1993): after the first move, idle threads take
//! further moves of the node one by one. A thread whose own moves are done helps those that still work for it.

use std::{
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering},
    },
    time::Duration,
};

use arrayvec::ArrayVec;

use super::{
    Selectivity,
    moves::{MAX_MOVES, ScoredMove},
    node::Node,
    table::NO_MOVE,
    tree::{Pv, TreeTier, extend_pv, search_child},
    worker::Worker,
};

/// Which of the tree searches the split node belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    MidgameNull,
    MidgamePv,
    EndgameNull,
    EndgamePv,
}

impl Kind {
    pub const fn of(end: bool, pv: bool) -> Self {
        match (end, pv) {
            (false, false) => Self::MidgameNull,
            (false, true) => Self::MidgamePv,
            (true, false) => Self::EndgameNull,
            (true, true) => Self::EndgamePv,
        }
    }
}

#[derive(Debug)]
struct Best {
    score: i32,
    square: u8,
    pv: Option<Pv>,
}

/// A node whose moves are shared out.
#[derive(Debug)]
pub(super) struct Split {
    parent: Option<Arc<Self>>,
    kind: Kind,
    node: Node,
    depth: u32,
    beta: i32,
    selectivity: Selectivity,
    moves: ArrayVec<ScoredMove, MAX_MOVES>,
    next: AtomicUsize,
    alpha: AtomicI32,
    best: Mutex<Best>,
    cut: AtomicBool,
    helpers: AtomicUsize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // The data is plain values, valid whatever a panicking thread did.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Split {
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        worker: &Worker<'_>,
        kind: Kind,
        node: &Node,
        depth: u32,
        (alpha, beta): (i32, i32),
        moves: &[ScoredMove],
        (best, best_move): (i32, u8),
    ) -> Self {
        Self {
            parent: worker.split.clone(),
            kind,
            node: *node,
            depth,
            beta,
            selectivity: worker.selectivity,
            moves: moves.iter().copied().collect(),
            next: AtomicUsize::new(0),
            alpha: AtomicI32::new(alpha),
            best: Mutex::new(Best { score: best, square: best_move, pv: None }),
            cut: AtomicBool::new(false),
            helpers: AtomicUsize::new(0),
        }
    }

    /// True when this split point or one above it has been cut.
    pub fn is_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed) || self.parent.as_ref().is_some_and(|parent| parent.is_cut())
    }

    fn has_moves(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.moves.len() && !self.is_cut()
    }

    fn is_below(&self, other: &Arc<Self>) -> bool {
        let mut ancestor = self.parent.as_ref();
        while let Some(split) = ancestor {
            if Arc::ptr_eq(split, other) {
                return true;
            }
            ancestor = split.parent.as_ref();
        }
        false
    }
}

/// Where threads offer and find split points.
#[derive(Debug, Default)]
pub(super) struct SplitBoard {
    open: Mutex<Vec<Arc<Split>>>,
    wake: Condvar,
    /// Threads that look for work.
    pub idle: AtomicUsize,
    finished: AtomicBool,
}

impl SplitBoard {
    /// Sends the helping threads home.
    pub fn finish(&self) {
        let _open = lock(&self.open);
        self.finished.store(true, Ordering::Relaxed);
        self.wake.notify_all();
    }

    /// Joins the open split point with the most work left, below `within` if given.
    fn join(open: &[Arc<Split>], within: Option<&Arc<Split>>) -> Option<Arc<Split>> {
        let split = open
            .iter()
            .filter(|split| split.has_moves() && within.is_none_or(|above| split.is_below(above)))
            .max_by_key(|split| split.depth)?;
        split.helpers.fetch_add(1, Ordering::AcqRel);
        Some(Arc::clone(split))
    }
}

/// The life of a helping thread.
#[inline(always)]
pub(super) fn help_until_finished<I: TreeTier>(isa: I, worker: &mut Worker<'_>) {
    let board = &worker.shared.splits;
    board.idle.fetch_add(1, Ordering::Relaxed);
    loop {
        let joined = {
            let mut open = lock(&board.open);
            loop {
                if board.finished.load(Ordering::Relaxed) {
                    board.idle.fetch_sub(1, Ordering::Relaxed);
                    return;
                }
                if let Some(split) = SplitBoard::join(&open, None) {
                    break split;
                }
                open = board
                    .wake
                    .wait_timeout(open, Duration::from_millis(2))
                    .map_or_else(|poisoned| poisoned.into_inner().0, |(guard, _)| guard);
            }
        };
        board.idle.fetch_sub(1, Ordering::Relaxed);
        help_at(isa, worker, &joined);
        board.idle.fetch_add(1, Ordering::Relaxed);
    }
}

/// Works at a split point that this thread has joined.
#[inline(always)]
fn help_at<I: TreeTier>(isa: I, worker: &mut Worker<'_>, split: &Arc<Split>) {
    let before = (worker.split.take(), worker.selectivity);
    worker.selectivity = split.selectivity;
    worker.split = Some(Arc::clone(split));
    worker.resume();
    isa.work_at(worker, split);
    (worker.split, worker.selectivity) = before;
    worker.resume();
    worker.report_nodes();
    split.helpers.fetch_sub(1, Ordering::AcqRel);
}

/// Offers a split point, works at it, and waits for its helpers. Returns the best score and move.
#[inline(always)]
pub(super) fn run<I: TreeTier>(isa: I, worker: &mut Worker<'_>, split: Split, pv: Option<&mut Pv>) -> (i32, u8) {
    let board = &worker.shared.splits;
    let split = Arc::new(split);
    {
        lock(&board.open).push(Arc::clone(&split));
        board.wake.notify_one();
    }
    let above = worker.split.replace(Arc::clone(&split));
    isa.work_at(worker, &split);
    {
        let mut open = lock(&board.open);
        open.retain(|other| !Arc::ptr_eq(other, &split));
    }
    // No one can join any more; help the helpers until they are done.
    let mut idle_rounds = 0_u32;
    let mut counted_idle = false;
    while split.helpers.load(Ordering::Acquire) > 0 {
        let joined = SplitBoard::join(&lock(&board.open), Some(&split));
        if let Some(joined) = joined {
            if counted_idle {
                board.idle.fetch_sub(1, Ordering::Relaxed);
                counted_idle = false;
            }
            help_at(isa, worker, &joined);
            idle_rounds = 0;
            continue;
        }
        if !counted_idle {
            // So that the helpers split for this thread.
            board.idle.fetch_add(1, Ordering::Relaxed);
            counted_idle = true;
        }
        idle_rounds += 1;
        if idle_rounds < 200 {
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
    if counted_idle {
        board.idle.fetch_sub(1, Ordering::Relaxed);
    }
    worker.split = above;
    worker.resume();
    let mut best = lock(&split.best);
    if let (Some(pv), Some(found)) = (pv, best.pv.take()) {
        *pv = found;
    }
    (best.score, best.square)
}

/// Takes moves of the split point until none is left or it is cut.
#[inline(always)]
pub(super) fn work_at<I: TreeTier>(isa: I, worker: &mut Worker<'_>, split: &Split) {
    let mut child_pv = Pv::new();
    while !split.is_cut() {
        let index = split.next.fetch_add(1, Ordering::Relaxed);
        let Some(candidate) = split.moves.get(index) else { return };
        let child = split.node.child(candidate.square, candidate.flips);
        let alpha = split.alpha.load(Ordering::Relaxed);
        let (window, depth) = ((alpha, split.beta), split.depth);
        let score = match split.kind {
            Kind::MidgameNull => {
                search_child::<I, false, false>(isa, worker, &child, depth, window, false, &mut child_pv)
            }
            Kind::MidgamePv => search_child::<I, false, true>(isa, worker, &child, depth, window, false, &mut child_pv),
            Kind::EndgameNull => {
                search_child::<I, true, false>(isa, worker, &child, depth, window, false, &mut child_pv)
            }
            Kind::EndgamePv => search_child::<I, true, true>(isa, worker, &child, depth, window, false, &mut child_pv),
        };
        if worker.is_stopped() {
            return;
        }
        let mut best = lock(&split.best);
        if score > best.score || best.square == NO_MOVE {
            best.score = score;
            best.square = candidate.square.index() as u8;
            if score > split.alpha.load(Ordering::Relaxed) {
                split.alpha.store(score, Ordering::Relaxed);
                if matches!(split.kind, Kind::MidgamePv | Kind::EndgamePv) {
                    let mut pv = Pv::new();
                    extend_pv(&mut pv, best.square, &child_pv);
                    best.pv = Some(pv);
                }
                if score >= split.beta {
                    split.cut.store(true, Ordering::Relaxed);
                }
            }
        }
    }
}
