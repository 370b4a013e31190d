//! Models in the formats of other programs and machines.
//!
//! Every format is a writer of a [`Plan`], the list of operations that a model lowers to, so that all of them decide as
//! [`Plan::answer`](crate::plan::Plan) does. A new format is a file with a type that implements [`Export`] and a line in
//! [`EXPORTS`].
//!
//! ```
//! # #[cfg(feature = "datasets")] {
//! use protea::catalog::{self, Part};
//! use protea::export::{export, ExportOptions};
//!
//! let wine = catalog::load::<f32>("wine", Part::All, None)?;
//! let model = protea::Trainer::named("centroid")?.fit(&wine)?;
//! let files = export(&model, "c", &ExportOptions { name: "wine".into(), ..Default::default() })?;
//! assert_eq!(files[0].extension, "h");
//! # }
//! # Ok::<(), protea::Error>(())
//! ```

mod arrays;
mod c;
mod codebook;
mod javascript;
mod onnx;
mod rust;

#[cfg(feature = "report")]
pub(crate) use javascript::{READER, base64, check_readable, numbers, page_document};

use crate::plan::{Bits, Op, Plan};
use crate::settings::named_enum;
use crate::{Error, Float, Model, Result};

named_enum! {
    /// How numbers are stored in fewer bits.
    pub enum Quantize {
        /// Whole numbers of 8 bits.
        Int8 = "int8",
        /// Whole numbers of 16 bits.
        Int16 = "int16",
    }
}

impl Quantize {
    fn bits(self) -> Bits {
        match self {
            Quantize::Int8 => Bits::Eight,
            Quantize::Int16 => Bits::Sixteen,
        }
    }
}

/// What a caller may choose.
#[derive(Debug, Clone)]
pub struct ExportOptions {
    /// Name of the model, for identifiers inside the files.
    pub name: String,
    /// Store numbers in fewer bits.
    pub quantize: Option<Quantize>,
    /// Name of the first file, for the others that refer to it; the model's name with the format's ending without.
    pub file: Option<String>,
}

impl Default for ExportOptions {
    fn default() -> Self {
        ExportOptions { name: "model".into(), quantize: None, file: None }
    }
}

impl ExportOptions {
    /// The name as an identifier of C, Rust and JavaScript: lower-case letters, digits and underscores.
    pub fn identifier(&self) -> String {
        let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        let name: String = self.name.chars().map(letter).collect();
        match name.chars().next() {
            Some(c) if c.is_ascii_alphabetic() => name,
            _ => format!("model_{name}").trim_end_matches('_').into(),
        }
    }
}

/// A file of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// How its name ends, such as `h` or `d.ts`.
    pub extension: &'static str,
    /// Its content.
    pub bytes: Vec<u8>,
}

impl File {
    fn new(extension: &'static str, bytes: impl Into<Vec<u8>>) -> Self {
        File { extension, bytes: bytes.into() }
    }
}

/// A format that plans can be written in.
pub trait Export: Sync {
    /// Its name, as on the command line.
    fn name(&self) -> &'static str;

    /// What it is, in one line.
    fn about(&self) -> &'static str;

    /// Whether it holds plans of rounded numbers.
    fn holds_rounded(&self) -> bool {
        false
    }

    /// The files of a plan, the most important first; refuses what the format cannot hold.
    fn write(&self, plan: &Plan, options: &ExportOptions) -> Result<Vec<File>>;
}

/// All formats.
pub static EXPORTS: &[&dyn Export] = &[
    &onnx::Onnx,
    &c::C,
    &rust::Rust,
    &javascript::JavaScript,
    &arrays::Json,
    &arrays::Npz,
    &codebook::LvqPak,
];

/// The format of a name.
pub fn named(name: &str) -> Result<&'static dyn Export> {
    EXPORTS.iter().copied().find(|e| e.name() == name).ok_or_else(|| {
        let known: Vec<&str> = EXPORTS.iter().map(|e| e.name()).collect();
        Error::UnknownName { what: "export format", name: name.into(), known: known.join(", ") }
    })
}

/// The plan that an export writes: the model's own, or that of its quantised form.
pub fn exported_plan<F: Float>(
    model: &Model<F>,
    format: &dyn Export,
    options: &ExportOptions,
) -> Result<Plan> {
    if model.coding().is_some() {
        let problem =
            "this model decides by codes over its prototypes, which no export can hold; predict with protea";
        return Err(Error::unsupported(problem));
    }
    let plan = model.plan()?;
    match options.quantize {
        None => Ok(plan),
        Some(quantize) if format.holds_rounded() => plan.quantized(quantize.bits()),
        Some(_) => {
            let holding: Vec<&str> = EXPORTS.iter().filter(|e| e.holds_rounded()).map(|e| e.name()).collect();
            let problem = format!("the format {} holds no quantised numbers", format.name());
            Err(Error::unsupported(format!("{problem}; those that do are {}", holding.join(", "))))
        }
    }
}

/// A model in a format by name.
pub fn export<F: Float>(model: &Model<F>, format: &str, options: &ExportOptions) -> Result<Vec<File>> {
    let format = named(format)?;
    format.write(&exported_plan(model, format, options)?, options)
}

/// The sentence about an operation that a format cannot hold.
fn refused(op: &Op, format: &str) -> Error {
    Error::unsupported(format!("this model has {}, which {format} cannot hold", op.describe()))
}
