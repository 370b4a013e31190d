//! Piecewise-linear encoding: each feature becomes a few numbers that say how far it has come through its bins.
//!
//! # Formula
//! A feature with the edges `e_0 < e_1 < … < e_B` has the components
//! ```text
//! c_b(x) = min(max((x − e_b) / (e_{b+1} − e_b), 0), 1),    b = 0 … B − 1
//! ```
//! so bins below `x` are 1, the bin of `x` is the share of it that lies below `x`, and bins above are 0. A linear metric of
//! these components gives each feature one piecewise-linear curve. A feature with two values stays one number.
//!
//! # Inverse
//! `Σ_b c_b(x)` is the place of `x` among the edges. A prototype, whose components need not be those of any `x`, is shown
//! as the value at the place that its components, each brought into [0, 1], add up to.
//!
//! # Reference
//! Gorishniy, Rubachev, Babenko: "On Embeddings for Numerical Features in Tabular Deep Learning", NeurIPS 2022, section 3.2.
//!
//! # Departures
//! The paper's first and last components go on beyond the edges; here they stop, so that a value far outside of those
//! seen in training counts as the most extreme one that was seen.

use super::bins::{Encoding, edges};
use super::{Nature, Step};
use crate::kernel::BLOCK;
use crate::plan::{Op, Plan};
use crate::store::Stored;
use crate::{Dataset, Error, Float, Result};
use ndarray::Array2;

/// The piecewise-linear encoding of each feature.
#[derive(Debug, Clone, PartialEq)]
pub struct PiecewiseLinear<F> {
    /// Edges of all features, one after the other, each feature's in ascending order.
    edges: Vec<F>,
    /// Where the edges of each feature end.
    ends: Vec<usize>,
}

impl<F: Float> PiecewiseLinear<F> {
    /// Finds the edges on training samples; classes are read by [`Bins::Tree`](super::Bins::Tree) only.
    pub fn learn(encoding: Encoding, data: &Dataset<F>) -> Self {
        use crate::kernel::parallel::*;
        let most = encoding.most(data.len());
        let of_feature = |f: usize| {
            let values: Vec<f64> = data.x.column(f).iter().map(|v| v.f64()).collect();
            let edges = edges(encoding.bins, most, &values, &data.y, data.n_classes());
            let mut edges: Vec<F> = edges.into_iter().map(F::of).collect();
            // In f32 two edges may have become one; a constant feature keeps its empty bin.
            if edges.first() != edges.last() {
                edges.dedup();
            }
            edges
        };
        let all: Vec<Vec<F>> = (0..data.dim()).into_par_iter().map(of_feature).collect();
        let ends = all.iter().scan(0, |end, e| {
            *end += e.len();
            Some(*end)
        });
        PiecewiseLinear { ends: ends.collect(), edges: all.concat() }
    }

    /// Takes edges as they are stored; refuses what is no list of ascending edges, at least two for each feature.
    fn checked(edges: Vec<F>, ends: Vec<usize>) -> Result<Self> {
        let found = ends.last() == Some(&edges.len()) && ends.windows(2).all(|w| w[0] <= w[1]);
        let step = PiecewiseLinear { edges, ends };
        let ascending = |e: &[F]| {
            e.len() >= 2
                && e.iter().all(|v| v.is_finite())
                && (e.windows(2).all(|w| w[0] < w[1]) || e.len() == 2 && e[0] == e[1])
        };
        if !found || !step.of_features().all(ascending) {
            return Err(Error::data("the edges of a piecewise-linear encoding are not in ascending order"));
        }
        Ok(step)
    }

    /// The edges of each feature.
    pub fn of_features(&self) -> impl Iterator<Item = &[F]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(&start, &end)| &self.edges[start..end])
    }

    /// Where the components of each feature end.
    pub fn component_ends(&self) -> Vec<usize> {
        self.ends.iter().enumerate().map(|(f, end)| end - f - 1).collect()
    }

    fn components(&self) -> usize {
        self.edges.len() - self.ends.len()
    }

    fn encode(&self, row: &[F], out: &mut [F]) {
        let mut start = 0;
        for (&x, e) in row.iter().zip(self.of_features()) {
            let bins = e.len() - 1;
            let own = &mut out[start..start + bins];
            // The bin of x; values outside count as the outermost edge.
            let b = e[1..bins].partition_point(|&e| e <= x);
            own[..b].fill(F::one());
            own[b..].fill(F::zero());
            let width = e[b + 1] - e[b];
            if width > F::zero() {
                own[b] = ((x - e[b]) / width).max(F::zero()).min(F::one());
            }
            start += bins;
        }
    }

    fn decode(&self, row: &[F], out: &mut [F]) {
        let mut start = 0;
        for (x, e) in out.iter_mut().zip(self.of_features()) {
            let bins = e.len() - 1;
            let place: f64 = row[start..start + bins].iter().map(|c| c.f64().clamp(0.0, 1.0)).sum();
            let b = (place as usize).min(bins - 1);
            *x = F::of(e[b].f64() + (place - b as f64) * (e[b + 1].f64() - e[b].f64()));
            start += bins;
        }
    }
}

/// Rows of another length, each made of one of `x`, in parallel.
fn by_rows<F: Float>(x: &Array2<F>, to: usize, f: impl Fn(&[F], &mut [F]) + Send + Sync) -> Array2<F> {
    use crate::kernel::parallel::*;
    let x = x.as_standard_layout();
    let (from, rows) = (x.ncols(), x.as_slice().expect("rows one after the other"));
    let mut out = vec![F::zero(); x.nrows() * to];
    let blocks = out.par_chunks_mut(BLOCK * to).zip(rows.par_chunks(BLOCK * from));
    blocks.for_each(|(out, rows)| {
        out.chunks_exact_mut(to).zip(rows.chunks_exact(from)).for_each(|(out, row)| f(row, out))
    });
    Array2::from_shape_vec((x.nrows(), to), out).expect("rows of this length")
}

impl<F: Float> Step<F> for PiecewiseLinear<F> {
    fn output_dim(&self, input: usize) -> Option<usize> {
        (self.ends.len() == input).then(|| self.components())
    }

    fn apply(&self, x: Array2<F>) -> Array2<F> {
        by_rows(&x, self.components(), |row, out| self.encode(row, out))
    }

    fn apply_rows(&self, rows: &mut Vec<F>, dim: usize) -> usize {
        let to = self.components();
        let mut out = vec![F::zero(); rows.len() / dim * to];
        for (row, out) in rows.chunks_exact(dim).zip(out.chunks_exact_mut(to)) {
            self.encode(row, out);
        }
        *rows = out;
        to
    }

    fn invert(&self, z: Array2<F>) -> Array2<F> {
        by_rows(&z, self.ends.len(), |row, out| self.decode(row, out))
    }

    fn nature(&self) -> Nature {
        Nature::PerFeature
    }

    fn gather(&self, v: Vec<f64>) -> Vec<f64> {
        let ends = self.component_ends();
        let starts = std::iter::once(&0).chain(&ends);
        starts.zip(&ends).map(|(&start, &end)| v[start..end].iter().sum()).collect()
    }

    fn size(&self) -> usize {
        self.edges.len() + self.ends.len()
    }

    fn describe(&self) -> String {
        format!("piecewise-linear encoding {} → {}", self.ends.len(), self.components())
    }

    fn store(&self) -> Stored<F> {
        Stored::new("piecewise-linear").with_vector("edges", &self.edges).with_wholes("ends", &self.ends)
    }

    fn lower(&self, plan: &mut Plan) -> Result<Op> {
        Ok(Op::PiecewiseLinear {
            edges: plan.real("edges", &[self.edges.len()], self.edges.iter().map(|v| v.f64())),
            ends: plan.whole("ends", &self.ends),
        })
    }

    fn boxed(&self) -> Box<dyn Step<F>> {
        Box::new(self.clone())
    }
}

pub(super) fn restore<F: Float>(stored: &Stored<F>) -> Result<Box<dyn Step<F>>> {
    let step = PiecewiseLinear::checked(stored.vector("edges")?, stored.wholes("ends")?)?;
    Ok(Box::new(step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// Edges 0, 1, 3 and −1, 1.
    fn example() -> PiecewiseLinear<f64> {
        PiecewiseLinear::checked(vec![0.0, 1.0, 3.0, -1.0, 1.0], vec![3, 5]).unwrap()
    }

    #[test]
    fn components_say_how_far_a_value_has_come() {
        let x = array![[0.25, -1.0], [1.0, 0.0], [2.5, 1.0], [-7.0, 9.0], [8.0, -9.0]];
        let z = array![[0.25, 0.0, 0.0], [1.0, 0.0, 0.5], [1.0, 0.75, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]];
        assert_eq!(Step::apply(&example(), x.clone()), z);
        // Values outside come back as the outermost edge.
        let back = array![[0.25, -1.0], [1.0, 0.0], [2.5, 1.0], [0.0, 1.0], [3.0, -1.0]];
        assert_eq!(example().invert(z), back);
        assert_eq!(example().gather(vec![1.0, 2.0, 4.0]), [3.0, 4.0]);
    }

    /// What no value has is shown where its components, brought into [0, 1], add up to.
    #[test]
    fn any_components_have_a_value() {
        assert_eq!(
            example().invert(array![[0.5, 0.5, 4.0], [-3.0, 1.5, 0.5]]),
            array![[1.0, 1.0], [1.0, 0.0]]
        );
    }

    #[test]
    fn edges_that_do_not_ascend_are_refused() {
        for (edges, ends) in [
            (vec![0.0, 0.0, 1.0], vec![3]),
            (vec![1.0], vec![1]),
            (vec![0.0, 1.0], vec![1]),
            (vec![0.0, 1.0, 0.0, 1.0], vec![4, 2]),
            (vec![0.0, f64::NAN], vec![2]),
            (vec![], vec![]),
        ] {
            assert!(PiecewiseLinear::checked(edges, ends).is_err());
        }
    }
}
