//! A normal distribution whose mean and log standard deviation are linear in empties and depths.

use std::fmt::Write as _;

/// How far a shallow search was off.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pair {
    /// Empties of the position.
    pub empties: u32,
    /// Depth of the deep search; the number of empties when it is exact.
    pub deep: u32,
    /// Depth of the shallow search.
    pub shallow: u32,
    /// Deep score minus shallow score in discs.
    pub error: f64,
}

/// What the model is linear in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Term {
    /// The constant.
    One,
    /// Number of empties.
    Empties,
    /// Deep depth.
    Deep,
    /// Shallow depth.
    Shallow,
}

/// Terms of the midgame model.
pub const MIDGAME: &[Term] = &[Term::One, Term::Empties, Term::Deep, Term::Shallow];

/// Terms of the endgame model, whose deep depth is the number of empties.
pub const ENDGAME: &[Term] = &[Term::One, Term::Empties, Term::Shallow];

impl Term {
    fn of(self, pair: &Pair) -> f64 {
        match self {
            Self::One => 1.0,
            Self::Empties => f64::from(pair.empties),
            Self::Deep => f64::from(pair.deep),
            Self::Shallow => f64::from(pair.shallow),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::One => "",
            Self::Empties => " * empties",
            Self::Deep => " * deep",
            Self::Shallow => " * shallow",
        }
    }
}

/// A fitted model.
#[derive(Clone, PartialEq, Debug)]
pub struct Fit {
    terms: &'static [Term],
    /// Coefficients of the mean, in discs.
    pub mean: Vec<f64>,
    /// Coefficients of the natural logarithm of the standard deviation in discs.
    pub log_sigma: Vec<f64>,
}

/// Squared deviations beyond this many variances count as this many: a few wipe-outs must not widen every margin.
const LARGEST_SQUARE: f64 = 16.0;

const ROUNDS: usize = 60;

impl Fit {
    /// The model of greatest likelihood by Fisher scoring; with mean zero unless `centred`. `None` when the pairs do
    /// not determine it.
    pub fn new(pairs: &[Pair], terms: &'static [Term], centred: bool) -> Option<Self> {
        if pairs.len() < 4 * terms.len() {
            return None;
        }
        let rows: Vec<Vec<f64>> = pairs.iter().map(|pair| terms.iter().map(|term| term.of(pair)).collect()).collect();
        let (_, sigma) = moments(pairs);
        let mut fit = Self { terms, mean: vec![0.0; terms.len()], log_sigma: vec![0.0; terms.len()] };
        fit.log_sigma[0] = sigma.max(1e-3).ln();
        for _ in 0..ROUNDS {
            if centred {
                let weights = rows.iter().map(|row| (-2.0 * dot(row, &fit.log_sigma)).exp());
                let targets = pairs.iter().map(|pair| pair.error);
                fit.mean = weighted_least_squares(&rows, weights, targets)?;
            }
            let targets = rows.iter().zip(pairs).map(|(row, pair)| {
                let deviation = (pair.error - dot(row, &fit.mean)) / dot(row, &fit.log_sigma).exp();
                // The expected second derivative of the log likelihood is 2.
                ((deviation * deviation).min(LARGEST_SQUARE) - 1.0) / 2.0
            });
            let step = weighted_least_squares(&rows, std::iter::repeat(1.0), targets)?;
            fit.log_sigma.iter_mut().zip(&step).for_each(|(coefficient, step)| *coefficient += step);
        }
        Some(fit)
    }

    fn row(&self, pair: &Pair) -> Vec<f64> {
        self.terms.iter().map(|term| term.of(pair)).collect()
    }

    /// Mean of the error for a pair's depths.
    pub fn mean_of(&self, pair: &Pair) -> f64 {
        dot(&self.row(pair), &self.mean)
    }

    /// Standard deviation of the error for a pair's depths.
    pub fn sigma_of(&self, pair: &Pair) -> f64 {
        dot(&self.row(pair), &self.log_sigma).exp()
    }

    /// Coefficients of the constant, of empties, deep and shallow depth, 0 for those that the model lacks.
    pub fn coefficients(&self, coefficients: &[f64]) -> [f64; 4] {
        let of =
            |wanted| self.terms.iter().zip(coefficients).find(|(term, _)| **term == wanted).map_or(0.0, |(_, &c)| c);
        [of(Term::One), of(Term::Empties), of(Term::Deep), of(Term::Shallow)]
    }

    /// Coefficients as an expression.
    pub fn formula(&self, coefficients: &[f64]) -> String {
        let mut text = String::new();
        for (term, coefficient) in self.terms.iter().zip(coefficients) {
            let sign = match (text.is_empty(), *coefficient < 0.0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            let _ = write!(text, "{sign}{:.5}{}", coefficient.abs(), term.name());
        }
        text
    }
}

/// Mean and standard deviation of the errors.
pub fn moments(pairs: &[Pair]) -> (f64, f64) {
    let count = pairs.len().max(1) as f64;
    let mean = pairs.iter().map(|pair| pair.error).sum::<f64>() / count;
    let variance = pairs.iter().map(|pair| (pair.error - mean).powi(2)).sum::<f64>() / count;
    (mean, variance.sqrt())
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Solves the weighted normal equations; `None` when they are singular.
fn weighted_least_squares(
    rows: &[Vec<f64>],
    weights: impl Iterator<Item = f64>,
    targets: impl Iterator<Item = f64>,
) -> Option<Vec<f64>> {
    let size = rows.first()?.len();
    let mut matrix = vec![vec![0.0; size + 1]; size];
    for ((row, weight), target) in rows.iter().zip(weights).zip(targets) {
        for (line, &value) in matrix.iter_mut().zip(row) {
            for (cell, &other) in line.iter_mut().zip(row) {
                *cell += weight * value * other;
            }
            line[size] += weight * value * target;
        }
    }
    // Elimination with row pivots.
    for column in 0..size {
        let pivot = (column..size).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        matrix.swap(column, pivot);
        let lead = matrix[column].clone();
        if !(lead[column].abs() > 1e-9 && lead[column].is_finite()) {
            return None;
        }
        for (index, line) in matrix.iter_mut().enumerate().filter(|(index, _)| *index != column) {
            debug_assert_ne!(index, column);
            let factor = line[column] / lead[column];
            line.iter_mut().zip(&lead).for_each(|(cell, lead)| *cell -= factor * lead);
        }
    }
    Some((0..size).map(|index| matrix[index][size] / matrix[index][index]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// A normal random number (Box and Muller).
    fn normal(rng: &mut Rng) -> f64 {
        (-2.0 * rng.unit().max(1e-300).ln()).sqrt() * (std::f64::consts::TAU * rng.unit()).cos()
    }

    #[test]
    fn a_known_model_is_found() {
        let (mean, log_sigma) = ([0.5, -0.01, 0.02, -0.03], [1.3, -0.01, 0.02, -0.06]);
        let truth = Fit { terms: MIDGAME, mean: mean.to_vec(), log_sigma: log_sigma.to_vec() };
        let mut rng = Rng::new(1);
        let pairs: Vec<Pair> = (0..100_000)
            .map(|_| {
                let deep = 2 + rng.below(12) as u32;
                let shallow = rng.below(u64::from(deep)) as u32;
                let mut pair = Pair { empties: 10 + rng.below(45) as u32, deep, shallow, error: 0.0 };
                pair.error = truth.mean_of(&pair) + truth.sigma_of(&pair) * normal(&mut rng);
                pair
            })
            .collect();
        let fit = Fit::new(&pairs, MIDGAME, true).unwrap();
        for (found, expected) in fit.log_sigma.iter().zip(&log_sigma) {
            assert!((found - expected).abs() < 0.03 * (1.0 + expected.abs()), "{fit:?}");
        }
        let probe = Pair { empties: 30, deep: 8, shallow: 2, error: 0.0 };
        assert!((fit.mean_of(&probe) - truth.mean_of(&probe)).abs() < 0.05, "{fit:?}");
        assert!((fit.sigma_of(&probe) / truth.sigma_of(&probe) - 1.0).abs() < 0.01, "{fit:?}");
        let around_zero = Fit::new(&pairs, MIDGAME, false).unwrap();
        assert!(around_zero.mean.iter().all(|&coefficient| coefficient == 0.0));
        assert!(around_zero.sigma_of(&probe) >= fit.sigma_of(&probe));
    }

    #[test]
    fn what_is_not_determined_is_refused() {
        let pair = Pair { empties: 20, deep: 8, shallow: 2, error: 1.0 };
        assert_eq!(Fit::new(&[pair; 3], MIDGAME, true), None);
        assert_eq!(Fit::new(&[pair; 100], MIDGAME, true), None);
    }

    #[test]
    fn formulas_read_like_code() {
        let fit = Fit { terms: ENDGAME, mean: vec![-0.5, 0.25, -0.125], log_sigma: vec![0.0; 3] };
        assert_eq!(fit.formula(&fit.mean), "-0.50000 + 0.25000 * empties - 0.12500 * shallow");
    }
}
