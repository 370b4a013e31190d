//! From a training table to samples: what was found, the schema, and the samples themselves.

use super::decide::{ColumnUse, Decisions, decide};
use super::label::row_labels;
use super::number::parse_number;
use super::options::{Missing, SchemaOptions};
use super::table::{ColumnView, Table};
use super::{Dataset, Findings, Schema};
use crate::{Error, Float, Result};

/// What was learned from a training table.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned<F = f32> {
    /// How columns become features, for later files.
    pub schema: Schema,
    /// The samples.
    pub data: Dataset<F>,
    /// What was found and decided on the way.
    pub findings: Findings,
}

/// Learns the schema of a training table and applies it.
///
/// ```
/// use protea::data::{SchemaOptions, learn};
/// use protea::io::{ReadOptions, read_bytes};
/// let text = b"id,length,unit,class\n7,1.5,cm,a\n8,2.5,cm,b\n9,1.7,cm,a\n".to_vec();
/// let table = read_bytes::<f32>("flowers.csv", text, &ReadOptions::default())?;
/// let options = SchemaOptions { drop: vec!["id".into()], ..Default::default() };
/// let learned = learn(table, &options)?;
/// assert_eq!(learned.data.features, ["length"]);       // `unit` is constant
/// assert_eq!(learned.findings.classes[0].count, 2);
/// # Ok::<(), protea::Error>(())
/// ```
pub fn learn<F: Float>(table: Table<F>, options: &SchemaOptions) -> Result<Learned<F>> {
    let (mut table, left_out) = usable(table, options)?;
    let mut decisions = decide(&table, options)?;
    let before = table.rows();
    if options.missing == Missing::Drop {
        let keep = complete(&table, &decisions)?;
        if keep.contains(&false) {
            // Without the words among them, numbers are no text any more.
            table = table.keep_rows(&keep).with_numbers(&decisions.spellings());
            if table.rows() == 0 {
                return Err(Error::file(&table.source, "has no row without a missing value"));
            }
            decisions = decisions.again(decide(&table, options)?);
        }
    }
    let schema = Schema::decided(&table, &decisions, options)?;
    let mut findings = Findings::decided(&table, &decisions, options);
    findings.rows_dropped = before - table.rows();
    findings.add_left_out(left_out);
    let weights = decisions.weight.map(|j| weights(&table, j)).transpose()?;
    let source = table.source.clone();
    let mut data = schema.dataset(table)?;
    if let Some(weights) = weights {
        data = data.with_weights(weights).map_err(|e| Error::file(&source, e))?;
    }
    Ok(Learned { schema, data, findings })
}

/// Rows of a training table that say nothing, and were left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LeftOut {
    pub(super) rows: usize,
    pub(super) why: Unusable,
    /// The first of them.
    pub(super) first: String,
}

/// Why a row cannot be learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unusable {
    Unlabelled,
    Unreadable,
}

impl LeftOut {
    /// A sentence for users.
    pub(super) fn warning(&self) -> String {
        let (one, many) = match self.why {
            Unusable::Unlabelled => ("has no label", "have no label"),
            Unusable::Unreadable => ("could not be read", "could not be read"),
        };
        let first = &self.first;
        match self.rows {
            1 => format!("1 row was left out: it {one} ({first})"),
            n => format!("{n} rows were left out: they {many} (the first: {first})"),
        }
    }
}

/// The rows of a training table that can be read and have a label, and what was left out; where missing values are refused, rows
/// without a label are, too.
pub(super) fn usable<F: Float>(table: Table<F>, options: &SchemaOptions) -> Result<(Table<F>, Vec<LeftOut>)> {
    let mut left_out = Vec::new();
    let (table, unreadable) = table.readable();
    if let Some((rows, first)) = unreadable.as_ref().filter(|(rows, _)| *rows > table.rows()) {
        let first = first.strip_prefix(&format!("{}: ", table.source)).unwrap_or(first);
        let problem = format!("has {rows} rows that cannot be read, more than others; the first: {first}");
        return Err(Error::file(&table.source, problem));
    }
    left_out.extend(unreadable.map(|(rows, first)| LeftOut { rows, why: Unusable::Unreadable, first }));
    if options.missing == Missing::Reject {
        return Ok((table, left_out));
    }
    let (at, _) = options.label.find(&table)?;
    let (table, unlabelled) = with_labels(table, at)?;
    left_out.extend(unlabelled);
    Ok((table, left_out))
}

/// The rows that have a label in the column `at`; all of them where none has.
pub(super) fn with_labels<F: Float>(
    table: Table<F>,
    at: Option<usize>,
) -> Result<(Table<F>, Option<LeftOut>)> {
    let keep: Vec<bool> = row_labels(&table, at)?.iter().map(Option::is_some).collect();
    let Some(first) = keep.iter().position(|k| !k).filter(|_| keep.contains(&true)) else {
        return Ok((table, None));
    };
    let rows = keep.iter().filter(|k| !**k).count();
    let first = format!("row {}", table.line(first));
    Ok((table.keep_rows(&keep), Some(LeftOut { rows, why: Unusable::Unlabelled, first })))
}

/// Which rows have a label and a value in every column that is used.
fn complete<F: Float>(table: &Table<F>, decisions: &Decisions) -> Result<Vec<bool>> {
    let mut keep: Vec<bool> = row_labels(table, decisions.label)?.iter().map(Option::is_some).collect();
    for (j, decision) in decisions.columns.iter().enumerate() {
        let spelling = match &decision.becomes {
            ColumnUse::Label | ColumnUse::Dropped { .. } => continue,
            ColumnUse::Number { spelling } => Some(spelling),
            _ => None,
        };
        match table.column(j) {
            ColumnView::Number(values) => {
                keep.iter_mut().zip(values).for_each(|(keep, v)| *keep &= !v.is_nan());
            }
            ColumnView::Text(levels, codes) => {
                let sound = |c: u32| spelling.is_none_or(|s| s.parse(&levels[c as usize]).is_some());
                keep.iter_mut().zip(codes).for_each(|(keep, c)| *keep &= c.is_some_and(sound));
            }
        }
    }
    Ok(keep)
}

/// The weights of rows in column `j`.
fn weights<F: Float>(table: &Table<F>, j: usize) -> Result<Vec<f64>> {
    let value = |i: usize| {
        let v = match table.column(j) {
            ColumnView::Number(values) => Some(values[i].f64()).filter(|v| !v.is_nan()),
            ColumnView::Text(levels, codes) => codes[i].and_then(|c| parse_number(&levels[c as usize])),
        };
        v.filter(|v| v.is_finite() && *v >= 0.0).ok_or_else(|| {
            let problem = "a weight is a number that is not negative";
            Error::cell(&table.source, table.line(i), &table.names[j], problem)
        })
    };
    (0..table.rows()).map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{ReadOptions, read_bytes};

    fn table(text: &str) -> Table<f32> {
        read_bytes("x.csv", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
    }

    #[test]
    fn rows_that_lack_something_are_left_out() {
        let options = SchemaOptions { missing: Missing::Drop, ..Default::default() };
        let learned = learn(table("a,t,class\n1,x,p\n,y,q\n3,,q\n4,y,\n5,y,q\n"), &options).unwrap();
        assert_eq!((learned.data.len(), learned.findings.rows, learned.findings.rows_dropped), (2, 2, 2));
        assert_eq!(learned.findings.warnings[0], "1 row was left out: it has no label (row 5)");
        assert_eq!(learned.data.features, ["a", "t=x", "t=y"]);
        let e = learn(table("a,b,class\n1,,0\n,2,1\n"), &options).unwrap_err().to_string();
        assert_eq!(e, "x.csv: has no row without a missing value");
    }

    #[test]
    fn numbers_stay_numbers_without_the_rows_that_held_words() {
        let rows: String = (0..30)
            .map(|i| {
                let v = if i == 4 {
                    "missing".into()
                } else if i == 9 {
                    String::new()
                } else {
                    format!("{i}.5")
                };
                format!("{v},{},{}\n", i * 7 % 11, ["p", "q"][i % 2])
            })
            .collect();
        let text = format!("v,w,class\n{rows}");
        let options = SchemaOptions { missing: Missing::Drop, ..Default::default() };
        let learned = learn(table(&text), &options).unwrap();
        assert_eq!((learned.data.len(), learned.data.features.join(" ")), (28, "v w".into()));
        let note = "column v holds numbers but for 1 of its values, such as \"missing\" in row 6";
        assert_eq!(learned.findings.warnings, [note]);
    }

    #[test]
    fn rows_without_a_label_are_left_out_alone() {
        let text = "a,t,class\n1,x,p\n,y,q\n3,,q\n4,y,\n5,y,q\n,x,?\n";
        let options = SchemaOptions { missing: Missing::Median, ..Default::default() };
        let learned = learn(table(text), &options).unwrap();
        assert_eq!((learned.data.len(), learned.findings.rows, learned.findings.rows_dropped), (4, 4, 0));
        let warning = "2 rows were left out: they have no label (the first: row 5)";
        assert!(learned.findings.warnings.iter().any(|w| w == warning), "{:?}", learned.findings.warnings);
        let e = learn(table(text), &SchemaOptions::default()).unwrap_err().to_string();
        assert!(e.starts_with("x.csv, row 5, column class: the label is missing"), "{e}");
        let e = learn(table("a,class\n1,\n2,\n"), &options).unwrap_err().to_string();
        assert!(e.starts_with("x.csv, row 2, column class: the label is missing"), "{e}");
    }

    #[test]
    fn rows_that_cannot_be_read_are_left_out_if_asked_for() {
        let text = "a,b,class\n1,2,p\n3,4\n5,6,q\n7,8,9,q\n".as_bytes().to_vec();
        let read = ReadOptions { keep_going: true, ..Default::default() };
        let learned = learn(read_bytes::<f32>("x.csv", text, &read).unwrap(), &Default::default()).unwrap();
        assert_eq!(learned.data.len(), 2);
        let warning = &learned.findings.warnings[0];
        let expected = "2 rows were left out: they could not be read (the first: x.csv: row 3 has 2 fields";
        assert!(warning.starts_with(expected), "{warning}");
        let text = b"# by hand\na,class\n1,p\n".to_vec();
        let e = learn(read_bytes::<f32>("x.csv", text, &read).unwrap(), &Default::default()).unwrap_err();
        let expected = "x.csv: has 2 rows that cannot be read, more than others; the first: row 2 has 2 fields, but the \
                        first row has 1; the first row looks like a comment: skip lines that start with #";
        assert_eq!(e.to_string(), expected);
    }

    #[test]
    fn a_column_may_weight_the_rows() {
        let options = SchemaOptions { weight: Some("w".into()), ..Default::default() };
        let data = learn(table("a,w,class\n1,0.5,p\n2,2,q\n"), &options).unwrap().data;
        assert_eq!((data.weights, data.features.join(" ")), (Some(vec![0.5, 2.0]), "a".to_string()));
        let e = |text| learn(table(text), &options).unwrap_err().to_string();
        assert_eq!(
            e("a,w,class\n1,-1,p\n2,2,q\n"),
            "x.csv, row 2, column w: a weight is a number that is not negative"
        );
        assert_eq!(
            e("a,w,class\n1,1,p\n2,,q\n"),
            "x.csv, row 3, column w: a weight is a number that is not negative"
        );
        assert_eq!(e("a,w,class\n1,0,p\n2,0,q\n"), "x.csv: every sample weight is 0");
        assert!(e("a,class\n1,p\n2,q\n").contains("no column \"w\""));
    }
}
