//! Tools around the Flipside engine: self-play, training, matches and the tuning of probabilistic cuts.
//!
//! Each subcommand of `flipside-tools` is a module with a function that does the work and returns an error of one
//! clear line; the program around them only reads arguments and prints. See the README for commands and formats.

pub mod book;
pub mod check;
pub mod error;
pub mod files;
pub mod games;
pub mod labels;
pub mod matches;
pub mod network;
pub mod ordering;
pub mod probcut;
pub mod rng;
pub mod searcher;
pub mod selfplay;
#[cfg(test)]
mod test_files;
pub mod training;
