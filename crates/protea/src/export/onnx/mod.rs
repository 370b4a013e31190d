//! ONNX: a graph of operators of `ai.onnx`, opset 13, for any runtime.
//!
//! | file | writes |
//! |---|---|
//! | `mod.rs` | the model around the graph: input `X`, outputs `label` and `probabilities` |
//! | `proto.rs` | messages of the format |
//! | `graph.rs` | nodes and constants by name |
//! | `steps.rs` | what is done before distances are taken |
//! | `images.rs` | deskewing and edges of images |
//! | `decide.rs` | distances, votes, scores |
//!
//! Distances are `|z|² − 2 z·p + |p|²`, one matrix product for all rows. In `f32` the order of two distances that differ by less than
//! about `1e-5` of `|z|² + |p|²` may be another than protea's own.

mod decide;
mod graph;
mod images;
mod proto;
mod steps;

use super::{Export, ExportOptions, File, refused};
use crate::Result;
use crate::plan::Plan;
use graph::Graph;
use proto::{Element, Message};

/// The format `onnx`.
pub(super) struct Onnx;

/// Version of the format's own messages.
const IR: i64 = 8;
/// Version of the operators.
const OPSET: i64 = 13;

impl Export for Onnx {
    fn name(&self) -> &'static str {
        "onnx"
    }

    fn about(&self) -> &'static str {
        "ONNX graph (opset 13) with the outputs `label` and `probabilities`"
    }

    fn write(&self, plan: &Plan, options: &ExportOptions) -> Result<Vec<File>> {
        let plan = plan.folded();
        let mut graph = Graph::new(plan.precision == "f64");
        let mut row = graph::Row { name: "X".into(), width: plan.features.len() };
        let mut class = None;
        for (k, op) in plan.ops.iter().enumerate() {
            row = match decide::distances(&mut graph, &plan, op, &row)? {
                Some(distances) => {
                    class = decide::decide(&mut graph, &plan, &plan.ops[k + 1..], distances)?;
                    break;
                }
                None => steps::step(&mut graph, &plan, op, row)?,
            };
        }
        let Some(class) = class else { return Err(crate::Error::data("the plan names no class")) };
        graph.add_constant(proto::texts("class_names", &plan.classes));
        graph.named_node("Gather", &["class_names", &class], "label", &[]);
        Ok(vec![File::new("onnx", model(&plan, graph, &options.name))])
    }
}

/// The file: graph, versions, and who wrote it.
fn model(plan: &Plan, graph: Graph, name: &str) -> Vec<u8> {
    let element = if graph.double { Element::Double } else { Element::Float };
    let mut message = graph.nodes.iter().fold(Message::default(), |m, n| m.message(1, n)).text(2, name);
    message = graph.constants.iter().fold(message, |m, c| m.message(5, c));
    let graph = message
        .message(11, &proto::value("X", element, Some(plan.features.len())))
        .message(12, &proto::value("label", Element::Text, None))
        .message(12, &proto::value("probabilities", element, Some(plan.classes.len())));
    let features =
        Message::default().text(1, "features").text(2, &serde_json::json!(plan.features).to_string());
    Message::default()
        .int(1, IR)
        .text(2, "protea")
        .text(3, env!("CARGO_PKG_VERSION"))
        .message(7, &graph)
        .message(8, &Message::default().text(1, "").int(2, OPSET))
        .message(14, &features)
        .finish()
}
