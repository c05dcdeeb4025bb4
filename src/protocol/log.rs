//! The record of a dialogue: seconds since the start, who spoke, the line.

use std::{
    fmt,
    fs::File,
    io::{self, Write},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

/// A record of a dialogue, one line each: `   0.003 G->E nboard 2` (the client's lines), `   0.004 E->G …` (the
/// engine's). Clones write to the same record. Failures to write are ignored: a full disk must not end a game.
#[derive(Clone)]
pub struct Log(Arc<Mutex<Record>>);

struct Record {
    start: Instant,
    sink: Box<dyn Write + Send>,
}

/// Who spoke.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    FromClient,
    ToClient,
}

impl Log {
    /// A record in a new file; an existing one is replaced.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self::to(File::create(path)?))
    }

    /// A record written to `sink`, one `write` a line.
    pub fn to(sink: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Record { start: Instant::now(), sink: Box::new(sink) })))
    }

    /// Records a line; bytes that would upset a terminal are written as `\xNN`.
    pub(super) fn line(&self, direction: Direction, line: &[u8]) {
        let mut record = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mark = if direction == Direction::FromClient { "G->E" } else { "E->G" };
        let mut text = format!("{:8.3} {mark} ", record.start.elapsed().as_secs_f64()).into_bytes();
        for &byte in line {
            match byte {
                b'\t' | b' '..=b'~' => text.push(byte),
                _ => text.extend_from_slice(format!("\\x{byte:02x}").as_bytes()),
            }
        }
        text.push(b'\n');
        let _ = record.sink.write_all(&text);
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Log")
    }
}
