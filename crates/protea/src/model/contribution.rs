//! What each feature contributes to the distance between a sample and a prototype.
//!
//! # Formula
//! With preprocessing `z = M x + c` and the metric `d = δᵀ Λ δ`, `δ = z − p`, the difference of the sample and the prototype
//! in the units of the input, `Δ = x − M⁺(p − c)`, has `M Δ = δ`, and
//! ```text
//! d = Σ_f Δ_f (Mᵀ Λ δ)_f
//! ```
//! The terms of the sum are the contributions. With a metric that is not diagonal a term may be negative: the feature then
//! takes back what correlated ones have added.
//!
//! # Departures
//! Straightening of images is no linear map; pixels are those of the straightened image. After histograms of edges or a
//! change of length there are no such terms, and an error says so.

use super::Model;
use crate::metric::Form;
use crate::represent::{Nature, Pipeline};
use crate::{Error, Float, Result};
use ndarray::{Array2, ArrayView2, Axis, s};

impl<F: Float> Model<F> {
    /// Contributions of the features (`n × features`) to the squared distance between each sample and the prototype of that
    /// index; the sum of a row is the distance.
    pub fn contributions(&self, x: ArrayView2<F>, prototypes: &[usize]) -> Result<Array2<f64>> {
        self.check_features(x.ncols())?;
        let m = self.parts.prototypes.y.len();
        if prototypes.len() != x.nrows() || prototypes.iter().any(|&j| j >= m) {
            return Err(Error::data(format!("one prototype from 0 to {} is needed for each row", m - 1)));
        }
        let steps = &self.parts.pipeline.steps;
        if steps.iter().any(|s| s.nature() == Nature::Other) {
            return Err(Error::unsupported(
                "features have no contributions of their own after hog or unit length: these are not linear maps",
            ));
        }
        let straight = steps.iter().take_while(|s| s.nature() == Nature::Image).cloned().collect();
        let x = Pipeline { steps: straight }.apply(x.to_owned());
        let z = Pipeline { steps: steps.iter().filter(|s| s.nature() != Nature::Image).cloned().collect() }
            .apply(x.clone());
        let shown = self.prototypes_in_input_units();
        let mut out = Array2::zeros(x.dim());
        for (i, &j) in prototypes.iter().enumerate() {
            let p = self.parts.prototypes.x.row(j);
            let delta: Vec<f64> = z.row(i).iter().zip(p).map(|(z, p)| z.f64() - p.f64()).collect();
            let pulled = steps.iter().rev().fold(self.times_metric(&delta, j), |v, step| step.pull_back(v));
            for (f, v) in pulled.into_iter().enumerate() {
                out[[i, f]] = (x[[i, f]].f64() - shown[[j, f]].f64()) * v;
            }
        }
        Ok(out)
    }

    /// `Λ δ` under the metric of prototype `j`.
    fn times_metric(&self, delta: &[f64], j: usize) -> Vec<f64> {
        let diagonal = |w: &[F]| delta.iter().zip(w).map(|(d, w)| d * w.f64() * w.f64()).collect();
        match &self.parts.metric {
            Form::Euclidean => delta.to_vec(),
            Form::Diagonal(w) => diagonal(w),
            Form::Local(w) => diagonal(&w.row(j).to_vec()),
            Form::Linear(a) => transposed(a.view(), &times(a.view(), delta)),
            Form::LocalLinear { groups, matrices } => {
                let g = groups.iter().position(|g| g.contains(&j)).unwrap_or(0);
                let a = matrices.slice(s![g, .., ..]);
                transposed(a, &times(a, delta))
            }
        }
    }
}

/// `A v`.
fn times<F: Float>(a: ArrayView2<F>, v: &[f64]) -> Vec<f64> {
    a.axis_iter(Axis(0)).map(|row| row.iter().zip(v).map(|(a, v)| a.f64() * v).sum()).collect()
}

/// `Aᵀ v`.
fn transposed<F: Float>(a: ArrayView2<F>, v: &[f64]) -> Vec<f64> {
    a.axis_iter(Axis(1)).map(|column| column.iter().zip(v).map(|(a, v)| a.f64() * v).sum()).collect()
}

#[cfg(feature = "datasets")]
#[cfg(test)]
mod tests {
    use crate::Trainer;
    use crate::catalog::{self, Part};

    /// Under every kind of metric and after every kind of linear preprocessing the terms add up to the distance.
    #[test]
    fn contributions_add_up_to_the_distance() {
        let data = catalog::load::<f64>("wine", Part::All, None).unwrap();
        for settings in [
            &[("metric", "euclidean"), ("scale", "standard")][..],
            &[("metric", "linear"), ("scale", "minmax")],
            &[("metric", "linear"), ("rank", "4"), ("pca", "9")],
            &[("metric", "diagonal")],
            &[("metric", "local")],
            &[("metric", "local-linear"), ("locality", "prototype")],
            &[("metric", "nca"), ("rank", "3")],
        ] {
            let mut trainer = Trainer::named("npc").unwrap().set("per-class", "2").unwrap();
            for (name, value) in settings.iter().chain(&[("epochs", "3")]) {
                trainer = trainer.set(name, value).unwrap();
            }
            let model = trainer.fit(&data).unwrap();
            let (neighbours, k) = (model.neighbours(data.x.view(), 6).unwrap(), 4);
            {
                let at: Vec<usize> = neighbours.iter().map(|n| n[k].prototype).collect();
                let terms = model.contributions(data.x.view(), &at).unwrap();
                for (row, n) in terms.rows().into_iter().zip(&neighbours) {
                    let d = n[k].distance;
                    assert!((row.sum() - d).abs() < 1e-8 * (1.0 + d), "{settings:?}: {} {d}", row.sum());
                }
            }
            assert!(model.contributions(data.x.view(), &[0]).is_err());
        }
    }
}
