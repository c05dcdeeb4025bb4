//! The pattern indices of a position, kept up to date move by move.

pub use super::patterns::FEATURES;
use super::patterns::{CONFIGURATIONS, PATTERN_SIZE, PLACED};
use crate::board::{Position, Square, Squares};

/// From whose view the stored indices are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frame {
    /// From the view of the side to move.
    Mover,
    /// From the view of its opponent.
    Opponent,
}

impl Frame {
    /// The frame of the same indices one ply later.
    #[inline(always)]
    #[must_use]
    pub const fn flipped(self) -> Self {
        match self {
            Self::Mover => Self::Opponent,
            Self::Opponent => Self::Mover,
        }
    }
}

/// Table index of every feature, from the view of one fixed side for as long as moves are only added.
///
/// The index of a feature is the ternary number of its squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Features(pub(super) [u16; FEATURES]);

/// What one step of a digit on a square adds to each index.
static STEPS: [Features; 64] = steps();

/// Sum of an index and its complement (the index from the other side's view).
pub(super) const COMPLEMENT: u16 = CONFIGURATIONS as u16 - 1;

pub(super) const fn steps() -> [Features; 64] {
    let mut table = [Features([0; FEATURES]); 64];
    let mut feature = 0;
    while feature < FEATURES {
        let placed = &PLACED[feature];
        let mut i = 0;
        while i < PATTERN_SIZE {
            table[placed.squares[i] as usize].0[feature] = 3_u16.pow((PATTERN_SIZE - 1 - i) as u32);
            i += 1;
        }
        feature += 1;
    }
    table
}

impl Features {
    /// Indices of a position from the view of the side to move.
    pub fn of(position: Position) -> Self {
        let mut indices = Self([0; FEATURES]);
        for (feature, placed) in PLACED.iter().enumerate() {
            let mut number = 0_u16;
            for square in placed.squares {
                let bit = 1_u64 << square;
                let digit = u16::from(position.mover() & bit == 0) + u16::from(position.opponent() & bit != 0);
                number = number * 3 + digit;
            }
            indices.0[feature] = number;
        }
        indices
    }

    /// Indices after the side to move placed a disc on `square` and flipped `flips`; `frame` is that before the move.
    #[inline(always)]
    #[must_use]
    pub fn after(&self, frame: Frame, square: Square, flips: u64) -> Self {
        let mut indices = *self;
        match frame {
            Frame::Mover => {
                indices.subtract(&STEPS[square.index()], 0);
                for flipped in Squares(flips) {
                    indices.subtract(&STEPS[flipped.index()], 1);
                }
            }
            Frame::Opponent => {
                indices.add(&STEPS[square.index()], 0);
                for flipped in Squares(flips) {
                    indices.add(&STEPS[flipped.index()], 1);
                }
            }
        }
        indices
    }

    #[inline(always)]
    fn subtract(&mut self, steps: &Self, shift: u32) {
        for lane in 0..FEATURES {
            self.0[lane] = self.0[lane].wrapping_sub(steps.0[lane] << shift);
        }
    }

    #[inline(always)]
    fn add(&mut self, steps: &Self, shift: u32) {
        for lane in 0..FEATURES {
            self.0[lane] = self.0[lane].wrapping_add(steps.0[lane] << shift);
        }
    }

    /// The indices from the mover's view.
    #[inline(always)]
    #[must_use]
    pub fn from_movers_view(&self, frame: Frame) -> Self {
        match frame {
            Frame::Mover => *self,
            Frame::Opponent => {
                let mut indices = *self;
                for lane in 0..FEATURES {
                    indices.0[lane] = COMPLEMENT.wrapping_sub(indices.0[lane]);
                }
                indices
            }
        }
    }

    /// The index of each feature.
    pub fn indices(&self) -> &[u16] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::board::Move;

    proptest! {
        #[test]
        fn incremental_equals_from_scratch(choices in prop::collection::vec(any::<usize>(), 60)) {
            let mut position = Position::START;
            let (mut features, mut frame) = (Features::of(position), Frame::Mover);
            for choice in choices {
                let moves = position.moves();
                let Some(&mv) = moves.get(choice % moves.len().max(1)) else { break };
                if let Move::Place(square) = mv {
                    features = features.after(frame, square, position.flips(square));
                }
                frame = frame.flipped();
                position = position.play(mv).unwrap();
                prop_assert_eq!(features.from_movers_view(frame), Features::of(position));
            }
        }
    }
}
