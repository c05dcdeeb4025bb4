//! Search: iterative deepening in the midgame, exact solving in the endgame. Knows nothing of protocols or files.

mod report;

pub use report::{Bound, Line, Nodes, Proof, Selectivity, StopFlag};
