//! Openings of a match: one transcript a line, forced passes left out.

use std::{fs, path::Path};

use flipside::board::{Game, Move, Square};

use crate::{
    error::{Result, ToolError},
    rng::Rng,
};

/// Reads a move: a square in either case, or a pass (`pass`, `pa`, `ps`, `--`).
pub fn parse_move(text: &str) -> Option<Move> {
    let lower = text.to_ascii_lowercase();
    if matches!(lower.as_str(), "pass" | "pa" | "ps" | "--") {
        return Some(Move::Pass);
    }
    let &[letter, digit] = lower.as_bytes() else { return None };
    let square = Square::from_column_row(letter.wrapping_sub(b'a'), digit.wrapping_sub(b'1'))?;
    Some(Move::Place(square))
}

/// Plays a transcript such as `f5d6c3` from the usual start.
///
/// # Errors
/// Says which move is wrong and why.
pub fn parse_transcript(text: &str) -> std::result::Result<Game, String> {
    let mut game = Game::default();
    let characters: Vec<char> = text.chars().filter(|character| !character.is_whitespace()).collect();
    for (index, pair) in characters.chunks(2).enumerate() {
        let text: String = pair.iter().collect();
        let mv = parse_move(&text)
            .ok_or_else(|| format!("move {}: '{text}' is no move, expected squares such as f5d6", index + 1))?;
        game.play_with_implied_pass(mv).map_err(|problem| format!("move {}: {problem}", index + 1))?;
    }
    Ok(game)
}

/// The moves of a game as a transcript without passes.
pub fn transcript(game: &Game) -> String {
    game.moves().iter().filter_map(|mv| mv.square()).map(|square| square.to_string()).collect()
}

/// Reads an openings file; blank lines and lines that begin with `#` or `%` do not count.
///
/// # Errors
/// Names the file and the line of the first bad opening.
pub fn read(path: &Path) -> Result<Vec<Game>> {
    let bytes = fs::read(path).map_err(ToolError::io(path, "read"))?;
    let text = String::from_utf8_lossy(&bytes);
    let mut openings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', '%']) {
            continue;
        }
        let place = || format!("line {}", index + 1);
        let game = parse_transcript(line).map_err(|problem| ToolError::format(path, place(), problem))?;
        if game.is_over() {
            return Err(ToolError::format(path, place(), "the game is over, expected an opening"));
        }
        openings.push(game);
    }
    if openings.is_empty() {
        return Err(ToolError::format(path, "line 1", "no openings, expected one transcript a line"));
    }
    Ok(openings)
}

/// `count` openings in a random order that depends only on the seed; all of them are used before one comes again.
pub fn select(openings: &[Game], count: usize, seed: u64) -> Vec<Game> {
    let mut order: Vec<usize> = (0..openings.len()).collect();
    Rng::stream(seed, 0x0be1).shuffle(&mut order);
    order.iter().cycle().take(count).map(|&index| openings[index].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::TestDir;

    #[test]
    fn transcripts_round_trip() {
        let text = "f5d6c3d3c4f4f6f3e6e7";
        assert_eq!(transcript(&parse_transcript(text).unwrap()), text);
        assert_eq!(transcript(&parse_transcript(" F5 d6 \t C3").unwrap()), "f5d6c3");
        assert!(parse_transcript("f5f5").unwrap_err().contains("move 2: f5 is occupied"));
        assert!(parse_transcript("f5x9").unwrap_err().contains("'x9' is no move"));
        assert!(parse_transcript("f5é").is_err());
    }

    #[test]
    fn bad_lines_are_named() {
        let dir = TestDir::new("openings");
        let path = dir.path("list");
        fs::write(&path, "# comment\n\nf5d6\nf5e1\n").unwrap();
        let message = read(&path).unwrap_err().to_string();
        assert!(message.contains("line 4: move 2: White on e1 flips no disc"), "{message}");
        fs::write(&path, "\n").unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("no openings"));
        fs::write(&path, "f5d6\nf5f6\nf5f4\n").unwrap();
        let openings = read(&path).unwrap();
        let selected = select(&openings, 5, 3);
        assert_eq!(selected, select(&openings, 5, 3));
        assert!(openings.iter().all(|opening| selected[..3].contains(opening)));
        assert_eq!(selected[0], selected[3]);
    }
}
