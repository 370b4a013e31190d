//! A matrix of its own for each group of prototypes: for each class, or for each prototype.
//!
//! # Distance
//! ```text
//! d[i,j] = ‖A_g (x_i − p_j)‖²    for prototype j of group g,    A_g: r × dim, each of norm √r
//! ```
//! Every group is a [`Linear`] metric over its own prototypes; rows of distances and derivatives are cut into their
//! groups' columns and put together again.

use super::linear::Linear;
use super::{Form, Metric, Scratch};
use crate::Float;
use ndarray::{Array2, Array3, Axis};
use std::ops::Range;

/// `d = ‖A_g(x − p)‖²` with a learned matrix for each group of prototypes.
#[derive(Debug, Clone)]
pub struct LocalLinear<F> {
    dim: usize,
    groups: Vec<(Range<usize>, Linear<F>)>,
}

impl<F: Float> LocalLinear<F> {
    /// Groups of consecutive prototypes, all starting at `a` (`r × dim`).
    pub fn new(groups: &[Range<usize>], a: &Array2<F>) -> Self {
        let groups = groups.iter().map(|range| (range.clone(), Linear::new(a)));
        LocalLinear { dim: a.ncols(), groups: groups.collect() }
    }

    /// The metric of a finished model: one matrix for each group.
    pub(super) fn fixed(groups: &[Range<usize>], matrices: &Array3<F>) -> Self {
        let groups = groups.iter().zip(matrices.outer_iter());
        let groups = groups.map(|(range, a)| (range.clone(), Linear::fixed(&a.to_owned(), false)));
        LocalLinear { dim: matrices.len_of(Axis(2)), groups: groups.collect() }
    }

    pub(super) fn place(&mut self, p: &[F]) {
        for (range, metric) in &mut self.groups {
            metric.place(&p[range.start * self.dim..range.end * self.dim]);
        }
    }

    fn m(&self) -> usize {
        self.groups.last().map_or(0, |(range, _)| range.end)
    }

    /// Length of one group's parameters; all have the same shape.
    fn stride(&self) -> usize {
        self.groups.first().map_or(0, |(_, metric)| metric.n_params())
    }
}

impl<F: Float> Metric<F> for LocalLinear<F> {
    fn n_params(&self) -> usize {
        self.groups.len() * self.stride()
    }

    fn params(&self) -> Vec<F> {
        self.groups.iter().flat_map(|(_, metric)| metric.params()).collect()
    }

    fn set(&mut self, p: &[F], params: &[F]) {
        let stride = self.stride();
        for ((range, metric), params) in self.groups.iter_mut().zip(params.chunks_exact(stride)) {
            metric.set(&p[range.start * self.dim..range.end * self.dim], params);
        }
    }

    fn distances(&self, x: &[F], d: &mut [F], scratch: &mut Scratch<F>) {
        let (n, m) = (x.len() / self.dim, self.m());
        scratch.groups.resize_with(self.groups.len(), Scratch::default);
        for ((range, metric), inner) in self.groups.iter().zip(&mut scratch.groups) {
            scratch.part.resize(n * range.len(), F::zero());
            metric.distances(x, &mut scratch.part, inner);
            for (part, d) in scratch.part.chunks_exact(range.len()).zip(d.chunks_exact_mut(m)) {
                d[range.clone()].copy_from_slice(part);
            }
        }
    }

    fn accumulator_len(&self) -> usize {
        self.groups.iter().map(|(_, metric)| metric.accumulator_len()).sum()
    }

    fn pull_back(&self, x: &[F], w: &[F], accumulator: &mut [F], fresh: bool, scratch: &mut Scratch<F>) {
        let m = self.m();
        let mut rest = accumulator;
        for ((range, metric), inner) in self.groups.iter().zip(&mut scratch.groups) {
            let (own, others) = rest.split_at_mut(metric.accumulator_len());
            rest = others;
            scratch.part.clear();
            w.chunks_exact(m).for_each(|w| scratch.part.extend_from_slice(&w[range.clone()]));
            metric.pull_back(x, &scratch.part, own, fresh, inner);
        }
    }

    fn gradient(&self, accumulator: &[F], gp: &mut [F], gm: &mut [F]) {
        let (mut rest, stride) = (accumulator, self.stride());
        for ((range, metric), gm) in self.groups.iter().zip(gm.chunks_exact_mut(stride)) {
            let (own, others) = rest.split_at(metric.accumulator_len());
            rest = others;
            metric.gradient(own, &mut gp[range.start * self.dim..range.end * self.dim], gm);
        }
    }

    fn form(&self) -> Form<F> {
        let matrices: Vec<Array2<F>> = self.groups.iter().map(|(_, metric)| metric.matrix()).collect();
        let rank = matrices.first().map_or(0, Array2::nrows);
        let values: Vec<F> = matrices.into_iter().flatten().collect();
        let shape = (self.groups.len(), rank, self.dim);
        let matrices = Array3::from_shape_vec(shape, values).expect("groups have matrices of one shape");
        Form::LocalLinear { groups: self.groups.iter().map(|(range, _)| range.clone()).collect(), matrices }
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn boxed(&self) -> Box<dyn Metric<F>> {
        Box::new(self.clone())
    }
}
