//! Tools around the Flipside engine.
fn main() {}
