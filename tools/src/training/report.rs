//! `eval-report`: how well a weights file predicts the outcomes of a game file.

use std::{fmt::Write as _, path::Path};

use rayon::prelude::*;

use super::{
    dataset::{Selection, Source},
    pass::Errors,
};
use crate::{error::Result, searcher::evaluator};

/// Measures the engine's own values (whole centi-discs, clamped) on all selected positions of a file, held-out
/// games only or all of them.
///
/// # Errors
/// When a file cannot be read or is not what it should be.
pub fn measure(
    games: &Path,
    weights: Option<&Path>,
    selection: &Selection,
    held_out_only: bool,
) -> Result<Vec<Errors>> {
    let evaluator = evaluator(weights)?;
    evaluator.prepare(1, 60);
    let source = Source::open(games)?;
    let add = |mut all: Vec<Errors>, number: usize| {
        let (held_out, examples) = source.examples(number, selection, 1.0)?;
        for example in examples.iter().filter(|_| held_out || !held_out_only) {
            let value = f64::from(evaluator.evaluate(example.position)) / 100.0;
            all[example.position.empties() as usize].add(f64::from(example.label) - value);
        }
        Ok(all)
    };
    (0..source.len()).into_par_iter().try_fold(|| vec![Errors::default(); 61], add).try_reduce(
        || vec![Errors::default(); 61],
        |mut all, part| {
            all.iter_mut().zip(&part).for_each(|(all, part)| all.merge(part));
            Ok(all)
        },
    )
}

/// A table of the errors by number of empties.
pub fn table(errors: &[Errors]) -> String {
    let mut text = String::from("empties  positions      MSE    MAE    bias\n");
    let mut row = |name: String, errors: &Errors| {
        let _ = writeln!(
            text,
            "{name:>7} {:>10} {:8.2} {:6.2} {:+7.2}",
            errors.count,
            errors.mean_square(),
            errors.mean_absolute(),
            errors.bias()
        );
    };
    for (empties, errors) in errors.iter().enumerate().filter(|(_, errors)| errors.count > 0) {
        row(empties.to_string(), errors);
    }
    row("all".to_owned(), &Errors::total(errors));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_shows_means() {
        let mut errors = vec![Errors::default(); 3];
        errors[2].add(3.0);
        errors[2].add(-1.0);
        let text = table(&errors);
        assert_eq!(text.lines().nth(1), Some("      2          2     5.00   2.00   +1.00"));
        assert_eq!(text.lines().count(), 3);
    }
}
