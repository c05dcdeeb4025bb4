//! A thread's private table of small endgames: direct-mapped, always replaced, no locks.
//!
//! An entry takes 16 bytes and still holds the whole position: the discs of the mover, and of a reversible mixture of
//! both sides' discs the bits that the place in the table does not tell. So there are no key collisions.

use bytemuck::Zeroable;

use crate::{board::Position, isa::prefetch, memory::zeroed_box};

/// Bits of the place of an entry for 7 to [`MIDDLE_EMPTIES`](super::MIDDLE_EMPTIES) empties.
const MIDDLE_BITS: u32 = 15;

/// The same above.
const GUIDED_BITS: u32 = 15;

/// The same for 6.
const SHALLOW_BITS: u32 = 13;

/// Where the entries of each kind begin.
const GUIDED_FIRST: usize = 1 << MIDDLE_BITS;
const SHALLOW_FIRST: usize = GUIDED_FIRST + (1 << GUIDED_BITS);

/// Bits of an entry's second word that are not part of the key.
const DATA_BITS: u32 = 14;

/// What the table knows of a position.
pub(super) enum Probe {
    /// A score that settles the null window.
    Cut(i32),
    /// Nothing that settles it, but the best move of an earlier search.
    Move(usize),
    /// Nothing.
    Miss,
}

/// Where a position is looked up, and what must be found there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    place: usize,
    mover: u64,
    key: u64,
}

// The second word: key, 1 bit for a lower bound, 7 bits of the bound (half of it, plus 32), 6 bits of the best move.
// No position without discs of the mover is looked up: zeros are an entry that holds nothing.
#[derive(Clone, Copy, Debug, Zeroable)]
#[repr(align(16))]
struct Entry {
    mover: u64,
    word: u64,
}

/// On a huge page: at every step into a table of small pages the processor would have to find the page first.
#[derive(Zeroable)]
#[repr(align(0x200000))]
struct Entries([Entry; SHALLOW_FIRST + (1 << SHALLOW_BITS)]);

/// The table: twice the size saves 1 % of the nodes and costs more time than that where other programs compete for the
/// caches, as it no longer fits into a core's own.
pub(in crate::search) struct EndCache {
    entries: Box<Entries>,
}

impl std::fmt::Debug for EndCache {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("EndCache").finish_non_exhaustive()
    }
}

impl EndCache {
    pub(super) fn new() -> Self {
        Self { entries: zeroed_box() }
    }

    /// Forgets everything.
    pub(in crate::search) fn clear(&mut self) {
        self.entries.0.fill(Entry::zeroed());
    }

    /// The slot of a position with 7 to [`MIDDLE_EMPTIES`](super::MIDDLE_EMPTIES) empties.
    #[inline(always)]
    pub(super) fn middle_slot(mover: u64, opponent: u64) -> Slot {
        Self::slot(mover, opponent, MIDDLE_BITS, 0)
    }

    /// The slot of a position with `empties` from [`MIDDLE_EMPTIES`](super::MIDDLE_EMPTIES) up.
    #[inline(always)]
    pub(super) fn upper_slot(position: Position, empties: u32) -> Slot {
        let (mover, opponent) = (position.mover(), position.opponent());
        if empties > super::MIDDLE_EMPTIES {
            Self::slot(mover, opponent, GUIDED_BITS, GUIDED_FIRST)
        } else {
            Self::middle_slot(mover, opponent)
        }
    }

    /// The slot of a position with 6 empties.
    #[inline(always)]
    pub(super) fn shallow_slot(mover: u64, opponent: u64) -> Slot {
        Self::slot(mover, opponent, SHALLOW_BITS, SHALLOW_FIRST)
    }

    #[inline(always)]
    fn slot(mover: u64, opponent: u64, bits: u32, first: usize) -> Slot {
        let mixed = mix(mover, opponent);
        Slot { place: first + (mixed >> (64 - bits)) as usize, mover, key: mixed << DATA_BITS }
    }

    /// Brings a slot near.
    #[inline(always)]
    pub(super) fn prefetch(&self, slot: Slot) {
        prefetch(&self.entries.0[slot.place]);
    }

    /// What is known of a position for the null window above `alpha`.
    #[inline(always)]
    pub(super) fn probe(&self, slot: Slot, alpha: i32) -> Probe {
        let entry = &self.entries.0[slot.place];
        if entry.mover != slot.mover || (entry.word ^ slot.key) >> DATA_BITS != 0 {
            return Probe::Miss;
        }
        let bound = 2 * ((entry.word >> 6 & 127) as i32 - 32);
        let lower = entry.word >> 13 & 1 != 0;
        if lower == (bound > alpha) { Probe::Cut(bound) } else { Probe::Move((entry.word & 63) as usize) }
    }

    /// Stores the outcome of a search with that window: a fail-soft score, which is even, and its move.
    #[inline(always)]
    pub(super) fn store(&mut self, slot: Slot, alpha: i32, score: i32, best: usize) {
        debug_assert!(score % 2 == 0 && (-64..=64).contains(&score));
        let data = u64::from(score > alpha) << 13 | ((score / 2 + 32) as u64) << 6 | best as u64 & 63;
        self.entries.0[slot.place] = Entry { mover: slot.mover, word: slot.key | data };
    }
}

/// Mixes both sides' discs; for the same `mover` no two `opponent` give the same.
#[inline(always)]
const fn mix(mover: u64, opponent: u64) -> u64 {
    let mixed = opponent ^ mover.wrapping_mul(0x9E3779B97F4A7C15).rotate_left(32);
    mixed.wrapping_mul(0xC2B2AE3D27D4EB4F)
}
