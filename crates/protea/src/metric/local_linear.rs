//! A matrix of its own for each group of prototypes: for each class, or for each prototype.
//!
//! # Distance
//! ```text
//! d[i,j] = ‖A_g (x_i − p_j)‖²    for prototype j of group g,    A_g: r × dim, each of norm √r
//! ```
//! computed as `|A_g x_i|² + |A_g p_j|² − 2 x_i·q_j` with `q_j = A_gᵀ A_g p_j`: one product with the matrices of all groups, one
//! below the other, and one with all prototypes, where a product for each group would be small and slow.
//!
//! # Derivative
//! With `w = ∂L/∂d` and `u_j = 2 (Σ_i w_ij p_j − Σ_i w_ij x_i)`: `∂L/∂p_j = A_gᵀ A_g u_j` and
//! ```text
//! ∂L/∂A_g = Σ_i 2 (Σ_{j of g} w_ij) A_g x_i x_iᵀ + Σ_{j of g} (A_g u_j p_jᵀ − 2 A_g p_j Σ_i w_ij x_iᵀ)
//! ```
//! then through the normalisation as for one matrix ([`Linear`](super::Linear)). The accumulator is `[wᵀ1 | wᵀx | first sum]`.

use super::euclidean::pull;
use super::fitted::{FittedMetric, feature_shares, numbers, prototypes, square_times};
use super::linear::Weigh;
use super::{Metric, Scratch};
use crate::kernel::{Kernel, Op, add_column_sums, add_transposed_product, gemm, simd, square_sum};
use crate::plan::{self, Plan};
use crate::store::Stored;
use crate::{Error, Float, Result};
use ndarray::{Array2, Array3, ArrayView2, Axis, concatenate, s};
use std::ops::Range;

/// `d = ‖A_g(x − p)‖²` with a learned matrix for each group of prototypes.
#[derive(Debug, Clone)]
pub struct LocalLinear<F> {
    dim: usize,
    rank: usize,
    groups: Vec<Range<usize>>,
    /// `A_g` one below the other, `groups · r × dim`, each normalised to `√r`.
    a: Vec<F>,
    /// `√r / ‖B_g‖` of the parameters set last.
    shrink: Vec<F>,
    p: Vec<F>,
    /// `A_g p_j`, `m × r`.
    s: Vec<F>,
    /// `|A_g p_j|²`.
    ss: Vec<F>,
    /// `A_gᵀ A_g p_j`, `m × dim`.
    q: Vec<F>,
}

impl<F: Float> LocalLinear<F> {
    /// Groups of consecutive prototypes, all starting at `a` (`r × dim`).
    pub fn new(groups: &[Range<usize>], a: &Array2<F>) -> Self {
        let all: Vec<F> = std::iter::repeat_n(a, groups.len()).flatten().copied().collect();
        let mut metric = Self::with_matrices(groups, a.dim(), Vec::new());
        metric.normalise(&all);
        metric
    }

    /// The metric of a finished model: one matrix for each group, taken as it is.
    pub(super) fn fixed(groups: &[Range<usize>], matrices: &Array3<F>) -> Self {
        let shape = (matrices.len_of(Axis(1)), matrices.len_of(Axis(2)));
        Self::with_matrices(groups, shape, matrices.iter().copied().collect())
    }

    fn with_matrices(groups: &[Range<usize>], (rank, dim): (usize, usize), a: Vec<F>) -> Self {
        let shrink = vec![F::one(); groups.len()];
        let (p, s, ss, q) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        LocalLinear { dim, rank, groups: groups.to_vec(), a, shrink, p, s, ss, q }
    }

    fn normalise(&mut self, b: &[F]) {
        self.a.clear();
        for (b, shrink) in b.chunks_exact(self.rank * self.dim).zip(&mut self.shrink) {
            let norm = b.iter().map(|v| v.f64() * v.f64()).sum::<f64>().sqrt();
            *shrink = F::of((self.rank as f64).sqrt() / norm.max(f64::MIN_POSITIVE));
            self.a.extend(b.iter().map(|&v| v * *shrink));
        }
    }

    /// Moves to prototypes without touching the matrices.
    pub(super) fn place(&mut self, p: &[F]) {
        let (m, dim, rank) = (p.len() / self.dim, self.dim, self.rank);
        self.p.clear();
        self.p.extend_from_slice(p);
        self.s.resize(m * rank, F::zero());
        self.q.resize(m * dim, F::zero());
        for (range, a) in self.groups.iter().zip(self.a.chunks_exact(rank * dim)) {
            let (of_p, of_s) = (scaled(range, dim), scaled(range, rank));
            let s = &mut self.s[of_s];
            gemm(F::one(), Op::N(&p[of_p.clone()], range.len(), dim), Op::T(a, rank, dim), s, false);
            gemm(F::one(), Op::N(s, range.len(), rank), Op::N(a, rank, dim), &mut self.q[of_p], false);
        }
        self.ss.clear();
        self.ss.extend(self.s.chunks_exact(rank).map(square_sum));
    }

    fn m(&self) -> usize {
        self.groups.last().map_or(0, |range| range.end)
    }
}

/// Where the values of rows of this width stand.
fn scaled(rows: &Range<usize>, width: usize) -> Range<usize> {
    rows.start * width..rows.end * width
}

impl<F: Float> Metric<F> for LocalLinear<F> {
    fn n_params(&self) -> usize {
        self.groups.len() * self.rank * self.dim
    }

    fn params(&self) -> Vec<F> {
        self.a.clone()
    }

    fn set(&mut self, p: &[F], params: &[F]) {
        self.normalise(params);
        self.place(p);
    }

    fn distances(&self, x: &[F], d: &mut [F], scratch: &mut Scratch<F>) {
        let (n, wide) = (x.len() / self.dim, self.groups.len() * self.rank);
        scratch.z.resize(n * wide, F::zero());
        let x = Op::N(x, n, self.dim);
        gemm(F::one(), x, Op::T(&self.a, wide, self.dim), &mut scratch.z, false);
        gemm(F::of(-2.0), x, Op::T(&self.q, self.m(), self.dim), d, false);
        simd::run(AddNorms { groups: &self.groups, rank: self.rank, z: &scratch.z, ss: &self.ss, d });
    }

    fn accumulator_len(&self) -> usize {
        self.m() * (1 + self.dim) + self.a.len()
    }

    fn pull_back(&self, x: &[F], w: &[F], accumulator: &mut [F], fresh: bool, scratch: &mut Scratch<F>) {
        let (n, m, dim) = (x.len() / self.dim, self.m(), self.dim);
        let (sums, rest) = accumulator.split_at_mut(m);
        let (wx, zx) = rest.split_at_mut(m * dim);
        add_column_sums(w, sums, fresh);
        add_transposed_product(w, m, x, n, dim, wx, fresh);
        scratch.gz.resize(scratch.z.len(), F::zero());
        simd::run(Weigh { groups: &self.groups, rank: self.rank, z: &scratch.z, w, out: &mut scratch.gz });
        add_transposed_product(&scratch.gz, self.groups.len() * self.rank, x, n, dim, zx, fresh);
    }

    fn gradient(&self, accumulator: &[F], gp: &mut [F], gm: &mut [F]) {
        let (m, dim, rank) = (self.m(), self.dim, self.rank);
        let (image, zx) = accumulator.split_at(m * (1 + dim));
        let wx = &image[m..];
        let mut u = vec![F::zero(); m * dim];
        pull(&self.p, dim, image, &mut u);
        gm.copy_from_slice(zx);
        let mut au = vec![F::zero(); m * rank];
        let matrices = self.a.chunks_exact(rank * dim).zip(gm.chunks_exact_mut(rank * dim)).zip(&self.shrink);
        for (range, ((a, gm), &shrink)) in self.groups.iter().zip(matrices) {
            let (k, of_p, of_s) = (range.len(), scaled(range, dim), scaled(range, rank));
            let au = &mut au[of_s.clone()];
            gemm(F::one(), Op::N(&u[of_p.clone()], k, dim), Op::T(a, rank, dim), au, false);
            gemm(F::one(), Op::N(au, k, rank), Op::N(a, rank, dim), &mut gp[of_p.clone()], false);
            gemm(F::one(), Op::T(au, k, rank), Op::N(&self.p[of_p.clone()], k, dim), gm, true);
            gemm(F::of(-2.0), Op::T(&self.s[of_s], k, rank), Op::N(&wx[of_p], k, dim), gm, true);
            let along = a.iter().zip(gm.iter()).map(|(a, g)| a.f64() * g.f64()).sum::<f64>() / rank as f64;
            let along = F::of(along);
            gm.iter_mut().zip(a).for_each(|(g, &a)| *g = shrink * (*g - a * along));
        }
    }

    fn fitted(&self) -> Box<dyn FittedMetric<F>> {
        let shape = (self.groups.len(), self.rank, self.dim);
        let matrices =
            Array3::from_shape_vec(shape, self.a.clone()).expect("groups have matrices of one shape");
        Box::new(GroupMatrices { groups: self.groups.clone(), matrices })
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn boxed(&self) -> Box<dyn Metric<F>> {
        Box::new(self.clone())
    }
}

/// `‖A_g(x − p)‖²` with a matrix for each group of consecutive prototypes.
#[derive(Debug, Clone)]
pub struct GroupMatrices<F> {
    /// Prototypes of each group.
    pub groups: Vec<Range<usize>>,
    /// Matrix of each group, `groups × r × dim`.
    pub matrices: Array3<F>,
}

impl<F: Float> GroupMatrices<F> {
    /// Groups of prototypes that come one after the other.
    pub(super) fn concatenate(parts: Vec<Self>) -> Result<Box<dyn FittedMetric<F>>> {
        let (mut groups, mut start) = (Vec::new(), 0);
        for part in &parts {
            groups.extend(part.groups.iter().map(|g| start + g.start..start + g.end));
            start = groups.last().map_or(start, |g: &Range<usize>| g.end);
        }
        let views: Vec<_> = parts.iter().map(|part| part.matrices.view()).collect();
        Ok(Box::new(GroupMatrices { groups, matrices: concatenate(Axis(0), &views)? }))
    }

    fn read(stored: &Stored<F>) -> Result<Self> {
        let matrices = stored.matrices("local.components")?;
        let (of, n) = (stored.wholes("local.groups")?, matrices.len_of(Axis(0)));
        if !of.is_sorted() || of.last() != Some(&n.wrapping_sub(1)) {
            return Err(Error::data("the groups of the metric do not fit the prototypes"));
        }
        let groups = (0..n).map(|g| of.partition_point(|&o| o < g)..of.partition_point(|&o| o <= g));
        Ok(GroupMatrices { groups: groups.collect(), matrices })
    }
}

impl<F: Float> FittedMetric<F> for GroupMatrices<F> {
    fn tag(&self) -> &'static str {
        "local-linear"
    }

    fn at(&self, p: ArrayView2<F>) -> Box<dyn Metric<F>> {
        let mut metric = LocalLinear::fixed(&self.groups, &self.matrices);
        metric.place(p.as_standard_layout().as_slice().expect("standard layout"));
        Box::new(metric)
    }

    fn trainable(&self, _: usize) -> Box<dyn Metric<F>> {
        Box::new(LocalLinear::fixed(&self.groups, &self.matrices))
    }

    fn fits(&self, m: usize, dim: usize) -> bool {
        let starts = std::iter::once(0).chain(self.groups.iter().map(|g| g.end));
        self.matrices.len_of(Axis(0)) == self.groups.len()
            && self.matrices.len_of(Axis(1)) > 0
            && self.matrices.len_of(Axis(2)) == dim
            && self.groups.iter().zip(starts).all(|(g, start)| g.start == start && g.end > start)
            && self.groups.last().is_some_and(|g| g.end == m)
    }

    fn store(&self) -> Stored<F> {
        let group = |(g, range): (usize, &Range<usize>)| std::iter::repeat_n(g, range.len());
        let of: Vec<usize> = self.groups.iter().enumerate().flat_map(group).collect();
        Stored::new("local-linear")
            .with_matrices("local.components", &self.matrices)
            .with_wholes("local.groups", &of)
    }

    /// Groups that lose all their prototypes go, too.
    fn select(&self, kept: &[usize]) -> Box<dyn FittedMetric<F>> {
        let count = |g: &Range<usize>| kept.iter().filter(|j| g.contains(j)).count();
        let left: Vec<usize> = (0..self.groups.len()).filter(|&g| count(&self.groups[g]) > 0).collect();
        let mut start = 0;
        let groups = left.iter().map(|&g| {
            let range = start..start + count(&self.groups[g]);
            start = range.end;
            range
        });
        let groups = groups.collect();
        Box::new(GroupMatrices { groups, matrices: self.matrices.select(Axis(0), &left) })
    }

    fn join(&self, members: &[(&dyn FittedMetric<F>, usize)]) -> Result<Box<dyn FittedMetric<F>>> {
        let parts = members.iter().map(|(member, _)| Self::read(&member.store()));
        Self::concatenate(parts.collect::<Result<_>>()?)
    }

    fn times(&self, delta: &[f64], j: usize) -> Option<Vec<f64>> {
        let g = self.groups.iter().position(|g| g.contains(&j))?;
        Some(square_times(self.matrices.slice(s![g, .., ..]), delta))
    }

    fn relevance(&self) -> Option<Vec<f64>> {
        Some(feature_shares(&self.matrices, self.matrices.len_of(Axis(2))))
    }

    fn image_dim(&self, _: usize) -> usize {
        self.matrices.len_of(Axis(1))
    }

    fn lower(&self, p: ArrayView2<F>, plan: &mut Plan) -> Result<plan::Op> {
        let prototypes = prototypes(p, plan);
        let ends: Vec<usize> = self.groups.iter().map(|g| g.end).collect();
        let matrices = numbers("matrices", self.matrices.shape(), &self.matrices, plan);
        Ok(plan::Op::MatrixDistance { prototypes, matrices, ends: plan.whole("group-ends", &ends) })
    }

    fn boxed(&self) -> Box<dyn FittedMetric<F>> {
        Box::new(self.clone())
    }
}

pub(super) fn restore<F: Float>(stored: &Stored<F>) -> Result<Box<dyn FittedMetric<F>>> {
    Ok(Box::new(GroupMatrices::read(stored)?))
}

/// `d[i,j] = max(0, d[i,j] + |z_ig|² + |s_j|²)` for prototype j of group g.
struct AddNorms<'a, F> {
    groups: &'a [Range<usize>],
    rank: usize,
    z: &'a [F],
    ss: &'a [F],
    d: &'a mut [F],
}

impl<F: Float> Kernel for AddNorms<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let wide = self.groups.len() * self.rank;
        for (z, d) in self.z.chunks_exact(wide).zip(self.d.chunks_exact_mut(self.ss.len())) {
            for (range, z) in self.groups.iter().zip(z.chunks_exact(self.rank)) {
                let zz = square_sum(z);
                for (d, &ss) in d[range.clone()].iter_mut().zip(&self.ss[range.clone()]) {
                    let v = *d + ss + zz;
                    *d = if v < F::zero() { F::zero() } else { v };
                }
            }
        }
    }
}
