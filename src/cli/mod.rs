//! The command line: argument definitions in [`args`], one file for each command, and what they share. Only this
//! folder prints to a user; nothing in it may panic on anything a user does.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod analyze;
mod args;
mod bench;
mod draw;
mod input;
mod interrupt;
mod json;
mod machine;
mod output;
mod progress;
mod solve;
mod version;

use std::{io, process::ExitCode};

use args::{Cli, Command, EngineArgs};
use clap::{Parser, error::ErrorKind};
use flipside::{
    engine::Engine,
    protocol::{self, Log, Mode, Options},
};
use output::{Failure, Finish, Output, Status, complain};

/// Runs the program.
pub fn main() -> ExitCode {
    let arguments = args::protect_boards(std::env::args_os());
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let printed = error.print();
            if error.kind() == ErrorKind::InvalidSubcommand {
                complain("to look at a position, say how: flipside show f5d6, or hint, solve, analyze");
            }
            return match printed {
                // A closed pipe while printing help is none of our business.
                Err(failure) if !error.use_stderr() && failure.kind() != io::ErrorKind::BrokenPipe => {
                    complain(format_args!("cannot write the output: {failure}"));
                    ExitCode::from(1)
                }
                _ => ExitCode::from(error.exit_code() as u8),
            };
        }
    };
    match run(&cli) {
        Ok(Status::Success) => ExitCode::SUCCESS,
        Ok(Status::Failed) => ExitCode::from(1),
        Ok(Status::Interrupted) => ExitCode::from(interrupt::STATUS),
        Err(Failure::Usage(message)) => {
            complain(message);
            ExitCode::from(2)
        }
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Output(error)) => {
            complain(format_args!("cannot write the output: {error}"));
            ExitCode::from(1)
        }
    }
}

fn run(cli: &Cli) -> Finish {
    let options = &cli.engine;
    if cli.version {
        return version::print(options, cli.verbose, &mut Output::new());
    }
    let Some(command) = &cli.command else { return speak(Mode::Auto, options) };
    match command {
        Command::Gtp => speak(Mode::Gtp, options),
        Command::Nboard => speak(Mode::Nboard, options),
        Command::Solve(arguments) => solve::run(arguments, options, &mut Output::new()),
        Command::Analyze(arguments) => analyze::analyze(arguments, options, &mut Output::new()),
        Command::Hint(arguments) => analyze::hint(arguments, options, &mut Output::new()),
        Command::Show(arguments) => draw::show(arguments, &mut Output::new()),
        Command::Perft(arguments) => bench::count(arguments, options, &mut Output::new()),
        Command::Bench => bench::bench(options, &mut Output::new()),
        Command::Version => version::print(options, true, &mut Output::new()),
    }
}

/// The engine the options ask for.
fn new_engine(options: &EngineArgs) -> Result<Engine, Failure> {
    Engine::new(options.settings()).map_err(|error| Failure::Usage(error.to_string()))
}

/// Speaks a protocol on standard input and output until the client ends it.
fn speak(mode: Mode, options: &EngineArgs) -> Finish {
    let engine = new_engine(options)?;
    let log = match &options.log {
        Some(path) => Some(
            Log::create(path)
                .map_err(|error| Failure::Usage(format!("cannot write the log {}: {error}", path.display())))?,
        ),
        None => None,
    };
    let dialogue = Options { level: options.level(), log, ..Options::default() };
    protocol::run(mode, engine, dialogue, io::stdin(), io::stdout())?;
    Ok(Status::Success)
}
