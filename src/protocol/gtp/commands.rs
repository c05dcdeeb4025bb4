//! The commands of GTP and what each does.

use std::{
    fs::{self, File},
    io::{Read, Write},
    path::{Path, PathBuf},
};

use super::{Answer, Session, rules, seconds, vertex};
use crate::{
    board::{Board, Color, Game, Move},
    engine::{
        Goal,
        clock::{Clock, TimeControl},
    },
    notation,
    protocol::{NAME, Thinker, text},
};

/// Files larger than this are not loaded.
const MAX_FILE: u64 = 16 << 20;

macro_rules! commands {
    ($($variant:ident $name:literal)*) => {
        /// A command.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Command { $($variant),* }

        impl Command {
            /// All names, as `list_commands` shows them.
            pub(super) const NAMES: &[&str] = &[$($name),*];

            pub(super) fn named(name: &[u8]) -> Option<Self> {
                $(if name == $name.as_bytes() { return Some(Self::$variant); })*
                None
            }
        }
    };
}

commands! {
    Protocol "protocol_version"
    Name "name"
    Version "version"
    Known "known_command"
    ListCommands "list_commands"
    ListGames "list_games"
    SetGame "set_game"
    Quit "quit"
    Boardsize "boardsize"
    ClearBoard "clear_board"
    Komi "komi"
    Play "play"
    Genmove "genmove"
    RegGenmove "reg_genmove"
    Undo "undo"
    TimeSettings "time_settings"
    TimeLeft "time_left"
    FinalScore "final_score"
    Showboard "showboard"
    Loadsgf "loadsgf"
    SetPosition "set_position"
    Setboard "setboard"
    SetLevel "set_level"
    Hint "hint"
    GoguiGameId "gogui-rules_game_id"
    GoguiBoard "gogui-rules_board"
    GoguiBoardSize "gogui-rules_board_size"
    GoguiLegalMoves "gogui-rules_legal_moves"
    GoguiSideToMove "gogui-rules_side_to_move"
    GoguiFinalResult "gogui-rules_final_result"
    GoguiSetup "gogui-setup"
    GoguiSetupPlayer "gogui-setup_player"
    GoguiPlaySequence "gogui-play_sequence"
    GoguiInterrupt "gogui-interrupt"
}

impl<S: Thinker, W: Write> Session<S, W> {
    pub(super) fn answer(&mut self, command: Command, arguments: &[&[u8]], rest: &[u8]) -> Answer {
        match command {
            Command::Protocol => Ok("2".to_owned()),
            Command::Name => Ok(NAME.to_owned()),
            Command::Version => Ok(env!("CARGO_PKG_VERSION").to_owned()),
            Command::Known => {
                let &[name, ..] = arguments else { return Err("expected a command name".to_owned()) };
                Ok(Command::named(name).is_some().to_string())
            }
            Command::ListCommands => Ok(Command::NAMES.join("\n")),
            Command::ListGames | Command::GoguiGameId => Ok("Othello".to_owned()),
            Command::SetGame => match *arguments {
                [game] if game.eq_ignore_ascii_case(b"othello") || game.eq_ignore_ascii_case(b"reversi") => done(),
                [] => Err("expected the name of a game".to_owned()),
                _ => Err("unsupported game: this engine plays Othello".to_owned()),
            },
            Command::Quit | Command::GoguiInterrupt => done(),
            Command::Boardsize => match *arguments {
                [size] if text::number(size) == Some(8) => done(),
                [size] if text::number::<i64>(size).is_some() => Err("unacceptable size: only 8 is played".to_owned()),
                _ => Err("expected a board size".to_owned()),
            },
            Command::ClearBoard => {
                self.set_up(Board::START);
                done()
            }
            // There is none in Othello; clients of Go set one all the same.
            Command::Komi => match *arguments {
                [komi] if text::number::<f64>(komi).is_some() => done(),
                _ => Err("expected a number".to_owned()),
            },
            Command::Play => {
                let &[color, mv] = arguments else { return Err("expected a colour and a move".to_owned()) };
                self.play(parse_color(color)?, parse_move(mv)?)?;
                done()
            }
            Command::Genmove => self.genmove(one_color(arguments)?),
            Command::RegGenmove => {
                let color = one_color(arguments)?;
                if self.game.is_over() {
                    return Ok("PASS".to_owned());
                }
                let board = self.board_for(color)?;
                Ok(vertex(self.choose(board, None)))
            }
            Command::Undo => {
                self.undo()?;
                done()
            }
            Command::TimeSettings => self.time_settings(arguments),
            Command::TimeLeft => self.time_left(arguments),
            Command::FinalScore => rules::final_score(&self.game),
            Command::Showboard => Ok(rules::drawing(&self.game)),
            Command::Loadsgf => self.load(rest),
            Command::SetPosition | Command::Setboard => {
                let board = notation::parse_board(rest).map_err(|error| error.to_string())?;
                self.set_up(board);
                done()
            }
            Command::SetLevel => match *arguments {
                [level] => {
                    let level = text::number(level).filter(|level| *level <= Goal::MAX_LEVEL);
                    self.level = level.ok_or_else(|| format!("expected a level from 0 to {}", Goal::MAX_LEVEL))?;
                    done()
                }
                _ => Err(format!("expected a level from 0 to {}", Goal::MAX_LEVEL)),
            },
            Command::Hint => self.hint(arguments),
            Command::GoguiBoard => Ok(rules::gogui_board(self.game.board())),
            Command::GoguiBoardSize => Ok("8".to_owned()),
            Command::GoguiLegalMoves => {
                let moves: Vec<String> = self.game.board().position().moves().into_iter().map(vertex).collect();
                Ok(moves.join(" "))
            }
            Command::GoguiSideToMove => {
                Ok(if self.game.board().side_to_move() == Color::Black { "black" } else { "white" }.to_owned())
            }
            Command::GoguiFinalResult => rules::final_result(&self.game),
            Command::GoguiSetup => {
                let stones: Vec<(Color, Move)> = pairs(arguments)?;
                self.set_up(rules::set_up(&stones)?);
                done()
            }
            Command::GoguiSetupPlayer => {
                let color = one_color(arguments)?;
                let board = self.game.board();
                self.set_up(if board.side_to_move() == color { board } else { board.with_other_side() });
                done()
            }
            Command::GoguiPlaySequence => self.play_sequence(&pairs(arguments)?),
        }
    }

    fn play_sequence(&mut self, moves: &[(Color, Move)]) -> Answer {
        let (game, implied) = (self.game.clone(), self.implied_passes.clone());
        for &(color, mv) in moves {
            if let Err(reason) = self.play(color, mv) {
                (self.game, self.implied_passes) = (game, implied);
                return Err(format!("{}: {reason}", vertex(mv)));
            }
        }
        done()
    }

    fn time_settings(&mut self, arguments: &[&[u8]]) -> Answer {
        let &[main, period, moves] = arguments else {
            return Err("expected main time, byo-yomi time and byo-yomi stones".to_owned());
        };
        let control = TimeControl::from_gtp(seconds(main)?, seconds(period)?, stones(moves)?);
        self.control = control;
        self.clocks = [control.map(Clock::new); 2];
        done()
    }

    fn time_left(&mut self, arguments: &[&[u8]]) -> Answer {
        let (color, left, moves) = match *arguments {
            [color, left] => (parse_color(color)?, seconds(left)?, 0),
            [color, left, moves] => (parse_color(color)?, seconds(left)?, stones(moves)?),
            _ => return Err("expected a colour, a time and a number of stones".to_owned()),
        };
        let control = self.control.unwrap_or_default();
        let [black, white] = &mut self.clocks;
        let clock = if color == Color::Black { black } else { white };
        clock.get_or_insert_with(|| Clock::new(control)).set_left(left, moves);
        done()
    }

    /// One line for each of the best moves: move, score in discs for the side to move, depth, variation.
    fn hint(&mut self, arguments: &[&[u8]]) -> Answer {
        let wanted = match *arguments {
            [] => 1,
            [count] => text::number(count).filter(|count| *count > 0).ok_or("expected a number of moves")?,
            _ => return Err("expected a number of moves".to_owned()),
        };
        let board = self.game.board();
        if self.game.is_over() {
            return done();
        }
        let outcome = self.search(board, wanted, None);
        let line = |line: &crate::search::Line| {
            let score = text::signed_discs(line.score);
            format!("{} {score} {} {}", vertex(line.mv), text::depth(line), text::variation(line))
        };
        Ok(outcome.lines.iter().map(line).collect::<Vec<_>>().join("\n"))
    }

    /// `loadsgf FILE [MOVE_NUMBER]`: the game of a file, up to but without that move.
    fn load(&mut self, rest: &[u8]) -> Answer {
        if rest.is_empty() {
            return Err("expected a file name".to_owned());
        }
        let (path, before) = file_and_number(rest);
        let read = || {
            if !fs::metadata(&path)?.is_file() {
                return Err(std::io::Error::other("not a file"));
            }
            let mut bytes = Vec::new();
            File::open(&path)?.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = read().map_err(|error| format!("cannot load file {}: {error}", path.display()))?;
        if bytes.len() as u64 > MAX_FILE {
            return Err(format!("cannot load file {}: too large", path.display()));
        }
        let game =
            rules::parse_game(&bytes).map_err(|error| format!("cannot load file {}: {error}", path.display()))?;
        let count = before.map_or(usize::MAX, |number: usize| number.saturating_sub(1));
        let mut loaded = Game::new(game.start());
        for &mv in game.moves().iter().take(count) {
            loaded.play(mv).map_err(|error| error.to_string())?;
        }
        self.set_up(game.start());
        self.game = loaded;
        done()
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the empty answer of many commands")]
const fn done() -> Answer {
    Ok(String::new())
}

fn parse_color(word: &[u8]) -> Result<Color, String> {
    match word.to_ascii_lowercase().as_slice() {
        b"b" | b"black" => Ok(Color::Black),
        b"w" | b"white" => Ok(Color::White),
        _ => Err("expected a colour: black or white".to_owned()),
    }
}

fn one_color(arguments: &[&[u8]]) -> Result<Color, String> {
    match *arguments {
        [color] => parse_color(color),
        _ => Err("expected a colour: black or white".to_owned()),
    }
}

fn parse_move(word: &[u8]) -> Result<Move, String> {
    notation::parse_move(word).map_err(|error| error.to_string())
}

fn stones(word: &[u8]) -> Result<u32, String> {
    let value: f64 = text::number(word).filter(|value: &f64| value.is_finite()).ok_or("expected a number of stones")?;
    // Saturates.
    Ok(value as u32)
}

/// `b A1 w B2 …`, as `GoGui` sends set-ups and sequences.
fn pairs(arguments: &[&[u8]]) -> Result<Vec<(Color, Move)>, String> {
    let (pairs, []) = arguments.as_chunks::<2>() else {
        return Err("expected colours and moves in turn".to_owned());
    };
    pairs.iter().map(|[color, mv]| Ok((parse_color(color)?, parse_move(mv)?))).collect()
}

/// File names may contain blanks, so the last word is a move number only when there is no file named by the whole.
fn file_and_number(rest: &[u8]) -> (PathBuf, Option<usize>) {
    let whole = path(rest);
    if !whole.exists()
        && let Some(blank) = rest.iter().rposition(|&byte| byte == b' ')
        && let Some((name, number)) = rest.split_at_checked(blank)
        && let Some(number) = text::number(number.trim_ascii())
    {
        return (path(name.trim_ascii()), Some(number));
    }
    (whole, None)
}

#[cfg(unix)]
fn path(name: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    Path::new(std::ffi::OsStr::from_bytes(name)).to_path_buf()
}

#[cfg(not(unix))]
fn path(name: &[u8]) -> PathBuf {
    Path::new(&*String::from_utf8_lossy(name)).to_path_buf()
}
