//! The shape of the network: which squares its patterns have, which configurations share a row of weights, and how
//! wide its layers are.

use once_cell::sync::Lazy;

use crate::eval::{
    Features,
    packing::representatives,
    patterns::{FAMILIES, FAMILY_COUNT, FEATURES, Family, PATTERN_SIZE},
};

/// Sums in the first layer.
pub const WIDTH: usize = 32;

/// Products of two sums.
pub const PRODUCTS: usize = WIDTH / 2;

/// Numbers beside the patterns: moves of either side, the pattern sum and its size.
pub const NUMBERS: usize = 4;

/// Inputs of the hidden layer: products, sums, numbers.
pub const INPUTS: usize = PRODUCTS + WIDTH + NUMBERS;

/// Units of the hidden layer.
pub const HIDDEN: usize = 16;

/// Sets of layers behind the first: one for each number of empties, 0 to 60.
pub const STAGES: usize = 61;

/// Squares of a pattern here.
const SQUARES: usize = 8;

/// Configurations of a pattern here.
pub const ROWS: usize = 3_usize.pow(SQUARES as u32);

/// The row of each feature in the table of its family; `features` in the mover's view.
///
/// The patterns are the first eight squares of those of the pattern sum: what is left of an index without its last two
/// digits.
#[inline(always)]
pub fn rows(features: &Features) -> [u16; FEATURES] {
    // Division by 9 as a multiplication, exact for 16 bits.
    features.0.map(|index| ((u32::from(index) * 58_255) >> 19) as u16)
}

/// For each family the row that each configuration shares: the first of those that are its images.
#[derive(Debug)]
pub struct Sharing(Vec<Vec<u16>>);

/// The one sharing.
pub static SHARING: Lazy<Sharing> = Lazy::new(|| {
    let shared =
        |family: &Family| representatives(&family.squares[..SQUARES]).into_iter().map(|first| first as u16).collect();
    Sharing(FAMILIES.iter().map(shared).collect())
});

impl Sharing {
    /// The shared row of each configuration of a family.
    pub fn family(&self, family: usize) -> &[u16] {
        &self.0[family]
    }

    /// The rows that stand for themselves, family by family.
    pub fn distinct(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let own = move |family: usize| (0..ROWS).filter(move |&row| usize::from(self.0[family][row]) == row);
        (0..FAMILY_COUNT).flat_map(move |family| own(family).map(move |row| (family, row)))
    }
}

const _: () = assert!(PATTERN_SIZE == SQUARES + 2);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::packing::self_symmetries;

    #[test]
    fn rows_are_quotients() {
        for index in 0..3_u16.pow(PATTERN_SIZE as u32) {
            assert_eq!(rows(&Features([index; FEATURES])), [index / 9; FEATURES]);
        }
    }

    #[test]
    fn the_first_squares_have_all_symmetries() {
        for family in &FAMILIES {
            let count = |squares: &[u8]| self_symmetries(squares).len();
            assert!(count(&family.squares[..SQUARES]) >= count(&family.squares), "{}", family.name);
        }
    }
}
