//! The file of the network's weights: format, reader and writer.
//!
//! Layout (little endian): magic `FLIPNETW`, u32 version, u32 distinct rows, u32 width, u32 numbers of a stage, u32
//! length of the facts, the facts (UTF-8), u32 length of the first stream, u64 FNV-1a checksum of everything after it,
//! then two deflate streams: the bytes of the distinct rows, column by column, and the f32 numbers of the stages.

use miniz_oxide::{deflate::compress_to_vec, inflate::decompress_to_vec_with_limit};
use thiserror::Error;

use super::shape::{HIDDEN, INPUTS, SHARING, STAGES, WIDTH};
use crate::{
    bytes::{self, little_endian},
    checksum::fnv1a,
};

const MAGIC: &[u8; 8] = b"FLIPNETW";
const VERSION: u32 = 1;

/// Numbers of a stage in a file: offsets of the sums, weights and offsets of the hidden layer, weights of the output
/// for hidden units and inputs, its offset.
pub const STAGE_NUMBERS: usize = WIDTH + HIDDEN * INPUTS + HIDDEN + HIDDEN + INPUTS + 1;

/// Weights before they are written.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkWeights {
    /// For each distinct row of [`SHARING`] its addends to the sums, in 1/64.
    pub rows: Vec<[i8; WIDTH]>,
    /// The numbers of each stage, see [`STAGE_NUMBERS`]; hidden weights unit by unit.
    pub stages: Vec<[f32; STAGE_NUMBERS]>,
    /// How they were trained.
    pub facts: String,
}

/// Why a network file was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum NetworkError {
    /// Not a network file of this program.
    #[error("not a network file of this program's version and shape")]
    Shape,
    /// Too short, too long or damaged.
    #[error("the network file is damaged")]
    Damaged,
}

fn header() -> [u32; 4] {
    [VERSION, SHARING.distinct().count() as u32, WIDTH as u32, STAGE_NUMBERS as u32]
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Result<&'a [u8], NetworkError> {
    bytes::take(bytes, count).ok_or(NetworkError::Damaged)
}

fn take_number(bytes: &mut &[u8], count: usize) -> Result<u64, NetworkError> {
    take(bytes, count).map(little_endian)
}

fn take_facts<'a>(bytes: &mut &'a [u8]) -> Result<&'a str, NetworkError> {
    let length = take_number(bytes, 4)? as usize;
    std::str::from_utf8(take(bytes, length)?).map_err(|_| NetworkError::Damaged)
}

impl NetworkWeights {
    /// The facts of a file, without a look at the rest.
    ///
    /// # Errors
    /// When it is no network file.
    pub fn facts(file: &[u8]) -> Result<&str, NetworkError> {
        let mut rest = file;
        take(&mut rest, 24)?;
        take_facts(&mut rest)
    }

    /// The weights as a file.
    pub fn encode(&self) -> Vec<u8> {
        let columns: Vec<u8> =
            (0..WIDTH).flat_map(|column| self.rows.iter().map(move |row| row[column] as u8)).collect();
        let numbers: Vec<u8> = self.stages.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
        let streams = [compress_to_vec(&columns, 9), compress_to_vec(&numbers, 9)];
        let mut file = MAGIC.to_vec();
        for number in header().into_iter().chain([self.facts.len() as u32]) {
            file.extend(number.to_le_bytes());
        }
        file.extend(self.facts.as_bytes());
        file.extend((streams[0].len() as u32).to_le_bytes());
        let body = streams.concat();
        file.extend(fnv1a(&body).to_le_bytes());
        file.extend(body);
        file
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it is none, made for another shape, or damaged.
    pub fn decode(file: &[u8]) -> Result<Self, NetworkError> {
        let mut rest = file;
        if take(&mut rest, 8).ok() != Some(MAGIC.as_slice()) {
            return Err(NetworkError::Shape);
        }
        let header = header();
        for expected in header {
            if take_number(&mut rest, 4)? != u64::from(expected) {
                return Err(NetworkError::Shape);
            }
        }
        let facts = take_facts(&mut rest)?.to_owned();
        let first = take_number(&mut rest, 4)? as usize;
        if take_number(&mut rest, 8)? != fnv1a(rest) {
            return Err(NetworkError::Damaged);
        }
        let unpack = |stream: &[u8], size: usize| {
            decompress_to_vec_with_limit(stream, size)
                .ok()
                .filter(|bytes| bytes.len() == size)
                .ok_or(NetworkError::Damaged)
        };
        let count = header[1] as usize;
        let columns = unpack(take(&mut rest, first)?, count * WIDTH)?;
        let numbers = unpack(rest, STAGES * STAGE_NUMBERS * 4)?;
        let rows = (0..count).map(|row| std::array::from_fn(|column| columns[column * count + row] as i8)).collect();
        let stage = |bytes: &[u8]| {
            std::array::from_fn(|i| {
                f32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]])
            })
        };
        let stages = numbers.chunks_exact(4 * STAGE_NUMBERS).map(stage).collect();
        Ok(Self { rows, stages, facts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_weights_read_back() {
        let count = SHARING.distinct().count();
        let weights = NetworkWeights {
            rows: (0..count).map(|row| std::array::from_fn(|column| (row * 31 + column * 7) as u8 as i8)).collect(),
            stages: (0..STAGES).map(|stage| std::array::from_fn(|i| (stage * 1000 + i) as f32 / 8.0)).collect(),
            facts: "made for a test".to_owned(),
        };
        let file = weights.encode();
        assert_eq!(NetworkWeights::decode(&file).unwrap(), weights);
        assert_eq!(NetworkWeights::facts(&file).unwrap(), weights.facts);
        let mut damaged = file.clone();
        *damaged.last_mut().unwrap() ^= 1;
        assert_eq!(NetworkWeights::decode(&damaged), Err(NetworkError::Damaged));
        for length in 0..100 {
            assert!(NetworkWeights::decode(&file[..length]).is_err());
        }
    }
}
