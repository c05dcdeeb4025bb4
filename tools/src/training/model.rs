//! Where each weight lives among the parameters of the fit.
//!
//! Parameters are one flat vector of 32-bit floats in discs: the packed weights of knot 0, of knot 1, …, then the
//! constants by number of empties.

use flipside::{
    board::Position,
    eval::{
        FEATURES, Features,
        packing::PACKING,
        patterns::PLACED,
        weights::{BLEND_DENOMINATOR, CONSTANTS, KNOTS, WeightSet, blend},
    },
};

/// Why two knots are tied to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Link {
    /// Neighbouring stages.
    Stage,
    /// Even and odd numbers of empties of the same stage.
    Parity,
}

/// The shape of an evaluation with `F` features.
#[derive(Clone, Debug)]
pub struct Model<const F: usize> {
    /// First packed weight of each feature's family; an example stores the distance from it.
    pub bases: [u32; F],
    /// Packed weights of a knot.
    pub weights: usize,
    /// Knots.
    pub knots: usize,
    /// Constants, one for each number of empties from 0.
    pub constants: usize,
    /// Lower knot, upper knot and share of the upper one, for each number of empties.
    pub blends: Vec<(usize, usize, f32)>,
    /// Pairs of knots whose weights should be alike.
    pub links: Vec<(usize, usize, Link)>,
}

impl Model<FEATURES> {
    /// The shape of the engine's evaluation.
    pub fn engine() -> Self {
        let mut bases = [0; FEATURES];
        for (base, placed) in bases.iter_mut().zip(&PLACED) {
            *base = PACKING.family(placed.family).iter().copied().min().unwrap_or(0);
        }
        let blends: Vec<_> = (0..CONSTANTS)
            .map(|empties| {
                let (lower, upper, share) = blend(empties as u32);
                (lower, upper, share as f32 / BLEND_DENOMINATOR as f32)
            })
            .collect();
        let mut links: Vec<_> =
            blends.iter().filter(|blend| blend.0 != blend.1).map(|&(a, b, _)| (a, b, Link::Stage)).collect();
        links.dedup();
        links.sort_by_key(|&(a, b, _)| (a, b));
        links.dedup();
        links.extend((0..KNOTS / 2).map(|knot| (knot, knot + KNOTS / 2, Link::Parity)));
        Self { bases, weights: PACKING.count(), knots: KNOTS, constants: CONSTANTS, blends, links }
    }

    /// The example's indices of a position: packed weights relative to the feature's base.
    pub fn indices(&self, position: Position) -> [u16; FEATURES] {
        let features = Features::of(position);
        let mut relative = [0; FEATURES];
        for (feature, (slot, &index)) in relative.iter_mut().zip(features.indices()).enumerate() {
            // A family has at most 3^10 configurations, so the distance fits.
            *slot = (PACKING.of(feature, index) - self.bases[feature]) as u16;
        }
        relative
    }

    /// Parameters of a weight set.
    pub fn parameters_of(&self, set: &WeightSet) -> Vec<f32> {
        let all = set.knots.iter().flatten().chain(&set.constants);
        all.map(|&weight| f32::from(weight) / 100.0).collect()
    }

    /// The weight set nearest to the parameters.
    pub fn to_weight_set(&self, parameters: &[f32], facts: String) -> WeightSet {
        let centi = |&weight: &f32| (weight * 100.0).round().clamp(f32::from(i16::MIN), f32::from(i16::MAX)) as i16;
        let (knots, constants) = parameters.split_at(self.knots * self.weights);
        WeightSet {
            knots: knots.chunks_exact(self.weights).map(|knot| knot.iter().map(centi).collect()).collect(),
            constants: constants.iter().map(centi).collect(),
            facts,
        }
    }
}

impl<const F: usize> Model<F> {
    /// Length of the parameter vector.
    pub fn parameter_count(&self) -> usize {
        self.knots * self.weights + self.constants
    }

    /// The weights for a number of empties: the blend of its two knots.
    pub fn blended(&self, parameters: &[f32], empties: usize) -> Vec<f32> {
        let (lower, upper, share) = self.blends[empties];
        let knot = |knot: usize| &parameters[knot * self.weights..(knot + 1) * self.weights];
        knot(lower).iter().zip(knot(upper)).map(|(&a, &b)| a + (b - a) * share).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_agree_with_the_engine() {
        let model = Model::engine();
        let mut set = WeightSet::zero();
        for (knot, weights) in set.knots.iter_mut().enumerate() {
            for (index, weight) in weights.iter_mut().enumerate() {
                // The engine rounds to eighths of a disc; these stay whole when blended.
                *weight = 150 * (((index * 31 + knot * 17) % 7) as i16 - 3);
            }
        }
        set.constants.iter_mut().enumerate().for_each(|(empties, constant)| *constant = empties as i16 * 3);
        let parameters = model.parameters_of(&set);
        assert_eq!(model.to_weight_set(&parameters, String::new()), set);
        let evaluator = flipside::eval::Evaluator::from_file(&set.encode()).unwrap();
        let mut position = Position::START;
        while let Some(&mv) = position.moves().last() {
            let empties = position.empties() as usize;
            let table = model.blended(&parameters, empties);
            let indices = model.indices(position);
            let sum: f32 = (0..FEATURES).map(|f| table[model.bases[f] as usize + usize::from(indices[f])]).sum();
            let value = sum + parameters[model.knots * model.weights + empties];
            let engine = evaluator.evaluate(position) as f32 / 100.0;
            // The engine's values stay within those of a heuristic.
            let value = value.clamp(-63.0, 63.0);
            assert!((value - engine).abs() < 0.005 * FEATURES as f32, "{value} {engine} at {empties}");
            position = position.play(mv).unwrap();
        }
    }

    #[test]
    fn links_tie_neighbours() {
        let model = Model::engine();
        let stages = model.links.iter().filter(|link| link.2 == Link::Stage).count();
        assert_eq!((stages, model.links.len()), (KNOTS - 2, KNOTS - 2 + KNOTS / 2));
    }
}
