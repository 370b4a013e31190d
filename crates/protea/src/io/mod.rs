//! Reading tables: one file per format, all recognised by content and never by file name. Writing files whole.
//!
//! | format | told by | labels |
//! |---|---|---|
//! | [Parquet](parquet) | `PAR1` at both ends | a column |
//! | [IDX](idx) | two zero bytes, a type, a number of dimensions | a separate file |
//! | [NPY, NPZ](npy) | `\x93NUMPY`, a zip archive | a column, a separate file, or `y` in the archive |
//! | [ARFF](arff) | `@relation` | a column |
//! | [JSON lines](jsonl) | `{"name": …` | a column |
//! | [LIBSVM](libsvm) | `label index:value …` | the first field |
//! | [LVQ_PAK](lvq_pak) | a dimension above rows that fit it | the last field |
//! | [CSV, TSV and other delimited text](csv) | anything else that is text | a column |
//!
//! Each may be compressed with gzip. The readers give a [`Table`]; a [`Schema`] turns it into numbers:
//!
//! ```
//! use protea::data::{SchemaOptions, learn};
//! use protea::io::{ReadOptions, read_bytes};
//! let text = b"length,colour,class\n1.5,red,a\n2.5,blue,b\n".to_vec();
//! let table = read_bytes::<f32>("flowers.csv", text, &ReadOptions::default())?;
//! let data = learn(table, &SchemaOptions::default())?.data;
//! assert_eq!(data.features, ["length", "colour=blue", "colour=red"]);
//! assert_eq!(data.classes, ["a", "b"]);
//! # Ok::<(), protea::Error>(())
//! ```

pub mod arff;
mod atomic;
pub mod csv;
mod detect;
mod format;
pub mod idx;
pub mod jsonl;
pub mod libsvm;
mod limit;
pub mod lvq_pak;
pub mod npy;
#[cfg(feature = "parquet")]
pub mod parquet;
#[cfg(feature = "parquet")]
mod parquet_write;
mod zip;

pub use atomic::{WholeFile, check_writable, is_standard_output, remove_unfinished, write_atomically};
pub use format::{Format, Input, formats};
pub use limit::Limit;
#[cfg(feature = "parquet")]
pub use parquet_write::{Cell, ParquetType, ParquetWriter};

use crate::data::{Body, Column, Learned, Schema, SchemaOptions, Table, class_name, learn};
use crate::{Error, Float, Result};
use std::io::Read;
use std::path::{Path, PathBuf};

/// How to read a file whose content does not say it all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadOptions {
    /// Whether the first row of delimited text names the columns; guessed when absent.
    pub header: Option<bool>,
    /// Field delimiter of delimited text; guessed when absent. A space stands for runs of white space.
    pub delimiter: Option<u8>,
    /// A file of one column, in any of the formats, that holds the labels.
    pub labels: Option<PathBuf>,
    /// Lines of delimited text that start with this character are skipped.
    pub comment: Option<u8>,
    /// Whether the indices of LIBSVM start at 0; a file that uses the index 0 is read so in any case.
    pub zero_based: bool,
    /// Names of columns that the file is expected to have: a first row of delimited text that holds them is a header.
    pub names: Vec<String>,
    /// Whether rows of delimited text with a wrong number of fields are kept as [`Table::unreadable`].
    pub keep_going: bool,
    /// Columns whose values are also given as the file has them, in [`Table::written`].
    pub written: WrittenColumns,
    /// Bytes of memory that a file may take; 64 MiB and twenty times its size when absent. Formats that hold every value
    /// need no limit.
    pub max_memory: Option<u64>,
}

/// Columns whose values are also given as the file has them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum WrittenColumns {
    /// None.
    #[default]
    None,
    /// All.
    All,
    /// Those of these names.
    Named(Vec<String>),
}

impl WrittenColumns {
    /// Whether a column is among them.
    fn has(&self, name: &str) -> bool {
        match self {
            WrittenColumns::None => false,
            WrittenColumns::All => true,
            WrittenColumns::Named(names) => names.iter().any(|n| n == name),
        }
    }
}

impl ReadOptions {
    /// The same for a file that a schema is applied to: its names tell a header.
    pub fn for_schema(self, schema: &Schema) -> Self {
        let names =
            if schema.named { schema.columns.iter().map(|c| c.name.clone()).collect() } else { Vec::new() };
        ReadOptions { names, ..self }
    }
}

/// Reads a file, or standard input for `-`.
///
/// IDX images named `…images-idx3…` find their labels in the file beside them named `…labels-idx1…`, unless
/// [`ReadOptions::labels`] names another.
pub fn read_table<F: Float>(path: &Path, options: &ReadOptions) -> Result<Table<F>> {
    let bytes = read_whole(path)?;
    let mut options = options.clone();
    options.labels = options.labels.or_else(|| idx::sibling_labels(path));
    let source = if path == Path::new("-") { "standard input".into() } else { path.display().to_string() };
    read_bytes(&source, bytes, &options)
}

/// Reads a file that is in memory; `source` is what messages call it.
pub fn read_bytes<F: Float>(source: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Table<F>> {
    let mut table = read_any(source, bytes, options)?;
    if table.rows() == 0 || table.columns() == 0 {
        return Err(Error::file(source, "holds no rows"));
    }
    if let Some(path) = &options.labels {
        table.labels = Some(read_labels(path, options, table.rows(), source)?);
    }
    Ok(table)
}

/// Reads a training file and learns its schema on the way.
pub fn read<F: Float>(path: &Path, options: &ReadOptions, schema: &SchemaOptions) -> Result<Learned<F>> {
    learn(read_table(path, options)?, schema)
}

fn read_whole(path: &Path) -> Result<Vec<u8>> {
    let unreadable = |e: std::io::Error| Error::file(path, format!("cannot be read: {e}")).because(e);
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map_err(unreadable)?;
        return Ok(bytes);
    }
    std::fs::read(path).map_err(unreadable)
}

fn read_any<F: Float>(source: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Table<F>> {
    let limit = Limit::new(bytes.len(), options);
    let bytes = detect::unpack(source, bytes, limit)?;
    if bytes.is_empty() {
        return Err(Error::file(source, "is empty"));
    }
    let formats = formats::<F>();
    let format = formats.iter().find(|f| (f.looks_like)(&bytes));
    let format = format.ok_or_else(|| Error::file(source, "is in none of the formats that can be read"))?;
    (format.read)(Input { source, bytes, options, limit })
}

/// The labels in a separate file, one for each of `rows` samples of `samples`.
///
/// Whether a column of names has a header cannot always be told from the column alone, so the number of samples
/// decides where the guess does not fit it.
fn read_labels(path: &Path, options: &ReadOptions, rows: usize, samples: &str) -> Result<Vec<String>> {
    let source = path.display().to_string();
    let bytes = read_whole(path)?;
    let guesses: &[Option<bool>] =
        if options.header.is_some() { &[None] } else { &[None, Some(false), Some(true)] };
    let mut found = 0;
    for &guess in guesses {
        let header = guess.or(options.header);
        let options = ReadOptions { header, labels: None, names: Vec::new(), ..options.clone() };
        let table = read_any::<f64>(&source, bytes.clone(), &options)?;
        if table.columns() != 1 {
            let columns = table.columns();
            return Err(Error::file(path, format!("holds {columns} columns, but labels are one column")));
        }
        if table.rows() == rows {
            return single_column(&table);
        }
        found = if guess.is_none() { table.rows() } else { found };
    }
    Err(Error::file(path, format!("holds {found} labels, but {samples} holds {rows} samples")))
}

/// A column of labels as text.
fn single_column(table: &Table<f64>) -> Result<Vec<String>> {
    let name = |i: usize| match &table.body {
        Body::Dense(x) => Some(x[[i, 0]]).filter(|v| !v.is_nan()).map(class_name),
        Body::Columns(columns) => match columns.first()? {
            Column::Number(v) => Some(v[i]).filter(|v| !v.is_nan()).map(class_name),
            Column::Text { levels, codes } => codes[i].map(|c| levels[c as usize].clone()),
        },
    };
    let missing = |i| Error::cell(&table.source, table.line(i), &table.names[0], "the label is missing");
    (0..table.rows()).map(|i| name(i).ok_or_else(|| missing(i))).collect()
}
