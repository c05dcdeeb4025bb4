//! Real files through the parsers: problems, openings, tournament games. Skipped where the files are not at hand.

use std::{fs, path::PathBuf};

use flipside::{
    board::Board,
    notation::{ggf, obf, parse_transcript, sgf, write_transcript, wthor},
};

/// Contents of the files in a folder beside the repository with one of these endings; says so when there are none.
fn files(folder: &str, endings: &[&str]) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared").join(folder);
    let Ok(entries) = fs::read_dir(&folder) else {
        println!("skipped: no files in {}", folder.display());
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    let wanted = paths.filter(|path| endings.iter().any(|ending| path.to_string_lossy().ends_with(ending)));
    wanted.map(|path| (path.clone(), fs::read(&path).unwrap())).collect()
}

#[test]
fn problems() {
    for (path, bytes) in files("problems", &[".obf"]) {
        let mut records = 0;
        for (line, number) in bytes.split(|&byte| byte == b'\n').zip(1..) {
            let read = obf::parse_line(line).unwrap_or_else(|error| panic!("{path:?}: {}", error.at_line(number)));
            let Some(record) = read else { continue };
            records += 1;
            assert_eq!(record.to_string().trim_end(), String::from_utf8_lossy(line).trim_end());
            assert_eq!(record.expected(), record.scores.first().map(|&(_, score)| score));
        }
        assert!(records > 0, "{path:?}");
    }
}

#[test]
fn openings() {
    for (path, bytes) in files("openings", &["xot-large.txt"]) {
        let lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
        for (line, number) in lines.zip(1..) {
            let game = parse_transcript(Board::START, line)
                .unwrap_or_else(|error| panic!("{path:?}: {}", error.at_line(number)));
            assert_eq!(game.moves().len(), 8);
            assert_eq!(write_transcript(game.moves()).as_bytes(), line);
        }
    }
}

#[test]
fn games_of_nboard() {
    let mut games = 0;
    for (path, bytes) in files("transcripts", &[".log"]) {
        for line in bytes.split(|&byte| byte == b'\n') {
            let start = line.windows(2).position(|window| window == b"(;");
            let end = line.windows(2).rposition(|window| window == b";)");
            let (Some(start), Some(end)) = (start, end) else { continue };
            let game = ggf::parse_game(&line[start..end + 2]).unwrap_or_else(|error| panic!("{path:?}: {error}"));
            assert_eq!(game.game.moves().len(), game.move_info.len());
            assert_eq!(ggf::parse_game(game.to_string().as_bytes()), Ok(game));
            games += 1;
        }
    }
    println!("{games} games");
}

#[test]
fn tournament_games_in_all_formats() {
    for (path, bytes) in files("wthor", &["_1990.wtb", "_2024.wtb"]) {
        let database = wthor::parse(&bytes).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let mut as_played = 0;
        for record in &database.records {
            let game = &record.game;
            assert_eq!(sgf::parse(sgf::write(game).as_bytes()).as_ref(), Ok(game));
            let ggf = ggf::GgfGame::new(game.clone());
            assert_eq!(ggf::parse_game(ggf.to_string().as_bytes()), Ok(ggf));
            if !game.moves().is_empty() {
                let text = write_transcript(game.moves());
                assert_eq!(parse_transcript(Board::START, text.as_bytes()).as_ref(), Ok(game));
            }
            as_played += usize::from(game.board().final_score_for_black() == 2 * i32::from(record.score) - 64);
        }
        // A few results were declared: resignations, time, errors in the records.
        println!("{path:?}: {as_played} of {} results follow from the moves", database.records.len());
        assert!(as_played * 10 > database.records.len() * 9, "{path:?}");
    }
}
