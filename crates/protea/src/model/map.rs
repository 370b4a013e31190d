//! A model as a map of samples: to where its distances are Euclidean.

use super::Model;
use crate::kernel::product;
use crate::metric::Embedding;
use crate::represent::Nature;
use crate::{Float, Result};
use ndarray::{Array2, ArrayView2};

impl<F: Float> Model<F> {
    /// Samples where distances between them are Euclidean: after preprocessing and, where there is one matrix or one weight of
    /// each feature for all prototypes, after the metric.
    pub fn embed(&self, x: ArrayView2<F>) -> Result<Array2<F>> {
        self.check_features(x.ncols())?;
        let z = self.parts.pipeline.apply(x.to_owned());
        Ok(self.parts.metric.embed(z))
    }

    /// The matrix of [`embed`](Self::embed), `r × features`, where that is a linear map but for a shift, and more than
    /// scaling.
    pub fn linear_map(&self) -> Option<Array2<F>> {
        let steps = &self.parts.pipeline.steps;
        if steps.iter().any(|s| s.nature() != Nature::Linear) {
            return None;
        }
        let learned = steps.iter().any(|s| s.mixes());
        let map = steps.iter().fold(Array2::<F>::eye(self.parts.features.len()), |a, step| step.after(a));
        match self.parts.metric.embedding() {
            Embedding::Matrix(a) => Some(product(a.view(), map.t())),
            Embedding::Identity => learned.then_some(map),
            Embedding::None => None,
        }
    }
}

#[cfg(feature = "datasets")]
#[cfg(test)]
mod tests {
    use crate::Trainer;
    use crate::catalog::{self, Part};

    /// Differences of represented samples are the matrix times their differences, and have the model's distances.
    #[test]
    fn the_map_is_the_matrix_and_keeps_distances() {
        let data = catalog::load::<f64>("wine", Part::All, None).unwrap();
        for settings in [
            &[("metric", "linear"), ("pca", "8")][..],
            &[("metric", "diagonal"), ("scale", "standard")],
            &[("metric", "nca"), ("rank", "3")],
            &[("pca", "5")],
        ] {
            let mut trainer = Trainer::named("npc").unwrap().set("epochs", "2").unwrap();
            for (name, value) in settings {
                trainer = trainer.set(name, value).unwrap();
            }
            let model = trainer.fit(&data).unwrap();
            let z = model.embed(data.x.view()).unwrap();
            let a = model.linear_map().unwrap();
            let by_matrix = a.dot(&(&data.x.row(0) - &data.x.row(9)));
            let difference = &z.row(0) - &z.row(9);
            assert!((&by_matrix - &difference).iter().all(|v| v.abs() < 1e-9), "{settings:?}");
            let p = model.embed(model.prototypes_in_input_units().view()).unwrap();
            let n = model.neighbours(data.x.view(), 1).unwrap()[3][0];
            let d: f64 = (&z.row(3) - &p.row(n.prototype)).iter().map(|v| v * v).sum();
            assert!((d - n.distance).abs() < 1e-8 * (1.0 + d), "{settings:?}: {d} {}", n.distance);
        }
        let plain = Trainer::<f64>::named("kmeans").unwrap().fit(&data).unwrap();
        assert!(plain.linear_map().is_none());
    }
}
