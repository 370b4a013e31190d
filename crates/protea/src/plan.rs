//! A model as a list of operations over named arrays: what the page of a report, exports and interpreters read.
//!
//! A plan works on one row of numbers, the features of a sample. Each operation replaces the row; [`Op::Vote`] and [`Op::Largest`]
//! only read it, and name the class. What is left at the end is the evidence for each class, in logarithms of probabilities.
//!
//! ```text
//! features ─ Scale, Affine, Unit, Deskew, Hog ─> sample ─ Distance, MatrixDistance ─> distances ─ Least, Code … ─> evidence
//! ```

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

    fn array(&mut self, name: &str, shape: &[usize], values: Numbers) -> ArrayId {
        let used = self.arrays.iter().filter(|a| a.name.split('.').next() == Some(name)).count();
        let name = if used == 0 { name.to_string() } else { format!("{name}.{used}") };
        self.arrays.push(PlanArray { name, shape: shape.to_vec(), values });
        ArrayId(self.arrays.len() - 1)
    }

    /// Real numbers of an array; none of those that hold whole ones.
    pub fn reals(&self, id: ArrayId) -> &[f64] {
        match &self.arrays[id.0].values {
            Numbers::Real(values) => values,
            Numbers::Whole(_) => &[],
        }
    }

    /// Whole numbers of an array; none of those that hold real ones.
    pub fn wholes(&self, id: ArrayId) -> &[usize] {
        match &self.arrays[id.0].values {
            Numbers::Whole(values) => values,
            Numbers::Real(_) => &[],
        }
    }
}
