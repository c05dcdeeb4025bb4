//! Dialogues in GTP. Names `fault_NN` refer to faults that users of other engines reported.

use std::time::{Duration, Instant};

use super::commands::Command;
use crate::protocol::{
    Mode, Options,
    testing::{Dialogue, Endless, PATIENCE, plays, small_engine, talk, talk_to},
};

const PASS_WHITE: &str = "f5d6c3d3c4f4f6f3e3b4c5c6e6e2e7d2f1d7a3a4b3g6a5a2a1f2g5f7b2c2b5e1b1g1c1h4g3b6d1h2h1g2h3";
const PASS_BLACK: &str = "c4c3f5b4a4a5c2a3";

/// The answers to a script, one a command.
fn gtp(script: impl AsRef<[u8]>) -> Vec<String> {
    answers(&talk(Mode::Gtp, script))
}

fn answers(output: &str) -> Vec<String> {
    if output.is_empty() {
        return Vec::new();
    }
    let answers: Vec<String> =
        output.strip_suffix("\n\n").expect("an empty line at the end").split("\n\n").map(str::to_owned).collect();
    for answer in &answers {
        assert!(answer.starts_with('=') || answer.starts_with('?'), "{answer:?}");
        assert!(!answer.ends_with([' ', '\n']), "{answer:?}");
    }
    answers
}

/// The answers to the commands after a set-up.
fn after(set_up: &str, script: &str) -> Vec<String> {
    let count = set_up.lines().count();
    let mut all = gtp(format!("{set_up}{script}"));
    let rest = all.split_off(count);
    assert!(all.iter().all(|answer| answer == "="), "{all:?}");
    rest
}

fn signs(answers: &[String]) -> String {
    answers.iter().filter_map(|answer| answer.chars().next()).collect()
}

#[test]
fn a_quarry_session() {
    let script = "protocol_version\nname\nversion\nlist_commands\nlist_games\nset_game Othello\nboardsize 8\nclear_board\n\
        time_settings 600 0 0\ntime_left black 600 0\ngenmove black\nplay white C3\n";
    let all = gtp(script.replace("play white C3\n", ""));
    assert_eq!(&all[..3], ["= 2", "= Flipside", concat!("= ", env!("CARGO_PKG_VERSION"))]);
    assert!(all[3].lines().any(|line| line == "list_games"));
    assert_eq!(&all[4..10], ["= Othello", "=", "=", "=", "=", "="]);
    assert!(["= D3", "= C4", "= F5", "= E6"].contains(&all[10].as_str()));
}

#[test]
fn every_listed_command_is_known() {
    for name in Command::NAMES {
        let all = gtp(format!("{name}\nknown_command {name}\n"));
        assert_ne!(all[0], "? unknown command");
        assert!(*name == "quit" || all[1] == "= true", "{name}");
    }
    assert_eq!(
        gtp("known_command foo\nknown_command\nknown_command NAME"),
        ["= false", "? expected a command name", "= false"]
    );
}

#[test]
fn fault_42_one_empty_line_ends_each_answer() {
    assert_eq!(talk(Mode::Gtp, "foo\nprotocol_version\nclear_board\n"), "? unknown command\n\n= 2\n\n=\n\n");
}

#[test]
fn ids_are_echoed_and_forgotten() {
    assert_eq!(
        talk(Mode::Gtp, "7 name\n0012 clear_board\nname\n8 foo\n9\n10 # x\n"),
        "=7 Flipside\n\n=0012\n\n= Flipside\n\n?8 unknown command\n\n?9 no command after the id\n\n?10 no command after the id\n\n"
    );
}

#[test]
fn fault_43_comments_tabs_and_control_characters() {
    assert_eq!(
        gtp("play b d3 # first\r\n   # only\n#\n\n \t \r\n\tundo\r\nplay\tb\x07 d\x003\n5 name#x"),
        ["=", "=", "=", "=5 Flipside"]
    );
    assert_eq!(gtp("\u{feff}name\n"), ["= Flipside"]);
}

#[test]
fn fault_44_invalid_utf8_is_an_unknown_command() {
    assert_eq!(signs(&gtp(b"name\n\xff\xfe\nversion\nplay b \xff\xff\nloadsgf \xff\n")), "=?=??");
    let mut long = vec![b'x'; (1 << 20) + 1];
    long.extend_from_slice(b"\nname\n");
    assert_eq!(gtp(long), ["? line too long", "= Flipside"]);
}

#[test]
fn fault_45_undo_at_the_start() {
    assert_eq!(gtp("undo\nplay b d3\nclear_board\nundo"), ["? cannot undo", "=", "=", "? cannot undo"]);
    let all = gtp("undo\n".repeat(70));
    assert!(all.len() == 70 && all.iter().all(|answer| answer == "? cannot undo"));
}

#[test]
fn fault_47_wrong_colours_change_nothing() {
    let start = gtp("showboard").remove(0);
    let all = gtp(
        "play w d3\ngenmove w\nplay green d3\nplay b\ngenmove\nplay b d3 c3\ngenmove b b\nplay b d4\nplay b a1\nplay b pass\nreg_genmove w\nundo\nshowboard",
    );
    assert_eq!(signs(&all), "????????????=");
    assert_eq!(all[12], start);
    assert!(all[7].contains("occupied") && all[8].contains("flips no disc"), "{all:?}");
}

#[test]
fn fault_48_case() {
    assert_eq!(signs(&gtp("play B D3\nplay White c3\nplay bLACK C4\nplay W E3\nNAME\nPlay b f5")), "====??");
}

#[test]
fn fault_53_only_size_eight() {
    assert_eq!(signs(&gtp("boardsize 10\nboardsize 6\nboardsize 8\nboardsize x\nboardsize\nboardsize -1")), "??=???");
    let all = gtp("play b d3\nboardsize 8\nundo\nset_game Othello\nset_game Go\nset_game\nkomi 6.5\nkomi");
    assert_eq!(signs(&all), "====??=?");
}

#[test]
fn fault_2_a_side_without_a_move_passes() {
    let set_up = plays(PASS_WHITE);
    let all = after(
        &set_up,
        "reg_genmove w\ngogui-rules_legal_moves\ngenmove w\nplay w pass\nplay w pass\ngogui-rules_side_to_move\ngenmove b",
    );
    assert_eq!(&all[..6], ["= PASS", "= PASS", "= PASS", "=", "=", "= black"]);
    assert!(all[6].starts_with("= ") && all[6] != "= PASS");
}

#[test]
fn fault_8_hint_in_a_pass_position() {
    let all = after(&plays(PASS_WHITE), "hint 3");
    assert!(all[0].starts_with("= PASS ") && all[0].lines().count() == 1, "{all:?}");
}

#[test]
fn fault_14_passes_in_any_case() {
    for pass in ["play W PASS", "play white pass", "play w Pass"] {
        assert_eq!(after(&plays(PASS_WHITE), pass), ["="]);
    }
}

#[test]
fn fault_3_and_13_passes_may_be_left_out() {
    let set_up = plays(PASS_BLACK);
    for script in ["genmove w", "play b pass\ngenmove w", "reg_genmove w", "genmove b\ngenmove w"] {
        let all = after(&set_up, script);
        assert!(["= D2", "= F4"].contains(&all.last().unwrap().as_str()), "{script}: {all:?}");
    }
    // The side that can move may not be asked to pass, and a wrong move does not pass either.
    let all = after(&set_up, "play w pass\nplay w a1\nplay b d2\ngogui-rules_side_to_move");
    assert_eq!((signs(&all).as_str(), all[3].as_str()), ("???=", "= black"));
}

#[test]
fn fault_12_implied_passes() {
    for script in ["play w d2", "play b pass\nplay w d2"] {
        let all = after(&plays(PASS_BLACK), &format!("{script}\ngogui-rules_legal_moves\ngogui-rules_side_to_move"));
        assert_eq!(&all[all.len() - 2..], ["= B2 E2", "= black"]);
    }
}

#[test]
fn an_implied_pass_is_taken_back_with_its_move() {
    let all = after(&plays(PASS_BLACK), "play w d2\nundo\ngogui-rules_side_to_move\nundo\ngogui-rules_side_to_move");
    assert_eq!(all, ["=", "=", "= black", "=", "= white"]);
    let all = after(
        &plays(PASS_BLACK),
        "play b pass\nplay w d2\nundo\ngogui-rules_side_to_move\nundo\ngogui-rules_side_to_move",
    );
    assert_eq!(all, ["=", "=", "=", "= white", "=", "= black"]);
}

#[test]
fn fault_9_nothing_is_played_after_the_end() {
    let board = format!("set_position -OXXXXXX{} X\n", "X".repeat(56));
    let all = after(
        &board,
        "final_score\nplay b a1\nplay w pass\nplay b pass\ngenmove w\ngenmove b\nreg_genmove b\nhint\ngogui-rules_legal_moves\nfinal_score\ngogui-rules_final_result\nundo\nundo",
    );
    assert_eq!(signs(&all), "?=??========?");
    assert_eq!(&all[4..10], ["= PASS", "= PASS", "= PASS", "=", "=", "= B+64"]);
    assert_eq!(all[10], "= Black wins by 64, 64 to 0 discs");
}

#[test]
fn fault_15_a_wipe_out_is_over() {
    let all = after(&plays("e6f4e3f6g5d6e7f5c5"), "final_score\ngenmove w\nhint 1");
    assert_eq!(all, ["= B+64", "= PASS", "="]);
}

#[test]
fn fault_16_only_legal_moves_are_answered() {
    let moves = "e6f6f5d6g7g6g5g4c3d3c2g8h8e7f7d2h7h6f8e3g3f4h5h3d7b3h4f3h2d8a4c1g2a3a2e8c8c7b7h1f1b8a8";
    assert_eq!(after(&plays(moves), "reg_genmove w\nset_level 0\ngenmove w"), ["= A7", "=", "= A7"]);
}

#[test]
fn fault_10_a_draw_is_zero() {
    let board = format!("setboard XX{}OO X\n", "-".repeat(60));
    assert_eq!(after(&board, "final_score\ngogui-rules_final_result"), ["= 0", "= Draw, 2 to 2 discs"]);
}

#[test]
fn fault_26_and_49_more_lines_than_moves() {
    let board = "set_position --------O-OOOXO-X--XXOO---OXO-O--OOXO-X---XX-XO--OOOOXO--------- X\n";
    let all = after(board, "set_level 2\nhint 40\nhint 0\nhint x\nhint 18446744073709551616");
    assert_eq!(all[1].lines().count(), 34);
    assert_eq!(signs(&all), "==???");
}

#[test]
fn bad_positions_are_refused() {
    let all = gtp(
        "play b d3\nset_position XX\nset_position\nset_level 61\nset_level x\nset_level\ngogui-setup b a1 w\ngogui-setup b a1 w a1\ngogui-rules_side_to_move",
    );
    assert_eq!((signs(&all).as_str(), all[8].as_str()), ("=???????=", "= white"));
}

#[test]
fn gogui_sets_up_and_plays_sequences() {
    let all = gtp(
        "gogui-setup b E4 b D5 w D4 w E5\ngogui-play_sequence b D3 w C3\ngogui-setup_player w\ngogui-rules_side_to_move\n\
        clear_board\ngogui-play_sequence b D3 w A1\ngogui-rules_side_to_move\ngogui-rules_board_size\ngogui-rules_game_id",
    );
    assert_eq!(signs(&all), "=====?===");
    assert_eq!((all[3].as_str(), all[6].as_str()), ("= white", "= black"));
    // GoGui's row 8, its first line, is ours of the same number.
    let board = gtp("play b D3\ngogui-rules_board").remove(1);
    assert_eq!(board.lines().nth(6), Some(". . . X . . . ."));
}

#[test]
fn loading_games() {
    let path = std::env::temp_dir().join(format!("flipside gtp {}.txt", std::process::id()));
    std::fs::write(&path, "f5d6c3\n").unwrap();
    let name = path.display();
    let all = gtp(format!(
        "loadsgf {name}\nundo\nundo\nundo\nundo\nloadsgf {name} 2\nundo\nundo\nloadsgf /nonexistent\nloadsgf\nloadsgf /\nloadsgf /dev/zero"
    ));
    std::fs::remove_file(&path).unwrap();
    assert_eq!(signs(&all), "====?==?????"[..12].to_owned());
}

#[test]
fn fault_58_odd_times() {
    let script = "time_settings 1 0 0\ntime_left b 0 0\ngenmove b\ntime_left w -3 0\ngenmove w\ntime_left b 12.5 0\ntime_left b nan 0\n\
        time_left b inf 0\ntime_left b x 0\ntime_left b\ntime_left green 1 0\ntime_settings 1e300 1e300 99999999999\ngenmove b\n\
        time_settings -1 -1 -1\ntime_settings 0 1 0\ngenmove w\ntime_settings 1 2\ntime_left b 5";
    assert_eq!(signs(&gtp(script)), "======?????=====?=");
}

#[test]
fn fault_56_and_57_the_clock_of_the_right_side_governs() {
    let dialogue = Dialogue::new(Mode::Gtp, Endless, Options::default());
    let timed = |script: &str| {
        let start = Instant::now();
        dialogue.send(script);
        let answer = dialogue.until("= ").pop().unwrap();
        assert!(answer.len() == 4, "{answer}");
        dialogue.line();
        start.elapsed()
    };
    // The promise is 100 ms; the machine may be busy.
    let soon = Duration::from_millis(250);
    assert!(timed("time_settings 1 0 0\ntime_left w 5 0\ntime_left b 0 0\ngenmove b\n") < soon);
    assert!(timed("time_left b 0 0\ntime_left w 2 0\ngenmove w\n") < Duration::from_secs(1));
    for _ in 0..5 {
        assert!(timed("undo\ntime_left w 0.005 0\ngenmove w\n") < soon);
    }
    assert!(timed("undo\ntime_settings 0 1 1\ngenmove w\n") < Duration::from_secs(1));
    // No time_left any more: the engine's own count.
    assert!(timed("time_settings 0 0 0\ngenmove b\n") < soon);
}

#[test]
fn fault_38_quit_and_the_end_stop_a_search() {
    for quit in [true, false] {
        for delay in [0, 150] {
            let mut dialogue = Dialogue::new(Mode::Gtp, Endless, Options::default());
            dialogue.send("genmove b\nname\n");
            std::thread::sleep(Duration::from_millis(delay));
            let start = Instant::now();
            if quit {
                dialogue.send("9 quit\nname\n");
            } else {
                dialogue.close_input();
            }
            let (lines, time) = dialogue.join(start);
            assert!(time < Duration::from_millis(400), "{quit} {delay}: {time:?}");
            let end: &[&str] = if quit { &["=9", ""] } else { &[] };
            assert_eq!(lines, [&["= D3", "", "= Flipside", ""], end].concat());
        }
    }
}

#[test]
fn a_script_gets_all_its_moves() {
    let start = Instant::now();
    let options = Options::default();
    let mut output = Vec::new();
    let script = format!("{}quit\n", "genmove b\ngenmove w\n".repeat(8));
    crate::protocol::run(Mode::Auto, Endless, options, std::io::Cursor::new(script), &mut output).unwrap();
    assert!(start.elapsed() < Duration::from_millis(400), "{:?}", start.elapsed());
    assert_eq!(signs(&answers(&String::from_utf8(output).unwrap())), "=".repeat(17));
}

#[test]
fn commands_wait_their_turn_during_a_search() {
    let dialogue = Dialogue::new(Mode::Gtp, Endless, Options::default());
    dialogue.send("1 genmove b\n2 name\n# not this\n");
    assert!(dialogue.is_silent(Duration::from_millis(50)));
    dialogue.send("# interrupt\n");
    assert_eq!([dialogue.line(), dialogue.line(), dialogue.line()], ["=1 D3", "", "=2 Flipside"]);
    dialogue.send("quit\n");
    assert!(dialogue.join(Instant::now()).1 < PATIENCE);
}

#[test]
fn a_closed_output_ends_quietly() {
    // Nothing tells of the closed output before the answer.
    let dialogue = Dialogue::new(Mode::Gtp, small_engine(), Options { level: 8, ..Options::default() });
    dialogue.send("name\n");
    dialogue.line();
    dialogue.send("genmove b\nname\n");
    dialogue.close_output().unwrap();
}

#[test]
fn a_search_without_a_sound_answer_still_plays() {
    struct Mute;
    impl crate::protocol::Thinker for Mute {
        fn search(
            &mut self,
            _: crate::board::Position,
            _: &crate::engine::Request,
            _: &crate::search::StopFlag,
            _: &mut dyn FnMut(&crate::engine::Progress<'_>),
        ) -> crate::engine::Outcome {
            let (nodes, elapsed) = (crate::search::Nodes::default(), Duration::ZERO);
            crate::engine::Outcome { lines: vec![], proven: (-64, 64), nodes, elapsed, completed: false }
        }
    }
    assert_eq!(talk_to(Mute, Mode::Gtp, "genmove b\nhint 3\n"), "= D3\n\n=\n\n");
}

#[test]
fn whole_games_against_itself() {
    for side in ["", "time_settings 1 0 0\n"] {
        let all = gtp(format!("{side}{}final_score", "genmove b\ngenmove w\n".repeat(40)));
        assert!(all.last().unwrap().starts_with("= "), "{:?}", all.last());
        assert_eq!(signs(&all), "=".repeat(all.len()));
    }
}

#[test]
fn fault_34_the_final_score_names_the_winner_and_counts_empties() {
    for side in ["X", "O"] {
        // Three white discs against one black in the far corner: nobody can move.
        let board = format!("set_position OOO{}X {side}\n", "-".repeat(60));
        assert_eq!(after(&board, "final_score"), ["= W+62"], "{side} to move");
        let board = format!("set_position XXO{}X {side}\n", "O".repeat(60));
        assert_eq!(after(&board, "final_score"), ["= W+58"], "{side} to move");
    }
}
