//! How far a sample may move before the answer can change: certified radii.
//!
//! An answer with radius `r` in a norm holds for every input within distance `r` of the sample, in the units of the input. No
//! other kind of model gives this for the price of a prediction: the border between two prototypes `i` and `j` of one metric is a
//! hyperplane.
//!
//! # Bounds
//! With `d` the squared distances, `y` the class answered, `P_j = TᵀT p_j` the prototypes pulled back to the input (`T` is the
//! preprocessing followed by the metric) and `1/p + 1/q = 1`:
//!
//! | bound | radius | holds for |
//! |---|---|---|
//! | [`Bound::Margin`] | `min_j max_i (√d_j − √d_i) / (‖T_i‖ + ‖T_j‖)`, norms of `T` from ℓp to ℓ2 | any metric |
//! | [`Bound::HalfSpace`] | `min_j max_i (d_j − d_i) / (2 ‖P_j − P_i‖_q)`; pairs of different metrics use the margin | any metric |
//! | [`Bound::Exact`] | distance to the nearest point where some `j` is nearer than all `i` of `y` | one metric, ℓ2 |
//!
//! `i` runs over prototypes of `y`, `j` over all others. The exact radius is the least of one small quadratic program for each
//! `j`, solved in its dual by coordinate descent; every dual point is a valid bound, so that stopping early is safe.
//!
//! # Decisions
//! Nearest prototype, votes of the k nearest (their set must not change), soft minima under one metric, class weights and biases,
//! and members (a bound on each member's margin, added up). Ensembles of learner codes and coders have no such bound.
//!
//! # References
//! Saralajew, Holdijk, Villmann: Fast Adversarial Robustness Certification of Nearest Prototype Classifiers for Arbitrary Seminorms,
//! NeurIPS 2020. Voráček, Hein: Provably Adversarially Robust Nearest Prototype Classifiers, ICML 2022.
//!
//! # Departures
//! Voráček and Hein's program takes `max_i min_j`, which is never larger than `min_j max_i`. Radii are computed in `f64` from the
//! model's own distances; answers at the very border depend on rounding, as they do without certificates.

mod card;
mod conformal;
mod counterfactual;
mod exact;
mod geometry;
mod radius;

pub use card::{Card, Change, ColumnCase, Rival, cards};
pub use conformal::Conformal;
pub use counterfactual::{Changes, Counterfactual, counterfactual};

use crate::kernel::parallel::*;
use crate::settings::named_enum;
use crate::{Float, Model, Result};
use geometry::Geometry;
use ndarray::{ArrayView2, Axis};
use serde::Serialize;

named_enum! {
    /// How a change of the input is measured.
    pub enum Norm {
        /// Sum of the changes of all features.
        L1 = "l1",
        /// Euclidean length.
        L2 = "l2",
        /// Largest change of a feature.
        Linf = "linf",
    }
}

impl Norm {
    /// Every norm.
    pub const ALL: [Norm; 3] = [Norm::L1, Norm::L2, Norm::Linf];

    /// Length of a vector.
    pub fn of(self, v: &[f64]) -> f64 {
        match self {
            Norm::L1 => v.iter().map(|v| v.abs()).sum(),
            Norm::L2 => v.iter().map(|v| v * v).sum::<f64>().sqrt(),
            Norm::Linf => v.iter().fold(0.0, |most, v| v.abs().max(most)),
        }
    }

    /// The norm that bounds products: `|vᵀw| ≤ ‖v‖ ‖w‖_dual`.
    pub fn dual(self) -> Norm {
        match self {
            Norm::L1 => Norm::Linf,
            Norm::L2 => Norm::L2,
            Norm::Linf => Norm::L1,
        }
    }
}

named_enum! {
    /// How tight a radius is, and how much work it takes.
    pub enum Bound {
        /// From the two distances alone.
        Margin = "margin",
        /// From the hyperplanes between prototypes; about the cost of a prediction.
        HalfSpace = "half-space",
        /// The distance to the border itself; Euclidean radii under one metric.
        Exact = "exact",
    }
}

impl Bound {
    /// Every bound.
    pub const ALL: [Bound; 3] = [Bound::Margin, Bound::HalfSpace, Bound::Exact];
}

/// How far one answer holds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Certificate {
    /// The class that is answered.
    pub class: usize,
    /// No change of the input below this size changes the answer; infinite if there is no other class.
    pub radius: f64,
    /// The class that would be answered instead, as far as the bound knows.
    pub rival: Option<usize>,
}

/// Share of samples that are decided wrongly, or whose answer is not certified within `radius`: no attack of that size makes more
/// errors. `y` are the classes of the samples.
pub fn certified_error(certificates: &[Certificate], y: &[usize], radius: f64) -> f64 {
    let lost = certificates.iter().zip(y).filter(|(c, y)| c.class != **y || c.radius < radius).count();
    lost as f64 / y.len().max(1) as f64
}

/// Certifies answers of one model in one norm.
#[derive(Debug)]
pub struct Certifier<'a, F: Float> {
    model: &'a Model<F>,
    geometry: Geometry,
    bound: Bound,
}

impl<'a, F: Float> Certifier<'a, F> {
    /// Prepares what all samples share; refuses models for which no sound bound is known.
    pub fn new(model: &'a Model<F>, norm: Norm, bound: Bound) -> Result<Self> {
        let geometry = Geometry::new(&model.plan()?, norm)?;
        if bound == Bound::Exact {
            geometry.check_exact()?;
        }
        Ok(Certifier { model, geometry, bound })
    }

    /// A certificate for each sample.
    pub fn certify(&self, x: ArrayView2<F>) -> Result<Vec<Certificate>> {
        let classes = self.model.predict(x)?;
        let distances = self.model.distances(x);
        let rows: Vec<_> = distances.axis_iter(Axis(0)).zip(classes).collect();
        let certified = rows.into_par_iter().map(|(row, class)| {
            let d: Vec<f64> = self.geometry.order.iter().map(|&j| row[j].f64()).collect();
            let (radius, rival) = match self.bound {
                Bound::Exact => exact::radius(&self.geometry, &d, class),
                bound => radius::radius(&self.geometry, &d, class, bound),
            };
            Certificate { class, radius: radius.max(0.0), rival }
        });
        Ok(certified.collect())
    }
}
