//! What training gives: prototypes, a metric, the way there, and the decisions that they make.

pub mod file;
mod provenance;
mod rule;
mod space;

pub use provenance::Provenance;
pub use rule::Rule;
pub(crate) use rule::smallest;
pub(crate) use space::Space;

use crate::data::Schema;
use crate::init::Prototypes;
use crate::represent::Pipeline;
use crate::{Dataset, Error, Float, Result};
use ndarray::{Array2, ArrayView2, s};
use rayon::prelude::*;

/// A classifier by labelled prototypes.
///
/// Samples go in as they are in the file (encoded to numbers); the model applies its own preprocessing.
#[derive(Debug, Clone)]
pub struct Model<F = f32> {
    prototypes: Prototypes<F>,
    components: Option<Array2<F>>,
    pipeline: Pipeline<F>,
    classes: Vec<String>,
    features: Vec<String>,
    /// How a class is decided.
    pub rule: Rule,
    gamma: f64,
    importance: Vec<f64>,
    provenance: Provenance,
    schema: Option<Schema>,
    space: Space<F>,
}

/// A prototype near a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    /// Index of the prototype.
    pub prototype: usize,
    /// Its class.
    pub class: usize,
    /// Squared distance to the sample in the model's space.
    pub distance: f64,
}

impl<F: Float> Model<F> {
    /// Puts a model together; refuses parts that do not fit.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn new(
        prototypes: Prototypes<F>,
        components: Option<Array2<F>>,
        pipeline: Pipeline<F>,
        classes: Vec<String>,
        features: Vec<String>,
        rule: Rule,
        gamma: f64,
        importance: Vec<f64>,
        provenance: Provenance,
    ) -> Result<Self> {
        let (m, dim) = prototypes.x.dim();
        let sound = m > 0
            && prototypes.y.len() == m
            && prototypes.y.iter().all(|&c| c < classes.len())
            && importance.len() == m
            && gamma > 0.0
            && gamma.is_finite()
            && rule != Rule::Nearest(0)
            && components.as_ref().is_none_or(|a| a.ncols() == dim && a.nrows() > 0)
            && prototypes.x.iter().chain(components.iter().flatten()).all(|v| v.f64().is_finite());
        if !sound {
            return Err(Error::data(
                "prototypes, labels, metric and importance of the model do not fit together",
            ));
        }
        check_pipeline(&pipeline, features.len(), dim)?;
        let space = Space::new(components.as_ref(), prototypes.x.view());
        Ok(Model {
            prototypes,
            components,
            pipeline,
            classes,
            features,
            rule,
            gamma,
            importance,
            provenance,
            schema: None,
            space,
        })
    }

    /// Prototypes in the space after preprocessing: in class order, or for `knn` in the order of the samples.
    pub fn prototypes(&self) -> &Prototypes<F> {
        &self.prototypes
    }

    /// Prototypes in the units of the input, as far as preprocessing can be undone.
    pub fn prototypes_in_input_units(&self) -> Array2<F> {
        self.pipeline.invert(self.prototypes.x.clone())
    }

    /// The matrix `A` of a learned metric `‖A(x − p)‖²`.
    pub fn components(&self) -> Option<&Array2<F>> {
        self.components.as_ref()
    }

    /// What is done to samples before distances are taken.
    pub fn pipeline(&self) -> &Pipeline<F> {
        &self.pipeline
    }

    /// Names of the classes.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// Names of the features.
    pub fn features(&self) -> &[String] {
        &self.features
    }

    /// Inverse temperature of the soft rule.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// Share of the training samples that each prototype answers for under the soft rule; sums to 1.
    pub fn importance(&self) -> &[f64] {
        &self.importance
    }

    /// How the model was made.
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// How files become samples, where the model was trained on one.
    pub fn schema(&self) -> Option<&Schema> {
        self.schema.as_ref()
    }

    /// Remembers how files become samples; refuses a schema with other features or classes.
    pub fn with_schema(mut self, schema: Schema) -> Result<Self> {
        if schema.feature_names() != self.features || schema.classes != self.classes {
            return Err(Error::data("the model's columns do not fit its features and classes"));
        }
        self.schema = Some(schema);
        Ok(self)
    }

    /// Bytes that prediction needs: prototypes and metric in the space where distances are taken, and their labels.
    pub fn bytes(&self) -> usize {
        let (m, dim) = self.prototypes.x.dim();
        let r = self.components.as_ref().map_or(dim, |a| a.nrows());
        let matrix = self.components.as_ref().map_or(0, |a| a.len());
        let pipeline: usize = self.pipeline.steps.iter().map(step_values).sum();
        (m * r + matrix + pipeline) * size_of::<F>() + m * if self.classes.len() <= 256 { 1 } else { 4 }
    }

    /// Class of each sample under the model's rule.
    pub fn predict(&self, x: ArrayView2<F>) -> Result<Vec<usize>> {
        match self.rule {
            Rule::Nearest(1) => {
                let nearest = self.blocks(x, |z, d| self.space.nearest(z, d))?;
                Ok(nearest.into_iter().map(|j| self.prototypes.y[j]).collect())
            }
            rule => self.blocks(x, |z, d| {
                self.space.map_rows(z, d, |d| {
                    rule.decide(d, &self.prototypes.y, self.classes.len(), F::of(self.gamma))
                })
            }),
        }
    }

    /// Probability of each class (`n × classes`) under the soft rule at the calibrated temperature.
    pub fn probabilities(&self, x: ArrayView2<F>) -> Result<Array2<f64>> {
        let rows = self.blocks(x, |z, d| {
            self.space.map_rows(z, d, |d| {
                rule::probabilities(d, &self.prototypes.y, self.classes.len(), F::of(self.gamma))
            })
        })?;
        let (n, c) = (rows.len(), self.classes.len());
        Array2::from_shape_vec((n, c), rows.concat()).map_err(|e| Error::data(e.to_string()))
    }

    /// The `k` nearest prototypes of each sample, nearest first.
    pub fn neighbours(&self, x: ArrayView2<F>, k: usize) -> Result<Vec<Vec<Neighbour>>> {
        self.blocks(x, |z, d| {
            self.space.map_rows(z, d, |d| {
                let nearest = rule::smallest(d, k);
                let y = &self.prototypes.y;
                nearest
                    .into_iter()
                    .map(|j| Neighbour { prototype: j, class: y[j], distance: d[j].f64() })
                    .collect()
            })
        })
    }

    /// Share of samples decided wrongly.
    pub fn error(&self, data: &Dataset<F>) -> Result<f64> {
        let wrong = self.predict(data.x.view())?.iter().zip(&data.y).filter(|(a, b)| a != b).count();
        Ok(wrong as f64 / data.len() as f64)
    }

    /// Preprocesses and maps blocks of rows in parallel, results in order.
    fn blocks<T: Send>(
        &self,
        x: ArrayView2<F>,
        f: impl Fn(&[F], &mut Vec<F>) -> Vec<T> + Sync + Send,
    ) -> Result<Vec<T>> {
        if x.ncols() != self.features.len() {
            let (expected, found) = (self.features.len(), x.ncols());
            return Err(Error::Features { source_name: "the input".into(), expected, found });
        }
        let block = self.space.block_rows();
        let starts: Vec<usize> = (0..x.nrows()).step_by(block).collect();
        let parts: Vec<Vec<T>> = starts
            .into_par_iter()
            .map_init(
                || (Vec::new(), Vec::new()),
                |(z, d), start| {
                    self.pipeline.apply_into(x.slice(s![start..(start + block).min(x.nrows()), ..]), z);
                    f(z, d)
                },
            )
            .collect();
        Ok(parts.into_iter().flatten().collect())
    }
}

/// Numbers that one step of preprocessing keeps for prediction.
fn step_values<F: Float>(step: &crate::represent::Step<F>) -> usize {
    use crate::represent::Step;
    match step {
        Step::Deskew(_) => 1,
        Step::Scale(s) => s.centre.len() + s.factor.len(),
        Step::Linear(s) => s.centre.len() + s.matrix.len(),
    }
}

/// Refuses a pipeline that does not lead from the input's features to the prototypes'.
fn check_pipeline<F: Float>(pipeline: &Pipeline<F>, features: usize, dim: usize) -> Result<()> {
    use crate::represent::Step;
    let mut now = features;
    for step in &pipeline.steps {
        let fits = match step {
            Step::Deskew(s) => s.size.width.checked_mul(s.size.height) == Some(now),
            Step::Scale(s) => s.centre.len() == now && s.factor.len() == now,
            Step::Linear(s) => {
                let (r, d) = s.matrix.dim();
                d == now && s.centre.len() == now && s.inverse.dim() == (d, r)
            }
        };
        if !fits {
            return Err(Error::data("the model's preprocessing does not fit its features"));
        }
        if let Step::Linear(s) = step {
            now = s.output_dim();
        }
    }
    if now == dim {
        Ok(())
    } else {
        Err(Error::data("the model's preprocessing does not fit its prototypes"))
    }
}
