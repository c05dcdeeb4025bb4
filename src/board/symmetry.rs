//! The eight symmetries of the board.

use super::Square;

/// One of the eight rotations and reflections of the board.
///
/// The value's bits say what is done, in this order: 1 mirrors left–right, 2 mirrors top–bottom, 4 transposes
/// (reflects in the a1–h8 diagonal).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Symmetry(u8);

impl Symmetry {
    /// Leaves the board as it is.
    pub const IDENTITY: Self = Self(0);

    /// All eight, the identity first.
    pub const ALL: [Self; 8] = [Self(0), Self(1), Self(2), Self(3), Self(4), Self(5), Self(6), Self(7)];

    /// The image of a bitboard.
    pub const fn apply(self, bits: u64) -> u64 {
        let mut bits = bits;
        if self.0 & 1 != 0 {
            bits = mirror_columns(bits);
        }
        if self.0 & 2 != 0 {
            bits = bits.swap_bytes();
        }
        if self.0 & 4 != 0 {
            bits = transpose(bits);
        }
        bits
    }

    /// The image of a square.
    #[must_use]
    pub fn apply_to_square(self, square: Square) -> Square {
        Square::lowest(self.apply(square.bit())).unwrap_or(square)
    }

    /// The symmetry that undoes this one.
    #[must_use]
    pub const fn inverse(self) -> Self {
        // Mirrors commute; conjugating a mirror by the transposition exchanges the two mirrors.
        if self.0 & 4 != 0 { Self(4 | ((self.0 & 1) << 1) | ((self.0 & 2) >> 1)) } else { self }
    }
}

const fn mirror_columns(bits: u64) -> u64 {
    bits.reverse_bits().swap_bytes()
}

/// Reflects in the a1–h8 diagonal by three rounds of block exchange (Hacker's Delight, section 7-3).
const fn transpose(bits: u64) -> u64 {
    let mut x = bits;
    let mut t = (x ^ (x >> 7)) & 0x00AA00AA00AA00AA;
    x ^= t ^ (t << 7);
    t = (x ^ (x >> 14)) & 0x0000CCCC0000CCCC;
    x ^= t ^ (t << 14);
    t = (x ^ (x >> 28)) & 0x00000000F0F0F0F0;
    x ^ t ^ (t << 28)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map_square(symmetry: Symmetry, square: Square) -> Square {
        let (mut column, mut row) = (square.column(), square.row());
        if symmetry.0 & 1 != 0 {
            column = 7 - column;
        }
        if symmetry.0 & 2 != 0 {
            row = 7 - row;
        }
        if symmetry.0 & 4 != 0 {
            (column, row) = (row, column);
        }
        Square::from_column_row(column, row).unwrap()
    }

    #[test]
    fn images_of_squares_follow_coordinates() {
        for symmetry in Symmetry::ALL {
            for square in Square::all() {
                assert_eq!(symmetry.apply_to_square(square), map_square(symmetry, square));
                assert_eq!(symmetry.inverse().apply_to_square(symmetry.apply_to_square(square)), square);
            }
        }
    }
}
