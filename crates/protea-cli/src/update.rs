//! `protea fit --from`: goes on training a model, also with new rows and new classes.

use crate::args::{Common, Fit};
use crate::describe;
use crate::input::{Reader, Source, schema_of};
use anyhow::Result;
use protea::data::{Schema, SchemaOptions};
use protea::{Dataset, Error, Float, Model, Trainer};
use std::path::Path;

/// A trainer that starts where `model` ended, the samples to go on with, and how files become such samples.
pub fn prepare<F: Float>(
    model: Model<F>,
    source: &Source,
    args: &Fit,
    common: &Common,
) -> Result<(Trainer<F>, Schema, Dataset<F>)> {
    if args.train == Path::new("-") {
        let expected = "a file or a data set, with --from: it is read twice";
        return Err(Error::setting("TRAIN", "-", expected).into());
    }
    let reader = Reader { reading: &args.data.reading(), data_dir: common.data_dir.as_deref() };
    let trainer = trainer(&model, args)?;
    let mut schema = schema_of(&model);
    // The classes of the new rows, then the rows as the model sees them.
    let options = SchemaOptions { keep_all: true, ..args.data.schema() };
    let (seen, _, findings) = reader.train::<F>(source, &options)?;
    describe::say_more_rows(findings.as_ref(), schema.dim(), common);
    let new: Vec<String> = seen.classes.into_iter().filter(|c| !schema.classes.contains(c)).collect();
    schema.classes.extend(new.iter().cloned());
    let data = reader.labelled::<F>(source, &schema)?;
    let (per_class, seed) = (&trainer.training.start.per_class, trainer.training.start.seed);
    let wider = model.with_new_classes(&data, per_class, seed)?;
    if !new.is_empty() && !common.quiet {
        crate::complain("new classes", &new.join(", "));
    }
    Ok((trainer.resume(&wider), schema, data))
}

/// The model's method and settings, or those that are given.
fn trainer<F: Float>(model: &Model<F>, args: &Fit) -> Result<Trainer<F>> {
    let p = model.provenance();
    // A model of `auto` was trained by the method that it chose.
    let own = p.settings.get("recipe").unwrap_or(&p.method);
    let name = args.method.as_ref().unwrap_or(own);
    let mut trainer = Trainer::<F>::named(name)?;
    if name == own {
        let defaults = trainer.training.values();
        for (setting, value) in p.settings.iter().filter(|(n, v)| defaults.get(*n) != Some(v)) {
            // What describes the course of a training, such as what `auto` chose, is no setting.
            trainer = match Trainer::<F>::named(name)?.set(setting, value) {
                Ok(_) => trainer.set(setting, value)?,
                Err(_) => trainer,
            };
        }
    }
    // Preprocessing stays as it is.
    trainer = trainer.resume(model);
    for (setting, value) in &args.settings.0 {
        trainer = trainer.set(setting, value)?;
    }
    trainer.check_given()?;
    Ok(trainer)
}
