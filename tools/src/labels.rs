//! `label`: search values for the positions of a game file from which play was not exact, in a file beside it.
//!
//! The label file of `x.games` is `x.games.labels`. Layout (integers little-endian; version 1): a header of 32 bytes
//! (the text `FLIPLABL`, u16 version, u16 record size, u32 depth of the searches, 8 bytes 0, and the last 8 bytes of
//! the game file's header with its checksum, which tie the two together), then for each game 128 bytes: 60 × i16
//! centi-discs from the view of the side to move, −32768 where there is no label, and a u64 checksum with the game's
//! number. Like a game file it only grows and is continued after an interruption.

use std::{
    fs::{self, OpenOptions},
    io::{Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use flipside::eval::Evaluator;
use rayon::prelude::*;

use crate::{
    error::{Result, ToolError},
    games::{GameFile, MAX_PLACEMENTS, fnv},
    searcher::{LARGE_TABLE_MIB, Searcher, SearcherPool},
};

const MAGIC: &[u8; 8] = b"FLIPLABL";
const VERSION: u16 = 1;
const HEADER_SIZE: usize = 32;
const RECORD_SIZE: usize = 128;
const NONE: i16 = i16::MIN;

/// The labels of one game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Labels([i16; MAX_PLACEMENTS]);

impl Default for Labels {
    fn default() -> Self {
        Self([NONE; MAX_PLACEMENTS])
    }
}

impl Labels {
    /// The label of the position before placement `index`, in centi-discs from the mover's view.
    pub fn at(&self, index: usize) -> Option<i16> {
        self.0.get(index).copied().filter(|&label| label != NONE)
    }

    /// Sets a label.
    pub fn set(&mut self, index: usize, centidiscs: i16) {
        if let Some(label) = self.0.get_mut(index) {
            *label = centidiscs;
        }
    }

    fn encode(&self, number: u64) -> [u8; RECORD_SIZE] {
        let mut bytes = [0; RECORD_SIZE];
        for (pair, label) in bytes.chunks_exact_mut(2).zip(&self.0) {
            pair.copy_from_slice(&label.to_le_bytes());
        }
        let checksum = fnv(number, &bytes[..120]).to_le_bytes();
        bytes[120..].copy_from_slice(&checksum);
        bytes
    }

    fn decode(bytes: &[u8], number: u64) -> Option<Self> {
        if bytes.len() != RECORD_SIZE || fnv(number, &bytes[..120]).to_le_bytes() != bytes[120..] {
            return None;
        }
        let mut labels = Self::default();
        for (label, pair) in labels.0.iter_mut().zip(bytes.chunks_exact(2)) {
            *label = i16::from_le_bytes([pair[0], pair[1]]);
        }
        Some(labels)
    }
}

/// Where the labels of a game file are.
pub fn sidecar_path(games: &Path) -> PathBuf {
    let mut name = games.as_os_str().to_owned();
    name.push(".labels");
    name.into()
}

fn header(games: &GameFile, depth: u32) -> [u8; HEADER_SIZE] {
    let mut bytes = [0; HEADER_SIZE];
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
    bytes[10..12].copy_from_slice(&(RECORD_SIZE as u16).to_le_bytes());
    bytes[12..16].copy_from_slice(&depth.to_le_bytes());
    bytes[24..].copy_from_slice(&games.header().encode()[24..]);
    bytes
}

/// A label file in memory.
#[derive(Clone, Debug)]
pub struct LabelFile {
    path: PathBuf,
    depth: u32,
    bytes: Vec<u8>,
}

impl LabelFile {
    /// Reads the labels of a game file.
    ///
    /// # Errors
    /// When the file cannot be read, is no label file or belongs to other games.
    pub fn open(path: &Path, games: &GameFile) -> Result<Self> {
        let bytes = fs::read(path).map_err(ToolError::io(path, "read"))?;
        let problem = |problem| ToolError::format(path, "header", problem);
        let Some(found) = bytes.first_chunk::<HEADER_SIZE>() else {
            return Err(problem("too short for a label file"));
        };
        let depth = u32::from_le_bytes([found[12], found[13], found[14], found[15]]);
        let expected = header(games, depth);
        if found[..8] != expected[..8] {
            return Err(problem("no label file: expected it to begin with FLIPLABL"));
        }
        if found[8..12] != expected[8..12] {
            return Err(problem("another version of the format, expected version 1 with records of 128 bytes"));
        }
        if *found != expected {
            return Err(problem("the labels belong to another game file"));
        }
        Ok(Self { path: path.to_owned(), depth, bytes })
    }

    /// Number of games that have labels.
    pub fn len(&self) -> usize {
        (self.bytes.len() - HEADER_SIZE) / RECORD_SIZE
    }

    /// True when no game has labels.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Depth of the searches.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The labels of game `number`; `None` when it has none yet.
    ///
    /// # Errors
    /// When the record is damaged.
    pub fn labels(&self, number: usize) -> Result<Option<Labels>> {
        let start = HEADER_SIZE + number * RECORD_SIZE;
        let Some(bytes) = self.bytes.get(start..start + RECORD_SIZE) else { return Ok(None) };
        Labels::decode(bytes, number as u64).map(Some).ok_or_else(|| {
            ToolError::format(
                &self.path,
                format!("labels of game {number}"),
                "checksum is wrong: the record is damaged",
            )
        })
    }
}

/// Games labelled between two writes.
const BATCH: usize = 128;

/// Labels all games of a file with searches of `depth` plies, continuing where an earlier run stopped.
///
/// # Errors
/// When a file cannot be read or written or a game is bad.
pub fn run(path: &Path, depth: u32, evaluator: &Evaluator) -> Result<()> {
    let games = GameFile::open(path)?;
    let sidecar = sidecar_path(path);
    let mut done = 0;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let mut file = if sidecar.exists() {
        let labels = LabelFile::open(&sidecar, &games)?;
        if labels.depth() != depth {
            let problem =
                format!("made with depth {}, but now asked for depth {depth}: remove it first", labels.depth());
            return Err(ToolError::format(&sidecar, "header", problem));
        }
        done = labels.len();
        while done > 0 && labels.labels(done - 1).is_err() {
            done -= 1;
        }
        let mut file = options.open(&sidecar).map_err(ToolError::io(&sidecar, "write"))?;
        file.set_len((HEADER_SIZE + done * RECORD_SIZE) as u64).map_err(ToolError::io(&sidecar, "write"))?;
        file.seek(SeekFrom::End(0)).map_err(ToolError::io(&sidecar, "write"))?;
        file
    } else {
        let mut file = options.open(&sidecar).map_err(ToolError::io(&sidecar, "create"))?;
        file.write_all(&header(&games, depth)).map_err(ToolError::io(&sidecar, "write"))?;
        file
    };
    let searchers = SearcherPool::new(evaluator.clone(), LARGE_TABLE_MIB);
    while done < games.len() {
        let numbers = done..(done + BATCH).min(games.len());
        done = numbers.end;
        let records: Vec<[u8; RECORD_SIZE]> = numbers
            .into_par_iter()
            .with_max_len(1)
            .map(|number| {
                let labels = searchers.with(|searcher| label_game(searcher, &games, number, depth));
                Ok(labels?.encode(number as u64))
            })
            .collect::<Result<_>>()?;
        file.write_all(&records.concat()).map_err(ToolError::io(&sidecar, "write"))?;
        eprintln!("{done} of {} games labelled", games.len());
    }
    Ok(())
}

fn label_game(searcher: &mut Searcher, games: &GameFile, number: usize, depth: u32) -> Result<Labels> {
    let game = games.game(number)?;
    let replay = game.replay();
    let replay = replay.map_err(|problem| ToolError::format(games.path(), format!("game {number}"), problem))?;
    let mut labels = Labels::default();
    let exact = u32::from(games.header().exact_empties);
    for (index, ply) in replay.iter().enumerate() {
        if !ply.random && ply.position.empties() > exact {
            labels.set(index, searcher.value(ply.position, depth).clamp(-6400, 6400) as i16);
        }
    }
    Ok(labels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::TestDir;

    #[test]
    fn labels_survive_interruptions() {
        let dir = TestDir::new("labels");
        let path = dir.games(20, 10, (30, 40), 8);
        run(&path, 2, &Evaluator::default()).unwrap();
        let sidecar = sidecar_path(&path);
        let whole = fs::read(&sidecar).unwrap();
        assert_eq!(whole.len(), HEADER_SIZE + 20 * RECORD_SIZE);
        fs::write(&sidecar, &whole[..HEADER_SIZE + 3 * RECORD_SIZE + 50]).unwrap();
        run(&path, 2, &Evaluator::default()).unwrap();
        assert_eq!(fs::read(&sidecar).unwrap(), whole);
        let games = GameFile::open(&path).unwrap();
        let file = LabelFile::open(&sidecar, &games).unwrap();
        let labels = file.labels(0).unwrap().unwrap();
        let game = games.game(0).unwrap();
        for (index, ply) in game.replay().unwrap().iter().enumerate() {
            assert_eq!(labels.at(index).is_some(), !ply.random && ply.position.empties() > 10);
        }
        assert!(run(&path, 3, &Evaluator::default()).unwrap_err().to_string().contains("made with depth 2"));
        let mut damaged = whole;
        damaged[HEADER_SIZE + RECORD_SIZE + 5] ^= 1;
        fs::write(&sidecar, damaged).unwrap();
        let file = LabelFile::open(&sidecar, &games).unwrap();
        assert!(file.labels(1).unwrap_err().to_string().contains("labels of game 1"));
    }
}
