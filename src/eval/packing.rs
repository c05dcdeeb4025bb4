//! Which weights are one and the same: configurations that a symmetry of their family maps onto each other, and all
//! placements of a family, share a weight.

use once_cell::sync::Lazy;

use super::patterns::{CONFIGURATIONS, FAMILIES, FAMILY_COUNT, PATTERN_SIZE, PLACED, permuted, self_symmetries};

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
            let permutations = self_symmetries(&family.squares);
            let permutations: Vec<_> = permutations.iter().map(|permutation| Halves::new(permutation)).collect();
            let mut map = vec![u32::MAX; CONFIGURATIONS];
            for configuration in 0..map.len() {
                if map[configuration] != u32::MAX {
                    continue;
                }
                map[configuration] = count as u32;
                for permutation in &permutations {
                    map[permutation.of(configuration)] = count as u32;
                }
                count += 1;
            }
            maps.push(map);
        }
        Self { maps, count }
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

/// Configurations of half a pattern.
const HALF: usize = 3_usize.pow(PATTERN_SIZE as u32 / 2);

/// A permutation of configurations by tables, digits moving independently of each other.
struct Halves {
    upper: Vec<usize>,
    lower: Vec<usize>,
}

impl Halves {
    fn new(permutation: &[usize]) -> Self {
        // Digits of 0 stay 0: what is left are those of the other half.
        Self {
            upper: (0..HALF).map(|half| permuted(half * HALF, permutation)).collect(),
            lower: (0..HALF).map(|half| permuted(half, permutation)).collect(),
        }
    }

    fn of(&self, configuration: usize) -> usize {
        self.upper[configuration / HALF] + self.lower[configuration % HALF]
    }
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
