//! A position as the search sees it: two bitboards, the side to move first, no colours.

use super::{Move, Square, Squares, symmetry::Symmetry};
use crate::isa::portable;

/// Discs of the side to move and of its opponent. The two sets are disjoint; any disjoint pair is a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Position {
    mover: u64,
    opponent: u64,
}

impl Position {
    /// The usual start: white on d4 and e5, black on d5 and e4, black to move.
    pub const START: Self = Self { mover: 0x0000000810000000, opponent: 0x0000001008000000 };

    /// The position with these discs, or `None` when a square is claimed by both.
    pub const fn new(mover: u64, opponent: u64) -> Option<Self> {
        if mover & opponent == 0 { Some(Self { mover, opponent }) } else { None }
    }

    /// Discs of the side to move.
    #[inline(always)]
    pub const fn mover(self) -> u64 {
        self.mover
    }

    /// Discs of the side not to move.
    #[inline(always)]
    pub const fn opponent(self) -> u64 {
        self.opponent
    }

    /// All discs.
    #[inline(always)]
    pub const fn occupied(self) -> u64 {
        self.mover | self.opponent
    }

    /// All empty squares.
    #[inline(always)]
    pub const fn empty(self) -> u64 {
        !self.occupied()
    }

    /// Number of empty squares, 0 to 64.
    #[inline(always)]
    pub const fn empties(self) -> u32 {
        self.empty().count_ones()
    }

    /// Squares on which the side to move may place a disc.
    pub fn legal_moves(self) -> u64 {
        portable::mobility(self.mover, self.opponent)
    }

    /// Discs that a disc of the side to move on `square` would flip; empty when it is no legal move there.
    pub fn flips(self, square: Square) -> u64 {
        if self.occupied() & square.bit() == 0 { portable::flips(square.index(), self.mover, self.opponent) } else { 0 }
    }

    /// The position after `mv`, or `None` when it is illegal here (a pass is legal only when it is forced and the
    /// game is not over).
    #[must_use]
    pub fn play(self, mv: Move) -> Option<Self> {
        match mv {
            Move::Place(square) => {
                let flips = self.flips(square);
                (flips != 0).then(|| self.after(square, flips))
            }
            Move::Pass => self.must_pass().then(|| self.pass()),
        }
    }

    /// The position after a placement on `square` that flips `flips`, seen by the next side.
    #[inline(always)]
    #[must_use]
    pub(crate) const fn after(self, square: Square, flips: u64) -> Self {
        Self { mover: self.opponent ^ flips, opponent: self.mover ^ flips ^ square.bit() }
    }

    /// The same discs with the other side to move, whether or not a pass is legal.
    #[inline(always)]
    #[must_use]
    pub const fn pass(self) -> Self {
        Self { mover: self.opponent, opponent: self.mover }
    }

    /// True when the side to move has no placement but its opponent has one.
    pub fn must_pass(self) -> bool {
        self.legal_moves() == 0 && self.pass().legal_moves() != 0
    }

    /// True when neither side has a placement.
    pub fn is_over(self) -> bool {
        self.legal_moves() == 0 && self.pass().legal_moves() == 0
    }

    /// All legal moves in square order: the placements, or the one pass, or nothing when the game is over.
    pub fn moves(self) -> Vec<Move> {
        let placements = self.legal_moves();
        if placements != 0 {
            Squares(placements).map(Move::Place).collect()
        } else if self.is_over() {
            Vec::new()
        } else {
            vec![Move::Pass]
        }
    }

    /// Disc difference from the mover's view as if the game ended here, empty squares to the winner: −64 to 64.
    #[inline(always)]
    pub const fn final_score(self) -> i32 {
        let mover = self.mover.count_ones() as i32;
        let opponent = self.opponent.count_ones() as i32;
        let difference = mover - opponent;
        let empties = 64 - mover - opponent;
        if difference > 0 {
            difference + empties
        } else if difference < 0 {
            difference - empties
        } else {
            0
        }
    }

    /// The image under a symmetry of the board.
    #[must_use]
    pub const fn transformed(self, symmetry: Symmetry) -> Self {
        Self { mover: symmetry.apply(self.mover), opponent: symmetry.apply(self.opponent) }
    }

    /// The least of the eight symmetric images (by mover, then opponent): equal for all images of a position.
    #[must_use]
    pub fn canonical(self) -> Self {
        self.canonical_with().0
    }

    /// The canonical image together with the symmetry that leads to it.
    #[must_use]
    pub fn canonical_with(self) -> (Self, Symmetry) {
        let mut best = (self, Symmetry::IDENTITY);
        for symmetry in Symmetry::ALL {
            let image = self.transformed(symmetry);
            if image < best.0 {
                best = (image, symmetry);
            }
        }
        best
    }

    /// A 64-bit hash of the position, well mixed in all bits.
    #[inline(always)]
    pub const fn hash(self) -> u64 {
        // Two odd multipliers and folded 128-bit products; the construction is wyhash's "mum" (Wang Yi, 2019).
        let product =
            ((self.mover ^ 0x9E3779B97F4A7C15) as u128).wrapping_mul((self.opponent ^ 0xD1B54A32D192ED03) as u128);
        let folded = (product as u64) ^ ((product >> 64) as u64);
        let second = ((folded ^ self.mover) as u128).wrapping_mul(0xAEF17502108EF2D9);
        (second as u64) ^ ((second >> 64) as u64)
    }
}
