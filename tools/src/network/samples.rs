//! The positions to train on, in 24 bytes each.

use std::path::{Path, PathBuf};

use flipside::{
    board::Position,
    eval::{
        Evaluator, Features,
        network::{Network, mobilities},
    },
};
use rayon::prelude::*;

use crate::{
    error::Result,
    training::dataset::{Example, Selection, Source},
};

/// A labelled position with its pattern sum.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    mover: u64,
    opponent: u64,
    // Centi-discs.
    pattern_value: i16,
    label: i16,
}

impl Sample {
    pub(super) fn new(example: &Example, evaluator: &Evaluator) -> Self {
        Self {
            mover: example.position.mover(),
            opponent: example.position.opponent(),
            pattern_value: evaluator.pattern_value(example.position) as i16,
            label: (example.label * 100.0).round() as i16,
        }
    }

    /// The position.
    pub fn position(&self) -> Position {
        // The discs come from a position.
        Position::new(self.mover, self.opponent).unwrap_or(Position::START)
    }

    /// The pattern sum in discs.
    pub fn pattern_value(&self) -> f32 {
        f32::from(self.pattern_value) / 100.0
    }

    /// The value to learn, in discs.
    pub fn label(&self) -> f32 {
        f32::from(self.label) / 100.0
    }

    /// The value in centi-discs that the engine gives the position with a network.
    pub fn engine_value(&self, network: &Network) -> i32 {
        let position = self.position();
        let pattern_value = i32::from(self.pattern_value);
        network.value(&Features::of(position), position.empties(), mobilities(position), pattern_value)
    }
}

/// Samples, split by game.
#[derive(Debug, Default)]
pub struct Samples {
    /// For fitting.
    pub training: Vec<Sample>,
    /// Held out.
    pub validation: Vec<Sample>,
    /// Games read.
    pub games: usize,
}

/// Games read at a time.
const BATCH: usize = 1 << 15;

impl Samples {
    /// Reads all files.
    ///
    /// # Errors
    /// When a file cannot be read or has a bad game.
    pub fn load(paths: &[PathBuf], selection: &Selection, empties: (u32, u32), evaluator: &Evaluator) -> Result<Self> {
        let mut samples = Self::default();
        for path in paths {
            let source = Source::open(path)?;
            for start in (0..source.len()).step_by(BATCH) {
                let numbers = start..(start + BATCH).min(source.len());
                let games: Vec<(bool, Vec<Sample>)> = numbers
                    .into_par_iter()
                    .map(|number| {
                        let (held_out, examples) = source.examples(number, selection, 1.0)?;
                        let wanted = |example: &&Example| (empties.0..=empties.1).contains(&example.position.empties());
                        Ok((held_out, examples.iter().filter(wanted).map(|e| Sample::new(e, evaluator)).collect()))
                    })
                    .collect::<Result<_>>()?;
                for (held_out, game) in games {
                    if held_out { samples.validation.extend(game) } else { samples.training.extend(game) }
                }
            }
            samples.games += source.len();
        }
        Ok(samples)
    }
}

/// All positions of a file that were not reached by random moves.
///
/// # Errors
/// When the file cannot be read or has a bad game.
pub fn load_all(path: &Path, empties: (u32, u32), evaluator: &Evaluator) -> Result<Vec<Sample>> {
    let selection = Selection { validation: 0.0, ..Selection::default() };
    Ok(Samples::load(&[path.to_owned()], &selection, empties, evaluator)?.training)
}
