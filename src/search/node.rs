//! A position with what the search keeps beside it.

use crate::{
    board::{Position, Square},
    eval::Features,
};

/// A position with what the search keeps beside it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub position: Position,
    pub features: Features,
    pub empties: u32,
}

impl Node {
    pub fn new(position: Position) -> Self {
        Self { position, features: Features::of(position), empties: position.empties() }
    }

    #[inline(always)]
    pub fn child(&self, square: Square, flips: u64) -> Self {
        Self {
            position: self.position.after(square, flips),
            features: self.features.after(square, flips),
            empties: self.empties - 1,
        }
    }

    #[inline(always)]
    pub fn passed(&self) -> Self {
        Self { position: self.position.pass(), features: self.features.passed(), ..*self }
    }
}
