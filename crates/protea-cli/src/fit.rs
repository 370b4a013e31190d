//! `protea fit`: train a model and save it.

use crate::args::{Common, Fit};
use crate::costs;
use crate::describe;
use crate::input::{self, ModelFile, Reader, Source};
use crate::output::{self, check_output, given, pairs, percent, short};
use crate::progress::Display;
use crate::reading::Precision;
use crate::signals::{self, Interrupted, interrupted, saving};
use crate::update;
use anyhow::Result;
use protea::catalog::Part;
use protea::data::{Findings, Schema};
use protea::progress::Stopped;
use protea::{Dataset, Error, Float, Model, SettingValue, Trainer};
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// The element type: that of the model to go on from, or the one asked for.
pub fn precision(args: &Fit) -> Result<Precision, Error> {
    args.from.as_ref().map_or(Ok(args.data.precision), |path| ModelFile::read(path)?.precision())
}

/// Checks everything that can be checked before training, trains, saves, sums up.
pub fn run<F: Float>(args: &Fit, common: &Common) -> Result<()> {
    let name = args.method();
    let mut trainer = Trainer::<F>::named(name)?;
    if args.from.is_none() {
        for (name, value) in &args.settings.0 {
            trainer = trainer.set(name, value)?;
        }
    }
    if args.metric_matrix.is_none() {
        // A given matrix changes the metric, and with that which settings are used; training looks at them again.
        trainer.check_given()?;
    }
    check_output(Some(&args.output), "model", &inputs(args))?;

    let reading = args.data.reading();
    let reader = Reader { reading: &reading, data_dir: common.data_dir.as_deref() };
    let source = Source::find(&args.train)?.or_part(Part::Train);
    let (schema, train, findings) = match &args.from {
        None => {
            let (schema, train, findings) = reader.train::<F>(&source, &args.data.schema())?;
            describe::say(findings.as_ref(), common);
            (schema, train, findings)
        }
        Some(path) => {
            let (resumed, schema, train) =
                update::prepare(ModelFile::read(path)?.load()?, &source, args, common)?;
            trainer = resumed;
            (schema, train, None)
        }
    };
    let valid = match &args.valid {
        Some(path) => {
            let reading = &reading.for_second_input();
            let source = Source::find(path)?.or_part(Part::Test);
            Some(Reader { reading, ..reader }.labelled::<F>(&source, &schema)?)
        }
        None => None,
    };
    trainer = with_files(trainer, args, &schema, &train)?;

    let mut display = Display::new(common.quiet);
    let start = Instant::now();
    let model = signals::training(|| trainer.fit_with(&train, valid.as_ref(), &mut display));
    let seconds = start.elapsed();
    display.done();
    if let (Err(_), true) = (&model, interrupted()) {
        crate::complain("interrupted", "there was no model yet, and nothing was saved");
        return Err(Interrupted.into());
    }
    let model = model?.with_schema(schema)?;
    saving(|| model.save(&args.output))?;

    let valid_error = valid_error(&model, valid.as_ref())?;
    warn(&model);
    summarise(&model, valid_error, seconds, findings.as_ref(), &args.output, common)?;
    if interrupted() { Err(Interrupted.into()) } else { Ok(()) }
}

/// Every file that the command reads.
fn inputs(args: &Fit) -> Vec<&Path> {
    given(&[
        Some(&args.train),
        args.valid.as_ref(),
        args.data.reading.labels.as_ref(),
        args.metric_matrix.as_ref(),
        args.prototypes.as_ref(),
        args.dictionary.as_ref(),
        args.from.as_ref(),
        args.cost.as_ref(),
    ])
}

/// The trainer with what files give: costs, a matrix, a dictionary, first prototypes.
fn with_files<F: Float>(
    mut trainer: Trainer<F>,
    args: &Fit,
    schema: &Schema,
    train: &Dataset<F>,
) -> Result<Trainer<F>> {
    let reading = &args.data.reading;
    if let Some(path) = &args.cost {
        trainer = trainer.costs(costs::read(path, reading, &schema.classes)?);
    }
    if let Some(path) = &args.metric_matrix {
        let learns = trainer.method().learns_by() == "objective";
        trainer = trainer.metric_matrix(input::matrix(path, reading)?, learns && !args.freeze_metric);
    }
    if let Some(path) = &args.dictionary {
        trainer = trainer.dictionary(ModelFile::read(path)?.load()?)?;
    }
    if let Some(path) = &args.prototypes {
        trainer = trainer.start_from(input::prototypes(path, reading, schema, train)?);
    }
    Ok(trainer)
}

/// Error on validation samples, given or held out, of the model that was kept.
fn valid_error<F: Float>(model: &Model<F>, valid: Option<&Dataset<F>>) -> Result<Option<f64>, Error> {
    match valid {
        Some(valid) => model.error(valid).map(Some),
        None => {
            let errors = model.provenance().history.iter().filter_map(|r| r.valid_error);
            Ok(errors.min_by(f64::total_cmp))
        }
    }
}

/// Says on standard error what a user should not overlook.
fn warn<F: Float>(model: &Model<F>) {
    match model.provenance().stopped {
        Stopped::Interrupted => crate::complain("interrupted", "the best model so far was saved"),
        Stopped::Diverged => {
            let what =
                "training diverged and the last sound iterate was kept; lower --rate or use another --scale";
            crate::complain("warning", what);
        }
        Stopped::Unconverged => {
            crate::complain(
                "warning",
                "steps ran out before the descent converged; raise --max-iter or --tol",
            );
        }
        Stopped::Finished | Stopped::Early => {}
    }
    if model.provenance().kept_start {
        let what = "training did not lower the training error, so the first prototypes were kept";
        crate::complain("warning", what);
    }
}

fn summarise<F: Float>(
    model: &Model<F>,
    valid_error: Option<f64>,
    seconds: Duration,
    findings: Option<&Findings>,
    output: &Path,
    common: &Common,
) -> Result<()> {
    // A model that goes to standard output has it for itself.
    let tell = |text: &str| match protea::io::is_standard_output(output) {
        true => std::io::stderr().write_all(output::shown(text).as_bytes()),
        false => output::print(text),
    };
    let p = model.provenance();
    let (m, seconds) = (model.prototypes().y.len(), seconds.as_secs_f64());
    let epochs = p.history.last().map(|r| r.epoch);
    if common.json {
        let document = json!({
            "method": p.method, "precision": F::NAME, "samples": p.samples, "features": model.features().len(),
            "classes": model.classes().len(), "prototypes": m, "bytes": model.bytes(),
            "file_bytes": output::file_size(output),
            "train_error": p.train_error, "valid_error": valid_error, "seconds": seconds, "epochs": epochs,
            "stopped": p.stopped, "notes": p.notes, "trials": p.trials, "data": findings.map(describe::brief),
            "model": output.display().to_string(),
        });
        return Ok(tell(&(serde_json::to_string_pretty(&document)? + "\n"))?);
    }
    let classes = model.classes().len();
    let mut lines = vec![
        ("method", p.method.clone()),
        (
            "trained on",
            format!("{} samples, {} features, {classes} classes", p.samples, model.features().len()),
        ),
        ("prototypes", m.to_string()),
        ("size", output::sizes(model.bytes(), output)),
    ];
    lines.extend(p.train_error.map(|e| ("training error", percent(e))));
    lines.extend(valid_error.map(|e| ("validation error", percent(e))));
    let course = match epochs {
        Some(n) => format!("{} s, {} after {n} epochs or steps", short(seconds), p.stopped.show()),
        None => format!("{} s", short(seconds)),
    };
    lines.extend([("training", course), ("saved in", output.display().to_string())]);
    lines.extend(p.notes.iter().map(|note| ("note", note.clone())));
    Ok(tell(&pairs(&lines))?)
}
