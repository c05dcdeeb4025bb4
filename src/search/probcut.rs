//! Multi-ProbCut (M. Buro, "Experiments with Multi-ProbCut and a new high-quality evaluation function for Othello",
//! 1997): when a shallow search lies far enough outside the window, the deep one is taken to do so too. Here: the
//! model of the error between shallow and deep searches.

use super::Selectivity;

/// Standard deviations of the error that a cut must clear, by selectivity.
pub(super) const fn deviations(selectivity: Selectivity) -> Option<f32> {
    match selectivity {
        Selectivity::P73 => Some(1.1),
        Selectivity::P87 => Some(1.5),
        Selectivity::P95 => Some(2.0),
        Selectivity::P98 => Some(2.6),
        Selectivity::P99 => Some(3.3),
        Selectivity::None => None,
    }
}

/// Standard deviation in centi-discs of (deep score − shallow score) in the midgame.
#[inline(always)]
pub(super) fn midgame_deviation(empties: u32, deep: u32, shallow: u32) -> f32 {
    let (empties, deep, shallow) = (empties as f32, deep as f32, shallow as f32);
    // ln sigma is close to linear in all three.
    100.0 * (1.45 - 0.008 * empties + 0.018 * deep - 0.06 * shallow).exp()
}

/// Standard deviation in centi-discs of (exact score − shallow score) for a search to the end.
#[inline(always)]
pub(super) fn endgame_deviation(empties: u32, shallow: u32) -> f32 {
    let (empties, shallow) = (empties as f32, shallow as f32);
    100.0 * (1.25 + 0.015 * empties - 0.06 * shallow).exp()
}

/// Depth of the shallow search for a midgame search of `depth`.
#[inline(always)]
pub(super) const fn midgame_probe_depth(depth: u32) -> u32 {
    2 * (depth / 5) + (depth & 1)
}
