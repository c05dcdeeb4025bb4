//! What a match proves: score, Elo with error bars and a sequential test, all from pairs of games.
//!
//! The two games of a pair share their opening, so they are not independent; the pair is the unit of the statistics.

/// Results of a match from the first player's view.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Games won, drawn and lost.
    pub games: [u64; 3],
    /// Pairs by points times two: 0 (lost both) to 4 (won both).
    pub pairs: [u64; 5],
    /// Sum of the final disc differences of all games.
    pub discs: i64,
    /// Sum over the pairs of the squared disc difference of both games together.
    pub pair_discs_squared: i64,
}

/// An estimate with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Lower end.
    pub low: f64,
    /// The estimate.
    pub value: f64,
    /// Upper end.
    pub high: f64,
}

/// Quantile of the normal distribution for a two-sided 95 % interval.
const QUANTILE_95: f64 = 1.959964;

impl Tally {
    /// Counts a pair in: the two final scores from the first player's view.
    pub fn add_pair(&mut self, scores: [i32; 2]) {
        let mut doubled = 2;
        for score in scores {
            self.games[(1 - score.signum()) as usize] += 1;
            self.discs += i64::from(score);
            doubled += score.signum();
        }
        self.pairs[doubled as usize] += 1;
        self.pair_discs_squared += i64::from(scores[0] + scores[1]).pow(2);
    }

    /// Number of pairs.
    pub fn pair_count(&self) -> u64 {
        self.pairs.iter().sum()
    }

    /// Mean score of a game, 0 to 1, and the standard error of that mean; `None` without games.
    pub fn score(&self) -> Option<(f64, f64)> {
        let count = self.pair_count() as f64;
        if count == 0.0 {
            return None;
        }
        let (mean, variance) = moments(&self.pairs.map(|pairs| pairs as f64));
        // Sample variance needs two pairs.
        let variance = if count > 1.0 { variance * count / (count - 1.0) } else { 0.25 };
        Some((mean, (variance / count).sqrt()))
    }

    /// Elo difference (positive when the first player is stronger); infinite at the ends.
    pub fn elo(&self) -> Option<Estimate> {
        let (mean, error) = self.score()?;
        let margin = QUANTILE_95 * error;
        Some(Estimate { low: elo_of(mean - margin), value: elo_of(mean), high: elo_of(mean + margin) })
    }

    /// Mean disc difference of a game with its interval.
    pub fn mean_discs(&self) -> Option<Estimate> {
        let count = self.pair_count() as f64;
        if count == 0.0 {
            return None;
        }
        let pair_mean = self.discs as f64 / count;
        let variance = (self.pair_discs_squared as f64 / count - pair_mean * pair_mean).max(0.0);
        let margin = QUANTILE_95 * (variance / (count - 1.0).max(1.0)).sqrt() / 2.0;
        let value = pair_mean / 2.0;
        Some(Estimate { low: value - margin, value, high: value + margin })
    }
}

/// Mean and variance of the score over weighted pair results.
fn moments(pairs: &[f64; 5]) -> (f64, f64) {
    let count: f64 = pairs.iter().sum();
    let score = |points: usize| points as f64 / 4.0;
    let mean = pairs.iter().enumerate().map(|(points, weight)| score(points) * weight).sum::<f64>() / count;
    let square = |(points, weight): (usize, &f64)| (score(points) - mean).powi(2) * weight;
    (mean, pairs.iter().enumerate().map(square).sum::<f64>() / count)
}

/// The Elo difference that gives a mean score.
pub fn elo_of(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        -400.0 * (score.recip() - 1.0).log10()
    }
}

/// The mean score that an Elo difference gives.
pub fn score_of(elo: f64) -> f64 {
    (1.0 + 10.0_f64.powf(-elo / 400.0)).recip()
}

/// A sequential probability ratio test (Wald 1945) of two Elo differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// The difference under the null hypothesis.
    pub elo0: f64,
    /// The difference under the alternative.
    pub elo1: f64,
    /// Probability of accepting the alternative wrongly.
    pub alpha: f64,
    /// Probability of accepting the null hypothesis wrongly.
    pub beta: f64,
}

/// What a test says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Play on.
    Open,
    /// The null hypothesis is accepted.
    Null,
    /// The alternative is accepted.
    Alternative,
}

/// Weight given to each kind of pair beyond those seen, so that the variance is never zero.
const PRIOR: f64 = 0.1;

impl Sprt {
    /// The log likelihood ratio of the alternative to the null hypothesis, in the normal approximation to the
    /// generalised test over pair results (M. Van den Bergh, "A practical introduction to the GSPRT").
    pub fn log_likelihood_ratio(&self, tally: &Tally) -> f64 {
        let pairs = tally.pairs.map(|pairs| pairs as f64 + PRIOR);
        let (mean, variance) = moments(&pairs);
        let (low, high) = (score_of(self.elo0), score_of(self.elo1));
        let count: f64 = pairs.iter().sum();
        count * (high - low) * (2.0 * mean - low - high) / (2.0 * variance)
    }

    /// The ratios at which the null hypothesis and the alternative are accepted.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The verdict so far.
    pub fn verdict(&self, tally: &Tally) -> Verdict {
        // A handful of pairs can look one-sided with almost no variance.
        if tally.pair_count() < 8 {
            return Verdict::Open;
        }
        let (low, high) = self.bounds();
        match self.log_likelihood_ratio(tally) {
            ratio if ratio <= low => Verdict::Null,
            ratio if ratio >= high => Verdict::Alternative,
            _ => Verdict::Open,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() <= tolerance, "{a} is not {b}");
    }

    #[test]
    fn elo_of_known_scores() {
        near(elo_of(0.5), 0.0, 1e-9);
        near(elo_of(0.75), 190.848, 1e-3);
        near(elo_of(10.0 / 11.0), 400.0, 1e-9);
        near(score_of(100.0), 0.640065, 1e-6);
        assert_eq!((elo_of(0.0), elo_of(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
    }

    #[test]
    fn a_tally_counts_games_and_pairs() {
        let mut tally = Tally::default();
        assert_eq!((tally.score(), tally.elo(), tally.mean_discs()), (None, None, None));
        for scores in [[10, 4], [2, -2], [0, -6], [-64, -1], [0, 0]] {
            tally.add_pair(scores);
        }
        assert_eq!(tally.games, [3, 3, 4]);
        assert_eq!(tally.pairs, [1, 1, 2, 0, 1]);
        let (score, error) = tally.score().unwrap();
        near(score, 0.45, 1e-12);
        // Pair scores 1, .5, .25, 0, .5: sample variance .1375.
        near(error, (0.1375_f64 / 5.0).sqrt(), 1e-12);
        near(tally.mean_discs().unwrap().value, -5.7, 1e-12);
    }

    #[test]
    fn pairs_that_cancel_out_leave_no_error() {
        let mut tally = Tally::default();
        (0..50).for_each(|_| tally.add_pair([30, -30]));
        let elo = tally.elo().unwrap();
        near(elo.low, 0.0, 1e-9);
        near(elo.high, 0.0, 1e-9);
    }

    #[test]
    fn the_sequential_test_decides() {
        let test = Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 };
        near(test.bounds().1, 2.944439, 1e-6);
        near(test.bounds().0, -2.944439, 1e-6);
        let tally = |pairs| Tally { pairs, ..Tally::default() };
        assert_eq!(test.verdict(&tally([0, 0, 0, 0, 5])), Verdict::Open);
        assert_eq!(test.verdict(&tally([100, 300, 1200, 500, 200])), Verdict::Alternative);
        assert_eq!(test.verdict(&tally([200, 500, 1200, 300, 100])), Verdict::Null);
        // By hand: 2000 pairs of mean 0.5125 and variance 0.0173438; the two hypotheses' scores are 0.5 and 0.514387.
        let ratio = test.log_likelihood_ratio(&tally([10, 190, 1500, 290, 10]));
        near(ratio, 2000.0 * 0.014387 * (1.025 - 1.014387) / (2.0 * 0.0173438), 0.05);
    }
}
