//! The bytes that the crate `protea-core` reads, and a file of Rust that includes them.

use super::{Export, ExportOptions, File, refused};
use crate::plan::{ArrayId, Bits, Numbers, Op, Plan};
use crate::{Error, Result};
use protea_core::layout::{MAGIC, Tag, VERSION};

/// The format `rust`.
pub(super) struct Rust;

impl Export for Rust {
    fn name(&self) -> &'static str {
        "rust"
    }

    fn about(&self) -> &'static str {
        "bytes for the crate protea-core (no_std, no allocation), with a file of Rust that includes them"
    }

    fn holds_rounded(&self) -> bool {
        true
    }

    fn write(&self, plan: &Plan, options: &ExportOptions) -> Result<Vec<File>> {
        let bytes = compiled(&plan.folded())?;
        let model = protea_core::Model::parse(&bytes)
            .map_err(|e| Error::unsupported(format!("the compiled model cannot be read back: {e}")))?;
        let snippet = snippet(options, &model, bytes.len());
        Ok(vec![File::new("bin", bytes), File::new("rs", snippet)])
    }
}

/// A module that reads the bytes next to it.
fn snippet(options: &ExportOptions, model: &protea_core::Model, bytes: usize) -> String {
    let (scratch, features) = (model.scratch(), model.features());
    let file = options.file.clone().unwrap_or_else(|| format!("{}.bin", options.name));
    // A path inside of quotes.
    let file: String = file.escape_default().collect();
    format!(
        "//! A classifier, written by protea {}: {bytes} bytes. Needs the crate protea-core.\n\n\
         /// The compiled model.\npub static BYTES: &[u8] = include_bytes!(\"{file}\");\n\n\
         /// Numbers in a sample.\npub const FEATURES: usize = {features};\n\n\
         /// Name of the class of a sample, which has its numbers in the units of the training data.\n\
         pub fn predict(sample: &[f32; FEATURES]) -> Result<&'static str, protea_core::Error> {{\n\
         {:4}let model = protea_core::Model::parse(BYTES)?;\n\
         {:4}let class = model.predict(sample, &mut [0.0; {scratch}])?;\n\
         {:4}Ok(model.class_name(class).unwrap_or_default())\n}}\n",
        env!("CARGO_PKG_VERSION"),
        "",
        "",
        ""
    )
}

/// Operations as bytes.
struct Writer<'a> {
    plan: &'a Plan,
    bytes: Vec<u8>,
}

impl Writer<'_> {
    /// One operation with its numbers and tables.
    fn op(&mut self, tag: Tag, numbers: &[u32], tables: &[Vec<u8>]) {
        self.bytes.extend((tag as u16).to_le_bytes());
        self.bytes.extend((numbers.len() as u16).to_le_bytes());
        numbers.iter().for_each(|n| self.bytes.extend(n.to_le_bytes()));
        tables.iter().for_each(|t| self.bytes.extend(t));
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    fn reals(&self, id: ArrayId) -> Vec<u8> {
        floats(self.plan.reals(id))
    }

    /// Bytes of a number, and the table.
    fn rounded(&self, id: ArrayId) -> (u32, Vec<u8>) {
        let Numbers::Rounded(bits, values) = &self.plan.arrays[id.0].values else { return (1, Vec::new()) };
        let size = bits.bytes();
        let bytes = values.iter().flat_map(|v| v.to_le_bytes().into_iter().take(size)).collect();
        (if *bits == Bits::Eight { 1 } else { 2 }, bytes)
    }

    fn write(&mut self, op: &Op) -> Result<()> {
        let plan = self.plan;
        let rows = |id: ArrayId| plan.shape(id)[0] as u32;
        match *op {
            Op::Scale { centre, factor } => {
                self.op(Tag::Scale, &[], &[self.reals(centre), self.reals(factor)])
            }
            Op::Affine { centre, matrix, .. } => {
                self.op(Tag::Affine, &[rows(matrix)], &[self.reals(centre), self.reals(matrix)]);
            }
            Op::Unit => self.op(Tag::Unit, &[], &[]),
            Op::SmoothClip { limit } => self.op(Tag::SmoothClip, &[(limit as f32).to_bits()], &[]),
            Op::PiecewiseLinear { edges, ends } => {
                let (n, features) = (rows(edges), rows(ends));
                let table = plan.wholes(ends).iter().flat_map(|&e| (e as u32).to_le_bytes()).collect();
                self.op(Tag::PiecewiseLinear, &[n.saturating_sub(features), n], &[self.reals(edges), table]);
            }
            Op::Round { centre, factor, limit } => {
                self.op(Tag::Round, &[limit as u32], &[self.reals(centre), self.reals(factor)]);
            }
            Op::RoundedAffine { matrix, shift, limit } => {
                let (size, table) = self.rounded(matrix);
                self.op(Tag::RoundedAffine, &[rows(matrix), shift, limit as u32, size], &[table]);
            }
            Op::Distance { prototypes, weights: None } => {
                self.op(Tag::Distance, &[rows(prototypes)], &[self.reals(prototypes)]);
            }
            Op::Distance { prototypes, weights: Some(w) } => {
                let n = plan.reals(prototypes).len();
                let squares: Vec<f64> = plan.reals(w).iter().map(|w| w * w).cycle().take(n).collect();
                let tables = [self.reals(prototypes), floats(&squares)];
                self.op(Tag::WeightedDistance, &[rows(prototypes)], &tables);
            }
            Op::RoundedDistance { prototypes } => {
                let (size, table) = self.rounded(prototypes);
                self.op(Tag::RoundedDistance, &[rows(prototypes), size], &[table]);
            }
            Op::Vote { k, .. } => self.op(Tag::Vote, &[k.min(u32::MAX as usize) as u32], &[]),
            Op::Largest => self.op(Tag::Largest, &[], &[]),
            Op::Least { ends, .. } => {
                let ends = plan.wholes(ends);
                let table = ends.iter().flat_map(|&e| (e as u32).to_le_bytes()).collect();
                self.op(Tag::Least, &[ends.len() as u32], &[table]);
            }
            Op::SoftLeast { gamma, .. } => self.op(Tag::SoftLeast, &[(gamma as f32).to_bits()], &[]),
            Op::Weigh { weights, biases } => {
                self.op(Tag::Weigh, &[], &[self.reals(weights), self.reals(biases)]);
            }
            Op::InverseLog => self.op(Tag::InverseLog, &[], &[]),
            Op::Multiply { by } => self.op(Tag::Multiply, &[(by as f32).to_bits()], &[]),
            ref other => return Err(refused(other, "protea-core")),
        }
        if let Op::Distance { .. } | Op::RoundedDistance { .. } = op {
            self.labels()?;
        }
        Ok(())
    }

    /// Classes of the prototypes, once for all operations that read them.
    fn labels(&mut self) -> Result<()> {
        let labels = self.plan.ops.iter().find_map(|op| match *op {
            Op::Vote { labels, .. } | Op::Least { labels, .. } | Op::SoftLeast { labels, .. } => Some(labels),
            Op::Code { labels, .. } => Some(labels),
            _ => None,
        });
        let Some(labels) = labels else { return Err(Error::data("the plan has no classes of prototypes")) };
        if self.plan.classes.len() > 1 << 16 {
            return Err(Error::unsupported(
                "this model has more classes than the 65536 that protea-core can hold",
            ));
        }
        let table = self.plan.wholes(labels).iter().flat_map(|&c| (c as u16).to_le_bytes()).collect();
        self.op(Tag::Labels, &[], &[table]);
        Ok(())
    }

    fn names(&mut self) -> Result<()> {
        let mut table = Vec::new();
        for class in &self.plan.classes {
            let length = u16::try_from(class.len())
                .map_err(|_| Error::class(class, "has a name of more than 65535 bytes; shorten it"))?;
            table.extend(length.to_le_bytes());
            table.extend(class.as_bytes());
        }
        self.op(Tag::Names, &[table.len() as u32], &[table]);
        Ok(())
    }

    /// Numbers of scratch memory: one for each class, and the rows before distances.
    fn scratch(&self) -> usize {
        let (mut width, mut rows) = (self.plan.features.len(), self.plan.features.len());
        for op in &self.plan.ops {
            let after = self.plan.row_after(op, width);
            rows = match op {
                Op::Affine { .. } | Op::RoundedAffine { .. } | Op::PiecewiseLinear { .. } => {
                    rows.max(width + after)
                }
                Op::Distance { .. } | Op::RoundedDistance { .. } => return rows + self.plan.classes.len(),
                _ => rows.max(after),
            };
            width = after;
        }
        rows + self.plan.classes.len()
    }
}

fn floats(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|&v| (v as f32).to_le_bytes()).collect()
}

/// The bytes of a folded plan.
fn compiled(plan: &Plan) -> Result<Vec<u8>> {
    let mut writer = Writer { plan, bytes: Vec::new() };
    plan.ops.iter().try_for_each(|op| writer.write(op))?;
    writer.names()?;
    let scratch = writer.scratch();
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(0u16.to_le_bytes());
    let length = protea_core::layout::HEADER + writer.bytes.len();
    for number in [plan.features.len(), plan.classes.len(), scratch, length] {
        let number = u32::try_from(number).map_err(|_| Error::unsupported("the model exceeds 4 GiB"))?;
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(writer.bytes);
    Ok(bytes)
}
