//! Passes, ends of games and exactness as the command line shows them. Names are the numbers of a list of faults
//! that users of Othello engines have reported.

mod cli_support;

use cli_support::run;
use serde_json::{Value, json};

/// White has to pass; from a game of 48 plies.
const MUST_PASS: &str = "XXXXXXXXXXXXXOXXXXOXXXXXXXXOOO-OXXOOOOO--OOOOOO----OOO---------- O";
/// The moves that lead to it.
const MUST_PASS_MOVES: &str = "f5d6c3d3c4f4f6f3e3b4c5c6e6e2e7d2f1d7a3a4b3g6a5a2a1f2g5f7b2c2b5e1b1g1c1h4g3b6d1h2h1g2h3";
/// Four discs in two corners, nobody can move.
const DEAD_DRAW: &str = "XX------------------------------------------------------------OO X";
/// Five empties, Black to move.
const LATE: &str = "-XXXX-OX-OOOOOOXOOOXXXXXOOXXXXOOOXXOXXOOOXOXXOOOXXXOOOO-OOOOOOO- X";
/// Only a7 is legal at its end.
const ONE_MOVE_GAME: &str = "e6f6f5d6g7g6g5g4c3d3c2g8h8e7f7d2h7h6f8e3g3f4h5h3d7b3h4f3h2d8a4c1g2a3a2e8c8c7b7h1f1b8a8";

fn solve_one(arguments: &[&str]) -> Value {
    let run = run(["solve", "--json"].iter().chain(arguments)).exits(0);
    let mut objects = run.json();
    assert_eq!(objects.len(), 1, "{}", run.stdout);
    objects.remove(0)
}

#[test]
fn fault_02_a_forced_pass_is_shown() {
    let shown = run(["show", MUST_PASS_MOVES]).exits(0).stdout;
    assert!(shown.contains("White passes"), "{shown}");
    assert!(shown.contains(MUST_PASS), "{shown}");
}

// 16 empties: needs a real solver.
#[test]
fn fault_02_08_a_forced_pass_is_solved() {
    let object = solve_one(&[MUST_PASS]);
    assert_eq!(object["score"], -60);
    assert_eq!(object["exact"], true);
    assert_eq!(object["best_moves"], json!(["pass"]));
    assert_eq!(object["pv"][0], "pass");
}

#[test]
fn fault_03_a_pass_is_no_end() {
    let shown = run(["show", "c4c3f5b4a4a5c2a3"]).exits(0).stdout;
    assert!(shown.contains("Black passes"), "{shown}");
    assert!(!shown.contains("over"), "{shown}");
}

#[test]
fn fault_05_10_a_dead_board_is_a_draw_at_once() {
    for threads in ["1", "2"] {
        let object = solve_one(&["--threads", threads, DEAD_DRAW]);
        assert_eq!(object["score"], 0);
        assert_eq!(object["exact"], true);
        assert_eq!(object["game_over"], true);
        assert_eq!(object["best_moves"], json!([]));
        assert!(object["nodes"].as_u64().unwrap() < 10);
    }
    let shown = run(["show", DEAD_DRAW]).exits(0).stdout;
    assert!(shown.contains("game over: draw"), "{shown}");
    let hints = run(["hint", "--lines", "3", DEAD_DRAW]).exits(0).stdout;
    assert!(hints.contains("draw"), "{hints}");
}

#[test]
fn fault_07_full_and_empty_boards() {
    for (discs, side, score) in [("X", "X", 64), ("O", "X", -64), ("X", "O", -64), ("O", "O", 64), ("-", "X", 0)] {
        let board = format!("{} {side}", discs.repeat(64));
        let object = solve_one(&[&board]);
        assert_eq!(object["score"], score, "{board}");
        assert_eq!(object["game_over"], true);
        assert_eq!(object["best_moves"], json!([]));
        run(["show", &board]).exits(0);
        run(["hint", &board]).exits(0);
        run(["analyze", &board]).exits(0);
    }
}

// 5 empties.
#[test]
fn fault_11_every_move_of_a_late_position() {
    let object = solve_one(&["--all-moves", LATE]);
    assert_eq!(object["score"], 16);
    let mut best: Vec<&str> = object["best_moves"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    best.sort_unstable();
    assert_eq!(best, ["a1", "f1", "h7"]);
    for (mv, score) in [("a1", 16), ("f1", 16), ("h7", 16), ("h8", 4), ("a2", -2)] {
        let line = object["moves"].as_array().unwrap().iter().find(|line| line["move"] == mv).unwrap();
        assert_eq!(line["score"], score, "{mv}");
        assert_eq!(line["exact"], true);
    }
    assert_eq!(object["moves"].as_array().unwrap().len(), 5);
}

#[test]
fn fault_11_the_game_that_leads_there() {
    let moves = "F5F4E3F6E6C5G5D3D6F7G6E7C6D7F3C4F8H6B5E8C7G8D8C8C2A6C3H5B4A3B6G3G4H4A5A4B7C1B3D2F2E2B8A8A7G7E1D1B1G2H1B2H3G1H2PA";
    let shown = run(["show", moves]).exits(0).stdout;
    assert!(shown.contains("White passes") && shown.contains("Black to move"), "{shown}");
    assert!(shown.contains("5 empty"), "{shown}");
}

#[test]
fn fault_12_a_pass_may_be_written_or_left_out() {
    let with = run(["show", "c4c3f5b4a4a5c2a3pad2"]).exits(0).stdout;
    let without = run(["show", "c4c3f5b4a4a5c2a3d2"]).exits(0).stdout;
    assert_eq!(with, without);
    assert!(with.contains("Black to move") && with.contains("legal: b2 e2"), "{with}");
}

#[test]
fn fault_15_a_wiped_out_side_loses_everything() {
    let game = "e6f4e3f6g5d6e7f5c5";
    let object = solve_one(&[game]);
    assert_eq!(object["score"], -64);
    assert_eq!(object["game_over"], true);
    let hints = run(["hint", game]).exits(0).stdout;
    assert!(hints.contains("Black wins by 64"), "{hints}");
    let analysis = run(["analyze", "--level", "1", game]).exits(0).stdout;
    assert!(analysis.contains("Black wins by 64"), "{analysis}");
}

// 17 empties to the end: needs a real solver for the exact score.
#[test]
fn fault_16_only_legal_moves_come_back() {
    let object = solve_one(&["--all-moves", ONE_MOVE_GAME]);
    assert_eq!(object["score"], -62);
    assert_eq!(object["best_moves"], json!(["a7"]));
    assert_eq!(object["moves"].as_array().unwrap().len(), 1);
}

#[test]
fn fault_16_only_legal_moves_at_every_level() {
    for level in ["0", "1", "5", "10"] {
        let run = run(["hint", "--json", "--level", level, ONE_MOVE_GAME]).exits(0);
        assert_eq!(run.json()[0]["moves"][0]["move"], "a7");
    }
}

// 14 empties: needs a real solver.
#[test]
fn fault_18_30_a_draw_in_the_last_plies() {
    let board = "OXXXXXXXOOXXOOX-OOOXXXO-OXOXXXOOOXXXXXOOOXXXXXOOO--XXXXOO--XXX-X O";
    for hash in ["1", "16"] {
        let object = solve_one(&["--hash", hash, "--all-moves", board]);
        assert_eq!(object["score"], 0);
        assert_eq!(object["best_moves"], json!(["b7"]));
        for (mv, score) in [("b7", 0), ("h2", -2), ("g8", -2), ("c8", -4), ("c7", -22)] {
            let line = object["moves"].as_array().unwrap().iter().find(|line| line["move"] == mv).unwrap();
            assert_eq!(line["score"], score, "{mv}");
        }
    }
    let table = run(["solve", board]).exits(0).stdout;
    assert!(table.contains("+0") && !table.contains("-0"), "{table}");
}

// 14 empties: needs a real solver.
#[test]
fn fault_21_the_same_values_on_every_instruction_set() {
    let board = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";
    let mut nodes = Vec::new();
    for isa in ["portable", "avx2", "avx512"] {
        let run = run(["solve", "--json", "--isa", isa, board]);
        if run.status == Some(2) {
            println!("skipped: no {isa} here");
            continue;
        }
        let object = &run.exits(0).json()[0];
        assert_eq!(object["score"], 18);
        nodes.push(object["nodes"].as_u64().unwrap());
    }
    assert!(nodes.windows(2).all(|pair| pair[0] == pair[1]), "{nodes:?}");
}

// 14 empties: needs a real solver.
#[test]
fn fault_22_solve_is_always_exact_and_selective_results_say_so() {
    let board = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";
    let object = solve_one(&["--level", "1", board]);
    assert_eq!((&object["depth"], &object["exact"], &object["score"]), (&json!("100%"), &json!(true), &json!(18)));
    let start = run(["hint", "--json", "--depth", "10", "--selectivity", "73", "f5d6"]).exits(0);
    let line = &start.json()[0]["moves"][0];
    assert_eq!(line["exact"], false);
    assert!(line["depth"].as_str().unwrap().contains('@') || line["depth"] != "100%");
}

#[test]
fn fault_26_more_lines_than_moves() {
    let run = run(["hint", "--json", "--level", "1", "--lines", "60", "f5"]).exits(0);
    assert_eq!(run.json()[0]["moves"].as_array().unwrap().len(), 3);
    let run = cli_support::run(["hint", "--json", "--level", "1", "--lines", "60", ONE_MOVE_GAME]).exits(0);
    assert_eq!(run.json()[0]["moves"].as_array().unwrap().len(), 1);
    let run = cli_support::run(["hint", "--json", "--level", "1", "--lines", "60", MUST_PASS]).exits(0);
    assert_eq!(run.json()[0]["moves"].as_array().unwrap().len(), 1);
}

#[test]
fn fault_29_solved_scores_are_even_whole_numbers() {
    let object = solve_one(&["--all-moves", LATE]);
    for line in object["moves"].as_array().unwrap() {
        let score = line["score"].as_i64().expect("a whole number");
        assert!(score % 2 == 0 && (-64..=64).contains(&score), "{line}");
    }
}

#[test]
fn fault_36_perft_counts_a_pass_as_a_ply() {
    let counts = run(["perft", "9"]).exits(0).stdout;
    assert!(counts.contains("a pass counts as a ply"), "{counts}");
    for count in ["4", "12", "56", "244", "1396", "8200", "55092", "390216", "3005288"] {
        assert!(counts.lines().any(|line| line.split_whitespace().nth(1) == Some(count)), "{count} in {counts}");
    }
}

#[test]
fn fault_49_many_legal_moves() {
    let board = "--------O-OOOXO-X--XXOO---OXO-O--OOXO-X---XX-XO--OOOOXO--------- X";
    let shown = run(["show", board]).exits(0).stdout;
    let legal = shown.lines().find_map(|line| line.split_once("legal: ")).unwrap().1.split_whitespace().count();
    assert_eq!(legal, 34);
    let run = run(["hint", "--json", "--level", "1", "--lines", "60", board]).exits(0);
    assert_eq!(run.json()[0]["moves"].as_array().unwrap().len(), 34);
}

#[test]
fn win_loss_draw_and_windows() {
    assert_eq!(solve_one(&["--wld", LATE])["proof"], "wld");
    assert!(run(["solve", "--wld", LATE]).exits(0).stdout.contains("win"));
    let object = solve_one(&["--window", "-2,10", LATE]);
    assert!(object["score"].as_i64().unwrap() >= 10, "{object}");
    assert_ne!(object["bound"], "upper");
}
