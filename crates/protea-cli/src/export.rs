//! `protea export`: a model in the format of another program.

use crate::args::{Common, Export, ExportFormat};
use crate::input::ModelFile;
use crate::output::{self, check_output};
use crate::signals::saving;
use crate::with_float;
use anyhow::Result;
use protea::io::{lvq_pak, write_atomically};
use protea::model::{Head, Rule};
use protea::{Error, Float, Model, SettingValue};
use serde_json::json;

/// Writes a model of either element type.
pub fn run(args: &Export, common: &Common) -> Result<()> {
    check_output(args.output.as_deref(), "file", &[&args.model])?;
    let file = ModelFile::read(&args.model)?;
    with_float!(file.precision()?, F => {
        let model = file.load::<F>()?;
        let text = match args.to {
            ExportFormat::LvqPak => codebook(&model)?,
        };
        let Some(path) = &args.output else { return Ok(output::print(&text)?) };
        saving(|| write_atomically(path, text.as_bytes()))?;
        if common.json {
            let (prototypes, file) = (model.prototypes().y.len(), path.display().to_string());
            return output::print_json(&json!({ "prototypes": prototypes, "file": file }));
        }
        Ok(())
    })
}

/// The prototypes in the units of the input; refused if their nearest neighbours alone do not decide as the model does.
fn codebook<F: Float>(model: &Model<F>) -> Result<String> {
    if let Some((what, instead)) = more_than_codebook(model) {
        let problem =
            format!("this model has {what}, which a codebook cannot hold; train one with {instead}");
        return Err(Error::unsupported(problem).into());
    }
    let labels: Vec<&str> = model.prototypes().y.iter().map(|&y| model.classes()[y].as_str()).collect();
    Ok(lvq_pak::write(model.prototypes_in_input_units().view(), &labels)?)
}

/// What a model has beyond labelled prototypes under the Euclidean distance of the input, and how to train one without.
fn more_than_codebook<F: Float>(model: &Model<F>) -> Option<(String, &'static str)> {
    if model.coding().is_some() {
        return Some(("a coder".into(), "a method that learns prototypes, such as -m npc"));
    }
    match model.head() {
        None => {}
        Some(Head::Affine { .. }) => {
            return Some((
                "scores with a weight and a bias for each class".into(),
                "-m npc, or pnn --rounds 1",
            ));
        }
        Some(Head::Ensemble { .. }) => {
            return Some(("scores over an ensemble of learners".into(), "-m npc or pnn"));
        }
        Some(Head::Members { .. }) => {
            return Some(("members whose distances are averaged".into(), "--members 1"));
        }
    }
    let metric = model.metric().tag();
    if metric != "euclidean" {
        return Some((format!("a {metric} metric"), "-m npc or glvq and --metric euclidean"));
    }
    // A shift and one factor for all features change no nearest prototype.
    if let Some(step) = model.pipeline().steps.iter().find(|s| !s.keeps_proportions()) {
        let instead = "--scale global and no other preprocessing";
        return Some((format!("preprocessing ({})", step.describe()), instead));
    }
    match model.rule() {
        Rule::Nearest(1) => None,
        rule => Some((format!("the decision rule {}", rule.show()), "--rule 1-np")),
    }
}
