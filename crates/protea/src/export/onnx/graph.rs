//! Nodes and constants of a graph, with names of their own.

use super::proto::{self, Attribute, Message};

/// A graph that grows node by node.
pub(super) struct Graph {
    /// Whether numbers have 64 bits.
    pub double: bool,
    pub nodes: Vec<Message>,
    pub constants: Vec<Message>,
    used: usize,
}

/// A tensor of `rows × width` numbers.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub name: String,
    pub width: usize,
}

impl Graph {
    pub fn new(double: bool) -> Self {
        Graph { double, nodes: Vec::new(), constants: Vec::new(), used: 0 }
    }

    fn fresh(&mut self, what: &str) -> String {
        self.used += 1;
        format!("{what}_{}", self.used)
    }

    /// Adds a constant under the name that it has.
    pub fn add_constant(&mut self, constant: Message) {
        self.constants.push(constant);
    }

    /// A constant of numbers.
    pub fn reals(&mut self, what: &str, shape: &[usize], values: &[f64]) -> String {
        let name = self.fresh(what);
        self.constants.push(proto::reals(&name, self.double, shape, values));
        name
    }

    /// One number.
    pub fn real(&mut self, what: &str, value: f64) -> String {
        self.reals(what, &[1], &[value])
    }

    /// A constant of indices.
    pub fn indices(
        &mut self,
        what: &str,
        shape: &[usize],
        values: impl IntoIterator<Item = usize>,
    ) -> String {
        let values: Vec<i64> = values.into_iter().map(|v| v as i64).collect();
        self.integers(what, shape, &values)
    }

    /// A constant of whole numbers.
    pub fn integers(&mut self, what: &str, shape: &[usize], values: &[i64]) -> String {
        let name = self.fresh(what);
        self.constants.push(proto::indices(&name, shape, values));
        name
    }

    /// A constant of truth values.
    pub fn truths(&mut self, what: &str, shape: &[usize], values: &[bool]) -> String {
        let name = self.fresh(what);
        self.constants.push(proto::truths(&name, shape, values));
        name
    }

    /// A node with one output, whose name is returned.
    pub fn node(&mut self, kind: &str, inputs: &[&str], attributes: &[(&str, Attribute)]) -> String {
        let name = self.fresh(&kind.to_lowercase());
        self.named_node(kind, inputs, &name, attributes);
        name
    }

    /// A node with one output of this name.
    pub fn named_node(
        &mut self,
        kind: &str,
        inputs: &[&str],
        output: &str,
        attributes: &[(&str, Attribute)],
    ) {
        self.nodes.push(proto::node(kind, inputs, &[output], attributes));
    }

    /// The `k` smallest of each row, nearest first: their indices.
    pub fn smallest(&mut self, input: &str, k: usize) -> String {
        let (values, at) = (self.fresh("values"), self.fresh("indices"));
        let count = self.indices("k", &[1], [k]);
        let attributes = [("axis", Attribute::Int(1)), ("largest", Attribute::Int(0))];
        self.nodes.push(proto::node("TopK", &[input, &count], &[&values, &at], &attributes));
        at
    }

    /// The tensor in another shape, its first dimension kept.
    pub fn reshape(&mut self, input: &str, rest: &[usize]) -> String {
        let shape: Vec<i64> = std::iter::once(-1).chain(rest.iter().map(|&n| n as i64)).collect();
        let shape = self.integers("shape", &[shape.len()], &shape);
        self.node("Reshape", &[input, &shape], &[])
    }

    /// Columns by index.
    pub fn columns(&mut self, input: &str, at: impl IntoIterator<Item = usize>) -> String {
        let at: Vec<usize> = at.into_iter().collect();
        let at = self.indices("at", &[at.len()], at);
        self.node("Gather", &[input, &at], &[("axis", Attribute::Int(1))])
    }

    /// A sum over one axis, kept with length 1 if asked for.
    pub fn sum(&mut self, input: &str, axis: i64, keep: bool) -> String {
        let axes = self.integers("axes", &[1], &[axis]);
        self.node("ReduceSum", &[input, &axes], &[("keepdims", Attribute::Int(keep.into()))])
    }

    /// Another reduction over one axis.
    pub fn reduce(&mut self, kind: &str, input: &str, axis: i64, keep: bool) -> String {
        let attributes = [("axes", Attribute::Ints(&[axis])), ("keepdims", Attribute::Int(keep.into()))];
        self.node(kind, &[input], &attributes)
    }
}
