//! GGF, the Generic Game Format of GGS and `NBoard`: `(;GM[Othello]PB[..]PW[..]TY[8]BO[8 .. *]B[F5/0.50/0.08]W[..];)`.
//!
//! Accepted beyond the letter of the format: missing tags, unknown tags, moves under the wrong colour's tag (turns
//! follow the board), forced passes left out, passes after the end, decimal commas, text in Latin-1.

use std::fmt;

use super::{
    ParseError,
    cells::board_at,
    text::{Cursor, decode, quote},
    transcript::{illegal_message, move_at},
};
use crate::board::{Board, Color, Game, Move};

mod clock;
pub use clock::GgfClock;

/// One GGF game. Texts are as in the file, without blanks around; empty when the tag is absent.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct GgfGame {
    /// The start board and the moves, with all passes.
    pub game: Game,
    /// Black's name, `PB`.
    pub black: String,
    /// White's name, `PW`.
    pub white: String,
    /// Black's rating, `RB`.
    pub black_rating: String,
    /// White's rating, `RW`.
    pub white_rating: String,
    /// Where the game was played, `PC`.
    pub place: String,
    /// When, `DT`; no particular form.
    pub date: String,
    /// Size and variant, `TY`: `8`, `8r18`, `s8r20`. Written as `8` when empty.
    pub board_type: String,
    /// Result, `RE`: usually black's discs minus white's, `?` while the game goes on. Written as `?` when empty.
    pub result: String,
    /// Black's clock, `TB` or else `TI`.
    pub time_black: Option<GgfClock>,
    /// White's clock, `TW` or else `TI`.
    pub time_white: Option<GgfClock>,
    /// What the players said about their moves: one entry per move of `game`, empty for passes put in here.
    pub move_info: Vec<MoveInfo>,
}

impl GgfGame {
    /// A game without names, clocks and remarks on moves; the result is that of the last board.
    pub fn new(game: Game) -> Self {
        let move_info = vec![MoveInfo::default(); game.moves().len()];
        let result =
            if game.is_over() { format!("{:+}", game.board().final_score_for_black()) } else { "?".to_owned() };
        Self { game, move_info, board_type: "8".to_owned(), result, ..Self::default() }
    }

    /// The clock of a colour.
    pub fn time(&self, color: Color) -> Option<GgfClock> {
        match color {
            Color::Black => self.time_black,
            Color::White => self.time_white,
        }
    }
}

/// What a player said about its move.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct MoveInfo {
    /// Its view of the position in discs, positive when it is ahead; finite.
    pub eval: Option<f64>,
    /// Seconds it used; finite, not negative.
    pub seconds: Option<f64>,
}

/// Parses a move as GGF and `NBoard` write it: `F5`, `F5/0.50/0.08`, `F5//1.2`, `PA/0.00/0.01`.
///
/// A pass is any beginning of `pass`, `ps` or `--`. Decimal commas are taken as points.
///
/// # Errors
/// When the move or a number is malformed.
pub fn parse_move_item(bytes: &[u8]) -> Result<(Move, MoveInfo), ParseError> {
    let cursor = Cursor::new(bytes);
    parse_item(&cursor)
}

fn parse_item(item: &Cursor) -> Result<(Move, MoveInfo), ParseError> {
    let mut cursor = item.clone();
    cursor.skip_blanks();
    let start = cursor.clone();
    let mv = match move_at(&mut cursor) {
        Some(mv) => mv,
        None if cursor.peek().is_some_and(|byte| byte.eq_ignore_ascii_case(&b'p')) => {
            cursor.advance(1);
            Move::Pass
        }
        None => return Err(cursor.expected("a square from a1 to h8 or pass")),
    };
    if mv == Move::Pass
        && cursor.since(start.offset()).len() == 2
        && cursor.peek().is_some_and(|byte| byte | 32 == b's')
    {
        // `pas`, the one beginning of `pass` that is no form of its own.
        cursor.advance(1);
    }
    let mut info = MoveInfo::default();
    cursor.skip_blanks();
    if cursor.eat(b'/') {
        info.eval = parse_number(&mut cursor, "an evaluation in discs")?;
        if cursor.eat(b'/') {
            let place = cursor.clone();
            info.seconds = parse_number(&mut cursor, "a time in seconds")?;
            if info.seconds.is_some_and(|seconds| seconds < 0.0) {
                return Err(place.expected("a time in seconds, not negative"));
            }
        }
    }
    if cursor.is_at_end() { Ok((mv, info)) } else { Err(cursor.expected("a move such as F5/0.50/0.08")) }
}

/// A number up to `/` or the end, `None` when there is nothing.
fn parse_number(cursor: &mut Cursor, what: &str) -> Result<Option<f64>, ParseError> {
    cursor.skip_blanks();
    let start = cursor.clone();
    let text = cursor.take_while(|byte| byte != b'/').trim_ascii();
    if text.is_empty() {
        return Ok(None);
    }
    let number = str::from_utf8(text).ok().and_then(|text| text.replace(',', ".").parse::<f64>().ok());
    number.filter(|number| number.is_finite()).map(Some).ok_or_else(|| start.expected(what))
}

/// Writes a move as [`parse_move_item`] reads it: `F5`, `F5/0.50`, `F5//0.08`, `F5/0.50/0.08`, a pass as `PA`.
///
/// Numbers have two decimals, more where two would change the value; what is not finite is left out.
pub fn write_move_item(mv: Move, info: MoveInfo) -> String {
    let mut text = match mv {
        Move::Place(square) => square.to_string().to_ascii_uppercase(),
        Move::Pass => "PA".to_owned(),
    };
    let number = |value: Option<f64>| value.filter(|value| value.is_finite()).map(write_number);
    let (eval, seconds) = (number(info.eval), number(info.seconds));
    if eval.is_some() || seconds.is_some() {
        text.push('/');
        text.push_str(&eval.unwrap_or_default());
    }
    if let Some(seconds) = seconds {
        text.push('/');
        text.push_str(&seconds);
    }
    text
}

fn write_number(value: f64) -> String {
    let short = format!("{value:.2}");
    if short.parse() == Ok(value) { short } else { value.to_string() }
}

/// Parses all games of a text. They may share a line or fill several; a count may stand before a game (`2 (;..;)(;..;)`
/// for a pair of synchronized games) and is not checked.
///
/// # Errors
/// When there is no game, one is malformed, not Othello on 8×8 squares, or has an illegal move.
pub fn parse_games(bytes: &[u8]) -> Result<Vec<GgfGame>, ParseError> {
    let mut cursor = Cursor::new(bytes);
    let mut games = Vec::new();
    loop {
        cursor.skip_blanks();
        if cursor.is_at_end() && !games.is_empty() {
            return Ok(games);
        }
        cursor.take_while(|byte| byte.is_ascii_digit());
        cursor.skip_blanks();
        games.push(parse_one(&mut cursor)?);
    }
}

/// Parses a text that holds exactly one game.
///
/// # Errors
/// As [`parse_games`], and when something follows the game.
pub fn parse_game(bytes: &[u8]) -> Result<GgfGame, ParseError> {
    let mut cursor = Cursor::new(bytes);
    cursor.skip_blanks();
    cursor.take_while(|byte| byte.is_ascii_digit());
    cursor.skip_blanks();
    let game = parse_one(&mut cursor)?;
    cursor.skip_blanks();
    if cursor.is_at_end() { Ok(game) } else { Err(cursor.expected("nothing after the game")) }
}

/// The tags of a game that matter before its moves are played.
#[derive(Default)]
struct Parts<'a> {
    board: Option<Board>,
    both_clocks: Option<GgfClock>,
    items: Vec<Cursor<'a>>,
}

fn parse_one(cursor: &mut Cursor) -> Result<GgfGame, ParseError> {
    if !cursor.eat(b'(') {
        return Err(cursor.expected("a GGF game, (;GM[Othello]...;)"));
    }
    cursor.skip_blanks();
    if !cursor.eat(b';') {
        return Err(cursor.expected("`;` after `(`"));
    }
    let mut read = GgfGame::default();
    let mut parts = Parts::default();
    loop {
        cursor.skip_blanks();
        // Some writers leave the last `;` out.
        if cursor.eat(b')') {
            break;
        }
        if cursor.eat(b';') {
            continue;
        }
        let tag = cursor.take_while(|byte| byte.is_ascii_alphabetic()).to_ascii_uppercase();
        if tag.is_empty() {
            return Err(cursor.expected("a tag such as B[F5], or `;)`"));
        }
        cursor.skip_blanks();
        if cursor.peek() != Some(b'[') {
            return Err(cursor.expected(&format!("`[` after the tag {}", quote(&tag))));
        }
        // Tags of the format have one value; further ones can only belong to a tag unknown here.
        let mut first = true;
        while cursor.eat(b'[') {
            let start = cursor.offset();
            cursor.take_while(|byte| byte != b']');
            let value = cursor.part(start, cursor.offset());
            if !cursor.eat(b']') {
                return Err(cursor.expected(&format!("`]` after the value of {}", quote(&tag))));
            }
            if first {
                parse_tag(&tag, value, &mut read, &mut parts)?;
            }
            first = false;
            cursor.skip_blanks();
        }
    }
    read.time_black = read.time_black.or(parts.both_clocks);
    read.time_white = read.time_white.or(parts.both_clocks);
    read.game = Game::new(parts.board.unwrap_or(Board::START));
    play_items(&mut read, &parts.items)?;
    Ok(read)
}

fn parse_tag<'a>(tag: &[u8], value: Cursor<'a>, read: &mut GgfGame, parts: &mut Parts<'a>) -> Result<(), ParseError> {
    let text = || decode(value.rest().trim_ascii());
    match tag {
        b"GM" => {
            let name = value.rest().trim_ascii();
            if !name.eq_ignore_ascii_case(b"othello") && !name.eq_ignore_ascii_case(b"reversi") {
                return Err(value.error(format!("expected the game Othello, found {}", quote(name))));
            }
        }
        b"PB" => read.black = text(),
        b"PW" => read.white = text(),
        b"RB" => read.black_rating = text(),
        b"RW" => read.white_rating = text(),
        b"PC" => read.place = text(),
        b"DT" => read.date = text(),
        b"RE" => read.result = text(),
        b"TY" => {
            check_type(&value)?;
            read.board_type = text();
        }
        b"TI" => parts.both_clocks = clock::parse(&value)?,
        b"TB" => read.time_black = clock::parse(&value)?,
        b"TW" => read.time_white = clock::parse(&value)?,
        b"BO" => parts.board = Some(parse_start(value)?),
        b"B" | b"W" => parts.items.push(value),
        _ => {}
    }
    Ok(())
}

/// The size is the first number of a type: `8`, `8r18`, `s8r20`.
fn check_type(value: &Cursor) -> Result<(), ParseError> {
    let mut cursor = value.clone();
    cursor.take_while(|byte| !byte.is_ascii_digit());
    let place = cursor.offset();
    match cursor.take_while(|byte| byte.is_ascii_digit()) {
        b"" | b"8" => Ok(()),
        size => Err(value.error_at(place, format!("board size {} is not supported, expected 8", plain(size)))),
    }
}

/// Digits without the quotes, which long numbers keep.
fn plain(digits: &[u8]) -> String {
    if digits.len() > 4 { quote(digits) } else { decode(digits) }
}

fn parse_start(mut cursor: Cursor) -> Result<Board, ParseError> {
    cursor.skip_blanks();
    let place = cursor.offset();
    match cursor.take_while(|byte| byte.is_ascii_digit()) {
        b"" => return Err(cursor.expected("the board size 8")),
        b"8" => {}
        size => return Err(cursor.error_at(place, format!("board size {} is not supported, expected 8", plain(size)))),
    }
    let board = board_at(&mut cursor)?;
    cursor.skip_blanks();
    if cursor.is_at_end() { Ok(board) } else { Err(cursor.expected("`]` after the side to move")) }
}

fn play_items(read: &mut GgfGame, items: &[Cursor]) -> Result<(), ParseError> {
    for (index, item) in items.iter().enumerate() {
        let (mv, info) = parse_item(item)
            .map_err(|error| ParseError { message: format!("move {}: {}", index + 1, error.message), ..error })?;
        if mv == Move::Pass && read.game.is_over() {
            // Some programs go on passing until both sides have.
            continue;
        }
        read.game.play_with_implied_pass(mv).map_err(|illegal| item.error(illegal_message(index + 1, mv, illegal)))?;
        // An entry for the pass that was put in, if one was.
        read.move_info.resize(read.game.moves().len().saturating_sub(1), MoveInfo::default());
        read.move_info.push(info);
    }
    Ok(())
}

impl fmt::Display for GgfGame {
    /// One line without its end. Tags without value are left out except the players' names and the result, which some
    /// readers miss. In texts, `]` becomes `)` and line ends become blanks.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clean = |text: &str| text.replace(']', ")").replace(|letter: char| letter.is_control(), " ");
        let or = |text: &str, fallback: &str| clean(if text.is_empty() { fallback } else { text });
        write!(formatter, "(;GM[Othello]")?;
        for (tag, text) in [("PC", &self.place), ("DT", &self.date)] {
            if !text.is_empty() {
                write!(formatter, "{tag}[{}]", clean(text))?;
            }
        }
        write!(formatter, "PB[{}]PW[{}]", clean(&self.black), clean(&self.white))?;
        for (tag, text) in [("RB", &self.black_rating), ("RW", &self.white_rating)] {
            if !text.is_empty() {
                write!(formatter, "{tag}[{}]", clean(text))?;
            }
        }
        write!(formatter, "RE[{}]", or(&self.result, "?"))?;
        if let (Some(both), true) = (self.time_black, self.time_black == self.time_white) {
            write!(formatter, "TI[{both}]")?;
        } else {
            for (tag, clock) in [("TB", self.time_black), ("TW", self.time_white)] {
                if let Some(clock) = clock {
                    write!(formatter, "{tag}[{clock}]")?;
                }
            }
        }
        write!(formatter, "TY[{}]BO[8 ", or(&self.board_type, "8"))?;
        // GGF writes black as `*`.
        write!(formatter, "{}]", self.game.start().to_string().replace('X', "*"))?;
        let boards = self.game.boards().iter();
        for (index, (&mv, board)) in self.game.moves().iter().zip(boards).enumerate() {
            let tag = if board.side_to_move() == Color::Black { 'B' } else { 'W' };
            let info = self.move_info.get(index).copied().unwrap_or_default();
            write!(formatter, "{tag}[{}]", write_move_item(mv, info))?;
        }
        formatter.write_str(";)")
    }
}

#[cfg(test)]
mod tests;
