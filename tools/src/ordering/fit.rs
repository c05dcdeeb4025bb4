//! `fit-ordering`: weights by which the cheapest refutation comes first.
//!
//! The moves of a cut node are given probabilities by a softmax over the sums of their weights; the fit minimises the
//! cross-entropy to a target that falls with a power of a move's cost (a move that does not cut costs its own proof
//! and the cheapest one of another). Adam (D. Kingma and J. Ba 2014) with a cosine schedule; every fifteenth node is
//! held out.

use flipside::{
    board::Position,
    eval::{
        Features,
        ordering::{ORDERING_FAMILIES, ORDERING_FEATURES, OrderingFeatures, OrderingWeights, SCALARS, Surroundings},
        packing::PACKING,
        patterns::CONFIGURATIONS,
    },
};
use rayon::prelude::*;

use super::sample::CutNode;
use crate::rng::Rng;

/// How to fit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fitting {
    /// Passes over the samples.
    pub epochs: usize,
    /// The target probability of a move is proportional to its cost to the power of minus this.
    pub sharpness: f32,
    /// First step size of Adam.
    pub rate: f32,
    /// Seed of the order of the samples.
    pub seed: u64,
}

/// One of this many nodes is held out.
const HELD_OUT: usize = 15;

/// Nodes per step.
const BATCH: usize = 4096;

/// Features of a move: the patterns and three scalars.
const ACTIVE: usize = ORDERING_FEATURES + 3;

/// A fitted logit is this many units of the stored weights.
const UNITS: f32 = 16.0;

/// A cut node as the fit sees it.
struct Example {
    empties: u32,
    // Indices of the weights that count for each move.
    moves: Vec<[u32; ACTIVE]>,
    costs: Vec<f32>,
    cuts: Vec<bool>,
}

/// Maps features to parameters: shared pattern weights first, then the scalars.
struct Layout {
    // For each family the parameter of each configuration.
    families: Vec<Vec<u32>>,
    patterns: usize,
}

impl Layout {
    fn new() -> Self {
        let mut families = Vec::new();
        let mut patterns = 0;
        for family in ORDERING_FAMILIES {
            let packed = PACKING.family(family);
            let first = packed.iter().copied().min().unwrap_or(0);
            let last = packed.iter().copied().max().unwrap_or(0);
            families.push(packed.iter().map(|&weight| weight - first + patterns).collect());
            patterns += last - first + 1;
        }
        Self { families, patterns: patterns as usize }
    }

    const fn parameters(&self) -> usize {
        self.patterns + SCALARS
    }

    fn example(&self, node: &CutNode) -> Example {
        let empty = node.position.empty();
        let moves = node.position.moves().into_iter().filter_map(|mv| {
            let child = node.position.play(mv)?;
            let surroundings = Surroundings::of(child, mv.square()?, empty);
            Some(self.active(child, &surroundings))
        });
        let moves: Vec<_> = moves.collect();
        let cheapest = node.moves.iter().filter(|&&(_, cuts)| cuts).map(|&(cost, _)| cost).min().unwrap_or(0);
        let cost = |&(cost, cuts): &(u32, bool)| (cost + if cuts { 0 } else { cheapest }) as f32;
        Example {
            empties: node.position.empties(),
            moves,
            costs: node.moves.iter().map(cost).collect(),
            cuts: node.moves.iter().map(|&(_, cuts)| cuts).collect(),
        }
    }

    fn active(&self, child: Position, surroundings: &Surroundings) -> [u32; ACTIVE] {
        let mut active = [0; ACTIVE];
        let features = OrderingFeatures::of(&Features::of(child));
        for (feature, &index) in features.indices().iter().enumerate() {
            active[feature] = self.families[feature / 4][usize::from(index)];
        }
        for (slot, index) in active[ORDERING_FEATURES..].iter_mut().zip(surroundings.indices()) {
            *slot = (self.patterns + index) as u32;
        }
        active
    }

    fn weights(&self, parameters: &[f32], facts: String) -> OrderingWeights {
        let rounded = |value: f32| (UNITS * value).round();
        let mut patterns = Vec::with_capacity(self.families.len() * CONFIGURATIONS);
        for family in &self.families {
            patterns.extend(family.iter().map(|&index| rounded(parameters[index as usize]).clamp(-127.0, 127.0) as i8));
        }
        let mut scalars = [0; SCALARS];
        for (scalar, &value) in scalars.iter_mut().zip(&parameters[self.patterns..]) {
            *scalar = rounded(value).clamp(-30_000.0, 30_000.0) as i16;
        }
        OrderingWeights { patterns, scalars, facts }
    }
}

/// How a fit orders the moves of held-out nodes.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Quality {
    /// Held-out nodes.
    pub nodes: usize,
    /// Cost until the cut over the least possible cost, both summed over the nodes.
    pub ratio: f64,
    /// Geometric mean of the ratios of single nodes.
    pub typical: f64,
    /// Share of nodes whose first move does not cut.
    pub first_fails: f64,
}

/// Fits weights to the samples; the qualities by number of empties belong to the rounded weights.
pub fn fit(nodes: &[CutNode], fitting: &Fitting, facts: String) -> (OrderingWeights, Vec<(u32, Quality)>) {
    let layout = Layout::new();
    let examples: Vec<Example> = nodes.par_iter().map(|node| layout.example(node)).collect();
    let mut order: Vec<usize> = (0..examples.len()).filter(|index| !index.is_multiple_of(HELD_OUT)).collect();
    let mut rng = Rng::new(fitting.seed);
    let mut adam = Adam::new(layout.parameters(), fitting.rate, fitting.epochs * order.len().div_ceil(BATCH));
    for epoch in 0..fitting.epochs {
        rng.shuffle(&mut order);
        let mut loss = 0.0;
        for batch in order.chunks(BATCH) {
            let (gradient, part) = gradient(&examples, batch, &adam.parameters, fitting.sharpness);
            loss += part;
            adam.step(&gradient);
        }
        eprintln!("epoch {}: loss {:.4}", epoch + 1, loss / order.len().max(1) as f64);
    }
    let weights = layout.weights(&adam.parameters, facts);
    // What the engine will see: rounded.
    let rounded: Vec<f32> = adam.parameters.iter().map(|value| (UNITS * value).round() / UNITS).collect();
    (weights, qualities(&examples, &rounded))
}

fn sums(example: &Example, parameters: &[f32]) -> Vec<f32> {
    let sum = |active: &[u32; ACTIVE]| active.iter().map(|&index| parameters[index as usize]).sum();
    example.moves.iter().map(sum).collect()
}

/// Gradient of the mean loss over a batch, and the sum of the losses.
fn gradient(examples: &[Example], batch: &[usize], parameters: &[f32], sharpness: f32) -> (Vec<f32>, f64) {
    // Two fixed halves: the sum does not depend on the number of threads.
    let halves: Vec<(Vec<f32>, f64)> = batch
        .par_chunks(batch.len().div_ceil(2))
        .map(|half| {
            let mut gradient = vec![0.0; parameters.len()];
            let mut loss = 0.0;
            for &index in half {
                let example = &examples[index];
                let sums = sums(example, parameters);
                let greatest = sums.iter().copied().fold(f32::MIN, f32::max);
                let total: f32 = sums.iter().map(|sum| (sum - greatest).exp()).sum();
                let least = example.costs.iter().copied().fold(f32::MAX, f32::min);
                let target: Vec<f32> = example.costs.iter().map(|cost| (least / cost).powf(sharpness)).collect();
                let target_total: f32 = target.iter().sum();
                for ((active, sum), target) in example.moves.iter().zip(&sums).zip(&target) {
                    let log_probability = sum - greatest - total.ln();
                    let target = target / target_total;
                    loss -= f64::from(target * log_probability);
                    let pull = (log_probability.exp() - target) / batch.len() as f32;
                    for &index in active {
                        gradient[index as usize] += pull;
                    }
                }
            }
            (gradient, loss)
        })
        .collect();
    let mut parts = halves.into_iter();
    let (mut gradient, mut loss) = parts.next().unwrap_or_default();
    for (other, part) in parts {
        gradient.iter_mut().zip(other).for_each(|(a, b)| *a += b);
        loss += part;
    }
    (gradient, loss)
}

struct Adam {
    parameters: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    rate: f32,
    step: usize,
    steps: usize,
}

impl Adam {
    const MEAN_DECAY: f32 = 0.9;
    const SQUARE_DECAY: f32 = 0.999;

    fn new(count: usize, rate: f32, steps: usize) -> Self {
        let zeros = || vec![0.0; count];
        Self { parameters: zeros(), mean: zeros(), square: zeros(), rate, step: 0, steps }
    }

    fn step(&mut self, gradient: &[f32]) {
        self.step += 1;
        let done = self.step as f32 / self.steps.max(1) as f32;
        let rate = self.rate * 0.5 * (1.0 + (std::f32::consts::PI * done).cos());
        let first = 1.0 - Self::MEAN_DECAY.powi(self.step as i32);
        let second = 1.0 - Self::SQUARE_DECAY.powi(self.step as i32);
        let moments = self.mean.iter_mut().zip(&mut self.square);
        for ((parameter, &slope), (mean, square)) in self.parameters.iter_mut().zip(gradient).zip(moments) {
            *mean += (1.0 - Self::MEAN_DECAY) * (slope - *mean);
            *square += (1.0 - Self::SQUARE_DECAY) * (slope * slope - *square);
            *parameter -= rate * (*mean / first) / ((*square / second).sqrt() + 1e-7);
        }
    }
}

fn qualities(examples: &[Example], parameters: &[f32]) -> Vec<(u32, Quality)> {
    let held_out: Vec<&Example> = examples.iter().step_by(HELD_OUT).collect();
    let mut empties: Vec<u32> = held_out.iter().map(|example| example.empties).collect();
    empties.sort_unstable();
    empties.dedup();
    empties
        .into_iter()
        .map(|empties| {
            let chosen = held_out.iter().filter(|example| example.empties == empties);
            (empties, quality(chosen.copied(), parameters))
        })
        .collect()
}

fn quality<'a>(examples: impl Iterator<Item = &'a Example>, parameters: &[f32]) -> Quality {
    let (mut quality, mut spent, mut least, mut log) = (Quality::default(), 0.0, 0.0, 0.0);
    for example in examples {
        let sums = sums(example, parameters);
        let mut order: Vec<usize> = (0..sums.len()).collect();
        order.sort_by(|&a, &b| sums[b].total_cmp(&sums[a]));
        let first_cut = order.iter().position(|&index| example.cuts[index]).unwrap_or(0);
        // The costs of moves that do not cut hold the cheapest cut's too: take it off again.
        let cheapest = example.costs.iter().copied().fold(f32::MAX, f32::min);
        let failed: f32 = order[..first_cut].iter().map(|&index| example.costs[index] - cheapest).sum();
        let cost = f64::from(failed + example.costs[order[first_cut]]);
        quality.nodes += 1;
        quality.first_fails += f64::from(u8::from(first_cut > 0));
        spent += cost;
        least += f64::from(cheapest);
        log += (cost / f64::from(cheapest)).ln();
    }
    let count = quality.nodes.max(1) as f64;
    Quality { ratio: spent / least, typical: (log / count).exp(), first_fails: quality.first_fails / count, ..quality }
}

#[cfg(test)]
mod tests {
    use flipside::board::{Move, Symmetry};

    use super::*;

    /// Nodes in which a corner is always cheap and everything else dear.
    fn corner_nodes() -> Vec<CutNode> {
        let mut rng = Rng::new(7);
        let mut nodes = Vec::new();
        while nodes.len() < 900 {
            let mut position = Position::START;
            while position.empties() > 10 && !position.is_over() {
                let moves = position.moves();
                position = position.play(moves[rng.below(moves.len() as u64) as usize]).unwrap();
            }
            let corner = |mv: &Move| mv.square().is_some_and(|square| [0, 7, 56, 63].contains(&square.index()));
            let moves = position.moves();
            if moves.len() > 1 && moves.iter().any(corner) {
                let moves = moves.iter().map(|mv| (if corner(mv) { 10 } else { 1000 }, true)).collect();
                nodes.push(CutNode { position, alpha: 0, moves });
            }
        }
        nodes
    }

    #[test]
    fn what_is_cheap_is_learnt() {
        let fitting = Fitting { epochs: 60, sharpness: 2.0, rate: 0.02, seed: 1 };
        let (weights, qualities) = fit(&corner_nodes(), &fitting, "test".to_owned());
        for (empties, quality) in qualities {
            assert!(quality.ratio < 1.2 && quality.typical < 1.2, "{empties} {quality:?}");
        }
        assert_eq!(OrderingWeights::decode(&weights.encode()).unwrap(), weights);
    }

    #[test]
    fn images_of_a_position_share_their_weights() {
        let layout = Layout::new();
        for node in corner_nodes().iter().take(20) {
            let example = |position: Position| {
                let node = CutNode { position, alpha: 0, moves: vec![(1, true); position.moves().len()] };
                let mut moves = layout.example(&node).moves;
                for active in &mut moves {
                    active.sort_unstable();
                }
                moves.sort_unstable();
                moves
            };
            for symmetry in Symmetry::ALL {
                assert_eq!(example(node.position.transformed(symmetry)), example(node.position));
            }
        }
    }
}
