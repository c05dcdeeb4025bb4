//! One to four empties: unrolled, no tables of positions, no allocation.

use super::{EndTier, EndWorker, score_at_end};
use crate::board::odd_quadrants;

/// Discs flipped on one line by a disc placed on it, when every other square of the line is taken: by position on
/// the line and the mover's discs there.
static COUNT: [[u8; 256]; 8] = count_table();

const fn count_table() -> [[u8; 256]; 8] {
    let mut table = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut own = 0;
        while own < 256 {
            let mut total = 0;
            let mut run = 0;
            let mut i = place + 1;
            while i < 8 {
                if own >> i & 1 != 0 {
                    total += run;
                    break;
                }
                run += 1;
                i += 1;
            }
            run = 0;
            i = place;
            while i > 0 {
                i -= 1;
                if own >> i & 1 != 0 {
                    total += run;
                    break;
                }
                run += 1;
            }
            table[place][own] = total;
            own += 1;
        }
        place += 1;
    }
    table
}

/// The two diagonals through each square.
static DIAGONALS: [[u64; 2]; 64] = diagonals();

const fn diagonals() -> [[u64; 2]; 64] {
    let mut masks = [[0; 2]; 64];
    let mut square = 0;
    while square < 64 {
        let (column, row) = ((square & 7) as i32, (square >> 3) as i32);
        let mut other = 0_i32;
        while other < 64 {
            let (c, r) = (other & 7, other >> 3);
            if c - column == r - row {
                masks[square][0] |= 1 << other;
            }
            if c - column == row - r {
                masks[square][1] |= 1 << other;
            }
            other += 1;
        }
        square += 1;
    }
    masks
}

const COLUMN_A: u64 = 0x0101010101010101;

/// Number of discs that a disc on `square`, the only empty square, flips for the side with the discs `mover`.
///
/// A line is gathered into one byte by a multiplication. On a diagonal shorter than the board, squares outside it
/// count as the other side's, beyond which there is no disc of the mover: they flip nothing.
#[inline(always)]
pub(super) fn count_last_flips(square: usize, mover: u64) -> i32 {
    let (column, row) = (square & 7, square >> 3 & 7);
    let by_column = &COUNT[column];
    let horizontal = by_column[(mover >> (row * 8)) as usize & 0xFF];
    let vertical = COUNT[row][(((mover >> column) & COLUMN_A).wrapping_mul(0x0102040810204080) >> 56) as usize];
    let masks = &DIAGONALS[square & 63];
    let first = by_column[((mover & masks[0]).wrapping_mul(COLUMN_A) >> 56) as usize];
    let second = by_column[((mover & masks[1]).wrapping_mul(COLUMN_A) >> 56) as usize];
    i32::from(horizontal) + i32::from(vertical) + i32::from(first) + i32::from(second)
}

/// One empty square.
#[inline(always)]
pub(super) fn solve_1(mover: u64, square: usize, alpha: i32) -> i32 {
    let discs = mover.count_ones() as i32;
    let flips = count_last_flips(square, mover);
    if flips > 0 {
        return 2 * (discs + flips) - 62;
    }
    // Without a move of either side the empty square goes to the winner.
    let still = if discs > 31 { 2 * discs - 62 } else { 2 * discs - 64 };
    if still <= alpha {
        // A move of the opponent could only lower the score.
        return still;
    }
    let opponent_flips = count_last_flips(square, !mover & !(1 << square));
    if opponent_flips > 0 { 2 * (discs - opponent_flips) - 64 } else { still }
}

/// Two empty squares.
#[inline(always)]
pub(super) fn solve_2<I: EndTier>(
    isa: I,
    worker: &mut EndWorker,
    mover: u64,
    opponent: u64,
    first: usize,
    second: usize,
    alpha: i32,
) -> i32 {
    let mut best = -65;
    let flips = isa.flips(first, mover, opponent);
    if flips != 0 {
        worker.searched += 1;
        best = -solve_1(opponent ^ flips, second, -alpha - 1);
        if best > alpha {
            return best;
        }
    }
    let flips = isa.flips(second, mover, opponent);
    if flips != 0 {
        worker.searched += 1;
        return best.max(-solve_1(opponent ^ flips, first, -alpha - 1));
    }
    if best > -65 {
        return best;
    }
    // The mover passes: now the opponent minimises.
    let mut best = 65;
    let flips = isa.flips(first, opponent, mover);
    if flips != 0 {
        worker.searched += 1;
        best = solve_1(mover ^ flips, second, alpha);
        if best <= alpha {
            return best;
        }
    }
    let flips = isa.flips(second, opponent, mover);
    if flips != 0 {
        worker.searched += 1;
        return best.min(solve_1(mover ^ flips, first, alpha));
    }
    if best < 65 { best } else { score_at_end(mover, opponent) }
}

/// Three empty squares.
#[inline(always)]
pub(super) fn solve_3<I: EndTier>(isa: I, worker: &mut EndWorker, mover: u64, opponent: u64, alpha: i32) -> i32 {
    let empty = !(mover | opponent);
    let squares = by_parity::<3>(empty);
    let best = moves_of_3(isa, worker, mover, opponent, squares, alpha);
    if best > -65 {
        return best;
    }
    let best = moves_of_3(isa, worker, opponent, mover, squares, -alpha - 1);
    if best > -65 { -best } else { score_at_end(mover, opponent) }
}

/// Best score over the moves of the mover on three squares, −65 without any.
#[inline(always)]
fn moves_of_3<I: EndTier>(
    isa: I,
    worker: &mut EndWorker,
    mover: u64,
    opponent: u64,
    [a, b, c]: [usize; 3],
    alpha: i32,
) -> i32 {
    let mut best = -65;
    for (square, first, second) in [(a, b, c), (b, a, c), (c, a, b)] {
        let flips = isa.flips(square, mover, opponent);
        if flips != 0 {
            worker.searched += 1;
            let next = mover ^ flips ^ 1 << square;
            best = best.max(-solve_2(isa, worker, opponent ^ flips, next, first, second, -alpha - 1));
            if best > alpha {
                break;
            }
        }
    }
    best
}

/// Four empty squares.
#[inline(always)]
pub(super) fn solve_4<I: EndTier>(isa: I, worker: &mut EndWorker, mover: u64, opponent: u64, alpha: i32) -> i32 {
    let squares = by_parity::<4>(!(mover | opponent));
    let best = moves_of_4(isa, worker, mover, opponent, squares, alpha);
    if best > -65 {
        return best;
    }
    let best = moves_of_4(isa, worker, opponent, mover, squares, -alpha - 1);
    if best > -65 { -best } else { score_at_end(mover, opponent) }
}

#[inline(always)]
fn moves_of_4<I: EndTier>(
    isa: I,
    worker: &mut EndWorker,
    mover: u64,
    opponent: u64,
    squares: [usize; 4],
    alpha: i32,
) -> i32 {
    let mut best = -65;
    for square in squares {
        let flips = isa.flips(square, mover, opponent);
        if flips != 0 {
            worker.searched += 1;
            best = best.max(-solve_3(isa, worker, opponent ^ flips, mover ^ flips ^ 1 << square, -alpha - 1));
            if best > alpha {
                break;
            }
        }
    }
    best
}

/// The empty squares, those in quadrants with an odd number of them first.
#[inline(always)]
fn by_parity<const N: usize>(empty: u64) -> [usize; N] {
    let odd = odd_quadrants(empty);
    let mut first = empty & odd;
    let mut second = empty & !odd;
    let mut squares = [0; N];
    for square in &mut squares {
        let from = if first != 0 { &mut first } else { &mut second };
        *square = from.trailing_zeros() as usize & 63;
        *from &= from.wrapping_sub(1);
    }
    squares
}
