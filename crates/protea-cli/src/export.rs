//! `protea export`: a model in the format of another program.

use crate::args::{Common, Export, ExportFormat};
use crate::input::ModelFile;
use crate::{complain, output, with_float};
use anyhow::Result;
use protea::io::{lvq_pak, write_atomically};
use protea::{Float, Model};
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

/// The prototypes in the units of the input.
fn codebook<F: Float>(model: &Model<F>) -> Result<String> {
    if !is_euclidean(model) {
        let what = "the codebook carries prototypes only, not the model's scaling and metric, so programs that measure \
                    plain Euclidean distances may decide otherwise";
        complain("warning", what);
    }
    let labels: Vec<&str> = model.prototypes().y.iter().map(|&y| model.classes()[y].as_str()).collect();
    Ok(lvq_pak::write(model.prototypes_in_input_units().view(), &labels)?)
}

/// Whether the nearest prototype is the same in the units of the input.
fn is_euclidean<F: Float>(model: &Model<F>) -> bool {
    model.components().is_none() && model.pipeline().steps.iter().all(|s| s.keeps_proportions())
}
