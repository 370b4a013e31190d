//! What is done to samples before distances are taken, as nodes.

use super::graph::{Graph, Row};
use super::{images, refused};
use crate::Result;
use crate::plan::{Op, Plan};

/// The row after a step.
pub(super) fn step(g: &mut Graph, plan: &Plan, op: &Op, row: Row) -> Result<Row> {
    let width = plan.row_after(op, row.width);
    let name = match *op {
        Op::Scale { centre, factor } => {
            let (c, f) = (
                g.reals("centre", &[width], plan.reals(centre)),
                g.reals("factor", &[width], plan.reals(factor)),
            );
            let centred = g.node("Sub", &[&row.name, &c], &[]);
            g.node("Mul", &[&centred, &f], &[])
        }
        Op::Affine { centre, matrix, .. } => {
            let c = g.reals("centre", &[row.width], plan.reals(centre));
            let centred = g.node("Sub", &[&row.name, &c], &[]);
            let a = plan.reals(matrix);
            let transposed: Vec<f64> =
                (0..row.width).flat_map(|f| (0..width).map(move |i| a[i * row.width + f])).collect();
            let a = g.reals("matrix", &[row.width, width], &transposed);
            g.node("MatMul", &[&centred, &a], &[])
        }
        Op::Unit => unit(g, &row.name),
        Op::Deskew { width, height, background } => images::deskew(g, &row.name, width, height, background),
        Op::Hog { width, height, side, block, bins } => {
            images::hog(g, &row.name, width, height, side, block, bins)
        }
        ref other => return Err(refused(other, "ONNX as protea writes it")),
    };
    Ok(Row { name, width })
}

/// Rows of length 1. After division by the largest value the length is at least 1, or 0 for rows of zeros, which stay.
fn unit(g: &mut Graph, x: &str) -> String {
    let (tiny, one) = (g.real("tiny", f64::from(f32::MIN_POSITIVE)), g.real("one", 1.0));
    let sizes = g.node("Abs", &[x], &[]);
    let most = g.reduce("ReduceMax", &sizes, 1, true);
    let most = g.node("Max", &[&most, &tiny], &[]);
    let scaled = g.node("Div", &[x, &most], &[]);
    let length = g.reduce("ReduceL2", &scaled, 1, true);
    let length = g.node("Max", &[&length, &one], &[]);
    g.node("Div", &[&scaled, &length], &[])
}
