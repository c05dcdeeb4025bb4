//! What all parsers share: the error with its place, and a cursor over bytes that never leaves them.

use std::fmt::Write as _;

use thiserror::Error;

/// Why a text was refused, and where.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{}column {column}: {message}", line_prefix(*.line))]
pub struct ParseError {
    /// The line counted from 1; `None` when the text is a single line.
    pub line: Option<usize>,
    /// The byte within the line (for binary files: within the file), counted from 1. One past the end when something
    /// is missing there.
    pub column: usize,
    /// What is wrong there and what was expected; one line of printable ASCII.
    pub message: String,
}

fn line_prefix(line: Option<usize>) -> String {
    line.map_or_else(String::new, |line| format!("line {line}, "))
}

impl ParseError {
    /// The same error in a text that begins on line `n` (counted from 1) of a file.
    #[must_use]
    pub fn at_line(self, n: usize) -> Self {
        let below_first = self.line.map_or(0, |line| line.saturating_sub(1));
        Self { line: Some(n.saturating_add(below_first)), ..self }
    }

    /// An error at a byte offset of `bytes`. The line is given when the text, blanks at its ends aside, has several.
    pub(super) fn at_offset(bytes: &[u8], offset: usize, message: impl Into<String>) -> Self {
        let before = bytes.get(..offset).unwrap_or(bytes);
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        let several = bytes.trim_ascii().contains(&b'\n');
        let line = before.split(|&byte| byte == b'\n').count();
        Self {
            line: (several || line > 1).then_some(line),
            column: offset.saturating_sub(line_start) + 1,
            message: message.into(),
        }
    }
}

/// `bytes` between backticks: printable ASCII as it is, other characters escaped (`\u{ff38}`, or `\xff` where it is
/// not UTF-8), the tail of long texts left out.
pub(super) fn quote(bytes: &[u8]) -> String {
    const LONGEST: usize = 24;
    let mut text = String::from("`");
    let mut count = 0;
    'chunks: for chunk in bytes.utf8_chunks() {
        let invalid = chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}"));
        for piece in chunk.valid().chars().map(escape).chain(invalid) {
            if count == LONGEST {
                text.push_str("...");
                break 'chunks;
            }
            text.push_str(&piece);
            count += 1;
        }
    }
    text.push('`');
    text
}

fn escape(character: char) -> String {
    if character.is_ascii_graphic() || character == ' ' {
        character.to_string()
    } else {
        character.escape_default().to_string()
    }
}

/// Text of a file as a string: UTF-8, or Latin-1 when it is not that (old files).
pub(super) fn decode(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(|_| latin1(bytes), str::to_owned)
}

/// Latin-1 bytes as a string.
pub(super) fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

/// A place in a text. Blanks are what ASCII calls white space, line ends included.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    // The whole text, so that places in errors are right for cursors over a part.
    text: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Cursor<'a> {
    /// At the beginning of `text`, behind a byte order mark.
    pub(super) fn new(text: &'a [u8]) -> Self {
        let at = if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        Self { text, at, end: text.len() }
    }

    /// A cursor over the part from offset `start` to `end` of the same text.
    pub(super) fn part(&self, start: usize, end: usize) -> Self {
        let end = end.min(self.end);
        Self { text: self.text, at: start.min(end), end }
    }

    /// Byte offset in the whole text.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// Byte offset of the end.
    pub(super) fn end(&self) -> usize {
        self.end
    }

    /// What is left.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..self.end).unwrap_or_default()
    }

    /// The bytes from offset `start` to here.
    pub(super) fn since(&self, start: usize) -> &'a [u8] {
        self.text.get(start..self.at).unwrap_or_default()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.end
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    /// Steps over `count` bytes, at most to the end.
    pub(super) fn advance(&mut self, count: usize) {
        self.at = self.at.saturating_add(count).min(self.end);
    }

    /// Steps over `byte` if it is next.
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.advance(usize::from(found));
        found
    }

    /// Steps over the bytes that satisfy `wanted` and gives them.
    pub(super) fn take_while(&mut self, wanted: impl Fn(u8) -> bool) -> &'a [u8] {
        let start = self.at;
        let length = self.rest().iter().take_while(|&&byte| wanted(byte)).count();
        self.advance(length);
        self.since(start)
    }

    /// Steps over blanks; true when there were some.
    pub(super) fn skip_blanks(&mut self) -> bool {
        !self.take_while(|byte| byte.is_ascii_whitespace()).is_empty()
    }

    /// The next character as its bytes: a whole UTF-8 character, else one byte; empty at the end.
    pub(super) fn character(&self) -> &'a [u8] {
        let rest = self.rest();
        let Some(chunk) = rest.utf8_chunks().next() else { return rest };
        let length = chunk.valid().chars().next().map_or(1, char::len_utf8);
        rest.get(..length).unwrap_or(rest)
    }

    /// What stands here, for messages: a run of graphic bytes, at least one character.
    pub(super) fn word(&self) -> &'a [u8] {
        let rest = self.rest();
        let length = rest.iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
        rest.get(..length.max(self.character().len())).unwrap_or(rest)
    }

    /// An error here.
    pub(super) fn error(&self, message: impl Into<String>) -> ParseError {
        self.error_at(self.at, message)
    }

    /// An error at an offset of the whole text.
    pub(super) fn error_at(&self, offset: usize, message: impl Into<String>) -> ParseError {
        ParseError::at_offset(self.text, offset, message)
    }

    /// An error naming what stands here and what should; at the end of a part, that nothing does.
    pub(super) fn expected(&self, expected: &str) -> ParseError {
        let mut message = format!("expected {expected}");
        if self.is_at_end() {
            message.push_str(if self.end == self.text.len() { ", but the text ends here" } else { ", found nothing" });
        } else {
            // Writing to a string cannot fail.
            let _ = write!(message, ", found {}", quote(self.word()));
        }
        self.error(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_their_place() {
        let error = ParseError::at_offset(b"abc", 2, "x");
        assert_eq!(error.to_string(), "column 3: x");
        assert_eq!(error.at_line(7).to_string(), "line 7, column 3: x");
        let error = ParseError::at_offset(b"ab\ncd\n", 4, "x");
        assert_eq!(error.to_string(), "line 2, column 2: x");
        assert_eq!(error.at_line(10).line, Some(11));
        assert_eq!(ParseError::at_offset(b"ab\n", 1, "x").line, None);
        assert_eq!(ParseError::at_offset(b"", 9, "x").column, 10);
    }

    #[test]
    fn quotes_are_printable_ascii() {
        assert_eq!(quote(b"f9"), "`f9`");
        assert_eq!(quote("Ｘ".as_bytes()), "`\\u{ff38}`");
        assert_eq!(quote(b"a\xffb\t"), "`a\\xffb\\t`");
        assert_eq!(quote(&[b'a'; 30]), format!("`{}...`", "a".repeat(24)));
    }
}
