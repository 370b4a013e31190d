//! Stratified splits: every part has each class in the proportion of the whole.

use super::Dataset;
use super::dataset::class_rows;
use crate::{Error, Float, Result, rng};
use rand::seq::SliceRandom;

/// Splits rows into a kept and a held-out part, `share` of every class held out (rounded, at least one row
/// of a class stays in the kept part). Both lists are in ascending order.
pub fn holdout<F: Float>(data: &Dataset<F>, share: f64, seed: u64) -> Result<(Vec<usize>, Vec<usize>)> {
    stratified(&data.y, data.n_classes(), share, seed)
}

/// [`holdout`] for labels alone.
pub(crate) fn stratified(
    y: &[usize],
    classes: usize,
    share: f64,
    seed: u64,
) -> Result<(Vec<usize>, Vec<usize>)> {
    if !(share > 0.0 && share < 1.0) {
        return Err(Error::setting("holdout", share, "a share between 0 and 1"));
    }
    let mut rng = rng(seed, "holdout");
    let (mut kept, mut held) = (Vec::new(), Vec::new());
    for mut rows in class_rows(y, classes) {
        rows.shuffle(&mut rng);
        let n = ((rows.len() as f64 * share).round() as usize).min(rows.len().saturating_sub(1));
        held.extend_from_slice(&rows[..n]);
        kept.extend_from_slice(&rows[n..]);
    }
    if held.is_empty() {
        return Err(Error::TooFew {
            what: format!("holding out a share of {share}"),
            needed: "one row".into(),
            found: format!("none among {}; use a larger share", y.len()),
        });
    }
    kept.sort_unstable();
    held.sort_unstable();
    Ok((kept, held))
}

/// Splits rows into `k` (train, test) folds; the sizes of a class differ by at most one between folds. The only row of a class is in
/// every training part and in no test part: no model could know its class otherwise.
pub fn k_folds<F: Float>(data: &Dataset<F>, k: usize, seed: u64) -> Result<Vec<(Vec<usize>, Vec<usize>)>> {
    if k < 2 || k > data.len() {
        return Err(Error::setting("folds", k, format!("2 to the number of rows, {}", data.len())));
    }
    let mut rng = rng(seed, "folds");
    let mut fold = vec![0; data.len()];
    // Dealing goes on from class to class, so that small classes do not all end up in the first folds.
    let mut next = 0;
    for mut rows in data.class_rows() {
        rows.shuffle(&mut rng);
        if let [only] = rows[..] {
            fold[only] = k;
            continue;
        }
        for i in rows {
            fold[i] = next;
            next = (next + 1) % k;
        }
    }
    Ok((0..k).map(|f| (0..data.len()).partition(|&i| fold[i] != f)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    fn data(counts: &[usize]) -> Dataset<f32> {
        let y: Vec<usize> = counts.iter().enumerate().flat_map(|(c, &n)| vec![c; n]).collect();
        let names = (0..counts.len()).map(|c| c.to_string()).collect();
        Dataset::new(Array2::zeros((y.len(), 1)), y, names).unwrap()
    }

    #[test]
    fn holdout_is_stratified_seeded_and_complete() {
        let d = data(&[100, 40, 1]);
        let (kept, held) = holdout(&d, 0.25, 3).unwrap();
        assert_eq!(d.select(&held).class_counts(), [25, 10, 0]);
        let mut all = [kept.clone(), held.clone()].concat();
        all.sort_unstable();
        assert_eq!(all, (0..141).collect::<Vec<_>>());
        assert_eq!(holdout(&d, 0.25, 3).unwrap(), (kept.clone(), held));
        assert_ne!(holdout(&d, 0.25, 4).unwrap().0, kept);
        assert!(holdout(&d, 0.0, 0).is_err() && holdout(&data(&[1, 1]), 0.1, 0).is_err());
    }

    #[test]
    fn folds_are_stratified_and_cover_every_row_once() {
        let d = data(&[11, 23, 5]);
        let folds = k_folds(&d, 5, 1).unwrap();
        let mut seen = vec![0; d.len()];
        for (train, test) in &folds {
            assert_eq!(train.len() + test.len(), d.len());
            test.iter().for_each(|&i| seen[i] += 1);
            let counts = d.select(test).class_counts();
            assert!((2..=3).contains(&counts[0]) && (4..=5).contains(&counts[1]) && counts[2] == 1);
        }
        assert!(seen.iter().all(|&s| s == 1));
        assert!(k_folds(&d, 1, 0).is_err() && k_folds(&d, 40, 0).is_err());
    }

    #[test]
    fn the_only_row_of_a_class_is_always_trained_on() {
        let d = data(&[6, 1, 2]);
        for (train, test) in k_folds(&d, 3, 0).unwrap() {
            assert!(train.contains(&6) && !test.contains(&6));
            assert!(d.select(&train).class_counts().iter().all(|&n| n > 0));
        }
    }
}
