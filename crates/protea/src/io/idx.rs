//! IDX: the format of the MNIST files.
//!
//! ```text
//! 0 0 type ndim | size of each dimension, u32 | values, row-major        (all big-endian)
//! ```
//! Types are `08` u8, `09` i8, `0B` i16, `0C` i32, `0D` f32, `0E` f64. One dimension is a column of labels; with
//! more, the first counts the samples and the others are flattened into features.

use super::{Format, Input};
use crate::data::{Body, Table, number};
use crate::{Error, Float, Result};
use ndarray::Array2;
use std::path::{Path, PathBuf};

/// The label file that belongs to a file of images: `…images-idx3…` becomes `…labels-idx1…`, with or without `.gz`.
pub(super) fn sibling_labels(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    if !name.contains("images-idx3") {
        return None;
    }
    let same = name.replace("images-idx3", "labels-idx1");
    let other = same.strip_suffix(".gz").map_or_else(|| format!("{same}.gz"), str::to_string);
    [same, other].into_iter().map(|n| path.with_file_name(n)).find(|p| p.is_file())
}

/// The format.
pub(super) fn format<F: Float>() -> Format<F> {
    Format { name: "IDX", looks_like: |bytes| matches!(bytes, [0, 0, 0x08 | 0x09 | 0x0b..=0x0e, ..]), read }
}

fn read<F: Float>(input: Input) -> Result<Table<F>> {
    let (source, bytes) = (input.source, &input.bytes);
    let short = || Error::file(source, "is an IDX file that ends too early; copy or download it again");
    let (&[_, _, kind, ndim], rest) = bytes.split_first_chunk::<4>().ok_or_else(short)?;
    let ndim = usize::from(ndim);
    if ndim == 0 {
        return Err(Error::file(source, "is an IDX file without dimensions"));
    }
    let (sizes, values) = rest.split_at_checked(4 * ndim).ok_or_else(short)?;
    let sizes: Vec<usize> = sizes.as_chunks().0.iter().map(|&b| u32::from_be_bytes(b) as usize).collect();
    if sizes.contains(&0) {
        return Err(Error::file(source, "holds no rows"));
    }
    let rows = sizes[0];
    let columns = sizes[1..].iter().try_fold(1usize, |n, &s| n.checked_mul(s)).ok_or_else(short)?;

    macro_rules! values {
        ($t:ty) => {{
            const WIDTH: usize = size_of::<$t>();
            let size = rows.checked_mul(columns).and_then(|n| n.checked_mul(WIDTH));
            let (values, rest) = size.and_then(|n| values.split_at_checked(n)).ok_or_else(short)?;
            if !rest.is_empty() {
                let problem =
                    format!("is an IDX file with {} bytes after its values; copy it again", rest.len());
                return Err(Error::file(source, problem));
            }
            let mut out = Vec::with_capacity(values.len() / WIDTH);
            for b in values.as_chunks::<WIDTH>().0 {
                let v = number::<F>(<$t>::from_be_bytes(*b) as f64).map_err(|problem| {
                    let (row, column) = (out.len() / columns + 1, out.len() % columns + 1);
                    Error::cell(source, row, &column.to_string(), problem)
                })?;
                out.push(v);
            }
            out
        }};
    }
    let values: Vec<F> = match kind {
        0x08 => values!(u8),
        0x09 => values!(i8),
        0x0b => values!(i16),
        0x0c => values!(i32),
        0x0d => values!(f32),
        0x0e => values!(f64),
        _ => return Err(Error::file(source, format!("is an IDX file of the unknown type {kind:#04x}"))),
    };
    let x = Array2::from_shape_vec((rows, columns), values).map_err(|_| short())?;
    Ok(Table { labels_apart: true, ..Table::new(source, Body::Dense(x)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::format::read_as;
    use ndarray::array;

    #[test]
    fn images_are_flattened_and_labels_are_a_column() {
        let images = [0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 255];
        assert_eq!(
            read_as::<f32>(format(), "x", &images).unwrap().body,
            Body::Dense(array![[1.0, 2.0], [3.0, 255.0]])
        );
        let labels = [0, 0, 8, 1, 0, 0, 0, 2, 7, 9];
        assert_eq!(read_as::<f64>(format(), "x", &labels).unwrap().body, Body::Dense(array![[7.0], [9.0]]));
        let shorts = [0, 0, 0x0b, 1, 0, 0, 0, 1, 0xff, 0xfe];
        assert_eq!(read_as::<f32>(format(), "x", &shorts).unwrap().body, Body::Dense(array![[-2.0]]));
    }

    #[test]
    fn sizes_are_checked_before_anything_is_reserved() {
        let mut huge = vec![0, 0, 8, 3];
        huge.extend([0xff; 13]);
        assert!(read_as::<f32>(format(), "x", &huge).unwrap_err().to_string().contains("ends too early"));
        let e = read_as::<f32>(format(), "x", [0, 0, 8, 1, 0, 0, 0, 2, 7, 9, 1]).unwrap_err().to_string();
        assert_eq!(e, "x: is an IDX file with 1 bytes after its values; copy it again");
        assert!(read_as::<f32>(format(), "x", &[0, 0, 8]).is_err());
        assert!(read_as::<f32>(format(), "x", &[0, 0, 8, 0]).is_err());
        let mut infinite = vec![0, 0, 0x0d, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0];
        infinite.extend(f32::INFINITY.to_be_bytes());
        let e = read_as::<f32>(format(), "x.idx", &infinite).unwrap_err().to_string();
        assert!(e.starts_with("x.idx, row 1, column 2: inf is not a finite number"), "{e}");
    }
}
