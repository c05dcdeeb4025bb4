//! `order-samples`: how many nodes each move of a cut node takes to prove its cut.
//!
//! From positions of a game file that are solved first, walks visit random parts of their proof trees. At each cut node
//! on the way every move is proven on its own.
//!
//! File layout (little-endian): the text `FLIPCOST`, then for each node u64 discs of the mover, u64 discs of the
//! opponent, i8 alpha in discs, u8 number of moves, and for each legal move in the order of the squares a u32: nodes,
//! highest bit set when the move cuts (scores more than alpha).

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

use flipside::{
    board::{Move, Position, Symmetry},
    eval::Evaluator,
    isa::Tier,
    search::Prover,
};
use rayon::prelude::*;

use crate::{
    error::{Result, ToolError},
    files::write_whole,
    games::GameFile,
    rng::Rng,
    searcher::{LARGE_TABLE_MIB, Searcher},
};

const MAGIC: &[u8; 8] = b"FLIPCOST";

const CUTS: u32 = 1 << 31;

/// Share of the moves that are followed at nodes where all moves must be refuted: about as many nodes are then visited
/// at each number of empties.
const VISITED: f64 = 0.3;

/// What to sample.
#[derive(Clone, Debug)]
pub struct Sampling {
    /// The game file.
    pub games: PathBuf,
    /// Positions to solve.
    pub solves: usize,
    /// Their number of empties.
    pub from: u32,
    /// Walks from each.
    pub walks: usize,
    /// Least and greatest number of empties of the sampled nodes.
    pub empties: (u32, u32),
    /// Seed of all choices.
    pub seed: u64,
}

/// A cut node with the cost of each move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CutNode {
    /// The position; at least two moves, at least one of which cuts.
    pub position: Position,
    /// A move cuts when its score in discs is above this.
    pub alpha: i32,
    /// Nodes of each legal move's proof, in the order of the squares, and whether it cuts.
    pub moves: Vec<(u32, bool)>,
}

/// Samples and writes the file.
///
/// # Errors
/// When the games cannot be read, hold too few positions, or the file cannot be written.
pub fn run(sampling: &Sampling, evaluator: &Evaluator, out: &Path) -> Result<usize> {
    let games = GameFile::open(&sampling.games)?;
    let mut order: Vec<usize> = (0..games.len()).collect();
    Rng::stream(sampling.seed, 0x04DE).shuffle(&mut order);
    order.truncate(sampling.solves);
    let done = AtomicUsize::new(0);
    let parts: Vec<Vec<CutNode>> = order
        .into_par_iter()
        .with_max_len(1)
        .map(|number| {
            let replay = games.game(number)?.replay();
            let replay =
                replay.map_err(|problem| ToolError::format(games.path(), format!("game {number}"), problem))?;
            let start = replay.iter().find(|ply| !ply.random && ply.position.empties() == sampling.from);
            let nodes = match start {
                Some(ply) => Walker::new(evaluator, Rng::stream(sampling.seed, number as u64))?
                    .nodes_below(ply.position, sampling),
                None => Vec::new(),
            };
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(100) {
                eprintln!("{done} of {} positions", sampling.solves);
            }
            Ok(nodes)
        })
        .collect::<Result<_>>()?;
    let nodes = parts.concat();
    write(out, &nodes)?;
    Ok(nodes.len())
}

/// Walks down proof trees.
struct Walker {
    solver: Searcher,
    // Finds the way; remembers the tree.
    guide: Prover,
    // Measures.
    meter: Prover,
    rng: Rng,
}

impl Walker {
    fn new(evaluator: &Evaluator, rng: Rng) -> Result<Self> {
        let tier = *Tier::available().last().ok_or_else(|| ToolError::usage("no instruction set"))?;
        let prover = || Prover::new(tier, evaluator.clone()).map_err(ToolError::usage);
        let solver = Searcher::new(evaluator.clone(), LARGE_TABLE_MIB);
        Ok(Self { solver, guide: prover()?, meter: prover()?, rng })
    }

    fn nodes_below(&mut self, start: Position, sampling: &Sampling) -> Vec<CutNode> {
        let score = self.solver.solve(start);
        let mut nodes = Vec::new();
        for walk in 0..sampling.walks {
            // The mover of the start position can exceed the first bound, its opponent meet the second.
            let alpha = score - i32::from(walk % 2 == 0);
            if (-64..64).contains(&alpha) {
                self.walk(start, alpha, score > alpha, sampling.empties, &mut nodes);
            }
        }
        nodes
    }

    /// Visits a random part of the proof tree below a node: of nodes that can be cut a move that does, of the others
    /// each move with the same chance, so that nodes of the same number of empties are equally likely, whether the
    /// positions above them have many moves or few.
    fn walk(&mut self, position: Position, alpha: i32, cut: bool, empties: (u32, u32), nodes: &mut Vec<CutNode>) {
        if position.empties() < empties.0 || position.is_over() {
            return;
        }
        let moves = position.moves();
        if cut {
            if moves.len() > 1 && position.empties() <= empties.1 && self.wanted(position.empties()) {
                nodes.extend(self.measure(position, alpha));
            }
            if let Some(child) = self.proven_move(position, alpha).and_then(|mv| position.play(mv)) {
                self.walk(child, -alpha - 1, false, empties, nodes);
            }
        } else {
            for child in moves.iter().filter_map(|&mv| position.play(mv)) {
                if moves.len() == 1 && position.must_pass() || self.rng.unit() < VISITED {
                    self.walk(child, -alpha - 1, true, empties, nodes);
                }
            }
        }
    }

    /// Nodes with more empties cost more: fewer of them are measured.
    fn wanted(&mut self, empties: u32) -> bool {
        self.rng.below(1 << (empties.saturating_sub(12) / 2)) == 0
    }

    /// A move that cuts, the ones that leave few replies first.
    fn proven_move(&mut self, position: Position, alpha: i32) -> Option<Move> {
        let mut moves: Vec<(usize, Move, Position)> = position
            .moves()
            .into_iter()
            .filter_map(|mv| position.play(mv).map(|child| (child.moves().len(), mv, child)))
            .collect();
        moves.sort_by_key(|&(replies, ..)| replies);
        moves.into_iter().find(|&(_, _, child)| -self.guide.prove(child, -alpha - 1).score > alpha).map(|(_, mv, _)| mv)
    }

    fn measure(&mut self, position: Position, alpha: i32) -> Option<CutNode> {
        // Each move in another orientation, so that none profits from what another's proof left in the tables.
        let turn = self.rng.below(8) as usize;
        let moves: Vec<(u32, bool)> = position
            .moves()
            .into_iter()
            .filter_map(|mv| position.play(mv))
            .enumerate()
            .map(|(index, child)| {
                let child = child.transformed(Symmetry::ALL[(index + turn) % 8]);
                let effort = self.meter.prove(child, -alpha - 1);
                ((effort.nodes as u32).clamp(1, CUTS - 1), -effort.score > alpha)
            })
            .collect();
        moves.iter().any(|&(_, cuts)| cuts).then_some(CutNode { position, alpha, moves })
    }
}

fn write(path: &Path, nodes: &[CutNode]) -> Result<()> {
    let mut bytes = MAGIC.to_vec();
    for node in nodes {
        bytes.extend(node.position.mover().to_le_bytes());
        bytes.extend(node.position.opponent().to_le_bytes());
        bytes.extend([node.alpha as i8 as u8, node.moves.len() as u8]);
        for &(cost, cuts) in &node.moves {
            bytes.extend((cost | if cuts { CUTS } else { 0 }).to_le_bytes());
        }
    }
    write_whole(path, &bytes)
}

/// Reads a file of samples.
///
/// # Errors
/// When it cannot be read or is damaged; names the node.
pub fn read(path: &Path) -> Result<Vec<CutNode>> {
    let bytes = fs::read(path).map_err(ToolError::io(path, "read"))?;
    let mut rest = bytes
        .strip_prefix(MAGIC.as_slice())
        .ok_or_else(|| ToolError::format(path, "header", "expected it to begin with FLIPCOST"))?;
    let mut nodes = Vec::new();
    while !rest.is_empty() {
        let place = || format!("node {}", nodes.len());
        let node = next_node(&mut rest).ok_or_else(|| {
            ToolError::format(path, place(), "expected a position, a bound and the cost of each of its moves")
        })?;
        nodes.push(node);
    }
    Ok(nodes)
}

fn next_node(bytes: &mut &[u8]) -> Option<CutNode> {
    let mut take = |count: usize| {
        let (head, tail) = bytes.split_at_checked(count)?;
        *bytes = tail;
        Some(head)
    };
    let mover = u64::from_le_bytes(take(8)?.try_into().ok()?);
    let opponent = u64::from_le_bytes(take(8)?.try_into().ok()?);
    let head = take(2)?;
    let (alpha, count) = (i32::from(head[0] as i8), usize::from(head[1]));
    let position = Position::new(mover, opponent)?;
    let words = take(4 * count)?.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    let moves: Vec<(u32, bool)> = words.map(|word| (word & !CUTS, word & CUTS != 0)).collect();
    let sound = position.moves().len() == count && count > 1 && moves.iter().any(|&(_, cuts)| cuts);
    sound.then_some(CutNode { position, alpha, moves })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::TestDir;

    #[test]
    fn samples_are_cut_nodes_and_survive_the_file() {
        let dir = TestDir::new("order-samples");
        let games = dir.games(12, 14, (10, 20), 3);
        let sampling = Sampling { games, solves: 12, from: 13, walks: 4, empties: (6, 12), seed: 1 };
        let out = dir.path("samples");
        let count = run(&sampling, &Evaluator::default(), &out).unwrap();
        let nodes = read(&out).unwrap();
        assert!(count > 20 && nodes.len() == count, "{count}");
        let mut solver = Searcher::new(Evaluator::default(), 1);
        for node in nodes.iter().step_by(7) {
            assert!((6..=12).contains(&node.position.empties()));
            let best = node.position.moves().into_iter().filter_map(|mv| node.position.play(mv));
            let scores: Vec<bool> = best.map(|child| -solver.solve(child) > node.alpha).collect();
            assert_eq!(scores, node.moves.iter().map(|&(_, cuts)| cuts).collect::<Vec<_>>());
        }
        let bytes = fs::read(&out).unwrap();
        fs::write(&out, &bytes[..bytes.len() - 3]).unwrap();
        assert!(read(&out).unwrap_err().to_string().contains("node"));
    }
}
