//! The rows of a file some at a time: delimited text as it arrives, in bounded memory, everything else whole.
//!
//! A part of text is the header, if there is one, and some whole records, and goes through the same reader as a whole file.

use anyhow::Result;
use flate2::read::MultiGzDecoder;
use protea::data::{Body, Column, Lines, Table};
use protea::io::{ReadOptions, WrittenColumns, read_bytes};
use protea::{Error, Float};
use std::io::{Chain, Cursor, Read};
use std::path::Path;

/// Bytes of one read; a part of a file has about as many.
const PART: usize = 1 << 20;
/// Bytes that tell formats apart.
const HEAD: usize = 1 << 12;
/// Bytes of one record, at most.
const LONGEST: usize = 1 << 26;
/// What may stand between fields; the space stands for runs of white space.
const DELIMITERS: [u8; 5] = [b',', b';', b'\t', b'|', b' '];

/// Some rows.
#[derive(Debug)]
pub struct Part<F> {
    /// The rows, with places as in the whole file.
    pub table: Table<F>,
    /// The fields of each row as they are in the file, where it is text and they were asked for.
    pub fields: Option<Vec<Vec<String>>>,
    /// The same rows in 64 bits, for formats that neither are text nor give their values as written, where those were asked for.
    pub wide: Option<Table<f64>>,
    /// Rows in the parts before.
    pub before: usize,
}

/// A file that gives its rows some at a time.
pub struct Parts<'a> {
    source: String,
    options: ReadOptions,
    keep_fields: bool,
    input: Input<'a>,
    /// Bytes that were read and belong to no part yet.
    pending: Vec<u8>,
    ended: bool,
    /// What the first part has told about the file; none before.
    known: Option<Known>,
    rows: usize,
    lines: usize,
}

enum Input<'a> {
    Text(Box<dyn Read + 'a>),
    /// All bytes of a file that is not delimited text; taken by the only part.
    Whole(Option<Vec<u8>>),
}

struct Known {
    /// The first record, if it names the columns.
    header: Option<Vec<u8>>,
    delimiter: u8,
}

impl<'a> Parts<'a> {
    /// Opens a file, or standard input for `-`. Parts have the values of the columns in `keep` as the file has them.
    pub fn open(path: &Path, options: ReadOptions, keep: WrittenColumns) -> Result<Self, Error> {
        let keep_fields = keep != WrittenColumns::None;
        let options = ReadOptions { written: keep, ..options };
        if path == Path::new("-") {
            return Self::of("standard input", std::io::stdin().lock(), options, keep_fields);
        }
        let unreadable = |e: std::io::Error| Error::file(path, format!("cannot be read: {e}")).because(e);
        let file = std::fs::File::open(path).map_err(unreadable)?;
        Self::of(&path.display().to_string(), file, options, keep_fields)
    }

    /// Rows of anything that can be read; `source` is what messages call it.
    pub fn of(
        source: &str,
        mut from: impl Read + 'a,
        options: ReadOptions,
        keep_fields: bool,
    ) -> Result<Self, Error> {
        let failed = |e: std::io::Error| Error::file(source, format!("cannot be read: {e}")).because(e);
        let head = read_head(&mut from).map_err(failed)?;
        let packed = head.starts_with(&[0x1f, 0x8b]);
        let from: Chain<Cursor<Vec<u8>>, _> = Cursor::new(head).chain(from);
        let mut from: Box<dyn Read + 'a> =
            if packed { Box::new(MultiGzDecoder::new(from)) } else { Box::new(from) };
        let head = read_head(&mut from).map_err(failed)?;
        let mut parts = Parts {
            source: source.into(),
            options,
            keep_fields,
            input: Input::Whole(None),
            pending: head,
            ended: false,
            known: None,
            rows: 0,
            lines: 0,
        };
        // Labels in a separate file belong to all rows at once.
        if parts.options.labels.is_none() && is_delimited(&parts.pending) {
            parts.input = Input::Text(from);
        } else {
            from.read_to_end(&mut parts.pending).map_err(failed)?;
            parts.input = Input::Whole(Some(std::mem::take(&mut parts.pending)));
        }
        Ok(parts)
    }

    /// The next rows; none after the last.
    pub fn next<F: Float>(&mut self) -> Result<Option<Part<F>>, Error> {
        if let Input::Whole(bytes) = &mut self.input {
            let Some(bytes) = bytes.take() else { return Ok(None) };
            let again = self.keep_fields.then(|| bytes.clone());
            let table: Table<F> = read_bytes(&self.source, bytes, &self.options)?;
            let again = again.filter(|_| table.written.is_empty());
            let wide = again.map(|bytes| read_bytes(&self.source, bytes, &self.options)).transpose()?;
            return Ok(Some(Part { table, fields: None, wide, before: 0 }));
        }
        while let Some(text) = self.records()? {
            if self.known.is_some() && !self.has_rows(&text) {
                self.lines += breaks(&text);
                continue;
            }
            return self.part(text).map(Some);
        }
        Ok(None)
    }

    /// A table of these records.
    fn part<F: Float>(&mut self, text: Vec<u8>) -> Result<Part<F>, Error> {
        let table = match &self.known {
            None => {
                let table = read_bytes::<F>(&self.source, text.clone(), &self.options)?;
                let delimiter = delimiter_of(&text, &table, &self.options);
                let header = table.named.then(|| first_record(&text).to_vec());
                self.options.header = Some(table.named);
                self.options.delimiter = Some(delimiter);
                self.known = Some(Known { header, delimiter });
                table
            }
            Some(Known { header, .. }) => self.later(header.as_deref().unwrap_or_default(), &text)?,
        };
        let fields = self.keep_fields.then(|| self.fields(&text, table.named, self.rows == 0));
        let before = self.rows;
        self.rows += table.rows();
        self.lines += breaks(&text);
        Ok(Part { table, fields, wide: None, before })
    }

    /// A table of records after the first part.
    fn later<F: Float>(&self, header: &[u8], text: &[u8]) -> Result<Table<F>, Error> {
        let (source, options) = (&self.source, &self.options);
        match read_bytes::<F>(source, [header, text].concat(), options) {
            Ok(mut table) => {
                let shift = self.lines - breaks(header);
                let lines = (0..table.rows()).map(|i| table.line(i) + shift).collect();
                table.lines = Lines::Each(lines);
                Ok(table)
            }
            Err(_) => {
                // Once more with as many blank lines as there were rows, so that the message has the right place.
                let blank = vec![b'\n'; self.lines - breaks(header)];
                read_bytes(source, [header, &blank, text].concat(), options)
            }
        }
    }

    /// Whole records: all that have arrived, but at least two at the start, where the first may be a header.
    fn records(&mut self) -> Result<Option<Vec<u8>>, Error> {
        let wanted = if self.known.is_none() { 2 } else { 1 };
        loop {
            if self.ended {
                let rest = std::mem::take(&mut self.pending);
                return Ok(Some(rest).filter(|r| !r.is_empty()));
            }
            let (end, count) = whole_records(&self.pending);
            if count >= wanted {
                let rest = self.pending.split_off(end);
                return Ok(Some(std::mem::replace(&mut self.pending, rest)));
            }
            if self.pending.len() > LONGEST {
                let problem = format!("holds a row of more than {} MB; is it a table?", LONGEST / 1_000_000);
                return Err(Error::file(&self.source, problem));
            }
            self.read_more()?;
        }
    }

    fn read_more(&mut self) -> Result<(), Error> {
        let Input::Text(from) = &mut self.input else { return Ok(()) };
        let start = self.pending.len();
        self.pending.resize(start + PART, 0);
        let read = loop {
            match from.read(&mut self.pending[start..]) {
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        let n = read.map_err(|e| Error::file(&self.source, format!("cannot be read: {e}")).because(e))?;
        self.pending.truncate(start + n);
        self.ended = n == 0;
        Ok(())
    }

    /// Whether there is a line that is neither blank nor a comment.
    fn has_rows(&self, text: &[u8]) -> bool {
        text.split(|&b| b == b'\n').map(<[u8]>::trim_ascii).any(|line| !line.is_empty())
    }

    /// The text of all fields of these records, without the header of the first part.
    fn fields(&self, text: &[u8], named: bool, first: bool) -> Vec<Vec<String>> {
        let delimiter = self.known.as_ref().map_or(b',', |k| k.delimiter);
        let rows = split(text, delimiter);
        rows.skip(usize::from(named && first)).collect()
    }
}

/// Bytes that tell a format: some lines, or as many as matter; fewer at the end of the input.
fn read_head(from: &mut impl Read) -> std::io::Result<Vec<u8>> {
    let mut head = vec![0; HEAD];
    let mut n = 0;
    while n < HEAD {
        match from.read(&mut head[n..]) {
            Ok(0) => break,
            Ok(read) => n += read,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
        if breaks(&head[..n]) >= 2 {
            break;
        }
    }
    head.truncate(n);
    Ok(head)
}

fn is_delimited(head: &[u8]) -> bool {
    // A line that is cut off may look like anything.
    let end =
        if head.len() < HEAD { head.len() } else { head.iter().rposition(|&b| b == b'\n').unwrap_or(HEAD) };
    // Delimited text is the last of the formats, and what fits no other.
    let formats = protea::io::formats::<f32>();
    let others = &formats[..formats.len() - 1];
    !head.is_empty() && !others.iter().any(|f| (f.looks_like)(&head[..end]))
}

/// Where the last whole record ends, and how many there are; a line break inside quotes ends none.
fn whole_records(text: &[u8]) -> (usize, usize) {
    let (mut end, mut count, mut quoted, mut blank) = (0, 0, false, true);
    for (i, &b) in text.iter().enumerate() {
        match b {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => {
                end = i + 1;
                count += usize::from(!blank);
                blank = true;
                continue;
            }
            _ => {}
        }
        blank &= b.is_ascii_whitespace();
    }
    (end, count)
}

/// The first record with its line break, and blank lines before it.
fn first_record(text: &[u8]) -> &[u8] {
    let (mut quoted, mut blank) = (false, true);
    for (i, &b) in text.iter().enumerate() {
        quoted ^= b == b'"';
        if b == b'\n' && !quoted && !blank {
            return &text[..=i];
        }
        blank &= b.is_ascii_whitespace();
    }
    text
}

fn breaks(text: &[u8]) -> usize {
    text.iter().filter(|&&b| b == b'\n').count()
}

/// What the reader has split the fields at: the delimiter that gives as many.
fn delimiter_of<F>(text: &[u8], table: &Table<F>, options: &ReadOptions) -> u8 {
    let fits = |d: &u8| split(first_record(text), *d).next().is_some_and(|r| r.len() == table.columns());
    options.delimiter.or_else(|| DELIMITERS.into_iter().find(fits)).unwrap_or(b',')
}

/// Records of text as fields without white space around them; blank ones are left out.
fn split(text: &[u8], delimiter: u8) -> Box<dyn Iterator<Item = Vec<String>> + '_> {
    let blank = |fields: &Vec<String>| fields.len() > 1 || fields.first().is_some_and(|f| !f.is_empty());
    if delimiter == b' ' {
        let lines = text.split(|&b| b == b'\n').map(|l| String::from_utf8_lossy(l).into_owned());
        let words = lines.map(|l| l.split_whitespace().map(String::from).collect::<Vec<_>>());
        return Box::new(words.filter(|w| !w.is_empty()));
    }
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut reader = csv::ReaderBuilder::new();
    let reader = reader.has_headers(false).flexible(true).delimiter(delimiter).from_reader(text);
    let records = reader.into_byte_records().map_while(std::result::Result::ok);
    let fields = |r: csv::ByteRecord| {
        r.iter().map(|f| String::from_utf8_lossy(f).trim().to_string()).collect::<Vec<_>>()
    };
    Box::new(records.map(fields).filter(blank))
}

/// Text of one value of a table; empty where it is missing.
pub fn cell_text<F: Float>(table: &Table<F>, row: usize, column: usize) -> String {
    let number = |v: F| match v.f64() {
        wide if wide.is_nan() => String::new(),
        wide if wide.fract() == 0.0 => wide.to_string(),
        // What 32 bits hold is written in their shortest digits.
        wide if f64::from(wide as f32) == wide => (wide as f32).to_string(),
        wide => wide.to_string(),
    };
    match &table.body {
        Body::Dense(x) => number(x[[row, column]]),
        Body::Columns(columns) => match &columns[column] {
            Column::Number(v) => number(v[row]),
            Column::Text { levels, codes } => {
                codes[row].map_or(String::new(), |c| levels[c as usize].clone())
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a few bytes at a time.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
            let n = self.1.min(self.0.len()).min(to.len());
            to[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    fn all(text: &str, step: usize) -> Result<(Vec<Part<f32>>, Table<f32>), Error> {
        let mut parts = Parts::of("x.csv", Slow(text.as_bytes(), step), ReadOptions::default(), true)?;
        let mut found = Vec::new();
        while let Some(part) = parts.next::<f32>()? {
            found.push(part);
        }
        Ok((found, read_bytes("x.csv", text.into(), &ReadOptions::default())?))
    }

    #[test]
    fn parts_are_the_whole_in_order() {
        let header = "a;b;kind\n";
        let rows: Vec<String> = (0..50).map(|i| format!("{}.5;\"x\ny{}\";k{}\n", i, i % 3, i % 2)).collect();
        for text in
            [format!("{header}{}", rows.concat()), rows.concat(), format!("\n{header}\n{}", rows.concat())]
        {
            for step in [1, 7, 100, 10_000] {
                let (parts, whole) = all(&text, step).unwrap();
                assert!(step > 100 || parts.len() > 5);
                let lines: Vec<usize> =
                    parts.iter().flat_map(|p| (0..p.table.rows()).map(|i| p.table.line(i))).collect();
                assert_eq!(lines, (0..whole.rows()).map(|i| whole.line(i)).collect::<Vec<_>>(), "{step}");
                let mut before = 0;
                for p in &parts {
                    assert_eq!(
                        (p.before, &p.table.names, p.table.named),
                        (before, &whole.names, whole.named)
                    );
                    let fields = p.fields.as_ref().unwrap();
                    assert_eq!(fields.len(), p.table.rows());
                    for (i, row) in fields.iter().enumerate() {
                        assert_eq!(row[1], cell_text(&whole, before + i, 1));
                        assert_eq!(row[0], cell_text(&whole, before + i, 0));
                    }
                    before += p.table.rows();
                }
                assert_eq!(before, whole.rows());
            }
        }
    }

    #[test]
    fn a_message_names_the_line_of_the_file() {
        let text = "a,b\n1,2\n3,4\n5,6\n\n7,8,9\n";
        let Err(error) = all(text, 4) else { panic!("not refused") };
        assert!(
            error.to_string().starts_with("x.csv: row 6 has 3 fields, but the first row has 2"),
            "{error}"
        );
    }

    #[test]
    fn other_formats_come_whole_and_gzip_is_unpacked() {
        let mut parts = Parts::of("x", &b"1 1:5 2:3\n0 2:6\n"[..], ReadOptions::default(), false).unwrap();
        assert_eq!(parts.next::<f32>().unwrap().unwrap().table.rows(), 2);
        assert!(parts.next::<f32>().unwrap().is_none());
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut packed, b"a,b\n1,2\n").unwrap();
        let packed = packed.finish().unwrap();
        let mut parts = Parts::of("x", &packed[..], ReadOptions::default(), true).unwrap();
        assert_eq!(parts.next::<f32>().unwrap().unwrap().fields.unwrap(), [["1", "2"]]);
        let mut nothing = Parts::of("x", &b""[..], ReadOptions::default(), true).unwrap();
        assert!(nothing.next::<f32>().unwrap_err().to_string().contains("is empty"));
    }
}
