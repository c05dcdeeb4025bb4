//! The `flipside` program: everything a user types is handled in [`cli`], everything else is in the library.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
