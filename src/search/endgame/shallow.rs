//! Five and six empties: moves in parity order, without generating or sorting a list first.

use super::{
    EndTier, EndWorker,
    cache::{EndCache, Probe},
    score_at_end, upper_bound_by_stability,
};
use crate::board::{CORNERS, Squares, odd_quadrants};

/// Below this alpha the stability of the opponent's discs never bounds the score at so few empties.
const STABILITY_ALPHA: i32 = 12;

#[inline(always)]
pub(super) fn solve<I: EndTier>(isa: I, worker: &mut EndWorker, mover: u64, opponent: u64, alpha: i32) -> i32 {
    if alpha >= STABILITY_ALPHA
        && let Some(bound) = upper_bound_by_stability(mover, opponent, alpha)
    {
        return bound;
    }
    let moves = isa.mobility(mover, opponent);
    if moves == 0 {
        return if isa.mobility(opponent, mover) == 0 {
            score_at_end(mover, opponent)
        } else {
            -isa.solve_shallow(worker, opponent, mover, -alpha - 1)
        };
    }
    let slot = EndCache::shallow_slot(mover, opponent);
    match worker.cache.probe(slot, alpha) {
        Probe::Cut(score) => return score,
        Probe::Move(_) | Probe::Miss => {}
    }
    let empty = !(mover | opponent);
    let five = empty.count_ones() == 5;
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
            let score = if five {
                -isa.solve_4(worker, next_mover, next_opponent, empty ^ square.bit(), -alpha - 1)
            } else {
                -isa.solve_shallow(worker, next_mover, next_opponent, -alpha - 1)
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
    worker.cache.store(slot, alpha, best, best_square);
    best
}
