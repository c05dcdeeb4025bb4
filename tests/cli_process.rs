//! How the program behaves as a process: options, exit statuses, closed pipes, end of input, interruption. Fault
//! numbers as in `cli_rules.rs`.

mod cli_support;

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use cli_support::{finish, flipside, run, run_with_input, start, wait};
use serde_json::Value;

/// Five empties, Black to move; exact value +16.
const LATE: &str = "-XXXX-OX-OOOOOOXOOOXXXXXOOXXXXOOOXXOXXOOOXOXXOOOXXXOOOO-OOOOOOO- X";

/// The program without the options that the other tests give it.
fn plain(arguments: &[&str]) -> cli_support::Run {
    finish(start(Command::new(env!("CARGO_BIN_EXE_flipside")).args(arguments)), b"")
}

#[test]
fn fault_59_hash_sizes() {
    for bad in ["-1", "0", "99999999999", "99999999999999999999999", "x", ""] {
        plain(&["solve", "--hash", bad, LATE]).exits(2).complains(&["--hash", "MiB"]);
    }
    for good in ["1", "3", "17"] {
        plain(&["solve", "--threads", "1", "--hash", good, LATE]).exits(0);
    }
}

#[test]
fn fault_60_thread_counts() {
    for bad in ["0", "-1", "1000", "x"] {
        plain(&["solve", "--threads", bad, LATE]).exits(2).complains(&["--threads", "1 to 256"]);
    }
    for good in ["1", "2", "65", "256"] {
        let run = plain(&["solve", "--json", "--hash", "1", "--threads", good, LATE]).exits(0);
        assert_eq!(run.json()[0]["score"], 16);
    }
}

#[test]
fn other_options_are_checked() {
    for (arguments, part) in [
        (["--level", "61", "bench"], "0 to 60"),
        (["--level", "-1", "bench"], "0 to 60"),
        (["--isa", "mmx", "bench"], "portable"),
        (["solve", "--window", "2,1"], "ALPHA"),
        (["solve", "--window", "-65,0"], "ALPHA"),
        (["hint", "--lines", "0"], "1 to"),
        (["hint", "--time", "-1"], "seconds"),
        (["hint", "--time", "nan"], "seconds"),
        (["hint", "--selectivity", "80"], "73, 87"),
        (["hint", "--selectivity", "-1"], "73, 87"),
        (["perft", "0", "f5"], "1 to 60"),
        (["solve", "--wrong", LATE], "--wrong"),
    ] {
        run(arguments).exits(2).complains(&[part]);
    }
    run(["solve"]).exits(2);
    run(["frobnicate"]).exits(2).complains(&["flipside show f5d6"]);
    run(["hint", "--selectivity", "95", LATE]).exits(2).complains(&["--depth"]);
    run(["-v"]).exits(2).complains(&["--version"]);
    run(["show", "F5", "D6"]).exits(2).complains(&["D6", "quote"]);
    run(["solve", "--wld", "--window", "-1,1", LATE]).exits(2);
}

#[test]
fn help_and_version() {
    let help = run(["--help"]).exits(0).stdout;
    for word in ["solve", "analyze", "hint", "perft", "bench", "show", "gtp", "nboard", "Examples", "Exit status"] {
        assert!(help.contains(word), "{word}");
    }
    let version = run(["--version"]).exits(0).stdout;
    assert!(version.starts_with(&format!("flipside {} (", env!("CARGO_PKG_VERSION"))), "{version}");
    assert_eq!(version.lines().count(), 1);
    let facts = run(["--version", "-v"]).exits(0).stdout;
    for fact in ["evaluation:", "move ordering:", "opening book:", "instruction sets:", "cores:"] {
        assert!(facts.contains(fact), "{facts}");
    }
    assert_eq!(facts, run(["version"]).exits(0).stdout);
    assert!(run(["version", "--isa", "portable"]).exits(0).stdout.contains("(portable)"));
}

#[test]
fn a_closed_output_pipe_is_no_error() {
    for arguments in [&["perft", "60"][..], &["solve", "-"], &["--help"], &["show", "-"]] {
        let mut child = start(flipside().args(arguments));
        drop(child.stdout.take());
        let mut stdin = child.stdin.take().unwrap();
        let lines = format!("{LATE}\n").repeat(100);
        let _ = stdin.write_all(lines.as_bytes());
        drop(stdin);
        let status = wait(&mut child);
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!(status, Some(0), "{arguments:?}: {stderr}");
        assert_eq!(stderr, "", "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    for arguments in [["show", "f5"].as_slice(), &["--help"], &["--version"], &["perft", "--help"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = flipside();
        command.args(arguments).stdout(full).stderr(std::process::Stdio::piped());
        let run = finish(command.spawn().unwrap(), b"").exits(1);
        assert!(run.stderr.contains("cannot write"), "{arguments:?}: {}", run.stderr);
    }
}

#[test]
fn standard_input_is_answered_line_by_line() {
    let mut child = start(flipside().args(["solve", "--json", "-"]));
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..3 {
        writeln!(stdin, "{LATE}").unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let object: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(object["score"], 16);
    }
    drop(stdin);
    assert_eq!(wait(&mut child), Some(0));
}

#[test]
fn empty_input_is_all_right() {
    let run = run_with_input(["solve", "-"], b"").exits(0);
    assert!(run.stdout.contains("0 positions"), "{}", run.stdout);
    assert_eq!(run_with_input(["solve", "--json", "-"], b"\n\n% nothing\n").exits(0).stdout, "");
}

#[test]
fn the_protocol_loop_ends_with_its_input() {
    for arguments in [&[][..], &["gtp"], &["nboard"]] {
        let begin = Instant::now();
        run_with_input(arguments, b"").exits(0);
        assert!(begin.elapsed() < Duration::from_secs(5));
    }
    let run = run_with_input(["gtp"], b"7 name\nquit\n").exits(0);
    assert!(run.stdout.starts_with("=7 "), "{}", run.stdout);
    let run = run_with_input(["nboard"], b"nboard 2\nping 3\nquit\n").exits(0);
    assert!(run.stdout.lines().any(|line| line == "pong 3"), "{}", run.stdout);
    assert_eq!(run.stderr, "", "this client takes standard error for answers");
    let run = run_with_input(Vec::<&str>::new(), b"nboard 2\nping 4\n").exits(0);
    assert!(run.stdout.lines().any(|line| line == "pong 4"), "{}", run.stdout);
    let run = run_with_input(Vec::<&str>::new(), b"protocol_version\nquit\n").exits(0);
    assert!(run.stdout.starts_with("= 2"), "{}", run.stdout);
}

#[test]
fn the_dialogue_is_logged() {
    let directory = cli_support::Directory::new();
    let log = directory.path().join("dialogue.log");
    let arguments = ["gtp".as_ref(), "--log".as_ref(), log.as_os_str()];
    run_with_input(arguments, b"name\nquit\n").exits(0);
    let text = std::fs::read_to_string(&log).unwrap();
    assert!(text.contains("name") && text.contains("Flipside"), "{text}");
    let nowhere = directory.path().join("missing/dialogue.log");
    run_with_input(["gtp".as_ref(), "--log".as_ref(), nowhere.as_os_str()], b"quit\n")
        .exits(2)
        .complains(&["missing/dialogue.log"]);
}

#[test]
fn bench_is_a_signature() {
    // Heavy without a real solver.
    let first = run(["bench"]).exits(0).stdout;
    let last = first.lines().last().unwrap();
    let nodes: u64 = last.strip_prefix("Bench: ").expect("the last line").parse().unwrap();
    assert!(nodes > 0);
    let second = run(["bench", "--isa", "portable"]).exits(0).stdout;
    assert_eq!(second.lines().last().unwrap(), last, "the same on every instruction set");
}

#[cfg(unix)]
fn interrupt(child: &std::process::Child) {
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

#[cfg(unix)]
#[test]
fn interruption_shows_what_is_known() {
    // The start of the game: nobody solves it.
    let start_board = "---------------------------OX------XO--------------------------- X";
    let child = start(flipside().args(["solve", "--json", start_board, LATE]));
    thread::sleep(Duration::from_millis(700));
    interrupt(&child);
    let begin = Instant::now();
    let run = finish(child, b"").exits(130);
    assert!(begin.elapsed() < Duration::from_secs(5));
    let objects = run.json();
    assert_eq!(objects.len(), 1, "the position in progress and none after it");
    assert_eq!(objects[0]["completed"], false);
    assert_eq!(objects[0]["exact"], false);
}

#[cfg(unix)]
#[test]
fn interruption_while_waiting_for_input() {
    let mut child = start(flipside().args(["solve", "-"]));
    let stdin = child.stdin.take();
    thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    assert_eq!(wait(&mut child), Some(130));
    drop(stdin);
}
