//! Temporary folders and small game files for tests.

use std::{env, fs, path::PathBuf, process};

use flipside::eval::Evaluator;

use crate::{
    games::Header,
    selfplay::{self, SelfPlay},
};

/// A folder of one test, removed at its end.
#[derive(Debug)]
pub(crate) struct TestDir(PathBuf);

impl TestDir {
    /// A fresh folder; `name` must differ between the tests of one run.
    pub fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("flipside-tools-{}-{name}", process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// A file of quickly played games.
    pub fn games(&self, games: u64, exact_empties: u8, (random_min, random_max): (u8, u8), seed: u64) -> PathBuf {
        let path = self.path("games");
        let header = Header { depth: 1, exact_empties, random_min, random_max, sound_percent: 0, seed, weights: 0 };
        selfplay::run(&SelfPlay { games, header, threads: 1, openings: Vec::new() }, &Evaluator::default(), &path)
            .unwrap();
        path
    }

    /// A file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for TestDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
