//! What `--version` and `flipside version` say. Facts about what is built in (weights, book) belong into `facts`.

use flipside::{
    book::Book,
    eval::{Evaluator, network, ordering::Ordering},
    isa::Tier,
};

use super::{
    args::EngineArgs,
    output::{Finish, Output, Status},
};

/// Prints one line, or with `verbose` all facts.
pub fn print(options: &EngineArgs, verbose: bool, output: &mut Output) -> Finish {
    output.line(format!("flipside {} ({})", env!("CARGO_PKG_VERSION"), options.tier().name()))?;
    if verbose {
        for (name, value) in facts() {
            output.line(format!("{:<18}{value}", format!("{name}:")))?;
        }
    }
    output.flush()?;
    Ok(Status::Success)
}

fn facts() -> Vec<(&'static str, String)> {
    let tiers: Vec<&str> = Tier::available().iter().map(|tier| tier.name()).collect();
    vec![
        ("evaluation", Evaluator::default().facts().to_owned()),
        ("network", network::facts().to_owned()),
        ("move ordering", Ordering::embedded().facts().to_owned()),
        ("opening book", format!("{} positions; {}", Book::built_in().len(), Book::built_in().facts())),
        ("instruction sets", tiers.join(" ")),
        ("platform", format!("{} {}", std::env::consts::ARCH, std::env::consts::OS)),
        ("cores", std::thread::available_parallelism().map_or(1, usize::from).to_string()),
    ]
}
