//! Self-play: games from random openings, the material of training.

mod openings;

use std::{
    io::Write,
    path::Path,
    time::{Duration, Instant},
};

use flipside::{board::Game, eval::Evaluator};
use rayon::prelude::*;

use crate::{
    error::{Result, ToolError},
    games::{GameRecord, GameWriter, Header},
    searcher::{SMALL_TABLE_MIB, Searcher, SearcherPool, choose_move},
};
pub use openings::{Opening, Openings};

/// What to play.
#[derive(Clone, Debug)]
pub struct SelfPlay {
    /// Number of games the file shall have in the end.
    pub games: u64,
    /// Depth, exact empties, random plies and seed.
    pub header: Header,
    /// Threads; 0 for all cores.
    pub threads: usize,
    /// Openings to play in random order instead of random ones, when there are any.
    pub openings: Vec<Game>,
}

/// Games finished between two writes, for each thread.
const BATCH_PER_THREAD: usize = 64;

/// Plays with this evaluation until the file has as many games as asked for. The file depends neither on the number of threads nor on
/// interruptions; a started file is continued.
///
/// # Errors
/// When the settings make no sense or the file cannot be written.
pub fn run(settings: &SelfPlay, evaluator: &Evaluator, path: &Path) -> Result<()> {
    let header = settings.header;
    if header.random_min > header.random_max || header.random_max > 59 {
        return Err(ToolError::usage(format!(
            "--random-plies {}-{}: expected LEAST-MOST with LEAST at most MOST and MOST at most 59",
            header.random_min, header.random_max
        )));
    }
    let mut writer = GameWriter::create_or_resume(path, &header)?;
    let first = writer.count();
    if first > 0 {
        eprintln!("{}: continuing after {first} games", path.display());
    }
    let mut openings = if settings.openings.is_empty() {
        Openings::new(&header, evaluator.clone())
    } else {
        Openings::from_games(&header, evaluator.clone(), settings.openings.clone())
    };
    for _ in 0..first {
        openings.next_opening();
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(settings.threads)
        .build()
        .map_err(|error| ToolError::usage(format!("--threads {}: {error}", settings.threads)))?;
    let batch = BATCH_PER_THREAD * pool.current_num_threads();
    let searchers = SearcherPool::new(evaluator.clone(), SMALL_TABLE_MIB);
    let mut progress = Progress::new(first, settings.games);
    while writer.count() < settings.games {
        let size = (settings.games - writer.count()).min(batch as u64);
        let starts: Vec<Opening> = (0..size).map(|_| openings.next_opening()).collect();
        let records: Vec<GameRecord> = pool.install(|| {
            starts
                .into_par_iter()
                .with_max_len(1)
                .map(|opening| searchers.with(|searcher| play(searcher, &header, opening)))
                .collect()
        });
        writer.append(&records)?;
        progress.report(writer.count());
    }
    Ok(())
}

/// Plays an opening to its end.
fn play(searcher: &mut Searcher, header: &Header, opening: Opening) -> GameRecord {
    let Opening { mut game, random_plies, repeated } = opening;
    let (depth, exact) = (u32::from(header.depth), u32::from(header.exact_empties));
    while let Some(mv) = choose_move(searcher, game.board().position(), depth, exact) {
        if game.play(mv).is_err() {
            // Only a defect of the search could come here; the record would fail its check.
            break;
        }
    }
    debug_assert!(Game::is_over(&game));
    GameRecord::from_game(&game, random_plies, repeated)
}

/// Progress lines on stderr.
#[derive(Debug)]
struct Progress {
    first: u64,
    goal: u64,
    start: Instant,
    shown: Instant,
}

impl Progress {
    fn new(first: u64, goal: u64) -> Self {
        Self { first, goal, start: Instant::now(), shown: Instant::now() }
    }

    fn report(&mut self, count: u64) {
        if self.shown.elapsed() < Duration::from_secs(5) && count < self.goal {
            return;
        }
        self.shown = Instant::now();
        let seconds = self.start.elapsed().as_secs_f64();
        let rate = (count - self.first) as f64 / seconds.max(1e-9);
        let left = (self.goal - count) as f64 / rate.max(1e-9);
        let line = format!("{count} of {} games, {:.0} a minute, {left:.0} s left\n", self.goal, rate * 60.0);
        // A closed stderr must not end the run.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::test_files::TestDir;

    #[test]
    fn the_file_depends_neither_on_threads_nor_on_interruptions() {
        let dir = TestDir::new("selfplay");
        let header = Header {
            depth: 1,
            exact_empties: 6,
            random_min: 5,
            random_max: 30,
            sound_percent: 0,
            seed: 11,
            weights: 0,
        };
        let (whole, parts) = (dir.path("whole"), dir.path("parts"));
        let settings = |games, threads| SelfPlay { games, header, threads, openings: Vec::new() };
        run(&settings(150, 2), &Evaluator::default(), &whole).unwrap();
        run(&settings(40, 1), &Evaluator::default(), &parts).unwrap();
        let bytes = fs::read(&parts).unwrap();
        fs::write(&parts, &bytes[..bytes.len() - 100]).unwrap();
        run(&settings(150, 1), &Evaluator::default(), &parts).unwrap();
        assert_eq!(fs::read(&whole).unwrap(), fs::read(&parts).unwrap());
    }

    #[test]
    fn nonsense_is_refused() {
        let dir = TestDir::new("selfplay-refused");
        let header =
            Header { depth: 1, exact_empties: 6, random_min: 9, random_max: 3, sound_percent: 0, seed: 11, weights: 0 };
        let error = run(
            &SelfPlay { games: 1, header, threads: 1, openings: Vec::new() },
            &Evaluator::default(),
            &dir.path("games"),
        )
        .unwrap_err();
        assert!(error.to_string().contains("9-3"), "{error}");
        assert!(!dir.path("games").exists());
    }
}
