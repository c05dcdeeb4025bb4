//! Exact search of the last empties, in discs, by null windows, without the shared table.
//!
//! [`last`] plays out one to four empties, [`shallow`] five and six by parity alone, [`middle`] from seven up with
//! fastest-first ordering and a private table, its upper part guided by the evaluation. Above that the tree search in
//! the parent folder takes over.

mod cache;
mod last;
mod middle;
mod shallow;
mod stability;

pub(super) use cache::EndCache;
pub(super) use middle::{CORNERS, weighted_mobility, wipe_out};
pub(super) use stability::upper_bound_by_stability;

use super::node::Node;
use crate::eval::Evaluator;

/// Most empties that the search with private tables handles.
pub(super) const MIDDLE_EMPTIES: u32 = 11;

/// Fewest empties from which the evaluation orders the moves.
pub(super) const GUIDED_EMPTIES: u32 = 10;

/// What one thread needs for endgames: counters and private tables.
#[derive(Debug)]
pub(super) struct EndWorker {
    /// Positions made and searched.
    pub searched: u64,
    /// Positions made only to order moves or to probe a table.
    pub ordered: u64,
    pub(super) cache: EndCache,
    evaluator: Evaluator,
}

impl EndWorker {
    pub(super) fn new(evaluator: Evaluator) -> Self {
        Self { searched: 0, ordered: 0, cache: EndCache::new(), evaluator }
    }

    pub(super) fn reset_counters(&mut self) {
        (self.searched, self.ordered) = (0, 0);
    }
}

crate::tiered! {
    /// The endgame functions of each tier. All return fail-soft scores in discs from the mover's view for the null
    /// window `alpha`..`alpha + 1`.
    pub(super) trait EndTier {
        /// Four empties.
        fn solve_4(worker: &mut EndWorker, mover: u64, opponent: u64, alpha: i32) -> i32 = last::solve_4;
        /// Five and six empties.
        fn solve_shallow(worker: &mut EndWorker, mover: u64, opponent: u64, alpha: i32) -> i32 = shallow::solve;
        /// Seven empties up to [`GUIDED_EMPTIES`].
        fn solve_middle(worker: &mut EndWorker, mover: u64, opponent: u64, alpha: i32) -> i32 = middle::solve;
        /// [`GUIDED_EMPTIES`] to [`MIDDLE_EMPTIES`] empties.
        fn solve_guided(worker: &mut EndWorker, node: &Node, alpha: i32) -> i32 = middle::solve_guided;
        /// Any number of empties up to [`MIDDLE_EMPTIES`].
        fn solve_any(worker: &mut EndWorker, node: &Node, alpha: i32) -> i32 = solve_any;
    }
}

#[inline(always)]
fn solve_any<I: EndTier>(isa: I, worker: &mut EndWorker, node: &Node, alpha: i32) -> i32 {
    let (mover, opponent) = (node.position.mover(), node.position.opponent());
    let empty = !(mover | opponent);
    match node.empties {
        0 => 2 * mover.count_ones() as i32 - 64,
        1 => last::solve_1(mover, empty.trailing_zeros() as usize, alpha),
        2 => {
            let (a, b) = (empty.trailing_zeros() as usize, 63 - empty.leading_zeros() as usize);
            last::solve_2(isa, worker, mover, opponent, a, b, alpha)
        }
        3 => last::solve_3(isa, worker, mover, opponent, alpha),
        4 => isa.solve_4(worker, mover, opponent, alpha),
        5 | 6 => isa.solve_shallow(worker, mover, opponent, alpha),
        7..GUIDED_EMPTIES => isa.solve_middle(worker, mover, opponent, alpha),
        _ => isa.solve_guided(worker, node, alpha),
    }
}

/// Squares of the 4×4 quadrants that hold an odd number of `empty` squares: moving there first tends to keep the
/// last move in each region (parity).
#[inline(always)]
pub(super) const fn odd_quadrants(empty: u64) -> u64 {
    let mut parity = empty ^ (empty >> 1);
    parity ^= parity >> 2;
    parity ^= parity >> 8;
    parity ^= parity >> 16;
    (parity & 0x0000001100000011).wrapping_mul(0x0F0F0F0F)
}

/// Final score in discs when neither side can move, empty squares to the winner.
#[inline(always)]
pub(super) const fn score_at_end(mover: u64, opponent: u64) -> i32 {
    let difference = mover.count_ones() as i32 - opponent.count_ones() as i32;
    let empties = (!(mover | opponent)).count_ones() as i32;
    difference + empties * difference.signum()
}

#[cfg(test)]
mod tests;
