//! The `flipside-tools` program: arguments in, one line of error or a report out.

use std::{path::PathBuf, process::ExitCode};

use clap::{Args, Parser, Subcommand};
use flipside_tools::{
    check,
    error::Result,
    games::Header,
    selfplay::{self, SelfPlay},
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
    /// Replay all games of a file and print statistics
    Check(CheckArgs),
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
    /// Seed of everything random
    #[arg(long, default_value_t = 1)]
    seed: u64,
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

fn parse_range(text: &str) -> std::result::Result<(u8, u8), String> {
    let error = || format!("'{text}': expected LEAST-MOST, for example 8-40");
    let (least, most) = text.split_once('-').ok_or_else(error)?;
    Ok((least.trim().parse().map_err(|_| error())?, most.trim().parse().map_err(|_| error())?))
}

fn run(command: Command) -> Result<()> {
    match command {
        Command::Selfplay(args) => {
            let header = Header {
                depth: args.depth,
                exact_empties: args.exact_empties,
                random_min: args.random_plies.0,
                random_max: args.random_plies.1,
                seed: args.seed,
            };
            selfplay::run(&SelfPlay { games: args.games, header, threads: args.threads }, &args.out)
        }
        Command::Check(args) => {
            print!("{}", check::check(&args.file, args.solve)?.text());
            Ok(())
        }
    }
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
