//! LIBSVM: sparse text, one sample a line.
//!
//! ```text
//! +1 1:0.5 3:2 # a comment
//! -1 2:1
//! ```
//! The first field is the class. Indices start at 1, or at 0 in a file that uses it, and ascend; what is not listed is zero, also
//! beyond the last index of a file, so that a test file may stop short of the training file. `qid:` (ranking groups) has no
//! meaning for classification and is skipped. The table is dense; a file that would need much more memory with all its zeros
//! than it has bytes is refused.

use super::{Format, Input};
use crate::data::{Body, Lines, Table, class_name, number, parse_number};
use crate::{Error, Float, Result};
use ndarray::Array2;

/// Bytes that a column takes besides its values: its name, here and in a model.
const COLUMN: usize = 64;

/// The format.
pub(super) fn format<F: Float>() -> Format<F> {
    Format { name: "LIBSVM", looks_like, read }
}

/// Whether the first lines are all in this format and one of them lists a feature.
fn looks_like(bytes: &[u8]) -> bool {
    let mut pairs = false;
    let lines = bytes.split(|&b| b == b'\n').map(without_comment).filter(|l| !l.is_empty());
    for line in lines.take(20) {
        let Ok(line) = std::str::from_utf8(line) else { return false };
        let mut fields = line.split_ascii_whitespace();
        if fields.next().is_none_or(|label| label.contains([':', ',', ';', '"'])) {
            return false;
        }
        for field in fields {
            match field.split_once(':') {
                Some((k, v)) if is_index(k) && v.parse::<f64>().is_ok() => pairs = true,
                Some(("qid", _)) => {}
                _ => return false,
            }
        }
    }
    pairs
}

fn is_index(s: &str) -> bool {
    !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit())
}

fn without_comment(line: &[u8]) -> &[u8] {
    line.split(|&b| b == b'#').next().unwrap_or(line).trim_ascii()
}

/// Reads the text; labels are kept apart from the columns.
fn read<F: Float>(input: Input) -> Result<Table<F>> {
    let (source, text) = (input.source, input.text()?);
    let mut entries: Vec<(usize, F)> = Vec::new();
    let (mut ends, mut labels, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    let (mut last, mut zero_based) = (None, input.options.zero_based);
    for (i, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or(line);
        let mut fields = line.split_ascii_whitespace();
        let Some(label) = fields.next() else { continue };
        let row = i + 1;
        if label.contains([':', ',']) {
            let problem = format!("{label:?} is not a class; a line starts with one class name or number");
            return Err(Error::cell(source, row, "label", problem));
        }
        let mut previous = None;
        for field in fields.filter(|f| !f.starts_with("qid:")) {
            let (index, value) = entry(source, row, field)?;
            if let Some(before) = previous.filter(|&before| index <= before) {
                let problem = format!("indices ascend, but {index} follows {before}");
                return Err(Error::cell(source, row, field, problem));
            }
            previous = Some(index);
            entries.push((index, value));
            zero_based |= index == 0;
        }
        last = last.max(previous);
        labels.push(parse_number(label).map_or_else(|| label.to_string(), class_name));
        lines.push(row);
        ends.push(entries.len());
    }
    let rows = labels.len();
    let first = usize::from(!zero_based);
    let columns = last.map_or(0, |last: usize| (last - first).saturating_add(1));
    let what = || format!("has {rows} rows with indices up to {}", last.unwrap_or(0));
    input.limit.check(source, rows.checked_mul(columns), size_of::<F>(), what)?;
    input.limit.check(source, Some(columns), COLUMN, what)?;
    let mut x = Array2::zeros((rows, columns));
    let mut start = 0;
    for (mut sample, &end) in x.rows_mut().into_iter().zip(&ends) {
        entries[start..end].iter().for_each(|&(index, v)| sample[index - first] = v);
        start = end;
    }
    let table = Table::new(source, Body::Dense(x));
    let lines = Lines::new(lines);
    Ok(Table { labels: Some(labels), labels_apart: true, sparse: true, zero_based, lines, ..table })
}

fn entry<F: Float>(source: &str, row: usize, field: &str) -> Result<(usize, F)> {
    let (index, value) = field.split_once(':').unwrap_or((field, ""));
    let (Ok(index), Ok(value)) = (index.parse::<usize>(), value.parse::<f64>()) else {
        return Err(Error::cell(source, row, field, "expected index:value, such as 3:0.5"));
    };
    Ok((index, number(value).map_err(|problem| Error::cell(source, row, field, problem))?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::format::read_as;
    use ndarray::array;

    #[test]
    fn zeros_comments_and_groups() {
        let t = read_as::<f32>(format(), "x", "# head\n+1 qid:3 1:0.5 3:2 # tail\n\n-1\ncat 2:1\n").unwrap();
        assert_eq!(t.body, Body::Dense(array![[0.5, 0.0, 2.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]));
        assert_eq!(t.labels.as_deref().unwrap(), ["1", "-1", "cat"]);
        assert_eq!((t.line(0), t.line(1), t.line(2)), (2, 4, 5));
    }

    #[test]
    fn bad_fields_are_named() {
        let e = |text| read_as::<f32>(format(), "x", text).unwrap_err().to_string();
        assert_eq!(e("1 2:2 2:3"), "x, row 1, column 2:3: indices ascend, but 2 follows 2");
        assert_eq!(e("1 a:2"), "x, row 1, column a:2: expected index:value, such as 3:0.5");
        assert_eq!(e("1 1:1e300"), "x, row 1, column 1:1e300: 1e300 is too large for f32; read it as f64");
    }

    #[test]
    fn indices_may_start_at_zero() {
        let t = read_as::<f32>(format(), "x", "1 0:5 2:6\n2 1:7\n").unwrap();
        assert_eq!((t.body, t.zero_based), (Body::Dense(array![[5.0, 0.0, 6.0], [0.0, 7.0, 0.0]]), true));
    }

    #[test]
    fn room_for_zeros_is_limited() {
        let e = |text: &str| read_as::<f32>(format(), "x", text).unwrap_err().to_string();
        assert_eq!(
            e("1 4000000000:1\n2 1:1\n"),
            "x: has 2 rows with indices up to 4000000000, which takes 32.0 GB where 67 MB are allowed; raise the memory limit"
        );
        assert!(e("1 18446744073709551615:1\n2 1:1\n").contains("which takes more memory than there is"));
        assert!(e("1 0:1 18446744073709551615:1\n").contains("more memory"));
        assert!(e("1 1355191:1\n-1 1:1\n").contains("which takes 87 MB where 67 MB are allowed"));
        assert!(e(&"1 4194304:1\n-1 1:1\n".repeat(100)).contains("which takes 3.4 GB"));
        assert!(read_as::<f32>(format(), "x", "1 100000:1\n-1 1:1\n").is_ok());
    }
}
