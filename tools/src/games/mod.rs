//! The game file: games from the usual start in fixed-size records, made by self-play and read by every other tool.
//!
//! Layout (integers little-endian; version 1):
//!
//! | bytes | header |
//! |:--|:--|
//! | 0..8 | the text `FLIPGAME` |
//! | 8..10 | format version, 1 |
//! | 10..12 | record size, 64 |
//! | 12 | search depth of the players |
//! | 13 | empties from which play was exact, 0 for never |
//! | 14, 15 | least and greatest number of random plies |
//! | 16..24 | seed |
//! | 24..28 | mark of the evaluation weights that the players used |
//! | 28..32 | checksum of bytes 0..28 |
//!
//! Then one record a game; game *k* is at byte 32 + 64 *k*:
//!
//! | bytes | record |
//! |:--|:--|
//! | 0..60 | the placements in order, a1 = 0 … h8 = 63, 255 after the end; forced passes are implied |
//! | 60 | low six bits: how many of the placements were random; bit 6: the opening repeats an earlier one; bit 7: 0 |
//! | 61 | final score, black discs minus white, empty squares to the winner (signed) |
//! | 62..64 | checksum of bytes 0..62 and of the game's number |
//!
//! A file only grows. What an interruption leaves behind a whole number of sound records is dropped on resuming.

mod file;
mod record;

pub use file::{GameFile, GameWriter, HEADER_SIZE, Header, OPENINGS_FROM_FILE};
pub use record::{GameRecord, MAX_PLACEMENTS, RECORD_SIZE, RecordError, Replay, ReplayError};

/// FNV-1a, 64 bits (Fowler, Noll and Vo), of the bytes after `start`.
pub(crate) fn fnv(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start ^ 0xCBF29CE484222325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100000001B3))
}
