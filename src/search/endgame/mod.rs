//! Exact search of the last empties, in discs, by null windows, without the shared table.
//!
//! [`last`] plays out one to four empties, [`shallow`] five and six by parity alone, [`middle`] from seven up with moves
//! ordered by [`Ordering`] and a private table; [`guided`] the same with the evaluation besides. Above that the tree
//! search in the parent folder takes over.

mod cache;
mod guided;
mod last;
mod middle;
mod shallow;
mod stability;

pub(super) use cache::EndCache;
use cache::Probe;
pub(super) use guided::solve as solve_guided;
pub(super) use middle::{weighted_mobility, wipe_out};
pub(super) use stability::upper_bound_by_stability;

use super::{moves::ScoredMove, node::Node};
use crate::{
    board::Position,
    eval::ordering::{Ordering, OrderingFeatures},
};

/// Most empties that the search with private tables handles.
pub(super) const MIDDLE_EMPTIES: u32 = 10;

/// Most empties at which the private table serves together with the evaluation.
pub(super) const GUIDED_EMPTIES: u32 = 11;

/// What one thread needs for endgames: counters and private tables.
// On cache lines of its own (pairs of lines are fetched together): its counters change at every node, and the workers
// of all threads lie side by side.
#[repr(align(128))]
#[derive(Debug)]
pub(super) struct EndWorker {
    /// Positions made and searched.
    pub searched: u64,
    /// Positions made only to order moves or to probe a table.
    pub ordered: u64,
    pub(super) cache: EndCache,
    /// Orders moves near the end.
    pub ordering: &'static Ordering,
}

impl EndWorker {
    pub(super) fn new() -> Self {
        Self { searched: 0, ordered: 0, cache: EndCache::new(), ordering: Ordering::embedded() }
    }

    /// Brings what is known of a position near, which has [`MIDDLE_EMPTIES`] to [`GUIDED_EMPTIES`].
    #[inline(always)]
    pub(super) fn prefetch(&self, position: Position, empties: u32) {
        self.cache.prefetch(EndCache::upper_slot(position, empties));
    }

    /// A score that settles the null window above `alpha` at such a position, when one is known.
    #[inline(always)]
    pub(super) fn known(&self, position: Position, empties: u32, alpha: i32) -> Option<i32> {
        match self.cache.probe(EndCache::upper_slot(position, empties), alpha) {
            Probe::Cut(score) => Some(score),
            Probe::Move(_) | Probe::Miss => None,
        }
    }

    pub(super) fn reset_counters(&mut self) {
        (self.searched, self.ordered) = (0, 0);
    }
}

/// A position near the end with what orders its moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct EndNode {
    features: OrderingFeatures,
    mover: u64,
    opponent: u64,
    /// Where the mover can place a disc: known to whoever made the position in order to choose it.
    moves: u64,
}

impl EndNode {
    #[inline(always)]
    fn of<I: EndTier>(isa: I, node: &Node) -> Self {
        let (mover, opponent) = (node.position.mover(), node.position.opponent());
        Self { features: OrderingFeatures::of(&node.features), mover, opponent, moves: isa.mobility(mover, opponent) }
    }

    #[inline(always)]
    fn child(&self, &ScoredMove { square, flips, replies, .. }: &ScoredMove) -> Self {
        Self {
            features: self.features.after(square, flips),
            mover: self.opponent ^ flips,
            opponent: self.mover ^ flips ^ square.bit(),
            moves: replies,
        }
    }

    #[inline(always)]
    fn passed(&self, replies: u64) -> Self {
        Self { features: self.features.passed(), mover: self.opponent, opponent: self.mover, moves: replies }
    }
}

crate::tiered! {
    /// The endgame functions of each tier. All return fail-soft scores in discs from the mover's view for the null
    /// window `alpha`..`alpha + 1`.
    pub(super) trait EndTier {
        /// Four empties, which the caller knows before it knows the discs: their order need not wait for the flips.
        fn solve_4(worker: &mut EndWorker, mover: u64, opponent: u64, empty: u64, alpha: i32) -> i32 = last::solve_4;
        /// Five empties; `moves` are those of the mover.
        fn solve_5(worker: &mut EndWorker, mover: u64, opponent: u64, moves: u64, alpha: i32) -> i32 = shallow::solve_5;
        /// Six empties; `moves` are those of the mover.
        fn solve_6(worker: &mut EndWorker, mover: u64, opponent: u64, moves: u64, alpha: i32) -> i32 = shallow::solve_6;
        /// Seven to [`MIDDLE_EMPTIES`] empties.
        fn solve_middle(worker: &mut EndWorker, node: &EndNode, alpha: i32) -> i32 = middle::solve_middle;
        /// Seven empties.
        fn solve_seven(worker: &mut EndWorker, node: &EndNode, alpha: i32) -> i32 = middle::solve_seven;
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
        1 => last::solve_1(isa, mover, empty.trailing_zeros() as usize, alpha),
        2 => {
            let (a, b) = (empty.trailing_zeros() as usize, 63 - empty.leading_zeros() as usize);
            last::solve_2(isa, worker, isa.pair(mover, opponent), [a, b], alpha)
        }
        3 => last::solve_3(isa, worker, isa.pair(mover, opponent), last::three_by_parity(empty), alpha),
        4 => isa.solve_4(worker, mover, opponent, empty, alpha),
        5 => isa.solve_5(worker, mover, opponent, isa.mobility(mover, opponent), alpha),
        6 => isa.solve_6(worker, mover, opponent, isa.mobility(mover, opponent), alpha),
        7 => isa.solve_seven(worker, &EndNode::of(isa, node), alpha),
        _ => isa.solve_middle(worker, &EndNode::of(isa, node), alpha),
    }
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
