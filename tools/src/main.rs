//! The `flipside-tools` program: arguments in, one line of error or a report out.

use std::{
    fmt::Display,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use clap::{Args, Parser, Subcommand};
use flipside_tools::{
    book, check,
    error::{Result, ToolError},
    games::{Header, OPENINGS_FROM_FILE},
    labels,
    matches::{self, Match, play::Limits, player::PlayerSpec, statistics::Sprt},
    network::{self, NetworkTraining, model::Part},
    ordering::{self, fit::Fitting, sample::Sampling},
    probcut::{self, Measurement},
    searcher,
    selfplay::{self, SelfPlay},
    training::{self, Training, dataset::Selection, report, solver::Regularisation},
};

#[derive(Parser)]
#[command(name = "flipside-tools", version, about = "Self-play, training, tuning and matches for Flipside")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play games from random openings into a file
    Selfplay(SelfplayArgs),
    /// Build, show, merge and check opening books
    #[command(subcommand)]
    Book(book::BookCommand),
    /// Replay all games of a file and print statistics
    Check(CheckArgs),
    /// Search the positions of a game file and write their values beside it
    Label(LabelArgs),
    /// Fit the evaluation's weights to game files
    Train(TrainArgs),
    /// Measure a weights file on a game file
    EvalReport(ReportArgs),
    /// Let two players play a match over paired openings
    Match(Box<MatchArgs>),
    /// Measure how well shallow searches foretell deep ones and fit the margins of probabilistic cuts
    FitProbcut(ProbcutArgs),
    /// Measure what each move of nodes near the end costs to prove
    OrderSamples(OrderSamplesArgs),
    /// Fit the weights that order moves near the end to such measurements
    FitOrdering(FitOrderingArgs),
    /// Fit the network that corrects the pattern sum to game files
    TrainNetwork(NetworkArgs),
}

#[derive(Args)]
struct SelfplayArgs {
    /// Games the file shall have; a started file is continued
    #[arg(long)]
    games: u64,
    /// The game file
    #[arg(long)]
    out: PathBuf,
    /// Search depth of both sides
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=60))]
    depth: u8,
    /// Play exactly from this many empties on
    #[arg(long, default_value_t = 14, value_parser = clap::value_parser!(u8).range(0..=60))]
    exact_empties: u8,
    /// Least and greatest number of random plies at the start
    #[arg(long, default_value = "8-40", value_parser = parse_range)]
    random_plies: (u8, u8),
    /// Percent of those plies beyond the least number that are not random but the best by a one-ply search
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=100))]
    sound_percent: u8,
    /// Play openings of this file (a transcript a line) in random order instead of random plies
    #[arg(long, conflicts_with_all = ["random_plies", "sound_percent"])]
    openings: Option<PathBuf>,
    /// Seed of everything random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Weights file instead of the built-in weights
    #[arg(long)]
    weights: Option<PathBuf>,
    /// Threads, 0 for all cores
    #[arg(long, default_value_t = 0)]
    threads: usize,
}

#[derive(Args)]
struct CheckArgs {
    /// The game file
    file: PathBuf,
    /// Solve this many of the games again
    #[arg(long, default_value_t = 0)]
    solve: usize,
}

#[derive(Args)]
struct LabelArgs {
    /// The game file
    file: PathBuf,
    /// Depth of the searches
    #[arg(long, default_value_t = 8)]
    depth: u32,
    /// Weights file instead of the built-in weights
    #[arg(long)]
    weights: Option<PathBuf>,
}

#[derive(Args)]
struct TrainArgs {
    /// Game files
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// The weights file to write
    #[arg(long)]
    out: PathBuf,
    /// State of the training, continued when it exists
    #[arg(long)]
    state: Option<PathBuf>,
    /// Weights file to start from instead of zero
    #[arg(long)]
    init: Option<PathBuf>,
    /// Most iterations, earlier runs of the same state included
    #[arg(long, default_value_t = 60)]
    iterations: u32,
    /// Stop after this many iterations without a better validation error
    #[arg(long, default_value_t = 4)]
    patience: u32,
    /// Pull of each weight towards zero, in positions
    #[arg(long, default_value_t = 2.0, value_parser = parse_strength)]
    ridge: f32,
    /// Tie between the weights of neighbouring stages (numbers of empties), in positions
    #[arg(long, default_value_t = 10.0, value_parser = parse_strength)]
    smooth: f32,
    /// Tie between even and odd numbers of empties, in positions
    #[arg(long, default_value_t = 10.0, value_parser = parse_strength)]
    parity: f32,
    #[command(flatten)]
    selection: SelectionArgs,
    /// Threads, 0 for all cores
    #[arg(long, default_value_t = 0)]
    threads: usize,
}

#[derive(Args)]
struct ReportArgs {
    /// The game file
    games: PathBuf,
    /// Weights file instead of the built-in weights
    #[arg(long)]
    weights: Option<PathBuf>,
    /// Only the games that `train` with the same --validation holds out
    #[arg(long)]
    held_out: bool,
    #[command(flatten)]
    selection: SelectionArgs,
}

#[derive(Args)]
struct MatchArgs {
    /// First player, KIND[,KEY=VALUE...][:COMMAND]: ours,depth=4 | greedy | random | gtp:COMMAND | nboard,depth=8:COMMAND
    ///
    /// Keys: name, depth, level, selectivity (73 to 100, 100 = no probabilistic cuts), move-time, clock (seconds),
    /// threads, hash (MiB), book (yes or no), weights (a file), passes (no: a gtp program is not told of passes).
    first: PlayerSpec,
    /// Second player
    second: PlayerSpec,
    /// File of openings, one a line as moves from the start (f5d6c3...), such as tools/openings.txt
    #[arg(long)]
    openings: PathBuf,
    /// Openings to play, each with both colours
    #[arg(long, default_value_t = 50)]
    pairs: usize,
    /// Seed of the choice of openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at the same time
    #[arg(long, default_value_t = 1)]
    concurrency: usize,
    /// File for the games, a line each (replaced if it exists)
    #[arg(long)]
    log: Option<PathBuf>,
    /// Sequential test: stop as soon as a lead of ELO1 or more, or of ELO0 or less, is accepted (both errors 5 %)
    #[arg(long, value_parser = parse_sprt, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Longest time for a move without a clock and for a program to start, in seconds
    #[arg(long, default_value_t = 600.0, value_parser = parse_seconds)]
    patience: f64,
    /// What is granted beyond a clock, in seconds
    #[arg(long, default_value_t = 0.5, value_parser = parse_seconds)]
    grace: f64,
}

#[derive(Args)]
struct ProbcutArgs {
    /// The game file
    games: PathBuf,
    /// File for the report instead of standard output
    #[arg(long)]
    out: Option<PathBuf>,
    /// File for the table that the engine reads (`src/eval/probcut.txt`)
    #[arg(long)]
    table: Option<PathBuf>,
    /// Positions for each number of empties
    #[arg(long, default_value_t = 40)]
    positions: usize,
    /// Empties of the midgame positions
    #[arg(long, default_value = "13-54", value_parser = parse_range)]
    midgame: (u8, u8),
    /// Deepest midgame search
    #[arg(long, default_value_t = 8)]
    deepest: u32,
    /// Empties of the endgame positions
    #[arg(long, default_value = "12-22", value_parser = parse_range)]
    endgame: (u8, u8),
    /// Deepest search compared with the exact score
    #[arg(long, default_value_t = 8)]
    deepest_shallow: u32,
    /// Seed of the choice of positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Weights file instead of the built-in weights
    #[arg(long)]
    weights: Option<PathBuf>,
}

#[derive(Args)]
struct OrderSamplesArgs {
    /// The game file
    games: PathBuf,
    /// The file of samples to write
    #[arg(long)]
    out: PathBuf,
    /// Positions to solve, each of another game
    #[arg(long, default_value_t = 1400)]
    solves: usize,
    /// Their number of empties
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u8).range(8..=30))]
    from: u8,
    /// Random walks through the proof trees of each
    #[arg(long, default_value_t = 10)]
    walks: usize,
    /// Empties of the sampled nodes
    #[arg(long, default_value = "7-16", value_parser = parse_range)]
    empties: (u8, u8),
    /// Seed of all choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Weights file instead of the built-in weights
    #[arg(long)]
    weights: Option<PathBuf>,
}

#[derive(Args)]
struct FitOrderingArgs {
    /// The file of samples
    samples: PathBuf,
    /// The file of weights to write
    #[arg(long)]
    out: PathBuf,
    /// Passes over the samples
    #[arg(long, default_value_t = 6)]
    epochs: usize,
    /// How strongly cheaper moves are preferred: the power of the cost
    #[arg(long, default_value_t = 2.0)]
    sharpness: f32,
    /// First step size
    #[arg(long, default_value_t = 0.01)]
    rate: f32,
    /// Seed of the order of the samples
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Args)]
struct SelectionArgs {
    /// Most positions of one game, 0 for all
    #[arg(long, default_value_t = 0)]
    per_game: usize,
    /// Share of the games held out for validation
    #[arg(long, default_value_t = 0.02, value_parser = parse_share)]
    validation: f64,
    /// Weight of the final score against the search label where play was not exact
    #[arg(long, default_value_t = 1.0, value_parser = parse_share)]
    lambda: f64,
    /// Use only positions from which play was exact
    #[arg(long)]
    exact_only: bool,
    /// Leave out positions from which play was not exact and that have no search label
    #[arg(long)]
    labelled_only: bool,
    /// Most positions in all, 0 for all
    #[arg(long, default_value_t = 0)]
    max_positions: u64,
    /// Seed of the choice of positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl SelectionArgs {
    fn selection(&self) -> Selection {
        Selection {
            per_game: self.per_game,
            validation: self.validation,
            lambda: self.lambda as f32,
            exact_only: self.exact_only,
            labelled_only: self.labelled_only,
            most: self.max_positions,
            seed: self.seed,
        }
    }
}

#[derive(Args)]
struct NetworkArgs {
    /// Game files
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// The network file to write, after each epoch
    #[arg(long)]
    out: PathBuf,
    /// Network file to start from
    #[arg(long)]
    init: Option<PathBuf>,
    /// Game file to measure on after each epoch; may be given more than once
    #[arg(long)]
    test: Vec<PathBuf>,
    /// Fewest and most empties of the positions
    #[arg(long, default_value = "8-54", value_parser = parse_range)]
    empties: (u8, u8),
    /// Leave the rows of the patterns as they are
    #[arg(long)]
    stages_only: bool,
    /// Passes over the positions
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    epochs: u32,
    /// Positions of a step
    #[arg(long, default_value_t = 16384, value_parser = clap::value_parser!(u32).range(2..))]
    batch: u32,
    /// Greatest step size
    #[arg(long, default_value_t = 0.002, value_parser = parse_positive)]
    rate: f32,
    /// The larger, the smaller the steps of weights that rarely count
    #[arg(long, default_value_t = 1e-5, value_parser = parse_positive)]
    caution: f32,
    /// Share of the games held out for validation
    #[arg(long, default_value_t = 0.02, value_parser = parse_share)]
    validation: f64,
    /// Weight of the final score against the search label where play was not exact
    #[arg(long, default_value_t = 1.0, value_parser = parse_share)]
    lambda: f64,
    /// Leave out positions from which play was not exact and that have no search label
    #[arg(long)]
    labelled_only: bool,
    /// Seed of the first weights and of the order of positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl NetworkArgs {
    fn training(self) -> NetworkTraining {
        NetworkTraining {
            games: self.games,
            tests: self.test,
            out: self.out,
            init: self.init,
            selection: Selection {
                validation: self.validation,
                lambda: self.lambda as f32,
                labelled_only: self.labelled_only,
                ..Selection::default()
            },
            empties: (u32::from(self.empties.0), u32::from(self.empties.1)),
            part: if self.stages_only { Part::Stages } else { Part::All },
            epochs: self.epochs,
            batch: self.batch as usize,
            rate: self.rate,
            caution: self.caution,
            seed: self.seed,
        }
    }
}

/// A share: 0 to 1.
fn parse_share(text: &str) -> std::result::Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| format!("'{text}': expected a number from 0 to 1"))
}

/// A positive number of a sensible size.
fn parse_positive(text: &str) -> std::result::Result<f32, String> {
    let number = text.parse::<f32>().ok().filter(|number| (1e-12..=1.0).contains(number));
    number.ok_or_else(|| format!("'{text}': expected a number above 0, at most 1"))
}

/// A strength of a pull: not negative.
fn parse_strength(text: &str) -> std::result::Result<f32, String> {
    let strength = text.parse::<f32>().ok().filter(|strength| (0.0..=1e9).contains(strength));
    strength.ok_or_else(|| format!("'{text}': expected a number from 0 to 1000000000"))
}

fn parse_range(text: &str) -> std::result::Result<(u8, u8), String> {
    let error = || format!("'{text}': expected LEAST-MOST, for example 8-40");
    let (least, most) = text.split_once('-').ok_or_else(error)?;
    Ok((least.trim().parse().map_err(|_| error())?, most.trim().parse().map_err(|_| error())?))
}

fn parse_sprt(text: &str) -> std::result::Result<Sprt, String> {
    let error = || format!("'{text}': expected ELO0,ELO1 with ELO0 below ELO1, for example 0,10");
    let (elo0, elo1) = text.split_once(',').ok_or_else(error)?;
    let elo0: f64 = elo0.trim().parse().map_err(|_| error())?;
    let elo1: f64 = elo1.trim().parse().map_err(|_| error())?;
    if elo0 < elo1 { Ok(Sprt { elo0, elo1, alpha: 0.05, beta: 0.05 }) } else { Err(error()) }
}

fn parse_seconds(text: &str) -> std::result::Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.0..=1e6).contains(seconds));
    seconds.ok_or_else(|| format!("'{text}': expected seconds from 0 to 1000000"))
}

fn play_games(args: &SelfplayArgs) -> Result<()> {
    let evaluator = searcher::evaluator(args.weights.as_deref())?;
    let openings = args.openings.as_deref().map(matches::openings::read).transpose()?;
    let (random_plies, sound_percent) =
        if openings.is_some() { ((0, 0), OPENINGS_FROM_FILE) } else { (args.random_plies, args.sound_percent) };
    let header = Header {
        depth: args.depth,
        exact_empties: args.exact_empties,
        random_min: random_plies.0,
        random_max: random_plies.1,
        sound_percent,
        seed: args.seed,
        weights: Header::weights_mark(&evaluator),
    };
    let openings = openings.unwrap_or_default();
    let settings = SelfPlay { games: args.games, header, threads: args.threads, openings };
    selfplay::run(&settings, &evaluator, &args.out)
}

fn run(command: Command) -> Result<()> {
    match command {
        Command::Selfplay(args) => play_games(&args),
        Command::Book(command) => {
            say(book::run(&command)?)?;
            Ok(())
        }
        Command::Check(args) => {
            say(check::check(&args.file, args.solve)?.text())?;
            Ok(())
        }
        Command::Label(args) => labels::run(&args.file, args.depth, &searcher::evaluator(args.weights.as_deref())?),
        Command::Train(args) => {
            let training = Training {
                games: args.games,
                out: args.out,
                state: args.state,
                init: args.init,
                selection: args.selection.selection(),
                regularisation: Regularisation { ridge: args.ridge, smooth: args.smooth, parity: args.parity },
                iterations: args.iterations,
                patience: args.patience.max(1),
                threads: args.threads,
            };
            say(report::table(&training::run(&training)?))?;
            Ok(())
        }
        Command::Match(args) => {
            let settings = Match {
                players: [args.first, args.second],
                openings: args.openings,
                pairs: args.pairs,
                seed: args.seed,
                concurrency: args.concurrency,
                log: args.log,
                sprt: args.sprt,
                limits: Limits {
                    patience: Duration::from_secs_f64(args.patience),
                    grace: Duration::from_secs_f64(args.grace),
                },
            };
            say(matches::run(&settings)?.text(&settings))?;
            Ok(())
        }
        Command::FitProbcut(args) => {
            let widen = |(least, most): (u8, u8)| (u32::from(least), u32::from(most));
            let measurement = Measurement {
                per_empties: args.positions,
                midgame: widen(args.midgame),
                deepest: args.deepest,
                endgame: widen(args.endgame),
                deepest_shallow: args.deepest_shallow,
                seed: args.seed,
            };
            let evaluator = searcher::evaluator(args.weights.as_deref())?;
            let measured = probcut::measure(&args.games, &measurement, &evaluator)?;
            if let Some(path) = &args.table {
                let table = probcut::table(&measured)
                    .ok_or_else(|| ToolError::usage("too few pairs of the depths that the engine uses for a fit"))?;
                std::fs::write(path, table).map_err(ToolError::io(path, "write"))?;
            }
            let text = probcut::report(&measured);
            match &args.out {
                Some(path) => std::fs::write(path, text).map_err(ToolError::io(path, "write"))?,
                None => say(&text)?,
            }
            Ok(())
        }
        Command::OrderSamples(args) => {
            let sampling = Sampling {
                games: args.games,
                solves: args.solves,
                from: u32::from(args.from),
                walks: args.walks,
                empties: (u32::from(args.empties.0), u32::from(args.empties.1)),
                seed: args.seed,
            };
            let count = ordering::sample::run(&sampling, &searcher::evaluator(args.weights.as_deref())?, &args.out)?;
            say(format!("{count} nodes\n"))?;
            Ok(())
        }
        Command::FitOrdering(args) => {
            let fitting = Fitting { epochs: args.epochs, sharpness: args.sharpness, rate: args.rate, seed: args.seed };
            say(ordering::fit_file(&args.samples, &fitting, &args.out)?)?;
            Ok(())
        }
        Command::TrainNetwork(args) => {
            say(network::run(&args.training())?)?;
            Ok(())
        }
        Command::EvalReport(args) => {
            let selection = args.selection.selection();
            let errors = report::measure(&args.games, args.weights.as_deref(), &selection, args.held_out)?;
            say(report::table(&errors))?;
            Ok(())
        }
    }
}

/// Writes a report to standard output.
fn say(report: impl Display) -> Result<()> {
    write!(io::stdout(), "{report}").map_err(ToolError::io(Path::new("standard output"), "write"))
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("flipside-tools: {error}");
            ExitCode::FAILURE
        }
    }
}
