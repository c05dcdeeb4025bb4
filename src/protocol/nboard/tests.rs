//! Dialogues in `NBoard`'s protocol. Names `fault_NN` refer to faults that users of other engines reported.

use std::time::{Duration, Instant};

use super::INTERVAL;
use crate::{
    board::{Board, Game, Move, Square},
    notation,
    protocol::{
        Mode, Options, Thinker,
        testing::{Dialogue, Endless, Reports, line, set_board, set_game, small_engine, talk, talk_to},
    },
    search::{Bound, Line, Proof, Selectivity},
};

const PASS_WHITE: &str = "f5d6c3d3c4f4f6f3e3b4c5c6e6e2e7d2f1d7a3a4b3g6a5a2a1f2g5f7b2c2b5e1b1g1c1h4g3b6d1h2h1g2h3";
const PASS_BLACK: &str = "c4c3f5b4a4a5c2a3";

fn lines(script: impl AsRef<[u8]>) -> Vec<String> {
    talk(Mode::Nboard, script).lines().map(str::to_owned).collect()
}

fn lines_of(engine: impl Thinker, script: &str) -> Vec<String> {
    talk_to(engine, Mode::Nboard, script).lines().map(str::to_owned).collect()
}

fn starting<'a>(lines: &'a [String], start: &str) -> Vec<&'a str> {
    lines.iter().map(String::as_str).filter(|line| line.starts_with(start)).collect()
}

/// Lines without their times.
fn timeless(lines: &[String]) -> Vec<String> {
    lines.iter().map(|line| if line.starts_with("nodestats") { "nodestats".to_owned() } else { line.clone() }).collect()
}

fn square(name: &str) -> Move {
    notation::parse_move(name.as_bytes()).unwrap()
}

/// A move of a `===` line.
fn answered(line: &str) -> Move {
    let mv = line.strip_prefix("=== ").unwrap_or_else(|| panic!("{line}"));
    square(mv.split('/').next().unwrap())
}

/// Checks the five fields of a `search` line and that its variation can be played.
fn check_search_line(board: Board, text: &str) {
    let fields: Vec<&str> = text.split(' ').collect();
    let [word, moves, eval, games, depth] = fields[..] else { panic!("{text}") };
    assert!(word == "search" || word == "book", "{text}");
    assert!(games.parse::<u32>().is_ok() && depth.starts_with(|c: char| c.is_ascii_digit()), "{text}");
    let eval: f64 = eval.parse().unwrap();
    assert!((-64.0..=64.0).contains(&eval), "{text}");
    assert!(!text.contains("-0.00") && !text.contains(" -0 "), "{text}");
    let mut game = Game::new(board);
    for mv in moves.as_bytes().chunks(2) {
        game.play(notation::parse_move(mv).unwrap()).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    assert!(!game.moves().is_empty());
}

#[test]
fn the_start_of_a_session() {
    let script = format!("nboard 2\n{}set depth 3\nping 1\nhint 4\n", set_game(""));
    let all = lines(script);
    assert_eq!(&all[..3], ["set myname Flipside", "pong 1", "status Hinting at depth 3"]);
    assert_eq!(&all[all.len() - 1], "status");
    assert!(all[all.len() - 2].starts_with("nodestats "));
    let searched = starting(&all, "search ");
    assert!(searched.len() >= 4 && searched.len().is_multiple_of(4), "{searched:?}");
    for text in searched {
        check_search_line(Board::START, text);
    }
}

#[test]
fn fault_50_hint_and_go_before_anything_else() {
    assert!(!starting(&lines("hint 1\n"), "search ").is_empty());
    assert!(!starting(&lines("hint\n"), "search ").is_empty());
    assert_eq!(starting(&lines("go\n"), "=== ").len(), 1);
    assert_eq!(lines("learn\nping 2"), ["learned", "pong 2"]);
}

#[test]
fn fault_51_unknown_lines_are_ignored() {
    let script = "frobnicate 1\nset\nset hash 3\nset depth\nset depth x\nset depth -1\nset contempt\nset contempt -100\n\
        NBOARD 2\nPing 3\nping\nping x\npong 4\n7 quit\n# x\n=== F5\nname\n\ngenmove b\nset depth 99999999999\n\u{1}\n";
    assert_eq!(lines(script), Vec::<String>::new());
    assert_eq!(lines("ping 7\nping -3\nping 1\n  ping \t 1 \r\n"), ["pong 7", "pong -3", "pong 1", "pong 1"]);
}

#[test]
fn fault_51_pass_position() {
    for moves in [PASS_WHITE, PASS_BLACK] {
        let all = lines(format!("{}hint 3\n", set_game(moves)));
        let searched = starting(&all, "search ");
        assert!(!searched.is_empty() && searched.iter().all(|text| text.starts_with("search PA")), "{all:?}");
        assert!(searched[0].split(' ').count() == 5);
        assert_eq!(lines(format!("{}go\n", set_game(moves))), ["=== PA"]);
        let all = lines(format!("{}move PA//0.3\ngo\n", set_game(moves)));
        assert!(answered(all.last().unwrap()) != Move::Pass);
    }
}

#[test]
fn fault_15_and_51_finished_game() {
    let over = set_game("e6f4e3f6g5d6e7f5c5");
    assert_eq!(lines(format!("{over}hint 3\n")), ["status"]);
    assert_eq!(lines(format!("{over}go\nping 2\n")), ["status", "=== PA", "pong 2"]);
    let all = lines(format!("{over}move A1\nmove PA\n"));
    assert_eq!(all, ["status Illegal move: the game is over"; 2]);
}

#[test]
fn fault_52_the_form_of_answers() {
    let all = lines(format!("{}go\n", set_game("f5d6")));
    let [answer] = starting(&all, "=== ")[..] else { panic!("{all:?}") };
    let fields: Vec<&str> = answer[4..].split('/').collect();
    assert_eq!(fields.len(), 3);
    assert!(fields[0].len() == 2 && fields[0] == fields[0].to_uppercase());
    for number in &fields[1..] {
        assert!(number.split('.').nth(1).is_some_and(|decimals| decimals.len() == 2), "{answer}");
    }
    // A forced move carries no score.
    let forced = set_board("-OX------------------------------------------------------------- *");
    let Some(_) = starting(&lines(format!("{forced}hint 4\n")), "search ").first().copied() else {
        assert_eq!(lines(format!("{forced}go\n")), ["status", "=== PA"]);
        return;
    };
    assert_eq!(lines(format!("{forced}go\n")), ["=== A1//0.01"]);
}

#[test]
fn numbers_have_no_exponent() {
    let set = vec![line(square("d3"), -40, 12)];
    let all = lines_of(Reports(vec![set], Duration::ZERO), "hint 1\n");
    assert_eq!(all, ["status Hinting at depth 3", "search D3 -0.40 0 12", "nodestats 123456789 0.000", "status"]);
}

#[test]
fn go_does_not_play() {
    let all = lines("go\ngo\nmove D3//0.1\ngo\nmove D3\nmove C3/0,50/0.08\nhint 1\n");
    // A `go` may have been made obsolete by the next request.
    assert!(starting(&all, "=== ").len() <= 3);
    assert_eq!(starting(&all, "status Illegal"), ["status Illegal move: D3 is occupied".replace("D3", "d3")]);
    let dialogue = Dialogue::new(Mode::Nboard, small_engine(), Options { level: 2, ..Options::default() });
    dialogue.send("go\n");
    let first = answered(dialogue.until("=== ").last().unwrap());
    dialogue.send("go\n");
    assert_eq!(answered(dialogue.until("=== ").last().unwrap()), first);
    dialogue.send("move D3\ngo\n");
    assert!(Board::START.play(square("d3")).unwrap().play(answered(dialogue.until("=== ").last().unwrap())).is_some());
}

#[test]
fn fault_38_ping_stops_the_search_first() {
    let dialogue = Dialogue::new(Mode::Nboard, Endless, Options::default());
    for (number, request) in ["hint 3", "go", "hint 64", "analyze"].iter().cycle().take(12).enumerate() {
        dialogue.send(&format!("{request}\n"));
        std::thread::sleep(Duration::from_millis(if number < 4 { 100 } else { 5 }));
        let start = Instant::now();
        dialogue.send(&format!("ping {number}\n"));
        let before = dialogue.until("pong ");
        assert!(start.elapsed() < Duration::from_millis(250));
        assert_eq!(before.last().unwrap(), &format!("pong {number}"));
        assert!(starting(&before, "=== ").is_empty());
        assert!(dialogue.is_silent(Duration::from_millis(20)), "stale output");
    }
}

#[test]
fn every_request_replaces_the_one_before() {
    let dialogue = Dialogue::new(Mode::Nboard, Endless, Options::default());
    // As NBoard does it: step back and ask again, without a pong awaited.
    dialogue.send(&format!("ping 1\nhint 4\nping 2\nhint 4\nping 3\ngo\n{}ping 4\ngo\n", set_game("f5d6c3")));
    let before = dialogue.until("pong 4");
    assert!(starting(&before, "=== ").is_empty(), "{before:?}");
    assert_eq!(starting(&before, "pong "), ["pong 1", "pong 2", "pong 3", "pong 4"]);
    std::thread::sleep(Duration::from_millis(60));
    dialogue.send("set depth 5\nping 5\n");
    let board = Board::START;
    let board = ["f5", "d6", "c3"].iter().fold(board, |board, mv| board.play(square(mv)).unwrap());
    for text in starting(&dialogue.until("pong 5"), "search ") {
        check_search_line(board, text);
    }
}

#[test]
fn fault_38_quit_and_the_end_stop_a_search() {
    for request in ["hint 3\n", "go\n", "analyze\n", "go\nping 1\nhint 2\n"] {
        for quit in [true, false] {
            for delay in [0, 120] {
                let mut dialogue = Dialogue::new(Mode::Nboard, Endless, Options::default());
                dialogue.send(request);
                std::thread::sleep(Duration::from_millis(delay));
                let start = Instant::now();
                if quit {
                    dialogue.send("quit\nping 9\n");
                } else {
                    dialogue.close_input();
                }
                let (lines, time) = dialogue.join(start);
                assert!(time < Duration::from_millis(400), "{request} {quit} {delay}: {time:?}");
                assert!(starting(&lines, "pong 9").is_empty());
                // A script that just ends gets its answer.
                if request == "go\n" {
                    assert_eq!(starting(&lines, "=== ").len(), 1, "{lines:?}");
                }
            }
        }
    }
}

#[test]
fn fault_54_no_flood_of_lines() {
    let sets: Vec<Vec<Line>> = (1..=60).map(|depth| vec![line(square("d3"), 100, depth)]).collect();
    let all = lines_of(Reports(sets.clone(), Duration::ZERO), "hint 1\n");
    assert_eq!(starting(&all, "search "), ["search D3 1.00 0 1", "search D3 1.00 0 60"]);
    let start = Instant::now();
    let all = lines_of(Reports(sets, Duration::from_millis(2)), "hint 1\n");
    // One for each interval, the first and the last.
    let most = start.elapsed().as_millis() / INTERVAL.as_millis() + 2;
    assert!(starting(&all, "search ").len() as u128 <= most, "{most}: {all:?}");
    // The same depth again is not shown again, and the result only when it differs.
    let same = vec![vec![line(square("d3"), 100, 7)]; 4];
    assert_eq!(starting(&lines_of(Reports(same, Duration::from_millis(60)), "hint 1\n"), "search ").len(), 1);
}

#[test]
fn lines_of_an_iteration_share_their_depth() {
    let d3 = line(square("d3"), 200, 9);
    let c4 = line(square("c4"), -30, 8);
    // Sets that are not complete are not shown, but the result is, with what holds for all of it.
    let sets = vec![vec![d3.clone()], vec![d3.clone(), c4.clone()]];
    let all = lines_of(Reports(sets, Duration::from_millis(60)), "hint 2\n");
    assert_eq!(starting(&all, "search "), ["search D3 2.00 0 8", "search C4 -0.30 0 8"]);
    let solved = Line { proof: Proof::Score, selectivity: Selectivity::None, to_end: true, ..d3.clone() };
    let all = lines_of(Reports(vec![vec![solved.clone(), c4]], Duration::ZERO), "hint 2\n");
    assert_eq!(starting(&all, "search "), ["search D3 2.00 0 8", "search C4 -0.30 0 8"]);
    let book = Line { book_games: Some(12), ..d3 };
    let all = lines_of(Reports(vec![vec![book, solved]], Duration::ZERO), "hint 2\n");
    assert_eq!(all[1..3], ["book D3 2.00 12 9", "search D3 2.00 0 100%"]);
}

#[test]
fn depth_texts_claim_no_more_than_is_proven() {
    let base = Line { selectivity: Selectivity::None, to_end: true, ..line(square("d3"), 200, 20) };
    let text = |line: Line| {
        let all = lines_of(Reports(vec![vec![line]], Duration::ZERO), "hint 1\n");
        starting(&all, "search ")[0].rsplit(' ').next().unwrap().to_owned()
    };
    let proof = |proof, bound, score| text(Line { score, bound, proof, ..base.clone() });
    assert_eq!(proof(Proof::Score, Bound::Exact, 200), "100%");
    assert_eq!(proof(Proof::WinLossDraw, Bound::Exact, 200), "100%W");
    assert_eq!(proof(Proof::Score, Bound::Lower, 200), "100%W");
    assert_eq!(proof(Proof::Score, Bound::Upper, -200), "100%W");
    assert_eq!(proof(Proof::Score, Bound::Upper, 200), "20");
    assert_eq!(text(Line { selectivity: Selectivity::P95, ..base.clone() }), "20@95%");
    assert_eq!(text(Line { selectivity: Selectivity::P73, to_end: false, ..base }), "20");
}

#[test]
fn fault_31_scores_are_the_movers() {
    // Two moves from the end: Black to move wins everything, White to move loses everything.
    let black = set_board("-OXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX *");
    let white = set_board("-XOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOO O");
    for game in [black, white] {
        let all = lines(format!("{game}hint 1\n"));
        assert_eq!(starting(&all, "search A1"), ["search A1 64.00 0 100%"]);
    }
}

#[test]
fn fault_11_passes_count_once() {
    let moves = "F5F4E3F6E6C5G5D3D6F7G6E7C6D7F3C4F8H6B5E8C7G8D8C8C2A6C3H5B4A3B6G3G4H4A5A4B7C1B3D2F2E2B8A8A7G7E1D1B1G2H1B2H3G1H2PA";
    let all = lines(format!("{}set depth 10\nhint 9\n", set_game(moves)));
    let board = notation::parse_board(b"-XXXX-OX-OOOOOOXOOOXXXXXOOXXXXOOOXXOXXOOOXOXXOOOXXXOOOO-OOOOOOO- X").unwrap();
    let searched = starting(&all, "search ");
    assert_eq!(searched.len() % 5, 0);
    for text in searched {
        check_search_line(board, text);
    }
}

#[test]
fn fault_16_forced_move() {
    let moves = "e6f6f5d6g7g6g5g4c3d3c2g8h8e7f7d2h7h6f8e3g3f4h5h3d7b3h4f3h2d8a4c1g2a3a2e8c8c7b7h1f1b8a8";
    assert_eq!(lines(format!("{}go\n", set_game(moves))), ["=== A7//0.01"]);
    let all = lines(format!("{}hint 60\n", set_game(moves)));
    assert_eq!(starting(&all, "search A7").len(), starting(&all, "search ").len());
}

#[test]
fn fault_26_and_49_more_lines_than_moves() {
    let game = set_board("--------O-OOOXO-X--XXOO---OXO-O--OOXO-X---XX-XO--OOOOXO--------- *");
    let all = lines(format!("{game}set depth 2\nhint 99999999999999999999\nhint 64\n"));
    assert_eq!(starting(&all, "search ").len() % 34, 0);
    assert!(starting(&all, "search ").len() >= 34);
}

#[test]
fn analyze_scores_every_position_from_the_end() {
    let all = lines(format!("{}set depth 2\nanalyze\nping 3", set_game("e6f4e3f6g5d6e7f5c5")));
    // Obsolete at once because of the ping; alone it runs through.
    assert_eq!(all.last().unwrap(), "pong 3");
    let all = lines(format!("{}set depth 2\nanalyze\n", set_game("e6f4e3f6g5d6e7f5c5")));
    let numbers: Vec<&str> = starting(&all, "analysis ").iter().map(|text| text.split(' ').nth(1).unwrap()).collect();
    assert_eq!(numbers, ["9", "8", "7", "6", "5", "4", "3", "2", "1", "0"]);
    assert_eq!(starting(&all, "analysis 9"), ["analysis 9 -64.00"]);
    assert_eq!(all.last().unwrap(), "status");
}

#[test]
fn learn_and_contempt_reach_the_engine() {
    struct Pupil(Vec<i32>);
    impl Thinker for Pupil {
        fn search(
            &mut self,
            _: crate::board::Position,
            _: &crate::engine::Request,
            _: &crate::search::StopFlag,
            _: &mut dyn FnMut(&crate::engine::Progress<'_>),
        ) -> crate::engine::Outcome {
            unreachable!()
        }
        fn learn(&mut self, game: &Game) -> Result<(), String> {
            assert_eq!((game.moves().len(), self.0.as_slice()), (2, &[100, -100][..]));
            Err("cannot write".to_owned())
        }
        fn set_contempt(&mut self, discs: i32) {
            self.0.push(discs);
        }
    }
    let script = format!("set contempt 100\nset contempt x\nset contempt -100\n{}learn\n", set_game("f5d6"));
    assert_eq!(lines_of(Pupil(vec![]), &script), ["learned", "status cannot write"]);
}

#[test]
fn a_learned_game_is_in_the_book() {
    use crate::engine::{Engine, Settings};
    let settings = Settings { threads: 1, hash_mib: 1, ..Settings::default() };
    let ask = |lines: u32| {
        let (whole, before) = (set_game("f5d6c3d3c4f4f6"), set_game("f5d6c3d3c4f4"));
        let script = format!("set depth 2\n{whole}learn\n{before}hint {lines}\n");
        lines_of(Engine::new(settings.clone()).unwrap(), &script)
    };
    let all = ask(64);
    assert_eq!(all[0], "learned");
    let known = starting(&all, "book F6");
    assert!(!known.is_empty() && known[0].split(' ').nth(3) == Some("1"), "{all:?}");
    let searched = starting(&all, "search ");
    assert!(!searched.is_empty() && searched.iter().all(|text| !text.starts_with("search F6")), "{all:?}");
    for text in starting(&all, "book ") {
        assert_eq!(text.split(' ').count(), 5, "{text}");
    }
    let all = ask(1);
    assert!(starting(&all, "book ").len() == 1 && starting(&all, "search ").is_empty(), "{all:?}");
}

#[test]
fn games_that_cannot_be_read_leave_the_old_one() {
    let script = format!(
        "{}set game\nset game (;GM[Othello]BO[10 x];)\nset game \u{fc}\u{30aa}\nmove Z9\nmove\nmove A1\nmove \u{fc}\nset game",
        set_game("f5")
    );
    let all = lines(&script);
    assert_eq!(starting(&all, "status ").len(), all.len());
    assert_eq!(all.len(), 8);
    assert_eq!(
        timeless(&lines(format!("{script}\nhint 1\n")))[8..],
        timeless(&lines(format!("{}hint 1\n", set_game("f5"))))[..]
    );
}

#[test]
fn clocks_of_the_game_limit_go() {
    let dialogue = Dialogue::new(Mode::Nboard, Endless, Options::default());
    let timed = |time: &str, moves: &str| {
        let game = set_game(moves).replace("TI[5:00]", time).replace("//0.5", "//0.9");
        let start = Instant::now();
        dialogue.send(&format!("{game}go\n"));
        dialogue.until("=== ");
        start.elapsed()
    };
    assert!(timed("TI[00:01]", "f5d6") < Duration::from_millis(250));
    assert!(timed("TI[00:01]", "f5d6c3d3") < Duration::from_millis(250));
    assert!(timed("TI[00:03]", "f5") < Duration::from_millis(500));
    let start = Instant::now();
    dialogue.send(&format!(
        "{}move F5//0.999\nmove D6//77\nmove C3//1e9\nmove D3/x/y\ngo\n",
        set_game("").replace("TI[5:00]", "TI[00:01]")
    ));
    dialogue.until("=== ");
    assert!(start.elapsed() < Duration::from_millis(250));
}

#[test]
fn fault_55_silence_until_asked() {
    let dialogue = Dialogue::new(Mode::Nboard, Endless, Options::default());
    dialogue.send(&format!("{}set depth 20\nmove F5//1\nset contempt 100\n", set_game("")));
    assert!(dialogue.is_silent(Duration::from_millis(60)));
}

#[test]
fn a_closed_output_ends_a_search_quietly() {
    let dialogue = Dialogue::new(Mode::Nboard, Endless, Options::default());
    dialogue.send("hint 4\n");
    dialogue.until("search");
    dialogue.close_output().unwrap();
}

#[test]
fn the_first_command_decides() {
    assert_eq!(talk(Mode::Auto, "\n  # x\r\n\u{0}\nnboard 2\nname\n"), "set myname Flipside\n");
    assert_eq!(talk(Mode::Auto, "name\nnboard 2\n"), "= Flipside\n\n? unknown command\n\n");
    assert_eq!(talk(Mode::Auto, "\u{feff}nboard 2"), "set myname Flipside\n");
    assert_eq!(talk(Mode::Auto, ""), "");
}

#[test]
fn the_log_shows_who_said_what() {
    let path = std::env::temp_dir().join(format!("flipside-log-{}", std::process::id()));
    let options = Options { log: Some(crate::protocol::Log::create(&path).unwrap()), ..Options::default() };
    let mut output = Vec::new();
    crate::protocol::run(Mode::Auto, small_engine(), options, &b"nboard 2\r\nfoo \xff\x07\nping 1"[..], &mut output)
        .unwrap();
    let log = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let mut said: Vec<&str> = log.lines().map(|line| &line[9..]).collect();
    assert!(log.lines().all(|line| line[..8].trim().parse::<f64>().is_ok()), "{log}");
    said.sort_unstable();
    assert_eq!(
        said,
        ["E->G pong 1", "E->G set myname Flipside", "G->E foo \\xff\\x07", "G->E nboard 2", "G->E ping 1"]
    );
}

#[test]
fn a_square_is_a_square() {
    assert_eq!(square("a1"), Move::from(Square::new(0).unwrap()));
}

#[test]
fn unreadable_clocks_and_annotations_do_not_lose_the_game() {
    let start = "---------------------------O*------*O---------------------------";
    let script = format!(
        "nboard 2\nset depth 1\nset game (;GM[Othello]PB[a]PW[b]TI[-5]TY[8]BO[8 {start} *]B[F5/NaN/-1]W[D6/x];)\nmove C3/?/-2\nhint 1\n"
    );
    let all = lines(&script);
    let mut board = Board::START;
    for name in ["f5", "d6", "c3"] {
        board = board.play(square(name)).unwrap();
    }
    assert!(!all.iter().any(|line| line.contains("Cannot")), "{all:?}");
    let hints = starting(&all, "search ");
    check_search_line(board, hints.last().expect("a hint"));
}
