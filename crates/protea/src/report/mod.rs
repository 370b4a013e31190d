//! A model as something to look at: one page of HTML that needs nothing else, and single figures as SVG.
//!
//! ```
//! # #[cfg(feature = "datasets")] {
//! use protea::{Trainer, report::Report, catalog::{self, Part}};
//!
//! let data = catalog::load::<f32>("wine", Part::All, None)?;
//! let model = Trainer::new("npc")?.set("per-class", "2")?.set("epochs", "5")?.fit(&data)?;
//! let report = Report::new(&model, &data)?.titled("Wine");
//! assert!(report.html()?.contains("Try it"));
//! # }
//! # Ok::<(), protea::Error>(())
//! ```
//!
//! | file | what it does |
//! |---|---|
//! | `numbers.rs` | what is measured: reliability, the anytime curve, what features decide |
//! | `baselines.rs` | 1-NN and k-means in the same representation, and McNemar's test |
//! | `map.rs`, `regions.rs` | two dimensions of the samples, prototypes and regions |
//! | `mesh.rs` | accuracy over γ in training and in deciding |
//! | `figures.rs`, `confusion.rs`, `curves.rs`, `map_figure.rs`, `names.rs`, `svg.rs` | drawings with the numbers behind them; the page and single files share them |
//! | `page.rs`, `head.rs`, `prototypes.rs`, `mistakes.rs` | the page |
//! | `comparison.rs` | a page about several classifiers |
//! | `embed.rs`, `model.js`, `page.js` | the model inside the page, and what answers there |

mod baselines;
mod comparison;
mod confusion;
mod curves;
mod embed;
mod encode;
mod figures;
mod head;
mod map;
mod map_figure;
mod mesh;
mod mistakes;
mod names;
mod numbers;
mod page;
mod prototypes;
mod regions;
mod svg;

pub use baselines::Baseline;
pub use comparison::{Compared, comparison};
pub use figures::Figure;

use crate::eval::{Certainty, Evaluation, PrototypeUse, RefusalCurve, evaluate, prototype_uses};
use crate::model::Winner;
use crate::represent::{ImageSize, Step};
use crate::settings::SettingValue;
use crate::{Dataset, Error, Float, Model, Result};
use ndarray::Array2;
use serde::Serialize;

/// Fewer features than this are taken for a table, even if they would make a square.
const LEAST_PIXELS: usize = 64;

/// What is measured for a page about a model, and how it is shown.
pub struct Report<'a, F: Float> {
    model: &'a Model<F>,
    test: &'a Dataset<F>,
    decided: Vec<usize>,
    probabilities: Array2<f64>,
    evaluation: Evaluation,
    uses: Vec<PrototypeUse>,
    winners: Vec<Winner>,
    refusal: RefusalCurve,
    image: Option<ImageSize>,
    title: String,
    test_name: String,
    micros: Option<f64>,
    baselines: Vec<Baseline>,
    /// Prototypes before learning, in the space after preprocessing.
    before: Option<Array2<F>>,
    mesh: Option<mesh::Mesh>,
}

/// The numbers of a report in brief.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// Samples decided wrongly.
    pub wrong: usize,
    /// Samples.
    pub samples: usize,
    /// Share of samples decided wrongly.
    pub error: f64,
    /// Prototypes.
    pub prototypes: usize,
    /// Bytes that prediction needs.
    pub bytes: usize,
    /// Other classifiers on the same samples.
    pub baselines: Vec<Baseline>,
    /// Why the page does not answer itself; none where it does.
    pub try_it_refused: Option<String>,
}

impl<'a, F: Float> Report<'a, F> {
    /// Measures a model on labelled samples.
    pub fn new(model: &'a Model<F>, test: &'a Dataset<F>) -> Result<Self> {
        if test.classes != model.classes() {
            return Err(Error::data("the samples of a report have other classes than the model"));
        }
        let decided = model.predict(test.x.view())?;
        let right: Vec<bool> = decided.iter().zip(&test.y).map(|(a, b)| a == b).collect();
        let certainty = Certainty::Probability.of(model, test, &decided)?;
        Ok(Report {
            model,
            test,
            probabilities: model.probabilities(test.x.view())?,
            evaluation: evaluate(model, test)?,
            uses: prototype_uses(model, test)?,
            winners: model.winners(test.x.view())?,
            refusal: RefusalCurve::new(&certainty, &right),
            decided,
            image: image_size(model),
            title: format!("{} model", model.provenance().method),
            test_name: "the test samples".into(),
            micros: None,
            baselines: Vec::new(),
            before: None,
            mesh: None,
        })
    }

    /// What the page is called.
    pub fn titled(mut self, title: &str) -> Self {
        self.title = title.into();
        self
    }

    /// What the samples are called.
    pub fn on(mut self, test_name: &str) -> Self {
        self.test_name = test_name.into();
        self
    }

    /// Microseconds that a query takes, as measured by the caller.
    pub fn taking(mut self, micros: f64) -> Self {
        self.micros = Some(micros);
        self
    }

    /// Shows samples as images of this size, or, for none, as tables, in place of what is guessed.
    pub fn image(mut self, size: Option<ImageSize>) -> Result<Self> {
        if let Some(size) = size {
            ImageSize::for_features(Some(size), self.test.dim())?;
        }
        self.image = size;
        Ok(self)
    }

    /// The numbers in brief.
    pub fn summary(&self) -> Summary {
        Summary {
            wrong: self.evaluation.wrong,
            samples: self.evaluation.samples,
            error: self.evaluation.error,
            prototypes: self.uses.len(),
            bytes: self.model.bytes(),
            baselines: self.baselines.clone(),
            try_it_refused: embed::refused(self.model),
        }
    }

    /// One figure as an SVG file of its own, which follows the light or dark setting of its reader.
    pub fn svg(&self, figure: Figure) -> Result<String> {
        Ok(svg::standing_alone(&figure.draw(self)?.svg, include_str!("figure.css")))
    }

    /// The same in light colours only and without style sheets that ask questions, for programs that turn SVG into something else.
    pub fn plain_svg(&self, figure: Figure) -> Result<String> {
        Ok(svg::standing_alone(&figure.draw(self)?.svg, &svg::plain_style(include_str!("figure.css"))))
    }

    /// The page.
    pub fn html(&self) -> Result<String> {
        page::html(self)
    }

    /// Prototypes in the units of the input; none where preprocessing cannot be undone.
    fn shown_prototypes(&self) -> Option<Array2<F>> {
        self.in_input_units(self.model.prototypes().x.clone())
    }

    fn in_input_units(&self, z: Array2<F>) -> Option<Array2<F>> {
        let lost = |s: &Step<F>| matches!(s, Step::Hog(_) | Step::Unit);
        (!self.model.pipeline().steps.iter().any(lost)).then(|| self.model.pipeline().invert(z))
    }
}

/// The size of the images that a model was trained on: as its preprocessing or settings say, or square for many features
/// without names.
fn image_size<F: Float>(model: &Model<F>) -> Option<ImageSize> {
    for step in &model.pipeline().steps {
        match step {
            Step::Deskew(s) => return Some(s.size),
            Step::Hog(s) => return Some(s.size),
            _ => {}
        }
    }
    let features = model.features();
    let given = model.provenance().settings.get("image").and_then(|s| ImageSize::parse(s));
    let nameless = features.iter().enumerate().all(|(j, name)| *name == format!("f{j}"));
    let square = || ImageSize::for_features(None, features.len()).ok();
    let guessed = || square().filter(|_| nameless && features.len() >= LEAST_PIXELS);
    given.filter(|s| s.width * s.height == features.len()).or_else(guessed)
}

#[cfg(feature = "datasets")]
#[cfg(test)]
mod tests;
