//! `protea compare`: methods × sizes under one protocol, in one table.

use crate::args::{Common, Compare};
use crate::describe;
use crate::input::{Reader, Source};
use crate::output::{self, check_different, check_output, given, short, table};
use crate::progress::Display;
use crate::signals::saving;
use anyhow::Result;
use protea::catalog::Part;
use protea::data::Schema;
use protea::eval::{Protocol, TestRun};
use protea::io::write_atomically;
use protea::method::{Method, method};
use protea::progress::{Epoch, Progress};
use protea::report::{Compared, comparison};
use protea::{Error, Float, Trainer, Values};
use serde::Serialize;

/// A method with settings, to be trained under every seed.
pub struct Entry {
    /// What the table calls it.
    pub name: String,
    /// The method.
    pub method: &'static Method,
    /// Its settings; the size is among them.
    pub settings: Values,
}

/// One line of the table: means over runs.
#[derive(Debug, Serialize)]
pub struct Row {
    /// What the table calls it.
    pub name: String,
    /// The method.
    pub method: &'static str,
    /// Prototypes of each class, as asked for.
    pub per_class: Option<String>,
    /// Settings that were asked for.
    pub settings: Values,
    /// Prototypes of the (last) model.
    pub prototypes: usize,
    /// Mean error.
    pub error: f64,
    /// Standard deviation of the error; none for a single run.
    pub deviation: Option<f64>,
    /// Error of each run.
    pub errors: Vec<f64>,
    /// Mean of the errors of the classes.
    pub balanced_error: f64,
    /// Mean F1 score of the classes.
    pub macro_f1: f64,
    /// Mean log loss.
    pub log_loss: f64,
    /// Mean area under the ROC curve, over the runs where it is defined.
    pub auc: Option<f64>,
    /// Mean error of always answering the most frequent class.
    pub majority_error: f64,
    /// Mean size.
    pub bytes: f64,
    /// Mean time of training.
    pub fit_seconds: f64,
    /// Mean time of a query.
    pub micros_per_query: f64,
}

/// Reads the data, trains everything, prints the table.
pub fn run<F: Float>(args: &Compare, common: &Common) -> Result<()> {
    let seeds = match args.settings.0.get("seed") {
        Some(seed) if args.seeds.is_empty() => {
            vec![seed.parse().map_err(|_| Error::setting("seed", seed, "a whole number"))?]
        }
        _ if args.seeds.is_empty() => vec![0],
        _ => args.seeds.clone(),
    };
    let entries = entries::<F>(args)?;
    let inputs = given(&[Some(&args.train), args.test.as_ref(), args.data.reading.labels.as_ref()]);
    check_output(args.report.as_deref(), "page", &inputs)?;
    check_output(args.output.as_deref(), "model", &inputs)?;
    check_different(args.output.as_deref(), args.report.as_deref())?;
    let (protocol, schema) = protocol::<F>(args, common)?;
    let rows = measure(&entries, &protocol, &seeds, common.quiet)?;
    if let Some(path) = &args.report {
        let title = format!("Methods on {}", args.train.display());
        let page = comparison(&title, &rows.iter().map(compared).collect::<Vec<_>>());
        saving(|| write_atomically(path, page.as_bytes()))?;
    }
    let Some(path) = &args.output else { return print(&rows, common.json, "") };
    let best = best(&rows);
    let data = match &protocol {
        Protocol::Parts { train, .. } => train,
        Protocol::Folds { data, .. } => data,
    };
    let mut display = Display::new(common.quiet);
    let model =
        trainer::<F>(&entries[best], seeds[0])?.fit_with(data, None, &mut display)?.with_schema(schema)?;
    display.done();
    saving(|| model.save(path))?;
    let fitted = format!(
        "\nBest: {}, trained on all {} samples and saved in {} ({})\n",
        title(&entries[best]),
        data.len(),
        path.display(),
        output::sizes(model.bytes(), path)
    );
    print(&rows, common.json, &fitted)
}

/// The row with the lowest error; of equal ones that with the lower log loss, then the smaller one.
fn best(rows: &[Row]) -> usize {
    let key = |r: &Row| (r.error, r.log_loss, r.bytes);
    let order = |a: &(f64, f64, f64), b: &(f64, f64, f64)| {
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2))
    };
    (0..rows.len()).min_by(|&a, &b| order(&key(&rows[a]), &key(&rows[b]))).unwrap_or(0)
}

/// A row as a point of the page's charts.
fn compared(row: &Row) -> Compared {
    let size = row.per_class.as_ref().map_or(String::new(), |n| format!(" {n}"));
    Compared {
        name: row.name.clone() + &size,
        error: row.error,
        deviation: row.deviation,
        balanced_error: row.balanced_error,
        log_loss: row.log_loss,
        prototypes: row.prototypes,
        bytes: row.bytes,
        micros: row.micros_per_query,
        fit_seconds: row.fit_seconds,
    }
}

/// Every method with every combination of the settings that are given as lists, checked before any work.
fn entries<F: Float>(args: &Compare) -> Result<Vec<Entry>, Error> {
    let mut given = args.settings.0.clone();
    given.remove("seed");
    let lists: Vec<(&String, Vec<&str>)> = given.iter().map(|(name, text)| (name, listed(text))).collect();
    let mut combinations = vec![Values::new()];
    for (name, values) in &lists {
        let with = |c: &Values| values.iter().map(|v| with_value(c, name, v)).collect::<Vec<_>>();
        combinations = combinations.iter().flat_map(with).collect();
    }
    let varied: Vec<&str> = lists.iter().filter(|l| l.1.len() > 1).map(|l| l.0.as_str()).collect();
    let methods: Vec<&'static Method> = args.methods.iter().map(|m| method(m)).collect::<Result<_, _>>()?;
    let mut entries: Vec<Entry> = Vec::new();
    for &method in &methods {
        for combination in &combinations {
            let mut others = combination.clone();
            let size = others.remove("per-class");
            let mut settings = used::<F>(method, &others)?;
            if method.has_size(&settings) {
                settings.extend(size.map(|size| ("per-class".to_string(), size)));
            }
            // A method that does not use what varies comes once.
            if !entries.iter().any(|e| e.method.name == method.name && e.settings == settings) {
                entries.push(Entry { name: name(method, &settings, &varied), method, settings });
            }
        }
    }
    let first = &combinations[0];
    for (name, value) in first {
        if entries.iter().all(|e| !e.settings.contains_key(name)) {
            let mut others = first.clone();
            others.remove("per-class");
            refused::<F>(methods[0], &others, name, value)?;
        }
    }
    entries.iter().try_for_each(|e| trainer::<F>(e, 0)?.check_given())?;
    Ok(entries)
}

/// The values of a list; one by class name, `A=3,B=10`, is one value, however many commas it has.
fn listed(text: &str) -> Vec<&str> {
    if text.contains('=') { vec![text] } else { text.split(',').map(str::trim).collect() }
}

fn with_value(values: &Values, name: &str, value: &str) -> Values {
    let mut values = values.clone();
    values.insert(name.into(), value.into());
    values
}

/// The method with what varies between rows; sizes have a column of their own.
fn name(method: &Method, settings: &Values, varied: &[&str]) -> String {
    let shown = settings.iter().filter(|(n, _)| varied.contains(&n.as_str()) && *n != "per-class");
    shown.fold(method.name.to_string(), |name, (n, v)| format!("{name}, {n} {v}"))
}

/// The settings of a list that a method uses.
fn used<F: Float>(method: &Method, given: &Values) -> Result<Values, Error> {
    let mut trainer = Trainer::<F>::named(method.name)?;
    let mut settings = given.clone();
    settings.retain(|name, _| !method.is_fixed(name));
    for (name, value) in settings.clone() {
        match Trainer::<F>::named(method.name)?.set(&name, &value) {
            Ok(_) => trainer = trainer.set(&name, &value)?,
            Err(Error::UnknownSetting { .. }) => drop(settings.remove(&name)),
            Err(e) => return Err(e),
        }
    }
    settings.retain(|name, _| trainer.reads(name));
    Ok(settings)
}

/// Why a method does not use a setting.
fn refused<F: Float>(method: &Method, given: &Values, name: &str, value: &str) -> Result<(), Error> {
    let others = used::<F>(method, given)?;
    let trainer = others.iter().try_fold(Trainer::<F>::named(method.name)?, |t, (n, v)| t.set(n, v))?;
    trainer.set(name, value)?.check_given()?;
    let reason = "it keeps its own when methods are compared".into();
    Err(Error::UnusedSetting { method: method.name.into(), name: name.into(), reason })
}

/// What is trained and measured on, and how files become such samples.
fn protocol<F: Float>(args: &Compare, common: &Common) -> Result<(Protocol<F>, Schema)> {
    let reading = args.data.reading();
    let reader = Reader { reading: &reading, data_dir: common.data_dir.as_deref() };
    let source = Source::find(&args.train)?;
    if let Some(k) = args.folds {
        let (schema, data, findings) = reader.train(&source, &args.data.schema())?;
        describe::say(findings.as_ref(), common);
        return Ok((Protocol::Folds { data, k }, schema));
    }
    let test = match &args.test {
        Some(path) => Source::find(path)?.or_part(Part::Test),
        None if source.is_split() => source.clone().or_part(Part::Test),
        None => {
            let expected = "test data as a second argument, or --folds K";
            return Err(Error::setting("TEST", "none", expected).into());
        }
    };
    let (schema, train, findings) = reader.train(&source.or_part(Part::Train), &args.data.schema())?;
    describe::say(findings.as_ref(), common);
    let reading = &reading.for_second_input();
    let test = Reader { reading, ..reader }.labelled(&test, &schema)?;
    Ok((Protocol::Parts { train, test }, schema))
}

fn trainer<F: Float>(entry: &Entry, seed: u64) -> Result<Trainer<F>, Error> {
    let trainer = Trainer::named(entry.method.name)?.set("seed", &seed.to_string())?;
    entry.settings.iter().try_fold(trainer, |t, (name, value)| t.set(name, value))
}

/// Trains and measures every entry under every seed and fold.
pub fn measure<F: Float>(
    entries: &[Entry],
    protocol: &Protocol<F>,
    seeds: &[u64],
    quiet: bool,
) -> Result<Vec<Row>> {
    let mut display = Display::new(quiet);
    let mut rows = Vec::new();
    for (i, entry) in entries.iter().enumerate() {
        let mut watch = Watch { display: &mut display, at: i, of: entries.len(), title: title(entry) };
        watch.show("");
        let once = matches!(protocol, Protocol::Parts { .. }) && !entry.method.is_random(&entry.settings);
        let mut runs = Vec::new();
        for &seed in if once { &seeds[..1] } else { seeds } {
            runs.extend(protocol.run(&trainer::<F>(entry, seed)?, &mut watch)?);
        }
        rows.push(summary(entry, &runs));
    }
    display.done();
    Ok(rows)
}

fn title(entry: &Entry) -> String {
    let method = entry.method.name.to_string();
    entry.settings.iter().fold(method, |t, (name, value)| format!("{t} --{name} {value}"))
}

/// Shows the epochs of one of many trainings.
struct Watch<'a> {
    display: &'a mut Display,
    at: usize,
    of: usize,
    title: String,
}

impl Watch<'_> {
    fn show(&mut self, what: &str) {
        self.display.step(self.at, self.of, &format!("{}{what}", self.title));
    }
}

impl Progress for Watch<'_> {
    fn phase(&mut self, name: &str) {
        self.show(&format!("  {name}"));
    }

    fn epoch(&mut self, r: &Epoch) {
        self.show(&format!("  epoch {}/{}", r.epoch, r.of));
    }
}

fn summary(entry: &Entry, runs: &[TestRun]) -> Row {
    let n = runs.len() as f64;
    let mean = |f: fn(&TestRun) -> f64| runs.iter().map(f).sum::<f64>() / n;
    let error = mean(|r| r.error);
    let areas: Vec<f64> = runs.iter().filter_map(|r| r.auc).collect();
    let squares: f64 = runs.iter().map(|r| (r.error - error).powi(2)).sum();
    let default = || trainer::<f32>(entry, 0).ok().and_then(|t| t.training.values().remove("per-class"));
    Row {
        name: entry.name.clone(),
        method: entry.method.name,
        per_class: if entry.method.has_size(&entry.settings) { default() } else { None },
        settings: entry.settings.clone(),
        prototypes: runs.last().map_or(0, |r| r.prototypes),
        error,
        deviation: (runs.len() > 1).then(|| (squares / (n - 1.0)).sqrt()),
        errors: runs.iter().map(|r| r.error).collect(),
        balanced_error: mean(|r| r.balanced_error),
        macro_f1: mean(|r| r.macro_f1),
        log_loss: mean(|r| r.log_loss),
        auc: (!areas.is_empty()).then(|| areas.iter().sum::<f64>() / areas.len() as f64),
        majority_error: mean(|r| r.majority_error),
        bytes: mean(|r| r.bytes as f64),
        fit_seconds: mean(|r| r.fit_seconds),
        micros_per_query: mean(|r| r.micros_per_query),
    }
}

/// The table and what is to be said below it, or the rows as JSON.
pub fn print(rows: &[Row], json: bool, comment: &str) -> Result<()> {
    if json {
        return output::print_json(&rows);
    }
    let lines = rows.iter().map(|r| {
        let spread = r.deviation.map_or(String::new(), |d| format!(" ± {:.2}", 100.0 * d));
        vec![
            r.name.clone(),
            r.per_class.clone().unwrap_or("–".into()),
            r.prototypes.to_string(),
            format!("{:.2}{spread}", 100.0 * r.error),
            format!("{:.2}", 100.0 * r.balanced_error),
            format!("{:.3}", r.macro_f1),
            r.auc.map_or("–".into(), |a| format!("{a:.3}")),
            format!("{:.3}", r.log_loss + 0.0),
            format!("{:.0}", r.bytes),
            short(r.fit_seconds),
            short(r.micros_per_query),
        ]
    });
    let header = [
        "method",
        "per class",
        "prototypes",
        "error %",
        "balanced %",
        "F1",
        "AUC",
        "log loss",
        "bytes",
        "fit s",
        "µs/query",
    ];
    let majority = rows.first().map_or(String::new(), |r| {
        format!("Always the most frequent class: {:.2} % error\n", 100.0 * r.majority_error)
    });
    Ok(output::print(&(table(&header, lines, 1) + &majority + comment))?)
}
