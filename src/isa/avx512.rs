//! AVX-512 kernels: leading-zero counts for the flips, all eight directions in one register for the mobility.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m256i, _mm256_add_epi64, _mm256_and_si256, _mm256_andnot_si256, _mm256_loadu_si256, _mm256_lzcnt_epi64,
    _mm256_min_epu64, _mm256_or_si256, _mm256_rorv_epi64, _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_sub_epi64,
    _mm512_and_si512, _mm512_castsi512_si256, _mm512_extracti64x4_epi64, _mm512_or_si512, _mm512_rolv_epi64,
    _mm512_set1_epi64, _mm512_setr_epi64,
};

use super::{
    Isa,
    avx2::{Avx2, Pair, lowest_lane, reduce_or, spread_or},
    last_flips,
    portable::{RAYS_DOWN, RAYS_UP},
};

/// Proof that this CPU has what [`Avx2`] proves and AVX-512 F, CD, BW, DQ and VL.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(());

impl Avx512 {
    /// The token, when this CPU has the features.
    pub fn detect() -> Option<Self> {
        Avx2::detect()?;
        (std::is_x86_feature_detected!("avx512f")
            && std::is_x86_feature_detected!("avx512cd")
            && std::is_x86_feature_detected!("avx512bw")
            && std::is_x86_feature_detected!("avx512dq")
            && std::is_x86_feature_detected!("avx512vl"))
        .then_some(Self(()))
    }
}

// As in avx2.rs the methods carry no target_feature attribute: they are always inlined into shells that do.
impl Isa for Avx512 {
    #[inline(always)]
    fn flips(self, square: usize, mover: u64, opponent: u64) -> u64 {
        // SAFETY: `self` proves the features.
        unsafe { reduce_or(flip_lanes(square, Pair::new(mover, opponent))) }
    }

    #[inline(always)]
    fn mobility(self, mover: u64, opponent: u64) -> u64 {
        // SAFETY: `self` proves the features.
        unsafe { mobility(mover, opponent) }
    }

    #[inline(always)]
    fn count_last_flips(self, square: usize, mover: u64) -> i32 {
        // SAFETY: `self` proves the features.
        unsafe { last_flips::by_extraction(square, mover) }
    }

    type Pair = Pair;

    type Flips = __m256i;

    #[inline(always)]
    fn pair(self, mover: u64, opponent: u64) -> Pair {
        // SAFETY: `self` proves the features.
        unsafe { Pair::new(mover, opponent) }
    }

    #[inline(always)]
    fn swapped(self, pair: Pair) -> Pair {
        pair.swapped()
    }

    #[inline(always)]
    fn flips_in(self, square: usize, pair: Pair) -> __m256i {
        // SAFETY: `self` proves the features.
        unsafe { spread_or(flip_lanes(square, pair)) }
    }

    #[inline(always)]
    fn flips_bits(self, flips: __m256i) -> u64 {
        // SAFETY: `self` proves the features.
        unsafe { lowest_lane(flips) }
    }

    #[inline(always)]
    fn play_in(self, square: usize, pair: Pair, flips: __m256i) -> Pair {
        // SAFETY: `self` proves the features.
        unsafe { pair.after(square, flips) }
    }

    #[inline(always)]
    fn discs(self, pair: Pair) -> (u64, u64) {
        // SAFETY: `self` proves the features.
        unsafe { (lowest_lane(pair.mover), lowest_lane(pair.opponent)) }
    }
}

/// # Safety
/// The CPU must have AVX-512 F, CD and VL.
#[inline(always)]
unsafe fn flip_lanes(square: usize, Pair { mover, opponent }: Pair) -> __m256i {
    // SAFETY: the caller vouches for the features; each table row is exactly 32 bytes long.
    unsafe {
        let zero = _mm256_setzero_si256();

        // Towards higher bits: the lowest bit of the ray that is not the opponent's; flips are the ray below it.
        let up = _mm256_loadu_si256((&raw const RAYS_UP[square & 63]).cast());
        let blockers = _mm256_andnot_si256(opponent, up);
        let lowest = _mm256_and_si256(blockers, _mm256_sub_epi64(zero, blockers));
        let outflank = _mm256_and_si256(lowest, mover);
        // One less than the outflanking disc covers what lies below; nothing stays nothing.
        let below = _mm256_sub_epi64(outflank, _mm256_min_epu64(outflank, _mm256_set1_epi64x(1)));
        let flips_up = _mm256_and_si256(below, up);

        // Towards lower bits: the highest such bit; negating twice its value covers all bits above it. Without an
        // outflanking disc the product is 0. All is doubled from the start: an empty blocker set counts 64 zeros, by
        // which the bit is not moved at all, and there is no disc below the lowest square.
        let down = _mm256_loadu_si256((&raw const RAYS_DOWN[square & 63]).cast());
        let blockers = _mm256_andnot_si256(opponent, down);
        let above_highest = _mm256_rorv_epi64(_mm256_set1_epi64x(1), _mm256_lzcnt_epi64(blockers));
        let outflank = _mm256_and_si256(above_highest, _mm256_add_epi64(mover, mover));
        let above = _mm256_sub_epi64(zero, outflank);
        let flips_down = _mm256_and_si256(above, down);

        _mm256_or_si256(flips_up, flips_down)
    }
}

/// # Safety
/// The CPU must have AVX-512 F.
#[inline(always)]
unsafe fn mobility(mover: u64, opponent: u64) -> u64 {
    // SAFETY: the caller vouches for the features.
    unsafe {
        let occupied = mover | opponent;
        // Rotations wrap around, but a run only passes through squares that are not on the edges it would leave by.
        let columns = opponent & 0x7E7E7E7E7E7E7E7E;
        let rows = opponent & 0x00FFFFFFFFFFFF00;
        let both = (columns & rows) as i64;
        let (columns, rows) = (columns as i64, rows as i64);
        let through = _mm512_setr_epi64(columns, both, rows, both, columns, both, rows, both);
        let one = _mm512_setr_epi64(1, 7, 8, 9, 63, 57, 56, 55);
        let two = _mm512_setr_epi64(2, 14, 16, 18, 62, 50, 48, 46);
        let discs = _mm512_set1_epi64(mover as i64);
        let mut run = _mm512_and_si512(through, _mm512_rolv_epi64(discs, one));
        run = _mm512_or_si512(run, _mm512_and_si512(through, _mm512_rolv_epi64(run, one)));
        let pairs = _mm512_and_si512(through, _mm512_rolv_epi64(through, one));
        run = _mm512_or_si512(run, _mm512_and_si512(pairs, _mm512_rolv_epi64(run, two)));
        run = _mm512_or_si512(run, _mm512_and_si512(pairs, _mm512_rolv_epi64(run, two)));
        let reached = _mm512_rolv_epi64(run, one);
        let half = _mm256_or_si256(_mm512_castsi512_si256(reached), _mm512_extracti64x4_epi64::<1>(reached));
        reduce_or(half) & !occupied
    }
}
