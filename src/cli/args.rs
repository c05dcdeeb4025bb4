//! The command line: options, subcommands and their help texts. Values are checked here, so that a bad one is named
//! with what would be right; nothing here reads files or starts engines.

// Help texts are shown as they are: backticks around names would be noise.
#![allow(clippy::doc_markdown)]

use std::{ffi::OsString, path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand};
use flipside::{
    engine::{Goal, Settings},
    isa::Tier,
    search::Selectivity,
};

use super::machine;

/// The level users of other engines expect when they ask for none.
const DEFAULT_LEVEL: u32 = 21;

/// Flipside, an Othello (reversi) engine: perfect endgame solver, analysis, and the NBoard and GTP protocols.
///
/// Without a command it speaks the protocol of whoever started it: `nboard ...` as the first line makes it an NBoard
/// engine, anything else a GTP engine.
#[derive(Parser, Debug)]
#[command(
    name = "flipside",
    disable_version_flag = true,
    infer_long_args = false,
    args_override_self = true,
    after_help = "Use --help for positions, examples and exit statuses.",
    after_long_help = LONG_HELP
)]
pub struct Cli {
    /// What to do; without one, the protocol loop on standard input and output.
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Prints the version and the instruction set in use; with -v also what is built in.
    #[arg(long, short = 'V')]
    pub version: bool,
    /// With --version: also what is built in.
    #[arg(long, short, requires = "version")]
    pub verbose: bool,
}

const LONG_HELP: &str = "\
Positions can be written as
  a board    64 squares a1, b1, ... h8 and the side to move; quoting is optional:
             \"---------------------------OX------XO--------------------------- X\"
             black X x * B b ●, white O o W w ○, empty - . _
  moves      f5d6c3..., any case; forced passes may be left out; with blanks only if quoted
  GGF, SGF   (;GM[Othello]...;), the record of the Generic Game Server, NBoard or Quarry; quoted
A file holds one of them a line, or OBF: the board, then `;` and known scores, such as `g8:+18;`.

Depths in the output
  12         12 plies
  12@73%     12 plies with probabilistic cuts, each right with 73 % confidence
  24@95%     to the end of the game, with such cuts
  100%       exact; 100%W exact as to win, loss or draw; >= and <= mark bounds

Examples:
  flipside solve problems.obf              solve every line of a file, check its scores
  flipside solve --json --all-moves FILE   exact value of every legal move, one JSON object a line
  flipside solve - < positions.txt         from standard input, answered line by line
  flipside hint --level 24 --lines 3 f5d6c3d3c4f4
  flipside analyze game.ggf                every move of a game with its loss
  flipside show f5d6                       draw a position
  flipside perft 9                         count move sequences
  flipside                                 NBoard or GTP on standard input

Scores are in discs from the view of the side to move; empty squares go to the winner.
Exit status: 0 all well, 1 a line was bad or a score disagreed, 2 wrong usage, 130 interrupted.";

/// Options of every command that runs the engine.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Engine options")]
pub struct EngineArgs {
    /// Search threads, 1 to 256 [default: all cores].
    #[arg(long, global = true, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    pub threads: Option<usize>,
    /// Transposition table in MiB; at most the memory of the machine.
    #[arg(long, global = true, value_name = "MIB", default_value = "256", value_parser = hash_mib, allow_hyphen_values = true)]
    pub hash: usize,
    /// Playing level, 0 to 60: how deep to look and from how many empties to solve; `solve`, always exact, ignores it
    /// [default: 21].
    #[arg(long, global = true, value_name = "N", value_parser = level, allow_hyphen_values = true)]
    pub level: Option<u32>,
    /// Never answers from the opening book.
    #[arg(long, global = true)]
    pub no_book: bool,
    /// Your own opening book, used beside the built-in one; games learned are added to it.
    #[arg(long, global = true, value_name = "FILE")]
    pub book: Option<PathBuf>,
    /// Seed of random choices (among equally good book moves; nothing else is random).
    #[arg(long, global = true, value_name = "N", default_value = "0", allow_hyphen_values = true)]
    pub seed: u64,
    /// Instruction set, for comparisons [default: the best of this CPU].
    #[arg(long, global = true, value_name = "NAME", value_parser = Tier::by_name)]
    pub isa: Option<Tier>,
    /// Writes every line of the protocols, in and out, to this file (replaced if it exists).
    #[arg(long, global = true, value_name = "FILE")]
    pub log: Option<PathBuf>,
}

impl EngineArgs {
    /// The level asked for, or the usual one.
    pub fn level(&self) -> u32 {
        self.level.unwrap_or(DEFAULT_LEVEL)
    }

    /// The tier asked for, or the best one.
    pub fn tier(&self) -> Tier {
        self.isa.unwrap_or_else(Tier::detect)
    }

    /// These options as engine settings.
    pub fn settings(&self) -> Settings {
        let defaults = Settings::default();
        Settings {
            threads: self.threads.unwrap_or(defaults.threads),
            hash_mib: self.hash,
            tier: self.tier(),
            use_book: !self.no_book,
            book_file: self.book.clone(),
            seed: self.seed,
        }
    }
}

/// The subcommands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Solves positions exactly, from files, standard input or the command line.
    ///
    /// Files hold one position a line: OBF, boards, move strings, GGF or SGF, told apart line by line; blank lines
    /// and lines that start with % or # are skipped; WTHOR files (.wtb) hold games, each solved where its theoretical score
    /// holds. Where a line states a score, the result is checked against it.
    Solve(SolveArgs),
    /// Goes through a game from its end: each move's score, the best move, what was lost.
    ///
    /// Scores are from the view of the player of the move. A loss is the score of the move minus the score of the best
    /// one; where the search after a move likes it better than the search before did, the move counts as the best.
    Analyze(AnalyzeArgs),
    /// The best moves of a position with their scores.
    ///
    /// A row is rank, move, score, depth and expected continuation.
    Hint(HintArgs),
    /// Draws a position with its legal moves, or the result.
    Show(ShowArgs),
    /// Counts move sequences by depth, the standard check of a move generator.
    ///
    /// A pass counts as a ply (from the usual start: 3005288 at depth 9, 24571284 at depth 10); a game that is over
    /// counts once.
    Perft(PerftArgs),
    /// Searches a fixed set of positions on one thread; builds with equal search count equal nodes.
    Bench,
    /// Speaks GTP (version 2) on standard input and output, for Quarry, GoGui and match runners.
    ///
    /// Beyond the standard: `hint N`, `setboard BOARD`, `set_level N`, `list_games` and `set_game` of Quarry, and the
    /// `gogui-` commands by which GoGui learns the rules. `list_commands` lists them all.
    Gtp,
    /// Speaks the NBoard protocol (version 2) on standard input and output.
    ///
    /// NBoard's depth setting (`set depth N`) replaces --level.
    Nboard,
    /// Prints the version, the instruction set and what is built in.
    Version,
}

/// Arguments of `solve`.
#[derive(Args, Debug)]
pub struct SolveArgs {
    /// Files, `-` for standard input, or positions.
    #[arg(value_name = "FILE|-|POSITION", required = true)]
    pub inputs: Vec<OsString>,
    /// One JSON object a line instead of the table.
    #[arg(long)]
    pub json: bool,
    /// Also the value of every legal move.
    #[arg(long)]
    pub all_moves: bool,
    /// Only win, loss or draw: much faster.
    #[arg(long, conflicts_with = "window")]
    pub wld: bool,
    /// Exact between ALPHA and BETA, else only a bound (<= or >=): faster. For example -4,4.
    #[arg(long, value_name = "ALPHA,BETA", value_parser = window, allow_hyphen_values = true)]
    pub window: Option<(i32, i32)>,
}

/// How hard `analyze` and `hint` look at each position; without any, `--level`.
#[derive(Args, Debug, Clone)]
pub struct Effort {
    /// Fixed depth in plies instead of a level.
    #[arg(long, value_name = "PLIES", value_parser = depth, allow_hyphen_values = true, conflicts_with = "level")]
    pub depth: Option<u32>,
    /// Confidence of the probabilistic cuts with --depth: 73, 87, 95, 98, 99 or 100 (no such cuts).
    #[arg(long, value_name = "PERCENT", default_value = "73", value_parser = selectivity, requires = "depth", allow_hyphen_values = true)]
    pub selectivity: Selectivity,
    /// Seconds for each position; without --depth or --level, as deep as they allow.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_hyphen_values = true)]
    pub time: Option<Duration>,
    /// One JSON object a line instead of the table.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `analyze`.
#[derive(Args, Debug)]
pub struct AnalyzeArgs {
    /// A file of games, `-` for standard input, or the moves of a game (or its GGF).
    #[arg(value_name = "GAME|FILE|-", required = true)]
    pub inputs: Vec<OsString>,
    #[command(flatten)]
    pub effort: Effort,
    /// How many of the best moves to show for each position.
    #[arg(long, value_name = "N", default_value = "1", value_parser = lines, allow_hyphen_values = true)]
    pub lines: usize,
}

/// Arguments of `hint`.
#[derive(Args, Debug)]
pub struct HintArgs {
    /// Positions, files of positions, or `-` for standard input.
    #[arg(value_name = "POSITION|FILE|-", required = true)]
    pub inputs: Vec<OsString>,
    #[command(flatten)]
    pub effort: Effort,
    /// How many of the best moves to show.
    #[arg(long, value_name = "N", default_value = "5", value_parser = lines, allow_hyphen_values = true)]
    pub lines: usize,
}

/// Arguments of `show`.
#[derive(Args, Debug)]
pub struct ShowArgs {
    /// Positions, files of positions, or `-` for standard input.
    #[arg(value_name = "POSITION|FILE|-", required = true)]
    pub inputs: Vec<OsString>,
}

/// Arguments of `perft`.
#[derive(Args, Debug)]
pub struct PerftArgs {
    /// Depth in plies, 1 to 60.
    #[arg(value_name = "DEPTH", value_parser = perft_depth, allow_hyphen_values = true)]
    pub depth: u32,
    /// The position to start from [default: the start of the game].
    #[arg(value_name = "POSITION")]
    pub position: Vec<OsString>,
}

/// A whole number within a range, or a message that names the range.
fn number(text: &str, what: &str, min: u64, max: u64) -> Result<u64, String> {
    text.parse()
        .ok()
        .filter(|value| (min..=max).contains(value))
        .ok_or_else(|| format!("{what} must be {min} to {max}"))
}

fn threads(text: &str) -> Result<usize, String> {
    number(text, "the number of threads", 1, Settings::MAX_THREADS as u64).map(|value| value as usize)
}

fn hash_mib(text: &str) -> Result<usize, String> {
    let ceiling = machine::memory_mib().unwrap_or(u64::MAX);
    let max = ceiling.min(Settings::MAX_HASH_MIB as u64);
    let value = number(text, "the hash size in MiB", 1, max);
    match text.parse::<u64>() {
        Ok(asked) if asked > max && max == ceiling => Err(format!("this machine has {max} MiB of memory")),
        _ => value.map(|mib| mib as usize),
    }
}

fn level(text: &str) -> Result<u32, String> {
    number(text, "the level", 0, u64::from(Goal::MAX_LEVEL)).map(|value| value as u32)
}

fn depth(text: &str) -> Result<u32, String> {
    number(text, "the depth", 1, 60).map(|value| value as u32)
}

fn perft_depth(text: &str) -> Result<u32, String> {
    number(text, "the depth", 1, 60).map(|value| value as u32)
}

fn selectivity(text: &str) -> Result<Selectivity, String> {
    Selectivity::ALL
        .into_iter()
        .find(|selectivity| selectivity.percent().to_string() == text)
        .ok_or_else(|| "the selectivity must be 73, 87, 95, 98, 99 or 100".to_owned())
}

fn lines(text: &str) -> Result<usize, String> {
    number(text, "the number of lines", 1, 1000).map(|value| value as usize)
}

fn seconds(text: &str) -> Result<Duration, String> {
    text.parse::<f64>()
        .ok()
        .filter(|value| (0.001..=1e6).contains(value))
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "the time must be 0.001 to 1000000 seconds".to_owned())
}

fn window(text: &str) -> Result<(i32, i32), String> {
    let parse = |part: &str| part.trim().parse::<i32>().ok().filter(|value| (-64..=64).contains(value));
    text.split_once(',')
        .and_then(|(alpha, beta)| Some((parse(alpha)?, parse(beta)?)))
        .filter(|(alpha, beta)| alpha < beta)
        .ok_or_else(|| "expected ALPHA,BETA with -64 <= ALPHA < BETA <= 64, such as -1,1".to_owned())
}

/// Marks arguments that are boards but start with `-` (an empty a1) so that they are not taken for options: a blank
/// is put before them, which the position parser skips.
pub fn protect_boards(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    arguments.map(|argument| if starts_like_board(&argument) { prefixed(&argument) } else { argument }).collect()
}

fn prefixed(argument: &OsString) -> OsString {
    let mut marked = OsString::from(" ");
    marked.push(argument);
    marked
}

fn starts_like_board(argument: &OsString) -> bool {
    let bytes = argument.as_encoded_bytes();
    // No option is this long; the first 24 bytes tell a board (even a mistyped one) from an option.
    bytes.first() == Some(&b'-')
        && bytes.len() >= 24
        && bytes.iter().take(24).all(|byte| b"-._XxOo*BbWw?".contains(byte))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn boards_are_not_options() {
        let board = format!("{} X", "-".repeat(64));
        let arguments = protect_boards(["--json".into(), OsString::from(&board)].into_iter());
        assert_eq!(arguments, [OsString::from("--json"), OsString::from(format!(" {board}"))]);
    }

    #[test]
    fn windows() {
        assert_eq!(window("-1,1"), Ok((-1, 1)));
        for bad in ["", "1", "1,1", "2,1", "-65,0", "0,65", "a,b", "1,2,3"] {
            assert!(window(bad).is_err(), "{bad}");
        }
    }
}
