//! `protea represent`: every row as a weighted sum of a model's prototypes.

use crate::args::{Common, Represent};
use crate::input::{Reader, Source, schema_of};
use crate::open::open;
use crate::output::{self, check_output, given, write_or_print};
use crate::progress::in_chunks;
use crate::with_float;
use anyhow::Result;
use protea::catalog::Part;
use protea::coding::Code;
use protea::io::npy::{NpyValues, write, write_archive};
use protea::{Float, Model};
use serde_json::json;

/// Codes with a model of either element type.
pub fn run(args: &Represent, common: &Common) -> Result<()> {
    let inputs = given(&[Some(&args.model), Some(&args.input), args.reading.labels.as_ref()]);
    check_output(args.output.as_deref(), "table", &inputs)?;
    let file = open(&args.model, &args.input)?;
    with_float!(file.precision()?, F => represent::<F>(file.load()?, args, common))
}

fn represent<F: Float>(model: Model<F>, args: &Represent, common: &Common) -> Result<()> {
    let reader = Reader { reading: &args.reading, data_dir: common.data_dir.as_deref() };
    let source = Source::find(&args.input)?.or_part(Part::Test);
    let x = reader.samples::<F>(&source, &schema_of(&model))?;
    let mut codes = Vec::new();
    in_chunks(x.view(), 0, common.quiet, |rows| {
        codes.extend(model.represent(rows)?);
        Ok(())
    })?;
    let archive = args.output.as_ref().is_some_and(|p| p.extension().is_some_and(|e| e == "npz"));
    let bytes = match (archive, common.json) {
        (true, _) => npz(&codes, model.prototypes().y.len())?,
        (false, true) => json(&codes, &model)?,
        (false, false) => csv(&codes, &model)?,
    };
    write_or_print(args.output.as_deref(), &bytes)
}

/// One line for each weight; a code without any has one line with its residual alone.
fn csv<F: Float>(codes: &[Code<F>], model: &Model<F>) -> Result<Vec<u8>> {
    let header = ["row", "atom", "class", "weight", "residual"].map(String::from).to_vec();
    let rows = codes.iter().enumerate().flat_map(|(i, code)| {
        let residual = code.residual.to_string();
        let line = |(&j, w): (&usize, &F)| {
            let class = model.classes()[model.prototypes().y[j]].clone();
            vec![i.to_string(), j.to_string(), class, w.to_string(), residual.clone()]
        };
        let mut lines: Vec<Vec<String>> = code.atoms.iter().zip(&code.weights).map(line).collect();
        if lines.is_empty() {
            let none = String::new;
            lines.push(vec![i.to_string(), none(), none(), none(), residual.clone()]);
        }
        lines
    });
    output::csv(header, rows)
}

fn json<F: Float>(codes: &[Code<F>], model: &Model<F>) -> Result<Vec<u8>> {
    let class = |&j: &usize| &model.classes()[model.prototypes().y[j]];
    let code = |c: &Code<F>| {
        let weights: Vec<f64> = c.weights.iter().map(|w| w.f64()).collect();
        let classes: Vec<&String> = c.atoms.iter().map(class).collect();
        json!({ "atoms": c.atoms, "classes": classes, "weights": weights, "residual": c.residual })
    };
    let mut bytes = serde_json::to_vec(&codes.iter().map(code).collect::<Vec<_>>())?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Arrays `row`, `atom`, `weight` of all entries, `residual` of all rows, and `shape`, rows by atoms.
fn npz<F: Float>(codes: &[Code<F>], atoms: usize) -> Result<Vec<u8>> {
    let places = codes.iter().enumerate().flat_map(|(i, c)| c.atoms.iter().map(move |&j| (i, j)));
    let (rows, columns): (Vec<usize>, Vec<usize>) = places.unzip();
    let weights: Vec<F> = codes.iter().flat_map(|c| c.weights.iter().copied()).collect();
    let residuals: Vec<f64> = codes.iter().map(|c| c.residual).collect();
    let (entries, n) = (weights.len(), codes.len());
    Ok(write_archive(vec![
        ("row", write::<F>(NpyValues::Indices(&rows), &[entries])),
        ("atom", write::<F>(NpyValues::Indices(&columns), &[entries])),
        ("weight", write(NpyValues::Floats(&weights), &[entries])),
        ("residual", write::<F>(NpyValues::Wide(&residuals), &[n])),
        ("shape", write::<F>(NpyValues::Indices(&[n, atoms]), &[2])),
    ])?)
}
