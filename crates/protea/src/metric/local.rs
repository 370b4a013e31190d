//! Feature weights of its own for each prototype.
//!
//! # Distance
//! ```text
//! for each sample i, prototype j:   d[i,j] = Σ_f v[j,f]² (x[i,f] − p[j,f])²
//! ```
//! summed as it stands, with prototypes and squared weights transposed so that the inner loop runs over prototypes; there is
//! nothing to cancel, so a sample on a prototype has the distance 0 exactly.
//!
//! # Derivative
//! With `w = ∂L/∂d`: `∂L/∂p_j = 2 v_j² Σ_i w_ij (p_j − x_i)` and `∂L/∂v_j = 2 v_j Σ_i w_ij (x_i − p_j)²`. The accumulator
//! is `[Σ_i w_ij (x_i − p_j) | Σ_i w_ij (x_i − p_j)²]`, taken about the prototype for the same reason.

use super::fitted::{FittedMetric, feature_shares, numbers, prototypes, weighted_times};
use super::{Metric, Scratch};
use crate::kernel::{Kernel, simd};
use crate::plan::{Op, Plan};
use crate::store::Stored;
use crate::{Float, Result};
use ndarray::{Array2, ArrayView2, Axis, concatenate};

/// `d = Σ_f v_f² (x_f − p_f)²` with learned weights `v` for each prototype.
#[derive(Debug, Clone)]
pub struct Local<F> {
    dim: usize,
    /// v, `m × dim`
    v: Vec<F>,
    p: Vec<F>,
    /// p and v², transposed: `dim × m`
    pt: Vec<F>,
    vt: Vec<F>,
}

impl<F: Float> Local<F> {
    /// A metric that starts at these weights, `m × dim`.
    pub fn new(weights: &Array2<F>) -> Self {
        let v = weights.iter().copied().collect();
        Local { dim: weights.ncols(), v, p: Vec::new(), pt: Vec::new(), vt: Vec::new() }
    }

    fn m(&self) -> usize {
        self.v.len() / self.dim
    }
}

impl<F: Float> Metric<F> for Local<F> {
    fn n_params(&self) -> usize {
        self.v.len()
    }

    fn params(&self) -> Vec<F> {
        self.v.clone()
    }

    fn set(&mut self, p: &[F], params: &[F]) {
        self.v.clear();
        self.v.extend_from_slice(params);
        self.p.clear();
        self.p.extend_from_slice(p);
        let (m, dim) = (self.m(), self.dim);
        self.pt.resize(m * dim, F::zero());
        self.vt.resize(m * dim, F::zero());
        for j in 0..m {
            for f in 0..dim {
                self.pt[f * m + j] = p[j * dim + f];
                self.vt[f * m + j] = params[j * dim + f] * params[j * dim + f];
            }
        }
    }

    fn distances(&self, x: &[F], d: &mut [F], _: &mut Scratch<F>) {
        simd::run(Weighted { x, dim: self.dim, m: self.m(), pt: &self.pt, vt: &self.vt, d });
    }

    fn accumulator_len(&self) -> usize {
        2 * self.v.len()
    }

    fn pull_back(&self, x: &[F], w: &[F], accumulator: &mut [F], fresh: bool, _: &mut Scratch<F>) {
        if fresh {
            accumulator.fill(F::zero());
        }
        let (first, second) = accumulator.split_at_mut(self.v.len());
        simd::run(Moments { x, w, p: &self.p, dim: self.dim, first, second });
    }

    fn gradient(&self, accumulator: &[F], gp: &mut [F], gm: &mut [F]) {
        let (first, second) = accumulator.split_at(self.v.len());
        let two = F::of(2.0);
        for (i, &v) in self.v.iter().enumerate() {
            gp[i] = -two * v * v * first[i];
            gm[i] = two * v * second[i];
        }
    }

    /// Weights enter squared, so their sign has no meaning; what crosses zero stays there.
    fn project(&self, params: &mut [f64]) {
        params.iter_mut().for_each(|v| *v = v.max(0.0));
    }

    fn fitted(&self) -> Box<dyn FittedMetric<F>> {
        let weights = Array2::from_shape_fn((self.m(), self.dim), |(j, f)| self.v[j * self.dim + f]);
        Box::new(PrototypeWeights(weights))
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn boxed(&self) -> Box<dyn Metric<F>> {
        Box::new(self.clone())
    }
}

/// `Σ_f v_jf² (x_f − p_jf)²` with these weights `v` of each prototype, `m × dim`.
#[derive(Debug, Clone)]
pub struct PrototypeWeights<F>(pub Array2<F>);

impl<F: Float> FittedMetric<F> for PrototypeWeights<F> {
    fn tag(&self) -> &'static str {
        "local"
    }

    fn at(&self, p: ArrayView2<F>) -> Box<dyn Metric<F>> {
        let mut metric = Local::new(&self.0);
        let params = metric.params();
        metric.set(p.as_standard_layout().as_slice().expect("standard layout"), &params);
        Box::new(metric)
    }

    fn trainable(&self, _: usize) -> Box<dyn Metric<F>> {
        Box::new(Local::new(&self.0))
    }

    fn fits(&self, m: usize, dim: usize) -> bool {
        self.0.dim() == (m, dim)
    }

    fn store(&self) -> Stored<F> {
        Stored::new("local").with_matrix("local.weights", &self.0)
    }

    fn select(&self, kept: &[usize]) -> Box<dyn FittedMetric<F>> {
        Box::new(PrototypeWeights(self.0.select(Axis(0), kept)))
    }

    fn join(&self, members: &[(&dyn FittedMetric<F>, usize)]) -> Result<Box<dyn FittedMetric<F>>> {
        let parts = members.iter().map(|(member, _)| member.store().matrix("local.weights"));
        let parts: Vec<Array2<F>> = parts.collect::<Result<_>>()?;
        let views: Vec<_> = parts.iter().map(|w| w.view()).collect();
        Ok(Box::new(PrototypeWeights(concatenate(Axis(0), &views)?)))
    }

    fn times(&self, delta: &[f64], j: usize) -> Option<Vec<f64>> {
        Some(weighted_times(self.0.row(j), delta))
    }

    fn relevance(&self) -> Option<Vec<f64>> {
        Some(feature_shares(&self.0, self.0.ncols()))
    }

    fn prototype_weights(&self) -> Option<&Array2<F>> {
        Some(&self.0)
    }

    fn lower(&self, p: ArrayView2<F>, plan: &mut Plan) -> Result<Op> {
        let prototypes = prototypes(p, plan);
        Ok(Op::Distance { prototypes, weights: Some(numbers("weights", self.0.shape(), &self.0, plan)) })
    }

    fn boxed(&self) -> Box<dyn FittedMetric<F>> {
        Box::new(self.clone())
    }
}

pub(super) fn restore<F: Float>(stored: &Stored<F>) -> Result<Box<dyn FittedMetric<F>>> {
    Ok(Box::new(PrototypeWeights(stored.matrix("local.weights")?)))
}

/// Distances of a block.
struct Weighted<'a, F> {
    x: &'a [F],
    dim: usize,
    m: usize,
    pt: &'a [F],
    vt: &'a [F],
    d: &'a mut [F],
}

impl<F: Float> Kernel for Weighted<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (x, d) in self.x.chunks_exact(self.dim).zip(self.d.chunks_exact_mut(self.m)) {
            d.fill(F::zero());
            for ((&x, p), v) in x.iter().zip(self.pt.chunks_exact(self.m)).zip(self.vt.chunks_exact(self.m)) {
                for ((d, &p), &v) in d.iter_mut().zip(p).zip(v) {
                    let t = x - p;
                    *d += v * t * t;
                }
            }
        }
    }
}

/// First and second moments of the samples about each prototype, weighted by `w`; entries of `w` that are zero are skipped.
struct Moments<'a, F> {
    x: &'a [F],
    w: &'a [F],
    p: &'a [F],
    dim: usize,
    first: &'a mut [F],
    second: &'a mut [F],
}

impl<F: Float> Kernel for Moments<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (dim, m) = (self.dim, self.p.len() / self.dim);
        for (x, w) in self.x.chunks_exact(dim).zip(self.w.chunks_exact(m)) {
            for (j, &w) in w.iter().enumerate() {
                if w == F::zero() {
                    continue;
                }
                let at = j * dim..(j + 1) * dim;
                let sums = self.first[at.clone()].iter_mut().zip(&mut self.second[at.clone()]);
                for ((&x, &p), (a, b)) in x.iter().zip(&self.p[at]).zip(sums) {
                    let t = x - p;
                    *a += w * t;
                    *b += w * t * t;
                }
            }
        }
    }
}
