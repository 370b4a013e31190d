//! `protea calibrate`: a model with probabilities that fit new labelled rows.

use crate::args::{Calibrate, Common};
use crate::input::{Reader, Source, schema_of};
use crate::open::open;
use crate::output::{self, check_output, pairs};
use crate::signals::saving;
use crate::with_float;
use anyhow::Result;
use protea::catalog::Part;
use protea::eval::evaluate;
use protea::{Float, Model};
use serde_json::json;

/// Calibrates a model of either element type.
pub fn run(args: &Calibrate, common: &Common) -> Result<()> {
    check_output(Some(&args.output), "model", &[&args.model, &args.input])?;
    let file = open(&args.model, &args.input)?;
    with_float!(file.precision()?, F => calibrate::<F>(file.load()?, args, common))
}

fn calibrate<F: Float>(model: Model<F>, args: &Calibrate, common: &Common) -> Result<()> {
    let reader = Reader { reading: &args.reading, data_dir: common.data_dir.as_deref() };
    let source = Source::find(&args.input)?.or_part(Part::Test);
    let data = reader.labelled::<F>(&source, &schema_of(&model))?;
    let before = (model.gamma(), evaluate(&model, &data)?.log_loss);
    let model = model.calibrated(&data)?;
    let after = (model.gamma(), evaluate(&model, &data)?.log_loss);
    saving(|| model.save(&args.output))?;
    let path = args.output.display().to_string();
    if common.json {
        return output::print_json(&json!({
            "samples": data.len(), "gamma": after.0, "gamma_before": before.0, "log_loss": after.1,
            "log_loss_before": before.1, "model": path,
        }));
    }
    Ok(output::print(&pairs(&[
        ("calibrated on", format!("{} samples", data.len())),
        ("γ", format!("{:.6}, before {:.6}", after.0, before.0)),
        ("log loss on them", format!("{:.4}, before {:.4}", after.1, before.1)),
        ("saved in", path),
    ]))?)
}
