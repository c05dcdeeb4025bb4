//! Lookup tables: the weights for one number of empties, unpacked so that a feature's index finds its weight.

use std::sync::Arc;

use bytemuck::Zeroable;
use once_cell::sync::{Lazy, OnceCell};
use rayon::prelude::*;

use super::{
    Features, MAX_EVAL,
    network::{NETWORK, NETWORK_EMPTIES, Network},
    packing::PACKING,
    patterns::{FAMILY_COUNT, placements},
    weights::{BLEND_DENOMINATOR, CONSTANTS, KNOTS, WeightSet, WeightsError, WeightsFile, blend},
};
use crate::memory::zeroed_box;

/// The weights built into the program.
static EMBEDDED: &[u8] = include_bytes!("weights.bin");

/// Entries for a family: one for every 16-bit index, so that lookups need no bounds checks.
const FAMILY_SIZE: usize = 1 << 16;

/// Weights for one number of empties, in eighths of a disc: most of the time of an evaluation is waiting for them, and
/// bytes find room in the caches. Rounding adds an error of 0.3 discs, next to nothing beside that of the model.
struct Table {
    families: Box<Families>,
    constant: i32,
}

/// On a huge page: lookups are all over it.
#[derive(Zeroable)]
#[repr(align(0x200000))]
struct Families([[i8; FAMILY_SIZE]; FAMILY_COUNT]);

enum Source {
    Embedded(WeightsFile<'static>),
    Given(Box<WeightSet>),
}

/// Evaluates positions; tables are built for the numbers of empties that are asked for. Cheap to clone.
#[derive(Clone)]
pub struct Evaluator {
    inner: Arc<Inner>,
    // The network is unpacked when it is first asked, not with the evaluator.
    has_network: bool,
}

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
    let (file, _) = WeightsFile::frame(EMBEDDED).unwrap_or_else(|error| panic!("embedded weights: {error}"));
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
        // The network corrects the embedded weights and no others.
        let has_network = matches!(source, Source::Embedded(_));
        let inner =
            Inner { source, knots: [const { OnceCell::new() }; KNOTS], tables: [const { OnceCell::new() }; CONSTANTS] };
        Self { inner: Arc::new(inner), has_network }
    }

    /// The same evaluator without its network: nothing but the pattern sum.
    #[must_use]
    pub fn without_network(&self) -> Self {
        Self { inner: self.inner.clone(), has_network: false }
    }

    /// The network that corrects the pattern sum of positions with so many empties, if there is one.
    #[inline(always)]
    pub fn network(&self, empties: u32) -> Option<&'static Network> {
        if self.has_network && NETWORK_EMPTIES.contains(&empties) { NETWORK.as_ref() } else { None }
    }

    /// How the weights were trained.
    pub fn facts(&self) -> &str {
        match &self.inner.source {
            Source::Embedded(file) => file.facts(),
            Source::Given(set) => &set.facts,
        }
    }

    /// Builds the tables for `fewest..=most` empties and the network ahead of a search, on all cores, so that nothing is
    /// built in the middle of it.
    pub fn prepare(&self, fewest: u32, most: u32) {
        let range = fewest..=most.min(60);
        let built = |empties: u32| self.inner.tables[empties as usize].get().is_some();
        if !range.clone().all(built) {
            range.clone().into_par_iter().for_each(|empties| {
                self.table(empties);
            });
        }
        for empties in range {
            self.network(empties);
        }
    }

    #[inline(always)]
    fn table(&self, empties: u32) -> &Table {
        let index = (empties as usize).min(CONSTANTS - 1);
        self.inner.tables[index].get_or_init(|| self.inner.build(index))
    }

    /// Sum of pattern weights in centi-discs from the mover's view, within ±[`MAX_EVAL`].
    #[inline(always)]
    pub fn value(&self, features: &Features, empties: u32) -> i32 {
        let table = self.table(empties);
        // From memory, one after the other: taking them out of vector registers costs twice the instructions.
        let features = std::hint::black_box(features);
        let mut sum = 0;
        // Family after family, so that which table a feature belongs to need not be looked up.
        let mut rest = &features.0[..];
        for (family, weights) in table.families.0.iter().enumerate() {
            let (these, others) = rest.split_at(placements(family));
            for &index in these {
                sum += i32::from(weights[usize::from(index)]);
            }
            rest = others;
        }
        (sum * 25 / 2 + table.constant).clamp(-MAX_EVAL, MAX_EVAL)
    }
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
        let mixed: Vec<i8> = lower
            .iter()
            .zip(upper)
            .map(|(&a, &b)| {
                // In eighths of a disc, rounded half away from zero.
                let centidiscs = i32::from(a) * (whole - share) + i32::from(b) * share;
                let eighths = (4 * centidiscs.unsigned_abs() + 25 * BLEND_DENOMINATOR) / (50 * BLEND_DENOMINATOR);
                (centidiscs.signum() * eighths as i32).clamp(i8::MIN.into(), i8::MAX.into()) as i8
            })
            .collect();
        let mut families: Box<Families> = zeroed_box();
        for (family, weights) in families.0.iter_mut().enumerate() {
            for (weight, &packed) in weights.iter_mut().zip(PACKING.family(family)) {
                *weight = mixed[packed as usize];
            }
        }
        let constants = match &self.source {
            Source::Embedded(file) => file.constants(),
            Source::Given(set) => &set.constants,
        };
        Table { families, constant: i32::from(constants[empties]) }
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
