//! LVQ_PAK: the text files of Kohonen's programs, data and codebooks alike.
//!
//! ```text
//! 2 lvq                  the dimension; LVQ and SOM codebooks add what they are
//! # a comment
//! 0.5 1.25 oak           values, then the class
//! 1.0 x    elm           x: a missing value
//! ```
//! Either every row has a class or none has. `weight=…` and `fixed=…`, which SOM_PAK allows after the class, are skipped.
//!
//! # Reference
//! Kohonen, Hynninen, Kangas, Laaksonen, Torkkola: LVQ_PAK, the Learning Vector Quantization Program Package, Helsinki
//! University of Technology, 1996.

use super::{Format, Input};
use crate::data::{Body, Lines, Table, class_name, is_missing, number, parse_number};
use crate::{Error, Float, Result};
use ndarray::{Array2, ArrayView2};

/// A dimension beyond this is not one.
const MAX_DIM: usize = 1 << 30;

/// The format.
pub(super) fn format<F: Float>() -> Format<F> {
    Format { name: "LVQ_PAK", looks_like, read }
}

/// What a first line may call the file, after the dimension.
const KINDS: [&str; 4] = ["lvq", "hexa", "rect", "data"];

/// Whether the first line gives a dimension and either says what the file is or is followed by a row that fits it.
fn looks_like(bytes: &[u8]) -> bool {
    let lines = bytes.split(|&b| b == b'\n').map(|l| std::str::from_utf8(l).unwrap_or("\0"));
    let mut lines = lines.map(fields).filter(|f| !f.is_empty());
    let Some(head) = lines.next() else { return false };
    let Some(dim) = dimension(&head) else { return false };
    if head.len() > 1 {
        return true;
    }
    // A number above a row of one field could be any column of numbers.
    lines.next().is_some_and(|row| {
        row.len() > 1
            && (row.len() == dim || row.len() == dim + 1)
            && row[..dim].iter().all(|f| value(f).is_some())
    })
}

/// The fields of a line that are neither comment nor for SOM_PAK alone.
fn fields(line: &str) -> Vec<&str> {
    let line = line.trim_start_matches('\u{feff}');
    if line.trim_start().starts_with('#') {
        return Vec::new();
    }
    line.split_ascii_whitespace().filter(|f| !is_qualifier(f)).collect()
}

fn is_qualifier(field: &str) -> bool {
    field.starts_with("weight=") || field.starts_with("fixed=")
}

/// The dimension that a first line gives.
fn dimension(head: &[&str]) -> Option<usize> {
    let kind = head.get(1).is_none_or(|k| KINDS.iter().any(|known| k.eq_ignore_ascii_case(known)));
    head.first()?.parse().ok().filter(|&d: &usize| (1..=MAX_DIM).contains(&d) && kind)
}

/// The value of a field; NaN if it is missing.
fn value(field: &str) -> Option<f64> {
    if field == "x" || is_missing(field) { Some(f64::NAN) } else { parse_number(field) }
}

/// Reads the text; classes are kept apart from the columns.
fn read<F: Float>(input: Input) -> Result<Table<F>> {
    let (source, text) = (input.source, input.text()?);
    let mut rows =
        text.lines().enumerate().map(|(i, line)| (i + 1, fields(line))).filter(|(_, f)| !f.is_empty());
    let dim = rows.next().and_then(|(_, head)| dimension(&head));
    let dim = dim.ok_or_else(|| Error::file(source, "does not start with the number of features"))?;
    let (mut values, mut labels, mut lines): (Vec<F>, Vec<String>, Vec<usize>) = Default::default();
    for (row, fields) in rows {
        // The first row decides whether there are classes.
        let labelled = if lines.is_empty() { fields.len() > dim } else { !labels.is_empty() };
        if fields.len() != dim + usize::from(labelled) {
            let class = if labelled { " and a class" } else { "" };
            let problem = format!("row {row} has {} fields, expected {dim} numbers{class}", fields.len());
            return Err(Error::file(source, problem));
        }
        for (j, field) in fields[..dim].iter().enumerate() {
            let place = |problem: String| Error::cell(source, row, &format!("f{j}"), problem);
            let v = value(field).ok_or_else(|| place(format!("expected a number or x, found {field:?}")))?;
            values.push(number(v).map_err(place)?);
        }
        labels
            .extend(fields[dim..].iter().map(|l| parse_number(l).map_or_else(|| l.to_string(), class_name)));
        lines.push(row);
    }
    if lines.is_empty() {
        return Err(Error::file(source, "holds no rows"));
    }
    let x = Array2::from_shape_vec((lines.len(), dim), values)?;
    let labels = Some(labels).filter(|l| !l.is_empty());
    Ok(Table { labels, labels_apart: true, lines: Lines::new(lines), ..Table::new(source, Body::Dense(x)) })
}

/// A codebook of labelled rows.
///
/// Refuses class names that the format would read as something else.
pub fn write<F: Float>(x: ArrayView2<F>, labels: &[&str]) -> Result<String> {
    let unfit =
        |l: &&&str| l.is_empty() || l.contains(char::is_whitespace) || l.starts_with('#') || is_qualifier(l);
    if let Some(label) = labels.iter().find(unfit) {
        let problem = "cannot be written to an LVQ_PAK file, whose class names are single words; rename it";
        return Err(Error::class(label, problem));
    }
    let mut text = format!("{} lvq\n", x.ncols());
    for (row, label) in x.rows().into_iter().zip(labels) {
        row.iter().for_each(|v| text += &format!("{v} "));
        text += &format!("{label}\n");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Schema, SchemaOptions};
    use crate::io::{ReadOptions, read_bytes};
    use ndarray::array;

    fn table(text: &str) -> Result<Table<f64>> {
        read_bytes("x.cod", text.as_bytes().to_vec(), &ReadOptions::default())
    }

    #[test]
    fn data_and_codebooks_are_told_by_content() {
        for text in [
            "2\n1 2 a\n3 4 b\n",
            "# made by hand\n2 lvq\n1 2 a\n# more\n\n3 4 b\n",
            "2 hexa 2 1 bubble\r\n1 2 a weight=3\r\n3 4 b fixed=0,1\r\n",
        ] {
            let t = table(text).unwrap();
            assert_eq!(t.body, Body::Dense(array![[1.0, 2.0], [3.0, 4.0]]), "{text}");
            assert_eq!(t.labels.as_deref().unwrap(), ["a", "b"]);
        }
        assert_eq!(table("1\n2.5 7.0\n").unwrap().labels.unwrap(), ["7"]);
        assert_eq!(table("3\n1 2 3\n4 5 6\n").unwrap().labels, None);
        assert_eq!(table("2 lvq\n# c\n1 2 a\n").unwrap().line(0), 3);
        // A column of numbers, a table with a header, sparse text and rows of another length are something else.
        for other in
            ["2\n1\n0\n", "1 2 a\n3 4 b\n", "2 kind\n1 3\n", "1 1:2\n1 2:1\n", "3\n1 2\n", "0\n1 2\n"]
        {
            assert!(!looks_like(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn missing_values_are_refused_or_filled() {
        let t = || table("2\n1 x a\n3 4 b\n5 6 b\n").unwrap();
        let e = Schema::learn(&t(), &SchemaOptions::default()).unwrap_err().to_string();
        assert!(e.starts_with("x.cod, row 2, column f1: the value is missing"), "{e}");
        let filled =
            Schema::learn(&t(), &SchemaOptions { missing: crate::data::Missing::Mean, ..Default::default() })
                .unwrap()
                .dataset(t())
                .unwrap();
        assert_eq!(filled.x[[0, 1]], 5.0);
    }

    #[test]
    fn damage_is_named_with_its_row() {
        let e = |text| table(text).unwrap_err().to_string();
        assert_eq!(e("2 lvq\n1 2 a\n3 b\n"), "x.cod: row 3 has 2 fields, expected 2 numbers and a class");
        assert_eq!(e("2\n1 2 a\n3 4\n"), "x.cod: row 3 has 2 fields, expected 2 numbers and a class");
        assert_eq!(e("2\n1 2\n3 4 a\n"), "x.cod: row 3 has 3 fields, expected 2 numbers");
        assert_eq!(e("2\n1 2 a\n3 4 b c\n"), "x.cod: row 3 has 4 fields, expected 2 numbers and a class");
        assert_eq!(e("2\n1 2 a\n3 y b\n"), "x.cod, row 3, column f1: expected a number or x, found \"y\"");
        assert!(e("2\n1 2 a\n3 inf b\n").starts_with("x.cod, row 3, column f1: inf is not a finite number"));
        assert_eq!(e("2 lvq\n"), "x.cod: holds no rows");
        assert_eq!(e("999999999 lvq\n1 2 a\n"), "x.cod: row 2 has 3 fields, expected 999999999 numbers");
        let nan = table("2\n1 nan a\n2 3 b\n").unwrap();
        assert!(Schema::learn(&nan, &SchemaOptions::default()).is_err());
    }

    #[test]
    fn what_is_written_is_read_back() {
        let x = array![[0.1, -2.5e-7], [1e30, 3.0]];
        let t = table(&write(x.view(), &["a", "b=c"]).unwrap()).unwrap();
        assert_eq!(
            (t.body, t.labels.unwrap()),
            (Body::Dense(x.clone()), vec!["a".to_string(), "b=c".into()])
        );
        for bad in ["", "two words", "#1", "weight=2", "tab\there"] {
            let e = write(x.view(), &["a", bad]).unwrap_err().to_string();
            assert!(e.starts_with(&format!("class {bad:?} cannot be written")), "{e}");
        }
    }
}
