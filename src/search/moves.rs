//! Moves with a score by which to order them.

use arrayvec::ArrayVec;

use crate::board::Square;

/// Most legal moves of any position, reachable or not, with room to spare.
pub(super) const MAX_MOVES: usize = 40;

/// A move with what it flips and how promising it looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScoredMove {
    pub square: Square,
    pub flips: u64,
    pub score: i32,
}

/// Moves, the most promising first once sorted.
pub(super) type MoveList = ArrayVec<ScoredMove, MAX_MOVES>;

/// Centi-discs that one reply of the opponent is worth in ordering.
const ENDGAME_MOBILITY: i32 = 450;

/// Centi-discs that moving into an odd region is worth in ordering.
const ENDGAME_PARITY: i32 = 50;

/// How promising a move is on the way to the end, in centi-discs: its value, the replies it leaves (see
/// `weighted_mobility`) and whether it goes into an odd region (0 or 1).
#[inline(always)]
pub(super) const fn endgame_promise(value: i32, mobility: i32, parity: i32) -> i32 {
    value - ENDGAME_MOBILITY * mobility + ENDGAME_PARITY * parity
}

/// Moves the most promising of the moves from `index` on to `index`.
#[inline(always)]
pub(super) fn pick_best(list: &mut [ScoredMove], index: usize) {
    let mut best = index;
    for other in index + 1..list.len() {
        if list[other].score > list[best].score {
            best = other;
        }
    }
    list.swap(index, best);
}
