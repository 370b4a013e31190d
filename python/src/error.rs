//! Errors of the library as exceptions of `protea.exceptions`.

use protea::Error;
use pyo3::PyErr;

mod named {
    use pyo3::import_exception;

    import_exception!(protea.exceptions, ProteaError);
    import_exception!(protea.exceptions, SettingError);
    import_exception!(protea.exceptions, UnknownSettingError);
    import_exception!(protea.exceptions, UnknownNameError);
    import_exception!(protea.exceptions, DataError);
    import_exception!(protea.exceptions, CellError);
    import_exception!(protea.exceptions, ModelFileError);
    import_exception!(protea.exceptions, FeaturesError);
    import_exception!(protea.exceptions, UnsupportedError);
    import_exception!(protea.exceptions, MissingDataError);
    import_exception!(protea.exceptions, DivergedError);
}

/// The exception that an error becomes: the base class for a variant that is not listed here.
pub fn exception(error: Error) -> PyErr {
    let text = error.to_string();
    match error {
        Error::Setting { name, value, expected } => {
            named::SettingError::new_err(format!("{} = {value}, expected {expected}", python_name(&name)))
        }
        Error::UnusedSetting { method, name, reason } => {
            named::SettingError::new_err(format!("{method} does not use {}; {reason}", python_name(&name)))
        }
        Error::UnknownSetting { .. } => named::UnknownSettingError::new_err(text),
        Error::UnknownName { .. } => named::UnknownNameError::new_err(text),
        Error::Data(_)
        | Error::Shape { .. }
        | Error::Array { .. }
        | Error::Empty { .. }
        | Error::NotFinite { .. }
        | Error::ClassIndex { .. }
        | Error::SampleWeight { .. }
        | Error::Unscaled { .. }
        | Error::Class { .. }
        | Error::DifferentClasses { .. }
        | Error::TooFew { .. }
        | Error::Matrix { .. }
        | Error::OutOfRange { .. } => named::DataError::new_err(text),
        Error::Unsupported(_) => named::UnsupportedError::new_err(text),
        Error::MissingData { .. } => named::MissingDataError::new_err(text),
        Error::Cell { .. } => named::CellError::new_err(text),
        Error::File { .. } | Error::Encode { .. } | Error::ModelParts { .. } => {
            named::ModelFileError::new_err(text)
        }
        Error::Features { .. } => named::FeaturesError::new_err(text),
        Error::Diverged { .. } => named::DivergedError::new_err(text),
        _ => named::ProteaError::new_err(text),
    }
}

/// The name that a setting of the command line has in Python.
pub fn python_name(setting: &str) -> String {
    match setting {
        "per-class" => "n_prototypes_per_class".into(),
        "seed" => "random_state".into(),
        // A word of the language; with an underscore behind it would look like something fitted.
        "lambda" => "lam".into(),
        other => other.replace(['-', ' '], "_"),
    }
}
