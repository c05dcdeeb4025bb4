//! Moves, and games as strings of moves.

use super::text::{Cursor, ParseError, quote};
use crate::board::{Board, Game, IllegalMove, Move, Square};

const MOVE: &str = "a square from a1 to h8 or pass";
/// Move numbers in transcripts: 60 placements and as many passes cannot be exceeded.
const LARGEST_NUMBER: u32 = 120;

/// Parses one move in any case: a square such as `f5`, or a pass written `pass`, `pa`, `ps` or `--`.
///
/// # Errors
/// When the text, blanks around it aside, is nothing of this.
pub fn parse_move(bytes: &[u8]) -> Result<Move, ParseError> {
    let mut cursor = Cursor::new(bytes);
    cursor.skip_blanks();
    let start = cursor.clone();
    let found = move_at(&mut cursor);
    cursor.skip_blanks();
    match found {
        Some(mv) if cursor.is_at_end() => Ok(mv),
        _ => Err(start.expected(MOVE)),
    }
}

/// The move at the cursor, which steps over it; `None`, and the cursor stays, when there is none.
pub(super) fn move_at(cursor: &mut Cursor) -> Option<Move> {
    let rest = cursor.rest();
    let begins = |word: &[u8]| rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    let (mv, length) = if begins(b"pass") {
        (Move::Pass, 4)
    } else if begins(b"pa") || begins(b"ps") || begins(b"--") {
        (Move::Pass, 2)
    } else {
        let &[column, row, ..] = rest else { return None };
        (Move::Place(square(column, row)?), 2)
    };
    cursor.advance(length);
    Some(mv)
}

/// The square with a column letter in either case and a row digit.
pub(super) fn square(column: u8, row: u8) -> Option<Square> {
    Square::from_column_row(column.to_ascii_lowercase().checked_sub(b'a')?, row.checked_sub(b'1')?)
}

/// Parses the moves of a game from `start`: `f5d6c3`, `1. F5 d6 2. C3`, `f5-d6-c3`.
///
/// Case does not matter. Blanks, dots, commas, semicolons, single dashes and move numbers may stand between moves.
/// Forced passes may be written (`pass`, `pa`, `ps`, `--`) or left out; the game has them in any case. A number must
/// not follow a move directly, for `f55` is a slip of the keyboard.
///
/// # Errors
/// When the text has no move, is no transcript, or has an illegal move; moves are counted from 1 as they are written.
pub fn parse_transcript(start: Board, bytes: &[u8]) -> Result<Game, ParseError> {
    let mut game = Game::new(start);
    let mut cursor = Cursor::new(bytes);
    let mut number = 0_usize;
    let mut separated = true;
    loop {
        separated |= skip_separators(&mut cursor);
        if cursor.is_at_end() {
            break;
        }
        if separated && cursor.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            skip_move_number(&mut cursor)?;
            continue;
        }
        number += 1;
        let place = cursor.offset();
        let Some(mv) = move_at(&mut cursor) else {
            return Err(cursor.error(format!("move {number}: expected {MOVE}, found {}", quote(token(&cursor)))));
        };
        game.play_with_implied_pass(mv)
            .map_err(|illegal| cursor.error_at(place, illegal_message(number, mv, illegal)))?;
        separated = false;
    }
    if number == 0 {
        return Err(cursor.error("expected moves such as f5d6c3, found none"));
    }
    Ok(game)
}

/// What to say about an illegal move, counted from 1.
pub(super) fn illegal_message(number: usize, mv: Move, illegal: IllegalMove) -> String {
    match illegal {
        IllegalMove::GameOver => format!("move {number} ({mv}): {illegal}"),
        _ => format!("move {number}: {illegal}"),
    }
}

fn skip_separators(cursor: &mut Cursor) -> bool {
    let start = cursor.offset();
    while let Some(byte) = cursor.peek() {
        let separates = match byte {
            b'-' => !cursor.rest().starts_with(b"--"),
            b'.' | b',' | b';' => true,
            _ => byte.is_ascii_whitespace(),
        };
        if !separates {
            break;
        }
        cursor.advance(1);
    }
    cursor.offset() > start
}

fn skip_move_number(cursor: &mut Cursor) -> Result<(), ParseError> {
    let start = cursor.clone();
    let digits = cursor.take_while(|byte| byte.is_ascii_digit());
    let number = digits.iter().try_fold(0_u32, |number, digit| {
        let number = number * 10 + u32::from(digit - b'0');
        (number <= LARGEST_NUMBER).then_some(number)
    });
    if number.is_some() { Ok(()) } else { Err(start.expected("a move or a move number up to 120")) }
}

/// The wrong text at the cursor: the two characters of what should be a move, or fewer before a separator.
fn token<'a>(cursor: &Cursor<'a>) -> &'a [u8] {
    let first = cursor.character();
    let mut second = cursor.clone();
    second.advance(first.len());
    if first.is_ascii() && second.peek().is_some_and(|byte| byte.is_ascii_alphanumeric()) {
        second.advance(1);
    }
    second.since(cursor.offset())
}

/// Writes moves one behind the other in lower case, `f5d6c3`, passes as `pa`. [`parse_transcript`] reads it back, unless
/// there are no moves, which it refuses.
pub fn write_transcript(moves: &[Move]) -> String {
    moves
        .iter()
        .map(|mv| match mv {
            Move::Place(square) => square.to_string(),
            Move::Pass => "pa".to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        board::Color,
        notation::testing::{any_game, fault_board, never_panics, square_named},
    };

    fn game(text: &str) -> Game {
        parse_transcript(Board::START, text.as_bytes()).unwrap()
    }

    fn message(text: &str) -> String {
        parse_transcript(Board::START, text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn moves() {
        for text in ["f5", "F5", " f5\r\n", "\u{feff}f5"] {
            assert_eq!(parse_move(text.as_bytes()), Ok(Move::Place(square_named("f5"))));
        }
        for text in ["pass", "PASS", "PA", "pa", "ps", "Ps", "--"] {
            assert_eq!(parse_move(text.as_bytes()), Ok(Move::Pass));
        }
        assert_eq!(
            parse_move(b"f9").unwrap_err().to_string(),
            "column 1: expected a square from a1 to h8 or pass, found `f9`"
        );
        for text in ["", "f", "f5d6", "i1", "a0", "p", "-", "passs", "f 5"] {
            assert!(parse_move(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn separators_and_numbers() {
        let plain = game("f5d6c3d3c4");
        for text in [
            "F5D6c3D3C4",
            "f5 d6 c3 d3 c4\r\n",
            "1. f5 d6 2. c3 d3 3. c4",
            "1.f5 d6 2.c3 d3 3.c4",
            "1 f5 2 d6 3 c3 4 d3 5 c4",
            "f5-d6-c3-d3-c4",
            "f5,d6, c3; d3.c4",
            "f5\nd6\nc3\nd3\nc4\n",
        ] {
            assert_eq!(game(text), plain, "{text}");
        }
        assert_eq!(message("f55d6"), "column 3: move 2: expected a square from a1 to h8 or pass, found `5d`");
        assert_eq!(message("f5 d9"), "column 4: move 2: expected a square from a1 to h8 or pass, found `d9`");
        assert_eq!(
            message("f5\nd6 Ｘ"),
            "line 2, column 4: move 3: expected a square from a1 to h8 or pass, found `\\u{ff38}`"
        );
        assert!(message("f5d").ends_with("move 2: expected a square from a1 to h8 or pass, found `d`"));
        assert!(message("121. f5").contains("`121.`"));
    }

    #[test]
    fn fault_2_white_must_pass() {
        let game = game("f5d6c3d3c4f4f6f3e3b4c5c6e6e2e7d2f1d7a3a4b3g6a5a2a1f2g5f7b2c2b5e1b1g1c1h4g3b6d1h2h1g2h3");
        let board = game.board();
        assert_eq!(board, fault_board("XXXXXXXXXXXXXOXXXXOXXXXXXXXOOO-OXXOOOOO--OOOOOO----OOO---------- O"));
        assert!(board.position().must_pass());
        assert_eq!(board.with_other_side().position().legal_moves().count_ones(), 12);
    }

    #[test]
    fn fault_3_forced_pass_is_not_the_end() {
        let game = game("c4c3f5b4a4a5c2a3");
        assert!(!game.is_over());
        assert!(game.board().position().must_pass());
        let squares = game.board().with_other_side().position().legal_moves();
        assert_eq!(squares, square_named("d2").bit() | square_named("f4").bit());
    }

    #[test]
    fn fault_4_forced_pass_is_not_the_end() {
        let game = game("e6f6c4c5c6d6g7f4g4g6e7h8h6g5g8f8");
        assert!(!game.is_over());
        assert_eq!(game.board().side_to_move(), Color::Black);
        assert!(game.board().position().must_pass());
        let expected = ["c3", "g3", "b4"].into_iter().fold(0, |bits, name| bits | square_named(name).bit());
        assert_eq!(game.board().with_other_side().position().legal_moves(), expected);
    }

    #[test]
    fn fault_11_passes_count_once() {
        let text = "F5F4E3F6E6C5G5D3D6F7G6E7C6D7F3C4F8H6B5E8C7G8D8C8C2A6C3H5B4A3B6G3G4H4A5A4B7C1B3D2F2E2B8A8A7G7E1D1B1G2H1\
                    B2H3G1H2PA";
        let expected = fault_board("-XXXX-OX-OOOOOOXOOOXXXXXOOXXXXOOOXXOXXOOOXOXXOOOXXXOOOO-OOOOOOO- X");
        assert_eq!(game(text).board(), expected);
        let passes = game(text).moves().iter().filter(|&&mv| mv == Move::Pass).count();
        assert_eq!(passes, 1);
    }

    #[test]
    fn fault_12_passes_written_or_not() {
        let without = game("c4c3f5b4a4a5c2a3d2");
        for pass in ["pa", "PASS", "--", " ps "] {
            assert_eq!(game(&format!("c4c3f5b4a4a5c2a3{pass}d2")), without);
        }
        assert_eq!(without.board().side_to_move(), Color::Black);
        let expected = square_named("b2").bit() | square_named("e2").bit();
        assert_eq!(without.board().position().legal_moves(), expected);
    }

    #[test]
    fn fault_egaroucid_217_pass_before_the_last_move() {
        let line = "f5d6c4d3c3f4f6f3e6e7f7c5e3e2g3b4g5g6d8h5b5b3h4f2d2e1h6c2c6e8d7c8c7a4a2a3a5b8b6h3g4h7g2a6c1d1g1f1h1a1g7b1\
                    a7a8b7f8h8h2g8";
        let before = game(line);
        assert_eq!(before.board().side_to_move(), Color::White);
        assert!(before.board().position().must_pass());
        let after = game(&format!("{line}b2"));
        assert!(after.is_over());
        assert_eq!(after.board().final_score_for_black(), -6);
        assert_eq!(parse_transcript(Board::START, write_transcript(after.moves()).as_bytes()), Ok(after));
    }

    #[test]
    fn fault_64_illegal_moves_are_named() {
        assert_eq!(message("d3d4d5"), "column 3: move 2: d4 is occupied");
        let long = "e6f6f5f4e3d6g4d3c3h3c4g3g5g6c7c6c5b6d7b5b4f3e7f7h5h4h2";
        assert_eq!(
            message(&format!("{long}d1")),
            "column 55: move 28: White on d1 flips no disc (legal: b2 c2 d2 e2 f2 g2 b3 a4 b7 c8 d8 e8)"
        );
        assert_eq!(message("f5--"), "column 3: move 2: White cannot pass: there are legal moves (legal: f4 d6 f6)");
        assert_eq!(message(""), "column 1: expected moves such as f5d6c3, found none");
        assert_eq!(message(" . "), "column 4: expected moves such as f5d6c3, found none");
    }

    #[test]
    fn moves_after_the_end_are_refused() {
        // The shortest game there is: black wipes white out with the ninth move.
        assert!(game("e6f4e3f6g5d6e7f5c5").is_over());
        assert_eq!(message("e6f4e3f6g5d6e7f5c5a1"), "column 19: move 10 (a1): the game is over");
    }

    #[test]
    fn other_start_boards() {
        let start = Board::START.with_other_side();
        assert_eq!(parse_transcript(start, b"e3").unwrap().start(), start);
        assert!(parse_transcript(start, b"f5").is_err());
    }

    proptest! {
        #[test]
        fn round_trip(game in any_game()) {
            let text = write_transcript(game.moves());
            if game.moves().is_empty() {
                prop_assert!(parse_transcript(game.start(), text.as_bytes()).is_err());
            } else {
                prop_assert_eq!(parse_transcript(game.start(), text.as_bytes()), Ok(game));
            }
        }

        #[test]
        fn any_bytes(bytes: Vec<u8>, game in any_game(), at in 0..130usize, byte: u8) {
            let text = write_transcript(game.moves());
            never_panics(parse_move, &bytes, b"f5", at, byte);
            never_panics(|bytes| parse_transcript(game.start(), bytes), &bytes, text.as_bytes(), at, byte);
        }
    }
}
