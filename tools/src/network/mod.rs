//! Training of the network that corrects the pattern sum.
//!
//! The pattern sum is left as it is; the network learns what it misses, from the same games. Mini-batches and Adam (D.
//! Kingma and J. Ba 2014) with a cosine schedule. Every batch is cut into the same parts on any number of threads, so
//! that a seed gives the same network everywhere.
//!
//! [`model`] has the values and their gradients in floating point, [`samples`] the positions.

pub mod model;
pub mod samples;

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use flipside::eval::{
    Evaluator,
    network::{Network, file::NetworkWeights},
};
use rayon::prelude::*;

use crate::{
    error::{Result, ToolError},
    files::write_whole,
    rng::Rng,
    training::{dataset::Selection, pass::Errors},
};
use model::{Activations, Model, Part};
use samples::{Sample, Samples};

/// What to train on and how.
#[derive(Clone, Debug)]
pub struct NetworkTraining {
    /// Game files.
    pub games: Vec<PathBuf>,
    /// Game files to measure on after each epoch.
    pub tests: Vec<PathBuf>,
    /// Where the network goes.
    pub out: PathBuf,
    /// Network to start from.
    pub init: Option<PathBuf>,
    /// Which positions and labels.
    pub selection: Selection,
    /// Fewest and most empties.
    pub empties: (u32, u32),
    /// Which part of the network to fit.
    pub part: Part,
    /// Passes over the positions.
    pub epochs: u32,
    /// Positions of a step.
    pub batch: usize,
    /// Greatest step size.
    pub rate: f32,
    /// Added to the root mean square of a gradient: weights of rarer configurations take smaller steps.
    pub caution: f32,
    /// Seed of the first weights and of the order of positions.
    pub seed: u64,
}

/// Parts of a batch, each with gradients of its own.
const PARTS: usize = 2;

/// Steps until the full step size.
const WARM_UP: f32 = 200.0;

/// Steps between two lines of progress.
const PROGRESS: usize = 500;

/// Trains and writes the network file; returns a report of the errors of pattern sum and network.
///
/// # Errors
/// When a file cannot be read or written, or there is nothing to train on.
pub fn run(training: &NetworkTraining) -> Result<String> {
    let start = Instant::now();
    let evaluator = Evaluator::default();
    evaluator.prepare(1, 60);
    let data = Samples::load(&training.games, &training.selection, training.empties, &evaluator)?;
    eprintln!(
        "{} positions for training, {} for validation, read in {:.0} s",
        data.training.len(),
        data.validation.len(),
        start.elapsed().as_secs_f64()
    );
    if data.training.len() < training.batch {
        return Err(ToolError::usage("the game files have not enough positions to train on"));
    }
    let tests = training
        .tests
        .iter()
        .map(|path| Ok((name_of(path), samples::load_all(path, training.empties, &evaluator)?)))
        .collect::<Result<Vec<_>>>()?;
    let mut model = match &training.init {
        Some(path) => {
            let bytes = fs::read(path).map_err(ToolError::io(path, "read"))?;
            Model::from_weights(
                &NetworkWeights::decode(&bytes).map_err(|error| ToolError::format(path, "network", error))?,
            )
        }
        None => Model::new(training.seed),
    };
    let mut adam = Adam::new(&model, training, data.training.len() / training.batch);
    let mut order: Vec<u32> = (0..data.training.len() as u32).collect();
    let facts = format!(
        "{} epochs of {} positions of {} games, rate {}, caution {}, batch {}, seed {}",
        training.epochs,
        data.training.len(),
        data.games,
        training.rate,
        training.caution,
        training.batch,
        training.seed
    );
    for epoch in 1..=training.epochs {
        Rng::stream(training.seed, u64::from(epoch)).shuffle(&mut order);
        let (mut loss, mut count) = (0.0, 0);
        for (step, batch) in order.chunks_exact(training.batch).enumerate() {
            loss += adam.step(&mut model, &data.training, batch);
            count += batch.len();
            if (step + 1) % PROGRESS == 0 {
                let seconds = start.elapsed().as_secs_f64();
                eprintln!("epoch {epoch}, step {}: training MSE {:.3}, {seconds:.0} s", step + 1, loss / count as f64);
                (loss, count) = (0.0, 0);
            }
        }
        let weights = model.to_weights(facts.clone());
        write_whole(&training.out, &weights.encode())?;
        let network = Network::new(&weights);
        eprintln!("epoch {epoch}: {}", summary("validation", &measure(&network, &data.validation)));
        for (name, samples) in &tests {
            eprintln!("epoch {epoch}: {}", summary(name, &measure(&network, samples)));
        }
    }
    let network = Network::new(&model.to_weights(facts));
    Ok(table(&measure(&network, &data.validation)))
}

fn name_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Adam's state.
struct Adam<'a> {
    training: &'a NetworkTraining,
    steps: usize,
    done: usize,
    gradients: Vec<Vec<f32>>,
    means: Vec<f32>,
    squares: Vec<f32>,
}

impl<'a> Adam<'a> {
    fn new(model: &Model, training: &'a NetworkTraining, steps_per_epoch: usize) -> Self {
        let zeros = || vec![0.0; model.parameters.len()];
        let gradients = (0..PARTS).map(|_| zeros()).collect();
        let steps = steps_per_epoch * training.epochs as usize;
        Self { training, steps, done: 0, gradients, means: zeros(), squares: zeros() }
    }

    /// One step; returns the sum of the squared errors before it, in discs.
    fn step(&mut self, model: &mut Model, samples: &[Sample], batch: &[u32]) -> f64 {
        let parts = self.gradients.par_iter_mut().zip(batch.par_chunks(batch.len().div_ceil(PARTS)));
        let squares: Vec<f64> = parts
            .map(|(gradients, part)| {
                let mut activations = Activations::default();
                let add = |&number: &u32| {
                    let sample = &samples[number as usize];
                    let error = model.value(sample, &mut activations) - sample.label();
                    model.add_gradients(sample, &activations, error, gradients);
                    f64::from(error * error)
                };
                part.iter().map(add).sum()
            })
            .collect();
        self.update(model, batch.len());
        squares.iter().sum()
    }

    fn update(&mut self, model: &mut Model, batch: usize) {
        const CHUNK: usize = 1 << 15;
        const MEAN_DECAY: f32 = 0.9;
        const SQUARE_DECAY: f32 = 0.999;
        self.done += 1;
        let progress = self.done as f32 / self.steps as f32;
        let schedule = 0.5 * (1.0 + (std::f32::consts::PI * progress).cos()) * (self.done as f32 / WARM_UP).min(1.0);
        let rate = self.training.rate * schedule / (1.0 - MEAN_DECAY.powi(self.done as i32));
        let correction = 1.0 / (1.0 - SQUARE_DECAY.powi(self.done as i32));
        let (share, caution) = (1.0 / batch as f32, self.training.caution);
        let fitted = model.range(self.training.part);
        let rows_end = model.range(Part::Rows).end;
        let [first, second] = &mut self.gradients[..] else { unreachable!("there are two parts") };
        let state = self.means.par_chunks_mut(CHUNK).zip(self.squares.par_chunks_mut(CHUNK));
        let gradients = first.par_chunks_mut(CHUNK).zip(second.par_chunks_mut(CHUNK));
        model.parameters.par_chunks_mut(CHUNK).zip(state).zip(gradients).enumerate().for_each(
            |(chunk, ((parameters, (means, squares)), (first, second)))| {
                for i in 0..parameters.len() {
                    let gradient = (first[i] + second[i]) * share;
                    (first[i], second[i]) = (0.0, 0.0);
                    means[i] = MEAN_DECAY * means[i] + (1.0 - MEAN_DECAY) * gradient;
                    squares[i] = SQUARE_DECAY * squares[i] + (1.0 - SQUARE_DECAY) * gradient * gradient;
                    let place = chunk * CHUNK + i;
                    if fitted.contains(&place) {
                        parameters[i] -= rate * means[i] / ((squares[i] * correction).sqrt() + caution);
                        if place < rows_end {
                            parameters[i] = parameters[i].clamp(-model::LARGEST_ADDEND, model::LARGEST_ADDEND);
                        }
                    }
                }
            },
        );
    }
}

/// Errors of the pattern sum and of the network, by number of empties.
fn measure(network: &Network, samples: &[Sample]) -> Vec<[Errors; 2]> {
    let zero = || vec![[Errors::default(); 2]; 61];
    let measured = samples.par_chunks(4096).map(|chunk| {
        let mut errors = zero();
        for sample in chunk {
            let [pattern, corrected] = &mut errors[sample.position().empties() as usize];
            pattern.add(f64::from(sample.label() - sample.pattern_value()));
            corrected.add(f64::from(sample.label()) - f64::from(sample.engine_value(network)) / 100.0);
        }
        errors
    });
    measured.reduce(zero, |mut all, part| {
        for (all, part) in all.iter_mut().zip(&part) {
            all[0].merge(&part[0]);
            all[1].merge(&part[1]);
        }
        all
    })
}

fn summary(name: &str, errors: &[[Errors; 2]]) -> String {
    let total = |which: usize| Errors::total(&errors.iter().map(|both| both[which]).collect::<Vec<_>>());
    let (pattern, corrected) = (total(0), total(1));
    let mut text = format!(
        "{name}: MSE {:.3} -> {:.3}, MAE {:.3} -> {:.3}",
        pattern.mean_square(),
        corrected.mean_square(),
        pattern.mean_absolute(),
        corrected.mean_absolute()
    );
    for empties in [12, 16, 20, 24, 32, 40] {
        let [pattern, corrected] = errors[empties];
        if corrected.count > 0 {
            let _ = write!(
                text,
                "; {empties}: {:.2} -> {:.2} ({:.3} -> {:.3}, {:+.2})",
                pattern.mean_square(),
                corrected.mean_square(),
                pattern.mean_absolute(),
                corrected.mean_absolute(),
                corrected.bias()
            );
        }
    }
    text
}

/// A table of the errors by number of empties.
fn table(errors: &[[Errors; 2]]) -> String {
    let mut text =
        String::from("         pattern sum    with network\nempties    MSE    MAE     MSE    MAE    bias  positions\n");
    for (empties, [pattern, corrected]) in errors.iter().enumerate().filter(|(_, both)| both[1].count > 0) {
        let _ = writeln!(
            text,
            "{empties:>7} {:6.2} {:6.2}  {:6.2} {:6.2} {:+7.2} {:>10}",
            pattern.mean_square(),
            pattern.mean_absolute(),
            corrected.mean_square(),
            corrected.mean_absolute(),
            corrected.bias(),
            corrected.count
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::TestDir;

    #[test]
    fn training_lowers_the_error_and_is_repeatable() {
        let dir = TestDir::new("network");
        let games = dir.games(60, 8, (10, 20), 4);
        let train = |name: &str, threads: usize| {
            let out = games.with_file_name(name);
            let training = NetworkTraining {
                games: vec![games.clone()],
                tests: vec![games.clone()],
                out: out.clone(),
                init: None,
                selection: Selection { validation: 0.2, ..Selection::default() },
                empties: (1, 50),
                part: Part::All,
                epochs: 30,
                batch: 128,
                rate: 0.01,
                caution: 1e-5,
                seed: 5,
            };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let report = pool.install(|| run(&training)).unwrap();
            assert!(report.lines().count() > 20, "{report}");
            fs::read(out).unwrap()
        };
        let (one, two) = (train("one.bin", 1), train("two.bin", 2));
        assert!(one == two);
        let evaluator = Evaluator::default();
        let samples = samples::load_all(&games, (1, 50), &evaluator).unwrap();
        let network = Network::new(&NetworkWeights::decode(&one).unwrap());
        let total = |which: usize| {
            let errors = measure(&network, &samples);
            Errors::total(&errors.iter().map(|both| both[which]).collect::<Vec<_>>()).mean_square()
        };
        assert!(total(1) < total(0), "{} {}", total(1), total(0));
    }
}
