//! A model as something to look at: one page of HTML that needs nothing else, and single figures as SVG.
//!
//! ```
//! # #[cfg(feature = "datasets")] {
//! use protea::{Trainer, report::Report, catalog::{self, Part}};
//!
//! let data = catalog::load::<f32>("wine", Part::All, None)?;
//! let model = Trainer::named("npc")?.set("per-class", "2")?.set("epochs", "5")?.fit(&data)?;
//! let report = Report::new(&model, &data)?.titled("Wine");
//! assert!(report.html()?.contains("Try it"));
//! # }
//! # Ok::<(), protea::Error>(())
//! ```
//!
//! | file | what it does |
//! |---|---|
//! | `measures.rs` | what is measured beyond `eval`: the anytime curve, what features decide |
//! | `baselines.rs` | 1-NN and k-means in the same representation, and McNemar's test |
//! | `map.rs`, `regions.rs`, `off_plane.rs` | two dimensions of the samples, prototypes and regions |
//! | `mesh.rs` | accuracy over γ in training and in deciding |
//! | `figures.rs`, `confusion.rs`, `curves.rs`, `reliability.rs`, `map_figure.rs`, `label_layout.rs`, `svg.rs` | drawings with the numbers behind them; the page and single files share them |
//! | `page.rs`, `summary.rs`, `data.rs`, `prototypes.rs`, `mistakes.rs` | the page |
//! | `columns.rs` | columns of the input as a reader knows them: a category is one, however many features it became |
//! | `comparison.rs` | a page about several classifiers |
//! | `embed.rs`, `page.js`, `wide.js` | the model inside the page, what answers there, and what marks wide tables |
//! | `policy.rs` | what the page may do: run its own script, and load nothing |

mod baselines;
mod columns;
mod comparison;
mod confusion;
mod curves;
mod data;
mod embed;
mod encode;
mod figures;
mod label_layout;
mod map;
mod map_figure;
mod measures;
mod mesh;
mod mistakes;
mod off_plane;
mod page;
mod policy;
mod prototypes;
mod regions;
mod reliability;
mod summary;
mod svg;

pub use baselines::Baseline;
pub use comparison::{Compared, comparison};
pub use figures::Figure;

use crate::eval::{Answers, Certainty, Evaluation, PrototypeUse, RefusalCurve};
use crate::represent::{ImageSize, Nature};
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
    /// The only place where the model is asked about all samples.
    answers: Answers,
    evaluation: Evaluation,
    uses: Vec<PrototypeUse>,
    refusal: RefusalCurve,
    image: Option<ImageSize>,
    title: String,
    test_name: String,
    micros: Option<f64>,
    baselines: Vec<Baseline>,
    /// Training samples of each class, if they are known.
    training_counts: Option<Vec<usize>>,
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
            return Err(Error::different_classes("the samples of the report", "the model"));
        }
        let answers = Answers::of(model, test)?;
        Ok(Report {
            model,
            test,
            evaluation: answers.evaluation(test),
            uses: answers.prototype_uses(model, test),
            refusal: answers.refusal(test, Certainty::Probability),
            answers,
            image: image_size(model),
            title: format!("{} model", model.provenance().method),
            test_name: "the test samples".into(),
            micros: None,
            baselines: Vec::new(),
            training_counts: None,
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
            try_it_refused: embed::plan(self.model).err(),
        }
    }

    /// One figure as a stand-alone SVG file, which follows the light or dark setting of its reader.
    pub fn svg(&self, figure: Figure) -> Result<String> {
        Ok(svg::standing_alone(&figure.draw(self)?.svg, include_str!("figure.css")))
    }

    /// The same in light colours only and without media queries, for programs that turn SVG into something else.
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
        let steps = &self.model.pipeline().steps;
        (!steps.iter().any(|s| s.nature() == Nature::Other)).then(|| self.model.pipeline().invert(z))
    }
}

/// The size of the images that a model was trained on: as its preprocessing or settings say, or square for many features
/// without names.
fn image_size<F: Float>(model: &Model<F>) -> Option<ImageSize> {
    if let Some(size) = model.pipeline().steps.iter().find_map(|step| step.image()) {
        return Some(size);
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
