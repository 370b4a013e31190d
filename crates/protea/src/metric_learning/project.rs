//! Linear projections learned on samples: INNLP, LPP and LDA.
//!
//! # Problems
//! All are `min_a aᵀ C a / aᵀ B a`, one direction after the other, with samples as rows of `X`, around their mean:
//!
//! | projection | `C` | `B` |
//! |---|---|---|
//! | `innlp`, laplacian | `Xᵀ (D − S) X`, `S = (W + Wᵀ)/2`, `D` its sums | `Xᵀ D X` |
//! | `innlp`, reconstruction | `Xᵀ (I − W)ᵀ (I − W) X` | `Xᵀ X` |
//! | `lpp` | as laplacian, with `S_ij = 1` where one is among the 5 nearest of the other | `Xᵀ D X` |
//! | `lda` | covariance inside the classes | covariance between the classes added to it |
//!
//! `W` holds in row `i` the weights of [`Inn`] of sample `i` over all others, or over the others of its class (`supervised`).
//! Principal components with 98 % of the variance come first, unless `pca` says otherwise; `1e-6 tr(B)/dim` is added to the diagonal
//! of `B`.
//!
//! # Reference
//! Timofte, Van Gool: "Iterative Nearest Neighbors", Pattern Recognition 48, 2015; He, Niyogi: "Locality Preserving Projections",
//! NIPS 2003; Fisher: "The Use of Multiple Measurements in Taxonomic Problems", Annals of Eugenics 7, 1936.
//!
//! # Departures
//! `innlp` is a reconstruction from what the abstract says and the authors' earlier projection by sparse representations.

use crate::coding::{Code, Dictionary, Inn};
use crate::kernel::{column_means, eigh, k_smallest, product};
use crate::metric::Space;
use crate::represent::{Components, LinearMap, pca};
use crate::settings::{SettingValue, either, named_enum};
use crate::{Dataset, Error, Float, Result};
use ndarray::{Array2, ArrayView2, Axis, s};
use std::collections::BTreeMap;

/// Neighbours in the graph of `lpp`.
const NEIGHBOURS: usize = 5;
/// Variance that principal components keep where none are asked for.
const VARIANCE: f64 = 0.98;
const RIDGE: f64 = 1e-6;

named_enum! {
    /// Which projection.
    pub enum Map {
        /// Linear projection of iterative nearest neighbours.
        Innlp = "innlp",
        /// Locality preserving projection.
        Lpp = "lpp",
        /// Linear discriminants.
        Lda = "lda",
    }
}

named_enum! {
    /// What `innlp` keeps.
    pub enum Graph {
        /// Neighbours close together.
        Laplacian = "laplacian",
        /// Samples as sums of their neighbours.
        Reconstruction = "reconstruction",
    }
}

/// A projection and how many components it has: `innlp:40`, `lda`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Projection {
    /// Which one.
    pub map: Map,
    /// Components; by default one less than classes for `lda` and `innlp`, and at most 40 for `lpp`.
    pub rank: Option<usize>,
}

impl SettingValue for Projection {
    fn parse(text: &str) -> Option<Self> {
        let (name, rank) = match text.split_once(':') {
            Some((name, rank)) => (name, Some(rank.parse().ok().filter(|&r| r > 0)?)),
            None => (text, None),
        };
        Some(Projection { map: Map::parse(name)?, rank })
    }

    fn show(&self) -> String {
        self.rank.map_or(self.map.show(), |rank| format!("{}:{rank}", self.map.show()))
    }

    fn expected() -> String {
        format!("{}, such as {}:40", either(Map::NAMES), Map::NAMES[0])
    }
}

impl Projection {
    /// Learns the projection; `reduced` tells that the samples are principal components already.
    pub fn learn<F: Float>(
        &self,
        data: &Dataset<F>,
        graph: Graph,
        supervised: bool,
        reduced: bool,
    ) -> Result<LinearMap<F>> {
        let share = if reduced { 1.0 } else { VARIANCE };
        let first = pca(data.x.view(), Components::Variance(share))?;
        let reduced = Dataset { x: first.apply(data.x.view()), ..data.clone_labels() };
        let (c, b) = match self.map {
            Map::Lda => scatters(&reduced),
            Map::Lpp => laplacian(&reduced.x, &neighbour_graph(&reduced, supervised)?),
            Map::Innlp => {
                let w = inn_graph(&reduced, supervised)?;
                match graph {
                    Graph::Laplacian => laplacian(&reduced.x, &w),
                    Graph::Reconstruction => reconstruction(&reduced.x, &w),
                }
            }
        };
        let directions = smallest_ratios(&c, b)?;
        let rank = self.components(data.n_classes(), directions.nrows())?;
        let kept = directions.slice(s![..rank, ..]).mapv(F::of);
        let matrix = product(kept.view(), first.matrix.t());
        Ok(LinearMap { centre: first.centre, ..LinearMap::new(matrix)? })
    }

    fn components(&self, n_classes: usize, dim: usize) -> Result<usize> {
        let discriminants = n_classes.saturating_sub(1).max(1);
        let most = if self.map == Map::Lda { discriminants.min(dim) } else { dim };
        match self.rank {
            Some(r) if r > most => {
                Err(Error::setting("project", self.show(), format!("at most {most} components here")))
            }
            Some(r) => Ok(r),
            None if self.map == Map::Lpp => Ok(most.min(40)),
            None => Ok(most.min(discriminants)),
        }
    }
}

/// Weights between samples, sparse: row, column, weight.
type Weights = BTreeMap<(usize, usize), f64>;

/// Rows of the samples among which each may choose its neighbours.
fn groups<F: Float>(data: &Dataset<F>, supervised: bool) -> Vec<Vec<usize>> {
    if supervised { data.class_rows() } else { vec![(0..data.len()).collect()] }
}

/// INN weights of each sample over the others.
fn inn_graph<F: Float>(data: &Dataset<F>, supervised: bool) -> Result<Weights> {
    let mut weights = Weights::new();
    for rows in groups(data, supervised) {
        let x = data.x.select(Axis(0), &rows);
        let own: Vec<usize> = (0..rows.len()).collect();
        let coder = Inn::default().over(Dictionary::new(x.view())?)?;
        for (i, Code { atoms, weights: w, .. }) in
            coder.codes_without(x.view(), &own)?.into_iter().enumerate()
        {
            weights.extend(atoms.iter().zip(w).map(|(&j, w)| ((rows[i], rows[j]), w.f64())));
        }
    }
    Ok(weights)
}

/// 1 between each sample and its nearest others.
fn neighbour_graph<F: Float>(data: &Dataset<F>, supervised: bool) -> Result<Weights> {
    let mut weights = Weights::new();
    for rows in groups(data, supervised) {
        let x = data.x.select(Axis(0), &rows);
        let space = Space::euclidean(x.view());
        let nearest = space.map(x.view(), |_, d| k_smallest(d, NEIGHBOURS + 1));
        for (i, found) in nearest.into_iter().enumerate() {
            for j in found.into_iter().filter(|&j| j != i).take(NEIGHBOURS) {
                weights.insert((rows[i], rows[j]), 1.0);
                weights.insert((rows[j], rows[i]), 1.0);
            }
        }
    }
    Ok(weights)
}

/// `W x` for sparse weights.
fn spread(w: &Weights, x: &Array2<f64>) -> Array2<f64> {
    let mut out = Array2::zeros(x.dim());
    for (&(i, j), &weight) in w {
        out.row_mut(i).scaled_add(weight, &x.row(j));
    }
    out
}

/// `Xᵀ (D − S) X` and `Xᵀ D X` with `S = (W + Wᵀ)/2`.
fn laplacian<F: Float>(x: &Array2<F>, w: &Weights) -> (Array2<f64>, Array2<f64>) {
    let x = x.mapv(F::f64);
    let mut degrees = vec![0.0; x.nrows()];
    for (&(i, j), weight) in w {
        degrees[i] += 0.5 * weight;
        degrees[j] += 0.5 * weight;
    }
    let weighted = &x * &ndarray::aview1(&degrees).insert_axis(Axis(1));
    let b = x.t().dot(&weighted);
    // xᵀ S x = xᵀ W x for every direction, made symmetric.
    let s = x.t().dot(&spread(w, &x));
    (&b - &((&s + &s.t()) * 0.5), b)
}

/// `Xᵀ (I − W)ᵀ (I − W) X` and `Xᵀ X`.
fn reconstruction<F: Float>(x: &Array2<F>, w: &Weights) -> (Array2<f64>, Array2<f64>) {
    let x = x.mapv(F::f64);
    let left = &x - &spread(w, &x);
    (left.t().dot(&left), x.t().dot(&x))
}

/// Covariances inside the classes, and inside and between them together.
fn scatters<F: Float>(data: &Dataset<F>) -> (Array2<f64>, Array2<f64>) {
    let mut x = data.x.mapv(F::f64);
    let mean = column_means(data.x.view());
    let total = &x - &ndarray::aview1(&mean);
    for rows in data.class_rows() {
        let own = column_means(data.x.select(Axis(0), &rows).view());
        rows.iter().for_each(|&i| x.row_mut(i).zip_mut_with(&ndarray::aview1(&own), |v, m| *v -= m));
    }
    (x.t().dot(&x), total.t().dot(&total))
}

/// Directions (rows) with `aᵀ B a = 1` and the smallest `aᵀ C a`, smallest first.
fn smallest_ratios(c: &Array2<f64>, mut b: Array2<f64>) -> Result<Array2<f64>> {
    let dim = b.nrows();
    let ridge = RIDGE * b.diag().sum() / dim as f64;
    b.diag_mut().mapv_inplace(|v| v + ridge.max(f64::MIN_POSITIVE));
    let (values, vectors) = eigh(&b)?;
    let floor = values[0] * 1e-12;
    let kept = values.iter().take_while(|v| **v > floor).count().max(1);
    // Rows of `white` have length 1 under B.
    let scales: Vec<f64> = values[..kept].iter().map(|v| 1.0 / v.max(f64::MIN_POSITIVE).sqrt()).collect();
    let white = &vectors.slice(s![..kept, ..]) * &ndarray::aview1(&scales).insert_axis(Axis(1));
    let inside: ArrayView2<f64> = c.view();
    let (_, turned) = eigh(&white.dot(&inside).dot(&white.t()))?;
    Ok(turned.slice(s![..;-1, ..]).dot(&white))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{normal_pair, rng};

    /// Two classes apart along a direction of small variance, noise of a large one across.
    fn stripes() -> Dataset<f64> {
        let mut rng = rng(5, "stripes");
        let y: Vec<usize> = (0..120).map(|i| i % 2).collect();
        let x = Array2::from_shape_fn((120, 3), |(i, f)| {
            let noise = normal_pair(&mut rng)[0];
            if f == 1 { y[i] as f64 * 2.0 + 0.2 * noise } else { 3.0 * noise }
        });
        Dataset::new(x, y, vec!["a".into(), "b".into()]).unwrap()
    }

    fn learn(text: &str, graph: Graph, supervised: bool) -> LinearMap<f64> {
        Projection::parse(text).unwrap().learn(&stripes(), graph, supervised, true).unwrap()
    }

    #[test]
    fn supervised_projections_find_the_direction_of_the_classes() {
        for (name, graph) in
            [("lda", Graph::Laplacian), ("lpp:1", Graph::Laplacian), ("innlp", Graph::Laplacian)]
        {
            let a = learn(name, graph, true).matrix;
            assert_eq!(a.nrows(), 1);
            let others = a[[0, 0]].abs().max(a[[0, 2]].abs());
            assert!(a[[0, 1]].abs() > 10.0 * others, "{name}: {a}");
        }
    }

    #[test]
    fn ranks_are_counted_and_refused() {
        assert_eq!(learn("innlp:3", Graph::Reconstruction, false).matrix.dim(), (3, 3));
        let refused = |text: &str| {
            let p = Projection::parse(text).unwrap();
            p.learn(&stripes(), Graph::Laplacian, true, true).unwrap_err().to_string()
        };
        assert_eq!(refused("lda:2"), "project = lda:2, expected at most 1 components here");
        assert_eq!(refused("lpp:4"), "project = lpp:4, expected at most 3 components here");
        assert!(Projection::parse("pca:3").is_none() && Projection::parse("lda:0").is_none());
        assert_eq!(Projection::parse("innlp:12").unwrap().show(), "innlp:12");
    }

    /// Directions are orthonormal under B, and ratios ascend.
    #[test]
    fn directions_solve_the_generalised_problem() {
        let data = stripes();
        let w = inn_graph(&data, false).unwrap();
        let rows: Vec<f64> = (0..120).map(|i| w.range((i, 0)..(i + 1, 0)).map(|(_, v)| v).sum()).collect();
        assert!(rows.iter().all(|s| (0.95..1.0).contains(s)) && w.keys().all(|(i, j)| i != j));
        for (c, b) in [laplacian(&data.x, &w), reconstruction(&data.x, &w), scatters(&data)] {
            let a = smallest_ratios(&c, b.clone()).unwrap();
            let unit = a.dot(&b).dot(&a.t());
            assert!((&unit - &Array2::<f64>::eye(3)).iter().all(|v| v.abs() < 1e-4), "{unit}");
            let ratios = a.dot(&c).dot(&a.t());
            assert!(ratios[[0, 0]] <= ratios[[1, 1]] && ratios[[1, 1]] <= ratios[[2, 2]]);
            assert!(ratios[[0, 1]].abs() < 1e-6 * ratios[[2, 2]].abs());
        }
    }
}
