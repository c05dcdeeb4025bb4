use std::{fs, path::Path};

use proptest::prelude::*;

use super::*;
use crate::notation::{
    parse_transcript,
    testing::{any_usual_game, never_panics},
};

fn database() -> Database {
    let record = |text: &str| Record {
        tournament: 1,
        black: 346,
        white: 843,
        score: 34,
        theoretical_score: 30,
        game: parse_transcript(Board::START, text.as_bytes()).unwrap(),
    };
    Database {
        header: Header { created: [20, 7, 5, 22], year: 1977, depth: 24 },
        records: vec![record("f5d6c3d3c4"), record("c4c3f5b4a4a5c2a3d2")],
    }
}

fn message(bytes: &[u8]) -> String {
    parse(bytes).unwrap_err().to_string()
}

#[test]
fn layout() {
    let bytes = write(&database()).unwrap();
    assert_eq!(bytes.len(), 16 + 2 * 68);
    assert_eq!(bytes[..16], [20, 7, 5, 22, 2, 0, 0, 0, 0, 0, 0xb9, 7, 8, 0, 24, 0]);
    assert_eq!(bytes[16..30], [1, 0, 0x5a, 1, 0x4b, 3, 34, 30, 56, 64, 33, 34, 43, 0]);
    assert_eq!(parse(&bytes), Ok(database()));
    assert!(database().records[1].game.moves().contains(&Move::Pass));
}

#[test]
fn errors() {
    let good = write(&database()).unwrap();
    let with = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        message(&bytes)
    };
    assert_eq!(message(&good[..5]), "column 6: expected a header of 16 bytes, but the file ends after 5");
    assert_eq!(message(&good[..100]), "column 101: expected 152 bytes for 2 games, but the file has 100");
    assert_eq!(with(4, 1), "column 85: expected 84 bytes for 1 games, but the file has 152");
    assert_eq!(with(12, 10), "column 13: board size 10 is not supported, expected 8");
    assert_eq!(with(13, 1), "column 14: the file holds solitaires, expected games");
    assert_eq!(with(22, 65), "column 23: game 1: 65 black discs, expected 0 to 64");
    assert_eq!(with(25, 44), "column 26: game 1: move 2: d4 is occupied");
    assert_eq!(with(25, 99), "column 26: game 1: move 2: expected a square from 11 to 88, found 99");
    assert_eq!(with(93, 0), "column 95: game 2: move 3: expected 0 behind the end of the game, found 56");
    let mut unusual = database();
    unusual.records[1].game = Game::new(Board::START.with_other_side());
    assert_eq!(write(&unusual), Err(WriteError::UnusualStart(2)));
}

#[test]
fn names() {
    let names = vec!["???".to_owned(), "Tamenori Hideshi".to_owned(), "Léader Alain, encore un peu".to_owned()];
    let bytes = write_names(&names, Names::Players, [20, 26, 1, 2]).unwrap();
    assert_eq!(bytes.len(), 16 + 60);
    assert_eq!(parse_names(&bytes, Names::Players).unwrap(), ["???", "Tamenori Hideshi", "Léader Alain, encor"]);
    let error = parse_names(&bytes, Names::Tournaments).unwrap_err();
    assert_eq!(error.to_string(), "column 77: expected 94 bytes for 3 names, but the file has 76");
    assert!(write_names(&vec![String::new(); 70000], Names::Players, [0; 4]).is_err());
}

/// Reads and writes again every file of the real database, where it is at hand.
#[test]
fn real_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/wthor");
    let Ok(entries) = fs::read_dir(&folder) else {
        println!("skipped: no database in {}", folder.display());
        return;
    };
    let mut games = 0;
    for path in entries.map(|entry| entry.unwrap().path()) {
        let bytes = fs::read(&path).unwrap();
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("wtb") => {
                let read = parse(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                games += read.records.len();
                let written = write(&read).unwrap();
                assert_eq!(written[16..], bytes[16..], "{}", path.display());
                assert_eq!(parse(&written), Ok(read));
            }
            Some("TRN") => {
                let names = parse_names(&bytes, Names::Tournaments).unwrap();
                assert_eq!(names[..2], ["Diverses parties", "World Championship"]);
            }
            Some("JOU") => assert!(!parse_names(&bytes, Names::Players).unwrap().is_empty()),
            _ => {}
        }
    }
    println!("{games} games");
}

fn any_database() -> impl Strategy<Value = Database> {
    let ids = (any::<u16>(), any::<u16>(), any::<u16>());
    let record = (any_usual_game(), ids, 0..=64_u8, 0..=64_u8).prop_map(|(mut game, ids, score, theoretical_score)| {
        if game.moves().last() == Some(&Move::Pass) {
            game.undo();
        }
        Record { tournament: ids.0, black: ids.1, white: ids.2, score, theoretical_score, game }
    });
    let header = (any::<[u8; 4]>(), any::<u16>(), any::<u8>()).prop_map(|(created, year, depth)| Header {
        created,
        year,
        depth,
    });
    (header, proptest::collection::vec(record, 0..4)).prop_map(|(header, records)| Database { header, records })
}

proptest! {
    #[test]
    fn round_trip(database in any_database()) {
        prop_assert_eq!(parse(&write(&database).unwrap()), Ok(database));
    }

    #[test]
    fn names_round_trip(names in proptest::collection::vec("[ -~é]{0,19}", 0..20)) {
        let bytes = write_names(&names, Names::Players, [20, 26, 1, 2]).unwrap();
        prop_assert_eq!(parse_names(&bytes, Names::Players), Ok(names));
    }

    #[test]
    fn any_bytes(bytes: Vec<u8>, database in any_database(), at in 0..250usize, byte: u8) {
        let good = write(&database).unwrap();
        never_panics(parse, &bytes, &good, at, byte);
        never_panics(|bytes| parse_names(bytes, Names::Players), &bytes, &good, at, byte);
    }
}
