//! The endgame functions against a brute force written only for this test.

use super::*;
use crate::{board::Position, isa::Tier, with_tier};

/// Plain negamax on the rules alone.
fn brute_force(position: Position) -> i32 {
    let moves = position.moves();
    if moves.is_empty() {
        return position.final_score();
    }
    moves.into_iter().filter_map(|mv| position.play(mv)).map(|child| -brute_force(child)).max().unwrap()
}

fn random_position(empties: u32, seed: u64) -> Option<Position> {
    let mut position = Position::START;
    let mut state = seed.wrapping_mul(0x9E3779B97F4A7C15) | 1;
    while position.empties() > empties {
        let moves = position.moves();
        if moves.is_empty() {
            return None;
        }
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        position = position.play(moves[(state >> 33) as usize % moves.len()])?;
    }
    Some(position)
}

fn solve(tier: Tier, worker: &mut EndWorker, position: Position, alpha: i32) -> i32 {
    with_tier!(tier, isa => isa.solve_any(worker, &Node::new(position), alpha))
}

#[test]
fn null_windows_bound_the_brute_force_score() {
    let mut workers: Vec<(Tier, EndWorker)> =
        Tier::available().into_iter().map(|tier| (tier, EndWorker::new())).collect();
    for empties in 1..=9 {
        let count = if empties <= 6 {
            400
        } else if empties == 9 {
            12
        } else {
            60
        };
        for seed in 0..count {
            let Some(position) = random_position(empties, u64::from(empties) * 1000 + seed) else { continue };
            let exact = brute_force(position);
            for (tier, worker) in &mut workers {
                for alpha in [-65, -20, exact - 3, exact - 2, exact - 1, exact, exact + 1, exact + 2, 14, 40, 63] {
                    let score = solve(*tier, worker, position, alpha);
                    let context = format!("{} {position:?} alpha {alpha} exact {exact} got {score}", tier.name());
                    if score > alpha {
                        assert!(exact >= score, "{context}");
                    } else {
                        assert!(exact <= score, "{context}");
                    }
                }
            }
        }
    }
}
