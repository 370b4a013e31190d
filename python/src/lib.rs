//! The extension module behind the Python package: one function that fits, one class that is a model, one function that
//! lists the registry. Everything that scikit-learn expects of an estimator stands in Python, over these.

mod convert;
mod error;
mod fit;
mod model;
mod pool;
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
    use super::registry::methods;
}
