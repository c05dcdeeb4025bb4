//! Evaluation of midgame positions.
