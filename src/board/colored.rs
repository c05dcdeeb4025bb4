//! A position with colours: who is black, who is white, who is to move.

use std::fmt;

use super::{Color, Move, Position, Square};

/// A position together with the colour of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    position: Position,
    side_to_move: Color,
}

impl Board {
    /// The usual start, black to move.
    pub const START: Self = Self { position: Position::START, side_to_move: Color::Black };

    /// A board from the mover's view plus the mover's colour.
    pub const fn new(position: Position, side_to_move: Color) -> Self {
        Self { position, side_to_move }
    }

    /// The position without colours.
    pub const fn position(self) -> Position {
        self.position
    }

    /// Who is to move.
    pub const fn side_to_move(self) -> Color {
        self.side_to_move
    }

    /// The discs of a colour.
    pub fn discs(self, color: Color) -> u64 {
        if color == self.side_to_move { self.position.mover() } else { self.position.opponent() }
    }

    /// The colour of the disc on `square`, `None` when empty.
    pub fn at(self, square: Square) -> Option<Color> {
        [Color::Black, Color::White].into_iter().find(|&color| self.discs(color) & square.bit() != 0)
    }

    /// The board after `mv`, or `None` when it is illegal here.
    #[must_use]
    pub fn play(self, mv: Move) -> Option<Self> {
        let position = self.position.play(mv)?;
        Some(Self { position, side_to_move: self.side_to_move.opponent() })
    }

    /// The same discs with the other side to move, whether or not a pass is legal.
    #[must_use]
    pub fn with_other_side(self) -> Self {
        Self { position: self.position.pass(), side_to_move: self.side_to_move.opponent() }
    }

    /// Black's discs minus white's as if the game ended here, empty squares to the winner.
    pub fn final_score_for_black(self) -> i32 {
        match self.side_to_move {
            Color::Black => self.position.final_score(),
            Color::White => -self.position.final_score(),
        }
    }
}

impl fmt::Display for Board {
    /// The 64 squares from a1 to h8 (`X` black, `O` white, `-` empty), a blank and the side to move.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for square in Square::all() {
            formatter.write_str(match self.at(square) {
                Some(Color::Black) => "X",
                Some(Color::White) => "O",
                None => "-",
            })?;
        }
        formatter.write_str(if self.side_to_move == Color::Black { " X" } else { " O" })
    }
}
