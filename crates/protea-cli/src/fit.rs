//! `protea fit`: train a model and save it.

use crate::args::{Common, Fit};
use crate::input::{self, ModelFile, Reader, Source};
use crate::output::{self, check_writable, pairs, percent, short};
use crate::progress::{self, Display};
use anyhow::Result;
use protea::catalog::Part;
use protea::method::method;
use protea::progress::Stopped;
use protea::{Dataset, Error, Float, Model, SettingValue, Trainer};
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};

/// Checks everything that can be checked before training, trains, saves, sums up.
pub fn run<F: Float>(args: &Fit, common: &Common) -> Result<()> {
    let mut trainer = Trainer::<F>::named(&args.method)?;
    for (name, value) in &args.settings.0 {
        trainer = trainer.set(name, value)?;
    }
    if args.metric_matrix.is_none() {
        // A given matrix changes the metric, and with that which settings are used; training looks at them again.
        trainer.check_given()?;
    }
    check_writable(&args.output, "model")?;

    let reader = Reader { reading: &args.data.reading, data_dir: common.data_dir.as_deref() };
    let source = Source::find(&args.train)?.or_part(Part::Train);
    let (schema, train) = reader.train::<F>(&source, args.data.missing.into())?;
    let valid = match &args.valid {
        Some(path) => {
            let reading = &args.data.reading.for_second_input();
            let source = Source::find(path)?.or_part(Part::Test);
            Some(Reader { reading, ..reader }.labelled::<F>(&source, &schema)?)
        }
        None => None,
    };
    if let Some(path) = &args.metric_matrix {
        let learns = method(&args.method)?.learns_by() == "objective";
        let matrix = input::matrix(path, &args.data.reading)?;
        trainer = trainer.metric_matrix(matrix, learns && !args.freeze_metric);
    }
    if let Some(path) = &args.dictionary {
        trainer = trainer.dictionary(ModelFile::read(path)?.load()?)?;
    }
    if let Some(path) = &args.prototypes {
        trainer = trainer.start_from(input::prototypes(path, &args.data.reading, &schema, &train)?);
    }

    progress::catch_interrupts()?;
    let mut display = Display::new(common.quiet);
    let start = Instant::now();
    let model = trainer.fit_with(&train, valid.as_ref(), &mut display);
    let seconds = start.elapsed();
    display.done();
    let model = model?.with_schema(schema)?;
    progress::saving(|| model.save(&args.output))?;

    let valid_error = valid_error(&model, valid.as_ref())?;
    warn(&model);
    summarise(&model, valid_error, seconds, &args.output, common)
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
    output: &Path,
    common: &Common,
) -> Result<()> {
    let p = model.provenance();
    let (m, seconds) = (model.prototypes().y.len(), seconds.as_secs_f64());
    let epochs = p.history.last().map(|r| r.epoch);
    if common.json {
        return output::print_json(&json!({
            "method": p.method, "precision": F::NAME, "samples": p.samples, "features": model.features().len(),
            "classes": model.classes().len(), "prototypes": m, "bytes": model.bytes(),
            "train_error": p.train_error, "valid_error": valid_error, "seconds": seconds, "epochs": epochs,
            "stopped": p.stopped, "model": output.display().to_string(),
        }));
    }
    let classes = model.classes().len();
    let mut lines = vec![
        ("method", p.method.clone()),
        (
            "trained on",
            format!("{} samples, {} features, {classes} classes", p.samples, model.features().len()),
        ),
        ("prototypes", m.to_string()),
        ("size", format!("{} bytes", model.bytes())),
    ];
    lines.extend(p.train_error.map(|e| ("training error", percent(e))));
    lines.extend(valid_error.map(|e| ("validation error", percent(e))));
    let course = match epochs {
        Some(n) => format!("{} s, {} after {n} epochs or steps", short(seconds), p.stopped.show()),
        None => format!("{} s", short(seconds)),
    };
    lines.extend([("training", course), ("saved in", output.display().to_string())]);
    Ok(output::print(&pairs(&lines))?)
}
