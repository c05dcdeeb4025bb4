//! Seeded random numbers: every stream is a pure function of a seed and of what it is for, so that results do not
//! depend on the order or the thread in which they are computed.

/// Mixes all bits of a 64-bit number (the finaliser of splitmix64, Sebastiano Vigna 2015, public domain).
pub const fn mix(value: u64) -> u64 {
    let mut z = value;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D049BB133111EB);
    z ^ (z >> 31)
}

/// A generator (splitmix64). Equal seeds give equal sequences on every machine.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    const STEP: u64 = 0x9E3779B97F4A7C15;

    /// A generator with this seed.
    pub const fn new(seed: u64) -> Self {
        Self { state: mix(seed ^ Self::STEP) }
    }

    /// The generator of one numbered purpose under a seed: unrelated to those of other numbers.
    pub const fn stream(seed: u64, number: u64) -> Self {
        Self { state: mix(mix(seed ^ Self::STEP).wrapping_add(number.wrapping_mul(Self::STEP))) }
    }

    /// The next 64 random bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(Self::STEP);
        mix(self.state)
    }

    /// A number in `0..bound`; 0 when the bound is 0.
    pub const fn below(&mut self, bound: u64) -> u64 {
        // Multiply-shift (Lemire 2019); the bias of at most bound / 2^64 does not matter here.
        ((self.next_u64() as u128 * bound as u128) >> 64) as u64
    }

    /// A number in `0.0..1.0`.
    pub const fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Shuffles a slice.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_is_roughly_uniform_and_streams_differ() {
        let mut counts = [0u32; 10];
        for number in 0..10_000 {
            counts[Rng::stream(7, number).below(10) as usize] += 1;
        }
        assert!(counts.iter().all(|&count| (850..1150).contains(&count)), "{counts:?}");
        assert_ne!(Rng::stream(1, 2).next_u64(), Rng::stream(2, 1).next_u64());
        assert_eq!(Rng::new(5).next_u64(), Rng::new(5).next_u64());
    }

    #[test]
    fn shuffle_keeps_all_items() {
        let mut items: Vec<u32> = (0..100).collect();
        Rng::new(3).shuffle(&mut items);
        assert_ne!(items[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
