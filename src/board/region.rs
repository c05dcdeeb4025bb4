//! Sets of squares that matter to play: corners, regions with an odd number of empty squares.

/// The four corners.
pub const CORNERS: u64 = 0x8100000000000081;

/// Squares of the 4×4 quadrants that hold an odd number of `empty` squares: moving there first tends to keep the
/// last move in each region (parity).
#[inline(always)]
pub const fn odd_quadrants(empty: u64) -> u64 {
    let mut parity = empty ^ (empty >> 1);
    parity ^= parity >> 2;
    parity ^= parity >> 8;
    parity ^= parity >> 16;
    (parity & 0x0000001100000011).wrapping_mul(0x0F0F0F0F)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_quadrants_are_counted() {
        assert_eq!(odd_quadrants(1), 0x0F0F0F0F);
        assert_eq!(odd_quadrants(1 << 63 | 1 << 4), 0xF0F0F0F0 | 0xF0F0F0F0 << 32);
        assert_eq!(odd_quadrants(3 << 40), 0);
    }
}
