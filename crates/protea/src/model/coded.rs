//! Decisions by codes over the prototypes.

use super::{Parts, temperature};
use crate::coding::{Code, CodeRule, Coder, Coding, Dictionary, decide, evidence, in_blocks, probabilities};
use crate::kernel::k_smallest;
use crate::metric::{Embedding, Space};
use crate::{Error, Float, Result};
use ndarray::{Array2, ArrayView2};

/// A coder over the prototypes of a model, and their classes.
#[derive(Debug)]
pub(crate) struct Coded<F: Float> {
    coder: Box<dyn Coder<F>>,
    by: CodeRule,
    labels: Vec<usize>,
    n_classes: usize,
}

impl<F: Float> Coded<F> {
    /// The coder of a model; refuses a metric that is not Euclidean after preprocessing.
    pub fn new(coding: &Coding, parts: &Parts<F>) -> Result<Self> {
        if parts.metric.embedding() != Embedding::Identity {
            return Err(Error::parts("metric", "coder"));
        }
        Self::over(coding, &parts.prototypes.x, &parts.prototypes.y, parts.classes.len())
    }

    /// The coder over labelled atoms.
    pub fn over(coding: &Coding, x: &Array2<F>, labels: &[usize], n_classes: usize) -> Result<Self> {
        let coder = coding.over(Dictionary::new(x.view())?)?;
        Ok(Coded { coder, by: coding.by(), labels: labels.to_vec(), n_classes })
    }

    /// Computes what all blocks share, before they are coded in parallel.
    pub fn prepare(&self) {
        self.coder.prepare();
    }

    /// Codes of a block.
    pub fn code(&self, q: &[F]) -> Vec<Code<F>> {
        self.coder.code(q)
    }

    /// Codes of a block and the evidence for each class.
    pub fn judge(&self, q: &[F]) -> Vec<(Code<F>, Vec<f64>)> {
        let codes = self.coder.code(q);
        let mut judged = evidence(self.by, q, &codes, self.coder.dictionary(), &self.labels, self.n_classes);
        // Later digits are rounding errors, and would order classes that are level one way here and another way in logarithms.
        judged.iter_mut().flatten().for_each(|e| *e = f64::from(*e as f32));
        codes.into_iter().zip(judged).collect()
    }

    /// Class of each query of a block.
    pub fn classes(&self, q: &[F]) -> Vec<usize> {
        self.judge(q).iter().map(|(code, evidence)| decide(evidence, code, &self.labels)).collect()
    }

    /// Evidence for each class for each query of a block, in logarithms of probabilities that do not sum to 1.
    pub fn evidence(&self, q: &[F], gamma: f64) -> Vec<Vec<f64>> {
        let scaled = |(_, evidence): (Code<F>, Vec<f64>)| evidence.into_iter().map(|e| gamma * e).collect();
        self.judge(q).into_iter().map(scaled).collect()
    }

    /// Inverse temperature under which these queries of known class are most likely.
    pub fn likeliest_gamma(&self, q: ArrayView2<F>, y: &[usize]) -> Result<f64> {
        self.prepare();
        let judged = in_blocks(self.coder.dictionary(), q, |_, block| self.judge(block))?;
        let own = |i: usize, gamma: f64| probabilities(&judged[i].1, gamma)[y[i]];
        Ok(temperature(y.len(), own, 1e-2, 1e4))
    }

    /// Probabilities of each query of a block.
    pub fn probabilities(&self, q: &[F], gamma: f64) -> Vec<Vec<f64>> {
        self.judge(q).iter().map(|(_, evidence)| probabilities(evidence, gamma)).collect()
    }
}

/// Codes of a block by the `k` nearest prototypes, each with the same weight.
pub(super) fn by_neighbours<F: Float>(
    space: &Space<F>,
    prototypes: &Array2<F>,
    k: usize,
    z: &[F],
    d: &mut Vec<F>,
) -> Vec<Code<F>> {
    let nearest = space.map_rows(z, d, |d| k_smallest(d, k));
    let code = |(atoms, z): (Vec<usize>, &[F])| {
        let share = 1.0 / atoms.len() as f64;
        let left =
            |f: usize| z[f].f64() - atoms.iter().map(|&j| share * prototypes[[j, f]].f64()).sum::<f64>();
        let residual = (0..z.len()).map(|f| left(f) * left(f)).sum::<f64>().sqrt();
        Code { weights: vec![F::of(share); atoms.len()], atoms, residual }
    };
    nearest.into_iter().zip(z.chunks_exact(prototypes.ncols())).map(code).collect()
}
