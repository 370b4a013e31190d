//! Tables, JSON, CSV and number formats: plain text that reads well without colour.

use crate::signals::saving;
use comfy_table::{CellAlignment, Table, presets};
use protea::Error;
use protea::io::{check_writable, write_atomically};
use std::borrow::Cow;
use std::error::Error as _;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Writes text for people to standard output.
pub fn print(text: &str) -> std::io::Result<()> {
    write(shown(text).as_bytes())
}

/// Writes bytes for programs to standard output; on a terminal, they are text for people.
pub fn print_bytes(bytes: &[u8]) -> std::io::Result<()> {
    match std::str::from_utf8(bytes) {
        Ok(text) if std::io::stdout().is_terminal() => print(text),
        _ => write(bytes),
    }
}

fn write(bytes: &[u8]) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// The text with control characters as one would type them, such as `\u{1b}`: names come from files of others, and must not
/// steer a terminal. Line breaks and tabs stay.
pub fn shown(text: &str) -> Cow<'_, str> {
    let steers = |c: char| match c {
        '\n' | '\t' => false,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    };
    if !text.contains(steers) {
        return text.into();
    }
    text.chars().map(|c| if steers(c) { c.escape_unicode().to_string() } else { c.to_string() }).collect()
}

/// Writes bytes to a file, whole or not at all, or to standard output.
pub fn write_or_print(path: Option<&Path>, bytes: &[u8]) -> anyhow::Result<()> {
    match path {
        Some(path) => Ok(saving(|| write_atomically(path, bytes))?),
        None => Ok(print_bytes(bytes)?),
    }
}

/// Refuses a place where the result, a model or page, could not be saved later, or that is one of the inputs; without a place,
/// the result is printed.
pub fn check_output(path: Option<&Path>, what: &str, inputs: &[&Path]) -> Result<(), Error> {
    let Some(path) = path else { return Ok(()) };
    let refuse =
        |problem: String| Err(Error::file(path, format!("the {what} cannot be saved there: {problem}")));
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if path == Path::new("-") {
        return refuse("it must be a file".into());
    }
    if path.is_dir() {
        return refuse("it is a folder".into());
    }
    if !folder.is_dir() {
        return refuse(format!("there is no folder {}", folder.display()));
    }
    if let Some(input) = inputs.iter().find(|input| same_file(path, input)) {
        let name =
            if *input == Path::new("-") { "standard input".into() } else { input.display().to_string() };
        return refuse(format!("it is {name}, one of the inputs; name another file"));
    }
    saving(|| check_writable(path)).or_else(|e| {
        match e.source().and_then(|e| e.downcast_ref::<std::io::Error>()) {
            Some(cause) if cause.kind() == std::io::ErrorKind::Other => refuse(cause.to_string()),
            Some(cause) => refuse(std::io::Error::from(cause.kind()).to_string()),
            None => Err(e),
        }
    })
}

/// Refuses two outputs of a command, a model and a page, that are one file.
pub fn check_different(model: Option<&Path>, page: Option<&Path>) -> Result<(), Error> {
    let (Some(model), Some(page)) = (model, page) else { return Ok(()) };
    let full = |path: &Path| {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let new = || Some(folder.canonicalize().ok()?.join(path.file_name()?));
        path.canonicalize().ok().or_else(new)
    };
    let special = |path: &Path| path.exists() && !path.is_file();
    if !special(model) && (same_file(model, page) || full(model) == full(page)) {
        let problem = "the model and the page cannot both be saved there; name another file for one of them";
        return Err(Error::file(model, problem));
    }
    Ok(())
}

/// The paths that are given, for [`check_output`].
pub fn given<'a>(paths: &[Option<&'a PathBuf>]) -> Vec<&'a Path> {
    paths.iter().flatten().map(|p| p.as_path()).collect()
}

/// Whether two paths name one regular file, by whatever links; `-` is standard input.
fn same_file(output: &Path, input: &Path) -> bool {
    let input = if input == Path::new("-") { Path::new("/dev/stdin") } else { input };
    matches!((identity(output), identity(input)), (Some(a), Some(b)) if a == b)
}

/// Device and number of a regular file.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let found = std::fs::metadata(path).ok().filter(|m| m.is_file())?;
    Some((found.dev(), found.ino()))
}

/// The one path of a regular file.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<std::path::PathBuf> {
    std::fs::canonicalize(path).ok().filter(|p| p.is_file())
}

/// Writes one JSON document to standard output.
pub fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    Ok(print(&(serde_json::to_string_pretty(value)? + "\n"))?)
}

/// Lines of `name  value`, values in one column.
pub fn pairs(pairs: &[(&str, String)]) -> String {
    let width = pairs.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    pairs.iter().map(|(name, value)| format!("{name:width$}  {value}\n")).collect()
}

/// A plain table; the first `text` columns are left-aligned, the others, numbers, right-aligned.
pub fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>, text: usize) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header.to_vec()).add_rows(rows);
    for (j, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if j >= text {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt() + "\n"
}

/// Rows of fields as CSV, quoted where needed.
pub fn csv(header: Vec<String>, rows: impl IntoIterator<Item = Vec<String>>) -> anyhow::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&header)?;
    for row in rows {
        writer.write_record(&row)?;
    }
    Ok(writer.into_inner()?)
}

/// `83 bytes to predict with, 5.1 kB in the file`, as far as the file can be measured.
pub fn sizes(bytes: usize, file: &Path) -> String {
    let needed = format!("{} to predict with", size(bytes as u64));
    file_size(file).map_or(needed.clone(), |in_file| format!("{needed}, {} in the file", size(in_file)))
}

/// Bytes of a regular file.
pub fn file_size(file: &Path) -> Option<u64> {
    std::fs::metadata(file).ok().filter(|m| m.is_file()).map(|m| m.len())
}

/// `83 bytes`, `5.1 kB`, `43 MB`.
fn size(bytes: u64) -> String {
    let scaled = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)].into_iter().find(|(_, unit)| bytes as f64 >= *unit);
    match scaled {
        Some((name, unit)) if (bytes as f64) < 10.0 * unit => format!("{:.1} {name}", bytes as f64 / unit),
        Some((name, unit)) => format!("{:.0} {name}", bytes as f64 / unit),
        None => format!("{bytes} bytes"),
    }
}

/// `4.52 %`.
pub fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

/// Seconds or microseconds with three digits that matter.
pub fn short(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 0.1 => format!("{v:.2}"),
        v => format!("{v:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_steer_a_terminal() {
        assert_eq!(shown("a\tb\nγ é 漢"), "a\tb\nγ é 漢");
        assert_eq!(
            shown("\u{1b}[31mred\u{7}\u{9b}\u{202e}x\r"),
            "\\u{1b}[31mred\\u{7}\\u{9b}\\u{202e}x\\u{d}"
        );
    }
}
