//! Training of the evaluation: a least-squares fit of pattern weights to the outcomes of games.
//!
//! The evaluation is linear in its weights, so the best weights for squared error are the solution of a linear
//! system. [`solver`] finds it by conjugate gradients, each weight scaled by how often it occurs: no learning rate,
//! one pass over the data an iteration, the same result on any number of threads. Early stopping on held-out games,
//! a pull of rare weights towards zero and a tie between neighbouring stages keep it from learning the noise.
//!
//! [`dataset`] turns games into examples, [`model`] says which weight belongs where, [`pass`] is the loop over the
//! examples, [`state`] lets an interrupted training continue and [`report`] measures a weights file.

pub mod dataset;
pub mod model;
pub mod pass;
pub mod report;
pub mod solver;
pub mod state;

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use flipside::eval::{
    FEATURES,
    weights::{WeightSet, WeightsFile},
};

use crate::{
    error::{Result, ToolError},
    files::write_whole,
};
use dataset::{Dataset, Selection};
use model::Model;
use pass::Errors;
use solver::{Regularisation, Solver};

/// What to train on and how.
#[derive(Clone, Debug)]
pub struct Training {
    /// Game files.
    pub games: Vec<PathBuf>,
    /// Where the weights file goes.
    pub out: PathBuf,
    /// Where the state goes; taken up when it exists.
    pub state: Option<PathBuf>,
    /// Weights to start from.
    pub init: Option<PathBuf>,
    /// Which positions and labels.
    pub selection: Selection,
    /// Strength of the pulls.
    pub regularisation: Regularisation,
    /// Most iterations.
    pub iterations: u32,
    /// Stop after this many iterations without a gain in validation.
    pub patience: u32,
    /// Threads; 0 for all cores.
    pub threads: usize,
}

/// Least relative gain of the validation error that counts.
const LEAST_GAIN: f64 = 1e-5;

/// Iterations between two savings of the state.
const SAVE_EVERY: u32 = 5;

/// Trains and writes the weights file; returns the validation errors of the file's rounded weights.
///
/// # Errors
/// When a file cannot be read or written, or there is nothing to train on.
pub fn run(training: &Training) -> Result<Vec<Errors>> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(training.threads)
        .build()
        .map_err(|error| ToolError::usage(format!("--threads {}: {error}", training.threads)))?;
    pool.install(|| run_here(training))
}

fn run_here(training: &Training) -> Result<Vec<Errors>> {
    let start = Instant::now();
    let model = Model::engine();
    let data = Dataset::load(&model, &training.games, &training.selection)?;
    eprintln!(
        "{} positions for training, {} for validation, read in {:.1} s",
        data.training_count(),
        data.validation_count(),
        start.elapsed().as_secs_f64()
    );
    if data.training_count() == 0 {
        return Err(ToolError::usage("the game files have no positions to train on (all moves are random?)"));
    }
    let (mut parameters, done) = start_weights(training, &model)?;
    let mut best = (f64::INFINITY, parameters.clone(), done);
    let (weights, iteration) = {
        let mut solver = Solver::new(&model, &data.training, training.regularisation, &mut parameters);
        for iteration in done + 1..=training.iterations {
            let loss = solver.step();
            let errors = pass::measure(&model, &data.validation, solver.parameters());
            let total = Errors::total(&errors);
            let measure = if total.count == 0 { loss } else { total.mean_square() };
            eprintln!(
                "iteration {iteration:3}: training loss {loss:.4}, validation MSE {:.4}, MAE {:.4}, {:.0} s",
                total.mean_square(),
                total.mean_absolute(),
                start.elapsed().as_secs_f64()
            );
            if measure < best.0 * (1.0 - LEAST_GAIN) {
                best = (measure, solver.parameters().to_vec(), iteration);
            } else if iteration - best.2 >= training.patience {
                eprintln!("no gain for {} iterations: stopping", training.patience);
                break;
            }
            if let Some(path) = training.state.as_ref().filter(|_| iteration % SAVE_EVERY == 0) {
                state::save(path, &model, iteration, solver.parameters())?;
            }
        }
        (best.1, best.2)
    };
    let weights = pass::centred(&model, &data.training, weights);
    if let Some(path) = &training.state {
        state::save(path, &model, iteration, &weights)?;
    }
    let facts = facts(training, &data, iteration);
    let set = model.to_weight_set(&weights, facts);
    let errors = pass::measure(&model, &data.validation, &model.parameters_of(&set));
    write_whole(&training.out, &set.encode())?;
    Ok(errors)
}

/// The parameters to start from and the iterations already done.
fn start_weights(training: &Training, model: &Model<FEATURES>) -> Result<(Vec<f32>, u32)> {
    if let Some(path) = training.state.as_ref().filter(|path| path.exists()) {
        let (iteration, parameters) = state::load(path, model)?;
        eprintln!("{}: continuing after iteration {iteration}", path.display());
        return Ok((parameters, iteration));
    }
    let parameters = match &training.init {
        Some(path) => model.parameters_of(&read_weights(path)?),
        None => vec![0.0; model.parameter_count()],
    };
    Ok((parameters, 0))
}

/// Reads a weights file.
///
/// # Errors
/// When it cannot be read or is none.
pub fn read_weights(path: &Path) -> Result<WeightSet> {
    let bytes = fs::read(path).map_err(ToolError::io(path, "read"))?;
    let set = WeightsFile::parse(&bytes).and_then(|file| file.decode());
    set.map_err(|problem| ToolError::format(path, "weights", problem))
}

fn facts(training: &Training, data: &Dataset<FEATURES>, iteration: u32) -> String {
    let names: Vec<String> = training
        .games
        .iter()
        .map(|path| path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()))
        .collect();
    let Regularisation { ridge, smooth, parity } = training.regularisation;
    format!(
        "{} positions ({} held out) of {} games from {}; least squares by conjugate gradients, iteration {iteration}, \
         ridge {ridge}, smooth {smooth}, parity {parity}, lambda {}, seed {}",
        data.training_count(),
        data.validation_count(),
        data.games,
        names.join(" "),
        training.selection.lambda,
        training.selection.seed
    )
}
