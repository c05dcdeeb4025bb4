//! The patterns: which squares, how they are placed, and where their weights lie.
//!
//! A pattern's configuration is a ternary number: 0 for a disc of the side whose view is taken, 1 for an empty
//! square, 2 for a disc of the other side. With empty in the middle, the view of the other side is the number's
//! complement. Families follow the tradition of Logistello (M. Buro, "The Evolution of Strong Othello Programs",
//! 2003): lines, diagonals, and shapes around the corners.

/// A shape, given by the squares of its first placement (`a1` = 0, …, `h8` = 63), first square most significant.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Name for reports.
    pub name: &'static str,
    /// Squares of the first placement.
    pub squares: [u8; PATTERN_SIZE],
    /// Number of distinct images under the eight symmetries.
    pub placements: usize,
}

/// Number of families.
pub const FAMILY_COUNT: usize = 15;

/// The family without a symmetry of its own, with eight placements; all others have four.
const EIGHTFOLD_FAMILY: usize = 1;

/// Placements of a family.
#[inline(always)]
pub const fn placements(family: usize) -> usize {
    if family == EIGHTFOLD_FAMILY { 8 } else { 4 }
}

/// Number of placements over all families: the features of a position.
pub const FEATURES: usize = 64;

/// Squares of every pattern.
pub const PATTERN_SIZE: usize = 10;

/// Number of configurations of a pattern.
pub const CONFIGURATIONS: usize = 3_usize.pow(PATTERN_SIZE as u32);

/// The families. The first eight squares of each have all its symmetries: they are the patterns of the network.
pub const FAMILIES: [Family; FAMILY_COUNT] = families();

#[rustfmt::skip]
const SHAPES: [(&str, [u8; PATTERN_SIZE], usize); FAMILY_COUNT] = [
    ("edge + 2X",       [0, 1, 2, 3, 4, 5, 6, 7, 9, 14], 4),
    ("corner 2x5",      [0, 1, 2, 3, 4, 8, 9, 10, 11, 12], 8),
    ("corner triangle", [0, 1, 2, 3, 8, 9, 16, 24, 10, 17], 4),
    ("corners + block", [0, 2, 3, 4, 5, 7, 11, 12, 10, 13], 4),
    ("wide corner",     [0, 2, 3, 4, 9, 16, 24, 32, 1, 8], 4),
    ("corner cross",    [0, 9, 18, 27, 1, 10, 8, 17, 19, 26], 4),
    ("corner 3x3 + d4", [0, 1, 2, 8, 9, 10, 16, 17, 18, 27], 4),
    ("line 2 + corners", [8, 9, 10, 11, 12, 13, 14, 15, 0, 7], 4),
    ("line 3 + 2",      [16, 17, 18, 19, 20, 21, 22, 23, 10, 13], 4),
    ("line 4 + 2",      [24, 25, 26, 27, 28, 29, 30, 31, 19, 20], 4),
    ("diagonal 8 + 2C", [0, 9, 18, 27, 36, 45, 54, 63, 8, 1], 4),
    ("diagonal 7 + 3",  [1, 10, 19, 28, 37, 46, 55, 14, 0, 63], 4),
    ("diagonal 6 + 4",  [1, 2, 11, 20, 29, 38, 47, 55, 6, 15], 4),
    ("diagonal 5 + 5",  [3, 12, 21, 30, 39, 6, 15, 7, 9, 54], 4),
    ("diagonal 4 + 6",  [2, 3, 4, 13, 22, 31, 39, 47, 12, 30], 4),
];

const fn families() -> [Family; FAMILY_COUNT] {
    let mut families = [Family { name: "", squares: [0; PATTERN_SIZE], placements: 0 }; FAMILY_COUNT];
    let (mut index, mut total) = (0, 0);
    while index < FAMILY_COUNT {
        let (name, squares, placements) = SHAPES[index];
        families[index] = Family { name, squares, placements };
        assert!(placements == self::placements(index));
        total += placements;
        index += 1;
    }
    assert!(total == FEATURES);
    families
}

/// A placed pattern.
#[derive(Clone, Copy, Debug)]
pub struct Feature {
    /// Index of its family in [`FAMILIES`].
    pub family: usize,
    /// Its squares in the family's order.
    pub squares: [u8; PATTERN_SIZE],
}

/// The placed patterns, family by family.
pub const PLACED: [Feature; FEATURES] = place_all();

const fn place_all() -> [Feature; FEATURES] {
    let mut placed = [Feature { family: 0, squares: [0; PATTERN_SIZE] }; FEATURES];
    let mut count = 0;
    let mut family = 0;
    while family < FAMILY_COUNT {
        let squares = FAMILIES[family].squares;
        let first = count;
        let mut symmetry = 0;
        while symmetry < 8 {
            let mut feature = Feature { family, squares: [0; PATTERN_SIZE] };
            let mut image = 0_u64;
            let mut i = 0;
            while i < PATTERN_SIZE {
                feature.squares[i] = map_square(symmetry, squares[i]);
                image |= 1 << feature.squares[i];
                i += 1;
            }
            let mut seen = false;
            let mut other = first;
            while other < count {
                seen |= square_set(&placed[other]) == image;
                other += 1;
            }
            if !seen {
                placed[count] = feature;
                count += 1;
            }
            symmetry += 1;
        }
        assert!(count - first == FAMILIES[family].placements);
        family += 1;
    }
    placed
}

const fn square_set(feature: &Feature) -> u64 {
    let mut set = 0;
    let mut i = 0;
    while i < PATTERN_SIZE {
        set |= 1 << feature.squares[i];
        i += 1;
    }
    set
}

/// The image of a square under one of the eight symmetries (1 mirrors columns, 2 mirrors rows, 4 transposes).
pub(super) const fn map_square(symmetry: u8, square: u8) -> u8 {
    let (mut column, mut row) = (square & 7, square >> 3);
    if symmetry & 1 != 0 {
        column = 7 - column;
    }
    if symmetry & 2 != 0 {
        row = 7 - row;
    }
    if symmetry & 4 != 0 { column * 8 + row } else { row * 8 + column }
}
