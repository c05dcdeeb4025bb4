//! One game of a match: clocks, forced passes, and what happens to a player that fails.

use std::time::{Duration, Instant};

use flipside::board::{Color, Game, Move};

use super::player::{Clock, Fault, Player, TimeControl};

/// A game that has ended.
#[derive(Clone, Debug)]
pub struct Finished {
    /// All moves up to the end or the fault.
    pub game: Game,
    /// Black's discs minus white's; ±64 against the side that failed.
    pub score: i32,
    /// Who failed and why, when the game did not end on the board.
    pub fault: Option<(Color, Fault)>,
    /// Seconds that black and white used.
    pub seconds: [f64; 2],
}

/// Limits that hold for every player.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Longest time for a move without a clock, and for a program to start.
    pub patience: Duration,
    /// What is granted beyond a clock.
    pub grace: Duration,
}

/// Plays on from `opening` to the end. `controls` are those of black and white; `seed` is that of players that choose
/// at random.
pub fn play(
    opening: &Game,
    players: [&mut dyn Player; 2],
    controls: [TimeControl; 2],
    limits: Limits,
    seed: u64,
) -> Finished {
    let mut game = opening.clone();
    let mut times = vec![0.0; game.moves().len()];
    let mut used = [Duration::ZERO; 2];
    let [black, white] = players;
    let players = [black, white];
    let seconds = |used: [Duration; 2]| used.map(|used| used.as_secs_f64());
    let failed = |game: Game, side: usize, fault: Fault, used| Finished {
        game,
        score: if side == 0 { -64 } else { 64 },
        fault: Some((if side == 0 { Color::Black } else { Color::White }, fault)),
        seconds: seconds(used),
    };
    for side in [0, 1] {
        if let Err(fault) = players[side].new_game(seed ^ side as u64, controls[side], Instant::now() + limits.patience)
        {
            return failed(game, side, fault, used);
        }
    }
    while !game.is_over() {
        if game.board().position().must_pass() {
            if let Err(problem) = game.play(Move::Pass) {
                return failed(game, 0, Fault::Illegal(problem.to_string()), used);
            }
            times.push(0.0);
            continue;
        }
        let side = usize::from(game.board().side_to_move() == Color::White);
        let start = Instant::now();
        let (left, longest) = match controls[side] {
            TimeControl::Unlimited => (None, limits.patience),
            TimeControl::Move(time) => (None, time + limits.grace),
            TimeControl::Game(time) => {
                let left = time.saturating_sub(used[side]);
                (Some(left), left + limits.grace)
            }
        };
        let clock = Clock { control: controls[side], left, deadline: start + longest };
        let chosen = players[side].choose(&game, &times, &clock);
        let elapsed = start.elapsed();
        used[side] += elapsed;
        let mv = match chosen {
            Ok(_) if elapsed > longest => {
                let text =
                    format!("{:.2} s for a move, allowed were {:.2}", elapsed.as_secs_f64(), longest.as_secs_f64());
                return failed(game, side, Fault::Time(text), used);
            }
            Ok(mv) => mv,
            Err(fault) => return failed(game, side, fault, used),
        };
        if let Err(problem) = game.play(mv) {
            return failed(game, side, Fault::Illegal(format!("{mv}: {problem}")), used);
        }
        times.push(elapsed.as_secs_f64());
    }
    Finished { score: game.board().final_score_for_black(), game, fault: None, seconds: seconds(used) }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::matches::player::PlayerSpec;

    const LIMITS: Limits = Limits { patience: Duration::from_millis(400), grace: Duration::from_millis(100) };

    /// A game of the given player as black against a random mover.
    fn against_random(black: &str) -> Finished {
        let spec: PlayerSpec = black.parse().unwrap();
        let mut black = spec.build().unwrap();
        let mut white = "random".parse::<PlayerSpec>().unwrap().build().unwrap();
        play(&Game::default(), [black.as_mut(), white.as_mut()], [spec.time, TimeControl::Unlimited], LIMITS, 1)
    }

    /// A GTP program that answers `=` to all but `genmove`, where it does as told.
    fn script(on_genmove: &str) -> String {
        format!(
            "gtp:sh -c 'while read c rest; do case $c in genmove) {on_genmove};; quit) exit;; *) echo \"= \"; echo;; esac; done'"
        )
    }

    #[test]
    fn games_end_on_the_board() {
        let finished = against_random("greedy");
        assert!(finished.fault.is_none() && finished.game.is_over());
        assert_eq!(finished.score, finished.game.board().final_score_for_black());
    }

    #[test]
    fn failing_programs_lose() {
        let cases = [
            (script("echo \"= A1\"; echo"), "illegal", "a1 flips no disc"),
            (script("echo \"= resign\"; echo"), "illegal", "'resign' is no move"),
            (script("exit 3"), "crash", "exit status: 3"),
            (script("sleep 1"), "time", "no answer to 'genmove black'"),
            (script("echo \"? cannot\"; echo"), "protocol", "refused: cannot"),
            ("gtp:/no/such/program".to_owned(), "crash", "cannot start"),
            ("nboard:sh -c 'read a; exit 1'".to_owned(), "crash", "ended after"),
        ];
        for (command, kind, text) in cases {
            let finished = against_random(&command);
            let (side, fault) = finished.fault.unwrap();
            assert_eq!((side, finished.score, fault.kind()), (Color::Black, -64, kind), "{command}: {fault}");
            assert!(fault.to_string().contains(text), "{fault}");
        }
    }
}
