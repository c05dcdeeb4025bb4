//! Dialogues with damaged lines. The seed is fixed; `FLIPSIDE_FUZZ_SECONDS` makes it longer.

mod common;

use std::{
    env, io,
    time::{Duration, Instant},
};

use common::Random;
use flipside::{
    engine::{Engine, Settings},
    protocol::{self, Mode, Options},
};

const GTP: [&str; 34] = [
    "protocol_version",
    "7 name",
    "list_commands",
    "known_command genmove",
    "set_game Othello",
    "boardsize 8",
    "clear_board",
    "komi 0.5",
    "play b d3",
    "play white c3",
    "play b pass",
    "gogui-play_sequence b d3 w c3 b c4",
    "genmove b",
    "genmove white",
    "reg_genmove w",
    "undo",
    "time_settings 0 15 1",
    "time_settings 600 0 0",
    "time_left black 12.5 3",
    "final_score",
    "showboard",
    "loadsgf game.sgf 12",
    "set_position ---------------------------OX------XO--------------------------- X",
    "setboard --------O-OOOXO-X--XXOO---OXO-O--OOXO-X---XX-XO--OOOOXO--------- X",
    "set_position -OXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX X",
    "set_level 2",
    "hint 4",
    "gogui-rules_board",
    "gogui-rules_legal_moves",
    "gogui-rules_final_result",
    "gogui-setup b d4 w e4 b f4",
    "gogui-setup_player w",
    "# comment",
    "quit",
];

const NBOARD: [&str; 19] = [
    "nboard 2",
    "set depth 2",
    "set contempt -100",
    "set myname X",
    "set game (;GM[Othello]PC[NBoard]DT[2026-11-30 07:12:24 GMT]PB[Human]PW[FakeBot]RE[?]TI[5:00]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[D3//122.199]W[C3/0.50/0.15];)",
    "set game (;GM[Othello]PB[]PW[]TB[1:00/5/2:00]TW[0:03]TY[8]BO[8 --------O-OOOXO-X--XXOO---OXO-O--OOXO-X---XX-XO--OOOOXO--------- *];)",
    "set game (;GM[Othello]TY[8]BO[8 -OXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX *];)",
    "set game (;GM[Othello]TY[8]BO[8 ---------------------------O*------*O--------------------------- O]W[F4]B[PA];)",
    "move F5/0.50/0.08",
    "move D3//1e3",
    "move PA",
    "move c3",
    "hint 4",
    "hint 64",
    "go",
    "analyze",
    "learn",
    "ping 17",
    "quit",
];

fn mutate(random: &mut Random, line: &[u8], others: &[&str]) -> Vec<u8> {
    let mut line = line.to_vec();
    for _ in 0..random.below(4) {
        let at = random.below(line.len() + 1);
        match random.below(7) {
            0 if at < line.len() => line[at] = random.below(256) as u8,
            1 if at < line.len() => line[at] ^= 1 << random.below(8),
            2 if at < line.len() => drop(line.remove(at)),
            3 => line.insert(at, random.below(256) as u8),
            4 => line.truncate(at),
            5 => {
                let other = others[random.below(others.len())].as_bytes();
                line.extend_from_slice(&other[random.below(other.len())..]);
            }
            6 => {
                let number: &[u8] =
                    [&b" -1"[..], b" 99999999999999999999", b" 1e999", b" nan", b"\t", b" 0", b"\r"][random.below(7)];
                line.splice(at..at, number.iter().copied());
            }
            _ => {}
        }
    }
    line.retain(|&byte| byte != b'\n');
    line
}

fn dialogue(mode: Mode, script: &[u8]) -> String {
    let engine = Engine::new(Settings { threads: 1, hash_mib: 1, ..Settings::default() }).unwrap();
    let options = Options { level: 2, log: None, end_grace: Duration::from_millis(20) };
    let mut output = Vec::new();
    protocol::run(mode, engine, options, io::Cursor::new(script.to_vec()), &mut output).unwrap();
    assert!(output.is_ascii(), "{}", String::from_utf8_lossy(&output));
    String::from_utf8(output).unwrap()
}

/// The words of a line as the rules of GTP read it.
fn gtp_words(line: &[u8]) -> Vec<Vec<u8>> {
    let text = line.split(|&byte| byte == b'#').next().unwrap();
    let text: Vec<u8> = text.iter().copied().filter(|&byte| byte == b'\t' || byte >= 32 && byte != 127).collect();
    text.split(|&byte| byte == b' ' || byte == b'\t').filter(|word| !word.is_empty()).map(<[u8]>::to_vec).collect()
}

fn fuzz(seed: u64, mut round: impl FnMut(&mut Random)) {
    let seconds = env::var("FLIPSIDE_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2.0);
    let (start, mut random) = (Instant::now(), Random::new(seed));
    let mut rounds = 0;
    while start.elapsed().as_secs_f64() < seconds {
        round(&mut random);
        rounds += 1;
    }
    println!("{rounds} dialogues");
}

fn damaged(random: &mut Random, lines: &[&str]) -> Vec<Vec<u8>> {
    (0..=random.below(40))
        .map(|_| {
            // The last one, quit, is rare.
            let count = lines.len() - usize::from(random.below(8) != 0);
            let line = lines[random.below(count)];
            mutate(random, line.as_bytes(), lines)
        })
        .collect()
}

#[test]
fn gtp_answers_every_damaged_line_once() {
    fuzz(3, |random| {
        let mut lines = damaged(random, &GTP);
        lines.push(b"4711 name".to_vec());
        let script = lines.join(&b'\n');
        let context = String::from_utf8_lossy(&script).into_owned();
        let output = dialogue(Mode::Gtp, &script);
        let mut answers = output.split_terminator("\n\n");
        for line in &lines {
            let mut words = gtp_words(line).into_iter();
            let Some(mut command) = words.next() else { continue };
            let mut id = String::new();
            if command.iter().all(u8::is_ascii_digit) {
                id = String::from_utf8(command).unwrap();
                command = words.next().unwrap_or_default();
            }
            let answer = answers.next().unwrap_or_else(|| panic!("no answer to {line:?} in\n{context}"));
            let rest = answer.strip_prefix(['=', '?']).unwrap_or_else(|| panic!("{answer:?} in\n{context}"));
            let rest = rest.strip_prefix(id.as_str()).unwrap_or_else(|| panic!("{answer:?} id {id:?} in\n{context}"));
            assert!(rest.is_empty() || rest.starts_with([' ', '\n']), "{answer:?} in\n{context}");
            if command == b"quit" {
                break;
            }
        }
        assert_eq!(answers.next(), None, "{context}");
        assert!(output.ends_with("\n\n") && !output.contains("\n\n\n"), "{context}");
    });
}

#[test]
fn nboard_survives_every_damaged_line() {
    fuzz(4, |random| {
        let mut lines = damaged(random, &NBOARD);
        lines.push(b"ping 4711".to_vec());
        let script = lines.join(&b'\n');
        let context = String::from_utf8_lossy(&script).into_owned();
        let output = dialogue(Mode::Nboard, &script);
        for line in output.lines() {
            let word = line.split(' ').next().unwrap();
            let known = ["set", "pong", "status", "search", "book", "nodestats", "===", "analysis", "learned"];
            assert!(known.contains(&word) && !line.contains("-0.00"), "{line:?} in\n{context}");
        }
        let quits = lines.iter().any(|line| {
            let text: Vec<u8> = line.iter().copied().filter(|&b| b == b'\t' || b >= 32 && b != 127).collect();
            text.split(|&b| b == b' ' || b == b'\t').find(|word| !word.is_empty()) == Some(b"quit")
        });
        assert!(quits || output.ends_with("pong 4711\n"), "{output}\nto\n{context}");
    });
}

#[test]
fn any_bytes_at_all() {
    fuzz(5, |random| {
        let script: Vec<u8> = (0..random.below(3000)).map(|_| random.below(256) as u8).collect();
        dialogue(Mode::Auto, &script);
    });
}
