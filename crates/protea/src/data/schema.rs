//! [`Schema`]: from a [`Table`] to numbers, learned on the training file and applied to later ones.
//!
//! Numbers stay as they are. A column of text becomes one column of zeros and ones for each of its values. Missing
//! values are refused, or filled with what the training file had on average. When a later file and the training
//! file both name their columns, columns are matched by name, so that their order may differ and others may stand
//! between them; otherwise they are matched by position.

use super::Dataset;
use super::encode::{ColumnKind, ColumnSpec, Missing, few, is_missing};
use super::label::{LabelSpec, classes, no_column, no_label, row_labels};
use super::table::{Body, Table};
use crate::{Error, Float, Result};
use ndarray::{Array2, Axis};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// How the columns of a file become features, and labels become classes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    /// The columns that are features, in order.
    pub columns: Vec<ColumnSpec>,
    /// Whether the training file named its columns.
    pub named: bool,
    /// Name of the label column; none where labels stood apart.
    pub label: Option<String>,
    /// Position of the label column, from 0.
    pub label_at: Option<usize>,
    /// Names of the classes.
    pub classes: Vec<String>,
}

/// The class of each row, if the file has labels; `None` for a row whose label is missing or names no known class.
pub type RowClasses = Option<Vec<Option<usize>>>;

impl Schema {
    /// Learns from the training file.
    pub fn learn<F: Float>(table: &Table<F>, label: &LabelSpec, missing: Missing) -> Result<Schema> {
        let at = label.locate(table)?;
        let labels = row_labels(table, at)?;
        let labels = labels.into_iter().enumerate().map(|(i, l)| l.ok_or_else(|| no_label(table, at, i)));
        let classes = classes(table, at, &labels.collect::<Result<Vec<_>>>()?)?;
        let columns = (0..table.columns()).filter(|&j| Some(j) != at);
        let columns = columns.map(|j| ColumnSpec::learn(table, j, missing)).collect::<Result<_>>()?;
        let label = at.map(|j| table.names[j].clone());
        Ok(Schema { columns, named: table.named, label, label_at: at, classes })
    }

    /// The schema of samples that did not come from a table: numbers, labels apart.
    pub fn plain<F: Float>(data: &Dataset<F>) -> Schema {
        let column =
            |name: &String| ColumnSpec { name: name.clone(), kind: ColumnKind::Number { fill: None } };
        let columns = data.features.iter().map(column).collect();
        Schema { columns, named: false, label: None, label_at: None, classes: data.classes.clone() }
    }

    /// Names of the features; those of a column of text are called `column=value`.
    pub fn feature_names(&self) -> Vec<String> {
        let names = self.columns.iter().flat_map(|c| match &c.kind {
            ColumnKind::Number { .. } => vec![c.name.clone()],
            ColumnKind::Category { levels, .. } => levels.iter().map(|l| format!("{}={l}", c.name)).collect(),
        });
        names.collect()
    }

    /// Number of features.
    pub fn dim(&self) -> usize {
        self.columns.iter().map(|c| c.kind.width()).sum()
    }

    /// The samples with their classes; every row must have a known one.
    pub fn dataset<F: Float>(&self, table: Table<F>) -> Result<Dataset<F>> {
        let (places, at) = self.places(&table)?;
        if at.is_none() && table.labels.is_none() {
            let column = self.label.as_ref().map_or(String::new(), |l| format!(": there is no column {l:?}"));
            return Err(Error::file(&table.source, format!("has no labels{column}")));
        }
        let index = self.class_index();
        let labels = row_labels(&table, at)?.into_iter().enumerate().map(|(i, label)| {
            let label = label.ok_or_else(|| no_label(&table, at, i))?;
            index.get(label.as_str()).copied().ok_or_else(|| {
                let problem = format!("the class {label:?} is not among {}", few(&self.classes));
                Error::cell(&table.source, table.line(i), at.map_or("label", |j| &table.names[j]), problem)
            })
        });
        let y = labels.collect::<Result<Vec<_>>>()?;
        let x = self.matrix(table, &places)?;
        Dataset::new(x, y, self.classes.clone())?.with_features(self.feature_names())
    }

    /// The features of the samples and, if the file has labels, their classes.
    pub fn features<F: Float>(&self, table: Table<F>) -> Result<(Array2<F>, RowClasses)> {
        let (places, at) = self.places(&table)?;
        let index = self.class_index();
        let class = |label: Option<String>| label.and_then(|l| index.get(l.as_str()).copied());
        let y = if at.is_some() || table.labels.is_some() {
            Some(row_labels(&table, at)?.into_iter().map(class).collect())
        } else {
            None
        };
        Ok((self.matrix(table, &places)?, y))
    }

    fn class_index(&self) -> HashMap<&str, usize> {
        self.classes.iter().enumerate().map(|(i, c)| (c.as_str(), i)).collect()
    }

    /// Where the table has each column of the schema (`None`: a zero that a sparse file leaves out), and the label.
    fn places<F>(&self, table: &Table<F>) -> Result<(Vec<Option<usize>>, Option<usize>)> {
        let apart = table.labels.is_some();
        if self.named && table.named {
            let index: HashMap<&str, usize> =
                table.names.iter().enumerate().map(|(j, n)| (n.as_str(), j)).collect();
            let place = |c: &ColumnSpec| {
                let place = index.get(c.name.as_str()).copied();
                place.map(Some).ok_or_else(|| Error::file(&table.source, no_column(&c.name, &table.names)))
            };
            let places = self.columns.iter().map(place).collect::<Result<_>>()?;
            let label = self.label.as_ref().and_then(|l| index.get(l.as_str()).copied());
            return Ok((places, label.filter(|_| !apart)));
        }
        let (expected, found) = (self.columns.len(), table.columns());
        if found == expected || (table.sparse && found < expected) {
            return Ok(((0..expected).map(|j| Some(j).filter(|&j| j < found)).collect(), None));
        }
        if found == expected + 1 && !table.sparse {
            // A file of unknown shape says itself where its label is.
            let at = self.label_at.map_or_else(|| LabelSpec::Auto.locate(table), |at| Ok(Some(at)))?;
            if let Some(at) = at {
                return Ok((
                    (0..found).filter(|&j| j != at).map(Some).collect(),
                    Some(at).filter(|_| !apart),
                ));
            }
        }
        Err(Error::Features { source_name: table.source.clone(), expected, found })
    }

    /// The features. A matrix of numbers is used as it stands, without the columns that are not wanted.
    fn matrix<F: Float>(&self, mut table: Table<F>, places: &[Option<usize>]) -> Result<Array2<F>> {
        let keep: Option<Vec<usize>> = places.iter().copied().collect();
        let keep = keep.filter(|k| k.is_sorted_by(|a, b| a < b));
        let numbers = self.columns.iter().all(|c| matches!(c.kind, ColumnKind::Number { .. }));
        if let (Body::Dense(_), Some(keep), true) = (&table.body, keep, numbers) {
            let empty = Body::Dense(Array2::zeros((0, 0)));
            if let Body::Dense(x) = std::mem::replace(&mut table.body, empty) {
                let mut x = keep_columns(x, &keep)?;
                self.fill_matrix(&table, &mut x)?;
                return Ok(x);
            }
        }
        let mut x = Array2::zeros((table.rows(), self.dim()));
        let mut start = 0;
        for (column, place) in self.columns.iter().zip(places) {
            if let &Some(j) = place {
                column.encode(&table, j, &mut x, start)?;
            }
            start += column.kind.width();
        }
        Ok(x)
    }

    fn fill_matrix<F: Float>(&self, table: &Table<F>, x: &mut Array2<F>) -> Result<()> {
        for (i, mut row) in x.rows_mut().into_iter().enumerate() {
            for (v, column) in row.iter_mut().zip(&self.columns).filter(|(v, _)| v.is_nan()) {
                match column.kind {
                    ColumnKind::Number { fill: Some(fill) } => *v = F::of(fill),
                    _ => return Err(is_missing(table, i, &column.name)),
                }
            }
        }
        Ok(())
    }
}

/// Moves the wanted columns together, in place.
fn keep_columns<F: Float>(x: Array2<F>, keep: &[usize]) -> Result<Array2<F>> {
    let (rows, columns) = x.dim();
    if keep.len() == columns || !x.is_standard_layout() {
        return Ok(if keep.len() == columns { x } else { x.select(Axis(1), keep) });
    }
    let (mut values, offset) = x.into_raw_vec_and_offset();
    let (start, mut to) = (offset.unwrap_or(0), 0);
    for i in 0..rows {
        for &j in keep {
            values[to] = values[start + i * columns + j];
            to += 1;
        }
    }
    values.truncate(to);
    Ok(Array2::from_shape_vec((rows, keep.len()), values)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{ReadOptions, read_bytes};
    use ndarray::array;

    fn table(text: &str) -> Table<f32> {
        read_bytes("x.csv", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
    }

    fn learn(text: &str) -> Schema {
        Schema::learn(&table(text), &LabelSpec::Auto, Missing::Reject).unwrap()
    }

    #[test]
    fn text_becomes_one_column_for_each_value() {
        let text = "colour,len,class\nred,1,b\nblue,2,a\nred,3,b\n";
        let d = learn(text).dataset(table(text)).unwrap();
        assert_eq!(d.features, ["colour=blue", "colour=red", "len"]);
        assert_eq!(d.x, array![[0.0, 1.0, 1.0], [1.0, 0.0, 2.0], [0.0, 1.0, 3.0]]);
        assert_eq!((d.y, d.classes), (vec![1, 0, 1], vec!["a".to_string(), "b".to_string()]));
    }

    #[test]
    fn later_files_are_matched_by_name() {
        let schema = learn("a,b,class\n1,2,0\n3,4,1\n");
        let (x, y) = schema.features(table("class,b,id,a\n1,20,7,10\n5,40,8,30\n")).unwrap();
        assert_eq!((x, y), (array![[10.0, 20.0], [30.0, 40.0]], Some(vec![Some(1), None])));
        let (x, y) = schema.features(table("id,a,b\n7,10,20\n")).unwrap();
        assert_eq!((x, y), (array![[10.0, 20.0]], None));
        let e = schema.features(table("id,a,c\n7,10,20\n")).unwrap_err().to_string();
        assert_eq!(e, "x.csv: there is no column \"b\" among id, a, c; did you mean \"a\"?");
        let e = schema.dataset(table("a,b,class\n1,2,0\n1,2,9\n")).unwrap_err().to_string();
        assert_eq!(e, "x.csv, row 3, column class: the class \"9\" is not among 0, 1");
    }

    #[test]
    fn later_files_without_names_are_matched_by_position() {
        let text = "0,1.5,2.5\n1,3.5,4.5\n";
        let schema = Schema::learn(&table(text), &LabelSpec::Position(1), Missing::Reject).unwrap();
        assert_eq!(schema.features(table(text)).unwrap().1, Some(vec![Some(0), Some(1)]));
        let (x, y) = schema.features(table("1.5,2.5\n3.5,4.5\n")).unwrap();
        assert_eq!((x, y), (array![[1.5, 2.5], [3.5, 4.5]], None));
        let e = schema.features(table("1,2,3,4\n")).unwrap_err().to_string();
        assert_eq!(e, "the model expects 2 features but x.csv has 4");
        let e = schema.dataset(table("1.5,2.5\n3.5,4.5\n")).unwrap_err().to_string();
        assert_eq!(e, "x.csv: has no labels: there is no column \"f0\"");
    }

    #[test]
    fn a_plain_schema_finds_the_label_of_a_later_file() {
        let d = learn("a,b,class\n1,2,0\n3,4,1\n").dataset(table("a,b,class\n1,2,0\n3,4,1\n")).unwrap();
        let schema = Schema::plain(&d);
        assert_eq!(schema.dataset(table("class,a,b\n0,1,2\n1,3,4\n")).unwrap().x, d.x);
        // LIBSVM leaves out zeros at the end.
        let (x, y) = schema.features(table("1 1:5\n0 1:6\n")).unwrap();
        assert_eq!((x, y), (array![[5.0, 0.0], [6.0, 0.0]], Some(vec![Some(1), Some(0)])));
    }

    #[test]
    fn numbers_alone_are_not_copied() {
        let t = table("1.5,2.5\n3.5,4.5\n");
        let Body::Dense(x) = &t.body else { panic!("not dense") };
        let place = x.as_ptr();
        let schema =
            Schema::learn(&table("1.5,2.5,0\n3.5,4.5,1\n"), &LabelSpec::Auto, Missing::Reject).unwrap();
        assert_eq!(schema.features(t).unwrap().0.as_ptr(), place);
    }

    #[test]
    fn a_schema_survives_json() {
        let schema = learn("colour,len,class\nred,1,b\nblue,2,a\n");
        let json = serde_json::to_string(&schema).unwrap();
        assert!(
            json.contains(
                r#"{"name":"colour","kind":{"type":"category","levels":["blue","red"],"fill":null}}"#
            )
        );
        assert_eq!(serde_json::from_str::<Schema>(&json).unwrap(), schema);
    }
}
