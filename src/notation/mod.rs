//! Text and file formats for moves, positions and games. Parsers take bytes and give errors with a place.
