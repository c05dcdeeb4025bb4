//! Openings: random ones, all different modulo symmetry for as long as there are new ones, or given ones in random
//! order.

use std::collections::HashSet;

use flipside::{
    board::{Color, Game, Move, Position},
    eval::{Evaluator, Features},
};

use crate::{games::Header, rng::Rng};

/// An opening.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The game so far, not over.
    pub game: Game,
    /// How many placements it has.
    pub random_plies: u8,
    /// No opening that is new was found.
    pub repeated: bool,
}

/// The sequence of openings of a seed; each depends on those before it.
#[derive(Clone, Debug)]
pub struct Openings {
    header: Header,
    evaluator: Evaluator,
    number: u64,
    seen: HashSet<u64>,
    // Empty for random openings.
    given: Vec<Game>,
}

/// Tries before a repetition is accepted.
const ATTEMPTS: u64 = 200;

impl Openings {
    /// Openings of `random_min` to `random_max` placements, uniformly many; of those beyond `random_min` a share of
    /// `sound_percent` is the best by this evaluation.
    pub fn new(header: &Header, evaluator: Evaluator) -> Self {
        Self { header: *header, evaluator, number: 0, seen: HashSet::new(), given: Vec::new() }
    }

    /// The given openings (none of them over, at least one) in random order, again and again.
    pub fn from_games(header: &Header, evaluator: Evaluator, mut given: Vec<Game>) -> Self {
        Rng::stream(header.seed, u64::MAX).shuffle(&mut given);
        Self { given, ..Self::new(header, evaluator) }
    }

    /// The next opening.
    pub fn next_opening(&mut self) -> Opening {
        let number = self.number;
        self.number += 1;
        if !self.given.is_empty() {
            let count = self.given.len() as u64;
            let game = self.given[(number % count) as usize].clone();
            let random_plies = game.moves().iter().filter(|mv| mv.square().is_some()).count() as u8;
            return Opening { game, random_plies, repeated: number >= count };
        }
        let mut rng = Rng::stream(self.header.seed, number);
        let mut fallback = None;
        for _ in 0..ATTEMPTS {
            let Some((game, random_plies)) = self.random_game(&mut rng) else { continue };
            let board = game.board();
            // Who is to move does not matter to the value, but keeps the two colours' games apart.
            let side = u64::from(board.side_to_move() == Color::Black);
            if self.seen.insert(board.position().canonical().hash() ^ side) {
                return Opening { game, random_plies, repeated: false };
            }
            fallback.get_or_insert((game, random_plies));
        }
        let (game, random_plies) = fallback.unwrap_or_default();
        Opening { game, random_plies, repeated: true }
    }

    /// A game of random placements (forced passes in between do not count), or `None` when it came to its end.
    fn random_game(&self, rng: &mut Rng) -> Option<(Game, u8)> {
        let Header { random_min: least, random_max: most, sound_percent, .. } = self.header;
        let count = least + rng.below(u64::from(most - least) + 1) as u8;
        let mut game = Game::default();
        let mut placed = 0;
        while placed < count {
            let moves = game.board().position().moves();
            let &random = moves.get(rng.below(moves.len() as u64) as usize)?;
            let sound = sound_percent > 0 && placed >= least && rng.below(100) < u64::from(sound_percent);
            let mv = if sound { best_move(&self.evaluator, game.board().position())? } else { random };
            game.play(mv).ok()?;
            placed += u8::from(mv.square().is_some());
        }
        (!game.is_over()).then_some((game, count))
    }
}

/// The best move by a search of one ply, or the pass; `None` when the game is over.
fn best_move(evaluator: &Evaluator, position: Position) -> Option<Move> {
    let features = Features::of(position);
    position.moves().into_iter().min_by_key(|mv| {
        let Move::Place(square) = *mv else { return 0 };
        let child = features.after(square, position.flips(square));
        evaluator.value(&child, position.empties() - 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::OPENINGS_FROM_FILE;

    fn openings(seed: u64, random_min: u8, random_max: u8, sound_percent: u8) -> Openings {
        let header = Header { depth: 1, exact_empties: 6, random_min, random_max, sound_percent, seed, weights: 0 };
        Openings::new(&header, Evaluator::default())
    }

    #[test]
    fn sound_plies_lose_less() {
        // The mean size of the value after 30 plies tells random play from sensible play.
        let spread = |sound_percent| {
            let mut openings = openings(3, 4, 30, sound_percent);
            let evaluator = Evaluator::default();
            let values = (0..200).map(|_| evaluator.evaluate(openings.next_opening().game.board().position()).abs());
            values.sum::<i32>()
        };
        assert!(spread(100) * 3 < spread(0) * 2, "{} {}", spread(100), spread(0));
    }

    #[test]
    fn given_openings_come_in_random_order_and_again() {
        let header = Header {
            depth: 1,
            exact_empties: 6,
            random_min: 0,
            random_max: 0,
            sound_percent: OPENINGS_FROM_FILE,
            seed: 5,
            weights: 0,
        };
        let mut random = openings(4, 3, 9, 0);
        let games: Vec<Game> = (0..20).map(|_| random.next_opening().game).collect();
        let mut given = Openings::from_games(&header, Evaluator::default(), games.clone());
        let taken: Vec<Opening> = (0..40).map(|_| given.next_opening()).collect();
        assert!(taken[..20].iter().all(|opening| !opening.repeated && opening.random_plies >= 3));
        assert!(taken[20..].iter().all(|opening| opening.repeated));
        assert!(games.iter().all(|game| taken[..20].iter().any(|opening| opening.game.moves() == game.moves())));
        assert!((0..20).any(|index| taken[index].game.moves() != games[index].moves()));
    }

    #[test]
    fn openings_differ_until_there_are_no_more() {
        // Modulo symmetry there are 1, 3 and 14 positions after one, two and three plies.
        let mut openings = openings(1, 1, 3, 0);
        let repeated: Vec<bool> = (0..30).map(|_| openings.next_opening().repeated).collect();
        assert_eq!(repeated.iter().filter(|&&repeated| !repeated).count(), 18);
        assert!(repeated[..10].iter().all(|&repeated| !repeated));
    }

    #[test]
    fn counts_are_spread_over_the_range() {
        let mut openings = openings(2, 8, 11, 0);
        let mut counts = [0; 64];
        for _ in 0..2000 {
            let opening = openings.next_opening();
            assert_eq!(opening.game.board().position().empties(), 60 - u32::from(opening.random_plies));
            counts[usize::from(opening.random_plies)] += 1;
        }
        assert!(counts[8..12].iter().all(|&count| (400..600).contains(&count)), "{counts:?}");
    }
}
