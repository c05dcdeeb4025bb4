//! Playing levels: how deep and how surely a level searches, by the number of empties.

use super::{Selectivity, Step};

/// The highest level.
pub const MAX_LEVEL: u32 = 60;

/// What a level does at a number of empties.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LevelPlan {
    /// The last and decisive iteration.
    pub goal: Step,
    /// All iterations in order, the goal last.
    pub steps: Vec<Step>,
}

/// Most empties at which a level solves exactly.
const fn exact_empties(level: u32) -> u32 {
    match level {
        0..=10 => 2 * level,
        11..=12 => 21,
        13..=15 => 22,
        16..=18 => 23,
        19..=21 => 24,
        22..=24 => 25,
        25..=27 => 26,
        28..=59 => level - 1,
        _ => 60,
    }
}

/// The plan of `level` (0 to [`MAX_LEVEL`]) at `empties`.
///
/// Up to level 10 the midgame is searched to `level` plies without probabilistic cuts and solved exactly from twice
/// as many empties; above, the midgame is searched at 73 %, and the end exactly, at 98 % for three more empties and at
/// 87 % for another three.
pub fn level_plan(level: u32, empties: u32) -> LevelPlan {
    let level = level.min(MAX_LEVEL);
    let exact = exact_empties(level);
    let goal = if empties <= exact {
        Step { depth: empties, selectivity: Selectivity::None }
    } else if level <= 10 {
        Step { depth: level, selectivity: Selectivity::None }
    } else if empties <= exact + 3 {
        Step { depth: empties, selectivity: Selectivity::P98 }
    } else if empties <= exact + 6 {
        Step { depth: empties, selectivity: Selectivity::P87 }
    } else {
        Step { depth: level, selectivity: Selectivity::P73 }
    };
    LevelPlan { goal, steps: steps_to(goal, empties) }
}

/// Iterations to `depth` without any probabilistic cut, in the last ones to the end: what the cuts are compared with.
pub fn full_width_steps(depth: u32, empties: u32) -> Vec<Step> {
    (1..=depth.clamp(1, empties.max(1))).map(|depth| Step { depth, selectivity: Selectivity::None }).collect()
}

/// Iterations that lead up to `goal` at `empties`: rising depth, then, for searches to the end, rising confidence.
pub fn steps_to(goal: Step, empties: u32) -> Vec<Step> {
    let goal = Step { depth: goal.depth.max(1), ..goal };
    let mut steps = Vec::new();
    if goal.depth < empties {
        let mut depth = if goal.depth.is_multiple_of(2) { 2 } else { 1 };
        while depth < goal.depth {
            steps.push(Step { depth, selectivity: goal.selectivity });
            depth += if depth < 10 { 2 } else { 1 };
        }
    } else {
        // Depth first, for a good order of the moves. Where the end is out of reach of most clocks, deep enough that
        // a search on the clock gets as far as a midgame search would.
        let last = if empties > 30 { empties - 14 } else { empties.saturating_sub(10).min(12) };
        let mut depth = 2;
        while empties > 12 && depth <= last {
            steps.push(Step { depth, selectivity: Selectivity::P73 });
            depth += if depth < 12 { 2 } else { 1 };
        }
        for (selectivity, least_empties) in [
            (Selectivity::P73, 15),
            (Selectivity::P87, 99),
            (Selectivity::P95, 20),
            (Selectivity::P98, 99),
            (Selectivity::P99, 25),
        ] {
            if empties >= least_empties && selectivity < goal.selectivity {
                steps.push(Step { depth: empties, selectivity });
            }
        }
    }
    steps.push(Step { depth: goal.depth.min(empties), selectivity: goal.selectivity });
    steps
}
