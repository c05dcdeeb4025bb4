//! Boards as 64 cells and a side, and names of colours.

use super::text::{Cursor, ParseError, quote};
use crate::board::{Board, Color, Position, Square};

// Messages are ASCII, so the discs of Unicode are not listed.
const CELLS: &str = "a square: black X x * B b, white O o W w, empty - . _";
const SIDE: &str = "the side to move, X or O";

/// Parses the name of a colour: `b`, `black`, `x`, `*` or `w`, `white`, `o`, in any case.
///
/// # Errors
/// When the text, blanks around it aside, is nothing of this.
pub fn parse_color(bytes: &[u8]) -> Result<Color, ParseError> {
    let mut cursor = Cursor::new(bytes);
    cursor.skip_blanks();
    match cursor.rest().trim_ascii().to_ascii_lowercase().as_slice() {
        b"b" | b"black" | b"x" | b"*" => Ok(Color::Black),
        b"w" | b"white" | b"o" => Ok(Color::White),
        _ => Err(cursor.expected("a colour, black or white")),
    }
}

/// Parses a board: 64 squares from a1, b1, … to h8, then the side to move.
///
/// Black is `X x * B b ●`, white `O o W w ○`, empty `- . _`; the side to move is one of the signs for discs. Blanks,
/// tabs and line ends may stand anywhere, also a byte order mark in front. The digit `0` is refused: some programs
/// write black so and others white. Any arrangement of discs is accepted. [`Board`]'s `Display` writes this form.
///
/// # Errors
/// When a sign is unknown, the number of squares is not 64, the side is missing, or something follows it.
pub fn parse_board(bytes: &[u8]) -> Result<Board, ParseError> {
    let mut cursor = Cursor::new(bytes);
    let board = board_at(&mut cursor)?;
    cursor.skip_blanks();
    if cursor.is_at_end() {
        Ok(board)
    } else {
        Err(cursor.error(format!("unexpected {} after the side to move", quote(cursor.word()))))
    }
}

/// What one sign of a board means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cell {
    Empty,
    Disc(Color),
}

fn cell(character: &[u8]) -> Option<Cell> {
    match character {
        b"X" | b"x" | b"*" | b"B" | b"b" | b"\xE2\x97\x8F" => Some(Cell::Disc(Color::Black)),
        b"O" | b"o" | b"W" | b"w" | b"\xE2\x97\x8B" => Some(Cell::Disc(Color::White)),
        b"-" | b"." | b"_" => Some(Cell::Empty),
        _ => None,
    }
}

/// One sign of a board in a text.
struct Sign {
    cell: Cell,
    offset: usize,
    length: usize,
    after_blank: bool,
}

/// Parses a board from the cursor on and leaves the cursor behind the side to move. What follows must not be a sign of
/// a board.
pub(super) fn board_at(cursor: &mut Cursor) -> Result<Board, ParseError> {
    // All signs are read before any is interpreted: only their number tells whether a square is missing or the side.
    let mut signs: Vec<Sign> = Vec::with_capacity(65);
    loop {
        let before_blanks = cursor.clone();
        let after_blank = cursor.skip_blanks();
        let character = cursor.character();
        let Some(cell) = cell(character) else {
            if signs.len() <= 64 {
                return Err(incomplete(cursor, &signs, character));
            }
            *cursor = before_blanks;
            break;
        };
        signs.push(Sign { cell, offset: cursor.offset(), length: character.len(), after_blank });
        cursor.advance(character.len());
    }
    let (Some(side), Some(last)) = (signs.get(64), signs.last()) else {
        return Err(cursor.expected(SIDE));
    };
    if signs.len() > 65 {
        let count = signs.len();
        return Err(cursor.error_at(
            side.offset,
            if last.after_blank {
                format!("the board has {} squares before the side to move, expected 64", count - 1)
            } else {
                format!("expected 64 squares and {SIDE}, found {count} signs")
            },
        ));
    }
    let Cell::Disc(side_to_move) = side.cell else {
        let text = cursor.part(side.offset, side.offset + side.length);
        return Err(text.expected(SIDE));
    };
    let discs = |color| {
        Square::all()
            .zip(&signs)
            .filter(|(_, sign)| sign.cell == Cell::Disc(color))
            .fold(0, |bits, (square, _)| bits | square.bit())
    };
    Position::new(discs(side_to_move), discs(side_to_move.opponent()))
        .map(|position| Board::new(position, side_to_move))
        .ok_or_else(|| cursor.error("a square has two discs"))
}

/// The error for a board whose signs stop at the cursor, before the side to move.
fn incomplete(cursor: &Cursor, signs: &[Sign], character: &[u8]) -> ParseError {
    let count = signs.len();
    if character == b"0" {
        return cursor.error(ambiguous_zero());
    }
    // `63 squares, blank, X` has as many signs as `64 squares`, but the user forgot something else.
    let side_seen = signs.last().is_some_and(|last| last.after_blank && last.cell != Cell::Empty);
    match (cursor.is_at_end() || character == b";", count) {
        (true, 0) => cursor.error("expected a board: 64 squares and the side to move"),
        (true, 64) if !side_seen => cursor.error(format!("expected {SIDE} after the 64 squares, but there is none")),
        (true, _) if side_seen => {
            cursor.error(format!("the board has {} before the side to move, expected 64", squares(count - 1)))
        }
        (true, _) => cursor.error(format!("the board ends after {}, expected 64 and {SIDE}", squares(count))),
        (false, 64) => cursor.error(format!("expected {SIDE} after the 64 squares, found {}", quote(character))),
        (false, _) => {
            cursor.error(format!("{} on square {} of the board, expected {CELLS}", quote(character), count + 1))
        }
    }
}

fn squares(count: usize) -> String {
    format!("{count} square{}", if count == 1 { "" } else { "s" })
}

fn ambiguous_zero() -> String {
    "the digit `0` is ambiguous (programs write either colour so), expected X for black, O for white".to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::notation::testing::{any_board, fault_board, never_panics};

    fn message(text: impl AsRef<[u8]>) -> String {
        parse_board(text.as_ref()).unwrap_err().to_string()
    }

    #[test]
    fn colors() {
        for text in ["b", "B", "black", "BLACK", "x", "X", "*", " b\r\n"] {
            assert_eq!(parse_color(text.as_bytes()), Ok(Color::Black));
        }
        for text in ["w", "White", "o", "O"] {
            assert_eq!(parse_color(text.as_bytes()), Ok(Color::White));
        }
        let error = parse_color(b" green").unwrap_err();
        assert_eq!(error.to_string(), "column 2: expected a colour, black or white, found `green`");
        assert!(parse_color(b"").is_err());
    }

    #[test]
    fn fault_63_wrong_number_of_squares() {
        let cells = &Board::START.to_string()[..64];
        let short = &cells[..63];
        assert_eq!(
            message(format!("{short} X")),
            "column 66: the board has 63 squares before the side to move, expected 64"
        );
        assert_eq!(
            message(short),
            "column 64: the board ends after 63 squares, expected 64 and the side to move, X or O"
        );
        assert_eq!(
            message(format!("{cells}- X")),
            "column 65: the board has 65 squares before the side to move, expected 64"
        );
        assert_eq!(
            message(format!("{cells}-X")),
            "column 65: expected 64 squares and the side to move, X or O, found 66 signs"
        );
        assert_eq!(message("-"), "column 2: the board ends after 1 square, expected 64 and the side to move, X or O");
        assert_eq!(message(""), "column 1: expected a board: 64 squares and the side to move");
    }

    #[test]
    fn fault_63_side_missing_or_wrong() {
        let cells = &Board::START.to_string()[..64];
        assert_eq!(
            message(cells),
            "column 65: expected the side to move, X or O after the 64 squares, but there is none"
        );
        assert_eq!(
            message(format!("{cells} Z")),
            "column 66: expected the side to move, X or O after the 64 squares, found `Z`"
        );
        assert_eq!(message(format!("{cells} -")), "column 66: expected the side to move, X or O, found `-`");
        assert_eq!(message(format!("{cells} X junk")), "column 68: unexpected `junk` after the side to move");
        assert_eq!(message(format!("{cells} black")), "column 67: unexpected `lack` after the side to move");
    }

    #[test]
    fn fault_63_unknown_signs() {
        let cells = &Board::START.to_string()[..64];
        let with = |sign: &str| format!("{}{sign}{} X", &cells[..10], &cells[11..]);
        assert!(message(with("?")).starts_with("column 11: `?` on square 11 of the board, expected a square: black X"));
        assert!(message(with("Ｘ")).starts_with("column 11: `\\u{ff38}` on square 11"));
        assert!(message(with("0")).starts_with("column 11: the digit `0` is ambiguous"));
        let mut bytes = with("?").into_bytes();
        bytes[10] = 0xff;
        assert!(message(&bytes).starts_with("column 11: `\\xff` on square 11"));
        assert!(message(with("?")).is_ascii());
    }

    #[test]
    fn fault_63_accepted_forms() {
        let cells = &Board::START.to_string()[..64];
        for text in [
            format!("{cells}X"),
            format!("{cells} *"),
            format!("{cells}\tb\r\n"),
            format!("\u{feff}{cells} x  "),
            format!("{cells} ●").replace('X', "●").replace('O', "○"),
            cells.replace('X', "*").replace('O', "w").replace('-', ".") + " B",
            cells.replace('X', "b").replace('O', "o").replace('-', "_") + "x",
            cells.as_bytes().chunks(8).map(|row| String::from_utf8_lossy(row) + "\r\n").collect::<String>() + "X",
            cells.split("").collect::<Vec<_>>().join("\t") + "X",
        ] {
            assert_eq!(parse_board(text.as_bytes()), Ok(Board::START), "{text}");
        }
        assert_eq!(
            parse_board(format!("{cells} ○").as_bytes()).unwrap(),
            Board::START.with_other_side(),
            "the side is read from the text"
        );
    }

    #[test]
    fn fault_49_artificial_board_with_34_moves() {
        let board = fault_board("--------O-OOOXO-X--XXOO---OXO-O--OOXO-X---XX-XO--OOOOXO--------- X");
        assert_eq!(board.position().legal_moves().count_ones(), 34);
    }

    #[test]
    fn errors_of_boards_on_several_lines_name_the_line() {
        assert!(message("--------\n--?-----\n").starts_with("line 2, column 3: `?` on square 11"));
    }

    proptest! {
        #[test]
        fn round_trip(board in any_board()) {
            prop_assert_eq!(parse_board(board.to_string().as_bytes()), Ok(board));
        }

        #[test]
        fn one_changed_byte_never_shifts_the_board(board in any_board(), at in 0..64usize, byte: u8) {
            let mut text = board.to_string().into_bytes();
            text[at] = byte;
            if let Ok(read) = parse_board(&text) {
                let differing = Square::all().filter(|&square| read.at(square) != board.at(square));
                prop_assert!(differing.into_iter().all(|square| square.index() == at));
            }
        }

        #[test]
        fn any_bytes(bytes: Vec<u8>, board in any_board(), at in 0..70usize, byte: u8) {
            never_panics(parse_board, &bytes, board.to_string().as_bytes(), at, byte);
            never_panics(parse_color, &bytes, b"black", at, byte);
        }
    }
}
