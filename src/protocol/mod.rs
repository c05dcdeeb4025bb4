//! Protocols that GUIs and match runners speak: NBoard and GTP. They see only the engine.
