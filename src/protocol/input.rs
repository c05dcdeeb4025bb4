//! The client's side of the dialogue: a thread that reads lines as they come, a queue of those not yet answered, and
//! the right to stop a running search.
//!
//! No stop can be lost: a search is announced ([`Input::begin_search`]) under the lock that also guards the queue, so
//! a line is either seen waiting by the search that starts or sees that search running.

use std::{
    collections::VecDeque,
    io::{self, Read},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use super::{Log, log::Direction, text};
use crate::search::StopFlag;

/// Longest line that is read, in bytes.
pub(super) const MAX_LINE: usize = 1 << 20;
/// The reader waits when this much is queued.
const MAX_QUEUED_BYTES: usize = 8 << 20;
const MAX_QUEUED_LINES: usize = 1 << 16;

/// What came from the client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Event {
    /// A line without its end.
    Line(Vec<u8>),
    /// A line longer than [`MAX_LINE`], dropped.
    TooLong,
    /// The end of the input.
    End,
}

/// What a waiting line means for a search that runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    /// Nothing; it waits its turn.
    None,
    /// It waits its turn and will start a search itself.
    Search,
    /// The search is to stop at once.
    Interrupt,
    /// The dialogue ends after it.
    Quit,
}

/// Why a search was told to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stopped {
    /// It was not.
    No,
    /// A command came that makes it obsolete.
    ByCommand,
    /// The dialogue ends.
    ByEnd,
}

/// How a protocol judges lines while it searches.
pub(super) type Judge = fn(&[u8]) -> Effect;

struct Running {
    stop: StopFlag,
    since: Instant,
    judge: Judge,
    interrupted: bool,
}

/// How many of the judged events in the queue have an effect.
#[derive(Default)]
struct Waiting {
    searches: usize,
    interrupts: usize,
    quits: usize,
}

impl Waiting {
    const fn of(&mut self, effect: Effect) -> Option<&mut usize> {
        match effect {
            Effect::None => None,
            Effect::Search => Some(&mut self.searches),
            Effect::Interrupt => Some(&mut self.interrupts),
            Effect::Quit => Some(&mut self.quits),
        }
    }
}

#[derive(Default)]
struct State {
    queue: VecDeque<Event>,
    queued_bytes: usize,
    // The effects of the queue's first events. Each event is judged once, so that many searches over a long queue do
    // not take quadratic time.
    judged: VecDeque<Effect>,
    waiting: Waiting,
    running: Option<Running>,
    // When the end of the dialogue (of the input, or a `quit` waiting) was first seen.
    ended: Option<Instant>,
}

impl State {
    /// Judges the events that came since the last search.
    fn judge(&mut self, judge: Judge) {
        while let Some(event) = self.queue.get(self.judged.len()) {
            let effect = match event {
                // What comes after the end of the dialogue is not answered.
                _ if self.waiting.quits > 0 => Effect::None,
                Event::Line(line) => judge(line),
                Event::TooLong => Effect::None,
                Event::End => Effect::Quit,
            };
            self.judged.push_back(effect);
            if let Some(count) = self.waiting.of(effect) {
                *count += 1;
            }
        }
    }

    /// The first event of the queue; the end stays there.
    fn take(&mut self) -> Option<Event> {
        if self.queue.front() == Some(&Event::End) {
            return Some(Event::End);
        }
        let event = self.queue.pop_front()?;
        if let Event::Line(line) = &event {
            self.queued_bytes = self.queued_bytes.saturating_sub(line.len());
        }
        if let Some(count) = self.judged.pop_front().and_then(|effect| self.waiting.of(effect)) {
            *count = count.saturating_sub(1);
        }
        Some(event)
    }
}

struct Shared {
    state: Mutex<State>,
    // Signalled when the queue grows or shrinks.
    changed: Condvar,
    end_grace: Duration,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, event: Event) {
        let size = if let Event::Line(line) = &event { line.len() } else { 0 };
        let mut state = self.lock();
        while state.queue.len() >= MAX_QUEUED_LINES || state.queued_bytes > MAX_QUEUED_BYTES {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let effect = match (&event, &state.running) {
            // Nothing counts after the end, which has its own timer.
            _ if state.ended.is_some() => Effect::None,
            (Event::End, _) => Effect::Quit,
            (Event::Line(line), Some(running)) => (running.judge)(line),
            (Event::Line(_), None) | (Event::TooLong, _) => Effect::None,
        };
        if effect == Effect::Quit {
            state.ended.get_or_insert_with(Instant::now);
        }
        if let Some(running) = &mut state.running {
            match effect {
                Effect::Interrupt => {
                    running.interrupted = true;
                    running.stop.stop();
                }
                Effect::Quit => stop_after(&running.stop, self.end_grace.saturating_sub(running.since.elapsed())),
                Effect::None | Effect::Search => {}
            }
        }
        state.queued_bytes += size;
        state.queue.push_back(event);
        drop(state);
        self.changed.notify_all();
    }
}

/// Sets a flag after a while; at once when there is no other way.
fn stop_after(stop: &StopFlag, delay: Duration) {
    let later = stop.clone();
    let timer = move || {
        thread::sleep(delay);
        later.stop();
    };
    if delay.is_zero() || thread::Builder::new().name("end".to_owned()).spawn(timer).is_err() {
        stop.stop();
    }
}

/// The lines of a client that are still to be answered.
pub(super) struct Input(Arc<Shared>);

impl Input {
    /// Starts to read.
    pub(super) fn start(reader: impl Read + Send + 'static, log: Option<Log>, end_grace: Duration) -> io::Result<Self> {
        let shared = Arc::new(Shared { state: Mutex::default(), changed: Condvar::new(), end_grace });
        let theirs = Arc::clone(&shared);
        thread::Builder::new().name("input".to_owned()).spawn(move || read_lines(reader, log.as_ref(), &theirs))?;
        Ok(Self(shared))
    }

    /// The next event; waits for it. After the end there is nothing but the end.
    pub(super) fn next(&self) -> Event {
        let mut state = self.0.lock();
        loop {
            match state.take() {
                Some(event) => {
                    drop(state);
                    self.0.changed.notify_all();
                    return event;
                }
                None => state = self.0.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// Announces a search; the flag is set when a line that `judge` says so is waiting or arrives.
    pub(super) fn begin_search(&self, judge: Judge) -> StopFlag {
        let stop = StopFlag::new();
        let mut state = self.0.lock();
        state.judge(judge);
        let interrupted = state.waiting.interrupts > 0;
        if interrupted {
            stop.stop();
        } else if state.waiting.quits > 0 || state.ended.is_some() {
            let ended = *state.ended.get_or_insert_with(Instant::now);
            // What is left of the grace is shared by the searches still to come.
            let searches = u32::try_from(state.waiting.searches).unwrap_or(u32::MAX).saturating_add(1);
            stop_after(&stop, self.0.end_grace.saturating_sub(ended.elapsed()) / searches);
        }
        state.running = Some(Running { stop: stop.clone(), since: Instant::now(), judge, interrupted });
        stop
    }

    /// Takes back what [`Input::begin_search`] announced and says whether the search was told to stop.
    pub(super) fn end_search(&self) -> Stopped {
        match self.0.lock().running.take() {
            Some(running) if running.interrupted => Stopped::ByCommand,
            Some(running) if running.stop.is_stopped() => Stopped::ByEnd,
            _ => Stopped::No,
        }
    }
}

fn read_lines(mut reader: impl Read, log: Option<&Log>, shared: &Shared) {
    let mut splitter = Splitter::default();
    let mut chunk = vec![0; 1 << 16];
    let mut emit = |event: Event| {
        if let (Some(log), Event::Line(line)) = (log, &event) {
            log.line(Direction::FromClient, line.strip_suffix(b"\r").unwrap_or(line));
        }
        // Blank lines are answered by no protocol.
        if !matches!(&event, Event::Line(line) if text::words(&text::clean(line)).next().is_none()) {
            shared.push(event);
        }
    };
    loop {
        match reader.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => splitter.feed(chunk.get(..count).unwrap_or_default(), &mut emit),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    splitter.finish(&mut emit);
    emit(Event::End);
}

/// Cuts bytes into lines.
#[derive(Default)]
struct Splitter {
    line: Vec<u8>,
    too_long: bool,
    past_first: bool,
}

impl Splitter {
    fn feed(&mut self, bytes: &[u8], emit: &mut impl FnMut(Event)) {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            let (piece, ends) = piece.strip_suffix(b"\n").map_or((piece, false), |piece| (piece, true));
            if self.line.len() + piece.len() > MAX_LINE {
                self.too_long = true;
                self.line = Vec::new();
            }
            if !self.too_long {
                self.line.extend_from_slice(piece);
            }
            if ends {
                self.end_line(emit);
            }
        }
    }

    fn finish(&mut self, emit: &mut impl FnMut(Event)) {
        if self.too_long || !self.line.is_empty() {
            self.end_line(emit);
        }
    }

    fn end_line(&mut self, emit: &mut impl FnMut(Event)) {
        let mut line = std::mem::take(&mut self.line);
        if !std::mem::replace(&mut self.past_first, true) {
            // A byte order mark, which some editors put before a script.
            line = line.strip_prefix("\u{feff}".as_bytes()).map(<[u8]>::to_vec).unwrap_or(line);
        }
        emit(if std::mem::take(&mut self.too_long) { Event::TooLong } else { Event::Line(line) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(pieces: &[&[u8]]) -> Vec<Event> {
        let mut events = Vec::new();
        let mut splitter = Splitter::default();
        for piece in pieces {
            splitter.feed(piece, &mut |event| events.push(event));
        }
        splitter.finish(&mut |event| events.push(event));
        events
    }

    fn line(text: &str) -> Event {
        Event::Line(text.as_bytes().to_vec())
    }

    #[test]
    fn lines_are_cut_at_line_feeds_only() {
        assert_eq!(
            split(&[b"na", b"me\r\nver", b"sion\n\nlast"]),
            [line("name\r"), line("version"), line(""), line("last")]
        );
        assert_eq!(split(&[b"\xef\xbb\xbfname\n\xef\xbb\xbf\n"]), [line("name"), line("\u{feff}")]);
    }

    #[test]
    fn over_long_lines_are_dropped_whole() {
        let long = vec![b'x'; MAX_LINE];
        assert_eq!(split(&[&long, b"\nname\n"]), [Event::Line(long.clone()), line("name")]);
        assert_eq!(
            split(&[&long, b"x", &long, b"\nname\n", &long, b"x"]),
            [Event::TooLong, line("name"), Event::TooLong]
        );
    }

    fn judge(line: &[u8]) -> Effect {
        match line {
            b"ping" => Effect::Interrupt,
            b"go" => Effect::Search,
            b"quit" => Effect::Quit,
            _ => Effect::None,
        }
    }

    fn input(script: &'static str) -> Input {
        let input = Input::start(script.as_bytes(), None, Duration::from_millis(20)).unwrap();
        // All is read once the end is in the queue.
        while input.0.lock().queue.back() != Some(&Event::End) {
            thread::sleep(Duration::from_millis(1));
        }
        input
    }

    #[test]
    fn a_waiting_interrupt_stops_a_search_before_it_starts() {
        let input = input("name\nping\nquit\n");
        assert!(input.begin_search(judge).is_stopped());
        assert_eq!(input.end_search(), Stopped::ByCommand);
        assert_eq!(input.next(), line("name"));
        assert_eq!(input.next(), line("ping"));
        assert!(!input.begin_search(|_| Effect::None).is_stopped());
        assert_eq!(input.next(), line("quit"));
        assert_eq!((input.next(), input.next()), (Event::End, Event::End));
    }

    #[test]
    fn an_interrupt_behind_many_lines_is_not_lost() {
        let script: &'static str = ["name\n".repeat(5000), "ping\nname\n".to_owned()].concat().leak();
        let input = input(script);
        assert!(input.begin_search(judge).is_stopped());
        assert_eq!(input.end_search(), Stopped::ByCommand);
        while input.next() != line("ping") {}
        input.begin_search(judge);
        assert_ne!(input.end_search(), Stopped::ByCommand);
        assert_eq!(input.next(), line("name"));
    }

    #[test]
    fn what_follows_the_end_has_no_effect() {
        let input = input("go\nquit\nping\n");
        assert!(!input.begin_search(judge).is_stopped());
        assert_ne!(input.end_search(), Stopped::ByCommand);
    }

    #[test]
    fn the_end_leaves_a_search_a_short_while() {
        let input = input("go\n");
        let stop = input.begin_search(judge);
        assert_eq!(input.end_search(), Stopped::No);
        let deadline = Instant::now() + Duration::from_secs(5);
        while !stop.is_stopped() {
            assert!(Instant::now() < deadline);
            thread::sleep(Duration::from_millis(1));
        }
    }
}
