//! How many discs the last disc of a game flips: the lines through its square are gathered into bytes and looked up.
#![allow(unsafe_code)]

use super::portable::{RAYS_DOWN, RAYS_UP};

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

/// The lines through each square: row, diagonal towards south-west, column, diagonal towards south-east.
static LINES: [[u64; 4]; 64] = {
    let mut lines = [[0; 4]; 64];
    let mut square = 0;
    while square < 64 {
        let mut line = 0;
        while line < 4 {
            lines[square][line] = RAYS_UP[square][line] | RAYS_DOWN[square][line] | 1 << square;
            line += 1;
        }
        square += 1;
    }
    lines
};

const COLUMN_A: u64 = 0x0101010101010101;

/// Number of discs that a disc of the side with the discs `mover` flips on `square`, the only empty square.
///
/// A line is gathered into one byte by a multiplication. On a diagonal shorter than the board, squares outside it
/// count as the other side's, beyond which there is no disc of the mover: they flip nothing.
#[inline(always)]
pub(super) fn by_multiplication(square: usize, mover: u64) -> i32 {
    let (column, row) = (square & 7, square >> 3 & 7);
    let by_column = &COUNT[column];
    let horizontal = by_column[(mover >> (row * 8)) as usize & 0xFF];
    let vertical = COUNT[row][(((mover >> column) & COLUMN_A).wrapping_mul(0x0102040810204080) >> 56) as usize];
    let lines = &LINES[square & 63];
    let first = by_column[((mover & lines[1]).wrapping_mul(COLUMN_A) >> 56) as usize];
    let second = by_column[((mover & lines[3]).wrapping_mul(COLUMN_A) >> 56) as usize];
    i32::from(horizontal) + i32::from(vertical) + i32::from(first) + i32::from(second)
}

/// A line through a square.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Line {
    squares: u64,
    /// What a disc on the square flips on the line, by the mover's discs there.
    counts: &'static [u8; 256],
}

/// The lines through a square in the order of [`LINES`].
#[cfg(target_arch = "x86_64")]
#[repr(align(64))]
struct CountedLines([Line; 4]);

#[cfg(target_arch = "x86_64")]
static COUNTED_LINES: [CountedLines; 64] = {
    let mut table = [const { CountedLines([Line { squares: 0, counts: &COUNT[0] }; 4]) }; 64];
    let mut square = 0;
    while square < 64 {
        let mut line = 0;
        while line < 4 {
            let place = RAYS_DOWN[square][line].count_ones() as usize;
            table[square].0[line] = Line { squares: LINES[square][line], counts: &COUNT[place] };
            line += 1;
        }
        square += 1;
    }
    table
};

/// The same with bits gathered by an instruction: for processors that have it in circuits. Some with AVX2 have it in
/// microcode and take longer than by multiplication.
///
/// # Safety
/// The CPU must have BMI2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn by_extraction(square: usize, mover: u64) -> i32 {
    let mut sum = 0;
    for line in &COUNTED_LINES[square & 63].0 {
        // SAFETY: the caller vouches for BMI2; a line has at most eight squares, so that there are 256 possibilities.
        unsafe {
            let discs = std::arch::x86_64::_pext_u64(mover, line.squares);
            sum += i32::from(*line.counts.get_unchecked(discs as usize));
        }
    }
    sum
}
