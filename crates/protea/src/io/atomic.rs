//! Files that appear whole or not at all.

use crate::{Error, Result};
use std::io::Write;
use std::path::Path;

/// Writes to a temporary file in the same folder and moves the finished file there.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // The kind alone: the error's own text would name the temporary file.
    let failed =
        |e: std::io::Error| Error::file(path, format!("could not be written: {}", e.kind())).because(e);
    if path.is_dir() {
        return Err(Error::file(path, "could not be written: it is a folder"));
    }
    let mut file = tempfile::Builder::new().prefix(".protea-").tempfile_in(folder).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
    readable_by_all(&file).map_err(failed)?;
    file.persist(path).map_err(|e| failed(e.error))?;
    Ok(())
}

/// Temporary files are private; a result has the permissions that a newly created file would have for readers.
#[cfg(unix)]
fn readable_by_all(file: &tempfile::NamedTempFile) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable_by_all(_: &tempfile::NamedTempFile) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_nothing_and_a_good_one_replaces() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        write_atomically(&path, b"one").unwrap();
        write_atomically(&path, b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        let missing = folder.path().join("no/such/folder/model");
        assert!(write_atomically(&missing, b"x").unwrap_err().to_string().contains("could not be written"));
        assert!(write_atomically(folder.path(), b"x").is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
