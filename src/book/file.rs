//! The file of a book: format, reader and safe writer.
//!
//! Layout (little endian): magic `FLIPBOOK`, u32 version, u32 number of positions, u32 length of the facts, u32 length
//! of the body, the facts (UTF-8 text on how the book was made), the body, u64 FNV-1a checksum of everything before it.
//! The body is a deflate stream of the positions' records in ascending order of position, stored by columns: the first
//! byte of all records, then the second of all, and so on. A record has 28 bytes:
//!
//! | bytes | what |
//! |---|---|
//! | 0–7 | discs of the side to move, bit 0 = a1 (the least of the eight symmetric images) |
//! | 8–15 | discs of the other side |
//! | 16–19 | u32 games |
//! | 20–21 | i16 score in centi-discs from the mover's view; −32768 for none |
//! | 22–23 | i16 score of the search of this position alone; −32768 when there was none |
//! | 24 | depth of that search |
//! | 25 | bits 0–2 its selectivity (0 = 73 % … 5 = no probabilistic cuts), bit 6 set when its score is exact, bit 7 set when the score is exact |
//! | 26 | its level |
//! | 27 | its best move, 0 = a1 … 63 = h8, 64 for none |
//!
//! A file is written beside its target, flushed to the disk and renamed, so that the target is at every moment either
//! the old book or the new one.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    process,
};

use miniz_oxide::{deflate::compress_to_vec, inflate::decompress_to_vec_with_limit};
use thiserror::Error;

use super::{Book, Entry, MAX_SCORE, Searched};
use crate::{
    board::{Move, Position, Square},
    bytes::{self, little_endian},
    checksum::fnv1a,
    search::{MAX_LEVEL, Selectivity},
};

const MAGIC: &[u8; 8] = b"FLIPBOOK";
const VERSION: u32 = 1;
const RECORD: usize = 28;
const HEADER: usize = 24;
const CHECKSUM: usize = 8;
const NO_SCORE: i16 = i16::MIN;
const NO_MOVE: u8 = 64;

/// Why the bytes of a book were refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FormatError {
    /// Not a book.
    #[error("not a book file (the first bytes should be FLIPBOOK)")]
    Magic,
    /// Made by another version of the program.
    #[error("a book of format {0}: this program reads format {VERSION}")]
    Version(u32),
    /// Not as long as it says.
    #[error("the book is damaged: it has {found} bytes instead of {expected}")]
    Length {
        /// Bytes there are.
        found: usize,
        /// Bytes there should be.
        expected: u64,
    },
    /// Changed since it was written.
    #[error("the book is damaged: its checksum is wrong")]
    Checksum,
    /// A text or a record that no program should have written.
    #[error("the book is damaged: {0}")]
    Damaged(String),
}

/// Why a book could not be read or written.
#[derive(Debug, Error)]
pub enum BookError {
    /// The operating system refused.
    #[error("cannot {action} the book {}: {source}", path.display())]
    Io {
        /// The file concerned.
        path: PathBuf,
        /// What was tried: `read`, `write` or `replace`.
        action: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// The file is no sound book.
    #[error("cannot use the book {}: {fault}", path.display())]
    Format {
        /// The file concerned.
        path: PathBuf,
        /// What is wrong with it.
        fault: FormatError,
    },
}

fn damaged(problem: impl Into<String>) -> FormatError {
    FormatError::Damaged(problem.into())
}

/// The first `count` bytes, which are taken away. Lengths were checked before; a shortage reads as damage.
fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Result<&'a [u8], FormatError> {
    bytes::take(bytes, count).ok_or_else(|| damaged("it ends too early"))
}

fn take_number(bytes: &mut &[u8], count: usize) -> Result<u64, FormatError> {
    take(bytes, count).map(little_endian)
}

impl Book {
    /// The book as a file's content.
    pub fn to_bytes(&self) -> Vec<u8> {
        let records: Vec<[u8; RECORD]> = self.entries().map(|(position, entry)| record(position, entry)).collect();
        let columns: Vec<u8> = (0..RECORD)
            .flat_map(|column| records.iter().map(move |record| record.get(column).copied().unwrap_or_default()))
            .collect();
        let body = compress_to_vec(&columns, 9);
        let facts = self.facts().as_bytes();
        let mut bytes = MAGIC.to_vec();
        for number in [VERSION, records.len() as u32, facts.len() as u32, body.len() as u32] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(facts);
        bytes.extend(body);
        bytes.extend(fnv1a(&bytes).to_le_bytes());
        bytes
    }

    /// Reads a file's content.
    ///
    /// # Errors
    /// When it is no book, is of another version, or is damaged anywhere.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut rest = bytes;
        if take(&mut rest, 8).ok() != Some(MAGIC.as_slice()) {
            return Err(FormatError::Magic);
        }
        let too_short = |_| FormatError::Length { found: bytes.len(), expected: (HEADER + CHECKSUM) as u64 };
        let version = take_number(&mut rest, 4).map_err(too_short)? as u32;
        if version != VERSION {
            return Err(FormatError::Version(version));
        }
        let count = take_number(&mut rest, 4).map_err(too_short)? as usize;
        let facts_length = take_number(&mut rest, 4).map_err(too_short)?;
        let body_length = take_number(&mut rest, 4).map_err(too_short)?;
        let expected = (HEADER + CHECKSUM) as u64 + facts_length + body_length;
        if bytes.len() as u64 != expected {
            return Err(FormatError::Length { found: bytes.len(), expected });
        }
        let facts = take(&mut rest, facts_length as usize)?;
        let body = take(&mut rest, body_length as usize)?;
        let covered = bytes.split_at_checked(bytes.len() - CHECKSUM).map_or(bytes, |(covered, _)| covered);
        if fnv1a(covered) != little_endian(rest) {
            return Err(FormatError::Checksum);
        }
        let facts = std::str::from_utf8(facts).map_err(|_| damaged("its facts are not UTF-8"))?;
        let columns = decompress_to_vec_with_limit(body, count.saturating_mul(RECORD))
            .map_err(|_| damaged("its positions cannot be unpacked"))?;
        if columns.len() != count.saturating_mul(RECORD) {
            return Err(damaged("it has fewer positions than it says"));
        }
        let mut book = Self::new();
        book.set_facts(facts);
        let mut last = None;
        for number in 0..count {
            let bytes: Vec<u8> = columns.iter().skip(number).step_by(count).copied().collect();
            let (position, entry) =
                read_record(&bytes).map_err(|problem| damaged(format!("position {}: {problem}", number + 1)))?;
            if last.is_some_and(|last| last >= position) {
                return Err(damaged(format!("position {}: out of order", number + 1)));
            }
            last = Some(position);
            book.entries.insert(position, entry);
        }
        Ok(book)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read or is no sound book; the error names the path and the fault.
    pub fn load(path: &Path) -> Result<Self, BookError> {
        let bytes = fs::read(path).map_err(|source| BookError::Io { path: path.to_owned(), action: "read", source })?;
        Self::from_bytes(&bytes).map_err(|fault| BookError::Format { path: path.to_owned(), fault })
    }

    /// Writes a file; on any failure a file that was there before is as it was.
    ///
    /// # Errors
    /// When it cannot be written; the error names the path.
    pub fn save(&self, path: &Path) -> Result<(), BookError> {
        // What a symbolic link points to is replaced, not the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let temporary = beside(&target);
        let refused = |action| move |source| BookError::Io { path: path.to_owned(), action, source };
        let written = write_durably(&temporary, &self.to_bytes())
            .map_err(refused("write"))
            .and_then(|()| fs::rename(&temporary, &target).map_err(refused("replace")));
        if written.is_err() {
            // What matters has been reported; a leftover is only untidy.
            let _ = fs::remove_file(&temporary);
        } else if let Some(folder) = target.parent() {
            // Makes the new name durable where the system can.
            let _ = File::open(folder).and_then(|folder| folder.sync_all());
        }
        written
    }
}

fn write_durably(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// A name of this process alone in the target's folder.
pub(super) fn beside(target: &Path) -> PathBuf {
    let mut name = target.file_name().map_or_else(|| OsString::from("book"), OsString::from);
    name.push(format!(".{}.tmp", process::id()));
    target.with_file_name(name)
}

fn record(position: Position, entry: &Entry) -> [u8; RECORD] {
    let score = |score: Option<i32>| score.map_or(NO_SCORE, |score| score as i16).to_le_bytes();
    let searched = entry.searched;
    let selectivity = searched.map_or(0, |searched| searched.selectivity as u8);
    let exact = u8::from(searched.is_some_and(|searched| searched.exact)) << 6 | u8::from(entry.exact) << 7;
    let best = searched.and_then(|searched| searched.best).and_then(Move::square);
    let tail = [
        searched.map_or(0, |searched| searched.depth as u8),
        selectivity | exact,
        searched.map_or(0, |searched| searched.level as u8),
        best.map_or(NO_MOVE, |square| square.index() as u8),
    ];
    let mut bytes = [0; RECORD];
    let fields = [
        &position.mover().to_le_bytes()[..],
        &position.opponent().to_le_bytes(),
        &entry.games.to_le_bytes(),
        &score(entry.score),
        &score(searched.map(|searched| searched.score)),
        &tail,
    ];
    for (to, from) in bytes.iter_mut().zip(fields.into_iter().flatten()) {
        *to = *from;
    }
    bytes
}

fn read_record(bytes: &[u8]) -> Result<(Position, Entry), String> {
    let mut rest = bytes;
    let mut number = |count| take_number(&mut rest, count).map_err(|error| error.to_string());
    let position = Position::new(number(8)?, number(8)?).ok_or("two discs on one square")?;
    if position.canonical() != position {
        return Err("not the least of its images".to_owned());
    }
    if position.must_pass() {
        return Err("the side to move must pass".to_owned());
    }
    let games = number(4)? as u32;
    let score = read_score(number(2)?)?;
    let own = read_score(number(2)?)?;
    let (depth, kind, level, best) = (number(1)? as u32, number(1)? as u8, number(1)? as u32, number(1)? as u8);
    let searched = match own {
        None => None,
        Some(score) => {
            let selectivity = *Selectivity::ALL.get(usize::from(kind & 7)).ok_or("an unknown selectivity")?;
            if level > MAX_LEVEL || depth > 64 {
                return Err("an impossible level or depth".to_owned());
            }
            let best = if best == NO_MOVE {
                None
            } else {
                let square = Square::new(best).filter(|&square| position.flips(square) != 0);
                Some(Move::Place(square.ok_or("an illegal best move")?))
            };
            Some(Searched { score, best, depth, selectivity, level, exact: kind & 0x40 != 0 })
        }
    };
    Ok((position, Entry { searched, score, exact: kind & 0x80 != 0, games }))
}

fn read_score(bits: u64) -> Result<Option<i32>, String> {
    let score = bits as u16 as i16;
    match i32::from(score) {
        _ if score == NO_SCORE => Ok(None),
        score if score.abs() <= MAX_SCORE => Ok(Some(score)),
        score => Err(format!("an impossible score of {score}")),
    }
}
