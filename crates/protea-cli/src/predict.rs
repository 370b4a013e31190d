//! `protea predict`: the class of every row, its probabilities, and the prototypes and features that decided.
//!
//! Rows of text are answered as they arrive; memory does not grow with their number.

use crate::args::{Common, OnError, Predict};
use crate::input::{Reader, Source, schema_of};
use crate::kept::{Kept, KeptValue};
use crate::open::open;
use crate::output::{check_output, given};
use crate::parts::Parts;
use crate::progress::in_chunks;
use crate::rows::{Row, RowFormat, RowWriter};
use crate::with_float;
use anyhow::Result;
use ndarray::{Array2, ArrayView2, Axis, s};
use protea::catalog::{self, Part as SetPart};
use protea::certify::{Bound, Certifier};
use protea::data::{Lines, Schema, Table};
use protea::io::{Cell, ParquetType, ReadOptions};
use protea::model::Neighbour;
use protea::{Error, Float, Model};
use serde_json::{Map, Value, json};

/// Predicts with a model of either element type.
pub fn run(args: &Predict, common: &Common) -> Result<()> {
    let format = RowFormat::of(args.output.as_deref(), common.json)?;
    let inputs = given(&[Some(&args.model), Some(&args.input), args.reading.labels.as_ref()]);
    check_output(args.output.as_deref(), "table", &inputs)?;
    let file = open(&args.model, &args.input)?;
    with_float!(file.precision()?, F => predict::<F>(file.load()?, format, args, common))
}

fn predict<F: Float>(mut model: Model<F>, format: RowFormat, args: &Predict, common: &Common) -> Result<()> {
    if let Some(rule) = args.rule {
        model = model.with_rule(rule)?;
    }
    let schema = schema_of(&model);
    let mut answers = Answers::new(&model, format, args, common.quiet)?;
    match Source::find(&args.input)?.or_part(SetPart::Test) {
        Source::Set(set, part) => {
            let data = catalog::load::<F>(set.name, part, common.data_dir.as_deref())?;
            let kept = Kept::of_features(&data.features, data.x.view(), args)?;
            let places: Vec<Option<usize>> = (0..data.len()).map(Some).collect();
            answers.add(data.x.view(), kept, &places)?;
        }
        Source::File(path) => {
            let reader = Reader { reading: &args.reading, data_dir: common.data_dir.as_deref() };
            let options = args.reading.options().for_schema(&schema);
            let options = ReadOptions { keep_going: args.on_error == OnError::Blank, ..options };
            let mut parts = Parts::open(&path, options, Kept::wanted(args))?;
            let mut told: Option<Schema> = None;
            while let Some(part) = parts.next::<F>()? {
                let schema = match &told {
                    Some(schema) => schema,
                    None => told.insert(reader.adapted(&schema, &part.table)?),
                };
                let kept = Kept::of_part(&part, args)?;
                answers.before = part.before;
                answers.lines = Some((part.table.source.clone(), part.table.lines.clone()));
                let (x, places) = answers.samples(schema, part.table)?;
                answers.add(x.view(), kept, &places)?;
            }
        }
    }
    answers.finish()
}

/// Answers on their way out.
struct Answers<'a, F: Float> {
    model: &'a Model<F>,
    format: RowFormat,
    args: &'a Predict,
    quiet: bool,
    /// Opened with the first rows, whose columns its header needs.
    writer: Option<RowWriter>,
    /// Types of the kept columns in the output.
    kept_types: Vec<ParquetType>,
    /// Columns of the output.
    width: usize,
    /// Whether features have contributions of their own.
    has_features: bool,
    certifier: Option<Certifier<'a, F>>,
    /// Rows of the input before those at hand.
    before: usize,
    /// The file of the rows at hand and their places in it.
    lines: Option<(String, Lines)>,
    rows: usize,
    refused: usize,
    /// Rows that could not be answered, and what is wrong with the first.
    blank: (usize, String),
}

/// Answers for some rows.
struct Batch {
    /// None for a row that was refused.
    labels: Vec<Option<usize>>,
    probabilities: Option<Array2<f64>>,
    nearest: Option<Vec<Vec<Neighbour>>>,
    /// How far each answer holds.
    radii: Option<Vec<f64>>,
    /// Features that speak for the nearest prototype against its rival, the strongest first.
    features: Option<Vec<Vec<(usize, f64)>>>,
}

impl<'a, F: Float> Answers<'a, F> {
    fn new(model: &'a Model<F>, format: RowFormat, args: &'a Predict, quiet: bool) -> Result<Self> {
        let none = Array2::zeros((0, model.features().len()));
        let has_features = args.explain.is_some() && model.contributions(none.view(), &[]).is_ok();
        if args.explain.is_some() && !has_features && !quiet {
            let why =
                "after hog or unit length no single feature decides; prototypes are shown without features";
            crate::complain("note", why);
        }
        let certifier = args.certify.map(|norm| Certifier::new(model, norm, Bound::HalfSpace)).transpose()?;
        let kept_types = Vec::new();
        Ok(Answers {
            model,
            format,
            args,
            quiet,
            writer: None,
            kept_types,
            width: 0,
            has_features,
            certifier,
            before: 0,
            lines: None,
            rows: 0,
            refused: 0,
            blank: Default::default(),
        })
    }

    /// The samples of a table and, for each of its rows, its place among them; none for a row that cannot be answered.
    fn samples(&mut self, schema: &Schema, table: Table<F>) -> Result<(Array2<F>, Vec<Option<usize>>)> {
        if self.args.on_error == OnError::Stop {
            let (x, _) = schema.features(table)?;
            let places = (0..x.nrows()).map(Some).collect();
            return Ok((x, places));
        }
        let fitting = schema.rows_that_fit(table)?;
        for problem in fitting.problems {
            self.leave_blank(problem.problem);
        }
        Ok((fitting.x, fitting.places))
    }

    fn leave_blank(&mut self, why: String) {
        let (count, first) = &mut self.blank;
        if *count == 0 {
            *first = why;
        }
        *count += 1;
    }

    /// Answers and writes more rows; `places` says which of them each row of the output is.
    fn add(&mut self, x: ArrayView2<F>, kept: Kept, places: &[Option<usize>]) -> Result<()> {
        let (mut row, mut at) = (0, 0);
        let (before, quiet) = (self.before, self.quiet);
        in_chunks(x, before, quiet, |x| {
            // The row of the table that each sample is.
            let rows =
                (0..places.len()).filter(|&row| places[row].is_some_and(|p| p >= at)).collect::<Vec<_>>();
            let (batch, answered) = self.batch_or_blank(x, &rows)?;
            let end = at + x.nrows();
            let mut rows = Vec::new();
            while row < places.len() && places[row].is_none_or(|p| p < end) {
                let answer = places[row].and_then(|p| {
                    answered.as_ref().map_or(Some(p - at), |a| a.binary_search(&(p - at)).ok())
                });
                rows.push((row, answer));
                row += 1;
            }
            self.write(&batch, &kept, &rows)?;
            at = end;
            Ok(())
        })
    }

    /// Answers, and of which samples they are where some are left blank because their values are out of range; `rows` are those
    /// of the table.
    fn batch_or_blank(&mut self, x: ArrayView2<F>, rows: &[usize]) -> Result<(Batch, Option<Vec<usize>>)> {
        let error = match self.batch(x) {
            Ok(batch) => return Ok((batch, None)),
            Err(error) => error,
        };
        let out_of_range = matches!(error.downcast_ref(), Some(Error::OutOfRange { .. }));
        if !out_of_range {
            return Err(error);
        }
        if self.args.on_error == OnError::Stop {
            return Err(match error.downcast::<Error>() {
                Ok(error) => self.placed(error, rows).into(),
                Err(other) => other,
            });
        }
        let mut answered = Vec::new();
        for i in 0..x.nrows() {
            match self.model.predict(x.slice(s![i..=i, ..])) {
                Ok(_) => answered.push(i),
                Err(why) => {
                    let why = self.placed(why, &rows[i..]);
                    self.leave_blank(why.to_string());
                }
            }
        }
        Ok((self.batch(x.select(Axis(0), &answered).view())?, Some(answered)))
    }

    /// An error about a sample as one about its place in the file.
    fn placed(&self, error: Error, rows: &[usize]) -> Error {
        match (error, &self.lines) {
            (Error::OutOfRange { row, feature, value }, Some((source, lines))) if row <= rows.len() => {
                let problem = "is too large to compare with the training data; is it a \"no data\" value?";
                let line = lines.of(rows[row - 1]);
                Error::cell(source, line, &feature, format!("{value:.3e} {problem}"))
            }
            (error, _) => error,
        }
    }

    fn batch(&self, x: ArrayView2<F>) -> Result<Batch> {
        let (model, args) = (self.model, self.args);
        let mut labels: Vec<Option<usize>> = model.predict(x)?.into_iter().map(Some).collect();
        let asked = args.proba || args.reject_at.is_some();
        let mut probabilities = asked.then(|| model.probabilities(x)).transpose()?;
        if let (Some(error), Some(q)) = (args.reject_at, &probabilities) {
            for (label, q) in labels.iter_mut().zip(q.rows()) {
                *label = label.filter(|&c| 1.0 - q[c] <= error);
            }
        }
        probabilities = probabilities.filter(|_| args.proba);
        let nearest = args.explain.map(|k| model.neighbours(x, k)).transpose()?;
        let features = match args.explain {
            Some(k) if self.has_features => Some(deciding_features(model, x, k)?),
            _ => None,
        };
        let radii = match &self.certifier {
            Some(certifier) => Some(certifier.certify(x)?.iter().map(|c| c.radius).collect()),
            None => None,
        };
        Ok(Batch { labels, probabilities, radii, nearest, features })
    }

    /// Writes rows: each by its place among those kept and, unless it is left blank, among the answers.
    fn write(&mut self, batch: &Batch, kept: &Kept, rows: &[(usize, Option<usize>)]) -> Result<()> {
        if self.writer.is_none() {
            self.kept_types = kept.types();
            let columns = self.columns(&kept.names);
            self.width = columns.len();
            self.writer = Some(RowWriter::create(self.args.output.as_deref(), self.format, &columns)?);
        }
        for &(row, answer) in rows {
            let texts = kept.rows.get(row).map_or(&[][..], |row| row);
            let row = match self.format.has_objects() {
                true => Row::Object(self.object(batch, answer, &kept.names, texts)),
                false => Row::Cells(self.cells(batch, answer, texts)?),
            };
            if let Some(writer) = &mut self.writer {
                writer.row(row)?;
            }
        }
        self.rows += rows.len();
        self.refused += batch.labels.iter().filter(|l| l.is_none()).count();
        self.writer.as_mut().map_or(Ok(()), RowWriter::flush)
    }

    /// Prototypes and features that are shown for each row.
    fn shown(&self) -> (usize, usize) {
        let k = self.args.explain.unwrap_or(0);
        let features = if self.has_features { k.min(self.model.features().len()) } else { 0 };
        (k.min(self.model.prototypes().y.len()), features)
    }

    /// Columns of the output; one whose name the input has already is called `predicted_…`.
    fn columns(&self, kept: &[String]) -> Vec<(String, ParquetType)> {
        use ParquetType::{Integer, Number, Text};
        let mut own = vec![("label".to_string(), Text)];
        if self.args.proba {
            own.extend(self.model.classes().iter().map(|c| (format!("p_{c}"), Number)));
        }
        if self.certifier.is_some() {
            own.push(("radius".into(), Number));
        }
        let (prototypes, features) = self.shown();
        for k in 1..=prototypes {
            let parts = [("prototype", Integer), ("class", Text), ("distance", Number)];
            own.extend(parts.map(|(part, of)| (format!("near{k}_{part}"), of)));
        }
        for k in 1..=features {
            own.extend(
                [("feature", Text), ("contribution", Number)]
                    .map(|(part, of)| (format!("why{k}_{part}"), of)),
            );
        }
        let fresh = |(name, of): (String, ParquetType)| (answer_name(&name, kept), of);
        kept.iter().cloned().zip(self.kept_types.clone()).chain(own.into_iter().map(fresh)).collect()
    }

    /// One row as cells; those of the answer are empty where there is none.
    fn cells(&self, batch: &Batch, answer: Option<usize>, kept: &[KeptValue]) -> Result<Vec<Cell>> {
        let (classes, text) = (self.model.classes(), self.format == RowFormat::Csv);
        let name = |c: usize| Cell::Text(classes[c].clone());
        let mut row = Vec::new();
        for (value, of) in kept.iter().zip(&self.kept_types) {
            row.push(if text { Cell::Text(value.text()) } else { value.cell(*of)? });
        }
        let Some(i) = answer else {
            row.resize(self.width, Cell::Missing);
            return Ok(row);
        };
        row.push(batch.labels[i].map_or(Cell::Missing, name));
        if let Some(q) = &batch.probabilities {
            let six = |q: &f64| if text { Cell::Text(format!("{q:.6}")) } else { Cell::Number(*q) };
            row.extend(q.row(i).iter().map(six));
        }
        row.extend(batch.radii.iter().map(|r| Cell::Number(r[i])));
        for n in batch.nearest.iter().flat_map(|n| &n[i]) {
            row.extend([Cell::Integer(n.prototype as i64), name(n.class), Cell::Number(n.distance)]);
        }
        for (f, contribution) in batch.features.iter().flat_map(|f| &f[i]) {
            row.extend([Cell::Text(self.model.features()[*f].clone()), Cell::Number(*contribution)]);
        }
        Ok(row)
    }

    /// One row as an object.
    fn object(&self, batch: &Batch, answer: Option<usize>, names: &[String], kept: &[KeptValue]) -> Value {
        let classes = self.model.classes();
        let mut row: Map<String, Value> =
            names.iter().cloned().zip(kept.iter().map(KeptValue::json)).collect();
        let mut add = |name: &str, value: Value| {
            row.insert(answer_name(name, names), value);
        };
        let Some(i) = answer else {
            add("label", Value::Null);
            return row.into();
        };
        add("label", json!(batch.labels[i].map(|c| &classes[c])));
        if let Some(q) = &batch.probabilities {
            let q: Map<String, Value> =
                classes.iter().cloned().zip(q.row(i).iter().map(|q| json!(q))).collect();
            add("probabilities", q.into());
        }
        if let Some(radii) = &batch.radii {
            add("radius", json!(radii[i]));
        }
        if let Some(nearest) = &batch.nearest {
            let near = |n: &Neighbour| json!({"prototype": n.prototype, "class": classes[n.class], "distance": n.distance});
            add("nearest", nearest[i].iter().map(near).collect());
        }
        if let Some(features) = &batch.features {
            let of = |(f, v): &(usize, f64)| json!({"feature": self.model.features()[*f], "contribution": v});
            add("features", features[i].iter().map(of).collect());
        }
        row.into()
    }

    /// Ends the output, and says how many rows were refused.
    fn finish(self) -> Result<()> {
        if let Some(writer) = self.writer {
            writer.finish()?;
        }
        if self.args.reject_at.is_some() && !self.quiet {
            crate::complain("refused", &format!("{} of {} rows", self.refused, self.rows));
        }
        if let (n @ 1.., first) = self.blank {
            crate::complain(
                "warning",
                &format!("{n} of {} rows have no answer; the first: {first}", self.rows),
            );
        }
        Ok(())
    }
}

/// For each row, the `k` features that bring it closest to its nearest prototype, compared with the nearest one of another class: the
/// largest terms of the difference between the two squared distances.
fn deciding_features<F: Float>(
    model: &Model<F>,
    x: ArrayView2<F>,
    k: usize,
) -> Result<Vec<Vec<(usize, f64)>>> {
    let winners = model.winners(x)?;
    let nearest: Vec<usize> = winners.iter().map(|w| w.nearest.prototype).collect();
    let rivals: Vec<usize> = winners.iter().map(|w| w.rival.unwrap_or(w.nearest).prototype).collect();
    let difference = model.contributions(x, &rivals)? - model.contributions(x, &nearest)?;
    let largest = |row: ndarray::ArrayView1<f64>| {
        let mut terms: Vec<(usize, f64)> = row.iter().copied().enumerate().collect();
        terms.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        terms.truncate(k);
        terms
    };
    Ok(difference.rows().into_iter().map(largest).collect())
}

/// The name of an answer's column beside columns of the input.
fn answer_name(name: &str, kept: &[String]) -> String {
    if kept.iter().any(|k| k == name) { format!("predicted_{name}") } else { name.into() }
}
