//! Tests of the book. Names with numbers are those of a list of faults that users of Othello engines have reported.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process,
};

use proptest::prelude::*;

use super::*;
use crate::{
    board::{Board, Square, Symmetry},
    engine::{Engine, Goal, Request, Settings},
    notation,
    search::StopFlag,
};

/// White must pass and b2 ends the game.
const PASS_NEAR_THE_END: &str = "f5d6c4d3c3f4f6f3e6e7f7c5e3e2g3b4g5g6d8h5b5b3h4f2d2e1h6c2c6e8d7c8c7a4a2a3a5b8b6h3g4h7g2a6c1d1g1f1h1a1g7b1a7a8b7f8h8h2g8";

struct Folder(PathBuf);

impl Folder {
    fn new(name: impl Into<OsString>) -> Self {
        let mut full = OsString::from(format!("flipside-book-{}-", process::id()));
        full.push(name.into());
        let path = env::temp_dir().join(full);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn game(moves: &str) -> Game {
    let mut game = Game::default();
    for mv in moves.as_bytes().chunks(2) {
        game.play_with_implied_pass(notation::parse_move(mv).unwrap()).unwrap();
    }
    game
}

/// A game of the moves that the numbers pick, ends of games included when there are enough.
fn picked(choices: &[u8]) -> Game {
    let mut game = Game::default();
    for &choice in choices {
        let moves = game.board().position().moves();
        if moves.is_empty() {
            break;
        }
        game.play(moves[usize::from(choice) % moves.len()]).unwrap();
    }
    game
}

/// Some answer to every position that does not depend on its orientation.
// The signature is that of a search, which may decline.
#[allow(clippy::unnecessary_wraps)]
fn oracle(position: Position) -> Option<Searched> {
    let hash = position.canonical().hash();
    let moves = position.canonical_with();
    let legal = moves.0.moves();
    let best = legal.get(hash as usize % legal.len().max(1)).and_then(|mv| mv.square());
    let best = best.map(|square| Move::Place(moves.1.inverse().apply_to_square(square)));
    let score = (hash >> 32) as i32 % (MAX_SCORE + 1);
    let selectivity = Selectivity::ALL[(hash >> 16) as usize % 6];
    Some(Searched { score, best, depth: hash as u32 % 30, selectivity, level: hash as u32 % 3 * 7, exact: false })
}

fn learned(games: &[Game]) -> Book {
    let mut book = Book::new();
    for game in games {
        book.learn(game, &mut oracle);
    }
    book
}

fn engine(book: Option<&Path>) -> Engine {
    let settings = Settings { threads: 1, hash_mib: 1, book_file: book.map(Path::to_owned), ..Settings::default() };
    Engine::new(settings).unwrap()
}

#[test]
fn built_in_book_is_sound() {
    let bytes = include_bytes!("../../book/default.book");
    let book = Book::from_bytes(bytes).unwrap();
    assert_eq!(book.to_bytes(), bytes);
    let mut again = book.clone();
    again.negamax();
    assert!(again == book);
    let start = book.lookup(Position::START);
    assert!(start.len() == 4 && start.iter().all(|known| known.score == start[0].score), "{start:?}");
}

#[test]
fn fault_32_negative_scores_survive() {
    let folder = Folder::new("negative");
    for score in [-6200, -6400, -1, 0, 6400] {
        let mut book = Book::new();
        let searched =
            Searched { score, best: None, depth: 12, selectivity: Selectivity::P73, level: 12, exact: false };
        book.set(Position::START, searched);
        book.save(&folder.file("book")).unwrap();
        let read = Book::load(&folder.file("book")).unwrap();
        assert_eq!(read.get(Position::START).unwrap().score, Some(score));
        assert_eq!(read.get(Position::START).unwrap().searched, Some(searched));
        assert_eq!(read, book);
    }
}

#[test]
fn scores_go_back_around_passes() {
    let mut finished = game(PASS_NEAR_THE_END);
    assert!(finished.board().position().must_pass());
    finished.play_with_implied_pass(Move::Place(Square::new(9).unwrap())).unwrap();
    assert!(finished.is_over());
    assert_eq!(finished.board().final_score_for_black(), -6);
    let mut book = Book::new();
    book.learn(&finished, &mut |_| None);
    for (board, &mv) in finished.boards().iter().zip(finished.moves()) {
        let expected = if board.side_to_move() == crate::board::Color::Black { -600 } else { 600 };
        // Images of the move, in the symmetric positions at the start, have the same score.
        let known = book.lookup(board.position());
        assert!(known.iter().any(|known| known.mv == mv), "{board}");
        assert!(known.iter().all(|known| (known.score, known.games) == (expected, 1)), "{board}");
        assert_eq!(book.get(board.position()).unwrap().score, Some(expected));
    }
    // One node for the pass position and the one after it.
    assert_eq!(book.len(), finished.boards().len() - 1);
    assert!(book.entries().all(|(position, _)| !position.must_pass()));
}

#[test]
fn an_unfinished_game_is_solved_at_its_end() {
    let unfinished = game(PASS_NEAR_THE_END);
    let mut engine = engine(None);
    engine.learn(&unfinished).unwrap();
    for board in unfinished.boards().iter().rev().take_while(|board| board.position().empties() <= 4) {
        let request = Request::best(Goal::Level(1));
        let outcome = engine.search(board.position(), &request, &StopFlag::new(), &mut |_| {});
        let expected = if board.side_to_move() == crate::board::Color::Black { -6 } else { 6 };
        assert_eq!((outcome.lines[0].score, outcome.proven), (expected * 100, (expected, expected)), "{board}");
        assert!(outcome.lines[0].book_games.is_some() && outcome.lines[0].depth_text() == "100%");
    }
}

#[test]
fn the_preferred_move_gives_way_to_better_knowledge_only() {
    let [f5, d6] = ["f5", "d6"].map(|text| notation::parse_move(text.as_bytes()).unwrap());
    let after = Position::START.play(f5).unwrap();
    let search = |score, best, level| Searched {
        score,
        best: Some(best),
        depth: 10,
        selectivity: Selectivity::None,
        level,
        exact: false,
    };
    let mut book = Book::new();
    book.set(Position::START, search(100, f5, 10));
    assert_eq!(book.lookup(Position::START)[0].score, 100);
    book.set(after, search(300, d6, 0));
    book.negamax();
    assert_eq!(book.get(Position::START).unwrap().score, Some(100));
    book.set(after, search(50, d6, 10));
    book.negamax();
    assert_eq!(book.get(Position::START).unwrap().score, Some(-50));
    // The four images of the first move.
    assert_eq!(book.lookup(Position::START).iter().map(|known| known.score).collect::<Vec<_>>(), [-50; 4]);
    assert_eq!(book.variation(Position::START, f5), [f5, d6]);
}

#[test]
fn fault_65_a_failed_save_keeps_the_old_file() {
    let folder = Folder::new("failed-save");
    let path = folder.file("my.book");
    let old = learned(&[game("f5d6")]);
    old.save(&path).unwrap();
    // The place of the temporary file is taken by a folder.
    fs::create_dir(file::beside(&fs::canonicalize(&path).unwrap())).unwrap();
    let error = learned(&[game("f5f6")]).save(&path).unwrap_err().to_string();
    assert!(error.contains("my.book") && error.contains("cannot write"), "{error}");
    assert_eq!(Book::load(&path).unwrap(), old);
    for impossible in [folder.file("no/such/folder/x.book"), folder.0.clone()] {
        let error = old.save(&impossible).unwrap_err().to_string();
        assert!(error.contains(&impossible.display().to_string()), "{error}");
    }
    assert!(fs::read_dir(&folder.0).unwrap().all(|entry| !entry.unwrap().path().is_file() || path.is_file()));
    let refused = Engine::new(Settings {
        threads: 1,
        hash_mib: 1,
        book_file: Some(folder.file("no/x.book")),
        ..Settings::default()
    });
    assert!(refused.unwrap_err().to_string().contains("x.book"));
}

#[cfg(unix)]
#[test]
fn fault_65_a_read_only_folder() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("read-only");
    let path = folder.file("my.book");
    let mut engine = engine(Some(&path));
    engine.learn(&game("f5d6")).unwrap();
    let old = fs::read(&path).unwrap();
    fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o555)).unwrap();
    // The superuser may write all the same.
    let may_write = fs::write(folder.file("probe"), "").is_ok();
    let result = engine.learn(&game("f5f6"));
    let now = fs::read(&path).unwrap();
    fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o755)).unwrap();
    if !may_write {
        assert!(result.unwrap_err().to_string().contains("my.book"));
        assert_eq!(now, old);
    }
}

#[test]
fn fault_65_damaged_files_are_refused_and_kept() {
    let folder = Folder::new("damaged");
    let path = folder.file("my.book");
    let whole = learned(&[game("f5d6c3d3c4f4f6")]).to_bytes();
    for (bytes, reason) in [
        (whole[..whole.len() / 2].to_vec(), "bytes instead of"),
        (whole[..3].to_vec(), "not a book file"),
        (Vec::new(), "not a book file"),
        ([&whole[..], &[0]].concat(), "bytes instead of"),
        ([&whole[..30], &[whole[30] ^ 1], &whole[31..]].concat(), "checksum"),
        (b"(;GM[Othello]PC[NBoard]".to_vec(), "not a book file"),
    ] {
        fs::write(&path, &bytes).unwrap();
        let error = Book::load(&path).unwrap_err().to_string();
        assert!(error.contains("my.book") && error.contains(reason), "{error}");
        let mut engine = engine(None);
        let settings = Settings { book_file: Some(path.clone()), ..engine.settings().clone() };
        assert!(Engine::new(settings).unwrap_err().to_string().contains("my.book"));
        engine.learn(&game("f5d6")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    // A book that is damaged while in use is not overwritten either.
    fs::remove_file(&path).unwrap();
    let mut engine = engine(Some(&path));
    fs::write(&path, "something else").unwrap();
    assert!(engine.learn(&game("f5d6")).is_err());
    assert_eq!(fs::read(&path).unwrap(), b"something else");
}

#[test]
fn fault_65_merging_counts_nothing_twice() {
    let games = [game("f5d6c3d3c4f4f6"), game("f5d6c4d3c3"), game("f5d6c3d3c4f4f6")];
    let book = learned(&games);
    // Both move orders lead to the same position, which all three games came through.
    assert_eq!(book.get(games[1].board().position()).unwrap().games, 3);
    let mut twice = book.clone();
    twice.merge(&book);
    assert_eq!(twice, book);
    let mut most = Book::new();
    most.entries.insert(Position::START.canonical(), Entry { games: u32::MAX, ..Entry::default() });
    most.learn(&games[0], &mut |_| None);
    assert_eq!(most.get(Position::START).unwrap().games, u32::MAX);
}

#[cfg(unix)]
#[test]
fn fault_66_any_path_will_do() {
    use std::os::unix::ffi::OsStringExt;
    for name in [b"\xff".to_vec(), "オセロ é".as_bytes().to_vec()] {
        let folder = Folder::new(OsString::from_vec(name.clone()));
        let path = folder.0.join(OsString::from_vec(name));
        engine(Some(&path)).learn(&game("f5d6")).unwrap();
        assert_eq!(Book::load(&path).unwrap().get(Position::START).unwrap().games, 1);
        fs::write(&path, "x").unwrap();
        assert!(Book::load(&path).unwrap_err().to_string().contains("flipside-book-"));
    }
}

#[test]
fn the_users_book_lasts_and_answers() {
    let folder = Folder::new("lasts");
    let path = folder.file("my.book");
    let line = game("f5f6e6d6c5e3d3c4");
    engine(Some(&path)).learn(&line).unwrap();
    engine(Some(&path)).learn(&line).unwrap();
    let mut engine = engine(Some(&path));
    let before = line.boards()[7].position();
    let ask = |engine: &mut Engine, goal, lines| {
        engine.search(before, &Request { goal, lines, time: None }, &StopFlag::new(), &mut |_| {})
    };
    let outcome = ask(&mut engine, Goal::Level(2), 64);
    let known: Vec<&Line> = outcome.lines.iter().filter(|line| line.book_games.is_some()).collect();
    assert!(known.iter().any(|known| known.mv == line.moves()[7] && known.book_games == Some(2)), "{known:?}");
    assert_eq!(outcome.lines.len(), before.moves().len());
    assert!(outcome.lines.is_sorted_by(|first, second| first.score >= second.score));
    assert!(ask(&mut engine, Goal::Level(2), 1).lines[0].book_games.is_some());
    // Too shallow to be played at a higher level; never used by other goals.
    assert!(ask(&mut engine, Goal::Level(9), 1).lines[0].book_games.is_none());
    let depth = ask(&mut engine, Goal::Depth(2, Selectivity::None), 64);
    assert!(depth.lines.iter().all(|line| line.book_games.is_none()));
}

#[test]
fn choices_among_equals_follow_the_seed() {
    let first = |seed| {
        let mut engine = Engine::new(Settings { threads: 1, hash_mib: 1, seed, ..Settings::default() }).unwrap();
        let request = Request::best(Goal::Level(1));
        (0..8)
            .map(|_| engine.search(Position::START, &request, &StopFlag::new(), &mut |_| {}).lines[0].clone())
            .map(|line| (line.mv, line.book_games))
            .collect::<Vec<_>>()
    };
    assert_eq!(first(3), first(3));
    assert_ne!(first(3), first(4));
    let mut seen: Vec<Move> = (0..6).flat_map(first).map(|(mv, _)| mv).collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 4);
}

#[test]
fn draws_are_worth_the_contempt() {
    let mut shelf = Shelf::open(None, 0).unwrap();
    let position = game("f5d6c3d3c4f4f6").board().position();
    let known = BookMove {
        mv: Move::Pass,
        score: 0,
        games: 0,
        depth: 50,
        selectivity: Selectivity::None,
        level: 1,
        exact: true,
    };
    let values = |shelf: &Shelf| {
        [Position::START, position]
            .map(|position| [known, BookMove { exact: false, ..known }].map(|known| shelf.value(position, &known)))
    };
    assert_eq!(values(&shelf), [[0, 0], [0, 0]]);
    shelf.set_contempt(100);
    assert_eq!(values(&shelf), [[10000, 0], [-10000, 0]]);
    shelf.set_contempt(i32::MIN);
    assert_eq!(values(&shelf), [[-10000, 0], [10000, 0]]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn files_keep_everything(choices in prop::collection::vec(any::<u8>(), 0..70), flip in any::<(prop::sample::Index, u8)>()) {
        let book = learned(&[picked(&choices)]);
        let bytes = book.to_bytes();
        prop_assert_eq!(&Book::from_bytes(&bytes).unwrap(), &book);
        let mut damaged = bytes.clone();
        let (place, with) = (flip.0.index(bytes.len()), flip.1.max(1));
        damaged[place] ^= with;
        prop_assert!(Book::from_bytes(&damaged).is_err());
        prop_assert!(Book::from_bytes(&bytes[..place]).is_err());
    }

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..80), count in 0u32..4) {
        prop_assert!(Book::from_bytes(&bytes).is_err());
        // A sound frame around a body that need not make sense.
        let body = miniz_oxide::deflate::compress_to_vec(&bytes, 9);
        let mut whole = b"FLIPBOOK".to_vec();
        for number in [1, count, 0, body.len() as u32] {
            whole.extend(number.to_le_bytes());
        }
        whole.extend(body);
        let checksum = whole.iter().fold(0xCBF29CE484222325u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100000001B3));
        whole.extend(checksum.to_le_bytes());
        let _ = Book::from_bytes(&whole);
    }

    #[test]
    fn images_have_the_same_moves(choices in prop::collection::vec(any::<u8>(), 0..70), at in any::<prop::sample::Index>()) {
        let game = picked(&choices);
        let book = learned(std::slice::from_ref(&game));
        let position = at.get(game.boards()).position();
        let moves = book.lookup(position);
        for symmetry in Symmetry::ALL {
            let mut image: Vec<(i32, Move)> =
                book.lookup(position.transformed(symmetry)).iter().map(|known| (known.score, known.mv)).collect();
            let mut expected: Vec<(i32, Move)> = moves
                .iter()
                .map(|known| match known.mv {
                    Move::Place(square) => (known.score, Move::Place(symmetry.apply_to_square(square))),
                    Move::Pass => (known.score, Move::Pass),
                })
                .collect();
            image.sort_unstable();
            expected.sort_unstable();
            // In a position that is its own image, the preferred move may be known in one image only.
            if Symmetry::ALL.iter().filter(|other| position.transformed(**other) == position).count() == 1 {
                prop_assert_eq!(image, expected);
            }
            prop_assert_eq!(book.get(position).map(|entry| (entry.score, entry.games)),
                book.get(position.transformed(symmetry)).map(|entry| (entry.score, entry.games)));
        }
    }

    #[test]
    fn merging_is_idempotent_and_keeps_both(
        one in prop::collection::vec(any::<u8>(), 0..70), two in prop::collection::vec(any::<u8>(), 0..70),
    ) {
        let (first, second) = (learned(&[picked(&one)]), learned(&[picked(&two), picked(&two)]));
        let mut both = first.clone();
        both.merge(&second);
        let mut other_way = second.clone();
        other_way.merge(&first);
        prop_assert_eq!(&both, &other_way);
        let once = both.clone();
        both.merge(&second);
        both.merge(&once);
        prop_assert_eq!(&both, &once);
    }
}

#[test]
fn games_from_other_starts_are_learned() {
    let mut game = Game::new(Board::new(Position::new(1, 2).unwrap(), crate::board::Color::White));
    let mut book = Book::new();
    book.learn(&game, &mut oracle);
    game.play(Move::Place(Square::new(2).unwrap())).unwrap();
    book.learn(&game, &mut oracle);
    assert_eq!(book.get(game.start().position()).unwrap().score, Some(6400));
    assert!(book.lookup(game.board().position()).is_empty());
}
