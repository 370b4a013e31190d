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
pub fn learn<F: Float>(mut table: Table<F>, options: &SchemaOptions) -> Result<Learned<F>> {
    let mut decisions = decide(&table, options)?;
    let before = table.rows();
    if options.missing == Missing::Drop {
        let keep = complete(&table, &decisions)?;
        if keep.contains(&false) {
            table = table.keep_rows(&keep);
            if table.rows() == 0 {
                return Err(Error::file(&table.source, "has no row without a missing value"));
            }
            decisions = decide(&table, options)?;
        }
    }
    let schema = Schema::decided(&table, &decisions, options)?;
    let findings =
        Findings { rows_dropped: before - table.rows(), ..Findings::decided(&table, &decisions, options) };
    let weights = decisions.weight.map(|j| weights(&table, j)).transpose()?;
    let source = table.source.clone();
    let mut data = schema.dataset(table)?;
    if let Some(weights) = weights {
        data = data.with_weights(weights).map_err(|e| Error::file(&source, e))?;
    }
    Ok(Learned { schema, data, findings })
}

/// Which rows have a label and a value in every column that is used.
fn complete<F: Float>(table: &Table<F>, decisions: &Decisions) -> Result<Vec<bool>> {
    let mut keep: Vec<bool> = row_labels(table, decisions.label)?.iter().map(Option::is_some).collect();
    for (j, decision) in decisions.columns.iter().enumerate() {
        let spelling = match &decision.becomes {
            ColumnUse::Label | ColumnUse::Dropped { .. } => continue,
            ColumnUse::Number { spelling } => Some(*spelling),
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
        assert_eq!((learned.data.len(), learned.findings.rows, learned.findings.rows_dropped), (2, 2, 3));
        assert_eq!(learned.data.features, ["a", "t=x", "t=y"]);
        let e = learn(table("a,b,class\n1,,0\n,2,1\n"), &options).unwrap_err().to_string();
        assert_eq!(e, "x.csv: has no row without a missing value");
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
