//! `protea export`: a model in the format of another program.

use crate::args::{Common, Export};
use crate::export_check::check;
use crate::input::{ModelFile, Reader, Source, schema_of};
use crate::output::{self, check_output};
use crate::signals::saving;
use crate::with_float;
use anyhow::Result;
use protea::catalog::Part;
use protea::export::{ExportOptions, File, Quantize, export};
use protea::io::write_atomically;
use protea::{Float, Model, SettingValue};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Writes a model of either element type.
pub fn run(args: &Export, common: &Common) -> Result<()> {
    check_output(args.output.as_deref(), "file", &[&args.model])?;
    let file = ModelFile::read(&args.model)?;
    with_float!(file.precision()?, F => write::<F>(&file.load()?, args, common))
}

fn write<F: Float>(model: &Model<F>, args: &Export, common: &Common) -> Result<()> {
    let options = options(args);
    let files = export(model, &args.to, &options)?;
    let checked = match &args.check {
        None => None,
        Some(test) => {
            let reader = Reader { reading: &args.reading, data_dir: common.data_dir.as_deref() };
            let test = reader.labelled::<F>(&Source::find(test)?.or_part(Part::Test), &schema_of(model))?;
            Some(check(model, &args.to, &options, &files, &test)?)
        }
    };
    let written = match &args.output {
        Some(path) => save(path, &files)?,
        None if checked.is_none() => return Ok(output::print_bytes(&files[0].bytes)?),
        None => Vec::new(),
    };
    if common.json {
        let names: Vec<String> = written.iter().map(|p| p.display().to_string()).collect();
        let mut document = json!({
            "prototypes": model.prototypes().y.len(),
            "file": names.first(),
            "files": names,
            "bytes": files.iter().map(|f| f.bytes.len()).collect::<Vec<_>>(),
        });
        if let (Some(checked), Some(map)) = (&checked, document.as_object_mut()) {
            map.insert("check".into(), checked.json());
        }
        return output::print_json(&document);
    }
    Ok(output::print(&checked.map_or(String::new(), |c| c.text()))?)
}

/// What the arguments choose; the model is named as the file unless it is given a name.
fn options(args: &Export) -> ExportOptions {
    let stem = args.output.as_deref().and_then(Path::file_stem).map(|s| s.to_string_lossy().into_owned());
    let name = args.name.clone().or(stem).unwrap_or_else(|| ExportOptions::default().name);
    let file = args.output.as_deref().and_then(Path::file_name).map(|s| s.to_string_lossy().into_owned());
    ExportOptions { name, quantize: args.quantize.as_deref().and_then(Quantize::parse), file }
}

/// The first file where it is asked for, others next to it with their own endings.
fn save(path: &Path, files: &[File]) -> Result<Vec<PathBuf>> {
    let place =
        |(k, file): (usize, &File)| if k == 0 { path.into() } else { path.with_extension(file.extension) };
    let places: Vec<PathBuf> = files.iter().enumerate().map(place).collect();
    for (place, file) in places.iter().zip(files) {
        saving(|| write_atomically(place, &file.bytes))?;
    }
    Ok(places)
}
