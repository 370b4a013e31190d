//! CSV, TSV and other delimited text.
//!
//! The delimiter is sniffed among comma, semicolon, tab and bar; a file with none of them whose lines hold the same
//! number of words, some of them numbers, is split at white space. Fields may be quoted and then hold delimiters,
//! line breaks and doubled quotes; white space around a field does not count, blank lines are skipped. Empty
//! fields, `?`, `NA`, `N/A`, `NaN`, `null` and `None` are missing values. A column is numeric when all its other
//! fields are numbers.
//!
//! Without [`ReadOptions::header`] the first row is taken for names when it has text above a column of numbers
//! and no number other than distinct counts (as in `0,1,2,label`). In a table of text alone it is taken for names
//! when none of its fields occurs again in its column, while other values there do.

use super::{Format, Input, ReadOptions};
use crate::data::{
    Body, Column, Lines, Table, TextBuilder, default_names, is_missing, is_rounded, looks_numeric, number,
    parse_number,
};
use crate::{Error, Float, Result};
use ndarray::Array2;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Bytes that a column takes besides its values: its name, and what is known of it.
const COLUMN: usize = 128;

/// What is wrong with a single row of names.
const NO_ROWS: &str = "holds a header but no rows; if that is a row, say that there is no header";

/// A first line of more bytes is no line of a table.
const MAX_LINE: usize = 64 << 20;

/// The format.
pub(super) fn format<F: Float>() -> Format<F> {
    Format { name: "delimited text", looks_like: |_| true, read }
}

fn read<F: Float>(input: Input) -> Result<Table<F>> {
    let (source, options) = (input.source, input.options);
    let text = without_comments(input.text()?, options.comment);
    let delimiter = options.delimiter.unwrap_or_else(|| sniff(&text));
    let first = first_line(&text);
    if first.len() > MAX_LINE {
        let problem = format!("the first line has {} MB; is this a table?", first.len() >> 20);
        return Err(Error::file(source, problem));
    }
    let columns = 1 + first.bytes().filter(|&b| b == delimiter).count();
    input
        .limit
        .check(source, Some(columns), COLUMN, || format!("has {columns} columns in its first line"))?;
    let records = Records { source, text: &text, delimiter };
    let mut scan = Scan::<F> { keep_going: options.keep_going, ..Scan::default() };
    records.each(|line, fields| scan.row(source, line, fields))?;
    if scan.lines.is_empty() {
        return Err(Error::file(source, "holds no rows"));
    }
    let header = match options.header {
        Some(header) => header,
        None => scan.has_names(options) || scan.has_numeric_header() || scan.has_text_header(&records)?,
    };
    if header && scan.lines.len() == 1 {
        return Err(Error::file(source, NO_ROWS));
    }
    scan.table(&records, header)
}

/// The text with empty lines in place of comments, so that lines keep their numbers.
fn without_comments(text: &str, comment: Option<u8>) -> Cow<'_, str> {
    let Some(comment) = comment.map(char::from) else { return text.into() };
    let mut kept = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.trim_start().starts_with(comment) {
            true => kept.push('\n'),
            false => kept.push_str(line),
        }
    }
    kept.into()
}

/// The first line that is not blank.
fn first_line(text: &str) -> &str {
    let text = text.trim_start();
    text.split(['\n', '\r']).next().unwrap_or(text)
}

/// What one pass over the text gathers. Row 0 is the first row, whether or not it is a header.
#[derive(Default)]
struct Scan<F> {
    /// Whether a row with a wrong number of fields is noted rather than refused.
    keep_going: bool,
    /// Such rows, and what is wrong.
    unreadable: Vec<(usize, String)>,
    /// The first row.
    first: Vec<String>,
    /// Fields as numbers, row-major; NaN where missing or text.
    values: Vec<F>,
    lines: Vec<usize>,
    /// For each column, whether a field below the first row is text.
    text_below: Vec<bool>,
    /// For each column, whether a field below the first row is no number in any spelling, such as `5,1` or `51%`.
    word_below: Vec<bool>,
    /// For each column, whether a field below the first row is a number.
    number_below: Vec<bool>,
    /// First number of each column that the element type cannot hold: row and value.
    too_large: Vec<Option<(usize, f64)>>,
    /// For each column, whether a whole number was rounded.
    rounded: Vec<bool>,
}

impl<F: Float> Scan<F> {
    fn row(&mut self, source: &str, line: usize, fields: &[&str]) -> Result<()> {
        let row = self.lines.len();
        if row == 0 {
            self.first = fields.iter().map(|f| f.to_string()).collect();
            self.text_below = vec![false; fields.len()];
            self.word_below = vec![false; fields.len()];
            self.number_below = vec![false; fields.len()];
            self.too_large = vec![None; fields.len()];
            self.rounded = vec![false; fields.len()];
        }
        if fields.len() != self.text_below.len() {
            let error = Error::file(source, self.ragged(line, fields));
            if !self.keep_going {
                return Err(error);
            }
            self.unreadable.push((row, error.to_string()));
            self.lines.push(line);
            self.values.extend((0..self.first.len()).map(|_| F::nan()));
            return Ok(());
        }
        self.lines.push(line);
        for (j, field) in fields.iter().enumerate() {
            let mut value = F::nan();
            match parse_number(field) {
                Some(v) => {
                    value = F::of(v);
                    self.number_below[j] |= row > 0;
                    self.rounded[j] |= is_rounded::<F>(v);
                    if value.is_infinite() {
                        self.too_large[j].get_or_insert((row, v));
                    }
                }
                None if row == 0 || is_missing(field) => {}
                None => {
                    self.text_below[j] = true;
                    self.word_below[j] |= !looks_numeric(field);
                }
            }
            self.values.push(value);
        }
        Ok(())
    }

    /// What is wrong with a row of another number of fields than the first, and what to do.
    fn ragged(&self, line: usize, fields: &[&str]) -> String {
        let (found, expected) = (fields.len(), self.first.len());
        let problem = format!("row {line} has {found} fields, but the first row has {expected}");
        let comment = |field: Option<&str>| field.is_some_and(|f| f.starts_with('#'));
        if comment(self.first.first().map(String::as_str)) {
            return format!("{problem}; the first row looks like a comment: skip lines that start with #");
        }
        if comment(fields.first().copied()) {
            return format!("{problem}; it looks like a comment: skip lines that start with #");
        }
        if fields.iter().any(|f| f.contains('\n')) {
            return format!("{problem}; is a quote left open there?");
        }
        format!("{problem}{}", if self.keep_going { "" } else { "; correct it, or leave out such rows" })
    }

    /// Whether the first row has at least half of the names that are expected, and not only numbers.
    fn has_names(&self, options: &ReadOptions) -> bool {
        let first: HashSet<&str> = self.first.iter().map(String::as_str).collect();
        let found: Vec<&String> = options.names.iter().filter(|n| first.contains(n.as_str())).collect();
        2 * found.len() >= options.names.len().max(1) && found.iter().any(|n| parse_number(n).is_none())
    }

    /// Whether the first row has text above a column of numbers, and no numbers but distinct counts.
    fn has_numeric_header(&self) -> bool {
        let first = &self.first;
        let is_name = |j: usize| !looks_numeric(&first[j]) && !is_missing(&first[j]);
        let mut counts = HashSet::new();
        let counted =
            |f: &String| parse_number(f).is_none() || (f.parse::<u32>().is_ok() && counts.insert(f.clone()));
        let numeric = |j: usize| (self.number_below[j] || self.text_below[j]) && !self.word_below[j];
        (0..first.len()).any(|j| is_name(j) && numeric(j)) && first.iter().all(counted)
    }

    /// In a table of text: whether the first row does not recur below, though other values do. Several names
    /// alone in a file are a header too.
    fn has_text_header(&self, records: &Records) -> Result<bool> {
        let first = &self.first;
        let names = first.iter().all(|f| !is_missing(f) && parse_number(f).is_none());
        let distinct = first.iter().collect::<HashSet<_>>().len() == first.len();
        if !names || !distinct || self.number_below.iter().zip(&self.text_below).any(|(&n, &t)| n && !t) {
            return Ok(false);
        }
        if self.lines.len() == 1 {
            return Ok(first.len() > 1);
        }
        let mut seen: Vec<HashSet<String>> = vec![HashSet::new(); first.len()];
        let (mut again, mut repeats, mut row) = (false, false, 0);
        records.each(|_, fields| {
            for (j, field) in fields.iter().enumerate().take(first.len()).filter(|_| row > 0) {
                again |= *field == first[j];
                repeats |= !seen[j].insert(field.to_string());
            }
            row += 1;
            Ok(())
        })?;
        Ok(repeats && !again)
    }

    /// The table; columns of text take a second pass over the text.
    fn table(mut self, records: &Records, header: bool) -> Result<Table<F>> {
        let (source, columns) = (records.source, self.first.len());
        let skip = usize::from(header);
        let names = if header { names(&self.first) } else { default_names(columns) };
        let is_word = |f: &String| !header && !is_missing(f) && parse_number(f).is_none();
        let is_text: Vec<bool> =
            self.first.iter().zip(&self.text_below).map(|(f, &t)| t || is_word(f)).collect();
        for (j, problem) in self.too_large.iter().enumerate().filter(|&(j, _)| !is_text[j]) {
            if let Some((row, v)) = problem.filter(|&(row, _)| row >= skip) {
                number::<F>(v).map_err(|p| Error::cell(source, self.lines[row], &names[j], p))?;
            }
        }
        self.values.drain(..skip * columns);
        self.lines.drain(..skip);
        let x = Array2::from_shape_vec((self.lines.len(), columns), self.values);
        let x = x?;
        let body = if is_text.contains(&true) {
            Body::Columns(split_columns(records, skip, &x, &is_text)?)
        } else {
            Body::Dense(x)
        };
        let unreadable = self.unreadable.into_iter().map(|(row, problem)| (row - skip, problem)).collect();
        let lines = Lines::new(self.lines);
        let rounded = (0..columns).filter(|&j| self.rounded[j] && !is_text[j]).collect();
        Ok(Table { names, named: header, lines, unreadable, rounded, ..Table::new(source, body) })
    }
}

/// Columns of numbers from `x`, columns of text from a pass over the text.
fn split_columns<F: Float>(
    records: &Records,
    skip: usize,
    x: &Array2<F>,
    is_text: &[bool],
) -> Result<Vec<Column<F>>> {
    let mut builders: Vec<Option<TextBuilder>> =
        is_text.iter().map(|&t| t.then(TextBuilder::default)).collect();
    let mut row = 0;
    records.each(|_, fields| {
        let readable = fields.len() == is_text.len();
        for (j, builder) in builders.iter_mut().enumerate().filter(|_| row >= skip) {
            if let Some(builder) = builder {
                builder.push(fields.get(j).copied().filter(|f| readable && !is_missing(f)));
            }
        }
        row += 1;
        Ok(())
    })?;
    let columns = builders.into_iter().enumerate();
    Ok(columns
        .map(|(j, b)| b.map_or_else(|| Column::Number(x.column(j).to_vec()), TextBuilder::build))
        .collect())
}

/// Delimited text, to be read record by record, as often as needed.
struct Records<'a> {
    source: &'a str,
    text: &'a str,
    delimiter: u8,
}

impl Records<'_> {
    /// Calls `row` with the line number and the trimmed fields of every record.
    fn each(&self, mut row: impl FnMut(usize, &[&str]) -> Result<()>) -> Result<()> {
        let &Records { source, text, delimiter } = self;
        if delimiter == b' ' {
            let lines = text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty());
            let mut fields = Vec::new();
            for (i, line) in lines {
                fields.clear();
                fields.extend(line.split_whitespace());
                row(i + 1, &fields)?;
            }
            return Ok(());
        }
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .from_reader(text.as_bytes());
        let mut record = csv::StringRecord::new();
        let (mut line, mut counted) = (1, 0);
        while reader.read_record(&mut record).map_err(|e| Error::file(source, &e).because(e))? {
            // A record's position is where the one before it ended; blank lines may come first.
            let start = record.position().map_or(counted, |p| p.byte() as usize).min(text.len());
            let breaks = text.as_bytes()[start..].iter().take_while(|b| matches!(b, b'\n' | b'\r')).count();
            line += line_breaks(&text.as_bytes()[counted..start + breaks]);
            counted = start + breaks;
            let fields: Vec<&str> = record.iter().map(str::trim).collect();
            if fields.len() > 1 || fields.first().is_some_and(|f| !f.is_empty()) {
                row(line, &fields)?;
            }
        }
        Ok(())
    }
}

/// Line breaks as an editor counts them: `\n`, `\r\n` or a lone `\r`.
fn line_breaks(bytes: &[u8]) -> usize {
    let newlines = bytes.iter().filter(|&&b| b == b'\n').count();
    let lone = bytes.windows(2).filter(|w| w[0] == b'\r' && w[1] != b'\n').count();
    newlines + lone + usize::from(bytes.last() == Some(&b'\r'))
}

/// Names from the first row: empty ones become `f0, f1, …`, repeated ones get a number.
fn names(first: &[String]) -> Vec<String> {
    // How often each name was given out; the next number to try, so that many equal names take linear time.
    let mut given: HashMap<String, usize> = HashMap::new();
    let mut names = Vec::with_capacity(first.len());
    for (j, name) in first.iter().enumerate() {
        let base = if name.is_empty() { format!("f{j}") } else { name.clone() };
        let mut unique = base.clone();
        let mut k = given.get(&base).copied().unwrap_or(1);
        while given.contains_key(&unique) {
            k += 1;
            unique = format!("{base}_{k}");
        }
        given.insert(base, k);
        given.entry(unique.clone()).or_insert(1);
        names.push(unique);
    }
    names
}

/// The delimiter that splits the first lines into the same number of fields, the most of them; a space stands for
/// white space. Where no count is constant, the delimiter that the first line has most of.
fn sniff(text: &str) -> u8 {
    const CANDIDATES: [u8; 4] = [b',', b';', b'\t', b'|'];
    let mut counts: Vec<[usize; 4]> = vec![[0; 4]];
    let (mut quoted, mut blank) = (false, true);
    for b in text.bytes() {
        match b {
            b'"' => quoted = !quoted,
            b'\n' | b'\r' if !quoted => {
                if !blank {
                    counts.push([0; 4]);
                }
                blank = true;
                if counts.len() > 20 {
                    break;
                }
                continue;
            }
            _ if quoted => {}
            _ => {
                if let (Some(k), Some(count)) = (CANDIDATES.iter().position(|&c| c == b), counts.last_mut()) {
                    count[k] += 1;
                }
            }
        }
        blank = false;
    }
    if counts.len() > 1 && (blank || counts.len() > 20) {
        counts.pop();
    }
    // A comma between digits may belong to a number; next to another delimiter it does.
    let decimals = |line: &str| {
        let bytes = line.as_bytes();
        let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
        (0..bytes.len()).all(|i| bytes[i] != b',' || (i > 0 && digit(i - 1) && digit(i + 1)))
    };
    let lines = || text.lines().filter(|l| !l.trim().is_empty()).take(20);
    if let Some(k) =
        [1, 2].into_iter().find(|&k| counts[0][k] > 0 && counts.iter().all(|c| c[k] == counts[0][k]))
        && lines().all(decimals)
    {
        return CANDIDATES[k];
    }
    let constant = |k: &usize| counts[0][*k] > 0 && counts.iter().all(|c| c[*k] == counts[0][*k]);
    // `max_by_key` returns the last maximum; going backwards prefers the comma.
    let most = |ks: &mut dyn Iterator<Item = usize>| ks.max_by_key(|&k| counts[0][k]);
    if let Some(k) = most(&mut (0..4).rev().filter(constant)) {
        return CANDIDATES[k];
    }
    match most(&mut (0..4).rev().filter(|&k| counts[0][k] > 0)) {
        Some(k) => CANDIDATES[k],
        None if is_space_separated(text) => b' ',
        None => b',',
    }
}

/// Whether the first lines hold the same number of words, at least two, some of them numbers.
fn is_space_separated(text: &str) -> bool {
    let mut lines = text.lines().filter(|l| !l.trim().is_empty()).take(20);
    let Some(words) = lines.next().map(|l| l.split_whitespace().count()) else { return false };
    let rest: Vec<&str> = lines.collect();
    let last = rest.last().copied().or_else(|| text.lines().find(|l| !l.trim().is_empty())).unwrap_or("");
    words > 1
        && rest.iter().all(|l| l.split_whitespace().count() == words)
        && last.split_whitespace().any(|w| parse_number(w).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::format::read_as;
    use ndarray::array;

    fn table(text: &str) -> Table<f32> {
        read_as(format(), "x.csv", text).unwrap()
    }

    fn error(text: &str) -> String {
        read_as::<f32>(format(), "x.csv", text).unwrap_err().to_string()
    }

    #[test]
    fn numbers_become_one_matrix() {
        let t = table("a,b\r\n1, 2\r\n\r\n3,?\r\n");
        let Body::Dense(x) = &t.body else { panic!("not dense") };
        assert_eq!(x.row(0), array![1.0, 2.0]);
        assert!(x[[1, 0]] == 3.0 && x[[1, 1]].is_nan());
        assert_eq!((t.names.as_slice(), t.named), (&["a".to_string(), "b".to_string()][..], true));
        assert_eq!((t.line(0), t.line(1)), (2, 4));
    }

    #[test]
    fn a_ragged_row_names_the_way_on() {
        assert_eq!(
            error("a,b\n1,2\n3\n"),
            "x.csv: row 3 has 1 fields, but the first row has 2; correct it, or leave out such rows"
        );
        let comment = error("# by hand\na,b\n1,2\n");
        assert!(
            comment.ends_with("the first row looks like a comment: skip lines that start with #"),
            "{comment}"
        );
        assert!(
            error("a,b\n# more\n1,2\n").ends_with("it looks like a comment: skip lines that start with #")
        );
        assert!(error("red,round\n").ends_with("if that is a row, say that there is no header"));
    }

    #[test]
    fn delimiters_are_sniffed() {
        let x = Body::Dense(array![[1.0, 2.5], [3.0, 4.0]]);
        for d in [",", ";", "\t", "|", " ", "   "] {
            assert_eq!(table(&format!("1{d}2.5\n3{d}4\n")).body, x, "{d:?}");
        }
        assert_eq!(sniff("a b,c d\ne f,g h\n"), b',');
        assert_eq!(sniff("\"a,b\";c\n\"d\";e\n"), b';');
        assert_eq!(sniff("Iris setosa\nIris virginica\n"), b',');
    }

    #[test]
    fn headers_are_guessed() {
        assert!(!table("5.1,3.5,setosa\n4.9,3.0,virginica\n").named);
        assert!(table("a,b,species\n5.1,3.5,setosa\n4.9,3.0,virginica\n").named);
        assert!(table("0,1,label\n5.1,3.5,7\n").named);
        assert!(!table("1.5,-,3\n2,4,5\n").named);
        assert!(!table("p,x\np,y\ne,x\n").named);
        assert!(table("class,shape\np,x\ne,x\n").named);
        assert!(!table("1,2\n3,4\n").named);
    }

    #[test]
    fn decimal_commas_do_not_split() {
        let t = table("5,1;3,5;x\n4,9;3,0;y\n");
        assert_eq!((t.columns(), t.named), (3, false));
        assert!(table("a;b;c\n5,1;3,5;x\n4,9;3,0;y\n").named);
        assert_eq!(table("1,2\n3,4\n").columns(), 2);
    }

    #[test]
    fn expected_names_tell_a_header() {
        let with = |text: &str, names: &[&str]| {
            let options =
                ReadOptions { names: names.iter().map(|n| n.to_string()).collect(), ..Default::default() };
            crate::io::read_bytes::<f32>("x.csv", text.as_bytes().to_vec(), &options).unwrap()
        };
        // One row of text: only the names tell.
        assert!(!with("colour,shape\nred,round\n", &[]).named);
        let t = with("colour,shape\nred,round\n", &["shape", "colour"]);
        assert_eq!((t.named, t.rows()), (true, 1));
        assert!(!with("red,round\nblue,flat\n", &["shape", "colour"]).named);
        assert!(!with("0,1\n5,6\n", &["0", "1"]).named);
    }

    #[test]
    fn comments_and_rows_of_another_length_may_be_skipped() {
        let options = ReadOptions { comment: Some(b'#'), keep_going: true, ..Default::default() };
        let text = b"# made by hand, with care\na,b\n1,x\n# more\n2\n3,y\n".to_vec();
        let t = crate::io::read_bytes::<f32>("x.csv", text, &options).unwrap();
        assert_eq!((t.rows(), t.line(0), t.line(2)), (3, 3, 6));
        assert_eq!(t.unreadable, [(1, "x.csv: row 5 has 1 fields, but the first row has 2".to_string())]);
        let Body::Columns(columns) = &t.body else { panic!("no columns") };
        let codes = vec![Some(0), None, Some(1)];
        assert_eq!(columns[1], Column::Text { levels: vec!["x".into(), "y".into()], codes });
    }

    #[test]
    fn quotes_hold_anything() {
        let t = table("name,v\n\"a,\"\"b\"\"\nc\",1\nd,2\n");
        let Body::Columns(columns) = &t.body else { panic!("no columns") };
        let Column::Text { levels, .. } = &columns[0] else { panic!("no text") };
        assert_eq!(levels, &["a,\"b\"\nc", "d"]);
        assert_eq!((t.line(0), t.line(1)), (2, 4));
    }

    #[test]
    fn errors_name_the_line() {
        assert_eq!(
            error("a,b\n1,2\n\n3\n"),
            "x.csv: row 4 has 1 fields, but the first row has 2; correct it, or leave out such rows"
        );
        assert!(error("a,b\n1,2\n\"3,4\n5,6\n").ends_with("is a quote left open there?"));
        assert_eq!(
            error("a,b\n1,1e300\n"),
            "x.csv, row 2, column b: 1e300 is too large for f32; read it as f64"
        );
        assert!(error("1,2\n1,inf\n").starts_with("x.csv, row 2, column f1: inf is not a finite number"));
        assert!(error("a,b\n").starts_with("x.csv: holds a header but no rows; "));
        assert_eq!(error("\n\n"), "x.csv: holds no rows");
    }

    #[test]
    fn names_are_made_unique() {
        let first = ["a", "", "a"].map(str::to_string);
        assert_eq!(names(&first), ["a", "f1", "a_2"]);
        let first = ["a", "a_2", "a", "a"].map(str::to_string);
        assert_eq!(names(&first), ["a", "a_2", "a_3", "a_4"]);
        // Quadratic time would be ten billion steps.
        let equal = vec!["a".to_string(); 100_000];
        assert_eq!(names(&equal).last().unwrap(), "a_100000");
    }
}
