//! Seven to about a dozen empties: fastest-first (fewest replies for the opponent), parity, a private table; in the
//! upper part the evaluation helps to order the moves.

use super::{
    EndTier, EndWorker, GUIDED_EMPTIES,
    cache::{EndCache, Probe},
    odd_quadrants, score_at_end, upper_bound_by_stability,
};

use crate::{
    board::{Square, Squares},
    search::{
        moves::{MoveList, ScoredMove, endgame_promise, pick_best},
        node::Node,
    },
};

/// The four corners.
pub(in crate::search) const CORNERS: u64 = 0x8100000000000081;

/// Number of replies, those into corners counted twice.
#[inline(always)]
pub(in crate::search) const fn weighted_mobility(replies: u64) -> i32 {
    (replies.count_ones() + (replies & CORNERS).count_ones()) as i32
}

/// Lowest alpha at which the stability cut is worth its time, by empties from 0.
pub(super) static STABILITY_ALPHA: [i32; 20] =
    [12, 12, 12, 12, 12, 12, 12, 12, 14, 16, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38];

/// Moves that leave fewer replies than this (corners count twice) are searched before the others are looked at.
const SEARCHED_AT_ONCE: i32 = 2;

/// True when the flips take the opponent's last disc.
#[inline(always)]
pub(in crate::search) const fn wipe_out(opponent: u64, flips: u64) -> bool {
    opponent == flips
}

/// Number of empty squares next to the opponent's discs: where the mover may yet find moves.
#[inline(always)]
const fn potential_moves(opponent: u64, empty: u64) -> u32 {
    const NOT_A: u64 = 0xFEFEFEFEFEFEFEFE;
    const NOT_H: u64 = 0x7F7F7F7F7F7F7F7F;
    let row = opponent | (opponent & NOT_H) << 1 | (opponent & NOT_A) >> 1;
    ((row | row << 8 | row >> 8) & empty).count_ones()
}

/// How promising a move is by the replies it leaves to `mover`, in no unit.
#[inline(always)]
fn promise(mover: u64, opponent: u64, square: Square, mobility: i32, odd: u64) -> i32 {
    let parity = i32::from(odd & square.bit() != 0);
    let corner = i32::from(CORNERS & square.bit() != 0);
    let potential = potential_moves(opponent, !(mover | opponent)) as i32;
    10 * parity + 6 * corner - 18 * mobility - 3 * potential
}

/// How promising a move is by the evaluation and by the replies it leaves, in centi-discs.
///
/// The table of one number of empties serves them all: the order changes little, and it stays in the cache.
#[inline(always)]
fn guided_promise(worker: &EndWorker, node: &Node, square: Square, flips: u64, mobility: i32, odd: u64) -> i32 {
    let parity = i32::from(odd & square.bit() != 0);
    let child = node.child(square, flips);
    endgame_promise(-worker.evaluator.value(&child.features, child.frame, GUIDED_EMPTIES), mobility, parity)
}

#[inline(always)]
pub(super) fn solve<I: EndTier>(isa: I, worker: &mut EndWorker, mover: u64, opponent: u64, alpha: i32) -> i32 {
    search(isa, worker, mover, opponent, alpha, None)
}

#[inline(always)]
pub(super) fn solve_guided<I: EndTier>(isa: I, worker: &mut EndWorker, node: &Node, alpha: i32) -> i32 {
    search(isa, worker, node.position.mover(), node.position.opponent(), alpha, Some(node))
}

/// The score of a move, found by the search for one empty square fewer.
#[inline(always)]
fn next<I: EndTier>(
    isa: I,
    worker: &mut EndWorker,
    (mover, opponent, alpha): (u64, u64, i32),
    guide: Option<&Node>,
    square: Square,
    flips: u64,
) -> i32 {
    worker.searched += 1;
    let (next_mover, next_opponent) = (opponent ^ flips, mover ^ flips ^ square.bit());
    let empties = (!(next_mover | next_opponent)).count_ones();
    match guide {
        Some(node) if empties >= GUIDED_EMPTIES => -isa.solve_guided(worker, &node.child(square, flips), -alpha - 1),
        _ if empties == 6 => -isa.solve_shallow(worker, next_mover, next_opponent, -alpha - 1),
        _ => -isa.solve_middle(worker, next_mover, next_opponent, -alpha - 1),
    }
}

/// The body of both; with a node the moves are ordered by the evaluation.
#[inline(always)]
fn search<I: EndTier>(
    isa: I,
    worker: &mut EndWorker,
    mover: u64,
    opponent: u64,
    alpha: i32,
    guide: Option<&Node>,
) -> i32 {
    let empty = !(mover | opponent);
    let empties = empty.count_ones();
    if alpha >= STABILITY_ALPHA[empties as usize % 20]
        && let Some(bound) = upper_bound_by_stability(mover, opponent, alpha)
    {
        return bound;
    }
    let moves = isa.mobility(mover, opponent);
    if moves == 0 {
        return if isa.mobility(opponent, mover) == 0 {
            score_at_end(mover, opponent)
        } else {
            match guide {
                Some(node) => -isa.solve_guided(worker, &node.passed(), -alpha - 1),
                None => -isa.solve_middle(worker, opponent, mover, -alpha - 1),
            }
        };
    }
    let slot = EndCache::middle_slot(mover, opponent);
    let known = match worker.cache.probe(slot, mover, opponent, alpha) {
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
                next(isa, worker, (mover, opponent, alpha), guide, square, flips)
            };
            best_square = square.index();
            rest ^= first;
            if best > alpha {
                break 'search;
            }
        }
        let mut candidates = MoveList::new();
        let odd = odd_quadrants(empty);
        for square in Squares(rest) {
            let flips = isa.flips(square.index(), mover, opponent);
            if wipe_out(opponent, flips) {
                (best, best_square) = (64, square.index());
                break 'search;
            }
            let (next_mover, next_opponent) = (opponent ^ flips, mover ^ flips ^ square.bit());
            if empties > 7 {
                // Most of the time in this function would be spent waiting for the table.
                worker.cache.prefetch(EndCache::middle_slot(next_mover, next_opponent));
            }
            let mobility = weighted_mobility(isa.mobility(next_mover, next_opponent));
            if mobility < SEARCHED_AT_ONCE {
                let score = next(isa, worker, (mover, opponent, alpha), guide, square, flips);
                if score > best {
                    (best, best_square) = (score, square.index());
                    if best > alpha {
                        break 'search;
                    }
                }
                continue;
            }
            worker.ordered += 1;
            let score = match guide {
                Some(node) => guided_promise(worker, node, square, flips, mobility, odd),
                None => promise(next_mover, next_opponent, square, mobility, odd),
            };
            candidates.push(ScoredMove { square, flips, score });
        }
        for i in 0..candidates.len() {
            pick_best(&mut candidates, i);
            let ScoredMove { square, flips, .. } = candidates[i];
            let score = next(isa, worker, (mover, opponent, alpha), guide, square, flips);
            if score > best {
                (best, best_square) = (score, square.index());
                if best > alpha {
                    break 'search;
                }
            }
        }
    }
    worker.cache.store(slot, mover, opponent, alpha, best, best_square);
    best
}
