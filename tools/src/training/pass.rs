//! The loop over all examples: what most of the training time goes into.
//!
//! All examples of a chunk have the same number of empties, so their weights are blended once into a small table
//! that stays in the cache; a second column of the same table collects the chunk's gradient.

use rayon::prelude::*;

use super::model::Model;

/// Examples of one number of empties.
#[derive(Clone, Debug, Default)]
pub struct Chunk<const F: usize> {
    /// The number of empties.
    pub empties: usize,
    /// For each example the weight of each feature, relative to the feature's base.
    pub indices: Vec<[u16; F]>,
    /// For each example the value to learn, in discs.
    pub labels: Vec<f32>,
}

/// Most examples of a chunk.
pub const CHUNK_SIZE: usize = 1 << 17;

/// Errors at one number of empties.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// Positions.
    pub count: usize,
    /// Sum of the errors (label minus value).
    pub sum: f64,
    /// Sum of their sizes.
    pub absolute: f64,
    /// Sum of their squares.
    pub square: f64,
}

impl Errors {
    /// Counts an error in.
    pub fn add(&mut self, error: f64) {
        self.count += 1;
        self.sum += error;
        self.absolute += error.abs();
        self.square += error * error;
    }

    /// Counts another set in.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.absolute += other.absolute;
        self.square += other.square;
    }

    /// All sets together.
    pub fn total(all: &[Self]) -> Self {
        all.iter().fold(Self::default(), |mut total, errors| {
            total.merge(errors);
            total
        })
    }

    fn mean(&self, sum: f64) -> f64 {
        if self.count == 0 { 0.0 } else { sum / self.count as f64 }
    }

    /// Mean squared error.
    pub fn mean_square(&self) -> f64 {
        self.mean(self.square)
    }

    /// Mean size of the error.
    pub fn mean_absolute(&self) -> f64 {
        self.mean(self.absolute)
    }

    /// Mean error: positive when the values are too low.
    pub fn bias(&self) -> f64 {
        self.mean(self.sum)
    }
}

/// What a pass collects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Collect {
    /// Label minus value, times the features.
    Residuals,
    /// The value itself (without label), times the features: the product with the normal matrix.
    Products,
}

/// The sum over all examples, and the sum of the squares of what was collected.
pub fn collect<const F: usize>(
    model: &Model<F>,
    chunks: &[Chunk<F>],
    parameters: &[f32],
    what: Collect,
) -> (Vec<f32>, f64) {
    let parts: Vec<(Vec<f32>, f64, f64)> =
        chunks.par_iter().with_max_len(1).map(|chunk| collect_chunk(model, chunk, parameters, what)).collect();
    let squares = parts.iter().map(|part| part.2).sum();
    let mut sums = vec![0.0; model.parameter_count()];
    let (knots, constants) = sums.split_at_mut(model.knots * model.weights);
    knots.par_chunks_exact_mut(model.weights).enumerate().for_each(|(knot, sums)| {
        for (chunk, part) in chunks.iter().zip(&parts) {
            let factor = knot_factor(model, chunk.empties, knot);
            if factor != 0.0 {
                sums.iter_mut().zip(&part.0).for_each(|(sum, &value)| *sum += factor * value);
            }
        }
    });
    for (chunk, part) in chunks.iter().zip(&parts) {
        constants[chunk.empties] += part.1 as f32;
    }
    (sums, squares)
}

/// Share of a knot in the weights for a number of empties.
fn knot_factor<const F: usize>(model: &Model<F>, empties: usize, knot: usize) -> f32 {
    let (lower, upper, share) = model.blends[empties];
    let mut factor = 0.0;
    if knot == lower {
        factor += 1.0 - share;
    }
    if knot == upper {
        factor += share;
    }
    factor
}

fn collect_chunk<const F: usize>(
    model: &Model<F>,
    chunk: &Chunk<F>,
    parameters: &[f32],
    what: Collect,
) -> (Vec<f32>, f64, f64) {
    // A weight and its sum share a cache line.
    let mut table: Vec<[f32; 2]> =
        model.blended(parameters, chunk.empties).into_iter().map(|weight| [weight, 0.0]).collect();
    let constant = parameters[model.knots * model.weights + chunk.empties];
    let (mut sum, mut squares) = (0.0, 0.0);
    for (indices, &label) in chunk.indices.iter().zip(&chunk.labels) {
        let mut value = constant;
        for (&index, &base) in indices.iter().zip(&model.bases) {
            value += table[base as usize + usize::from(index)][0];
        }
        let collected = if what == Collect::Residuals { label - value } else { value };
        for (&index, &base) in indices.iter().zip(&model.bases) {
            table[base as usize + usize::from(index)][1] += collected;
        }
        sum += f64::from(collected);
        squares += f64::from(collected) * f64::from(collected);
    }
    (table.into_iter().map(|entry| entry[1]).collect(), sum, squares)
}

/// The diagonal of the normal matrix: for each parameter the sum of its squared occurrences.
pub fn diagonal<const F: usize>(model: &Model<F>, chunks: &[Chunk<F>]) -> Vec<f32> {
    let parts: Vec<Vec<f32>> = chunks
        .par_iter()
        .with_max_len(1)
        .map(|chunk| {
            let mut table = vec![[0.0_f32; 2]; model.weights];
            for indices in &chunk.indices {
                let places = || indices.iter().zip(&model.bases).map(|(&i, &base)| base as usize + usize::from(i));
                // A weight that occurs m times counts m squared.
                places().for_each(|place| table[place][0] += 1.0);
                places().for_each(|place| table[place][1] += table[place][0]);
                places().for_each(|place| table[place][0] = 0.0);
            }
            table.into_iter().map(|entry| entry[1]).collect()
        })
        .collect();
    let mut sums = vec![0.0; model.parameter_count()];
    let (knots, constants) = sums.split_at_mut(model.knots * model.weights);
    knots.par_chunks_exact_mut(model.weights).enumerate().for_each(|(knot, sums)| {
        for (chunk, part) in chunks.iter().zip(&parts) {
            let factor = knot_factor(model, chunk.empties, knot).powi(2);
            if factor != 0.0 {
                sums.iter_mut().zip(part).for_each(|(sum, &value)| *sum += factor * value);
            }
        }
    });
    for chunk in chunks {
        constants[chunk.empties] += chunk.labels.len() as f32;
    }
    sums
}

/// The parameters with the constants moved so that no number of empties has a mean error in `chunks`.
pub fn centred<const F: usize>(model: &Model<F>, chunks: &[Chunk<F>], mut parameters: Vec<f32>) -> Vec<f32> {
    let constants = model.knots * model.weights;
    for (empties, errors) in measure(model, chunks, &parameters).iter().enumerate() {
        // A few positions say little about the mean.
        parameters[constants + empties] += (errors.sum / (errors.count as f64 + CAUTION)) as f32;
    }
    parameters
}

/// Positions of mean error zero that [`centred`] adds to those seen.
const CAUTION: f64 = 100.0;

/// The errors of the parameters, by number of empties.
pub fn measure<const F: usize>(model: &Model<F>, chunks: &[Chunk<F>], parameters: &[f32]) -> Vec<Errors> {
    let parts: Vec<Errors> = chunks
        .par_iter()
        .with_max_len(1)
        .map(|chunk| {
            let table = model.blended(parameters, chunk.empties);
            let constant = parameters[model.knots * model.weights + chunk.empties];
            let mut errors = Errors::default();
            for (indices, &label) in chunk.indices.iter().zip(&chunk.labels) {
                let places = indices.iter().zip(&model.bases).map(|(&i, &base)| base as usize + usize::from(i));
                let value: f32 = constant + places.map(|place| table[place]).sum::<f32>();
                errors.add(f64::from(label - value));
            }
            errors
        })
        .collect();
    let mut by_empties = vec![Errors::default(); model.constants];
    for (chunk, part) in chunks.iter().zip(&parts) {
        by_empties[chunk.empties].merge(part);
    }
    by_empties
}
