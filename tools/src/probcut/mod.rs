//! `fit-probcut`: how well shallow searches foretell deep ones.
//!
//! Probabilistic cuts need the distribution of (deep score − shallow score). This measures it on positions of a game
//! file: in the midgame for pairs of depths of equal parity, in the endgame for the exact score against shallow
//! depths. [`model`] fits mean and standard deviation to the pairs.

pub mod model;

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use flipside::{
    board::Position,
    eval::Evaluator,
    search::{MIDGAME_PROBCUT_DEPTH, Selectivity, deviations, midgame_probe_depth},
};
use rayon::prelude::*;

use crate::{
    error::{Result, ToolError},
    games::GameFile,
    rng::Rng,
    searcher::{LARGE_TABLE_MIB, Searcher, SearcherPool},
};
use model::{Fit, Pair};

/// What to measure.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measurement {
    /// Positions for each number of empties.
    pub per_empties: usize,
    /// Least and greatest number of empties for the midgame.
    pub midgame: (u32, u32),
    /// Deepest midgame search.
    pub deepest: u32,
    /// Least and greatest number of empties for the endgame.
    pub endgame: (u32, u32),
    /// Deepest shallow search for the endgame.
    pub deepest_shallow: u32,
    /// Seed of the choice of positions.
    pub seed: u64,
}

/// The pairs of both kinds.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Deep and shallow search.
    pub midgame: Vec<Pair>,
    /// Exact score and shallow search; `deep` is the number of empties.
    pub endgame: Vec<Pair>,
}

/// A chosen position, with its exact score when play in its game was exact.
#[derive(Clone, Copy, Debug)]
struct Sample {
    position: Position,
    exact: Option<i32>,
}

/// Searches the positions of a game file.
///
/// # Errors
/// When the file cannot be read or is damaged.
pub fn measure(path: &Path, measurement: &Measurement, evaluator: &Evaluator) -> Result<Measured> {
    let games = GameFile::open(path)?;
    let samples = choose(&games, measurement)?;
    if samples.is_empty() {
        return Err(ToolError::format(path, "games", "no positions with the wanted numbers of empties"));
    }
    let searchers = SearcherPool::new(evaluator.clone(), LARGE_TABLE_MIB);
    let (count, done) = (samples.len(), AtomicUsize::new(0));
    let parts: Vec<Measured> = samples
        .into_par_iter()
        .with_max_len(1)
        .map(|sample| {
            let measured = searchers.with(|searcher| search(searcher, sample, measurement));
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(100) {
                eprintln!("{done} of {count} positions searched");
            }
            measured
        })
        .collect();
    let mut all = Measured::default();
    for part in parts {
        all.midgame.extend(part.midgame);
        all.endgame.extend(part.endgame);
    }
    Ok(all)
}

/// Positions spread over the numbers of empties, at most one of a game for each kind.
fn choose(games: &GameFile, measurement: &Measurement) -> Result<Vec<Sample>> {
    let exact_empties = u32::from(games.header().exact_empties);
    let mut order: Vec<usize> = (0..games.len()).collect();
    let mut rng = Rng::stream(measurement.seed, 0x9C07);
    rng.shuffle(&mut order);
    let mut counts = [0; 65];
    let mut samples = Vec::new();
    for number in order {
        let replay = games.game(number)?.replay();
        let replay = replay.map_err(|problem| ToolError::format(games.path(), format!("game {number}"), problem))?;
        let mut wanted: Vec<Sample> = replay
            .iter()
            .filter(|ply| !ply.random)
            .filter(|ply| {
                let empties = ply.position.empties();
                let within = |range: (u32, u32)| (range.0..=range.1).contains(&empties);
                let open = counts[empties as usize] < measurement.per_empties;
                open && (within(measurement.midgame) || within(measurement.endgame))
            })
            .map(|ply| Sample {
                position: ply.position,
                exact: (ply.position.empties() <= exact_empties).then_some(i32::from(ply.score)),
            })
            .collect();
        rng.shuffle(&mut wanted);
        // The rarest number of empties first, so that the early ones are not left behind.
        if let Some(sample) = wanted.into_iter().min_by_key(|sample| counts[sample.position.empties() as usize]) {
            counts[sample.position.empties() as usize] += 1;
            samples.push(sample);
        }
    }
    // The dear ones first: no thread is left with one at the end.
    samples.sort_by_key(|sample| std::cmp::Reverse(sample.position.empties()));
    Ok(samples)
}

fn search(searcher: &mut Searcher, sample: Sample, measurement: &Measurement) -> Measured {
    let Sample { position, exact } = sample;
    let empties = position.empties();
    let mut measured = Measured::default();
    let within = |range: (u32, u32)| (range.0..=range.1).contains(&empties);
    let in_midgame = within(measurement.midgame);
    let in_endgame = within(measurement.endgame);
    let deepest = if in_midgame { measurement.deepest } else { 0 };
    let deepest = deepest.max(if in_endgame { measurement.deepest_shallow } else { 0 }).min(empties.saturating_sub(1));
    let scores: Vec<f64> = (0..=deepest).map(|depth| f64::from(searcher.value(position, depth)) / 100.0).collect();
    if in_midgame {
        for deep in 1..=measurement.deepest.min(deepest) {
            for shallow in (deep % 2..deep).step_by(2) {
                let error = scores[deep as usize] - scores[shallow as usize];
                measured.midgame.push(Pair { empties, deep, shallow, error });
            }
        }
    }
    if in_endgame {
        let exact = f64::from(exact.unwrap_or_else(|| searcher.solve(position)));
        for shallow in 0..=measurement.deepest_shallow.min(deepest) {
            measured.endgame.push(Pair { empties, deep: empties, shallow, error: exact - scores[shallow as usize] });
        }
    }
    measured
}

/// Both fits as text: formulas, calibration and a table of the measured cells.
pub fn report(measured: &Measured) -> String {
    let mut text = String::new();
    for (name, pairs, terms, to_end) in
        [("midgame", &measured.midgame, model::MIDGAME, false), ("endgame", &measured.endgame, model::ENDGAME, true)]
    {
        let (Some(centred), Some(around_zero)) = (Fit::new(pairs, terms, true), Fit::new(pairs, terms, false)) else {
            let _ = writeln!(text, "# {name}: {} pairs are too few for a fit", pairs.len());
            continue;
        };
        let _ = writeln!(text, "# {name}, {} pairs, in discs", pairs.len());
        let _ = writeln!(text, "# mean      = {}", centred.formula(&centred.mean));
        let _ = writeln!(text, "# ln sigma  = {}   (around that mean)", centred.formula(&centred.log_sigma));
        let _ = writeln!(text, "# ln sigma  = {}   (around zero)", around_zero.formula(&around_zero.log_sigma));
        for selectivity in Selectivity::ALL {
            let Some(deviations) = deviations(selectivity, to_end).map(f64::from) else { continue };
            let percent = selectivity.percent();
            let _ = writeln!(
                text,
                "# {percent} %: a cut at {deviations:.2} sigma is wrong upwards in {:.2} %, downwards in {:.2} %",
                100.0 * share(pairs, |pair| pair.error < centred.mean_of(pair) - deviations * centred.sigma_of(pair)),
                100.0 * share(pairs, |pair| pair.error > centred.mean_of(pair) + deviations * centred.sigma_of(pair)),
            );
        }
        let _ = writeln!(text, "kind\tempties\tdeep\tshallow\tpairs\tmean\tsigma\tmodel mean\tmodel sigma");
        let mut cells: BTreeMap<(u32, u32, u32), Vec<Pair>> = BTreeMap::new();
        for &pair in pairs {
            cells.entry((pair.empties, pair.deep, pair.shallow)).or_default().push(pair);
        }
        for ((empties, deep, shallow), cell) in cells {
            let (mean, sigma) = model::moments(&cell);
            let _ = writeln!(
                text,
                "{name}\t{empties}\t{deep}\t{shallow}\t{}\t{mean:.3}\t{sigma:.3}\t{:.3}\t{:.3}",
                cell.len(),
                centred.mean_of(&cell[0]),
                centred.sigma_of(&cell[0])
            );
        }
    }
    text
}

/// The table that the engine reads: the model of the endgame, and that of the midgame fitted to the pairs of depths
/// that the engine uses. `None` when there are too few.
pub fn table(measured: &Measured) -> Option<String> {
    let used = |pair: &&Pair| pair.deep >= MIDGAME_PROBCUT_DEPTH && pair.shallow == midgame_probe_depth(pair.deep);
    let midgame: Vec<Pair> = measured.midgame.iter().filter(used).copied().collect();
    let mut text = String::from(
        "# ln of the standard deviation in discs of (deep score - shallow score) around zero:\n\
         # constant, by empties, by deep depth, by shallow depth. Written by fit-probcut.\n",
    );
    for (name, pairs, terms) in [("midgame", &midgame, model::MIDGAME), ("endgame", &measured.endgame, model::ENDGAME)]
    {
        let fit = Fit::new(pairs, terms, false)?;
        let [constant, empties, deep, shallow] = fit.coefficients(&fit.log_sigma);
        let _ = writeln!(text, "# {name}: {} pairs of searches", pairs.len());
        let _ = writeln!(text, "{name} {constant:.5} {empties:.5} {deep:.5} {shallow:.5}");
    }
    Some(text)
}

fn share(pairs: &[Pair], test: impl Fn(&Pair) -> bool) -> f64 {
    pairs.iter().filter(|pair| test(pair)).count() as f64 / pairs.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::TestDir;

    #[test]
    fn pairs_are_measured_and_reported() {
        let dir = TestDir::new("probcut");
        let path = dir.games(60, 10, (30, 40), 4);
        let measurement = Measurement {
            per_empties: 3,
            midgame: (12, 20),
            deepest: 4,
            endgame: (8, 12),
            deepest_shallow: 3,
            seed: 1,
        };
        let measured = measure(&path, &measurement, &Evaluator::default()).unwrap();
        assert!(measured.midgame.iter().all(|pair| pair.deep % 2 == pair.shallow % 2 && pair.deep <= 4));
        // Four depths of equal parity: 1 has none below, 2 has 0, 3 has 1, 4 has 0 and 2.
        assert_eq!(measured.midgame.len(), 9 * 3 * 4);
        assert_eq!(measured.endgame.len(), 5 * 3 * 4);
        let text = report(&measured);
        assert_eq!(text.lines().filter(|line| line.starts_with("# ln sigma")).count(), 4);
        let none = Measurement { midgame: (60, 60), endgame: (60, 60), ..measurement };
        assert!(measure(&path, &none, &Evaluator::default()).unwrap_err().to_string().contains("no positions"));
    }
}
