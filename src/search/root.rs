//! The root of a search: iterations of rising depth and confidence, one or several best moves, principal variations.

use std::{
    cell::RefCell,
    time::{Duration, Instant},
};

use super::{
    Bound, Line, Outcome, Proof, Selectivity, Step,
    moves::{MoveList, ScoredMove},
    node::Node,
    tree::{DISC, INFINITY, NOTHING_TRIED, Pv, TreeTier, search_moves},
    worker::{Monitor, Worker},
};
use crate::board::{Move, Position, Square};

/// Narrow windows tried before the full one.
const MOST_NARROW_WINDOWS: u32 = 12;

/// One pass over the moves of a root position.
#[derive(Debug)]
pub(super) struct RootSearch<'a> {
    pub node: &'a Node,
    /// To the end, in discs, or to `depth`, in centi-discs.
    pub to_end: bool,
    pub depth: u32,
    pub window: (i32, i32),
    pub moves: &'a [ScoredMove],
}

/// The body of [`TreeTier::root`]: fail-soft best score and its move.
#[inline(always)]
pub(super) fn search_root<I: TreeTier>(
    isa: I,
    worker: &mut Worker<'_>,
    request: &RootSearch<'_>,
    pv: &mut Pv,
) -> (i32, u8) {
    let (mut alpha, mut beta) = request.window;
    let mut list: MoveList = request.moves.iter().copied().collect();
    let (node, depth) = (request.node, request.depth);
    if request.to_end {
        search_moves::<I, true, true>(
            isa,
            worker,
            node,
            depth,
            (&mut alpha, &mut beta),
            &mut list,
            NOTHING_TRIED,
            Some(pv),
        )
    } else {
        search_moves::<I, false, true>(
            isa,
            worker,
            node,
            depth,
            (&mut alpha, &mut beta),
            &mut list,
            NOTHING_TRIED,
            Some(pv),
        )
    }
}

/// What the root search is asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task<'a> {
    pub position: Position,
    pub steps: &'a [Step],
    /// Window in discs outside which only bounds are wanted.
    pub window: (i32, i32),
    pub lines: usize,
    pub soft_limit: Option<Duration>,
    pub started: Instant,
}

/// One root move over the iterations.
#[derive(Clone, Debug)]
struct RootMove {
    mv: ScoredMove,
    line: Line,
}

/// Runs the task on the worker of the root thread.
pub(super) fn run<'a, I: TreeTier>(
    isa: I,
    worker: &mut Worker<'a>,
    task: &'a Task<'a>,
    monitor: &'a RefCell<Monitor<'a>>,
) -> Outcome {
    let mut search = Root { isa, node: Node::new(task.position), moves: Vec::new(), proven: (-64, 64), task, monitor };
    search.prepare(worker);
    let mut completed = true;
    for (index, step) in task.steps.iter().enumerate() {
        if index > 0 && task.soft_limit.is_some_and(|limit| task.started.elapsed() >= limit) || worker.search_is_over()
        {
            completed = false;
            break;
        }
        if !search.iterate(worker, *step) {
            completed = false;
            break;
        }
    }
    let count = task.lines.clamp(1, search.moves.len());
    let lines = search.moves.drain(..count).map(|root_move| root_move.line).collect();
    Outcome {
        lines,
        proven: search.proven,
        nodes: worker.shared.nodes(worker),
        elapsed: task.started.elapsed(),
        completed,
    }
}

struct Root<'a, I> {
    isa: I,
    node: Node,
    moves: Vec<RootMove>,
    proven: (i32, i32),
    task: &'a Task<'a>,
    monitor: &'a RefCell<Monitor<'a>>,
}

impl<I: TreeTier> Root<'_, I> {
    /// Lists the moves, ordered by a one-ply search, so that there is an answer even if no iteration completes.
    fn prepare(&mut self, worker: &mut Worker<'_>) {
        let position = self.node.position;
        for mv in position.moves() {
            let Move::Place(square) = mv else { continue };
            let flips = position.flips(square);
            let child = self.node.child(square, flips);
            let score = if child.position.is_over() {
                -child.position.final_score() * DISC
            } else {
                -worker.evaluator.value(&child.features, child.empties)
            };
            let line = Line {
                mv,
                score,
                bound: Bound::Exact,
                depth: 1,
                selectivity: Selectivity::None,
                to_end: false,
                proof: Proof::None,
                pv: vec![mv],
                book_games: None,
            };
            self.moves.push(RootMove { mv: ScoredMove::new(square, flips), line });
        }
        self.moves.sort_by_key(|root_move| std::cmp::Reverse(root_move.line.score));
    }

    /// One iteration; false when it was abandoned, the results of the last one then stand.
    fn iterate(&mut self, worker: &mut Worker<'_>, step: Step) -> bool {
        worker.selectivity = step.selectivity;
        let wanted = self.task.lines.clamp(1, self.moves.len());
        let mut order = self.moves.clone();
        for rank in 0..wanted {
            let Some((best, line)) = self.best_of(worker, step, &order[rank..], rank == 0) else { return false };
            let mut chosen = order.remove(rank + best);
            chosen.line = line;
            order.insert(rank, chosen);
            // Equal or better than one ranked before it (possible with bounds and selective searches): keep sorted.
            let mut at = rank;
            while at > 0 && order[at].line.score > order[at - 1].line.score {
                order.swap(at, at - 1);
                at -= 1;
            }
            let mut monitor = self.monitor.borrow_mut();
            monitor.lines = order[..wanted].iter().map(|root_move| root_move.line.clone()).collect();
            (monitor.finished, monitor.proven) = (rank + 1, self.proven);
            monitor.report(worker.shared.nodes(worker));
        }
        self.moves = order;
        true
    }

    /// The best of some root moves with its line, searched with a window that starts narrow around the last score.
    fn best_of(
        &mut self,
        worker: &mut Worker<'_>,
        step: Step,
        candidates: &[RootMove],
        whole_position: bool,
    ) -> Option<(usize, Line)> {
        let to_end = step.depth >= self.node.empties;
        let (scale, depth) = if to_end { (DISC, self.node.empties) } else { (1, step.depth) };
        // A window that ends at the greatest score is opened by one, so that a wipe-out gets a principal variation.
        let (low, high) = match self.task.window {
            _ if !to_end => (-INFINITY, INFINITY),
            (alpha, beta) => (if alpha <= -64 { -65 } else { alpha }, if beta >= 64 { 65 } else { beta }),
        };
        let exact = to_end && step.selectivity == Selectivity::None;
        let guess = candidates.first()?.line.score;
        let mut moves: Vec<ScoredMove> = candidates.iter().map(|root_move| root_move.mv).collect();
        let count = moves.len() as i32;
        for (rank, mv) in moves.iter_mut().enumerate() {
            mv.score = count - rank as i32;
        }
        // Half-width of the window: final scores are even, so ±1 disc settles an exact guess.
        let mut width = if to_end { 1 } else { 300 };
        let narrow = depth > 4 || to_end;
        let centre = if to_end { (guess as f32 / (2 * DISC) as f32).round() as i32 * 2 } else { guess };
        let (mut alpha, mut beta) = if narrow {
            ((centre - width).clamp(low, high - 1), (centre + width).clamp(low + 1, high))
        } else {
            (low, high)
        };
        let (mut lower, mut upper) = (-INFINITY, INFINITY);
        let mut best = 0;
        let mut line_pv = Pv::new();
        // Depth-limited and selective searches may contradict themselves (what the table holds changes): after some
        // tries the window is opened altogether.
        let mut tries = 0;
        let (score, bound) = loop {
            let mut pv = Pv::new();
            let request = RootSearch { node: &self.node, to_end, depth, window: (alpha, beta), moves: &moves };
            let (score, best_move) = self.isa.root(worker, &request, &mut pv);
            if worker.is_stopped() {
                return None;
            }
            if score > alpha || line_pv.is_empty() {
                if let Some(index) = moves.iter().position(|mv| mv.square.index() as u8 == best_move) {
                    best = candidates.iter().position(|root_move| root_move.mv.square == moves[index].square)?;
                    moves[index].score = moves.iter().map(|mv| mv.score).max().unwrap_or(0) + 1;
                }
                if !pv.is_empty() {
                    line_pv = pv;
                }
            }
            if score < beta {
                upper = upper.min(score);
            }
            if score > alpha {
                lower = lower.max(score);
            }
            if exact && whole_position {
                self.proven = (self.proven.0.max(lower), self.proven.1.min(upper));
                self.monitor.borrow_mut().proven = self.proven;
            }
            if alpha < score && score < beta || lower == upper {
                break (score, Bound::Exact);
            }
            tries += 1;
            width = (2 * width).min(high - low);
            if score >= beta {
                if beta >= high {
                    break (score, Bound::Lower);
                }
                (alpha, beta) = ((score - 1).max(alpha), (score + width).min(high));
            } else {
                if alpha <= low {
                    break (score, Bound::Upper);
                }
                (alpha, beta) = ((score - width).max(low), (score + 1).min(beta));
            }
            if tries > MOST_NARROW_WINDOWS {
                (alpha, beta) = (low, high);
            }
        };
        debug_assert!(!exact || lower <= upper, "exact searches contradict each other");
        if line_pv.is_empty() || bound == Bound::Upper {
            line_pv.clear();
            line_pv.push(candidates[best].mv.square.index() as u8);
        }
        if to_end && bound == Bound::Exact {
            self.complete_pv(worker, &mut line_pv, score);
        }
        let proof = match (exact, self.task.window) {
            (false, _) => Proof::None,
            (true, (-1, 1)) => Proof::WinLossDraw,
            (true, _) => Proof::Score,
        };
        let line = Line {
            mv: Move::Place(candidates[best].mv.square),
            score: score * scale,
            bound,
            depth,
            selectivity: step.selectivity,
            to_end,
            proof,
            pv: self.pv_moves(&line_pv),
            book_games: None,
        };
        Some((best, line))
    }

    /// Extends a principal variation that ends before the game does; `score` is its exact score in discs.
    fn complete_pv(&self, worker: &mut Worker<'_>, pv: &mut Pv, score: i32) {
        let mut node = self.node;
        let mut score = score;
        for &mv in pv.iter() {
            match step(&node, mv) {
                Some(next) => node = next,
                None => return,
            }
            score = -score;
        }
        // Each round adds at least one ply or gives up.
        while !node.position.is_over() && pv.remaining_capacity() > 64 {
            let mut rest = Pv::new();
            let found = self.isa.endgame_pv(worker, &node, (score - 1, score + 1), &mut rest);
            if worker.is_stopped() || found != score || rest.is_empty() {
                return;
            }
            for mv in rest {
                let Some(next) = step(&node, mv) else { return };
                pv.push(mv);
                node = next;
                score = -score;
            }
        }
    }

    /// The legal prefix of a variation as moves.
    fn pv_moves(&self, pv: &Pv) -> Vec<Move> {
        let mut position = self.node.position;
        let mut moves = Vec::with_capacity(pv.len());
        for &mv in pv {
            let mv = Square::new(mv).map_or(Move::Pass, Move::Place);
            let Some(next) = position.play(mv) else { break };
            position = next;
            moves.push(mv);
        }
        moves
    }
}

fn step(node: &Node, mv: u8) -> Option<Node> {
    let Some(square) = Square::new(mv) else { return Some(node.passed()) };
    let flips = node.position.flips(square);
    (flips != 0).then(|| node.child(square, flips))
}

/// The outcome for a root position that must pass: that of the position after it, seen from the other side.
pub(super) fn behind_pass(outcome: Outcome) -> Outcome {
    let line = outcome.lines.into_iter().next().map(|line| Line {
        mv: Move::Pass,
        score: -line.score,
        bound: match line.bound {
            Bound::Exact => Bound::Exact,
            Bound::Lower => Bound::Upper,
            Bound::Upper => Bound::Lower,
        },
        pv: std::iter::once(Move::Pass).chain(line.pv).collect(),
        ..line
    });
    Outcome { lines: line.into_iter().collect(), proven: (-outcome.proven.1, -outcome.proven.0), ..outcome }
}
