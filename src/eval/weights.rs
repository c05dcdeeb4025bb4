//! The file of trained weights: format, reader and writer.
//!
//! Weights are 16-bit centi-discs for each packed configuration at each stage knot, plus one constant for each
//! number of empties. Layout (little endian): magic `FLIPEVAL`, u32 version, u32 packed weights per knot, u32 knots,
//! u32 length of the facts, the facts (UTF-8 text on how the weights were trained), 61 × i16 constants, knots × u32
//! lengths of the knots' streams, u64 FNV-1a checksum of everything after it, then one deflate stream per knot with the low and then
//! the high bytes of its zigzag-coded weights.

use miniz_oxide::{deflate::compress_to_vec, inflate::decompress_to_vec_with_limit};
use thiserror::Error;

use super::packing::PACKING;
use crate::{
    bytes::{self, little_endian},
    checksum::fnv1a,
};

/// Distance in empties between neighbouring knots of the same parity.
const KNOT_SPACING: u32 = 6;

/// Knots for one parity of the number of empties.
const KNOTS_PER_PARITY: usize = 11;

/// Number of stage knots. Even and odd numbers of empties have knots of their own, since who moves last matters.
pub const KNOTS: usize = 2 * KNOTS_PER_PARITY;

/// Entries of the constants: one for each number of empties, 0 to 60.
pub const CONSTANTS: usize = 61;

const MAGIC: &[u8; 8] = b"FLIPEVAL";
const VERSION: u32 = 1;

/// The two knots between which the weights for a number of empties (0 to 60) lie, with the share of the second in
/// sixths.
pub const fn blend(empties: u32) -> (usize, usize, u32) {
    let empties = if empties > 60 { 60 } else { empties };
    let (parity, step) = (empties as usize & 1, empties & !1);
    let lower = (step / KNOT_SPACING) as usize;
    let upper = if lower + 1 < KNOTS_PER_PARITY { lower + 1 } else { lower };
    (parity * KNOTS_PER_PARITY + lower, parity * KNOTS_PER_PARITY + upper, step % KNOT_SPACING)
}

/// Denominator of the share that [`blend`] returns.
pub const BLEND_DENOMINATOR: u32 = KNOT_SPACING;

/// Weights before they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightSet {
    /// Centi-discs for each packed configuration of each knot.
    pub knots: Vec<Vec<i16>>,
    /// Centi-discs added at each number of empties.
    pub constants: Vec<i16>,
    /// How they were trained.
    pub facts: String,
}

/// Why a weights file was refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum WeightsError {
    /// Not a weights file.
    #[error("not an evaluation weights file (the first bytes should be FLIPEVAL)")]
    Magic,
    /// Made for another version or set of patterns.
    #[error("weights of version {found}, shape {shape}: this program needs version {VERSION}, shape {expected}")]
    Version {
        /// Version found.
        found: u32,
        /// Weights × knots found.
        shape: String,
        /// Weights × knots needed.
        expected: String,
    },
    /// Too short, too long or damaged.
    #[error("the weights file is damaged: {0}")]
    Damaged(&'static str),
}

/// A weights file in memory, its knots still compressed.
#[derive(Clone, Debug)]
pub struct WeightsFile<'a> {
    streams: Vec<&'a [u8]>,
    constants: Vec<i16>,
    facts: &'a str,
    checksum: u64,
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Result<&'a [u8], WeightsError> {
    bytes::take(bytes, count).ok_or(WeightsError::Damaged("it ends too early"))
}

fn take_u32(bytes: &mut &[u8]) -> Result<u32, WeightsError> {
    take(bytes, 4).map(|head| little_endian(head) as u32)
}

impl<'a> WeightsFile<'a> {
    /// Reads the frame of a file and checks it.
    ///
    /// # Errors
    /// When it is not a weights file, was made for other patterns, or is damaged.
    pub fn parse(file: &'a [u8]) -> Result<Self, WeightsError> {
        let (weights, body) = Self::frame(file)?;
        if fnv1a(body) == weights.checksum { Ok(weights) } else { Err(WeightsError::Damaged("its checksum is wrong")) }
    }

    /// Reads the frame of a file, and what its checksum covers, without computing that: for the file that is part of
    /// the program, at every start of it.
    pub(super) fn frame(file: &'a [u8]) -> Result<(Self, &'a [u8]), WeightsError> {
        let mut rest = file;
        if take(&mut rest, 8).ok() != Some(MAGIC.as_slice()) {
            return Err(WeightsError::Magic);
        }
        let (version, weights, knots) = (take_u32(&mut rest)?, take_u32(&mut rest)?, take_u32(&mut rest)?);
        let expected = (PACKING.count() as u32, KNOTS as u32);
        if version != VERSION || (weights, knots) != expected {
            return Err(WeightsError::Version {
                found: version,
                shape: format!("{weights}×{knots}"),
                expected: format!("{}×{}", expected.0, expected.1),
            });
        }
        let facts_length = take_u32(&mut rest)? as usize;
        let facts = take(&mut rest, facts_length)?;
        let facts = std::str::from_utf8(facts).map_err(|_| WeightsError::Damaged("its facts are not UTF-8"))?;
        let constants = take(&mut rest, 2 * CONSTANTS)?
            .chunks_exact(2)
            .map(|pair| i16::from_le_bytes([pair[0], pair[1]]))
            .collect();
        let lengths = (0..KNOTS).map(|_| take_u32(&mut rest)).collect::<Result<Vec<_>, _>>()?;
        let stored = little_endian(take(&mut rest, 8)?);
        let body = rest;
        let streams =
            lengths.into_iter().map(|length| take(&mut rest, length as usize)).collect::<Result<Vec<_>, _>>()?;
        if !rest.is_empty() {
            return Err(WeightsError::Damaged("it has extra bytes"));
        }
        Ok((Self { streams, constants, facts, checksum: stored }, body))
    }

    /// How the weights were trained.
    pub fn facts(&self) -> &'a str {
        self.facts
    }

    /// Identifies the weights.
    pub fn checksum(&self) -> u64 {
        self.checksum
    }

    /// Centi-discs added at each number of empties.
    pub fn constants(&self) -> &[i16] {
        &self.constants
    }

    /// Decompresses one knot.
    ///
    /// # Errors
    /// When its stream is damaged.
    pub fn knot(&self, knot: usize) -> Result<Vec<i16>, WeightsError> {
        let count = PACKING.count();
        let stream = self.streams.get(knot).ok_or(WeightsError::Damaged("a knot is missing"))?;
        let bytes = decompress_to_vec_with_limit(stream, 2 * count)
            .map_err(|_| WeightsError::Damaged("a knot cannot be decompressed"))?;
        if bytes.len() != 2 * count {
            return Err(WeightsError::Damaged("a knot has the wrong length"));
        }
        let (low, high) = bytes.split_at(count);
        Ok(low.iter().zip(high).map(|(&low, &high)| unzigzag(u16::from_le_bytes([low, high]))).collect())
    }

    /// Decompresses everything.
    ///
    /// # Errors
    /// When a stream is damaged.
    pub fn decode(&self) -> Result<WeightSet, WeightsError> {
        Ok(WeightSet {
            knots: (0..KNOTS).map(|knot| self.knot(knot)).collect::<Result<_, _>>()?,
            constants: self.constants.clone(),
            facts: self.facts.to_owned(),
        })
    }
}

const fn zigzag(value: i16) -> u16 {
    ((value << 1) ^ (value >> 15)) as u16
}

const fn unzigzag(code: u16) -> i16 {
    (code >> 1) as i16 ^ -((code & 1) as i16)
}

impl WeightSet {
    /// All weights zero.
    pub fn zero() -> Self {
        Self { knots: vec![vec![0; PACKING.count()]; KNOTS], constants: vec![0; CONSTANTS], facts: String::new() }
    }

    /// The weights as a file.
    ///
    /// # Panics
    /// When the set has not the shape of [`WeightSet::zero`].
    pub fn encode(&self) -> Vec<u8> {
        assert!(self.knots.len() == KNOTS && self.constants.len() == CONSTANTS, "wrong shape");
        let streams: Vec<Vec<u8>> = self
            .knots
            .iter()
            .map(|knot| {
                assert_eq!(knot.len(), PACKING.count(), "wrong shape");
                let codes = knot.iter().map(|&weight| zigzag(weight).to_le_bytes());
                let bytes: Vec<u8> = codes.clone().map(|code| code[0]).chain(codes.map(|code| code[1])).collect();
                compress_to_vec(&bytes, 9)
            })
            .collect();
        let mut file = MAGIC.to_vec();
        for number in [VERSION, PACKING.count() as u32, KNOTS as u32, self.facts.len() as u32] {
            file.extend(number.to_le_bytes());
        }
        file.extend(self.facts.as_bytes());
        file.extend(self.constants.iter().flat_map(|constant| constant.to_le_bytes()));
        file.extend(streams.iter().flat_map(|stream| (stream.len() as u32).to_le_bytes()));
        let body = streams.concat();
        file.extend(fnv1a(&body).to_le_bytes());
        file.extend(body);
        file
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_weights_read_back() {
        let mut set = WeightSet::zero();
        set.facts = "made for a test".to_owned();
        for (knot, weights) in set.knots.iter_mut().enumerate() {
            for (index, weight) in weights.iter_mut().enumerate() {
                *weight = ((index * 7919 + knot * 104_729) % 65_536) as u16 as i16;
            }
        }
        set.constants[17] = -321;
        let file = set.encode();
        assert_eq!(WeightsFile::parse(&file).unwrap().decode().unwrap(), set);
        let mut damaged = file.clone();
        *damaged.last_mut().unwrap() ^= 1;
        assert!(matches!(WeightsFile::parse(&damaged), Err(WeightsError::Damaged(_))));
        for length in 0..200 {
            assert!(WeightsFile::parse(&file[..length]).is_err());
        }
    }

    #[test]
    fn blending_stays_within_a_parity() {
        for empties in 0..=60 {
            let (lower, upper, share) = blend(empties);
            assert_eq!(lower / KNOTS_PER_PARITY, empties as usize & 1);
            assert_eq!(upper / KNOTS_PER_PARITY, empties as usize & 1);
            assert!(share < BLEND_DENOMINATOR && upper < KNOTS);
        }
    }
}
