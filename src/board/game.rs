//! A game: a start board and the moves played from it.

use thiserror::Error;

use super::{Board, Color, Move, Square, Squares};

/// Why a move was refused; the game is unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum IllegalMove {
    /// The square already holds a disc.
    #[error("{0} is occupied")]
    Occupied(Square),
    /// The placement flips nothing.
    #[error("{1} on {0} flips no disc{hint}", hint = legal_hint(*.2))]
    FlipsNothing(Square, Color, u64),
    /// A pass although the side to move has a placement.
    #[error("{0} cannot pass: there are legal moves{hint}", hint = legal_hint(*.1))]
    PassNotForced(Color, u64),
    /// Any move after the end of the game.
    #[error("the game is over")]
    GameOver,
}

fn legal_hint(legal: u64) -> String {
    if legal == 0 {
        return String::new();
    }
    let squares: Vec<String> = Squares(legal).map(|square| square.to_string()).collect();
    format!(" (legal: {})", squares.join(" "))
}

/// A start board and the moves played, passes included.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    start: Board,
    moves: Vec<Move>,
    // One board per position of the game, the start first; never empty.
    boards: Vec<Board>,
}

impl Default for Game {
    fn default() -> Self {
        Self::new(Board::START)
    }
}

impl Game {
    /// A game at its start position.
    pub fn new(start: Board) -> Self {
        Self { start, moves: Vec::new(), boards: vec![start] }
    }

    /// The start position.
    pub fn start(&self) -> Board {
        self.start
    }

    /// The current position.
    pub fn board(&self) -> Board {
        self.boards.last().copied().unwrap_or(self.start)
    }

    /// The moves so far, passes included.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The positions so far, the start first: one more than there are moves.
    pub fn boards(&self) -> &[Board] {
        &self.boards
    }

    /// True when neither side can move.
    pub fn is_over(&self) -> bool {
        self.board().position().is_over()
    }

    /// Plays a move of the side to move.
    ///
    /// # Errors
    /// When the move is illegal here; the game is unchanged.
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        let board = self.board();
        let next = board.play(mv).ok_or_else(|| illegal(board, mv))?;
        self.moves.push(mv);
        self.boards.push(next);
        Ok(())
    }

    /// Plays a move, first passing for the side to move when it has no placement and `mv` is one: transcripts
    /// usually leave forced passes out.
    ///
    /// # Errors
    /// When the move is illegal even so; the game is unchanged.
    pub fn play_with_implied_pass(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if mv != Move::Pass && self.board().position().must_pass() {
            let passed = self.board().with_other_side();
            if passed.play(mv).is_none() {
                return Err(illegal(passed, mv));
            }
            self.play(Move::Pass)?;
        }
        self.play(mv)
    }

    /// Takes the last move (or pass) back; `None` at the start.
    pub fn undo(&mut self) -> Option<Move> {
        let mv = self.moves.pop()?;
        self.boards.pop();
        Some(mv)
    }
}

fn illegal(board: Board, mv: Move) -> IllegalMove {
    let position = board.position();
    let legal = position.legal_moves();
    match mv {
        _ if position.is_over() => IllegalMove::GameOver,
        Move::Pass => IllegalMove::PassNotForced(board.side_to_move(), legal),
        Move::Place(square) if position.occupied() & square.bit() != 0 => IllegalMove::Occupied(square),
        Move::Place(square) => IllegalMove::FlipsNothing(square, board.side_to_move(), legal),
    }
}
