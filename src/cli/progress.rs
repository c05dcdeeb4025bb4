//! The one-line progress display of long searches, on a terminal only.

use std::{
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

use flipside::engine::Progress;

use super::output::{moves_text, per_second, score_text, short};

/// Shortest time between two updates.
const INTERVAL: Duration = Duration::from_millis(100);
/// Widest line written: nothing may wrap, or the line could not be rewritten in place.
const WIDTH: usize = 78;

/// Rewrites one line of standard error while it is a terminal, else does nothing.
#[derive(Debug)]
pub struct Meter {
    terminal: bool,
    label: String,
    last: Option<Instant>,
    visible: bool,
}

impl Meter {
    /// A meter, silent unless standard error is a terminal.
    pub fn new() -> Self {
        Self { terminal: io::stderr().is_terminal(), label: String::new(), last: None, visible: false }
    }

    /// How often the meter wants to be updated, if at all.
    pub fn interval(&self) -> Option<Duration> {
        self.terminal.then_some(INTERVAL)
    }

    /// Names what is being searched from now on.
    pub fn label(&mut self, label: String) {
        self.label = label;
        // Searches that are over in a moment are not worth a flicker.
        self.last = Some(Instant::now());
    }

    /// Shows a search's state, unless the last update is too recent.
    pub fn update(&mut self, progress: &Progress<'_>) {
        if !self.terminal || self.last.is_some_and(|last| last.elapsed() < INTERVAL) {
            return;
        }
        let Some(best) = progress.lines.first() else { return };
        let nodes = progress.nodes.total;
        let proven = match progress.proven {
            (-64, 64) => String::new(),
            (low, high) => format!(" [{low:+},{high:+}]"),
        };
        let text = format!(
            "{} depth {} score {}{proven} {} n {} n/s {:.1} s  {}",
            self.label,
            best.depth_text(),
            score_text(best),
            short(nodes),
            short(per_second(nodes, progress.elapsed)),
            progress.elapsed.as_secs_f64(),
            moves_text(&best.pv),
        );
        let text: String = text.chars().take(WIDTH).collect();
        let mut stderr = io::stderr().lock();
        let _ = write!(stderr, "\r\x1b[K{text}").and_then(|()| stderr.flush());
        self.last = Some(Instant::now());
        self.visible = true;
    }

    /// Removes the line.
    pub fn clear(&mut self) {
        if self.visible {
            let mut stderr = io::stderr().lock();
            let _ = write!(stderr, "\r\x1b[K").and_then(|()| stderr.flush());
            self.visible = false;
        }
    }
}
