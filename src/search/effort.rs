//! How many nodes a proof takes: what move ordering near the end is trained on.

use super::{
    SearcherError, StopFlag,
    endgame::EndWorker,
    node::Node,
    table::Table,
    tree::TreeTier,
    worker::{Shared, Worker},
};
use crate::{board::Position, eval::Evaluator, isa::Tier, with_tier};

/// Size of the table in MiB: proofs are small.
const TABLE_MIB: usize = 4;

/// Proves bounds by null windows to the end and counts the nodes.
#[derive(Debug)]
pub struct Prover {
    tier: Tier,
    evaluator: Evaluator,
    table: Table,
    end: EndWorker,
    stop: StopFlag,
}

/// The outcome of a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Fail-soft score in discs: a lower bound of the exact score when above `alpha`, else an upper bound.
    pub score: i32,
    /// Positions made, those for ordering included.
    pub nodes: u64,
}

impl Prover {
    /// A prover of one thread.
    ///
    /// # Errors
    /// When there is no memory for its table.
    pub fn new(tier: Tier, evaluator: Evaluator) -> Result<Self, SearcherError> {
        let table = Table::new(TABLE_MIB).ok_or(SearcherError::Memory(TABLE_MIB))?;
        Ok(Self { tier, table, end: EndWorker::new(), evaluator, stop: StopFlag::new() })
    }

    /// Searches `position` (not over) exactly with the window `alpha`..`alpha + 1` in discs, −64 ≤ `alpha` < 64.
    ///
    /// What earlier proofs found about the same positions is used; images of a position under the symmetries of the
    /// board count as others.
    pub fn prove(&mut self, position: Position, alpha: i32) -> Effort {
        self.end.reset_counters();
        let shared = Shared::new(&self.table, &self.stop, None);
        let mut worker = Worker::new(&shared, &self.evaluator, &mut self.end);
        let node = Node::new(position);
        let score = with_tier!(self.tier, isa => isa.endgame_null(&mut worker, &node, alpha));
        Effort { score, nodes: worker.end.searched + worker.end.ordered }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_bound_the_score_and_cost_nodes() {
        let prover = || Prover::new(Tier::Portable(crate::isa::Portable), Evaluator::default()).unwrap();
        let mut position = Position::START;
        while position.empties() > 13 {
            position = position.play(position.moves()[0]).unwrap();
        }
        let mut warm = prover();
        let exact =
            (-64..64).rev().find(|&alpha| warm.prove(position, alpha).score > alpha).map_or(-64, |alpha| alpha + 1);
        for alpha in [exact - 3, exact - 1, exact, exact + 4] {
            let effort = prover().prove(position, alpha);
            assert_eq!(effort.score > alpha, exact > alpha);
            assert!(effort.nodes > 0, "{effort:?}");
        }
    }
}
