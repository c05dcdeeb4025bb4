//! What can go wrong in a tool, told in one line: which file, where in it, what was expected.

use std::{
    fmt::Display,
    io,
    path::{Path, PathBuf},
};

use thiserror::Error;

/// An error that ends a subcommand.
#[derive(Debug, Error)]
pub enum ToolError {
    /// The operating system refused something.
    #[error("{}: cannot {action}: {source}", path.display())]
    Io {
        /// The file concerned.
        path: PathBuf,
        /// What was tried: `read`, `create`, …
        action: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// A file is not what it should be.
    #[error("{}: {place}: {problem}", path.display())]
    Format {
        /// The file concerned.
        path: PathBuf,
        /// Where in the file: `header`, `game 12`, `line 3`.
        place: String,
        /// What was found and what was expected.
        problem: String,
    },
    /// An argument makes no sense.
    #[error("{0}")]
    Usage(String),
    /// A program that was started does not behave.
    #[error("{program}: {problem}")]
    Program {
        /// The command line.
        program: String,
        /// What it did.
        problem: String,
    },
}

impl ToolError {
    /// A closure for `map_err` on an I/O result.
    pub fn io<'a>(path: &'a Path, action: &'static str) -> impl Fn(io::Error) -> Self + 'a {
        move |source| Self::Io { path: path.to_owned(), action, source }
    }

    /// A malformed place in a file.
    pub fn format(path: &Path, place: impl Display, problem: impl Display) -> Self {
        Self::Format { path: path.to_owned(), place: place.to_string(), problem: problem.to_string() }
    }

    /// A bad argument.
    pub fn usage(problem: impl Display) -> Self {
        Self::Usage(problem.to_string())
    }
}

/// The result of a tool's step.
pub type Result<T> = std::result::Result<T, ToolError>;
