//! `match`: two players against each other over paired openings.
//!
//! Every opening is played twice with colours exchanged. [`player`] says who can play, [`play`] plays one game,
//! [`statistics`] says what the results prove.

pub mod gtp;
pub mod nboard;
pub mod openings;
pub mod ours;
pub mod play;
pub mod player;
pub mod process;
pub mod statistics;

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs::File,
    io::Write as _,
    path::PathBuf,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use flipside::board::{Color, Game};

use crate::{
    error::{Result, ToolError},
    rng::Rng,
};
use play::{Finished, Limits};
use player::{Player, PlayerSpec};
use statistics::{Sprt, Tally, Verdict};

/// A match.
#[derive(Clone, Debug)]
pub struct Match {
    /// The two players; results are told from the first one's view.
    pub players: [PlayerSpec; 2],
    /// File of openings.
    pub openings: PathBuf,
    /// Openings to play, each twice.
    pub pairs: usize,
    /// Seed of the choice of openings and of players that choose at random.
    pub seed: u64,
    /// Games at the same time.
    pub concurrency: usize,
    /// Where the games go.
    pub log: Option<PathBuf>,
    /// Stop as soon as this is decided.
    pub sprt: Option<Sprt>,
    /// Limits for all players.
    pub limits: Limits,
}

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The results from the first player's view.
    pub tally: Tally,
    /// How often each player failed, and how: (player, kind of fault).
    pub faults: BTreeMap<(String, &'static str), u64>,
    /// The first fault of each kind, in words.
    pub first_faults: Vec<String>,
}

struct Shared {
    report: Report,
    log: Option<File>,
    error: Option<ToolError>,
}

/// Plays the match.
///
/// # Errors
/// When the openings cannot be read, our engine cannot be set up or the log cannot be written.
pub fn run(settings: &Match) -> Result<Report> {
    let available = openings::read(&settings.openings)?;
    if available.len() < settings.pairs {
        eprintln!(
            "{}: {} openings for {} pairs: some come again, and equal games make the intervals too narrow",
            settings.openings.display(),
            available.len(),
            settings.pairs
        );
    }
    let openings = openings::select(&available, settings.pairs, settings.seed);
    let log = match &settings.log {
        None => None,
        Some(path) => {
            let mut log = File::create(path).map_err(ToolError::io(path, "create"))?;
            let head = "# pair\tblack\twhite\tscore for black\tend\tblack seconds\twhite seconds\tmoves\n";
            log.write_all(head.as_bytes()).map_err(ToolError::io(path, "write"))?;
            Some(log)
        }
    };
    let shared = Mutex::new(Shared { report: Report::default(), log, error: None });
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        for _ in 0..settings.concurrency.max(1) {
            scope.spawn(|| {
                if let Err(error) = work(settings, &openings, &next, &stop, &shared) {
                    stop.store(true, Ordering::Relaxed);
                    if let Ok(mut shared) = shared.lock() {
                        shared.error.get_or_insert(error);
                    }
                }
            });
        }
    });
    let shared = shared.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    match shared.error {
        Some(error) => Err(error),
        None => Ok(shared.report),
    }
}

/// Plays pairs until there are no more or the match is decided.
fn work(
    settings: &Match,
    openings: &[Game],
    next: &AtomicUsize,
    stop: &AtomicBool,
    shared: &Mutex<Shared>,
) -> Result<()> {
    let [first, second] = &settings.players;
    let (mut a, mut b) = (first.build()?, second.build()?);
    loop {
        let pair = next.fetch_add(1, Ordering::Relaxed);
        let Some(opening) = openings.get(pair).filter(|_| !stop.load(Ordering::Relaxed)) else { return Ok(()) };
        // The seed of a game is that of its place in the match, whichever worker plays it.
        let mut seeds = Rng::stream(settings.seed, pair as u64);
        let mut play = |players: [&mut dyn Player; 2], controls| {
            play::play(opening, players, controls, settings.limits, seeds.next_u64())
        };
        let one = play([a.as_mut(), b.as_mut()], [first.time, second.time]);
        let two = play([b.as_mut(), a.as_mut()], [second.time, first.time]);
        let Ok(mut shared) = shared.lock() else { return Ok(()) };
        shared.add(settings, pair, [&one, &two])?;
        if settings.sprt.is_some_and(|test| test.verdict(&shared.report.tally) != Verdict::Open) {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

impl Shared {
    fn add(&mut self, settings: &Match, pair: usize, games: [&Finished; 2]) -> Result<()> {
        self.report.tally.add_pair([games[0].score, -games[1].score]);
        for (index, finished) in games.into_iter().enumerate() {
            let names = [0, 1].map(|side| &settings.players[(side + index) % 2].name);
            let mut end = "board".to_owned();
            if let Some((side, fault)) = &finished.fault {
                let name = names[usize::from(*side == Color::White)];
                let text = format!("{name}: {fault}");
                let count = self.report.faults.entry((name.clone(), fault.kind())).or_default();
                *count += 1;
                if *count == 1 {
                    eprintln!("pair {pair}: {text}");
                    self.report.first_faults.push(format!("pair {pair}: {text}"));
                }
                end = text.replace(['\t', '\n'], " ");
            }
            if let (Some(log), Some(path)) = (&mut self.log, &settings.log) {
                let [black, white] = names;
                let line = format!(
                    "{pair}\t{black}\t{white}\t{:+}\t{end}\t{:.2}\t{:.2}\t{}\n",
                    finished.score,
                    finished.seconds[0],
                    finished.seconds[1],
                    openings::transcript(&finished.game)
                );
                log.write_all(line.as_bytes()).map_err(ToolError::io(path, "write"))?;
            }
        }
        let played = self.report.tally.pair_count();
        if played.is_multiple_of(10) {
            eprintln!("{played} of {} pairs: {}", settings.pairs, self.report.line());
        }
        Ok(())
    }
}

impl Report {
    fn line(&self) -> String {
        let [wins, draws, losses] = self.tally.games;
        let (score, _) = self.tally.score().unwrap_or_default();
        format!("+{wins} ={draws} -{losses}, score {score:.4}")
    }

    /// The result as text.
    pub fn text(&self, settings: &Match) -> String {
        let mut text = String::new();
        let [first, second] = &settings.players;
        let _ = writeln!(text, "{} against {}: {}", first.name, second.name, self.line());
        let [lost, less, even, more, won] = self.tally.pairs;
        let _ = writeln!(
            text,
            "{} pairs: {won} won 2-0, {more} won 1.5-0.5, {even} even, {less} lost 0.5-1.5, {lost} lost 0-2",
            self.tally.pair_count()
        );
        if let Some(discs) = self.tally.mean_discs() {
            let _ = writeln!(text, "discs a game {:+.2} ({:+.2} to {:+.2})", discs.value, discs.low, discs.high);
        }
        if let Some(elo) = self.tally.elo() {
            let _ = writeln!(text, "Elo {:+.1} ({:+.1} to {:+.1}, 95 % by pairs)", elo.value, elo.low, elo.high);
        }
        if let Some(test) = settings.sprt {
            let (low, high) = test.bounds();
            let verdict = match test.verdict(&self.tally) {
                Verdict::Open => "undecided",
                Verdict::Null => "not accepted",
                Verdict::Alternative => "accepted",
            };
            let ratio = test.log_likelihood_ratio(&self.tally);
            let _ = writeln!(
                text,
                "SPRT {} against {} Elo: {verdict}, LLR {ratio:.2} ({low:.2} to {high:.2})",
                test.elo1, test.elo0
            );
        }
        for ((name, kind), count) in &self.faults {
            let _ = writeln!(text, "{name} lost {count} games by fault: {kind}");
        }
        for fault in &self.first_faults {
            let _ = writeln!(text, "first such fault in {fault}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, time::Duration};

    use super::*;
    use crate::test_files::TestDir;

    fn settings(dir: &TestDir, first: &str, second: &str) -> Match {
        let path = dir.path("openings");
        fs::write(&path, "f5d6c3\nf5f6e6\nf5f4e3\nf5d6c5\nf5d6c6\nf5d6c7\nf5d6c4\nf5f6d3\n").unwrap();
        Match {
            players: [first.parse().unwrap(), second.parse().unwrap()],
            openings: path,
            pairs: 30,
            seed: 5,
            concurrency: 2,
            log: Some(dir.path("log")),
            sprt: None,
            limits: Limits { patience: Duration::from_secs(20), grace: Duration::from_secs(1) },
        }
    }

    #[test]
    fn greedy_beats_random_and_the_log_has_every_game() {
        let dir = TestDir::new("match");
        let settings = settings(&dir, "greedy", "random");
        let report = run(&settings).unwrap();
        assert_eq!(report.tally.pair_count(), 30);
        assert!(report.tally.score().unwrap().0 > 0.7, "{}", report.text(&settings));
        let log = fs::read_to_string(dir.path("log")).unwrap();
        assert_eq!(log.lines().count(), 61);
        for line in log.lines().skip(1) {
            let fields: Vec<&str> = line.split('\t').collect();
            let game = openings::parse_transcript(fields[7]).unwrap();
            assert_eq!(fields[3].parse::<i32>().unwrap(), game.board().final_score_for_black());
        }
        // The same seed gives the same match on any number of workers.
        let again = run(&Match { concurrency: 1, log: None, ..settings }).unwrap();
        assert_eq!(again.tally, report.tally);
    }

    #[test]
    fn a_decided_test_ends_the_match() {
        let dir = TestDir::new("match-sprt");
        let test = Sprt { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.05 };
        let settings = Match { sprt: Some(test), pairs: 2000, log: None, ..settings(&dir, "greedy", "random") };
        let report = run(&settings).unwrap();
        assert!(report.tally.pair_count() < 500);
        assert!(report.text(&settings).contains("Elo: accepted"), "{}", report.text(&settings));
    }

    #[cfg(unix)]
    #[test]
    fn faults_are_counted_and_named() {
        let dir = TestDir::new("match-faults");
        let settings = Match { pairs: 2, ..settings(&dir, "gtp,name=broken:sh -c 'read x; exit 1'", "random") };
        let report = run(&settings).unwrap();
        assert_eq!(report.tally.games, [0, 0, 4]);
        assert!(report.text(&settings).contains("broken lost 4 games by fault: crash"));
    }
}
