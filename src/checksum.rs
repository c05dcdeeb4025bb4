//! The checksum of the program's own files.

/// The FNV-1a hash of some bytes (G. Fowler, L. C. Noll, K.-P. Vo).
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF29CE484222325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100000001B3))
}
