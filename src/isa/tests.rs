//! Every tier against the portable kernels, and those against a naive ray walk.

use proptest::prelude::*;

use super::{Tier, portable};
use crate::with_tier;

/// The definition: walk each of the eight rays until something other than an opponent's disc.
fn naive_flips(square: usize, mover: u64, opponent: u64) -> u64 {
    let mut flipped = 0;
    for (dx, dy) in [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)] {
        let (mut x, mut y) = ((square % 8) as i32 + dx, (square / 8) as i32 + dy);
        let mut run = 0;
        while (0..8).contains(&x) && (0..8).contains(&y) {
            let bit = 1_u64 << (y * 8 + x);
            if mover & bit != 0 {
                flipped |= run;
                break;
            }
            if opponent & bit == 0 {
                break;
            }
            run |= bit;
            x += dx;
            y += dy;
        }
    }
    flipped
}

fn check(mover: u64, opponent: u64) {
    let empty = !(mover | opponent);
    let mut mobility = 0;
    for square in (0..64).filter(|&square| empty >> square & 1 != 0) {
        let expected = naive_flips(square, mover, opponent);
        assert_eq!(portable::flips(square, mover, opponent), expected, "portable, square {square}");
        for tier in Tier::available() {
            let flips = flips_of(tier, square, mover, opponent);
            assert_eq!(flips, expected, "{} square {square} {mover:#x} {opponent:#x}", tier.name());
            let in_pair = pair_of(tier, square, mover, opponent);
            let after = (opponent ^ expected, mover ^ expected ^ 1 << square);
            assert_eq!(in_pair, (expected, after, (opponent, mover)), "{} square {square}", tier.name());
        }
        mobility |= u64::from(expected != 0) << square;
    }
    assert_eq!(portable::mobility(mover, opponent), mobility);
    for square in 0..64 {
        // With the square alone empty, all that is not the mover's the opponent's.
        let (own, bit) = (mover & !(1 << square), 1 << square);
        let expected = naive_flips(square, own, !own & !bit).count_ones() as i32;
        for tier in Tier::available() {
            let count = last_flips_of(tier, square, own);
            assert_eq!(count, expected, "{} square {square} {own:#x}", tier.name());
        }
    }
    for tier in Tier::available() {
        let found = mobility_of(tier, mover, opponent);
        assert_eq!(found, mobility, "{} {mover:#x} {opponent:#x}", tier.name());
    }
}

crate::tiered! {
    trait Kernels {
        fn kernel_flips(square: usize, mover: u64, opponent: u64) -> u64 = flips_body;
        fn kernel_mobility(mover: u64, opponent: u64) -> u64 = mobility_body;
        fn kernel_last(square: usize, mover: u64) -> i32 = last_body;
        fn kernel_pair(square: usize, mover: u64, opponent: u64) -> InPair = pair_body;
    }
}

#[inline(always)]
fn flips_body<I: Kernels>(isa: I, square: usize, mover: u64, opponent: u64) -> u64 {
    isa.flips(square, mover, opponent)
}

#[inline(always)]
fn last_body<I: Kernels>(isa: I, square: usize, mover: u64) -> i32 {
    isa.count_last_flips(square, mover)
}

#[inline(always)]
fn mobility_body<I: Kernels>(isa: I, mover: u64, opponent: u64) -> u64 {
    isa.mobility(mover, opponent)
}

/// The flips, the discs after the move, and those of the pair swapped.
type InPair = (u64, (u64, u64), (u64, u64));

#[inline(always)]
fn pair_body<I: Kernels>(isa: I, square: usize, mover: u64, opponent: u64) -> InPair {
    let pair = isa.pair(mover, opponent);
    let flips = isa.flips_in(square, pair);
    let after = isa.play_in(square, pair, flips);
    (isa.flips_bits(flips), isa.discs(after), isa.discs(isa.swapped(pair)))
}

fn pair_of(tier: Tier, square: usize, mover: u64, opponent: u64) -> InPair {
    with_tier!(tier, isa => isa.kernel_pair(square, mover, opponent))
}

fn flips_of(tier: Tier, square: usize, mover: u64, opponent: u64) -> u64 {
    with_tier!(tier, isa => isa.kernel_flips(square, mover, opponent))
}

fn last_flips_of(tier: Tier, square: usize, mover: u64) -> i32 {
    with_tier!(tier, isa => isa.kernel_last(square, mover))
}

fn mobility_of(tier: Tier, mover: u64, opponent: u64) -> u64 {
    with_tier!(tier, isa => isa.kernel_mobility(mover, opponent))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn tiers_agree_on_unreachable_positions(a: u64, b: u64, c: u64) {
        // Sparse, even and dense boards, full lines and full boards among them.
        check(a & b, !a & b);
        check(a, !a & (b | c));
        check(a & !(b & c), !a & !(b & c));
        check(a & b & c, !(a & b & c) & !(a & c));
    }

    #[test]
    fn tiers_agree_on_reachable_positions(choices in prop::collection::vec(any::<usize>(), 60)) {
        let mut position = crate::board::Position::START;
        for choice in choices {
            check(position.mover(), position.opponent());
            let moves = position.moves();
            let Some(&mv) = moves.get(choice % moves.len().max(1)) else { break };
            position = position.play(mv).expect("a listed move is legal");
        }
    }
}

#[test]
fn edges_do_not_wrap() {
    for square in 0..64_usize {
        for other in (0..64_usize).filter(|&other| other != square) {
            // One opponent disc per square around, everything else the mover's: wrap-around would flip it.
            let opponent = 1_u64 << other;
            check(!(opponent | 1 << square), opponent);
            // And the other way round: a lone mover's disc in a board full of opponent's discs.
            check(opponent, !(opponent | 1 << square));
        }
    }
}
