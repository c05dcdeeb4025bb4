//! Files and arguments that `solve`, `analyze`, `hint` and `show` read: notations, bad lines, odd names, expected
//! scores. Fault numbers as in `cli_rules.rs`.

mod cli_support;

use cli_support::{Directory, run, run_with_input, shared_problems};
use serde_json::{Value, json};

/// Five empties, Black to move; exact value +16.
const LATE: &str = "-XXXX-OX-OOOOOOXOOOXXXXXOOXXXXOOOXXOXXOOOXOXXOOOXXXOOOO-OOOOOOO- X";
/// The game that leads there.
const GAME: &str =
    "F5F4E3F6E6C5G5D3D6F7G6E7C6D7F3C4F8H6B5E8C7G8D8C8C2A6C3H5B4A3B6G3G4H4A5A4B7C1B3D2F2E2B8A8A7G7E1D1B1G2H1B2H3G1H2PA";

#[test]
fn every_notation_in_one_file() {
    let directory = Directory::new();
    let text = format!("\u{feff}{LATE}; a1:+16; h8:+4;\r\n\n% a comment\n{LATE}\n{GAME}\n");
    let file = directory.file("all.obf", text.as_bytes());
    let run = run([std::ffi::OsStr::new("solve"), "--json".as_ref(), file.as_ref()]).exits(0);
    let objects = run.json();
    let scores: Vec<&Value> = objects.iter().map(|object| &object["score"]).collect();
    assert_eq!(scores, [&json!(16), &json!(16), &json!(16)]);
    let lines: Vec<&Value> = objects.iter().map(|object| &object["line"]).collect();
    assert_eq!(lines, [&json!(1), &json!(4), &json!(5)]);
    assert_eq!(objects[0]["agrees"], true);
    assert_eq!(objects[0]["expected"], 16);
    assert_eq!(objects[1]["agrees"], Value::Null);
    assert_eq!(objects[2]["board"], LATE);
}

#[test]
fn a_disagreement_is_status_1() {
    let run = run_with_input(["solve", "-"], format!("{LATE}; a1:+18;\n{LATE}; a1:+16;\n").as_bytes()).exits(1);
    assert!(run.stdout.contains("DISAGREES") && run.stdout.contains("+18"), "{}", run.stdout);
    assert!(run.stdout.contains("1 agree, 1 disagree"), "{}", run.stdout);
}

#[test]
fn a_best_move_that_the_file_knows_to_be_worse_is_a_disagreement() {
    // All moves of the position but with the best ones' scores exchanged for others.
    let line = format!("{LATE}; a2:+16; a1:-2; f1:-2; h7:-2; h8:-2;\n");
    let run = run_with_input(["solve", "--json", "-"], line.as_bytes()).exits(1);
    assert_eq!(run.json()[0]["agrees"], false);
}

#[test]
fn win_loss_draw_compares_signs() {
    let run = run_with_input(["solve", "--wld", "--json", "-"], format!("{LATE}; a1:+2;\n{LATE}; a1:-2;\n").as_bytes());
    let run = run.exits(1);
    let agrees: Vec<Value> = run.json().iter().map(|object| object["agrees"].clone()).collect();
    assert_eq!(agrees, [json!(true), json!(false)]);
}

#[test]
fn fault_63_bad_board_strings() {
    let cells = &LATE[..64];
    let bad: Vec<(&str, Vec<u8>)> = vec![
        ("63 cells", format!("{} X", &cells[1..]).into_bytes()),
        ("65 cells", format!("-{cells} X").into_bytes()),
        ("a question mark", format!("?{} X", &cells[1..]).into_bytes()),
        ("no side", cells.as_bytes().to_vec()),
        ("side Z", format!("{cells} Z").into_bytes()),
        ("a full-width X", format!("Ｘ{} X", &cells[1..]).into_bytes()),
        ("half a character", [b"\xEF\xBC", &cells.as_bytes()[1..], b" X"].concat()),
        ("a NUL", [&cells.as_bytes()[1..], b"\0 X"].concat()),
        ("words", b"what is this".to_vec()),
    ];
    for (what, line) in &bad {
        let input = [LATE.as_bytes(), b"\n", line, b"\n", LATE.as_bytes(), b"\n"].concat();
        let run = run_with_input(["solve", "--json", "-"], &input).exits(1);
        assert_eq!(run.json().len(), 2, "{what}: good lines are solved");
        let complaints: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("flipside:")).collect();
        assert_eq!(complaints.len(), 1, "{what}: {}", run.stderr);
        assert!(complaints[0].contains("-:2:"), "{what}: {}", run.stderr);
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    }
}

#[test]
fn fault_63_accepted_board_strings() {
    let cells = &LATE[..64];
    let other_letters = cells.replace('X', "*").replace('O', "o").replace('-', ".");
    let lines = [
        format!("{other_letters} *"),
        format!("{cells}X"),
        format!("\t{cells}\tX\t"),
        format!("{} x", cells.to_lowercase()),
    ];
    for line in lines {
        for end in ["\n", "\r\n", ""] {
            let run = run_with_input(["solve", "--json", "-"], format!("{line}{end}").as_bytes()).exits(0);
            assert_eq!(run.json()[0]["score"], 16, "{line:?}");
        }
    }
}

#[test]
fn fault_64_illegal_moves_are_named() {
    let run = run(["show", "d3d4d5"]).exits(2).complains(&["d4", "occupied"]);
    assert_eq!(run.stdout, "");
    let moves = "e6f6f5f4e3d6g4d3c3h3c4g3g5g6c7c6c5b6d7b5b4f3e7f7h5h4h2d1";
    cli_support::run(["show", moves]).exits(2).complains(&["d1", "b2 c2 d2 e2 f2 g2 b3 a4 b7 c8 d8 e8"]);
    for empty in ["", " "] {
        cli_support::run(["show", empty]).exits(2).complains(&["no position"]);
        cli_support::run(["solve", empty]).exits(2).complains(&["no position"]);
    }
}

#[test]
fn a_missing_file_is_named() {
    run(["solve", "no-such-file.obf"]).exits(2).complains(&["no-such-file.obf", "neither a file"]);
    let directory = Directory::new();
    run([std::ffi::OsStr::new("solve"), directory.path().as_ref()]).exits(2).complains(&["directory"]);
}

#[cfg(unix)]
#[test]
fn more_files_than_can_be_open_at_once() {
    let directory = Directory::new();
    let file = directory.file("game.txt", b"f5d6\n");
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "ulimit -n 20; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_flipside"), "show"]);
    let run = cli_support::finish(cli_support::start(command.args(vec![file; 50])), b"").exits(0);
    assert_eq!(run.stdout.matches("last move: d6").count(), 50);
}

#[test]
fn boards_as_arguments() {
    let (cells, side) = LATE.split_at(64);
    for arguments in
        [vec!["solve", "--json", LATE], vec!["solve", LATE, "--json"], vec!["solve", "--json", cells, side.trim()]]
    {
        assert_eq!(run(&arguments).exits(0).json()[0]["score"], 16, "{arguments:?}");
    }
    // A board that starts with an empty square is no option, not even a mistyped one.
    let run = run(["solve", &LATE[..63]]).exits(2);
    assert!(!run.stderr.contains("unexpected argument"), "{}", run.stderr);
}

#[test]
fn the_game_of_a_file_is_solved_at_its_end() {
    let object = &run(["solve", "--json", GAME]).exits(0).json()[0];
    assert_eq!((&object["board"], &object["score"]), (&json!(LATE), &json!(16)));
}

#[test]
fn fault_66_paths_of_any_kind() {
    let directory = Directory::new();
    for name in ["中文/オセロ.obf", "with blank.obf", "-leading.obf", "'quoted'.obf"] {
        let file = directory.file(name, format!("{LATE}; a1:+16;\n").as_bytes());
        let run = run([std::ffi::OsStr::new("solve"), file.as_ref()]).exits(0);
        assert!(run.stdout.contains("1 agree"), "{}", run.stdout);
    }
}

#[cfg(unix)]
#[test]
fn fault_66_paths_that_are_not_utf8() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

    let directory = Directory::new();
    let name = OsStr::from_bytes(b"\xFF/\xFE.obf");
    let file = directory.file(name, format!("{LATE}; a1:+16;\nbad\n").as_bytes());
    let run = run([OsStr::new("solve"), "--json".as_ref(), file.as_ref()]).exits(1).complains(&[":2:"]);
    assert_eq!(run.json()[0]["agrees"], true);
}

#[cfg(unix)]
#[test]
fn fault_66_from_another_directory_and_through_a_link() {
    let directory = Directory::new();
    let link = directory.path().join("link");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_flipside"), &link).unwrap();
    directory.file("late.obf", format!("{LATE}\n").as_bytes());
    let mut command = std::process::Command::new(link);
    command.current_dir(directory.path()).args(["--hash", "1", "solve", "late.obf"]);
    cli_support::finish(cli_support::start(&mut command), b"").exits(0);
}

#[test]
fn analysis_of_a_game() {
    let run = run(["analyze", "--json", "--level", "1", "f5d6c3"]).exits(0);
    let plies = run.json();
    assert_eq!(plies.len(), 4, "one object for each position");
    assert_eq!(plies[0]["move"], "f5");
    assert_eq!(plies[3]["move"], Value::Null);
    for ply in &plies[..3] {
        assert!(ply["loss"].as_f64().unwrap() >= 0.0, "{ply}");
    }
    let table = cli_support::run(["analyze", "--level", "1", GAME]).exits(0).stdout;
    assert!(table.contains("White passes"), "{table}");
    assert!(table.contains("Black lost") && table.contains("White lost"), "{table}");
}

#[test]
fn analyses_of_several_games_are_told_apart() {
    let table = run(["analyze", "--level", "1", "f5d6", "f5f6"]).exits(0).stdout;
    assert!(table.contains("game 1\n") && table.contains("game 2\n"), "{table}");
    let single = run(["analyze", "--level", "1", "f5d6"]).exits(0).stdout;
    assert!(!single.contains("game"), "{single}");
    let position =
        run(["analyze", "--level", "1", "XXXXXXXXXXXXXOXXXXOXXXXXXXXOOO-OXXOOOOO--OOOOOO----OOO---------- O"]);
    assert!(!position.exits(0).stdout.contains("lost"), "a position has no moves to sum up");
}

#[test]
fn mirror_images_of_the_best_move_lose_nothing() {
    for first in ["d3", "c4", "f5", "e6"] {
        for level in ["1", "2"] {
            let run = run(["analyze", "--json", "--level", level, first]).exits(0);
            let plies = run.json();
            assert_eq!((&plies[0]["best"], plies[0]["loss"].as_f64()), (&json!(first), Some(0.0)), "{}", plies[0]);
        }
    }
}

#[test]
fn the_continuation_begins_with_the_best_move() {
    let table = run(["analyze", "--level", "3", "f5d6c3d3c4f4"]).exits(0).stdout;
    for row in table.lines().filter(|row| row.contains("Black ") && !row.contains("lost") && !row.contains("empty")) {
        let words: Vec<&str> = row.split_whitespace().collect();
        assert!(words.iter().skip(4).filter(|word| **word == words[4]).count() >= 2, "{row}");
    }
}

#[test]
fn analysis_of_an_endgame_is_exact() {
    let run = run(["analyze", "--json", "--level", "10", &format!("{GAME}a1")]).exits(0);
    let plies = run.json();
    let last = &plies[plies.len() - 2];
    assert_eq!((&last["move"], &last["score"], &last["loss"]), (&json!("a1"), &json!(16), &json!(0)));
}

#[test]
fn the_sample_of_the_readme() {
    let run = run(["solve", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli_samples/endgames.obf")]).exits(0);
    assert!(run.stdout.contains("8 agree, 0 disagree"), "{}", run.stdout);
}

#[test]
fn game_records_over_several_lines_and_several_in_a_line() {
    let sgf = "(;FF[4]GM[2]SZ[8]\nPB[a]PW[b]\n;B[f5];W[d6]\n;B[c3])\n";
    let run = run_with_input(["show", "-"], sgf.as_bytes()).exits(0);
    assert!(run.stdout.contains("last move: c3"), "{}", run.stdout);
    let start = "BO[8 ---------------------------O*------*O--------------------------- *]";
    let ggf = format!("(;GM[Othello]TY[8]{start}B[f5]W[d6];)(;GM[Othello]TY[8]{start}B[c4//1.5];)\n");
    let run = run_with_input(["show", "-"], ggf.as_bytes()).exits(0);
    assert!(run.stdout.contains("last move: d6") && run.stdout.contains("last move: c4"), "{}", run.stdout);
}

#[test]
fn wthor_files() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/wthor/WTH_1977.wtb");
    if !file.exists() {
        println!("skipped: {} is not there", file.display());
        return;
    }
    let run = run([std::ffi::OsStr::new("show"), file.as_ref()]).exits(0);
    assert_eq!(run.stdout.matches("game over").count(), run.stdout.matches("empty").count(), "games are played out");
    let directory = Directory::new();
    let cut = directory.file("cut.wtb", &std::fs::read(&file).unwrap()[..100]);
    cli_support::run([std::ffi::OsStr::new("show"), cut.as_ref()]).exits(1).complains(&["cut.wtb"]);
}

// 14 empties and more: needs a real solver.
#[test]
fn well_known_problems_agree() {
    let Some(file) = shared_problems("fforum-1-19.obf") else { return };
    let run = run([std::ffi::OsStr::new("solve"), "--json".as_ref(), file.as_ref()]).exits(0);
    let objects = run.json();
    assert_eq!(objects.len(), 19);
    for object in objects {
        assert_eq!(object["agrees"], true, "{object}");
        assert_eq!(object["exact"], true, "{object}");
    }
}
