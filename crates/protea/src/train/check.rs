//! What a trainer refuses before it starts.

use super::Trainer;
use crate::kernel::{column_means, first_out_of_range};
use crate::metric::MetricKind;
use crate::model::Model;
use crate::represent::Scale;
use crate::settings::SettingValue;
use crate::{Dataset, Error, Float, Result};
use ndarray::{ArrayView1, ArrayView2};

impl<F: Float> Trainer<F> {
    /// Refuses a common matrix where none can be learned, or where its place is taken.
    pub(crate) fn check_common(&self) -> Result<()> {
        let refused =
            |expected| Err(Error::setting("common-epochs", self.training.metric.common_epochs, expected));
        if self.training.metric.common_epochs == 0 {
            Ok(())
        } else if !self.facts().descends || !self.method.metrics.contains(&MetricKind::Linear) {
            refused("0 for methods that do not learn the metric linear with an objective")
        } else if self.matrix.is_some() {
            refused("0, when a matrix is given")
        } else {
            Ok(())
        }
    }

    /// Refuses an encoding of single features where features are pixels, or where scaling would undo it.
    pub(crate) fn check_encoding(&self) -> Result<()> {
        let t = &self.training;
        let Some(encoding) = t.representing.encode else { return Ok(()) };
        let images = t.representing.hog
            || t.representing.deskew
            || t.representing.image.is_some()
            || t.descending.augment > 0.0;
        let expected = if images {
            "none for images: it is for the features of tables"
        } else if t.representing.scale == Scale::Robust {
            "none with the scale robust: an encoding has no outliers to clip"
        } else {
            return Ok(());
        };
        Err(Error::setting("encode", encoding.show(), expected))
    }

    /// Refuses to go on from a model where the method cannot, or where it is of other classes, features or metric.
    pub(crate) fn check_resumed(&self, model: &Model<F>, data: &Dataset<F>) -> Result<()> {
        if !self.facts().resumes {
            let name = self.method.name;
            return Err(Error::unsupported(format!(
                "{name} cannot go on from a model: it learns from scratch"
            )));
        }
        if model.decision().members() > 1 {
            return Err(Error::unsupported(
                "the model to go on from has members; train a model with the setting members anew",
            ));
        }
        if model.classes() != data.classes {
            return Err(Error::different_classes("the samples", "the model to go on from"));
        }
        check_features(model.features().len(), data)?;
        // Metrics that were learned before the prototypes are part of the preprocessing.
        let kind = match self.training.metric.kind {
            MetricKind::Lmnn | MetricKind::Nca => MetricKind::Euclidean,
            other => other,
        };
        let own = self.own_metric.as_ref().map(|metric| metric.tag().to_string());
        let (tag, wanted) = (model.metric().tag(), own.unwrap_or_else(|| kind.show()));
        if tag != wanted {
            return Err(Error::setting("metric", wanted, format!("{tag}, that of the model to go on from")));
        }
        Ok(())
    }

    /// Refuses a metric that the method cannot have, and a matrix beside a metric that finds its own.
    pub(crate) fn check_metric(&self) -> Result<()> {
        if let Some(own) = &self.own_metric {
            return self.check_own_metric(own.tag());
        }
        let given = matches!(
            self.training.metric.kind,
            MetricKind::Euclidean | MetricKind::Linear | MetricKind::LocalLinear
        );
        if self.matrix.is_some() && !given {
            let expected = "linear, when a matrix is given";
            return Err(Error::setting("metric", self.training.metric.kind.show(), expected));
        }
        if self.method.metrics.contains(&self.training.metric.kind) {
            return Ok(());
        }
        let allowed: Vec<String> = self.method.metrics.iter().map(MetricKind::show).collect();
        let expected = format!("{} for {}", allowed.join(", "), self.method.name);
        Err(Error::setting("metric", self.training.metric.kind.show(), expected))
    }
}

impl<F: Float> Trainer<F> {
    /// Refuses a metric of the user's own where nothing would learn it, or beside another choice of metric.
    fn check_own_metric(&self, tag: &str) -> Result<()> {
        let refused = |expected: &str| Err(Error::setting("metric", tag, expected));
        if !self.facts().descends {
            refused("a method with an objective, when a metric is given")
        } else if self.training.metric.kind != MetricKind::Euclidean || self.matrix.is_some() {
            refused("no other metric or matrix, when a metric is given")
        } else {
            Ok(())
        }
    }
}

/// Refuses samples with another number of features than a model has.
pub(super) fn check_features<F: Float>(expected: usize, data: &Dataset<F>) -> Result<()> {
    match data.dim() {
        found if found == expected => Ok(()),
        found => Err(Error::Features { source_name: "the training samples".into(), expected, found }),
    }
}

/// Features of a model: the header of a model file, which names them twice, has a limit of its own.
const MOST_FEATURES: usize = 1_000_000;

/// Refuses fewer than two classes and classes without samples.
pub(crate) fn check_classes<F: Float>(data: &Dataset<F>) -> Result<()> {
    if data.dim() > MOST_FEATURES {
        let problem = format!(
            "samples have {} features; a model file holds the names of at most {MOST_FEATURES}",
            data.dim()
        );
        return Err(Error::unsupported(problem));
    }
    if data.n_classes() < 2 {
        let only = data.classes.first().map_or("none", String::as_str);
        return Err(Error::TooFew {
            what: "training".into(),
            needed: "two classes".into(),
            found: format!("{only:?} only"),
        });
    }
    match data.class_counts().iter().position(|&n| n == 0) {
        Some(c) => Err(Error::class(&data.classes[c], "has no training samples")),
        None => Ok(()),
    }
}

/// Refuses values whose squared distances would leave the range of the element type.
pub(super) fn check_range<F: Float>(x: ArrayView2<F>) -> Result<()> {
    let x = x.as_standard_layout();
    if x.as_slice().is_some_and(|rows| first_out_of_range(rows, x.ncols()).is_none()) {
        return Ok(());
    }
    let largest = x.iter().fold(0.0, |m: f64, v| m.max(v.f64().abs()));
    let name = F::NAME;
    Err(Error::Unscaled {
        problem: format!("values up to {largest:.3e} overflow squared distances in {name}"),
    })
}

/// Refuses samples that differ by so little of their size that their directions are rounding errors.
pub(super) fn check_spread<F: Float>(x: ArrayView2<F>) -> Result<()> {
    let (n, means) = (x.nrows() as f64, column_means(x));
    let size: f64 = means.iter().map(|m| m * m).sum();
    let squares =
        |row: ArrayView1<F>| row.iter().zip(&means).map(|(v, m)| (v.f64() - m).powi(2)).sum::<f64>();
    let spread = x.rows().into_iter().map(squares).sum::<f64>() / n;
    if spread.sqrt() >= 100.0 * F::EPS * size.sqrt() {
        return Ok(());
    }
    let problem = format!(
        "all samples point the same way up to rounding in {}: they differ by {:.1e} of their length",
        F::NAME,
        (spread / size).sqrt()
    );
    Err(Error::Unscaled { problem })
}

/// Refuses validation samples of another shape than the training samples.
pub(crate) fn check_valid<F: Float>(data: &Dataset<F>, valid: Option<&Dataset<F>>) -> Result<()> {
    match valid {
        Some(v) if v.classes != data.classes => {
            Err(Error::different_classes("the validation samples", "the training samples"))
        }
        Some(v) if v.dim() != data.dim() => {
            Err(Error::shape("features of validation samples, as in training", data.dim(), v.dim()))
        }
        _ => Ok(()),
    }
}
