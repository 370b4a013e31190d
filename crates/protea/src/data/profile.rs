//! [`Profile`]: the values of one column in a few numbers, for describing a file.

use super::class_name;
use super::table::{ColumnView, Table};
use crate::Float;
use serde::Serialize;

/// Levels that are listed.
const TOP: usize = 3;

/// The values of a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Profile {
    /// Different values, missing ones not counted.
    pub distinct: usize,
    /// Missing values.
    pub missing: usize,
    /// Smallest, middle and largest value of numbers, in their shortest form.
    pub range: Option<[String; 3]>,
    /// The most frequent texts with their rows, at most three.
    pub top: Vec<(String, usize)>,
}

/// A profile of each column.
pub fn profiles<F: Float>(table: &Table<F>) -> Vec<Profile> {
    (0..table.columns()).map(|j| profile(table.column(j))).collect()
}

fn profile<F: Float>(column: ColumnView<'_, F>) -> Profile {
    match column {
        ColumnView::Number(values) => {
            let mut sorted: Vec<F> = values.iter().copied().filter(|v| !v.is_nan()).collect();
            let missing = values.len() - sorted.len();
            sorted.sort_unstable_by(|a, b| a.f64().total_cmp(&b.f64()));
            let range = sorted
                .first()
                .zip(sorted.last())
                .map(|(&min, &max)| [digits(min), digits(F::of(middle(&sorted))), digits(max)]);
            sorted.dedup();
            Profile { distinct: sorted.len(), missing, range, top: Vec::new() }
        }
        ColumnView::Text(levels, codes) => {
            let mut counts = vec![0; levels.len()];
            codes.iter().flatten().for_each(|&c| counts[c as usize] += 1);
            let mut top: Vec<(String, usize)> =
                levels.iter().cloned().zip(counts).filter(|(_, n)| *n > 0).collect();
            let distinct = top.len();
            top.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            top.truncate(TOP);
            let missing = codes.iter().filter(|c| c.is_none()).count();
            Profile { distinct, missing, range: None, top }
        }
    }
}

/// A number in its shortest form; a whole one with all its digits.
fn digits<F: Float>(v: F) -> String {
    if v.fract() == F::zero() { class_name(v.f64()) } else { class_name(v) }
}

/// The median of sorted numbers by their shortest digits: halfway between 4.3 and 4.4 in 32 bits is not 4.35.
fn middle<F: Float>(sorted: &[F]) -> f64 {
    let half = sorted.len() / 2;
    let shown = |v: &F| class_name(*v).parse().unwrap_or(v.f64());
    let middle = &sorted[half - usize::from(sorted.len().is_multiple_of(2))..=half];
    middle.iter().map(shown).sum::<f64>() / middle.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Body, Column};

    #[test]
    fn numbers_have_a_range_and_texts_their_most_frequent_values() {
        let text = Column::Text {
            levels: ["b", "a", "c", "d"].map(String::from).to_vec(),
            codes: vec![Some(0), Some(1), Some(0), None, Some(2)],
        };
        let table =
            Table::new("x", Body::Columns(vec![Column::Number(vec![0.1f32, 5.0, f32::NAN, 5.0, 2.0]), text]));
        let found = profiles(&table);
        assert_eq!((found[0].distinct, found[0].missing), (3, 1));
        assert_eq!(found[0].range, Some(["0.1", "3.5", "5"].map(String::from)));
        let middle = Table::new("x", Body::Columns(vec![Column::Number(vec![4.3f32, 4.4])]));
        assert_eq!(profiles(&middle)[0].range, Some(["4.3", "4.35", "4.4"].map(String::from)));
        assert_eq!((found[1].distinct, found[1].missing), (3, 1));
        assert_eq!(found[1].top, [("b".to_string(), 2), ("a".to_string(), 1), ("c".to_string(), 1)]);
    }
}
