//! `export --check`: runs what was exported where its runtime is installed, and compares its answers with the model's.

use crate::output::{pairs, percent, short};
use anyhow::{Context, Result};
use protea::export::{ExportOptions, File};
use protea::{Dataset, Error, Float, Model};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Distances this close, relative to their sum, may be ordered otherwise by other arithmetic of 32 bits.
const TIE: f64 = 1e-5;

/// What a check found.
pub struct Checked {
    rows: usize,
    same: usize,
    model_error: f64,
    export_error: f64,
    bytes: usize,
    /// Bytes of code and tables, where the format is compiled.
    compiled: Option<usize>,
    micros: f64,
    /// Rows whose two nearest classes are nearly at the same distance.
    ties: usize,
    /// Largest lead in probability of the model's answer among rows that are answered otherwise.
    lead: f64,
}

impl Checked {
    /// As lines of text.
    pub fn text(&self) -> String {
        let lead = match self.same == self.rows {
            true => "all rows have the same answer".into(),
            false => format!("at most {} ahead in probability", percent(self.lead)),
        };
        pairs(&[
            ("rows", self.rows.to_string()),
            ("same answer", format!("{} ({})", self.same, percent(self.same as f64 / self.rows as f64))),
            ("answered otherwise", lead),
            ("near ties", format!("{} rows within {TIE:e} of equal distances", self.ties)),
            ("error of the model", percent(self.model_error)),
            ("error of the export", percent(self.export_error)),
            (
                "size",
                match self.compiled {
                    Some(n) => format!("{n} bytes of code and tables (cc -Os)"),
                    None => format!("{} bytes", self.bytes),
                },
            ),
            ("speed", format!("{} µs per query", short(self.micros))),
        ])
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        json!({
            "rows": self.rows, "same": self.same, "near_ties": self.ties, "largest_lead": self.lead,
            "model_error": self.model_error, "export_error": self.export_error,
            "bytes": self.bytes, "compiled_bytes": self.compiled, "micros_per_query": self.micros,
        })
    }
}

/// Runs the files of a format on labelled rows.
pub fn check<F: Float>(
    model: &Model<F>,
    format: &str,
    options: &ExportOptions,
    files: &[File],
    test: &Dataset<F>,
) -> Result<Checked> {
    let bytes = &files[0].bytes;
    let folder = tempfile::tempdir().context("there is no folder for temporary files")?;
    let place = folder.path();
    let wide = F::NAME == "f64" && !(format == "c" && options.quantize.is_some());
    let mut compiled = None;
    let (answers, micros) = match format {
        "rust" => by_core(bytes, test)?,
        "c" => {
            rows(place, test, wide)?;
            std::fs::write(place.join("model.h"), bytes)?;
            // The header is named by the caller; the program finds its names by macros.
            let (real, name) = (if wide { "double" } else { "float" }, options.identifier());
            let source = include_str!("check/main.c").replace("REAL", real);
            let source = source.replace("UPPER", &name.to_uppercase()).replace("LOWER", &name);
            std::fs::write(place.join("main.c"), source)?;
            compiled = compiled_bytes(place, &name);
            run(place, "cc", &["-std=c99", "-O2", "main.c", "-o", "check", "-lm"])?;
            parse(&run(place, "./check", &[])?)?
        }
        "js" => {
            rows(place, test, wide)?;
            std::fs::write(place.join("model.mjs"), bytes)?;
            let array = if wide { "Float64Array" } else { "Float32Array" };
            std::fs::write(place.join("check.mjs"), include_str!("check/main.mjs").replace("ARRAY", array))?;
            parse(&run(place, "node", &["check.mjs"])?)?
        }
        "onnx" => {
            rows(place, test, wide)?;
            std::fs::write(place.join("model.onnx"), bytes)?;
            let kind = if wide { "float64" } else { "float32" };
            std::fs::write(place.join("check.py"), include_str!("check/main.py").replace("KIND", kind))?;
            std::fs::write(place.join("classes.json"), json!(model.classes()).to_string())?;
            parse(&run(place, "python3", &["check.py"])?)?
        }
        other => {
            let problem =
                format!("the format {other} holds numbers only and cannot be run; check c, js, onnx or rust");
            return Err(Error::unsupported(problem).into());
        }
    };
    Ok(Checked { compiled, ..compare(model, test, &answers, bytes.len(), micros)? })
}

/// Bytes of code and constants of a header that is compiled for size; none if there is no program to count them.
fn compiled_bytes(folder: &Path, name: &str) -> Option<usize> {
    let source = format!("#define {}_IMPLEMENTATION\n#include \"model.h\"\n", name.to_uppercase());
    std::fs::write(folder.join("alone.c"), source).ok()?;
    run(folder, "cc", &["-std=c99", "-Os", "-c", "alone.c", "-o", "alone.o"]).ok()?;
    let sizes = run(folder, "size", &["alone.o"]).ok()?;
    let numbers: Vec<usize> =
        sizes.lines().nth(1)?.split_whitespace().take(2).map(|n| n.parse().ok()).collect::<Option<_>>()?;
    Some(numbers.iter().sum())
}

fn compare<F: Float>(
    model: &Model<F>,
    test: &Dataset<F>,
    answers: &[usize],
    bytes: usize,
    micros: f64,
) -> Result<Checked> {
    let labels = model.predict(test.x.view())?;
    if answers.len() != labels.len() {
        anyhow::bail!("the export answered {} of {} rows", answers.len(), labels.len());
    }
    let q = model.probabilities(test.x.view())?;
    let wrong =
        |of: &[usize]| of.iter().zip(&test.y).filter(|(a, b)| a != b).count() as f64 / test.y.len() as f64;
    let other: Vec<usize> = (0..labels.len()).filter(|&i| labels[i] != answers[i]).collect();
    let lead = other.iter().map(|&i| (q[(i, labels[i])] - q[(i, answers[i])]).max(0.0)).fold(0.0, f64::max);
    let close = |w: &protea::model::Winner| {
        w.rival.is_some_and(|r| {
            (r.distance - w.nearest.distance).abs() <= TIE * (r.distance + w.nearest.distance)
        })
    };
    let ties = model.winners(test.x.view())?.iter().filter(|w| close(w)).count();
    Ok(Checked {
        rows: labels.len(),
        same: labels.len() - other.len(),
        model_error: wrong(&labels),
        export_error: wrong(answers),
        bytes,
        compiled: None,
        micros,
        ties,
        lead,
    })
}

/// The compiled bytes by the crate that embedded programs use.
fn by_core<F: Float>(bytes: &[u8], test: &Dataset<F>) -> Result<(Vec<usize>, f64)> {
    let model = protea_core::Model::parse(bytes)?;
    let mut scratch = vec![0.0; model.scratch()];
    let narrow = test.x.mapv(|v| v.f64() as f32);
    let start = Instant::now();
    let answers = narrow.rows().into_iter().map(|row| model.predict(&row.to_vec(), &mut scratch));
    let answers = answers.collect::<Result<Vec<_>, _>>()?;
    Ok((answers, start.elapsed().as_secs_f64() * 1e6 / test.len() as f64))
}

/// Writes the rows for a program to read.
fn rows<F: Float>(folder: &Path, test: &Dataset<F>, wide: bool) -> Result<()> {
    let bytes: Vec<u8> = match wide {
        true => test.x.iter().flat_map(|v| v.f64().to_le_bytes()).collect(),
        false => test.x.iter().flat_map(|v| (v.f64() as f32).to_le_bytes()).collect(),
    };
    Ok(std::fs::write(folder.join("rows.bin"), bytes)?)
}

/// Standard output of a program that must succeed.
fn run(folder: &Path, program: &str, arguments: &[&str]) -> Result<String> {
    let found = if program.starts_with("./") { folder.join(program) } else { program.into() };
    let done = Command::new(&found).args(arguments).current_dir(folder).output();
    let done = done.map_err(|e| {
        let problem =
            format!("the check needs the program {program}, which could not be started: {}", e.kind());
        Error::unsupported(problem)
    })?;
    if !done.status.success() {
        let last = String::from_utf8_lossy(&done.stderr).lines().last().unwrap_or_default().to_string();
        return Err(Error::unsupported(format!("{program} failed on the export: {last}")).into());
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

/// Microseconds of a query in the first line, then the class of each row.
fn parse(output: &str) -> Result<(Vec<usize>, f64)> {
    let mut lines = output.lines();
    let micros = lines.next().and_then(|l| l.parse().ok());
    let answers: Option<Vec<usize>> = lines.map(|l| l.parse().ok()).collect();
    match (answers, micros) {
        (Some(answers), Some(micros)) => Ok((answers, micros)),
        _ => anyhow::bail!("the exported program printed something else than classes"),
    }
}
