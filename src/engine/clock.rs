//! Clocks and how much of them to spend on a move.
//!
//! A [`Clock`] is one player's clock under a [`TimeControl`]: main time, then either nothing, or periods of so many
//! moves in so much time (byo-yomi, "Canadian" overtime), and perhaps an increment after each move. [`Clock::budget`]
//! says how long to think. It never plans to use the last of the time: a reserve stays for delays that are not ours.

use std::time::Duration;

use super::TimeBudget;

/// How a game is timed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TimeControl {
    /// Time for the whole game, or before the first period.
    pub main: Duration,
    /// Time added after each move.
    pub increment: Duration,
    /// Overtime.
    pub byo_yomi: Option<ByoYomi>,
}

/// Overtime: `moves` moves in each `period`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ByoYomi {
    /// Time of one period.
    pub period: Duration,
    /// Moves to make in it; 0 counts as 1.
    pub moves: u32,
}

impl TimeControl {
    /// A fixed time for the whole game.
    pub const fn sudden_death(main: Duration) -> Self {
        Self { main, increment: Duration::ZERO, byo_yomi: None }
    }

    /// What the three numbers of GTP's `time_settings` mean: `None` is no limit.
    ///
    /// Periods of no moves are the standard's way to say "no limit", but match runners use them for an increment
    /// after each move; with a main time they are read so.
    pub fn from_gtp(main: Duration, period: Duration, moves: u32) -> Option<Self> {
        match (period.is_zero(), moves) {
            (true, _) => Some(Self::sudden_death(main)),
            (false, 0) if main.is_zero() => None,
            (false, 0) => Some(Self { main, increment: period, byo_yomi: None }),
            (false, moves) => Some(Self { main, increment: Duration::ZERO, byo_yomi: Some(ByoYomi { period, moves }) }),
        }
    }
}

/// One player's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    control: TimeControl,
    left: Duration,
    // Moves to make in the current period; 0 in the main time.
    moves_left: u32,
}

/// Kept back at all times for delays between the players.
const LAG: Duration = Duration::from_millis(30);
/// Kept back for each own move still to come.
const LAG_PER_MOVE: Duration = Duration::from_millis(4);
/// From this many empty squares on the game is about to be solved, after which moves cost little.
const SOLVED_EMPTIES: u32 = 20;

impl Clock {
    /// A clock at the start of a game.
    pub fn new(control: TimeControl) -> Self {
        let mut clock = Self { control, left: control.main, moves_left: 0 };
        clock.enter_period_if_due();
        clock
    }

    /// Time left, of the main time or of the current period.
    pub const fn left(&self) -> Duration {
        self.left
    }

    /// Sets the time left: of the main time when `moves` is 0, else of a period in which `moves` moves are to be made.
    pub fn set_left(&mut self, left: Duration, moves: u32) {
        self.left = left;
        self.moves_left = moves;
        if moves == 0 {
            self.enter_period_if_due();
        }
    }

    /// Counts a move that took `elapsed`. False when the time was overstepped; the clock then shows zero.
    pub fn spend(&mut self, elapsed: Duration) -> bool {
        let in_time = match self.left.checked_sub(elapsed) {
            Some(left) => {
                self.left = left;
                true
            }
            None => self.overstep(elapsed),
        };
        self.left = self.left.saturating_add(self.control.increment);
        if self.moves_left > 0 {
            self.moves_left -= 1;
            if let (0, Some(byo_yomi)) = (self.moves_left, self.control.byo_yomi) {
                self.start_period(byo_yomi);
            }
        } else {
            self.enter_period_if_due();
        }
        in_time
    }

    /// Time for the next move in a position with `empties` empty squares.
    pub fn budget(&self, empties: u32) -> TimeBudget {
        let own_moves = empties.div_ceil(2).max(1);
        // Moves that will cost time, if all goes as usual.
        let costly = own_moves.min(empties.saturating_sub(SOLVED_EMPTIES) / 2 + 3);
        let increment = self.control.increment;
        let (moves, extra) = match (self.moves_left, self.control.byo_yomi) {
            (0, None) => (costly, increment.mul_f64(0.75)),
            // Main time with periods to follow: one period's share may be used as well.
            (0, Some(byo_yomi)) => (costly, usable(byo_yomi.period / byo_yomi.moves.max(1), 1)),
            (moves, _) => (moves.min(own_moves), Duration::ZERO),
        };
        let usable = usable(self.left, if self.moves_left > 0 { moves } else { own_moves });
        let target = usable / moves.max(1) + extra;
        let (soft, hard) = if moves == 1 && self.moves_left > 0 {
            // The rest of this period would be lost.
            (usable, usable)
        } else if self.moves_left == 0 && self.control.byo_yomi.is_some() {
            (target.mul_f64(0.6), (target * 2).min(usable + extra))
        } else {
            let share = if increment > usable / 4 { 0.8 } else { 0.45 };
            (target.mul_f64(0.6), (target * 2).min(usable.mul_f64(share)))
        };
        // With (next to) nothing left it is too late to be careful; a moment still makes the move a better one.
        let hard = hard.max((self.left / 8).min(Duration::from_millis(2)));
        TimeBudget { soft: soft.min(hard), hard }
    }

    /// The main time ended within a move: what is beyond it counts against the first period.
    fn overstep(&mut self, elapsed: Duration) -> bool {
        let beyond = elapsed.saturating_sub(self.left);
        self.left = Duration::ZERO;
        if let (0, Some(byo_yomi)) = (self.moves_left, self.control.byo_yomi) {
            self.start_period(byo_yomi);
            if let Some(left) = self.left.checked_sub(beyond) {
                self.left = left;
                return true;
            }
            self.left = Duration::ZERO;
        }
        false
    }

    fn enter_period_if_due(&mut self) {
        if let (true, 0, Some(byo_yomi)) = (self.left.is_zero(), self.moves_left, self.control.byo_yomi) {
            self.start_period(byo_yomi);
        }
    }

    const fn start_period(&mut self, byo_yomi: ByoYomi) {
        self.left = byo_yomi.period;
        self.moves_left = if byo_yomi.moves == 0 { 1 } else { byo_yomi.moves };
    }
}

/// What may be planned with of a time in which `moves` own moves are to be made.
fn usable(left: Duration, moves: u32) -> Duration {
    let reserve = LAG + LAG_PER_MOVE * moves + (left / 50).min(Duration::from_millis(500));
    left.saturating_sub(reserve)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Plays a game's worth of moves, each taking the share `use_of_hard` of the hard limit and `lag` on top.
    fn play(control: TimeControl, use_of_hard: f64, lag: Duration) -> Clock {
        let mut clock = Clock::new(control);
        for empties in (1..=60).rev().step_by(2) {
            let budget = clock.budget(empties);
            assert!(budget.soft <= budget.hard, "{control:?} {empties}: {budget:?}");
            let before = clock;
            let in_time = clock.spend(budget.hard.mul_f64(use_of_hard) + lag);
            assert!(in_time, "{control:?} {use_of_hard} lost at {empties} empties: {before:?} {budget:?}");
        }
        clock
    }

    fn controls() -> Vec<TimeControl> {
        let sudden = |seconds| TimeControl::sudden_death(Duration::from_secs(seconds));
        let overtime = |main, period, moves| {
            TimeControl::from_gtp(Duration::from_secs(main), Duration::from_secs(period), moves).unwrap()
        };
        vec![
            sudden(1),
            sudden(2),
            sudden(5),
            sudden(300),
            sudden(1800),
            overtime(0, 15, 1),
            overtime(0, 1, 1),
            overtime(60, 300, 10),
            overtime(2, 1, 5),
            overtime(3, 1, 1),
            overtime(1, 1, 0),
            overtime(60, 2, 0),
        ]
    }

    #[test]
    fn fault_56_no_game_is_lost_on_time() {
        for control in controls() {
            for use_of_hard in [0.0, 0.3, 0.6, 0.9, 1.0] {
                for lag in [0, 1, 4] {
                    play(control, use_of_hard, Duration::from_millis(lag));
                }
            }
        }
    }

    #[test]
    fn a_single_long_delay_is_survived() {
        for control in controls() {
            let mut clock = Clock::new(control);
            for empties in (1..=60).rev().step_by(2) {
                let hard = clock.budget(empties).hard;
                // As long as there was time for it at all.
                if clock.left() > Duration::from_millis(60) {
                    let mut delayed = clock;
                    assert!(delayed.spend(hard + LAG), "{control:?} {empties} {clock:?} {hard:?}");
                }
                assert!(clock.spend(hard));
            }
        }
    }

    #[test]
    fn most_of_the_time_is_used() {
        for seconds in [2, 5, 300] {
            let clock = play(TimeControl::sudden_death(Duration::from_secs(seconds)), 0.5, Duration::ZERO);
            let left = clock.left().as_secs_f64() / seconds as f64;
            assert!(left < 0.3, "{seconds} s: {left}");
        }
        let budget = Clock::new(TimeControl::from_gtp(Duration::ZERO, 15 * SECOND, 1).unwrap()).budget(40);
        assert!(budget.soft > 14 * SECOND && budget.hard + LAG < 15 * SECOND, "{budget:?}");
    }

    #[test]
    fn nothing_left_is_a_move_at_once() {
        let mut clock = Clock::new(TimeControl::sudden_death(SECOND));
        for left in [0, 1, 10, 29, 50] {
            clock.set_left(Duration::from_millis(left), 0);
            let budget = clock.budget(50);
            assert!(budget.hard <= Duration::from_millis(left.min(2)), "{left}: {budget:?}");
        }
        assert!(!clock.spend(SECOND));
        assert_eq!(clock.left(), Duration::ZERO);
        assert_eq!(clock.budget(60), TimeBudget { soft: Duration::ZERO, hard: Duration::ZERO });
    }

    #[test]
    fn extremes_do_not_overflow() {
        for left in [Duration::ZERO, Duration::from_nanos(1), Duration::from_secs(1 << 40)] {
            for moves in [0, 1, u32::MAX >> 8] {
                let control =
                    TimeControl { main: left, increment: left, byo_yomi: Some(ByoYomi { period: left, moves }) };
                let mut clock = Clock::new(control);
                for empties in [0, 1, 4, 60, 64] {
                    let budget = clock.budget(empties);
                    assert!(budget.soft <= budget.hard);
                    clock.spend(Duration::from_secs(1 << 41));
                    clock.set_left(left, moves);
                }
            }
        }
    }

    #[test]
    fn periods_follow_the_main_time() {
        let mut clock = Clock::new(TimeControl::from_gtp(2 * SECOND, 10 * SECOND, 2).unwrap());
        assert!(clock.spend(SECOND));
        assert_eq!((clock.left(), clock.moves_left), (SECOND, 0));
        assert!(clock.spend(4 * SECOND));
        assert_eq!((clock.left(), clock.moves_left), (7 * SECOND, 1));
        assert!(clock.spend(7 * SECOND));
        assert_eq!((clock.left(), clock.moves_left), (10 * SECOND, 2));
        assert!(!clock.spend(11 * SECOND));
    }

    #[test]
    fn gtp_settings() {
        assert_eq!(TimeControl::from_gtp(Duration::ZERO, SECOND, 0), None);
        assert_eq!(TimeControl::from_gtp(SECOND, Duration::ZERO, 7), Some(TimeControl::sudden_death(SECOND)));
        let fischer = TimeControl::from_gtp(60 * SECOND, SECOND, 0).unwrap();
        assert_eq!((fischer.increment, fischer.byo_yomi), (SECOND, None));
    }
}
