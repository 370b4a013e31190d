//! `protea compare`: methods × sizes under one protocol, in one table.

use crate::args::{Common, Compare};
use crate::input::{Reader, Source};
use crate::output::{self, check_writable, short, table};
use crate::progress::{Display, saving};
use anyhow::Result;
use protea::catalog::Part;
use protea::eval::{Protocol, Trial};
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
    args.report.as_deref().map_or(Ok(()), |path| check_writable(path, "page"))?;
    let protocol = protocol::<F>(args, common)?;
    let rows = measure(&entries, &protocol, &seeds, common.quiet)?;
    if let Some(path) = &args.report {
        let title = format!("Methods on {}", args.train.display());
        let page = comparison(&title, &rows.iter().map(compared).collect::<Vec<_>>());
        saving(|| write_atomically(path, page.as_bytes()))?;
    }
    print(&rows, common.json, "")
}

/// A row as a point of the page's charts.
fn compared(row: &Row) -> Compared {
    let size = row.per_class.as_ref().map_or(String::new(), |n| format!(" {n}"));
    Compared {
        name: row.name.clone() + &size,
        error: row.error,
        deviation: row.deviation,
        prototypes: row.prototypes,
        bytes: row.bytes,
        micros: row.micros_per_query,
        fit_seconds: row.fit_seconds,
    }
}

/// Every method in every size, checked before any work.
fn entries<F: Float>(args: &Compare) -> Result<Vec<Entry>, Error> {
    let mut given = args.settings.0.clone();
    given.remove("seed");
    let sizes = given.remove("per-class");
    let sizes: Vec<Option<String>> = match &sizes {
        // A list by class name is one size, however many commas it has.
        Some(list) if list.contains('=') => vec![sizes.clone()],
        Some(list) => list.split(',').map(|s| Some(s.trim().to_string())).collect(),
        None => vec![None],
    };
    let methods: Vec<&'static Method> = args.methods.iter().map(|m| method(m)).collect::<Result<_, _>>()?;
    let mut entries = Vec::new();
    for &method in &methods {
        let used = used::<F>(method, &given)?;
        let sizes = if method.has_size(&used) { &sizes[..] } else { &[None] };
        for size in sizes {
            let per_class = size.iter().map(|s| ("per-class".to_string(), s.clone()));
            let settings = used.clone().into_iter().chain(per_class).collect();
            entries.push(Entry { name: method.name.into(), method, settings });
        }
    }
    let size = sizes[0].iter().map(|size| ("per-class".to_string(), size.clone()));
    for (name, value) in given.iter().map(|(n, v)| (n.clone(), v.clone())).chain(size) {
        if entries.iter().all(|e| !e.settings.contains_key(&name)) {
            refused::<F>(methods[0], &given, &name, &value)?;
        }
    }
    entries.iter().try_for_each(|e| trainer::<F>(e, 0)?.check_given())?;
    Ok(entries)
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

fn protocol<F: Float>(args: &Compare, common: &Common) -> Result<Protocol<F>> {
    let reader = Reader { reading: &args.data.reading, data_dir: common.data_dir.as_deref() };
    let source = Source::find(&args.train)?;
    if let Some(k) = args.folds {
        let (_, data) = reader.train(&source, args.data.missing.into())?;
        return Ok(Protocol::Folds { data, k });
    }
    let test = match &args.test {
        Some(path) => Source::find(path)?.or_part(Part::Test),
        None if source.is_split() => source.clone().or_part(Part::Test),
        None => {
            let expected = "test data as a second argument, or --folds K";
            return Err(Error::setting("TEST", "none", expected).into());
        }
    };
    let (schema, train) = reader.train(&source.or_part(Part::Train), args.data.missing.into())?;
    let reading = &args.data.reading.for_second_input();
    let test = Reader { reading, ..reader }.labelled(&test, &schema)?;
    Ok(Protocol::Parts { train, test })
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
    entry.settings.iter().fold(entry.name.clone(), |t, (name, value)| format!("{t} --{name} {value}"))
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

fn summary(entry: &Entry, runs: &[Trial]) -> Row {
    let n = runs.len() as f64;
    let mean = |f: fn(&Trial) -> f64| runs.iter().map(f).sum::<f64>() / n;
    let error = mean(|r| r.error);
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
            format!("{:.0}", r.bytes),
            short(r.fit_seconds),
            short(r.micros_per_query),
        ]
    });
    let header = ["method", "per class", "prototypes", "error %", "bytes", "fit s", "µs/query"];
    Ok(output::print(&(table(&header, lines, 1) + comment))?)
}
