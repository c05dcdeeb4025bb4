//! Text and file formats for moves, positions and games. Parsers take bytes and give errors with a place.
//!
//! | Here | What |
//! |---|---|
//! | [`parse_move`], [`parse_color`], [`parse_board`], [`parse_transcript`], [`parse_position`] | what people type and paste |
//! | [`obf`] | positions with the values of their moves, one a line |
//! | [`ggf`] | games as GGS and `NBoard` write them |
//! | [`sgf`] | games as Quarry and Edax write them |
//! | [`wthor`] | the database of tournament games |
//!
//! Whatever the bytes, a parser returns a value or a [`ParseError`]; none panics. Nothing here opens a file.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)
)]

mod cells;
pub mod ggf;
pub mod obf;
mod paste;
pub mod sgf;
mod text;
mod transcript;
pub mod wthor;

#[cfg(test)]
mod testing;

pub use cells::{parse_board, parse_color};
pub use paste::parse_position;
pub use text::ParseError;
pub use transcript::{parse_move, parse_transcript, write_transcript};
