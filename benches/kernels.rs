//! Micro-benchmarks of the kernels on every instruction set of this CPU, and a small set of exact solves. Run with
//! `cargo bench --bench kernels`.

#![allow(missing_docs)] // Criterion's macros make undocumented functions.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use flipside::{
    board::{Position, perft},
    engine::{Engine, Goal, Request, Settings},
    isa::{Isa, Tier},
    search::StopFlag,
    with_tier,
};

/// Positions from uniformly random games, `count` of them with `empties` empties each and a placement to make.
fn random_positions(count: usize, empties: u32) -> Vec<Position> {
    let mut state = 1;
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut position = Position::START;
        while position.empties() > empties || position.must_pass() {
            let moves = position.moves();
            let Some(&mv) = moves.get(next_random(&mut state) as usize % moves.len().max(1)) else { break };
            position = position.play(mv).unwrap_or(position);
        }
        if position.empties() == empties && !position.is_over() {
            positions.push(position);
        }
    }
    positions
}

/// A linear congruential generator (Knuth's MMIX constants), its high half.
fn next_random(state: &mut u64) -> u32 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 32) as u32
}

fn mixed_positions() -> Vec<Position> {
    (4..60).step_by(4).flat_map(|empties| random_positions(8, empties)).collect()
}

fn kernels(criterion: &mut Criterion) {
    let positions = mixed_positions();
    for tier in Tier::available() {
        let mut group = criterion.benchmark_group(tier.name());
        group.bench_function("flips: every empty square of 112 positions", |bencher| {
            with_tier!(tier, isa => bencher.iter(|| all_flips(isa, black_box(&positions))));
        });
        group.bench_function("mobility: 112 positions", |bencher| {
            with_tier!(tier, isa => bencher.iter(|| all_mobility(isa, black_box(&positions))));
        });
        group.bench_function("perft 6", |bencher| {
            bencher.iter(|| perft(tier, black_box(Position::START), 6));
        });
        group.finish();
    }
}

fn all_flips(isa: impl Isa, positions: &[Position]) -> u64 {
    let mut sum = 0;
    for position in positions {
        let mut empty = position.empty();
        while empty != 0 {
            let square = empty.trailing_zeros() as usize;
            empty &= empty - 1;
            sum ^= isa.flips(square, position.mover(), position.opponent());
        }
    }
    sum
}

fn all_mobility(isa: impl Isa, positions: &[Position]) -> u64 {
    positions.iter().fold(0, |sum, position| sum ^ isa.mobility(position.mover(), position.opponent()))
}

fn engine(tier: Tier) -> Option<Engine> {
    Engine::new(Settings { threads: 1, hash_mib: 1, tier, use_book: false, ..Settings::default() }).ok()
}

fn evaluation(criterion: &mut Criterion) {
    let positions = mixed_positions();
    let Some(engine) = engine(Tier::detect()) else { return };
    criterion.bench_function("evaluate from scratch: 112 positions", |bencher| {
        bencher.iter(|| black_box(&positions).iter().map(|&position| engine.evaluate(position)).sum::<i32>());
    });
}

fn solving(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("solve");
    group.sample_size(10);
    for empties in [6, 8, 10] {
        let positions = random_positions(16, empties);
        for tier in Tier::available() {
            let Some(mut engine) = engine(tier) else { continue };
            group.bench_function(format!("16 positions of {empties} empties, {}", tier.name()), |bencher| {
                bencher.iter(|| {
                    engine.clear();
                    for &position in &positions {
                        let request = Request::best(Goal::EXACT);
                        black_box(engine.search(position, &request, &StopFlag::new(), &mut |_| {}));
                    }
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, kernels, evaluation, solving);
criterion_main!(benches);
