//! Micro-benchmarks of the kernels on every instruction set of this CPU, and a small set of exact solves. Run with
//! `cargo bench --bench kernels`.

#![allow(missing_docs)] // Criterion's macros make undocumented functions.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use flipside::{
    board::{Position, Square, Squares, perft},
    engine::{Engine, Goal, Request, Settings},
    eval::{Evaluator, Features},
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
            with_tier!(tier, isa => bencher.iter(|| isa.every_flip(black_box(&positions))));
        });
        group.bench_function("mobility: 112 positions", |bencher| {
            with_tier!(tier, isa => bencher.iter(|| isa.every_mobility(black_box(&positions))));
        });
        group.bench_function("perft 6", |bencher| {
            bencher.iter(|| perft(tier, black_box(Position::START), 6));
        });
        group.finish();
    }
}

flipside::tiered! {
    // Shells, so that the kernels are inlined and compiled as they are in the search.
    trait Measured {
        fn every_flip(positions: &[Position]) -> u64 = all_flips;
        fn every_mobility(positions: &[Position]) -> u64 = all_mobility;
        fn every_evaluation(evaluator: &Evaluator, moves: &[(Features, Square, u64, u32)]) -> i32 = all_evaluations;
        fn every_correction(evaluator: &Evaluator, moves: &[(Features, Square, u64, u32)]) -> i32 = all_corrections;
    }
}

#[inline(always)]
fn all_flips<I: Isa>(isa: I, positions: &[Position]) -> u64 {
    let mut sum = 0;
    for position in positions {
        for square in Squares(position.empty()) {
            sum ^= isa.flips(square.index(), position.mover(), position.opponent());
        }
    }
    sum
}

#[inline(always)]
fn all_mobility<I: Isa>(isa: I, positions: &[Position]) -> u64 {
    positions.iter().fold(0, |sum, position| sum ^ isa.mobility(position.mover(), position.opponent()))
}

#[inline(always)]
fn all_evaluations<I: Isa>(_isa: I, evaluator: &Evaluator, moves: &[(Features, Square, u64, u32)]) -> i32 {
    moves.iter().fold(0, |sum, (features, square, flips, empties)| {
        let child = features.after(*square, *flips);
        sum ^ evaluator.value(&child, empties - 1)
    })
}

#[inline(always)]
fn all_corrections<I: Isa>(_isa: I, evaluator: &Evaluator, moves: &[(Features, Square, u64, u32)]) -> i32 {
    moves.iter().fold(0, |sum, (features, square, flips, empties)| {
        let child = features.after(*square, *flips);
        let value = evaluator.value(&child, empties - 1);
        let network = evaluator.network(empties - 1);
        sum ^ network.map_or(value, |network| network.value(&child, empties - 1, (8, 8), value))
    })
}

fn engine(tier: Tier) -> Option<Engine> {
    Engine::new(Settings { threads: 1, hash_mib: 1, tier, use_book: false, ..Settings::default() }).ok()
}

fn evaluation(criterion: &mut Criterion) {
    let positions = mixed_positions();
    let evaluator = Evaluator::default();
    let moves: Vec<(Features, Square, u64, u32)> = positions
        .iter()
        .flat_map(|&position| {
            Squares(position.legal_moves())
                .map(move |square| (Features::of(position), square, position.flips(square), position.empties()))
        })
        .collect();
    criterion.bench_function("evaluate from scratch: 112 positions", |bencher| {
        bencher.iter(|| black_box(&positions).iter().map(|&position| evaluator.evaluate(position)).sum::<i32>());
    });
    for tier in Tier::available() {
        let mut group = criterion.benchmark_group(tier.name());
        group.throughput(Throughput::Elements(moves.len() as u64));
        group.bench_function("make a move and evaluate", |bencher| {
            with_tier!(tier, isa => bencher.iter(|| isa.every_evaluation(&evaluator, black_box(&moves))));
        });
        group.bench_function("make a move and evaluate with the network", |bencher| {
            with_tier!(tier, isa => bencher.iter(|| isa.every_correction(&evaluator, black_box(&moves))));
        });
        group.finish();
    }
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
