//! The `flipside` program.
fn main() {
    let depth = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(10);
    for tier in flipside::isa::Tier::available() {
        let start = std::time::Instant::now();
        println!(
            "{} {} {:?}",
            tier.name(),
            flipside::board::perft(tier, flipside::board::Position::START, depth),
            start.elapsed()
        );
    }
}
