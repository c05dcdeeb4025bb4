//! A thread's private table of small endgames: direct-mapped, always replaced, no locks.

use crate::isa::prefetch;

/// Entries for 7 empties and more.
const MIDDLE_ENTRIES: usize = 1 << 15;

/// Entries for 5 and 6 empties.
const SHALLOW_ENTRIES: usize = 1 << 13;

/// What the table knows of a position.
pub(super) enum Probe {
    /// A score that settles the null window.
    Cut(i32),
    /// Nothing that settles it, but the best move of an earlier search.
    Move(usize),
    /// Nothing.
    Miss,
}

// Aligned so that no entry lies in two cache lines.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Entry {
    mover: u64,
    opponent: u64,
    lower: i8,
    upper: i8,
    best: u8,
}

/// The table. Small enough to stay in the second-level cache.
#[derive(Debug)]
pub(in crate::search) struct EndCache {
    entries: Box<[Entry]>,
}

impl EndCache {
    pub(super) fn new() -> Self {
        let empty = Entry { mover: u64::MAX, opponent: u64::MAX, lower: -64, upper: 64, best: 64 };
        Self { entries: vec![empty; MIDDLE_ENTRIES + SHALLOW_ENTRIES].into_boxed_slice() }
    }

    /// Forgets everything.
    pub(in crate::search) fn clear(&mut self) {
        *self = Self::new();
    }

    #[inline(always)]
    pub(super) fn middle_slot(mover: u64, opponent: u64) -> usize {
        hash(mover, opponent) as usize & (MIDDLE_ENTRIES - 1)
    }

    #[inline(always)]
    pub(super) fn shallow_slot(mover: u64, opponent: u64) -> usize {
        MIDDLE_ENTRIES + (hash(mover, opponent) as usize & (SHALLOW_ENTRIES - 1))
    }

    /// Brings a slot near.
    #[inline(always)]
    pub(super) fn prefetch(&self, slot: usize) {
        prefetch(&self.entries[slot]);
    }

    #[inline(always)]
    pub(super) fn probe(&self, slot: usize, mover: u64, opponent: u64, alpha: i32) -> Probe {
        let entry = &self.entries[slot];
        if entry.mover != mover || entry.opponent != opponent {
            return Probe::Miss;
        }
        if i32::from(entry.lower) > alpha {
            Probe::Cut(i32::from(entry.lower))
        } else if i32::from(entry.upper) <= alpha {
            Probe::Cut(i32::from(entry.upper))
        } else {
            Probe::Move(usize::from(entry.best))
        }
    }

    #[inline(always)]
    pub(super) fn store(&mut self, slot: usize, mover: u64, opponent: u64, alpha: i32, score: i32, best: usize) {
        let entry = &mut self.entries[slot];
        if entry.mover != mover || entry.opponent != opponent {
            *entry = Entry { mover, opponent, lower: -64, upper: 64, best: best as u8 };
        }
        if score > alpha {
            entry.lower = score as i8;
        } else {
            entry.upper = score as i8;
        }
        entry.best = best as u8;
    }
}

#[inline(always)]
const fn hash(mover: u64, opponent: u64) -> u64 {
    let mixed = mover.wrapping_mul(0x9E3779B97F4A7C15) ^ opponent.wrapping_mul(0xC2B2AE3D27D4EB4F).rotate_left(29);
    mixed.wrapping_mul(0x9FB21C651E98DF25) >> 40
}
