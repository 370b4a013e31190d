//! Unpacking gzip and telling formats apart by their first bytes.

use super::{libsvm, lvq_pak};
use crate::{Error, Result};
use flate2::read::MultiGzDecoder;
use std::io::Read;

/// The formats that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Columns with types and statistics.
    Parquet,
    /// The format of the MNIST files.
    Idx,
    /// One NumPy array.
    Npy,
    /// A zip archive of NumPy arrays.
    Npz,
    /// Weka's attribute-relation file format.
    Arff,
    /// Sparse text, `label index:value …`.
    Libsvm,
    /// Data and codebooks of Kohonen's programs.
    LvqPak,
    /// CSV, TSV and the like.
    Delimited,
}

/// More bytes than this in a compressed file are refused.
const MAX_UNPACKED: u64 = 1 << 34;

/// Which format the (unpacked) bytes are in; what fits none of the others is taken for delimited text.
pub fn format(bytes: &[u8]) -> Format {
    match bytes {
        [b'P', b'A', b'R', b'1' | b'E', ..] => Format::Parquet,
        [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Format::Npy,
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Format::Npz,
        [0, 0, 0x08 | 0x09 | 0x0b..=0x0e, ..] => Format::Idx,
        _ if is_arff(bytes) => Format::Arff,
        _ if libsvm::looks_like(bytes) => Format::Libsvm,
        _ if lvq_pak::looks_like(bytes) => Format::LvqPak,
        _ => Format::Delimited,
    }
}

/// Decompresses gzip, also of several members, and passes on everything else.
pub fn unpack(source: &str, bytes: Vec<u8>) -> Result<Vec<u8>> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(bytes);
    }
    // The last four bytes are the size before compression (of the last member, modulo 2³²); deflate cannot
    // shrink by more than about 1:1032, which bounds what a forged size can make us reserve.
    let tail = bytes.last_chunk::<4>().map_or(0, |b| u32::from_le_bytes(*b) as usize);
    let mut unpacked = Vec::with_capacity(tail.min(bytes.len().saturating_mul(1032)).min(1 << 30));
    match MultiGzDecoder::new(&bytes[..]).take(MAX_UNPACKED + 1).read_to_end(&mut unpacked) {
        Ok(_) if unpacked.len() as u64 > MAX_UNPACKED => {
            Err(Error::file(source, "unpacks to more than 16 GiB; split it into smaller files"))
        }
        Ok(_) => Ok(unpacked),
        Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => {
            Err(Error::file(source, "is a gzip file that ends too early; copy or download it again"))
        }
        Err(e) => Err(Error::file(source, format!("is a damaged gzip file ({e})")).because(e)),
    }
}

/// The bytes as text without byte order mark.
pub fn text<'a>(source: &str, bytes: &'a [u8]) -> Result<&'a str> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Error::file(source, "is UTF-16 text; save it as UTF-8"));
    }
    let row = |end: usize| 1 + bytes[..end].iter().filter(|&&b| b == b'\n').count();
    if let Some(at) = bytes.iter().position(|&b| b == 0) {
        let problem = "is neither text nor Parquet, IDX, NPY or NPZ: there is a zero byte in row";
        return Err(Error::file(source, format!("{problem} {}", row(at))));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(e) => {
            let row = row(e.valid_up_to());
            Err(Error::file(source, format!("row {row} is not UTF-8 text; save the file as UTF-8")))
        }
    }
}

fn is_arff(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines = bytes.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|l| !l.is_empty() && l[0] != b'%');
    first.and_then(|l| l.get(..9)).is_some_and(|l| l.eq_ignore_ascii_case(b"@relation"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut gz = GzEncoder::new(Vec::new(), Compression::default());
        gz.write_all(bytes).unwrap();
        gz.finish().unwrap()
    }

    #[test]
    fn content_decides() {
        assert_eq!(format(b"PAR1...PAR1"), Format::Parquet);
        assert_eq!(format(b"\x93NUMPY\x01\x00"), Format::Npy);
        assert_eq!(format(b"PK\x03\x04"), Format::Npz);
        assert_eq!(format(&[0, 0, 8, 3, 0, 0, 0, 1]), Format::Idx);
        assert_eq!(format(b"% a comment\n\n@RELATION x\n"), Format::Arff);
        assert_eq!(format(b"# c\n+1 1:0.5 3:2\n-1\n"), Format::Libsvm);
        assert_eq!(format(b"# c\n2 lvq\n0.5 1 oak\n"), Format::LvqPak);
        assert_eq!(format(b"a,b\n1,2\n"), Format::Delimited);
        assert_eq!(format(b""), Format::Delimited);
    }

    #[test]
    fn gzip_may_have_several_members_but_not_end_early() {
        let two = [gzip(b"a,b\n"), gzip(b"1,2\n")].concat();
        assert_eq!(unpack("x", two).unwrap(), b"a,b\n1,2\n");
        let whole = gzip(b"some text that is long enough");
        for end in 2..whole.len() {
            let e = unpack("x.gz", whole[..end].to_vec()).unwrap_err().to_string();
            assert_eq!(e, "x.gz: is a gzip file that ends too early; copy or download it again");
        }
    }

    #[test]
    fn text_must_be_utf8() {
        let e = text("x.csv", b"a\nb\xff\n").unwrap_err().to_string();
        assert_eq!(e, "x.csv: row 2 is not UTF-8 text; save the file as UTF-8");
        assert!(text("x.csv", b"\xff\xfea\0").unwrap_err().to_string().contains("UTF-16"));
        assert!(text("x", b"a\0").unwrap_err().to_string().contains("zero byte in row 1"));
        assert_eq!(text("x", b"\xef\xbb\xbfa").unwrap(), "a");
    }
}
