//! LIBSVM: sparse text, one sample a line.
//!
//! ```text
//! +1 1:0.5 3:2 # a comment
//! -1 2:1
//! ```
//! The first field is the class. Indices start at 1 and ascend; what is not listed is zero, also beyond the last
//! index of a file, so that a test file may stop short of the training file. `qid:` (ranking groups) has no
//! meaning for classification and is skipped. The table is dense; a file that would need more than about 10⁹
//! values, or four million columns, is refused.

use super::MAX_VALUES;
use crate::data::{Body, Lines, Table, class_name, number, parse_number};
use crate::{Error, Float, Result};
use ndarray::Array2;

/// An index beyond this is refused.
const MAX_COLUMNS: usize = 1 << 22;

/// Whether the first lines are all in this format and one of them lists a feature.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
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
pub fn read<F: Float>(source: &str, text: &str) -> Result<Table<F>> {
    let mut entries: Vec<(usize, F)> = Vec::new();
    let (mut ends, mut labels, mut lines, mut columns) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for (i, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or(line);
        let mut fields = line.split_ascii_whitespace();
        let Some(label) = fields.next() else { continue };
        let row = i + 1;
        if label.contains([':', ',']) {
            let problem = format!("{label:?} is not a class; a line starts with one class name or number");
            return Err(Error::cell(source, row, "label", problem));
        }
        let mut previous = 0;
        for field in fields.filter(|f| !f.starts_with("qid:")) {
            let (index, value) = entry(source, row, field)?;
            if index <= previous {
                let problem = format!("indices start at 1 and ascend, but {index} follows {previous}");
                return Err(Error::cell(source, row, field, problem));
            }
            previous = index;
            entries.push((index, value));
        }
        columns = columns.max(previous);
        labels.push(parse_number(label).map_or_else(|| label.to_string(), class_name));
        lines.push(row);
        ends.push(entries.len());
    }
    let rows = labels.len();
    if columns > MAX_COLUMNS || rows.checked_mul(columns).is_none_or(|n| n > MAX_VALUES) {
        return Err(Error::file(
            source,
            format!("has {rows} rows with indices up to {columns}, too many to store with all their zeros"),
        ));
    }
    let mut x = Array2::zeros((rows, columns));
    let mut start = 0;
    for (mut sample, &end) in x.rows_mut().into_iter().zip(&ends) {
        entries[start..end].iter().for_each(|&(index, v)| sample[index - 1] = v);
        start = end;
    }
    let table = Table::new(source, Body::Dense(x));
    Ok(Table { labels: Some(labels), labels_apart: true, sparse: true, lines: Lines::new(lines), ..table })
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
    use ndarray::array;

    #[test]
    fn zeros_comments_and_groups() {
        let t = read::<f32>("x", "# head\n+1 qid:3 1:0.5 3:2 # tail\n\n-1\ncat 2:1\n").unwrap();
        assert_eq!(t.body, Body::Dense(array![[0.5, 0.0, 2.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]));
        assert_eq!(t.labels.as_deref().unwrap(), ["1", "-1", "cat"]);
        assert_eq!((t.line(0), t.line(1), t.line(2)), (2, 4, 5));
    }

    #[test]
    fn bad_fields_are_named() {
        let e = |text| read::<f32>("x", text).unwrap_err().to_string();
        assert_eq!(e("1 1:2\n1 0:3"), "x, row 2, column 0:3: indices start at 1 and ascend, but 0 follows 0");
        assert_eq!(e("1 2:2 2:3"), "x, row 1, column 2:3: indices start at 1 and ascend, but 2 follows 2");
        assert_eq!(e("1 a:2"), "x, row 1, column a:2: expected index:value, such as 3:0.5");
        assert_eq!(e("1 1:1e300"), "x, row 1, column 1:1e300: 1e300 is too large for f32; read it as f64");
        assert!(e("1 4000000000:1").contains("too many to store"));
    }
}
