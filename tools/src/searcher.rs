//! The seam between the tools and the engine's search: one single-threaded searcher for each thread.
//!
//! Every answer depends only on the questions asked since the last [`Searcher::reset`], so that self-play gives the
//! same games on any number of threads.

use std::{fs, path::Path, sync::Mutex};

use flipside::{
    board::{Move, Position},
    eval::Evaluator,
    isa::Tier,
    search::{self, Limits, Outcome, Selectivity, Step, StopFlag, steps_to},
};

use crate::error::{Result, ToolError};

/// Size of the table: shallow searches fill no more, and it stays in the cache.
const TABLE_MIB: usize = 1;

/// A single-threaded searcher without probabilistic cuts at its goal.
#[derive(Debug)]
pub struct Searcher {
    evaluator: Evaluator,
    engine: Option<search::Searcher>,
    // A position on the principal variation of an exact search, with the rest of that variation.
    expected: Option<(Position, Vec<Move>)>,
}

/// The evaluator of a weights file, or the built-in one.
///
/// # Errors
/// When the file cannot be read or is no weights file.
pub fn evaluator(weights: Option<&Path>) -> Result<Evaluator> {
    let Some(path) = weights else { return Ok(Evaluator::default()) };
    let bytes = fs::read(path).map_err(ToolError::io(path, "read"))?;
    Evaluator::from_file(&bytes).map_err(|problem| ToolError::format(path, "weights", problem))
}

impl Searcher {
    /// A searcher with an empty table.
    pub fn new(evaluator: Evaluator) -> Self {
        Self { evaluator, engine: None, expected: None }
    }

    /// Forgets everything learnt.
    pub fn reset(&mut self) {
        self.engine = None;
        self.expected = None;
    }

    /// Value of a position after a search of `depth` plies without probabilistic cuts, in centi-discs from the
    /// mover's view; the static value at depth 0, exact when the depth reaches the end.
    pub fn value(&mut self, position: Position, depth: u32) -> i32 {
        if position.is_over() {
            return position.final_score() * 100;
        }
        if depth == 0 {
            return self.evaluator.evaluate(position);
        }
        self.search(position, depth).lines.first().map_or(0, |line| line.score)
    }

    /// The exact final score with best play, in discs from the mover's view.
    pub fn solve(&mut self, position: Position) -> i32 {
        if position.is_over() {
            return position.final_score();
        }
        self.search(position, position.empties()).proven.0
    }

    /// The best move at a fixed depth (to the end when it reaches that); the pass when it is forced, `None` when the
    /// game is over.
    pub fn best_move(&mut self, position: Position, depth: u32) -> Option<Move> {
        if let Some((_, mut rest)) = self.expected.take_if(|expected| expected.0 == position) {
            let mv = rest.pop()?;
            self.expect(position, mv, rest);
            return Some(mv);
        }
        let moves = position.moves();
        let exact = depth >= position.empties();
        if moves.len() <= 1 && !exact {
            return moves.first().copied();
        }
        if moves.is_empty() {
            return None;
        }
        let outcome = self.search(position, depth);
        let line = outcome.lines.first()?;
        if exact && outcome.proven.0 == outcome.proven.1 && leads_to(position, &line.pv, outcome.proven.0) {
            let mut rest: Vec<Move> = line.pv.iter().rev().copied().collect();
            rest.pop();
            self.expect(position, line.mv, rest);
        }
        Some(line.mv)
    }

    fn expect(&mut self, position: Position, mv: Move, rest: Vec<Move>) {
        self.expected = if rest.is_empty() { None } else { position.play(mv).map(|next| (next, rest)) };
    }

    fn search(&mut self, position: Position, depth: u32) -> Outcome {
        let evaluator = &self.evaluator;
        let engine = self.engine.get_or_insert_with(|| {
            // One thread and a table of this size fit into any memory that holds the weights.
            search::Searcher::new(Tier::detect(), 1, TABLE_MIB, evaluator.clone())
                .unwrap_or_else(|error| panic!("searcher of {TABLE_MIB} MiB: {error}"))
        });
        let steps = steps_to(Step { depth, selectivity: Selectivity::None }, position.empties());
        engine.search(position, &steps, &Limits::default(), &StopFlag::new(), &mut |_| {})
    }
}

/// True when the moves lead to the end of the game and to this score for the side to move in `position`.
fn leads_to(mut position: Position, moves: &[Move], score: i32) -> bool {
    let mut sign = 1;
    for &mv in moves {
        let Some(next) = position.play(mv) else { return false };
        (position, sign) = (next, -sign);
    }
    position.is_over() && position.final_score() * sign == score
}

/// The move a self-play side makes: exact from `exact_empties` empties on, else from a search of `depth` plies.
pub fn choose_move(searcher: &mut Searcher, position: Position, depth: u32, exact_empties: u32) -> Option<Move> {
    let depth = if position.empties() <= exact_empties { position.empties() } else { depth.max(1) };
    searcher.best_move(position, depth)
}

/// Searchers that parallel tasks borrow.
#[derive(Debug)]
pub struct SearcherPool {
    evaluator: Evaluator,
    idle: Mutex<Vec<Searcher>>,
}

impl SearcherPool {
    /// A pool with this evaluation.
    pub fn new(evaluator: Evaluator) -> Self {
        evaluator.prepare(0, 60);
        Self { evaluator, idle: Mutex::new(Vec::new()) }
    }

    /// Runs a task with a searcher that has been reset.
    pub fn with<T>(&self, task: impl FnOnce(&mut Searcher) -> T) -> T {
        let idle = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        let mut searcher = idle.unwrap_or_else(|| Searcher::new(self.evaluator.clone()));
        searcher.reset();
        let answer = task(&mut searcher);
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(searcher);
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Exact score by plain negamax.
    fn negamax(position: Position) -> i32 {
        let moves = position.moves();
        let scores = moves.into_iter().filter_map(|mv| position.play(mv)).map(|child| -negamax(child));
        scores.max().unwrap_or_else(|| position.final_score())
    }

    #[test]
    fn exact_play_keeps_the_exact_score() {
        let mut searcher = Searcher::new(Evaluator::default());
        for seed in 0..20 {
            let mut rng = Rng::new(seed);
            let mut position = Position::START;
            while position.empties() > 8 {
                let moves = position.moves();
                let Some(&mv) = moves.get(rng.below(moves.len() as u64) as usize) else { break };
                position = position.play(mv).unwrap();
            }
            searcher.reset();
            let mut score = negamax(position);
            assert_eq!(searcher.solve(position), score);
            assert_eq!(searcher.value(position, 60), score * 100);
            while let Some(mv) = choose_move(&mut searcher, position, 1, 8) {
                position = position.play(mv).unwrap();
                score = -score;
                assert_eq!(negamax(position), score);
            }
            assert!(position.is_over());
        }
    }
}
