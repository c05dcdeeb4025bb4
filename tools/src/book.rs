//! Opening books: the builder, and looking at, merging and checking books.
//!
//! The builder works in two parts. First it searches every position, one of its eight images, up to a ply. Then it
//! goes on from there as a player would who has the book for one side (both sides in turn): at that side's turns only
//! the best move, at the other's every reply that loses little. Lines in which little was lost so far and that are
//! short come first, until there are as many positions as wanted. Every search is on one thread with an empty table,
//! and the order does not depend on the threads, so a book is a function of the options. A book that was begun is
//! continued: what is in it is not searched again.

use std::{
    collections::{BTreeMap, BinaryHeap},
    fmt::Write,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use clap::{Args, Subcommand};
use flipside::{
    board::{Game, Move, Position},
    book::{Book, BookError, Searched},
    engine::{Engine, Goal, Request, Settings},
    notation,
    search::StopFlag,
};

use crate::{
    error::{Result, ToolError},
    rng, searcher,
};

/// Time between two saves of a book that grows.
const SAVE_INTERVAL: Duration = Duration::from_secs(60);

/// Nodes of the second part that are worked on together.
const BATCH: usize = 16;

/// Level of the look that finds the replies to be searched.
const GLANCE_LEVEL: u32 = 8;

/// How much more than the deviation a reply may lose at a glance, in centi-discs.
const GLANCE_MARGIN: i32 = 150;

/// What a ply costs in the order of the second part, in centi-discs.
const PLY_COST: i32 = 25;

/// What to do with books.
#[derive(Subcommand, Debug)]
pub enum BookCommand {
    /// Build a book, or continue one
    Build(BuildArgs),
    /// Show what a book says about a position
    Show(ShowArgs),
    /// Put two books together
    Merge(MergeArgs),
    /// Check a book and print statistics
    Check(CheckArgs),
}

/// How to build a book.
#[derive(Args, Debug, Clone)]
pub struct BuildArgs {
    /// The book file; a started one is continued
    #[arg(long)]
    pub out: PathBuf,
    /// All positions up to this ply are searched
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=12))]
    pub plies: u32,
    /// Level of the searches
    #[arg(long, default_value_t = 21, value_parser = clap::value_parser!(u32).range(1..=60))]
    pub level: u32,
    /// Stop at this many positions (the first part is always completed)
    #[arg(long, default_value_t = 0)]
    pub positions: usize,
    /// Last ply of the second part
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(0..=60))]
    pub deepest: u32,
    /// Discs that one reply may lose
    #[arg(long, default_value_t = 2.5, value_parser = parse_discs)]
    pub deviation: f64,
    /// Discs that all replies of a line may lose
    #[arg(long, default_value_t = 5.0, value_parser = parse_discs)]
    pub line_deviation: f64,
    /// Seed of the order of equally urgent positions
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Searches at the same time, 0 for all cores
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=256))]
    pub threads: u32,
    /// Table of each search in MiB
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub hash: u32,
    /// Weights file instead of the built-in weights
    #[arg(long)]
    pub weights: Option<PathBuf>,
}

/// What to show.
#[derive(Args, Debug)]
pub struct ShowArgs {
    /// The book file
    pub file: PathBuf,
    /// Moves that lead to the position, such as f5d6
    #[arg(default_value = "")]
    pub moves: String,
}

/// What to put together.
#[derive(Args, Debug)]
pub struct MergeArgs {
    /// The first book
    pub first: PathBuf,
    /// The second book
    pub second: PathBuf,
    /// The file for both
    #[arg(long)]
    pub out: PathBuf,
}

/// What to check.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// The book file
    pub file: PathBuf,
}

fn parse_discs(text: &str) -> std::result::Result<f64, String> {
    let discs = text.parse().ok().filter(|discs| (0.0..=64.0).contains(discs));
    discs.ok_or_else(|| format!("'{text}': expected discs from 0 to 64"))
}

fn book_error(error: BookError) -> ToolError {
    match error {
        BookError::Io { path, action, source } => ToolError::Io { path, action, source },
        BookError::Format { path, fault } => ToolError::format(&path, "book", fault),
    }
}

/// Runs a command; what it returns is to be printed.
///
/// # Errors
/// When a file cannot be read, is no sound book or cannot be written, or when an argument makes no sense.
pub fn run(command: &BookCommand) -> Result<String> {
    let load = |path: &Path| Book::load(path).map_err(book_error);
    match command {
        BookCommand::Build(args) => build(args),
        BookCommand::Show(args) => show(&load(&args.file)?, &args.moves),
        BookCommand::Check(args) => check(&args.file, &load(&args.file)?),
        BookCommand::Merge(args) => {
            let mut book = load(&args.first)?;
            book.merge(&load(&args.second)?);
            book.save(&args.out).map_err(book_error)?;
            Ok(format!("{}: {} positions\n", args.out.display(), book.len()))
        }
    }
}

/// What a book says about the position after some moves.
fn show(book: &Book, moves: &str) -> Result<String> {
    let mut game = Game::default();
    let squares: Vec<u8> = moves.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    for text in squares.chunks(2) {
        let bad = |error: String| ToolError::usage(format!("move '{}': {error}", String::from_utf8_lossy(text)));
        let mv = notation::parse_move(text).map_err(|error| bad(error.to_string()))?;
        game.play_with_implied_pass(mv).map_err(|error| bad(error.to_string()))?;
    }
    let position = game.board().position();
    let mut text = format!("{}\n", game.board());
    match book.get(position) {
        None => text += "not in the book\n",
        Some(entry) => {
            let score = entry.score.map_or_else(|| "-".to_owned(), discs);
            let exact = if entry.exact { ", exact" } else { "" };
            let _ = writeln!(text, "score {score}{exact}, {} games", entry.games);
            if let Some(own) = entry.searched {
                let best = own.best.map_or_else(|| "-".to_owned(), |mv| mv.to_string());
                let (score, depth) = (discs(own.score), depth(own.depth, own.selectivity.percent(), own.exact));
                let _ = writeln!(text, "searched: {score}, best {best}, depth {depth}, level {}", own.level);
            }
        }
    }
    text += "move    score     depth level   games  continuation\n";
    for known in book.lookup(position) {
        let variation: Vec<String> = book.variation(position, known.mv).iter().map(Move::to_string).collect();
        let _ = writeln!(
            text,
            "{:<5} {:>7} {:>9} {:>5} {:>7}  {}",
            known.mv.to_string(),
            discs(known.score),
            depth(known.depth, known.selectivity.percent(), known.exact),
            known.level,
            known.games,
            variation.join(" ")
        );
    }
    Ok(text)
}

fn discs(centi: i32) -> String {
    format!("{:+.2}", f64::from(centi) / 100.0)
}

fn depth(plies: u32, percent: u32, exact: bool) -> String {
    match percent {
        _ if exact => "exact".to_owned(),
        100 => plies.to_string(),
        _ => format!("{plies}@{percent}%"),
    }
}

/// Statistics of a book that has been read without complaint; its scores are worked out again.
fn check(path: &Path, book: &Book) -> Result<String> {
    let mut again = book.clone();
    again.negamax();
    let changed = again.entries().zip(book.entries()).filter(|(one, other)| one != other).count();
    if changed > 0 {
        return Err(ToolError::format(path, "scores", format!("{changed} do not follow from the others")));
    }
    let mut plies: BTreeMap<u32, [u64; 3]> = BTreeMap::new();
    for (position, entry) in book.entries() {
        let [count, exact, games] = plies.entry(60u32.saturating_sub(position.empties())).or_default();
        *count += 1;
        *exact += u64::from(entry.exact);
        *games += u64::from(entry.games > 0);
    }
    let mut text = format!("{}: {} positions\n", path.display(), book.len());
    if !book.facts().is_empty() {
        let _ = writeln!(text, "{}", book.facts());
    }
    text += "ply positions exact played\n";
    for (ply, [count, exact, games]) in plies {
        let _ = writeln!(text, "{ply:>3} {count:>9} {exact:>5} {games:>6}");
    }
    Ok(text)
}

/// Builds a book or continues one.
fn build(args: &BuildArgs) -> Result<String> {
    let mut builder = Builder::new(args)?;
    let all = builder.all_positions();
    builder.search_all(&all)?;
    let first = builder.book.len();
    if first < args.positions {
        builder.deviate(&all)?;
    }
    builder.save()?;
    Ok(format!("{}: {} positions, {first} of them up to ply {}\n", args.out.display(), builder.book.len(), args.plies))
}

struct Builder<'a> {
    args: &'a BuildArgs,
    book: Book,
    engines: Vec<Mutex<Engine>>,
    saved: Instant,
}

/// A position to go on from in the second part; the greatest is the most urgent.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Open {
    urgency: i32,
    order: u64,
    position: Position,
    ply: u32,
    // True when the side that has the book is to move.
    ours: bool,
    // What the other side's replies have lost.
    lost: i32,
}

impl<'a> Builder<'a> {
    fn new(args: &'a BuildArgs) -> Result<Self> {
        let mut book = if args.out.exists() { Book::load(&args.out).map_err(book_error)? } else { Book::default() };
        book.set_facts(&format!(
            "all positions to ply {}, then to {} positions and ply {} with deviations of {} discs ({} in a line), level {}, seed {}",
            args.plies, args.positions, args.deepest, args.deviation, args.line_deviation, args.level, args.seed
        ));
        let threads = match args.threads {
            0 => thread::available_parallelism().map_or(1, usize::from),
            threads => threads as usize,
        };
        let evaluator = searcher::evaluator(args.weights.as_deref())?;
        let engines = (0..threads)
            .map(|_| {
                let settings =
                    Settings { threads: 1, hash_mib: args.hash as usize, use_book: false, ..Settings::default() };
                Engine::with_evaluator(settings, evaluator.clone()).map(Mutex::new).map_err(ToolError::usage)
            })
            .collect::<Result<_>>()?;
        Ok(Self { args, book, engines, saved: Instant::now() })
    }

    /// All positions up to the ply asked for, in canonical form, by ply.
    fn all_positions(&self) -> Vec<Position> {
        let mut all = vec![Position::START.canonical()];
        let mut level = all.clone();
        for _ in 0..self.args.plies {
            let next = |position: &Position| children(*position).into_iter().map(|(_, child)| child.canonical());
            level = level.iter().flat_map(next).collect();
            level.sort_unstable();
            level.dedup();
            all.extend(&level);
        }
        all
    }

    fn save(&mut self) -> Result<()> {
        self.book.negamax();
        self.book.save(&self.args.out).map_err(book_error)?;
        self.saved = Instant::now();
        eprintln!("{}: {} positions", self.args.out.display(), self.book.len());
        Ok(())
    }

    /// Searches the positions that the book does not know well enough.
    fn search_all(&mut self, positions: &[Position]) -> Result<()> {
        let level = self.args.level;
        let mut unknown: Vec<Position> = positions
            .iter()
            .map(|position| position.canonical())
            .filter(|&position| !position.is_over())
            .filter(|&position| {
                let own = self.book.get(position).and_then(|entry| entry.searched);
                own.is_none_or(|own| own.level < level && !own.exact)
            })
            .collect();
        unknown.sort_unstable();
        unknown.dedup();
        for part in unknown.chunks(4 * BATCH) {
            let found = self.in_parallel(part, |engine, position| {
                let request = Request::best(Goal::Level(level));
                let outcome = engine.search(position, &request, &StopFlag::new(), &mut |_| {});
                Searched::from_outcome(&outcome, level)
            });
            for (&position, searched) in part.iter().zip(found) {
                if let Some(searched) = searched {
                    self.book.set(position, searched);
                }
            }
            if self.saved.elapsed() >= SAVE_INTERVAL {
                self.save()?;
            }
        }
        Ok(())
    }

    /// What `question` finds for each position, in their order. Tables are empty before each, so that the answers do
    /// not depend on who gives them.
    fn in_parallel<T: Send>(
        &self,
        positions: &[Position],
        question: impl Fn(&mut Engine, Position) -> Option<T> + Sync,
    ) -> Vec<Option<T>> {
        let next = AtomicUsize::new(0);
        let answers: Vec<Mutex<Option<T>>> = positions.iter().map(|_| Mutex::new(None)).collect();
        thread::scope(|scope| {
            for engine in &self.engines {
                let (next, answers, question) = (&next, &answers, &question);
                scope.spawn(move || {
                    let Ok(mut engine) = engine.lock() else { return };
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let (Some(&position), Some(answer)) = (positions.get(index), answers.get(index)) else { break };
                        engine.clear();
                        let found = question(&mut engine, position);
                        if let Ok(mut answer) = answer.lock() {
                            *answer = found;
                        }
                    }
                });
            }
        });
        answers.into_iter().map(|answer| answer.into_inner().unwrap_or(None)).collect()
    }

    /// The second part.
    fn deviate(&mut self, all: &[Position]) -> Result<()> {
        let mut queue = BinaryHeap::new();
        let mut least_lost: BTreeMap<(Position, bool), i32> = BTreeMap::new();
        for &position in all.iter().filter(|position| 60 - position.empties() == self.args.plies) {
            // What led here is not held against it: both sides may have lost something.
            queue.extend([true, false].map(|ours| self.open(position, self.args.plies, ours, 0)));
        }
        while self.book.len() < self.args.positions && !queue.is_empty() {
            let mut batch = Vec::new();
            while let (true, Some(open)) = (batch.len() < BATCH, queue.pop()) {
                let least = least_lost.entry((open.position, open.ours)).or_insert(i32::MAX);
                if open.lost < *least && open.ply < self.args.deepest {
                    *least = open.lost;
                    batch.push(open);
                }
            }
            let positions: Vec<Position> = batch.iter().map(|open| open.position).collect();
            self.search_all(&positions)?;
            let replies = self.replies(&batch);
            self.search_all(&replies.iter().flatten().copied().collect::<Vec<_>>())?;
            for (open, replies) in batch.iter().zip(replies) {
                let mut values: Vec<(i32, Position)> = replies
                    .iter()
                    .filter_map(|&child| {
                        let own = self.book.get(child).and_then(|entry| entry.searched)?;
                        Some((-own.score, child))
                    })
                    .collect();
                values.sort_by_key(|(score, _)| -score);
                let Some(&(best, _)) = values.first() else { continue };
                for (score, child) in values {
                    let lost = if open.ours { 0 } else { best - score };
                    let in_line = open.lost + lost;
                    if f64::from(lost) <= self.args.deviation * 100.0
                        && f64::from(in_line) <= self.args.line_deviation * 100.0
                    {
                        queue.push(self.open(child, open.ply + 1, !open.ours, in_line));
                    }
                }
            }
        }
        Ok(())
    }

    fn open(&self, position: Position, ply: u32, ours: bool, lost: i32) -> Open {
        let position = position.canonical();
        let urgency = -(lost + PLY_COST * ply as i32);
        Open { urgency, order: rng::mix(self.args.seed ^ position.hash()), position, ply, ours, lost }
    }

    /// The positions after each node to be searched: after the best move at our turns, after all that may be good
    /// enough at the other side's.
    fn replies(&self, batch: &[Open]) -> Vec<Vec<Position>> {
        let within = (self.args.deviation * 100.0) as i32 + GLANCE_MARGIN;
        let theirs: Vec<Position> = batch.iter().filter(|open| !open.ours).map(|open| open.position).collect();
        let level = GLANCE_LEVEL.min(self.args.level);
        let mut glances = self
            .in_parallel(&theirs, |engine, position| {
                let request = Request { lines: 64, ..Request::best(Goal::Level(level)) };
                Some(engine.search(position, &request, &StopFlag::new(), &mut |_| {}).lines)
            })
            .into_iter();
        batch
            .iter()
            .map(|open| {
                let own = self.book.get(open.position).and_then(|entry| entry.searched).and_then(|own| own.best);
                let good: Vec<Move> = if open.ours {
                    own.into_iter().collect()
                } else {
                    let lines = glances.next().flatten().unwrap_or_default();
                    let best = lines.first().map_or(0, |line| line.score);
                    let near = lines.iter().filter(|line| best - line.score <= within).map(|line| line.mv);
                    near.chain(own).collect()
                };
                children(open.position)
                    .into_iter()
                    .filter(|(mv, _)| good.contains(mv))
                    .map(|(_, child)| child.canonical())
                    .filter(|child| !child.is_over())
                    .collect()
            })
            .collect()
    }
}

/// The moves of a position, a forced pass included, and the positions after them.
fn children(position: Position) -> Vec<(Move, Position)> {
    position.moves().into_iter().filter_map(|mv| Some((mv, position.play(mv)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::TestDir;

    fn args(out: PathBuf, threads: u32) -> BuildArgs {
        BuildArgs {
            out,
            plies: 2,
            level: 2,
            positions: 40,
            deepest: 8,
            deviation: 2.5,
            line_deviation: 5.0,
            seed: 1,
            threads,
            hash: 1,
            weights: None,
        }
    }

    #[test]
    fn a_book_does_not_depend_on_threads_or_interruptions() {
        let folder = TestDir::new("book-build");
        let (one, two, part) = (folder.path("one"), folder.path("two"), folder.path("part"));
        run(&BookCommand::Build(args(one.clone(), 1))).unwrap();
        run(&BookCommand::Build(args(two.clone(), 3))).unwrap();
        let book = Book::load(&one).unwrap();
        assert!(book.len() >= 40, "{}", book.len());
        assert_eq!(Book::load(&two).unwrap(), book);
        run(&BookCommand::Build(BuildArgs { positions: 0, ..args(part.clone(), 1) })).unwrap();
        assert_eq!(Book::load(&part).unwrap().len(), 1 + 1 + 3);
        run(&BookCommand::Build(args(part.clone(), 2))).unwrap();
        assert_eq!(Book::load(&part).unwrap(), book);
    }

    #[test]
    fn books_are_shown_merged_and_checked() {
        let folder = TestDir::new("book-show");
        let (small, large) = (folder.path("small"), folder.path("large"));
        run(&BookCommand::Build(BuildArgs { positions: 0, ..args(small.clone(), 1) })).unwrap();
        run(&BookCommand::Build(BuildArgs { positions: 0, plies: 3, ..args(large.clone(), 1) })).unwrap();
        let out = folder.path("both");
        let merge = MergeArgs { first: small.clone(), second: large.clone(), out: out.clone() };
        run(&BookCommand::Merge(merge)).unwrap();
        assert_eq!(Book::load(&out).unwrap().len(), Book::load(&large).unwrap().len());
        let show = |moves: &str| run(&BookCommand::Show(ShowArgs { file: out.clone(), moves: moves.to_owned() }));
        assert!(show("f5").unwrap().contains("d6"));
        assert!(show("f5f5").unwrap_err().to_string().contains("f5"));
        assert!(show("a1").is_err() && show("x").is_err());
        assert!(run(&BookCommand::Check(CheckArgs { file: out.clone() })).unwrap().contains("19 positions"));
        std::fs::write(&out, "x").unwrap();
        assert!(show("").unwrap_err().to_string().contains("both"));
        assert!(run(&BookCommand::Build(args(out, 1))).unwrap_err().to_string().contains("both"));
    }
}
