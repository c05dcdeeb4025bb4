//! Standard output that cannot panic, and the way numbers are written.

use std::{
    fmt::Display,
    io::{self, BufWriter, StdoutLock, Write},
    time::Duration,
};

use flipside::{
    board::Move,
    search::{Bound, Line},
};

/// Why a command ended early.
#[derive(Debug)]
pub enum Failure {
    /// The command line asks for something impossible; exit status 2.
    Usage(String),
    /// Standard output is closed (quiet, status 0) or broken (status 1).
    Output(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// How a command that ran to its end went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// All well.
    Success,
    /// An input was bad or a result was not the expected one.
    Failed,
    /// Stopped by Ctrl-C.
    Interrupted,
}

/// What every command gives back.
pub type Finish = Result<Status, Failure>;

/// Line-wise standard output; every line can fail.
#[derive(Debug)]
pub struct Output(BufWriter<StdoutLock<'static>>);

impl Output {
    /// Takes standard output.
    pub fn new() -> Self {
        Self(BufWriter::new(io::stdout().lock()))
    }

    /// Writes a line, without the blanks at its end.
    pub fn line(&mut self, text: impl Display) -> io::Result<()> {
        let text = text.to_string();
        writeln!(self.0, "{}", text.trim_end())
    }

    /// Makes all lines so far visible.
    pub fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Writes an error message to standard error; nothing can be done when that fails.
pub fn complain(message: impl Display) {
    remark(format_args!("flipside: {message}"));
}

/// Writes a line to standard error where standard output is for data alone.
pub fn remark(message: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{message}");
}

/// A whole score with its sign: `+18`, `-4`, `+0`.
pub fn discs(score: i32) -> String {
    format!("{score:+}")
}

/// A heuristic score in discs with two decimals; never `-0.00`.
pub fn centidiscs(score: i32) -> String {
    let sign = if score < 0 { '-' } else { '+' };
    let magnitude = score.unsigned_abs();
    format!("{sign}{}.{:02}", magnitude / 100, magnitude % 100)
}

/// The score of a line as it may be stated: whole discs for searches to the end, decimals for estimates, `>=` and
/// `<=` before bounds.
pub fn score_text(line: &Line) -> String {
    let score = if line.to_end { discs(line.discs()) } else { centidiscs(line.score) };
    match line.bound {
        Bound::Exact => score,
        Bound::Lower => format!(">={score}"),
        Bound::Upper => format!("<={score}"),
    }
}

/// Moves separated by blanks.
pub fn moves_text(moves: &[Move]) -> String {
    let moves: Vec<String> = moves.iter().map(Move::to_string).collect();
    moves.join(" ")
}

/// Seconds with milliseconds.
pub fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

/// Nodes per second, 0 when no time has passed.
pub fn per_second(nodes: u64, time: Duration) -> u64 {
    if time.is_zero() { 0 } else { (nodes as f64 / time.as_secs_f64()) as u64 }
}

/// A large number with a unit: `812`, `3.4k`, `51.2M`, `1.9G`.
pub fn short(number: u64) -> String {
    let value = number as f64;
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{:.1}k", value / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1}M", value / 1e6),
        _ => format!("{:.1}G", value / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_negative_zero() {
        assert_eq!([centidiscs(0), centidiscs(-40), centidiscs(325)], ["+0.00", "-0.40", "+3.25"]);
        assert_eq!([discs(0), discs(-2), discs(64)], ["+0", "-2", "+64"]);
    }

    #[test]
    fn rates_and_units() {
        assert_eq!(per_second(10, Duration::ZERO), 0);
        assert_eq!(per_second(10, Duration::from_millis(100)), 100);
        assert_eq!([short(7), short(1_500), short(2_000_000), short(3_400_000_000)], ["7", "1.5k", "2.0M", "3.4G"]);
    }
}
