//! The program as a client's child process: pipes, line ends, the end of the dialogue in every state. Names `fault_NN`
//! refer to faults that users of other engines reported.

mod common;

use std::{
    io::Write,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use common::{Client, PATIENCE, script};

/// How long the program may take to react. The promise is 200 ms; the machine may be busy.
const PROMPT: Duration = Duration::from_millis(400);

/// Checks that something takes no longer than [`PROMPT`]; it is given several tries for the same reason.
fn promptly(what: &str, mut time: impl FnMut() -> Duration) {
    let mut times = Vec::new();
    while times.len() < 8 {
        let time = time();
        if time < PROMPT {
            return;
        }
        times.push(time);
    }
    panic!("{what}: {times:?}");
}

#[test]
fn fault_40_answers_come_at_once() {
    let mut client = Client::start();
    promptly("an answer", || {
        let start = Instant::now();
        assert_eq!(client.ask("name"), "= Flipside");
        start.elapsed()
    });
    client.end();
    let mut client = Client::start();
    client.send("nboard 2\n");
    assert_eq!(client.line(), "set myname Flipside");
    client.send("ping 1\n");
    assert_eq!(client.line(), "pong 1");
    client.end();
}

#[test]
fn line_ends_of_all_kinds() {
    assert_eq!(script("name\r\n\r\nversion\r\n").len(), 4);
    assert_eq!(script("name"), ["= Flipside", ""]);
    assert_eq!(script("nboard 2\r\nping 1\r\nping 2"), ["set myname Flipside", "pong 1", "pong 2"]);
    assert_eq!(script("\n\n\n"), Vec::<String>::new());
    assert_eq!(script(""), Vec::<String>::new());
}

#[test]
fn fault_44_bytes_of_all_kinds() {
    assert_eq!(script(b"name\n\xff\xfe\nname\n"), ["= Flipside", "", "? unknown command", "", "= Flipside", ""]);
    assert_eq!(script(b"nboard 2\nset game \xff\xfe\0\nping 1\n").last().map(String::as_str), Some("pong 1"));
    assert_eq!(script(vec![0; 100_000]), Vec::<String>::new());
    let flood = [b"nboard 2\n".to_vec(), vec![b'x'; 5 << 20], b"\nping 1\n".to_vec()].concat();
    assert_eq!(script(flood), ["set myname Flipside", "status Line too long", "pong 1"]);
    let flood = [vec![b'9'; 5 << 20], b"\nname\n".to_vec()].concat();
    assert_eq!(script(flood), ["? line too long", "", "= Flipside", ""]);
    let lines = "ping 3\n".repeat(200_000);
    assert_eq!(script(format!("nboard 2\n{lines}")).len(), 200_001);
}

/// Everything the program can be doing, as the lines that get it there.
const STATES: [&str; 16] = [
    "",
    "name\n",
    "# nothing yet\n",
    "nam",
    "set_level 60\ngenmove b\n",
    "set_level 60\nreg_genmove b\nname\n",
    "set_level 60\nhint 64\n",
    "time_settings 600 0 0\nset_level 60\ngenmove b\ngenmove w\n",
    "nboard 2\n",
    "nboard 2\nset depth 60\n",
    "nboard 2\nset depth 60\nhint 4\n",
    "nboard 2\nset depth 60\nhint 64\nping 2\ngo\n",
    "nboard 2\nset depth 60\ngo\n",
    "nboard 2\nset depth 60\nanalyze\n",
    "nboard 2\nlearn\n",
    "nboard 2\nset game (;GM[Othello]BO[8 ",
];

/// The program in one of these states, its start-up over where it says something.
fn started(state: &str) -> Client {
    let mut client = Client::start();
    if let Some(rest) = state.strip_prefix("nboard 2\n") {
        client.send("nboard 2\n");
        client.line();
        client.send(rest);
    } else {
        if state.ends_with('\n') {
            client.ask("name");
        }
        client.send(state);
    }
    client
}

#[test]
fn fault_38_the_end_of_the_input_in_every_state() {
    for state in STATES {
        for delay in [0, 150] {
            promptly(state, || {
                let mut client = started(state);
                thread::sleep(Duration::from_millis(delay));
                client.close_input();
                client.wait().1
            });
        }
    }
}

#[test]
fn fault_38_quit_in_every_state() {
    for state in STATES.into_iter().filter(|state| state.is_empty() || state.ends_with('\n')) {
        for delay in [0, 150] {
            promptly(state, || {
                let mut client = started(state);
                thread::sleep(Duration::from_millis(delay));
                client.send("quit\n");
                client.wait().1
            });
        }
    }
}

#[test]
fn fault_38_nboard_ping_during_a_hint() {
    let mut client = Client::start();
    client.send("nboard 2\nset depth 60\n");
    promptly("pong", || {
        client.send("hint 3\n");
        thread::sleep(Duration::from_millis(200));
        let start = Instant::now();
        client.send("ping 7\n");
        client.until("pong 7");
        let time = start.elapsed();
        assert!(client.is_silent(Duration::from_millis(100)));
        time
    });
    client.end();
}

#[test]
fn piped_moves_are_answered_before_the_end() {
    let answers = script("set_level 60\ngenmove b\nquit\n");
    assert_eq!(answers.len(), 6);
    assert!(["= D3", "= C4", "= F5", "= E6"].contains(&answers[2].as_str()), "{answers:?}");
    assert!(script("nboard 2\nset depth 60\ngo\n").iter().any(|line| line.starts_with("=== ")));
    let hinted = script("nboard 2\nset depth 60\nhint 4\n");
    assert!(hinted.iter().any(|line| line.starts_with("search ") || line.starts_with("book ")), "{hinted:?}");
}

#[test]
fn a_closed_output_ends_the_program_quietly() {
    for (lines, searches) in [("name\nname\nname\n", false), ("nboard 2\nset depth 60\nhint 4\nping 1\n", true)] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_flipside"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut input = child.stdin.take().unwrap();
        let start = Instant::now();
        let status = loop {
            // The program notices when it next writes.
            let _ = input.write_all(lines.as_bytes());
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < PATIENCE, "{searches}: does not end");
            thread::sleep(Duration::from_millis(10));
        };
        assert!(status.success(), "{status}");
        assert!(child.wait_with_output().unwrap().stderr.is_empty());
    }
}

#[test]
fn fault_56_a_move_in_time_without_time() {
    let mut client = Client::start();
    client.ask("time_settings 1 0 0");
    client.ask("set_level 60");
    for (color, left) in [("b", "0"), ("w", "0"), ("b", "-3.5"), ("w", "0.01")] {
        client.ask("time_left b 100 0");
        let mut moves = 0;
        promptly(left, || {
            if moves > 0 {
                client.ask("undo");
            }
            moves += 1;
            client.ask(&format!("time_left {color} {left} 0"));
            let start = Instant::now();
            let answer = client.ask(&format!("genmove {color}"));
            assert!(answer.len() == 4 && answer.starts_with("= "), "{answer}");
            start.elapsed()
        });
    }
    client.end();
}
