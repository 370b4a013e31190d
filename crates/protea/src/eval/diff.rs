//! What changed from one model to another: prototypes that moved, came or went, and rows with another answer.
//!
//! Prototypes are compared in the units of the input, each feature divided by its standard deviation over the prototypes of both
//! models. Within each class they are paired so that the sum of squared distances is lowest; those that are left over came or went.

use super::assignment::assign;
use super::{McNemar, mcnemar};
use crate::{Error, Float, Model, Result};
use ndarray::{Array2, Axis};
use serde::Serialize;

/// Pairs with a distance up to this, in standard deviations, are the same prototype.
const SAME: f64 = 1e-5;
/// Prototypes of a class that are paired exactly; of more, each in turn takes the nearest that is left.
const EXACT: usize = 600;

/// Labelled prototypes in the units of the input, of a model of either element type.
#[derive(Debug, Clone, PartialEq)]
pub struct PrototypeSet {
    /// Prototypes as rows.
    pub x: Array2<f64>,
    /// Name of the class of each.
    pub classes: Vec<String>,
    /// Names of the features.
    pub features: Vec<String>,
}

impl PrototypeSet {
    /// Those of a model.
    pub fn of<F: Float>(model: &Model<F>) -> Self {
        PrototypeSet {
            x: model.prototypes_in_input_units().mapv(F::f64),
            classes: model.prototypes().y.iter().map(|&c| model.classes()[c].clone()).collect(),
            features: model.features().to_vec(),
        }
    }
}

/// A prototype of the first model and its counterpart in the second.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MovedPrototype {
    /// Name of their class.
    pub class: String,
    /// Index in the first model.
    pub first: usize,
    /// Index in the second.
    pub second: usize,
    /// Euclidean distance, in standard deviations of the features.
    pub distance: f64,
    /// The feature that changed most, in standard deviations.
    pub feature: String,
    /// Its change, in the units of the input.
    pub change: f64,
}

/// How the prototypes of two models differ.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PrototypeChanges {
    /// Pairs that are the same.
    pub same: usize,
    /// Pairs that are not, those farthest apart first.
    pub moved: Vec<MovedPrototype>,
    /// Prototypes of the first model that have no counterpart.
    pub gone: Vec<usize>,
    /// Prototypes of the second model that have none.
    pub come: Vec<usize>,
}

/// Compares the prototypes of two models of the same features.
pub fn prototype_changes(first: &PrototypeSet, second: &PrototypeSet) -> Result<PrototypeChanges> {
    if first.features != second.features {
        let (a, b) = (first.features.len(), second.features.len());
        return Err(Error::unsupported(match a == b {
            true => {
                "the models have features of different names, so their prototypes cannot be compared".into()
            }
            false => format!("the models have {a} and {b} features, so their prototypes cannot be compared"),
        }));
    }
    let deviations = deviations(first, second);
    let distance = |i: usize, j: usize| -> f64 {
        let pairs = first.x.row(i).into_iter().zip(second.x.row(j)).zip(&deviations);
        pairs.map(|((a, b), s)| ((a - b) / s).powi(2)).sum()
    };
    let mut changes = PrototypeChanges { same: 0, moved: Vec::new(), gone: Vec::new(), come: Vec::new() };
    let mut names: Vec<&String> = first.classes.iter().chain(&second.classes).collect();
    names.sort_unstable();
    names.dedup();
    for class in names {
        let rows =
            |set: &PrototypeSet| (0..set.classes.len()).filter(|&j| set.classes[j] == *class).collect();
        let (a, b): (Vec<usize>, Vec<usize>) = (rows(first), rows(second));
        let pairs = pairs(&a, &b, &distance);
        changes.gone.extend(a.iter().filter(|i| pairs.iter().all(|p| p.0 != **i)));
        changes.come.extend(b.iter().filter(|j| pairs.iter().all(|p| p.1 != **j)));
        for (i, j) in pairs {
            let apart = distance(i, j).sqrt();
            if apart <= SAME {
                changes.same += 1;
                continue;
            }
            let change = |f: usize| second.x[[j, f]] - first.x[[i, f]];
            let size = |f: &usize| (change(*f) / deviations[*f]).abs();
            let most = (0..deviations.len()).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(0);
            changes.moved.push(MovedPrototype {
                class: class.clone(),
                first: i,
                second: j,
                distance: apart,
                feature: first.features[most].clone(),
                change: change(most),
            });
        }
    }
    changes.moved.sort_by(|a, b| b.distance.total_cmp(&a.distance).then(a.first.cmp(&b.first)));
    changes.gone.sort_unstable();
    changes.come.sort_unstable();
    Ok(changes)
}

/// Standard deviation of each feature over the prototypes of both; 1 where it does not vary.
fn deviations(first: &PrototypeSet, second: &PrototypeSet) -> Vec<f64> {
    let (x, z) = (&first.x, &second.x);
    let columns = x.axis_iter(Axis(1)).zip(z.axis_iter(Axis(1)));
    let deviation = |(a, b): (ndarray::ArrayView1<f64>, ndarray::ArrayView1<f64>)| {
        let n = (a.len() + b.len()) as f64;
        let mean = (a.sum() + b.sum()) / n;
        let squares: f64 = a.iter().chain(&b).map(|v| (v - mean).powi(2)).sum();
        let deviation = (squares / n).sqrt();
        if deviation > 0.0 { deviation } else { 1.0 }
    };
    columns.map(deviation).collect()
}

/// Pairs of indices at the lowest sum of distances, as many as the shorter list has.
fn pairs(a: &[usize], b: &[usize], distance: &impl Fn(usize, usize) -> f64) -> Vec<(usize, usize)> {
    if a.len().max(b.len()) > EXACT {
        return greedy(a, b, distance);
    }
    if a.len() <= b.len() {
        let found = assign(a.len(), b.len(), |i, j| distance(a[i], b[j]));
        return found.into_iter().enumerate().map(|(i, j)| (a[i], b[j])).collect();
    }
    let found = assign(b.len(), a.len(), |j, i| distance(a[i], b[j]));
    found.into_iter().enumerate().map(|(j, i)| (a[i], b[j])).collect()
}

/// Each of the shorter list in turn with the nearest that is left.
fn greedy(a: &[usize], b: &[usize], distance: &impl Fn(usize, usize) -> f64) -> Vec<(usize, usize)> {
    let mut left = b.to_vec();
    let nearest = |i: usize, left: &[usize]| {
        (0..left.len()).min_by(|&j, &k| distance(i, left[j]).total_cmp(&distance(i, left[k])))
    };
    a.iter().filter_map(|&i| nearest(i, &left).map(|j| (i, left.swap_remove(j)))).collect()
}

/// A row that two models answer differently.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnswerChange {
    /// Index of the row.
    pub row: usize,
    /// Answer of the first model.
    pub first: String,
    /// Answer of the second.
    pub second: String,
    /// The class of the row, where it is known.
    pub class: Option<String>,
}

/// How the answers of two models differ.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnswerChanges {
    /// Rows that were answered.
    pub rows: usize,
    /// Rows with another answer.
    pub changed: Vec<AnswerChange>,
    /// Errors of both and whether they differ by more than chance, where the classes are known.
    pub errors: Option<ErrorChange>,
}

/// Errors of two models on the same rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ErrorChange {
    /// Error of the first model.
    pub first: f64,
    /// Error of the second.
    pub second: f64,
    /// McNemar's test.
    pub test: McNemar,
}

/// Compares the answers of two models, by class name, on the same rows of known or unknown class.
pub fn answer_changes(first: &[String], second: &[String], truth: Option<&[String]>) -> AnswerChanges {
    let change = |row: usize| AnswerChange {
        row,
        first: first[row].clone(),
        second: second[row].clone(),
        class: truth.map(|t| t[row].clone()),
    };
    let errors = truth.map(|truth| {
        let right = |answers: &[String]| answers.iter().zip(truth).map(|(a, t)| a == t).collect::<Vec<_>>();
        let (a, b) = (right(first), right(second));
        let error = |right: &[bool]| right.iter().filter(|r| !**r).count() as f64 / right.len() as f64;
        ErrorChange { first: error(&a), second: error(&b), test: mcnemar(&a, &b) }
    });
    let changed = (0..first.len()).filter(|&i| first[i] != second[i]).map(change).collect();
    AnswerChanges { rows: first.len(), changed, errors }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn set(x: Array2<f64>, classes: &str) -> PrototypeSet {
        let features = (0..x.ncols()).map(|j| format!("f{j}")).collect();
        PrototypeSet { x, classes: classes.chars().map(String::from).collect(), features }
    }

    #[test]
    fn prototypes_are_paired_within_their_class() {
        let first = set(array![[0.0, 0.0], [10.0, 0.0], [0.0, 5.0], [1.0, 1.0]], "aabd");
        // The a's in another order, one moved; b doubled; c is new, d is gone.
        let second = set(array![[10.0, 1.0], [0.0, 0.0], [0.0, 5.0], [0.0, 6.0], [3.0, 3.0]], "aabbc");
        let found = prototype_changes(&first, &second).unwrap();
        assert_eq!((found.same, &found.gone[..], &found.come[..]), (2, &[3][..], &[3, 4][..]));
        let [moved] = &found.moved[..] else { panic!("{found:?}") };
        assert_eq!((moved.first, moved.second, &*moved.feature, moved.change), (1, 0, "f1", 1.0));
        let other = set(array![[0.0]], "a");
        let error = prototype_changes(&first, &other).unwrap_err().to_string();
        assert!(error.contains("2 and 1 features"), "{error}");
    }

    #[test]
    fn a_set_has_not_changed_from_itself() {
        let x = Array2::from_shape_fn((EXACT + 5, 2), |(i, j)| (i * (j + 3) % 97) as f64);
        for set in [
            set(x.clone(), &"a".repeat(EXACT + 5)),
            set(x.slice(ndarray::s![..9, ..]).to_owned(), "aaabbbccc"),
        ] {
            let found = prototype_changes(&set, &set).unwrap();
            assert_eq!((found.same, found.moved.len()), (set.classes.len(), 0));
        }
    }

    #[test]
    fn answers_and_errors() {
        let names = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        let found = answer_changes(&names("aab"), &names("aba"), Some(&names("abb")));
        assert_eq!(found.changed.iter().map(|c| c.row).collect::<Vec<_>>(), [1, 2]);
        let errors = found.errors.unwrap();
        assert_eq!((errors.test.only_first, errors.test.only_second, errors.test.p), (1, 1, 1.0));
        assert!((errors.first - 1.0 / 3.0).abs() < 1e-15);
        assert_eq!(answer_changes(&names("a"), &names("a"), None).errors, None);
    }
}
