//! [`Findings`]: what was found in a training file and what becomes of it, as data; nothing is printed here.

use super::decide::{ColumnUse, Decisions, decide, series};
use super::label::{LabelFrom, classes, other_labels, row_labels};
use super::leak::suspects;
use super::learn::{LeftOut, usable};
use super::options::{Missing, SchemaOptions};
use super::table::Table;
use crate::{Float, Result};
use serde::Serialize;
use std::collections::HashMap;

/// From this share of one class on, classes are called unbalanced.
const UNBALANCED: f64 = 0.8;

/// Columns that are named one by one in a warning.
const NAMED: usize = 5;

/// What was found in a training file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Findings {
    /// The file, as messages name it.
    pub source: String,
    /// Rows that are used.
    pub rows: usize,
    /// Rows that were left out because a value is missing.
    pub rows_dropped: usize,
    /// Rows that were left out because they have no label or could not be read.
    pub rows_unusable: usize,
    /// The label.
    pub label: LabelFinding,
    /// The classes with their rows.
    pub classes: Vec<ClassCount>,
    /// Error of always answering the most frequent class, as a share of the rows.
    pub baseline_error: f64,
    /// The columns, in the order of the file.
    pub columns: Vec<ColumnFinding>,
    /// What a user should look at, one sentence each.
    pub warnings: Vec<String>,
}

/// Where the labels come from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LabelFinding {
    /// The column; none where labels are kept apart.
    pub column: Option<String>,
    /// How it was found.
    pub from: LabelFrom,
    /// Other columns that could be meant.
    pub others: Vec<String>,
}

/// A class and its rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassCount {
    /// Name of the class.
    pub name: String,
    /// Rows of the class.
    pub count: usize,
}

/// A column and what becomes of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnFinding {
    /// Its name.
    pub name: String,
    /// What becomes of it.
    pub becomes: ColumnUse,
    /// Missing values.
    pub missing: usize,
    /// What to know about it.
    pub note: Option<String>,
}

impl Findings {
    /// Looks at a table without learning from it; what training would refuse is among the warnings.
    pub fn of<F: Float>(table: &Table<F>, options: &SchemaOptions) -> Result<Findings> {
        Ok(Findings::decided(table, &decide(table, options)?, options))
    }

    /// The same without the rows that training leaves out because they have no label or could not be read; and the table of the
    /// others.
    pub fn of_usable<F: Float>(table: Table<F>, options: &SchemaOptions) -> Result<(Findings, Table<F>)> {
        let (table, left_out) = usable(table, options)?;
        let mut findings = Findings::of(&table, options)?;
        findings.add_left_out(left_out);
        Ok((findings, table))
    }

    pub(super) fn decided<F: Float>(
        table: &Table<F>,
        decisions: &Decisions,
        options: &SchemaOptions,
    ) -> Findings {
        let others = decisions.label.filter(|_| decisions.found == LabelFrom::Name);
        let others = others.map_or_else(Vec::new, |at| other_labels(table, at));
        let label = LabelFinding {
            column: decisions.label.map(|j| table.names[j].clone()),
            from: decisions.found,
            others: others.into_iter().map(|j| table.names[j].clone()).collect(),
        };
        let column = |(decision, name): (&super::decide::Decision, &String)| ColumnFinding {
            name: name.clone(),
            becomes: decision.becomes.clone(),
            missing: decision.missing,
            note: decision.note.clone().or_else(|| decision.problem.clone()),
        };
        let columns: Vec<ColumnFinding> = decisions.columns.iter().zip(&table.names).map(column).collect();
        let mut warnings = label_warnings(&label);
        warnings.extend(columns.iter().filter_map(|c| c.note.clone()));
        warnings.extend(missing_warning(&columns, options.missing));
        let (classes, y) = match counted(table, decisions) {
            Ok(counted) => counted,
            Err(e) => {
                warnings.push(e.to_string());
                Default::default()
            }
        };
        warnings.extend(class_warnings(&classes, table.rows()));
        if !options.keep_all && y.len() == table.rows() {
            warnings.extend(leak_warning(table, decisions, &y, classes.len()));
        }
        let most = classes.iter().map(|c| c.count).max().unwrap_or(0);
        let baseline_error = 1.0 - most as f64 / table.rows().max(1) as f64;
        let (source, rows) = (table.source.clone(), table.rows());
        let (rows_dropped, rows_unusable) = (0, 0);
        Findings {
            source,
            rows,
            rows_dropped,
            rows_unusable,
            label,
            classes,
            baseline_error,
            columns,
            warnings,
        }
    }

    /// Tells of rows that were left out.
    pub(super) fn add_left_out(&mut self, left_out: Vec<LeftOut>) {
        self.rows_unusable = left_out.iter().map(|l| l.rows).sum();
        self.warnings.splice(0..0, left_out.iter().map(LeftOut::warning));
    }

    /// Columns left out, with the reason.
    pub fn dropped(&self) -> impl Iterator<Item = (&str, &str)> {
        self.columns.iter().filter_map(|c| match &c.becomes {
            ColumnUse::Dropped { reason } => Some((c.name.as_str(), reason.as_str())),
            _ => None,
        })
    }
}

/// The classes with their rows, and the class of each row that has a label.
fn counted<F: Float>(table: &Table<F>, decisions: &Decisions) -> Result<(Vec<ClassCount>, Vec<usize>)> {
    let labels: Vec<String> = row_labels(table, decisions.label)?.into_iter().flatten().collect();
    let names = classes(table, decisions.label, &labels)?;
    let index: HashMap<&str, usize> = names.iter().enumerate().map(|(k, c)| (c.as_str(), k)).collect();
    let y: Vec<usize> = labels.iter().filter_map(|l| index.get(l.as_str()).copied()).collect();
    let mut counts = vec![0; names.len()];
    y.iter().for_each(|&c| counts[c] += 1);
    Ok((names.into_iter().zip(counts).map(|(name, count)| ClassCount { name, count }).collect(), y))
}

fn label_warnings(label: &LabelFinding) -> Vec<String> {
    let Some(column) = &label.column else { return Vec::new() };
    let mut warnings = Vec::new();
    if label.from == LabelFrom::Last {
        let why = "no column is called label, class, target or the like";
        warnings
            .push(format!("the last column, {column}, is taken for the label: {why}; name the label column"));
    }
    if !label.others.is_empty() {
        let others = label.others.join(" or ");
        warnings.push(format!(
            "{column} is taken for the label by its name, but {others} could be meant; name the label column"
        ));
    }
    warnings
}

fn missing_warning(columns: &[ColumnFinding], missing: Missing) -> Option<String> {
    let used = |c: &&ColumnFinding| c.missing > 0 && !matches!(c.becomes, ColumnUse::Dropped { .. });
    let lacking: Vec<&ColumnFinding> = columns.iter().filter(used).collect();
    let named: Vec<String> =
        lacking.iter().take(NAMED).map(|c| format!("{} ({})", c.name, c.missing)).collect();
    let more = match lacking.len() {
        0 => return None,
        n if n > NAMED => format!(" and {} more columns", n - NAMED),
        _ => String::new(),
    };
    let what = match missing {
        Missing::Reject => "are refused; drop their rows, or replace missing values by the mean or median",
        Missing::Drop => "leave out their rows",
        Missing::Mean => "are filled with the mean, in text the most frequent value",
        Missing::Median => "are filled with the median, in text the most frequent value",
    };
    Some(format!("missing values in {}{more} {what}", named.join(", ")))
}

fn class_warnings(classes: &[ClassCount], rows: usize) -> Vec<String> {
    let mut warnings = Vec::new();
    let Some(most) = classes.iter().max_by_key(|c| c.count) else { return warnings };
    let share = most.count as f64 / rows.max(1) as f64;
    if share >= UNBALANCED && classes.len() > 1 {
        warnings.push(format!(
            "classes are unbalanced: {:.1} % of the rows are {:?}, so always answering it has an error of {:.1} %",
            100.0 * share,
            most.name,
            100.0 * (1.0 - share)
        ));
    }
    if classes.len() > NAMED && 2 * classes.len() > rows {
        let n = classes.len();
        warnings.push(format!(
            "the label has {n} classes in {rows} rows; is it an identifier? name the label column"
        ));
        return warnings;
    }
    let single: Vec<&str> = classes.iter().filter(|c| c.count == 1).map(|c| c.name.as_str()).collect();
    if !single.is_empty() && rows > NAMED {
        let more = if single.len() > NAMED { " …" } else { "" };
        let names = single.iter().take(NAMED).map(|n| format!("{n:?}")).collect::<Vec<_>>().join(", ");
        warnings.push(format!("one row only in each of these classes: {names}{more}"));
    }
    warnings
}

/// Columns that tell the class by themselves, while most others do not.
fn leak_warning<F: Float>(
    table: &Table<F>,
    decisions: &Decisions,
    y: &[usize],
    classes: usize,
) -> Option<String> {
    let series = series(table);
    let is_feature = |j: &usize| {
        let becomes = &decisions.columns[*j].becomes;
        !series[*j] && matches!(becomes, ColumnUse::Number { .. } | ColumnUse::Category { .. })
    };
    let columns: Vec<usize> = (0..table.columns()).filter(is_feature).collect();
    let found = suspects(table, &columns, y, classes);
    if found.is_empty() || (found.len() > 1 && 2 * found.len() > columns.len()) {
        return None;
    }
    let names: Vec<&str> = found.iter().take(NAMED).map(|&j| table.names[j].as_str()).collect();
    let (names, more) = (names.join(", "), if found.len() > NAMED { " …" } else { "" });
    Some(match found.len() {
        1 => format!("column {names} alone tells the class; drop it if it is not known beforehand"),
        _ => format!(
            "columns {names}{more} each tell the class alone; drop those that are not known beforehand"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::LabelSpec;
    use crate::io::{ReadOptions, read_bytes};

    fn warnings(text: &str, options: &SchemaOptions) -> String {
        let table = read_bytes::<f32>("x.csv", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
        Findings::of(&table, options).unwrap().warnings.join("\n")
    }

    fn rows(row: impl Fn(usize) -> String) -> String {
        (0..40).map(|i| row(i) + "\n").collect()
    }

    #[test]
    fn a_clean_table_has_no_warnings() {
        let text =
            format!("a,b,species\n{}", rows(|i| format!("{},{},{}", i * 7 % 11, i % 3, ["x", "y"][i % 2])));
        assert_eq!(warnings(&text, &SchemaOptions::default()), "");
    }

    #[test]
    fn labels_that_were_guessed_are_named() {
        let text = format!("a,b\n{}", rows(|i| format!("{},{}", i * 7 % 11, i % 2)));
        assert_eq!(
            warnings(&text, &SchemaOptions::default()),
            "the last column, b, is taken for the label: no column is called label, class, target or the like; \
             name the label column"
        );
        assert_eq!(
            warnings(&text, &SchemaOptions { label: LabelSpec::Position(-1), ..Default::default() }),
            ""
        );
        let text = format!("class,a,sank\n{}", rows(|i| format!("{},{},{}", i % 3, i * 7 % 11, i % 2)));
        assert_eq!(
            warnings(&text, &SchemaOptions::default()),
            "class is taken for the label by its name, but sank could be meant; name the label column"
        );
    }

    #[test]
    fn what_should_be_looked_at_is_said_once() {
        let row = |i: usize| {
            format!("{},{},{},{}", i * 7 % 11, i + 1, if i == 3 { 9 } else { 1 }, usize::from(i == 3))
        };
        let found = warnings(&format!("a,day,copy,class\n{}", rows(row)), &SchemaOptions::default());
        let expected = [
            "column day counts the rows; drop it if it is only a row number",
            "classes are unbalanced: 97.5 % of the rows are \"0\", so always answering it has an error of 2.5 %",
            "one row only in each of these classes: \"1\"",
            "column copy alone tells the class; drop it if it is not known beforehand",
        ];
        assert_eq!(found.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_training_would_refuse_is_a_warning() {
        let text = format!(
            "a,b,class\n{}",
            rows(|i| format!(
                "{},\"{},100\",{}",
                if i == 2 { "".into() } else { i.to_string() },
                i % 7,
                i % 2
            ))
        );
        let found = warnings(&text, &SchemaOptions::default());
        assert!(
            found.contains("where the comma may separate decimals or thousands; name the decimal separator"),
            "{found}"
        );
        assert!(found.contains("missing values in a (1) are refused; drop their rows"), "{found}");
        let text = format!("a,class\n{}", rows(|i| format!("{},{}.5", i % 7, i)));
        assert!(warnings(&text, &SchemaOptions::default()).contains("0.5 looks like a measurement"));
    }
}
