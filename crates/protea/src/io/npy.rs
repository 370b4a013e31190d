//! NPY and NPZ: arrays saved by NumPy.
//!
//! An NPY file is one array: rows are samples, dimensions after the first are flattened into features, and one
//! dimension alone is a column of labels. Element types are booleans, integers and floats of any width and byte
//! order, in C or Fortran order, and text of fixed length (`U`, `S`) for labels.
//!
//! An NPZ archive holds several: the samples are the array `X`, `x`, `data`, `features` or `arr_0`, the labels `y`,
//! `labels`, `label`, `target` or `arr_1`, in this order of preference.

use super::{Format, Input, single_column, zip};
use crate::data::{Body, Table, TextBuilder, is_rounded, number};
use crate::{Error, Float, Result};
use ndarray::Array2;

const SAMPLES: [&str; 5] = ["X", "x", "data", "features", "arr_0"];
const LABELS: [&str; 5] = ["y", "labels", "label", "target", "arr_1"];

/// The format of one array.
pub(super) fn format<F: Float>() -> Format<F> {
    let read = |input: Input| read(input.source, &input.bytes);
    Format { name: "NPY", looks_like: |bytes| bytes.starts_with(b"\x93NUMPY"), read }
}

/// The format of an archive.
pub(super) fn archive_format<F: Float>() -> Format<F> {
    let looks_like = |bytes: &[u8]| bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06");
    Format { name: "NPZ", looks_like, read: read_archive }
}

/// Reads one array.
fn read<F: Float>(source: &str, bytes: &[u8]) -> Result<Table<F>> {
    let (header, data) = Header::parse(source, bytes)?;
    let rows = header.shape[0];
    let columns = header.shape[1..].iter().product::<usize>();
    let mut rounded = Vec::new();
    let body = match header.kind {
        b'U' | b'S' => text_column(source, &header, data)?,
        _ => {
            let (x, rounds) = dense(source, &header, data, rows, columns)?;
            rounded.extend((0..columns).filter(|&j| rounds[j]));
            Body::Dense(x)
        }
    };
    Ok(Table { rounded, ..Table::new(source, body) })
}

/// Reads samples and, if there are any, labels from an archive.
fn read_archive<F: Float>(input: Input) -> Result<Table<F>> {
    let (source, limit) = (input.source, input.limit);
    let members = zip::members(source, &input.bytes)?;
    let find = |names: &[&str]| {
        let is = |m: &zip::Member, name: &str| m.name.strip_suffix(".npy").unwrap_or(&m.name) == name;
        names.iter().find_map(|name| members.iter().find(|m| is(m, name)))
    };
    let Some(samples) = find(&SAMPLES) else {
        let names: Vec<&str> = members.iter().take(20).map(|m| m.name.as_str()).collect();
        let (wanted, found) = (SAMPLES.join(", "), names.join(", "));
        return Err(Error::file(source, format!("holds no array named {wanted}; it holds {found}")));
    };
    let mut table = read::<F>(source, &samples.bytes(source, limit)?)?;
    if let Some(labels) = find(&LABELS) {
        let labels =
            read::<f64>(&format!("{source}, array {:?}", labels.name), &labels.bytes(source, limit)?)?;
        if labels.columns() != 1 || labels.rows() != table.rows() {
            let (rows, columns, samples) = (labels.rows(), labels.columns(), table.rows());
            let problem =
                format!("holds {rows} × {columns} values, expected one label for each of {samples} samples");
            return Err(Error::file(&labels.source, problem));
        }
        table.labels = Some(single_column(&labels)?);
        table.labels_apart = true;
    }
    Ok(table)
}

/// One array to be written.
#[derive(Debug, Clone, Copy)]
pub enum NpyValues<'a, F> {
    /// Numbers of the model's type.
    Floats(&'a [F]),
    /// Numbers in 64 bits.
    Wide(&'a [f64]),
    /// Indices.
    Indices(&'a [usize]),
    /// Whole numbers that fit this many bytes: 1, 2 or 4.
    Rounded(usize, &'a [i32]),
    /// Texts.
    Texts(&'a [String]),
}

/// An NPY file of values in this shape.
pub fn write<F: Float>(values: NpyValues<F>, shape: &[usize]) -> Vec<u8> {
    let (descr, bytes): (String, Vec<u8>) = match values {
        NpyValues::Floats(v) if F::NAME == "f32" => {
            ("<f4".into(), v.iter().flat_map(|v| (v.f64() as f32).to_le_bytes()).collect())
        }
        NpyValues::Floats(v) => ("<f8".into(), v.iter().flat_map(|v| v.f64().to_le_bytes()).collect()),
        NpyValues::Wide(v) => ("<f8".into(), v.iter().flat_map(|v| v.to_le_bytes()).collect()),
        NpyValues::Indices(v) => ("<i8".into(), v.iter().flat_map(|&v| (v as i64).to_le_bytes()).collect()),
        NpyValues::Rounded(width, v) => {
            (format!("<i{width}"), v.iter().flat_map(|v| v.to_le_bytes().into_iter().take(width)).collect())
        }
        NpyValues::Texts(v) => {
            // UTF-32, padded with zeros to the longest.
            let width = v.iter().map(|t| t.chars().count()).max().unwrap_or(0).max(1);
            let padded =
                |t: &String| t.chars().map(u32::from).chain(std::iter::repeat(0)).take(width).collect();
            let units = v.iter().flat_map(|t| -> Vec<u32> { padded(t) });
            (format!("<U{width}"), units.flat_map(u32::to_le_bytes).collect())
        }
    };
    let shape: String = shape.iter().map(|n| format!("{n}, ")).collect();
    let mut header =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({}), }}", shape.trim_end());
    // Magic, version, length and header end at a multiple of 64.
    header += &" ".repeat(63 - (10 + header.len()) % 64);
    header.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.as_bytes());
    out.extend(bytes);
    out
}

/// An NPZ archive of arrays by name, each an NPY file.
pub fn write_archive(arrays: Vec<(&str, Vec<u8>)>) -> Result<Vec<u8>> {
    let members: Vec<(String, Vec<u8>)> =
        arrays.into_iter().map(|(name, bytes)| (format!("{name}.npy"), bytes)).collect();
    zip::write(&members)
}

/// What the header of an array says.
struct Header {
    big_endian: bool,
    /// `b`, `i`, `u`, `f`, `U` or `S`.
    kind: u8,
    /// Bytes of an element.
    width: usize,
    fortran: bool,
    /// At least one dimension, none of size zero; its size in bytes does not overflow.
    shape: Vec<usize>,
}

impl Header {
    /// The header and the bytes of the values, as many as it asks for.
    fn parse<'a>(source: &str, bytes: &'a [u8]) -> Result<(Header, &'a [u8])> {
        let short = || Error::file(source, "is an NPY file that ends too early; copy it again");
        let version = *bytes.get(6).ok_or_else(short)?;
        let (length, start) = match version {
            1 => (bytes.get(8..10).map(|b| u16::from_le_bytes([b[0], b[1]]) as usize), 10),
            2 | 3 => (bytes.get(8..12).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize), 12),
            v => return Err(Error::file(source, format!("is an NPY file of the unknown version {v}"))),
        };
        let rest = &bytes[start.min(bytes.len())..];
        let (text, data) = length.and_then(|n| rest.split_at_checked(n)).ok_or_else(short)?;
        let text = std::str::from_utf8(text).unwrap_or("");
        let Some((descr, fortran, shape)) = fields(text) else {
            let problem =
                "is an NPY file whose header cannot be understood; save one plain array of numbers or text";
            return Err(Error::file(source, problem));
        };
        let refused = || {
            let known = "booleans, integers, floats, or text of fixed length";
            Error::file(source, format!("is an NPY file of type {descr:?}, expected {known}"))
        };
        let [order, kind, digits @ ..] = descr.as_bytes() else { return Err(refused()) };
        let size: usize =
            std::str::from_utf8(digits).ok().and_then(|d| d.parse().ok()).ok_or_else(refused)?;
        let width = match (kind, size) {
            (b'b', 1) | (b'i' | b'u', 1 | 2 | 4 | 8) | (b'f', 2 | 4 | 8) | (b'S', 1..) => size,
            (b'U', 1..) => size.checked_mul(4).ok_or_else(refused)?,
            _ => return Err(refused()),
        };
        if shape.is_empty() {
            return Err(Error::file(source, "is a single number, expected an array of samples"));
        }
        if shape.contains(&0) {
            return Err(Error::file(source, "holds no rows"));
        }
        let total = shape.iter().try_fold(width, |n, &s| n.checked_mul(s));
        let (data, rest) = total.and_then(|n| data.split_at_checked(n)).ok_or_else(short)?;
        if !rest.is_empty() {
            let problem = format!("is an NPY file with {} bytes after its values; copy it again", rest.len());
            return Err(Error::file(source, problem));
        }
        Ok((Header { big_endian: *order == b'>', kind: *kind, width, fortran, shape }, data))
    }
}

/// `descr`, `fortran_order` and `shape` of a header such as
/// `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`.
fn fields(text: &str) -> Option<(&str, bool, Vec<usize>)> {
    let after = |key: &str| Some(text.split_once(key)?.1.trim_start().strip_prefix(':')?.trim_start());
    let descr = after("'descr'")?.strip_prefix('\'')?.split_once('\'')?.0;
    let fortran = after("'fortran_order'")?.starts_with("True");
    let shape = after("'shape'")?.strip_prefix('(')?.split_once(')')?.0;
    let sizes = shape.split(',').map(str::trim).filter(|s| !s.is_empty());
    Some((descr, fortran, sizes.map(|s| s.parse().ok()).collect::<Option<_>>()?))
}

/// The values in rows, and for each column whether a whole number was rounded.
fn dense<F: Float>(
    source: &str,
    header: &Header,
    data: &[u8],
    rows: usize,
    columns: usize,
) -> Result<(Array2<F>, Vec<bool>)> {
    macro_rules! decoder {
        ($t:ty) => {
            if header.big_endian {
                |b: &[u8]| b.first_chunk().map_or(0.0, |b| <$t>::from_be_bytes(*b) as f64)
            } else {
                |b: &[u8]| b.first_chunk().map_or(0.0, |b| <$t>::from_le_bytes(*b) as f64)
            }
        };
    }
    let decode: fn(&[u8]) -> f64 = match (header.kind, header.width) {
        (b'b', _) => |b| f64::from(b[0] != 0),
        (b'i', 1) => decoder!(i8),
        (b'i', 2) => decoder!(i16),
        (b'i', 4) => decoder!(i32),
        (b'i', _) => decoder!(i64),
        (b'u', 1) => decoder!(u8),
        (b'u', 2) => decoder!(u16),
        (b'u', 4) => decoder!(u32),
        (b'u', _) => decoder!(u64),
        (_, 2) if header.big_endian => |b| half(u16::from_be_bytes([b[0], b[1]])),
        (_, 2) => |b| half(u16::from_le_bytes([b[0], b[1]])),
        (_, 4) => decoder!(f32),
        _ => decoder!(f64),
    };
    let mut rounded = vec![false; columns];
    let mut convert = |i: usize, j: usize, at: usize| {
        let v = decode(&data[at * header.width..(at + 1) * header.width]);
        rounded[j] |= is_rounded::<F>(v);
        number::<F>(v).map_err(|problem| Error::cell(source, i + 1, &(j + 1).to_string(), problem))
    };
    let offsets: Vec<usize> =
        if header.fortran { fortran_offsets(&header.shape) } else { (0..columns).collect() };
    let stride = if header.fortran { 1 } else { columns };
    let mut values = Vec::with_capacity(rows * columns);
    for i in 0..rows {
        for (j, offset) in offsets.iter().enumerate() {
            values.push(convert(i, j, i * stride + offset)?);
        }
    }
    Ok((Array2::from_shape_vec((rows, columns), values)?, rounded))
}

/// Where the features of the first sample stand when the first index runs fastest.
fn fortran_offsets(shape: &[usize]) -> Vec<usize> {
    let mut offsets = vec![0];
    let mut stride = shape[0];
    let mut steps = Vec::new();
    for &size in &shape[1..] {
        steps.push((size, stride));
        stride *= size;
    }
    for (size, stride) in steps {
        offsets = offsets.iter().flat_map(|o| (0..size).map(move |k| o + k * stride)).collect();
    }
    offsets
}

/// Text of fixed length, padded with zeros: UTF-32 (`U`) or bytes (`S`).
fn text_column<F>(source: &str, header: &Header, data: &[u8]) -> Result<Body<F>> {
    if header.shape.len() != 1 {
        return Err(Error::file(
            source,
            "is an array of text with several dimensions; text is for labels only",
        ));
    }
    let mut column = TextBuilder::default();
    for (i, item) in data.chunks_exact(header.width).enumerate() {
        let unit =
            |b: &[u8; 4]| if header.big_endian { u32::from_be_bytes(*b) } else { u32::from_le_bytes(*b) };
        let value: Option<String> = match header.kind {
            b'U' => item.as_chunks().0.iter().map(unit).take_while(|&c| c != 0).map(char::from_u32).collect(),
            _ => {
                let end = item.iter().rposition(|&b| b != 0).map_or(0, |e| e + 1);
                std::str::from_utf8(&item[..end]).ok().map(str::to_string)
            }
        };
        let Some(value) = value else { return Err(Error::cell(source, i + 1, "1", "is not valid text")) };
        column.push(Some(value.trim()).filter(|v| !v.is_empty()));
    }
    Ok(Body::Columns(vec![column.build()]))
}

/// A float of 16 bits: sign, 5 bits of exponent, 10 of fraction.
pub(super) fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023) / 1024.0);
    sign * match exponent {
        0 => fraction * 2f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        e => (1.0 + fraction) * 2f64.powi(e - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Column;
    use crate::io::format::read_as;
    use ndarray::array;

    fn npy(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
        [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat()
    }

    #[test]
    fn what_is_written_is_read_back() {
        let x = write(NpyValues::Floats(&[1.5f32, -2.0, 0.0, 4.0, 5.0, 1e-30]), &[2, 3]);
        assert_eq!((x.len() - 24) % 64, 0);
        let table = read::<f32>("x", &x).unwrap();
        assert_eq!(table.body, Body::Dense(array![[1.5, -2.0, 0.0], [4.0, 5.0, 1e-30]]));
        let y = write::<f32>(NpyValues::Indices(&[7, 9]), &[2]);
        let table =
            read_as(archive_format::<f64>(), "a", write_archive(vec![("X", x), ("y", y)]).unwrap()).unwrap();
        assert_eq!((table.rows(), table.columns(), table.labels.is_some()), (2, 3, true));
    }

    #[test]
    fn orders_and_types() {
        let c = read::<f32>("x", &npy("|u1", "False", "(2, 3)", &[1, 2, 3, 4, 5, 6])).unwrap();
        assert_eq!(c.body, Body::Dense(array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]));
        let f = read::<f32>("x", &npy("|u1", "True", "(2, 3)", &[1, 4, 2, 5, 3, 6])).unwrap();
        assert_eq!(f.body, c.body);
        // Two images of 2 × 2 pixels, first index fastest: a[i, r, c] at i + 2r + 4c.
        let images = read::<f32>("x", &npy("|u1", "True", "(2, 2, 2)", &[0, 1, 2, 3, 4, 5, 6, 7])).unwrap();
        assert_eq!(images.body, Body::Dense(array![[0.0, 4.0, 2.0, 6.0], [1.0, 5.0, 3.0, 7.0]]));
        let long = [16_777_217i32, 5, 16_777_216, 6].map(i32::to_le_bytes).concat();
        assert_eq!(read::<f32>("x", &npy("<i4", "False", "(2, 2)", &long)).unwrap().rounded, [0]);
        let big = read::<f64>("x", &npy(">i2", "False", "(2,)", &[0xff, 0xfe, 1, 0])).unwrap();
        assert_eq!(big.body, Body::Dense(array![[-2.0], [256.0]]));
        let float = read::<f64>("x", &npy("<f4", "False", "(1, 1)", &1.5f32.to_le_bytes())).unwrap();
        assert_eq!(float.body, Body::Dense(array![[1.5]]));
        assert_eq!((half(0x3c00), half(0xc000), half(0x0001)), (1.0, -2.0, 2f64.powi(-24)));
    }

    #[test]
    fn text_for_labels() {
        let unicode: Vec<u8> = ['é', 'b', 'c', '\0'].iter().flat_map(|&c| (c as u32).to_le_bytes()).collect();
        let t = read::<f32>("x", &npy("<U2", "False", "(2,)", &unicode)).unwrap();
        let expected = Column::Text { levels: vec!["éb".into(), "c".into()], codes: vec![Some(0), Some(1)] };
        assert_eq!(t.body, Body::Columns(vec![expected]));
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let e = |bytes: &[u8]| read::<f32>("x.npy", bytes).unwrap_err().to_string();
        assert!(e(&npy("|O", "False", "(2,)", &[0; 16])).contains("of type \"|O\", expected booleans"));
        assert!(e(&npy("<f8", "False", "(2, 3)", &[0; 47])).contains("ends too early"));
        assert!(e(&npy("<f8", "False", "(99999999999, 99999999999)", &[0; 47])).contains("ends too early"));
        assert!(e(&npy("<f8", "False", "()", &[0; 8])).contains("a single number"));
        assert!(e(b"\x93NUMPY").contains("ends too early"));
        let trailing = e(&npy("|u1", "False", "(2,)", &[0; 5]));
        assert_eq!(trailing, "x.npy: is an NPY file with 3 bytes after its values; copy it again");
        // An archive whose directory says that a member is deflated and unpacks to 100 MB.
        let mut archive = super::zip::write(&[("X.npy".into(), vec![0; 50])]).unwrap();
        let at = archive.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
        archive[at + 10] = 8;
        archive[at + 24..at + 28].copy_from_slice(&100_000_000u32.to_le_bytes());
        let bomb = read_as(archive_format::<f32>(), "x.npz", &archive).unwrap_err().to_string();
        assert!(bomb.starts_with("x.npz: unpacks to more than the"), "{bomb}");
    }
}
