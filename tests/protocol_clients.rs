//! Whole games as real clients play them, against a side that moves at random; every answer is checked by the rules.

mod common;

use common::{Client, Random};
use flipside::{
    board::{Board, Color, Game, Move},
    notation,
};

fn letters(mv: Move) -> String {
    mv.square().map_or_else(|| "PA".to_owned(), |square| square.to_string().to_uppercase())
}

fn black(color: Color) -> bool {
    color == Color::Black
}

/// The game as `NBoard` sends it.
fn ggf(game: &Game) -> String {
    let mut text =
        "(;GM[Othello]PC[NBoard]DT[2026-11-30 07:12:24 GMT]PB[Human]PW[Flipside]RE[?]TI[5:00]TY[8]BO[8 ".to_owned();
    text += &game.start().to_string().replace('X', "*");
    text += "]";
    for (board, &mv) in game.boards().iter().zip(game.moves()) {
        text += if black(board.side_to_move()) { "B[" } else { "W[" };
        text += &letters(mv);
        text += "//1.25]";
    }
    text + ";)"
}

/// An `NBoard` client: every line about a search is checked, pongs are awaited in order.
struct Nboard {
    client: Client,
    ping: u32,
}

impl Nboard {
    fn new() -> Self {
        let mut client = Client::start();
        client.send("nboard 2\n");
        assert_eq!(client.line(), "set myname Flipside");
        Self { client, ping: 0 }
    }

    fn synchronize(&mut self, step: usize) {
        self.ping += step as u32;
        self.client.send(format!("ping {}\n", self.ping));
        let lines = self.client.until("pong ");
        assert_eq!(lines.last(), Some(&format!("pong {}", self.ping)));
    }

    fn hints(&mut self, board: Board, wanted: usize) {
        self.client.send(format!("hint {wanted}\n"));
        let lines = self.client.until("nodestats ");
        assert_eq!(self.client.line(), "status");
        let hints: Vec<&String> =
            lines.iter().filter(|line| line.starts_with("search ") || line.starts_with("book ")).collect();
        assert!(hints.len() >= wanted.min(board.position().moves().len()), "{board}: {lines:?}");
        for hint in hints {
            check_search(board, hint);
        }
        check_statistics(&lines[lines.len() - 1]);
    }

    fn go(&mut self, board: Board) -> (Move, String) {
        self.client.send("go\n");
        let mut lines = self.client.until("=== ");
        let answer = lines.pop().unwrap().split_off("=== ".len());
        for line in lines {
            match line.split(' ').next() {
                Some("search" | "book") => check_search(board, &line),
                Some("nodestats") => check_statistics(&line),
                word => assert_eq!(word, Some("status"), "{line}"),
            }
        }
        let mv = notation::parse_move(answer.split('/').next().unwrap().as_bytes()).unwrap();
        assert!(board.play(mv).is_some(), "{board}: {answer}");
        (mv, answer)
    }
}

fn check_search(board: Board, line: &str) {
    let fields: Vec<&str> = line.split(' ').collect();
    let [_, moves, eval, third, depth] = fields[..] else { panic!("{line}") };
    let mut game = Game::new(board);
    for mv in moves.as_bytes().chunks(2) {
        game.play(notation::parse_move(mv).unwrap()).unwrap_or_else(|error| panic!("{board} {line}: {error}"));
    }
    assert!((-64.0..=64.0).contains(&eval.parse::<f64>().unwrap()), "{line}");
    assert!(third.parse::<u32>().is_ok() && depth.starts_with(|c: char| c.is_ascii_digit()), "{line}");
    assert!(!eval.contains(['e', ',']), "{line}");
}

fn check_statistics(line: &str) {
    let fields: Vec<&str> = line.split(' ').collect();
    assert!(fields[1].bytes().all(|byte| byte.is_ascii_digit()), "{line}");
    assert!(fields[2].bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && fields.len() == 3, "{line}");
}

#[test]
fn nboard_games() {
    let mut random = Random::new(1);
    let mut nboard = Nboard::new();
    for number in 0..2 {
        let mut game = Game::default();
        let engine = if number == 0 { Color::Black } else { Color::White };
        nboard.client.send(format!("set game {}\nset depth 2\n", ggf(&game)));
        while !game.is_over() {
            let board = game.board();
            nboard.synchronize(1);
            if random.below(4) == 0 {
                nboard.client.send("set depth 1\n");
                nboard.hints(board, [1, 2, 4, 64][random.below(4)]);
                nboard.client.send("set depth 2\n");
                nboard.synchronize(3);
            }
            let (mv, sent) = if board.side_to_move() == engine {
                nboard.go(board)
            } else {
                let mv = random.pick(board.position());
                (mv, format!("{}//0.125", letters(mv)))
            };
            game.play(mv).unwrap();
            // The client sends the move or the whole game, as it likes.
            let line = if random.below(3) == 0 { format!("set game {}", ggf(&game)) } else { format!("move {sent}") };
            nboard.client.send(format!("{line}\n"));
        }
        nboard.synchronize(1);
        nboard.client.send("learn\n");
        assert_eq!(nboard.client.line(), "learned");
        nboard.client.send("analyze\n");
        let lines = nboard.client.until("analysis 0 ");
        assert_eq!(lines.iter().filter(|line| line.starts_with("analysis ")).count(), game.boards().len());
        assert_eq!(nboard.client.line(), "status");
    }
    nboard.client.end();
}

fn color_name(color: Color) -> &'static str {
    if black(color) { "black" } else { "white" }
}

/// Plays a game as a client does that tells each pass (or none), and returns the moves.
fn gtp_game(client: &mut Client, random: &mut Random, engine: Color, tells_passes: bool) -> Game {
    let mut game = Game::default();
    assert_eq!(client.ask("clear_board"), "=");
    while !game.is_over() {
        let board = game.board();
        let color = board.side_to_move();
        if board.position().must_pass() {
            if tells_passes && color == engine {
                assert_eq!(client.ask(&format!("genmove {}", color_name(color))), "= PASS");
            }
            if tells_passes {
                assert_eq!(client.ask(&format!("play {} pass", color_name(color))), "=");
            }
            game.play(Move::Pass).unwrap();
            continue;
        }
        let mv = if color == engine {
            let answer = client.ask(&format!("genmove {}", color_name(color)));
            assert_eq!(answer.len(), 4, "{answer}");
            notation::parse_move(&answer.as_bytes()[2..]).unwrap()
        } else {
            let mv = random.pick(board.position());
            assert_eq!(client.ask(&format!("play {} {}", color_name(color), letters(mv))), "=");
            mv
        };
        game.play(mv).unwrap_or_else(|error| panic!("{board}: {error}"));
    }
    game
}

#[test]
fn gtp_games() {
    let mut random = Random::new(2);
    let mut client = Client::start();
    assert_eq!(client.ask("set_level 2"), "=");
    for (engine, tells_passes) in [(Color::Black, false), (Color::White, true), (Color::White, false)] {
        let game = gtp_game(&mut client, &mut random, engine, tells_passes);
        let expected = match game.board().final_score_for_black() {
            0 => "= 0".to_owned(),
            score if score > 0 => format!("= B+{score}"),
            score => format!("= W+{}", -score),
        };
        assert_eq!(client.ask("final_score"), expected);
        assert_eq!(client.ask("genmove b"), "= PASS");
        // All the way back; passes that were not told are no steps of their own.
        let steps = game.moves().iter().filter(|&&mv| tells_passes || mv != Move::Pass).count();
        for _ in 0..steps {
            assert_eq!(client.ask("undo"), "=");
        }
        assert_eq!(client.ask("undo"), "? cannot undo");
        assert_eq!(client.ask("gogui-rules_side_to_move"), "= black");
    }
    client.send("quit\n");
    client.wait();
}

#[test]
fn fault_56_gtp_games_on_the_clock() {
    let mut client = Client::start();
    for seconds in [2.0, 5.0] {
        client.ask("clear_board");
        client.ask(&format!("time_settings {seconds} 0 0"));
        let mut game = Game::default();
        let mut left = [seconds, seconds];
        while !game.is_over() {
            let board = game.board();
            if board.position().must_pass() {
                game.play(Move::Pass).unwrap();
                continue;
            }
            let side = usize::from(!black(board.side_to_move()));
            for (color, left) in ["black", "white"].iter().zip(left) {
                client.ask(&format!("time_left {color} {left:.3} 0"));
            }
            let start = std::time::Instant::now();
            let answer = client.ask(&format!("genmove {}", color_name(board.side_to_move())));
            left[side] -= start.elapsed().as_secs_f64();
            assert!(left[side] > 0.0, "lost on time: {seconds} s, {board}");
            game.play(notation::parse_move(&answer.as_bytes()[2..]).unwrap()).unwrap();
        }
    }
    client.end();
}
