//! AVX2 kernels: four directions at once in one 256-bit register.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128i, __m256i, _mm_cvtsi128_si64, _mm_or_si128, _mm_unpackhi_epi64, _mm256_add_epi64, _mm256_and_si256,
    _mm256_andnot_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi64, _mm256_cmpgt_epi64, _mm256_extracti128_si256,
    _mm256_loadu_si256, _mm256_or_si256, _mm256_permute2x128_si256, _mm256_set_epi64x, _mm256_set1_epi64x,
    _mm256_setzero_si256, _mm256_shuffle_epi32, _mm256_sllv_epi64, _mm256_srlv_epi64, _mm256_sub_epi64,
    _mm256_xor_si256,
};

use super::{
    Isa,
    portable::{RAYS_DOWN, RAYS_UP},
};

/// Proof that this CPU has AVX2, BMI1, BMI2, FMA, LZCNT and POPCNT.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

impl Avx2 {
    /// The token, when this CPU has the features.
    pub fn detect() -> Option<Self> {
        (std::is_x86_feature_detected!("avx2")
            && std::is_x86_feature_detected!("bmi1")
            && std::is_x86_feature_detected!("bmi2")
            && std::is_x86_feature_detected!("fma")
            && std::is_x86_feature_detected!("lzcnt")
            && std::is_x86_feature_detected!("popcnt"))
        .then_some(Self(()))
    }
}

// The methods carry no target_feature attribute themselves: they are always inlined into shells that do, and only
// there do the intrinsics inline (memchr's `Vector` trait works the same way).
impl Isa for Avx2 {
    #[inline(always)]
    fn flips(self, square: usize, mover: u64, opponent: u64) -> u64 {
        // SAFETY: `self` proves AVX2; the loads read 32 bytes of a 32-byte array.
        unsafe { reduce_or(flip_lanes(square, Pair::new(mover, opponent))) }
    }

    #[inline(always)]
    fn mobility(self, mover: u64, opponent: u64) -> u64 {
        // SAFETY: `self` proves AVX2.
        unsafe { mobility(mover, opponent) }
    }

    type Pair = Pair;

    type Flips = __m256i;

    #[inline(always)]
    fn pair(self, mover: u64, opponent: u64) -> Pair {
        // SAFETY: `self` proves AVX2.
        unsafe { Pair::new(mover, opponent) }
    }

    #[inline(always)]
    fn swapped(self, pair: Pair) -> Pair {
        pair.swapped()
    }

    #[inline(always)]
    fn flips_in(self, square: usize, pair: Pair) -> __m256i {
        // SAFETY: `self` proves AVX2.
        unsafe { spread_or(flip_lanes(square, pair)) }
    }

    #[inline(always)]
    fn flips_bits(self, flips: __m256i) -> u64 {
        // SAFETY: `self` proves AVX2.
        unsafe { lowest_lane(flips) }
    }

    #[inline(always)]
    fn play_in(self, square: usize, pair: Pair, flips: __m256i) -> Pair {
        // SAFETY: `self` proves AVX2.
        unsafe { pair.after(square, flips) }
    }

    #[inline(always)]
    fn discs(self, pair: Pair) -> (u64, u64) {
        // SAFETY: `self` proves AVX2.
        unsafe { (lowest_lane(pair.mover), lowest_lane(pair.opponent)) }
    }
}

/// The discs of both sides, each in all lanes.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub(super) mover: __m256i,
    pub(super) opponent: __m256i,
}

/// Each square as a bitboard.
static BITS: [i64; 64] = {
    let mut bits = [0; 64];
    let mut square = 0;
    while square < 64 {
        bits[square] = 1 << square;
        square += 1;
    }
    bits
};

impl Pair {
    /// # Safety
    /// The CPU must have AVX2.
    #[inline(always)]
    pub(super) unsafe fn new(mover: u64, opponent: u64) -> Self {
        // SAFETY: the caller vouches for AVX2.
        unsafe { Self { mover: _mm256_set1_epi64x(mover as i64), opponent: _mm256_set1_epi64x(opponent as i64) } }
    }

    #[inline(always)]
    pub(super) const fn swapped(self) -> Self {
        Self { mover: self.opponent, opponent: self.mover }
    }

    /// The pair after a move; `flips` are the same in all lanes.
    ///
    /// # Safety
    /// The CPU must have AVX2.
    #[inline(always)]
    pub(super) unsafe fn after(self, square: usize, flips: __m256i) -> Self {
        // SAFETY: the caller vouches for AVX2.
        unsafe {
            let placed = _mm256_set1_epi64x(BITS[square & 63]);
            Self {
                mover: _mm256_xor_si256(self.opponent, flips),
                opponent: _mm256_xor_si256(_mm256_xor_si256(self.mover, flips), placed),
            }
        }
    }
}

/// # Safety
/// The CPU must have AVX2.
#[inline(always)]
pub(super) unsafe fn lowest_lane(lanes: __m256i) -> u64 {
    // SAFETY: the caller vouches for AVX2.
    unsafe { _mm_cvtsi128_si64(_mm256_castsi256_si128(lanes)) as u64 }
}

/// The bits of all lanes in each.
///
/// # Safety
/// The CPU must have AVX2.
#[inline(always)]
pub(super) unsafe fn spread_or(lanes: __m256i) -> __m256i {
    // SAFETY: the caller vouches for AVX2.
    unsafe {
        let halves = _mm256_or_si256(lanes, _mm256_permute2x128_si256::<1>(lanes, lanes));
        _mm256_or_si256(halves, _mm256_shuffle_epi32::<0b01_00_11_10>(halves))
    }
}

/// # Safety
/// The CPU must have AVX2.
#[inline(always)]
unsafe fn flip_lanes(square: usize, Pair { mover, opponent }: Pair) -> __m256i {
    // SAFETY: the caller vouches for AVX2; each table row is exactly 32 bytes long.
    unsafe {
        let zero = _mm256_setzero_si256();

        // Towards higher bits: the lowest bit of the ray that is not the opponent's; flips are the ray below it.
        let up = _mm256_loadu_si256((&raw const RAYS_UP[square & 63]).cast());
        let blockers = _mm256_andnot_si256(opponent, up);
        let lowest = _mm256_and_si256(blockers, _mm256_sub_epi64(zero, blockers));
        let outflank = _mm256_and_si256(lowest, mover);
        // outflank - 1, or 0 where there is none: add all-ones only in lanes with an outflanking disc.
        let none = _mm256_cmpeq_epi64(outflank, zero);
        let below = _mm256_add_epi64(outflank, _mm256_andnot_si256(none, _mm256_set1_epi64x(-1)));
        let flips_up = _mm256_and_si256(below, up);

        // Towards lower bits the nearest blocker is the highest bit of the ray that is not the opponent's: it is the
        // mover's exactly when the mover's ray bits exceed the empty ones; flips are the opponent's bits above.
        let down = _mm256_loadu_si256((&raw const RAYS_DOWN[square & 63]).cast());
        let blockers = _mm256_andnot_si256(opponent, down);
        let own = _mm256_and_si256(down, mover);
        let empty = _mm256_andnot_si256(mover, blockers);
        // Rays towards lower bits never contain bit 63, so a signed comparison is an unsigned one.
        let mine = _mm256_cmpgt_epi64(own, empty);
        let smeared = smear_down(own);
        let flips_down = _mm256_and_si256(mine, _mm256_andnot_si256(smeared, down));

        _mm256_or_si256(flips_up, flips_down)
    }
}

/// Every bit at or below the highest set bit, for the sparse bit sets of one ray.
///
/// # Safety
/// The CPU must have AVX2.
#[inline(always)]
unsafe fn smear_down(bits: __m256i) -> __m256i {
    // SAFETY: the caller vouches for AVX2.
    unsafe {
        // Steps of each lane's direction: west 1, north-east 7, north 8, north-west 9.
        let one = _mm256_set_epi64x(9, 8, 7, 1);
        let two = _mm256_set_epi64x(18, 16, 14, 2);
        let four = _mm256_set_epi64x(36, 32, 28, 4);
        let mut smeared = _mm256_or_si256(bits, _mm256_srlv_epi64(bits, one));
        smeared = _mm256_or_si256(smeared, _mm256_srlv_epi64(smeared, two));
        _mm256_or_si256(smeared, _mm256_srlv_epi64(smeared, four))
    }
}

/// # Safety
/// The CPU must have AVX2.
#[inline(always)]
pub(super) unsafe fn reduce_or(lanes: __m256i) -> u64 {
    // SAFETY: the caller vouches for AVX2.
    unsafe {
        let half: __m128i = _mm_or_si128(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256::<1>(lanes));
        _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half))) as u64
    }
}

/// # Safety
/// The CPU must have AVX2.
#[inline(always)]
unsafe fn mobility(mover: u64, opponent: u64) -> u64 {
    // SAFETY: the caller vouches for AVX2.
    unsafe {
        let occupied = mover | opponent;
        let inner = (opponent & 0x7E7E7E7E7E7E7E7E) as i64;
        let through = _mm256_set_epi64x(inner, inner, opponent as i64, inner);
        let discs = _mm256_set1_epi64x(mover as i64);
        let one = _mm256_set_epi64x(9, 7, 8, 1);
        let two = _mm256_set_epi64x(18, 14, 16, 2);
        let mut up = _mm256_and_si256(through, _mm256_sllv_epi64(discs, one));
        let mut down = _mm256_and_si256(through, _mm256_srlv_epi64(discs, one));
        up = _mm256_or_si256(up, _mm256_and_si256(through, _mm256_sllv_epi64(up, one)));
        down = _mm256_or_si256(down, _mm256_and_si256(through, _mm256_srlv_epi64(down, one)));
        let pairs_up = _mm256_and_si256(through, _mm256_sllv_epi64(through, one));
        let pairs_down = _mm256_srlv_epi64(pairs_up, one);
        up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, two)));
        down = _mm256_or_si256(down, _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, two)));
        up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, two)));
        down = _mm256_or_si256(down, _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, two)));
        let reached = _mm256_or_si256(_mm256_sllv_epi64(up, one), _mm256_srlv_epi64(down, one));
        reduce_or(reached) & !occupied
    }
}
