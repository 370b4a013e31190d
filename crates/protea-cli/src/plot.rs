//! `protea plot`: one figure of a model.

use crate::args::{Common, Plot};
use crate::input::{Reader, Source, schema_of};
use crate::open::open;
use crate::output::{self, check_output, given, write_or_print};
use crate::progress::Display;
use crate::report::shaped;
use crate::{raster, with_float};
use anyhow::Result;
use protea::catalog::Part;
use protea::report::{Figure, Report};
use protea::{Error, Float, Model, SettingValue};
use serde_json::json;
use std::path::Path;

/// What a figure is written as.
#[derive(Clone, Copy, PartialEq)]
enum Format {
    Svg,
    Png,
}

impl Format {
    fn of(path: &Path) -> Result<Self, Error> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match &*ending {
            "svg" => Ok(Format::Svg),
            "png" => Ok(Format::Png),
            _ => Err(Error::setting("output", path.display(), "a name that ends in .svg or .png")),
        }
    }
}

/// Draws a figure of a model of either element type.
pub fn run(args: &Plot, common: &Common) -> Result<()> {
    let format = args.output.as_deref().map_or(Ok(Format::Svg), Format::of)?;
    if args.what == Figure::Mesh && args.train.is_none() {
        return Err(Error::setting(
            "train",
            "not given",
            "the training samples: mesh trains again at several γ",
        )
        .into());
    }
    let inputs =
        given(&[Some(&args.model), Some(&args.test), args.train.as_ref(), args.reading.labels.as_ref()]);
    check_output(args.output.as_deref(), "figure", &inputs)?;
    let file = open(&args.model, &args.test)?;
    with_float!(file.precision()?, F => plot::<F>(file.load()?, format, args, common))
}

fn plot<F: Float>(model: Model<F>, format: Format, args: &Plot, common: &Common) -> Result<()> {
    let reader = Reader { reading: &args.reading, data_dir: common.data_dir.as_deref() };
    let schema = schema_of(&model);
    let test = reader.labelled::<F>(&Source::find(&args.test)?.or_part(Part::Test), &schema)?;
    let mut report = shaped(Report::new(&model, &test)?, &args.shape)?;
    if let (Figure::Mesh, Some(path)) = (args.what, &args.train) {
        let second = args.reading.for_second_input();
        let source = Source::find(path)?.or_part(Part::Train);
        let train = Reader { reading: &second, ..reader }.labelled::<F>(&source, &schema)?;
        let display = Display::new(common.quiet);
        report = report.meshed(&train, |at, of| display.step(at, of, "training at several γ"))?;
        display.done();
    }
    let bytes = match format {
        Format::Svg => report.svg(args.what)?.into_bytes(),
        Format::Png => raster::png(&report.plain_svg(args.what)?)?,
    };
    write_or_print(args.output.as_deref(), &bytes)?;
    if let (true, Some(path)) = (common.json, &args.output) {
        return output::print_json(
            &json!({ "figure": args.what.show(), "file": path.display().to_string(), "file_bytes": bytes.len() }),
        );
    }
    Ok(())
}
