//! Writing files that are either whole or not there.

use std::{fs, path::Path};

use crate::error::{Result, ToolError};

/// Writes a file; an older one is replaced only by the whole new one.
///
/// # Errors
/// When the file cannot be written.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let temporary = path.with_extension("partial");
    fs::write(&temporary, bytes).map_err(ToolError::io(&temporary, "write"))?;
    fs::rename(&temporary, path).map_err(ToolError::io(path, "write"))
}
