//! The last two plies of midgame searches: static values, and moves in static order without a table.

use super::{
    endgame::{score_at_end, wipe_out},
    node::Node,
    tree::{DISC, INFINITY, TreeTier},
    worker::Worker,
};
use crate::{
    board::{CORNERS, Squares, odd_quadrants},
    eval::network::Network,
};

/// Centi-discs from a null window within which the network is asked.
const NETWORK_MARGIN: i32 = 300;

/// Static value of a leaf. The network is asked only where its answer may matter: where the pattern sum lies near a null
/// window. Searches with open windows that end here order moves, for which the pattern sum does.
#[inline(always)]
pub(super) fn leaf<I: TreeTier>(isa: I, worker: &Worker<'_>, node: &Node, (alpha, beta): (i32, i32)) -> i32 {
    let pattern_value = worker.evaluator.value(&node.features, node.empties);
    let near = (pattern_value - alpha).abs() < NETWORK_MARGIN && beta - alpha == 1;
    match worker.evaluator.network(node.empties) {
        Some(network) if near => isa.corrected(network, node, pattern_value),
        _ => pattern_value,
    }
}

/// Static value of a node, by the network if there is one for it.
#[inline(always)]
pub(super) fn precise<I: TreeTier>(isa: I, worker: &Worker<'_>, node: &Node) -> i32 {
    let pattern_value = worker.evaluator.value(&node.features, node.empties);
    let network = worker.evaluator.network(node.empties);
    network.map_or(pattern_value, |network| isa.corrected(network, node, pattern_value))
}

#[inline(always)]
pub(super) fn corrected<I: TreeTier>(isa: I, network: &Network, node: &Node, pattern_value: i32) -> i32 {
    let (mover, opponent) = (node.position.mover(), node.position.opponent());
    let mobilities = (isa.mobility(mover, opponent).count_ones(), isa.mobility(opponent, mover).count_ones());
    network.value(&node.features, node.empties, mobilities, pattern_value)
}

/// One or two plies above the leaves: no table, moves in static order.
#[inline(always)]
pub(super) fn midgame_shallow<I: TreeTier>(
    isa: I,
    worker: &mut Worker<'_>,
    node: &Node,
    depth: u32,
    mut alpha: i32,
    beta: i32,
) -> i32 {
    let (mover, opponent) = (node.position.mover(), node.position.opponent());
    let moves = isa.mobility(mover, opponent);
    if moves == 0 {
        return if isa.mobility(opponent, mover) == 0 {
            score_at_end(mover, opponent) * DISC
        } else {
            -isa.midgame_shallow(worker, &node.passed(), depth, -beta, -alpha)
        };
    }
    let odd = odd_quadrants(node.position.empty());
    let mut best = -INFINITY;
    for group in [moves & CORNERS, moves & odd & !CORNERS, moves & !odd & !CORNERS] {
        for square in Squares(group) {
            let flips = isa.flips(square.index(), mover, opponent);
            worker.end.searched += 1;
            if wipe_out(opponent, flips) {
                return 64 * DISC;
            }
            let child = node.child(square, flips);
            let score = if child.empties == 0 {
                -child.position.final_score() * DISC
            } else if depth == 1 {
                -leaf(isa, worker, &child, (-beta, -alpha))
            } else {
                -isa.midgame_shallow(worker, &child, depth - 1, -beta, -alpha)
            };
            if score > best {
                best = score;
                if best >= beta {
                    return best;
                }
                alpha = alpha.max(best);
            }
        }
    }
    best
}
