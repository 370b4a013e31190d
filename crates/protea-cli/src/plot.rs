//! `protea plot`: one figure of a model.

use crate::args::{Common, Plot};
use crate::input::{ModelFile, Reader, Source, schema_of};
use crate::output::{self, write_or_print};
use crate::report::shaped;
use crate::with_float;
use anyhow::Result;
use protea::data::catalog::Part;
use protea::report::Report;
use protea::{Error, Float, Model, SettingValue};
use serde_json::json;

/// Draws a figure of a model of either element type.
pub fn run(args: &Plot, common: &Common) -> Result<()> {
    if let Some(path) = &args.output
        && path.extension().is_none_or(|e| !e.eq_ignore_ascii_case("svg"))
    {
        let shown = path.display();
        return Err(
            Error::setting("output", shown, "a name that ends in .svg: figures are drawn as SVG").into()
        );
    }
    let file = ModelFile::read(&args.model)?;
    with_float!(file.precision()?, F => plot::<F>(file.load()?, args, common))
}

fn plot<F: Float>(model: Model<F>, args: &Plot, common: &Common) -> Result<()> {
    let reader = Reader { reading: &args.reading, data_dir: common.data_dir.as_deref() };
    let source = Source::find(&args.test)?.or_part(Part::Test);
    let test = reader.labelled::<F>(&source, &schema_of(&model))?;
    let svg = shaped(Report::new(&model, &test)?, &args.shape)?.svg(args.what)?;
    write_or_print(args.output.as_deref(), svg.as_bytes())?;
    if let (true, Some(path)) = (common.json, &args.output) {
        return output::print_json(
            &json!({ "figure": args.what.show(), "file": path.display().to_string() }),
        );
    }
    Ok(())
}
