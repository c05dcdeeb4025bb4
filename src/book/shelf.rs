//! The books an engine answers from: the built-in one and the user's.

use std::{
    cmp::Reverse,
    io,
    path::{Path, PathBuf},
    time::Instant,
};

use once_cell::unsync::OnceCell;

use super::{Book, BookError, BookMove, Searched};
use crate::{
    board::{Game, Position},
    search::{Bound, Line, Nodes, Outcome, Proof, level_plan},
};

/// How much worse than the best a move may be, in centi-discs, to be played from the book.
const TOLERANCE: i32 = 0;

/// What the books say to a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Nothing that would spare a search.
    Unknown,
    /// Some of the lines wanted, the best first.
    Partly(Vec<Line>),
    /// All lines wanted.
    Complete(Outcome),
}

/// The built-in book and the user's, with what is needed to choose from them.
#[derive(Debug)]
pub struct Shelf {
    path: Option<PathBuf>,
    user: Book,
    // The built-in book with the user's, put together when first needed.
    both: OnceCell<Book>,
    contempt: i32,
    random: u64,
}

impl Shelf {
    /// The built-in book and the user's at `path`, which may be yet to be made.
    ///
    /// # Errors
    /// When there is something at the path that is no sound book, or when its folder does not exist.
    pub fn open(path: Option<&Path>, seed: u64) -> Result<Self, BookError> {
        let user = path.map(load_or_new).transpose()?.unwrap_or_default();
        Ok(Self { path: path.map(Path::to_owned), user, both: OnceCell::new(), contempt: 0, random: seed })
    }

    /// Values proven draws at `discs` for Black. Books know no colours: the side to move is Black's when the number
    /// of empty squares is even, as in every game from the usual start before its first pass.
    pub fn set_contempt(&mut self, discs: i32) {
        self.contempt = discs.clamp(-100, 100);
    }

    /// Both books as one.
    pub fn book(&self) -> &Book {
        self.both.get_or_init(|| {
            let mut both = Book::built_in().clone();
            if !self.user.is_empty() {
                both.merge(&self.user);
            }
            both
        })
    }

    /// The answer to a search at `level` for `wanted` lines (at least 1).
    ///
    /// Of a single line more is asked than of several, because it is played: the position itself must have been
    /// searched, or all its moves be known, with scores to trust. Those of a book builder and exact ones are; those of
    /// a learned game are when they are at least as deep as the search would be. Among the trusted moves that are as
    /// good as the best one, the choice is random.
    pub fn answer(&mut self, position: Position, level: u32, wanted: usize) -> Answer {
        let started = Instant::now();
        let book = self.book();
        let mut moves = book.lookup(position);
        let entry = book.get(position);
        let goal = level_plan(level, position.empties()).goal;
        let trusted = |level: u32, exact: bool, depth: u32| exact || level > 0 || depth >= goal.depth;
        let trusted_move = |known: &BookMove| trusted(known.level, known.exact, known.depth);
        if wanted <= 1 {
            let searched = entry.and_then(|entry| entry.searched);
            let ours = searched.is_some_and(|own| trusted(own.level, own.exact, own.depth));
            moves.retain(trusted_move);
            if !ours && moves.len() < position.moves().len() {
                return Answer::Unknown;
            }
        }
        moves.sort_by_key(|known| Reverse(self.value(position, known)));
        let Some(best) = moves.first().map(|known| self.value(position, known)) else { return Answer::Unknown };
        if wanted <= 1 {
            let equal = moves.iter().filter(|known| self.value(position, known) >= best - TOLERANCE).count();
            let choice = self.below(equal);
            moves.drain(..choice);
        }
        moves.truncate(wanted);
        let lines: Vec<Line> = moves.iter().map(|known| self.line(position, known)).collect();
        if lines.len() < wanted {
            return Answer::Partly(lines);
        }
        let proven = match entry {
            Some(entry) if entry.exact => entry.score.map_or((-64, 64), |score| (score / 100, score / 100)),
            _ => (-64, 64),
        };
        Answer::Complete(Outcome {
            lines,
            proven,
            nodes: Nodes::default(),
            elapsed: started.elapsed(),
            completed: true,
        })
    }

    /// What a move is worth to its side: its score, or, for proven draws, what was set.
    pub(super) fn value(&self, position: Position, known: &BookMove) -> i32 {
        match (known.score, known.exact, position.empties() % 2) {
            (0, true, 0) => self.contempt * 100,
            (0, true, _) => -self.contempt * 100,
            (score, ..) => score,
        }
    }

    fn line(&self, position: Position, known: &BookMove) -> Line {
        Line {
            mv: known.mv,
            score: known.score,
            bound: Bound::Exact,
            depth: known.depth,
            selectivity: known.selectivity,
            to_end: known.exact,
            proof: if known.exact { Proof::Score } else { Proof::None },
            pv: self.book().variation(position, known.mv),
            book_games: Some(known.games),
        }
    }

    /// A random number below `bound` (splitmix64, Sebastiano Vigna 2015, public domain); 0 when that is 0.
    fn below(&mut self, bound: usize) -> usize {
        self.random = self.random.wrapping_add(0x9E3779B97F4A7C15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58476D1CE4E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D049BB133111EB);
        mixed ^= mixed >> 31;
        ((u128::from(mixed) * bound as u128) >> 64) as usize
    }

    /// Adds a game to the user's book (see [`Book::learn`]) and writes that to its file, if it has one. What other
    /// programs have added to the file in the meantime is kept.
    ///
    /// # Errors
    /// When the file cannot be read or written; the game is then learned in memory only.
    pub fn learn(
        &mut self,
        game: &Game,
        search: &mut dyn FnMut(Position) -> Option<Searched>,
    ) -> Result<(), BookError> {
        let on_disk = self.path.as_deref().map(load_or_new).transpose();
        if let Ok(Some(book)) = &on_disk {
            self.user.merge(book);
        }
        let built_in = Book::built_in();
        self.user.learn(game, &mut |position| {
            built_in.get(position).and_then(|entry| entry.searched).or_else(|| search(position))
        });
        self.both = OnceCell::new();
        on_disk?;
        self.path.as_deref().map_or(Ok(()), |path| self.user.save(path))
    }
}

/// The book at a path; an empty one when nothing is there but one could be made.
fn load_or_new(path: &Path) -> Result<Book, BookError> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    match Book::load(path) {
        Err(BookError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound && folder.is_dir() => {
            Ok(Book::new())
        }
        other => other,
    }
}
