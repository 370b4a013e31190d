//! Parts of the training samples that are held out in turn.

use crate::{Dataset, Float, data};

/// Samples to train on, and samples to judge by.
pub(super) struct Fold<F> {
    pub train: Dataset<F>,
    pub held: Dataset<F>,
}

/// How samples are cut into folds.
pub(super) struct Cut<'a> {
    /// Samples that are looked at, at most.
    pub samples: usize,
    /// Parts, each of which may be held out.
    pub parts: usize,
    /// Parts are held out until so many samples have been judged.
    pub judged: usize,
    /// Seed of the random numbers that deal samples, and the name of their stream.
    pub seed: u64,
    pub purpose: &'a str,
}

impl Cut<'_> {
    /// As many folds as it takes to judge enough samples; none where there are too few samples.
    pub fn folds<F: Float>(&self, data: &Dataset<F>) -> Vec<Fold<F>> {
        let few = data.sample(self.samples, self.seed, self.purpose);
        let wanted = (self.judged * self.parts).div_ceil(few.len().max(1)).min(self.parts);
        let rows = data::k_folds(&few, self.parts, self.seed).unwrap_or_default();
        let split = |(kept, held): (Vec<usize>, Vec<usize>)| Fold {
            train: few.select(&kept),
            held: few.select(&held),
        };
        // Every class must be there to train on.
        let n_classes = |data: &Dataset<F>| data.class_rows().iter().filter(|rows| !rows.is_empty()).count();
        let sound = |fold: &Fold<F>| !fold.held.is_empty() && n_classes(&fold.train) == n_classes(data);
        rows.into_iter().take(wanted).map(split).filter(sound).collect()
    }
}
