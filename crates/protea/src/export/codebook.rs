//! Codebooks of LVQ_PAK: labelled prototypes in the units of the input, under the Euclidean distance.

use super::{Export, ExportOptions, File};
use crate::io::lvq_pak;
use crate::plan::{Op, Plan};
use crate::{Error, Float, Result};
use ndarray::Array2;

/// The text file of Kohonen's programs.
pub(super) struct LvqPak;

impl Export for LvqPak {
    fn name(&self) -> &'static str {
        "lvq-pak"
    }

    fn about(&self) -> &'static str {
        "codebook of LVQ_PAK: prototypes in the units of the input with their classes"
    }

    fn write(&self, plan: &Plan, _: &ExportOptions) -> Result<Vec<File>> {
        if let Some(what) = more_than_codebook(plan) {
            return Err(Error::unsupported(format!("this model has {what}, which a codebook cannot hold")));
        }
        let text = if plan.precision == "f32" { codebook::<f32>(plan)? } else { codebook::<f64>(plan)? };
        Ok(vec![File::new("cod", text)])
    }
}

/// What a plan has beyond labelled prototypes under the Euclidean distance of the input.
fn more_than_codebook(plan: &Plan) -> Option<String> {
    let mut steps = Vec::new();
    let mut more = Vec::new();
    for op in &plan.ops {
        match *op {
            // A shift and one factor for all features change no nearest prototype.
            Op::Scale { factor, .. } if plan.reals(factor).windows(2).all(|f| f[0] == f[1]) => (),
            Op::Scale { .. } => steps.push("centred, each feature times a factor of its own".to_string()),
            Op::Affine { matrix, .. } => {
                let shape = plan.shape(matrix);
                steps.push(format!("linear map {} → {}", shape[1], shape[0]));
            }
            Op::Unit => steps.push("length 1".into()),
            Op::Distance { weights: Some(w), .. } if plan.shape(w).len() == 1 => {
                more.push("a diagonal metric".into())
            }
            Op::Distance { weights: Some(_), .. } => more.push("a local metric".into()),
            Op::MatrixDistance { ends, .. } if plan.wholes(ends).len() == 1 => {
                more.push("a linear metric".into())
            }
            Op::MatrixDistance { .. } => more.push("a local-linear metric".into()),
            Op::Vote { k, .. } if k > 1 => more.push(format!("the decision rule {k}-np")),
            Op::Least { ends, .. } if plan.wholes(ends).len() > 1 => {
                return Some("members whose distances are averaged".into());
            }
            Op::Weigh { .. } | Op::Product { .. } => return Some(op.describe().into()),
            Op::Distance { .. } | Op::Vote { .. } | Op::Least { .. } | Op::SoftLeast { .. } => (),
            Op::InverseLog | Op::Multiply { .. } => (),
            Op::Largest => more.push("the decision rule soft".into()),
            Op::Code { .. } => (),
            ref other => steps.push(other.describe().into()),
        }
    }
    let step = steps.first().map(|s| format!("preprocessing ({s})"));
    more.into_iter().next().or(step)
}

/// Prototypes in the units of the input, computed in the model's own type.
fn codebook<F: Float>(plan: &Plan) -> Result<String> {
    let (mut x, mut classes) = (Array2::<F>::zeros((0, 0)), Vec::new());
    for op in plan.ops.iter().rev() {
        match *op {
            Op::Vote { labels, .. } => {
                classes = plan.wholes(labels).iter().map(|&c| plan.classes[c].as_str()).collect();
            }
            Op::Distance { prototypes, .. } => {
                let (shape, values) = (plan.shape(prototypes), plan.reals(prototypes));
                x = Array2::from_shape_vec((shape[0], shape[1]), values.iter().map(|&v| F::of(v)).collect())?;
            }
            Op::Scale { centre, factor } => {
                let by: Vec<(F, F)> = plan
                    .reals(centre)
                    .iter()
                    .zip(plan.reals(factor))
                    .map(|(&c, &f)| (F::of(c), F::of(f)))
                    .collect();
                x.rows_mut().into_iter().for_each(|mut row| {
                    row.iter_mut().zip(&by).for_each(|(v, &(c, f))| *v = *v / f + c);
                });
            }
            _ => (),
        }
    }
    lvq_pak::write(x.view(), &classes)
}
