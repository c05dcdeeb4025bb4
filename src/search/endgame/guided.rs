//! Just above the middle endgame: its private table, but moves ordered by the evaluation as well.

use arrayvec::ArrayVec;

use super::{
    EndNode,
    cache::{EndCache, Probe},
    middle::{MIDDLE_MOVES, STABILITY_ALPHA, wipe_out},
    score_at_end, upper_bound_by_stability,
};
use crate::{
    board::{Square, Squares},
    eval::ordering::OrderingFeatures,
    search::{
        moves::{ScoredMove, pick_best, refine},
        node::Node,
        sorting::score_by_outlook,
        tree::{TreeTier, tuning},
        worker::Worker,
    },
};

/// The score of a move, found by the search for one empty square fewer.
#[inline(always)]
fn next<I: TreeTier>(isa: I, worker: &mut Worker<'_>, node: &Node, alpha: i32, candidate: &ScoredMove) -> i32 {
    worker.end.searched += 1;
    let &ScoredMove { square, flips, replies, .. } = candidate;
    if node.empties == super::MIDDLE_EMPTIES + 1 {
        let child = EndNode {
            features: OrderingFeatures::of(&node.features).after(square, flips),
            mover: node.position.opponent() ^ flips,
            opponent: node.position.mover() ^ flips ^ square.bit(),
            moves: replies,
        };
        -isa.solve_middle(worker.end, &child, -alpha - 1)
    } else {
        -isa.solve_guided(worker, &node.child(square, flips), replies, -alpha - 1)
    }
}

/// `moves` are those of the mover.
#[inline(always)]
pub(in crate::search) fn solve<I: TreeTier>(
    isa: I,
    worker: &mut Worker<'_>,
    node: &Node,
    moves: u64,
    alpha: i32,
) -> i32 {
    if worker.poll() {
        return alpha;
    }
    let (mover, opponent) = (node.position.mover(), node.position.opponent());
    if moves == 0 {
        let replies = isa.mobility(opponent, mover);
        return if replies == 0 {
            score_at_end(mover, opponent)
        } else {
            -isa.solve_guided(worker, &node.passed(), replies, -alpha - 1)
        };
    }
    if alpha >= STABILITY_ALPHA[node.empties as usize % 20]
        && let Some(bound) = upper_bound_by_stability(mover, opponent, alpha)
    {
        return bound;
    }
    let slot = EndCache::upper_slot(node.position, node.empties);
    let known = match worker.end.cache.probe(slot, alpha) {
        Probe::Cut(score) => return score,
        Probe::Move(square) => 1_u64.checked_shl(square as u32).unwrap_or(0),
        Probe::Miss => 0,
    };
    let (mut best, mut best_square) = (-65, 64);
    'search: {
        // The move of an earlier search, or the only one, needs no comparison with others.
        let first = if moves.is_power_of_two() { moves } else { known & moves };
        if let Some(square) = Square::lowest(first) {
            let flips = isa.flips(square.index(), mover, opponent);
            best = if wipe_out(opponent, flips) {
                64
            } else {
                let replies = isa.mobility(opponent ^ flips, mover ^ flips ^ square.bit());
                next(isa, worker, node, alpha, &ScoredMove { square, flips, replies, score: 0 })
            };
            best_square = square.index();
            if best > alpha {
                break 'search;
            }
        }
        let mut candidates = ArrayVec::<ScoredMove, MIDDLE_MOVES>::new();
        for square in Squares(moves & !first) {
            let flips = isa.flips(square.index(), mover, opponent);
            if wipe_out(opponent, flips) {
                (best, best_square) = (64, square.index());
                break 'search;
            }
            worker.end.cache.prefetch(EndCache::upper_slot(node.position.after(square, flips), node.empties - 1));
            candidates.push(ScoredMove::new(square, flips));
        }
        // What is cheap to find of the children is found while the table's entries are on their way.
        score_by_outlook(isa, worker, node, &mut candidates);
        let mut index = 0;
        while let Some(&ScoredMove { square, flips, .. }) = candidates.get(index) {
            let slot = EndCache::upper_slot(node.position.after(square, flips), node.empties - 1);
            let Probe::Cut(score) = worker.end.cache.probe(slot, -alpha - 1) else {
                index += 1;
                continue;
            };
            if -score > best {
                (best, best_square) = (-score, square.index());
                if best > alpha {
                    break 'search;
                }
            }
            candidates.swap_remove(index);
        }
        if candidates.len() > 1 {
            refine(&mut candidates, tuning::VALUED, |candidate| {
                let child = node.child(candidate.square, candidate.flips);
                Some(worker.evaluator.value(&child.features, child.empties))
            });
        }
        for i in 0..candidates.len() {
            pick_best(&mut candidates, i);
            let candidate = candidates[i];
            let score = next(isa, worker, node, alpha, &candidate);
            if worker.is_stopped() {
                return alpha;
            }
            if score > best {
                (best, best_square) = (score, candidate.square.index());
                if best > alpha {
                    break 'search;
                }
            }
        }
    }
    if worker.is_stopped() {
        return alpha;
    }
    worker.end.cache.store(slot, alpha, best, best_square);
    best
}
