//! A client's end of the pipes: starts the real program and talks to it with time-outs.

#![allow(dead_code, reason = "each test program uses its own part of this")]

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use flipside::board::{Move, Position};

/// Nothing may take longer.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The running program.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: Receiver<Vec<u8>>,
}

impl Client {
    /// Starts the program without arguments: the first command decides about the protocol.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts the program with arguments.
    pub fn start_with(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_flipside"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let (output, mut stderr) = (child.stdout.take().expect("a pipe"), child.stderr.take().expect("a pipe"));
        let (to_lines, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n') {
                let Ok(line) = line else { break };
                let line = String::from_utf8(line).expect("text");
                assert!(line.is_ascii() && !line.contains('\r'), "{line:?}");
                if to_lines.send(line).is_err() {
                    break;
                }
            }
        });
        let (to_errors, errors) = mpsc::channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = stderr.read_to_end(&mut bytes);
            let _ = to_errors.send(bytes);
        });
        Self { input: child.stdin.take(), child, lines, errors }
    }

    /// Sends bytes as they are; a program that has ended already is no error.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        if let Some(input) = &mut self.input {
            let _ = input.write_all(bytes.as_ref()).and_then(|()| input.flush());
        }
    }

    /// The next line, `None` at the end of the output.
    pub fn next_line(&self) -> Option<String> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no answer for {PATIENCE:?}"),
        }
    }

    /// The next line.
    pub fn line(&self) -> String {
        self.next_line().expect("an answer, not the end")
    }

    /// All lines up to the first that starts so, which is the last of them.
    pub fn until(&self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            lines.push(self.line());
            if lines.last().is_some_and(|line| line.starts_with(start)) {
                return lines;
            }
        }
    }

    /// Sends a GTP command and returns the answer without the empty line.
    pub fn ask(&mut self, command: &str) -> String {
        self.send(format!("{command}\n"));
        self.answer()
    }

    /// The next GTP answer without the empty line.
    pub fn answer(&self) -> String {
        let mut lines = self.until("");
        while lines.last().is_some_and(|line| !line.is_empty()) {
            lines.push(self.line());
        }
        lines.pop();
        let answer = lines.join("\n");
        assert!(answer.starts_with(['=', '?']), "{answer:?}");
        answer
    }

    /// True when nothing is said for a while.
    pub fn is_silent(&self, time: Duration) -> bool {
        matches!(self.lines.recv_timeout(time), Err(RecvTimeoutError::Timeout))
    }

    /// Closes the input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for the end: status 0, nothing on standard error. Returns the lines not read and the time it took.
    pub fn wait(mut self) -> (Vec<String>, Duration) {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                break status;
            }
            if start.elapsed() > PATIENCE {
                let _ = self.child.kill();
                panic!("does not end");
            }
            thread::sleep(Duration::from_millis(1));
        };
        let time = start.elapsed();
        let errors = self.errors.recv_timeout(PATIENCE).expect("standard error closed");
        assert!(errors.is_empty(), "on standard error: {}", String::from_utf8_lossy(&errors));
        assert!(status.success(), "{status}");
        (self.lines.iter().collect(), time)
    }

    /// Closes the input and waits for the end.
    pub fn end(mut self) -> (Vec<String>, Duration) {
        self.close_input();
        self.wait()
    }
}

/// What the program answers to a whole script.
pub fn script(bytes: impl AsRef<[u8]>) -> Vec<String> {
    let mut client = Client::start();
    client.send(bytes);
    client.end().0
}

/// A small generator of random numbers (xorshift64*, Vigna 2014).
pub struct Random(u64);

impl Random {
    /// The generator's sequence number `seed`.
    pub const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E3779B97F4A7C15) | 1)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545F4914F6CDD1D) >> 33) as usize % bound
    }

    /// One of the legal moves.
    pub fn pick(&mut self, position: Position) -> Move {
        let moves = position.moves();
        moves[self.below(moves.len())]
    }
}
