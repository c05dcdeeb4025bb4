//! `flipside bench` and `flipside perft`: fixed work whose counts must not change by accident.

use std::time::{Duration, Instant};

use flipside::{
    board::{Position, perft},
    engine::{Engine, Goal, Request, Settings},
    search::{Nodes, Selectivity, StopFlag},
};

use super::{
    args::{EngineArgs, PerftArgs},
    input::position_words,
    output::{Failure, Finish, Output, Status, per_second, score_text, seconds},
};

/// Hash size of the bench in MiB, whatever `--hash` says.
const HASH_MIB: usize = 16;
/// Empties of the midgame positions, the usual start first; they are searched to `MIDGAME`.
const MIDGAME_EMPTIES: [u32; 21] = [60, 54, 52, 51, 49, 48, 46, 45, 43, 42, 40, 39, 37, 36, 35, 34, 33, 31, 30, 29, 27];
/// What the midgame positions are searched for.
const MIDGAME: Goal = Goal::Depth(12, Selectivity::P73);
/// Empties of the positions solved exactly.
const ENDGAME_EMPTIES: [u32; 8] = [10, 12, 13, 14, 15, 16, 17, 18];
/// Seed of the random games the positions come from.
const SEED: u64 = 0x466C6970;

/// Searches the fixed positions.
pub fn bench(options: &EngineArgs, output: &mut Output) -> Finish {
    let settings =
        Settings { threads: 1, hash_mib: HASH_MIB, tier: options.tier(), use_book: false, ..Settings::default() };
    let mut engine = Engine::new(settings).map_err(|error| Failure::Usage(error.to_string()))?;
    let midgame = MIDGAME_EMPTIES.iter().map(|&empties| (empties, MIDGAME));
    let endgame = ENDGAME_EMPTIES.iter().map(|&empties| (empties, Goal::EXACT));
    let mut total = Nodes::default();
    let mut time = Duration::ZERO;
    for (index, (empties, goal)) in midgame.chain(endgame).enumerate() {
        let Some(position) = random_position(SEED + index as u64, empties) else { continue };
        engine.clear();
        let outcome = engine.search(position, &Request::best(goal), &StopFlag::new(), &mut |_| {});
        total += outcome.nodes;
        time += outcome.elapsed;
        let (depth, score, best) = outcome
            .lines
            .first()
            .map_or_else(Default::default, |line| (line.depth_text(), score_text(line), line.mv.to_string()));
        output.line(format!(
            "{:>3} {empties:>3} empties {depth:>8} {score:>8} {best:>4} {:>12} nodes {:>8} s",
            index + 1,
            outcome.nodes.total,
            seconds(outcome.elapsed)
        ))?;
        output.flush()?;
    }
    output.line(format!("Tier: {}", options.tier().name()))?;
    output.line(format!("Nodes/s: {} ({} s)", per_second(total.total, time), seconds(time)))?;
    output.line(format!("Bench: {}", total.total))?;
    output.flush()?;
    Ok(Status::Success)
}

/// A position with that many empties and a move to make, from a game of uniformly random moves.
pub fn random_position(seed: u64, empties: u32) -> Option<Position> {
    let mut state = seed.wrapping_mul(0x9E3779B97F4A7C15);
    // Some random games end early; the next one will do.
    (0..1000).find_map(|_| {
        let mut position = Position::START;
        while position.empties() > empties || position.must_pass() {
            let moves = position.moves();
            if moves.is_empty() {
                return None;
            }
            let choice = (next_random(&mut state) % moves.len() as u64) as usize;
            position = position.play(*moves.get(choice)?)?;
        }
        (!position.is_over()).then_some(position)
    })
}

/// The next number of a `SplitMix64` sequence (Steele, Lea, Flood 2014).
fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E3779B97F4A7C15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D049BB133111EB);
    mixed ^ (mixed >> 31)
}

/// Counts move sequences for each depth up to the one asked for.
pub fn count(arguments: &PerftArgs, options: &EngineArgs, output: &mut Output) -> Finish {
    let position = position_words(&arguments.position)?.board().position();
    let tier = options.tier();
    output.line(format!("perft with {} code; a pass counts as a ply", tier.name()))?;
    for depth in 1..=arguments.depth {
        let start = Instant::now();
        let count = perft(tier, position, depth);
        let time = start.elapsed();
        let rate = per_second(count, time);
        output.line(format!("{depth:>3} {count:>20} {:>10} s {rate:>14} /s", seconds(time)))?;
        output.flush()?;
    }
    Ok(Status::Success)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bench_positions_exist_and_differ() {
        let positions: Vec<Position> = MIDGAME_EMPTIES
            .iter()
            .chain(&ENDGAME_EMPTIES)
            .enumerate()
            .filter_map(|(index, &empties)| random_position(SEED + index as u64, empties))
            .collect();
        assert_eq!(positions.len(), MIDGAME_EMPTIES.len() + ENDGAME_EMPTIES.len());
        for (index, position) in positions.iter().enumerate() {
            assert_ne!(position.legal_moves(), 0);
            assert!(!positions[..index].contains(position));
        }
    }
}
