//! Distances, votes, scores and probabilities as nodes.

use super::graph::{Graph, Row};
use super::proto::Attribute;
use super::refused;
use crate::Result;
use crate::plan::{ArrayId, Op, Plan};

/// What a class without prototypes has as its smallest distance.
const FAR: f64 = 1e30;

/// Distances in two forms: all of them, and without the part that is the same for all prototypes of a row.
pub(super) struct Distances {
    relative: String,
    /// What to add for true distances, if that is not 0.
    own: Option<String>,
    count: usize,
}

impl Distances {
    /// True distances, at least 0.
    fn whole(&self, g: &mut Graph) -> String {
        match &self.own {
            None => self.relative.clone(),
            Some(own) => {
                let sum = g.node("Add", &[&self.relative, own], &[]);
                g.node("Relu", &[&sum], &[])
            }
        }
    }
}

/// Distances to all prototypes; none if the operation takes no distances.
pub(super) fn distances(g: &mut Graph, plan: &Plan, op: &Op, row: &Row) -> Result<Option<Distances>> {
    let (z, dim) = (&row.name, row.width);
    Ok(Some(match *op {
        Op::Distance { prototypes, weights: None } => {
            let p = plan.reals(prototypes);
            let count = p.len() / dim;
            let squares: Vec<f64> = p.chunks_exact(dim).map(|p| p.iter().map(|v| v * v).sum()).collect();
            let (p, c) = (g.reals("prototypes", &[count, dim], p), g.reals("squares", &[count], &squares));
            let product = [("alpha", Attribute::Float(-2.0)), ("transB", Attribute::Int(1))];
            let relative = g.node("Gemm", &[z, &p, &c], &product);
            let own = Some(g.reduce("ReduceSumSquare", z, 1, true));
            Distances { relative, own, count }
        }
        // Σ w² (z − p)² = z²·w² − 2 z·(w² p) + Σ w² p².
        Op::Distance { prototypes, weights: Some(w) } => {
            let p = plan.reals(prototypes);
            let count = p.len() / dim;
            let squared: Vec<f64> = plan.reals(w).iter().map(|w| w * w).cycle().take(p.len()).collect();
            let weighted: Vec<f64> = p.iter().zip(&squared).map(|(p, w)| p * w).collect();
            let rows = weighted.chunks_exact(dim).zip(p.chunks_exact(dim));
            let own: Vec<f64> = rows.map(|(w, p)| w.iter().zip(p).map(|(w, p)| w * p).sum()).collect();
            let (w, p) = (
                g.reals("weights", &[count, dim], &squared),
                g.reals("prototypes", &[count, dim], &weighted),
            );
            let own = g.reals("squares", &[count], &own);
            let zz = g.node("Mul", &[z, z], &[]);
            let squares = g.node("Gemm", &[&zz, &w, &own], &[("transB", Attribute::Int(1))]);
            let product = [("alpha", Attribute::Float(-2.0)), ("transB", Attribute::Int(1))];
            let sum = g.node("Gemm", &[z, &p, &squares], &product);
            Distances { relative: g.node("Relu", &[&sum], &[]), own: None, count }
        }
        // Rows under the matrix of each prototype's group, minus the prototype under it.
        Op::MatrixDistance { prototypes, matrices, ends } => {
            let (p, a, ends) = (plan.reals(prototypes), plan.reals(matrices), plan.wholes(ends));
            let (count, rank) = (p.len() / dim, plan.shape(matrices)[1]);
            let group = |j: usize| ends.partition_point(|&end| end <= j);
            let of = |j: usize, r: usize| &a[(group(j) * rank + r) * dim..][..dim];
            let image =
                |j: usize, r: usize| -> f64 { of(j, r).iter().zip(&p[j * dim..]).map(|(a, p)| a * p).sum() };
            let images: Vec<f64> =
                (0..count).flat_map(|j| (0..rank).map(move |r| (j, r))).map(|(j, r)| image(j, r)).collect();
            let transposed: Vec<f64> =
                (0..dim).flat_map(|f| a.iter().skip(f).step_by(dim).copied()).collect();
            let all = g.reals("matrices", &[dim, ends.len() * rank], &transposed);
            let mapped = g.node("MatMul", &[z, &all], &[]);
            let mapped = g.reshape(&mapped, &[ends.len(), rank]);
            let mapped = g.columns(&mapped, (0..count).map(group));
            let images = g.reals("prototypes", &[count, rank], &images);
            let delta = g.node("Sub", &[&mapped, &images], &[]);
            Distances { relative: g.reduce("ReduceSumSquare", &delta, 2, false), own: None, count }
        }
        _ => return Ok(None),
    }))
}

/// The class and the output `probabilities`; gives the name of the class's index, if the plan names one.
pub(super) fn decide(g: &mut Graph, plan: &Plan, ops: &[Op], distances: Distances) -> Result<Option<String>> {
    let (mut class, mut row) = (None, None);
    for op in ops {
        match *op {
            Op::Vote { k, labels } => class = Some(vote(g, plan, &distances, k, labels)),
            Op::Largest => {
                let attributes = [("axis", Attribute::Int(1)), ("keepdims", Attribute::Int(0))];
                class = row.as_deref().map(|row| g.node("ArgMax", &[row], &attributes));
            }
            _ => row = Some(evidence(g, plan, op, row, &distances)?),
        }
    }
    if let Some(row) = row {
        g.named_node("Softmax", &[&row], "probabilities", &[("axis", Attribute::Int(1))]);
    }
    Ok(class)
}

/// The class with most votes among the k nearest; of several, that of the nearest.
fn vote(g: &mut Graph, plan: &Plan, distances: &Distances, k: usize, labels: ArrayId) -> String {
    let labels = g.indices("labels", &[distances.count], plan.wholes(labels).iter().copied());
    let last = [("axis", Attribute::Int(1)), ("keepdims", Attribute::Int(0))];
    if k == 1 {
        let nearest = g.node("ArgMin", &[&distances.relative], &last);
        return g.node("Gather", &[&labels, &nearest], &[]);
    }
    let k = k.min(distances.count);
    let near = g.smallest(&distances.relative, k);
    let classes = g.node("Gather", &[&labels, &near], &[]);
    let apart = g.reshape(&classes, &[k, 1]);
    let all = g.indices("classes", &[plan.classes.len()], 0..plan.classes.len());
    let same = g.node("Equal", &[&apart, &all], &[]);
    let ones = g.node("Cast", &[&same], &[("to", Attribute::Int(1))]);
    let votes = g.sum(&ones, 1, false);
    let of_each = g.node("GatherElements", &[&votes, &classes], &[("axis", Attribute::Int(1))]);
    let first =
        g.node("ArgMax", &[&of_each], &[("axis", Attribute::Int(1)), ("keepdims", Attribute::Int(1))]);
    let class = g.node("GatherElements", &[&classes, &first], &[("axis", Attribute::Int(1))]);
    let shape = g.integers("shape", &[1], &[-1]);
    g.node("Reshape", &[&class, &shape], &[])
}

/// The row after an operation behind the distances.
fn evidence(
    g: &mut Graph,
    plan: &Plan,
    op: &Op,
    row: Option<String>,
    distances: &Distances,
) -> Result<String> {
    Ok(match (*op).clone() {
        Op::Least { labels, ends, classes } => {
            least(g, distances, plan.wholes(labels), plan.wholes(ends), classes)
        }
        Op::SoftLeast { labels, classes, gamma } => {
            soft_least(g, distances, plan.wholes(labels), classes, gamma)
        }
        Op::Code { labels, learners, classes, sparse } => {
            code(g, distances, plan.wholes(labels), plan.wholes(learners), classes, sparse)
        }
        other => {
            let row = row.unwrap_or_else(|| distances.relative.clone());
            match other {
                Op::Weigh { weights, biases } => {
                    let n = plan.classes.len();
                    let (w, b) = (
                        g.reals("weights", &[n], plan.reals(weights)),
                        g.reals("biases", &[n], plan.reals(biases)),
                    );
                    let product = g.node("Mul", &[&row, &w], &[]);
                    let sum = g.node("Add", &[&product, &b], &[]);
                    g.node("Neg", &[&sum], &[])
                }
                Op::Product { weights, biases } => {
                    let (w, b) = (
                        g.reals("weights", plan.shape(weights), plan.reals(weights)),
                        g.reals("biases", plan.shape(biases), plan.reals(biases)),
                    );
                    g.node("Gemm", &[&row, &w, &b], &[("transB", Attribute::Int(1))])
                }
                Op::InverseLog => {
                    let least = if g.double { f64::MIN_POSITIVE } else { f64::from(f32::MIN_POSITIVE) };
                    let (least, half) = (g.real("least", least), g.real("half", -0.5));
                    let positive = g.node("Max", &[&row, &least], &[]);
                    let log = g.node("Log", &[&positive], &[]);
                    g.node("Mul", &[&log, &half], &[])
                }
                Op::Multiply { by } => {
                    let by = g.real("factor", by);
                    g.node("Mul", &[&row, &by], &[])
                }
                ref other => return Err(refused(other, "ONNX as protea writes it")),
            }
        }
    })
}

/// Distances of groups of prototypes side by side: `rows × groups × longest`. Shorter groups repeat their first; which places are
/// repeated is returned, and an empty group has nothing but such places.
fn grouped(g: &mut Graph, d: &str, groups: &[Vec<usize>]) -> (String, Vec<bool>, usize) {
    let longest = groups.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let at = |k: usize, i: usize| groups[k].get(i).or(groups[k].first()).copied().unwrap_or(0);
    let places = (0..groups.len()).flat_map(|k| (0..longest).map(move |i| (k, i)));
    let repeated = places.clone().map(|(k, i)| i >= groups[k].len()).collect();
    let columns = g.columns(d, places.map(|(k, i)| at(k, i)));
    (g.reshape(&columns, &[groups.len(), longest]), repeated, longest)
}

/// Prototypes of each member and class, those of a class in a row.
fn members(labels: &[usize], ends: &[usize], classes: usize) -> Vec<Vec<usize>> {
    let mut groups = vec![Vec::new(); ends.len() * classes];
    for (j, &c) in labels.iter().enumerate() {
        groups[ends.partition_point(|&end| end <= j) * classes + c].push(j);
    }
    groups
}

/// The smallest distance of each group; `FAR` for those without prototypes.
fn minima(g: &mut Graph, d: &str, groups: &[Vec<usize>]) -> String {
    let (grouped, _, _) = grouped(g, d, groups);
    let least = g.reduce("ReduceMin", &grouped, 2, false);
    if groups.iter().all(|group| !group.is_empty()) {
        return least;
    }
    let empty: Vec<bool> = groups.iter().map(Vec::is_empty).collect();
    let (empty, far) = (g.truths("empty", &[groups.len()], &empty), g.real("far", FAR));
    g.node("Where", &[&empty, &far, &least], &[])
}

fn least(g: &mut Graph, distances: &Distances, labels: &[usize], ends: &[usize], classes: usize) -> String {
    let d = distances.whole(g);
    let least = minima(g, &d, &members(labels, ends, classes));
    if ends.len() == 1 {
        return least;
    }
    let apart = g.reshape(&least, &[ends.len(), classes]);
    g.reduce("ReduceMean", &apart, 1, false)
}

/// `ln Σ exp(−γ d)` over the prototypes of each class; what all distances of a row have in common changes no probability.
fn soft_least(g: &mut Graph, distances: &Distances, labels: &[usize], classes: usize, gamma: f64) -> String {
    let groups = members(labels, &[labels.len()], classes);
    let (grouped, repeated, longest) = grouped(g, &distances.relative, &groups);
    let factor = g.real("gamma", -gamma);
    let mut evidence = g.node("Mul", &[&grouped, &factor], &[]);
    if repeated.contains(&true) {
        let (mask, far) = (g.truths("repeated", &[classes, longest], &repeated), g.real("far", -FAR));
        evidence = g.node("Where", &[&mask, &far, &evidence], &[]);
    }
    let most = g.reduce("ReduceMax", &evidence, 2, true);
    let relative = g.node("Sub", &[&evidence, &most], &[]);
    let shares = g.node("Exp", &[&relative], &[]);
    let sum = g.sum(&shares, 2, false);
    let log = g.node("Log", &[&sum], &[]);
    let most = g.reshape(&most, &[classes]);
    g.node("Add", &[&log, &most], &[])
}

/// Shares of the distances to the nearest prototype of each learner and class.
fn code(
    g: &mut Graph,
    distances: &Distances,
    labels: &[usize],
    learners: &[usize],
    classes: usize,
    sparse: bool,
) -> String {
    let n = learners.iter().max().map_or(0, |l| l + 1);
    let mut groups = vec![Vec::new(); n * classes];
    labels.iter().zip(learners).enumerate().for_each(|(j, (&c, &l))| groups[l * classes + c].push(j));
    let (floor, zero) = (g.real("floor", 1e-30), g.real("zero", 0.0));
    let d = distances.whole(g);
    let d = g.node("Add", &[&d, &floor], &[]);
    let mut near = minima(g, &d, &groups);
    if sparse {
        let apart = g.reshape(&near, &[n, classes]);
        let winner =
            g.node("ArgMin", &[&apart], &[("axis", Attribute::Int(2)), ("keepdims", Attribute::Int(1))]);
        let all = g.indices("classes", &[classes], 0..classes);
        let wins = g.node("Equal", &[&winner, &all], &[]);
        let kept = g.node("Where", &[&wins, &apart, &zero], &[]);
        near = g.reshape(&kept, &[n * classes]);
    }
    if groups.iter().any(Vec::is_empty) {
        let empty: Vec<bool> = groups.iter().map(Vec::is_empty).collect();
        let empty = g.truths("empty", &[n * classes], &empty);
        near = g.node("Where", &[&empty, &zero, &near], &[]);
    }
    let total = g.sum(&near, 1, true);
    g.node("Div", &[&near, &total], &[])
}
