//! Five and six empties: moves in parity order, without generating or sorting a list first.

use super::{
    EndTier, EndWorker,
    cache::{EndCache, Probe},
    score_at_end, upper_bound_by_stability,
};
use crate::board::{CORNERS, Squares, odd_quadrants};

/// Lowest alpha at which the stability cut is worth its time.
const fn stability_alpha<const FIVE: bool>() -> i32 {
    if FIVE { 20 } else { 12 }
}

#[inline(always)]
pub(super) fn solve_5<I: EndTier>(
    isa: I,
    worker: &mut EndWorker,
    mover: u64,
    opponent: u64,
    moves: u64,
    alpha: i32,
) -> i32 {
    solve::<I, true>(isa, worker, mover, opponent, moves, alpha)
}

#[inline(always)]
pub(super) fn solve_6<I: EndTier>(
    isa: I,
    worker: &mut EndWorker,
    mover: u64,
    opponent: u64,
    moves: u64,
    alpha: i32,
) -> i32 {
    solve::<I, false>(isa, worker, mover, opponent, moves, alpha)
}

/// `FIVE`: five empties rather than six.
#[inline(always)]
fn solve<I: EndTier, const FIVE: bool>(
    isa: I,
    worker: &mut EndWorker,
    mover: u64,
    opponent: u64,
    moves: u64,
    alpha: i32,
) -> i32 {
    if alpha >= stability_alpha::<FIVE>()
        && let Some(bound) = upper_bound_by_stability(mover, opponent, alpha)
    {
        return bound;
    }
    if moves == 0 {
        let replies = isa.mobility(opponent, mover);
        return match replies {
            0 => score_at_end(mover, opponent),
            _ if FIVE => -isa.solve_5(worker, opponent, mover, replies, -alpha - 1),
            _ => -isa.solve_6(worker, opponent, mover, replies, -alpha - 1),
        };
    }
    // With five, a look-up would take longer than the search that it may save.
    let slot = if FIVE { None } else { Some(EndCache::shallow_slot(mover, opponent)) };
    if let Some(slot) = slot
        && let Probe::Cut(score) = worker.cache.probe(slot, alpha)
    {
        return score;
    }
    let empty = !(mover | opponent);
    let odd = odd_quadrants(empty);
    let mut best = -65;
    let mut best_square = 64;
    'search: for group in
        [moves & odd & CORNERS, moves & odd & !CORNERS, moves & !odd & CORNERS, moves & !odd & !CORNERS]
    {
        for square in Squares(group) {
            let flips = isa.flips(square.index(), mover, opponent);
            let (next_mover, next_opponent) = (opponent ^ flips, mover ^ flips ^ square.bit());
            worker.searched += 1;
            let score = if FIVE {
                -isa.solve_4(worker, next_mover, next_opponent, empty ^ square.bit(), -alpha - 1)
            } else {
                let replies = isa.mobility(next_mover, next_opponent);
                -isa.solve_5(worker, next_mover, next_opponent, replies, -alpha - 1)
            };
            if score > best {
                best = score;
                best_square = square.index();
                if best > alpha {
                    break 'search;
                }
            }
        }
    }
    if let Some(slot) = slot {
        worker.cache.store(slot, alpha, best, best_square);
    }
    best
}
