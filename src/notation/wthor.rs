//! WTHOR: the database of tournament games, one `.wtb` file a year, with the names in `.JOU` and `.TRN` files.
//!
//! All numbers are little endian. A file is a header of 16 bytes, then games of 68 bytes or names of 20 (players) or 26
//! (tournaments) bytes in Latin-1, filled up with zeros. The number of a name is its place in the file, from 0.

use thiserror::Error;

use super::{ParseError, text::latin1, transcript::illegal_message};
use crate::board::{Board, Game, Move, Square};

const HEADER: usize = 16;
const RECORD: usize = 68;
const MOVES: usize = 60;

/// The head of a WTHOR file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Day the file was made: century (20 for 2000–2099), year in it, month, day.
    pub created: [u8; 4],
    /// Year of the games; 0 in files of names.
    pub year: u16,
    /// Empties from which the theoretical scores are exact; files may have 0 for 22.
    pub depth: u8,
}

/// One game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Number of the tournament.
    pub tournament: u16,
    /// Number of the player who had black.
    pub black: u16,
    /// Number of the player who had white.
    pub white: u16,
    /// Black's discs at the end, 0 to 64, empty squares to the winner; the result as it was declared, so it need not
    /// follow from the moves.
    pub score: u8,
    /// Black's discs, 0 to 64, with best play from [`Header::depth`] empties on.
    pub theoretical_score: u8,
    /// The moves from the usual start, with all passes that a placement follows; the format has no others.
    pub game: Game,
}

/// The games of a `.wtb` file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Database {
    /// Head of the file.
    pub header: Header,
    /// Games in the order of the file.
    pub records: Vec<Record>,
}

/// What a file of names holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Names {
    /// Players, `.JOU`: at most 19 characters.
    Players,
    /// Tournaments, `.TRN`: at most 25 characters.
    Tournaments,
}

impl Names {
    const fn width(self) -> usize {
        match self {
            Self::Players => 20,
            Self::Tournaments => 26,
        }
    }
}

/// Why games cannot be written as a `.wtb` file; games are counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum WriteError {
    /// The format has no start boards.
    #[error("game {0} does not begin from the usual start")]
    UnusualStart(usize),
    /// The count of games is a 32-bit number, that of names a 16-bit number.
    #[error("too many entries for one file: {0}")]
    TooMany(usize),
}

fn error(offset: usize, message: impl Into<String>) -> ParseError {
    ParseError { line: None, column: offset.saturating_add(1), message: message.into() }
}

/// Little-endian number of up to four bytes at an offset; bytes past the end count as zero.
fn number(bytes: &[u8], offset: usize, length: usize) -> u32 {
    let field = bytes.iter().skip(offset).take(length);
    field.rev().fold(0, |value, &byte| value << 8 | u32::from(byte))
}

fn byte(bytes: &[u8], offset: usize) -> u8 {
    number(bytes, offset, 1) as u8
}

fn parse_header(bytes: &[u8]) -> Result<Header, ParseError> {
    if bytes.len() < HEADER {
        let length = bytes.len();
        return Err(error(length, format!("expected a header of {HEADER} bytes, but the file ends after {length}")));
    }
    let mut created = [0; 4];
    created.iter_mut().zip(bytes).for_each(|(to, &from)| *to = from);
    Ok(Header { created, year: number(bytes, 10, 2) as u16, depth: byte(bytes, 14) })
}

/// The error when the length of the file is not what its count says.
fn check_length(bytes: &[u8], count: u32, width: usize, what: &str) -> Result<(), ParseError> {
    let expected = u64::from(count) * width as u64 + HEADER as u64;
    let length = bytes.len();
    if expected == length as u64 {
        return Ok(());
    }
    let message = format!("expected {expected} bytes for {count} {what}, but the file has {length}");
    Err(error(length.min(usize::try_from(expected).unwrap_or(length)), message))
}

/// Parses a `.wtb` file. The column of an error is the byte in the file, counted from 1.
///
/// # Errors
/// When the file is cut off or longer than its count of games says, holds other boards than 8×8 or solitaires, or a
/// game has an illegal move; games and moves are counted from 1.
pub fn parse(bytes: &[u8]) -> Result<Database, ParseError> {
    let header = parse_header(bytes)?;
    match byte(bytes, 12) {
        0 | 8 => {}
        size => return Err(error(12, format!("board size {size} is not supported, expected 8"))),
    }
    if byte(bytes, 13) == 1 {
        return Err(error(13, "the file holds solitaires, expected games"));
    }
    check_length(bytes, number(bytes, 4, 4), RECORD, "games")?;
    let games = bytes.get(HEADER..).unwrap_or_default().chunks_exact(RECORD).enumerate();
    let records = games.map(|(index, record)| parse_record(index, record)).collect::<Result<_, _>>()?;
    Ok(Database { header, records })
}

fn parse_record(index: usize, record: &[u8]) -> Result<Record, ParseError> {
    let offset = HEADER + index * RECORD;
    let in_game = |at: usize, message: String| error(offset + at, format!("game {}: {message}", index + 1));
    for at in [6, 7] {
        let discs = byte(record, at);
        if discs > 64 {
            return Err(in_game(at, format!("{discs} black discs, expected 0 to 64")));
        }
    }
    let mut game = Game::default();
    let moves = record.iter().enumerate().skip(RECORD - MOVES);
    let mut ended = false;
    for ((at, &code), count) in moves.zip(1..) {
        if code == 0 {
            ended = true;
            continue;
        }
        if ended {
            return Err(in_game(at, format!("move {count}: expected 0 behind the end of the game, found {code}")));
        }
        let square = square(code)
            .ok_or_else(|| in_game(at, format!("move {count}: expected a square from 11 to 88, found {code}")))?;
        let mv = Move::Place(square);
        game.play_with_implied_pass(mv).map_err(|illegal| in_game(at, illegal_message(count, mv, illegal)))?;
    }
    let id = |at| number(record, at, 2) as u16;
    Ok(Record {
        tournament: id(0),
        black: id(2),
        white: id(4),
        score: byte(record, 6),
        theoretical_score: byte(record, 7),
        game,
    })
}

/// The square of a move byte, ten times the row plus the column, both from 1.
fn square(code: u8) -> Option<Square> {
    Square::from_column_row((code % 10).checked_sub(1)?, (code / 10).checked_sub(1)?)
}

/// Writes a `.wtb` file. A pass at the very end of a game is lost.
///
/// # Errors
/// When a game has another start than the usual one, or there are more games than the count can say.
pub fn write(database: &Database) -> Result<Vec<u8>, WriteError> {
    let records = &database.records;
    let count = u32::try_from(records.len()).map_err(|_| WriteError::TooMany(records.len()))?;
    let mut bytes = write_header(database.header, count, 0);
    for (index, record) in records.iter().enumerate() {
        if record.game.start() != Board::START {
            return Err(WriteError::UnusualStart(index + 1));
        }
        for id in [record.tournament, record.black, record.white] {
            bytes.extend(id.to_le_bytes());
        }
        bytes.extend([record.score, record.theoretical_score]);
        let squares = record.game.moves().iter().filter_map(|mv| mv.square());
        let codes = squares.map(|square| (square.row() + 1) * 10 + square.column() + 1);
        bytes.extend(codes.chain(std::iter::repeat(0)).take(MOVES));
    }
    Ok(bytes)
}

fn write_header(header: Header, games: u32, names: u16) -> Vec<u8> {
    let mut bytes = Vec::from(header.created);
    bytes.extend(games.to_le_bytes());
    bytes.extend(names.to_le_bytes());
    bytes.extend(header.year.to_le_bytes());
    bytes.extend([if games > 0 { 8 } else { 0 }, 0, header.depth, 0]);
    bytes
}

/// Parses a `.JOU` or `.TRN` file. The column of an error is the byte in the file, counted from 1.
///
/// # Errors
/// When the file is cut off or longer than its count of names says.
pub fn parse_names(bytes: &[u8], kind: Names) -> Result<Vec<String>, ParseError> {
    parse_header(bytes)?;
    // The count belongs into the second field, but files with the first one filled in exist.
    let count = match number(bytes, 8, 2) {
        0 => number(bytes, 4, 4),
        count => count,
    };
    check_length(bytes, count, kind.width(), "names")?;
    let names = bytes.get(HEADER..).unwrap_or_default().chunks_exact(kind.width());
    Ok(names.map(|name| latin1(name.split(|&byte| byte == 0).next().unwrap_or_default())).collect())
}

/// Writes a `.JOU` or `.TRN` file with this day of creation. Names are cut to the width of the field; characters beyond
/// Latin-1 become `?`.
///
/// # Errors
/// When there are more names than the count can say.
pub fn write_names(names: &[String], kind: Names, created: [u8; 4]) -> Result<Vec<u8>, WriteError> {
    let count = u16::try_from(names.len()).map_err(|_| WriteError::TooMany(names.len()))?;
    let mut bytes = write_header(Header { created, year: 0, depth: 0 }, 0, count);
    for name in names {
        let letters = name.chars().map(|letter| u8::try_from(letter).unwrap_or(b'?')).take(kind.width() - 1);
        bytes.extend(letters.chain(std::iter::repeat(0)).take(kind.width()));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
