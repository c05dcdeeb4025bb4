//! The weights that order moves near the end: [`sample`] measures what the moves of cut nodes cost, [`fit`] fits
//! weights to that.

pub mod fit;
pub mod sample;

use std::{fmt::Write as _, path::Path};

use crate::{
    error::{Result, ToolError},
    files::write_whole,
};
use fit::Fitting;

/// Fits weights to a file of samples and writes them; returns a report of the held-out nodes.
///
/// # Errors
/// When the samples cannot be read, are none, or the weights cannot be written.
pub fn fit_file(samples: &Path, fitting: &Fitting, out: &Path) -> Result<String> {
    let nodes = sample::read(samples)?;
    if nodes.is_empty() {
        return Err(ToolError::format(samples, "samples", "no nodes"));
    }
    let facts = format!(
        "{} cut nodes; {} passes, sharpness {}, rate {}, seed {}",
        nodes.len(),
        fitting.epochs,
        fitting.sharpness,
        fitting.rate,
        fitting.seed
    );
    let (weights, qualities) = fit::fit(&nodes, fitting, facts);
    write_whole(out, &weights.encode())?;
    let mut text = String::from("empties    nodes  cost/least  typical  first move fails\n");
    for (empties, quality) in qualities {
        let _ = writeln!(
            text,
            "{empties:>7} {:>8} {:>11.4} {:>8.4} {:>16.2}%",
            quality.nodes,
            quality.ratio,
            quality.typical,
            100.0 * quality.first_fails
        );
    }
    Ok(text)
}
