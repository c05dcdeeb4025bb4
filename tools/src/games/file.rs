//! Reading, growing and resuming a game file.

use std::{
    fs::{self, File, OpenOptions},
    io::{Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use flipside::eval::Evaluator;

use super::{GameRecord, RECORD_SIZE, fnv};
use crate::error::{Result, ToolError};

/// Size of the header in bytes.
pub const HEADER_SIZE: usize = 32;

const MAGIC: &[u8; 8] = b"FLIPGAME";
const VERSION: u16 = 1;

/// In place of a percentage: the openings are not random but were read from a file.
pub const OPENINGS_FROM_FILE: u8 = 255;

/// How the games of a file were made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Search depth of the players.
    pub depth: u8,
    /// Play is exact from this many empty squares on; 0 for never.
    pub exact_empties: u8,
    /// Least number of random plies.
    pub random_min: u8,
    /// Greatest number of random plies.
    pub random_max: u8,
    /// Percent of the opening plies after the first `random_min` that are the best by a one-ply search instead of
    /// random; [`OPENINGS_FROM_FILE`] when the openings were given.
    pub sound_percent: u8,
    /// The seed of everything random.
    pub seed: u64,
    /// Mark of the evaluation weights that the players used.
    pub weights: u32,
}

impl Header {
    /// The mark of an evaluation: a hash of its training facts.
    pub fn weights_mark(evaluator: &Evaluator) -> u32 {
        fnv(0, evaluator.facts().as_bytes()) as u32
    }

    /// The header's bytes.
    pub fn encode(&self) -> [u8; HEADER_SIZE] {
        let mut bytes = [0; HEADER_SIZE];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
        bytes[10] = RECORD_SIZE as u8;
        bytes[11] = self.sound_percent;
        bytes[12] = self.depth;
        bytes[13] = self.exact_empties;
        bytes[14] = self.random_min;
        bytes[15] = self.random_max;
        bytes[16..24].copy_from_slice(&self.seed.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.weights.to_le_bytes());
        let checksum = (fnv(0, &bytes[..28]) as u32).to_le_bytes();
        bytes[28..].copy_from_slice(&checksum);
        bytes
    }

    /// Reads a header.
    ///
    /// # Errors
    /// A text that says what was found and what was expected.
    pub fn decode(bytes: &[u8]) -> std::result::Result<Self, String> {
        let Some(bytes) = bytes.first_chunk::<HEADER_SIZE>() else {
            return Err(format!("{} bytes, expected a game file of at least {HEADER_SIZE}", bytes.len()));
        };
        if !bytes.starts_with(MAGIC) {
            return Err("no game file: expected it to begin with FLIPGAME".to_owned());
        }
        let version = u16::from_le_bytes([bytes[8], bytes[9]]);
        let size = usize::from(bytes[10]);
        if version != VERSION || size != RECORD_SIZE {
            return Err(format!(
                "version {version} with records of {size} bytes, expected version {VERSION} and {RECORD_SIZE} bytes"
            ));
        }
        if u32::from_le_bytes([bytes[28], bytes[29], bytes[30], bytes[31]]) != fnv(0, &bytes[..28]) as u32 {
            return Err("the checksum is wrong: the header is damaged".to_owned());
        }
        let mut seed = [0; 8];
        seed.copy_from_slice(&bytes[16..24]);
        Ok(Self {
            depth: bytes[12],
            exact_empties: bytes[13],
            random_min: bytes[14],
            random_max: bytes[15],
            sound_percent: bytes[11],
            seed: u64::from_le_bytes(seed),
            weights: u32::from_le_bytes([bytes[24], bytes[25], bytes[26], bytes[27]]),
        })
    }

    fn describe(&self) -> String {
        let openings = if self.sound_percent == OPENINGS_FROM_FILE {
            "openings from a file".to_owned()
        } else {
            format!("{}-{} random plies ({} % sound)", self.random_min, self.random_max, self.sound_percent)
        };
        format!(
            "depth {}, exact from {} empties, {openings}, seed {}, weights {:08x}",
            self.depth, self.exact_empties, self.seed, self.weights
        )
    }
}

/// A game file in memory.
#[derive(Clone, Debug)]
pub struct GameFile {
    path: PathBuf,
    header: Header,
    bytes: Vec<u8>,
}

impl GameFile {
    /// Reads a file. An incomplete last record is left out (see [`GameFile::tail`]).
    ///
    /// # Errors
    /// When the file cannot be read or has no game header.
    pub fn open(path: &Path) -> Result<Self> {
        let bytes = fs::read(path).map_err(ToolError::io(path, "read"))?;
        let header = Header::decode(&bytes).map_err(|problem| ToolError::format(path, "header", problem))?;
        Ok(Self { path: path.to_owned(), header, bytes })
    }

    /// Where it was read from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How its games were made.
    pub fn header(&self) -> Header {
        self.header
    }

    /// Number of whole records.
    pub fn len(&self) -> usize {
        (self.bytes.len() - HEADER_SIZE) / RECORD_SIZE
    }

    /// True without any whole record.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes after the last whole record, left by an interruption.
    pub fn tail(&self) -> usize {
        (self.bytes.len() - HEADER_SIZE) % RECORD_SIZE
    }

    /// Game `number`, from 0.
    ///
    /// # Errors
    /// When there is no such game or its record is damaged.
    pub fn game(&self, number: usize) -> Result<GameRecord> {
        let place = || format!("game {number}");
        let start = HEADER_SIZE + number * RECORD_SIZE;
        let bytes = self.bytes.get(start..).and_then(<[u8]>::first_chunk).ok_or_else(|| {
            ToolError::format(&self.path, place(), format!("no such game: the file has {}", self.len()))
        })?;
        GameRecord::decode(bytes, number as u64).map_err(|problem| ToolError::format(&self.path, place(), problem))
    }
}

/// Adds games to a file.
#[derive(Debug)]
pub struct GameWriter {
    path: PathBuf,
    file: File,
    count: u64,
}

impl GameWriter {
    /// Creates the file, or takes up an existing one made with the same settings: damaged or incomplete records at
    /// its end are dropped.
    ///
    /// # Errors
    /// When the file cannot be written, is no game file or was made with other settings.
    pub fn create_or_resume(path: &Path, header: &Header) -> Result<Self> {
        let existing = match fs::metadata(path) {
            Ok(data) => data.len(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => 0,
            Err(error) => return Err(ToolError::io(path, "read")(error)),
        };
        let mut count = 0;
        // A file cut off inside its header, but with a sound beginning, has no games to lose.
        let fresh = existing < HEADER_SIZE as u64 && {
            let start = if existing == 0 { Vec::new() } else { fs::read(path).map_err(ToolError::io(path, "read"))? };
            header.encode().starts_with(&start)
        };
        if !fresh {
            let file = GameFile::open(path)?;
            if file.header() != *header {
                let problem = format!(
                    "made with {}, but now asked for {}: give another file name",
                    file.header().describe(),
                    header.describe()
                );
                return Err(ToolError::format(path, "header", problem));
            }
            count = file.len() as u64;
            while count > 0 && file.game(count as usize - 1).is_err() {
                count -= 1;
            }
        }
        let mut options = OpenOptions::new();
        let mut file =
            options.write(true).create(true).truncate(false).open(path).map_err(ToolError::io(path, "create"))?;
        if fresh {
            file.set_len(0).map_err(ToolError::io(path, "write"))?;
            file.write_all(&header.encode()).map_err(ToolError::io(path, "write"))?;
        } else {
            file.set_len(HEADER_SIZE as u64 + count * RECORD_SIZE as u64).map_err(ToolError::io(path, "write"))?;
            file.seek(SeekFrom::End(0)).map_err(ToolError::io(path, "write"))?;
        }
        Ok(Self { path: path.to_owned(), file, count })
    }

    /// Number of games in the file.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Appends games and hands them to the system.
    ///
    /// # Errors
    /// When writing fails.
    pub fn append(&mut self, games: &[GameRecord]) -> Result<()> {
        let mut bytes = Vec::with_capacity(games.len() * RECORD_SIZE);
        for (number, game) in (self.count..).zip(games) {
            bytes.extend(game.encode(number));
        }
        self.file.write_all(&bytes).map_err(ToolError::io(&self.path, "write"))?;
        self.file.flush().map_err(ToolError::io(&self.path, "write"))?;
        self.count += games.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{games::record::tests::random_game, test_files::TestDir};

    const HEADER: Header =
        Header { depth: 3, exact_empties: 10, random_min: 2, random_max: 20, sound_percent: 0, seed: 99, weights: 0 };

    #[test]
    fn truncated_and_damaged_tails_are_dropped_on_resuming() {
        let dir = TestDir::new("game-file");
        let path = dir.path("games");
        let games: Vec<GameRecord> = (0..5).map(random_game).collect();
        let mut writer = GameWriter::create_or_resume(&path, &HEADER).unwrap();
        writer.append(&games).unwrap();
        drop(writer);
        let whole = fs::read(&path).unwrap();
        for length in 0..=whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let mut writer = GameWriter::create_or_resume(&path, &HEADER).unwrap();
            let count = length.saturating_sub(HEADER_SIZE) / RECORD_SIZE;
            assert_eq!(writer.count(), count as u64);
            writer.append(&games[count..]).unwrap();
            assert_eq!(fs::read(&path).unwrap(), whole, "cut at {length}");
        }
        let mut zeroed = whole.clone();
        zeroed[HEADER_SIZE + 3 * RECORD_SIZE..].fill(0);
        fs::write(&path, &zeroed).unwrap();
        assert_eq!(GameWriter::create_or_resume(&path, &HEADER).unwrap().count(), 3);
        let file = GameFile::open(&path).unwrap();
        assert_eq!((file.len(), file.tail()), (3, 0));
        assert_eq!(file.game(2).unwrap(), games[2]);
        assert!(file.game(3).unwrap_err().to_string().ends_with("game 3: no such game: the file has 3"));
    }

    #[test]
    fn other_files_are_refused_and_left_alone() {
        let dir = TestDir::new("game-file-refused");
        let path = dir.path("games");
        fs::write(&path, b"precious text that is longer than a header would be").unwrap();
        assert!(GameWriter::create_or_resume(&path, &HEADER).unwrap_err().to_string().contains("FLIPGAME"));
        fs::write(&path, b"precious").unwrap();
        assert!(GameWriter::create_or_resume(&path, &HEADER).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"precious");
        fs::write(&path, HEADER.encode()).unwrap();
        let other = Header { seed: 1, ..HEADER };
        let message = GameWriter::create_or_resume(&path, &other).unwrap_err().to_string();
        assert!(message.contains("seed 99") && message.contains("seed 1"), "{message}");
        let mut damaged = HEADER.encode();
        damaged[20] ^= 1;
        fs::write(&path, damaged).unwrap();
        assert!(GameFile::open(&path).unwrap_err().to_string().contains("header is damaged"));
        assert!(GameFile::open(&dir.path("missing")).unwrap_err().to_string().contains("cannot read"));
    }
}
