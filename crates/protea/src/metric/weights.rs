//! One weight for each feature: the numbers of the metric `diagonal`, which [`Linear`] trains as a diagonal matrix.

use super::fitted::{Embedding, FittedMetric, feature_shares, numbers, prototypes, weighted_times};
use super::{Linear, Metric};
use crate::plan::{Op, Plan};
use crate::store::Stored;
use crate::{Float, Result};
use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

/// `Σ_f v_f² (x_f − p_f)²` with these weights `v`.
#[derive(Debug, Clone)]
pub struct FeatureWeights<F>(pub Vec<F>);

impl<F: Float> FittedMetric<F> for FeatureWeights<F> {
    fn tag(&self) -> &'static str {
        "diagonal"
    }

    fn at(&self, p: ArrayView2<F>) -> Box<dyn Metric<F>> {
        let diagonal = ArrayView1::from(&self.0).insert_axis(Axis(0));
        Box::new(Linear::fixed(&diagonal.to_owned(), true).placed(p))
    }

    fn trainable(&self, _: usize) -> Box<dyn Metric<F>> {
        Box::new(Linear::diagonal(&self.0))
    }

    fn fits(&self, _: usize, dim: usize) -> bool {
        self.0.len() == dim
    }

    fn store(&self) -> Stored<F> {
        Stored::new("diagonal").with_vector("relevances", &self.0)
    }

    /// Members with weights of their own become weights of each prototype.
    fn join(&self, members: &[(&dyn FittedMetric<F>, usize)]) -> Result<Box<dyn FittedMetric<F>>> {
        let mut rows = Vec::new();
        for (member, m) in members {
            let weights = member.store().vector("relevances")?;
            rows.extend(std::iter::repeat_n(weights, *m).flatten());
        }
        let m = members.iter().map(|(_, m)| m).sum();
        Ok(Box::new(super::PrototypeWeights(Array2::from_shape_vec((m, self.0.len()), rows)?)))
    }

    fn times(&self, delta: &[f64], _: usize) -> Option<Vec<f64>> {
        Some(weighted_times(&self.0, delta))
    }

    fn relevance(&self) -> Option<Vec<f64>> {
        Some(feature_shares(&self.0, self.0.len()))
    }

    fn embedding(&self) -> Embedding<F> {
        Embedding::Matrix(Array2::from_diag(&ArrayView1::from(&self.0)))
    }

    fn embed(&self, z: Array2<F>) -> Array2<F> {
        z * ArrayView1::from(&self.0)
    }

    fn lower(&self, p: ArrayView2<F>, plan: &mut Plan) -> Result<Op> {
        let prototypes = prototypes(p, plan);
        Ok(Op::Distance { prototypes, weights: Some(numbers("weights", &[self.0.len()], &self.0, plan)) })
    }

    fn boxed(&self) -> Box<dyn FittedMetric<F>> {
        Box::new(self.clone())
    }
}

pub(super) fn restore<F: Float>(stored: &Stored<F>) -> Result<Box<dyn FittedMetric<F>>> {
    Ok(Box::new(FeatureWeights(stored.vector("relevances")?)))
}
