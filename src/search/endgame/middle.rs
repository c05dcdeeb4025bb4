//! Seven to ten empties: a private table, and moves ordered by the effort their proof is likely to take.

use arrayvec::ArrayVec;

use super::{
    EndNode, EndTier, EndWorker,
    cache::{EndCache, Probe, Slot},
    score_at_end, upper_bound_by_stability,
};

use crate::{
    board::{CORNERS, Squares, odd_quadrants},
    eval::ordering::Surroundings,
    search::moves::{ScoredMove, pick_best},
};

/// Number of replies, those into corners counted twice.
#[inline(always)]
pub(in crate::search) const fn weighted_mobility(replies: u64) -> i32 {
    (replies.count_ones() + (replies & CORNERS).count_ones()) as i32
}

/// Lowest alpha at which the stability cut is worth its time, by empties from 0.
pub(super) static STABILITY_ALPHA: [i32; 20] =
    [12, 12, 12, 12, 12, 12, 12, 12, 14, 16, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38];

/// Room for the moves of a position, of which there are no more than empties.
pub(super) const MIDDLE_MOVES: usize = 16;

/// Moves that leave fewer replies than this (corners count twice) are searched before the others are looked at: the
/// smaller the subtrees, the less there is to save by a better order.
const fn searched_at_once<const SEVEN: bool>() -> i32 {
    if SEVEN { 3 } else { 2 }
}

/// True when the flips take the opponent's last disc.
#[inline(always)]
pub(in crate::search) const fn wipe_out(opponent: u64, flips: u64) -> bool {
    opponent == flips
}

/// Where a child is looked up.
#[inline(always)]
fn child_slot<const SEVEN: bool>(mover: u64, opponent: u64) -> Slot {
    if SEVEN { EndCache::shallow_slot(mover, opponent) } else { EndCache::middle_slot(mover, opponent) }
}

/// The score of a move, found by the search for one empty square fewer.
#[inline(always)]
fn next<I: EndTier, const SEVEN: bool>(
    isa: I,
    worker: &mut EndWorker,
    node: &EndNode,
    alpha: i32,
    candidate: &ScoredMove,
) -> i32 {
    worker.searched += 1;
    if SEVEN {
        let &ScoredMove { square, flips, replies, .. } = candidate;
        let (mover, opponent) = (node.opponent ^ flips, node.mover ^ flips ^ square.bit());
        -isa.solve_6(worker, mover, opponent, replies, -alpha - 1)
    } else {
        let child = node.child(candidate);
        if (!(child.mover | child.opponent)).count_ones() == 7 {
            -isa.solve_seven(worker, &child, -alpha - 1)
        } else {
            -isa.solve_middle(worker, &child, -alpha - 1)
        }
    }
}

#[inline(always)]
pub(super) fn solve_seven<I: EndTier>(isa: I, worker: &mut EndWorker, node: &EndNode, alpha: i32) -> i32 {
    solve::<I, true>(isa, worker, node, alpha)
}

#[inline(always)]
pub(super) fn solve_middle<I: EndTier>(isa: I, worker: &mut EndWorker, node: &EndNode, alpha: i32) -> i32 {
    solve::<I, false>(isa, worker, node, alpha)
}

/// `SEVEN`: seven empties rather than more.
#[inline(always)]
fn solve<I: EndTier, const SEVEN: bool>(isa: I, worker: &mut EndWorker, node: &EndNode, alpha: i32) -> i32 {
    let (mover, opponent) = (node.mover, node.opponent);
    let empty = !(mover | opponent);
    let empties = empty.count_ones();
    if alpha >= STABILITY_ALPHA[empties as usize % 20]
        && let Some(bound) = upper_bound_by_stability(mover, opponent, alpha)
    {
        return bound;
    }
    let moves = node.moves;
    if moves == 0 {
        let replies = isa.mobility(opponent, mover);
        return match replies {
            0 => score_at_end(mover, opponent),
            _ if SEVEN => -isa.solve_seven(worker, &node.passed(replies), -alpha - 1),
            _ => -isa.solve_middle(worker, &node.passed(replies), -alpha - 1),
        };
    }
    let slot = EndCache::middle_slot(mover, opponent);
    let known = match worker.cache.probe(slot, alpha) {
        Probe::Cut(score) => return score,
        Probe::Move(square) => Some(square),
        Probe::Miss => None,
    };
    let (mut best, mut best_square) = (-65, 64);
    'search: {
        // The move of an earlier search, or the only one, needs no comparison with others.
        let mut rest = moves;
        let first = if moves.is_power_of_two() { moves } else { known.map_or(0, |square| 1 << square) & moves };
        for square in Squares(first) {
            let flips = isa.flips(square.index(), mover, opponent);
            best = if wipe_out(opponent, flips) {
                64
            } else {
                let replies = isa.mobility(opponent ^ flips, mover ^ flips ^ square.bit());
                next::<I, SEVEN>(isa, worker, node, alpha, &ScoredMove { square, flips, replies, score: 0 })
            };
            best_square = square.index();
            rest ^= first;
            if best > alpha {
                break 'search;
            }
        }
        let mut candidates = ArrayVec::<ScoredMove, MIDDLE_MOVES>::new();
        let odd = odd_quadrants(empty);
        for square in Squares(rest) {
            let flips = isa.flips(square.index(), mover, opponent);
            if wipe_out(opponent, flips) {
                (best, best_square) = (64, square.index());
                break 'search;
            }
            let (next_mover, next_opponent) = (opponent ^ flips, mover ^ flips ^ square.bit());
            worker.cache.prefetch(child_slot::<SEVEN>(next_mover, next_opponent));
            let replies = isa.mobility(next_mover, next_opponent);
            let mut candidate = ScoredMove { square, flips, replies, score: 0 };
            if weighted_mobility(replies) < searched_at_once::<SEVEN>() {
                let score = next::<I, SEVEN>(isa, worker, node, alpha, &candidate);
                if score > best {
                    (best, best_square) = (score, square.index());
                    if best > alpha {
                        break 'search;
                    }
                }
                continue;
            }
            worker.ordered += 1;
            let surroundings = Surroundings { replies, odd: odd & square.bit() != 0, square };
            let features = node.features.after(square, flips);
            candidate.score = worker.ordering.promise(&features, &surroundings);
            candidates.push(candidate);
        }
        // Enhanced transposition cut-off (A. Plaat et al. 1996): what is known of a child may settle this node, or the
        // child. Its entry is near by now.
        let mut index = 0;
        while let Some(&ScoredMove { square, flips, .. }) = candidates.get(index) {
            let (next_mover, next_opponent) = (opponent ^ flips, mover ^ flips ^ square.bit());
            let slot = child_slot::<SEVEN>(next_mover, next_opponent);
            let Probe::Cut(score) = worker.cache.probe(slot, -alpha - 1) else {
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
        for i in 0..candidates.len() {
            pick_best(&mut candidates, i);
            let candidate = candidates[i];
            let score = next::<I, SEVEN>(isa, worker, node, alpha, &candidate);
            if score > best {
                (best, best_square) = (score, candidate.square.index());
                if best > alpha {
                    break 'search;
                }
            }
        }
    }
    worker.cache.store(slot, alpha, best, best_square);
    best
}
