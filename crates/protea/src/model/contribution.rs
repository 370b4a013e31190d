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
//! Steps that give each feature a curve of its own (piecewise-linear encoding, clipping) come before the linear ones. `x` is
//! then what comes out of them, and the terms of the numbers that a feature has become are summed.
//!
//! # Departures
//! Straightening of images is no linear map; pixels are those of the straightened image. After histograms of edges or a
//! change of length there are no such terms, and an error says so.

use super::Model;
use crate::represent::{Nature, Pipeline};
use crate::{Error, Float, Result};
use ndarray::{Array1, Array2, ArrayView2};

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
        let curved = steps.iter().rposition(|s| s.nature() == Nature::PerFeature).map_or(0, |last| last + 1);
        let (curves, linear) = steps.split_at(curved);
        if curves.iter().any(|s| s.mixes()) {
            return Err(Error::unsupported(
                "features have no contributions of their own where a step mixes them before they are encoded",
            ));
        }
        let (curves, linear): (Vec<_>, Vec<_>) = (curves.to_vec(), linear.to_vec());
        let straight = linear.iter().take_while(|s| s.nature() == Nature::Image).cloned();
        let curves = Pipeline { steps: curves.into_iter().chain(straight).collect() };
        let linear = Pipeline { steps: linear.into_iter().filter(|s| s.nature() != Nature::Image).collect() };
        let seen = curves.apply(x.to_owned());
        let z = linear.apply(seen.clone());
        let shown = linear.invert(self.parts.prototypes.x.clone());
        let mut out = Array2::zeros(x.dim());
        for (i, &j) in prototypes.iter().enumerate() {
            let p = self.parts.prototypes.x.row(j);
            let delta: Vec<f64> = z.row(i).iter().zip(p).map(|(z, p)| z.f64() - p.f64()).collect();
            let times = self.parts.metric.times(&delta, j).ok_or_else(|| {
                let tag = self.parts.metric.tag();
                Error::unsupported(format!("features have no contributions under the metric {tag:?}"))
            })?;
            let pulled = linear.steps.iter().rev().fold(times, |v, step| step.pull_back(v));
            let differences = seen.row(i).into_iter().zip(shown.row(j)).map(|(x, p)| x.f64() - p.f64());
            let terms = differences.zip(pulled).map(|(d, v)| d * v).collect();
            let terms = curves.steps.iter().rev().fold(terms, |v, step| step.gather(v));
            out.row_mut(i).assign(&Array1::from(terms));
        }
        Ok(out)
    }
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
            &[("scale", "robust"), ("metric", "linear")],
            &[("encode", "ple:5"), ("metric", "linear")],
            &[("encode", "tree:4"), ("scale", "standard"), ("pca", "9")],
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
