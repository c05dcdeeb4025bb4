//! Discs that can never be flipped again, and the bound they give.

use once_cell::sync::Lazy;

/// For the discs of both sides on an edge: the first side's discs that no sequence of moves can flip along it.
static EDGES: Lazy<Box<[[u8; 256]]>> = Lazy::new(|| {
    let mut table = vec![[0; 256]; 256].into_boxed_slice();
    let mut done = vec![[false; 256]; 256];
    for own in 0..=255 {
        for other in 0..=255 {
            if own & other == 0 {
                stable_on_edge(own, other, &mut table, &mut done);
            }
        }
    }
    table
});

/// Stable discs of `own`: those that stay whatever either side places on the empty squares of the edge.
fn stable_on_edge(own: u8, other: u8, table: &mut [[u8; 256]], done: &mut [[bool; 256]]) -> u8 {
    let (row, column) = (usize::from(own), usize::from(other));
    if done[row][column] {
        return table[row][column];
    }
    let mut stable = own;
    for square in (0..8).filter(|&square| (own | other) >> square & 1 == 0) {
        let flips = flips_on_line(square, own, other);
        stable &= stable_on_edge(own | flips | 1 << square, other & !flips, table, done);
        let flips = flips_on_line(square, other, own);
        stable &= stable_on_edge(own & !flips, other | flips | 1 << square, table, done);
    }
    done[row][column] = true;
    table[row][column] = stable;
    stable
}

fn flips_on_line(square: u8, own: u8, other: u8) -> u8 {
    let mut flips = 0;
    for step in [-1_i8, 1] {
        let mut run = 0;
        let mut place = square as i8 + step;
        while (0..8).contains(&place) && other >> place & 1 != 0 {
            run |= 1 << place;
            place += step;
        }
        if (0..8).contains(&place) && own >> place & 1 != 0 {
            flips |= run;
        }
    }
    flips
}

const COLUMN_A: u64 = 0x0101010101010101;

/// One column as a byte, row 1 in the lowest bit.
#[inline(always)]
const fn column_to_byte(bits: u64) -> u8 {
    ((bits & COLUMN_A).wrapping_mul(0x0102040810204080) >> 56) as u8
}

/// A byte spread over column a.
#[inline(always)]
const fn byte_to_column(byte: u8) -> u64 {
    // Copies of a nibble, 7 bits apart, put bit i of it at bit 8i; four bits at a time the copies do not overlap.
    let low = (byte as u64 & 0x0F).wrapping_mul(0x00204081) & 0x01010101;
    let high = (byte as u64 >> 4).wrapping_mul(0x00204081) & 0x01010101;
    low | high << 32
}

/// Squares whose whole line is occupied, for the four directions: horizontal, vertical, and the diagonals of step 9
/// and 7.
#[inline(always)]
const fn full_lines(occupied: u64) -> [u64; 4] {
    let mut rows = occupied & occupied >> 4;
    rows &= rows >> 2;
    rows &= rows >> 1;
    let horizontal = (rows & COLUMN_A).wrapping_mul(0xFF);
    let mut columns = occupied & occupied.rotate_right(8);
    columns &= columns.rotate_right(16);
    columns &= columns.rotate_right(32);
    // Beyond the board a diagonal counts as full: shift in ones.
    let mut up = occupied & (occupied >> 9 | 0xFF80808080808080);
    let mut down = occupied & (occupied << 9 | 0x01010101010101FF);
    up &= up >> 18 | 0xFFFFC0C0C0C0C0C0;
    down &= down << 18 | 0x030303030303FFFF;
    up &= up >> 36 | 0xFFFFFFFFF0F0F0F0;
    down &= down << 36 | 0x0F0F0F0FFFFFFFFF;
    let step_9 = up & down;
    let mut up = occupied & (occupied >> 7 | 0xFF01010101010101);
    let mut down = occupied & (occupied << 7 | 0x80808080808080FF);
    up &= up >> 14 | 0xFFFF030303030303;
    down &= down << 14 | 0xC0C0C0C0C0C0FFFF;
    up &= up >> 28 | 0xFFFFFFFF0F0F0F0F;
    down &= down << 28 | 0xF0F0F0F0FFFFFFFF;
    [horizontal, columns, step_9, up & down]
}

/// Discs of `own` that can never be flipped (a subset of all such discs).
pub(in crate::search) fn stable_discs(own: u64, other: u64) -> u64 {
    let edges = &*EDGES;
    let edge = |own: u8, other: u8| edges[usize::from(own)][usize::from(other)];
    let mut stable = u64::from(edge(own as u8, other as u8))
        | u64::from(edge((own >> 56) as u8, (other >> 56) as u8)) << 56
        | byte_to_column(edge(column_to_byte(own), column_to_byte(other)))
        | byte_to_column(edge(column_to_byte(own >> 7), column_to_byte(other >> 7))) << 7;
    let [horizontal, vertical, step_9, step_7] = full_lines(own | other);
    stable |= own & horizontal & vertical & step_9 & step_7;
    if stable == 0 {
        return 0;
    }
    // A disc is safe along a line that is full, or beside a stable disc of its own side, or at the border.
    let candidates = own & 0x007E7E7E7E7E7E00;
    loop {
        let beside_horizontal = stable >> 1 | stable << 1 | horizontal;
        let beside_vertical = stable >> 8 | stable << 8 | vertical;
        let beside_9 = stable >> 9 | stable << 9 | step_9;
        let beside_7 = stable >> 7 | stable << 7 | step_7;
        let next = stable | candidates & beside_horizontal & beside_vertical & beside_9 & beside_7;
        if next == stable {
            return stable;
        }
        stable = next;
    }
}

/// An upper bound of the score in discs, when the opponent's stable discs prove one that is at most `alpha`.
#[inline(always)]
pub(in crate::search) fn upper_bound_by_stability(mover: u64, opponent: u64, alpha: i32) -> Option<i32> {
    // Stable discs are at most all discs: without enough of those there is nothing to count.
    if 64 - 2 * opponent.count_ones() as i32 > alpha {
        return None;
    }
    let bound = 64 - 2 * stable_discs(opponent, mover).count_ones() as i32;
    (bound <= alpha).then_some(bound)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::board::{Position, Symmetry};

    #[test]
    fn bytes_and_columns() {
        for byte in 0..=255 {
            assert_eq!(column_to_byte(byte_to_column(byte)), byte);
            assert_eq!(byte_to_column(byte) & !COLUMN_A, 0);
        }
    }

    #[test]
    fn full_lines_follow_coordinates() {
        for seed in 0..2000_u64 {
            let occupied = Position::new(seed.wrapping_mul(0x9E3779B97F4A7C15), 0).unwrap().hash()
                | Position::new(seed, 0).unwrap().hash()
                | Position::new(0, seed).unwrap().hash();
            let lines = full_lines(occupied);
            for square in 0..64_i32 {
                for (index, (dx, dy)) in [(1, 0), (0, 1), (1, 1), (-1, 1)].into_iter().enumerate() {
                    let mut full = true;
                    for sign in [-1, 1] {
                        let (mut x, mut y) = (square % 8, square / 8);
                        while (0..8).contains(&x) && (0..8).contains(&y) {
                            full &= occupied >> (y * 8 + x) & 1 != 0;
                            (x, y) = (x + sign * dx, y + sign * dy);
                        }
                    }
                    assert_eq!(lines[index] >> square & 1 != 0, full, "{occupied:#x} {square} {index}");
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn stable_discs_survive_any_play(choices in prop::collection::vec(any::<usize>(), 130), from in 20_usize..55) {
            let mut position = Position::START;
            let mut watched: Option<(u64, u64)> = None;
            for (ply, choice) in choices.into_iter().enumerate() {
                if ply == from {
                    watched = Some((
                        stable_discs(position.mover(), position.opponent()),
                        stable_discs(position.opponent(), position.mover()),
                    ));
                    for symmetry in Symmetry::ALL {
                        let image = position.transformed(symmetry);
                        prop_assert_eq!(stable_discs(image.mover(), image.opponent()), symmetry.apply(watched.unwrap().0));
                    }
                }
                if let Some((mine, theirs)) = watched {
                    prop_assert_eq!(mine & position.mover(), mine);
                    prop_assert_eq!(theirs & position.opponent(), theirs);
                }
                let moves = position.moves();
                let Some(&mv) = moves.get(choice % moves.len().max(1)) else { break };
                position = position.play(mv).unwrap();
                watched = watched.map(|(mine, theirs)| (theirs, mine));
            }
        }
    }
}
