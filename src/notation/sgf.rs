//! SGF with `GM[2]`: the main line of games as Quarry and Edax save them.
//!
//! Both ways to write a square are read: two letters from the top left corner as SGF has them (`cd` is c4), and the
//! names of the board (`C4`, `c4`).

use std::fmt::Write as _;

use super::{
    ParseError,
    text::{Cursor, quote},
    transcript::{illegal_message, move_at},
};
use crate::board::{Board, Color, Game, Move, Position, Square};

/// Parses the main line of the first game of a text: at each variation, the first.
///
/// Set-up (`AB`, `AW`, `AE`, `PL`) is read before the first move and begins from an empty board; without it the game
/// begins with the usual four discs. The side to move first is that of `PL`, else that of the first move, else black.
/// A pass is `pa`, `pass`, `ps`, `--`, `tt` or nothing, or is left out: then the same colour moves twice. Capitals and
/// small letters are the same in values, and in names of properties that are all small; small letters in other names do
/// not count, as in old files (`Black` is `B`). Other properties are ignored.
///
/// # Errors
/// When the text is malformed or cut off, the game is not Othello on 8×8 squares, discs are set up after a move, or a
/// move is illegal.
pub fn parse(bytes: &[u8]) -> Result<Game, ParseError> {
    let mut cursor = Cursor::new(bytes);
    cursor.skip_blanks();
    if cursor.peek() != Some(b'(') {
        return Err(cursor.expected("an SGF game, (;GM[2]...)"));
    }
    let mut reader = Reader::default();
    // The first variation is followed wherever the line forks, so the first `)` ends the main line.
    loop {
        cursor.skip_blanks();
        match cursor.peek() {
            Some(b'(' | b';') => cursor.advance(1),
            Some(b')') => break,
            Some(byte) if byte.is_ascii_alphabetic() => read_property(&mut cursor, &mut reader)?,
            _ => return Err(cursor.expected("`;`, a property such as B[cd], or `)`")),
        }
    }
    if let Some(game) = reader.game {
        return Ok(game);
    }
    reader.setup.start(None).map(Game::new).map_err(|message| cursor.error(message))
}

/// What was read so far.
#[derive(Default)]
struct Reader {
    setup: Setup,
    // Set by the first move.
    game: Option<Game>,
    // Moves as the file counts them.
    moves: usize,
}

/// Discs and side before the first move.
#[derive(Default)]
struct Setup {
    black: u64,
    white: u64,
    used: bool,
    side: Option<Color>,
}

impl Setup {
    /// The board the game starts from; `first` is the colour of the first move.
    fn start(&self, first: Option<Color>) -> Result<Board, &'static str> {
        let side = self.side.or(first).unwrap_or(Color::Black);
        let (black, white) = if self.used {
            (self.black, self.white)
        } else {
            (Board::START.discs(Color::Black), Board::START.discs(Color::White))
        };
        let (mover, opponent) = if side == Color::Black { (black, white) } else { (white, black) };
        Position::new(mover, opponent).map(|position| Board::new(position, side)).ok_or("a square has two discs")
    }

    fn set(&mut self, squares: u64, color: Option<Color>) {
        self.used = true;
        self.black &= !squares;
        self.white &= !squares;
        match color {
            Some(Color::Black) => self.black |= squares,
            Some(Color::White) => self.white |= squares,
            None => {}
        }
    }
}

fn read_property(cursor: &mut Cursor, reader: &mut Reader) -> Result<(), ParseError> {
    let place = cursor.offset();
    let written = cursor.take_while(|byte| byte.is_ascii_alphabetic());
    let mut name: Vec<u8> = written.iter().copied().filter(u8::is_ascii_uppercase).collect();
    if name.is_empty() {
        name = written.to_ascii_uppercase();
    }
    cursor.skip_blanks();
    if cursor.peek() != Some(b'[') {
        return Err(cursor.expected(&format!("`[` after the property {}", quote(written))));
    }
    if matches!(name.as_slice(), b"AB" | b"AW" | b"AE" | b"PL") && reader.game.is_some() {
        return Err(cursor.error_at(place, format!("{} after a move, expected moves only", quote(written))));
    }
    while cursor.eat(b'[') {
        let value = read_value(cursor)?;
        read_one(&name, &value, reader)?;
        cursor.skip_blanks();
    }
    Ok(())
}

/// The value up to its `]`, which the cursor steps over; a backslash takes the meaning from the next byte.
fn read_value<'a>(cursor: &mut Cursor<'a>) -> Result<Cursor<'a>, ParseError> {
    let start = cursor.offset();
    loop {
        cursor.take_while(|byte| byte != b']' && byte != b'\\');
        let value = cursor.part(start, cursor.offset());
        if cursor.eat(b'\\') {
            cursor.advance(1);
        } else if cursor.eat(b']') {
            return Ok(value);
        } else {
            return Err(cursor.expected("`]` after the value"));
        }
    }
}

fn read_one(name: &[u8], value: &Cursor, reader: &mut Reader) -> Result<(), ParseError> {
    let text = value.rest().trim_ascii();
    match name {
        b"GM" if text != b"2" && !text.eq_ignore_ascii_case(b"othello") => {
            Err(value.expected("the game number 2 (Othello)"))
        }
        b"SZ" if text != b"8" && text != b"8:8" => Err(value.expected("the board size 8")),
        b"AB" => read_points(value).map(|squares| reader.setup.set(squares, Some(Color::Black))),
        b"AW" => read_points(value).map(|squares| reader.setup.set(squares, Some(Color::White))),
        b"AE" => read_points(value).map(|squares| reader.setup.set(squares, None)),
        b"PL" => {
            reader.setup.side = Some(match text.to_ascii_lowercase().as_slice() {
                b"b" | b"black" | b"1" => Color::Black,
                b"w" | b"white" | b"2" => Color::White,
                _ => return Err(value.expected("the side to move, B or W")),
            });
            Ok(())
        }
        b"B" => read_move(Color::Black, value, reader),
        b"W" => read_move(Color::White, value, reader),
        _ => Ok(()),
    }
}

fn read_move(color: Color, value: &Cursor, reader: &mut Reader) -> Result<(), ParseError> {
    let start = reader.setup.start(Some(color)).map_err(|message| value.error(message))?;
    let game = reader.game.get_or_insert_with(|| Game::new(start));
    reader.moves += 1;
    let number = reader.moves;
    let mv = read_square_or_pass(value)
        .ok_or_else(|| value.expected(&format!("a square such as cd or C4, or a pass, as move {number}")))?;
    if mv == Move::Pass && game.is_over() {
        // Some programs go on passing until both sides have.
        return Ok(());
    }
    let refused = |illegal| value.error(illegal_message(number, mv, illegal));
    if game.board().side_to_move() != color && !game.is_over() {
        if game.board().position().must_pass() {
            game.play(Move::Pass).map_err(refused)?;
        } else {
            let turn = color.opponent();
            return Err(value.error(format!("move {number} ({mv}) is {color}'s, but it is {turn}'s turn")));
        }
    }
    game.play(mv).map_err(refused)
}

fn read_square_or_pass(value: &Cursor) -> Option<Move> {
    let text = value.rest().trim_ascii().to_ascii_lowercase();
    if matches!(text.as_slice(), b"" | b"tt") {
        return Some(Move::Pass);
    }
    if let Some(square) = point(&text) {
        return Some(Move::Place(square));
    }
    let mut cursor = Cursor::new(&text);
    move_at(&mut cursor).filter(|_| cursor.is_at_end())
}

/// A square as two letters or as letter and digit, in small letters.
fn point(text: &[u8]) -> Option<Square> {
    let &[column, row] = text else { return None };
    let row = match row {
        b'1'..=b'8' => row - b'1',
        b'a'..=b'h' => row - b'a',
        _ => return None,
    };
    Square::from_column_row(column.checked_sub(b'a')?, row)
}

/// One square, or a rectangle `cc:ff` from its upper left to its lower right corner.
fn read_points(value: &Cursor) -> Result<u64, ParseError> {
    let text = value.rest().trim_ascii().to_ascii_lowercase();
    let mut corners = text.split(|&byte| byte == b':').map(point);
    let found = match (corners.next().flatten(), corners.next(), corners.next()) {
        (Some(square), None, None) => Some((square, square)),
        (Some(first), Some(Some(last)), None) => Some((first, last)),
        _ => None,
    };
    let (first, last) = found.ok_or_else(|| value.expected("a square such as cd or C4"))?;
    let (columns, rows) = (first.column()..=last.column(), first.row()..=last.row());
    let inside = Square::all().filter(|square| columns.contains(&square.column()) && rows.contains(&square.row()));
    Ok(inside.fold(0, |bits, square| bits | square.bit()))
}

/// Writes a game in one line without its end, in the form of Quarry: squares as two letters, passes left out except at
/// the end of the line, no set-up for the usual start.
pub fn write(game: &Game) -> String {
    let mut text = String::from("(;FF[4]GM[2]CA[UTF-8]AP[Flipside]SZ[8]");
    let start = game.start();
    if start != Board::START {
        write_setup(&mut text, start);
    }
    if game.is_over() {
        let score = game.board().final_score_for_black();
        // Writing to a string cannot fail, here and below.
        let _ = match score {
            0 => write!(text, "RE[0]"),
            1.. => write!(text, "RE[B+{score}]"),
            _ => write!(text, "RE[W+{}]", -score),
        };
    }
    let last = game.moves().len().saturating_sub(1);
    for (index, (&mv, board)) in game.moves().iter().zip(game.boards()).enumerate() {
        let color = letter(board.side_to_move());
        let _ = match mv {
            Move::Place(square) => write!(text, ";{color}[{}]", name(square)),
            Move::Pass if index == last => write!(text, ";{color}[]"),
            Move::Pass => Ok(()),
        };
    }
    text.push(')');
    text
}

fn write_setup(text: &mut String, start: Board) {
    if start.position().occupied() == 0 {
        // Something must say that even the usual four discs are absent.
        text.push_str("AE[aa:hh]");
    }
    for (property, color) in [("AB", Color::Black), ("AW", Color::White)] {
        let squares = Square::all().filter(|&square| start.at(square) == Some(color));
        for (index, square) in squares.enumerate() {
            let _ = write!(text, "{}[{}]", if index == 0 { property } else { "" }, name(square));
        }
    }
    let _ = write!(text, "PL[{}]", letter(start.side_to_move()));
}

fn letter(color: Color) -> char {
    if color == Color::Black { 'B' } else { 'W' }
}

fn name(square: Square) -> String {
    [square.column(), square.row()].into_iter().map(|at| char::from(b'a' + at)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::notation::{
        parse_transcript,
        testing::{any_game, never_panics},
    };

    fn game(text: &str) -> Game {
        parse(text.as_bytes()).unwrap()
    }

    fn message(text: &str) -> String {
        parse(text.as_bytes()).unwrap_err().to_string()
    }

    fn played(text: &str) -> Game {
        parse_transcript(Board::START, text.as_bytes()).unwrap()
    }

    #[test]
    fn both_ways_to_write_squares() {
        let expected = played("f5d6c3d3c4");
        for text in [
            "(;GM[2]FF[4]CA[UTF-8]AP[Quarry:0.2.0]SZ[8]PB[a\\]b]PW[c]RE[B+14];B[fe];W[df];B[cc];W[dc];B[cd])",
            "(;FF[4]GM[2]AP[edax:4.6]SZ[8]AB[d5][e4]AW[d4][e5]PL[B]RE[B+12];B[f5];W[d6];B[c3];W[d3];B[c4];)",
            "(;gm[2];b[F5];w[D6] ; B [C3] ;White[D3];Black[C4])",
            "\u{feff}(;GM[2]\r\n;B[FE]\r\n;W[DF](;B[cc];W[dc](;B[cd])(;B[c5]))(;B[c4]))",
        ] {
            assert_eq!(game(text), expected, "{text}");
        }
    }

    #[test]
    fn fault_12_passes_written_or_not() {
        let expected = played("c4c3f5b4a4a5c2a3d2");
        for pass in ["", ";B[]", ";B[PA]", ";B[pass]", ";B[tt]", ";B[--]"] {
            let text = format!("(;GM[2];B[c4];W[c3];B[f5];W[b4];B[a4];W[a5];B[c2];W[a3]{pass};W[d2])");
            assert_eq!(game(&text), expected, "{pass}");
        }
    }

    #[test]
    fn set_up() {
        assert_eq!(game("(;GM[2])"), Game::default());
        assert_eq!(game("(;GM[2]PL[W])").start(), Board::START.with_other_side());
        assert_eq!(game("(;GM[2];W[e3])").start(), Board::START.with_other_side());
        let rows = game("(;GM[2]AB[aa:ha]AW[ab:hb]AE[a1]PL[white])").start();
        let expected = "-XXXXXXXOOOOOOOO------------------------------------------------ O";
        assert_eq!(rows.to_string(), expected);
        assert!(message("(;GM[2];B[f5]AB[a1])").contains("`AB` after a move"));
    }

    #[test]
    fn errors() {
        assert_eq!(message("(;GM[2];B[d3];W[d4])"), "column 17: move 2: d4 is occupied");
        assert_eq!(message("(;GM[2];B[d3];B[c3])"), "column 17: move 2 (c3) is Black's, but it is White's turn");
        assert_eq!(message("(;GM[1])"), "column 6: expected the game number 2 (Othello), found `1`");
        assert!(message("(;SZ[])").ends_with("expected the board size 8, found nothing"));
        assert!(message("(;SZ[10])").starts_with("column 6: expected the board size 8"));
        assert!(message("(;B[zz])").contains("as move 1"));
        assert!(message("(;B[d3]").ends_with("but the text ends here"));
        assert!(message("(;B[d3").ends_with("but the text ends here"));
        assert!(message("(;B\\").contains("`[` after the property `B`"));
        assert!(message("").contains("an SGF game"));
    }

    #[test]
    fn moves_after_the_end() {
        let over = "(;GM[2];B[e6];W[f4];B[e3];W[f6];B[g5];W[d6];B[e7];W[f5];B[c5]";
        assert!(game(&format!("{over};W[];B[])")).is_over());
        assert!(message(&format!("{over};W[a1])")).ends_with("move 10 (a1): the game is over"));
    }

    #[test]
    fn written_form() {
        assert_eq!(write(&played("f5d6c3")), "(;FF[4]GM[2]CA[UTF-8]AP[Flipside]SZ[8];B[fe];W[df];B[cc])");
    }

    proptest! {
        #[test]
        fn round_trip(game in any_game()) {
            prop_assert_eq!(parse(write(&game).as_bytes()), Ok(game));
        }

        #[test]
        fn any_bytes(bytes: Vec<u8>, game in any_game(), at in 0..600usize, byte: u8) {
            never_panics(parse, &bytes, write(&game).as_bytes(), at, byte);
        }
    }
}
