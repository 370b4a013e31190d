//! Unpacking gzip, and bytes as text.

use super::limit::Limit;
use crate::{Error, Result};
use flate2::read::MultiGzDecoder;
use std::io::Read;

/// Decompresses gzip, also of several members, and passes on everything else.
pub(super) fn unpack(source: &str, bytes: Vec<u8>, limit: Limit) -> Result<Vec<u8>> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(bytes);
    }
    // The last four bytes are the size before compression (of the last member, modulo 2³²); deflate cannot
    // shrink by more than about 1:1032, which bounds what a forged size can make us reserve.
    let tail = bytes.last_chunk::<4>().map_or(0, |b| u32::from_le_bytes(*b) as usize);
    let room = tail.min(bytes.len().saturating_mul(1032)) as u64;
    let mut unpacked = Vec::with_capacity(room.min(limit.bytes()) as usize);
    match MultiGzDecoder::new(&bytes[..]).take(limit.bytes().saturating_add(1)).read_to_end(&mut unpacked) {
        Ok(_) if unpacked.len() as u64 > limit.bytes() => Err(limit.unpacked(source)),
        Ok(_) => Ok(unpacked),
        Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => {
            Err(Error::file(source, "is a gzip file that ends too early; copy or download it again"))
        }
        Err(e) => Err(Error::file(source, format!("is a damaged gzip file ({e})")).because(e)),
    }
}

/// The bytes as text without byte order mark.
pub(super) fn text<'a>(source: &str, bytes: &'a [u8]) -> Result<&'a str> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn limit() -> Limit {
        Limit::new(0, &Default::default())
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut gz = GzEncoder::new(Vec::new(), Compression::default());
        gz.write_all(bytes).unwrap();
        gz.finish().unwrap()
    }

    #[test]
    fn gzip_may_have_several_members_but_not_end_early() {
        let two = [gzip(b"a,b\n"), gzip(b"1,2\n")].concat();
        assert_eq!(unpack("x", two, limit()).unwrap(), b"a,b\n1,2\n");
        let whole = gzip(b"some text that is long enough");
        for end in 2..whole.len() {
            let e = unpack("x.gz", whole[..end].to_vec(), limit()).unwrap_err().to_string();
            assert_eq!(e, "x.gz: is a gzip file that ends too early; copy or download it again");
        }
    }

    #[test]
    fn a_small_file_does_not_unpack_to_a_huge_one() {
        let bomb = gzip(&vec![b'1'; 70 << 20]);
        let e = unpack("x.gz", bomb, limit()).unwrap_err().to_string();
        assert_eq!(e, "x.gz: unpacks to more than the 67 MB that are allowed; raise the memory limit");
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
