//! The moves of a node of the tree search: listed, looked up and put in order.

use arrayvec::ArrayVec;

use super::{
    endgame::{GUIDED_EMPTIES, MIDDLE_EMPTIES, weighted_mobility, wipe_out},
    moves::{MAX_MOVES, MoveList, Outlook, ScoredMove, refine},
    node::Node,
    tree::{DISC, INFINITY, TreeTier, tuning},
    worker::Worker,
};
use crate::{
    board::{Position, Square, Squares, odd_quadrants},
    eval::ordering::{OrderingFeatures, Surroundings},
};

/// The moves of a node, and the positions that all of them lead to.
pub(super) struct Listed {
    pub moves: MoveList,
    children: ArrayVec<Position, MAX_MOVES>,
    /// Whether a midgame node's children are counted: they are made once, to be looked up and to be ordered.
    counted: bool,
}

impl Listed {
    #[inline(always)]
    pub fn new() -> Self {
        Self { moves: MoveList::new(), children: ArrayVec::new(), counted: false }
    }

    /// Lists `moves`, unless one of them takes all the opponent's discs: then that one. In place, as a list is too
    /// large to be handed over.
    #[inline(always)]
    pub fn fill<I: TreeTier, const END: bool>(
        &mut self,
        isa: I,
        worker: &Worker<'_>,
        node: &Node,
        depth: u32,
        moves: u64,
    ) -> Result<(), Square> {
        let (mover, opponent) = (node.position.mover(), node.position.opponent());
        for square in Squares(moves) {
            let flips = isa.flips(square.index(), mover, opponent);
            if wipe_out(opponent, flips) {
                return Err(square);
            }
            let child = node.position.after(square, flips);
            if if END { node.empties > GUIDED_EMPTIES + 1 } else { depth > 3 } {
                worker.shared.table.prefetch(child);
            } else if END && node.empties > MIDDLE_EMPTIES {
                worker.end.prefetch(child, node.empties - 1);
            }
            self.moves.push(ScoredMove::new(square, flips));
            self.children.push(child);
        }
        Ok(())
    }

    /// Enhanced transposition cut-off (A. Plaat et al. 1996): what is known of a child may settle its parent.
    #[inline(always)]
    pub fn settled_by_children<const END: bool>(
        &mut self,
        worker: &mut Worker<'_>,
        depth: u32,
        beta: i32,
    ) -> Option<i32> {
        let scale = if END { DISC } else { 1 };
        let private = END && depth > MIDDLE_EMPTIES && depth <= GUIDED_EMPTIES + 1;
        if !private && depth < if END { GUIDED_EMPTIES + 2 } else { tuning::ETC_DEPTH } {
            return None;
        }
        self.counted = true;
        for &child in &self.children {
            worker.end.ordered += u64::from(!END);
            if private {
                if let Some(score) = worker.end.known(child, depth - 1, -beta)
                    && -score >= beta
                {
                    return Some(-score);
                }
            } else if let Some(entry) = worker.shared.table.probe(child)
                && entry.depth + 1 >= depth
                && entry.selectivity >= worker.selectivity
                && -entry.upper / scale >= beta
            {
                return Some(-entry.upper / scale);
            }
        }
        None
    }

    /// Gives each move a score by which to sort in the midgame: table moves first, then by a shallow search and the replies it
    /// leaves.
    #[inline(always)]
    pub fn score<I: TreeTier, const PV: bool>(
        &mut self,
        isa: I,
        worker: &mut Worker<'_>,
        node: &Node,
        depth: u32,
        table_moves: [u8; 2],
    ) {
        let sort_depth = tuning::midgame_sort_depth(depth, PV);
        let selectivity = std::mem::replace(&mut worker.selectivity, super::Selectivity::None);
        for candidate in &mut self.moves {
            if let Some(score) = table_score(candidate.square, table_moves) {
                candidate.score = score;
                continue;
            }
            worker.end.ordered += u64::from(!self.counted);
            let child = node.child(candidate.square, candidate.flips);
            let replies = isa.mobility(child.position.mover(), child.position.opponent());
            let value = sorting_value(isa, worker, &child, sort_depth);
            candidate.score = -value - tuning::MIDGAME_MOBILITY * weighted_mobility(replies);
        }
        worker.selectivity = selectivity;
    }

    /// Completes the scores that [`score_by_outlook`] gave, by a shallow search for those that lead; table moves first.
    #[inline(always)]
    pub fn refine<I: TreeTier, const PV: bool>(
        &mut self,
        isa: I,
        worker: &mut Worker<'_>,
        node: &Node,
        table_moves: [u8; 2],
    ) {
        if node.empties <= MIDDLE_EMPTIES {
            return;
        }
        for candidate in &mut self.moves {
            candidate.score = table_score(candidate.square, table_moves).unwrap_or(candidate.score);
        }
        let sort_depth = tuning::endgame_sort_depth(node.empties, PV);
        let count = if PV || node.empties >= tuning::ALL_COMPARED_EMPTIES {
            MAX_MOVES
        } else if sort_depth == 0 {
            tuning::VALUED
        } else {
            tuning::SEARCHED_TO_SORT
        };
        let selectivity = std::mem::replace(&mut worker.selectivity, super::Selectivity::None);
        refine(&mut self.moves, count, |candidate| {
            (candidate.score < FROM_TABLE)
                .then(|| sorting_value(isa, worker, &node.child(candidate.square, candidate.flips), sort_depth))
        });
        worker.selectivity = selectivity;
    }

    /// Takes the move to `square` off the list, when it is there.
    #[inline(always)]
    pub fn take(&mut self, square: u8) -> Option<ScoredMove> {
        let index = self.moves.iter().position(|candidate| candidate.square.index() as u8 == square)?;
        Some(self.moves.remove(index))
    }
}

/// Gives each move the part of its score on the way to the end that is cheap to find.
#[inline(always)]
pub(super) fn score_by_outlook<I: TreeTier>(isa: I, worker: &mut Worker<'_>, node: &Node, moves: &mut [ScoredMove]) {
    let odd = odd_quadrants(node.position.empty());
    let features = OrderingFeatures::of(&node.features);
    worker.end.ordered += moves.len() as u64;
    for ScoredMove { square, flips, replies, score } in moves {
        let child = node.position.after(*square, *flips);
        *replies = isa.mobility(child.mover(), child.opponent());
        let odd = odd & square.bit() != 0;
        let effort = if node.empties <= tuning::EFFORT_EMPTIES {
            let surroundings = Surroundings { replies: *replies, odd, square: *square };
            worker.end.ordering.promise(&features.after(*square, *flips), &surroundings)
        } else {
            0
        };
        *score = if node.empties <= MIDDLE_EMPTIES {
            effort
        } else {
            Outlook { mobility: weighted_mobility(*replies), odd, effort }.promise(node.empties)
        };
    }
}

/// Scores from here on are those of moves that the table names.
const FROM_TABLE: i32 = i32::MAX - 1;

/// The score of a move that the table names.
#[inline(always)]
fn table_score(square: Square, table_moves: [u8; 2]) -> Option<i32> {
    let place = table_moves.iter().position(|&known| known == square.index() as u8)?;
    Some(i32::MAX - place as i32)
}

/// The value of a position that a move to be sorted leads to, from the view of the opponent, in centi-discs.
#[inline(always)]
fn sorting_value<I: TreeTier>(isa: I, worker: &mut Worker<'_>, child: &Node, sort_depth: u32) -> i32 {
    if sort_depth == 0 {
        worker.evaluator.value(&child.features, child.empties)
    } else {
        isa.midgame_shallow(worker, child, sort_depth, -INFINITY, INFINITY)
    }
}
