//! Our engine as a player in this process.

use std::time::{Duration, Instant};

use flipside::{
    board::{Game, Move},
    engine::{Engine, Goal, Request, Settings, TimeBudget},
    search::{Selectivity, StopFlag},
};

use super::player::{Clock, Fault, Player, PlayerSpec, TimeControl};
use crate::searcher::evaluator;

/// Our engine with a goal.
#[derive(Debug)]
pub struct OurPlayer {
    engine: Engine,
    goal: Goal,
}

impl OurPlayer {
    /// An engine set up as the specification says.
    ///
    /// # Errors
    /// A text that says what is not possible.
    pub fn new(spec: &PlayerSpec) -> Result<Self, String> {
        let goal = match (spec.depth, spec.level) {
            (Some(_), Some(_)) => return Err("give depth or level, not both".to_owned()),
            (Some(depth), None) => Goal::Depth(depth, selectivity(spec.selectivity)?),
            (None, Some(level)) if level > Goal::MAX_LEVEL => {
                return Err(format!("level={level}: expected 0 to {}", Goal::MAX_LEVEL));
            }
            (None, Some(level)) => Goal::Level(level),
            (None, None) if spec.time == TimeControl::Unlimited => {
                return Err("expected depth, level, move-time or clock".to_owned());
            }
            (None, None) => Goal::Level(Goal::MAX_LEVEL),
        };
        let goal = match goal {
            _ if spec.cuts => goal,
            Goal::Depth(depth, _) => Goal::FullWidth(depth),
            _ if spec.level.is_some() => return Err("cuts=no goes with depth, move-time or clock".to_owned()),
            _ => Goal::FullWidth(60),
        };
        let evaluator = evaluator(spec.weights.as_deref()).map_err(|error| error.to_string())?;
        let evaluator = if spec.network { evaluator } else { evaluator.without_network() };
        let settings =
            Settings { threads: spec.threads, hash_mib: spec.hash, use_book: spec.book, ..Settings::default() };
        Ok(Self { engine: Engine::with_evaluator(settings, evaluator).map_err(|error| error.to_string())?, goal })
    }
}

fn selectivity(percent: u32) -> Result<Selectivity, String> {
    Selectivity::ALL.into_iter().find(|level| level.percent() == percent).ok_or_else(|| {
        let names: Vec<String> = Selectivity::ALL.iter().map(|level| level.percent().to_string()).collect();
        format!("selectivity {percent}: expected one of {}", names.join(", "))
    })
}

/// Time for one move.
fn budget(game: &Game, clock: &Clock) -> Option<TimeBudget> {
    match (clock.control, clock.left) {
        (TimeControl::Unlimited, _) => None,
        (TimeControl::Move(time), _) => Some(TimeBudget { soft: time.mul_f64(0.6), hard: time.mul_f64(0.95) }),
        (TimeControl::Game(all), left) => {
            let left = left.unwrap_or(all).saturating_sub(Duration::from_millis(50));
            // The last dozen or so moves are solved at once.
            let moves = (f64::from(game.board().position().empties()) - 16.0).max(2.0) / 2.0;
            let share = left.mul_f64((1.0 / moves).min(0.4));
            Some(TimeBudget { soft: share.mul_f64(0.7), hard: (share * 2).min(left.mul_f64(0.6)) })
        }
    }
}

impl Player for OurPlayer {
    fn new_game(&mut self, _: u64, _: TimeControl, _: Instant) -> Result<(), Fault> {
        self.engine.clear();
        Ok(())
    }

    fn choose(&mut self, game: &Game, _: &[f64], clock: &Clock) -> Result<Move, Fault> {
        let request = Request { goal: self.goal, lines: 1, time: budget(game, clock) };
        let outcome = self.engine.search(game.board().position(), &request, &StopFlag::new(), &mut |_| {});
        outcome.lines.first().map(|line| line.mv).ok_or_else(|| Fault::Illegal("no move".to_owned()))
    }
}
