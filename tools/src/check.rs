//! `check`: replays every game of a file and prints statistics.

use std::{collections::HashSet, fmt::Write as _, path::Path};

use flipside::eval::Evaluator;
use rayon::prelude::*;

use crate::{
    error::{Result, ToolError},
    games::{GameFile, GameRecord},
    rng::Rng,
    searcher::{LARGE_TABLE_MIB, SearcherPool},
};

/// Figures of a checked file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Games.
    pub games: usize,
    /// Bytes of an incomplete record at the end.
    pub tail: usize,
    /// Placements in all games.
    pub placements: u64,
    /// Placements that were not random: the positions for training.
    pub played: u64,
    /// Games that ended before the board was full.
    pub short_games: usize,
    /// Black wins, draws, white wins.
    pub results: [usize; 3],
    /// Sum of the scores' sizes.
    pub score_sum: u64,
    /// Distinct positions (modulo symmetry) after the random plies.
    pub distinct_openings: usize,
    /// Games flagged as repeating an opening.
    pub repeated: usize,
    /// Games by number of random plies.
    pub random_plies: Vec<usize>,
    /// Games whose score was proven again by solving.
    pub solved: usize,
}

/// Replays all games; solves `solve` of them, chosen at random, from where play was exact.
///
/// # Errors
/// Names the first damaged, illegal or wrongly scored game.
pub fn check(path: &Path, solve: usize) -> Result<Statistics> {
    let file = GameFile::open(path)?;
    let replayed: Vec<(GameRecord, u64)> = (0..file.len())
        .into_par_iter()
        .map(|number| {
            let game = file.game(number)?;
            let replay = game.replay().map_err(|problem| ToolError::format(path, format!("game {number}"), problem))?;
            let opening = replay.iter().find(|ply| !ply.random).map_or(0, |ply| ply.position.canonical().hash());
            Ok((game, opening))
        })
        .collect::<Result<_>>()?;
    let mut statistics = Statistics { games: file.len(), tail: file.tail(), ..Statistics::default() };
    statistics.random_plies = vec![0; 64];
    for (game, _) in &replayed {
        let random = usize::from(game.random_plies);
        statistics.placements += game.placements.len() as u64;
        statistics.played += (game.placements.len() - random) as u64;
        statistics.short_games += usize::from(game.placements.len() < 60);
        statistics.results[(1 - game.score.signum()) as usize] += 1;
        statistics.score_sum += u64::from(game.score.unsigned_abs());
        statistics.repeated += usize::from(game.repeated_opening);
        statistics.random_plies[random] += 1;
    }
    statistics.distinct_openings = replayed.iter().map(|(_, opening)| opening).collect::<HashSet<_>>().len();
    let exact = u32::from(file.header().exact_empties);
    let mut numbers: Vec<usize> = (0..file.len()).collect();
    Rng::new(file.header().seed).shuffle(&mut numbers);
    numbers.truncate(solve);
    let searchers = SearcherPool::new(Evaluator::default(), LARGE_TABLE_MIB);
    numbers.par_iter().try_for_each(|&number| {
        let Ok(replay) = replayed[number].0.replay() else { return Ok(()) };
        let Some(ply) = replay.iter().find(|ply| !ply.random && ply.position.empties() <= exact) else {
            return Ok(());
        };
        let solved = searchers.with(|searcher| searcher.solve(ply.position));
        if solved == i32::from(ply.score) {
            return Ok(());
        }
        let problem = format!(
            "with {} empties the score is {}, expected the exact score {solved}",
            ply.position.empties(),
            ply.score
        );
        Err(ToolError::format(path, format!("game {number}"), problem))
    })?;
    statistics.solved = numbers.len();
    Ok(statistics)
}

impl Statistics {
    /// The statistics as text.
    pub fn text(&self) -> String {
        let games = self.games.max(1) as f64;
        let mut text = String::new();
        let [black, draws, white] = self.results;
        let _ = writeln!(text, "{} games, all legal and rightly scored", self.games);
        if self.tail > 0 {
            let _ = writeln!(text, "{} bytes of an incomplete game at the end (dropped on resuming)", self.tail);
        }
        let _ = writeln!(text, "black wins {black}, draws {draws}, white wins {white}");
        let _ = writeln!(text, "mean size of the score {:.2}", self.score_sum as f64 / games);
        let _ =
            writeln!(text, "mean placements {:.2}, {} short games", self.placements as f64 / games, self.short_games);
        let _ = writeln!(text, "{} positions after the random plies", self.played);
        let _ = writeln!(text, "{} distinct openings, {} marked as repeated", self.distinct_openings, self.repeated);
        if self.solved > 0 {
            let _ = writeln!(text, "{} games solved again", self.solved);
        }
        let counts = self.random_plies.iter().enumerate().filter(|&(_, &count)| count > 0);
        let counts: Vec<String> = counts.map(|(plies, count)| format!("{plies}:{count}")).collect();
        let _ = writeln!(text, "games by random plies: {}", counts.join(" "));
        text
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::test_files::TestDir;

    #[test]
    fn a_sound_file_passes_and_a_damaged_one_is_named() {
        let dir = TestDir::new("check");
        let path = dir.games(30, 8, (10, 20), 4);
        let statistics = check(&path, 30).unwrap();
        assert_eq!((statistics.games, statistics.solved, statistics.repeated), (30, 30, 0));
        assert_eq!(statistics.distinct_openings, 30);
        assert!(statistics.text().starts_with("30 games"));
        let mut bytes = fs::read(&path).unwrap();
        bytes[32 + 64 * 7 + 20] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let message = check(&path, 0).unwrap_err().to_string();
        assert!(message.contains("game 7: checksum"), "{message}");
    }
}
