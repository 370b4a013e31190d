//! Reading tables: one file per format, all recognised by content and never by file name. Writing files whole.
//!
//! | format | told by | labels |
//! |---|---|---|
//! | [Parquet](parquet) | `PAR1` at both ends | a column |
//! | [IDX](idx) | two zero bytes, a type, a number of dimensions | a separate file |
//! | [NPY, NPZ](npy) | `\x93NUMPY`, a zip archive | a column, a separate file, or `y` in the archive |
//! | [ARFF](arff) | `@relation` | a column |
//! | [LIBSVM](libsvm) | `label index:value …` | the first field |
//! | [LVQ_PAK](lvq_pak) | a dimension above rows that fit it | the last field |
//! | [CSV, TSV and other delimited text](csv) | anything else that is text | a column |
//!
//! Each may be compressed with gzip. The readers give a [`Table`]; a [`Schema`] turns it into numbers:
//!
//! ```
//! use protea::data::{LabelSpec, Missing, Schema};
//! use protea::io::{ReadOptions, read_bytes};
//! let text = b"length,colour,class\n1.5,red,a\n2.5,blue,b\n".to_vec();
//! let table = read_bytes::<f32>("flowers.csv", text, &ReadOptions::default())?;
//! let schema = Schema::learn(&table, &LabelSpec::Auto, Missing::Reject)?;
//! let data = schema.dataset(table)?;
//! assert_eq!(data.features, ["length", "colour=blue", "colour=red"]);
//! assert_eq!(data.classes, ["a", "b"]);
//! # Ok::<(), protea::Error>(())
//! ```

pub mod arff;
mod atomic;
pub mod csv;
pub mod detect;
pub mod idx;
pub mod libsvm;
pub mod lvq_pak;
pub mod npy;
#[cfg(feature = "parquet")]
pub mod parquet;
mod zip;

pub use atomic::write_atomically;

use crate::data::{Body, Column, LabelSpec, Missing, Schema, Table, class_name};
use crate::{Dataset, Error, Float, Result};
use detect::Format;
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
}

/// Values of a dense table made from a sparse or a hostile file: beyond this it is refused.
pub(crate) const MAX_VALUES: usize = 1 << 30;

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
pub fn read<F: Float>(
    path: &Path,
    options: &ReadOptions,
    label: &LabelSpec,
    missing: Missing,
) -> Result<(Schema, Dataset<F>)> {
    let table = read_table(path, options)?;
    let schema = Schema::learn(&table, label, missing)?;
    let data = schema.dataset(table)?;
    Ok((schema, data))
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
    let bytes = detect::unpack(source, bytes)?;
    if bytes.is_empty() {
        return Err(Error::file(source, "is empty"));
    }
    match detect::format(&bytes) {
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::read(source, bytes),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => {
            Err(Error::file(source, "is a Parquet file, but protea was built without its feature `parquet`"))
        }
        Format::Idx => idx::read(source, &bytes),
        Format::Npy => npy::read(source, &bytes),
        Format::Npz => npy::read_archive(source, &bytes),
        Format::Arff => arff::read(source, detect::text(source, &bytes)?),
        Format::Libsvm => libsvm::read(source, detect::text(source, &bytes)?),
        Format::LvqPak => lvq_pak::read(source, detect::text(source, &bytes)?),
        Format::Delimited => csv::read(source, detect::text(source, &bytes)?, options),
    }
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
    for &header in guesses {
        let options =
            ReadOptions { header: header.or(options.header), delimiter: options.delimiter, labels: None };
        let table = read_any::<f64>(&source, bytes.clone(), &options)?;
        if table.columns() != 1 {
            let columns = table.columns();
            return Err(Error::file(path, format!("holds {columns} columns, but labels are one column")));
        }
        if table.rows() == rows {
            return single_column(&table);
        }
        found = if header.is_none() { table.rows() } else { found };
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
