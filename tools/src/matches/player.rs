//! Who plays: the players of a match behind one interface, and how they are named on the command line.

use std::{
    fmt,
    path::PathBuf,
    time::{Duration, Instant},
};

use flipside::board::{Game, Move, Position};

use super::{gtp::GtpPlayer, nboard::NboardPlayer, ours::OurPlayer};
use crate::{
    error::{Result, ToolError},
    rng::Rng,
};

/// Why a player loses without playing on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// It named an illegal move or something that is no move.
    Illegal(String),
    /// It ended or could not be started.
    Crash(String),
    /// It did not answer in time.
    Time(String),
    /// It refused a command or broke its protocol.
    Protocol(String),
}

impl Fault {
    /// A crash.
    pub fn crash(text: impl Into<String>) -> Self {
        Self::Crash(text.into())
    }

    /// One word for the log.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Illegal(_) => "illegal",
            Self::Crash(_) => "crash",
            Self::Time(_) => "time",
            Self::Protocol(_) => "protocol",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, text) = match self {
            Self::Illegal(text) => ("illegal move", text),
            Self::Crash(text) => ("crash", text),
            Self::Time(text) => ("out of time", text),
            Self::Protocol(text) => ("protocol error", text),
        };
        write!(formatter, "{kind}: {text}")
    }
}

/// How long a player may think.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum TimeControl {
    /// As long as it wants (up to the runner's limit).
    Unlimited,
    /// This long for each move.
    Move(Duration),
    /// This long for all its moves.
    Game(Duration),
}

/// The state of a player's clock when it is asked.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Clock {
    /// The time control.
    pub control: TimeControl,
    /// What is left of the game's time, when there is one.
    pub left: Option<Duration>,
    /// When an answer is too late.
    pub deadline: Instant,
}

/// A player.
pub trait Player: Send {
    /// Makes ready for a game; `seed` is that of random choices, `deadline` is when getting ready takes too long.
    ///
    /// # Errors
    /// When the player cannot play.
    fn new_game(&mut self, seed: u64, control: TimeControl, deadline: Instant) -> std::result::Result<(), Fault>;

    /// The move in the current position of `game`, whose side to move can place. `times` are the seconds used for
    /// each move so far.
    ///
    /// # Errors
    /// When the player fails; the move itself is checked by the caller.
    fn choose(&mut self, game: &Game, times: &[f64], clock: &Clock) -> std::result::Result<Move, Fault>;
}

/// A player as given on the command line: `KIND[,KEY=VALUE...][:COMMAND]`.
// Each of them is a key of its own, yes or no.
#[allow(clippy::struct_excessive_bools)]
#[derive(Clone, PartialEq, Debug)]
pub struct PlayerSpec {
    /// What it is.
    pub kind: Kind,
    /// Name in logs.
    pub name: String,
    /// Search depth, when fixed.
    pub depth: Option<u32>,
    /// Level, when fixed.
    pub level: Option<u32>,
    /// Time control.
    pub time: TimeControl,
    /// Threads of our engine.
    pub threads: usize,
    /// Hash size of our engine in MiB.
    pub hash: usize,
    /// Confidence of our engine's probabilistic cuts at a fixed depth, in percent; 100 for none.
    pub selectivity: u32,
    /// Whether our engine may use probabilistic cuts at all.
    pub cuts: bool,
    /// Whether our engine corrects the pattern sum by its network.
    pub network: bool,
    /// Whether our engine may use its book.
    pub book: bool,
    /// Weights file of our engine.
    pub weights: Option<PathBuf>,
    /// Whether passes are sent to a GTP program.
    pub passes: bool,
}

/// Kinds of players.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Our engine, in this process.
    Ours,
    /// The one-ply mobility and corners player.
    Greedy,
    /// A random mover.
    Random,
    /// A program that speaks GTP.
    Gtp(String),
    /// A program that speaks `NBoard`'s protocol.
    Nboard(String),
}

const EXPECTED: &str = "expected KIND[,KEY=VALUE...][:COMMAND] with KIND one of ours, greedy, random, gtp, nboard and \
                        KEY one of name, depth, level, move-time, clock, threads, hash, selectivity, cuts, network, book, weights, passes";

impl std::str::FromStr for PlayerSpec {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let bad = |what: &str| format!("player '{text}': {what}; {EXPECTED}");
        let (head, command) = match text.split_once(':') {
            Some((head, command)) => (head, Some(command.trim().to_owned())),
            None => (text, None),
        };
        let mut parts = head.split(',');
        let word = parts.next().unwrap_or_default().trim();
        let needed = || command.clone().filter(|command| !command.is_empty());
        let kind = match word {
            "ours" => Kind::Ours,
            "greedy" => Kind::Greedy,
            "random" => Kind::Random,
            "gtp" => Kind::Gtp(needed().ok_or_else(|| bad("the command is missing"))?),
            "nboard" => Kind::Nboard(needed().ok_or_else(|| bad("the command is missing"))?),
            _ => return Err(bad(&format!("'{word}' is no kind of player"))),
        };
        let mut spec = Self {
            kind,
            name: head.to_owned(),
            depth: None,
            level: None,
            time: TimeControl::Unlimited,
            threads: 1,
            hash: 16,
            selectivity: 100,
            cuts: true,
            network: true,
            book: false,
            weights: None,
            passes: true,
        };
        for part in parts {
            let (key, value) = part.split_once('=').ok_or_else(|| bad(&format!("'{part}' has no value")))?;
            let wrong = || bad(&format!("'{value}' is no value for {key}"));
            let number = || value.parse::<u32>().map_err(|_| wrong());
            let truth = || match value {
                "yes" => Ok(true),
                "no" => Ok(false),
                _ => Err(wrong()),
            };
            let seconds = || {
                let seconds = value.parse::<f64>().ok().filter(|seconds| (0.001..=1e6).contains(seconds));
                seconds.map(Duration::from_secs_f64).ok_or_else(wrong)
            };
            match key {
                "name" => value.clone_into(&mut spec.name),
                "depth" => spec.depth = Some(number()?),
                "level" => spec.level = Some(number()?),
                "move-time" => spec.time = TimeControl::Move(seconds()?),
                "clock" => spec.time = TimeControl::Game(seconds()?),
                "threads" => spec.threads = number()? as usize,
                "hash" => spec.hash = number()? as usize,
                "selectivity" => spec.selectivity = number()?,
                "cuts" => spec.cuts = truth()?,
                "network" => spec.network = truth()?,
                "book" => spec.book = truth()?,
                "weights" => spec.weights = Some(value.into()),
                "passes" => spec.passes = truth()?,
                _ => return Err(bad(&format!("unknown key '{key}'"))),
            }
        }
        Ok(spec)
    }
}

impl PlayerSpec {
    /// The player. Programs are started at their first game.
    ///
    /// # Errors
    /// When our engine cannot be set up so, or a program cannot be told its time.
    pub fn build(&self) -> Result<Box<dyn Player>> {
        let usage = |problem: String| ToolError::usage(format!("player '{}': {problem}", self.name));
        Ok(match &self.kind {
            Kind::Ours => Box::new(OurPlayer::new(self).map_err(usage)?),
            Kind::Greedy => Box::new(Greedy { rng: Rng::new(0) }),
            Kind::Random => Box::new(RandomMover { rng: Rng::new(0) }),
            Kind::Gtp(command) => match self.time {
                TimeControl::Move(time) | TimeControl::Game(time) if time.as_secs_f64().fract() != 0.0 => {
                    let seconds = time.as_secs_f64();
                    return Err(usage(format!("{seconds} s cannot be told by GTP, expected whole seconds")));
                }
                _ => Box::new(GtpPlayer::new(command, self.passes)),
            },
            Kind::Nboard(command) => Box::new(NboardPlayer::new(command, self.depth.or(self.level))),
        })
    }
}

/// Looks one ply ahead: corners first, then its own mobility against the opponent's; equals are chosen at random.
#[derive(Debug)]
struct Greedy {
    rng: Rng,
}

impl Player for Greedy {
    fn new_game(&mut self, seed: u64, _: TimeControl, _: Instant) -> std::result::Result<(), Fault> {
        self.rng = Rng::new(seed);
        Ok(())
    }

    fn choose(&mut self, game: &Game, _: &[f64], _: &Clock) -> std::result::Result<Move, Fault> {
        let position = game.board().position();
        let value = |child: Position| {
            if child.is_over() {
                return child.final_score() * 1000;
            }
            let mobility = |position: Position| position.legal_moves().count_ones() as i32;
            let corners = |discs: u64| (discs & 0x8100000000000081).count_ones() as i32;
            mobility(child) - mobility(child.pass()) + 16 * (corners(child.mover()) - corners(child.opponent()))
        };
        let mut moves: Vec<(Move, Position)> =
            position.moves().into_iter().filter_map(|mv| Some((mv, position.play(mv)?))).collect();
        self.rng.shuffle(&mut moves);
        // The child is seen by the opponent: the least is best.
        let best = moves.into_iter().min_by_key(|&(_, child)| value(child));
        best.map(|(mv, _)| mv).ok_or_else(|| Fault::Illegal("no move left".to_owned()))
    }
}

#[derive(Debug)]
struct RandomMover {
    rng: Rng,
}

impl Player for RandomMover {
    fn new_game(&mut self, seed: u64, _: TimeControl, _: Instant) -> std::result::Result<(), Fault> {
        self.rng = Rng::new(seed);
        Ok(())
    }

    fn choose(&mut self, game: &Game, _: &[f64], _: &Clock) -> std::result::Result<Move, Fault> {
        let moves = game.board().position().moves();
        let chosen = moves.get(self.rng.below(moves.len() as u64) as usize).copied();
        chosen.ok_or_else(|| Fault::Illegal("no move left".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_are_read() {
        let spec: PlayerSpec = "ours,depth=4,name=new,weights=w.bin,hash=32,book=yes".parse().unwrap();
        assert_eq!((spec.kind, spec.depth, spec.name.as_str(), spec.hash), (Kind::Ours, Some(4), "new", 32));
        let spec: PlayerSpec = "gtp,move-time=0.5: prog -x a:b".parse().unwrap();
        assert_eq!(spec.kind, Kind::Gtp("prog -x a:b".to_owned()));
        assert_eq!(spec.time, TimeControl::Move(Duration::from_millis(500)));
        let message = spec.build().err().map(|error| error.to_string()).unwrap_or_default();
        assert!(message.contains("0.5 s cannot be told by GTP"), "{message}");
        assert!("gtp,move-time=2:prog".parse::<PlayerSpec>().unwrap().build().is_ok());
        for bad in ["", "foo", "gtp", "nboard:", "ours,depth", "ours,depth=x", "ours,foo=1", "ours,clock=-1"] {
            let message = bad.parse::<PlayerSpec>().unwrap_err();
            assert!(message.contains("expected KIND"), "{message}");
        }
    }
}
