//! The rules of Othello: squares, positions, games. Knows nothing of search, files or protocols.
//!
//! [`Position`] is the searcher's view (mover and opponent), [`Board`] adds colours, [`Game`] adds history.

mod colored;
mod game;
mod perft;
mod position;
mod region;
mod square;
mod symmetry;

pub use colored::Board;
pub use game::{Game, IllegalMove};
pub use perft::perft;
pub use position::Position;
pub use region::{CORNERS, odd_quadrants};
pub use square::{Color, Move, Square, Squares};
pub use symmetry::Symmetry;
