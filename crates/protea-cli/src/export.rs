//! `protea export`: a model in the format of another program.

use crate::args::{Common, Export, ExportFormat};
use crate::input::ModelFile;
use crate::{output, with_float};
use anyhow::Result;
use protea::io::{lvq_pak, write_atomically};
use protea::metric::MetricKind;
use protea::model::{Head, Rule};
use protea::{Error, Float, Model, SettingValue};
use serde_json::json;

/// Writes a model of either element type.
pub fn run(args: &Export, common: &Common) -> Result<()> {
    let file = ModelFile::read(&args.model)?;
    with_float!(file.precision()?, F => {
        let model = file.load::<F>()?;
        let text = match args.to {
            ExportFormat::LvqPak => codebook(&model)?,
        };
        let Some(path) = &args.output else { return Ok(output::print(&text)?) };
        write_atomically(path, text.as_bytes())?;
        if common.json {
            let (prototypes, file) = (model.prototypes().y.len(), path.display().to_string());
            return output::print_json(&json!({ "prototypes": prototypes, "file": file }));
        }
        Ok(())
    })
}

/// The prototypes in the units of the input; refused if their nearest neighbours alone do not decide as the model does.
fn codebook<F: Float>(model: &Model<F>) -> Result<String> {
    if let Some(what) = more_than_codebook(model) {
        let problem = format!("this model has {what}, which a codebook cannot hold");
        return Err(Error::unsupported(problem).into());
    }
    let labels: Vec<&str> = model.prototypes().y.iter().map(|&y| model.classes()[y].as_str()).collect();
    Ok(lvq_pak::write(model.prototypes_in_input_units().view(), &labels)?)
}

/// What a model has beyond labelled prototypes under the Euclidean distance of the input.
fn more_than_codebook<F: Float>(model: &Model<F>) -> Option<String> {
    let head = match model.head() {
        None => None,
        Some(Head::Affine { .. }) => Some("scores with a weight and a bias for each class"),
        Some(Head::Ensemble { .. }) => Some("scores over an ensemble of learners"),
        Some(Head::Members { .. }) => Some("members whose distances are averaged"),
    };
    let coder = model.coding().map(|_| "a coder");
    // A shift and one factor for all features change no nearest prototype.
    let step = || model.pipeline().steps.iter().find(|s| !s.keeps_proportions());
    let metric = model.metric().kind();
    let found = coder.or(head).map(String::from);
    let found =
        found.or_else(|| (metric != MetricKind::Euclidean).then(|| format!("a {} metric", metric.show())));
    let found = found.or_else(|| step().map(|s| format!("preprocessing ({})", s.describe())));
    let rule = || match model.rule() {
        Rule::Nearest(1) => None,
        rule => Some(format!("the decision rule {}", rule.show())),
    };
    found.or_else(rule)
}
