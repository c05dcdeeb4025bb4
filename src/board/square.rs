//! Squares, moves and colours: the words every other module speaks in.
//!
//! Squares are numbered row by row from `a1` (0, top left as the field writes it) to `h8` (63); bit `n` of a
//! bitboard is square `n`.

use std::fmt;

/// One of the 64 squares, `a1` = 0, `b1` = 1, …, `h8` = 63.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The square with the given index, or `None` when it is not below 64.
    pub const fn new(index: u8) -> Option<Self> {
        if index < 64 { Some(Self(index)) } else { None }
    }

    /// The square in `column` (0 = a) and `row` (0 = 1, the top row), or `None` outside the board.
    pub const fn from_column_row(column: u8, row: u8) -> Option<Self> {
        if column < 8 && row < 8 { Some(Self(row * 8 + column)) } else { None }
    }

    /// The lowest set square of a bitboard, or `None` when it is empty.
    #[inline(always)]
    pub const fn lowest(bits: u64) -> Option<Self> {
        if bits == 0 { None } else { Some(Self(bits.trailing_zeros() as u8)) }
    }

    /// Index in `0..64`.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Column, 0 (a) to 7 (h).
    pub const fn column(self) -> u8 {
        self.0 & 7
    }

    /// Row, 0 (the top row, written 1) to 7.
    pub const fn row(self) -> u8 {
        self.0 >> 3
    }

    /// Bitboard with only this square set.
    #[inline(always)]
    pub const fn bit(self) -> u64 {
        1 << self.0
    }

    /// All squares from `a1` to `h8`.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..64).map(Self)
    }
}

impl fmt::Display for Square {
    /// Lower-case letter and digit: `f5`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{}", char::from(b'a' + self.column()), self.row() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// The set squares of a bitboard, lowest first.
#[derive(Clone, Debug)]
pub struct Squares(pub u64);

impl Iterator for Squares {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        let square = Square::lowest(self.0)?;
        self.0 &= self.0 - 1;
        Some(square)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count_ones() as usize;
        (count, Some(count))
    }
}

/// What a side does at its turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Move {
    /// Places a disc on the square.
    Place(Square),
    /// Passes; legal only when the side has no legal placement and the game is not over.
    Pass,
}

impl Move {
    /// The square of a placement, `None` for a pass.
    pub const fn square(self) -> Option<Square> {
        match self {
            Self::Place(square) => Some(square),
            Self::Pass => None,
        }
    }
}

impl From<Square> for Move {
    fn from(square: Square) -> Self {
        Self::Place(square)
    }
}

impl fmt::Display for Move {
    /// `f5`, or `pass`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Place(square) => square.fmt(formatter),
            Self::Pass => formatter.write_str("pass"),
        }
    }
}

/// A side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Color {
    /// Black, who moves first from the usual start.
    Black,
    /// White.
    White,
}

impl Color {
    /// The other side.
    #[must_use]
    pub const fn opponent(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }
}

impl fmt::Display for Color {
    /// `Black` or `White`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Black => "Black",
            Self::White => "White",
        })
    }
}
