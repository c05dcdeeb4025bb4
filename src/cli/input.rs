//! Where positions come from: arguments, files and standard input, read line by line so that a driver can ask one
//! position at a time. A bad line is reported with its place and skipped.

use std::{
    collections::VecDeque,
    ffi::{OsStr, OsString},
    fs::{self, File},
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

use flipside::{
    board::{Board, Color, Game, Move},
    notation::{self, ParseError, ggf, obf, wthor},
};

use super::output::{Failure, Status, complain};

/// Longest line accepted, in bytes: far above any game record, far below trouble.
const MAX_LINE: u64 = 1 << 20;

/// One position, or game, to work on.
#[derive(Debug)]
pub struct Entry {
    /// The game; a bare board is a game without moves.
    pub game: Game,
    /// The input as it was written (or where it was found, in a binary file).
    pub text: String,
    /// The file it came from; `None` for arguments, `-` for standard input.
    pub file: Option<String>,
    /// Its line in that file (for a WTHOR file, the number of the game), from 1.
    pub line: Option<usize>,
    /// The score the input states for the position.
    pub expected: Option<i32>,
    /// The scores the input states for moves.
    pub scores: Vec<(Move, i32)>,
}

impl Entry {
    fn new(game: Game, text: String) -> Self {
        Self { game, text, file: None, line: None, expected: None, scores: Vec::new() }
    }

    /// The position to look at: the last of the game.
    pub fn board(&self) -> Board {
        self.game.board()
    }
}

/// What one argument turned out to be.
enum Source {
    Position(Box<Entry>),
    /// A file of lines that is not open yet, so that their number is not limited by that of open files.
    File {
        name: String,
        path: OsString,
    },
    Lines {
        name: String,
        reader: Box<dyn BufRead>,
        number: usize,
    },
    Wthor {
        name: String,
        path: OsString,
    },
}

/// The positions of all arguments, in order.
pub struct Inputs {
    sources: VecDeque<Source>,
    ready: VecDeque<Entry>,
    bad: usize,
    to_theory: bool,
}

impl Inputs {
    /// Sorts out the arguments and opens the files.
    ///
    /// # Errors
    /// When an argument is neither a readable file nor a position.
    pub fn new(arguments: &[OsString]) -> Result<Self, Failure> {
        let mut sources = VecDeque::new();
        let given = arguments.len();
        let mut arguments = arguments.iter().peekable();
        while let Some(argument) = arguments.next() {
            let source = if argument == "-" {
                lines_of("-".to_owned(), io::stdin())
            } else if let Some(source) = open(argument)? {
                source
            } else {
                let mut text = argument.as_encoded_bytes().to_vec();
                // The side may have been split off by the shell.
                if let Some(side) = arguments.next_if(|next| is_board(&text) && is_side(next)) {
                    text.push(b' ');
                    text.extend_from_slice(side.as_encoded_bytes());
                }
                Source::Position(Box::new(position_argument(&text).map_err(|error| advise_quotes(error, given))?))
            };
            sources.push_back(source);
        }
        Ok(Self { sources, ready: VecDeque::new(), bad: 0, to_theory: false })
    }

    /// Cuts the games of WTHOR files off where their theoretical scores hold, and expects those.
    #[must_use]
    pub fn until_theory(self) -> Self {
        Self { to_theory: true, ..self }
    }

    /// The next position; `None` at the end. Bad lines are reported on standard error on the way.
    pub fn next_entry(&mut self) -> Option<Entry> {
        loop {
            if let Some(entry) = self.ready.pop_front() {
                return Some(entry);
            }
            match self.sources.pop_front()? {
                Source::Position(entry) => return Some(*entry),
                Source::Wthor { name, path } => self.read_wthor(&name, &path),
                Source::File { name, path } => match File::open(path) {
                    Ok(file) => self.sources.push_front(lines_of(name, file)),
                    Err(error) => self.report_bad(&format!("{name}: {error}")),
                },
                Source::Lines { name, mut reader, number } => {
                    let number = number + 1;
                    let line = match read_line(&mut reader) {
                        Ok(Some(line)) => line,
                        Ok(None) => continue,
                        Err(error) => {
                            self.report_bad(&format!("{name}:{number}: {error}"));
                            continue;
                        }
                    };
                    let whole = number == 1 && begins_long_game(&line);
                    let text = if whole { read_rest(line, &mut reader) } else { Ok(line) };
                    match text.map(|text| parse_line(&text, number == 1)) {
                        Ok(Ok(entries)) => self.ready.extend(entries.into_iter().map(|entry| Entry {
                            file: Some(name.clone()),
                            line: Some(number),
                            ..entry
                        })),
                        Ok(Err(error)) => {
                            let error = error.at_line(number);
                            let line = error.line.unwrap_or(number);
                            self.report_bad(&format!("{name}:{line}:{}: {}", error.column, error.message));
                        }
                        Err(error) => self.report_bad(&format!("{name}: {error}")),
                    }
                    self.sources.push_front(Source::Lines { name, reader, number });
                }
            }
        }
    }

    /// Number of lines that could not be read so far.
    pub fn bad(&self) -> usize {
        self.bad
    }

    /// How the reading went.
    pub fn status(&self) -> Status {
        if self.bad == 0 { Status::Success } else { Status::Failed }
    }

    fn report_bad(&mut self, message: &str) {
        self.bad += 1;
        complain(message);
    }

    fn read_wthor(&mut self, name: &str, path: &OsStr) {
        let read = fs::read(path).map_err(|error| error.to_string());
        match read.and_then(|bytes| wthor_entries(&bytes, name, self.to_theory)) {
            Ok(entries) => self.ready.extend(entries),
            Err(message) => self.report_bad(&format!("{name}: {message}")),
        }
    }
}

/// The source for an existing file, `None` when there is none by that name.
fn open(argument: &OsStr) -> Result<Option<Source>, Failure> {
    let path = Path::new(argument);
    let name = path.display().to_string();
    // No such file, or no possible file name (a long game): perhaps a position.
    let Ok(metadata) = fs::metadata(path) else { return Ok(None) };
    if metadata.is_dir() {
        return Err(Failure::Usage(format!("{name}: is a directory")));
    }
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wtb")) {
        return Ok(Some(Source::Wthor { name, path: argument.to_owned() }));
    }
    match File::open(path) {
        // It can be read; a pipe cannot be opened twice.
        Ok(_) if metadata.is_file() => Ok(Some(Source::File { name, path: argument.to_owned() })),
        Ok(file) => Ok(Some(lines_of(name, file))),
        Err(error) => Err(Failure::Usage(format!("{name}: {error}"))),
    }
}

fn lines_of(name: String, input: impl Read + 'static) -> Source {
    Source::Lines { name, reader: Box::new(BufReader::new(input)), number: 0 }
}

fn is_board(text: &[u8]) -> bool {
    text.trim_ascii().len() == 64 && kind(text.trim_ascii()) == Kind::Board
}

fn is_side(text: &OsStr) -> bool {
    matches!(text.as_encoded_bytes().trim_ascii(), [b'X' | b'x' | b'*' | b'B' | b'b' | b'O' | b'o' | b'W' | b'w'])
}

/// A position given as an argument (or several, joined).
fn position_argument(text: &[u8]) -> Result<Entry, Failure> {
    let shown = String::from_utf8_lossy(text).trim().to_owned();
    match parse_line(text, false) {
        Ok(entries) => {
            entries.into_iter().next().ok_or_else(|| Failure::Usage(format!("'{shown}': no position given")))
        }
        // What is too short for a board was probably meant as a file name.
        Err(error) if kind(text.trim_ascii()) == Kind::Board && text.trim_ascii().len() < 40 => {
            Err(Failure::Usage(format!("'{shown}' is neither a file here nor a position: {}", error.message)))
        }
        Err(error) => Err(Failure::Usage(format!("'{shown}': column {}: {}", error.column, error.message))),
    }
}

/// Says how the shell may have cut a position to pieces, when one of several arguments makes no sense.
fn advise_quotes(failure: Failure, arguments: usize) -> Failure {
    match failure {
        Failure::Usage(message) if arguments > 1 => {
            Failure::Usage(format!("{message}; each argument is a position of its own: quote one that has blanks"))
        }
        other => other,
    }
}

/// One position given as the words of the command line; none of them is a start position.
pub fn position_words(words: &[OsString]) -> Result<Game, Failure> {
    if words.is_empty() {
        return Ok(Game::default());
    }
    let joined: Vec<&[u8]> = words.iter().map(|word| word.as_encoded_bytes()).collect();
    position_argument(&joined.join(&b' ')).map(|entry| entry.game)
}

/// A line with its end cut off, `None` at the end of the input.
fn read_line(reader: &mut dyn BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let length = reader.take(MAX_LINE).read_until(b'\n', &mut line)?;
    if length as u64 == MAX_LINE && line.last() != Some(&b'\n') {
        // Whatever follows cannot be told apart any more: the rest of the input is given up.
        io::copy(reader, &mut io::sink())?;
        return Err(io::Error::other("line too long; the rest of the file is not read"));
    }
    while line.pop_if(|byte| matches!(byte, b'\n' | b'\r')).is_some() {}
    Ok((length != 0).then_some(line))
}

/// True for the first line of a game that goes on in the next ones, as SGF files and wrapped GGF do.
fn begins_long_game(line: &[u8]) -> bool {
    let line = without_mark(line).trim_ascii();
    line.starts_with(b"(") && !line.ends_with(b")")
}

/// A line and all that follows it, up to [`MAX_LINE`] bytes.
fn read_rest(mut text: Vec<u8>, reader: &mut dyn BufRead) -> io::Result<Vec<u8>> {
    text.push(b'\n');
    reader.take(MAX_LINE).read_to_end(&mut text)?;
    Ok(text)
}

/// The text without the mark that some editors put at the beginning of a file.
fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text)
}

/// How a line is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Empty,
    Board,
    Moves,
    Ggf,
    Sgf,
}

/// Tells the notations apart: GGF has its parenthesis, moves have a letter and digit, all else should be a board.
fn kind(line: &[u8]) -> Kind {
    let head = line.split(|&byte| byte == b';').next().unwrap_or_default();
    let is_square = |pair: &[u8]| matches!(pair, [b'a'..=b'h' | b'A'..=b'H', b'1'..=b'8']);
    match line.first() {
        None | Some(b'%' | b'#') => Kind::Empty,
        Some(b'(') if is_sgf(line) => Kind::Sgf,
        Some(b'(') => Kind::Ggf,
        _ if line.windows(2).any(|pair| pair == b"(;") => Kind::Ggf,
        Some(b'p' | b'P' | b'0'..=b'9') => Kind::Moves,
        _ if head.windows(2).take(64).any(is_square) => Kind::Moves,
        _ => Kind::Board,
    }
}

/// SGF and GGF look alike; only SGF numbers its games, and Othello is 2.
fn is_sgf(text: &[u8]) -> bool {
    let compact: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    compact.windows(5).any(|window| window.eq_ignore_ascii_case(b"GM[2]"))
}

/// The positions of a line: none for a blank or a comment, several for several GGF games.
fn parse_line(line: &[u8], first: bool) -> Result<Vec<Entry>, ParseError> {
    let line = if first { without_mark(line) } else { line };
    let trimmed = line.trim_ascii();
    let text = || String::from_utf8_lossy(trimmed).into_owned();
    // Errors count columns in the line as it is.
    match kind(trimmed) {
        Kind::Empty => Ok(Vec::new()),
        Kind::Board => {
            let Some(record) = obf::parse_line(line)? else { return Ok(Vec::new()) };
            let mut entry = Entry::new(Game::new(record.board), text());
            entry.expected = record.expected();
            entry.scores = record.scores;
            Ok(vec![entry])
        }
        Kind::Ggf => {
            let games = ggf::parse_games(line)?;
            Ok(games.into_iter().map(|file| Entry::new(file.game, text())).collect())
        }
        Kind::Moves | Kind::Sgf => Ok(vec![Entry::new(notation::parse_position(line)?, text())]),
    }
}

/// The games of a WTHOR file, whole or up to the position from which the theoretical score holds.
fn wthor_entries(bytes: &[u8], name: &str, to_theory: bool) -> Result<Vec<Entry>, String> {
    let database = wthor::parse(bytes).map_err(|error| error.message)?;
    let depth = match database.header.depth {
        0 => WTHOR_DEPTH,
        depth => u32::from(depth),
    };
    let entries = database.records.into_iter().zip(1..).map(|(record, number)| {
        let mut entry = Entry::new(record.game, format!("game {number}"));
        if to_theory && let Some(plies) = plies_to(&entry.game, depth) {
            entry.game = first_moves(&entry.game, plies);
            let for_black = 2 * i32::from(record.theoretical_score) - 64;
            let black = entry.board().side_to_move() == Color::Black;
            entry.expected = Some(if black { for_black } else { -for_black });
        }
        Entry { file: Some(name.to_owned()), line: Some(number), ..entry }
    });
    Ok(entries.collect())
}

/// Empties from which WTHOR files that do not say so state the theoretical score.
const WTHOR_DEPTH: u32 = 22;

/// Number of moves after which a game has that many empties.
fn plies_to(game: &Game, empties: u32) -> Option<usize> {
    game.boards().iter().position(|board| board.position().empties() == empties)
}

fn first_moves(game: &Game, plies: usize) -> Game {
    let mut part = Game::new(game.start());
    for &mv in game.moves().iter().take(plies) {
        // The moves of a game are legal in order, so none is refused.
        let _ = part.play(mv);
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notations_are_told_apart() {
        let board = [b'-'; 64];
        assert_eq!(kind(&board), Kind::Board);
        assert_eq!(kind(b"XO; a1:+2"), Kind::Board);
        for (text, expected) in [
            ("", Kind::Empty),
            ("% note", Kind::Empty),
            ("f5d6", Kind::Moves),
            ("F5 D6", Kind::Moves),
            ("1. f5 d6", Kind::Moves),
            ("(;GM[Othello];)", Kind::Ggf),
            ("(;FF[4]GM[2];)", Kind::Sgf),
            ("(nothing)", Kind::Ggf),
            ("2 (;GM[Othello];)(;GM[Othello];)", Kind::Ggf),
            ("nonsense", Kind::Board),
        ] {
            assert_eq!(kind(text.as_bytes()), expected, "{text}");
        }
    }
}
