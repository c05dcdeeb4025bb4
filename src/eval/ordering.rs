//! A second, smaller evaluation that only orders moves near the end: how few nodes the refutation of a position is
//! likely to take.
//!
//! Near the end nearly every cut node is cut by its first move already; what is left to gain is to choose, among the
//! moves that cut, the one whose subtree is small. The weights are therefore not fitted to scores but to measured node
//! counts of null-window proofs (`flipside-tools fit-ordering`). Eight features, the edges and the corner triangles, in one
//! table of 128 KiB for all numbers of empties: cheap enough for nodes of seven empties.

use miniz_oxide::{deflate::compress_to_vec, inflate::decompress_to_vec_with_limit};
use once_cell::sync::Lazy;
use thiserror::Error;

use super::{
    Features,
    features::{COMPLEMENT, steps},
    patterns::{CONFIGURATIONS, PLACED},
};
use crate::{
    board::{CORNERS, Position, Square, odd_quadrants},
    checksum::fnv1a,
};

/// The families in use, as indices into [`super::patterns::FAMILIES`]; each has four placements.
pub const ORDERING_FAMILIES: [usize; 2] = [0, 2];

/// Placements over all families in use.
pub const ORDERING_FEATURES: usize = 8;

/// Where the features of a family lie among all [`super::FEATURES`].
const fn first_lane(family: usize) -> usize {
    let mut lane = 0;
    while PLACED[lane].family != family {
        lane += 1;
    }
    lane
}

const LANES: [usize; ORDERING_FEATURES] = {
    let mut lanes = [0; ORDERING_FEATURES];
    let mut feature = 0;
    while feature < ORDERING_FEATURES {
        lanes[feature] = first_lane(ORDERING_FAMILIES[feature / 4]) + feature % 4;
        feature += 1;
    }
    lanes
};

/// Pattern indices of the ordering features, from the view of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(16))]
pub struct OrderingFeatures([u16; ORDERING_FEATURES]);

/// What one step of a digit on a square adds to each index: the lanes in use of that of all features.
static STEPS: [OrderingFeatures; 64] = {
    let all = steps();
    let mut table = [OrderingFeatures([0; ORDERING_FEATURES]); 64];
    let mut square = 0;
    while square < 64 {
        let mut feature = 0;
        while feature < ORDERING_FEATURES {
            table[square].0[feature] = all[square].0[LANES[feature]];
            feature += 1;
        }
        square += 1;
    }
    table
};

/// The squares in any ordering feature: without the others, fewer entries of [`ROWS`] are used and stay near.
const COVERED: u64 = {
    let mut covered = 0;
    let mut square = 0;
    while square < 64 {
        let mut feature = 0;
        while feature < ORDERING_FEATURES {
            covered |= ((STEPS[square].0[feature] != 0) as u64) << square;
            feature += 1;
        }
        square += 1;
    }
    covered
};

/// Twice the steps of the squares in a row, by row and the squares taken: what flips there change.
static ROWS: [[OrderingFeatures; 256]; 8] = {
    let mut table = [[OrderingFeatures([0; ORDERING_FEATURES]); 256]; 8];
    let mut row = 0;
    while row < 8 {
        let mut taken = 1_usize;
        while taken < 256 {
            let last = taken.trailing_zeros() as usize;
            let mut feature = 0;
            while feature < ORDERING_FEATURES {
                let others = table[row][taken & (taken - 1)].0[feature];
                table[row][taken].0[feature] = others.wrapping_add(STEPS[8 * row + last].0[feature] << 1);
                feature += 1;
            }
            taken += 1;
        }
        row += 1;
    }
    table
};

impl OrderingFeatures {
    /// The ordering features among all features.
    #[inline(always)]
    pub fn of(features: &Features) -> Self {
        Self(LANES.map(|lane| features.0[lane]))
    }

    /// Indices after the side to move placed a disc on `square` and flipped `flips`.
    #[inline(always)]
    #[must_use]
    pub fn after(&self, square: Square, flips: u64) -> Self {
        let mut change = STEPS[square.index()].0;
        // Without a loop over the flips, the end of which no processor foresees.
        let flips = flips & COVERED;
        for (row, steps) in ROWS.iter().enumerate() {
            for (sum, step) in change.iter_mut().zip(&steps[(flips >> (8 * row)) as usize & 0xFF].0) {
                *sum = sum.wrapping_add(*step);
            }
        }
        let mut indices = self.passed().0;
        indices.iter_mut().zip(change).for_each(|(index, change)| *index = index.wrapping_add(change));
        Self(indices)
    }

    /// The same with the other side to move.
    #[inline(always)]
    #[must_use]
    pub fn passed(&self) -> Self {
        Self(self.0.map(|index| COMPLEMENT.wrapping_sub(index)))
    }

    /// The index of each feature.
    pub fn indices(&self) -> &[u16; ORDERING_FEATURES] {
        &self.0
    }
}

/// Kinds of squares under the symmetries of the board.
pub const SQUARE_KINDS: usize = 10;

/// What else than patterns enters: about the move, not the position it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surroundings {
    /// The replies that the move leaves.
    pub replies: u64,
    /// Whether the move goes into a region with an odd number of empty squares.
    pub odd: bool,
    /// Where the move goes.
    pub square: Square,
}

/// Replies are counted up to this.
const MOST_REPLIES: usize = 23;

const CORNER_REPLIES_AT: usize = MOST_REPLIES + 1;
const SQUARE_AT: usize = CORNER_REPLIES_AT + 5;

/// Number of scalar weights: by replies, by replies into corners, by kind of square and by whether its region is odd.
pub const SCALARS: usize = SQUARE_AT + 2 * SQUARE_KINDS;

/// The kind of a square: equal for its images under the symmetries of the board.
const fn kind(square: usize) -> usize {
    let (column, row) = (square & 7, square >> 3);
    let column = if column < 4 { column } else { 7 - column };
    let row = if row < 4 { row } else { 7 - row };
    let (low, high) = if column < row { (column, row) } else { (row, column) };
    // Pairs low <= high in order: 00 01 02 03 11 12 13 22 23 33.
    low * (7 - low) / 2 + high
}

impl Surroundings {
    /// The surroundings of a move to `square` that led to `child`; `empty` are the empty squares before it.
    ///
    /// The search has all this at hand and does without.
    pub fn of(child: Position, square: Square, empty: u64) -> Self {
        Self { replies: child.legal_moves(), odd: odd_quadrants(empty) & square.bit() != 0, square }
    }

    /// The scalar weights that count.
    pub fn indices(&self) -> [usize; 3] {
        [
            (self.replies.count_ones() as usize).min(MOST_REPLIES),
            CORNER_REPLIES_AT + (self.replies & CORNERS).count_ones() as usize,
            SQUARE_AT + 2 * kind(self.square.index()) + usize::from(self.odd),
        ]
    }
}

/// Weights as trained, in sixteenths of a logit: the larger the sum, the likelier the move is the cheapest refutation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderingWeights {
    /// For each family of [`ORDERING_FAMILIES`] and each configuration.
    pub patterns: Vec<i8>,
    /// See [`Surroundings`].
    pub scalars: [i16; SCALARS],
    /// How they were trained.
    pub facts: String,
}

const MAGIC: &[u8; 8] = b"FLIPORDR";

/// Why a file of ordering weights was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("no ordering weights of this program's shape, or damaged")]
pub struct OrderingWeightsError;

impl OrderingWeights {
    /// The weights as a file: the text `FLIPORDR`, u32 length of the facts, the facts (UTF-8), u64 checksum of the
    /// rest (FNV-1a), and deflated the pattern weights and the scalars (i16); little-endian.
    pub fn encode(&self) -> Vec<u8> {
        let scalars = self.scalars.iter().flat_map(|scalar| scalar.to_le_bytes());
        let raw: Vec<u8> = self.patterns.iter().map(|&weight| weight as u8).chain(scalars).collect();
        let body = compress_to_vec(&raw, 9);
        let mut file = MAGIC.to_vec();
        file.extend((self.facts.len() as u32).to_le_bytes());
        file.extend(self.facts.as_bytes());
        file.extend(fnv1a(&body).to_le_bytes());
        file.extend(body);
        file
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it is none or damaged.
    pub fn decode(file: &[u8]) -> Result<Self, OrderingWeightsError> {
        Self::read(file).ok_or(OrderingWeightsError)
    }

    fn read(file: &[u8]) -> Option<Self> {
        let rest = file.strip_prefix(MAGIC.as_slice())?;
        let (length, rest) = rest.split_first_chunk()?;
        let (facts, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let (checksum, body) = rest.split_first_chunk()?;
        if fnv1a(body) != u64::from_le_bytes(*checksum) {
            return None;
        }
        let count = ORDERING_FAMILIES.len() * CONFIGURATIONS;
        let raw = decompress_to_vec_with_limit(body, count + 2 * SCALARS).ok()?;
        let (patterns, scalars) = raw.split_at_checked(count)?;
        let patterns = patterns.iter().map(|&byte| byte as i8).collect();
        let scalars: Vec<i16> = scalars.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect();
        let facts = std::str::from_utf8(facts).ok()?.to_owned();
        Some(Self { patterns, scalars: scalars.try_into().ok()?, facts })
    }
}

/// The weights as lookup tables.
#[derive(Debug)]
pub struct Ordering {
    // Every 16-bit index has an entry, so that lookups need no bounds checks.
    families: Box<[[i8; 1 << 16]; ORDERING_FAMILIES.len()]>,
    // By number of replies, and of those into corners.
    replies: [i16; 65],
    corner_replies: [i16; 5],
    // By square, in an even and in an odd region.
    squares: [[i16; 2]; 64],
    facts: String,
}

/// The embedded weights.
static EMBEDDED: &[u8] = include_bytes!("ordering.bin");

static DEFAULT: Lazy<Ordering> = Lazy::new(|| {
    // The file is part of the program and checked by a test: it cannot be refused here.
    let weights = OrderingWeights::decode(EMBEDDED).unwrap_or_else(|error| panic!("src/eval/ordering.bin: {error}"));
    Ordering::new(weights)
});

impl Ordering {
    /// The embedded ordering.
    pub fn embedded() -> &'static Self {
        &DEFAULT
    }

    fn new(weights: OrderingWeights) -> Self {
        let mut families: Box<[[i8; 1 << 16]; ORDERING_FAMILIES.len()]> = bytemuck::zeroed_box();
        for (table, weights) in families.iter_mut().zip(weights.patterns.chunks_exact(CONFIGURATIONS)) {
            table[..CONFIGURATIONS].copy_from_slice(weights);
        }
        let scalars = &weights.scalars;
        let mut replies = [scalars[MOST_REPLIES]; 65];
        replies[..MOST_REPLIES].copy_from_slice(&scalars[..MOST_REPLIES]);
        let mut corner_replies = [0; 5];
        corner_replies.copy_from_slice(&scalars[CORNER_REPLIES_AT..SQUARE_AT]);
        let mut squares = [[0; 2]; 64];
        for (square, pair) in squares.iter_mut().enumerate() {
            let first = SQUARE_AT + 2 * kind(square);
            pair.copy_from_slice(&scalars[first..first + 2]);
        }
        Self { families, replies, corner_replies, squares, facts: weights.facts }
    }

    /// How the weights were trained.
    pub fn facts(&self) -> &str {
        &self.facts
    }

    /// How promising the move is that led to a position with these features, in sixteenths of a logit.
    #[inline(always)]
    pub fn promise(&self, features: &OrderingFeatures, surroundings: &Surroundings) -> i32 {
        // From memory, as in `Evaluator::value`.
        let features = std::hint::black_box(features);
        let mut sum = 0;
        for (table, indices) in self.families.iter().zip(features.0.as_chunks::<4>().0) {
            for &index in indices {
                sum += i32::from(table[usize::from(index)]);
            }
        }
        let Surroundings { replies, odd, square } = *surroundings;
        sum + i32::from(self.replies[replies.count_ones() as usize])
            + i32::from(self.corner_replies[(replies & CORNERS).count_ones() as usize])
            + i32::from(self.squares[square.index()][usize::from(odd)])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::board::{Move, Symmetry};

    #[test]
    fn embedded_weights_are_sound() {
        OrderingWeights::decode(EMBEDDED).unwrap();
        assert_eq!(OrderingWeights::decode(&EMBEDDED[..EMBEDDED.len() - 1]), Err(OrderingWeightsError));
    }

    #[test]
    fn kinds_are_those_of_symmetry() {
        for square in 0..64_u8 {
            let square = Square::new(square).unwrap();
            for symmetry in Symmetry::ALL {
                let image = symmetry.apply(square.bit()).trailing_zeros() as usize;
                assert_eq!(kind(image), kind(square.index()));
            }
        }
        let mut kinds: Vec<usize> = (0..64).map(kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!(kinds, (0..SQUARE_KINDS).collect::<Vec<_>>());
    }

    proptest! {
        #[test]
        fn incremental_equals_from_scratch(choices in prop::collection::vec(any::<usize>(), 60)) {
            let mut position = Position::START;
            let mut features = OrderingFeatures::of(&Features::of(position));
            for choice in choices {
                let moves = position.moves();
                let Some(&mv) = moves.get(choice % moves.len().max(1)) else { break };
                features = match mv {
                    Move::Place(square) => features.after(square, position.flips(square)),
                    Move::Pass => features.passed(),
                };
                position = position.play(mv).unwrap();
                let fresh = OrderingFeatures::of(&Features::of(position));
                prop_assert_eq!(features, fresh);
                let surroundings = Surroundings { replies: 7, odd: true, square: Square::new(0).unwrap() };
                let ordering = Ordering::embedded();
                let promise = ordering.promise(&features, &surroundings);
                prop_assert_eq!(promise, ordering.promise(&fresh, &surroundings));
            }
        }
    }
}
