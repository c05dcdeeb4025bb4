//! A program that is talked to in lines over its standard input and output.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use super::player::Fault;

/// A running program; ended when dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

/// Longest line that is kept; what follows is cut off.
const MAX_LINE: usize = 1 << 16;

/// Splits a command line into words at blanks; quotes keep blanks together.
pub fn split_command(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for character in line.chars() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, _) if character.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

impl Process {
    /// Starts a program.
    ///
    /// # Errors
    /// When the command is empty or cannot be started.
    pub fn start(command: &str) -> Result<Self, Fault> {
        let words = split_command(command);
        let (program, arguments) = words.split_first().ok_or_else(|| Fault::crash("the command is empty"))?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| Fault::crash(format!("cannot start '{program}': {error}")))?;
        let (sender, lines) = channel();
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || {
                let mut output = BufReader::new(output);
                let mut bytes = Vec::new();
                while matches!(output.read_until(b'\n', &mut bytes), Ok(count) if count > 0) {
                    bytes.truncate(MAX_LINE);
                    let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
                    bytes.clear();
                    if sender.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        let input = child.stdin.take();
        Ok(Self { child, input, lines })
    }

    /// Sends a line.
    ///
    /// # Errors
    /// When the program no longer listens.
    pub fn send(&mut self, line: &str) -> Result<(), Fault> {
        let sent = self
            .input
            .as_mut()
            .map(|input| input.write_all(format!("{line}\n").as_bytes()).and_then(|()| input.flush()));
        match sent {
            Some(Ok(())) => Ok(()),
            _ => Err(self.ended(line)),
        }
    }

    /// The next line, before `deadline`.
    ///
    /// # Errors
    /// When none comes in time or the program ends; `question` is what was asked.
    pub fn receive(&mut self, deadline: Instant, question: &str) -> Result<String, Fault> {
        match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Timeout) => Err(Fault::Time(format!("no answer to '{question}' in time"))),
            Err(RecvTimeoutError::Disconnected) => Err(self.ended(question)),
        }
    }

    fn ended(&mut self, question: &str) -> Fault {
        // The status is there a moment after the pipe closes.
        let until = Instant::now() + Duration::from_millis(200);
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status.to_string(),
                _ if Instant::now() >= until => break "its output is closed".to_owned(),
                _ => thread::sleep(Duration::from_millis(5)),
            }
        };
        Fault::crash(format!("ended after '{question}' ({status})"))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.send("quit");
        self.input = None;
        let until = Instant::now() + Duration::from_millis(300);
        while Instant::now() < until {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_like_a_shell_would() {
        assert_eq!(split_command("a  'b c' d\"e f\"g ''"), ["a", "b c", "de fg", ""]);
        assert!(split_command("  ").is_empty());
        assert!(matches!(Process::start(""), Err(Fault::Crash(_))));
        assert!(matches!(Process::start("/no/such/program"), Err(Fault::Crash(_))));
    }
}
