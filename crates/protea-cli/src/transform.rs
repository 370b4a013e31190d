//! `protea transform`: rows as they are after a model's preprocessing.

use crate::args::{Common, Transform};
use crate::input::{Reader, Source, schema_of};
use crate::open::open;
use crate::output::{self, check_output, given, write_or_print};
use crate::with_float;
use anyhow::Result;
use protea::catalog::Part;
use protea::io::npy::{NpyValues, write};
use protea::{Float, Model};

/// Transforms with a model of either element type.
pub fn run(args: &Transform, common: &Common) -> Result<()> {
    let inputs = given(&[Some(&args.model), Some(&args.input), args.reading.labels.as_ref()]);
    check_output(args.output.as_deref(), "table", &inputs)?;
    let file = open(&args.model, &args.input)?;
    with_float!(file.precision()?, F => transform::<F>(file.load()?, args, common))
}

fn transform<F: Float>(model: Model<F>, args: &Transform, common: &Common) -> Result<()> {
    let reader = Reader { reading: &args.reading, data_dir: common.data_dir.as_deref() };
    let source = Source::find(&args.input)?.or_part(Part::Test);
    let x = reader.samples::<F>(&source, &schema_of(&model))?;
    let z = model.transform(x.view())?;
    let array = args.output.as_ref().is_some_and(|p| p.extension().is_some_and(|e| e == "npy"));
    let bytes = if array {
        write(NpyValues::Floats(z.as_slice().expect("samples are row-major")), z.shape())
    } else if common.json {
        let rows: Vec<Vec<f64>> = z.rows().into_iter().map(|r| r.iter().map(|v| v.f64()).collect()).collect();
        serde_json::to_vec(&rows)?
    } else {
        let header = (0..z.ncols()).map(|j| format!("z{j}")).collect();
        output::csv(header, z.rows().into_iter().map(|r| r.iter().map(F::to_string).collect()))?
    };
    write_or_print(args.output.as_deref(), &bytes)
}
