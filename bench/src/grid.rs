//! From a row with lists to its cells: every data set with every combination of settings, each beside its figures.

use crate::experiment::{DataSpec, RowSpec};
use crate::job::Definition;
use anyhow::{Result, bail, ensure};
use protea::Values;
use std::collections::BTreeMap;

/// One job of a row under every seed, and what it is compared with.
#[derive(Debug, Clone)]
pub struct Cell {
    /// What the experiment calls the data set.
    pub data: String,
    /// Settings that the row runs through.
    pub axes: Vec<(String, String)>,
    /// What is run.
    pub definition: Definition,
    /// Figure of the paper.
    pub published: Option<f64>,
    /// Figure to reach.
    pub target: Option<f64>,
}

/// The cells of a row: data sets slowest, then lists of settings in the order of their names.
pub fn cells(row: &RowSpec, about: &BTreeMap<String, DataSpec>, folds: Option<usize>) -> Result<Vec<Cell>> {
    let none = DataSpec::default();
    let mut cells = Vec::new();
    for data in names(&row.data)? {
        let spec = about.get(&data).unwrap_or(&none);
        let mut all = spec.set.clone();
        all.extend(row.set.clone());
        for settings in combinations(&all)? {
            let is_list = |name: &&String| matches!(all.get(*name), Some(toml::Value::Array(_)));
            let axes = settings.keys().filter(is_list).map(|n| (n.clone(), settings[n].clone())).collect();
            let definition = Definition {
                data: spec.of.clone().unwrap_or_else(|| data.clone()),
                folds,
                method: row.method.clone(),
                settings,
                soft: row.soft.clone(),
            };
            definition.check()?;
            cells.push(Cell { data: data.clone(), axes, definition, published: None, target: None });
        }
    }
    let (published, target) = (figures("published", &row.published)?, figures("target", &row.target)?);
    for (name, list) in [("published", &published), ("target", &target)] {
        let n = cells.len();
        let s = if n == 1 { "" } else { "s" };
        ensure!(list.is_empty() || list.len() == n, "{name} has {} figures for {n} cell{s}", list.len());
    }
    for (k, cell) in cells.iter_mut().enumerate() {
        cell.published = published.get(k).copied().flatten();
        cell.target = target.get(k).copied().flatten();
    }
    Ok(cells)
}

fn names(value: &toml::Value) -> Result<Vec<String>> {
    let listed = match value {
        toml::Value::Array(list) => list.iter().map(|v| v.as_str().map(String::from)).collect(),
        other => other.as_str().map(|name| vec![name.to_string()]),
    };
    match listed {
        Some(names) if !names.is_empty() => Ok(names),
        _ => bail!("data = {value}, expected names of data sets"),
    }
}

/// Every combination of listed values, the last list fastest.
fn combinations(set: &toml::Table) -> Result<Vec<Values>> {
    let mut all = vec![Values::new()];
    for (name, value) in set {
        let values = match value {
            toml::Value::Array(list) if list.is_empty() => bail!("{name} is an empty list"),
            toml::Value::Array(list) => list.iter().map(|v| typed(name, v)).collect::<Result<_>>()?,
            one => vec![typed(name, one)?],
        };
        let with = |settings: &Values, value: &String| {
            let mut settings = settings.clone();
            settings.insert(name.clone(), value.clone());
            settings
        };
        all = all.iter().flat_map(|s| values.iter().map(move |v| with(s, v))).collect();
    }
    Ok(all)
}

/// A value as one would type it on the command line.
fn typed(name: &str, value: &toml::Value) -> Result<String> {
    Ok(match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Integer(n) => n.to_string(),
        toml::Value::Float(x) => x.to_string(),
        toml::Value::Boolean(b) => b.to_string(),
        other => bail!("{name} = {other}, expected a number, a text, true or false, or a list of them"),
    })
}

/// Figures in order, however nested; none where one is NaN.
fn figures(name: &str, value: &Option<toml::Value>) -> Result<Vec<Option<f64>>> {
    fn flatten(name: &str, value: &toml::Value, out: &mut Vec<Option<f64>>) -> Result<()> {
        match value {
            toml::Value::Array(list) => list.iter().try_for_each(|v| flatten(name, v, out))?,
            toml::Value::Integer(n) => out.push(Some(*n as f64)),
            toml::Value::Float(x) => out.push((!x.is_nan()).then_some(*x)),
            other => bail!("{name} holds {other}, expected numbers"),
        }
        Ok(())
    }
    let mut out = Vec::new();
    value.as_ref().map_or(Ok(()), |v| flatten(name, v, &mut out))?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use crate::experiment::parse;

    #[test]
    fn lists_become_cells_beside_their_figures() {
        let text = "title = 't'\npaper = 'p'\nplace = 'x'\nfolds = 5\n\
            [data.coarse]\nof = 'wine'\nset = { scale = 'none' }\n\
            [[row]]\nname = 'r'\nmethod = 'npc'\ndata = ['glass', 'coarse']\n\
            set = { per-class = [1, 2], rate = [0.1, 0.2], unit = true }\n\
            published = [[1, 2, 3, 4], [5, nan, 7, 8]]";
        let e = parse("a/b", text).unwrap();
        let cells = &e.rows[0].cells;
        assert_eq!(cells.len(), 8);
        let axes = |k: usize| cells[k].axes.iter().map(|(n, v)| format!("{n}={v}")).collect::<Vec<_>>();
        assert_eq!(axes(1), ["per-class=1", "rate=0.2"]);
        assert_eq!((cells[4].data.as_str(), cells[4].definition.data.as_str()), ("coarse", "wine"));
        assert_eq!(cells[4].definition.settings["scale"], "none");
        assert!(!cells[3].definition.settings.contains_key("scale"));
        assert_eq!(cells[7].definition.settings["unit"], "true");
        assert_eq!((cells[4].published, cells[5].published), (Some(5.0), None));
        assert_eq!(cells[0].definition.folds, Some(5));
    }
}
