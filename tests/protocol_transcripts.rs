//! Recorded sessions of real clients, replayed: the client's lines as they were, our answers in place of the recorded
//! engine's. The recordings are not part of the sources; without them these tests have nothing to do.

mod common;

use std::{
    fs,
    path::{Path, PathBuf},
};

use common::Client;
use flipside::{
    board::{Board, Game, Move},
    notation,
};

/// The recordings whose names start so.
fn recordings(prefix: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/transcripts");
    let Ok(entries) = fs::read_dir(&folder) else {
        println!("skipped: no recordings in {}", folder.display());
        return Vec::new();
    };
    let names = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<PathBuf> = names
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with(prefix) && path.extension().is_some_and(|extension| extension == "log")
        })
        .collect();
    paths.sort();
    println!("{} recordings", paths.len());
    paths
}

/// A client's line and the lines of the engine that followed it.
struct Turn {
    sent: String,
    answers: Vec<String>,
}

fn turns(path: &Path) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for line in fs::read_to_string(path).unwrap().lines() {
        if let Some((_, sent)) = line.split_once(" G->E ") {
            turns.push(Turn { sent: sent.to_owned(), answers: Vec::new() });
        } else if let (Some((_, answer)), Some(turn)) = (line.split_once(" E->G "), turns.last_mut()) {
            turn.answers.push(answer.to_owned());
        }
    }
    assert!(!turns.is_empty(), "{}", path.display());
    turns
}

fn check_lines(board: Board, lines: &[String]) {
    for line in lines.iter().filter(|line| line.starts_with("search ")) {
        let mut game = Game::new(board);
        for mv in line.split(' ').nth(1).unwrap().as_bytes().chunks(2) {
            game.play(notation::parse_move(mv).unwrap()).unwrap_or_else(|error| panic!("{board} {line}: {error}"));
        }
    }
}

#[test]
fn nboard_sessions() {
    for path in recordings("nboard") {
        let mut client = Client::start();
        let mut game = Game::default();
        for turn in turns(&path) {
            client.send(format!("{}\n", turn.sent));
            let waited_for = |start: &str| turn.answers.iter().any(|answer| answer.starts_with(start));
            if let Some(text) = turn.sent.strip_prefix("set game ") {
                game = notation::ggf::parse_game(text.as_bytes()).unwrap().game;
            } else if let Some(text) = turn.sent.strip_prefix("move ") {
                game.play(notation::ggf::parse_move_item(text.as_bytes()).unwrap().0).unwrap();
            } else if let Some(number) = turn.sent.strip_prefix("ping ") {
                let lines = client.until("pong ");
                assert_eq!(lines.last(), Some(&format!("pong {number}")));
            } else if turn.sent == "go" && waited_for("=== ") {
                let lines = client.until("=== ");
                check_lines(game.board(), &lines);
                let mv = lines.last().unwrap()[4..].split('/').next().unwrap().to_owned();
                let mv = notation::parse_move(mv.as_bytes()).unwrap();
                assert!(game.board().play(mv).is_some(), "{} {mv}", game.board());
            } else if turn.sent.starts_with("hint ") && waited_for("nodestats ") && !game.is_over() {
                check_lines(game.board(), &client.until("nodestats "));
            } else if turn.sent == "learn" && waited_for("learned") {
                client.until("learned");
            } else if turn.sent == "analyze" && waited_for("analysis 0 ") {
                let lines = client.until("analysis 0 ");
                let count = lines.iter().filter(|line| line.starts_with("analysis ")).count();
                assert_eq!(count, game.boards().len());
            }
        }
        client.send("ping 424242\n");
        client.until("pong 424242");
        client.end();
    }
}

/// Replays a session with one engine.
fn replay_quarry(client: &mut Client, path: &Path) {
    let mut game = Game::default();
    for turn in turns(path) {
        let words: Vec<&str> = turn.sent.split(' ').collect();
        let context = || format!("{}: {} in {}", game.board(), turn.sent, path.display());
        match words[..] {
            ["quit"] => {}
            ["genmove", color] => {
                check_genmove(&game, &client.ask(&turn.sent), &context());
                // The recorded engine's move instead, so that the rest of the recording fits.
                let Some(recorded) = turn.answers.first().and_then(|answer| answer.strip_prefix("= ")) else { break };
                assert_eq!(client.ask("undo"), "=");
                assert_eq!(client.ask(&format!("play {color} {recorded}")), "=", "{}", context());
                game.play_with_implied_pass(notation::parse_move(recorded.as_bytes()).unwrap()).unwrap();
            }
            ["play", _, mv] => {
                assert_eq!(client.ask(&turn.sent), "=", "{}", context());
                game.play_with_implied_pass(notation::parse_move(mv.as_bytes()).unwrap()).unwrap();
            }
            ["clear_board"] => {
                assert_eq!(client.ask(&turn.sent), "=");
                game = Game::default();
            }
            _ => assert!(client.ask(&turn.sent).starts_with('='), "{}", context()),
        }
    }
}

/// Replays a session with two engines, recorded as one: each move was sent to the engine that did not choose it.
fn replay_two_engines(client: &mut Client, path: &Path) {
    let mut game = Game::default();
    for turn in turns(path) {
        let words: Vec<&str> = turn.sent.split(' ').collect();
        let context = || format!("{}: {} in {}", game.board(), turn.sent, path.display());
        match words[..] {
            ["quit"] => {}
            ["genmove", color] => {
                // The order of the two recordings is not exact.
                let answer = client.ask(&format!("reg_genmove {color}"));
                let in_turn = color.eq_ignore_ascii_case(&game.board().side_to_move().to_string());
                if in_turn && !game.board().position().must_pass() {
                    check_genmove(&game, &answer, &context());
                }
            }
            ["play", _, mv] => {
                assert_eq!(client.ask(&turn.sent), "=", "{}", context());
                game.play_with_implied_pass(notation::parse_move(mv.as_bytes()).unwrap()).unwrap();
            }
            _ => assert!(client.ask(&turn.sent).starts_with('='), "{}", context()),
        }
    }
}

fn check_genmove(game: &Game, answer: &str, context: &str) {
    let mut game = game.clone();
    let mv = notation::parse_move(answer.strip_prefix("= ").expect(context).as_bytes()).unwrap();
    assert!(mv != Move::Pass && game.play_with_implied_pass(mv).is_ok(), "{context}: {answer}");
}

#[test]
fn quarry_sessions() {
    for path in recordings("quarry") {
        let mut client = Client::start();
        assert_eq!(client.ask("set_level 2"), "=");
        let engines = fs::read_to_string(&path).unwrap().matches(" ---- proxy pid").count();
        if engines > 1 {
            replay_two_engines(&mut client, &path);
        } else {
            replay_quarry(&mut client, &path);
        }
        assert_eq!(client.ask("name"), "= Flipside");
        assert!(client.end().0.is_empty());
    }
}
