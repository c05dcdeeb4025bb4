//! Multi-ProbCut (M. Buro, "Experiments with Multi-ProbCut and a new high-quality evaluation function for Othello",
//! 1997): when a shallow search lies far enough outside the window, the deep one is taken to do so too. Here: the
//! model of the error between shallow and deep searches, as fitted to the embedded weights.

use once_cell::sync::Lazy;
use thiserror::Error;

use super::Selectivity;

/// Standard deviations of the error that a cut must clear, by selectivity.
///
/// A cut can only be wrong to one side. Searches to the end, most of which prepare a surer one, take a level's one-sided
/// quantile of the normal distribution; midgame searches, whose score is the answer, about the wider two-sided one.
pub const fn deviations(selectivity: Selectivity, to_end: bool) -> Option<f32> {
    let (one_sided, two_sided) = match selectivity {
        Selectivity::P73 => (0.61, 1.1),
        Selectivity::P87 => (1.13, 1.5),
        Selectivity::P95 => (1.64, 2.0),
        Selectivity::P98 => (2.05, 2.3),
        Selectivity::P99 => (2.33, 2.6),
        Selectivity::None => return None,
    };
    Some(if to_end { one_sided } else { two_sided })
}

/// Depth of the shallow search for a midgame search of `depth` plies.
#[inline(always)]
pub const fn midgame_probe_depth(depth: u32) -> u32 {
    2 * (depth / 5) + (depth & 1)
}

/// Depth of the shallow search for a search to the end.
pub(super) const ENDGAME_PROBE_DEPTH: u32 = 4;

/// Least depth of a midgame search that may be cut.
pub const MIDGAME_PROBCUT_DEPTH: u32 = 5;

/// The fitted model, a file that the tool `fit-probcut` writes.
static TABLE: &str = include_str!("../eval/probcut.txt");

/// Empties or depths that the tables cover.
const SIZE: usize = 64;

/// Standard deviations of (deep score − shallow score) in centi-discs.
struct Model {
    // By empties and depth, for the probe depth that belongs to it.
    midgame: Box<[[f32; SIZE]; SIZE]>,
    // By empties.
    endgame: [f32; SIZE],
}

static MODEL: Lazy<Model> = Lazy::new(|| {
    // The file is part of the program and checked by a test: it cannot be refused here.
    Model::parse(TABLE).unwrap_or_else(|error| panic!("src/eval/probcut.txt: {error}"))
});

/// Why a table was refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
enum TableError {
    #[error("line {0}: expected midgame or endgame and four numbers")]
    Line(usize),
    #[error("expected a line for each of midgame and endgame")]
    Incomplete,
}

impl Model {
    /// Reads lines of a kind (`midgame`, `endgame`) and the four coefficients of ln σ, σ in discs: constant, by
    /// empties, by deep depth, by shallow depth. Lines that begin with `#` do not count.
    fn parse(text: &str) -> Result<Self, TableError> {
        let (mut midgame, mut endgame) = (None, None);
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
            let error = TableError::Line(number + 1);
            let mut words = line.split_whitespace();
            let kind = match words.next() {
                Some("midgame") => &mut midgame,
                Some("endgame") => &mut endgame,
                _ => return Err(error),
            };
            let numbers: Result<Vec<f32>, _> = words.map(str::parse).collect();
            let numbers: Option<[f32; 4]> = numbers.ok().and_then(|numbers| numbers.try_into().ok());
            *kind = Some(numbers.ok_or(error)?);
        }
        let (Some(midgame), Some(endgame)) = (midgame, endgame) else { return Err(TableError::Incomplete) };
        let sigma = |coefficients: [f32; 4], empties: usize, deep: usize, shallow: u32| {
            let row = [1.0, empties as f32, deep as f32, shallow as f32];
            100.0 * coefficients.iter().zip(&row).map(|(a, b)| a * b).sum::<f32>().exp()
        };
        let mut model = Self { midgame: Box::new([[0.0; SIZE]; SIZE]), endgame: [0.0; SIZE] };
        for empties in 0..SIZE {
            for deep in 0..SIZE {
                model.midgame[empties][deep] = sigma(midgame, empties, deep, midgame_probe_depth(deep as u32));
            }
            model.endgame[empties] = sigma(endgame, empties, empties, ENDGAME_PROBE_DEPTH);
        }
        Ok(model)
    }
}

/// Standard deviation in centi-discs of the probe's error for a midgame search of `depth` plies.
#[inline(always)]
pub(super) fn midgame_deviation(empties: u32, depth: u32) -> f32 {
    MODEL.midgame[empties as usize % SIZE][depth as usize % SIZE]
}

/// Standard deviation in centi-discs of the probe's error for a search to the end.
#[inline(always)]
pub(super) fn endgame_deviation(empties: u32) -> f32 {
    MODEL.endgame[empties as usize % SIZE]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_table_is_sound() {
        let model = Model::parse(TABLE).unwrap();
        for empties in 10..=55 {
            for depth in MIDGAME_PROBCUT_DEPTH as usize..=20 {
                let sigma = model.midgame[empties][depth];
                assert!((50.0..1500.0).contains(&sigma), "{empties} {depth}: {sigma}");
            }
            let sigma = model.endgame[empties];
            assert!((100.0..2500.0).contains(&sigma), "{empties}: {sigma}");
        }
    }

    #[test]
    fn bad_tables_are_refused() {
        assert_eq!(Model::parse("midgame 1 2 3").err(), Some(TableError::Line(1)));
        assert_eq!(Model::parse("# x\nmiddle 1 2 3 4").err(), Some(TableError::Line(2)));
        assert_eq!(Model::parse("midgame 1 2 3 4").err(), Some(TableError::Incomplete));
    }
}
