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
        Op::SmoothClip { limit } => {
            let (limit, one) = (g.real("limit", limit), g.real("one", 1.0));
            let share = g.node("Div", &[&row.name, &limit], &[]);
            let square = g.node("Mul", &[&share, &share], &[]);
            let sum = g.node("Add", &[&square, &one], &[]);
            let root = g.node("Sqrt", &[&sum], &[]);
            g.node("Div", &[&row.name, &root], &[])
        }
        Op::PiecewiseLinear { edges, ends } => piecewise(g, &row.name, plan.reals(edges), plan.wholes(ends)),
        Op::Unit => unit(g, &row.name),
        Op::Deskew { width, height, background } => images::deskew(g, &row.name, width, height, background),
        Op::Hog { width, height, side, block, bins } => {
            images::hog(g, &row.name, width, height, side, block, bins)
        }
        ref other => return Err(refused(other, "ONNX as protea writes it")),
    };
    Ok(Row { name, width })
}

/// Each feature as its shares of the intervals between its edges; those of no width stay 0.
fn piecewise(g: &mut Graph, x: &str, edges: &[f64], ends: &[usize]) -> String {
    let start = |f: usize| f.checked_sub(1).map_or(0, |f| ends[f]);
    let bins: Vec<(usize, f64, f64)> = (0..ends.len())
        .flat_map(|f| edges[start(f)..ends[f]].windows(2).map(move |e| (f, e[0], e[1] - e[0])))
        .collect();
    let per = |wide: f64| if wide > 0.0 { 1.0 / wide } else { 0.0 };
    let low: Vec<f64> = bins.iter().map(|b| b.1).collect();
    let factor: Vec<f64> = bins.iter().map(|b| per(b.2)).collect();
    let (low, factor) = (g.reals("edges", &[bins.len()], &low), g.reals("factor", &[bins.len()], &factor));
    let (zero, one) = (g.real("zero", 0.0), g.real("one", 1.0));
    let columns = g.columns(x, bins.iter().map(|b| b.0));
    let above = g.node("Sub", &[&columns, &low], &[]);
    let share = g.node("Mul", &[&above, &factor], &[]);
    let share = g.node("Max", &[&share, &zero], &[]);
    g.node("Min", &[&share, &one], &[])
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
