use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::notation::{
    testing::{any_game, fault_board, never_panics, square_named},
    write_transcript,
};

const NBOARD: &str = "(;GM[Othello]PC[NBoard]DT[2026-11-30 07:13:43 GMT]PB[]PW[FakeBot]RE[?]TI[5:00]TY[8]\
    BO[8 ---------------------------O*------*O--------------------------- *]B[F5/0.50/0.05]W[F4//1.2]B[C3];)";

fn game(text: &str) -> GgfGame {
    parse_game(text.as_bytes()).unwrap()
}

fn message(text: &str) -> String {
    parse_game(text.as_bytes()).unwrap_err().to_string()
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[test]
fn a_game_of_nboard() {
    let read = game(NBOARD);
    assert_eq!(write_transcript(read.game.moves()), "f5f4c3");
    assert_eq!(read.game.start(), Board::START);
    assert_eq!((read.black.as_str(), read.white.as_str()), ("", "FakeBot"));
    assert_eq!((read.place.as_str(), read.date.as_str()), ("NBoard", "2026-11-30 07:13:43 GMT"));
    assert_eq!((read.board_type.as_str(), read.result.as_str()), ("8", "?"));
    assert_eq!(read.time(Color::Black), Some(GgfClock::sudden_death(seconds(300))));
    assert_eq!(read.time_white, read.time_black);
    assert_eq!(read.move_info[0], MoveInfo { eval: Some(0.5), seconds: Some(0.05) });
    assert_eq!(read.move_info[1], MoveInfo { eval: None, seconds: Some(1.2) });
    assert_eq!(read.move_info[2], MoveInfo::default());
    assert_eq!(read.to_string().replace("1.20", "1.2"), NBOARD);
}

#[test]
fn move_items() {
    let item = |text: &str| parse_move_item(text.as_bytes());
    let f5 = Move::Place(square_named("f5"));
    let info = |eval, seconds| MoveInfo { eval, seconds };
    assert_eq!(item("F5/0.50/0.08"), Ok((f5, info(Some(0.5), Some(0.08)))));
    assert_eq!(item("f5/-1,25/0,31"), Ok((f5, info(Some(-1.25), Some(0.31)))));
    assert_eq!(item("F5//1.2"), Ok((f5, info(None, Some(1.2)))));
    assert_eq!(item("F5/+3"), Ok((f5, info(Some(3.0), None))));
    assert_eq!(item(" F5/ / \r\n"), Ok((f5, info(None, None))));
    for text in ["PA", "pass", "P", "pas", "ps", "--", "PA/0.00/0.01"] {
        assert_eq!(item(text).unwrap().0, Move::Pass, "{text}");
    }
    for text in ["", "F", "F9", "F5x", "F5/x", "F5/1/-2", "F5/nan", "F5/inf", "F5/1/2/3", "F5 D6", "px"] {
        assert!(item(text).is_err(), "{text}");
    }
    assert_eq!(item("F5/x").unwrap_err().to_string(), "column 4: expected an evaluation in discs, found `x`");
    assert_eq!(write_move_item(f5, info(None, Some(1.234))), "F5//1.234");
    assert_eq!(write_move_item(f5, info(Some(f64::NAN), None)), "F5");
    assert_eq!(write_move_item(Move::Pass, info(Some(0.0), Some(0.01))), "PA/0.00/0.01");
}

#[test]
fn several_games_and_counts() {
    let two = format!("2 {NBOARD}{NBOARD}");
    assert_eq!(parse_games(two.as_bytes()).unwrap().len(), 2);
    let lines = format!("1 {NBOARD}\r\n\n{NBOARD} {NBOARD}\n");
    assert_eq!(parse_games(lines.as_bytes()).unwrap().len(), 3);
    assert_eq!(game(&format!("\u{feff}1 {NBOARD}\n")), game(NBOARD));
    assert!(message(&two).contains("expected nothing after the game"));
    assert!(parse_games(b"").is_err());
    let error = parse_games(format!("{NBOARD}\n(;GM[Go];)").as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "line 2, column 6: expected the game Othello, found `Go`");
}

#[test]
fn clocks() {
    let clock = |text: &str| game(&format!("(;TI[{text}];)")).time_black;
    let full = |main, increment, grace| {
        Some(GgfClock { main: seconds(main), increment: seconds(increment), grace: seconds(grace) })
    };
    assert_eq!(clock("5:00"), full(300, 0, 120));
    assert_eq!(clock("15:00//02:00"), full(900, 0, 120));
    assert_eq!(clock("15:00//01:00"), full(900, 0, 60));
    assert_eq!(clock("1:00:05/0:10"), full(3605, 10, 120));
    assert_eq!(clock("2.00:00:01"), full(172801, 0, 120));
    assert_eq!(clock("300"), full(300, 0, 120));
    assert_eq!(clock("0:05.5").unwrap().main, Duration::from_millis(5500));
    assert_eq!(clock("00:59,0:0//02:00,0:0"), full(59, 0, 120));
    assert_eq!(clock(" "), None);
    let read = game("(;TI[5:00]TB[1:00];)");
    assert_eq!((read.time_black, read.time_white), (full(60, 0, 120), full(300, 0, 120)));
    assert_eq!(message("(;TI[x];)"), "column 6: expected a time such as 5:00 or 1:30:00, found `x`");
    assert!(message("(;TI[1:00/1/1/1];)").contains("main/increment/grace"));
    assert!(message("(;TI[99999999999:00];)").contains("a time"));
}

#[test]
fn other_sizes_are_refused() {
    assert_eq!(message("(;GM[Othello]TY[10];)"), "column 17: board size 10 is not supported, expected 8");
    assert_eq!(message("(;TY[s88r20];)"), "column 7: board size 88 is not supported, expected 8");
    assert_eq!(message("(;BO[6 ------ *];)"), "column 6: board size 6 is not supported, expected 8");
    for kind in ["8", "8r18", "s8r20", "8a", ""] {
        assert_eq!(game(&format!("(;TY[{kind}];)")).board_type, kind);
    }
}

#[test]
fn lenient_forms() {
    let spaced = "(;GM[othello]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]\n\
                  XX[a][b] b[f5] W[f4 ] B[c3] )";
    assert_eq!(game(spaced).game, game(NBOARD).game);
    // Turns follow the board, not the tag; the board may come last.
    assert_eq!(game("(;W[f5]W[f4]B[c3];)").game, game(NBOARD).game);
    let latin1 = [b"(;PB[Andr\xe9]".as_slice(), b";)"].concat();
    assert_eq!(parse_game(&latin1).unwrap().black, "André");
}

#[test]
fn fault_12_passes_written_or_not() {
    let head = "(;B[c4]W[c3]B[f5]W[b4]B[a4]W[a5]B[c2]W[a3/1.00/2.00]";
    let with = game(&format!("{head}B[PA/0.00/0.01]W[d2];)"));
    let without = game(&format!("{head}W[d2/3.00];)"));
    assert_eq!(with.game, without.game);
    assert_eq!(without.game.moves().len(), without.move_info.len());
    assert_eq!(without.move_info[8], MoveInfo::default());
    assert_eq!(without.move_info[9].eval, Some(3.0));
    assert_eq!(with.move_info[8].seconds, Some(0.01));
}

#[test]
fn passes_after_the_end_are_ignored() {
    let over = "(;B[e6]W[f4]B[e3]W[f6]B[g5]W[d6]B[e7]W[f5]B[c5]";
    assert_eq!(game(&format!("{over}W[PA]B[PA];)")).game, game(&format!("{over};)")).game);
    assert!(message(&format!("{over}W[a1];)")).ends_with("move 10 (a1): the game is over"));
}

#[test]
fn errors_name_the_move() {
    assert_eq!(message("(;B[d3]W[d4];)"), "column 10: move 2: d4 is occupied");
    assert_eq!(message("(;B[d3]W[z4];)"), "column 10: move 2: expected a square from a1 to h8 or pass, found `z4`");
    assert_eq!(message("(;B[d3"), "column 7: expected `]` after the value of `B`, but the text ends here");
    assert_eq!(message("(;B[d3]"), "column 8: expected a tag such as B[F5], or `;)`, but the text ends here");
    assert!(message("(;BO[8 ----];)").contains("the board ends after 4 squares"));
    assert!(message("(;BO[8 ---0];)").contains("ambiguous"));
}

#[test]
fn set_up_starts() {
    let board = fault_board("-XXXX-OX-OOOOOOXOOOXXXXXOOXXXXOOOXXOXXOOOXOXXOOOXXXOOOO-OOOOOOO- X");
    let read = game(&format!("(;BO[8 {board}]B[a1];)"));
    assert_eq!(read.game.start(), board);
    assert_eq!(game(&read.to_string()).game, read.game);
}

fn any_clock() -> impl Strategy<Value = Option<GgfClock>> {
    let part =
        || prop_oneof![(0..100_000_000_u64).prop_map(Duration::from_millis), Just(seconds(120)), Just(seconds(0))];
    proptest::option::of((part(), part(), part()).prop_map(|(main, increment, grace)| GgfClock {
        main,
        increment,
        grace,
    }))
}

fn any_ggf() -> impl Strategy<Value = GgfGame> {
    let text = "([!-\\\\^-~é]([ -\\\\^-~é]*[!-\\\\^-~é])?)?";
    let info = (proptest::option::of(-1e5..1e5), proptest::option::of(0.0..1e5));
    let texts = proptest::collection::vec(text, 6);
    (any_game(), texts, any_clock(), any_clock(), proptest::collection::vec(info, 130)).prop_map(
        |(game, texts, time_black, time_white, infos)| GgfGame {
            move_info: game.moves().iter().zip(infos).map(|(_, (eval, seconds))| MoveInfo { eval, seconds }).collect(),
            game,
            black: texts[0].clone(),
            white: texts[1].clone(),
            black_rating: texts[2].clone(),
            white_rating: texts[3].clone(),
            place: texts[4].clone(),
            date: texts[5].clone(),
            board_type: "8r20".to_owned(),
            result: "+2.000".to_owned(),
            time_black,
            time_white,
        },
    )
}

proptest! {
    #[test]
    fn round_trip(read in any_ggf()) {
        prop_assert_eq!(parse_game(read.to_string().as_bytes()), Ok(read));
    }

    #[test]
    fn any_bytes(bytes: Vec<u8>, read in any_ggf(), at in 0..600usize, byte: u8) {
        never_panics(parse_games, &bytes, read.to_string().as_bytes(), at, byte);
        never_panics(parse_game, &bytes, NBOARD.as_bytes(), at, byte);
        never_panics(parse_move_item, &bytes, b"F5/0.50/0.08", at, byte);
    }
}
