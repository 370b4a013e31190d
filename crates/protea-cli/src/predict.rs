//! `protea predict`: the class of every row, its probabilities, and the prototypes that decided.

use crate::args::{Common, Predict};
use crate::input::{ModelFile, Reader, Source, schema_of};
use crate::output;
use crate::progress::in_chunks;
use crate::with_float;
use anyhow::Result;
use ndarray::{Array2, ArrayView2, Axis};
use protea::catalog::Part;
use protea::model::Neighbour;
use protea::{Float, Model};
use serde_json::{Map, Value, json};

/// Answers for all rows.
#[derive(Default)]
struct Answers {
    /// None for a row that was refused.
    labels: Vec<Option<usize>>,
    probabilities: Option<Array2<f64>>,
    nearest: Option<Vec<Vec<Neighbour>>>,
}

/// Predicts with a model of either element type.
pub fn run(args: &Predict, common: &Common) -> Result<()> {
    let file = ModelFile::read(&args.model)?;
    with_float!(file.precision()?, F => predict::<F>(file.load()?, args, common))
}

fn predict<F: Float>(mut model: Model<F>, args: &Predict, common: &Common) -> Result<()> {
    if let Some(rule) = args.rule {
        model = model.with_rule(rule)?;
    }
    let reader = Reader { reading: &args.reading, data_dir: common.data_dir.as_deref() };
    let source = Source::find(&args.input)?.or_part(Part::Test);
    let x = reader.samples::<F>(&source, &schema_of(&model))?;
    let mut answers = Answers::default();
    in_chunks(x.view(), common.quiet, |rows| answers.add(&model, rows, args))?;
    if let (Some(error), Some(q)) = (args.reject_at, &answers.probabilities) {
        refuse(&mut answers.labels, q, error, common.quiet);
    }
    if !args.proba {
        answers.probabilities = None;
    }
    let bytes = match common.json {
        true => answers.json(model.classes())?,
        false => answers.csv(model.classes())?,
    };
    output::write_or_print(args.output.as_deref(), &bytes)
}

/// Takes the label from rows whose probability of being wrong is above `error`.
fn refuse(labels: &mut [Option<usize>], q: &Array2<f64>, error: f64, quiet: bool) {
    for (label, q) in labels.iter_mut().zip(q.rows()) {
        *label = label.filter(|&c| 1.0 - q[c] <= error);
    }
    let refused = labels.iter().filter(|l| l.is_none()).count();
    if !quiet {
        crate::complain("refused", &format!("{refused} of {} rows", labels.len()));
    }
}

impl Answers {
    /// Answers for more rows.
    fn add<F: Float>(&mut self, model: &Model<F>, x: ArrayView2<F>, args: &Predict) -> Result<()> {
        self.labels.extend(model.predict(x)?.into_iter().map(Some));
        if args.proba || args.reject_at.is_some() {
            let more = model.probabilities(x)?;
            match &mut self.probabilities {
                Some(all) => all.append(Axis(0), more.view())?,
                none => *none = Some(more),
            }
        }
        if let Some(k) = args.explain {
            self.nearest.get_or_insert_default().extend(model.neighbours(x, k.get())?);
        }
        Ok(())
    }

    fn csv(&self, classes: &[String]) -> Result<Vec<u8>> {
        let mut header = vec!["label".to_string()];
        if self.probabilities.is_some() {
            header.extend(classes.iter().map(|c| format!("p_{c}")));
        }
        let shown = self.nearest.iter().flatten().map(Vec::len).max().unwrap_or(0);
        for k in 1..=shown {
            header.extend(["prototype", "class", "distance"].map(|part| format!("near{k}_{part}")));
        }
        let rows = self.labels.iter().enumerate().map(|(i, &label)| {
            let mut row = vec![label.map_or(String::new(), |c| classes[c].clone())];
            if let Some(q) = &self.probabilities {
                row.extend(q.row(i).iter().map(|q| format!("{q:.6}")));
            }
            for n in self.nearest.iter().flat_map(|n| &n[i]) {
                row.extend([n.prototype.to_string(), classes[n.class].clone(), n.distance.to_string()]);
            }
            row
        });
        output::csv(header, rows)
    }

    fn json(&self, classes: &[String]) -> Result<Vec<u8>> {
        let rows: Vec<Value> = (0..self.labels.len())
            .map(|i| {
                let mut row = Map::from_iter([("label".to_string(), json!(self.labels[i].map(|c| &classes[c])))]);
                if let Some(q) = &self.probabilities {
                    let q: Map<String, Value> =
                        classes.iter().cloned().zip(q.row(i).iter().map(|q| json!(q))).collect();
                    row.insert("probabilities".into(), q.into());
                }
                if let Some(nearest) = &self.nearest {
                    let near = |n: &Neighbour| {
                        json!({"prototype": n.prototype, "class": classes[n.class], "distance": n.distance})
                    };
                    row.insert("nearest".into(), nearest[i].iter().map(near).collect());
                }
                row.into()
            })
            .collect();
        let mut bytes = serde_json::to_vec(&rows)?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}
