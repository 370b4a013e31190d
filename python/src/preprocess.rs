//! Preprocessing without a model: projections learned on labelled rows, and images.

use crate::convert::{Given, check_finite, samples};
use crate::error::exception;
use crate::pool::pool;
use numpy::{Element, IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use protea::metric_learning::{Graph, Projection};
use protea::represent::{Deskew, Hog, ImageSize, Step};
use protea::{Error, Float, SettingValue};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// Runs the same expression for rows of either element type.
macro_rules! either {
    ($x:expr, $rows:ident => $body:expr) => {
        if let Ok($rows) = $x.extract::<PyReadonlyArray2<f32>>() {
            $body
        } else if let Ok($rows) = $x.extract::<PyReadonlyArray2<f64>>() {
            $body
        } else {
            Err(PyTypeError::new_err("X must be a two-dimensional array of float32 or float64"))
        }
    };
}

/// Centre and matrix (components × features) of the projection `map` of labelled rows.
#[pyfunction]
#[pyo3(signature = (map, x, y, classes, rank=None, graph="laplacian", supervised=true, threads=0))]
#[allow(clippy::too_many_arguments)]
pub fn project<'py>(
    map: &str,
    x: &Bound<'py, PyAny>,
    y: PyReadonlyArray1<'py, i64>,
    classes: Vec<String>,
    rank: Option<usize>,
    graph: &str,
    supervised: bool,
    threads: usize,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let projection = Projection { map: named("map", map)?, rank };
    let graph = named("graph", graph)?;
    let task = Task { projection, graph, supervised, y: y.as_slice()?, classes: &classes, threads };
    either!(x, rows => task.learn(x.py(), &rows))
}

/// What to learn from rows of either element type.
struct Task<'a> {
    projection: Projection,
    graph: Graph,
    supervised: bool,
    y: &'a [i64],
    classes: &'a [String],
    threads: usize,
}

impl Task<'_> {
    fn learn<'py, F: Float + Element>(
        &self,
        py: Python<'py>,
        x: &PyReadonlyArray2<F>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let Task { projection, graph, supervised, y, classes, threads } = *self;
        let (data, _) = samples(&Given { x: x.as_array(), y, classes, features: None, weights: None })?;
        let pool = pool(threads)?;
        let learned = py.detach(|| pool.install(|| projection.learn(&data, graph, supervised, false)));
        let map = learned.map_err(|e| {
            exception(match (e, projection.rank) {
                (Error::Setting { expected, .. }, Some(rank)) => {
                    Error::setting("n_components", rank, expected)
                }
                (other, _) => other,
            })
        })?;
        Ok((PyArray1::from_vec(py, map.centre).into_any(), map.matrix.into_pyarray(py).into_any()))
    }
}

/// Histograms of oriented gradients of images of this width and height.
#[pyfunction]
pub fn hog<'py>(
    x: &Bound<'py, PyAny>,
    width: usize,
    height: usize,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let hog = Hog::new(ImageSize { width, height }).map_err(exception)?;
    either!(x, rows => applied(x.py(), &rows, hog, threads))
}

/// Images of this width and height without their slant; `background` is the value of empty pixels.
#[pyfunction]
pub fn deskew<'py>(
    x: &Bound<'py, PyAny>,
    width: usize,
    height: usize,
    background: f64,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let deskew = Deskew { size: ImageSize { width, height }, background };
    either!(x, rows => applied(x.py(), &rows, deskew, threads))
}

fn applied<'py, F: Float + Element>(
    py: Python<'py>,
    x: &PyReadonlyArray2<F>,
    step: impl Step<F>,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let rows = x.as_array();
    check_finite(rows)?;
    if step.output_dim(rows.ncols()).is_none() {
        let what = "pixels, as many as width times height";
        return Err(exception(Error::data(format!(
            "a row has {} values, which are not {what}",
            rows.ncols()
        ))));
    }
    let pool = pool(threads)?;
    let done = py.detach(|| pool.install(|| step.apply(rows.to_owned())));
    let done: Bound<'py, PyArray2<F>> = done.into_pyarray(py);
    Ok(done.into_any())
}

fn named<T: SettingValue>(name: &str, value: &str) -> PyResult<T> {
    T::parse(value).ok_or_else(|| exception(Error::setting(name, value, T::expected())))
}
