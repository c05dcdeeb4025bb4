//! Reading and writing the small texts that both protocols share. Output is plain ASCII.

use crate::{
    board::Move,
    search::{Bound, Line, Proof},
};

/// A line without control characters; tabs become blanks.
pub(super) fn clean(line: &[u8]) -> Vec<u8> {
    line.iter()
        .filter(|&&byte| byte == b'\t' || !byte.is_ascii_control())
        .map(|&b| if b == b'\t' { b' ' } else { b })
        .collect()
}

/// The part of a line before a comment.
pub(super) fn without_comment(line: &[u8]) -> Vec<u8> {
    line.split(|&byte| byte == b'#').next().unwrap_or_default().to_vec()
}

/// The words of a cleaned line.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&byte| byte == b' ').filter(|word| !word.is_empty())
}

/// The first word of a cleaned line and the rest, without blanks around.
pub(super) fn first_word(line: &[u8]) -> (&[u8], &[u8]) {
    let line = line.trim_ascii();
    let end = line.iter().position(|&byte| byte == b' ').unwrap_or(line.len());
    let (word, rest) = line.split_at_checked(end).unwrap_or((line, &[]));
    (word, rest.trim_ascii())
}

/// A word as a number of some kind.
pub(super) fn number<T: std::str::FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// A short, single-line, printable ASCII version of a message that may quote what a client sent.
pub(super) fn printable(message: &str) -> String {
    message.chars().take(300).map(|c| if c == ' ' || c.is_ascii_graphic() { c } else { '?' }).collect()
}

/// A score in centi-discs as discs: `1.25`, `-0.50`, `0.00`.
pub(super) fn discs(centi: i32) -> String {
    let sign = if centi < 0 { "-" } else { "" };
    let size = centi.unsigned_abs();
    format!("{sign}{}.{:02}", size / 100, size % 100)
}

/// The same with an explicit plus.
pub(super) fn signed_discs(centi: i32) -> String {
    if centi > 0 { format!("+{}", discs(centi)) } else { discs(centi) }
}

/// A move in two upper-case letters, a pass as `PA`.
pub(super) fn two_letters(mv: Move) -> String {
    mv.square().map_or_else(|| "PA".to_owned(), |square| square.to_string().to_ascii_uppercase())
}

/// A variation without blanks: the first player's moves in upper case, the other's in lower case.
pub(super) fn variation(line: &Line) -> String {
    let moves = if line.pv.is_empty() { std::slice::from_ref(&line.mv) } else { &line.pv };
    let text = |(ply, &mv): (usize, &Move)| {
        let upper = two_letters(mv);
        if ply % 2 == 0 { upper } else { upper.to_ascii_lowercase() }
    };
    moves.iter().enumerate().map(text).collect()
}

/// The depth of a line with no claim that is not proven: a bound is not an exact score.
pub(super) fn depth(line: &Line) -> String {
    match (line.proof, line.bound) {
        (Proof::None | Proof::WinLossDraw, _) | (Proof::Score, Bound::Exact) => line.depth_text(),
        (Proof::Score, Bound::Lower) if line.score > 0 => "100%W".to_owned(),
        (Proof::Score, Bound::Upper) if line.score < 0 => "100%W".to_owned(),
        (Proof::Score, _) => line.depth.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{board::Square, search::Selectivity};

    #[test]
    fn fault_30_no_signed_zero() {
        assert_eq!([0, 5, -5, -1230, 6400].map(discs), ["0.00", "0.05", "-0.05", "-12.30", "64.00"]);
        assert_eq!([0, 1, -1].map(signed_discs), ["0.00", "+0.01", "-0.01"]);
    }

    #[test]
    fn lines_are_cleaned() {
        assert_eq!(clean(b"play\tb\x07 d3\r"), b"play b d3");
        assert_eq!(clean(b"\0\xff\x7f"), b"\xff");
        assert_eq!(first_word(b"  set  game  x y "), (&b"set"[..], &b"game  x y"[..]));
        assert_eq!(first_word(b"   "), (&b""[..], &b""[..]));
        assert_eq!(printable("Ｘ\n\u{7}a b"), "???a b");
    }

    #[test]
    fn variations_alternate_in_case() {
        let square = |index| Move::from(Square::new(index).unwrap());
        let line = Line {
            mv: square(0),
            score: 0,
            bound: Bound::Exact,
            depth: 3,
            selectivity: Selectivity::None,
            to_end: false,
            proof: Proof::None,
            pv: vec![square(0), Move::Pass, square(63), Move::Pass],
            book_games: None,
        };
        assert_eq!(variation(&line), "A1paH8pa");
        assert_eq!(variation(&Line { pv: vec![], ..line }), "A1");
    }
}
