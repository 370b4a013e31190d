//! Linear support vector machines for several classes, on sparse rows.
//!
//! Each class has a weight vector and a bias, and a sample gets the class of the highest score `w_c·x + b_c`. The bias
//! is the weight of an appended feature that is 1 everywhere, so it is penalised like the others; the solvers would
//! otherwise lose the closed form of their steps.
//!
//! | loss | problem | solver |
//! |---|---|---|
//! | [`SvmLoss::CrammerSinger`] | one, over all classes together | [`crammer_singer`] |
//! | [`SvmLoss::Hinge`], [`SvmLoss::SquaredHinge`] | one for each class against the rest | [`one_vs_rest`] |
//!
//! Both work on the dual problem, one sample after another in random order, which keeps the weights at hand at every
//! step. The value of the dual bounds the optimum from below, so every result says how far it can be from it at most:
//! [`LinearSvm::gap`].
//!
//! ```
//! use ndarray::array;
//! use protea::svm::{Labelled, Rows, Svm};
//! let rows = Rows::from_dense(array![[0.0, 1.0], [0.2, 0.9], [1.0, 0.0], [0.8, 0.1]].view())?;
//! let samples = Labelled { rows: &rows, y: &[0, 0, 1, 1], classes: 2, weights: None };
//! let svm = Svm::default().fit(&samples, &|| false)?;
//! assert_eq!(svm.predict_all(&rows), [0, 0, 1, 1]);
//! assert!(svm.gap() < 0.01);
//! # Ok::<(), protea::Error>(())
//! ```

mod choose;
pub mod crammer_singer;
pub mod one_vs_rest;
mod rows;

pub use choose::{COSTS, choose_c};
pub use rows::{Row, Rows};

use crate::kernel::parallel::*;
use crate::progress::Stop;
use crate::settings::named_enum;
use crate::{Error, Result};
use ndarray::{Array2, s};

named_enum! {
    /// What a sample on the wrong side of its margin costs.
    pub enum SvmLoss {
        /// How far the score of the best other class exceeds that of the true class minus 1.
        CrammerSinger = "crammer-singer",
        /// `max(0, 1 − ±score)`, for each class against the rest.
        Hinge = "hinge",
        /// `max(0, 1 − ±score)²`, for each class against the rest.
        SquaredHinge = "squared-hinge",
    }
}

/// What to solve, and how far.
#[derive(Debug, Clone, PartialEq)]
pub struct Svm {
    /// The loss.
    pub loss: SvmLoss,
    /// Price of the losses against the length of the weights, the `C` of the papers.
    pub c: f64,
    /// Whether there is a bias.
    pub bias: bool,
    /// Largest violation of the optimality conditions that is left, in units of the margin.
    pub tolerance: f64,
    /// Most passes over the samples.
    pub max_passes: usize,
    /// Seed of the order in which samples are visited.
    pub seed: u64,
}

impl Default for Svm {
    fn default() -> Self {
        Svm { loss: SvmLoss::CrammerSinger, c: 1.0, bias: true, tolerance: 0.01, max_passes: 1000, seed: 0 }
    }
}

/// A linear classifier.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearSvm {
    /// Weights, `classes × dim`.
    pub weights: Array2<f64>,
    /// Bias of each class; all 0 without one.
    pub bias: Vec<f64>,
    /// The price `C` it was trained with.
    pub c: f64,
    /// Passes over the samples, of the class that took most.
    pub passes: usize,
    /// Whether the tolerance was reached.
    pub converged: bool,
    /// Half the squared weights and biases, plus `C` times the losses: what was minimised.
    pub objective: f64,
    /// What the objective cannot fall below.
    pub bound: f64,
}

/// Rows with their classes.
#[derive(Debug, Clone, Copy)]
pub struct Labelled<'a> {
    /// The rows.
    pub rows: &'a Rows,
    /// Class of each, below `classes`.
    pub y: &'a [usize],
    /// Number of classes.
    pub classes: usize,
    /// Factors on the price of each sample; all 1 when absent.
    pub weights: Option<&'a [f64]>,
}

impl Labelled<'_> {
    fn check(&self) -> Result<()> {
        let (n, classes) = (self.rows.len(), self.classes);
        if n == 0 {
            return Err(Error::Empty { what: "the list of samples".into() });
        }
        if self.y.len() != n {
            return Err(Error::shape("labels, one for each row", n, self.y.len()));
        }
        if let Some(i) = self.y.iter().position(|&c| c >= classes) {
            return Err(Error::ClassIndex { row: i + 1, index: self.y[i] as i64, classes });
        }
        self.weights.map_or(Ok(()), |w| Error::check_weights(n, w))
    }

    fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |w| w[i])
    }
}

/// What the solvers see.
struct Problem<'a> {
    rows: &'a Rows,
    y: &'a [usize],
    classes: usize,
    /// `C_i` of each sample.
    costs: Vec<f64>,
    svm: &'a Svm,
}

/// What they give back.
struct Solution {
    /// `classes × (dim + 1)`, the bias last.
    w: Array2<f64>,
    /// Value of the dual.
    bound: f64,
    passes: usize,
    converged: bool,
}

impl Svm {
    /// Trains on labelled rows.
    ///
    /// `cancelled` is polled often, by every thread that works; when it says so, the weights of that moment are returned.
    pub fn fit(&self, samples: &Labelled, cancelled: &(dyn Fn() -> bool + Sync)) -> Result<LinearSvm> {
        self.check()?;
        samples.check()?;
        Ok(self.solve(samples, Stop(cancelled)))
    }

    fn check(&self) -> Result<()> {
        if !(self.c > 0.0 && self.c.is_finite()) {
            return Err(Error::setting("c", self.c, "a number > 0"));
        }
        if !(self.tolerance > 0.0 && self.tolerance.is_finite()) {
            return Err(Error::setting("tolerance", self.tolerance, "a number > 0"));
        }
        Ok(())
    }

    fn solve(&self, samples: &Labelled, stop: Stop) -> LinearSvm {
        let &Labelled { rows, y, classes, .. } = samples;
        let costs = (0..y.len()).map(|i| self.c * samples.weight(i)).collect();
        let problem = Problem { rows, y, classes, costs, svm: self };
        let solution = match self.loss {
            SvmLoss::CrammerSinger => crammer_singer::solve(&problem, stop),
            SvmLoss::Hinge | SvmLoss::SquaredHinge => one_vs_rest::solve(&problem, stop),
        };
        let (w, dim) = (&solution.w, rows.dim());
        let mut svm = LinearSvm {
            weights: w.slice(s![.., ..dim]).to_owned(),
            bias: w.column(dim).to_vec(),
            c: self.c,
            passes: solution.passes,
            converged: solution.converged,
            objective: 0.0,
            bound: solution.bound + problem.idle_loss(),
        };
        svm.objective = 0.5 * w.iter().map(|v| v * v).sum::<f64>() + svm.total_loss(&problem);
        svm
    }
}

impl Problem<'_> {
    /// `|x_i|²`, with the appended feature.
    #[inline(always)]
    fn square(&self, i: usize) -> f64 {
        self.rows.row(i).square_sum() + if self.svm.bias { 1.0 } else { 0.0 }
    }

    /// What rows without entries cost at any weights, if there is no bias either: each class has score 0.
    fn idle_loss(&self) -> f64 {
        let costs: f64 = (0..self.y.len()).filter(|&i| self.square(i) == 0.0).map(|i| self.costs[i]).sum();
        match self.svm.loss {
            SvmLoss::CrammerSinger => costs,
            SvmLoss::Hinge | SvmLoss::SquaredHinge => costs * self.classes as f64,
        }
    }

    /// Samples that cost anything and can move the weights.
    fn samples(&self) -> Vec<usize> {
        (0..self.y.len()).filter(|&i| self.costs[i] > 0.0 && self.square(i) > 0.0).collect()
    }
}

/// Rows that are scored together.
const BLOCK: usize = 256;

impl LinearSvm {
    /// Score of each class.
    pub fn scores(&self, row: Row) -> Vec<f64> {
        let score = |(w, &b): (ndarray::ArrayView1<f64>, &f64)| match w.as_slice() {
            Some(w) => row.dot(w) + b,
            None => row.entries().map(|(j, v)| v * w[j]).sum::<f64>() + b,
        };
        self.weights.rows().into_iter().zip(&self.bias).map(score).collect()
    }

    /// Class with the highest score; ties go to the lowest index.
    pub fn predict(&self, row: Row) -> usize {
        let scores = self.scores(row);
        (1..scores.len()).fold(0, |best, c| if scores[c] > scores[best] { c } else { best })
    }

    /// Class of each row.
    pub fn predict_all(&self, rows: &Rows) -> Vec<usize> {
        (0..rows.len()).into_par_iter().with_min_len(BLOCK).map(|i| self.predict(rows.row(i))).collect()
    }

    /// How far the objective can be above the optimum at most, as a share of it.
    pub fn gap(&self) -> f64 {
        (self.objective - self.bound) / self.bound.abs().max(f64::MIN_POSITIVE)
    }

    /// `Σ_i C_i loss_i`, summed in blocks of fixed size.
    fn total_loss(&self, p: &Problem) -> f64 {
        let loss = |i: usize| {
            let scores = self.scores(p.rows.row(i));
            let others = |c: &usize| *c != p.y[i];
            let hinge = |c: usize| (1.0 - if c == p.y[i] { scores[c] } else { -scores[c] }).max(0.0);
            p.costs[i]
                * match p.svm.loss {
                    SvmLoss::CrammerSinger => (0..p.classes)
                        .filter(others)
                        .fold(0.0, |worst: f64, c| worst.max(1.0 + scores[c] - scores[p.y[i]])),
                    SvmLoss::Hinge => (0..p.classes).map(hinge).sum(),
                    SvmLoss::SquaredHinge => (0..p.classes).map(|c| hinge(c).powi(2)).sum(),
                }
        };
        let blocks = p.y.len().div_ceil(BLOCK);
        let block = |b: usize| (b * BLOCK..((b + 1) * BLOCK).min(p.y.len())).map(loss).sum::<f64>();
        (0..blocks).into_par_iter().map(block).collect::<Vec<_>>().into_iter().sum()
    }
}

#[cfg(test)]
mod tests;
