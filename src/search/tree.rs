//! Principal variation search with a null window at all but the first move (NegaScout, A. Reinefeld 1983), for both
//! the midgame (fixed depth, centi-discs) and the end (to the last disc, discs).
//!
//! Every function is fail-soft. A search that is told to stop unwinds with meaningless scores, which its callers
//! recognise by [`Worker::is_stopped`] and never store.

use arrayvec::ArrayVec;

use super::{
    endgame::{EndTier, GUIDED_EMPTIES, MIDDLE_EMPTIES, score_at_end, solve_guided, upper_bound_by_stability},
    leaves::{leaf, precise},
    moves::{MoveList, pick_best},
    node::Node,
    probcut,
    sorting::{Listed, score_by_outlook},
    split::{Kind, Split},
    table::NO_MOVE,
    worker::Worker,
};
use crate::eval::network::Network;

/// Centi-discs in a disc.
pub(super) const DISC: i32 = 100;

/// Beyond every score in centi-discs.
pub(super) const INFINITY: i32 = 65 * DISC;

/// No move of a node has been searched yet: score and move.
pub(super) const NOTHING_TRIED: (i32, u8) = (-INFINITY, NO_MOVE);

/// A pass in a [`Pv`].
pub(super) const PASS: u8 = 64;

/// Squares of a principal variation, [`PASS`] for passes.
pub(super) type Pv = ArrayVec<u8, 128>;

crate::tiered! {
    /// The tree search of each tier.
    pub(super) trait TreeTier: EndTier {
        /// Midgame, null window, centi-discs.
        fn midgame_null(worker: &mut Worker<'_>, node: &Node, depth: u32, alpha: i32) -> i32 = midgame_null;
        /// Midgame of depth 1 and 2, any window, centi-discs.
        fn midgame_shallow(worker: &mut Worker<'_>, node: &Node, depth: u32, alpha: i32, beta: i32) -> i32 = super::leaves::midgame_shallow;
        /// Static value of a leaf by the network, centi-discs, given its pattern sum.
        fn corrected(network: &Network, node: &Node, pattern_value: i32) -> i32 = super::leaves::corrected;
        /// Midgame, open window, centi-discs.
        fn midgame_pv(worker: &mut Worker<'_>, node: &Node, depth: u32, window: (i32, i32), pv: &mut Pv) -> i32 = midgame_pv;
        /// To the end, null window, discs.
        fn endgame_null(worker: &mut Worker<'_>, node: &Node, alpha: i32) -> i32 = endgame_null;
        /// To the end, open window, discs.
        fn endgame_pv(worker: &mut Worker<'_>, node: &Node, window: (i32, i32), pv: &mut Pv) -> i32 = endgame_pv;
        /// Just above [`MIDDLE_EMPTIES`] empties up to [`GUIDED_EMPTIES`], null window, discs; `moves` are those of the mover.
        fn solve_guided(worker: &mut Worker<'_>, node: &Node, moves: u64, alpha: i32) -> i32 = solve_guided;
        /// Works at other threads' split points until the search is over.
        fn help(worker: &mut Worker<'_>) = super::split::help_until_finished;
        /// Searches the remaining moves of a split point.
        fn work_at(worker: &mut Worker<'_>, split: &Split) = super::split::work_at;
        /// Searches the moves of a root position.
        fn root(worker: &mut Worker<'_>, request: &super::root::RootSearch<'_>, pv: &mut Pv) -> (i32, u8) = super::root::search_root;
    }
}

#[inline(always)]
fn midgame_null<I: TreeTier>(isa: I, worker: &mut Worker<'_>, node: &Node, depth: u32, alpha: i32) -> i32 {
    if depth >= node.empties {
        // Round the window outwards to whole discs.
        return isa.endgame_null(worker, node, alpha.div_euclid(DISC)) * DISC;
    }
    if depth == 0 {
        return leaf(isa, worker, node, (alpha, alpha + 1));
    }
    if depth <= 2 {
        return isa.midgame_shallow(worker, node, depth, alpha, alpha + 1);
    }
    search::<I, false, false>(isa, worker, node, depth, (alpha, alpha + 1), None)
}

#[inline(always)]
fn midgame_pv<I: TreeTier>(
    isa: I,
    worker: &mut Worker<'_>,
    node: &Node,
    depth: u32,
    window: (i32, i32),
    pv: &mut Pv,
) -> i32 {
    if depth >= node.empties {
        let window = (window.0.div_euclid(DISC), (window.1 + DISC - 1).div_euclid(DISC));
        return isa.endgame_pv(worker, node, window, pv) * DISC;
    }
    if depth == 0 {
        pv.clear();
        return precise(isa, worker, node);
    }
    search::<I, false, true>(isa, worker, node, depth, window, Some(pv))
}

#[inline(always)]
fn endgame_null<I: TreeTier>(isa: I, worker: &mut Worker<'_>, node: &Node, alpha: i32) -> i32 {
    if node.empties <= MIDDLE_EMPTIES {
        return isa.solve_any(worker.end, node, alpha);
    }
    if node.empties <= GUIDED_EMPTIES && worker.selectivity == super::Selectivity::None {
        let moves = isa.mobility(node.position.mover(), node.position.opponent());
        return isa.solve_guided(worker, node, moves, alpha);
    }
    search::<I, true, false>(isa, worker, node, node.empties, (alpha, alpha + 1), None)
}

#[inline(always)]
fn endgame_pv<I: TreeTier>(isa: I, worker: &mut Worker<'_>, node: &Node, window: (i32, i32), pv: &mut Pv) -> i32 {
    if node.empties == 0 {
        pv.clear();
        return node.position.final_score();
    }
    search::<I, true, true>(isa, worker, node, node.empties, window, Some(pv))
}

/// The body of all tree searches. `END`: to the last disc, in discs, `depth` being the empties; else in centi-discs.
/// `PV`: open window.
#[inline(always)]
fn search<I: TreeTier, const END: bool, const PV: bool>(
    isa: I,
    worker: &mut Worker<'_>,
    node: &Node,
    depth: u32,
    (mut alpha, mut beta): (i32, i32),
    mut pv: Option<&mut Pv>,
) -> i32 {
    let scale = if END { DISC } else { 1 };
    if let Some(pv) = pv.as_deref_mut() {
        pv.clear();
    }
    if worker.poll() {
        return alpha;
    }
    let (mover, opponent) = (node.position.mover(), node.position.opponent());
    let moves = isa.mobility(mover, opponent);
    if moves == 0 {
        return if isa.mobility(opponent, mover) == 0 {
            score_at_end(mover, opponent) * (DISC / scale)
        } else {
            after_pass::<I, END, PV>(isa, worker, node, depth, (alpha, beta), pv)
        };
    }
    if END
        && !PV
        && alpha >= tuning::STABILITY_ALPHA[node.empties as usize % 64]
        && let Some(bound) = upper_bound_by_stability(mover, opponent, alpha)
    {
        return bound;
    }

    // What an earlier search knows.
    let selectivity = worker.selectivity;
    let use_table = !PV || !END || node.empties > MIDDLE_EMPTIES;
    let known = if use_table { worker.shared.table.probe(node.position) } else { None };
    let mut table_moves = [NO_MOVE; 2];
    if let Some(entry) = known {
        table_moves = entry.moves;
        // With an open window a principal variation is wanted, and a cut would cut it short.
        if !PV
            && entry.depth >= depth
            && entry.selectivity >= selectivity
            && let Some(score) = settled(entry.lower / scale, entry.upper / scale, (alpha, beta))
        {
            return score;
        }
    }

    let mut listed = Listed::new();
    if let Err(wiping_out) = listed.fill::<I, END>(isa, worker, node, depth, moves) {
        if let Some(pv) = pv {
            pv.push(wiping_out.index() as u8);
        }
        return 64 * (DISC / scale);
    }
    if END && listed.moves.len() > 1 {
        score_by_outlook(isa, worker, node, &mut listed.moves);
    }
    if !PV && listed.moves.len() > 1 {
        if let Some(score) = listed.settled_by_children::<END>(worker, depth, beta) {
            return score;
        }
        if let Some(score) = probcut::<I, END>(isa, worker, node, depth, beta) {
            return score;
        }
        if worker.is_stopped() {
            return alpha;
        }
    }

    let window = (alpha, beta);
    let store = |worker: &Worker<'_>, (best, best_move): (i32, u8)| {
        if use_table {
            let window = (window.0 * scale, window.1 * scale);
            worker.shared.table.store(node.position, depth, selectivity, window, best * scale, best_move);
        }
    };
    let mut tried = NOTHING_TRIED;
    if !PV
        && listed.moves.len() > 1
        && let Some(candidate) = listed.take(table_moves[0])
    {
        // The move of an earlier search cuts so often that it is tried before the others are compared.
        let child = node.child(candidate.square, candidate.flips);
        let score = search_child::<I, END, PV>(isa, worker, &child, depth, (alpha, beta), true, &mut Pv::new());
        if worker.is_stopped() {
            return alpha;
        }
        tried = (score, table_moves[0]);
        if score >= beta {
            store(worker, tried);
            return score;
        }
    }
    if listed.moves.len() > 1 {
        if END {
            listed.refine::<I, PV>(isa, worker, node, table_moves);
        } else {
            listed.score::<I, PV>(isa, worker, node, depth, table_moves);
        }
    }
    let (best, best_move) =
        search_moves::<I, END, PV>(isa, worker, node, depth, (&mut alpha, &mut beta), &mut listed.moves, tried, pv);
    if worker.is_stopped() {
        return alpha;
    }
    store(worker, (best, best_move));
    best
}

/// The score, or a bound of it, that settles a window.
#[inline(always)]
fn settled(lower: i32, upper: i32, (alpha, beta): (i32, i32)) -> Option<i32> {
    if lower >= beta || lower == upper { Some(lower) } else { (upper <= alpha).then_some(upper) }
}

#[inline(always)]
fn after_pass<I: TreeTier, const END: bool, const PV: bool>(
    isa: I,
    worker: &mut Worker<'_>,
    node: &Node,
    depth: u32,
    (alpha, beta): (i32, i32),
    pv: Option<&mut Pv>,
) -> i32 {
    let passed = node.passed();
    match pv {
        Some(pv) => {
            let mut rest = Pv::new();
            let score = if END {
                -isa.endgame_pv(worker, &passed, (-beta, -alpha), &mut rest)
            } else {
                -isa.midgame_pv(worker, &passed, depth, (-beta, -alpha), &mut rest)
            };
            extend_pv(pv, PASS, &rest);
            score
        }
        None if END => -isa.endgame_null(worker, &passed, -alpha - 1),
        None => -isa.midgame_null(worker, &passed, depth, -alpha - 1),
    }
}

pub(super) fn extend_pv(pv: &mut Pv, mv: u8, rest: &Pv) {
    pv.clear();
    pv.push(mv);
    // A variation that would not fit is cut: longer than any game.
    let room = pv.remaining_capacity().min(rest.len());
    pv.extend(rest[..room].iter().copied());
}

/// Searches one child; `first` moves of PV nodes get the open window, all others a null window first.
#[inline(always)]
pub(super) fn search_child<I: TreeTier, const END: bool, const PV: bool>(
    isa: I,
    worker: &mut Worker<'_>,
    child: &Node,
    depth: u32,
    (alpha, beta): (i32, i32),
    first: bool,
    child_pv: &mut Pv,
) -> i32 {
    worker.end.searched += 1;
    if !PV || !first {
        let score = if END {
            -isa.endgame_null(worker, child, -alpha - 1)
        } else {
            -isa.midgame_null(worker, child, depth - 1, -alpha - 1)
        };
        if !PV || score <= alpha || score >= beta || worker.is_stopped() {
            child_pv.clear();
            return score;
        }
    }
    if END {
        -isa.endgame_pv(worker, child, (-beta, -alpha), child_pv)
    } else {
        -isa.midgame_pv(worker, child, depth - 1, (-beta, -alpha), child_pv)
    }
}

/// Searches the moves in order of promise, with other threads where that pays. `tried` is the best of those searched
/// before, a score at most alpha, or [`NO_MOVE`]. Returns the best score and move.
#[inline(always)]
pub(super) fn search_moves<I: TreeTier, const END: bool, const PV: bool>(
    isa: I,
    worker: &mut Worker<'_>,
    node: &Node,
    depth: u32,
    (alpha, beta): (&mut i32, &mut i32),
    list: &mut MoveList,
    tried: (i32, u8),
    mut pv: Option<&mut Pv>,
) -> (i32, u8) {
    let (mut best, mut best_move) = tried;
    let mut child_pv = Pv::new();
    let split_depth = if END { tuning::SPLIT_EMPTIES } else { tuning::SPLIT_DEPTH };
    for index in 0..list.len() {
        if (index > 0 || best_move != NO_MOVE) && index + 1 < list.len() && depth >= split_depth && worker.can_split() {
            let kind = Kind::of(END, PV);
            list[index..].sort_unstable_by_key(|candidate| std::cmp::Reverse(candidate.score));
            let split = Split::new(worker, kind, node, depth, (*alpha, *beta), &list[index..], (best, best_move));
            return super::split::run(isa, worker, split, pv);
        }
        pick_best(list, index);
        let candidate = list[index];
        let child = node.child(candidate.square, candidate.flips);
        let score = search_child::<I, END, PV>(
            isa,
            worker,
            &child,
            depth,
            (*alpha, *beta),
            best_move == NO_MOVE,
            &mut child_pv,
        );
        if worker.is_stopped() {
            return (best, best_move);
        }
        if score > best {
            best = score;
            best_move = candidate.square.index() as u8;
            if score > *alpha {
                *alpha = score;
                if let Some(pv) = pv.as_deref_mut() {
                    extend_pv(pv, best_move, &child_pv);
                }
                if score >= *beta {
                    break;
                }
            }
        }
    }
    (best, best_move)
}

/// Tries to prove a score of at least `beta` by a shallow search; `None` when that is not possible. Low scores need
/// no cut of their own: they are high ones a ply below.
#[inline(always)]
fn probcut<I: TreeTier, const END: bool>(
    isa: I,
    worker: &mut Worker<'_>,
    node: &Node,
    depth: u32,
    beta: i32,
) -> Option<i32> {
    let scale = if END { DISC } else { 1 };
    let deviations = probcut::deviations(worker.selectivity, END)?;
    let (shallow, deviation) = if END {
        (probcut::ENDGAME_PROBE_DEPTH, probcut::endgame_deviation(node.empties))
    } else {
        if depth < probcut::MIDGAME_PROBCUT_DEPTH {
            return None;
        }
        (probcut::midgame_probe_depth(depth), probcut::midgame_deviation(node.empties, depth))
    };
    let margin = (deviations * deviation) as i32 + 1;
    let static_value = precise(isa, worker, node);
    let beta = beta * scale;
    let selectivity = std::mem::replace(&mut worker.selectivity, super::Selectivity::None);
    let mut result = None;
    if beta + margin < 64 * DISC && static_value >= beta + margin * 2 / 5 {
        let threshold = beta + margin;
        let value = isa.midgame_null(worker, node, shallow, threshold - 1);
        if value >= threshold && !worker.is_stopped() {
            result = Some(beta / scale);
        }
    }
    worker.selectivity = selectivity;
    result
}

/// Numbers found by measurement.
pub(super) mod tuning {
    /// Lowest alpha in discs at which the stability cut is worth its time, by empties.
    pub static STABILITY_ALPHA: [i32; 64] = {
        let mut table = [64; 64];
        let mut empties = 0;
        while empties < 64 {
            let alpha = 2 * empties as i32;
            table[empties] = if alpha < 12 {
                12
            } else if alpha > 62 {
                62
            } else {
                alpha
            };
            empties += 1;
        }
        table
    };
    /// Least midgame depth at which children are looked up in the table first.
    pub const ETC_DEPTH: u32 = 5;
    /// How many moves are compared by the evaluation on the way to the end.
    pub const VALUED: usize = 3;
    /// How many moves are compared by shallow searches there.
    pub const SEARCHED_TO_SORT: usize = 6;
    /// Fewest empties at which all are: there are few such nodes, and much below each.
    pub const ALL_COMPARED_EMPTIES: u32 = 20;
    /// Most empties at which the likely effort of a proof helps to order moves.
    pub const EFFORT_EMPTIES: u32 = 20;
    /// Fewest empties at which a node is split.
    pub const SPLIT_EMPTIES: u32 = 14;
    /// Least midgame depth at which a node is split.
    pub const SPLIT_DEPTH: u32 = 6;
    /// Centi-discs that one reply of the opponent is worth in ordering in the midgame.
    pub const MIDGAME_MOBILITY: i32 = 30;

    /// Depth of the searches that order moves in the endgame.
    #[inline(always)]
    pub const fn endgame_sort_depth(empties: u32, pv: bool) -> u32 {
        let depth = if empties >= 26 {
            2
        } else if empties >= 18 {
            1
        } else {
            0
        };
        if pv && empties >= 16 { 2 } else { depth }
    }

    /// Depth of the searches that order moves in the midgame.
    #[inline(always)]
    pub const fn midgame_sort_depth(depth: u32, pv: bool) -> u32 {
        if depth >= 12 || pv && depth >= 6 { 1 } else { 0 }
    }
}
