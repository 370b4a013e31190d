//! What a plan says about borders: prototypes pulled back to the input, and norms of what lies between.

use super::Norm;
use crate::kernel::eigh;
use crate::kernel::parallel::*;
use crate::plan::{Op, Plan};
use crate::{Error, Result};
use ndarray::Array2;
use std::ops::Range;

/// More prototypes than this have no table of all pairs; bounds then look at the nearest prototype of the class answered.
const TABLE: usize = 4096;

/// How distances become a class.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Decision {
    /// The classes of the `k` nearest vote.
    Vote(usize),
    /// The largest sum of `exp(−γ d)`.
    Soft(f64),
    /// The smallest `w_c · (mean over members of the smallest distance to c) + b_c`.
    Scores {
        weights: Vec<f64>,
        biases: Vec<f64>,
        /// Member of each prototype, and how many there are.
        member: Vec<usize>,
        members: usize,
    },
}

/// Prototypes, in the order of their classes, as borders see them.
#[derive(Debug, Clone)]
pub(super) struct Geometry {
    pub norm: Norm,
    /// Number of each prototype in the model.
    pub order: Vec<usize>,
    /// Class of each prototype.
    pub labels: Vec<usize>,
    /// Prototypes of each class.
    pub of_class: Vec<Range<usize>>,
    pub decision: Decision,
    /// `P_j = TᵀT p_j`, in the space of the input.
    pulled: Array2<f64>,
    /// Which metric each prototype has.
    metric: Vec<usize>,
    /// Norm of `T_j` from the norm of the input to ℓ2.
    pub reach: Vec<f64>,
    /// `1 / (2 ‖P_j − P_i‖_q)` for all pairs, where there are not too many.
    inverse: Option<Array2<f64>>,
}

impl Geometry {
    /// Reads a plan; refuses operations without a sound bound.
    pub fn new(plan: &Plan, norm: Norm) -> Result<Self> {
        let (map, metric, rest) = read(plan)?;
        let (labels, decision) = decision(plan, rest)?;
        let mut order: Vec<usize> = (0..labels.len()).collect();
        order.sort_by_key(|&j| labels[j]);
        let sorted: Vec<usize> = order.iter().map(|&j| labels[j]).collect();
        let of_class = (0..plan.classes.len())
            .map(|c| sorted.partition_point(|&l| l < c)..sorted.partition_point(|&l| l <= c))
            .collect();
        let decision = match decision {
            Decision::Scores { weights, biases, member, members } => {
                let member = order.iter().map(|&j| member[j]).collect();
                Decision::Scores { weights, biases, member, members }
            }
            other => other,
        };
        let (pulled, group) = metric.pulled(&map, &order);
        let reach = metric.reaches(&map, norm)?;
        let mut geometry = Geometry {
            norm,
            labels: sorted,
            of_class,
            decision,
            pulled,
            reach: order.iter().map(|&j| reach[metric.group(j)]).collect(),
            metric: group,
            order,
            inverse: None,
        };
        geometry.inverse = geometry.table();
        if matches!(geometry.decision, Decision::Soft(_)) && !geometry.one_metric() {
            return Err(Error::unsupported(
                "soft decisions of prototypes with different metrics have no certificate; decide by the nearest prototype",
            ));
        }
        Ok(geometry)
    }

    fn table(&self) -> Option<Array2<f64>> {
        let m = self.labels.len();
        if m > TABLE {
            return None;
        }
        let rows: Vec<Vec<f64>> =
            (0..m).into_par_iter().map(|j| (0..m).map(|i| self.inverse_now(j, i)).collect()).collect();
        Some(Array2::from_shape_fn((m, m), |(j, i)| rows[j][i]))
    }

    /// Whether all prototypes have the same metric.
    pub fn one_metric(&self) -> bool {
        self.metric.iter().all(|&g| g == self.metric[0])
    }

    /// Whether two prototypes have the same metric, so that their border is a hyperplane.
    pub fn same_metric(&self, i: usize, j: usize) -> bool {
        self.metric[i] == self.metric[j]
    }

    /// Whether a table of all pairs exists.
    pub fn has_table(&self) -> bool {
        self.inverse.is_some()
    }

    /// `1 / (2 ‖P_j − P_i‖_q)`; infinite for prototypes that coincide.
    pub fn inverse(&self, j: usize, i: usize) -> f64 {
        match &self.inverse {
            Some(table) => table[[j, i]],
            None => self.inverse_now(j, i),
        }
    }

    /// The row of [`inverse`](Self::inverse) of one prototype to some others.
    pub fn inverses(&self, j: usize, of: Range<usize>) -> Option<&[f64]> {
        let row = self.inverse.as_ref()?.row(j).to_slice()?;
        Some(&row[of])
    }

    fn inverse_now(&self, j: usize, i: usize) -> f64 {
        if i == j || !self.same_metric(i, j) {
            return 0.0;
        }
        let between = self.between(j, i);
        0.5 / self.norm.dual().of(&between)
    }

    /// `P_j − P_i`: across the border, half of the change of `d_j − d_i` for each unit of the input, with the sign turned.
    pub fn between(&self, j: usize, i: usize) -> Vec<f64> {
        self.pulled.row(j).iter().zip(self.pulled.row(i)).map(|(j, i)| j - i).collect()
    }

    /// Number of features of the input.
    pub fn features(&self) -> usize {
        self.pulled.ncols()
    }

    /// Refuses what has no exact radius.
    pub fn check_exact(&self) -> Result<()> {
        let one = match &self.decision {
            Decision::Vote(k) => *k == 1,
            Decision::Scores { weights, members, .. } => {
                *members == 1 && weights.iter().all(|w| *w == weights[0])
            }
            Decision::Soft(_) => false,
        };
        let why = match (self.norm, one, self.one_metric(), self.has_table()) {
            (Norm::L1 | Norm::Linf, ..) => {
                "radii in l1 and linf have no exact bound; use the half-space bound"
            }
            (_, false, ..) => {
                "only the nearest prototype of one model has an exact radius; use the half-space bound"
            }
            (_, _, false, _) => {
                "prototypes with metrics of their own have no exact radius; use the half-space bound"
            }
            (.., false) => "so many prototypes have no exact radius; use the half-space bound",
            _ => return Ok(()),
        };
        Err(Error::unsupported(why))
    }
}

/// The linear part of preprocessing.
enum Map {
    Diagonal(Vec<f64>),
    Matrix(Array2<f64>),
}

impl Map {
    fn scaled(self, factor: &[f64]) -> Map {
        match self {
            Map::Diagonal(mut d) => {
                d.iter_mut().zip(factor).for_each(|(d, f)| *d *= f);
                Map::Diagonal(d)
            }
            Map::Matrix(mut m) => {
                m.rows_mut().into_iter().zip(factor).for_each(|(mut row, f)| row.mapv_inplace(|v| v * f));
                Map::Matrix(m)
            }
        }
    }

    fn then(self, a: Array2<f64>) -> Map {
        Map::Matrix(match self {
            Map::Diagonal(d) => Array2::from_shape_fn(a.dim(), |(r, f)| a[[r, f]] * d[f]),
            Map::Matrix(m) => a.dot(&m),
        })
    }

    /// `Mᵀ v`.
    fn pull(&self, v: &[f64]) -> Vec<f64> {
        match self {
            Map::Diagonal(d) => d.iter().zip(v).map(|(d, v)| d * v).collect(),
            Map::Matrix(m) => {
                m.columns().into_iter().map(|c| c.iter().zip(v).map(|(c, v)| c * v).sum()).collect()
            }
        }
    }
}

/// A metric of the plan: prototypes, and what stands between them and a sample.
struct Metric<'a> {
    prototypes: &'a [f64],
    dim: usize,
    kind: Kind<'a>,
}

enum Kind<'a> {
    /// One row of weights for all prototypes; none is 1.
    Weights(Option<&'a [f64]>),
    /// A row of weights for each prototype.
    Local(&'a [f64]),
    /// A matrix for each group of prototypes.
    Matrices { matrices: &'a [f64], rank: usize, ends: &'a [usize] },
}

impl Metric<'_> {
    /// Which metric prototype `j` has.
    fn group(&self, j: usize) -> usize {
        match &self.kind {
            Kind::Weights(_) => 0,
            Kind::Local(_) => j,
            Kind::Matrices { ends, .. } => ends.partition_point(|&end| end <= j),
        }
    }

    fn groups(&self) -> usize {
        match &self.kind {
            Kind::Weights(_) => 1,
            Kind::Local(w) => w.len() / self.dim,
            Kind::Matrices { ends, .. } => ends.len(),
        }
    }

    /// `Λ v` of a group.
    fn times(&self, group: usize, v: &[f64]) -> Vec<f64> {
        let weighted = |w: &[f64]| v.iter().zip(w).map(|(v, w)| v * w * w).collect();
        match &self.kind {
            Kind::Weights(None) => v.to_vec(),
            Kind::Weights(Some(w)) => weighted(w),
            Kind::Local(w) => weighted(&w[group * self.dim..(group + 1) * self.dim]),
            Kind::Matrices { .. } => {
                let a = self.matrix(group);
                let image: Vec<f64> =
                    a.rows().into_iter().map(|r| r.iter().zip(v).map(|(a, v)| a * v).sum()).collect();
                a.columns().into_iter().map(|c| c.iter().zip(&image).map(|(a, v)| a * v).sum()).collect()
            }
        }
    }

    /// `A` of a group as a matrix.
    fn matrix(&self, group: usize) -> Array2<f64> {
        let diagonal =
            |w: &[f64]| Array2::from_shape_fn((w.len(), w.len()), |(i, j)| if i == j { w[i] } else { 0.0 });
        match &self.kind {
            Kind::Weights(None) => Array2::eye(self.dim),
            Kind::Weights(Some(w)) => diagonal(w),
            Kind::Local(w) => diagonal(&w[group * self.dim..(group + 1) * self.dim]),
            Kind::Matrices { matrices, rank, .. } => {
                let size = rank * self.dim;
                Array2::from_shape_fn((*rank, self.dim), |(r, f)| matrices[group * size + r * self.dim + f])
            }
        }
    }

    /// Prototypes pulled back to the input, and the metric of each.
    fn pulled(&self, map: &Map, order: &[usize]) -> (Array2<f64>, Vec<usize>) {
        let group: Vec<usize> = order.iter().map(|&j| self.group(j)).collect();
        let rows: Vec<Vec<f64>> = (order.par_iter())
            .map(|&j| {
                map.pull(&self.times(self.group(j), &self.prototypes[j * self.dim..(j + 1) * self.dim]))
            })
            .collect();
        let features = rows.first().map_or(0, Vec::len);
        (Array2::from_shape_fn((rows.len(), features), |(j, f)| rows[j][f]), group)
    }

    /// Norm of `T = A M` of each group, from the norm of the input to ℓ2; from above where it has no closed form.
    fn reaches(&self, map: &Map, norm: Norm) -> Result<Vec<f64>> {
        let reach = |group: usize| -> Result<f64> {
            if let (Map::Diagonal(d), Kind::Weights(_) | Kind::Local(_)) = (map, &self.kind) {
                let weight = |f: usize| match &self.kind {
                    Kind::Weights(Some(w)) => w[f],
                    Kind::Local(w) => w[group * self.dim + f],
                    _ => 1.0,
                };
                let t: Vec<f64> = d.iter().enumerate().map(|(f, d)| d * weight(f)).collect();
                // Every corner of the cube has the same length under a diagonal map.
                return Ok(if norm == Norm::Linf { Norm::L2.of(&t) } else { Norm::Linf.of(&t) });
            }
            let a = self.matrix(group);
            let t = match map {
                Map::Diagonal(d) => Array2::from_shape_fn(a.dim(), |(r, f)| a[[r, f]] * d[f]),
                Map::Matrix(m) => a.dot(m),
            };
            operator_norm(&t, norm)
        };
        (0..self.groups()).into_par_iter().map(reach).collect()
    }
}

/// `max ‖T e‖₂` over `‖e‖ ≤ 1`; for ℓ∞ a bound from above.
fn operator_norm(t: &Array2<f64>, norm: Norm) -> Result<f64> {
    let spectral = || -> Result<f64> {
        let gram = if t.nrows() <= t.ncols() { t.dot(&t.t()) } else { t.t().dot(t) };
        Ok(eigh(&gram)?.0[0].max(0.0).sqrt())
    };
    match norm {
        Norm::L1 => Ok(t.columns().into_iter().map(|c| Norm::L2.of(&c.to_vec())).fold(0.0, f64::max)),
        Norm::L2 => spectral(),
        Norm::Linf => {
            let rows: Vec<f64> = t.rows().into_iter().map(|r| r.iter().map(|v| v.abs()).sum()).collect();
            Ok(Norm::L2.of(&rows).min((t.ncols() as f64).sqrt() * spectral()?))
        }
    }
}

/// Preprocessing, metric and the operations that decide.
fn read(plan: &Plan) -> Result<(Map, Metric<'_>, &[Op])> {
    let mut map = Map::Diagonal(vec![1.0; plan.features.len()]);
    for (n, op) in plan.ops.iter().enumerate() {
        let rest = &plan.ops[n + 1..];
        match *op {
            Op::Scale { factor, .. } => map = map.scaled(plan.reals(factor)),
            Op::Affine { matrix, .. } => {
                let shape = &plan.arrays[matrix.0].shape;
                let values = plan.reals(matrix);
                map =
                    map.then(Array2::from_shape_fn((shape[0], shape[1]), |(r, f)| values[r * shape[1] + f]));
            }
            Op::Distance { prototypes, weights } => {
                let (p, dim) = (plan.reals(prototypes), plan.arrays[prototypes.0].shape[1]);
                let kind = match weights.map(|w| plan.reals(w)) {
                    Some(w) if w.len() > dim => Kind::Local(w),
                    weights => Kind::Weights(weights),
                };
                return Ok((map, Metric { prototypes: p, dim, kind }, rest));
            }
            Op::MatrixDistance { prototypes, matrices, ends } => {
                let (p, dim) = (plan.reals(prototypes), plan.arrays[prototypes.0].shape[1]);
                let rank = plan.arrays[matrices.0].shape[1];
                let kind = Kind::Matrices { matrices: plan.reals(matrices), rank, ends: plan.wholes(ends) };
                return Ok((map, Metric { prototypes: p, dim, kind }, rest));
            }
            _ => {
                return Err(Error::unsupported(
                    "certificates need preprocessing that is linear; this model changes samples in another way",
                ));
            }
        }
    }
    Err(Error::unsupported("the model takes no distances"))
}

/// Class of each prototype, and how a class is decided.
fn decision(plan: &Plan, rest: &[Op]) -> Result<(Vec<usize>, Decision)> {
    let codes = || Error::unsupported("an ensemble that decides by codes of its learners has no certificate");
    let classes = plan.classes.len();
    match *rest {
        [Op::Vote { k, labels }, ..] => Ok((plan.wholes(labels).to_vec(), Decision::Vote(k))),
        [Op::SoftLeast { labels, gamma, .. }, ..] => {
            Ok((plan.wholes(labels).to_vec(), Decision::Soft(gamma)))
        }
        [Op::Least { labels, ends, .. }, ref next, ..] => {
            let labels = plan.wholes(labels).to_vec();
            let ends = plan.wholes(ends);
            let (weights, biases) = match *next {
                Op::Weigh { weights, biases } => (plan.reals(weights).to_vec(), plan.reals(biases).to_vec()),
                _ => (vec![1.0; classes], vec![0.0; classes]),
            };
            if weights.iter().any(|w| *w < 0.0) {
                return Err(Error::unsupported(
                    "scores with a negative weight of a class have no certificate",
                ));
            }
            let member = (0..labels.len()).map(|j| ends.partition_point(|&end| end <= j)).collect();
            Ok((labels, Decision::Scores { weights, biases, member, members: ends.len() }))
        }
        _ => Err(codes()),
    }
}
