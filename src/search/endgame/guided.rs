//! Just above the middle endgame: its private table, but moves ordered by the evaluation as well.

use super::{
    EndNode,
    cache::{EndCache, Probe},
    middle::{STABILITY_ALPHA, weighted_mobility, wipe_out},
    score_at_end, upper_bound_by_stability,
};
use crate::{
    board::{Square, Squares, odd_quadrants},
    eval::ordering::{OrderingFeatures, Surroundings},
    search::{
        moves::{MoveList, ScoredMove, endgame_promise, pick_best},
        node::Node,
        tree::{TreeTier, tuning},
        worker::Worker,
    },
};

/// The score of a move, found by the search for one empty square fewer.
#[inline(always)]
fn next<I: TreeTier>(isa: I, worker: &mut Worker<'_>, node: &Node, alpha: i32, square: Square, flips: u64) -> i32 {
    worker.end.searched += 1;
    if node.empties == super::MIDDLE_EMPTIES + 1 {
        -isa.solve_middle(worker.end, &EndNode::of(node).child(square, flips), -alpha - 1)
    } else {
        -isa.solve_guided(worker, &node.child(square, flips), -alpha - 1)
    }
}

#[inline(always)]
pub(in crate::search) fn solve<I: TreeTier>(isa: I, worker: &mut Worker<'_>, node: &Node, alpha: i32) -> i32 {
    if worker.poll() {
        return alpha;
    }
    let (mover, opponent) = (node.position.mover(), node.position.opponent());
    let moves = isa.mobility(mover, opponent);
    if moves == 0 {
        return if isa.mobility(opponent, mover) == 0 {
            score_at_end(mover, opponent)
        } else {
            -isa.solve_guided(worker, &node.passed(), -alpha - 1)
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
            best = if wipe_out(opponent, flips) { 64 } else { next(isa, worker, node, alpha, square, flips) };
            best_square = square.index();
            if best > alpha {
                break 'search;
            }
        }
        let mut candidates = MoveList::new();
        for square in Squares(moves & !first) {
            let flips = isa.flips(square.index(), mover, opponent);
            if wipe_out(opponent, flips) {
                (best, best_square) = (64, square.index());
                break 'search;
            }
            worker.end.cache.prefetch(EndCache::upper_slot(node.position.after(square, flips), node.empties - 1));
            candidates.push(ScoredMove { square, flips, score: 0 });
        }
        // What is cheap to find of the children is found while the table's entries are on their way.
        let odd = odd_quadrants(node.position.empty());
        let features = OrderingFeatures::of(&node.features);
        for ScoredMove { square, flips, score } in &mut candidates {
            let child = node.position.after(*square, *flips);
            let replies = isa.mobility(child.mover(), child.opponent());
            let odd = odd & square.bit() != 0;
            let surroundings = Surroundings { replies, odd, square: *square };
            let features = features.after(node.frame, *square, *flips);
            let effort = worker.end.ordering.promise(&features, node.frame.flipped(), &surroundings);
            *score = endgame_promise(0, weighted_mobility(replies), i32::from(odd)) + tuning::EFFORT * effort;
        }
        let mut index = 0;
        while let Some(&ScoredMove { square, flips, .. }) = candidates.get(index) {
            worker.end.ordered += 1;
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
            for candidate in &mut candidates {
                let child = node.child(candidate.square, candidate.flips);
                candidate.score -= worker.evaluator.value(&child.features, child.frame, child.empties);
            }
        }
        for i in 0..candidates.len() {
            pick_best(&mut candidates, i);
            let ScoredMove { square, flips, .. } = candidates[i];
            let score = next(isa, worker, node, alpha, square, flips);
            if worker.is_stopped() {
                return alpha;
            }
            if score > best {
                (best, best_square) = (score, square.index());
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
