//! Clocks of GGF: `main/increment/grace`, each `days.hours:minutes:seconds` with leading parts left out.

use std::{fmt, time::Duration};

use crate::notation::{
    ParseError,
    text::{Cursor, quote},
};

/// What a player has on the clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GgfClock {
    /// Time for the game, or what is left of it.
    pub main: Duration,
    /// Time added for each move.
    pub increment: Duration,
    /// Time granted once after the main time is used up; two minutes unless written.
    pub grace: Duration,
}

impl GgfClock {
    /// The grace of a clock that names none.
    pub const USUAL_GRACE: Duration = Duration::from_secs(120);

    /// A clock with this main time, no increment and the usual grace.
    pub const fn sudden_death(main: Duration) -> Self {
        Self { main, increment: Duration::ZERO, grace: Self::USUAL_GRACE }
    }
}

/// Parses a clock; `None` when there is nothing. Each part may have a `,` and what GGS says about stones behind it,
/// which is ignored.
pub(super) fn parse(value: &Cursor) -> Result<Option<GgfClock>, ParseError> {
    if value.rest().trim_ascii().is_empty() {
        return Ok(None);
    }
    let mut cursor = value.clone();
    let mut clock = GgfClock::sudden_death(Duration::ZERO);
    for part in [&mut clock.main, &mut clock.increment, &mut clock.grace] {
        let start = cursor.offset();
        let text = cursor.take_while(|byte| byte != b'/');
        let time = text.split(|&byte| byte == b',').next().unwrap_or_default().trim_ascii();
        if !time.is_empty() {
            *part = parse_time(time).ok_or_else(|| {
                value.error_at(start, format!("expected a time such as 5:00 or 1:30:00, found {}", quote(text)))
            })?;
        }
        if !cursor.eat(b'/') {
            break;
        }
    }
    if cursor.is_at_end() { Ok(Some(clock)) } else { Err(cursor.expected("a clock, main/increment/grace")) }
}

/// `[[[days.]hours:]minutes:]seconds`; the last part may have decimals.
fn parse_time(text: &[u8]) -> Option<Duration> {
    let text = str::from_utf8(text).ok()?;
    // A point before a colon ends the days; one behind the last colon begins decimals.
    let (days, text) = match text.split_once('.') {
        Some((days, rest)) if rest.contains(':') => (whole(days)?, rest),
        _ => (0, text),
    };
    let (front, seconds) = text.rsplit_once(':').map_or((None, text), |(front, seconds)| (Some(front), seconds));
    let (hours, minutes) = match front.map(|front| front.split_once(':')) {
        None => (0, 0),
        Some(None) => (0, whole(front?)?),
        Some(Some((hours, minutes))) => (whole(hours)?, whole(minutes)?),
    };
    let (seconds, decimals) = seconds.split_once('.').unwrap_or((seconds, ""));
    if decimals.len() > 9 || decimals.bytes().any(|byte| !byte.is_ascii_digit()) {
        return None;
    }
    let nanoseconds = format!("{decimals:0<9}").parse().ok()?;
    Some(Duration::new(((days * 24 + hours) * 60 + minutes) * 60 + whole(seconds)?, nanoseconds))
}

/// A whole number of at most nine digits, so that sums of times cannot overflow.
fn whole(text: &str) -> Option<u64> {
    (text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

impl fmt::Display for GgfClock {
    /// `5:00`, `15:00/0:05`, `15:00//2:00`: a zero increment is left out, and so is the usual grace.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_time(formatter, self.main)?;
        if self.increment.is_zero() && self.grace == Self::USUAL_GRACE {
            return Ok(());
        }
        formatter.write_str("/")?;
        if !self.increment.is_zero() {
            write_time(formatter, self.increment)?;
        }
        if self.grace != Self::USUAL_GRACE {
            formatter.write_str("/")?;
            write_time(formatter, self.grace)?;
        }
        Ok(())
    }
}

fn write_time(formatter: &mut fmt::Formatter<'_>, time: Duration) -> fmt::Result {
    let (minutes, seconds) = (time.as_secs() / 60, time.as_secs() % 60);
    let (hours, minutes) = (minutes / 60, minutes % 60);
    if hours > 0 {
        write!(formatter, "{hours}:{minutes:02}:{seconds:02}")?;
    } else {
        write!(formatter, "{minutes}:{seconds:02}")?;
    }
    if time.subsec_nanos() == 0 {
        return Ok(());
    }
    let decimals = format!("{:09}", time.subsec_nanos());
    write!(formatter, ".{}", decimals.trim_end_matches('0'))
}
