//! The registry of methods as Python sees it.

use crate::error::python_name;
use protea::method::{METHODS, Method};
use protea::{Group, Setting, SettingValue};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Every method with the settings that a user can change, as a list of dictionaries.
#[pyfunction]
pub fn methods(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for method in METHODS {
        let entry = PyDict::new(py);
        entry.set_item("name", method.name)?;
        entry.set_item("summary", method.summary)?;
        entry.set_item("reference", method.reference)?;
        entry.set_item("page", method.page)?;
        entry.set_item("learner", method.learns_by())?;
        let settings = PyList::empty(py);
        for s in method.changeable() {
            settings.append(setting(py, method, &s)?)?;
        }
        entry.set_item("settings", settings)?;
        list.append(entry)?;
    }
    Ok(list)
}

/// One setting, with the default and the choices that it has for the method.
fn setting<'py>(py: Python<'py>, method: &Method, s: &Setting) -> PyResult<Bound<'py, PyDict>> {
    let entry = PyDict::new(py);
    let preset = method.defaults.iter().find(|(name, _)| *name == s.name && s.group != Group::Own);
    let choices = match s.name {
        "metric" => method.metrics.iter().map(|kind| kind.show()).collect(),
        _ => (s.choices)().into_iter().map(String::from).collect::<Vec<_>>(),
    };
    entry.set_item("name", s.name)?;
    entry.set_item("python", python_name(s.name))?;
    entry.set_item("group", s.group.show())?;
    entry.set_item("default", preset.map_or_else(s.default, |(_, value)| value.to_string()))?;
    entry.set_item("types", (s.types)())?;
    entry.set_item("choices", choices)?;
    entry.set_item("expected", (s.expected)())?;
    entry.set_item("help", s.help())?;
    Ok(entry)
}
