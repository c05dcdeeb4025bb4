//! Temporary folders for tests.

use std::{env, fs, path::PathBuf, process};

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
