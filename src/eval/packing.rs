//! Which weights are one and the same: configurations that a symmetry of their family maps onto each other, and all
//! placements of a family, share a weight.

use once_cell::sync::Lazy;

use super::patterns::{CONFIGURATIONS, FAMILIES, FAMILY_COUNT, PLACED, map_square};

/// The map from table indices to shared weights.
#[derive(Debug)]
pub struct Packing {
    // For each family the packed weight of each configuration.
    maps: Vec<Vec<u32>>,
    count: usize,
}

/// The one packing, built on first use.
pub static PACKING: Lazy<Packing> = Lazy::new(Packing::new);

impl Packing {
    fn new() -> Self {
        let mut maps = Vec::with_capacity(FAMILY_COUNT);
        let mut count = 0;
        for family in &FAMILIES {
            let mut map: Vec<u32> = Vec::with_capacity(CONFIGURATIONS);
            for (configuration, first) in representatives(&family.squares).into_iter().enumerate() {
                if first == configuration {
                    map.push(count);
                    count += 1;
                } else {
                    map.push(map[first]);
                }
            }
            maps.push(map);
        }
        Self { maps, count: count as usize }
    }

    /// Number of distinct weights of one stage.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The packed weights of a family's configurations, in order.
    pub fn family(&self, family: usize) -> &[u32] {
        &self.maps[family]
    }

    /// The packed weight of a feature's table index (see [`super::Features::indices`]).
    ///
    /// # Panics
    /// When `index` is no index of that feature.
    #[inline]
    pub fn of(&self, feature: usize, index: u16) -> u32 {
        self.maps[PLACED[feature].family][usize::from(index)]
    }
}

/// For each configuration of a shape the first of those that the symmetries of the shape map onto it.
pub(super) fn representatives(squares: &[u8]) -> Vec<usize> {
    let permutations: Vec<_> =
        self_symmetries(squares).iter().map(|permutation| HalfTables::new(permutation)).collect();
    let mut first = vec![usize::MAX; 3_usize.pow(squares.len() as u32)];
    for configuration in 0..first.len() {
        if first[configuration] == usize::MAX {
            first[configuration] = configuration;
            for permutation in &permutations {
                first[permutation.of(configuration)] = configuration;
            }
        }
    }
    first
}

/// Permutations of a shape's squares by the symmetries of the board that map it onto itself.
pub(super) fn self_symmetries(squares: &[u8]) -> Vec<Vec<usize>> {
    (1..8)
        .filter_map(|symmetry| {
            squares
                .iter()
                .map(|&square| squares.iter().position(|&other| other == map_square(symmetry, square)))
                .collect()
        })
        .collect()
}

/// A permutation of configurations by a table for each half of the digits, which move independently of each other.
struct HalfTables {
    upper: Vec<usize>,
    lower: Vec<usize>,
}

impl HalfTables {
    /// `permutation` has an even length.
    fn new(permutation: &[usize]) -> Self {
        let half = 3_usize.pow(permutation.len() as u32 / 2);
        // Digits of 0 stay 0: what is left are those of the other half.
        Self {
            upper: (0..half).map(|digits| permuted(digits * half, permutation)).collect(),
            lower: (0..half).map(|digits| permuted(digits, permutation)).collect(),
        }
    }

    fn of(&self, configuration: usize) -> usize {
        let half = self.lower.len();
        self.upper[configuration / half] + self.lower[configuration % half]
    }
}

/// The configuration with the digit of place `i` moved to place `permutation[i]`.
fn permuted(configuration: usize, permutation: &[usize]) -> usize {
    let len = permutation.len();
    let mut rest = configuration;
    let mut number = 0;
    for place in (0..len).rev() {
        number += (rest % 3) * 3_usize.pow((len - 1 - permutation[place]) as u32);
        rest /= 3;
    }
    number
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        board::{Position, Symmetry},
        eval::Features,
    };

    proptest! {
        #[test]
        fn symmetric_positions_use_the_same_weights(a: u64, b: u64, which in 0_usize..8) {
            let position = Position::new(a & !b, b & !a).unwrap();
            let used = |position: Position| {
                let mut weights: Vec<u32> =
                    Features::of(position).indices().iter().enumerate().map(|(f, &i)| PACKING.of(f, i)).collect();
                weights.sort_unstable();
                weights
            };
            prop_assert_eq!(used(position), used(position.transformed(Symmetry::ALL[which])));
        }
    }
}
