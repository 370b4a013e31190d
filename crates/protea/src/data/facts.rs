//! What one pass over a table tells about each column, for deciding what becomes of it.

use super::table::{Body, ColumnView, Table};
use crate::Float;

/// Facts about one column.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Facts {
    /// A column of numbers.
    Number(NumberFacts),
    /// A column of text: missing values, and how often each level occurs.
    Text(usize, Vec<usize>),
}

/// Facts about a column of numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NumberFacts {
    /// Missing values.
    pub(super) missing: usize,
    /// The smallest value; ∞ if there is none.
    pub(super) min: f64,
    /// The largest value; −∞ if there is none.
    pub(super) max: f64,
    /// Whether all values are whole numbers.
    pub(super) whole: bool,
    /// Whether each value is one more than the one before it.
    pub(super) counts: bool,
    last: f64,
}

impl NumberFacts {
    fn new() -> Self {
        NumberFacts {
            missing: 0,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
            whole: true,
            counts: true,
            last: f64::NAN,
        }
    }

    fn add(&mut self, v: f64) {
        if v.is_nan() {
            self.missing += 1;
            self.counts = false;
            return;
        }
        self.min = self.min.min(v);
        self.max = self.max.max(v);
        self.whole &= v.fract() == 0.0;
        self.counts &= self.last.is_nan() || v == self.last + 1.0;
        self.last = v;
    }
}

/// The facts of all columns; a matrix is read row by row, as it lies in memory.
pub(super) fn facts<F: Float>(table: &Table<F>) -> Vec<Facts> {
    if let Body::Dense(x) = &table.body {
        let mut all = vec![NumberFacts::new(); x.ncols()];
        for row in x.rows() {
            all.iter_mut().zip(row).for_each(|(facts, v)| facts.add(v.f64()));
        }
        return all.into_iter().map(Facts::Number).collect();
    }
    let of = |j: usize| match table.column(j) {
        ColumnView::Number(values) => {
            let mut facts = NumberFacts::new();
            values.iter().for_each(|v| facts.add(v.f64()));
            Facts::Number(facts)
        }
        ColumnView::Text(levels, codes) => {
            let mut counts = vec![0; levels.len()];
            codes.iter().flatten().for_each(|&c| counts[c as usize] += 1);
            Facts::Text(codes.iter().filter(|c| c.is_none()).count(), counts)
        }
    };
    (0..table.columns()).map(of).collect()
}

impl Facts {
    /// Missing values.
    pub(super) fn missing(&self) -> usize {
        match self {
            Facts::Number(facts) => facts.missing,
            Facts::Text(missing, _) => *missing,
        }
    }
}

/// Number of different values of a column, missing ones not counted.
pub(super) fn distinct<F: Float>(table: &Table<F>, j: usize) -> usize {
    match table.column(j) {
        ColumnView::Text(levels, codes) => {
            let mut seen = vec![false; levels.len()];
            codes.iter().flatten().for_each(|&c| seen[c as usize] = true);
            seen.into_iter().filter(|s| *s).count()
        }
        ColumnView::Number(values) => {
            let mut sorted: Vec<f64> = values.iter().map(|v| v.f64()).filter(|v| !v.is_nan()).collect();
            sorted.sort_unstable_by(f64::total_cmp);
            sorted.dedup();
            sorted.len()
        }
    }
}
