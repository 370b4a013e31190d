//! Fewer operations for the same decisions.
//!
//! Scaling, linear maps and a metric that all prototypes share are one linear map, and prototypes can be mapped beforehand:
//! ```text
//! |A (F (v − c) − p)|² = |(A F)(v − c) − A p|²
//! ```
//! What is left before the distances is one `Scale` or one `Affine`, after steps that are not linear; and `Distance` without weights,
//! except for metrics that differ between prototypes.

use super::{ArrayId, Op, Plan, PlanArray};
use std::collections::BTreeMap;

/// `F (v − centre) − shift`, as far as the linear operations so far go.
struct Linear {
    centre: Vec<f64>,
    factor: Factor,
    shift: Vec<f64>,
}

enum Factor {
    /// One number for each feature.
    Diagonal(Vec<f64>),
    /// `r × features`, row-major.
    Matrix(Vec<f64>),
}

impl Linear {
    fn identity(dim: usize) -> Self {
        Linear { centre: vec![0.0; dim], factor: Factor::Diagonal(vec![1.0; dim]), shift: vec![0.0; dim] }
    }

    /// Takes a centre: in the units of the input where that is possible, since differences of large numbers lose digits later.
    fn subtract(&mut self, centre: &[f64]) {
        match &self.factor {
            Factor::Diagonal(f) => {
                for (k, (&c, &f)) in centre.iter().zip(f).enumerate() {
                    *(if f == 0.0 { &mut self.shift[k] } else { &mut self.centre[k] }) +=
                        if f == 0.0 { c } else { c / f };
                }
            }
            Factor::Matrix(_) => self.shift.iter_mut().zip(centre).for_each(|(s, c)| *s += c),
        }
    }

    /// `(… − centre) ∘ factor`.
    fn scale(&mut self, centre: &[f64], factor: &[f64]) {
        self.subtract(centre);
        let columns = self.centre.len();
        match &mut self.factor {
            Factor::Diagonal(f) => f.iter_mut().zip(factor).for_each(|(f, by)| *f *= by),
            Factor::Matrix(a) => {
                let rows = a.chunks_exact_mut(columns).zip(factor);
                rows.for_each(|(row, by)| row.iter_mut().for_each(|v| *v *= by));
            }
        }
        self.shift.iter_mut().zip(factor).for_each(|(s, f)| *s *= f);
    }

    /// `A (… − centre)`.
    fn multiply(&mut self, centre: &[f64], a: &[f64]) {
        self.subtract(centre);
        let (inner, columns) = (self.shift.len(), self.centre.len());
        self.shift = times(a, &self.shift);
        let rows = a.chunks_exact(inner);
        self.factor = Factor::Matrix(match &self.factor {
            Factor::Diagonal(f) => {
                rows.flat_map(|row| row.iter().zip(f).map(|(a, f)| a * f).collect::<Vec<_>>()).collect()
            }
            Factor::Matrix(b) => {
                let product = |row: &[f64]| -> Vec<f64> {
                    (0..columns).map(|f| (0..inner).map(|k| row[k] * b[k * columns + f]).sum()).collect()
                };
                rows.flat_map(product).collect()
            }
        });
    }

    /// Writes the map as operations; without its shift if the prototypes take that.
    fn flush(self, plan: &mut Plan, with_shift: bool) {
        let Linear { mut centre, factor, shift } = self;
        let dim = centre.len();
        let shifted = with_shift && shift.iter().any(|&s| s != 0.0);
        match factor {
            Factor::Diagonal(f) => {
                if shifted {
                    centre.iter_mut().zip(&shift).zip(&f).for_each(|((c, s), f)| *c += s / f);
                }
                if centre.iter().any(|&c| c != 0.0) || f.iter().any(|&f| f != 1.0) {
                    let (centre, factor) =
                        (plan.real("centre", &[dim], centre), plan.real("factor", &[dim], f));
                    plan.ops.push(Op::Scale { centre, factor });
                }
            }
            Factor::Matrix(a) => {
                let rows = shift.len();
                let centre = plan.real("centre", &[dim], centre);
                let matrix = plan.real("matrix", &[rows, dim], a);
                let inverse = plan.real("inverse", &[0, rows], []);
                plan.ops.push(Op::Affine { centre, matrix, inverse });
                if shifted {
                    let (centre, factor) =
                        (plan.real("centre", &[rows], shift), plan.real("factor", &[rows], vec![1.0; rows]));
                    plan.ops.push(Op::Scale { centre, factor });
                }
            }
        }
    }
}

/// `A v` for a row-major matrix.
fn times(a: &[f64], v: &[f64]) -> Vec<f64> {
    a.chunks_exact(v.len()).map(|row| row.iter().zip(v).map(|(a, v)| a * v).sum()).collect()
}

impl Plan {
    /// The same decisions with linear operations folded into one, and a metric that all prototypes share folded into it and into
    /// the prototypes. Differs from this plan by rounding; cannot show prototypes in the units of the input.
    pub fn folded(&self) -> Plan {
        let mut plan = Plan { arrays: Vec::new(), ops: Vec::new(), ..self.clone() };
        let mut copied = BTreeMap::new();
        let mut linear: Option<Linear> = None;
        let mut dim = self.features.len();
        for op in &self.ops {
            let pending = |linear: Option<Linear>| linear.unwrap_or_else(|| Linear::identity(dim));
            match *op {
                Op::Scale { centre, factor } => {
                    let mut map = pending(linear);
                    map.scale(self.reals(centre), self.reals(factor));
                    linear = Some(map);
                }
                Op::Affine { centre, matrix, .. } => {
                    let mut map = pending(linear);
                    map.multiply(self.reals(centre), self.reals(matrix));
                    dim = map.shift.len();
                    linear = Some(map);
                }
                Op::Distance { .. } | Op::MatrixDistance { .. } => {
                    self.fold_distance(op, pending(linear.take()), &mut plan, &mut copied);
                }
                ref other => {
                    if let Some(map) = linear.take() {
                        map.flush(&mut plan, true);
                    }
                    dim = self.row_after(other, dim);
                    plan.copy(self, other, &mut copied);
                }
            }
        }
        plan
    }

    /// Writes what is pending and the distances.
    fn fold_distance(
        &self,
        op: &Op,
        mut map: Linear,
        plan: &mut Plan,
        copied: &mut BTreeMap<usize, ArrayId>,
    ) {
        let dim = map.shift.len();
        let shared = match *op {
            Op::Distance { prototypes, weights: None } => Some(self.reals(prototypes).to_vec()),
            Op::Distance { prototypes, weights: Some(w) } if self.reals(w).len() == dim => {
                let w = self.reals(w);
                map.scale(&vec![0.0; dim], w);
                let p = self.reals(prototypes).iter().zip(w.iter().cycle());
                Some(p.map(|(p, w)| p * w).collect())
            }
            Op::MatrixDistance { prototypes, matrices, ends }
                if self.wholes(ends).len() == 1 && self.reals(matrices).len() <= dim * dim =>
            {
                let a = self.reals(matrices);
                map.multiply(&vec![0.0; dim], a);
                Some(self.reals(prototypes).chunks_exact(dim).flat_map(|p| times(a, p)).collect())
            }
            _ => None,
        };
        let Some(mut prototypes) = shared else {
            map.flush(plan, true);
            return plan.copy(self, op, copied);
        };
        let width = map.shift.len();
        for row in prototypes.chunks_exact_mut(width) {
            row.iter_mut().zip(&map.shift).for_each(|(p, s)| *p += s);
        }
        map.flush(plan, false);
        let shape = [prototypes.len() / width, width];
        let prototypes = plan.real("prototypes", &shape, prototypes);
        plan.ops.push(Op::Distance { prototypes, weights: None });
    }

    /// Length of the row after an operation that finds one of `dim` numbers.
    pub(crate) fn row_after(&self, op: &Op, dim: usize) -> usize {
        match *op {
            Op::Affine { matrix, .. } | Op::RoundedAffine { matrix, .. } => self.shape(matrix)[0],
            Op::Hog { width, height, side, block, bins } => {
                (width / side + 1 - block) * (height / side + 1 - block) * block * block * bins
            }
            Op::Distance { prototypes, .. }
            | Op::MatrixDistance { prototypes, .. }
            | Op::RoundedDistance { prototypes } => self.shape(prototypes)[0],
            Op::Least { classes, .. } | Op::SoftLeast { classes, .. } => classes,
            Op::Code { learners, classes, .. } => {
                self.wholes(learners).iter().max().map_or(0, |l| l + 1) * classes
            }
            Op::Product { biases, .. } => self.shape(biases)[0],
            Op::PiecewiseLinear { edges, ends } => self.shape(edges)[0] - self.shape(ends)[0],
            Op::Scale { .. } | Op::SmoothClip { .. } | Op::Unit | Op::Deskew { .. } | Op::Round { .. } => dim,
            Op::Vote { .. } | Op::Largest | Op::Weigh { .. } | Op::InverseLog | Op::Multiply { .. } => dim,
        }
    }

    /// Adds an operation of another plan with the arrays that it reads.
    pub(super) fn copy(&mut self, from: &Plan, op: &Op, copied: &mut BTreeMap<usize, ArrayId>) {
        let mut op = op.clone();
        for id in op.arrays_mut() {
            let PlanArray { name, shape, values } = &from.arrays[id.0];
            let name = name.split('.').next().unwrap_or_default();
            *id = *copied.entry(id.0).or_insert_with(|| self.array(name, shape, values.clone()));
        }
        self.ops.push(op);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A feature of 1000 ± 1 is centred before it is multiplied, not after: `(v − 1000) · 5 · 2`.
    #[test]
    fn centres_stay_in_the_units_of_the_input() {
        let mut plan = Plan {
            precision: "f32",
            features: vec!["a".into()],
            classes: vec![],
            arrays: vec![],
            ops: vec![],
        };
        for (c, f) in [(1000.0, 5.0), (0.5, 2.0)] {
            let (centre, factor) = (plan.real("centre", &[1], [c]), plan.real("factor", &[1], [f]));
            plan.ops.push(Op::Scale { centre, factor });
        }
        let prototypes = plan.real("prototypes", &[1, 1], [3.0]);
        plan.ops.push(Op::Distance { prototypes, weights: None });
        let folded = plan.folded();
        let [Op::Scale { centre, factor }, Op::Distance { prototypes, .. }] = folded.ops[..] else {
            panic!("{folded:?}")
        };
        assert_eq!(
            (folded.reals(centre), folded.reals(factor), folded.reals(prototypes)),
            (&[1000.1][..], &[10.0][..], &[3.0][..])
        );
    }
}
