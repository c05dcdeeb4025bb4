//! The seam between the tools and the engine's search: one single-threaded searcher per thread.
//!
//! Every answer depends only on the questions asked since the last [`Searcher::reset`], so that self-play gives the
//! same games on any number of threads.

use flipside::board::{Move, Position, Square, Squares};

use crate::rng::Rng;

/// A single-threaded searcher.
#[derive(Debug, Default)]
pub struct Searcher {
    nodes: u64,
}

/// Centi-discs above any score.
const INFINITY: i32 = 10_000;

impl Searcher {
    /// A searcher with an empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets everything learnt.
    pub fn reset(&mut self) {
        self.nodes = 0;
    }

    /// Value of a position after a search of `depth` plies without selectivity, in centi-discs from the mover's
    /// view; exact when the depth reaches the end.
    pub fn value(&mut self, position: Position, depth: u32) -> i32 {
        if depth >= position.empties() {
            return self.solve(position) * 100;
        }
        self.midgame(position, depth, -INFINITY, INFINITY)
    }

    /// The exact final score with best play, in discs from the mover's view.
    pub fn solve(&mut self, position: Position) -> i32 {
        self.endgame(position, -64, 64)
    }

    /// The best move at a fixed depth (to the end when it reaches that); the pass when it is forced, `None` when the
    /// game is over.
    pub fn best_move(&mut self, position: Position, depth: u32, rng: &mut Rng) -> Option<Move> {
        let moves = position.moves();
        if moves.len() <= 1 {
            return moves.first().copied();
        }
        let exact = depth >= position.empties();
        let (mut best, mut alpha) = (None, -INFINITY);
        let mut moves: Vec<(Move, Position)> =
            moves.into_iter().filter_map(|mv| Some((mv, position.play(mv)?))).collect();
        rng.shuffle(&mut moves);
        moves.sort_by_key(|&(_, child)| child.legal_moves().count_ones());
        for (mv, child) in moves {
            let value = if exact {
                -self.endgame(child, -64, -(alpha.max(-64)))
            } else {
                -self.midgame(child, depth.saturating_sub(1), -INFINITY, -alpha)
            };
            if value > alpha || best.is_none() {
                (best, alpha) = (Some(mv), value.max(alpha));
            }
        }
        best
    }

    fn midgame(&mut self, position: Position, depth: u32, mut alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        if depth == 0 {
            return evaluate(position);
        }
        let moves = position.legal_moves();
        if moves == 0 {
            let passed = position.pass();
            if passed.legal_moves() == 0 {
                return position.final_score() * 100;
            }
            return -self.midgame(passed, depth, -beta, -alpha);
        }
        let mut children = children(position, moves);
        if depth > 1 {
            children.sort_by_key(|child| child.legal_moves().count_ones());
        }
        let mut best = -INFINITY;
        for child in children {
            best = best.max(-self.midgame(child, depth - 1, -beta, -alpha));
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    fn endgame(&mut self, position: Position, mut alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        let moves = position.legal_moves();
        if moves == 0 {
            let passed = position.pass();
            if passed.legal_moves() == 0 {
                return position.final_score();
            }
            return -self.endgame(passed, -beta, -alpha);
        }
        let mut children = children(position, moves);
        if position.empties() > 4 {
            children.sort_by_cached_key(|child| child.legal_moves().count_ones());
        }
        let mut best = -65;
        for child in children {
            best = best.max(-self.endgame(child, -beta, -alpha));
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        best
    }
}

/// The move a self-play side makes: exact from `exact_empties` empties on, else from a search of `depth` plies.
pub fn choose_move(
    searcher: &mut Searcher,
    position: Position,
    depth: u32,
    exact_empties: u32,
    rng: &mut Rng,
) -> Option<Move> {
    let depth = if position.empties() <= exact_empties { 64 } else { depth.max(1) };
    searcher.best_move(position, depth, rng)
}

fn children(position: Position, moves: u64) -> Vec<Position> {
    Squares(moves).filter_map(|square: Square| position.play(Move::Place(square))).collect()
}

fn evaluate(position: Position) -> i32 {
    let mobility = |position: Position| position.legal_moves().count_ones() as i32;
    let corners = |discs: u64| (discs & 0x8100000000000081).count_ones() as i32;
    100 * (mobility(position) - mobility(position.pass()))
        + 800 * (corners(position.mover()) - corners(position.opponent()))
}
