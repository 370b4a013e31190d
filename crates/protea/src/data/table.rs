//! [`Table`]: a file as it was read, before anything is learned from it.

use super::number::{Spelling, number};
use crate::Float;
use ndarray::{Array2, ArrayView1, Axis};
use std::collections::HashMap;

/// Named columns, and labels where the format keeps them apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Table<F = f32> {
    /// The file as messages name it.
    pub source: String,
    /// Name of each column; `f0, f1, …` where the file gives none.
    pub names: Vec<String>,
    /// Whether the names come from the file.
    pub named: bool,
    /// The values.
    pub body: Body<F>,
    /// Class name of each row, for formats that keep labels apart (IDX, NPZ, LIBSVM, LVQ_PAK).
    pub labels: Option<Vec<String>>,
    /// Whether the format never keeps labels among its columns, so that none of them may be taken for one.
    pub labels_apart: bool,
    /// Whether columns after the last are zeros that the format leaves out (LIBSVM).
    pub sparse: bool,
    /// Whether the indices of a sparse file start at 0 in place of 1.
    pub zero_based: bool,
    /// Names of classes that the label column holds as indices 0, 1, …; empty where the file has none.
    pub class_names: Vec<String>,
    /// Rows, from 0, that could not be read and hold missing values only, with what is wrong; see
    /// [`ReadOptions::keep_going`](crate::io::ReadOptions::keep_going).
    pub unreadable: Vec<(usize, String)>,
    /// Columns that the file itself calls an index of its rows, as pandas does in Parquet.
    pub index_columns: Vec<usize>,
    /// Columns with whole numbers of more digits than the element type holds, which were rounded.
    pub rounded: Vec<usize>,
    /// For each column, its values as the file has them, if they were asked for and the format is one with types of its own
    /// (JSON lines, Parquet); see [`ReadOptions::written`](crate::io::ReadOptions::written).
    pub written: Vec<Option<Vec<Written>>>,
    /// Where the samples stand in the file, so that messages point at the right place.
    pub lines: Lines,
}

/// A value as a file has it, not rounded to the element type.
#[derive(Debug, Clone, PartialEq)]
pub enum Written {
    /// Nothing.
    Missing,
    /// Text.
    Text(String),
    /// True or false.
    Boolean(bool),
    /// A whole number.
    Integer(i128),
    /// Any other number.
    Number(f64),
}

/// Where the rows of a [`Table`] stand in their file.
#[derive(Debug, Clone, PartialEq)]
pub enum Lines {
    /// One after the other, the first at this number.
    From(usize),
    /// Each at its own line: there are blank lines, comments or fields of several lines in between.
    Each(Vec<usize>),
}

/// Values of a [`Table`].
#[derive(Debug, Clone, PartialEq)]
pub enum Body<F> {
    /// Numbers only, `rows × columns`; NaN is a missing value.
    Dense(Array2<F>),
    /// Columns of numbers or text.
    Columns(Vec<Column<F>>),
}

/// One column of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Column<F> {
    /// Numbers; NaN is a missing value.
    Number(Vec<F>),
    /// Text, each row an index into the distinct values; `None` is a missing value.
    Text {
        /// Distinct values in order of first appearance.
        levels: Vec<String>,
        /// Value of each row.
        codes: Vec<Option<u32>>,
    },
}

/// One column of a [`Table`], however it is stored.
#[derive(Debug)]
pub(crate) enum ColumnView<'a, F> {
    /// Numbers; NaN is a missing value.
    Number(ArrayView1<'a, F>),
    /// Distinct values and the value of each row.
    Text(&'a [String], &'a [Option<u32>]),
}

impl<F> Table<F> {
    /// A table without labels, whose rows are numbered from 1 and whose columns are `f0, f1, …`.
    pub fn new(source: &str, body: Body<F>) -> Self {
        let columns = match &body {
            Body::Dense(x) => x.ncols(),
            Body::Columns(columns) => columns.len(),
        };
        Table {
            source: source.into(),
            names: default_names(columns),
            named: false,
            body,
            labels: None,
            labels_apart: false,
            sparse: false,
            zero_based: false,
            class_names: Vec::new(),
            unreadable: Vec::new(),
            index_columns: Vec::new(),
            rounded: Vec::new(),
            written: Vec::new(),
            lines: Lines::From(1),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match &self.body {
            Body::Dense(x) => x.nrows(),
            Body::Columns(columns) => columns.first().map_or(0, Column::len),
        }
    }

    /// Number of columns, the label column included.
    pub fn columns(&self) -> usize {
        self.names.len()
    }

    /// Column `j`.
    pub(crate) fn column(&self, j: usize) -> ColumnView<'_, F> {
        match &self.body {
            Body::Dense(x) => ColumnView::Number(x.column(j)),
            Body::Columns(columns) => match &columns[j] {
                Column::Number(values) => ColumnView::Number(ArrayView1::from(values)),
                Column::Text { levels, codes } => ColumnView::Text(levels, codes),
            },
        }
    }

    /// Position of each column by name.
    pub(super) fn by_name(&self) -> HashMap<&str, usize> {
        self.names.iter().enumerate().map(|(j, n)| (n.as_str(), j)).collect()
    }

    /// The table without rows that could not be read; how many there were, and what is wrong with the first.
    pub fn readable(self) -> (Self, Option<(usize, String)>)
    where
        F: Clone,
    {
        let Some((_, first)) = self.unreadable.first().cloned() else { return (self, None) };
        let mut keep = vec![true; self.rows()];
        self.unreadable.iter().for_each(|(row, _)| keep[*row] = false);
        let left_out = self.unreadable.len();
        (self.keep_rows(&keep), Some((left_out, first)))
    }

    /// The rows marked true, in their order.
    pub(super) fn keep_rows(self, keep: &[bool]) -> Self
    where
        F: Clone,
    {
        let rows: Vec<usize> = (0..self.rows()).filter(|&i| keep[i]).collect();
        let body = match &self.body {
            Body::Dense(x) => Body::Dense(x.select(Axis(0), &rows)),
            Body::Columns(columns) => Body::Columns(columns.iter().map(|c| c.select(&rows)).collect()),
        };
        let labels = self.labels.as_ref().map(|l| rows.iter().map(|&i| l[i].clone()).collect());
        let lines = Lines::new(rows.iter().map(|&i| self.line(i)).collect());
        let written =
            self.written.iter().map(|c| c.as_ref().map(|c| rows.iter().map(|&i| c[i].clone()).collect()));
        let written = written.collect();
        Table { body, labels, lines, written, unreadable: Vec::new(), ..self }
    }

    /// Line or sample number of row `i` in the file, from 1.
    pub fn line(&self, i: usize) -> usize {
        self.lines.of(i)
    }
}

impl<F: Float> Table<F> {
    /// The table with columns of text as numbers where a spelling says how, and all values are such numbers.
    pub(super) fn with_numbers(mut self, spellings: &[Option<Spelling>]) -> Self {
        let Body::Columns(columns) = &mut self.body else { return self };
        for (column, spelling) in columns.iter_mut().zip(spellings) {
            let (Column::Text { levels, codes }, Some(spelling)) = (&*column, spelling) else { continue };
            let value = |code: &Option<u32>| match code {
                Some(c) => spelling.parse(&levels[*c as usize]).and_then(|v| number(v).ok()),
                None => Some(F::nan()),
            };
            if let Some(values) = codes.iter().map(value).collect() {
                *column = Column::Number(values);
            }
        }
        self
    }
}

impl Lines {
    /// The lines of all rows, stored briefly where they follow each other.
    pub fn new(lines: Vec<usize>) -> Self {
        let first = lines.first().copied().unwrap_or(1);
        if lines.iter().enumerate().all(|(i, &line)| line == first + i) {
            Lines::From(first)
        } else {
            Lines::Each(lines)
        }
    }

    /// Number of row `i`.
    pub fn of(&self, i: usize) -> usize {
        match self {
            Lines::From(first) => first + i,
            Lines::Each(lines) => lines.get(i).copied().unwrap_or(i + 1),
        }
    }
}

impl<F> Column<F> {
    fn select(&self, rows: &[usize]) -> Self
    where
        F: Clone,
    {
        match self {
            Column::Number(values) => Column::Number(rows.iter().map(|&i| values[i].clone()).collect()),
            Column::Text { levels, codes } => {
                Column::Text { levels: levels.clone(), codes: rows.iter().map(|&i| codes[i]).collect() }
            }
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Column::Number(values) => values.len(),
            Column::Text { codes, .. } => codes.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// `f0, f1, …`, the names of columns that the file does not name.
pub(crate) fn default_names(columns: usize) -> Vec<String> {
    (0..columns).map(|j| format!("f{j}")).collect()
}

/// Builds a text column row by row.
#[derive(Debug, Default)]
pub(crate) struct TextBuilder {
    index: HashMap<String, u32>,
    levels: Vec<String>,
    codes: Vec<Option<u32>>,
}

impl TextBuilder {
    /// Appends the value of the next row.
    pub(crate) fn push(&mut self, value: Option<&str>) {
        let code = value.map(|v| match self.index.get(v) {
            Some(&code) => code,
            None => {
                let code = self.levels.len() as u32;
                self.index.insert(v.to_string(), code);
                self.levels.push(v.to_string());
                code
            }
        });
        self.codes.push(code);
    }

    /// The column.
    pub(crate) fn build<F>(self) -> Column<F> {
        Column::Text { levels: self.levels, codes: self.codes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_short_when_they_follow_each_other() {
        assert_eq!(Lines::new(vec![2, 3, 4]), Lines::From(2));
        let gaps = Lines::new(vec![2, 5]);
        assert_eq!((gaps.of(0), gaps.of(1)), (2, 5));
    }

    #[test]
    fn text_is_stored_as_codes() {
        let mut text = TextBuilder::default();
        [Some("b"), None, Some("a"), Some("b")].into_iter().for_each(|v| text.push(v));
        let expected = Column::<f32>::Text {
            levels: vec!["b".into(), "a".into()],
            codes: vec![Some(0), None, Some(1), Some(0)],
        };
        assert_eq!(text.build::<f32>(), expected);
    }
}
