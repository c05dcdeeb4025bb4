//! Seven to about a dozen empties: fastest-first (fewest replies for the opponent), parity, a private table.

use arrayvec::ArrayVec;

use super::{
    EndTier, EndWorker,
    cache::{EndCache, Probe},
    odd_quadrants, score_at_end, upper_bound_by_stability,
};

use crate::board::Squares;

/// The four corners.
pub(in crate::search) const CORNERS: u64 = 0x8100000000000081;

/// Lowest alpha at which the stability cut is worth its time, by empties from 0.
pub(super) static STABILITY_ALPHA: [i32; 20] =
    [12, 12, 12, 12, 12, 12, 12, 12, 14, 16, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38];

/// Most legal moves of any position, with room to spare.
const MAX_MOVES: usize = 40;

#[derive(Clone, Copy)]
struct Candidate {
    square: u8,
    score: i32,
    flips: u64,
}

/// True when the flips take the opponent's last disc.
#[inline(always)]
pub(in crate::search) const fn wipe_out(opponent: u64, flips: u64) -> bool {
    opponent == flips
}

#[inline(always)]
pub(super) fn solve<I: EndTier>(isa: I, worker: &mut EndWorker, mover: u64, opponent: u64, alpha: i32) -> i32 {
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
            -isa.solve_middle(worker, opponent, mover, -alpha - 1)
        };
    }
    let slot = EndCache::middle_slot(mover, opponent);
    let known = match worker.cache.probe(slot, mover, opponent, alpha) {
        Probe::Cut(score) => return score,
        Probe::Move(square) => square,
        Probe::Miss => 64,
    };
    let next = |worker: &mut EndWorker, mover: u64, opponent: u64| {
        worker.searched += 1;
        if empties == 7 {
            -isa.solve_shallow(worker, mover, opponent, -alpha - 1)
        } else {
            -isa.solve_middle(worker, mover, opponent, -alpha - 1)
        }
    };
    let mut best = -65;
    let mut best_square = 64;
    if moves.is_power_of_two() {
        let square = moves.trailing_zeros() as usize;
        let flips = isa.flips(square, mover, opponent);
        best_square = square;
        best = if wipe_out(opponent, flips) { 64 } else { next(worker, opponent ^ flips, mover ^ flips ^ moves) };
    } else {
        let mut candidates = ArrayVec::<Candidate, MAX_MOVES>::new();
        let odd = odd_quadrants(empty);
        for square in Squares(moves) {
            let flips = isa.flips(square.index(), mover, opponent);
            if wipe_out(opponent, flips) {
                worker.cache.store(slot, mover, opponent, alpha, 64, square.index());
                return 64;
            }
            let score = if square.index() == known {
                i32::MAX
            } else {
                worker.ordered += 1;
                let (next_mover, next_opponent) = (opponent ^ flips, mover ^ flips ^ square.bit());
                if empties > 7 {
                    // Most of the time in this function would be spent waiting for the table.
                    worker.cache.prefetch(EndCache::middle_slot(next_mover, next_opponent));
                }
                let replies = isa.mobility(next_mover, next_opponent);
                let mobility = replies.count_ones() + (replies & CORNERS).count_ones();
                let parity = i32::from(odd & square.bit() != 0);
                10 * parity - 18 * mobility as i32
            };
            candidates.push(Candidate { square: square.index() as u8, score, flips });
        }
        for i in 0..candidates.len() {
            let mut pick = i;
            for j in i + 1..candidates.len() {
                if candidates[j].score > candidates[pick].score {
                    pick = j;
                }
            }
            candidates.swap(i, pick);
            let Candidate { square, flips, .. } = candidates[i];
            let score = next(worker, opponent ^ flips, mover ^ flips ^ 1 << square);
            if score > best {
                best = score;
                best_square = usize::from(square);
                if best > alpha {
                    break;
                }
            }
        }
    }
    worker.cache.store(slot, mover, opponent, alpha, best, best_square);
    best
}
