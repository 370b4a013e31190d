//! `protea report`: a page about a model.

use crate::args::{Common, Image, Report as Args, Shape};
use crate::input::{Reader, Source, schema_of};
use crate::open::open;
use crate::output::{self, check_output, given, pairs, percent};
use crate::progress::Display;
use crate::signals::saving;
use crate::with_float;
use anyhow::Result;
use protea::catalog::Part;
use protea::eval::micros_per_query;
use protea::io::write_atomically;
use protea::report::Report;
use protea::{Error, Float, Model};
use serde_json::{Value, json};
use std::path::Path;

/// Steps that progress counts: measuring, three of the baselines, the page.
const STEPS: usize = 5;

/// Writes the page of a model of either element type.
pub fn run(args: &Args, common: &Common) -> Result<()> {
    let file = open(&args.model, &args.test)?;
    check_output(
        Some(&args.output),
        "page",
        &given(&[Some(&args.model), Some(&args.test), args.train.as_ref(), args.reading.labels.as_ref()]),
    )?;
    with_float!(file.precision()?, F => report::<F>(file.load()?, args, common))
}

fn report<F: Float>(model: Model<F>, args: &Args, common: &Common) -> Result<()> {
    let reader = Reader { reading: &args.reading, data_dir: common.data_dir.as_deref() };
    let schema = schema_of(&model);
    let test = reader.labelled::<F>(&Source::find(&args.test)?.or_part(Part::Test), &schema)?;
    let second = args.reading.for_second_input();
    let reader = Reader { reading: &second, ..reader };
    let find = |path: &Path| Ok::<_, Error>(Source::find(path)?.or_part(Part::Train));
    let train = args.train.as_deref().map(find).transpose()?;
    let train = train.map(|source| reader.labelled::<F>(&source, &schema)).transpose()?;
    let display = Display::new(common.quiet);
    display.step(0, STEPS, "measuring");
    // A page that is passed on does not tell where its maker keeps files.
    let name =
        args.test.file_name().map_or_else(|| args.test.display().to_string(), |n| n.to_string_lossy().into());
    let title = args.title.clone().unwrap_or_else(|| format!("{} on {name}", model.provenance().method));
    let micros = micros_per_query(&model, test.x.view())?;
    let mut report =
        shaped(Report::new(&model, &test)?, &args.shape)?.titled(&title).on(&name).taking(micros);
    if let Some(train) = &train {
        let mut at = 0;
        report = report.against(train, |what| {
            at += 1;
            display.step(at, STEPS, what);
        })?;
    }
    if let (true, Some(train)) = (args.mesh, &train) {
        report = report.meshed(train, |at, of| display.step(at, of, "training at several γ"))?;
    }
    display.step(STEPS - 1, STEPS, "drawing");
    let page = report.html()?;
    saving(|| write_atomically(&args.output, page.as_bytes()))?;
    display.done();
    let (summary, path) = (report.summary(), args.output.display().to_string());
    if common.json {
        let mut document = serde_json::to_value(&summary)?;
        if let Value::Object(map) = &mut document {
            map.insert("micros_per_query".into(), json!(micros));
            map.insert("file".into(), json!(path));
            map.insert("file_bytes".into(), json!(page.len()));
        }
        return output::print_json(&document);
    }
    let wrong = format!("{} ({} of {} samples)", percent(summary.error), summary.wrong, summary.samples);
    let mut lines = vec![("page", format!("{path}, {} kB", page.len().div_ceil(1000))), ("error", wrong)];
    for b in &summary.baselines {
        lines.push(("against", format!("{}: {}, McNemar p {:.4}", b.name, percent(b.error), b.test.p)));
    }
    lines.extend(summary.try_it_refused.map(|why| ("try it", why)));
    Ok(output::print(&pairs(&lines))?)
}

/// The report with images or tables, as asked for.
pub fn shaped<'a, F: Float>(report: Report<'a, F>, shape: &Shape) -> Result<Report<'a, F>, Error> {
    match shape.image {
        None => Ok(report),
        Some(Image::No) => report.image(None),
        Some(Image::Of(size)) => report.image(Some(size)),
    }
}
