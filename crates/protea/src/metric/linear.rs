//! A global linear metric: a full or low-rank matrix, or one weight for each feature.
//!
//! # Distance
//! ```text
//! d[i,j] = ‖A (x_i − p_j)‖²,    A: r × dim or diagonal,   Euclidean between z = A x and s = A p
//! ```
//! The scale of `A` and the inverse temperature of a soft objective are one parameter, so only the direction of `A` is
//! free: with parameters `B` of any norm, `A = √r · B / ‖B‖` (`r = dim` for the diagonal).
//!
//! # Derivative
//! With `w = ∂L/∂d`, in the space of `z`: `G_s = 2 (diag(wᵀ1) s − wᵀ z)` and `G_z = 2 (diag(w1) z − w s)`; then
//! `∂L/∂p = G_s A`, `∂L/∂A = G_zᵀ x + G_sᵀ p` (its diagonal), and through the normalisation
//! `∂L/∂B = (√r/‖B‖) (∂L/∂A − A ⟨A, ∂L/∂A⟩ / r)`. The accumulator is `[wᵀ1 | wᵀz | G_zᵀ x]`.

use super::euclidean::Euclidean;
use super::fitted::{Embedding, FittedMetric, feature_shares, numbers, prototypes, square_times};
use super::{FeatureWeights, GroupMatrices, Metric, Scratch};
use crate::kernel::{Kernel, Op, gemm, nonzeros, row_sum, simd};
use crate::plan::{self, Plan};
use crate::store::Stored;
use crate::{Float, Result};
use ndarray::{Array2, ArrayView2, Axis};
use std::ops::Range;
use std::slice::from_ref;

/// `d = ‖A(x − p)‖²` with learned `A`.
#[derive(Debug, Clone)]
pub struct Linear<F> {
    rank: usize,
    dim: usize,
    diagonal: bool,
    /// A, normalised to ‖A‖ = √r; of a diagonal one the diagonal alone.
    a: Vec<F>,
    /// √r / ‖B‖ of the parameters set last.
    shrink: F,
    p: Vec<F>,
    /// Euclidean distance between images.
    image: Euclidean<F>,
}

impl<F: Float> Linear<F> {
    /// A metric that starts at `a` (`r × dim`), brought to the norm `√r`.
    pub fn new(a: &Array2<F>) -> Self {
        let (rank, dim) = a.dim();
        Self::from_parameters(rank, dim, false, &a.iter().copied().collect::<Vec<_>>())
    }

    /// A metric with one weight for each feature, brought to the norm `√dim`.
    pub fn diagonal(weights: &[F]) -> Self {
        Self::from_parameters(weights.len(), weights.len(), true, weights)
    }

    fn from_parameters(rank: usize, dim: usize, diagonal: bool, b: &[F]) -> Self {
        let image = Euclidean::new(rank);
        let mut metric =
            Linear { rank, dim, diagonal, a: Vec::new(), shrink: F::one(), p: Vec::new(), image };
        metric.normalise(b);
        metric
    }

    /// The metric of a finished model: `a` is taken as it is.
    pub(super) fn fixed(a: &Array2<F>, diagonal: bool) -> Self {
        let (rank, dim) = if diagonal { (a.len(), a.len()) } else { a.dim() };
        let image = Euclidean::new(rank);
        let a = a.iter().copied().collect();
        Linear { rank, dim, diagonal, a, shrink: F::one(), p: Vec::new(), image }
    }

    /// Moves to prototypes without touching the matrix.
    pub(super) fn place(&mut self, p: &[F]) {
        let mut s = Vec::new();
        self.map(p, &mut s);
        self.p.clear();
        self.p.extend_from_slice(p);
        self.image.set(&s, &[]);
    }

    /// The same at prototypes.
    pub(super) fn placed(mut self, p: ArrayView2<F>) -> Self {
        self.place(p.as_standard_layout().as_slice().expect("standard layout"));
        self
    }

    fn normalise(&mut self, b: &[F]) {
        let norm = b.iter().map(|v| v.f64() * v.f64()).sum::<f64>().sqrt();
        self.shrink = F::of((self.rank as f64).sqrt() / norm.max(f64::MIN_POSITIVE));
        self.a.clear();
        self.a.extend(b.iter().map(|&v| v * self.shrink));
    }

    /// `z = A x` for every row.
    fn map(&self, x: &[F], z: &mut Vec<F>) {
        let n = x.len() / self.dim;
        z.resize(n * self.rank, F::zero());
        if self.diagonal {
            for (z, x) in z.chunks_exact_mut(self.dim).zip(x.chunks_exact(self.dim)) {
                z.iter_mut().zip(x).zip(&self.a).for_each(|((z, &x), &a)| *z = a * x);
            }
        } else {
            gemm(F::one(), Op::N(x, n, self.dim), Op::T(&self.a, self.rank, self.dim), z, false);
        }
    }

    /// `out += gᵀ x`, its diagonal for a diagonal metric; `=` with `fresh`.
    fn add_outer(&self, g: &[F], x: &[F], out: &mut [F], fresh: bool) {
        let n = x.len() / self.dim;
        if !self.diagonal {
            return gemm(F::one(), Op::T(g, n, self.rank), Op::N(x, n, self.dim), out, !fresh);
        }
        if fresh {
            out.fill(F::zero());
        }
        for (g, x) in g.chunks_exact(self.dim).zip(x.chunks_exact(self.dim)) {
            out.iter_mut().zip(g).zip(x).for_each(|((o, &g), &x)| *o += g * x);
        }
    }
}

impl<F: Float> Metric<F> for Linear<F> {
    fn n_params(&self) -> usize {
        self.a.len()
    }

    fn params(&self) -> Vec<F> {
        self.a.clone()
    }

    fn set(&mut self, p: &[F], params: &[F]) {
        self.normalise(params);
        self.place(p);
    }

    fn distances(&self, x: &[F], d: &mut [F], scratch: &mut Scratch<F>) {
        let mut z = std::mem::take(&mut scratch.z);
        self.map(x, &mut z);
        self.image.distances(&z, d, scratch);
        scratch.z = z;
    }

    fn accumulator_len(&self) -> usize {
        self.image.accumulator_len() + self.a.len()
    }

    fn pull_back(&self, x: &[F], w: &[F], accumulator: &mut [F], fresh: bool, scratch: &mut Scratch<F>) {
        let (n, r, m) = (x.len() / self.dim, self.rank, self.image.norms().len());
        let (image, gzx) = accumulator.split_at_mut(self.image.accumulator_len());
        self.image.pull_back_products(&scratch.z, w, image, fresh);
        // G_z = 2 (diag(w1) z − w s)
        scratch.gz.resize(n * r, F::zero());
        let two = F::of(2.0);
        let sparse = 16 * nonzeros(w) <= w.len();
        let s = self.image.prototypes();
        simd::run(Weigh { groups: from_ref(&(0..m)), rank: r, z: &scratch.z, w, out: &mut scratch.gz });
        if sparse {
            for (gz, w) in scratch.gz.chunks_exact_mut(r).zip(w.chunks_exact(m)) {
                for (&w, s) in w.iter().zip(s.chunks_exact(r)).filter(|(w, _)| **w != F::zero()) {
                    gz.iter_mut().zip(s).for_each(|(g, &s)| *g -= two * w * s);
                }
            }
        } else {
            gemm(-two, Op::N(w, n, m), Op::N(s, m, r), &mut scratch.gz, true);
        }
        self.add_outer(&scratch.gz, x, gzx, fresh);
    }

    fn gradient(&self, accumulator: &[F], gp: &mut [F], gm: &mut [F]) {
        let (r, dim, m) = (self.rank, self.dim, self.image.norms().len());
        let (image, gzx) = accumulator.split_at(self.image.accumulator_len());
        let mut gs = vec![F::zero(); m * r];
        self.image.gradient(image, &mut gs, &mut []);
        if self.diagonal {
            for (gp, gs) in gp.chunks_exact_mut(dim).zip(gs.chunks_exact(dim)) {
                gp.iter_mut().zip(gs).zip(&self.a).for_each(|((gp, &gs), &a)| *gp = gs * a);
            }
        } else {
            gemm(F::one(), Op::N(&gs, m, r), Op::N(&self.a, r, dim), gp, false);
        }
        gm.copy_from_slice(gzx);
        self.add_outer(&gs, &self.p, gm, false);
        let along = self.a.iter().zip(gm.iter()).map(|(a, g)| a.f64() * g.f64()).sum::<f64>() / r as f64;
        let along = F::of(along);
        gm.iter_mut().zip(&self.a).for_each(|(g, &a)| *g = self.shrink * (*g - a * along));
    }

    fn fitted(&self) -> Box<dyn FittedMetric<F>> {
        if self.diagonal {
            return Box::new(FeatureWeights(self.a.clone()));
        }
        let matrix = Array2::from_shape_fn((self.rank, self.dim), |(i, j)| self.a[i * self.dim + j]);
        Box::new(Matrix(matrix))
    }

    fn nearest(&self, x: &[F], d: &mut [F], scratch: &mut Scratch<F>) -> Vec<usize> {
        let mut z = std::mem::take(&mut scratch.z);
        self.map(x, &mut z);
        let nearest = self.image.nearest(&z, d, scratch);
        scratch.z = z;
        nearest
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn boxed(&self) -> Box<dyn Metric<F>> {
        Box::new(self.clone())
    }
}

/// `‖A(x − p)‖²` with this matrix `A`, `r × dim`.
#[derive(Debug, Clone)]
pub struct Matrix<F>(pub Array2<F>);

impl<F: Float> FittedMetric<F> for Matrix<F> {
    fn tag(&self) -> &'static str {
        "linear"
    }

    fn at(&self, p: ArrayView2<F>) -> Box<dyn Metric<F>> {
        Box::new(Linear::fixed(&self.0, false).placed(p))
    }

    fn trainable(&self, _: usize) -> Box<dyn Metric<F>> {
        Box::new(Linear::new(&self.0))
    }

    fn fits(&self, _: usize, dim: usize) -> bool {
        self.0.nrows() > 0 && self.0.ncols() == dim
    }

    fn store(&self) -> Stored<F> {
        Stored::new("linear").with_matrix("components", &self.0)
    }

    /// Members with a matrix of their own become groups with a matrix each.
    fn join(&self, members: &[(&dyn FittedMetric<F>, usize)]) -> Result<Box<dyn FittedMetric<F>>> {
        let whole = |(member, m): &(&dyn FittedMetric<F>, usize)| {
            let matrix = member.store().matrix("components")?;
            Ok(GroupMatrices {
                groups: std::iter::once(0..*m).collect(),
                matrices: matrix.insert_axis(Axis(0)),
            })
        };
        GroupMatrices::concatenate(members.iter().map(whole).collect::<Result<_>>()?)
    }

    fn times(&self, delta: &[f64], _: usize) -> Option<Vec<f64>> {
        Some(square_times(self.0.view(), delta))
    }

    fn relevance(&self) -> Option<Vec<f64>> {
        Some(feature_shares(&self.0, self.0.ncols()))
    }

    fn embedding(&self) -> Embedding<F> {
        Embedding::Matrix(self.0.clone())
    }

    fn matrix(&self) -> Option<&Array2<F>> {
        Some(&self.0)
    }

    fn image_dim(&self, _: usize) -> usize {
        self.0.nrows()
    }

    fn lower(&self, p: ArrayView2<F>, plan: &mut Plan) -> Result<plan::Op> {
        let prototypes = prototypes(p, plan);
        let matrices = numbers("matrices", &[1, self.0.nrows(), self.0.ncols()], &self.0, plan);
        Ok(plan::Op::MatrixDistance { prototypes, matrices, ends: plan.whole("group-ends", &[p.nrows()]) })
    }

    fn boxed(&self) -> Box<dyn FittedMetric<F>> {
        Box::new(self.clone())
    }
}

pub(super) fn restore<F: Float>(stored: &Stored<F>) -> Result<Box<dyn FittedMetric<F>>> {
    Ok(Box::new(Matrix(stored.matrix("components")?)))
}

/// `out_ig = 2 (Σ_{j of g} w_ij) z_ig` for images `z_ig` of each sample under the matrix of each group of prototypes.
pub(super) struct Weigh<'a, F> {
    pub groups: &'a [Range<usize>],
    pub rank: usize,
    pub z: &'a [F],
    pub w: &'a [F],
    pub out: &'a mut [F],
}

impl<F: Float> Kernel for Weigh<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let wide = self.groups.len() * self.rank;
        let m = self.groups.last().map_or(0, |range| range.end);
        let rows = self.z.chunks_exact(wide).zip(self.out.chunks_exact_mut(wide));
        for ((z, out), w) in rows.zip(self.w.chunks_exact(m)) {
            let parts = z.chunks_exact(self.rank).zip(out.chunks_exact_mut(self.rank));
            for ((z, out), range) in parts.zip(self.groups) {
                let weight = F::of(2.0) * row_sum(&w[range.clone()]);
                out.iter_mut().zip(z).for_each(|(o, &z)| *o = weight * z);
            }
        }
    }
}
