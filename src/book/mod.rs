//! The opening book: positions with scores, games played through them, and a file to keep them in.
//!
//! A [`Book`] maps positions, one for all eight symmetric images, to [`Entry`]s. There are no links between entries:
//! the moves of a position are found by looking for the positions they lead to, so transpositions cost nothing.
//! A position in which the side to move must pass is the same node as the position after the pass, with the opposite
//! score; it is never stored but always found.
//!
//! Each entry has what a search of the position alone said ([`Searched`]) and a score that also takes into account the
//! positions after it ([`Book::negamax`]):
//! - the exact score, once a search has found it;
//! - else the best of the known moves' scores, where the move that the search preferred counts with the search's score
//!   until the position after it is known as well: from a search of no lower level. So a quick look at the positions of
//!   a learned game never overrules what a book builder found with patience.
//!
//! [`file`] documents the format. The engine decides when a book may answer.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::unreachable)
)]

pub mod file;
mod shelf;
#[cfg(test)]
mod tests;

use std::{cmp::Reverse, collections::BTreeMap};

use once_cell::sync::Lazy;

pub use file::{BookError, FormatError};
pub use shelf::{Answer, Shelf};

use crate::{
    board::{Game, Move, Position},
    search::{Line, Outcome, Selectivity},
};

/// Largest absolute score in centi-discs.
pub const MAX_SCORE: i32 = 6400;

/// What a search said about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Searched {
    /// Score in centi-discs from the mover's view.
    pub score: i32,
    /// The move that the search preferred, if there is one.
    pub best: Option<Move>,
    /// Plies searched.
    pub depth: u32,
    /// Selectivity of the search.
    pub selectivity: Selectivity,
    /// The level at which a book builder searched; 0 for the quick look at the positions of a learned game.
    pub level: u32,
    /// True when the score is the proven final score.
    pub exact: bool,
}

impl Searched {
    /// The result of a search at `level`; `None` when there is no line with an exact bound.
    pub fn from_outcome(outcome: &Outcome, level: u32) -> Option<Self> {
        let line: &Line = outcome.lines.first().filter(|line| line.bound == crate::search::Bound::Exact)?;
        Some(Self {
            score: line.score.clamp(-MAX_SCORE, MAX_SCORE),
            best: Some(line.mv),
            depth: line.depth,
            selectivity: line.selectivity,
            level,
            exact: line.proof == crate::search::Proof::Score,
        })
    }

    /// Sorts searches of one position by how much they are worth; never equal for different ones.
    const fn worth(&self) -> (bool, u32, u32, Selectivity, i32, Option<Move>) {
        (self.exact, self.level, self.depth, self.selectivity, self.score, self.best)
    }
}

/// What the book knows about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Entry {
    /// The search of this position alone, if there was one.
    pub searched: Option<Searched>,
    /// Score in centi-discs from the mover's view, the positions after it taken into account.
    pub score: Option<i32>,
    /// True when the score is the proven final score.
    pub exact: bool,
    /// Games that came through this position.
    pub games: u32,
}

/// A move known to the book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookMove {
    /// The move.
    pub mv: Move,
    /// Its score in centi-discs from the view of the side that plays it.
    pub score: i32,
    /// Games in which the position after the move was reached.
    pub games: u32,
    /// Plies behind the score, the move included (the empties when it is exact).
    pub depth: u32,
    /// Selectivity behind the score.
    pub selectivity: Selectivity,
    /// The level behind the score; 0 for learned games.
    pub level: u32,
    /// True when the score is the proven final score.
    pub exact: bool,
}

/// An opening book.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Book {
    // Canonical positions without those in which the mover must pass.
    entries: BTreeMap<Position, Entry>,
    facts: String,
}

/// The node of a position: itself, or the position after a forced pass; and the sign between their scores.
fn node(position: Position) -> (Position, i32) {
    if position.must_pass() { (position.pass(), -1) } else { (position, 1) }
}

impl Book {
    /// The book that comes with the program.
    pub fn built_in() -> &'static Self {
        // The embedded file is checked by a test; a program built with a damaged one has no book.
        static BUILT_IN: Lazy<Book> =
            Lazy::new(|| Book::from_bytes(include_bytes!("../../book/default.book").as_slice()).unwrap_or_default());
        &BUILT_IN
    }

    /// An empty book.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True when the book has no positions.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How the book was made.
    pub fn facts(&self) -> &str {
        &self.facts
    }

    /// Says how the book was made.
    pub fn set_facts(&mut self, facts: &str) {
        facts.clone_into(&mut self.facts);
    }

    /// All positions (each in one of its images) with their entries, in a fixed order.
    pub fn entries(&self) -> impl Iterator<Item = (Position, &Entry)> {
        self.entries.iter().map(|(&position, entry)| (position, entry))
    }

    /// What is known about a position: scores from its mover's view, the best move in its own orientation.
    pub fn get(&self, position: Position) -> Option<Entry> {
        let (inner, sign) = node(position);
        let (canonical, symmetry) = inner.canonical_with();
        let mut entry = *self.entries.get(&canonical)?;
        entry.score = entry.score.map(|score| sign * score);
        if let Some(searched) = &mut entry.searched {
            searched.score *= sign;
            searched.best = if sign < 0 {
                Some(Move::Pass)
            } else {
                let square = searched.best.and_then(Move::square);
                square.map(|square| Move::Place(symmetry.inverse().apply_to_square(square)))
            };
        }
        Some(entry)
    }

    /// Puts the result of a search into the book, unless a better one is there. Call [`Book::negamax`] when all are in.
    pub fn set(&mut self, position: Position, searched: Searched) {
        let (inner, sign) = node(position);
        let (canonical, symmetry) = inner.canonical_with();
        let best = if sign < 0 { None } else { searched.best.and_then(Move::square) };
        let best = best.filter(|&square| inner.flips(square) != 0).map(|square| symmetry.apply_to_square(square));
        let score = (sign * searched.score).clamp(-MAX_SCORE, MAX_SCORE);
        let searched = Searched { score, best: best.map(Move::Place), ..searched };
        let entry = self.entries.entry(canonical).or_default();
        if entry.searched.is_none_or(|old| old.worth() < searched.worth()) {
            entry.searched = Some(searched);
        }
        if canonical.is_over() {
            (entry.score, entry.exact) = (Some(canonical.final_score() * 100), true);
        } else if entry.score.is_none() || searched.exact {
            (entry.score, entry.exact) = (Some(searched.score), searched.exact);
        }
    }

    /// The known moves of a position, the best first; equal ones in the order of their squares. A forced pass is one
    /// move. Empty when the position and all positions after it are unknown, or when the game is over.
    pub fn lookup(&self, position: Position) -> Vec<BookMove> {
        let entry = self.get(position);
        let searched = entry.and_then(|entry| entry.searched);
        let mut moves: Vec<BookMove> = Vec::new();
        for mv in position.moves() {
            let Some(next) = position.play(mv) else { continue };
            let preferred = searched.filter(|searched| searched.best == Some(mv));
            let known = self.known_move(mv, next, entry.is_some());
            let games = known.map_or(0, |known| known.games);
            match (known, preferred) {
                (Some(known), preferred) if known.exact || preferred.is_none_or(|own| own.level <= known.level) => {
                    moves.push(known);
                }
                (_, Some(own)) => {
                    let Searched { score, depth, selectivity, level, exact, .. } = own;
                    moves.push(BookMove { mv, score, games, depth, selectivity, level, exact });
                }
                (_, None) => {}
            }
        }
        moves.sort_by_key(|known| Reverse(known.score));
        moves
    }

    /// The move to `next` when that is in the book; ends of games count as known when `ends` says so.
    fn known_move(&self, mv: Move, next: Position, ends: bool) -> Option<BookMove> {
        let entry = self.get(next);
        let (games, depth) = (entry.map_or(0, |entry| entry.games), next.empties() + u32::from(mv != Move::Pass));
        if next.is_over() && (ends || entry.is_some()) {
            let score = -next.final_score() * 100;
            return Some(BookMove { mv, score, games, depth, selectivity: Selectivity::None, level: 0, exact: true });
        }
        let entry = entry?;
        let score = -entry.score?;
        let selectivity = Selectivity::None;
        Some(match entry.searched {
            _ if entry.exact => {
                let level = entry.searched.map_or(0, |searched| searched.level);
                BookMove { mv, score, games, depth, selectivity, level, exact: true }
            }
            Some(searched) => BookMove {
                mv,
                score,
                games,
                depth: searched.depth + u32::from(mv != Move::Pass),
                selectivity: searched.selectivity,
                level: searched.level,
                exact: false,
            },
            None => BookMove { mv, score, games, depth: 0, selectivity, level: 0, exact: false },
        })
    }

    /// The moves that the book expects after `first`, that one included, passes too.
    pub fn variation(&self, position: Position, first: Move) -> Vec<Move> {
        let mut moves = vec![first];
        let mut next = position.play(first);
        while let Some(position) = next {
            let Some(best) = self.lookup(position).first().copied() else { break };
            moves.push(best.mv);
            next = position.play(best.mv);
        }
        moves
    }

    /// Adds a game: counts its positions and has those that are new searched by `search` (which may decline), then
    /// carries all scores back, the result of a finished game first. The same game learned twice counts twice.
    pub fn learn(&mut self, game: &Game, search: &mut dyn FnMut(Position) -> Option<Searched>) {
        let mut last = None;
        for board in game.boards() {
            let (inner, _) = node(board.position());
            let canonical = inner.canonical();
            // A forced pass leads to the same node.
            if last == Some(canonical) {
                continue;
            }
            last = Some(canonical);
            let entry = self.entries.entry(canonical).or_default();
            entry.games = entry.games.saturating_add(1);
            if entry.searched.is_none()
                && !inner.is_over()
                && let Some(searched) = search(inner)
            {
                self.set(inner, searched);
            }
        }
        self.negamax();
    }

    /// Brings all scores up to date, from the ends of the games back to the start.
    pub fn negamax(&mut self) {
        let mut order: Vec<Position> = self.entries.keys().copied().collect();
        order.sort_by_key(|position| position.empties());
        for position in order {
            let (score, exact) = self.backed_up(position);
            if let Some(entry) = self.entries.get_mut(&position) {
                (entry.score, entry.exact) = (score, exact);
            }
        }
    }

    /// The score of a stored position from those after it, and whether it is exact.
    fn backed_up(&self, position: Position) -> (Option<i32>, bool) {
        if position.is_over() {
            return (Some(position.final_score() * 100), true);
        }
        let searched = self.entries.get(&position).and_then(|entry| entry.searched);
        if let Some(exact) = searched.filter(|searched| searched.exact) {
            return (Some(exact.score), true);
        }
        let level = searched.map_or(0, |searched| searched.level);
        let moves = self.lookup(position);
        let mut best = moves.iter().filter(|known| known.exact || known.level >= level).map(|known| known.score).max();
        if let Some(searched) = searched.filter(|searched| searched.best.is_none()) {
            // Not known which move has this score: it stands unless a better one is known.
            best = best.max(Some(searched.score));
        }
        let all_exact = moves.len() == position.moves().len() && moves.iter().all(|known| known.exact);
        (best, all_exact)
    }

    /// Adds all that another book knows. For positions in both, the more valuable search and the larger number of
    /// games are kept, so that merging a book with itself, or twice with another, changes nothing.
    pub fn merge(&mut self, other: &Self) {
        for (&position, theirs) in &other.entries {
            let ours = self.entries.entry(position).or_default();
            ours.games = ours.games.max(theirs.games);
            if ours.searched.map(|searched| searched.worth()) < theirs.searched.map(|searched| searched.worth()) {
                ours.searched = theirs.searched;
            }
        }
        if self.facts.is_empty() {
            self.facts.clone_from(&other.facts);
        }
        self.negamax();
    }
}
