//! Files that appear whole or not at all.
//!
//! | the path names | what happens |
//! |---|---|
//! | nothing yet | a temporary file beside it is renamed; its mode follows the umask |
//! | a regular file | the same, and the file keeps its mode and owner; one that may not be written is refused |
//! | a symbolic link | the link stays and its target is written |
//! | standard output (`/dev/stdout`), a device, a pipe | bytes go through to it; nothing is renamed |
//! | a folder | refused |

use crate::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// Links from one path to the next, at most.
const MAX_LINKS: usize = 40;

/// Temporary files that are being written, for [`remove_unfinished`].
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files of all [`WholeFile`]s that are not finished: for programs that are about to end.
pub fn remove_unfinished() {
    for path in unfinished().drain(..) {
        // It may be gone already, and nobody is left to tell.
        let _ = std::fs::remove_file(path);
    }
}

/// Writes a file, whole or not at all. A symbolic link stays and its target is written; devices and pipes get the bytes as they
/// come.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = WholeFile::create(path)?;
    file.write_all(bytes).map_err(|e| failed(path, e))?;
    file.finish()
}

/// A file on its way: it takes its place in [`WholeFile::finish`], and leaves nothing behind if dropped before.
///
/// ```
/// use std::io::Write;
/// # let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("answers.csv");
/// let mut file = protea::io::WholeFile::create(&path)?;
/// file.write_all(b"label\n").unwrap();
/// assert!(!path.exists());
/// file.finish()?;
/// assert!(path.exists());
/// # Ok::<(), protea::Error>(())
/// ```
pub struct WholeFile {
    path: PathBuf,
    to: Option<Destination>,
}

enum Destination {
    /// To be renamed to `target`.
    Temporary { file: BufWriter<NamedTempFile>, target: PathBuf },
    /// Standard output itself, so that what is printed later follows.
    Output(std::io::Stdout),
    /// A device or a pipe.
    Through(BufWriter<File>),
}

/// What a path leads to.
enum Place {
    /// A regular file, or nothing yet.
    Regular(PathBuf),
    Output,
    Special(PathBuf),
    Folder,
}

impl WholeFile {
    /// Opens the place; refuses one that cannot be written.
    pub fn create(path: &Path) -> Result<Self> {
        let failed = |e: std::io::Error| failed(path, e);
        let to = match place(path).map_err(failed)? {
            Place::Folder => return Err(Error::file(path, "could not be written: it is a folder")),
            Place::Output => Destination::Output(std::io::stdout()),
            Place::Special(path) => {
                let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
                Destination::Through(BufWriter::new(file))
            }
            Place::Regular(target) => {
                let file = temporary(&target).map_err(failed)?;
                Destination::Temporary { file: BufWriter::new(file), target }
            }
        };
        Ok(WholeFile { path: path.into(), to: Some(to) })
    }

    /// Puts the file in its place.
    pub fn finish(mut self) -> Result<()> {
        let path = std::mem::take(&mut self.path);
        let result = match self.to.take() {
            Some(Destination::Output(mut out)) => out.flush(),
            Some(Destination::Through(mut file)) => file.flush(),
            Some(Destination::Temporary { file, target }) => persist(file, &target),
            None => Ok(()),
        };
        result.map_err(|e| failed(&path, e))
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = match &mut self.to {
            Some(Destination::Temporary { file, .. }) => file.write(bytes),
            Some(Destination::Output(out)) => out.write(bytes),
            Some(Destination::Through(file)) => file.write(bytes),
            None => Ok(bytes.len()),
        };
        written.map_err(|e| self.named(e))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let flushed = match &mut self.to {
            Some(Destination::Temporary { file, .. }) => file.flush(),
            Some(Destination::Output(out)) => out.flush(),
            Some(Destination::Through(file)) => file.flush(),
            None => Ok(()),
        };
        flushed.map_err(|e| self.named(e))
    }
}

impl WholeFile {
    /// An error with the name of this file, not with that of the temporary one or with none.
    fn named(&self, e: std::io::Error) -> std::io::Error {
        match e.kind() {
            std::io::ErrorKind::Interrupted => e,
            // Without its cause, which would name the temporary file.
            kind => {
                std::io::Error::new(kind, Error::file(&self.path, format!("could not be written: {kind}")))
            }
        }
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if let Some(Destination::Temporary { file, .. }) = &self.to {
            forget(&mut unfinished(), file.get_ref().path());
        }
    }
}

/// Refuses a place where a file could not be written later; writes nothing there.
pub fn check_writable(path: &Path) -> Result<()> {
    match place(path).map_err(|e| failed(path, e))? {
        // Opening a pipe would wait for its reader.
        Place::Output | Place::Special(_) => Ok(()),
        Place::Folder | Place::Regular(_) => WholeFile::create(path).map(drop),
    }
}

/// Whether a path names this program's standard output.
pub fn is_standard_output(path: &Path) -> bool {
    matches!(place(path), Ok(Place::Output))
}

fn failed(path: &Path, e: std::io::Error) -> Error {
    // The kind alone: the error's own text would name the temporary file.
    let why = if e.kind() == std::io::ErrorKind::Other { e.to_string() } else { e.kind().to_string() };
    Error::file(path, format!("could not be written: {why}")).because(e)
}

/// Follows symbolic links to what they lead to.
fn place(path: &Path) -> std::io::Result<Place> {
    let mut at = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        let text = at.to_string_lossy();
        if matches!(&*text, "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1") {
            return Ok(Place::Output);
        }
        if text.starts_with("/dev/fd/") || text.starts_with("/proc/") {
            return Ok(Place::Special(at));
        }
        match std::fs::symlink_metadata(&at) {
            Ok(found) if found.is_symlink() => {
                let next = std::fs::read_link(&at)?;
                at = at.parent().map_or(next.clone(), |folder| folder.join(&next));
            }
            Ok(found) if found.is_dir() => return Ok(Place::Folder),
            Ok(found) if found.is_file() => return Ok(Place::Regular(at)),
            Ok(_) => return Ok(Place::Special(at)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Place::Regular(at)),
            Err(e) => return Err(e),
        }
    }
    Err(std::io::Error::other("too many symbolic links"))
}

/// A temporary file beside `target`, with the mode that the finished file will have.
fn temporary(target: &Path) -> std::io::Result<NamedTempFile> {
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let existing = match OpenOptions::new().append(true).open(target) {
        Ok(file) => Some(file.metadata()?),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
        Err(e) => return Err(e),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".protea-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The umask takes its part from it.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut list = unfinished();
    let file = builder.tempfile_in(folder)?;
    list.push(file.path().to_path_buf());
    drop(list);
    if let Some(existing) = existing {
        keep_attributes(&file, &existing)?;
    }
    Ok(file)
}

/// Gives the file the owner, where that is allowed, and the mode of the one that it replaces.
#[cfg(unix)]
fn keep_attributes(file: &NamedTempFile, of: &std::fs::Metadata) -> std::io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let _ = std::os::unix::fs::fchown(file.as_file(), Some(of.uid()), Some(of.gid()));
    file.as_file().set_permissions(of.permissions())
}

#[cfg(not(unix))]
fn keep_attributes(_: &NamedTempFile, _: &std::fs::Metadata) -> std::io::Result<()> {
    Ok(())
}

/// Renames the file; [`remove_unfinished`] comes before or after, never in between.
fn persist(file: BufWriter<NamedTempFile>, target: &Path) -> std::io::Result<()> {
    let file = file.into_inner().map_err(|e| e.into_error())?;
    file.as_file().sync_all()?;
    let mut list = unfinished();
    forget(&mut list, file.path());
    file.persist(target).map_err(|e| e.error)?;
    Ok(())
}

fn forget(list: &mut Vec<PathBuf>, path: &Path) {
    list.retain(|p| p != path);
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
        assert!(check_writable(&missing).is_err() && check_writable(folder.path()).is_err());
        assert!(write_atomically(folder.path(), b"x").is_err());
        check_writable(&path).unwrap();
        drop(WholeFile::create(&path).unwrap());
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_and_modes_are_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mode = |name: &str| std::fs::metadata(at(name)).unwrap().permissions().mode() & 0o777;
        std::fs::create_dir(at("deep")).unwrap();
        std::fs::write(at("deep/target"), "old").unwrap();
        std::fs::set_permissions(at("deep/target"), std::fs::Permissions::from_mode(0o640)).unwrap();
        symlink("deep/target", at("link")).unwrap();
        symlink("link", at("link-to-link")).unwrap();
        write_atomically(&at("link-to-link"), b"new").unwrap();
        assert!(std::fs::symlink_metadata(at("link")).unwrap().is_symlink());
        assert_eq!(std::fs::read(at("deep/target")).unwrap(), b"new");
        assert_eq!(mode("deep/target"), 0o640);
        // A link to nothing yet: its target comes into being.
        symlink("deep/later", at("dangling")).unwrap();
        write_atomically(&at("dangling"), b"x").unwrap();
        assert_eq!(std::fs::read(at("deep/later")).unwrap(), b"x");
        // A new file has the mode that any program would give it.
        std::fs::write(at("plain"), "").unwrap();
        assert_eq!(mode("deep/later"), mode("plain"));
        symlink("circle", at("circle")).unwrap();
        assert!(write_atomically(&at("circle"), b"x").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_written_through() {
        use std::os::unix::fs::FileTypeExt;
        write_atomically(Path::new("/dev/null"), b"gone").unwrap();
        assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }

    #[test]
    fn unfinished_files_can_be_removed() {
        let folder = tempfile::tempdir().unwrap();
        let file = WholeFile::create(&folder.path().join("x")).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        let Some(Destination::Temporary { file: temporary, .. }) = &file.to else { panic!("not temporary") };
        let path = temporary.get_ref().path().to_path_buf();
        // Not all of them: tests run beside each other.
        assert!(unfinished().contains(&path));
        drop(file);
        assert!(!unfinished().contains(&path));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
