//! Tables, JSON, CSV and number formats: plain text that reads well without colour.

use comfy_table::{CellAlignment, Table, presets};
use protea::Error;
use std::io::Write;
use std::path::Path;

/// Writes text to standard output.
pub fn print(text: &str) -> std::io::Result<()> {
    print_bytes(text.as_bytes())
}

/// Writes bytes to standard output.
pub fn print_bytes(bytes: &[u8]) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Writes bytes to a file, whole or not at all, or to standard output.
pub fn write_or_print(path: Option<&Path>, bytes: &[u8]) -> anyhow::Result<()> {
    match path {
        Some(path) => Ok(protea::io::write_atomically(path, bytes)?),
        None => Ok(print_bytes(bytes)?),
    }
}

/// Refuses a place where the result, a model or page, could not be saved later.
pub fn check_writable(path: &Path, what: &str) -> Result<(), Error> {
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
    match tempfile::Builder::new().prefix(".protea-").tempfile_in(folder) {
        Ok(_) => Ok(()),
        Err(e) => refuse(std::io::Error::from(e.kind()).to_string()),
    }
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
