//! Flipside: an Othello (reversi) engine. The README describes the program; this is the library it is made of.
//!
//! Rooms, inner ones first; each knows only those before it:
//! [`isa`] (instruction sets) and [`board`] (rules) → [`notation`] (text and files) · [`eval`] (evaluation) →
//! [`search`] (midgame and endgame) → [`book`] → [`engine`] (one object that answers) → [`protocol`] and the
//! command line.

pub mod board;
pub mod book;
mod bytes;
mod checksum;
pub mod engine;
pub mod eval;
pub mod isa;
mod memory;
pub mod notation;
pub mod protocol;
pub mod search;
