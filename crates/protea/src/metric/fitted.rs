//! The door for metrics: what a fitted metric can do, and the list of all kinds of them.
//!
//! A metric is two types. A [`Metric`] is placed at prototypes and takes distances and derivatives; a [`FittedMetric`] is what is
//! left when training is over: the numbers that a model keeps, which know how to become a [`Metric`] again. One type may be both.
//!
//! A new metric is a file with these types and a line in [`METRICS`]; a user's own metric is made known by [`register`] and
//! trained by [`Trainer::with_metric`](crate::Trainer::with_metric).

use super::{Metric, euclidean, linear, local, local_linear, weights};
use crate::kernel::product;
use crate::plan::{ArrayId, Op, Plan};
use crate::store::{Stored, registry};
use crate::{Error, Float, Result};
use ndarray::{Array2, ArrayView2};
use std::fmt::Debug;

/// The linear map after which a metric is the Euclidean distance.
#[derive(Debug, Clone, PartialEq)]
pub enum Embedding<F> {
    /// The metric is Euclidean as it is.
    Identity,
    /// One matrix for all prototypes, `r × dim`.
    Matrix(Array2<F>),
    /// None that all prototypes share.
    None,
}

/// A metric as a model keeps it: its numbers, and everything that is done with them.
pub trait FittedMetric<F: Float>: Debug + Send + Sync {
    /// Its tag: the name under which it is stored and shown.
    fn tag(&self) -> &'static str;

    /// The metric at prototypes `p` (`m × dim`), ready for queries.
    fn at(&self, p: ArrayView2<F>) -> Box<dyn Metric<F>>;

    /// The metric for learning to go on from here, for samples of `dim` features.
    fn trainable(&self, dim: usize) -> Box<dyn Metric<F>>;

    /// Whether its numbers fit `m` prototypes of `dim` features.
    fn fits(&self, m: usize, dim: usize) -> bool;

    /// What a model file keeps of it.
    fn store(&self) -> Stored<F>;

    /// The metric of some of the prototypes, given in ascending order.
    fn select(&self, _kept: &[usize]) -> Box<dyn FittedMetric<F>> {
        self.boxed()
    }

    /// The metric of the prototypes of all `members`, one member after the other, each with its number of prototypes. All are
    /// of this metric's kind, and this is the first. Refused unless all are equal, where a metric does not say how.
    fn join(&self, members: &[(&dyn FittedMetric<F>, usize)]) -> Result<Box<dyn FittedMetric<F>>> {
        let own = self.store();
        if members.iter().all(|(member, _)| member.store() == own) {
            return Ok(self.boxed());
        }
        Err(Error::unsupported(format!(
            "models with the metric {:?} cannot be joined as members",
            self.tag()
        )))
    }

    /// `Λ δ` for the metric `δᵀ Λ δ` of prototype `j`; none for metrics that are not of this form, under which features have no
    /// contributions.
    fn times(&self, _delta: &[f64], _j: usize) -> Option<Vec<f64>> {
        None
    }

    /// Share of each feature in the squared distance; of metrics that differ between prototypes the mean. None where features are
    /// not weighted.
    fn relevance(&self) -> Option<Vec<f64>> {
        None
    }

    /// The linear map after which the metric is Euclidean.
    fn embedding(&self) -> Embedding<F> {
        Embedding::None
    }

    /// Samples (`n × dim`) where the metric is Euclidean; as they are where there is no such map.
    fn embed(&self, z: Array2<F>) -> Array2<F> {
        match self.embedding() {
            Embedding::Matrix(a) => product(z.view(), a.view()),
            Embedding::Identity | Embedding::None => z,
        }
    }

    /// The matrix `A` of `‖A(x − p)‖²`, where that is what the metric keeps.
    fn matrix(&self) -> Option<&Array2<F>> {
        None
    }

    /// Weights of each prototype and feature (`m × dim`), where that is what the metric keeps.
    fn prototype_weights(&self) -> Option<&Array2<F>> {
        None
    }

    /// A bound of the factor by which it lengthens differences: the root of the sum of the squares of its numbers.
    fn reach(&self) -> f64 {
        self.store().numbers().map(|v| v.f64() * v.f64()).sum::<f64>().sqrt()
    }

    /// Features of the space in which prediction keeps the prototypes.
    fn image_dim(&self, dim: usize) -> usize {
        dim
    }

    /// Distances to prototypes `p` as an operation of a plan; a sentence where there is none for it.
    fn lower(&self, _p: ArrayView2<F>, _plan: &mut Plan) -> Result<Op> {
        Err(Error::unsupported(format!("the metric {:?} has no operation in a plan", self.tag())))
    }

    /// A copy behind a pointer.
    fn boxed(&self) -> Box<dyn FittedMetric<F>>;
}

impl<F: Float> dyn FittedMetric<F> + '_ {
    /// Refuses numbers that are not finite, or do not fit `m` prototypes of `dim` features.
    pub(crate) fn check(&self, m: usize, dim: usize) -> Result<()> {
        if self.fits(m, dim) && self.store().numbers().all(|v| v.f64().is_finite()) {
            Ok(())
        } else {
            Err(Error::parts("metric", "prototypes"))
        }
    }

    /// Numbers that prediction keeps: the metric, and the prototypes in the space where distances are taken.
    pub(crate) fn stored(&self, m: usize, dim: usize) -> usize {
        m * self.image_dim(dim) + self.store().numbers().count()
    }

    /// Extents of its first array; none for a metric without numbers.
    pub fn shape(&self) -> Vec<usize> {
        self.store().arrays.first().map_or(Vec::new(), |a| a.shape.clone())
    }
}

impl<F: Float> Clone for Box<dyn FittedMetric<F>> {
    fn clone(&self) -> Self {
        self.boxed()
    }
}

impl<F: Float> PartialEq for dyn FittedMetric<F> + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.store() == other.store()
    }
}

registry! {
    /// A kind of fitted metric.
    pub struct FittedKind reads FittedMetric, "metric";
    /// The kinds of metrics that protea has.
    pub const METRICS = [
        "euclidean" => euclidean::restore,
        "diagonal" => weights::restore,
        "linear" => linear::restore,
        "local" => local::restore,
        "local-linear" => local_linear::restore,
    ];
}

/// Share of each feature in the sum of the squares of rows of weights.
pub(super) fn feature_shares<'a, F: Float>(rows: impl IntoIterator<Item = &'a F>, dim: usize) -> Vec<f64> {
    let mut sums = vec![0.0; dim];
    rows.into_iter().enumerate().for_each(|(i, v)| sums[i % dim] += v.f64() * v.f64());
    let total: f64 = sums.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    sums.iter_mut().for_each(|s| *s /= total);
    sums
}

/// Adds the prototypes to a plan, as every metric has them.
pub(super) fn prototypes<F: Float>(p: ArrayView2<F>, plan: &mut Plan) -> ArrayId {
    plan.real("prototypes", p.shape(), p.iter().map(|v| v.f64()))
}

/// Adds numbers of a metric to a plan.
pub(super) fn numbers<'a, F: Float>(
    name: &str,
    shape: &[usize],
    values: impl IntoIterator<Item = &'a F>,
    plan: &mut Plan,
) -> ArrayId {
    plan.real(name, shape, values.into_iter().map(|v| v.f64()))
}

/// `Aᵀ A v`.
pub(super) fn square_times<F: Float>(a: ArrayView2<F>, v: &[f64]) -> Vec<f64> {
    let image: Vec<f64> =
        a.rows().into_iter().map(|row| row.iter().zip(v).map(|(a, v)| a.f64() * v).sum()).collect();
    a.columns().into_iter().map(|c| c.iter().zip(&image).map(|(a, v)| a.f64() * v).sum()).collect()
}

/// `w² v`, feature by feature.
pub(super) fn weighted_times<'a, F: Float>(w: impl IntoIterator<Item = &'a F>, v: &[f64]) -> Vec<f64> {
    v.iter().zip(w).map(|(v, w)| v * w.f64() * w.f64()).collect()
}
