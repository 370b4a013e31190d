//! What becomes of each column of a training file: feature, label, weight, or nothing, and why.
//!
//! Left out unless a user asks otherwise: columns without values, constants, row numbers, identifiers. Constants among
//! numbered columns (`pixel0, pixel1, …`) stay: the place of a pixel has a meaning.

use super::class_name;
use super::date::{self, Date, DateOrder, DatePart};
use super::encode::few;
use super::facts::{Facts, NumberFacts, distinct, facts};
use super::label::{LabelFrom, is_index};
use super::number::{Spelled, Spelling, parse_number, spelled};
use super::options::{SchemaOptions, positions};
use super::table::{ColumnView, Table};
use crate::{Error, Float, Result};
use serde::Serialize;
use std::collections::HashMap;

/// More values than this in a column of text are too many for categories.
const MAX_LEVELS: usize = 1000;

/// A column of text with more values than this, each in fewer than [`ROWS_OF_LEVEL`] rows on average, gets a warning.
const MANY_LEVELS: usize = 20;
const ROWS_OF_LEVEL: usize = 5;

/// With at most so many rows, a column of different values may still be a feature.
const FEW_ROWS: usize = 20;

/// From this share of different values on, texts and numbers called `id` are identifiers.
const UNIQUE: f64 = 0.9;

/// At most this share of the rows of a column of numbers holds words by mistake.
const MISTAKES: f64 = 0.1;

/// From so many different numbers on, a column with a few words is one of numbers.
const MANY_NUMBERS: usize = 5;

/// From so many columns on that are numbered with the same prefix, they are pixels or the like.
const SERIES: usize = 16;

/// What becomes of a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[non_exhaustive]
pub enum ColumnUse {
    /// It is the label.
    Label,
    /// It holds the weights of rows.
    Weight,
    /// Numbers stay numbers.
    Number {
        /// How they are spelled.
        spelling: Spelling,
    },
    /// A feature of zeros and ones for each of its values.
    Category {
        /// Number of different values.
        levels: usize,
    },
    /// A feature for each part of its dates that varies.
    Date {
        /// How dates are spelled.
        order: DateOrder,
        /// The parts.
        parts: Vec<DatePart>,
    },
    /// It is not a feature.
    Dropped {
        /// Why, as the end of a sentence that starts with the column.
        reason: String,
    },
}

/// What becomes of a column, what to say about it, and why it cannot be used as it is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Decision {
    pub(super) becomes: ColumnUse,
    pub(super) missing: usize,
    pub(super) note: Option<String>,
    /// Stops training.
    pub(super) problem: Option<String>,
}

impl Decision {
    fn new(becomes: ColumnUse) -> Self {
        Decision { becomes, missing: 0, note: None, problem: None }
    }

    fn dropped(reason: impl Into<String>) -> Self {
        Decision::new(ColumnUse::Dropped { reason: reason.into() })
    }

    fn noting(self, note: impl Into<String>) -> Self {
        Decision { note: Some(note.into()), ..self }
    }
}

/// The label and what becomes of each column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Decisions {
    pub(super) label: Option<usize>,
    pub(super) found: LabelFrom,
    pub(super) weight: Option<usize>,
    pub(super) columns: Vec<Decision>,
}

impl Decisions {
    /// The decisions `after` rows that lack something were left out: numbers stay spelled as they are in the file, and what was
    /// said of words among them is still true.
    pub(super) fn again(self, after: Decisions) -> Decisions {
        let stay = |(before, after): (Decision, Decision)| match (&before.becomes, &after.becomes) {
            (ColumnUse::Number { .. }, ColumnUse::Number { .. }) => {
                Decision { missing: after.missing, note: before.note.or(after.note), ..before }
            }
            _ => after,
        };
        let columns = self.columns.into_iter().zip(after.columns).map(stay).collect();
        Decisions { columns, ..after }
    }

    /// How the numbers of each column of numbers are spelled.
    pub(super) fn spellings(&self) -> Vec<Option<Spelling>> {
        let spelling = |d: &Decision| match &d.becomes {
            ColumnUse::Number { spelling } => Some(spelling.clone()),
            _ => None,
        };
        self.columns.iter().map(spelling).collect()
    }
}

/// Decides about all columns.
pub(super) fn decide<F: Float>(table: &Table<F>, options: &SchemaOptions) -> Result<Decisions> {
    let (label, found) = options.label.find(table)?;
    let weight = positions(table, options.weight.as_slice())?.into_iter().next();
    if weight.is_some() && weight == label {
        return Err(Error::file(&table.source, "has one column for both the label and the weights"));
    }
    let (drop, only) = (positions(table, &options.drop)?, positions(table, &options.only)?);
    if let Some(j) = label.filter(|j| drop.contains(j)) {
        let problem =
            format!("column {} is the label and cannot be left out; name the label column", table.names[j]);
        return Err(Error::file(&table.source, problem));
    }
    let categorical = positions(table, &options.categorical)?;
    let context = Context { table, options, series: series(table) };
    let facts = facts(table);
    let decision = |j: usize| {
        let decision = if label == Some(j) {
            Decision::new(ColumnUse::Label)
        } else if weight == Some(j) {
            Decision::new(ColumnUse::Weight)
        } else if drop.contains(&j) {
            Decision::dropped("as asked")
        } else if !only.is_empty() && !only.contains(&j) {
            Decision::dropped("not among the columns asked for")
        } else if categorical.contains(&j) {
            Decision::new(ColumnUse::Category { levels: distinct(table, j) })
        } else {
            context.decide(j, &facts[j])
        };
        Decision { missing: facts[j].missing(), ..decision }
    };
    let columns: Vec<Decision> = (0..table.columns()).map(decision).collect();
    let is_feature =
        |d: &Decision| !matches!(d.becomes, ColumnUse::Label | ColumnUse::Weight | ColumnUse::Dropped { .. });
    if !columns.iter().any(is_feature) {
        let reasons = columns.iter().zip(&table.names).filter_map(|(d, name)| match &d.becomes {
            ColumnUse::Dropped { reason } => Some(format!("{name} ({reason})")),
            _ => None,
        });
        let reasons = few(&reasons.collect::<Vec<_>>());
        let problem = format!("has no column left to tell the classes by; left out are {reasons}");
        return Err(Error::file(&table.source, problem));
    }
    Ok(Decisions { label, found, weight, columns })
}

/// What decisions about one column need to know.
struct Context<'a, F> {
    table: &'a Table<F>,
    options: &'a SchemaOptions,
    /// Whether each column is one of many numbered ones.
    series: Vec<bool>,
}

impl<F: Float> Context<'_, F> {
    fn decide(&self, j: usize, facts: &Facts) -> Decision {
        match (facts, self.table.column(j)) {
            (Facts::Text(missing, counts), ColumnView::Text(levels, codes)) => {
                self.text(j, *missing, counts, levels, codes)
            }
            (Facts::Number(facts), _) => self.number(j, facts),
            (Facts::Text(..), ColumnView::Number(_)) => {
                Decision::new(ColumnUse::Number { spelling: Spelling::Plain })
            }
        }
    }

    fn number(&self, j: usize, facts: &NumberFacts) -> Decision {
        let (rows, name) = (self.table.rows(), &self.table.names[j]);
        let keep = Decision::new(ColumnUse::Number { spelling: Spelling::Plain });
        if facts.missing == rows {
            return Decision::dropped("it has no values");
        }
        if self.options.keep_all {
            return keep;
        }
        let rounded = self.table.rounded.contains(&j);
        if facts.min == facts.max && rows - facts.missing > 1 && !self.series[j] && !rounded {
            return Decision::dropped(format!("constant, always {}", class_name(F::of(facts.min))));
        }
        let from_start = facts.counts && (facts.min == 0.0 || facts.min == 1.0) && rows > FEW_ROWS;
        let first_unnamed = j == 0 && (!self.table.named || *name == "f0");
        if is_index(self.table, j) || (from_start && (is_id(name) || first_unnamed)) {
            return Decision::dropped("row numbers");
        }
        let unique = || distinct(self.table, j) as f64 >= UNIQUE * rows as f64;
        if is_id(name) && facts.whole && rows > FEW_ROWS && (rounded || unique()) {
            let why =
                if rounded { "its numbers are long" } else { "almost every row has a number of its own" };
            return Decision::dropped(format!("an identifier: {why}"));
        }
        if rounded && facts.min == facts.max {
            let digits = format!("its numbers are the same in the digits that {} holds", F::NAME);
            return Decision::dropped(digits);
        }
        if rounded {
            let advice = if F::NAME == "f32" { "; read it as f64" } else { "" };
            let note =
                format!("column {name} holds whole numbers of more digits than {} holds{advice}", F::NAME);
            return keep.noting(note);
        }
        if from_start {
            return keep.noting(format!("column {name} counts the rows; drop it if it is only a row number"));
        }
        keep
    }

    fn text(
        &self,
        j: usize,
        missing: usize,
        counts: &[usize],
        levels: &[String],
        codes: &[Option<u32>],
    ) -> Decision {
        let (rows, name) = (self.table.rows(), &self.table.names[j]);
        let used = || levels.iter().zip(counts).filter(|(_, n)| **n > 0).map(|(l, _)| l.as_str());
        let n = used().count();
        let categories = Decision::new(ColumnUse::Category { levels: n });
        let Some(first) = used().next() else { return Decision::dropped("it has no values") };
        if self.options.keep_all {
            return categories;
        }
        if is_index(self.table, j) {
            return Decision::dropped("row names");
        }
        if n == 1 && rows - missing > 1 {
            return Decision::dropped(format!("constant, always {first:?}"));
        }
        if let Some(order) = date::order(used()) {
            return dates(name, used(), order);
        }
        match spelled(used(), self.options.decimal) {
            Spelled::As(spelling) => {
                let how = spelling.words().unwrap_or_default();
                let note = format!("column {name}: values such as {first:?} are read as numbers ({how})");
                return Decision::new(ColumnUse::Number { spelling }).noting(note);
            }
            Spelled::Ambiguous => {
                let problem = format!(
                    "column {name} holds numbers such as {first:?}, where the comma may separate decimals or thousands; \
                     name the decimal separator"
                );
                return Decision { problem: Some(problem), ..categories };
            }
            Spelled::Not => {}
        }
        if let Some(note) = self.mistakes(name, levels, codes) {
            return Decision::new(ColumnUse::Number { spelling: Spelling::Plain }).noting(note);
        }
        if rows > FEW_ROWS && n as f64 >= UNIQUE * (rows - missing) as f64 && n > FEW_ROWS {
            let all = if n == rows {
                "all of them different".into()
            } else {
                format!("{n} different ones in {rows} rows")
            };
            return Decision::dropped(format!("texts such as {first:?}, {all}"));
        }
        if n > MAX_LEVELS {
            return Decision::dropped(format!(
                "{n} different texts such as {first:?}, too many for categories"
            ));
        }
        if n > MANY_LEVELS && n * ROWS_OF_LEVEL > rows - missing {
            return categories.noting(format!(
                "column {name} has {n} different texts in {rows} rows, such as {first:?}, and becomes {n} features; \
                 drop it if it tells nothing"
            ));
        }
        categories
    }

    /// What to say of a column of numbers in which a few rows hold a word; `None` where words are more than mistakes.
    fn mistakes(&self, name: &str, levels: &[String], codes: &[Option<u32>]) -> Option<String> {
        let mut seen = vec![false; levels.len()];
        codes.iter().flatten().for_each(|&c| seen[c as usize] = true);
        let word: Vec<bool> = levels.iter().map(|l| parse_number(l).is_none()).collect();
        let of_words = |c: u32| word[c as usize];
        let (present, words) =
            (codes.iter().flatten().count(), codes.iter().flatten().filter(|c| of_words(**c)).count());
        let different =
            |words: bool| seen.iter().zip(&word).filter(|(seen, w)| **seen && **w == words).count();
        let (numbers, others) = (different(false), different(true));
        let few = words as f64 <= MISTAKES * present as f64 && others <= 1.max(numbers / 10);
        let at =
            codes.iter().position(|c| c.is_some_and(of_words)).filter(|_| numbers >= MANY_NUMBERS && few)?;
        let (shown, row) = (&levels[codes[at]? as usize], self.table.line(at));
        Some(format!(
            "column {name} holds numbers but for {words} of its values, such as {shown:?} in row {row}"
        ))
    }
}

/// The parts of dates that vary.
fn dates<'a>(name: &str, texts: impl Iterator<Item = &'a str> + Clone, order: DateOrder) -> Decision {
    let values =
        |part: DatePart| texts.clone().filter_map(move |t| Date::parse(t, order)).map(move |d| d.part(part));
    let varies = |part: &DatePart| {
        let first = values(*part).next();
        values(*part).any(|v| Some(v) != first)
    };
    let parts: Vec<DatePart> = DatePart::ALL.into_iter().filter(varies).collect();
    let names: Vec<&str> = parts.iter().map(|p| p.name()).collect();
    let either = order == DateOrder::Dmy && texts.clone().all(|t| Date::parse(t, DateOrder::Mdy).is_some());
    let how = match texts.clone().next().filter(|_| either) {
        Some(first) => {
            format!(" with the day before the month, as {first:?} could also be the other way round")
        }
        None => String::new(),
    };
    let names = names.join(", ");
    let note = format!("column {name} holds dates, read as {names}{how}; drop it if they do not matter");
    match parts.is_empty() {
        true => Decision::dropped("constant: all rows have the same date"),
        false => Decision::new(ColumnUse::Date { order, parts }).noting(note),
    }
}

/// Whether a column is called as identifiers and row numbers are.
fn is_id(name: &str) -> bool {
    const NAMES: [&str; 16] = [
        "id",
        "ids",
        "index",
        "idx",
        "row",
        "rowid",
        "rownum",
        "row_number",
        "rownames",
        "row.names",
        "no",
        "nr",
        "#",
        "key",
        "uuid",
        "guid",
    ];
    let lower = name.trim().to_lowercase();
    let camel = ["Id", "ID"].iter().any(|end| {
        name.strip_suffix(end).is_some_and(|start| start.ends_with(|c: char| c.is_ascii_lowercase()))
    });
    NAMES.contains(&lower.as_str())
        || camel
        || ["_id", " id", "-id", ".id"].iter().any(|end| lower.ends_with(end))
}

/// Which columns belong to a long series of numbered ones: pixels, channels, points in time.
pub(super) fn series<F>(table: &Table<F>) -> Vec<bool> {
    let prefix = |name: &str| {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        (stem.len() < name.len()).then(|| stem.to_string())
    };
    let mut counts: HashMap<String, usize> = HashMap::new();
    table.names.iter().filter_map(|n| prefix(n)).for_each(|p| *counts.entry(p).or_default() += 1);
    table.names.iter().map(|n| prefix(n).is_some_and(|p| counts[&p] >= SERIES)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{ReadOptions, read_bytes};

    /// What becomes of the columns of a file of 30 rows, in words.
    fn uses(header: &str, row: impl Fn(usize) -> String, options: &SchemaOptions) -> Vec<String> {
        let rows: String = (0..30).map(|i| row(i) + "\n").collect();
        let table =
            read_bytes::<f32>("x.csv", format!("{header}\n{rows}").into_bytes(), &ReadOptions::default());
        let columns = decide(&table.unwrap(), options).unwrap().columns;
        columns.iter().map(|d| format!("{:?}", d.becomes)).collect()
    }

    fn one(column: &str, value: impl Fn(usize) -> String) -> String {
        let row = |i: usize| format!("{},{},{}", value(i), (i * 7) % 11, ["a", "b"][i % 2]);
        uses(&format!("{column},v,class"), row, &SchemaOptions::default())[0].clone()
    }

    #[test]
    fn what_tells_nothing_is_left_out() {
        assert_eq!(one("a", |_| "5.1".into()), r#"Dropped { reason: "constant, always 5.1" }"#);
        assert_eq!(one("t", |_| "red".into()), r#"Dropped { reason: "constant, always \"red\"" }"#);
        assert_eq!(one("a", |_| "".into()), r#"Dropped { reason: "it has no values" }"#);
        assert_eq!(one("Unnamed: 0", |i| (i * 3).to_string()), r#"Dropped { reason: "row numbers" }"#);
        assert_eq!(one("PassengerId", |i| (i + 1).to_string()), r#"Dropped { reason: "row numbers" }"#);
        assert!(one("customer_id", |i| (1000 + i * 37).to_string()).contains("an identifier"));
        assert!(one("name", |i| format!("Mr. {i}")).contains("all of them different"));
        // Numbers that count the rows without such a name may be a measurement.
        assert_eq!(one("day", |i| (i + 1).to_string()), "Number { spelling: Plain }");
        assert_eq!(one("id", |i| (i % 3).to_string()), "Number { spelling: Plain }");
    }

    #[test]
    fn long_whole_numbers_are_not_constant() {
        let column = |name: &str, value: &dyn Fn(usize) -> String| one(name, value);
        let long = |i: usize| (16_777_216 + i % 2).to_string();
        assert!(
            column("id", &|i| (900_000_000 + i).to_string()).contains("an identifier: its numbers are long")
        );
        assert!(column("code", &long).contains("the same in the digits that f32 holds"));
        assert_eq!(column("day", &|i| (20_241_101 + 3 * i).to_string()), "Number { spelling: Plain }");
        assert!(column("a", &|_| "16777216".into()).contains("constant"));
    }

    #[test]
    fn notes_tell_how_columns_were_read() {
        let note = |header: &str, value: &dyn Fn(usize) -> String| {
            let rows: String = (0..30).map(|i| format!("{},{},{}\n", value(i), i * 7 % 11, i % 2)).collect();
            let text = format!("{header},v,class\n{rows}").into_bytes();
            let table = read_bytes::<f32>("x.csv", text, &ReadOptions::default()).unwrap();
            decide(&table, &SchemaOptions::default()).unwrap().columns[0].note.clone().unwrap_or_default()
        };
        assert_eq!(
            note("price", &|i| format!("${i}.5")),
            "column price: values such as \"$0.5\" are read as numbers (in $)"
        );
        assert_eq!(
            note("when", &|i| format!("{:02}/{:02}/2026", i % 12 + 1, i % 5 + 1)),
            "column when holds dates, read as month, day, weekday with the day before the month, as \"01/01/2026\" \
             could also be the other way round; drop it if they do not matter"
        );
        assert!(
            note("t", &|i| format!("t{}", i % 25))
                .contains("has 25 different texts in 30 rows, such as \"t0\"")
        );
        assert!(
            note("day", &|i| (20_241_101 + 3 * i).to_string()).ends_with("than f32 holds; read it as f64")
        );
    }

    #[test]
    fn the_label_is_not_dropped() {
        let table =
            read_bytes::<f32>("x.csv", b"a,b,class\n1,2,p\n2,3,q\n".to_vec(), &ReadOptions::default());
        let options = SchemaOptions { drop: vec!["class".into()], ..Default::default() };
        let e = decide(&table.unwrap(), &options).unwrap_err().to_string();
        assert_eq!(e, "x.csv: column class is the label and cannot be left out; name the label column");
    }

    #[test]
    fn pixels_stay_in_their_places() {
        let header: Vec<String> = (0..16).map(|j| format!("pixel{j}")).collect();
        let row = |i: usize| format!("0,{}{},{}", i, ",7".repeat(14), i % 2);
        let columns = uses(&format!("{},label", header.join(",")), row, &SchemaOptions::default());
        assert!(columns[..16].iter().all(|c| c == "Number { spelling: Plain }"), "{columns:?}");
    }

    #[test]
    fn texts_are_numbers_dates_or_categories() {
        assert_eq!(one("a", |i| format!("\"{},{}\"", i % 4, i % 10)), "Number { spelling: Comma }");
        assert_eq!(one("a", |i| format!("{i}%")), "Number { spelling: Percent }");
        let date = one("d", |i| format!("2026-01-{:02}", i + 1));
        assert_eq!(date, "Date { order: Ymd, parts: [Day, Weekday] }");
        assert_eq!(one("t", |i| ["x", "y", "z"][i % 3].into()), "Category { levels: 3 }");
        assert_eq!(
            one("t", |i| if i == 4 { "oops".into() } else { i.to_string() }),
            "Number { spelling: Plain }"
        );
        assert_eq!(one("doors", |i| ["2", "3", "5more"][i % 3].into()), "Category { levels: 3 }");
    }

    #[test]
    fn a_user_decides_otherwise() {
        let row = |i: usize| format!("{i},{},{},{}", i % 3, i % 5, i % 2);
        let list = |name: &str| vec![name.to_string()];
        let of = |options: SchemaOptions| uses("id,a,w,class", row, &options).join(" ");
        let plain = "Number { spelling: Plain }";
        let dropped = |why: &str| format!("Dropped {{ reason: {why:?} }}");
        assert_eq!(
            of(SchemaOptions { drop: list("a"), ..Default::default() }),
            format!("{} {} {plain} Label", dropped("row numbers"), dropped("as asked"))
        );
        let only = of(SchemaOptions { only: list("a"), weight: Some("w".into()), ..Default::default() });
        let reason = dropped("not among the columns asked for");
        assert_eq!(only, format!("{reason} {plain} Weight Label"));
        let all = of(SchemaOptions { categorical: list("a"), keep_all: true, ..Default::default() });
        assert_eq!(all, format!("{plain} Category {{ levels: 3 }} {plain} Label"));
    }
}
