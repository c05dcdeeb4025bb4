//! Evaluation of midgame positions: a sum of trained pattern weights, corrected by a small network, in centi-discs.
//!
//! [`patterns`] says which squares form the patterns, [`features`] keeps their indices up to date move by move,
//! [`packing`] maps indices to weights shared by symmetry, [`weights`] is the file of trained weights and
//! [`tables`] turns it into one lookup table for each number of empties. [`network`] is what corrects the sum.
//! [`ordering`] is a smaller sum of its own that orders moves near the end.

pub mod features;
pub mod network;
pub mod ordering;
pub mod packing;
pub mod patterns;
pub mod tables;
pub mod weights;

use crate::board::Position;
pub use features::{FEATURES, Features};
pub use tables::Evaluator;

/// Largest absolute heuristic value in centi-discs: a heuristic never claims a wipe-out.
pub const MAX_EVAL: i32 = 6300;

impl Evaluator {
    /// The sum of the pattern weights of a position from the mover's view, in centi-discs.
    pub fn pattern_value(&self, position: Position) -> i32 {
        self.value(&Features::of(position), position.empties())
    }

    /// Static value of a position from the mover's view, in centi-discs; the exact score when the board is full.
    pub fn evaluate(&self, position: Position) -> i32 {
        let empties = position.empties();
        if empties == 0 {
            return position.final_score() * 100;
        }
        let features = Features::of(position);
        let pattern_value = self.value(&features, empties);
        self.network(empties).map_or(pattern_value, |network| {
            network.value(&features, empties, network::mobilities(position), pattern_value)
        })
    }
}
