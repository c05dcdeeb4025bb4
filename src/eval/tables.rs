//! Lookup tables: the weights for one number of empties, unpacked so that a feature's index finds its weight.

use std::sync::Arc;

use once_cell::sync::{Lazy, OnceCell};

use super::{
    Features, Frame, MAX_EVAL,
    packing::PACKING,
    patterns::{FAMILIES, FEATURES, PLACED, SLAB_SIZE, SLABS},
    weights::{BLEND_DENOMINATOR, CONSTANTS, KNOTS, WeightSet, WeightsError, WeightsFile, blend},
};

/// The weights built into the program.
static EMBEDDED: &[u8] = include_bytes!("weights.bin");

/// Weights for one number of empties. A slab has an entry for every 16-bit index, so lookups need no bounds checks.
struct Table {
    slabs: Box<[[i16; SLAB_SIZE]]>,
    constant: i32,
}

enum Source {
    Embedded(WeightsFile<'static>),
    Given(Box<WeightSet>),
}

/// Evaluates positions; tables are built for the numbers of empties that are asked for. Cheap to clone.
#[derive(Clone)]
pub struct Evaluator(Arc<Inner>);

struct Inner {
    source: Source,
    knots: [OnceCell<Vec<i16>>; KNOTS],
    tables: [OnceCell<Table>; CONSTANTS],
}

impl std::fmt::Debug for Evaluator {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Evaluator").field(&self.facts()).finish()
    }
}

/// The evaluator with the embedded weights.
static DEFAULT: Lazy<Evaluator> = Lazy::new(|| {
    // The file is part of the program and checked by a test: it cannot be refused here.
    let file = WeightsFile::parse(EMBEDDED).unwrap_or_else(|error| panic!("embedded weights: {error}"));
    Evaluator::from_source(Source::Embedded(file))
});

impl Default for Evaluator {
    fn default() -> Self {
        DEFAULT.clone()
    }
}

impl Evaluator {
    /// An evaluator with weights read from a file's bytes.
    ///
    /// # Errors
    /// When the file is refused.
    pub fn from_file(bytes: &[u8]) -> Result<Self, WeightsError> {
        Ok(Self::from_source(Source::Given(Box::new(WeightsFile::parse(bytes)?.decode()?))))
    }

    fn from_source(source: Source) -> Self {
        Self(Arc::new(Inner {
            source,
            knots: [const { OnceCell::new() }; KNOTS],
            tables: [const { OnceCell::new() }; CONSTANTS],
        }))
    }

    /// How the weights were trained.
    pub fn facts(&self) -> &str {
        match &self.0.source {
            Source::Embedded(file) => file.facts(),
            Source::Given(set) => &set.facts,
        }
    }

    /// Builds the tables for `fewest..=most` empties ahead of a search, so that none is built in the middle of it.
    pub fn prepare(&self, fewest: u32, most: u32) {
        for empties in fewest..=most.min(60) {
            self.table(empties);
        }
    }

    #[inline(always)]
    fn table(&self, empties: u32) -> &Table {
        let index = (empties as usize).min(CONSTANTS - 1);
        self.0.tables[index].get_or_init(|| self.0.build(index))
    }

    /// Value in centi-discs from the mover's view, within ±[`MAX_EVAL`].
    #[inline(always)]
    pub fn value(&self, features: &Features, frame: Frame, empties: u32) -> i32 {
        let table = self.table(empties);
        let indices = features.from_movers_view(frame);
        let mut sum = table.constant;
        for feature in 0..FEATURES {
            let slab = const { slab_of_features() }[feature];
            sum += i32::from(table.slabs[slab][usize::from(indices.0[feature])]);
        }
        sum.clamp(-MAX_EVAL, MAX_EVAL)
    }
}

const fn slab_of_features() -> [usize; FEATURES] {
    let mut slabs = [0; FEATURES];
    let mut feature = 0;
    while feature < FEATURES {
        slabs[feature] = FAMILIES[PLACED[feature].family].slab;
        feature += 1;
    }
    slabs
}

impl Inner {
    fn knot(&self, knot: usize) -> &[i16] {
        match &self.source {
            Source::Given(set) => &set.knots[knot],
            Source::Embedded(file) => self.knots[knot].get_or_init(|| {
                // Checked by the checksum when the program was built and tested.
                file.knot(knot).unwrap_or_else(|error| panic!("embedded weights: {error}"))
            }),
        }
    }

    fn build(&self, empties: usize) -> Table {
        let (lower, upper, share) = blend(empties as u32);
        let (lower, upper) = (self.knot(lower), self.knot(upper));
        let (share, whole) = (share as i32, BLEND_DENOMINATOR as i32);
        let mixed: Vec<i16> = lower
            .iter()
            .zip(upper)
            .map(|(&a, &b)| {
                ((i32::from(a) * (whole - share) + i32::from(b) * share) as f32 / whole as f32).round() as i16
            })
            .collect();
        #[allow(clippy::large_stack_arrays, reason = "the vector is filled in place")]
        let mut slabs = vec![[0_i16; SLAB_SIZE]; SLABS].into_boxed_slice();
        for (family, shape) in FAMILIES.iter().enumerate() {
            for (configuration, &packed) in PACKING.family(family).iter().enumerate() {
                slabs[shape.slab][shape.offset + configuration] = mixed[packed as usize];
            }
        }
        let constants = match &self.source {
            Source::Embedded(file) => file.constants(),
            Source::Given(set) => &set.constants,
        };
        Table { slabs, constant: i32::from(constants[empties]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Position, Symmetry};

    #[test]
    fn embedded_weights_are_sound() {
        let file = WeightsFile::parse(EMBEDDED).unwrap();
        file.decode().unwrap();
    }

    #[test]
    fn symmetric_positions_have_equal_values() {
        let evaluator = Evaluator::default();
        let position = Position::START.play(crate::board::Square::new(37).unwrap().into()).unwrap();
        for symmetry in Symmetry::ALL {
            assert_eq!(evaluator.evaluate(position.transformed(symmetry)), evaluator.evaluate(position));
        }
    }
}
