//! Columns that alone tell the class: often a copy of the label, or something known only after it.
//!
//! A column of few values is a suspect if the most frequent class of each value is right for almost all rows. A column of many
//! numbers is one if each class has an interval of its own.

use super::table::{ColumnView, Table};
use crate::Float;

/// Rows looked at, at most, evenly spread over the table.
const MAX_ROWS: usize = 5000;

/// Values looked at, at most.
const MAX_VALUES: usize = 4_000_000;

/// With fewer rows, a column may tell the class by chance.
const MIN_ROWS: usize = 30;

/// More different values than this need an interval for each class.
const FEW_VALUES: usize = 20;

/// Right answers of a suspect, as a share.
const RIGHT: f64 = 0.999;

/// Which of the columns alone tell the class of each row.
pub(super) fn suspects<F: Float>(
    table: &Table<F>,
    columns: &[usize],
    y: &[usize],
    classes: usize,
) -> Vec<usize> {
    let rows = y.len().min(MAX_ROWS).min(MAX_VALUES / columns.len().max(1));
    let mut counts = vec![0; classes];
    y.iter().for_each(|&c| counts[c] += 1);
    let majority = counts.iter().max().copied().unwrap_or(0) as f64 / y.len().max(1) as f64;
    if rows < MIN_ROWS || classes < 2 || majority > RIGHT {
        return Vec::new();
    }
    let rows: Vec<usize> = (0..rows).map(|k| k * y.len() / rows).collect();
    columns.iter().copied().filter(|&j| tells(table, j, &rows, y, classes)).collect()
}

fn tells<F: Float>(table: &Table<F>, j: usize, rows: &[usize], y: &[usize], classes: usize) -> bool {
    // Sorted by value; a missing value is one of its own.
    let mut pairs: Vec<(f64, usize)> = match table.column(j) {
        ColumnView::Number(values) => rows.iter().map(|&i| (values[i].f64(), y[i])).collect(),
        ColumnView::Text(_, codes) => {
            rows.iter().map(|&i| (codes[i].map_or(f64::NAN, f64::from), y[i])).collect()
        }
    };
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let values: Vec<&[(f64, usize)]> =
        pairs.chunk_by(|a, b| a.0 == b.0 || (a.0.is_nan() && b.0.is_nan())).collect();
    if values.len() <= FEW_VALUES {
        return values.len() * 3 <= rows.len() && right(&values, classes) as f64 >= RIGHT * rows.len() as f64;
    }
    let is_number = matches!(table.column(j), ColumnView::Number(_));
    is_number && has_intervals(&values, classes)
}

/// Rows that have the most frequent class of their value.
fn right(values: &[&[(f64, usize)]], classes: usize) -> usize {
    let most = |group: &&[(f64, usize)]| {
        let mut counts = vec![0; classes];
        group.iter().for_each(|&(_, c)| counts[c] += 1);
        counts.into_iter().max().unwrap_or(0)
    };
    values.iter().map(most).sum()
}

/// Whether every class that occurs holds one interval of the sorted values.
fn has_intervals(values: &[&[(f64, usize)]], classes: usize) -> bool {
    let mut seen = vec![false; classes];
    let mut last = None;
    for group in values {
        let class = group[0].1;
        let pure = group.iter().all(|&(_, c)| c == class);
        if !pure || (last != Some(class) && std::mem::replace(&mut seen[class], true)) {
            return false;
        }
        last = Some(class);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Body, Column};

    #[test]
    fn columns_that_tell_the_class_alone_are_suspects() {
        let n = 60;
        let y: Vec<usize> = (0..n).map(|i| (i * 7 / 3) % 2).collect();
        let number = |f: &dyn Fn(usize) -> f32| Column::Number((0..n).map(f).collect());
        let columns = vec![
            number(&|i| y[i] as f32 + 3.0),                            // a copy
            number(&|i| i as f32),                                     // no
            number(&|i| y[i] as f32 * 100.0 + (i % 31) as f32),        // a threshold
            number(&|i| if i == 5 { 9.0 } else { y[i] as f32 * 2.0 }), // a copy, but for one row of its own
            number(&|i| (i % 4) as f32),                               // no
        ];
        let table = Table::new("x", Body::Columns(columns));
        assert_eq!(suspects(&table, &[0, 1, 2, 3, 4], &y, 2), [0, 2, 3]);
        assert!(suspects(&table, &[0], &y[..20], 2).is_empty());
        assert!(suspects(&table, &[0], &vec![0; n], 2).is_empty());
    }
}
