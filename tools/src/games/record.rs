//! One game as 64 bytes, and its replay.

use flipside::board::{Board, Game, IllegalMove, Move, Position, Square};
use thiserror::Error;

use super::fnv;
use crate::rng::mix;

/// Size of a record in bytes.
pub const RECORD_SIZE: usize = 64;

/// Most placements a game can have.
pub const MAX_PLACEMENTS: usize = 60;

const NO_MOVE: u8 = 255;
const RANDOM_MASK: u8 = 63;
const REPEATED: u8 = 64;

/// A game from the usual start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// The placements in order; forced passes are implied.
    pub placements: Vec<Square>,
    /// How many of the placements, from the first, were random.
    pub random_plies: u8,
    /// The opening repeats that of an earlier game of the file (it had no new one left).
    pub repeated_opening: bool,
    /// Final score: black's discs minus white's, empty squares to the winner.
    pub score: i8,
}

/// Why 64 bytes are not a game record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum RecordError {
    /// The bytes were damaged or moved.
    #[error("checksum is {found:#06x}, expected {expected:#06x}: the record is damaged")]
    Checksum {
        /// As stored.
        found: u16,
        /// As computed.
        expected: u16,
    },
    /// A move byte is neither a square nor the end mark.
    #[error("byte {index} of the moves is {value}, expected a square 0 to 63, or 255 after the last move")]
    MoveByte {
        /// Place in the record.
        index: usize,
        /// What is there.
        value: u8,
    },
    /// The random count exceeds the number of moves, or a reserved bit is set.
    #[error("the random-ply byte is {0:#04x}, expected at most as many random plies as moves and bit 7 clear")]
    RandomPlies(u8),
    /// The score byte is out of range.
    #[error("the score is {0}, expected an even number from -64 to 64")]
    Score(i8),
}

/// Why a record is not a legal finished game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum ReplayError {
    /// A move is illegal.
    #[error("move {ply}: {reason}")]
    Illegal {
        /// Number of the placement, from 1.
        ply: usize,
        /// The board's reason.
        reason: IllegalMove,
    },
    /// The moves end before the game does.
    #[error("the moves end after {0} placements but the game goes on")]
    Unfinished(usize),
    /// The stored score is not that of the final position.
    #[error("the score is {found}, expected {expected} from the final position")]
    Score {
        /// As stored.
        found: i8,
        /// As counted.
        expected: i32,
    },
}

/// One position of a replayed game, before a placement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Replay {
    /// The position, its side to move able to place.
    pub position: Position,
    /// The placement played.
    pub played: Square,
    /// The game's final score from the view of the side to move.
    pub score: i8,
    /// The placement was random.
    pub random: bool,
}

impl GameRecord {
    /// The record of a game played to its end from the usual start.
    pub fn from_game(game: &Game, random_plies: u8, repeated_opening: bool) -> Self {
        Self {
            placements: game.moves().iter().filter_map(|mv| mv.square()).collect(),
            random_plies,
            repeated_opening,
            score: game.board().final_score_for_black() as i8,
        }
    }

    /// The bytes of the record as game `number` of its file.
    pub fn encode(&self, number: u64) -> [u8; RECORD_SIZE] {
        let mut bytes = [NO_MOVE; RECORD_SIZE];
        for (byte, square) in bytes.iter_mut().zip(self.placements.iter().take(MAX_PLACEMENTS)) {
            *byte = square.index() as u8;
        }
        bytes[60] = (self.random_plies & RANDOM_MASK) | if self.repeated_opening { REPEATED } else { 0 };
        bytes[61] = self.score as u8;
        let checksum = checksum(&bytes, number).to_le_bytes();
        bytes[62..].copy_from_slice(&checksum);
        bytes
    }

    /// Reads the record of game `number`.
    ///
    /// # Errors
    /// When the bytes are damaged or not a record.
    pub fn decode(bytes: &[u8; RECORD_SIZE], number: u64) -> Result<Self, RecordError> {
        let (found, expected) = (u16::from_le_bytes([bytes[62], bytes[63]]), checksum(bytes, number));
        if found != expected {
            return Err(RecordError::Checksum { found, expected });
        }
        let moves = &bytes[..MAX_PLACEMENTS];
        let count = moves.iter().position(|&byte| byte == NO_MOVE).unwrap_or(MAX_PLACEMENTS);
        let mut placements = Vec::with_capacity(count);
        for (index, &value) in moves.iter().enumerate() {
            match Square::new(value) {
                Some(square) if index < count => placements.push(square),
                None if index >= count && value == NO_MOVE => {}
                _ => return Err(RecordError::MoveByte { index, value }),
            }
        }
        let random_plies = bytes[60] & RANDOM_MASK;
        if bytes[60] & 128 != 0 || usize::from(random_plies) > count {
            return Err(RecordError::RandomPlies(bytes[60]));
        }
        let score = bytes[61] as i8;
        if !(-64..=64).contains(&score) || score % 2 != 0 {
            return Err(RecordError::Score(score));
        }
        Ok(Self { placements, random_plies, repeated_opening: bytes[60] & REPEATED != 0, score })
    }

    /// A hash of the moves: decides on which side of the training/validation split the game falls.
    pub fn hash(&self) -> u64 {
        mix(self.placements.iter().fold(0, |hash, square| mix(hash ^ (square.index() as u64 + 1))))
    }

    /// Plays the game over: the position before each placement.
    ///
    /// # Errors
    /// When a move is illegal, the game is not finished or its score is wrong.
    pub fn replay(&self) -> Result<Vec<Replay>, ReplayError> {
        let mut board = Board::START;
        let mut replay = Vec::with_capacity(self.placements.len());
        for (index, &played) in self.placements.iter().enumerate() {
            let mut next = board.play(Move::Place(played));
            if next.is_none() && board.position().must_pass() {
                board = board.with_other_side();
                next = board.play(Move::Place(played));
            }
            let Some(next) = next else {
                return Err(ReplayError::Illegal { ply: index + 1, reason: reason(board, played) });
            };
            let score = if board.side_to_move() == flipside::board::Color::Black { self.score } else { -self.score };
            let random = index < usize::from(self.random_plies);
            replay.push(Replay { position: board.position(), played, score, random });
            board = next;
        }
        if !board.position().is_over() {
            return Err(ReplayError::Unfinished(self.placements.len()));
        }
        let expected = board.final_score_for_black();
        if i32::from(self.score) != expected {
            return Err(ReplayError::Score { found: self.score, expected });
        }
        Ok(replay)
    }
}

fn reason(board: Board, played: Square) -> IllegalMove {
    Game::new(board).play(Move::Place(played)).err().unwrap_or(IllegalMove::GameOver)
}

fn checksum(bytes: &[u8; RECORD_SIZE], number: u64) -> u16 {
    let hash = mix(fnv(number, &bytes[..62]));
    (hash ^ (hash >> 16) ^ (hash >> 32) ^ (hash >> 48)) as u16
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rng::Rng;

    /// A game of random moves to its end, of which up to 19 count as the opening's.
    pub fn random_game(seed: u64) -> GameRecord {
        let mut rng = Rng::new(seed);
        let mut game = Game::default();
        while !game.is_over() {
            let moves = game.board().position().moves();
            game.play(moves[rng.below(moves.len() as u64) as usize]).unwrap();
        }
        let placements = game.moves().iter().filter(|mv| mv.square().is_some()).count();
        GameRecord::from_game(&game, placements.min((seed % 20) as usize) as u8, seed.is_multiple_of(3))
    }

    proptest! {
        #[test]
        fn records_survive_the_round_trip(seed: u64, number: u64) {
            let record = random_game(seed);
            let bytes = record.encode(number);
            prop_assert_eq!(&GameRecord::decode(&bytes, number).unwrap(), &record);
            let replay = record.replay().unwrap();
            prop_assert_eq!(replay.len(), record.placements.len());
            prop_assert_eq!(replay.iter().filter(|ply| ply.random).count(), usize::from(record.random_plies));
        }

        #[test]
        fn damage_is_noticed(seed: u64, place in 0usize..64, change in 1u8..=255) {
            let mut bytes = random_game(seed).encode(5);
            bytes[place] ^= change;
            // Sixteen bits of checksum let one damaged record in 65,536 through; replaying finds most of those.
            if let Ok(record) = GameRecord::decode(&bytes, 5) {
                prop_assert!(record.replay().is_err());
            }
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes: [u8; 32], more: [u8; 32]) {
            let mut all = [0; 64];
            all[..32].copy_from_slice(&bytes);
            all[32..].copy_from_slice(&more);
            let check = checksum(&all, 0).to_le_bytes();
            all[62..].copy_from_slice(&check);
            if let Ok(record) = GameRecord::decode(&all, 0) {
                let _ = record.replay();
            }
        }
    }

    #[test]
    fn a_game_may_end_in_its_opening() {
        let game = flipside::notation::parse_transcript(Board::START, b"e6f4e3f6g5d6e7f5c5").unwrap();
        assert!(game.is_over());
        let record = GameRecord::from_game(&game, 9, false);
        assert_eq!(GameRecord::decode(&record.encode(7), 7), Ok(record));
        let record = GameRecord::from_game(&game, 10, false);
        assert_eq!(GameRecord::decode(&record.encode(7), 7), Err(RecordError::RandomPlies(10)));
    }

    #[test]
    fn wrong_games_are_named() {
        let mut record = random_game(1);
        record.score = -record.score.max(2);
        assert!(matches!(record.replay(), Err(ReplayError::Score { .. })));
        record.placements.truncate(10);
        assert_eq!(record.replay(), Err(ReplayError::Unfinished(10)));
        record.placements[3] = record.placements[2];
        assert!(matches!(record.replay(), Err(ReplayError::Illegal { ply: 4, reason: IllegalMove::Occupied(_) })));
        assert!(matches!(GameRecord::decode(&random_game(1).encode(3), 4), Err(RecordError::Checksum { .. })));
    }
}
