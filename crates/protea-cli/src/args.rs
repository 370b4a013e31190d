//! The arguments of every verb; flags of settings are generated (see [`crate::settings`]).

use crate::reading::{Reading, TrainingData};
use crate::settings::{Settings, rule, rule_help};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use protea::SettingValue;
use protea::catalog;
use protea::certify::Norm;
use protea::eval::Certainty;
use protea::export::{EXPORTS, Quantize};
use protea::method::{METHODS, method};
use protea::model::Rule;
use protea::report::Figure;
use protea::represent::ImageSize;
use std::path::PathBuf;

/// Prototype-based classification: turns a labelled table into a few labelled prototypes.
#[derive(Debug, Parser)]
#[command(name = "protea", version, after_help = data_sets(), max_term_width = 110)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// What every verb takes.
    #[command(flatten)]
    pub common: Common,
}

/// One verb.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Train a model and save it
    #[command(after_help = MORE_SETTINGS, after_long_help = include_str!("examples/fit.txt"))]
    Fit(Fit),
    /// Show what is in a file and what fit would make of it: columns, classes, warnings
    #[command(after_help = include_str!("examples/describe.txt"))]
    Describe(Describe),
    /// Decide the class of every row of a file
    ///
    /// Writes CSV with a header: `label`; with --proba one column `p_<class>` for each class; with --explain K the
    /// columns `near1_prototype`, `near1_class`, `near1_distance` (squared, in the model's space), `near2_…` for the K
    /// nearest prototypes, numbered from 0 as in `inspect --prototypes`, and `why1_feature`, `why1_contribution`, … for the
    /// K features that bring the row closest to its nearest prototype, compared with the nearest one of another class. With
    /// --json an array of objects. An answer whose name a kept column has is called `predicted_…`.
    ///
    /// Rows of text are answered as they arrive: `tail -f new.csv | protea predict MODEL -`.
    #[command(after_help = include_str!("examples/predict.txt"))]
    Predict(Predict),
    /// Measure a model on labelled rows: error, classes, confusions, calibration, size, speed
    ///
    /// More on demand: --refusal (precision where doubtful rows get no answer), --verification (is a row of the class that is
    /// claimed for it?), --prototypes (which of them could go).
    #[command(after_help = include_str!("examples/eval.txt"))]
    Eval(Eval),
    /// Fit the probabilities of a model to labelled rows that training has not seen
    ///
    /// Only the temperature changes: classes, prototypes and metric stay as they are.
    #[command(after_help = include_str!("examples/calibrate.txt"))]
    Calibrate(Calibrate),
    /// Write a page about a model: prototypes, errors, figures, and a place to try it
    ///
    /// One HTML file that needs no network. With --train it compares with 1-NN and k-means (McNemar's test), and shows
    /// prototypes of images before learning, too, where they started from k-means.
    #[command(after_help = include_str!("examples/report.txt"))]
    Report(Report),
    /// Draw one figure of a model, as SVG or PNG
    #[command(after_help = include_str!("examples/plot.txt"))]
    Plot(Plot),
    /// Train several methods and sizes under one protocol, and show one table
    ///
    /// Models are trained on TRAIN alone and measured on TEST, or on each of --folds parts of TRAIN in turn. Errors are
    /// the mean ± standard deviation over seeds and folds. Every setting takes a list, as in --per-class 5,15,50 --noise
    /// 0,0.15, and all combinations are tried. A setting that only some of the methods have applies to them alone.
    #[command(after_help = MORE_SETTINGS, after_long_help = include_str!("examples/compare.txt"))]
    Compare(Compare),
    /// Show what changed from one model to another: prototypes, answers, errors
    ///
    /// Prototypes are paired within each class, in the units of the input; the rest came or went. With TEST, shows the rows whose
    /// answer changes and, if they have labels, whether the errors differ by more than chance (McNemar's test).
    #[command(after_help = include_str!("examples/diff.txt"))]
    Diff(Diff),
    /// Show what a model is made of: classes, prototypes, metric, provenance
    #[command(after_help = include_str!("examples/inspect.txt"))]
    Inspect(Inspect),
    /// Write every row as a weighted sum of a model's prototypes
    ///
    /// CSV with the columns `row` (from 0), `atom` (as numbered by `inspect --prototypes`), `class`, `weight` and `residual`, the
    /// length of what the sum leaves of the row after preprocessing; a file that ends in `.npz` gets the arrays `row`, `atom`,
    /// `weight`, `residual` and `shape`. Models without a coder give their nearest prototypes equal weights.
    #[command(after_help = include_str!("examples/represent.txt"))]
    Represent(Represent),
    /// Write every row as it is after a model's preprocessing: scaled, projected, as edges
    ///
    /// CSV with the columns `z0`, `z1`, …, or an array where the output ends in `.npy`.
    #[command(after_help = include_str!("examples/transform.txt"))]
    Transform(Transform),
    /// Write a model in the format of another program
    ///
    /// Every format holds preprocessing, metric, decision, probabilities and names, so that it answers as `predict` does. What a
    /// format cannot hold is refused.
    #[command(after_help = include_str!("examples/export.txt"))]
    Export(Export),
    /// List every method with its settings, defaults and paper
    #[command(after_help = include_str!("examples/methods.txt"))]
    Methods(Methods),
    /// Show what prototypes can do, on data that ships inside
    #[command(after_help = include_str!("examples/demo.txt"))]
    Demo(Demo),
    /// Print a completion script for a shell
    #[command(after_help = include_str!("examples/completions.txt"))]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Where the short help of commands that train points.
const MORE_SETTINGS: &str = "\
All settings, by group: protea fit --help. What a method does and its own settings: protea methods NAME.";

/// Options of every verb.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Options of every command")]
pub struct Common {
    /// Print one JSON document
    #[arg(long, global = true)]
    pub json: bool,
    /// Show no progress
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Threads to use; results do not depend on it [default: one for each core]
    #[arg(long, global = true, value_name = "N", hide_short_help = true, value_parser = at_least_one)]
    pub threads: Option<usize>,
    /// Folder of data sets that do not ship inside
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "PROTEA_DATA",
        hide_env_values = true,
        hide_short_help = true
    )]
    pub data_dir: Option<PathBuf>,
}

/// Arguments of `fit`.
#[derive(Debug, clap::Args)]
pub struct Fit {
    /// Training data: a file, `-` for standard input, or a data set by name
    pub train: PathBuf,
    /// Method (see `protea methods`) [default: auto, or that of --from; npc with --prototypes or --metric-matrix]
    #[arg(short, long, value_parser = methods(), hide_possible_values = true)]
    pub method: Option<String>,
    /// Where to save the model
    #[arg(short, long, value_name = "MODEL")]
    pub output: PathBuf,
    /// Validation data that select the best iterate
    #[arg(long, value_name = "FILE")]
    pub valid: Option<PathBuf>,
    /// Costs: row c, column j for deciding j where c is true; classes by name, or as `describe` lists them
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub cost: Option<PathBuf>,
    /// Go on from a model with these rows, which may be of new classes; its settings stay unless given
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["metric_matrix", "prototypes", "dictionary"])]
    pub from: Option<PathBuf>,
    /// Matrix A of the metric ‖A(x − p)‖², one column for each feature after preprocessing; training starts from it
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub metric_matrix: Option<PathBuf>,
    /// Keep the given matrix as it is
    #[arg(long, requires = "metric_matrix", hide_short_help = true)]
    pub freeze_metric: bool,
    /// Labelled prototypes to start from, such as `inspect --prototypes` and `export --to lvq-pak` write
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub prototypes: Option<PathBuf>,
    /// A model whose prototypes a coder (inn, src, crc, mp, omp, lle) uses, in its representation, in place of all samples
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["metric_matrix", "prototypes"], hide_short_help = true)]
    pub dictionary: Option<PathBuf>,
    /// Training data options.
    #[command(flatten)]
    pub data: TrainingData,
    /// Settings by flag.
    #[command(flatten)]
    pub settings: Settings,
}

/// Arguments of `describe`.
#[derive(Debug, clap::Args)]
pub struct Describe {
    /// A file, or `-` for standard input
    pub file: PathBuf,
    /// Training data options.
    #[command(flatten)]
    pub data: TrainingData,
}

impl Fit {
    /// The method that was given; without one a search, unless there is something to start from.
    pub fn method(&self) -> &str {
        let begun = self.prototypes.is_some() || self.metric_matrix.is_some();
        self.method.as_deref().unwrap_or(if begun { "npc" } else { "auto" })
    }
}

/// Arguments of `represent`.
#[derive(Debug, clap::Args)]
pub struct Represent {
    /// A model saved by fit
    pub model: PathBuf,
    /// The rows: a file, `-` for standard input, or a data set by name; labels are not needed
    pub input: PathBuf,
    /// Where to write, instead of standard output; an archive of arrays where it ends in .npz
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Reading options.
    #[command(flatten)]
    pub reading: Reading,
}

/// Arguments of `transform`.
#[derive(Debug, clap::Args)]
pub struct Transform {
    /// A model saved by fit
    pub model: PathBuf,
    /// The rows: a file, `-` for standard input, or a data set by name; labels are not needed
    pub input: PathBuf,
    /// Where to write, instead of standard output; an array where it ends in .npy
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Reading options.
    #[command(flatten)]
    pub reading: Reading,
}

/// Arguments of `predict`.
#[derive(Debug, clap::Args)]
pub struct Predict {
    /// A model saved by fit
    pub model: PathBuf,
    /// The rows: a file, `-` for standard input, or a data set by name; labels are not needed
    pub input: PathBuf,
    /// Where to write, instead of standard output: .csv, .jsonl, .json or .parquet by ending
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Add the probability of each class
    #[arg(long)]
    pub proba: bool,
    /// Columns of the input to write before the answers, separated by commas
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', conflicts_with = "append")]
    pub keep: Vec<String>,
    /// Write all columns of the input before the answers
    #[arg(long)]
    pub append: bool,
    /// Add the K nearest prototypes and the K features that decided
    #[arg(long, value_name = "K", value_parser = at_least_one, allow_negative_numbers = true)]
    pub explain: Option<usize>,
    /// Give no label to rows whose own probability of being wrong is above ERROR, a share like 0.05
    #[arg(long, value_name = "ERROR", value_parser = share)]
    pub reject_at: Option<f64>,
    /// Add the radius within which no input gets another answer: l1, l2 or linf, in the units of the input
    #[arg(long, value_name = "NORM", value_parser = norms())]
    pub certify: Option<Norm>,
    /// How to decide, in place of the model's own rule
    #[arg(long, value_name = "RULE", value_parser = rule, help = rule_help())]
    pub rule: Option<Rule>,
    /// What to do about a row that cannot be answered
    #[arg(long, value_enum, value_name = "HOW", default_value = "stop")]
    pub on_error: OnError,
    /// Reading options.
    #[command(flatten)]
    pub reading: Reading,
}

fn norms() -> impl TypedValueParser<Value = Norm> {
    let names = PossibleValuesParser::new(Norm::ALL.map(|n| n.show()));
    names.try_map(|name| Norm::parse(&name).ok_or("expected a norm"))
}

/// What to do about a row that cannot be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum OnError {
    /// Refuse the file, with row and column
    Stop,
    /// Give the row no label
    Blank,
}

/// A number from 1 on.
fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| *n > 0).ok_or_else(|| "expected a whole number ≥ 1".into())
}

/// A share from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|s| (0.0..=1.0).contains(s));
    share.ok_or_else(|| "expected a share between 0 and 1, such as 0.05".into())
}

/// Arguments of `eval`.
#[derive(Debug, clap::Args)]
pub struct Eval {
    /// A model saved by fit
    pub model: PathBuf,
    /// Labelled rows: a file, `-` for standard input, or a data set by name
    pub test: PathBuf,
    /// Show the whole confusion matrix
    #[arg(long)]
    pub confusion: bool,
    /// How to decide, in place of the model's own rule
    #[arg(long, value_name = "RULE", value_parser = rule, help = rule_help())]
    pub rule: Option<Rule>,
    /// More measures.
    #[command(flatten)]
    pub measures: Measures,
    /// Reading options.
    #[command(flatten)]
    pub reading: Reading,
}

/// Arguments of `calibrate`.
#[derive(Debug, clap::Args)]
pub struct Calibrate {
    /// A model saved by fit
    pub model: PathBuf,
    /// Labelled rows: a file, `-` for standard input, or a data set by name
    pub input: PathBuf,
    /// Where to save the calibrated model
    #[arg(short, long, value_name = "MODEL")]
    pub output: PathBuf,
    /// Reading options.
    #[command(flatten)]
    pub reading: Reading,
}

/// Arguments of `report`.
#[derive(Debug, clap::Args)]
pub struct Report {
    /// A model saved by fit
    pub model: PathBuf,
    /// Labelled rows: a file, `-` for standard input, or a data set by name
    pub test: PathBuf,
    /// Where to write the page
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    pub output: PathBuf,
    /// What the model was trained on, to compare with 1-NN and k-means
    #[arg(long, value_name = "TRAIN")]
    pub train: Option<PathBuf>,
    /// Train again at several γ and show the accuracy over γ in training and in deciding (npc, rslvq)
    #[arg(long, requires = "train")]
    pub mesh: bool,
    /// What the page is called [default: the method and the test data]
    #[arg(long)]
    pub title: Option<String>,
    /// How rows are shown.
    #[command(flatten)]
    pub shape: Shape,
    /// Reading options.
    #[command(flatten)]
    pub reading: Reading,
}

/// Arguments of `plot`.
#[derive(Debug, clap::Args)]
pub struct Plot {
    /// A model saved by fit
    pub model: PathBuf,
    /// Labelled rows: a file, `-` for standard input, or a data set by name
    pub test: PathBuf,
    /// The figure
    #[arg(value_parser = figures())]
    pub what: Figure,
    /// Where to write, instead of SVG to standard output; the ending says whether .svg or .png
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// What the model was trained on, for the figure mesh, which trains again at several γ
    #[arg(long, value_name = "TRAIN")]
    pub train: Option<PathBuf>,
    /// How rows are shown.
    #[command(flatten)]
    pub shape: Shape,
    /// Reading options.
    #[command(flatten)]
    pub reading: Reading,
}

fn figures() -> impl TypedValueParser<Value = Figure> {
    let names = PossibleValuesParser::new(Figure::ALL.map(|f| f.show()));
    names.try_map(|name| Figure::parse(&name).ok_or("expected a figure"))
}

/// Whether rows are images.
#[derive(Debug, clap::Args)]
pub struct Shape {
    /// Show rows as images of WIDTHxHEIGHT, or as tables with none [default: as the model says, or square from 64 nameless
    /// features on]
    #[arg(long, value_name = "SIZE", value_parser = image_size)]
    pub image: Option<Image>,
}

/// What rows are shown as.
#[derive(Debug, Clone, Copy)]
pub enum Image {
    /// Tables.
    No,
    /// Images of this size.
    Of(ImageSize),
}

fn image_size(text: &str) -> Result<Image, String> {
    if text == "none" {
        return Ok(Image::No);
    }
    ImageSize::parse(text).map(Image::Of).ok_or_else(|| "expected none or WIDTHxHEIGHT, such as 28x28".into())
}

/// What `eval` measures besides errors.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "More measures")]
pub struct Measures {
    /// Precision where the least certain rows are refused; the whole curve with --json
    #[arg(long)]
    pub refusal: bool,
    /// What --refusal sorts by: probability of the answer, relsim (d⁻−d⁺)/(d⁻+d⁺), distance −d⁺, margin ½(√d⁻−√d⁺)
    #[arg(long, value_name = "MEASURE", value_parser = certainties(), default_value = "probability", requires = "refusal")]
    pub certainty: Certainty,
    /// Error rates where every row is checked against the claim to be of each class
    #[arg(long)]
    pub verification: bool,
    /// Also show the rates of --verification where claims of at least this probability are accepted
    #[arg(long, value_name = "P", value_parser = share, requires = "verification")]
    pub accept_at: Option<f64>,
    /// What each prototype answers for, and the errors without it
    #[arg(long)]
    pub prototypes: bool,
    /// Errors that no change of the input up to these sizes exceeds, in its units: 0.1,0.3
    #[arg(long, value_name = "RADII", value_delimiter = ',', value_parser = radius)]
    pub certified: Vec<f64>,
    /// How --certified measures a change: l1, l2 or linf
    #[arg(long, value_name = "NORM", value_parser = norms(), default_value = "l2", requires = "certified")]
    pub norm: Norm,
}

fn radius(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|r| *r >= 0.0 && r.is_finite());
    value.ok_or_else(|| "expected a number ≥ 0".into())
}

fn certainties() -> impl TypedValueParser<Value = Certainty> {
    let names = PossibleValuesParser::new(Certainty::ALL.map(|c| c.show()));
    names.try_map(|name| Certainty::parse(&name).ok_or("expected a measure of certainty"))
}

/// Arguments of `compare`.
#[derive(Debug, clap::Args)]
pub struct Compare {
    /// Training data: a file, `-` for standard input, or a data set by name
    pub train: PathBuf,
    /// Test data; a data set with a test part of its own needs none
    pub test: Option<PathBuf>,
    /// Methods, separated by commas
    #[arg(short, long = "methods", alias = "method", value_name = "METHODS", value_delimiter = ',',
        default_value = "npc,kmeans,knn", value_parser = methods(), hide_possible_values = true)]
    pub methods: Vec<String>,
    /// Seeds, separated by commas, in place of --seed
    #[arg(long, value_delimiter = ',', conflicts_with = "seed", hide_short_help = true)]
    pub seeds: Vec<u64>,
    /// Measure on each of K parts of TRAIN in turn, trained on the others
    #[arg(long, value_name = "K", conflicts_with = "test")]
    pub folds: Option<usize>,
    /// Train the one with the lowest error on all of TRAIN and save it with -o
    #[arg(long, requires = "output")]
    pub fit_best: bool,
    /// Where to save the model of --fit-best
    #[arg(short, long, value_name = "MODEL", requires = "fit_best")]
    pub output: Option<PathBuf>,
    /// Also write a page with charts of error against size and time
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Training data options.
    #[command(flatten)]
    pub data: TrainingData,
    /// Settings by flag.
    #[command(flatten)]
    pub settings: Settings,
}

/// Arguments of `demo`.
#[derive(Debug, clap::Args)]
pub struct Demo {
    /// Also write a page about the learned prototypes
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

/// Arguments of `inspect`.
#[derive(Debug, clap::Args)]
pub struct Inspect {
    /// A model saved by fit
    pub model: PathBuf,
    /// Print the prototypes in the units of the input, as CSV (or JSON with --json)
    #[arg(long)]
    pub prototypes: bool,
}

/// Arguments of `diff`.
#[derive(Debug, clap::Args)]
pub struct Diff {
    /// A model saved by fit
    pub first: PathBuf,
    /// Another model of the same features
    pub second: PathBuf,
    /// Rows that both answer: a file or a data set by name; labels are not needed
    pub test: Option<PathBuf>,
    /// Reading options.
    #[command(flatten)]
    pub reading: Reading,
}

/// Arguments of `export`.
#[derive(Debug, clap::Args)]
pub struct Export {
    /// A model saved by fit
    pub model: PathBuf,
    /// The format
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    pub to: String,
    /// Where to write, instead of standard output; a second file of the format goes next to it
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Store numbers in fewer bits (c, rust, json, npz)
    #[arg(long, value_name = "BITS", value_parser = PossibleValuesParser::new(Quantize::NAMES))]
    pub quantize: Option<String>,
    /// Name of the model inside the files [default: that of the output file]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Run the export on labelled rows and compare its answers, error, size and speed with the model's
    ///
    /// Needs the runtime of the format: cc for c, node for js, python3 with onnxruntime for onnx, none for rust.
    #[arg(long, value_name = "TEST")]
    pub check: Option<PathBuf>,
    /// Reading options.
    #[command(flatten)]
    pub reading: Reading,
}

/// The formats with their descriptions.
fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new(EXPORTS.iter().map(|e| PossibleValue::new(e.name()).help(e.about())))
}

/// Arguments of `methods`.
#[derive(Debug, clap::Args)]
pub struct Methods {
    /// Only this one
    #[arg(value_parser = methods(), hide_possible_values = true)]
    pub name: Option<String>,
    /// As a page of Markdown
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
}

fn methods() -> MethodName {
    MethodName
}

/// Names of methods: completions list them, and the library says which one a typing error may have meant.
#[derive(Clone)]
struct MethodName;

impl TypedValueParser for MethodName {
    type Value = String;

    fn parse_ref(
        &self,
        _: &clap::Command,
        _: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        let found = method(&value.to_string_lossy());
        found
            .map(|m| m.name.to_string())
            .map_err(|e| clap::Error::raw(clap::error::ErrorKind::InvalidValue, format!("{e}\n")))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(METHODS.iter().map(|m| PossibleValue::new(m.name).help(m.summary))))
    }
}

/// The end of the help: what can be named in place of a file.
fn data_sets() -> String {
    let names = |shipped| {
        let sets = catalog::CATALOG.iter().filter(|s| s.shipped == shipped).map(|s| s.name);
        sets.collect::<Vec<_>>().join(", ")
    };
    format!(
        "Data sets inside: {}.\nIn a folder named by --data-dir: {}.\nParts are letter:train and letter:test.\n\n{}",
        names(true),
        names(false),
        include_str!("examples/protea.txt")
    )
}
