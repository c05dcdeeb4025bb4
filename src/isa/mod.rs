//! Instruction-set tiers: the same engine compiled once per tier into one binary, the tier chosen at start-up.
//!
//! How it works (the idea of owning a value as proof of a CPU feature is memchr's): hot code is written once,
//! generic over [`Isa`], in functions that are always inlined. The macro [`tiered!`](crate::tiered) wraps each
//! recursive hot function in one thin shell per tier that carries the `target_feature` attribute, so everything
//! inlined into the shell is compiled for that tier, and recursion goes from shell to shell without indirection.
//! The dynamic choice happens once, at the root of a search, by matching on [`Tier`].
//!
//! Closures do not inherit the features of the shell they end up in: a kernel called in one is not inlined, which makes
//! the hottest functions half as slow again. They are told apart by constants instead.
//!
//! This folder is the only place for intrinsics. Every tier is property-tested against [`portable`], and that
//! against a naive ray walk.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod last_flips;
pub mod portable;
#[cfg(test)]
mod tests;

use std::fmt;

#[cfg(target_arch = "x86_64")]
pub use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub use avx512::Avx512;
pub use portable::Portable;

/// The kernels that differ by instruction set. A value of an implementing type proves that this CPU has them.
///
/// All methods are pure. Positions are given as the discs of the side to move and of its opponent, which are
/// disjoint.
pub trait Isa: Copy + Send + Sync + fmt::Debug + 'static {
    /// Discs flipped by a disc of the mover on the empty square `square` (`0..64`); 0 when there are none.
    fn flips(self, square: usize, mover: u64, opponent: u64) -> u64;

    /// Empty squares where the mover flips at least one disc.
    fn mobility(self, mover: u64, opponent: u64) -> u64;

    /// Number of discs that a disc of the mover flips on `square`, the only empty square.
    #[inline(always)]
    fn count_last_flips(self, square: usize, mover: u64) -> i32 {
        last_flips::by_multiplication(square, mover)
    }

    /// The discs of the mover and of the opponent where [`flips_in`](Self::flips_in) wants them: for vector units in
    /// registers of their own, so that a line of moves is played without the way back and forth after each.
    type Pair: Copy;

    /// Discs to be flipped in a [`Pair`](Self::Pair).
    type Flips: Copy;

    /// The pair of `mover` and `opponent`.
    fn pair(self, mover: u64, opponent: u64) -> Self::Pair;

    /// The same with the other side to move.
    fn swapped(self, pair: Self::Pair) -> Self::Pair;

    /// What [`flips`](Self::flips) gives, for a pair.
    fn flips_in(self, square: usize, pair: Self::Pair) -> Self::Flips;

    /// The flips as bits.
    fn flips_bits(self, flips: Self::Flips) -> u64;

    /// The pair after the mover's move to `square`, the opponent to move.
    fn play_in(self, square: usize, pair: Self::Pair, flips: Self::Flips) -> Self::Pair;

    /// The discs of the mover and of the opponent.
    fn discs(self, pair: Self::Pair) -> (u64, u64);
}

/// An instruction-set tier that this CPU is known to have.
#[derive(Clone, Copy, Debug)]
pub enum Tier {
    /// Plain 64-bit code; runs everywhere.
    Portable(Portable),
    /// x86-64 with AVX2, BMI1, BMI2, LZCNT and POPCNT (x86-64-v3).
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// x86-64 with AVX-512 F, CD, BW, DQ and VL besides (x86-64-v4).
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

impl Tier {
    /// The fastest tier of this CPU.
    pub fn detect() -> Self {
        Self::available().pop().unwrap_or(Self::Portable(Portable))
    }

    /// All tiers of this CPU, slowest first.
    pub fn available() -> Vec<Self> {
        #[allow(unused_mut)]
        let mut tiers = vec![Self::Portable(Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            tiers.extend(Avx2::detect().map(Self::Avx2));
            tiers.extend(Avx512::detect().map(Self::Avx512));
        }
        tiers
    }

    /// The tier with this name, or a message that says which names this CPU accepts.
    ///
    /// # Errors
    /// When there is no such tier or this CPU lacks it.
    pub fn by_name(name: &str) -> Result<Self, String> {
        Self::available().into_iter().find(|tier| tier.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Self::available().iter().map(|tier| tier.name()).collect();
            format!("instruction set '{name}' is not available here; expected one of: {}", names.join(", "))
        })
    }

    /// `portable`, `avx2` or `avx512`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable(_) => "portable",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => "avx512",
        }
    }
}

/// Runs an expression with `$isa` bound to the token of a [`Tier`], monomorphised for each tier.
#[macro_export]
macro_rules! with_tier {
    ($tier:expr, $isa:ident => $body:expr) => {
        match $tier {
            $crate::isa::Tier::Portable($isa) => $body,
            #[cfg(target_arch = "x86_64")]
            $crate::isa::Tier::Avx2($isa) => $body,
            #[cfg(target_arch = "x86_64")]
            $crate::isa::Tier::Avx512($isa) => $body,
        }
    };
}

/// Declares a trait of hot functions and implements it for every tier by a shell around a generic body.
///
/// `fn name(arg: Type, …) -> Ret = body;` makes the method `isa.name(arg, …)`; the body is a function
/// `fn body<I: TheTrait>(isa: I, arg: Type, …) -> Ret` marked `#[inline(always)]`.
#[macro_export]
macro_rules! tiered {
    ($(#[$meta:meta])* $vis:vis trait $name:ident $(: $parent:path)? {
        $( $(#[$fn_meta:meta])* fn $function:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? = $body:path; )*
    }) => {
        $(#[$meta])*
        $vis trait $name: $crate::isa::Isa $(+ $parent)? {
            $( $(#[$fn_meta])* fn $function(self, $($arg: $ty),*) $(-> $ret)?; )*
        }

        impl $name for $crate::isa::Portable {
            $( fn $function(self, $($arg: $ty),*) $(-> $ret)? { $body(self, $($arg),*) } )*
        }

        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code)]
        impl $name for $crate::isa::Avx2 {
            $(
                #[inline(always)]
                fn $function(self, $($arg: $ty),*) $(-> $ret)? {
                    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
                    fn shell(isa: $crate::isa::Avx2, $($arg: $ty),*) $(-> $ret)? { $body(isa, $($arg),*) }
                    // SAFETY: an `Avx2` value exists only where these features were detected.
                    unsafe { shell(self, $($arg),*) }
                }
            )*
        }

        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code)]
        impl $name for $crate::isa::Avx512 {
            $(
                #[inline(always)]
                fn $function(self, $($arg: $ty),*) $(-> $ret)? {
                    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
                    fn shell(isa: $crate::isa::Avx512, $($arg: $ty),*) $(-> $ret)? { $body(isa, $($arg),*) }
                    // SAFETY: an `Avx512` value exists only where these features were detected.
                    unsafe { shell(self, $($arg),*) }
                }
            )*
        }
    };
}

/// Asks the CPU to bring the cache line of `value` near; never faults, has no effect on results.
#[inline(always)]
#[allow(unsafe_code)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: prefetching is a hint on a valid address and part of the x86-64 baseline.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(std::ptr::from_ref(value).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
