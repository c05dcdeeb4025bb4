//! One to four empties: unrolled, no tables of positions, no allocation.

use super::{EndTier, EndWorker, score_at_end};
use crate::board::odd_quadrants;

/// One empty square.
#[inline(always)]
pub(super) fn solve_1<I: EndTier>(isa: I, mover: u64, square: usize, alpha: i32) -> i32 {
    let discs = mover.count_ones() as i32;
    let flips = isa.count_last_flips(square, mover);
    if flips > 0 {
        return 2 * (discs + flips) - 62;
    }
    // Without a move of either side the empty square goes to the winner.
    let still = if discs > 31 { 2 * discs - 62 } else { 2 * discs - 64 };
    if still <= alpha {
        // A move of the opponent could only lower the score.
        return still;
    }
    let opponent_flips = isa.count_last_flips(square, !mover & !(1 << square));
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
    let (_, opponent) = isa.discs(pair);
    let mut best = -65;
    for (square, last) in [(first, second), (second, first)] {
        let flips = isa.flips_bits(isa.flips_in(square, pair));
        if flips != 0 {
            worker.searched += 1;
            best = best.max(-solve_1(isa, opponent ^ flips, last, -alpha - 1));
            if best > alpha {
                break;
            }
        }
    }
    best
}

/// Three empty squares.
#[inline(always)]
pub(super) fn solve_3<I: EndTier>(isa: I, worker: &mut EndWorker, pair: I::Pair, squares: Three, alpha: i32) -> i32 {
    let best = moves_of_3(isa, worker, pair, squares, alpha);
    if best > -65 {
        return best;
    }
    let best = moves_of_3(isa, worker, isa.swapped(pair), squares, -alpha - 1);
    if best > -65 { -best } else { score_of(isa, pair) }
}

/// Best score over the moves of the mover on three squares, −65 without any.
#[inline(always)]
fn moves_of_3<I: EndTier>(isa: I, worker: &mut EndWorker, pair: I::Pair, Three(mut squares): Three, alpha: i32) -> i32 {
    let mut best = -65;
    for _ in 0..3 {
        let field = |place: u32| (squares >> place) as usize & 63;
        let (square, rest) = (field(0), [field(6), field(12)]);
        squares >>= 18;
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
    let mut squares = four_by_parity(empty);
    for _ in 0..4 {
        let square = squares as usize & 63;
        squares >>= 8;
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

/// Four empty squares, those in quadrants with an odd number of them first, each in a byte.
#[inline(always)]
fn four_by_parity(empty: u64) -> u32 {
    let odd = empty & odd_quadrants(empty);
    // Two quadrants with one square each and one with two are the only case with squares of both kinds.
    let without_first = empty & empty.wrapping_sub(1);
    let lower_half = empty ^ (without_first & without_first.wrapping_sub(1));
    let first_two = if odd == 0 || odd == empty { lower_half } else { odd };
    let last_two = empty ^ first_two;
    let squares = [lowest(first_two), highest(first_two), lowest(last_two), highest(last_two)];
    (squares[0] | squares[1] << 8 | squares[2] << 16 | squares[3] << 24) as u32
}

/// Three squares in the order in which they are tried, each with the two that are left: nine fields of six bits. In one
/// register, as lists in memory would have to be written before they are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Three(u64);

/// For each way in which three squares, in ascending order, share quadrants (1: the first two, 2: the last two, 4: the
/// first and the last): what multiplies each of them to put it into all its fields of [`Three`].
static FIELDS: [[u64; 3]; 8] = {
    // By place in the order: alone in a field of its own group, and in one of the two others.
    let first = 1 | 1 << 24 | 1 << 42;
    let second = 1 << 6 | 1 << 18 | 1 << 48;
    let third = 1 << 12 | 1 << 30 | 1 << 36;
    let mut table = [[first, second, third]; 8];
    table[1] = [second, third, first];
    table[4] = [second, first, third];
    table
};

/// Three empty squares, those in quadrants with an odd number of them first.
#[inline(always)]
pub(super) fn three_by_parity(empty: u64) -> Three {
    let (a, b, c) = (lowest(empty), lowest(empty & empty.wrapping_sub(1)), highest(empty));
    // Bits 2 and 5 of a square tell its quadrant. Without branches, which no processor would foresee.
    let together = |x: usize, y: usize| usize::from((x ^ y) & 0b100100 == 0);
    let fields = &FIELDS[together(a, b) | together(b, c) << 1 | together(a, c) << 2];
    Three(a as u64 * fields[0] + b as u64 * fields[1] + c as u64 * fields[2])
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
                    let order = by_parity(empty);
                    let fields: Vec<usize> =
                        (0..9).map(|place| (three_by_parity(empty).0 >> (6 * place)) as usize & 63).collect();
                    let [x, y, z] = order[..] else { unreachable!() };
                    assert_eq!(fields, [x, y, z, y, x, z, z, x, y]);
                    for d in c + 1..64 {
                        let empty = empty | 1 << d;
                        assert_eq!(four_by_parity(empty).to_le_bytes().map(usize::from).to_vec(), by_parity(empty));
                    }
                }
            }
        }
    }
}
