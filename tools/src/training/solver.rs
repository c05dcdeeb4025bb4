//! Conjugate gradients (Hestenes and Stiefel 1952) on the normal equations, preconditioned by their diagonal.

use rayon::prelude::*;

use super::{
    model::{Link, Model},
    pass::{self, Chunk, Collect},
};

/// How strongly weights are pulled, in units of examples that contradict the data.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Regularisation {
    /// Towards zero.
    pub ridge: f32,
    /// Towards the neighbouring stages.
    pub smooth: f32,
    /// Towards the other parity's weights of the same stage.
    pub parity: f32,
}

impl Regularisation {
    fn strength(&self, link: Link) -> f32 {
        match link {
            Link::Stage => self.smooth,
            Link::Parity => self.parity,
        }
    }
}

/// A fit in progress.
#[derive(Debug)]
pub struct Solver<'a, const F: usize> {
    model: &'a Model<F>,
    chunks: &'a [Chunk<F>],
    regularisation: Regularisation,
    parameters: &'a mut [f32],
    // Inverse of the diagonal.
    scale: Vec<f32>,
    residual: Vec<f32>,
    direction: Vec<f32>,
    // Residual times scaled residual.
    energy: f64,
    // Below this energy nothing is left but rounding errors.
    least_energy: f64,
    // Sum of squared errors plus the pulls' share.
    loss: f64,
    count: usize,
}

/// Fraction of the first energy at which a fit counts as solved: what single precision can reach.
const CONVERGED: f64 = 1e-9;

/// Items that one task of the vector loops handles.
const BLOCK: usize = 1 << 16;

impl<'a, const F: usize> Solver<'a, F> {
    /// Begins at the given parameters.
    pub fn new(
        model: &'a Model<F>,
        chunks: &'a [Chunk<F>],
        regularisation: Regularisation,
        parameters: &'a mut [f32],
    ) -> Self {
        let mut scale = pass::diagonal(model, chunks);
        let mut pulls = vec![regularisation.ridge; model.knots];
        for &(a, b, link) in &model.links {
            pulls[a] += regularisation.strength(link);
            pulls[b] += regularisation.strength(link);
        }
        for (index, scale) in scale.iter_mut().enumerate() {
            *scale += pulls.get(index / model.weights).copied().unwrap_or(0.0);
            *scale = if *scale > 0.0 { scale.recip() } else { 0.0 };
        }
        let (mut residual, squares) = pass::collect(model, chunks, parameters, Collect::Residuals);
        let mut pull = vec![0.0; residual.len()];
        let pulled = add_pulls(model, regularisation, parameters, &mut pull);
        residual.par_iter_mut().zip(&pull).for_each(|(residual, &pull)| *residual -= pull);
        let direction: Vec<f32> = residual.par_iter().zip(&scale).map(|(&residual, &scale)| residual * scale).collect();
        let energy = dot(&residual, &direction);
        let count = chunks.iter().map(|chunk| chunk.labels.len()).sum();
        Self {
            model,
            chunks,
            regularisation,
            parameters,
            scale,
            residual,
            direction,
            energy,
            least_energy: energy * CONVERGED,
            loss: squares + pulled,
            count,
        }
    }

    /// The parameters so far.
    pub fn parameters(&self) -> &[f32] {
        self.parameters
    }

    /// One iteration; returns the loss for each example: squared error plus the pulls' share.
    pub fn step(&mut self) -> f64 {
        if self.energy > self.least_energy {
            let (mut product, curvature) = pass::collect(self.model, self.chunks, &self.direction, Collect::Products);
            let curvature = curvature + add_pulls(self.model, self.regularisation, &self.direction, &mut product);
            if curvature > 0.0 {
                let length = self.energy / curvature;
                self.loss -= self.energy * length;
                let length = length as f32;
                self.parameters.par_iter_mut().zip(&self.direction).for_each(|(w, &d)| *w += length * d);
                self.residual.par_iter_mut().zip(&product).for_each(|(r, &p)| *r -= length * p);
                product.par_iter_mut().zip(&self.residual).zip(&self.scale).for_each(|((z, &r), &s)| *z = r * s);
                let energy = dot(&self.residual, &product);
                let keep = (energy / self.energy) as f32;
                self.direction.par_iter_mut().zip(&product).for_each(|(d, &z)| *d = z + keep * *d);
                self.energy = energy;
            }
        }
        self.loss / self.count.max(1) as f64
    }
}

/// Adds the pulls' part of the normal matrix times `vector` to `sums`; returns the quadratic form.
fn add_pulls<const F: usize>(
    model: &Model<F>,
    regularisation: Regularisation,
    vector: &[f32],
    sums: &mut [f32],
) -> f64 {
    let size = model.weights;
    let knots = &vector[..model.knots * size];
    sums[..knots.len()].par_chunks_exact_mut(size).enumerate().for_each(|(knot, sums)| {
        let own = &knots[knot * size..(knot + 1) * size];
        sums.iter_mut().zip(own).for_each(|(sum, &value)| *sum += regularisation.ridge * value);
        for &(a, b, link) in model.links.iter().filter(|link| link.0 == knot || link.1 == knot) {
            let other = if a == knot { b } else { a };
            let strength = regularisation.strength(link);
            let other = &knots[other * size..(other + 1) * size];
            for ((sum, &value), &other) in sums.iter_mut().zip(own).zip(other) {
                *sum += strength * (value - other);
            }
        }
    });
    let mut form = f64::from(regularisation.ridge) * dot(knots, knots);
    for &(a, b, link) in &model.links {
        let (a, b) = (&knots[a * size..(a + 1) * size], &knots[b * size..(b + 1) * size]);
        let parts: Vec<f64> = a
            .par_chunks(BLOCK)
            .zip(b.par_chunks(BLOCK))
            .map(|(a, b)| a.iter().zip(b).map(|(&a, &b)| f64::from(a - b).powi(2)).sum())
            .collect();
        form += f64::from(regularisation.strength(link)) * parts.iter().sum::<f64>();
    }
    form
}

/// Inner product; the order of summation does not depend on the threads.
fn dot(a: &[f32], b: &[f32]) -> f64 {
    let parts: Vec<f64> = a
        .par_chunks(BLOCK)
        .zip(b.par_chunks(BLOCK))
        .map(|(a, b)| a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum())
        .collect();
    parts.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{rng::Rng, training::pass::Errors};

    /// Four features over three families of 20 weights, two knots between 0 and 10 empties.
    fn small_model() -> Model<4> {
        Model {
            bases: [0, 0, 20, 40],
            weights: 60,
            knots: 2,
            constants: 11,
            blends: (0..=10).map(|empties| (0, 1, empties as f32 / 10.0)).collect(),
            links: vec![(0, 1, Link::Stage)],
        }
    }

    fn synthetic(model: &Model<4>, truth: &[f32], noise: f32, examples: usize, seed: u64) -> Vec<Chunk<4>> {
        let mut rng = Rng::new(seed);
        (0..=10)
            .map(|empties| {
                let table = model.blended(truth, empties);
                let mut chunk = Chunk { empties, ..Chunk::default() };
                for _ in 0..examples {
                    let indices = [0; 4].map(|_: u16| rng.below(20) as u16);
                    let value: f32 = (0..4).map(|f| table[model.bases[f] as usize + usize::from(indices[f])]).sum();
                    let error = (rng.unit() + rng.unit() - 1.0) as f32 * noise;
                    chunk.indices.push(indices);
                    chunk.labels.push(value + truth[model.knots * model.weights + empties] + error);
                }
                chunk
            })
            .collect()
    }

    fn random_parameters(model: &Model<4>) -> Vec<f32> {
        let mut rng = Rng::new(9);
        (0..model.parameter_count()).map(|_| (rng.unit() * 20.0 - 10.0) as f32).collect()
    }

    const NONE: Regularisation = Regularisation { ridge: 0.0, smooth: 0.0, parity: 0.0 };

    #[test]
    fn a_linear_target_is_learnt() {
        let model = small_model();
        let truth = random_parameters(&model);
        let chunks = synthetic(&model, &truth, 0.0, 400, 1);
        let held_out = synthetic(&model, &truth, 0.0, 100, 2);
        let mut parameters = vec![0.0; model.parameter_count()];
        let mut solver = Solver::new(&model, &chunks, NONE, &mut parameters);
        let mut losses: Vec<f64> = (0..40).map(|_| solver.step()).collect();
        let errors = Errors::total(&pass::measure(&model, &held_out, solver.parameters()));
        assert!(errors.mean_square() < 1e-4, "{}", errors.mean_square());
        // Conjugate gradients never get worse.
        let falling = losses.windows(2).all(|pair| pair[1] <= pair[0] + 1e-6);
        losses.truncate(5);
        assert!(falling, "{losses:?}");
    }

    #[test]
    fn the_loss_is_that_of_the_parameters() {
        let model = small_model();
        let chunks = synthetic(&model, &random_parameters(&model), 3.0, 50, 3);
        let pulls = Regularisation { ridge: 2.0, smooth: 5.0, parity: 0.0 };
        let mut parameters = vec![0.0; model.parameter_count()];
        let mut solver = Solver::new(&model, &chunks, pulls, &mut parameters);
        let loss = (0..6).map(|_| solver.step()).last().unwrap();
        let again = Solver::new(&model, &chunks, pulls, &mut parameters);
        assert!((again.loss / again.count as f64 / loss - 1.0).abs() < 1e-4, "{loss}");
    }

    #[test]
    fn pulls_shrink_and_tie() {
        let model = small_model();
        let chunks = synthetic(&model, &random_parameters(&model), 3.0, 30, 4);
        let fit = |pulls| {
            let mut parameters = vec![0.0; model.parameter_count()];
            let mut solver = Solver::new(&model, &chunks, pulls, &mut parameters);
            (0..60).for_each(|_| {
                solver.step();
            });
            let (lower, upper) = parameters[..120].split_at(60);
            let size: f32 = lower.iter().chain(upper).map(|w| w * w).sum();
            let gap: f32 = lower.iter().zip(upper).map(|(a, b)| (a - b).powi(2)).sum();
            (size, gap)
        };
        let (free, ridge) = (fit(NONE), fit(Regularisation { ridge: 100.0, ..NONE }));
        let smooth = fit(Regularisation { smooth: 10_000.0, ..NONE });
        assert!(ridge.0 < free.0 * 0.8, "{ridge:?} {free:?}");
        assert!(smooth.1 < free.1 * 0.01, "{smooth:?} {free:?}");
    }
}
