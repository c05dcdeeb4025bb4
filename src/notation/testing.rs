//! Generators and checks that the tests of all formats share.

use proptest::prelude::*;

use super::{ParseError, parse_board, parse_move};
use crate::board::{Board, Color, Game, Position, Square};

/// Any arrangement of discs, with either side to move.
pub(super) fn any_board() -> impl Strategy<Value = Board> {
    (any::<u64>(), any::<u64>(), any::<bool>()).prop_map(|(occupied, owner, black)| {
        let position = Position::new(occupied & owner, occupied & !owner).unwrap();
        Board::new(position, if black { Color::Black } else { Color::White })
    })
}

/// A game of random moves from the usual start, of any length.
pub(super) fn any_usual_game() -> impl Strategy<Value = Game> {
    choices().prop_map(|choices| played(Board::START, &choices))
}

/// A game of random moves from any board or the usual start, of any length.
pub(super) fn any_game() -> impl Strategy<Value = Game> {
    (prop_oneof![any_board(), Just(Board::START)], choices()).prop_map(|(start, choices)| played(start, &choices))
}

fn choices() -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec(0..60_usize, 0..75)
}

fn played(start: Board, choices: &[usize]) -> Game {
    let mut game = Game::new(start);
    for &choice in choices {
        let moves = game.board().position().moves();
        if moves.is_empty() {
            break;
        }
        game.play(moves[choice % moves.len()]).unwrap();
    }
    game
}

/// Runs a parser on random bytes and on a good text that is cut, or has a byte replaced, inserted or left out. Errors
/// must be one line of printable ASCII with a column of the text.
pub(super) fn never_panics<T>(
    parse: impl Fn(&[u8]) -> Result<T, ParseError>,
    random: &[u8],
    good: &[u8],
    at: usize,
    byte: u8,
) {
    let at = at.min(good.len());
    let (head, tail) = good.split_at(at);
    let shorter = tail.get(1..).unwrap_or_default();
    for text in [
        random.to_vec(),
        head.to_vec(),
        [head, shorter].concat(),
        [head, &[byte], shorter].concat(),
        [head, &[byte], tail].concat(),
        [head, random, tail].concat(),
    ] {
        if let Err(error) = parse(&text) {
            assert!(error.column >= 1 && error.column <= text.len() + 1, "{error}");
            assert!(error.message.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()), "{error}");
        }
    }
}

pub(super) fn fault_board(text: &str) -> Board {
    parse_board(text.as_bytes()).unwrap()
}

pub(super) fn square_named(name: &str) -> Square {
    parse_move(name.as_bytes()).unwrap().square().unwrap()
}
