//! Rows of results on their way out, as CSV, JSON, JSON lines or Parquet, some at a time.

use crate::output::shown;
use anyhow::Result;
use protea::Error;
use protea::io::{Cell, ParquetType, ParquetWriter, WholeFile};
use serde_json::Value;
use std::io::{IsTerminal, Write};
use std::path::Path;

/// What rows are written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowFormat {
    Csv,
    /// One array of objects.
    Json,
    /// One object a line.
    JsonLines,
    Parquet,
}

impl RowFormat {
    /// The format that the ending of a file names; CSV, or JSON with `--json`, without an ending.
    pub fn of(path: Option<&Path>, json: bool) -> Result<Self, Error> {
        let plain = if json { RowFormat::Json } else { RowFormat::Csv };
        let Some(path) = path else { return Ok(plain) };
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let found = match ending.as_deref() {
            None => return Ok(plain),
            Some("csv") => RowFormat::Csv,
            Some("json") => RowFormat::Json,
            Some("jsonl" | "ndjson") => RowFormat::JsonLines,
            Some("parquet") => RowFormat::Parquet,
            Some(_) => {
                let expected = "a name that ends in .csv, .json, .jsonl or .parquet, or has no ending";
                return Err(Error::setting("output", path.display(), expected));
            }
        };
        if json && !matches!(found, RowFormat::Json | RowFormat::JsonLines) {
            let expected = "a name that ends in .json or .jsonl, with --json";
            return Err(Error::setting("output", path.display(), expected));
        }
        Ok(found)
    }

    /// Whether rows are objects rather than cells.
    pub fn has_objects(self) -> bool {
        matches!(self, RowFormat::Json | RowFormat::JsonLines)
    }
}

/// One row, in the form that its format takes.
pub enum Row {
    /// For CSV and Parquet, one for each column.
    Cells(Vec<Cell>),
    /// For JSON.
    Object(Value),
}

/// Where rows go.
enum Sink {
    File(WholeFile),
    Output,
    /// Standard output that a person looks at.
    Terminal,
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Sink::File(file) => file.write(bytes),
            Sink::Output => std::io::stdout().write(bytes),
            Sink::Terminal => {
                std::io::stdout().write_all(shown(&String::from_utf8_lossy(bytes)).as_bytes())?;
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Sink::File(file) => file.flush(),
            _ => std::io::stdout().flush(),
        }
    }
}

enum Writer {
    Csv(Box<csv::Writer<Sink>>),
    /// An array that has so many objects already.
    Json(std::io::BufWriter<Sink>, usize),
    JsonLines(std::io::BufWriter<Sink>),
    Parquet(Box<ParquetWriter<Sink>>),
}

/// Writes rows of named columns to a file, which appears whole or not at all, or to standard output.
pub struct RowWriter {
    writer: Writer,
    /// Whether somebody may be waiting for each row.
    live: bool,
}

impl RowWriter {
    /// Opens the place and writes what comes before the first row.
    pub fn create(path: Option<&Path>, format: RowFormat, columns: &[(String, ParquetType)]) -> Result<Self> {
        let live = path.is_none_or(|p| !p.is_file());
        let sink = match path {
            Some(path) => Sink::File(WholeFile::create(path)?),
            None if std::io::stdout().is_terminal() => Sink::Terminal,
            None => Sink::Output,
        };
        let writer = match format {
            RowFormat::Csv => {
                let mut writer = csv::Writer::from_writer(sink);
                writer.write_record(columns.iter().map(|(name, _)| name))?;
                Writer::Csv(Box::new(writer))
            }
            RowFormat::Json => Writer::Json(std::io::BufWriter::new(sink), 0),
            RowFormat::JsonLines => Writer::JsonLines(std::io::BufWriter::new(sink)),
            RowFormat::Parquet => Writer::Parquet(Box::new(ParquetWriter::new(sink, columns)?)),
        };
        Ok(RowWriter { writer, live })
    }

    /// Writes one row.
    pub fn row(&mut self, row: Row) -> Result<()> {
        match (&mut self.writer, row) {
            (Writer::Csv(writer), Row::Cells(cells)) => Ok(writer.write_record(cells.iter().map(cell_text))?),
            (Writer::Parquet(writer), Row::Cells(cells)) => Ok(writer.row(cells)?),
            (Writer::Json(writer, count), Row::Object(object)) => {
                writer.write_all(if *count == 0 { b"[" } else { b",\n" })?;
                *count += 1;
                Ok(serde_json::to_writer(writer, &object)?)
            }
            (Writer::JsonLines(writer), Row::Object(object)) => {
                serde_json::to_writer(&mut *writer, &object)?;
                Ok(writer.write_all(b"\n")?)
            }
            _ => unreachable!("RowFormat::has_objects decides what rows are"),
        }
    }

    /// Lets readers of a pipe see what has been written so far.
    pub fn flush(&mut self) -> Result<()> {
        if self.live {
            match &mut self.writer {
                Writer::Csv(writer) => writer.flush()?,
                Writer::Json(writer, _) | Writer::JsonLines(writer) => writer.flush()?,
                Writer::Parquet(_) => {}
            }
        }
        Ok(())
    }

    /// Writes what comes after the last row, and puts the file in its place.
    pub fn finish(self) -> Result<()> {
        let sink = match self.writer {
            Writer::Csv(writer) => writer.into_inner().map_err(|e| e.into_error())?,
            Writer::Json(mut writer, count) => {
                writer.write_all(if count == 0 { b"[]\n" } else { b"]\n" })?;
                writer.into_inner().map_err(|e| e.into_error())?
            }
            Writer::JsonLines(writer) => writer.into_inner().map_err(|e| e.into_error())?,
            Writer::Parquet(writer) => writer.finish()?,
        };
        match sink {
            Sink::File(file) => Ok(file.finish()?),
            _ => Ok(std::io::stdout().flush()?),
        }
    }
}

fn cell_text(cell: &Cell) -> String {
    match cell {
        Cell::Missing => String::new(),
        Cell::Text(text) => text.clone(),
        Cell::Number(number) => number.to_string(),
        Cell::Integer(number) => number.to_string(),
        Cell::Boolean(value) => value.to_string(),
    }
}
