//! How moves, bounds and lines look in JSON output.

use flipside::{
    board::Move,
    search::{Bound, Line, Proof},
};
use serde_json::{Value, json};

/// `exact`, `lower` or `upper`.
pub fn bound_name(bound: Bound) -> &'static str {
    match bound {
        Bound::Exact => "exact",
        Bound::Lower => "lower",
        Bound::Upper => "upper",
    }
}

/// `score`, `wld` or `none`.
pub fn proof_name(proof: Proof) -> &'static str {
    match proof {
        Proof::Score => "score",
        Proof::WinLossDraw => "wld",
        Proof::None => "none",
    }
}

/// Moves as their names.
pub fn move_names(moves: &[Move]) -> Vec<String> {
    moves.iter().map(Move::to_string).collect()
}

/// A score in discs: a whole number when the search went to the end, else with decimals.
pub fn score_json(centidiscs: i32, whole: bool) -> Value {
    if whole && centidiscs % 100 == 0 { (centidiscs / 100).into() } else { (f64::from(centidiscs) / 100.0).into() }
}

/// One line of a search.
pub fn line_json(line: &Line) -> Value {
    json!({
        "move": line.mv.to_string(),
        "score": score_json(line.score, line.to_end),
        "bound": bound_name(line.bound),
        "exact": line.proof == Proof::Score && line.bound == Bound::Exact,
        "proof": proof_name(line.proof),
        "depth": line.depth_text(),
        "pv": move_names(&line.pv),
        "book_games": line.book_games,
    })
}
