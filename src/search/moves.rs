//! Moves with a score by which to order them.

use arrayvec::ArrayVec;

use crate::board::Square;

/// Most legal moves of any position, reachable or not, with room to spare.
pub(super) const MAX_MOVES: usize = 40;

/// A move with what choosing it has found out.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScoredMove {
    pub square: Square,
    pub flips: u64,
    /// Where the opponent can reply; nothing as long as nobody has looked.
    pub replies: u64,
    /// How promising the move looks, in centi-discs; the higher, the earlier it is searched.
    pub score: i32,
}

impl ScoredMove {
    /// A move of which nothing else is known yet.
    #[inline(always)]
    pub const fn new(square: Square, flips: u64) -> Self {
        Self { square, flips, replies: 0, score: 0 }
    }
}

/// Moves, the most promising first once sorted.
pub(super) type MoveList = ArrayVec<ScoredMove, MAX_MOVES>;

/// What can be told of a move on the way to the end without the value of the position that it leads to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outlook {
    /// Replies, see `weighted_mobility`.
    pub mobility: i32,
    /// Whether the move goes into an odd region.
    pub odd: bool,
    /// The likely effort of a proof, in sixteenths of a logit, see `Ordering::promise`.
    pub effort: i32,
}

/// Fewest empties at which proofs are too large for their effort to be foreseen as well as nearer to the end.
const FAR_EMPTIES: u32 = 16;

impl Outlook {
    /// How promising a move is on the way to the end, in centi-discs, but for the value of the position reached.
    #[inline(always)]
    pub const fn promise(self, empties: u32) -> i32 {
        let (reply, effort) = if empties >= FAR_EMPTIES { (250, 30) } else { (300, 65) };
        self.effort * effort - self.mobility * reply + 50 * self.odd as i32
    }
}

/// Moves the most promising of the moves from `index` on to `index`.
#[inline(always)]
pub(super) fn pick_best(list: &mut [ScoredMove], index: usize) {
    // Without branches on the scores, which no processor foresees: the place, from the end, in the lowest bits.
    let mut best = i64::MIN;
    for (place, candidate) in (0..).zip(&list[index..]) {
        best = best.max(i64::from(candidate.score) << 8 | (0xFF - place));
    }
    list.swap(index, index + (0xFF - (best & 0xFF)) as usize);
}

/// Subtracts from the scores of the `count` most promising moves the opponent's `value` of the position they lead to,
/// where there is one, and from those of the others the worst of these values: to find all would take more time than a
/// better order of the last moves saves.
#[inline(always)]
pub(super) fn refine(list: &mut [ScoredMove], count: usize, mut value: impl FnMut(&ScoredMove) -> Option<i32>) {
    let count = if list.len() > count {
        for index in 0..count {
            pick_best(list, index);
        }
        count
    } else {
        list.len()
    };
    let (first, others) = list.split_at_mut(count);
    let mut worst = i32::MIN;
    for candidate in first {
        if let Some(value) = value(candidate) {
            worst = worst.max(value);
            candidate.score -= value;
        }
    }
    if worst > i32::MIN {
        for candidate in others {
            candidate.score -= worst;
        }
    }
}
