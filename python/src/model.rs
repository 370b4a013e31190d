//! A fitted model.

use crate::convert::{Given, as_given, check_finite, samples};
use crate::error::exception;
use crate::pool::pool;
use numpy::{Element, IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use protea::certify::{Bound as CertifiedBound, Certifier, Norm};
use protea::coding::Code;
use protea::export::{ExportOptions, Quantize, export};
use protea::io::write_atomically;
use protea::model::file::precision;
use protea::model::{Rule, Winner};
use protea::report::Report;
use protea::{Error, Float, Model, SettingValue};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;

/// A model of either element type.
pub enum AnyModel {
    F32(Model<f32>),
    F64(Model<f64>),
}

/// Runs the same expression for either element type.
macro_rules! each {
    ($any:expr, $model:ident => $body:expr) => {
        match $any {
            AnyModel::F32($model) => $body,
            AnyModel::F64($model) => $body,
        }
    };
}

/// A fitted model: labelled prototypes, a metric, preprocessing, and how they were made.
///
/// `model_` of a fitted estimator. Rows that it is given are arrays of its own element type, and are read in place.
///
/// See Also
/// --------
/// NPC : An estimator with such a model.
/// load : Load a model as a fitted estimator.
///
/// Examples
/// --------
/// >>> from protea import NPC
/// >>> from sklearn.datasets import load_iris
/// >>> X, y = load_iris(return_X_y=True)
/// >>> NPC(n_prototypes_per_class=2).fit(X, y).model_.labels
/// array([0, 0, 1, 1, 2, 2])
#[pyclass(name = "Model", module = "protea._protea", frozen)]
pub struct PyModel {
    /// The model.
    pub model: AnyModel,
    /// Rows of the training samples that the prototypes are, for methods that select some.
    pub selected: Option<Vec<usize>>,
}

/// Index, class and squared distance of the nearest prototype of each row, and the same of its rival.
type Winners<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
);

/// Squared distances and indices of the nearest prototypes of each row.
type Neighbours<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<i64>>);

/// Number of atoms in each row, atoms, weights, and what is left of each row.
type Codes<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
);

#[pymethods]
impl PyModel {
    /// Predict the class index of each row.
    ///
    /// Parameters
    /// ----------
    /// x : ndarray of shape (n, n_features)
    ///     Rows of the element type of the model.
    /// threads : int, default=0
    ///     Number of threads; 0 uses all cores.
    ///
    /// Returns
    /// -------
    /// classes : ndarray of shape (n,)
    ///     Indices in `classes`.
    #[pyo3(signature = (x, threads=0))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let classes = each!(&self.model, m => rows(m, x, threads, |m, x| m.predict(x))?);
        Ok(numbers(py, classes))
    }

    /// Compute the probability of each class for each row.
    ///
    /// Parameters
    /// ----------
    /// x : ndarray of shape (n, n_features)
    ///     Rows of the element type of the model.
    /// threads : int, default=0
    ///     Number of threads; 0 uses all cores.
    ///
    /// Returns
    /// -------
    /// probabilities : ndarray of shape (n, n_classes)
    ///     Probabilities.
    #[pyo3(signature = (x, threads=0))]
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let q = each!(&self.model, m => rows(m, x, threads, |m, x| m.probabilities(x))?);
        Ok(q.into_pyarray(py))
    }

    /// Compute the evidence for each class for each row, in logarithms.
    ///
    /// Parameters
    /// ----------
    /// x : ndarray of shape (n, n_features)
    ///     Rows of the element type of the model.
    /// threads : int, default=0
    ///     Number of threads; 0 uses all cores.
    ///
    /// Returns
    /// -------
    /// evidence : ndarray of shape (n, n_classes)
    ///     Evidence; its softmax gives the probabilities.
    #[pyo3(signature = (x, threads=0))]
    fn evidence<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let e = each!(&self.model, m => rows(m, x, threads, |m, x| m.evidence(x))?);
        Ok(e.into_pyarray(py))
    }

    /// Compute the squared distance of each row to each prototype.
    ///
    /// Parameters
    /// ----------
    /// x : ndarray of shape (n, n_features)
    ///     Rows of the element type of the model.
    /// threads : int, default=0
    ///     Number of threads; 0 uses all cores.
    ///
    /// Returns
    /// -------
    /// distances : ndarray of shape (n, n_prototypes)
    ///     Squared distances in the space of the model.
    #[pyo3(signature = (x, threads=0))]
    fn distances<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        Ok(match &self.model {
            AnyModel::F32(m) => {
                rows(m, x, threads, Model::distances_to_prototypes)?.into_pyarray(py).into_any()
            }
            AnyModel::F64(m) => {
                rows(m, x, threads, Model::distances_to_prototypes)?.into_pyarray(py).into_any()
            }
        })
    }

    /// Find the nearest prototypes of each row.
    ///
    /// Parameters
    /// ----------
    /// x : ndarray of shape (n, n_features)
    ///     Rows of the element type of the model.
    /// k : int
    ///     Number of prototypes.
    /// threads : int, default=0
    ///     Number of threads; 0 uses all cores.
    ///
    /// Returns
    /// -------
    /// distances : ndarray of shape (n, k)
    ///     Squared distances, nearest first.
    /// indices : ndarray of shape (n, k)
    ///     Indices of the prototypes.
    #[pyo3(signature = (x, k, threads=0))]
    fn neighbours<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        k: usize,
        threads: usize,
    ) -> PyResult<Neighbours<'py>> {
        let found = each!(&self.model, m => rows(m, x, threads, |m, x| m.neighbours(x, k))?);
        let distances = found.iter().map(|row| row.iter().map(|n| n.distance).collect()).collect::<Vec<_>>();
        let indices =
            found.iter().map(|row| row.iter().map(|n| n.prototype as i64).collect()).collect::<Vec<_>>();
        Ok((PyArray2::from_vec2(py, &distances)?, PyArray2::from_vec2(py, &indices)?))
    }

    /// Certify how far each row may move before the answer can change.
    ///
    /// Parameters
    /// ----------
    /// x : ndarray of shape (n, n_features)
    ///     Rows of the element type of the model.
    /// norm : str
    ///     How a change is measured: `l1`, `l2` or `linf`.
    /// bound : str
    ///     How tight radii are: `margin`, `half-space` or `exact`.
    /// threads : int, default=0
    ///     Number of threads; 0 uses all cores.
    ///
    /// Returns
    /// -------
    /// radii : ndarray of shape (n,)
    ///     No change of a row below its radius changes the answer.
    #[pyo3(signature = (x, norm, bound, threads=0))]
    fn certify<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        norm: &str,
        bound: &str,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let known = |names: &[&str]| names.join(", ");
        let norm =
            Norm::parse(norm).ok_or_else(|| exception(Error::setting("norm", norm, known(Norm::NAMES))))?;
        let bound = CertifiedBound::parse(bound)
            .ok_or_else(|| exception(Error::setting("bound", bound, known(CertifiedBound::NAMES))))?;
        let radii = each!(&self.model, m => rows(m, x, threads, |m, x| {
            let certificates = Certifier::new(m, norm, bound)?.certify(x)?;
            Ok(certificates.into_iter().map(|c| c.radius).collect::<Vec<_>>())
        })?);
        Ok(PyArray1::from_vec(py, radii))
    }

    /// Map rows to where distances are taken: after preprocessing and, if all prototypes share one, the metric.
    ///
    /// Parameters
    /// ----------
    /// x : ndarray of shape (n, n_features)
    ///     Rows of the element type of the model.
    /// threads : int, default=0
    ///     Number of threads; 0 uses all cores.
    ///
    /// Returns
    /// -------
    /// mapped : ndarray of shape (n, n_dimensions)
    ///     The rows in that space.
    #[pyo3(signature = (x, threads=0))]
    fn transform<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        match &self.model {
            AnyModel::F32(m) => Ok(rows(m, x, threads, |m, x| m.embed(x))?.into_pyarray(py).into_any()),
            AnyModel::F64(m) => Ok(rows(m, x, threads, |m, x| m.embed(x))?.into_pyarray(py).into_any()),
        }
    }

    /// Represent each row as a weighted sum of prototypes.
    ///
    /// Parameters
    /// ----------
    /// x : ndarray of shape (n, n_features)
    ///     Rows of the element type of the model.
    /// threads : int, default=0
    ///     Number of threads; 0 uses all cores.
    ///
    /// Returns
    /// -------
    /// counts : ndarray of shape (n,)
    ///     Number of prototypes in each sum.
    /// prototypes : ndarray of shape (n_terms,)
    ///     Their indices, one row after the other.
    /// weights : ndarray of shape (n_terms,)
    ///     Their weights.
    /// residuals : ndarray of shape (n,)
    ///     Length of what the sum leaves of each row.
    #[pyo3(signature = (x, threads=0))]
    fn represent<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, threads: usize) -> PyResult<Codes<'py>> {
        let codes: Vec<Code<f64>> = match &self.model {
            AnyModel::F32(m) => {
                rows(m, x, threads, |m, x| m.represent(x))?.into_iter().map(widened).collect()
            }
            AnyModel::F64(m) => rows(m, x, threads, |m, x| m.represent(x))?,
        };
        Ok((
            PyArray1::from_iter(py, codes.iter().map(|c| c.atoms.len() as i64)),
            PyArray1::from_iter(py, codes.iter().flat_map(|c| c.atoms.iter().map(|&a| a as i64))),
            PyArray1::from_iter(py, codes.iter().flat_map(|c| c.weights.iter().copied())),
            PyArray1::from_iter(py, codes.iter().map(|c| c.residual)),
        ))
    }

    /// Find the nearest prototype of each row, and the nearest of another class.
    ///
    /// Parameters
    /// ----------
    /// x : ndarray of shape (n, n_features)
    ///     Rows of the element type of the model.
    /// threads : int, default=0
    ///     Number of threads; 0 uses all cores.
    ///
    /// Returns
    /// -------
    /// nearest : ndarray of shape (n,)
    ///     Index of the nearest prototype.
    /// classes : ndarray of shape (n,)
    ///     Its class.
    /// distances : ndarray of shape (n,)
    ///     Its squared distance.
    /// rivals : ndarray of shape (n,)
    ///     Index of the nearest of another class, -1 if there is none.
    /// rival_classes : ndarray of shape (n,)
    ///     Its class.
    /// rival_distances : ndarray of shape (n,)
    ///     Its squared distance.
    #[pyo3(signature = (x, threads=0))]
    fn winners<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, threads: usize) -> PyResult<Winners<'py>> {
        let winners: Vec<Winner> = each!(&self.model, m => rows(m, x, threads, |m, x| m.winners(x))?);
        let of = |f: fn(&Winner) -> i64| PyArray1::from_iter(py, winners.iter().map(f));
        let distance = |f: fn(&Winner) -> f64| PyArray1::from_iter(py, winners.iter().map(f));
        Ok((
            of(|w| w.nearest.prototype as i64),
            of(|w| w.nearest.class as i64),
            distance(|w| w.nearest.distance),
            of(|w| w.rival.map_or(-1, |r| r.prototype as i64)),
            of(|w| w.rival.map_or(-1, |r| r.class as i64)),
            distance(|w| w.rival.map_or(f64::INFINITY, |r| r.distance)),
        ))
    }

    /// Compute the contribution of each feature to the squared distance of each row to one prototype.
    ///
    /// Parameters
    /// ----------
    /// x : ndarray of shape (n, n_features)
    ///     Rows of the element type of the model.
    /// prototypes : ndarray of shape (n,)
    ///     Index of the prototype for each row.
    ///
    /// Returns
    /// -------
    /// contributions : ndarray of shape (n, n_features)
    ///     Contributions; the sum of a row is the distance.
    fn contributions<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        prototypes: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let at: Vec<usize> =
            prototypes.as_slice()?.iter().map(|&j| usize::try_from(j).unwrap_or(usize::MAX)).collect();
        let c = each!(&self.model, m => rows(m, x, 0, |m, x| m.contributions(x, &at))?);
        Ok(c.into_pyarray(py))
    }

    /// Calibrate the probabilities on rows that training has not seen, by temperature scaling.
    ///
    /// Parameters
    /// ----------
    /// x : ndarray of shape (n, n_features)
    ///     Rows of the element type of the model.
    /// y : ndarray of shape (n,)
    ///     Class index of each row.
    ///
    /// Returns
    /// -------
    /// model : Model
    ///     The calibrated model.
    fn calibrated(&self, x: &Bound<'_, PyAny>, y: PyReadonlyArray1<'_, i64>) -> PyResult<PyModel> {
        let y = y.as_slice()?;
        let model = match &self.model {
            AnyModel::F32(m) => AnyModel::F32(calibrated(m, x, y)?),
            AnyModel::F64(m) => AnyModel::F64(calibrated(m, x, y)?),
        };
        Ok(PyModel { model, selected: self.selected.clone() })
    }

    /// Evaluate the model as `protea eval` does.
    ///
    /// Parameters
    /// ----------
    /// x : ndarray of shape (n, n_features)
    ///     Rows of the element type of the model.
    /// y : ndarray of shape (n,)
    ///     Class index of each row.
    ///
    /// Returns
    /// -------
    /// measures : str
    ///     The measures as JSON.
    fn evaluate(&self, x: &Bound<'_, PyAny>, y: PyReadonlyArray1<'_, i64>) -> PyResult<String> {
        let y = y.as_slice()?;
        each!(&self.model, m => {
            let data = labelled(m, x, y)?;
            let pool = pool(0)?;
            let measured = x.py().detach(|| pool.install(|| protea::eval::evaluate(m, &data))).map_err(exception)?;
            serde_json::to_string(&measured).map_err(|e| PyValueError::new_err(e.to_string()))
        })
    }

    /// Write the page of `protea report` about these rows.
    ///
    /// Parameters
    /// ----------
    /// x : ndarray of shape (n, n_features)
    ///     Rows of the element type of the model.
    /// y : ndarray of shape (n,)
    ///     Class index of each row.
    /// train : tuple of (ndarray, ndarray) or None, default=None
    ///     Training rows and their classes; with them the page compares with 1-NN and k-means.
    /// title : str or None, default=None
    ///     Title of the page.
    /// path : str or path-like or None, default=None
    ///     Where to write the page; the file appears whole or not at all.
    ///
    /// Returns
    /// -------
    /// html : str
    ///     The page.
    #[pyo3(signature = (x, y, train=None, title=None, path=None))]
    fn report<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        y: PyReadonlyArray1<'py, i64>,
        train: Option<(Bound<'py, PyAny>, PyReadonlyArray1<'py, i64>)>,
        title: Option<&str>,
        path: Option<PathBuf>,
    ) -> PyResult<String> {
        let y = y.as_slice()?;
        each!(&self.model, m => {
            let data = labelled(m, x, y)?;
            let train = train.as_ref().map(|(x, y)| trained(m, x, y.as_slice()?)).transpose()?;
            let pool = pool(0)?;
            let page = || {
                let mut report = Report::new(m, &data)?;
                if let Some(title) = title {
                    report = report.titled(title);
                }
                if let Some(train) = &train {
                    report = report.against(train, |_| {})?;
                }
                let page = report.html()?;
                path.map_or(Ok(()), |path| write_atomically(&path, page.as_bytes()))?;
                Ok(page)
            };
            x.py().detach(|| pool.install(page)).map_err(exception)
        })
    }

    /// Serialise the model.
    ///
    /// Returns
    /// -------
    /// content : bytes
    ///     The bytes of a safetensors file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = each!(&self.model, m => m.to_bytes()).map_err(exception)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Export the model to another format.
    ///
    /// Parameters
    /// ----------
    /// format : str
    ///     Name of the format, as on the command line.
    /// name : str, default="model"
    ///     Name of the model, for identifiers inside the files.
    /// quantize : str or None, default=None
    ///     Store numbers in fewer bits: int8 or int16.
    ///
    /// Returns
    /// -------
    /// files : list of tuple
    ///     Endings and bytes of the files, the most important first.
    #[pyo3(signature = (format, name="model", quantize=None))]
    fn export<'py>(
        &self,
        py: Python<'py>,
        format: &str,
        name: &str,
        quantize: Option<&str>,
    ) -> PyResult<Vec<(&'static str, Bound<'py, PyBytes>)>> {
        let quantize = match quantize {
            None => None,
            Some(bits) => match Quantize::parse(bits) {
                Some(quantize) => Some(quantize),
                None => {
                    return Err(exception(Error::setting("quantize", bits, Quantize::NAMES.join(" or "))));
                }
            },
        };
        let options = ExportOptions { name: name.into(), quantize, file: None };
        let files = each!(&self.model, m => export(m, format, &options)).map_err(exception)?;
        Ok(files.into_iter().map(|f| (f.extension, PyBytes::new(py, &f.bytes))).collect())
    }

    /// Read a model from the bytes of a file.
    ///
    /// Parameters
    /// ----------
    /// bytes : bytes
    ///     The content of a safetensors file.
    /// source : str, default="the model"
    ///     How messages name the file.
    ///
    /// Returns
    /// -------
    /// model : Model
    ///     The model.
    #[staticmethod]
    #[pyo3(signature = (bytes, source="the model"))]
    fn from_bytes(bytes: &[u8], source: &str) -> PyResult<PyModel> {
        let wide = precision(bytes, source).map_err(exception)? == "f64";
        let model = if wide {
            AnyModel::F64(Model::from_bytes(bytes, source).map_err(exception)?)
        } else {
            AnyModel::F32(Model::from_bytes(bytes, source).map_err(exception)?)
        };
        Ok(PyModel { model, selected: None })
    }

    /// Save the model as a safetensors file.
    ///
    /// Parameters
    /// ----------
    /// path : str or path-like
    ///     Path of the file, which appears whole or not at all.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        each!(&self.model, m => m.save(path)).map_err(exception)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<PyModel>().getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }

    fn __repr__(&self) -> String {
        let (m, classes, bytes) =
            each!(&self.model, m => (m.prototypes().y.len(), m.classes().len(), m.bytes()));
        format!("<protea.Model {}: {m} prototypes of {classes} classes, {bytes} bytes>", self.method())
    }

    /// Name of the method.
    #[getter]
    fn method(&self) -> String {
        each!(&self.model, m => m.provenance().method.clone())
    }

    /// Names of the classes.
    #[getter]
    fn classes(&self) -> Vec<String> {
        each!(&self.model, m => m.classes().to_vec())
    }

    /// Names of the features.
    #[getter]
    fn features(&self) -> Vec<String> {
        each!(&self.model, m => m.features().to_vec())
    }

    /// How columns of a table become the features, if the model knows it.
    #[getter]
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(schema) = each!(&self.model, m => m.schema()) else { return Ok(None) };
        let json =
            serde_json::to_string(&schema.columns).map_err(|e| PyValueError::new_err(e.to_string()))?;
        py.import("json")?.call_method1("loads", (json,)).map(Some)
    }

    /// `"float32"` or `"float64"`.
    #[getter]
    fn dtype(&self) -> &'static str {
        match self.model {
            AnyModel::F32(_) => "float32",
            AnyModel::F64(_) => "float64",
        }
    }

    /// Prototypes in the units of the input.
    #[getter]
    fn prototypes<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        match &self.model {
            AnyModel::F32(m) => m.prototypes_in_input_units().into_pyarray(py).into_any(),
            AnyModel::F64(m) => m.prototypes_in_input_units().into_pyarray(py).into_any(),
        }
    }

    /// Class index of each prototype.
    #[getter]
    fn labels<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        each!(&self.model, m => numbers(py, m.prototypes().y.clone()))
    }

    /// Matrix of the map from the input to where distances are Euclidean, where there is one for all prototypes.
    #[getter]
    fn components<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        match &self.model {
            AnyModel::F32(m) => m.linear_map().map(|a| a.into_pyarray(py).into_any()),
            AnyModel::F64(m) => m.linear_map().map(|a| a.into_pyarray(py).into_any()),
        }
    }

    /// Share of each feature, after preprocessing, in the metric.
    #[getter]
    fn relevance(&self) -> Option<Vec<f64>> {
        each!(&self.model, m => m.metric().relevance())
    }

    /// Share of the training samples that each prototype answers for.
    #[getter]
    fn importance<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        each!(&self.model, m => PyArray1::from_slice(py, m.importance()))
    }

    /// Inverse temperature of the probabilities.
    #[getter]
    fn gamma(&self) -> f64 {
        each!(&self.model, m => m.gamma())
    }

    /// How a class is decided.
    #[getter]
    fn rule(&self) -> String {
        each!(&self.model, m => m.rule().show())
    }

    /// Replace the decision rule.
    ///
    /// Parameters
    /// ----------
    /// rule : str
    ///     The rule, such as `3-np` or `soft`.
    ///
    /// Returns
    /// -------
    /// model : Model
    ///     The same model with that rule.
    fn with_rule(&self, rule: &str) -> PyResult<PyModel> {
        let rule = Rule::parse(rule).ok_or_else(|| {
            PyValueError::new_err(format!("rule = {rule}, expected 1-np, 3-np, …, soft or scores"))
        })?;
        let model = match &self.model {
            AnyModel::F32(m) => AnyModel::F32(m.clone().with_rule(rule).map_err(exception)?),
            AnyModel::F64(m) => AnyModel::F64(m.clone().with_rule(rule).map_err(exception)?),
        };
        Ok(PyModel { model, selected: self.selected.clone() })
    }

    /// Bytes that prediction needs.
    #[getter]
    fn nbytes(&self) -> usize {
        each!(&self.model, m => m.bytes())
    }

    /// Rows of the training samples that the prototypes are, for methods that select some.
    #[getter]
    fn selected<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<i64>>> {
        self.selected.clone().map(|rows| numbers(py, rows))
    }

    /// How the model was made: method, settings, seed, hash of the data, errors, why training ended, and its course.
    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let p = each!(&self.model, m => m.provenance());
        let json = serde_json::to_string(p).map_err(|e| PyValueError::new_err(e.to_string()))?;
        py.import("json")?.call_method1("loads", (json,))
    }

    /// Course of the training: loss, training error and, where there were validation samples, their error.
    #[getter]
    fn history<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let history = each!(&self.model, m => &m.provenance().history);
        let course = PyDict::new(py);
        course.set_item("loss", history.iter().map(|r| r.loss).collect::<Vec<_>>())?;
        course.set_item("train_error", history.iter().map(|r| r.train_error).collect::<Vec<_>>())?;
        course.set_item("valid_error", history.iter().filter_map(|r| r.valid_error).collect::<Vec<_>>())?;
        Ok(course)
    }

    /// Why training ended.
    #[getter]
    fn stopped(&self) -> String {
        each!(&self.model, m => m.provenance().stopped.show())
    }
}

/// Borrows the rows, checks them, and works on them without the interpreter lock.
fn rows<F: Float + Element, T: Send>(
    model: &Model<F>,
    x: &Bound<'_, PyAny>,
    threads: usize,
    work: impl Fn(&Model<F>, ndarray::ArrayView2<F>) -> protea::Result<T> + Send + Sync,
) -> PyResult<T> {
    let array = borrowed::<F>(x)?;
    let view = array.as_array();
    // A few rows are worth neither other threads nor giving the lock away.
    if view.nrows() <= 16 {
        check_finite(view)?;
        return work(model, view).map_err(exception);
    }
    let pool = pool(threads)?;
    x.py().detach(|| {
        check_finite(view)?;
        pool.install(|| work(model, view)).map_err(exception)
    })
}

fn borrowed<'py, F: Float + Element>(x: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray2<'py, F>> {
    x.extract().map_err(|_| {
        let wanted = if F::NAME == "f64" { "float64" } else { "float32" };
        PyTypeError::new_err(format!("the model takes a two-dimensional array of {wanted}"))
    })
}

/// Training samples in the order in which a fit has them.
fn trained<F: Float + Element>(
    model: &Model<F>,
    x: &Bound<'_, PyAny>,
    y: &[i64],
) -> PyResult<protea::Dataset<F>> {
    let array = borrowed::<F>(x)?;
    let given = Given { x: array.as_array(), y, classes: model.classes(), features: None, weights: None };
    Ok(samples(&given)?.0)
}

fn labelled<F: Float + Element>(
    model: &Model<F>,
    x: &Bound<'_, PyAny>,
    y: &[i64],
) -> PyResult<protea::Dataset<F>> {
    let array = borrowed::<F>(x)?;
    as_given(&Given { x: array.as_array(), y, classes: model.classes(), features: None, weights: None })
}

fn calibrated<F: Float + Element>(model: &Model<F>, x: &Bound<'_, PyAny>, y: &[i64]) -> PyResult<Model<F>> {
    let data = labelled(model, x, y)?;
    let pool = pool(0)?;
    x.py().detach(|| pool.install(|| model.clone().calibrated(&data))).map_err(exception)
}

fn widened(code: Code<f32>) -> Code<f64> {
    let Code { atoms, weights, residual } = code;
    Code { atoms, weights: weights.into_iter().map(f64::from).collect(), residual }
}

fn numbers(py: Python<'_>, values: Vec<usize>) -> Bound<'_, PyArray1<i64>> {
    values.into_iter().map(|v| v as i64).collect::<Vec<_>>().into_pyarray(py)
}
