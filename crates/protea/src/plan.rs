//! A model as a list of operations over named arrays: what the page of a report, exports and interpreters read.
//!
//! A plan works on one row of numbers, the features of a sample. Each operation replaces the row; [`Op::Vote`] and [`Op::Largest`]
//! only read it, and name the class. What is left at the end is the evidence for each class, in logarithms of probabilities.
//!
//! ```text
//! features ─ Scale, Affine, PiecewiseLinear, Hog … ─> sample ─ Distance, MatrixDistance ─> distances ─ Least, Code … ─> evidence
//! ```
//!
//! [`Plan::folded`] writes the same with fewer operations, and [`Plan::quantized`] with whole numbers.

mod fold;
mod quantize;

pub use quantize::Bits;
pub(crate) use quantize::{round, shifted};

use serde::Serialize;

/// Which array of the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ArrayId(pub usize);

/// A named array of numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanArray {
    /// What it holds.
    pub name: String,
    /// Its extents, row-major.
    pub shape: Vec<usize>,
    /// Its values.
    pub values: Numbers,
}

/// Values of an array.
#[derive(Debug, Clone, PartialEq)]
pub enum Numbers {
    /// Numbers of the model's element type, widened.
    Real(Vec<f64>),
    /// Counts, places and classes.
    Whole(Vec<usize>),
    /// Rounded numbers of a quantised plan, each of 8 or 16 bits.
    Rounded(Bits, Vec<i32>),
}

/// One operation. `v` is the row that it finds, `out` the one that it leaves.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub enum Op {
    /// `out_f = (v_f − centre_f) factor_f`.
    Scale {
        /// One number for each feature.
        centre: ArrayId,
        /// One number for each feature.
        factor: ArrayId,
    },
    /// `out = A (v − centre)`.
    Affine {
        /// One number for each feature.
        centre: ArrayId,
        /// `A`, `r × features`.
        matrix: ArrayId,
        /// The pseudo-inverse of `A`, to show a result in the units of the input.
        inverse: ArrayId,
    },
    /// Feature `f` with the edges `e_0 … e_B` becomes `min(max((v_f − e_b) / (e_{b+1} − e_b), 0), 1)` for `b = 0 … B − 1`;
    /// zero where two edges are equal.
    PiecewiseLinear {
        /// Edges of all features, one after the other.
        edges: ArrayId,
        /// Where the edges of each feature end.
        ends: ArrayId,
    },
    /// `out_f = v_f / √(1 + (v_f / limit)²)`.
    SmoothClip {
        /// What no value exceeds.
        limit: f64,
    },
    /// `out = v / |v|`; zeros stay.
    Unit,
    /// Straightens a slanted image by its moments; see [`Deskew`](crate::represent::Deskew).
    Deskew {
        /// Pixels in a row.
        width: usize,
        /// Rows.
        height: usize,
        /// Value of empty pixels.
        background: f64,
    },
    /// Histograms of the directions of an image's edges; see [`Hog`](crate::represent::Hog).
    Hog {
        /// Pixels in a row.
        width: usize,
        /// Rows.
        height: usize,
        /// Pixels of a cell's side.
        side: usize,
        /// Cells of a block's side.
        block: usize,
        /// Directions.
        bins: usize,
    },
    /// `out_j = Σ_f w_f² (v_f − p_jf)²`.
    Distance {
        /// `p`, `m × features`.
        prototypes: ArrayId,
        /// `w`: one for each feature, or for each prototype and feature; none is 1.
        weights: Option<ArrayId>,
    },
    /// `out_j = |A_g (v − p_j)|²` for prototype `j` of group `g`.
    MatrixDistance {
        /// `p`, `m × features`.
        prototypes: ArrayId,
        /// `A`, `groups × r × features`.
        matrices: ArrayId,
        /// Where the prototypes of each group end.
        ends: ArrayId,
    },
    /// The class with most votes among the `k` smallest of `v`; ties go to the class of the nearest, then to the lowest index.
    Vote {
        /// How many vote.
        k: usize,
        /// Class of each prototype.
        labels: ArrayId,
    },
    /// The class with the largest `v`, ties to the first.
    Largest,
    /// `out_c`: the smallest `v_j` of class `c`, as a mean over members; +∞ for a class without prototypes.
    Least {
        /// Class of each prototype.
        labels: ArrayId,
        /// Where the prototypes of each member end.
        ends: ArrayId,
        /// Number of classes.
        classes: usize,
    },
    /// `out_c = ln Σ_{j of c} exp(−γ v_j)`.
    SoftLeast {
        /// Class of each prototype.
        labels: ArrayId,
        /// Number of classes.
        classes: usize,
        /// Inverse temperature.
        gamma: f64,
    },
    /// The distance to the nearest prototype of each learner and class as a share of their sum, at `learner · classes + class`.
    Code {
        /// Class of each prototype.
        labels: ArrayId,
        /// Learner of each prototype.
        learners: ArrayId,
        /// Number of classes.
        classes: usize,
        /// Only the nearest class of each learner has a share.
        sparse: bool,
    },
    /// `out_c = −(w_c v_c + b_c)`.
    Weigh {
        /// One number for each class.
        weights: ArrayId,
        /// One number for each class.
        biases: ArrayId,
    },
    /// `out = W v + b`.
    Product {
        /// `W`, `classes × length of v`.
        weights: ArrayId,
        /// One number for each class.
        biases: ArrayId,
    },
    /// `out_c = −½ ln max(v_c, smallest positive number)`.
    InverseLog,
    /// `out = factor · v`.
    Multiply {
        /// What everything is multiplied by.
        by: f64,
    },
    /// `out_f = (v_f − centre_f) factor_f`, rounded to the nearest whole number within ±limit; in `f32`, ties away from zero.
    Round {
        /// One number for each feature.
        centre: ArrayId,
        /// One number for each feature.
        factor: ArrayId,
        /// The largest result.
        limit: i32,
    },
    /// `out = A v / 2^shift` in whole numbers, rounded to the nearest within ±limit, ties away from zero.
    RoundedAffine {
        /// `A`, `r × features`.
        matrix: ArrayId,
        /// The power of two to divide by.
        shift: u32,
        /// The largest result.
        limit: i32,
    },
    /// `out_j = Σ_f (v_f − p_jf)²` in whole numbers of 32 bits.
    RoundedDistance {
        /// `p`, `m × features`.
        prototypes: ArrayId,
    },
}

impl Op {
    /// The operation in words, for sentences such as "this model has edges of images".
    pub fn describe(&self) -> &'static str {
        match self {
            Op::Scale { .. } => "scaling",
            Op::Affine { .. } => "a linear map",
            Op::PiecewiseLinear { .. } => "piecewise-linear encoding of features",
            Op::SmoothClip { .. } => "smooth clipping",
            Op::Unit => "scaling to length 1",
            Op::Deskew { .. } => "deskewing of images",
            Op::Hog { .. } => "edges of images (hog)",
            Op::Distance { weights: None, .. } => "distances",
            Op::Distance { .. } => "weighted distances",
            Op::MatrixDistance { .. } => "distances under a matrix",
            Op::Vote { .. } => "votes of the nearest prototypes",
            Op::Largest => "a decision by the largest score",
            Op::Least { .. } => "distances to classes",
            Op::SoftLeast { .. } => "soft distances to classes",
            Op::Code { .. } => "codes over an ensemble of learners",
            Op::Weigh { .. } => "scores with a weight and a bias for each class",
            Op::Product { .. } => "scores over an ensemble of learners",
            Op::InverseLog => "probabilities by inverse distances",
            Op::Multiply { .. } => "a temperature",
            Op::Round { .. } => "rounding",
            Op::RoundedAffine { .. } => "a linear map in whole numbers",
            Op::RoundedDistance { .. } => "distances in whole numbers",
        }
    }

    /// The arrays that it reads.
    fn arrays_mut(&mut self) -> Vec<&mut ArrayId> {
        match self {
            Op::Scale { centre, factor } | Op::Round { centre, factor, .. } => vec![centre, factor],
            Op::Affine { centre, matrix, inverse } => vec![centre, matrix, inverse],
            Op::Distance { prototypes, weights } => std::iter::once(prototypes).chain(weights).collect(),
            Op::MatrixDistance { prototypes, matrices, ends } => vec![prototypes, matrices, ends],
            Op::Vote { labels, .. } | Op::SoftLeast { labels, .. } => vec![labels],
            Op::Least { labels, ends, .. } => vec![labels, ends],
            Op::Code { labels, learners, .. } => vec![labels, learners],
            Op::Weigh { weights, biases } | Op::Product { weights, biases } => vec![weights, biases],
            Op::RoundedAffine { matrix, .. } => vec![matrix],
            Op::RoundedDistance { prototypes } => vec![prototypes],
            Op::PiecewiseLinear { edges, ends } => vec![edges, ends],
            Op::SmoothClip { .. } | Op::Unit | Op::Deskew { .. } | Op::Hog { .. } => vec![],
            Op::Largest | Op::InverseLog | Op::Multiply { .. } => vec![],
        }
    }
}

/// A model's prediction as operations.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// `f32` or `f64`: what the model computes with.
    pub precision: &'static str,
    /// Names of the features, in the order of the row.
    pub features: Vec<String>,
    /// Names of the classes.
    pub classes: Vec<String>,
    /// The arrays.
    pub arrays: Vec<PlanArray>,
    /// What is done, in order.
    pub ops: Vec<Op>,
}

impl Plan {
    /// Adds an array of real numbers.
    pub fn real(&mut self, name: &str, shape: &[usize], values: impl IntoIterator<Item = f64>) -> ArrayId {
        self.array(name, shape, Numbers::Real(values.into_iter().collect()))
    }

    /// Adds a list of whole numbers.
    pub fn whole(&mut self, name: &str, values: &[usize]) -> ArrayId {
        self.array(name, &[values.len()], Numbers::Whole(values.to_vec()))
    }

    /// Adds an array of rounded numbers.
    pub(crate) fn rounded(&mut self, name: &str, shape: &[usize], bits: Bits, values: Vec<i32>) -> ArrayId {
        self.array(name, shape, Numbers::Rounded(bits, values))
    }

    fn array(&mut self, name: &str, shape: &[usize], values: Numbers) -> ArrayId {
        let used = self.arrays.iter().filter(|a| a.name.split('.').next() == Some(name)).count();
        let name = if used == 0 { name.to_string() } else { format!("{name}.{used}") };
        self.arrays.push(PlanArray { name, shape: shape.to_vec(), values });
        ArrayId(self.arrays.len() - 1)
    }

    /// Real numbers of an array; none of those that hold others.
    pub fn reals(&self, id: ArrayId) -> &[f64] {
        match &self.arrays[id.0].values {
            Numbers::Real(values) => values,
            _ => &[],
        }
    }

    /// Whole numbers of an array; none of those that hold others.
    pub fn wholes(&self, id: ArrayId) -> &[usize] {
        match &self.arrays[id.0].values {
            Numbers::Whole(values) => values,
            _ => &[],
        }
    }

    /// Rounded numbers of an array; none of those that hold others.
    pub fn roundeds(&self, id: ArrayId) -> &[i32] {
        match &self.arrays[id.0].values {
            Numbers::Rounded(_, values) => values,
            _ => &[],
        }
    }

    /// Extents of an array.
    pub fn shape(&self, id: ArrayId) -> &[usize] {
        &self.arrays[id.0].shape
    }
}
