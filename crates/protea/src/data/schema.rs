//! [`Schema`]: from a [`Table`] to numbers, learned on the training file and applied to later ones.
//!
//! Numbers stay as they are. A column of text becomes one column of zeros and ones for each of its values, a column of dates one
//! for each part of the date. Missing values are refused, or filled with what the training file had on average. When a later
//! file and the training file both name their columns, columns are matched by name, so that their order may differ and others
//! may stand between them; otherwise they are matched by position.

use super::Dataset;
use super::decide::{ColumnUse, Decisions, decide};
use super::encode::{ColumnKind, ColumnSpec, Fail, few, is_missing};
use super::label::{LabelSpec, classes, no_column, no_label, row_labels};
use super::learn::{LeftOut, Unusable, with_labels};
use super::options::{SchemaOptions, Unknown};
use super::table::{Body, Table};
use crate::{Error, Float, Result};
use ndarray::{Array2, Axis};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

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
    /// Positions, from 0, of columns of the training file that are neither features nor the label.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<usize>,
    /// What to do about categories that the training file did not have.
    #[serde(default, skip_serializing_if = "Unknown::is_error")]
    pub unknown: Unknown,
    /// Whether the training file was sparse with indices from 0.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub zero_based: bool,
}

/// The class of each row, if the file has labels; `None` for a row whose label is missing or names no known class.
pub type RowClasses = Option<Vec<Option<usize>>>;

/// Why a row has no features.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RowProblem {
    /// The row, from 0.
    pub row: usize,
    /// What is wrong, in a sentence that names file, row and column.
    pub problem: String,
}

/// The rows of a table that have all their features.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FittingRows<F> {
    /// Their features.
    pub x: Array2<F>,
    /// For each row of the table, its row among them.
    pub places: Vec<Option<usize>>,
    /// What is wrong with the others, the first problem of each.
    pub problems: Vec<RowProblem>,
}

impl Schema {
    /// Learns from the training file. [`learn`](super::learn) also gives the samples and what was found.
    pub fn learn<F: Float>(table: &Table<F>, options: &SchemaOptions) -> Result<Schema> {
        Schema::decided(table, &decide(table, options)?, options)
    }

    /// Learns the columns of which was decided what they become.
    pub(super) fn decided<F: Float>(
        table: &Table<F>,
        decisions: &Decisions,
        options: &SchemaOptions,
    ) -> Result<Schema> {
        let at = decisions.label;
        let labels = row_labels(table, at)?;
        let labels = labels.into_iter().enumerate().map(|(i, l)| l.ok_or_else(|| no_label(table, at, i)));
        let classes = classes(table, at, &labels.collect::<Result<Vec<_>>>()?)?;
        if let Some(problem) = decisions.columns.iter().find_map(|d| d.problem.as_ref()) {
            return Err(Error::file(&table.source, problem));
        }
        let mut columns = Vec::new();
        for (j, decision) in decisions.columns.iter().enumerate() {
            columns.extend(ColumnSpec::learn(table, j, &decision.becomes, options.missing)?);
        }
        let is_skipped = |u: &ColumnUse| matches!(u, ColumnUse::Weight | ColumnUse::Dropped { .. });
        let skipped = (0..table.columns()).filter(|&j| is_skipped(&decisions.columns[j].becomes)).collect();
        Ok(Schema {
            columns,
            named: table.named,
            label: at.map(|j| table.names[j].clone()),
            label_at: at,
            classes,
            skipped,
            unknown: options.unknown,
            zero_based: table.zero_based,
        })
    }

    /// The schema of samples that did not come from a table: numbers, labels apart.
    pub fn plain<F: Float>(data: &Dataset<F>) -> Schema {
        Schema::of_numbers(&data.features, &data.classes)
    }

    /// The schema of columns that are all numbers and matched by position, labels apart.
    pub fn of_numbers(columns: &[String], classes: &[String]) -> Schema {
        Schema {
            columns: columns.iter().map(ColumnSpec::number).collect(),
            named: false,
            label: None,
            label_at: None,
            classes: classes.to_vec(),
            skipped: Vec::new(),
            unknown: Unknown::Error,
            zero_based: false,
        }
    }

    /// Names of the features: `column`, `column=value` of text, `column.part` of dates.
    pub fn feature_names(&self) -> Vec<String> {
        self.columns.iter().flat_map(ColumnSpec::feature_names).collect()
    }

    /// Number of features.
    pub fn dim(&self) -> usize {
        self.columns.iter().map(ColumnSpec::width).sum()
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
        let x = self.matrix(table, &places, &mut |_, e| Err(e))?;
        Dataset::new(x, y, self.classes.clone())?.with_features(self.feature_names())
    }

    /// The rows that can be read and have a label, and a sentence about each kind of those that were left out. A table without any
    /// label stays as it is.
    pub fn labelled_rows<F: Float>(&self, table: Table<F>) -> Result<(Table<F>, Vec<String>)> {
        let (table, unreadable) = table.readable();
        let unreadable = unreadable.map(|(rows, first)| LeftOut { rows, why: Unusable::Unreadable, first });
        let (_, at) = self.places(&table)?;
        let (table, unlabelled) = match at {
            Some(at) => with_labels(table, Some(at))?,
            None => (table, None),
        };
        Ok((table, unreadable.into_iter().chain(unlabelled).map(|l| l.warning()).collect()))
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
        Ok((self.matrix(table, &places, &mut |_, e| Err(e))?, y))
    }

    /// The features of the rows that have them, and what is wrong with the others.
    pub fn rows_that_fit<F: Float>(&self, table: Table<F>) -> Result<FittingRows<F>> {
        let (places, _) = self.places(&table)?;
        let mut problems: Vec<Option<String>> = vec![None; table.rows()];
        for (row, problem) in &table.unreadable {
            problems[*row] = Some(problem.clone());
        }
        let x = self.matrix(table, &places, &mut |i, e| {
            problems[i].get_or_insert_with(|| e.to_string());
            Ok(())
        })?;
        let rows: Vec<usize> = (0..problems.len()).filter(|&i| problems[i].is_none()).collect();
        let x = if rows.len() == problems.len() { x } else { x.select(Axis(0), &rows) };
        let mut next = 0..rows.len();
        let places = problems.iter().map(|p| if p.is_none() { next.next() } else { None }).collect();
        let problems = problems.into_iter().enumerate();
        let problems = problems.filter_map(|(row, p)| p.map(|problem| RowProblem { row, problem })).collect();
        Ok(FittingRows { x, places, problems })
    }

    /// Whether positions lie within the training file and replacements fit their columns; a file may say otherwise.
    pub(crate) fn is_sound(&self) -> bool {
        let all = self.columns.len() + self.skipped.len() + usize::from(self.label_at.is_some());
        let fits = |c: &ColumnSpec| match &c.kind {
            ColumnKind::Date { parts, fill, .. } => fill.as_ref().is_none_or(|f| f.len() == parts.len()),
            _ => true,
        };
        self.label_at.iter().chain(&self.skipped).all(|&at| at < all) && self.columns.iter().all(fits)
    }

    fn class_index(&self) -> HashMap<&str, usize> {
        self.classes.iter().enumerate().map(|(i, c)| (c.as_str(), i)).collect()
    }

    /// Where the table has each column of the schema (`None`: a zero that a sparse file leaves out), and the label.
    fn places<F>(&self, table: &Table<F>) -> Result<(Vec<Option<usize>>, Option<usize>)> {
        let apart = table.labels.is_some();
        if self.named && table.named {
            let index = table.by_name();
            let place = |c: &ColumnSpec| {
                let place = index.get(c.name.as_str()).copied();
                place.map(Some).ok_or_else(|| Error::file(&table.source, no_column(&c.name, &table.names)))
            };
            let places = self.columns.iter().map(place).collect::<Result<_>>()?;
            let label = self.label.as_ref().and_then(|l| index.get(l.as_str()).copied());
            return Ok((places, label.filter(|_| !apart)));
        }
        if table.sparse {
            return Ok((self.sparse_places(table)?, None));
        }
        let (expected, found) = (self.columns.len(), table.columns());
        let all =
            |skip: &dyn Fn(usize) -> bool| (0..found).filter(|&j| !skip(j)).map(Some).collect::<Vec<_>>();
        // The training file's columns with or without its label, or the features alone.
        let label_at = self.label_at.filter(|&at| at < found);
        if !self.skipped.is_empty() {
            let skipped: HashSet<usize> = self.skipped.iter().copied().collect();
            let places = all(&|j| self.label_at == Some(j) || skipped.contains(&j));
            if places.len() == expected
                && found == expected + self.skipped.len() + usize::from(label_at.is_some())
            {
                return Ok((places, label_at.filter(|_| !apart)));
            }
            let before = |at: usize| usize::from(self.label_at.is_some_and(|label| label < at));
            let skipped: HashSet<usize> = skipped.into_iter().map(|at| at - before(at)).collect();
            let places = all(&|j| skipped.contains(&j));
            if places.len() == expected && found == expected + self.skipped.len() {
                return Ok((places, None));
            }
        }
        if found == expected {
            return Ok((all(&|_| false), None));
        }
        if found == expected + 1 {
            // A file of unknown shape says itself where its label is.
            let at =
                label_at.map_or_else(|| LabelSpec::Auto.find(table).map(|(at, _)| at), |at| Ok(Some(at)))?;
            if let Some(at) = at {
                return Ok((all(&|j| j == at), Some(at).filter(|_| !apart)));
            }
        }
        Err(Error::Features { source_name: table.source.clone(), expected, found })
    }

    /// Where a sparse table has each column: what it leaves out is zero, and indices may start at 0 or 1.
    fn sparse_places<F>(&self, table: &Table<F>) -> Result<Vec<Option<usize>>> {
        let (expected, found) = (self.columns.len() + self.skipped.len(), table.columns());
        if table.zero_based && !self.zero_based {
            let problem = "has the index 0, but the indices of the training file start at 1";
            return Err(Error::file(&table.source, problem));
        }
        // A file that never uses the index 0 was read as if its indices started at 1.
        let shift = usize::from(self.zero_based && !table.zero_based);
        if found + shift > expected {
            return Err(Error::Features { source_name: table.source.clone(), expected, found });
        }
        let skipped: HashSet<usize> = self.skipped.iter().copied().collect();
        let columns = (0..expected).filter(|j| !skipped.contains(j));
        Ok(columns.map(|j| j.checked_sub(shift).filter(|&j| j < found)).collect())
    }

    /// The features. A matrix of numbers is used as it stands, without the columns that are not wanted.
    fn matrix<F: Float>(
        &self,
        mut table: Table<F>,
        places: &[Option<usize>],
        fail: Fail,
    ) -> Result<Array2<F>> {
        let keep: Option<Vec<usize>> = places.iter().copied().collect();
        let keep = keep.filter(|k| k.is_sorted_by(|a, b| a < b));
        let numbers = self.columns.iter().all(|c| matches!(c.kind, ColumnKind::Number { .. }));
        if let (Body::Dense(_), Some(keep), true) = (&table.body, keep, numbers) {
            let empty = Body::Dense(Array2::zeros((0, 0)));
            if let Body::Dense(x) = std::mem::replace(&mut table.body, empty) {
                let mut x = keep_columns(x, &keep)?;
                self.fill_matrix(&table, &mut x, fail)?;
                return Ok(x);
            }
        }
        let mut x = Array2::zeros((table.rows(), self.dim()));
        let mut start = 0;
        for (column, place) in self.columns.iter().zip(places) {
            if let &Some(j) = place {
                column.encode(&table, j, self.unknown, (&mut x, start), fail)?;
            }
            start += column.width();
        }
        Ok(x)
    }

    fn fill_matrix<F: Float>(&self, table: &Table<F>, x: &mut Array2<F>, fail: Fail) -> Result<()> {
        for (i, mut row) in x.rows_mut().into_iter().enumerate() {
            for (v, column) in row.iter_mut().zip(&self.columns).filter(|(v, _)| v.is_nan()) {
                match column.kind {
                    ColumnKind::Number { fill: Some(fill), .. } => *v = F::of(fill),
                    _ => fail(i, is_missing(table, i, &column.name))?,
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
        Schema::learn(&table(text), &SchemaOptions::default()).unwrap()
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
        let schema = Schema::learn(
            &table(text),
            &SchemaOptions { label: LabelSpec::Position(1), ..Default::default() },
        )
        .unwrap();
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
        let schema = Schema::learn(&table("1.5,2.5,0\n3.5,4.5,1\n"), &SchemaOptions::default()).unwrap();
        assert_eq!(schema.features(t).unwrap().0.as_ptr(), place);
    }

    #[test]
    fn rows_that_do_not_fit_are_told_one_by_one() {
        let schema = learn("a,t,class\n1,x,0\n2,y,1\n");
        let FittingRows { x, places, problems } =
            schema.rows_that_fit(table("a,t\n1,x\n,z\n3,z\n4,y\n")).unwrap();
        assert_eq!(x, array![[1.0, 1.0, 0.0], [4.0, 0.0, 1.0]]);
        assert_eq!(places, [Some(0), None, None, Some(1)]);
        assert_eq!(problems.iter().map(|p| p.row).collect::<Vec<_>>(), [1, 2]);
        assert!(problems[0].problem.starts_with("x.csv, row 3, column a: the value is missing"));
        assert!(problems[1].problem.starts_with("x.csv, row 4, column t: \"z\" was not seen in training"));
        // The same for a matrix of numbers.
        let schema = learn("a,b,class\n1,5,0\n2,6,1\n");
        let FittingRows { x, places, .. } = schema.rows_that_fit(table("a,b\n1,2\n3,\n")).unwrap();
        assert_eq!((x, places), (array![[1.0, 2.0]], vec![Some(0), None]));
    }

    #[test]
    fn columns_left_out_keep_their_place_in_files_without_names() {
        let text = "7,1.5,3,0\n7,3.5,4,1\n7,4.5,5,1\n";
        let schema = learn(text);
        assert_eq!(schema.feature_names(), ["f1", "f2"]);
        assert_eq!(schema.dataset(table(text)).unwrap().x, array![[1.5, 3.0], [3.5, 4.0], [4.5, 5.0]]);
        assert_eq!(schema.features(table("7,1.5,3\n8,3.5,4\n")).unwrap().0, array![[1.5, 3.0], [3.5, 4.0]]);
        assert_eq!(schema.features(table("1.5,3\n3.5,4\n")).unwrap().0, array![[1.5, 3.0], [3.5, 4.0]]);
        assert!(schema.features(table("1,2,3,4,5\n6,7,8,9,10\n")).is_err());
    }

    #[test]
    fn a_label_position_out_of_range_is_no_position() {
        let schema = learn("7,1.5,2.5,0\n7,3.5,4.5,1\n");
        assert!(schema.is_sound() && schema.skipped == [0] && schema.label_at == Some(3));
        assert!(!Schema { label_at: Some(4), ..schema.clone() }.is_sound());
        assert!(!Schema { skipped: vec![9], ..schema }.is_sound());
        let schema = Schema { label_at: Some(99), ..learn("1.5,2.5,0\n3.5,4.5,1\n") };
        assert!(schema.features(table("1,2,3\n4,5,6\n")).is_ok());
        assert!(schema.features(table("1,2,3,4\n4,5,6,7\n")).is_err());
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
