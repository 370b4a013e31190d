//! JSON lines: one object of names and values in each line.
//!
//! ```text
//! {"length": 1.5, "colour": "red", "class": "a"}
//! {"length": null, "class": "b"}
//! ```
//! Names are columns, in the order of their first appearance. Numbers are numbers; strings, `true` and `false` are text; `null`
//! and what a line leaves out are missing values. A column with numbers and text is text. Lists and objects inside are refused.

use super::{Format, Input, WrittenColumns};
use crate::data::{
    Body, Column, Lines, Table, TextBuilder, Written, class_name, is_missing, is_rounded, number,
};
use crate::{Error, Float, Result};
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use std::collections::HashMap;
use std::fmt;

/// The format.
pub(super) fn format<F: Float>() -> Format<F> {
    Format { name: "JSON lines", looks_like, read }
}

/// Whether the text starts with an object, or with a list of them.
fn looks_like(bytes: &[u8]) -> bool {
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let start = start.strip_prefix(b"[").map_or(start, <[u8]>::trim_ascii_start);
    start.strip_prefix(b"{").is_some_and(|rest| matches!(rest.trim_ascii_start().first(), Some(b'"' | b'}')))
}

/// One value.
#[derive(Debug, Clone, PartialEq)]
enum Cell {
    Missing,
    Number(f64),
    Integer(i128),
    Boolean(bool),
    Text(String),
}

impl Cell {
    fn is_text(&self) -> bool {
        matches!(self, Cell::Text(_) | Cell::Boolean(_))
    }

    /// The value of a number; NaN for anything else.
    fn number(&self) -> f64 {
        match self {
            Cell::Number(v) => *v,
            Cell::Integer(v) => *v as f64,
            _ => f64::NAN,
        }
    }

    /// The value as the file has it.
    fn written(&self) -> Written {
        match self {
            Cell::Missing => Written::Missing,
            Cell::Number(v) => Written::Number(*v),
            Cell::Integer(v) => Written::Integer(*v),
            Cell::Boolean(v) => Written::Boolean(*v),
            Cell::Text(t) => Written::Text(t.clone()),
        }
    }
}

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        struct Value;
        impl<'de> Visitor<'de> for Value {
            type Value = Cell;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(
                    "a number, a text, true, false or null; store nested values as columns of their own",
                )
            }
            fn visit_unit<E>(self) -> std::result::Result<Cell, E> {
                Ok(Cell::Missing)
            }
            fn visit_bool<E>(self, v: bool) -> std::result::Result<Cell, E> {
                Ok(Cell::Boolean(v))
            }
            fn visit_f64<E>(self, v: f64) -> std::result::Result<Cell, E> {
                Ok(Cell::Number(v))
            }
            fn visit_i64<E>(self, v: i64) -> std::result::Result<Cell, E> {
                Ok(Cell::Integer(v.into()))
            }
            fn visit_u64<E>(self, v: u64) -> std::result::Result<Cell, E> {
                Ok(Cell::Integer(v.into()))
            }
            fn visit_str<E>(self, v: &str) -> std::result::Result<Cell, E> {
                let v = v.trim();
                Ok(if is_missing(v) { Cell::Missing } else { Cell::Text(v.into()) })
            }
        }
        from.deserialize_any(Value)
    }
}

/// The names and values of a line, in their order.
struct Row(Vec<(String, Cell)>);

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Row;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object of names and values")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> std::result::Result<Row, M::Error> {
                let mut row = Vec::new();
                while let Some(name) = map.next_key::<String>()? {
                    let value = map.next_value();
                    let within = |e: M::Error| M::Error::custom(format!("{name:?}: {e}"));
                    let value = value.map_err(within)?;
                    row.push((name, value));
                }
                Ok(Row(row))
            }
        }
        from.deserialize_map(Object)
    }
}

/// One column while it grows; its length is brought up to the rows when a value comes.
#[derive(Default)]
struct Growing {
    cells: Vec<Cell>,
    has_text: bool,
}

fn read<F: Float>(input: Input) -> Result<Table<F>> {
    let source = input.source;
    let text = input.text()?;
    if text.trim_start().starts_with('[') {
        return Err(Error::file(
            source,
            "is one list in JSON; write one object in each line, without the list",
        ));
    }
    let (mut names, mut columns, mut lines): (Vec<String>, Vec<Growing>, Vec<usize>) = Default::default();
    let mut index: HashMap<String, usize> = HashMap::new();
    let mut size = 0;
    for (i, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
        let row: Row = serde_json::from_str(line).map_err(|e| {
            let words = e.to_string();
            let words = words.split(" at line ").next().unwrap_or_default();
            Error::file(
                source,
                format!("row {} is not an object of names and values in JSON ({words})", i + 1),
            )
            .because(e)
        })?;
        for (name, cell) in row.0 {
            let at = *index.entry(name.clone()).or_insert_with(|| {
                names.push(name);
                columns.push(Growing::default());
                names.len() - 1
            });
            let column = &mut columns[at];
            if column.cells.len() > lines.len() {
                return Err(Error::file(source, format!("row {} has {:?} twice", i + 1, names[at])));
            }
            column.has_text |= cell.is_text();
            size += lines.len() + 1 - column.cells.len();
            let what = || format!("has columns {} and others that most rows leave out", names[at]);
            input.limit.check(source, Some(size), size_of::<Cell>(), what)?;
            column.cells.resize(lines.len(), Cell::Missing);
            column.cells.push(cell);
        }
        lines.push(i + 1);
    }
    let what = || format!("has {} rows of {} columns", lines.len(), names.len());
    input.limit.check(source, lines.len().checked_mul(names.len()), size_of::<Cell>(), what)?;
    let rounds = |c: &Growing| !c.has_text && c.cells.iter().any(|v| is_rounded::<F>(v.number()));
    let rounded = (0..columns.len()).filter(|&j| rounds(&columns[j])).collect();
    let written = written(&columns, &names, lines.len(), &input.options.written);
    let build = |(column, name): (Growing, &String)| column.build(source, name, &lines);
    let columns = columns.into_iter().zip(&names).map(build).collect::<Result<Vec<_>>>()?;
    let table = Table::new(source, Body::Columns(columns));
    Ok(Table { names, named: true, rounded, written, lines: Lines::new(lines), ..table })
}

/// The values of the columns that are wanted as the file has them.
fn written(
    columns: &[Growing],
    names: &[String],
    rows: usize,
    wanted: &WrittenColumns,
) -> Vec<Option<Vec<Written>>> {
    let of = |(column, name): (&Growing, &String)| {
        wanted.has(name).then(|| {
            let mut values: Vec<Written> = column.cells.iter().map(Cell::written).collect();
            values.resize(rows, Written::Missing);
            values
        })
    };
    columns.iter().zip(names).map(of).collect()
}

impl Growing {
    fn build<F: Float>(mut self, source: &str, name: &str, lines: &[usize]) -> Result<Column<F>> {
        self.cells.resize(lines.len(), Cell::Missing);
        if !self.has_text {
            let value = |(cell, &line): (&Cell, &usize)| {
                number(cell.number()).map_err(|p| Error::cell(source, line, name, p))
            };
            return Ok(Column::Number(self.cells.iter().zip(lines).map(value).collect::<Result<_>>()?));
        }
        let mut text = TextBuilder::default();
        for cell in self.cells {
            match cell {
                Cell::Missing => text.push(None),
                Cell::Number(v) => text.push(Some(&class_name(v))),
                Cell::Integer(v) => text.push(Some(&v.to_string())),
                Cell::Boolean(v) => text.push(Some(&v.to_string())),
                Cell::Text(t) => text.push(Some(&t)),
            }
        }
        Ok(text.build())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{ReadOptions, read_bytes};

    fn table(text: &str) -> Result<Table<f32>> {
        read_bytes("x.jsonl", text.as_bytes().to_vec(), &ReadOptions::default())
    }

    #[test]
    fn objects_become_rows() {
        let t = table("{\"len\": 1.5, \"c\": \"red\", \"z\": 1}\n\n{\"c\": \"blue\", \"late\": true, \"len\": null, \"z\": \"two\"}\n").unwrap();
        assert_eq!(t.names, ["len", "c", "z", "late"]);
        assert_eq!((t.named, t.line(0), t.line(1)), (true, 1, 3));
        let Body::Columns(columns) = &t.body else { panic!("no columns") };
        let Column::Number(len) = &columns[0] else { panic!("no numbers") };
        assert!(len[0] == 1.5 && len[1].is_nan());
        let text = |levels: &[&str], codes: &[Option<u32>]| Column::Text {
            levels: levels.iter().map(|l| l.to_string()).collect(),
            codes: codes.to_vec(),
        };
        assert_eq!(columns[1], text(&["red", "blue"], &[Some(0), Some(1)]));
        assert_eq!(columns[2], text(&["1", "two"], &[Some(0), Some(1)]));
        assert_eq!(columns[3], text(&["true"], &[None, Some(0)]));
    }

    #[test]
    fn bad_lines_are_refused_with_their_number() {
        let e = |text: &str| table(text).unwrap_err().to_string();
        let nested = e("{\"a\": 1}\n{\"a\": [1, 2]}\n");
        assert!(
            nested.starts_with(
                "x.jsonl: row 2 is not an object of names and values in JSON (\"a\": invalid type: sequence"
            ),
            "{nested}"
        );
        assert!(nested.contains("store nested values as columns of their own"), "{nested}");
        assert!(e("{\"a\": 1}\n{\"a\": 1").starts_with("x.jsonl: row 2 is not an object"));
        assert!(e("{\"a\": 1}\n5\n").contains("row 2"));
        assert_eq!(e("{\"a\": 1, \"a\": 2}\n"), "x.jsonl: row 1 has \"a\" twice");
        assert!(e("[{\"a\": 1}]").contains("write one object in each line"));
        assert!(e("{\"a\": 1e300}\n").contains("too large for f32"));
    }
}
