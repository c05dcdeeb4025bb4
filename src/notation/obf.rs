//! OBF: positions with the values of their moves, one a line, as sets of problems come.
//!
//! `LINE = BOARD {";" (MOVE ":" SCORE | KEY VALUE)} [";"]`; whatever follows a `%` is a comment.

use std::fmt;

use super::{
    ParseError,
    cells::board_at,
    text::{Cursor, decode, quote},
    transcript::move_at,
};
use crate::board::{Board, Move};

/// One line of an OBF file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The position.
    pub board: Board,
    /// Moves with their values, in the order of the file: final disc differences for the side to move, −64 to 64.
    /// The moves are legal; a pass is also accepted when the game is over.
    pub scores: Vec<(Move, i32)>,
    /// Other fields, `key value`. Neither part holds `;`, `%` or a line end.
    pub fields: Vec<(String, String)>,
}

impl Record {
    /// The value of the position: the best of the scores, `None` when there are none.
    pub fn expected(&self) -> Option<i32> {
        self.scores.iter().map(|&(_, score)| score).max()
    }
}

/// Parses one line; `None` for blank lines and comments.
///
/// # Errors
/// When the line does not begin with a board, a move is illegal there, or a score is no integer from −64 to 64.
pub fn parse_line(bytes: &[u8]) -> Result<Option<Record>, ParseError> {
    let whole = Cursor::new(bytes);
    let comment = whole.rest().iter().position(|&byte| byte == b'%').map_or(whole.end(), |at| whole.offset() + at);
    let mut cursor = whole.part(whole.offset(), comment);
    cursor.skip_blanks();
    if cursor.is_at_end() {
        return Ok(None);
    }
    let board = board_at(&mut cursor)?;
    let mut record = Record { board, scores: Vec::new(), fields: Vec::new() };
    loop {
        cursor.skip_blanks();
        if cursor.is_at_end() {
            return Ok(Some(record));
        }
        if !cursor.eat(b';') {
            return Err(cursor.expected("`;`"));
        }
        cursor.skip_blanks();
        let start = cursor.offset();
        let text = cursor.take_while(|byte| byte != b';');
        if !text.is_empty() {
            parse_field(&cursor.part(start, start + text.trim_ascii_end().len()), &mut record)?;
        }
    }
}

fn parse_field(field: &Cursor, record: &mut Record) -> Result<(), ParseError> {
    let mut cursor = field.clone();
    if let Some(mv) = move_at(&mut cursor) {
        cursor.skip_blanks();
        if cursor.eat(b':') {
            let position = record.board.position();
            let legal = match mv {
                Move::Place(_) => record.board.play(mv).is_some(),
                Move::Pass => position.legal_moves() == 0,
            };
            if !legal {
                return Err(field.error(format!("{mv} is not legal for {} here", record.board.side_to_move())));
            }
            record.scores.push((mv, parse_score(cursor)?));
            return Ok(());
        }
    }
    let mut cursor = field.clone();
    let key = cursor.take_while(|byte| !byte.is_ascii_whitespace());
    if key.contains(&b':') {
        return Err(field.error(format!("expected a move and its score, or a key and its value, found {}", quote(key))));
    }
    cursor.skip_blanks();
    record.fields.push((decode(key), decode(cursor.rest())));
    Ok(())
}

fn parse_score(mut cursor: Cursor) -> Result<i32, ParseError> {
    cursor.skip_blanks();
    let text = str::from_utf8(cursor.rest()).unwrap_or_default();
    match text.parse::<i32>() {
        Ok(score) if (-64..=64).contains(&score) => Ok(score),
        _ => Err(cursor.expected("a score from -64 to +64")),
    }
}

impl fmt::Display for Record {
    /// One line without its end: `BOARD; G8:+18; H1:+12; key value;`, squares in capitals, passes as `PS`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{};", self.board)?;
        for (mv, score) in &self.scores {
            match mv {
                Move::Place(square) => write!(formatter, " {}:{score:+};", square.to_string().to_ascii_uppercase())?,
                Move::Pass => write!(formatter, " PS:{score:+};")?,
            }
        }
        for (key, value) in &self.fields {
            // What would end the field or the line cannot be written.
            let clean = |text: &str| text.replace([';', '%', '\n', '\r'], " ");
            write!(formatter, " {};", format!("{} {}", clean(key), clean(value)).trim())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::notation::testing::{any_board, never_panics, square_named};

    const LINE: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18; H1:+12; H7:+6; A2:+6; \
                        A3:+4; B1:-4; A4:-22; G2:-24;";

    fn record(text: &str) -> Record {
        parse_line(text.as_bytes()).unwrap().unwrap()
    }

    fn message(text: &str) -> String {
        parse_line(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn a_problem_of_the_usual_set() {
        let read = record(LINE);
        assert_eq!(read.expected(), Some(18));
        assert_eq!(read.scores.len(), 8);
        assert_eq!(read.scores[7], (Move::Place(square_named("g2")), -24));
        assert_eq!(read.to_string(), LINE);
        assert_eq!(record(&format!("\u{feff}{LINE} % comment; x:y\r\n")), read);
    }

    #[test]
    fn lines_without_position() {
        for text in ["", "  \t\r\n", "% comment", "  % comment: 1;"] {
            assert_eq!(parse_line(text.as_bytes()), Ok(None));
        }
    }

    #[test]
    fn other_fields() {
        let read = record(&format!("{} ;id 7; depth   24 plies ; D3 : 0;done", Board::START));
        let field = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(read.fields, [field("id", "7"), field("depth", "24 plies"), field("done", "")]);
        assert_eq!(read.scores, [(Move::Place(square_named("d3")), 0)]);
        assert_eq!(record(&Board::START.to_string()).expected(), None);
    }

    #[test]
    fn passes() {
        let board = "XXXXXXXXXXXXXOXXXXOXXXXXXXXOOO-OXXOOOOO--OOOOOO----OOO---------- O";
        for pass in ["PA", "PS", "--", "pass"] {
            assert_eq!(record(&format!("{board}; {pass}:-60;")).scores, [(Move::Pass, -60)]);
        }
    }

    #[test]
    fn fault_63_bad_lines() {
        let start = Board::START;
        assert_eq!(message(&format!("{start}; A1:+4;")), "column 69: a1 is not legal for Black here");
        assert_eq!(message(&format!("{start}; D3:x;")), "column 72: expected a score from -64 to +64, found `x`");
        assert_eq!(message(&format!("{start}; D3:65")), "column 72: expected a score from -64 to +64, found `65`");
        assert!(message(&format!("{start}; D3:")).ends_with("but the text ends here"));
        assert!(message(&format!("{start}; D3:;")).ends_with("expected a score from -64 to +64, found nothing"));
        assert!(message(&format!("{start}; Z9:+4")).ends_with("found `Z9:+4`"));
        assert_eq!(message(&format!("{start} D3:+4")), "column 68: expected `;`, found `D3:+4`");
        assert!(message("what").starts_with("column 1: `w`") || message("what").starts_with("column 2: `h`"));
        let cells = &start.to_string()[..64];
        assert!(message(&format!("{cells}; D3:+0;")).starts_with("column 65: expected the side to move"));
    }

    fn any_record() -> impl Strategy<Value = Record> {
        let text = "[a-z]{3,9}( [a-z0-9:]{1,5})?";
        (any_board(), proptest::collection::vec(-64..=64, 0..40), proptest::collection::vec(("[a-z]{3,8}", text), 0..3))
            .prop_map(|(board, scores, fields)| Record {
                board,
                scores: board.position().moves().into_iter().zip(scores).collect(),
                fields,
            })
    }

    proptest! {
        #[test]
        fn round_trip(record in any_record()) {
            prop_assert_eq!(parse_line(record.to_string().as_bytes()), Ok(Some(record)));
        }

        #[test]
        fn any_bytes(bytes: Vec<u8>, record in any_record(), at in 0..200usize, byte: u8) {
            never_panics(parse_line, &bytes, record.to_string().as_bytes(), at, byte);
        }
    }
}
