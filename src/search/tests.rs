//! Whole searches against an independent solver written only for this test.

use std::time::{Duration, Instant};

use super::*;
use crate::board::{Move, Symmetry};

/// Plain alpha–beta on the rules alone, fewest replies first: shares nothing with the engine but the rules.
fn independent_score(position: Position, mut alpha: i32, beta: i32) -> i32 {
    let moves = position.moves();
    if moves.is_empty() {
        return position.final_score();
    }
    let mut children: Vec<Position> = moves.into_iter().filter_map(|mv| position.play(mv)).collect();
    if position.empties() > 4 {
        children.sort_by_key(|child| child.legal_moves().count_ones());
    }
    let mut best = -65;
    for child in children {
        best = best.max(-independent_score(child, -beta, -alpha));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize
    }
}

/// Positions with `empties` empty squares: random moves to 30 empties, then mostly sensible ones.
fn positions(empties: u32, count: usize, seed: u64) -> Vec<Position> {
    let mut random = Random(seed.wrapping_mul(0x9E3779B97F4A7C15) | 1);
    let evaluator = Evaluator::default();
    let mut found = Vec::new();
    while found.len() < count {
        let mut position = Position::START;
        while position.empties() > empties {
            let moves = position.moves();
            if moves.is_empty() {
                break;
            }
            let sensible = position.empties() < 30 && !random.next().is_multiple_of(4);
            let mv = if sensible {
                moves.into_iter().min_by_key(|&mv| evaluator.evaluate(position.play(mv).unwrap())).unwrap()
            } else {
                moves[random.next() % moves.len()]
            };
            position = position.play(mv).unwrap();
        }
        if position.empties() == empties && !position.is_over() {
            found.push(position);
        }
    }
    found
}

fn exact_steps(position: Position) -> Vec<Step> {
    steps_to(Step { depth: position.empties(), selectivity: Selectivity::None }, position.empties())
}

fn searcher(threads: usize, hash_mib: usize) -> Searcher {
    Searcher::new(Tier::detect(), threads, hash_mib, Evaluator::default()).unwrap()
}

fn solve(searcher: &mut Searcher, position: Position) -> Outcome {
    searcher.search(position, &exact_steps(position), &Limits::default(), &StopFlag::new(), &mut |_| {})
}

fn score(outcome: &Outcome) -> i32 {
    let line = &outcome.lines[0];
    assert_eq!((line.bound, line.proof), (Bound::Exact, Proof::Score));
    assert_eq!(outcome.proven, (line.discs(), line.discs()));
    assert_eq!(line.score % 200, 0);
    line.discs()
}

/// The number of positions checked: more by request.
fn amount(usual: usize) -> usize {
    std::env::var("FLIPSIDE_POSITIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn exact_scores_equal_an_independent_solver() {
    let mut searcher = searcher(1, 4);
    let each = amount(700).div_ceil(7);
    for empties in 8..=14 {
        let each = if empties > 12 { each.div_ceil(4) } else { each };
        for position in positions(empties, each, u64::from(empties)) {
            let outcome = solve(&mut searcher, position);
            let exact = score(&outcome);
            assert!(independent_score(position, exact - 1, exact + 1) == exact, "{position:?} is not {exact}");
            // The principal variation is legal, complete and worth the score.
            let mut end = position;
            for &mv in &outcome.lines[0].pv {
                end = end.play(mv).expect("a legal variation");
            }
            let sign = if outcome.lines[0].pv.len().is_multiple_of(2) { 1 } else { -1 };
            assert!(end.is_over(), "{position:?}: unfinished variation");
            assert_eq!(end.final_score() * sign, exact, "{position:?}: the variation is worth something else");
        }
    }
}

#[test]
fn every_move_gets_its_exact_score() {
    let mut searcher = searcher(2, 4);
    for position in positions(10, 20, 77) {
        let limits = Limits { lines: usize::MAX, ..Limits::default() };
        let outcome = searcher.search(position, &exact_steps(position), &limits, &StopFlag::new(), &mut |_| {});
        assert_eq!(outcome.lines.len(), position.moves().len());
        for line in &outcome.lines {
            let child = position.play(line.mv).unwrap();
            assert_eq!(line.discs(), -independent_score(child, -65, 65), "{position:?} {}", line.mv);
        }
        assert!(outcome.lines.is_sorted_by_key(|line| -line.score));
    }
}

#[test]
fn fault_23_24_scores_do_not_depend_on_symmetry_threads_or_table() {
    let mut warm = [searcher(1, 1), searcher(2, 64), searcher(8, 1)];
    for position in positions(16, 6, 5).into_iter().chain(positions(18, 4, 6)) {
        let exact = score(&solve(&mut searcher(1, 16), position));
        for symmetry in Symmetry::ALL {
            for searcher in &mut warm {
                assert_eq!(score(&solve(searcher, position.transformed(symmetry))), exact, "{position:?}");
            }
        }
    }
}

#[test]
fn one_thread_is_deterministic() {
    for position in positions(18, 3, 9) {
        let first = solve(&mut searcher(1, 8), position);
        let second = solve(&mut searcher(1, 8), position);
        assert_eq!((first.lines, first.nodes), (second.lines, second.nodes));
    }
}

#[test]
fn windows_bound_the_score() {
    let mut searcher = searcher(1, 4);
    for position in positions(12, 30, 21) {
        let exact = independent_score(position, -65, 65);
        for (alpha, beta) in [(-1, 1), (0, 2), (-20, -10), (10, 30), (exact - 1, exact + 1)] {
            searcher.clear();
            let limits = Limits { window: (alpha, beta), ..Limits::default() };
            let outcome = searcher.search(position, &exact_steps(position), &limits, &StopFlag::new(), &mut |_| {});
            let line = &outcome.lines[0];
            match line.bound {
                Bound::Exact => assert_eq!(line.discs(), exact),
                Bound::Lower => assert!(line.discs() >= beta && exact >= line.discs()),
                Bound::Upper => assert!(line.discs() <= alpha && exact <= line.discs()),
            }
            assert!(outcome.proven.0 <= exact && exact <= outcome.proven.1);
        }
    }
}

#[test]
fn fault_28_selective_results_do_not_leak_into_exact_ones() {
    // As in faults reported of other engines: a selective search first, then an exact one in the same table.
    let mut warm = searcher(1, 16);
    for position in positions(17, 8, 31) {
        let selective = [Step { depth: 17, selectivity: Selectivity::P73 }];
        warm.search(position, &selective, &Limits::default(), &StopFlag::new(), &mut |_| {});
        assert_eq!(score(&solve(&mut warm, position)), score(&solve(&mut searcher(1, 16), position)));
    }
}

#[test]
fn a_stopped_search_answers_soon_with_true_bounds() {
    let position = positions(32, 1, 3)[0];
    for threads in [1, 2] {
        let mut searcher = searcher(threads, 16);
        for wait in [0, 1, 30, 150] {
            let stop = StopFlag::new();
            let flag = stop.clone();
            let timer = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(wait));
                flag.stop();
                Instant::now()
            });
            let outcome = searcher.search(position, &exact_steps(position), &Limits::default(), &stop, &mut |_| {});
            let delay = timer.join().unwrap().elapsed();
            // The bar is 50 ms on a quiet machine; tests share theirs.
            assert!(delay < Duration::from_millis(500), "{delay:?}");
            assert!(!outcome.completed && outcome.proven.0 <= outcome.proven.1);
            assert!(position.play(outcome.lines[0].mv).is_some());
        }
    }
}

#[test]
fn passes_and_ends_are_answered() {
    let mut searcher = searcher(1, 4);
    let over = Position::new(u64::MAX, 0).unwrap();
    assert!(solve(&mut searcher, over).lines.is_empty());
    let passing = positions(9, 4000, 4).into_iter().find(|position| position.must_pass()).unwrap();
    let outcome = solve(&mut searcher, passing);
    assert_eq!((outcome.lines.len(), outcome.lines[0].mv), (1, Move::Pass));
    assert_eq!(score(&outcome), independent_score(passing, -65, 65));
}

#[test]
fn the_clock_is_kept() {
    let mut searcher = searcher(2, 16);
    let position = Position::START;
    let steps = level_plan(60, position.empties()).steps;
    let limits = Limits { hard_time: Some(Duration::from_millis(100)), ..Limits::default() };
    let started = Instant::now();
    let outcome = searcher.search(position, &steps, &limits, &StopFlag::new(), &mut |_| {});
    assert!(!outcome.completed && !outcome.lines.is_empty());
    assert!(started.elapsed() < Duration::from_millis(600), "{:?}", started.elapsed());
}

#[test]
fn fault_20_hints_forwards_and_backwards_equal_cold_ones() {
    // The end of a line of 24 empties after which hints were wrong in another program, played on to 15 empties.
    let line = "c4e3f5e6f6c5c3c6d3d2e2b3e1f4f3f2f1c2b1g3g4d6g5h4h5h3h2h6h7g6b4a3b5g2f7f8";
    let mut game = crate::notation::parse_transcript(crate::board::Board::START, line.as_bytes()).unwrap();
    let mut guide = searcher(2, 64);
    let best = solve(&mut guide, game.board().position()).lines.remove(0).pv;
    let mut nodes = Vec::new();
    for mv in best.into_iter().take(14) {
        game.play(mv).unwrap();
        let position = game.board().position();
        if (11..=15).contains(&position.empties()) && !position.must_pass() {
            nodes.push(position);
        }
    }
    assert!(nodes.len() >= 3, "{nodes:?}");
    let hints = |searcher: &mut Searcher, position: Position| {
        let limits = Limits { lines: 5, ..Limits::default() };
        let outcome = searcher.search(position, &exact_steps(position), &limits, &StopFlag::new(), &mut |_| {});
        outcome.lines.iter().map(Line::discs).collect::<Vec<i32>>()
    };
    let cold: Vec<Vec<i32>> = nodes.iter().map(|&position| hints(&mut searcher(1, 4), position)).collect();
    let mut warm = searcher(2, 4);
    for _ in 0..2 {
        for (&position, expected) in nodes.iter().zip(&cold).chain(nodes.iter().zip(&cold).rev()) {
            assert_eq!(&hints(&mut warm, position), expected, "{position:?}");
        }
    }
}

#[test]
fn fault_27_57_an_interrupted_iteration_leaves_the_last_one_standing() {
    let mut searcher = searcher(2, 16);
    for position in positions(36, 60, 12) {
        let mut last = None;
        let limits = Limits { hard_time: Some(Duration::from_millis(5)), ..Limits::default() };
        let steps = level_plan(60, position.empties()).steps;
        let started = Instant::now();
        let outcome = searcher.search(position, &steps, &limits, &StopFlag::new(), &mut |progress| {
            last = Some(progress.lines.to_vec());
        });
        // The bar is 60 ms on a quiet machine; tests share theirs.
        assert!(started.elapsed() < Duration::from_millis(500), "{:?}", started.elapsed());
        if let Some(last) = last {
            assert_eq!(outcome.lines, last, "{position:?}");
        }
        assert!(position.play(outcome.lines[0].mv).is_some());
    }
}

#[test]
fn fault_61_every_table_size_can_be_had() {
    let mut searcher = searcher(1, 1);
    let position = positions(10, 1, 8)[0];
    let exact = score(&solve(&mut searcher, position));
    for mebibytes in (1..=64).rev() {
        searcher.resize_table(mebibytes).unwrap();
        assert_eq!(score(&solve(&mut searcher, position)), exact);
    }
}

#[test]
fn fault_62_no_search_in_a_warm_table_hangs() {
    let mut searcher = searcher(1, 1);
    for position in positions(30, 150, 62) {
        let steps = steps_to(Step { depth: 6, selectivity: Selectivity::P73 }, position.empties());
        let limits = Limits { lines: 3, ..Limits::default() };
        let outcome = searcher.search(position, &steps, &limits, &StopFlag::new(), &mut |_| {});
        assert!(outcome.completed && outcome.elapsed < Duration::from_secs(5));
    }
}
