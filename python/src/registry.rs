//! The registry of methods as Python sees it.

use crate::error::python_name;
use protea::method::METHODS;
use protea::train::Training;
use protea::{Setting, Values};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Every method with its own settings and those that all share, the defaults being the method's, as a list of
/// dictionaries.
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
        entry.set_item("own", settings(py, method.settings, &Values::new())?)?;
        let defaults = method.defaults.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
        entry.set_item("shared", settings(py, Training::SETTINGS, &defaults)?)?;
        list.append(entry)?;
    }
    Ok(list)
}

fn settings<'py>(py: Python<'py>, settings: &[Setting], defaults: &Values) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for s in settings {
        let entry = PyDict::new(py);
        entry.set_item("name", s.name)?;
        entry.set_item("python", python_name(s.name))?;
        entry.set_item("default", defaults.get(s.name).cloned().unwrap_or_else(s.default))?;
        entry.set_item("expected", (s.expected)())?;
        entry.set_item("help", s.help())?;
        list.append(entry)?;
    }
    Ok(list)
}
