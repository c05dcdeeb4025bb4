//! Plain 64-bit kernels: run on any CPU and serve as the truth for the others.

use super::Isa;

/// The tier without special instructions.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl Isa for Portable {
    #[inline(always)]
    fn flips(self, square: usize, mover: u64, opponent: u64) -> u64 {
        flips(square, mover, opponent)
    }

    #[inline(always)]
    fn mobility(self, mover: u64, opponent: u64) -> u64 {
        mobility(mover, opponent)
    }

    type Pair = (u64, u64);

    type Flips = u64;

    #[inline(always)]
    fn pair(self, mover: u64, opponent: u64) -> Self::Pair {
        (mover, opponent)
    }

    #[inline(always)]
    fn swapped(self, (mover, opponent): Self::Pair) -> Self::Pair {
        (opponent, mover)
    }

    #[inline(always)]
    fn flips_in(self, square: usize, (mover, opponent): Self::Pair) -> u64 {
        flips(square, mover, opponent)
    }

    #[inline(always)]
    fn flips_bits(self, flips: u64) -> u64 {
        flips
    }

    #[inline(always)]
    fn play_in(self, square: usize, (mover, opponent): Self::Pair, flips: u64) -> Self::Pair {
        (opponent ^ flips, mover ^ flips ^ 1 << square)
    }

    #[inline(always)]
    fn discs(self, pair: Self::Pair) -> (u64, u64) {
        pair
    }
}

/// All squares but the a and h columns: a horizontal or diagonal run of flipped discs never touches those.
const INNER_COLUMNS: u64 = 0x7E7E7E7E7E7E7E7E;

/// Rays from each square towards higher bits, in the order east, south-west, south, south-east.
pub(super) static RAYS_UP: [[u64; 4]; 64] = rays([(1, 0), (-1, 1), (0, 1), (1, 1)]);
/// Rays from each square towards lower bits, in the order west, north-east, north, north-west.
pub(super) static RAYS_DOWN: [[u64; 4]; 64] = rays([(-1, 0), (1, -1), (0, -1), (-1, -1)]);

const fn rays(directions: [(i32, i32); 4]) -> [[u64; 4]; 64] {
    let mut table = [[0; 4]; 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 4 {
            let (dx, dy) = directions[direction];
            let (mut x, mut y) = ((square & 7) as i32 + dx, (square >> 3) as i32 + dy);
            while x >= 0 && x < 8 && y >= 0 && y < 8 {
                table[square][direction] |= 1 << (y * 8 + x);
                x += dx;
                y += dy;
            }
            direction += 1;
        }
        square += 1;
    }
    table
}

/// Discs flipped by a disc of the mover on the empty square `square`; 0 when there are none.
#[inline(always)]
pub fn flips(square: usize, mover: u64, opponent: u64) -> u64 {
    let mut flipped = 0;
    for direction in 0..4 {
        // Towards higher bits: the nearest square that is not the opponent's is the lowest such bit of the ray.
        let ray = RAYS_UP[square & 63][direction];
        let outflank = (ray & !opponent) & (ray & !opponent).wrapping_neg() & mover;
        flipped |= outflank.wrapping_sub(u64::from(outflank != 0)) & ray;
        // Towards lower bits: it is the highest such bit; a sentinel keeps the shift in range for empty rays.
        let ray = RAYS_DOWN[square & 63][direction];
        let outflank = (0x8000000000000000_u64 >> ((ray & !opponent) | 1).leading_zeros()) & ray & mover;
        flipped |= (outflank.wrapping_neg() << 1) & ray & u64::from(outflank != 0).wrapping_neg();
    }
    flipped
}

/// Empty squares where the mover flips at least one disc, by parallel-prefix flood fill along the eight directions.
#[inline(always)]
pub const fn mobility(mover: u64, opponent: u64) -> u64 {
    let inner = opponent & INNER_COLUMNS;
    (directions(mover, inner, 1)
        | directions(mover, opponent, 8)
        | directions(mover, inner, 7)
        | directions(mover, inner, 9))
        & !(mover | opponent)
}

/// Squares next to a run of `through` that starts beside `mover`, along `shift` both ways.
#[inline(always)]
const fn directions(mover: u64, through: u64, shift: u32) -> u64 {
    let mut up = through & (mover << shift);
    let mut down = through & (mover >> shift);
    up |= through & (up << shift);
    down |= through & (down >> shift);
    let pairs_up = through & (through << shift);
    let pairs_down = through & (through >> shift);
    up |= pairs_up & (up << (2 * shift));
    down |= pairs_down & (down >> (2 * shift));
    up |= pairs_up & (up << (2 * shift));
    down |= pairs_down & (down >> (2 * shift));
    (up << shift) | (down >> shift)
}
