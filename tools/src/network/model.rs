//! The network in floating point: values and gradients.

use std::ops::Range;

use flipside::eval::{
    FEATURES, Features,
    network::{
        CENTIDISCS_PER_UNIT, OUTPUT_CENTIDISCS, UNIT, UNITS_PER_MOVE,
        file::{NetworkWeights, STAGE_NUMBERS},
        mobilities,
        shape::{HIDDEN, INPUTS, NUMBERS, PRODUCTS, ROWS, SHARING, STAGES, WIDTH, rows},
    },
    patterns::{FAMILY_COUNT, PLACED},
};

use super::samples::Sample;
use crate::rng::Rng;

/// Largest number of a row that fits into its byte.
pub const LARGEST_ADDEND: f32 = 127.0 / UNIT as f32;

/// Discs in an output of 1.
const OUTPUT: f32 = OUTPUT_CENTIDISCS / 100.0;

// Where the numbers of a stage are: as in the file.
const HIDDEN_AT: usize = WIDTH;
const HIDDEN_OFFSETS_AT: usize = HIDDEN_AT + HIDDEN * INPUTS;
const FROM_HIDDEN_AT: usize = HIDDEN_OFFSETS_AT + HIDDEN;
const FROM_INPUTS_AT: usize = FROM_HIDDEN_AT + HIDDEN;
const OFFSET_AT: usize = FROM_INPUTS_AT + INPUTS;

/// Parts of the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Everything.
    All,
    /// The rows of the patterns.
    Rows,
    /// The layers behind them, for each number of empties.
    Stages,
}

/// The network.
#[derive(Clone, Debug)]
pub struct Model {
    /// The distinct rows, then the stages.
    pub parameters: Vec<f32>,
    // For each family the parameter row of each configuration.
    shared: Vec<Vec<u32>>,
    distinct: usize,
}

/// What a value went through, for the gradients.
#[derive(Clone, Debug)]
pub struct Activations {
    rows: [u32; FEATURES],
    sums: [f32; WIDTH],
    inputs: [f32; INPUTS],
    hidden: [f32; HIDDEN],
}

impl Default for Activations {
    fn default() -> Self {
        Self { rows: [0; FEATURES], sums: [0.0; WIDTH], inputs: [0.0; INPUTS], hidden: [0.0; HIDDEN] }
    }
}

impl Model {
    fn with_parameters(parameters: impl FnOnce(usize) -> Vec<f32>) -> Self {
        let mut shared = vec![vec![0; ROWS]; FAMILY_COUNT];
        let mut distinct = 0;
        for (family, row) in SHARING.distinct() {
            shared[family][row] = distinct;
            distinct += 1;
        }
        for (family, shared) in shared.iter_mut().enumerate() {
            for row in 0..ROWS {
                shared[row] = shared[usize::from(SHARING.family(family)[row])];
            }
        }
        let distinct = distinct as usize;
        Self { parameters: parameters(distinct * WIDTH + STAGES * STAGE_NUMBERS), shared, distinct }
    }

    /// First weights: rows of zero, random layers.
    pub fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let mut stage = [0.0; STAGE_NUMBERS];
        let mut spread = |numbers: &mut [f32], middle: f32, width: f32| {
            for number in numbers {
                *number = middle + width * (rng.unit() as f32 - 0.5);
            }
        };
        spread(&mut stage[..HIDDEN_AT], 0.3, 0.4);
        spread(&mut stage[HIDDEN_AT..HIDDEN_OFFSETS_AT], 0.0, 0.4);
        spread(&mut stage[HIDDEN_OFFSETS_AT..FROM_HIDDEN_AT], 0.1, 0.0);
        spread(&mut stage[FROM_HIDDEN_AT..FROM_INPUTS_AT], 0.0, 0.4);
        Self::with_parameters(|count| {
            let mut parameters = vec![0.0; count];
            parameters[count - STAGES * STAGE_NUMBERS..]
                .chunks_exact_mut(STAGE_NUMBERS)
                .for_each(|numbers| numbers.copy_from_slice(&stage));
            parameters
        })
    }

    /// The network of a file.
    pub fn from_weights(weights: &NetworkWeights) -> Self {
        let rows = weights.rows.iter().flatten().map(|&addend| f32::from(addend) / f32::from(UNIT));
        let parameters = rows.chain(weights.stages.iter().flatten().copied()).collect();
        Self::with_parameters(|_| parameters)
    }

    /// The network for a file: rows rounded.
    pub fn to_weights(&self, facts: String) -> NetworkWeights {
        let (rows, stages) = self.parameters.split_at(self.distinct * WIDTH);
        let round = |&addend: &f32| (addend * f32::from(UNIT)).round() as i8;
        NetworkWeights {
            rows: rows.as_chunks::<WIDTH>().0.iter().map(|row| row.each_ref().map(round)).collect(),
            stages: stages.as_chunks::<STAGE_NUMBERS>().0.to_vec(),
            facts,
        }
    }

    /// Where the parameters of a part are.
    pub fn range(&self, part: Part) -> Range<usize> {
        let rows = self.distinct * WIDTH;
        match part {
            Part::All => 0..self.parameters.len(),
            Part::Rows => 0..rows,
            Part::Stages => rows..self.parameters.len(),
        }
    }

    fn stage_at(&self, sample: &Sample) -> usize {
        self.distinct * WIDTH + sample.position().empties() as usize * STAGE_NUMBERS
    }

    /// The value of a position in discs.
    pub fn value(&self, sample: &Sample, activations: &mut Activations) -> f32 {
        let Activations { rows: used, sums, inputs, hidden } = activations;
        for (feature, (slot, row)) in used.iter_mut().zip(rows(&Features::of(sample.position()))).enumerate() {
            *slot = self.shared[PLACED[feature].family][usize::from(row)];
        }
        let stage = &self.parameters[self.stage_at(sample)..][..STAGE_NUMBERS];
        sums.copy_from_slice(&stage[..WIDTH]);
        let table = self.parameters.as_chunks::<WIDTH>().0;
        for &row in used.iter() {
            sums.iter_mut().zip(&table[row as usize]).for_each(|(sum, addend)| *sum += addend);
        }
        for i in 0..PRODUCTS {
            inputs[i] = sums[i].clamp(-1.0, 1.0) * sums[i + PRODUCTS].clamp(-1.0, 1.0);
        }
        for i in 0..WIDTH {
            inputs[PRODUCTS + i] = sums[i].clamp(0.0, 1.0);
        }
        inputs[PRODUCTS + WIDTH..].copy_from_slice(&numbers(sample));
        let mut output = stage[OFFSET_AT];
        let layer = stage[HIDDEN_AT..HIDDEN_OFFSETS_AT].as_chunks::<INPUTS>().0;
        for (unit, weights) in layer.iter().enumerate() {
            let mut lanes = [0.0_f32; 4];
            for (weights, inputs) in weights.as_chunks::<4>().0.iter().zip(inputs.as_chunks::<4>().0) {
                (0..4).for_each(|lane| lanes[lane] += weights[lane] * inputs[lane]);
            }
            hidden[unit] = stage[HIDDEN_OFFSETS_AT + unit] + lanes.iter().sum::<f32>();
            output += stage[FROM_HIDDEN_AT + unit] * hidden[unit].max(0.0);
        }
        output += inputs.iter().zip(&stage[FROM_INPUTS_AT..]).map(|(input, weight)| input * weight).sum::<f32>();
        sample.pattern_value() + OUTPUT * output
    }

    /// Adds the gradients of half the squared `error` (in discs, value minus label) of a value to `gradients`, but for a
    /// common factor.
    pub fn add_gradients(&self, sample: &Sample, activations: &Activations, error: f32, gradients: &mut [f32]) {
        let at = self.stage_at(sample);
        let stage = &self.parameters[at..][..STAGE_NUMBERS];
        let Activations { rows: used, sums, inputs, hidden } = activations;
        let slope = error / OUTPUT;
        let mut by_input = [0.0; INPUTS];
        let changes = &mut gradients[at..][..STAGE_NUMBERS];
        changes[OFFSET_AT] += slope;
        for i in 0..INPUTS {
            changes[FROM_INPUTS_AT + i] += slope * inputs[i];
            by_input[i] = slope * stage[FROM_INPUTS_AT + i];
        }
        for unit in (0..HIDDEN).filter(|&unit| hidden[unit] > 0.0) {
            changes[FROM_HIDDEN_AT + unit] += slope * hidden[unit];
            let slope = slope * stage[FROM_HIDDEN_AT + unit];
            changes[HIDDEN_OFFSETS_AT + unit] += slope;
            let first = HIDDEN_AT + unit * INPUTS;
            for i in 0..INPUTS {
                changes[first + i] += slope * inputs[i];
                by_input[i] += slope * stage[first + i];
            }
        }
        let mut by_sum = [0.0; WIDTH];
        for i in 0..PRODUCTS {
            let (a, b) = (sums[i], sums[i + PRODUCTS]);
            if a.abs() < 1.0 {
                by_sum[i] += by_input[i] * b.clamp(-1.0, 1.0);
            }
            if b.abs() < 1.0 {
                by_sum[i + PRODUCTS] += by_input[i] * a.clamp(-1.0, 1.0);
            }
        }
        for i in (0..WIDTH).filter(|&i| sums[i] > 0.0 && sums[i] < 1.0) {
            by_sum[i] += by_input[PRODUCTS + i];
        }
        changes.iter_mut().zip(&by_sum).for_each(|(change, slope)| *change += slope);
        let table = gradients.as_chunks_mut::<WIDTH>().0;
        for &row in used {
            table[row as usize].iter_mut().zip(&by_sum).for_each(|(change, slope)| *change += slope);
        }
    }
}

/// The inputs beside the patterns.
fn numbers(sample: &Sample) -> [f32; NUMBERS] {
    let unit = f32::from(UNIT);
    let moves = |count: u32| (count as i32 * UNITS_PER_MOVE) as f32 / unit;
    let pattern = sample.pattern_value() * 100.0 / CENTIDISCS_PER_UNIT as f32 / unit;
    let (mine, others) = mobilities(sample.position());
    [moves(mine), moves(others), pattern, pattern.abs()]
}

#[cfg(test)]
mod tests {
    use flipside::{board::Position, eval::network::Network};

    use super::*;
    use crate::training::dataset::Example;

    /// A model with random rows.
    fn model() -> Model {
        let mut model = Model::new(3);
        let mut rng = Rng::new(4);
        for addend in &mut model.parameters[..100_000 * WIDTH / 2] {
            *addend = ((rng.unit() * 20.0).floor() as f32 - 10.0) / f32::from(UNIT) / 4.0;
        }
        model
    }

    fn samples() -> Vec<Sample> {
        let mut samples = Vec::new();
        let mut position = Position::START;
        while let Some(&mv) = position.moves().last() {
            let example = Example { position, label: 4.0 };
            samples.push(Sample::new(&example, &flipside::eval::Evaluator::default()));
            position = position.play(mv).unwrap();
        }
        samples
    }

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let mut model = model();
        for sample in samples().iter().skip(8).step_by(9) {
            let mut activations = Activations::default();
            let error = model.value(sample, &mut activations) - sample.label();
            let mut gradients = vec![0.0; model.parameters.len()];
            model.add_gradients(sample, &activations, error, &mut gradients);
            let places: Vec<usize> = (0..gradients.len()).filter(|&i| gradients[i] != 0.0).collect();
            for &place in places.iter().step_by(37) {
                const STEP: f32 = 1e-3;
                let kept = model.parameters[place];
                let mut at = |value: f32| {
                    model.parameters[place] = value;
                    model.value(sample, &mut Activations::default())
                };
                let values = [at(kept - STEP), at(kept), at(kept + STEP)];
                // Where a clipped value begins to be clipped, the two sides differ and the gradient is one of them.
                let slopes =
                    [values[1] - values[0], values[2] - values[1]].map(|d| d / STEP * error / (OUTPUT * OUTPUT));
                let found = gradients[place];
                let tolerance = 0.03 + 0.05 * found.abs();
                let (least, most) = (slopes[0].min(slopes[1]), slopes[0].max(slopes[1]));
                assert!((least - tolerance..most + tolerance).contains(&found), "{place}: {slopes:?} {found}");
            }
        }
    }

    #[test]
    fn the_engine_computes_the_same() {
        let model = model();
        let weights = model.to_weights(String::new());
        assert_eq!(Model::from_weights(&weights).to_weights(String::new()), weights);
        let (rounded, network) = (Model::from_weights(&weights), Network::new(&weights));
        for sample in samples().iter().filter(|sample| sample.position().empties() > 0) {
            let value = rounded.value(sample, &mut Activations::default()).clamp(-63.0, 63.0);
            let engine = sample.engine_value(&network) as f32 / 100.0;
            assert!((value - engine).abs() < 0.6, "{value} {engine}");
        }
    }
}
