//! Boards, results and games as GTP clients want to see them.

use crate::{
    board::{Board, Color, Game, Move, Position, Square},
    notation,
};

/// The final score: `B+6`, `W+24`, `0`; empty squares count for the winner.
pub(super) fn final_score(game: &Game) -> Result<String, String> {
    if !game.is_over() {
        return Err("cannot score: the game is not over".to_owned());
    }
    Ok(match game.board().final_score_for_black() {
        0 => "0".to_owned(),
        score if score > 0 => format!("B+{score}"),
        score => format!("W+{}", -score),
    })
}

/// The final result in words.
pub(super) fn final_result(game: &Game) -> Result<String, String> {
    if !game.is_over() {
        return Err("the game is not over".to_owned());
    }
    let board = game.board();
    let [black, white] = [Color::Black, Color::White].map(|color| board.discs(color).count_ones());
    Ok(match board.final_score_for_black() {
        0 => format!("Draw, {black} to {white} discs"),
        score if score > 0 => format!("Black wins by {score}, {black} to {white} discs"),
        score => format!("White wins by {}, {white} to {black} discs", -score),
    })
}

/// The board as people read it: row 1 on top.
pub(super) fn drawing(game: &Game) -> String {
    let board = game.board();
    let letters = "  A B C D E F G H";
    let rows: Vec<String> = (0..8).map(|row| format!("{0} {1} {0}", row + 1, row_text(board, row))).collect();
    let rows = rows.join("\n");
    let [black, white] = [Color::Black, Color::White].map(|color| board.discs(color).count_ones());
    let turn = if game.is_over() { "the game is over".to_owned() } else { format!("{} to move", board.side_to_move()) };
    format!("\n{letters}\n{rows}\n{letters}\nBlack (X) {black}, White (O) {white}, {turn}")
}

/// The board for `GoGui`, which numbers rows from the bottom and wants the top row, its row 8, first. So its board
/// shows ours upside down, and every square has its right name.
pub(super) fn gogui_board(board: Board) -> String {
    let rows: Vec<String> = (0..8).rev().map(|row| row_text(board, row)).collect();
    format!("\n{}", rows.join("\n"))
}

fn row_text(board: Board, row: u8) -> String {
    let cell = |column| match Square::from_column_row(column, row).and_then(|square| board.at(square)) {
        Some(Color::Black) => "X",
        Some(Color::White) => "O",
        None => ".",
    };
    (0..8).map(cell).collect::<Vec<_>>().join(" ")
}

/// A board with these stones, Black to move.
pub(super) fn set_up(stones: &[(Color, Move)]) -> Result<Board, String> {
    let (mut black, mut white) = (0, 0);
    for &(color, mv) in stones {
        let bit = mv.square().ok_or("a set-up has squares only")?.bit();
        if (black | white) & bit != 0 {
            return Err("a square is set twice".to_owned());
        }
        *(if color == Color::Black { &mut black } else { &mut white }) |= bit;
    }
    let position = Position::new(black, white).ok_or("a square is set twice")?;
    Ok(Board::new(position, Color::Black))
}

/// A game in any of the formats that files come in.
pub(super) fn parse_game(bytes: &[u8]) -> Result<Game, String> {
    let has = |needle: &[u8]| bytes.windows(needle.len()).any(|window| window.eq_ignore_ascii_case(needle));
    if has(b"GM[Othello]") || has(b"BO[") {
        return notation::ggf::parse_game(bytes.trim_ascii()).map(|file| file.game).map_err(|error| error.to_string());
    }
    if bytes.trim_ascii_start().starts_with(b"(") {
        return notation::sgf::parse(bytes).map_err(|error| error.to_string());
    }
    notation::parse_transcript(Board::START, bytes.trim_ascii()).map_err(|error| error.to_string())
}
