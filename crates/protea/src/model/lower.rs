//! A model as a plan, and the interpreter that every writer of plans is tested against.

use super::Model;
use super::decide::LEAST_DISTANCE;
use crate::plan::{ArrayId, Op, Plan, round, shifted};
use crate::represent::{Deskew, Hog, ImageSize, to_unit_length};
use crate::{Float, Result};
use ndarray::{Array2, ArrayViewMut2};

impl<F: Float> Model<F> {
    /// Prediction as a list of operations over named arrays; refuses models that decide by codes, which have no fixed length.
    pub fn plan(&self) -> Result<Plan> {
        let mut plan = Plan {
            precision: F::NAME,
            features: self.parts.features.clone(),
            classes: self.parts.classes.clone(),
            arrays: Vec::new(),
            ops: Vec::new(),
        };
        self.parts.pipeline.lower(&mut plan)?;
        let distance = self.parts.metric.lower(self.parts.prototypes.x.view(), &mut plan)?;
        plan.ops.push(distance);
        self.decider().lower(self.parts.gamma, &mut plan)?;
        Ok(plan)
    }
}

/// What a plan answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Index of the class.
    pub class: usize,
    /// Probability of each class.
    pub probabilities: Vec<f64>,
}

impl Plan {
    /// Answers for one row of features, by plain loops in `f64`; slow, and easy to compare with.
    ///
    /// # Panics
    /// When the row has another length than the plan has features.
    pub fn answer(&self, row: &[f64]) -> Answer {
        assert_eq!(row.len(), self.features.len(), "one number for each feature");
        let (mut v, mut class) = (row.to_vec(), 0);
        for op in &self.ops {
            match op {
                Op::Vote { k, labels } => class = vote(&v, self.wholes(*labels), self.classes.len(), *k),
                Op::Largest => class = largest(&v),
                other => v = self.apply(other, v),
            }
        }
        let most = v.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let shares: Vec<f64> = v.iter().map(|e| (e - most).exp()).collect();
        let total: f64 = shares.iter().sum();
        Answer { class, probabilities: shares.into_iter().map(|s| s / total).collect() }
    }

    /// The row after an operation that replaces it, by plain loops in `f64`.
    pub fn apply(&self, op: &Op, v: Vec<f64>) -> Vec<f64> {
        match *op {
            Op::Scale { centre, factor } => {
                let by = self.reals(centre).iter().zip(self.reals(factor));
                v.iter().zip(by).map(|(v, (c, f))| (v - c) * f).collect()
            }
            Op::Affine { centre, matrix, .. } => {
                let centred: Vec<f64> = v.iter().zip(self.reals(centre)).map(|(v, c)| v - c).collect();
                product(self.reals(matrix), &centred)
            }
            Op::PiecewiseLinear { edges, ends } => piecewise(&v, self.reals(edges), self.wholes(ends)),
            Op::SmoothClip { limit } => v.iter().map(|v| v / (1.0 + (v / limit).powi(2)).sqrt()).collect(),
            Op::Unit => image(v, |x| to_unit_length(x)),
            Op::Deskew { width, height, background } => {
                image(v, |x| Deskew { size: ImageSize { width, height }, background }.apply(x))
            }
            Op::Hog { width, height, side, block, bins } => {
                let row = Array2::from_shape_vec((1, v.len()), v).expect("one row");
                let hog = Hog { size: ImageSize { width, height }, side, block, bins };
                hog.apply(row.view()).into_raw_vec_and_offset().0
            }
            Op::Distance { prototypes, weights } => self.distances(&v, prototypes, weights),
            Op::MatrixDistance { prototypes, matrices, ends } => {
                self.matrix_distances(&v, prototypes, matrices, self.wholes(ends))
            }
            Op::Least { labels, ends, classes } => {
                mean_least(&v, self.wholes(labels), self.wholes(ends), classes)
            }
            Op::SoftLeast { labels, classes, gamma } => {
                let (labels, least) = (self.wholes(labels), least(&v, self.wholes(labels), classes));
                let mut sums = vec![0.0; classes];
                v.iter().zip(labels).for_each(|(d, &c)| sums[c] += (-gamma * (d - least[c])).exp());
                sums.iter().zip(least).map(|(s, d)| s.ln() - gamma * d).collect()
            }
            Op::Code { labels, learners, classes, sparse } => {
                code(&v, self.wholes(labels), self.wholes(learners), classes, sparse)
            }
            Op::Weigh { weights, biases } => {
                let by = self.reals(weights).iter().zip(self.reals(biases));
                v.iter().zip(by).map(|(v, (w, b))| -(w * v + b)).collect()
            }
            Op::Product { weights, biases } => {
                let sums = product(self.reals(weights), &v);
                sums.iter().zip(self.reals(biases)).map(|(s, b)| s + b).collect()
            }
            Op::InverseLog => v.iter().map(|v| -0.5 * v.max(f64::MIN_POSITIVE).ln()).collect(),
            Op::Multiply { by } => v.iter().map(|v| by * v).collect(),
            Op::Vote { .. } | Op::Largest => v,
            Op::Round { centre, factor, limit } => {
                let by = self.reals(centre).iter().zip(self.reals(factor));
                let whole = |(v, (c, f)): (&f64, (&f64, &f64))| round(*v as f32, *c as f32, *f as f32, limit);
                v.iter().zip(by).map(whole).map(f64::from).collect()
            }
            Op::RoundedAffine { matrix, shift, limit } => {
                let rows = self.roundeds(matrix).chunks_exact(v.len());
                let sum = |row: &[i32]| row.iter().zip(&v).map(|(&a, &v)| a * v as i32).sum();
                rows.map(|row| f64::from(shifted(sum(row), shift, limit))).collect()
            }
            Op::RoundedDistance { prototypes } => {
                let rows = self.roundeds(prototypes).chunks_exact(v.len());
                let square = |(&p, &v): (&i32, &f64)| (v as i32 - p) * (v as i32 - p);
                rows.map(|p| f64::from(p.iter().zip(&v).map(square).sum::<i32>())).collect()
            }
        }
    }

    fn distances(&self, v: &[f64], prototypes: ArrayId, weights: Option<ArrayId>) -> Vec<f64> {
        let rows = self.reals(prototypes).chunks_exact(v.len()).enumerate();
        let weights = weights.map(|w| self.reals(w));
        // One row of weights for all prototypes, or one for each.
        let weight = |j: usize, f: usize| weights.map_or(1.0, |w| w[(j * v.len() + f) % w.len()]);
        let distance = |(j, p): (usize, &[f64])| {
            p.iter().zip(v).enumerate().map(|(f, (p, v))| (weight(j, f) * (v - p)).powi(2)).sum()
        };
        rows.map(distance).collect()
    }

    fn matrix_distances(
        &self,
        v: &[f64],
        prototypes: ArrayId,
        matrices: ArrayId,
        ends: &[usize],
    ) -> Vec<f64> {
        let matrices = self.reals(matrices);
        let size = matrices.len() / ends.len();
        let distance = |(j, p): (usize, &[f64])| {
            let group = ends.partition_point(|&end| end <= j);
            let delta: Vec<f64> = v.iter().zip(p).map(|(v, p)| v - p).collect();
            product(&matrices[group * size..(group + 1) * size], &delta).iter().map(|v| v * v).sum()
        };
        self.reals(prototypes).chunks_exact(v.len()).enumerate().map(distance).collect()
    }
}

/// `A v` for a row-major matrix.
fn product(a: &[f64], v: &[f64]) -> Vec<f64> {
    a.chunks_exact(v.len()).map(|row| row.iter().zip(v).map(|(a, v)| a * v).sum()).collect()
}

/// Each value as its shares of the bins between its edges.
fn piecewise(v: &[f64], edges: &[f64], ends: &[usize]) -> Vec<f64> {
    let mut out = Vec::new();
    for (f, x) in v.iter().enumerate() {
        let own = &edges[f.checked_sub(1).map_or(0, |f| ends[f])..ends[f]];
        let share = |e: &[f64]| if e[1] > e[0] { ((x - e[0]) / (e[1] - e[0])).clamp(0.0, 1.0) } else { 0.0 };
        out.extend(own.windows(2).map(share));
    }
    out
}

/// A row changed in place.
fn image(mut v: Vec<f64>, change: impl Fn(ArrayViewMut2<f64>)) -> Vec<f64> {
    let n = v.len();
    change(ArrayViewMut2::from_shape((1, n), &mut v).expect("one row"));
    v
}

/// The mean over members of each class's least distance; a member's prototypes go up to its end.
fn mean_least(d: &[f64], labels: &[usize], ends: &[usize], classes: usize) -> Vec<f64> {
    let (mut sums, mut start) = (vec![0.0; classes], 0);
    for &end in ends {
        let least = least(&d[start..end], &labels[start..end], classes);
        sums.iter_mut().zip(least).for_each(|(s, d)| *s += d);
        start = end;
    }
    sums.iter().map(|s| s / ends.len() as f64).collect()
}

/// Smallest value of each class.
fn least(v: &[f64], labels: &[usize], classes: usize) -> Vec<f64> {
    let mut least = vec![f64::INFINITY; classes];
    v.iter().zip(labels).for_each(|(&d, &c)| least[c] = least[c].min(d));
    least
}

fn largest(v: &[f64]) -> usize {
    (1..v.len()).fold(0, |best, c| if v[c] > v[best] { c } else { best })
}

fn vote(v: &[f64], labels: &[usize], classes: usize, k: usize) -> usize {
    let mut order: Vec<usize> = (0..v.len()).collect();
    order.sort_by(|&a, &b| v[a].total_cmp(&v[b]).then(a.cmp(&b)));
    order.truncate(k);
    let mut votes = vec![0usize; classes];
    order.iter().for_each(|&j| votes[labels[j]] += 1);
    let most = votes.iter().copied().max().unwrap_or(0);
    order.iter().map(|&j| labels[j]).find(|&c| votes[c] == most).unwrap_or(0)
}

fn code(v: &[f64], labels: &[usize], learners: &[usize], classes: usize, sparse: bool) -> Vec<f64> {
    let n = learners.iter().max().map_or(0, |l| l + 1);
    let mut nearest = vec![f64::INFINITY; n * classes];
    for ((d, &c), &l) in v.iter().zip(labels).zip(learners) {
        nearest[l * classes + c] = nearest[l * classes + c].min(d + LEAST_DISTANCE);
    }
    if sparse {
        for of_learner in nearest.chunks_exact_mut(classes) {
            let winner =
                (1..classes).fold(0, |best, c| if of_learner[c] < of_learner[best] { c } else { best });
            (0..classes).filter(|&c| c != winner).for_each(|c| of_learner[c] = f64::INFINITY);
        }
    }
    let total: f64 = nearest.iter().filter(|d| d.is_finite()).sum();
    nearest.iter().map(|d| if d.is_finite() { d / total } else { 0.0 }).collect()
}
