//! The pattern indices of a position, kept up to date move by move.

pub use super::patterns::FEATURES;
use super::patterns::{CONFIGURATIONS, PATTERN_SIZE, PLACED};
use crate::board::{Position, Square};

/// Table index of every feature, from the view of the side to move.
///
/// The index of a feature is the ternary number of its squares: 0 for a disc of the mover, 1 for an empty square, 2 for a
/// disc of the opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Features(pub(super) [u16; FEATURES]);

/// What one step of a digit on a square adds to each index; nothing for no square, which is 64.
static STEPS: [Features; 65] = {
    let steps = steps();
    let mut table = [Features([0; FEATURES]); 65];
    let mut square = 0;
    while square < 64 {
        table[square] = steps[square];
        square += 1;
    }
    table
};

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

    /// Indices after the side to move placed a disc on `square` and flipped `flips`.
    #[inline(always)]
    #[must_use]
    pub fn after(&self, square: Square, flips: u64) -> Self {
        // Seen from the other side, the disc placed is the opponent's and so are those flipped.
        let mut indices = self.passed();
        indices.add(&STEPS[square.index()], 0);
        // Three at a time, some of them perhaps no square: the end of a loop over them no processor foresees.
        let mut flips = flips;
        loop {
            for _ in 0..3 {
                indices.add(&STEPS[flips.trailing_zeros() as usize], 1);
                flips &= flips.wrapping_sub(1);
            }
            if flips == 0 {
                return indices;
            }
        }
    }

    /// The same with the other side to move.
    #[inline(always)]
    #[must_use]
    pub fn passed(&self) -> Self {
        let mut indices = *self;
        for lane in 0..FEATURES {
            indices.0[lane] = COMPLEMENT.wrapping_sub(indices.0[lane]);
        }
        indices
    }

    #[inline(always)]
    fn add(&mut self, steps: &Self, shift: u32) {
        for lane in 0..FEATURES {
            self.0[lane] = self.0[lane].wrapping_add(steps.0[lane] << shift);
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
            let mut features = Features::of(position);
            for choice in choices {
                let moves = position.moves();
                let Some(&mv) = moves.get(choice % moves.len().max(1)) else { break };
                features = match mv {
                    Move::Place(square) => features.after(square, position.flips(square)),
                    Move::Pass => features.passed(),
                };
                position = position.play(mv).unwrap();
                prop_assert_eq!(features, Features::of(position));
            }
        }
    }
}
