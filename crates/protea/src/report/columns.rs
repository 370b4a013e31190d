//! The columns of the input as a reader knows them: a category is one column, however many features it became.

use super::Report;
use super::svg::short;
use crate::Float;
use crate::data::ColumnKind;
use ndarray::{ArrayView1, ArrayView2};
use std::ops::Range;

/// Levels of a category that a cell names.
const NAMED: usize = 2;

/// One column of the input.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct InputColumn {
    pub name: String,
    /// The features that it became.
    pub features: Range<usize>,
    /// The values that a category may have, one for each feature; none for numbers.
    pub levels: Option<Vec<String>>,
}

impl InputColumn {
    /// What a row of features has in this column: a number, or the level or levels of a category.
    pub fn show<F: Float>(&self, row: ArrayView1<F>) -> String {
        let value = |f: usize| row[f].f64();
        let Some(levels) = &self.levels else { return short(value(self.features.start)) };
        let mut order: Vec<usize> = (0..levels.len()).collect();
        order.sort_by(|&a, &b| {
            value(self.features.start + b).total_cmp(&value(self.features.start + a)).then(a.cmp(&b))
        });
        let own = |k: usize| value(self.features.start + k);
        let is_one = |v: f64| (v - 1.0).abs() < 0.005;
        match order.first() {
            None => "–".into(),
            Some(&k) if own(k) == 0.0 => "none of the known".into(),
            Some(&k) if is_one(own(k)) => levels[k].clone(),
            Some(_) => {
                let some = order.iter().filter(|&&k| own(k) >= 0.05).take(NAMED);
                some.map(|&k| format!("{} {:.2}", levels[k], own(k))).collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// Where the value of a row lies between the lowest (0) and the highest (1) of the samples; of a category how clear it is.
    pub fn height<F: Float>(&self, row: ArrayView1<F>, ranges: &[(f64, f64)]) -> f64 {
        if self.levels.is_some() {
            return self.features.clone().map(|f| row[f].f64()).fold(0.0, f64::max).min(1.0);
        }
        let (low, high) = ranges[self.features.start];
        let v = row[self.features.start].f64();
        if high > low { ((v - low) / (high - low)).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Sum of what its features have.
    pub fn sum(&self, values: &[f64]) -> f64 {
        values[self.features.clone()].iter().sum()
    }

    /// Share of the samples that have each level, the most frequent first.
    pub fn level_shares<F: Float>(&self, x: ArrayView2<F>) -> Vec<(String, f64)> {
        let Some(levels) = &self.levels else { return Vec::new() };
        let share = |f: usize| x.column(f).iter().map(|v| v.f64()).sum::<f64>() / x.nrows() as f64;
        let mut shares: Vec<(String, f64)> =
            levels.iter().cloned().zip(self.features.clone().map(share)).collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        shares
    }
}

impl<F: Float> Report<'_, F> {
    /// Columns of the training file, if the model knows them; otherwise every feature is one.
    pub(super) fn input_columns(&self) -> Vec<InputColumn> {
        let one = |f: usize| InputColumn {
            name: self.model.features()[f].clone(),
            features: f..f + 1,
            levels: None,
        };
        let Some(schema) = self.model.schema() else { return (0..self.test.dim()).map(one).collect() };
        let mut columns = Vec::new();
        let mut at = 0;
        for spec in &schema.columns {
            let end = at + spec.width();
            match &spec.kind {
                ColumnKind::Category { levels, .. } => columns.push(InputColumn {
                    name: spec.name.clone(),
                    features: at..end,
                    levels: Some(levels.clone()),
                }),
                _ => columns.extend((at..end).map(one)),
            }
            at = end;
        }
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn a_category_is_shown_by_its_levels() {
        let island = InputColumn {
            name: "island".into(),
            features: 1..4,
            levels: Some(vec!["Biscoe".into(), "Dream".into(), "Torgersen".into()]),
        };
        let show = |row: [f64; 4]| island.show(ndarray::arr1(&row).view());
        assert_eq!(show([9.0, 0.0, 0.0, 1.0]), "Torgersen");
        assert_eq!(show([9.0, 0.48, 0.5, 0.02]), "Dream 0.50, Biscoe 0.48");
        assert_eq!(show([9.0, 0.0, 0.0, 0.0]), "none of the known");
        let rows =
            array![[9.0, 0.0, 1.0, 0.0], [9.0, 0.0, 1.0, 0.0], [9.0, 1.0, 0.0, 0.0], [9.0, 0.0, 1.0, 0.0]];
        assert_eq!(island.level_shares(rows.view())[..2], [("Dream".into(), 0.75), ("Biscoe".into(), 0.25)]);
        assert_eq!((island.sum(&[9.0, 1.0, 2.0, 3.0]), island.height(rows.row(0), &[])), (6.0, 1.0));
    }
}
