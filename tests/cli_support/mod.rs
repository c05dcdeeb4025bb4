//! What the black-box tests share: running the real binary with a time limit, and making files for it.
#![allow(dead_code)] // Each test binary uses its own part.

use std::{
    ffi::OsStr,
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

/// Longest time any run may take.
pub const LIMIT: Duration = Duration::from_secs(60);

/// What a run left behind.
#[derive(Debug)]
pub struct Run {
    pub stdout: String,
    pub stderr: String,
    /// `None` when it was killed, by us after [`LIMIT`] or by a signal.
    pub status: Option<i32>,
}

impl Run {
    /// Asserts the exit status, showing everything when it is another.
    #[track_caller]
    pub fn exits(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// The lines of standard output as JSON objects.
    #[track_caller]
    pub fn json(&self) -> Vec<serde_json::Value> {
        self.stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}")))
            .collect()
    }

    /// Asserts that standard error is exactly one line and contains all of `parts`.
    #[track_caller]
    pub fn complains(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.stderr.contains(part), "no '{part}' in: {}", self.stderr);
        }
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self
    }
}

/// The program, on few resources.
pub fn flipside() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flipside"));
    command.args(["--threads", "1", "--hash", "16"]);
    command
}

/// Runs the program with arguments.
pub fn run<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Run {
    run_with_input(arguments, b"")
}

/// Runs the program with arguments and standard input.
pub fn run_with_input<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>, input: &[u8]) -> Run {
    finish(start(flipside().args(arguments)), input)
}

/// Starts a command with all three streams piped.
pub fn start(command: &mut Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts")
}

/// Feeds the input, then collects the output until the program ends or the time is up.
pub fn finish(mut child: Child, input: &[u8]) -> Run {
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    if let Some(mut stdin) = child.stdin.take() {
        // The program may end without reading its input.
        let _ = stdin.write_all(input);
    }
    let status = wait(&mut child);
    Run { stdout: stdout.join().expect("output"), stderr: stderr.join().expect("output"), status }
}

/// The exit status, or `None` when the time is up (the program is then killed).
pub fn wait(child: &mut Child) -> Option<i32> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return status.code();
        }
        if start.elapsed() > LIMIT {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

fn collect(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            let _ = stream.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// A directory of its own for a test, removed at the end.
pub struct Directory(PathBuf);

impl Directory {
    pub fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("flipside-test-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("a temporary directory");
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file, its directories included.
    pub fn file(&self, name: impl AsRef<Path>, content: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(&path, content).expect("a file");
        path
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A file of well-known problems kept beside the repository, or `None` (with the reason printed) when it is not there.
pub fn shared_problems(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/problems").join(name);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: {} is not there", path.display());
    None
}
