//! From an argument to samples: a file, standard input, or a data set of the catalogue.

use crate::open::{is_model, starts_as_model};
use crate::reading::{Precision, Reading};
use anyhow::Result;
use ndarray::Array2;
use protea::catalog::{self, CATALOG, Entry, Files, Part};
use protea::data::{Body, ColumnKind, Decimal, Findings, LabelSpec, Schema, SchemaOptions, Spelling, Table};
use protea::init::Prototypes;
use protea::io::{formats, read_table};
use protea::{Dataset, Error, Float, Model};
use std::path::{Path, PathBuf};

/// Where samples come from.
#[derive(Debug, Clone)]
pub enum Source {
    /// A file, or standard input for `-`.
    File(PathBuf),
    /// A data set by name.
    Set(&'static Entry, Part),
}

impl Source {
    /// What an argument stands for; an existing file goes before a data set of the same name.
    pub fn find(argument: &Path) -> Result<Source, Error> {
        if is_model(argument) {
            let problem = "is a model that protea has saved; give a file of rows";
            return Err(Error::file(argument, problem));
        }
        if argument == Path::new("-") || argument.exists() {
            return Ok(Source::File(argument.into()));
        }
        let name = argument.to_string_lossy();
        if let Some((set, part)) = catalog::parse(&name) {
            return Ok(Source::Set(set, part));
        }
        if name.contains(['/', '\\', '.']) {
            return Err(Error::file(argument, "there is no such file"));
        }
        let known: Vec<&str> = CATALOG.iter().map(|s| s.name).collect();
        Err(Error::UnknownName { what: "file or data set", name: name.into(), known: known.join(", ") })
    }

    /// Takes `part` of a data set that comes in parts, unless one was named.
    pub fn or_part(self, part: Part) -> Source {
        match self {
            Source::Set(set, Part::All) if has_parts(set) => Source::Set(set, part),
            other => other,
        }
    }

    /// Whether this is a whole data set that comes in parts.
    pub fn is_split(&self) -> bool {
        matches!(self, Source::Set(set, Part::All) if has_parts(set))
    }
}

fn has_parts(set: &Entry) -> bool {
    !matches!(set.files, Files::Whole(_))
}

/// How sources are read.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    /// Options of files.
    pub reading: &'a Reading,
    /// Folder of data sets.
    pub data_dir: Option<&'a Path>,
}

impl Reader<'_> {
    /// Training samples, how their columns became features, and what was found in a file.
    pub fn train<F: Float>(
        &self,
        source: &Source,
        options: &SchemaOptions,
    ) -> Result<(Schema, Dataset<F>, Option<Findings>)> {
        match source {
            Source::File(path) => {
                let learned = protea::io::read(path, &self.reading.options(), options)?;
                Ok((learned.schema, learned.data, Some(learned.findings)))
            }
            Source::Set(set, part) => {
                self.check_plain(set, options)?;
                let data = catalog::load(set.name, *part, self.data_dir)?;
                Ok((Schema::plain(&data), data, None))
            }
        }
    }

    /// Refuses options about the columns of a data set, which are known.
    fn check_plain(&self, set: &Entry, options: &SchemaOptions) -> Result<(), Error> {
        let given = [
            ("label", self.reading.label.is_some() || self.reading.labels.is_some()),
            ("drop", !options.drop.is_empty()),
            ("only", !options.only.is_empty()),
            ("categorical", !options.categorical.is_empty()),
            ("weight", options.weight.is_some()),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((name, _)) => {
                let expected = format!("to be left out: the columns of the data set {} are known", set.name);
                Err(Error::setting(name, "given", expected))
            }
            None => Ok(()),
        }
    }

    /// Labelled samples of a schema's features and classes.
    pub fn labelled<F: Float>(&self, source: &Source, schema: &Schema) -> Result<Dataset<F>> {
        match source {
            Source::File(path) => {
                let table = read_table(path, &self.reading.options().for_schema(schema))?;
                let schema = self.adapted(schema, &table)?;
                let (table, left_out) = schema.labelled_rows(table)?;
                for why in left_out {
                    crate::complain("warning", &format!("{}: {why}", table.source));
                }
                Ok(schema.dataset(table)?)
            }
            Source::Set(set, part) => {
                let data = catalog::load(set.name, *part, self.data_dir)?;
                Ok(with_classes(data, set.name, &schema.classes)?)
            }
        }
    }

    /// Samples of a schema's features, labelled or not.
    pub fn samples<F: Float>(&self, source: &Source, schema: &Schema) -> Result<Array2<F>> {
        match source {
            Source::File(path) => {
                let table = read_table(path, &self.reading.options().for_schema(schema))?;
                Ok(self.adapted(schema, &table)?.features(table)?.0)
            }
            Source::Set(set, part) => Ok(catalog::load(set.name, *part, self.data_dir)?.x),
        }
    }

    /// The schema with the label column that `--label` names, and what `--unknown` and `--decimal` say.
    pub fn adapted<F: Float>(&self, schema: &Schema, table: &Table<F>) -> Result<Schema, Error> {
        let mut schema = schema.clone();
        if let Some(decimal) = self.reading.decimal {
            schema.columns.iter_mut().for_each(|column| spell(&mut column.kind, decimal));
        }
        schema.unknown = self.reading.unknown.map_or(schema.unknown, Into::into);
        let at = match &self.reading.label {
            None | Some(LabelSpec::Auto) => return Ok(schema),
            Some(LabelSpec::Name(name)) => table.names.iter().position(|n| n == name),
            Some(LabelSpec::Position(p)) if *p > 0 => Some(*p as usize - 1),
            Some(LabelSpec::Position(p)) => table.columns().checked_sub(p.unsigned_abs()),
        };
        let Some(at) = at.filter(|&j| j < table.columns()) else {
            return Err(Error::file(&table.source, "has no such label column as --label names"));
        };
        (schema.label, schema.label_at) = (Some(table.names[at].clone()), Some(at));
        Ok(schema)
    }
}

/// Numbers of a column with this separator of decimals.
fn spell(kind: &mut ColumnKind, decimal: Decimal) {
    if let ColumnKind::Number {
        spelling: spelling @ (Spelling::Plain | Spelling::Comma | Spelling::Thousands),
        ..
    } = kind
    {
        *spelling = match decimal {
            Decimal::Comma => Spelling::Comma,
            Decimal::Point => Spelling::Thousands,
        };
    }
}

/// The samples with another list of classes; refuses a class that it lacks.
fn with_classes<F: Float>(data: Dataset<F>, name: &str, classes: &[String]) -> Result<Dataset<F>, Error> {
    let index: Vec<Option<usize>> =
        data.classes.iter().map(|c| classes.iter().position(|k| k == c)).collect();
    if let Some(&c) = data.y.iter().find(|&&c| index[c].is_none()) {
        let class = &data.classes[c];
        return Err(Error::class(class, format!("of {name} is not among those of the model")));
    }
    let y = data.y.iter().filter_map(|&c| index[c]).collect();
    Dataset::new(data.x, y, classes.to_vec())?.with_features(data.features)
}

/// A matrix of numbers, such as a metric.
pub fn matrix<F: Float>(path: &Path, reading: &Reading) -> Result<Array2<F>, Error> {
    let options = protea::io::ReadOptions { labels: None, ..reading.options() };
    let Body::Dense(matrix) = read_table::<F>(path, &options)?.body else {
        return Err(Error::file(path, "holds text, expected a matrix of numbers"));
    };
    match matrix.iter().all(|v| v.f64().is_finite()) {
        true => Ok(matrix),
        false => Err(Error::file(path, "holds missing values, expected a matrix of numbers")),
    }
}

/// Labelled prototypes in the units of the input: columns of the training file, or its features by name.
pub fn prototypes<F: Float>(
    path: &Path,
    reading: &Reading,
    schema: &Schema,
    data: &Dataset<F>,
) -> Result<Prototypes<F>> {
    let table = read_table::<F>(path, &reading.for_second_input().options())?;
    let encoded = data.features.iter().all(|f| table.names.contains(f));
    let given = if table.labels.is_some() && !table.named && table.columns() == data.dim() {
        // A codebook holds features by position, text columns already as numbers.
        Schema::plain(data).dataset(table)?
    } else if encoded && table.named {
        let label = Some(schema.label.clone().unwrap_or_else(|| LABEL.into()));
        Schema { named: true, label, label_at: None, ..Schema::plain(data) }.dataset(table)?
    } else {
        schema.dataset(table)?
    };
    Ok(Prototypes::new(given.x.view(), &given.y)?)
}

/// Name of a label column that has none of its own.
pub const LABEL: &str = "label";

/// A model file in memory.
pub struct ModelFile {
    bytes: Vec<u8>,
    source: String,
}

impl ModelFile {
    /// Reads the file.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let bytes =
            std::fs::read(path).map_err(|e| Error::file(path, format!("cannot be read: {e}")).because(e))?;
        Ok(ModelFile { bytes, source: path.display().to_string() })
    }

    /// Element type of the model.
    pub fn precision(&self) -> Result<Precision, Error> {
        let name = protea::model::file::precision(&self.bytes, &self.source).map_err(|e| {
            if starts_as_model(&self.bytes) { e } else { Error::file(&self.source, self.no_model()) }
        })?;
        Ok(if name == "f64" { Precision::F64 } else { Precision::F32 })
    }

    /// What a file that is no model looks like.
    fn no_model(&self) -> String {
        let looks = if self.bytes.is_empty() {
            "it is empty"
        } else if self.bytes.starts_with(&[0x1f, 0x8b]) {
            "it is packed with gzip"
        } else if self.bytes.trim_ascii_start().starts_with(b"<") {
            "it looks like a web page"
        } else {
            match formats::<f32>().iter().find(|f| (f.looks_like)(&self.bytes)).map(|f| f.name) {
                Some("delimited text") if std::str::from_utf8(&self.bytes).is_err() => {
                    "it is in no format that protea knows"
                }
                Some("delimited text") => "it looks like text, such as a CSV of rows",
                Some(name) => return format!("is not a model that protea has saved: it looks like {name}"),
                None => "it is in no format that protea knows",
            }
        };
        format!("is not a model that protea has saved: {looks}")
    }

    /// The model.
    pub fn load<F: Float>(&self) -> Result<Model<F>, Error> {
        Model::from_bytes(&self.bytes, &self.source)
    }
}

/// How files become samples of a model: as in training, or by position where the model does not say.
pub fn schema_of<F: Float>(model: &Model<F>) -> Schema {
    model.schema().cloned().unwrap_or_else(|| Schema::of_numbers(model.features(), model.classes()))
}
