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
    pair: I::Pair,
    [first, second]: [usize; 2],
    alpha: i32,
) -> i32 {
    let best = moves_of_2(isa, worker, pair, [first, second], alpha);
    if best > -65 {
        return best;
    }
    let best = moves_of_2(isa, worker, isa.swapped(pair), [first, second], -alpha - 1);
    if best > -65 { -best } else { score_of(isa, pair) }
}

/// Best score over the moves of the mover on two squares, −65 without any.
#[inline(always)]
fn moves_of_2<I: EndTier>(
    isa: I,
    worker: &mut EndWorker,
    pair: I::Pair,
    [first, second]: [usize; 2],
    alpha: i32,
) -> i32 {
    let mut best = -65;
    for (square, last) in [(first, second), (second, first)] {
        let flips = isa.flips_in(square, pair);
        if isa.flips_bits(flips) != 0 {
            worker.searched += 1;
            let (next_mover, _) = isa.discs(isa.play_in(square, pair, flips));
            best = best.max(-solve_1(next_mover, last, -alpha - 1));
            if best > alpha {
                break;
            }
        }
    }
    best
}

/// Three empty squares.
#[inline(always)]
pub(super) fn solve_3<I: EndTier>(
    isa: I,
    worker: &mut EndWorker,
    pair: I::Pair,
    squares: [usize; 3],
    alpha: i32,
) -> i32 {
    let best = moves_of_3(isa, worker, pair, squares, alpha);
    if best > -65 {
        return best;
    }
    let best = moves_of_3(isa, worker, isa.swapped(pair), squares, -alpha - 1);
    if best > -65 { -best } else { score_of(isa, pair) }
}

/// Best score over the moves of the mover on three squares, −65 without any.
#[inline(always)]
fn moves_of_3<I: EndTier>(isa: I, worker: &mut EndWorker, pair: I::Pair, [a, b, c]: [usize; 3], alpha: i32) -> i32 {
    let mut best = -65;
    for (square, rest) in [(a, [b, c]), (b, [a, c]), (c, [a, b])] {
        let flips = isa.flips_in(square, pair);
        if isa.flips_bits(flips) != 0 {
            worker.searched += 1;
            best = best.max(-solve_2(isa, worker, isa.play_in(square, pair, flips), rest, -alpha - 1));
            if best > alpha {
                break;
            }
        }
    }
    best
}

/// Four empty squares.
#[inline(always)]
pub(super) fn solve_4<I: EndTier>(
    isa: I,
    worker: &mut EndWorker,
    mover: u64,
    opponent: u64,
    empty: u64,
    alpha: i32,
) -> i32 {
    let pair = isa.pair(mover, opponent);
    let best = moves_of_4(isa, worker, pair, empty, alpha);
    if best > -65 {
        return best;
    }
    let best = moves_of_4(isa, worker, isa.swapped(pair), empty, -alpha - 1);
    if best > -65 { -best } else { score_at_end(mover, opponent) }
}

#[inline(always)]
fn moves_of_4<I: EndTier>(isa: I, worker: &mut EndWorker, pair: I::Pair, empty: u64, alpha: i32) -> i32 {
    let mut best = -65;
    for square in four_by_parity(empty) {
        let flips = isa.flips_in(square, pair);
        if isa.flips_bits(flips) != 0 {
            worker.searched += 1;
            let rest = three_by_parity(empty & !(1 << square));
            best = best.max(-solve_3(isa, worker, isa.play_in(square, pair, flips), rest, -alpha - 1));
            if best > alpha {
                break;
            }
        }
    }
    best
}

/// Score of a pair when neither side can move.
#[inline(always)]
fn score_of<I: EndTier>(isa: I, pair: I::Pair) -> i32 {
    let (mover, opponent) = isa.discs(pair);
    score_at_end(mover, opponent)
}

const fn lowest(bits: u64) -> usize {
    bits.trailing_zeros() as usize & 63
}

const fn highest(bits: u64) -> usize {
    (63 - bits.leading_zeros() as usize) & 63
}

/// Four empty squares, those in quadrants with an odd number of them first.
#[inline(always)]
fn four_by_parity(empty: u64) -> [usize; 4] {
    let odd = empty & odd_quadrants(empty);
    let even = empty ^ odd;
    // Two quadrants with one square each and one with two are the only case with squares of both kinds.
    if odd != 0 && even != 0 {
        [lowest(odd), highest(odd), lowest(even), highest(even)]
    } else {
        let inner = empty & empty.wrapping_sub(1);
        [lowest(empty), lowest(inner), lowest(inner & inner.wrapping_sub(1)), highest(empty)]
    }
}

/// Three empty squares, those in quadrants with an odd number of them first.
#[inline(always)]
pub(super) fn three_by_parity(empty: u64) -> [usize; 3] {
    let (a, b, c) = (lowest(empty), lowest(empty & empty.wrapping_sub(1)), highest(empty));
    // Bits 2 and 5 of a square tell its quadrant. When two squares share one, the third goes first.
    let apart = |x: usize, y: usize| (x ^ y) & 0b100100 != 0;
    if !apart(a, b) && apart(b, c) {
        [c, a, b]
    } else if !apart(a, c) && apart(a, b) {
        [b, a, c]
    } else {
        [a, b, c]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition: squares in odd quadrants in order, then the others.
    fn by_parity(empty: u64) -> Vec<usize> {
        let odd = odd_quadrants(empty);
        let listed = |bits: u64| (0..64).filter(move |square| bits >> square & 1 != 0);
        listed(empty & odd).chain(listed(empty & !odd)).collect()
    }

    #[test]
    fn parity_orders_few_squares() {
        for a in 0..64 {
            for b in a + 1..64 {
                for c in b + 1..64 {
                    let empty = 1 << a | 1 << b | 1 << c;
                    assert_eq!(three_by_parity(empty).to_vec(), by_parity(empty));
                    for d in c + 1..64 {
                        let empty = empty | 1 << d;
                        assert_eq!(four_by_parity(empty).to_vec(), by_parity(empty));
                    }
                }
            }
        }
    }
}
