//! A second, dearer evaluation: a small neural network that corrects the pattern sum.
//!
//! A sum of patterns takes what happens in one part of the board for independent of what happens in the others. The
//! network adds up a row of small numbers for each pattern instead of one, and what it makes of the sums is not linear:
//! their clipped values and products of pairs of them (both as in the evaluation of Neural Reversi; products of sums
//! over patterns are those of a factorization machine, S. Rendle 2010), and a hidden layer over these, the numbers of
//! moves and the pattern sum itself. The rows are one table for all stages of the game; the small layers behind them
//! exist for each number of empties.
//!
//! Results are the same on every machine and instruction set: sums are integers, and no order of float operations is
//! left open.

pub mod file;
pub mod shape;

use std::ops::RangeInclusive;

use bytemuck::Zeroable;
use once_cell::sync::Lazy;

use super::{
    Features, MAX_EVAL,
    patterns::{FAMILY_COUNT, placements},
};
use crate::{board::Position, memory::zeroed_box};
use file::NetworkWeights;
use shape::{HIDDEN, INPUTS, NUMBERS, PRODUCTS, SHARING, STAGES, WIDTH, rows};

/// Rows are looked up without bounds checks by 13 bits.
const FAMILY_ROWS: usize = 1 << 13;

/// Numbers of empties at which the network is asked: for a few more it is trained, but there the search goes to the end
/// without it.
pub const NETWORK_EMPTIES: RangeInclusive<u32> = 10..=54;

/// A sum of this many units is 1.
pub const UNIT: i16 = 64;

/// Moves are counted in this many units.
pub const UNITS_PER_MOVE: i32 = 6;

/// Centi-discs of the pattern sum in a unit.
pub const CENTIDISCS_PER_UNIT: i32 = 25;

/// Centi-discs in an output of 1.
pub const OUTPUT_CENTIDISCS: f32 = 800.0;

/// The layers behind the rows for one number of empties.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Stage {
    offsets: [i16; WIDTH],
    // Input by input, so that all hidden units are done at once.
    hidden: [[f32; HIDDEN]; INPUTS],
    hidden_offsets: [f32; HIDDEN],
    from_hidden: [f32; HIDDEN],
    from_inputs: [f32; INPUTS],
    offset: f32,
}

/// For each family the row of each configuration; on huge pages where the system has them.
#[derive(Zeroable)]
#[repr(align(0x20_0000))]
struct Rows([[[i8; WIDTH]; FAMILY_ROWS]; FAMILY_COUNT]);

/// A network ready for use.
pub struct Network {
    rows: Box<Rows>,
    stages: Vec<Stage>,
}

static EMBEDDED: &[u8] = include_bytes!("../network.bin");

/// The network built into the program; `None` when its file is empty, as it is while another shape is trained.
pub static NETWORK: Lazy<Option<Network>> = Lazy::new(|| {
    // The file is part of the program and checked by a test: it cannot be refused here.
    let weights = || NetworkWeights::decode(EMBEDDED).unwrap_or_else(|error| panic!("embedded network: {error}"));
    (!EMBEDDED.is_empty()).then(|| Network::new(&weights()))
});

impl std::fmt::Debug for Network {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Network").finish_non_exhaustive()
    }
}

/// How the network built into the program was trained.
pub fn facts() -> &'static str {
    NetworkWeights::facts(EMBEDDED).unwrap_or_default()
}

/// Places where the mover, and where its opponent could place a disc.
pub fn mobilities(position: Position) -> (u32, u32) {
    (position.legal_moves().count_ones(), position.pass().legal_moves().count_ones())
}

impl Network {
    /// Unpacks weights.
    ///
    /// # Panics
    /// When they have not the shape that [`NetworkWeights::decode`] gives.
    pub fn new(weights: &NetworkWeights) -> Self {
        let mut rows: Box<Rows> = zeroed_box();
        for ((family, row), values) in SHARING.distinct().zip(&weights.rows) {
            rows.0[family][row] = *values;
        }
        for (family, rows) in rows.0.iter_mut().enumerate() {
            for (row, &shared) in SHARING.family(family).iter().enumerate() {
                rows[row] = rows[usize::from(shared)];
            }
        }
        let stages = weights.stages.iter().map(|numbers| {
            let mut rest = &numbers[..];
            let mut take = |count: usize| {
                let (head, tail) = rest.split_at(count);
                rest = tail;
                head
            };
            let offsets = take(WIDTH);
            let hidden = take(HIDDEN * INPUTS);
            let (hidden_offsets, from_hidden, from_inputs) = (take(HIDDEN), take(HIDDEN), take(INPUTS));
            Stage {
                offsets: std::array::from_fn(|i| (offsets[i] * f32::from(UNIT)).round() as i16),
                hidden: std::array::from_fn(|input| {
                    std::array::from_fn(|unit| hidden[unit * INPUTS + input] / f32::from(UNIT))
                }),
                hidden_offsets: std::array::from_fn(|i| hidden_offsets[i]),
                from_hidden: std::array::from_fn(|i| from_hidden[i] * OUTPUT_CENTIDISCS),
                from_inputs: std::array::from_fn(|i| from_inputs[i] / f32::from(UNIT) * OUTPUT_CENTIDISCS),
                offset: take(1)[0] * OUTPUT_CENTIDISCS,
            }
        });
        Self { rows, stages: stages.collect() }
    }

    /// The value in centi-discs from the mover's view, within ±[`MAX_EVAL`]: `pattern_value`, the pattern sum of the same
    /// position, corrected. `moves` and `replies` count the places where the mover and its opponent could place a disc.
    #[inline(always)]
    pub fn value(&self, features: &Features, empties: u32, (moves, replies): (u32, u32), pattern_value: i32) -> i32 {
        let stage = &self.stages[(empties as usize).min(STAGES - 1)];
        let mut sums = stage.offsets;
        let indices = rows(features);
        let mut rest = &indices[..];
        for (family, rows) in self.rows.0.iter().enumerate() {
            let (these, others) = rest.split_at(placements(family));
            for &index in these {
                let row = &rows[usize::from(index) % FAMILY_ROWS];
                for (sum, &addend) in sums.iter_mut().zip(row) {
                    *sum += i16::from(addend);
                }
            }
            rest = others;
        }
        let mut inputs = [0_i16; INPUTS];
        for i in 0..PRODUCTS {
            let clipped = |sum: i16| sum.clamp(-UNIT, UNIT);
            inputs[i] = clipped(sums[i]) * clipped(sums[i + PRODUCTS]) / UNIT;
        }
        for i in 0..WIDTH {
            inputs[PRODUCTS + i] = sums[i].clamp(0, UNIT);
        }
        let pattern_units = pattern_value / CENTIDISCS_PER_UNIT;
        let numbers: [i32; NUMBERS] =
            [moves as i32 * UNITS_PER_MOVE, replies as i32 * UNITS_PER_MOVE, pattern_units, pattern_units.abs()];
        inputs[PRODUCTS + WIDTH..].copy_from_slice(&numbers.map(|number| number as i16));
        let inputs = inputs.map(f32::from);
        let correction = stage.output(&inputs);
        (pattern_value + correction as i32).clamp(-MAX_EVAL, MAX_EVAL)
    }
}

impl Stage {
    /// Centi-discs.
    #[inline(always)]
    fn output(&self, inputs: &[f32; INPUTS]) -> f32 {
        // Four sums at a time: an addition takes longer than it takes to begin the next.
        const CHAINS: usize = 4;
        let mut units = [[0.0_f32; HIDDEN]; CHAINS];
        let mut direct = [0.0_f32; CHAINS];
        for group in 0..INPUTS / CHAINS {
            for chain in 0..CHAINS {
                let input = inputs[group * CHAINS + chain];
                let weights = &self.hidden[group * CHAINS + chain];
                for (unit, weight) in units[chain].iter_mut().zip(weights) {
                    *unit += input * weight;
                }
                direct[chain] += input * self.from_inputs[group * CHAINS + chain];
            }
        }
        let mut products = [0.0_f32; HIDDEN];
        for unit in 0..HIDDEN {
            let sum = (units[0][unit] + units[1][unit]) + (units[2][unit] + units[3][unit]) + self.hidden_offsets[unit];
            products[unit] = sum.max(0.0) * self.from_hidden[unit];
        }
        let mut quarters = [0.0_f32; 4];
        for group in products.chunks_exact(4) {
            for (quarter, product) in quarters.iter_mut().zip(group) {
                *quarter += product;
            }
        }
        let total = |four: [f32; 4]| (four[0] + four[1]) + (four[2] + four[3]);
        self.offset + total(direct) + total(quarters)
    }
}

const _: () = assert!(INPUTS.is_multiple_of(4) && HIDDEN.is_multiple_of(4));

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        board::{Square, Symmetry},
        eval::patterns::PLACED,
        isa::{Isa, Portable, Tier},
        with_tier,
    };

    #[test]
    fn the_embedded_network_is_sound() {
        assert!(NETWORK.as_ref().is_some_and(|network| network.stages.len() == STAGES) && !facts().is_empty());
    }

    crate::tiered! {
        /// The network inside a shell, as the search has it.
        trait Valued {
            fn valued(network: &Network, position: Position) -> i32 = valued;
        }
    }

    #[inline(always)]
    fn valued<I: Isa>(isa: I, network: &Network, position: Position) -> i32 {
        let (mover, opponent) = (position.mover(), position.opponent());
        let mobilities = (isa.mobility(mover, opponent).count_ones(), isa.mobility(opponent, mover).count_ones());
        network.value(&Features::of(position), position.empties(), mobilities, 250)
    }

    /// Random numbers of a sensible size.
    fn random_weights(mut state: u64) -> NetworkWeights {
        let mut random = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        NetworkWeights {
            rows: (0..SHARING.distinct().count()).map(|_| std::array::from_fn(|_| (random() * 20.0) as i8)).collect(),
            stages: (0..STAGES).map(|_| std::array::from_fn(|_| random() * 0.5)).collect(),
            facts: String::new(),
        }
    }

    /// The value by the definition, without regard to speed.
    fn plain_value(weights: &NetworkWeights, position: Position, pattern_value: i32) -> f32 {
        let stage = &weights.stages[position.empties() as usize];
        let mut sums: Vec<f32> = stage[..WIDTH].iter().map(|offset| (offset * 64.0).round() / 64.0).collect();
        let distinct: Vec<(usize, usize)> = SHARING.distinct().collect();
        for (placed, row) in PLACED.iter().zip(rows(&Features::of(position))) {
            let shared = usize::from(SHARING.family(placed.family)[usize::from(row)]);
            let row = &weights.rows[distinct.binary_search(&(placed.family, shared)).unwrap()];
            sums.iter_mut().zip(row).for_each(|(sum, &addend)| *sum += f32::from(addend) / 64.0);
        }
        let clipped = |sum: f32, least: f32| sum.clamp(least, 1.0);
        let products = (0..PRODUCTS).map(|i| clipped(sums[i], -1.0) * clipped(sums[i + PRODUCTS], -1.0));
        let mobility = |position: Position| position.legal_moves().count_ones() as f32 * 6.0 / 64.0;
        let pattern = pattern_value as f32 / 1600.0;
        let inputs: Vec<f32> = products
            .chain(sums.iter().map(|&sum| clipped(sum, 0.0)))
            .chain([mobility(position), mobility(position.pass()), pattern, pattern.abs()])
            .collect();
        let dot = |weights: &[f32]| inputs.iter().zip(weights).map(|(a, b)| a * b).sum::<f32>();
        let (layer, rest) = stage[WIDTH..].split_at(HIDDEN * INPUTS);
        let (offsets, rest) = rest.split_at(HIDDEN);
        let (from_hidden, from_inputs) = rest.split_at(HIDDEN);
        let units = layer.chunks(INPUTS).zip(offsets).map(|(weights, offset)| (dot(weights) + offset).max(0.0));
        let hidden: f32 = units.zip(from_hidden).map(|(unit, weight)| unit * weight).sum();
        let output = hidden + dot(&from_inputs[..INPUTS]) + from_inputs[INPUTS];
        (pattern_value as f32 + OUTPUT_CENTIDISCS * output).clamp(-6300.0, 6300.0)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn every_tier_gives_the_value_by_definition(seed: u64, a: u64, b: u64, c: u64) {
            let position = Position::new(a & b, !a & c).unwrap();
            let weights = random_weights(seed);
            let network = Network::new(&weights);
            let plain = Portable.valued(&network, position);
            for tier in Tier::available() {
                prop_assert_eq!(with_tier!(tier, isa => isa.valued(&network, position)), plain);
            }
            // Products are rounded to a unit.
            let expected = plain_value(&weights, position, 250);
            prop_assert!((plain as f32 - expected).abs() < 40.0, "{} {}", plain, expected);
        }
    }

    #[test]
    fn symmetric_positions_have_equal_values() {
        let network = Network::new(&random_weights(7));
        let position = Position::START.play(Square::new(37).unwrap().into()).unwrap();
        let value = Portable.valued(&network, position);
        assert!(Symmetry::ALL.into_iter().all(|s| Portable.valued(&network, position.transformed(s)) == value));
    }
}
