//! A metric as numbers: what a model keeps, saves and shows of it.

use super::{Euclidean, Linear, Local, LocalLinear, Metric, MetricKind};
use crate::plan::{Op, Plan};
use crate::{Error, Float, Result};
use ndarray::{Array2, Array3, ArrayView2, Axis, concatenate};
use std::ops::Range;

/// The numbers of a metric.
#[derive(Debug, Clone, PartialEq)]
pub enum Form<F> {
    /// None: plain Euclidean.
    Euclidean,
    /// One weight for each feature.
    Diagonal(Vec<F>),
    /// One matrix, `r × dim`.
    Linear(Array2<F>),
    /// Weights for each prototype, `m × dim`.
    Local(Array2<F>),
    /// A matrix for each group of consecutive prototypes, `groups × r × dim`.
    LocalLinear {
        /// Prototypes of each group.
        groups: Vec<Range<usize>>,
        /// Matrix of each group.
        matrices: Array3<F>,
    },
}

impl<F: Float> Form<F> {
    /// The metric at prototypes `p`.
    pub(crate) fn at(&self, p: ArrayView2<F>) -> Box<dyn Metric<F>> {
        let p = p.as_standard_layout();
        let rows = p.as_slice().unwrap_or_default();
        match self {
            Form::Euclidean => {
                let mut metric = Euclidean::new(p.ncols());
                metric.set(rows, &[]);
                Box::new(metric)
            }
            Form::Diagonal(weights) => {
                let weights = ArrayView2::from_shape((1, weights.len()), weights).expect("one row");
                placed(Linear::fixed(&weights.to_owned(), true), rows)
            }
            Form::Linear(a) => placed(Linear::fixed(&a.as_standard_layout().into_owned(), false), rows),
            Form::Local(weights) => {
                let mut metric = Local::new(weights);
                let params = metric.params();
                metric.set(rows, &params);
                Box::new(metric)
            }
            Form::LocalLinear { groups, matrices } => {
                let mut metric = LocalLinear::fixed(groups, matrices);
                metric.place(rows);
                Box::new(metric)
            }
        }
    }

    /// The metric for learning to go on from here.
    pub(crate) fn trainable(&self, dim: usize) -> Box<dyn Metric<F>> {
        match self {
            Form::Euclidean => Box::new(Euclidean::new(dim)),
            Form::Diagonal(weights) => Box::new(Linear::diagonal(weights)),
            Form::Linear(a) => Box::new(Linear::new(a)),
            Form::Local(weights) => Box::new(Local::new(weights)),
            Form::LocalLinear { groups, matrices } => Box::new(LocalLinear::fixed(groups, matrices)),
        }
    }

    /// The metric of some of the prototypes, given in ascending order; groups that lose all theirs go, too.
    pub(crate) fn select(&self, kept: &[usize]) -> Self {
        match self {
            Form::Local(weights) => Form::Local(weights.select(Axis(0), kept)),
            Form::LocalLinear { groups, matrices } => {
                let count = |g: &Range<usize>| kept.iter().filter(|j| g.contains(j)).count();
                let left: Vec<usize> = (0..groups.len()).filter(|&g| count(&groups[g]) > 0).collect();
                let mut start = 0;
                let ranges = left.iter().map(|&g| {
                    let range = start..start + count(&groups[g]);
                    start = range.end;
                    range
                });
                Form::LocalLinear { groups: ranges.collect(), matrices: matrices.select(Axis(0), &left) }
            }
            whole => whole.clone(),
        }
    }

    /// The metric of prototypes that stand one after the other: of each metric, so many. Metrics that are the same for all of
    /// their prototypes become weights of each one, or a matrix of each group.
    pub(crate) fn join(forms: Vec<(&Self, usize)>) -> Result<Self> {
        let shape = Error::from;
        match forms[0].0 {
            Form::Euclidean => Ok(Form::Euclidean),
            Form::Diagonal(_) | Form::Local(_) => {
                let weights: Vec<_> = forms.iter().map(|(form, m)| form.weights(*m)).collect();
                let views: Vec<_> = weights.iter().map(|w| w.view()).collect();
                Ok(Form::Local(concatenate(Axis(0), &views).map_err(shape)?))
            }
            Form::Linear(_) | Form::LocalLinear { .. } => {
                let (mut groups, mut stacks, mut start) = (Vec::new(), Vec::new(), 0);
                for (form, m) in &forms {
                    match form {
                        Form::Linear(a) => {
                            groups.push(start..start + m);
                            stacks.push(a.view().insert_axis(Axis(0)));
                        }
                        Form::LocalLinear { groups: own, matrices } => {
                            groups.extend(own.iter().map(|g| start + g.start..start + g.end));
                            stacks.push(matrices.view());
                        }
                        Form::Euclidean | Form::Diagonal(_) | Form::Local(_) => {}
                    }
                    start += m;
                }
                Ok(Form::LocalLinear { groups, matrices: concatenate(Axis(0), &stacks).map_err(shape)? })
            }
        }
    }

    /// Weights of each of `m` prototypes; none where there are matrices.
    fn weights(&self, m: usize) -> Array2<F> {
        match self {
            Form::Diagonal(weights) => Array2::from_shape_fn((m, weights.len()), |(_, f)| weights[f]),
            Form::Local(weights) => weights.clone(),
            Form::Euclidean | Form::Linear(_) | Form::LocalLinear { .. } => Array2::zeros((0, 0)),
        }
    }

    /// Distances to prototypes `p` as an operation of a plan.
    pub(crate) fn lower(&self, p: ArrayView2<F>, plan: &mut Plan) -> Op {
        let prototypes = plan.real("prototypes", p.shape(), p.iter().map(|v| v.f64()));
        let real = |values: &mut dyn Iterator<Item = F>| values.map(F::f64).collect::<Vec<_>>();
        let weights =
            |plan: &mut Plan, shape: &[usize], values: Vec<f64>| Some(plan.real("weights", shape, values));
        match self {
            Form::Euclidean => Op::Distance { prototypes, weights: None },
            Form::Diagonal(w) => {
                Op::Distance { prototypes, weights: weights(plan, &[w.len()], real(&mut w.iter().copied())) }
            }
            Form::Local(w) => {
                Op::Distance { prototypes, weights: weights(plan, w.shape(), real(&mut w.iter().copied())) }
            }
            Form::Linear(a) => {
                let shape = [1, a.nrows(), a.ncols()];
                let matrices = plan.real("matrices", &shape, real(&mut a.iter().copied()));
                Op::MatrixDistance { prototypes, matrices, ends: plan.whole("group-ends", &[p.nrows()]) }
            }
            Form::LocalLinear { groups, matrices } => {
                let ends: Vec<usize> = groups.iter().map(|g| g.end).collect();
                let matrices = plan.real("matrices", matrices.shape(), real(&mut matrices.iter().copied()));
                Op::MatrixDistance { prototypes, matrices, ends: plan.whole("group-ends", &ends) }
            }
        }
    }

    /// Its name in the list of metrics.
    pub fn kind(&self) -> MetricKind {
        match self {
            Form::Euclidean => MetricKind::Euclidean,
            Form::Diagonal(_) => MetricKind::Diagonal,
            Form::Linear(_) => MetricKind::Linear,
            Form::Local(_) => MetricKind::Local,
            Form::LocalLinear { .. } => MetricKind::LocalLinear,
        }
    }

    /// Refuses numbers that do not fit `m` prototypes of `dim` features.
    pub(crate) fn check(&self, m: usize, dim: usize) -> Result<()> {
        let fits = match self {
            Form::Euclidean => true,
            Form::Diagonal(weights) => weights.len() == dim,
            Form::Linear(a) => a.nrows() > 0 && a.ncols() == dim,
            Form::Local(weights) => weights.dim() == (m, dim),
            Form::LocalLinear { groups, matrices } => {
                let ends = groups.iter().map(|g| g.end);
                let starts = std::iter::once(0).chain(ends);
                matrices.len_of(Axis(0)) == groups.len()
                    && matrices.len_of(Axis(1)) > 0
                    && matrices.len_of(Axis(2)) == dim
                    && groups.iter().zip(starts).all(|(g, start)| g.start == start && g.end > start)
                    && groups.last().is_some_and(|g| g.end == m)
            }
        };
        if fits && self.values().all(|v| v.f64().is_finite()) {
            Ok(())
        } else {
            Err(Error::parts("metric", "prototypes"))
        }
    }

    /// All its numbers.
    pub(crate) fn values(&self) -> Box<dyn Iterator<Item = F> + '_> {
        match self {
            Form::Euclidean => Box::new(std::iter::empty()),
            Form::Diagonal(weights) => Box::new(weights.iter().copied()),
            Form::Linear(a) | Form::Local(a) => Box::new(a.iter().copied()),
            Form::LocalLinear { matrices, .. } => Box::new(matrices.iter().copied()),
        }
    }

    /// Numbers that prediction keeps: the metric, and the prototypes in the space where distances are taken.
    pub(crate) fn stored(&self, m: usize, dim: usize) -> usize {
        let image = match self {
            Form::Linear(a) => a.nrows(),
            Form::LocalLinear { matrices, .. } => matrices.len_of(Axis(1)),
            _ => dim,
        };
        m * image + self.values().count()
    }

    /// Share of each feature in the squared distance, by the trace of the metric; of local metrics the mean over
    /// prototypes or groups. None for the Euclidean one.
    pub fn relevance(&self) -> Option<Vec<f64>> {
        let rows: Vec<F> = self.values().collect();
        let dim = match self {
            Form::Euclidean => return None,
            Form::Diagonal(weights) => weights.len(),
            Form::Linear(a) | Form::Local(a) => a.ncols(),
            Form::LocalLinear { matrices, .. } => matrices.len_of(Axis(2)),
        };
        let mut sums = vec![0.0; dim];
        for row in rows.chunks_exact(dim) {
            sums.iter_mut().zip(row).for_each(|(s, v)| *s += v.f64() * v.f64());
        }
        let total: f64 = sums.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        sums.iter_mut().for_each(|s| *s /= total);
        Some(sums)
    }
}

fn placed<F: Float>(mut metric: Linear<F>, p: &[F]) -> Box<dyn Metric<F>> {
    metric.place(p);
    Box::new(metric)
}
