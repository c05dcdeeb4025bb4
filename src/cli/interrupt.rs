//! Ctrl-C: stops the search in progress so that its best bounds can be shown; a second one, or one while nothing is
//! being searched, ends the program at once.

use std::{
    process,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use flipside::{
    board::Position,
    engine::{Engine, Outcome, Request},
    search::StopFlag,
};

use super::progress::Meter;

/// Exit status of an interrupted run, as shells have it for SIGINT.
pub const STATUS: u8 = 130;

/// The interrupt handler's side of a command that searches.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    stop: StopFlag,
    searching: Arc<AtomicBool>,
}

impl Interrupt {
    /// Takes over Ctrl-C. Where that is impossible, Ctrl-C keeps its usual meaning.
    pub fn install() -> Self {
        let interrupt = Self::default();
        let handler = interrupt.clone();
        let _ = ctrlc::set_handler(move || {
            if handler.stop.is_stopped() || !handler.searching.load(Ordering::SeqCst) {
                process::exit(i32::from(STATUS));
            }
            handler.stop.stop();
        });
        interrupt
    }

    /// True once the user has asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_stopped()
    }

    /// Searches with Ctrl-C in charge and `meter` showing progress.
    pub fn search(&self, engine: &mut Engine, position: Position, request: &Request, meter: &mut Meter) -> Outcome {
        engine.set_heartbeat(meter.interval());
        self.searching.store(true, Ordering::SeqCst);
        let outcome = engine.search(position, request, &self.stop, &mut |progress| meter.update(progress));
        self.searching.store(false, Ordering::SeqCst);
        meter.clear();
        outcome
    }
}
