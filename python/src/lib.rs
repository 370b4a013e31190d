//! The extension module behind the Python package: a function that fits, a class that is a model, preprocessing without a model,
//! and a function that lists the registry. What scikit-learn expects of an estimator is written in Python.

mod convert;
mod error;
mod fit;
mod model;
mod pool;
mod preprocess;
mod registry;

use pyo3::prelude::*;

/// Fitting, models and the registry of methods.
#[pymodule]
mod _protea {
    #[pymodule_export]
    use super::fit::fit;
    #[pymodule_export]
    use super::model::PyModel;
    #[pymodule_export]
    use super::preprocess::{deskew, hog, project};
    #[pymodule_export]
    use super::registry::methods;
}
