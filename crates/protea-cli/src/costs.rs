//! The matrix of costs for `fit --cost`: a table of numbers, perhaps with the names of classes above or beside them.

use crate::parts::cell_text;
use crate::reading::Reading;
use ndarray::Array2;
use protea::Error;
use protea::io::{ReadOptions, read_table};
use std::path::Path;

/// Costs in the order of `classes`: row c, column j for deciding j where c is true. Names of columns or rows may come in any order,
/// and where only one of the two has names, they are those of the other, too; without names, the order is that of the classes.
pub fn read(path: &Path, reading: &Reading, classes: &[String]) -> Result<Array2<f64>, Error> {
    let options = ReadOptions { labels: None, header: Some(false), ..reading.options() };
    let table = read_table::<f64>(path, &options)?;
    let mut rows: Vec<(usize, Vec<String>)> = (0..table.rows())
        .map(|i| (table.line(i), (0..table.columns()).map(|j| cell_text(&table, i, j)).collect()))
        .collect();
    if table.named {
        rows.insert(0, (0, table.names.clone()));
    }
    let first = rows.first().map_or(Vec::new(), |(_, cells)| cells.clone());
    // Names beside the rows are looked for below the first row, names above the columns to the right of those.
    let beside: Vec<&str> = rows.iter().skip(1).filter_map(|(_, r)| r.first()).map(String::as_str).collect();
    let beside = are_names(&beside, first.len(), classes);
    let above: Vec<&str> = first.iter().skip(usize::from(beside)).map(String::as_str).collect();
    let above = are_names(&above, rows.len(), classes);
    let header = above.then(|| rows.remove(0).1).map(|mut names| names.split_off(usize::from(beside)));
    let names = beside.then(|| rows.iter_mut().map(|(_, r)| r.remove(0)).collect::<Vec<_>>());
    let width = rows.first().map_or(0, |(_, r)| r.len());
    let (columns, lines) = (header.as_ref().or(names.as_ref()), names.as_ref().or(header.as_ref()));
    let columns = order(path, "column", columns, classes, width)?;
    let lines = order(path, "row", lines, classes, rows.len())?;
    let mut costs = Array2::zeros((lines.len(), columns.len()));
    for (i, &from) in lines.iter().enumerate() {
        for (j, &column) in columns.iter().enumerate() {
            let (line, cells) = &rows[from];
            costs[[i, j]] = cost(&cells[column]).ok_or_else(|| {
                let problem = format!("expected a cost, a number, found {:?}", cells[column]);
                let column = 1 + column + usize::from(beside);
                Error::cell(&table.source, *line, &column.to_string(), problem)
            })?;
        }
    }
    Ok(costs)
}

fn cost(text: &str) -> Option<f64> {
    text.parse().ok().filter(|v: &f64| v.is_finite())
}

/// Whether cells are names of classes rather than costs, in a file that has `lines` rows or columns in that direction.
fn are_names(cells: &[&str], lines: usize, classes: &[String]) -> bool {
    let is_class = |c: &&str| classes.iter().any(|k| k == c);
    match lines == classes.len() + 1 {
        // There is one line more than there are classes; names of classes may be numbers.
        true => cells.iter().any(|c| is_class(c) || cost(c).is_none()),
        false => !cells.is_empty() && cells.iter().all(|c| is_class(c) && cost(c).is_none()),
    }
}

/// Where the costs of each class are: by name, or in the order of the classes.
fn order(
    path: &Path,
    what: &str,
    names: Option<&Vec<String>>,
    classes: &[String],
    count: usize,
) -> Result<Vec<usize>, Error> {
    let Some(names) = names else { return Ok((0..count).collect()) };
    let known = classes.join(", ");
    if let Some(other) = names.iter().find(|n| !classes.contains(n)) {
        return Err(Error::file(path, format!("has a {what} {other:?}, but the classes are {known}")));
    }
    let place = |class: &String| {
        let mut places = (0..names.len()).filter(|&k| names[k] == *class);
        match (places.next(), places.next()) {
            (Some(at), None) => Ok(at),
            (None, _) => Err(Error::file(path, format!("has no {what} for the class {class:?}"))),
            (Some(_), Some(_)) => Err(Error::file(path, format!("has two {what}s for the class {class:?}"))),
        }
    };
    let places: Vec<usize> = classes.iter().map(place).collect::<Result<_, _>>()?;
    match names.len() == count {
        true => Ok(places),
        false => {
            Err(Error::file(path, format!("has {count} {what}s of costs for {} classes", classes.len())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser;
    use ndarray::array;

    fn costs(text: &str, classes: &[&str]) -> Result<Array2<f64>, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let Command::Eval(args) = Cli::parse_from(["protea", "eval", "m", "x"]).command else {
            panic!("no eval")
        };
        let classes: Vec<String> = classes.iter().map(|c| c.to_string()).collect();
        let name = file.path().display().to_string();
        read(file.path(), &args.reading, &classes).map_err(|e| e.to_string().replace(&name, "c.csv"))
    }

    #[test]
    fn names_decide_where_costs_belong() {
        let expected = Ok(array![[0.0, 1.0], [20.0, 0.0]]);
        let classes = ["common", "rare"];
        for text in [
            "0,1\n20,0\n",
            "common,rare\n0,1\n20,0\n",
            "rare,common\n0,20\n1,0\n",
            ",rare,common\nrare,0,20\ncommon,1,0\n",
            "true,common,rare\nrare,20,0\ncommon,0,1\n",
            "rare,0,20\ncommon,1,0\n",
        ] {
            assert_eq!(costs(text, &classes), expected, "{text}");
        }
        // Names that are numbers.
        for text in ["0,1\n20,0\n", "1,0\n0,20\n1,0\n", ",1,0\n1,0,20\n0,1,0\n"] {
            assert_eq!(costs(text, &["0", "1"]), expected, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let e = |text: &str| costs(text, &["common", "rare"]).unwrap_err();
        assert_eq!(e("0,x\n1,0\n"), "c.csv, row 1, column 2: expected a cost, a number, found \"x\"");
        assert_eq!(e("0,\n1,0\n"), "c.csv, row 1, column 2: expected a cost, a number, found \"\"");
        assert_eq!(
            e("common,rear\n0,1\n20,0\n"),
            "c.csv: has a column \"rear\", but the classes are common, rare"
        );
        assert_eq!(e("common,common\n0,1\n20,0\n"), "c.csv: has two columns for the class \"common\"");
        assert_eq!(e("common,rare\n0,1\n"), "c.csv: has 1 rows of costs for 2 classes");
        assert_eq!(
            e("x,common,rare\ncommon,0,1\nx,20,0\n"),
            "c.csv: has a row \"x\", but the classes are common, rare"
        );
        assert_eq!(
            e("common,rare,gone\n0,1,1\n20,0,1\n"),
            "c.csv: has a column \"gone\", but the classes are common, rare"
        );
    }
}
