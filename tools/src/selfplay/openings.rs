//! Random openings, all different modulo symmetry for as long as there are new ones.

use std::collections::HashSet;

use flipside::board::{Color, Game};

use crate::rng::Rng;

/// A random opening.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The game so far, not over.
    pub game: Game,
    /// How many random placements were made.
    pub random_plies: u8,
    /// No opening that is new was found.
    pub repeated: bool,
}

/// The sequence of openings of a seed; each depends on those before it.
#[derive(Clone, Debug)]
pub struct Openings {
    seed: u64,
    least: u8,
    most: u8,
    number: u64,
    seen: HashSet<u64>,
}

/// Tries before a repetition is accepted.
const ATTEMPTS: u64 = 200;

impl Openings {
    /// Openings of `least` to `most` random placements, uniformly many.
    pub fn new(seed: u64, least: u8, most: u8) -> Self {
        Self { seed, least, most, number: 0, seen: HashSet::new() }
    }

    /// The next opening.
    pub fn next_opening(&mut self) -> Opening {
        let mut rng = Rng::stream(self.seed, self.number);
        self.number += 1;
        let mut fallback = None;
        for _ in 0..ATTEMPTS {
            let Some((game, random_plies)) = random_game(&mut rng, self.least, self.most) else { continue };
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
}

/// A game of random placements (forced passes in between do not count), or `None` when it came to its end.
fn random_game(rng: &mut Rng, least: u8, most: u8) -> Option<(Game, u8)> {
    let count = least + rng.below(u64::from(most - least) + 1) as u8;
    let mut game = Game::default();
    let mut placed = 0;
    while placed < count {
        let moves = game.board().position().moves();
        let &mv = moves.get(rng.below(moves.len() as u64) as usize)?;
        game.play(mv).ok()?;
        placed += u8::from(mv.square().is_some());
    }
    (!game.is_over()).then_some((game, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_differ_until_there_are_no_more() {
        // Modulo symmetry there are 1, 3 and 14 positions after one, two and three plies.
        let mut openings = Openings::new(1, 1, 3);
        let repeated: Vec<bool> = (0..30).map(|_| openings.next_opening().repeated).collect();
        assert_eq!(repeated.iter().filter(|&&repeated| !repeated).count(), 18);
        assert!(repeated[..10].iter().all(|&repeated| !repeated));
    }

    #[test]
    fn counts_are_spread_over_the_range() {
        let mut openings = Openings::new(2, 8, 11);
        let mut counts = [0; 64];
        for _ in 0..2000 {
            let opening = openings.next_opening();
            assert_eq!(opening.game.board().position().empties(), 60 - u32::from(opening.random_plies));
            counts[usize::from(opening.random_plies)] += 1;
        }
        assert!(counts[8..12].iter().all(|&count| (400..600).contains(&count)), "{counts:?}");
    }
}
