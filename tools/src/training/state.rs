//! The state of a training in a file: the parameters after some iteration.
//!
//! Layout (little-endian): the text `FLIPFIT1`, u32 iteration, u32 number of parameters, the parameters as 32-bit
//! floats, u64 checksum of all bytes before it.

use std::{fs, path::Path};

use super::model::Model;
use crate::{
    error::{Result, ToolError},
    files::write_whole,
    games::fnv,
};

const MAGIC: &[u8; 8] = b"FLIPFIT1";

/// Writes the state; an older file is replaced only by a whole new one.
///
/// # Errors
/// When the file cannot be written.
pub fn save<const F: usize>(path: &Path, model: &Model<F>, iteration: u32, parameters: &[f32]) -> Result<()> {
    let mut bytes = Vec::with_capacity(24 + 4 * parameters.len());
    bytes.extend(MAGIC);
    bytes.extend(iteration.to_le_bytes());
    bytes.extend((model.parameter_count() as u32).to_le_bytes());
    for parameter in parameters {
        bytes.extend(parameter.to_le_bytes());
    }
    bytes.extend(fnv(0, &bytes).to_le_bytes());
    write_whole(path, &bytes)
}

/// Reads a state: the iteration and the parameters.
///
/// # Errors
/// When the file cannot be read, is damaged or belongs to another model.
pub fn load<const F: usize>(path: &Path, model: &Model<F>) -> Result<(u32, Vec<f32>)> {
    let bytes = fs::read(path).map_err(ToolError::io(path, "read"))?;
    let format = |problem: String| ToolError::format(path, "state", problem);
    if !bytes.starts_with(MAGIC) {
        return Err(format("no training state: expected it to begin with FLIPFIT1".to_owned()));
    }
    let number = |at: usize| bytes.get(at..).and_then(<[u8]>::first_chunk).copied().map_or(0, u32::from_le_bytes);
    let expected = model.parameter_count();
    if number(12) as usize != expected || bytes.len() != 24 + 4 * expected {
        return Err(format(format!(
            "{} parameters in {} bytes, expected {expected} in {}: made for another evaluation, or cut off",
            number(12),
            bytes.len(),
            24 + 4 * expected
        )));
    }
    let (body, checksum) = bytes.split_at(bytes.len() - 8);
    if fnv(0, body).to_le_bytes() != checksum {
        return Err(format("the checksum is wrong: the file is damaged".to_owned()));
    }
    let parameters = body[16..].chunks_exact(4).map(|word| f32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    Ok((number(8), parameters.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::TestDir;

    #[test]
    fn states_survive_and_damage_is_named() {
        let model =
            Model::<1> { bases: [0], weights: 3, knots: 2, constants: 1, blends: vec![(0, 1, 0.5)], links: vec![] };
        let dir = TestDir::new("state");
        let path = dir.path("state");
        let parameters = [1.5, -2.0, 0.0, 4.25, 1e-9, -7.0, 3.0];
        save(&path, &model, 17, &parameters).unwrap();
        assert_eq!(load(&path, &model).unwrap(), (17, parameters.to_vec()));
        let bytes = fs::read(&path).unwrap();
        for length in 0..bytes.len() {
            fs::write(&path, &bytes[..length]).unwrap();
            assert!(load(&path, &model).is_err());
        }
        let mut damaged = bytes.clone();
        damaged[20] ^= 4;
        fs::write(&path, damaged).unwrap();
        assert!(load(&path, &model).unwrap_err().to_string().contains("damaged"));
    }
}
