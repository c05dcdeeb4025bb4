//! Counting the positions at a given depth: the standard check of a move generator.

use super::{Position, Squares};
use crate::{isa::Tier, with_tier};

crate::tiered! {
    trait PerftTier {
        fn perft_counted(mover: u64, opponent: u64, depth: u32) -> u64 = perft_body;
    }
}

/// Number of move sequences of `depth` plies from `position`. A pass counts as a ply; a finished game counts once at
/// whatever depth is left.
pub fn perft(tier: Tier, position: Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    with_tier!(tier, isa => isa.perft_counted(position.mover(), position.opponent(), depth))
}

#[inline(always)]
fn perft_body<I: PerftTier>(isa: I, mover: u64, opponent: u64, depth: u32) -> u64 {
    let moves = isa.mobility(mover, opponent);
    if moves == 0 {
        return if depth == 1 || isa.mobility(opponent, mover) == 0 {
            1
        } else {
            isa.perft_counted(opponent, mover, depth - 1)
        };
    }
    if depth == 1 {
        return u64::from(moves.count_ones());
    }
    let mut count = 0;
    for square in Squares(moves) {
        let flips = isa.flips(square.index(), mover, opponent);
        let (next_mover, next_opponent) = (opponent ^ flips, mover ^ flips ^ square.bit());
        count += if depth == 2 {
            // A pass or a finished game is one continuation.
            u64::from(isa.mobility(next_mover, next_opponent).count_ones()).max(1)
        } else {
            isa.perft_counted(next_mover, next_opponent, depth - 1)
        };
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_position_on_every_tier() {
        let expected = [1, 4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288];
        for tier in Tier::available() {
            for (depth, &count) in expected.iter().enumerate() {
                assert_eq!(perft(tier, Position::START, depth as u32), count, "depth {depth} {}", tier.name());
            }
        }
    }
}
