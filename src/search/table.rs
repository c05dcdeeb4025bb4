//! The transposition table shared by all threads: lock-free, and safe under data races by construction.
//!
//! An entry is three 64-bit atomics: the two halves of the position, each XOR-ed with the data word, and the data
//! word (the scheme of R. Hyatt and T. Mann, "A lock-less transposition-table implementation for parallel search",
//! 2002). A torn entry fails the comparison with the full position and is not believed; there are no key
//! collisions, since the whole position is compared.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use bytemuck::Zeroable;
use rayon::prelude::*;

use super::Selectivity;
use crate::{board::Position, isa::prefetch, memory::zeroed_slice};

/// No best move.
pub(super) const NO_MOVE: u8 = 64;

/// What is stored of a position. Bounds are in centi-discs from the mover's view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// The value is at least this.
    pub lower: i32,
    /// The value is at most this.
    pub upper: i32,
    /// Plies searched; all empties when searched to the end.
    pub depth: u32,
    /// Selectivity of that search.
    pub selectivity: Selectivity,
    /// Best moves of the latest search and the one before, [`NO_MOVE`] if none.
    pub moves: [u8; 2],
}

const AGE_BITS: u32 = 5;

impl Entry {
    fn pack(self, age: u8) -> u64 {
        (self.lower as i16 as u16 as u64)
            | (self.upper as i16 as u16 as u64) << 16
            | u64::from(self.moves[0]) << 32
            | u64::from(self.moves[1]) << 40
            | u64::from(self.depth & 63) << 48
            | (self.selectivity as u64) << 54
            | u64::from(age) << 58
    }

    fn unpack(data: u64) -> Self {
        Self {
            lower: i32::from(data as u16 as i16),
            upper: i32::from((data >> 16) as u16 as i16),
            moves: [(data >> 32) as u8, (data >> 40) as u8],
            depth: (data >> 48) as u32 & 63,
            selectivity: Selectivity::ALL[((data >> 54) as usize & 7).min(5)],
        }
    }
}

const fn age_of(data: u64) -> u8 {
    (data >> 58) as u8 & ((1 << AGE_BITS) - 1)
}

/// Entries per bucket.
const WAYS: usize = 2;

/// One cache line.
#[derive(Debug, Zeroable)]
#[repr(align(64))]
pub(super) struct Bucket([[AtomicU64; 3]; WAYS]);

/// The table.
#[derive(Debug)]
pub(super) struct Table {
    buckets: Box<[Bucket]>,
    age: AtomicU8,
}

impl Table {
    /// A table of at most `mebibytes`, or `None` when the memory is not to be had.
    pub fn new(mebibytes: usize) -> Option<Self> {
        let count = mebibytes.checked_mul(1 << 20)? / size_of::<Bucket>();
        Some(Self { buckets: zeroed_slice(count)?, age: AtomicU8::new(0) })
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.buckets.par_iter().with_min_len(1 << 14).for_each(|bucket| {
            for words in &bucket.0 {
                for word in words {
                    word.store(0, Ordering::Relaxed);
                }
            }
        });
    }

    /// Marks a new search: older entries are replaced first.
    pub fn next_age(&self) {
        let next = (self.age.load(Ordering::Relaxed) + 1) & ((1 << AGE_BITS) - 1);
        self.age.store(next, Ordering::Relaxed);
    }

    #[inline(always)]
    fn bucket(&self, hash: u64) -> &Bucket {
        // Multiplication maps the hash evenly to any number of buckets (D. Lemire, 2016).
        &self.buckets[((u128::from(hash) * self.buckets.len() as u128) >> 64) as usize]
    }

    /// Brings the bucket of a position near.
    #[inline(always)]
    pub fn prefetch(&self, position: Position) {
        prefetch(self.bucket(position.hash()));
    }

    /// What is known of a position.
    #[inline(always)]
    pub fn probe(&self, position: Position) -> Option<Entry> {
        for words in &self.bucket(position.hash()).0 {
            let data = words[2].load(Ordering::Relaxed);
            if words[0].load(Ordering::Relaxed) ^ data == position.mover()
                && words[1].load(Ordering::Relaxed) ^ data.rotate_left(32) == position.opponent()
                && data != 0
            {
                return Some(Entry::unpack(data));
            }
        }
        None
    }

    /// Stores the outcome of a search with the window `alpha`..`beta` (centi-discs, fail-soft `score`).
    #[allow(clippy::too_many_arguments)]
    #[inline(always)]
    pub fn store(
        &self,
        position: Position,
        depth: u32,
        selectivity: Selectivity,
        (alpha, beta): (i32, i32),
        score: i32,
        best: u8,
    ) {
        let age = self.age.load(Ordering::Relaxed);
        let mut fresh = Entry { lower: -6400, upper: 6400, depth, selectivity, moves: [best, NO_MOVE] };
        if score < beta {
            fresh.upper = score;
        }
        if score > alpha {
            fresh.lower = score;
        }
        let bucket = self.bucket(position.hash());
        let mut victim = 0;
        let mut least = u32::MAX;
        for (way, words) in bucket.0.iter().enumerate() {
            let data = words[2].load(Ordering::Relaxed);
            if words[0].load(Ordering::Relaxed) ^ data == position.mover()
                && words[1].load(Ordering::Relaxed) ^ data.rotate_left(32) == position.opponent()
            {
                let old = Entry::unpack(data);
                if (old.depth, old.selectivity) == (depth, selectivity) {
                    fresh.lower = fresh.lower.max(old.lower);
                    fresh.upper = fresh.upper.min(old.upper);
                    if fresh.lower > fresh.upper {
                        // Two selective searches disagree: keep the later.
                        fresh.lower = if score > alpha { score } else { -6400 };
                        fresh.upper = if score < beta { score } else { 6400 };
                    }
                } else if old.depth >= depth && old.selectivity >= selectivity {
                    // A deeper or surer search is worth more than this one.
                    return;
                }
                if score <= alpha && old.moves[0] != NO_MOVE {
                    // All moves failed low: the old best move is the better guess.
                    fresh.moves = [old.moves[0], if best == old.moves[0] { old.moves[1] } else { best }];
                } else {
                    fresh.moves[1] = if old.moves[0] == best { old.moves[1] } else { old.moves[0] };
                }
                victim = way;
                break;
            }
            let worth = if age_of(data) == age { 64 } else { 0 } + (data >> 48) as u32 % 64;
            let worth = if data == 0 { 0 } else { worth + 1 };
            if worth < least {
                least = worth;
                victim = way;
            }
        }
        let data = fresh.pack(age);
        let words = &bucket.0[victim];
        words[0].store(position.mover() ^ data, Ordering::Relaxed);
        words[1].store(position.opponent() ^ data.rotate_left(32), Ordering::Relaxed);
        words[2].store(data, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_and_merges_bounds() {
        let table = Table::new(1).unwrap();
        let position = Position::START;
        assert_eq!(table.probe(position), None);
        table.store(position, 10, Selectivity::P95, (100, 101), 300, 19);
        table.store(position, 10, Selectivity::P95, (500, 501), 400, 26);
        let entry = table.probe(position).unwrap();
        assert_eq!((entry.lower, entry.upper, entry.moves), (300, 400, [19, 26]));
        // A shallower search does not overwrite it, a deeper one does.
        table.store(position, 4, Selectivity::P95, (0, 1), -50, 37);
        assert_eq!(table.probe(position).unwrap(), entry);
        table.store(position, 12, Selectivity::None, (0, 1), -50, 37);
        assert_eq!(table.probe(position).unwrap().upper, -50);
        table.clear();
        assert_eq!(table.probe(position), None);
    }

    #[test]
    fn entries_survive_packing() {
        for (lower, upper, depth) in [(-6400, 6400, 0), (-1, 1, 60), (6400, 6400, 33), (-6400, -6400, 1)] {
            for selectivity in Selectivity::ALL {
                let entry = Entry { lower, upper, depth, selectivity, moves: [63, NO_MOVE] };
                assert_eq!(Entry::unpack(entry.pack(31)), entry);
            }
        }
    }
}
