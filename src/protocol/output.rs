//! The engine's side of the dialogue: whole lines, each written and flushed at once.

use std::io::{self, Write};

use super::{Log, log::Direction};

/// Writes answers to the client and to the log.
pub(super) struct Output<W> {
    writer: W,
    log: Option<Log>,
}

impl<W: Write> Output<W> {
    pub(super) const fn new(writer: W, log: Option<Log>) -> Self {
        Self { writer, log }
    }

    /// Sends one or more lines (separated by LF; the last LF is added here) in one write.
    pub(super) fn send(&mut self, text: &str) -> io::Result<()> {
        if let Some(log) = &self.log {
            for line in text.split('\n') {
                log.line(Direction::ToClient, line.as_bytes());
            }
        }
        let mut bytes = Vec::with_capacity(text.len() + 1);
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(b'\n');
        self.writer.write_all(&bytes)?;
        self.writer.flush()
    }
}
