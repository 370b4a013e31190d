//! The few messages of ONNX that a model needs, in the wire format of Protocol Buffers.
//!
//! Field numbers are those of `onnx.proto`. A message is bytes; a field is a key, `number << 3 | kind`, and a value: kind 0 is a
//! varint, kind 2 bytes after their length, kind 5 four bytes.

/// A message that grows field by field.
#[derive(Debug, Default, Clone)]
pub(super) struct Message(Vec<u8>);

impl Message {
    /// A whole number.
    pub fn int(mut self, field: u32, value: i64) -> Self {
        self.varint(u64::from(field << 3));
        self.varint(value as u64);
        self
    }

    /// Bytes: text, or a message inside.
    pub fn bytes(mut self, field: u32, value: &[u8]) -> Self {
        self.varint(u64::from(field << 3 | 2));
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    /// Text.
    pub fn text(self, field: u32, value: &str) -> Self {
        self.bytes(field, value.as_bytes())
    }

    /// A message inside.
    pub fn message(self, field: u32, value: &Message) -> Self {
        self.bytes(field, &value.0)
    }

    /// A number of 32 bits.
    pub fn float(mut self, field: u32, value: f32) -> Self {
        self.varint(u64::from(field << 3 | 5));
        self.0.extend(value.to_le_bytes());
        self
    }

    /// The bytes.
    pub fn finish(self) -> Vec<u8> {
        self.0
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

/// Element types of tensors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    Float = 1,
    Int64 = 7,
    Text = 8,
    Bool = 9,
    Double = 11,
}

/// A constant tensor; `fill` adds the values.
fn tensor(name: &str, element: Element, shape: &[usize], fill: impl FnOnce(Message) -> Message) -> Message {
    let dims = shape.iter().fold(Message::default(), |m, &n| m.int(1, n as i64));
    fill(dims.int(2, element as i64)).text(8, name)
}

/// A constant tensor of numbers in the model's type.
pub(super) fn reals(name: &str, double: bool, shape: &[usize], values: &[f64]) -> Message {
    let (element, raw): (Element, Vec<u8>) = match double {
        true => (Element::Double, values.iter().flat_map(|v| v.to_le_bytes()).collect()),
        false => (Element::Float, values.iter().flat_map(|&v| (v as f32).to_le_bytes()).collect()),
    };
    tensor(name, element, shape, |m| m.bytes(9, &raw))
}

/// A constant tensor of indices.
pub(super) fn indices(name: &str, shape: &[usize], values: &[i64]) -> Message {
    let raw: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    tensor(name, Element::Int64, shape, |m| m.bytes(9, &raw))
}

/// A constant tensor of truth values.
pub(super) fn truths(name: &str, shape: &[usize], values: &[bool]) -> Message {
    let raw: Vec<u8> = values.iter().map(|&v| u8::from(v)).collect();
    tensor(name, Element::Bool, shape, |m| m.bytes(9, &raw))
}

/// A constant tensor of texts.
pub(super) fn texts(name: &str, values: &[String]) -> Message {
    tensor(name, Element::Text, &[values.len()], |m| values.iter().fold(m, |m, v| m.text(6, v)))
}

/// An attribute of a node.
#[derive(Debug, Clone, Copy)]
pub(super) enum Attribute<'a> {
    Int(i64),
    Ints(&'a [i64]),
    Float(f32),
}

/// A node of the graph.
pub(super) fn node(
    kind: &str,
    inputs: &[&str],
    outputs: &[&str],
    attributes: &[(&str, Attribute)],
) -> Message {
    let node = inputs.iter().fold(Message::default(), |m, i| m.text(1, i));
    let node = outputs.iter().fold(node, |m, o| m.text(2, o));
    let node = node.text(3, &format!("{kind}_{}", outputs[0])).text(4, kind);
    attributes.iter().fold(node, |node, (name, value)| {
        let attribute = Message::default().text(1, name);
        let attribute = match value {
            Attribute::Int(v) => attribute.int(3, *v).int(20, 2),
            Attribute::Float(v) => attribute.float(2, *v).int(20, 1),
            Attribute::Ints(v) => v.iter().fold(attribute, |a, &v| a.int(8, v)).int(20, 7),
        };
        node.message(5, &attribute)
    })
}

/// An input or output: a tensor whose first dimension, the number of rows, is free.
pub(super) fn value(name: &str, element: Element, columns: Option<usize>) -> Message {
    let free = Message::default().text(2, "rows");
    let shape = Message::default().message(1, &free);
    let shape = match columns {
        Some(n) => shape.message(1, &Message::default().int(1, n as i64)),
        None => shape,
    };
    let tensor = Message::default().int(1, element as i64).message(2, &shape);
    Message::default().text(1, name).message(2, &Message::default().message(1, &tensor))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the encoding guide: field 1 = 150, and field 2 = "testing".
    #[test]
    fn fields_are_those_of_the_specification() {
        assert_eq!(Message::default().int(1, 150).finish(), [0x08, 0x96, 0x01]);
        assert_eq!(Message::default().text(2, "testing").finish(), b"\x12\x07testing");
        assert_eq!(Message::default().int(1, -1).finish().len(), 11);
    }
}
