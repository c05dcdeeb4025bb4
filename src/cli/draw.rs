//! Drawing a position as text, and `flipside show`.

use std::fmt::Write;

use flipside::board::{Board, Color, Game, Move, Square, Squares};

use super::{
    args::ShowArgs,
    input::Inputs,
    output::{Finish, Output},
};

/// Draws every position.
pub fn show(arguments: &ShowArgs, output: &mut Output) -> Finish {
    let mut inputs = Inputs::new(&arguments.inputs)?;
    let mut first = true;
    while let Some(entry) = inputs.next_entry() {
        if !first {
            output.line("")?;
        }
        first = false;
        if let Some(line) = passes_before(&entry.game) {
            output.line(line)?;
        }
        output.line(draw(entry.game.board(), entry.game.moves().last().copied()))?;
        output.flush()?;
    }
    Ok(inputs.status())
}

/// Says who passed when the last move of a game was answered by a pass, which the board alone does not show.
fn passes_before(game: &Game) -> Option<String> {
    let passed = game.moves().last() == Some(&Move::Pass);
    passed.then(|| format!("{} passes", game.board().side_to_move().opponent()))
}

/// The board with coordinates, discs (`X` black, `O` white), legal moves (`+`), counts, who is to move or the result,
/// and the board string.
pub fn draw(board: Board, last: Option<Move>) -> String {
    let position = board.position();
    let legal = position.legal_moves();
    let mut rows = String::from("    a b c d e f g h\n");
    for row in 0..8 {
        let _ = write!(rows, "  {} ", row + 1);
        for square in (0..8).filter_map(|column| Square::from_column_row(column, row)) {
            rows.push(match board.at(square) {
                Some(Color::Black) => 'X',
                Some(Color::White) => 'O',
                None if legal & square.bit() != 0 => '+',
                None => '.',
            });
            rows.push(' ');
        }
        let _ = writeln!(rows, "{}{}", row + 1, note(board, row, last));
    }
    rows.push_str("    a b c d e f g h\n");
    rows.push_str(&board.to_string());
    rows
}

/// What is written to the right of a row.
fn note(board: Board, row: u8, last: Option<Move>) -> String {
    let position = board.position();
    let text = match row {
        0 => format!("Black X {}", board.discs(Color::Black).count_ones()),
        1 => format!("White O {}", board.discs(Color::White).count_ones()),
        2 => format!("{} empty", position.empties()),
        3 => to_move(board),
        4 if !position.is_over() && position.legal_moves() != 0 => {
            let moves: Vec<String> = Squares(position.legal_moves()).map(|square| square.to_string()).collect();
            format!("legal: {}", moves.join(" "))
        }
        5 => last.map(|mv| format!("last move: {mv}")).unwrap_or_default(),
        _ => String::new(),
    };
    if text.is_empty() { text } else { format!("   {text}") }
}

fn to_move(board: Board) -> String {
    let position = board.position();
    let side = board.side_to_move();
    if position.is_over() {
        return format!("game over: {}", result(board));
    }
    if position.must_pass() {
        return format!("{side} to move: {side} passes");
    }
    format!("{side} to move")
}

/// The result of a finished game, empty squares to the winner: `Black wins by 6 (35-29)`, `draw (32-32)`.
pub fn result(board: Board) -> String {
    let score = board.final_score_for_black();
    let (black, white) = (32 + score / 2, 32 - score / 2);
    match score {
        0 => format!("draw ({black}-{white})"),
        1.. => format!("Black wins by {score} ({black}-{white})"),
        _ => format!("White wins by {} ({white}-{black})", -score),
    }
}
