//! [`Format`]: how a format is told by the first bytes of a file, and its reader. A new one is a file and a line in
//! [`formats`].

use super::limit::Limit;
use super::{ReadOptions, arff, csv, detect, idx, jsonl, libsvm, lvq_pak, npy};
use crate::data::Table;
use crate::{Float, Result};

/// One format.
#[derive(Debug, Clone, Copy)]
pub struct Format<F> {
    /// What people call it.
    pub name: &'static str,
    /// Whether unpacked bytes are in this format, by their beginning.
    pub looks_like: fn(&[u8]) -> bool,
    /// Reads a file in this format.
    pub read: fn(Input) -> Result<Table<F>>,
}

/// A file in memory, unpacked.
#[derive(Debug)]
pub struct Input<'a> {
    /// What messages call it.
    pub source: &'a str,
    /// Its content.
    pub bytes: Vec<u8>,
    /// What its content does not say.
    pub options: &'a ReadOptions,
    /// How much memory it may take.
    pub limit: Limit,
}

impl Input<'_> {
    /// The content as text without byte order mark.
    pub(super) fn text(&self) -> Result<&str> {
        detect::text(self.source, &self.bytes)
    }
}

/// All formats. The first that looks like the file reads it; the last, delimited text, is taken for anything else.
pub fn formats<F: Float>() -> Vec<Format<F>> {
    vec![
        #[cfg(feature = "parquet")]
        super::parquet::format(),
        #[cfg(not(feature = "parquet"))]
        absent_parquet(),
        idx::format(),
        npy::format(),
        npy::archive_format(),
        arff::format(),
        jsonl::format(),
        libsvm::format(),
        lvq_pak::format(),
        csv::format(),
    ]
}

/// Whether the bytes start as Parquet does.
pub(super) fn is_parquet(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PAR1") || bytes.starts_with(b"PARE")
}

#[cfg(not(feature = "parquet"))]
fn absent_parquet<F>() -> Format<F> {
    let read = |input: Input| {
        let problem = "is a Parquet file, but protea was built without its feature `parquet`";
        Err(crate::Error::file(input.source, problem))
    };
    Format { name: "Parquet", looks_like: is_parquet, read }
}

/// Reads bytes in a format, whatever they look like.
#[cfg(test)]
pub(super) fn read_as<F: Float>(
    format: Format<F>,
    source: &str,
    bytes: impl AsRef<[u8]>,
) -> Result<Table<F>> {
    let options = ReadOptions::default();
    let bytes = bytes.as_ref().to_vec();
    (format.read)(Input { source, limit: Limit::new(bytes.len(), &options), bytes, options: &options })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides() {
        let name = |bytes: &[u8]| formats::<f32>().into_iter().find(|f| (f.looks_like)(bytes)).unwrap().name;
        assert_eq!(name(b"PAR1...PAR1"), "Parquet");
        assert_eq!(name(b"\x93NUMPY\x01\x00"), "NPY");
        assert_eq!(name(b"PK\x03\x04"), "NPZ");
        assert_eq!(name(&[0, 0, 8, 3, 0, 0, 0, 1]), "IDX");
        assert_eq!(name(b"% a comment\n\n@RELATION x\n"), "ARFF");
        assert_eq!(name(b"# c\n+1 1:0.5 3:2\n-1\n"), "LIBSVM");
        assert_eq!(name(b"# c\n2 lvq\n0.5 1 oak\n"), "LVQ_PAK");
        assert_eq!(name(b"\xef\xbb\xbf\n{\"a\": 1}\n"), "JSON lines");
        assert_eq!(name(b"a,b\n1,2\n"), "delimited text");
        assert_eq!(name(b"{a},b\n1,2\n"), "delimited text");
        assert_eq!(name(b""), "delimited text");
    }
}
