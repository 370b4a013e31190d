//! ARFF: Weka's attribute-relation file format.
//!
//! ```text
//! % a comment
//! @relation flowers
//! @attribute length numeric
//! @attribute 'leaf colour' {red, 'dark green'}
//! @data
//! 1.5, red
//! {0 2.5, 1 'dark green'}        a sparse row: index from 0 and value
//! ```
//! Attributes are `numeric`, `real`, `integer`, a list of values, `string` or `date`, which is text; relations are refused.
//! `?` is a missing value. What a sparse row leaves out is zero, or the first of the listed values.

use super::{Format, Input};
use crate::data::{Body, Column, Lines, Table, TextBuilder, is_rounded, number};
use crate::{Error, Float, Result};
use ndarray::Array2;
use std::collections::HashSet;

/// The format.
pub(super) fn format<F: Float>() -> Format<F> {
    Format { name: "ARFF", looks_like, read }
}

/// Type of an attribute.
enum Kind {
    Number,
    /// The first few of the listed values, and all of them.
    Nominal(Vec<String>, HashSet<String>),
    Text,
}

/// One column while it grows.
enum Values<F> {
    /// With whether a whole number was rounded.
    Number(Vec<F>, bool),
    Text(TextBuilder),
}

/// Whether the first line that is not a comment names a relation.
fn looks_like(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines = bytes.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|l| !l.is_empty() && l[0] != b'%');
    first.and_then(|l| l.get(..9)).is_some_and(|l| l.eq_ignore_ascii_case(b"@relation"))
}

fn read<F: Float>(input: Input) -> Result<Table<F>> {
    let (source, text) = (input.source, input.text()?);
    let mut lines = text.lines().enumerate().map(|(i, l)| (i + 1, l.trim()));
    let mut lines = lines.by_ref().filter(|(_, l)| !l.is_empty() && !l.starts_with('%'));
    let (mut names, mut kinds) = (Vec::new(), Vec::new());
    loop {
        let Some((row, line)) = lines.next() else {
            return Err(Error::file(source, "is an ARFF file without @data"));
        };
        let (keyword, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match keyword.to_ascii_lowercase().as_str() {
            "@relation" => {}
            "@attribute" => {
                let (name, kind) = attribute(source, row, rest)?;
                names.push(name);
                kinds.push(kind);
            }
            "@data" => break,
            _ => {
                return Err(Error::file(
                    source,
                    format!("row {row} is neither @attribute nor @data: {line:?}"),
                ));
            }
        }
    }
    let mut values: Vec<Values<F>> = kinds.iter().map(Values::new).collect();
    let mut numbers = Vec::new();
    for (row, line) in lines {
        let fields = match line.strip_prefix('{') {
            Some(sparse) => {
                let values = (numbers.len() + 1).checked_mul(kinds.len());
                let what = || format!("has sparse rows of {} values each", kinds.len());
                input.limit.check(source, values, size_of::<Option<u32>>(), what)?;
                sparse_fields(source, row, sparse, &kinds)?
            }
            None => {
                split(line, ',').map_err(|problem| Error::file(source, format!("row {row} {problem}")))?
            }
        };
        if fields.len() != kinds.len() {
            let (found, expected) = (fields.len(), kinds.len());
            let problem = format!("row {row} has {found} fields, but there are {expected} attributes");
            return Err(Error::file(source, problem));
        }
        for (j, field) in fields.iter().enumerate() {
            values[j]
                .push(field, &kinds[j])
                .map_err(|problem| Error::cell(source, row, &names[j], problem))?;
        }
        numbers.push(row);
    }
    let rounded = (0..values.len()).filter(|&j| matches!(values[j], Values::Number(_, true))).collect();
    let table = Table::new(source, body(values, numbers.len()));
    Ok(Table { names, named: true, rounded, lines: Lines::new(numbers), ..table })
}

/// One matrix where all attributes are numbers.
fn body<F: Float>(values: Vec<Values<F>>, rows: usize) -> Body<F> {
    let all_numbers = values.iter().all(|v| matches!(v, Values::Number(..)));
    let columns: Vec<Column<F>> = values.into_iter().map(Values::build).collect();
    if !all_numbers {
        return Body::Columns(columns);
    }
    let mut x = Array2::zeros((rows, columns.len()));
    for (mut to, column) in x.columns_mut().into_iter().zip(&columns) {
        if let Column::Number(from) = column {
            to.iter_mut().zip(from).for_each(|(to, &v)| *to = v);
        }
    }
    Body::Dense(x)
}

impl<F: Float> Values<F> {
    fn new(kind: &Kind) -> Self {
        match kind {
            Kind::Number => Values::Number(Vec::new(), false),
            _ => Values::Text(TextBuilder::default()),
        }
    }

    fn push(&mut self, field: &Field, kind: &Kind) -> std::result::Result<(), String> {
        let missing = field.text == "?" && !field.quoted;
        match (self, kind) {
            (Values::Number(v, _), _) if missing => v.push(F::nan()),
            (Values::Number(v, rounded), _) => match field.text.parse::<f64>() {
                Ok(parsed) => {
                    *rounded |= is_rounded::<F>(parsed);
                    v.push(number(parsed)?);
                }
                Err(_) => return Err(format!("expected a number, found {:?}", field.text)),
            },
            (Values::Text(v), _) if missing => v.push(None),
            (Values::Text(_), Kind::Nominal(first, all)) if !all.contains(&field.text) => {
                return Err(format!("{:?} is not among the listed values {}", field.text, first.join(", ")));
            }
            (Values::Text(v), _) => v.push(Some(&field.text)),
        }
        Ok(())
    }

    fn build(self) -> Column<F> {
        match self {
            Values::Number(v, _) => Column::Number(v),
            Values::Text(v) => v.build(),
        }
    }
}

/// Name and type in the rest of an `@attribute` line.
fn attribute(source: &str, row: usize, rest: &str) -> Result<(String, Kind)> {
    let bad = |problem: String| Error::file(source, format!("row {row} {problem}"));
    let (name, rest) = word(rest.trim()).map_err(bad)?;
    let kind = rest.trim();
    if let Some(list) = kind.strip_prefix('{') {
        let list = list
            .trim_end()
            .strip_suffix('}')
            .ok_or_else(|| bad("lists values without a closing }".into()))?;
        let levels = split(list, ',').map_err(bad)?;
        let first = levels.iter().take(10).map(|f| f.text.clone()).collect();
        return Ok((name, Kind::Nominal(first, levels.into_iter().map(|f| f.text).collect())));
    }
    let first = kind.split_whitespace().next().unwrap_or("").to_ascii_lowercase();
    match first.as_str() {
        "numeric" | "real" | "integer" => Ok((name, Kind::Number)),
        "string" | "date" => Ok((name, Kind::Text)),
        _ => Err(bad(format!("declares {name:?} as {kind:?}, expected numeric, string or a list of values"))),
    }
}

/// A field and whether it was quoted.
#[derive(Debug, Clone, PartialEq)]
struct Field {
    text: String,
    quoted: bool,
}

/// The first word, perhaps quoted, and the rest.
fn word(s: &str) -> std::result::Result<(String, &str), String> {
    match s.chars().next() {
        Some(quote @ ('\'' | '"')) => {
            let (mut text, mut escaped) = (String::new(), false);
            for (i, c) in s.char_indices().skip(1) {
                match c {
                    _ if escaped => {
                        text.push(c);
                        escaped = false;
                    }
                    '\\' => escaped = true,
                    c if c == quote => return Ok((text, &s[i + 1..])),
                    c => text.push(c),
                }
            }
            Err("has a quote that is not closed".into())
        }
        Some(_) => {
            let end = s.find(|c: char| c.is_whitespace() || c == ',' || c == '{').unwrap_or(s.len());
            Ok((s[..end].to_string(), &s[end..]))
        }
        None => Err("has no name".into()),
    }
}

/// The fields between separators; quoted fields may hold anything.
fn split(s: &str, separator: char) -> std::result::Result<Vec<Field>, String> {
    let mut fields = Vec::new();
    let mut rest = s.trim();
    loop {
        let quoted = rest.starts_with(['\'', '"']);
        let (text, after) = if quoted {
            word(rest)?
        } else {
            let end = rest.find(separator).unwrap_or(rest.len());
            (rest[..end].trim().to_string(), &rest[end..])
        };
        fields.push(Field { text, quoted });
        rest = after.trim_start();
        match rest.strip_prefix(separator) {
            Some(more) => rest = more.trim_start(),
            None if rest.is_empty() => return Ok(fields),
            None => return Err(format!("has {rest:?} after a quoted field")),
        }
    }
}

/// All fields of a sparse row, the braces' opening one removed.
fn sparse_fields(source: &str, row: usize, line: &str, kinds: &[Kind]) -> Result<Vec<Field>> {
    let bad = |problem: String| Error::file(source, format!("row {row} {problem}"));
    let inner =
        line.trim_end().strip_suffix('}').ok_or_else(|| bad("is sparse but has no closing }".into()))?;
    let zero = |kind: &Kind| match kind {
        Kind::Nominal(first, _) => first.first().cloned().unwrap_or_default(),
        _ => "0".into(),
    };
    let mut fields: Vec<Field> = kinds.iter().map(|k| Field { text: zero(k), quoted: false }).collect();
    let mut rest = inner.trim();
    while !rest.is_empty() {
        let (index, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let after = after.trim_start();
        let slot = index.parse::<usize>().ok().and_then(|i| fields.get_mut(i));
        let Some(slot) = slot else {
            let last = kinds.len().saturating_sub(1);
            return Err(bad(format!("has the sparse index {index:?}, expected 0 to {last}")));
        };
        let quoted = after.starts_with(['\'', '"']);
        let (text, after) = word(after).map_err(bad)?;
        *slot = Field { text, quoted };
        let after = after.trim_start();
        rest = match after.strip_prefix(',') {
            Some(more) => more.trim_start(),
            None if after.is_empty() => after,
            None => return Err(bad(format!("has {after:?} where a comma was expected"))),
        };
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::format::read_as;
    use ndarray::array;

    const HEAD: &str = "% c\n@RELATION r\n@attribute len REAL\n@attribute 'a b' {red,'dark green'}\n@data\n";

    fn error(text: &str) -> String {
        read_as::<f32>(format(), "x.arff", text).unwrap_err().to_string()
    }

    #[test]
    fn dense_and_sparse_rows() {
        let t =
            read_as::<f32>(format(), "x", &format!("{HEAD}1.5,'dark green'\n% c\n{{0 2}}\n{{1 ?, 0 3}}\n"))
                .unwrap();
        let Body::Columns(columns) = &t.body else { panic!("no columns") };
        assert_eq!(columns[0], Column::Number(vec![1.5, 2.0, 3.0]));
        let levels = vec!["dark green".to_string(), "red".to_string()];
        assert_eq!(columns[1], Column::Text { levels, codes: vec![Some(0), Some(1), None] });
        assert_eq!((t.names[1].as_str(), t.line(0), t.line(1)), ("a b", 6, 8));
    }

    #[test]
    fn numbers_become_one_matrix() {
        let t = read_as::<f64>(
            format(),
            "x",
            "@relation r\n@attribute a integer\n@attribute b real\n@data\n1,2\n3,4\n",
        )
        .unwrap();
        assert_eq!(t.body, Body::Dense(array![[1.0, 2.0], [3.0, 4.0]]));
    }

    #[test]
    fn problems_are_named() {
        assert_eq!(error(&format!("{HEAD}1\n")), "x.arff: row 6 has 1 fields, but there are 2 attributes");
        assert_eq!(
            error(&format!("{HEAD}x,red\n")),
            "x.arff, row 6, column len: expected a number, found \"x\""
        );
        let e = error(&format!("{HEAD}1,blue\n"));
        assert_eq!(e, "x.arff, row 6, column a b: \"blue\" is not among the listed values red, dark green");
        assert!(error(&format!("{HEAD}{{7 1}}\n")).contains("sparse index \"7\", expected 0 to 1"));
        assert!(
            error("@relation r\n@attribute d relational\n@data\n1\n").contains("expected numeric, string")
        );
        assert!(error("@relation r\n@attribute d\n").contains("expected numeric, string or a list"));
        assert!(error("@relation r\n").contains("without @data"));
    }
}
