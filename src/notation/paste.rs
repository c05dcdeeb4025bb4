//! What a user pastes, whatever its format.

use super::{
    ParseError, ggf, obf, parse_board, parse_transcript, sgf,
    text::{Cursor, quote},
};
use crate::board::{Board, Game};

/// Parses a position in whatever form a user has it: a board ([`parse_board`]), a line of OBF, the moves from the usual
/// start ([`parse_transcript`]), one GGF game, an SGF game, or a game as `PlayOK` has it (`[Site "..."] 1. f5 d6 40-24`,
/// tags and comments in braces ignored).
///
/// # Errors
/// When the text is of none of these forms, or is wrong in the form it seems to have.
pub fn parse_position(bytes: &[u8]) -> Result<Game, ParseError> {
    let mut cursor = Cursor::new(bytes);
    cursor.skip_blanks();
    match form(cursor.rest()) {
        Form::Ggf => ggf::parse_game(bytes).map(|game| game.game),
        Form::Sgf => sgf::parse(bytes),
        Form::Transcript => parse_transcript(Board::START, bytes),
        Form::Tagged => parse_transcript(Board::START, &moves_only(bytes)),
        Form::Board => parse_board(bytes).map(Game::new),
        Form::Obf => match obf::parse_line(bytes)? {
            Some(record) => Ok(Game::new(record.board)),
            None => parse_board(bytes).map(Game::new),
        },
        Form::Unknown => {
            let found = if cursor.is_at_end() { "nothing".to_owned() } else { quote(cursor.word()) };
            Err(cursor.error(format!(
                "expected a board of 64 squares and the side to move, moves such as f5d6c3, or a GGF or SGF game, found \
                 {found}"
            )))
        }
    }
}

enum Form {
    Ggf,
    Sgf,
    Transcript,
    Tagged,
    Board,
    Obf,
    Unknown,
}

/// The form a text seems to have, blanks in front removed. One or two characters decide, so that errors are those of
/// the format the user meant.
fn form(text: &[u8]) -> Form {
    // GGF may have a count in front.
    let game = text.iter().find(|byte| !byte.is_ascii_digit() && !byte.is_ascii_whitespace());
    if game == Some(&b'(') {
        let compact: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let is_sgf = compact.windows(5).any(|window| window.eq_ignore_ascii_case(b"GM[2]"));
        return if is_sgf { Form::Sgf } else { Form::Ggf };
    }
    match text {
        [b'a'..=b'h' | b'A'..=b'H', b'0'..=b'9', ..]
        | [b'1'..=b'9', ..]
        | [b'p' | b'P', b'a' | b'A' | b's' | b'S', ..] => Form::Transcript,
        [b'[', ..] => Form::Tagged,
        [byte, ..] if b"XxOo*BbWw-._".contains(byte) && text.contains(&b';') => Form::Obf,
        [byte, ..] if b"XxOo*BbWw-._0".contains(byte) => Form::Board,
        _ if text.starts_with("●".as_bytes()) || text.starts_with("○".as_bytes()) => Form::Board,
        _ => Form::Unknown,
    }
}

/// The text with blanks for tags, comments and the result, so that places in errors stay true.
fn moves_only(text: &[u8]) -> Vec<u8> {
    let mut closing = None;
    let mut moves: Vec<u8> = text
        .iter()
        .map(|&byte| {
            let inside = closing.is_some();
            match (byte, closing) {
                (b'[', None) => closing = Some(b']'),
                (b'{', None) => closing = Some(b'}'),
                (byte, Some(end)) if byte == end => closing = None,
                _ => {}
            }
            if (inside || closing.is_some()) && byte != b'\n' { b' ' } else { byte }
        })
        .collect();
    let length = moves.trim_ascii_end().len();
    let last = moves.get(..length).unwrap_or_default().rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
    let is_result = last == b"*"
        || (last.contains(&b'-') && last.iter().any(u8::is_ascii_digit))
            && last.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-');
    if is_result {
        let start = length - last.len();
        moves.iter_mut().take(length).skip(start).for_each(|byte| *byte = b' ');
    }
    moves
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::notation::testing::{any_board, any_game, never_panics};

    #[test]
    fn all_forms() {
        let game = parse_transcript(Board::START, b"f5d6c3").unwrap();
        for text in [
            "f5d6c3",
            " 1. F5 d6 2. C3",
            "\u{feff}f5d6c3\n",
            "(;GM[Othello]B[f5]W[d6]B[c3];)",
            "1 (;GM[Othello]B[f5]W[d6]B[c3];)",
            "(;GM[2]B[fe];W[df];B[cc])",
            "[Site \"PlayOK\"]\r\n[Black \"d1 {é\"]\r\n\r\n1. f5 d6 {why?} 2. c3 40-24\r\n",
            "\u{feff}[Result \"*\"] 1. f5 d6 2. c3 *",
        ] {
            assert_eq!(parse_position(text.as_bytes()), Ok(game.clone()), "{text}");
        }
        assert_eq!(parse_position(Board::START.to_string().as_bytes()), Ok(Game::default()));
        assert_eq!(parse_position(format!("{}; D3:+0;", Board::START).as_bytes()), Ok(Game::default()));
    }

    #[test]
    fn fault_64_errors_are_those_of_the_form() {
        let message = |text: &str| parse_position(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(message("d3d4d5"), "column 3: move 2: d4 is occupied");
        assert!(message("").ends_with("found nothing"));
        assert!(message("hello").ends_with("found `hello`"));
        assert!(message("f9").contains("move 1"));
        assert_eq!(message("[Site \"x\"]\n1. d3 d4"), "line 2, column 7: move 2: d4 is occupied");
        assert!(message("[Site").ends_with("found none"));
        assert!(message("--X?").starts_with("column 4: `?` on square 4"));
    }

    proptest! {
        #[test]
        fn boards_are_recognized(board in any_board()) {
            prop_assert_eq!(parse_position(board.to_string().as_bytes()), Ok(Game::new(board)));
        }

        #[test]
        fn any_bytes(bytes: Vec<u8>, game in any_game(), at in 0..70usize, byte: u8) {
            never_panics(parse_position, &bytes, game.start().to_string().as_bytes(), at, byte);
            never_panics(parse_position, &bytes, b"[Site \"x\"]\n1. f5 {good} d6 2. c3 40-24", at, byte);
            never_panics(parse_position, &bytes, b"1 (;GM[Othello]BO[8 ", at, byte);
        }
    }
}
