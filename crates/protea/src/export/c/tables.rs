//! Arrays of a plan as constant tables of C.

use super::Source;
use crate::plan::ArrayId;
use crate::plan::{Bits, Numbers};
use std::collections::BTreeMap;

/// How an element of a table is read: its name and the macro.
#[derive(Debug, Clone)]
pub(super) struct Table {
    name: String,
    get: String,
}

impl Table {
    /// The expression that reads an element.
    pub fn at(&self, index: &str) -> String {
        format!("{}({} + {index})", self.get, self.name)
    }
}

/// Tables of one part of the header.
pub(super) struct Part {
    pub text: String,
    pub bytes: usize,
}

/// Writes tables once each, in the order in which they are asked for.
pub(super) struct Tables<'a> {
    source: &'a Source<'a>,
    text: String,
    bytes: usize,
    known: BTreeMap<String, Table>,
}

impl<'a> Tables<'a> {
    pub fn new(source: &'a Source<'a>) -> Self {
        Tables { source, text: String::new(), bytes: 0, known: BTreeMap::new() }
    }

    /// What was written since the last call.
    pub fn take(&mut self) -> Part {
        Part { text: std::mem::take(&mut self.text), bytes: std::mem::take(&mut self.bytes) }
    }

    /// The table of an array.
    pub fn array(&mut self, id: ArrayId) -> Table {
        let array = &self.source.plan.arrays[id.0];
        let name = array.name.replace(['-', '.'], "_");
        match &array.values {
            Numbers::Real(values) => self.reals(&name, values),
            Numbers::Whole(values) => self.wholes(&name, values),
            Numbers::Rounded(bits, values) => self.rounded(&name, *bits, values),
        }
    }

    /// A table of real numbers.
    pub fn reals(&mut self, name: &str, values: &[f64]) -> Table {
        let items = values.iter().map(|&v| self.source.number(v)).collect();
        let width = if self.source.real == "double" { 8 } else { 4 };
        self.table(name, self.source.real, "R", width, items)
    }

    /// A table of counts, places or classes, in the smallest type that holds them.
    pub fn wholes(&mut self, name: &str, values: &[usize]) -> Table {
        let most = values.iter().copied().max().unwrap_or(0);
        let (kind, get, width) = match most {
            0..=0xff => ("uint8_t", "U8", 1),
            0x100..=0xffff => ("uint16_t", "U16", 2),
            _ => ("uint32_t", "U32", 4),
        };
        self.table(name, kind, get, width, values.iter().map(usize::to_string).collect())
    }

    fn rounded(&mut self, name: &str, bits: Bits, values: &[i32]) -> Table {
        let (kind, get) = match bits {
            Bits::Eight => ("int8_t", "I8"),
            Bits::Sixteen => ("int16_t", "I16"),
        };
        self.table(name, kind, get, bits.bytes(), values.iter().map(i32::to_string).collect())
    }

    fn table(&mut self, name: &str, kind: &str, get: &str, width: usize, items: Vec<String>) -> Table {
        if let Some(table) = self.known.get(name) {
            return table.clone();
        }
        let Source { name: prefix, upper, .. } = self.source;
        let full = format!("{prefix}_{name}");
        self.text += &format!("static const {kind} {full}[{}] {upper}_FLASH = {{\n", items.len());
        self.text += &wrapped(&items);
        self.text += "};\n\n";
        self.bytes += width * items.len();
        let table = Table { name: full, get: format!("{upper}_GET_{get}") };
        self.known.insert(name.into(), table.clone());
        table
    }
}

/// Items separated by commas in lines of about 100 characters.
fn wrapped(items: &[String]) -> String {
    let (mut text, mut line) = (String::new(), String::new());
    for item in items {
        if line.len() + item.len() > 100 {
            text += &format!("    {}\n", line.trim_end());
            line.clear();
        }
        line += &format!("{item}, ");
    }
    let line = line.trim_end().trim_end_matches(',');
    format!("{text}    {line}\n")
}

/// A string constant; bytes beyond ASCII and all that C would read otherwise as octal escapes.
pub(super) fn quoted(text: &str) -> String {
    let byte = |b: u8| match b {
        b' '..=b'~' if !b"\"\\?$".contains(&b) => (b as char).to_string(),
        _ => format!("\\{b:03o}"),
    };
    format!("\"{}\"", text.bytes().map(byte).collect::<String>())
}

/// Text inside a comment.
pub(super) fn comment(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || "*/\\?$".contains(c) { '_' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_leave_their_quotes_or_comments() {
        assert_eq!(quoted("a\"b\\é??/\n"), "\"a\\042b\\134\\303\\251\\077\\077/\\012\"");
        assert_eq!(comment("a*/b\n"), "a__b_");
    }
}
