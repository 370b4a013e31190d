//! The one entry for fitting.
//!
//! Training runs on a thread of its own, with samples of its own, while the calling thread shows progress and asks Python for
//! signals. So `Ctrl-C` is answered at once whatever training does at that moment; a training that was interrupted ends by
//! itself when it next looks.

use crate::convert::{Given, as_given, samples};
use crate::error::exception;
use crate::model::{AnyModel, PyModel};
use crate::pool::pool;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use protea::data::Schema;
use protea::progress::{Epoch, Progress};
use protea::{Dataset, Float, Model, Result, Trainer};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Time between two looks for signals.
const PAUSE: Duration = Duration::from_millis(50);
/// Time that an interrupted training gets to end before it is left behind.
const GRACE: Duration = Duration::from_millis(400);

/// Fits `method` with `settings` (names and values as on the command line) to rows `x` of classes `y`, indices into
/// `classes`.
///
/// `columns` tells, as JSON, how the columns of a data frame became the features. `weights` are those of the rows; `class_weights`
/// shift the decision towards classes, after training. `valid` is a pair of rows and classes that chooses the best iterate and the temperature of the probabilities. `resume` is
/// a model to go on from. `report(phase, epoch, of, loss, train_error, valid_error)` is called after every epoch and may
/// return `True` to end training with the best model so far.
#[pyfunction]
#[pyo3(signature = (method, x, y, classes, settings, *, features=None, columns=None, weights=None, class_weights=None, valid=None, resume=None, threads=0, report=None))]
#[allow(clippy::too_many_arguments)]
pub fn fit(
    py: Python<'_>,
    method: &str,
    x: &Bound<'_, PyAny>,
    y: PyReadonlyArray1<'_, i64>,
    classes: Vec<String>,
    settings: BTreeMap<String, String>,
    features: Option<Vec<String>>,
    columns: Option<String>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    class_weights: Option<Vec<f64>>,
    valid: Option<(Bound<'_, PyAny>, PyReadonlyArray1<'_, i64>)>,
    resume: Option<PyRef<'_, PyModel>>,
    threads: usize,
    report: Option<Py<PyAny>>,
) -> PyResult<PyModel> {
    let labels =
        Labels { y: y.as_slice()?, classes: &classes, features, weights: weights.as_ref(), class_weights };
    let task = Task { method, settings: &settings, labels, columns, threads, report };
    let resume = resume.as_deref().map(|m| &m.model);
    if let Ok(x) = x.extract::<PyReadonlyArray2<f32>>() {
        let resume = match resume {
            Some(AnyModel::F32(model)) => Some(model),
            Some(AnyModel::F64(_)) => {
                return Err(PyTypeError::new_err("the model to go on from is of float64"));
            }
            None => None,
        };
        task.run::<f32>(py, &x, valid, resume, AnyModel::F32)
    } else if let Ok(x) = x.extract::<PyReadonlyArray2<f64>>() {
        let resume = match resume {
            Some(AnyModel::F64(model)) => Some(model),
            Some(AnyModel::F32(_)) => {
                return Err(PyTypeError::new_err("the model to go on from is of float32"));
            }
            None => None,
        };
        task.run::<f64>(py, &x, valid, resume, AnyModel::F64)
    } else {
        Err(PyTypeError::new_err("X must be a two-dimensional array of float32 or float64"))
    }
}

/// What belongs to the rows.
struct Labels<'a> {
    y: &'a [i64],
    classes: &'a [String],
    features: Option<Vec<String>>,
    weights: Option<&'a PyReadonlyArray1<'a, f64>>,
    class_weights: Option<Vec<f64>>,
}

/// One fit, whatever the element type.
struct Task<'a> {
    method: &'a str,
    settings: &'a BTreeMap<String, String>,
    labels: Labels<'a>,
    columns: Option<String>,
    threads: usize,
    report: Option<Py<PyAny>>,
}

impl Task<'_> {
    fn run<F: Float + numpy::Element>(
        self,
        py: Python<'_>,
        x: &PyReadonlyArray2<F>,
        valid: Option<(Bound<'_, PyAny>, PyReadonlyArray1<'_, i64>)>,
        resume: Option<&Model<F>>,
        wrap: fn(Model<F>) -> AnyModel,
    ) -> PyResult<PyModel> {
        let mut trainer = Trainer::<F>::named(self.method).map_err(exception)?;
        let keeps_samples =
            matches!(protea::method::method(self.method).map_err(exception)?.learns_by(), "memory" | "code");
        for (name, value) in self.settings {
            trainer = trainer.set(name, value).map_err(exception)?;
        }
        if let Some(model) = resume {
            trainer = trainer.resume(model);
        }
        let Labels { y, classes, features, weights, class_weights } = self.labels;
        let weights = weights.map(|w| w.as_slice()).transpose()?;
        let given = Given { x: x.as_array(), y, classes, features: features.clone(), weights };
        let (data, order) = py.detach(|| samples(&given))?;
        let schema = self.columns.map(|columns| schema(&data, &columns)).transpose()?;
        let valid = match &valid {
            Some((x, y)) => {
                let x = x.extract::<PyReadonlyArray2<F>>()?;
                let y = y.as_slice()?;
                Some(as_given(&Given { x: x.as_array(), y, classes, features, weights: None })?)
            }
            None => None,
        };
        let model = train(py, trainer, data, valid, self.threads, self.report)?;
        let model = match class_weights {
            Some(weights) => model.with_class_weights(&weights).map_err(exception)?,
            None => model,
        };
        let model = match schema {
            Some(schema) => model.with_schema(schema).map_err(exception)?,
            None => model,
        };
        let selected = match model.selected() {
            Some(rows) => Some(rows.iter().map(|&i| order[i]).collect()),
            None => keeps_samples.then_some(order),
        };
        Ok(PyModel { model: wrap(model), selected })
    }
}

/// How the columns of a data frame became the features of the samples.
fn schema<F: Float>(data: &Dataset<F>, columns: &str) -> PyResult<Schema> {
    let columns = serde_json::from_str(columns).map_err(|e| PyRuntimeError::new_err(e.to_string()))?;
    Ok(Schema { columns, named: true, ..Schema::plain(data) })
}

/// What training tells the thread that waits for it.
enum Message<F: Float> {
    Phase(String),
    Epoch(Epoch),
    Done(Box<Result<Model<F>>>),
}

type Heard<F> = std::result::Result<Message<F>, RecvTimeoutError>;

/// Trains on another thread and waits, watching for signals.
fn train<F: Float>(
    py: Python<'_>,
    trainer: Trainer<F>,
    data: Dataset<F>,
    valid: Option<Dataset<F>>,
    threads: usize,
    report: Option<Py<PyAny>>,
) -> PyResult<Model<F>> {
    let pool = pool(threads)?;
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, mut receiver) = channel();
    let mut teller = Teller { stop: stop.clone(), sender: sender.clone(), watched: report.is_some() };
    std::thread::spawn(move || {
        let model = pool.install(|| trainer.fit_with(&data, valid.as_ref(), &mut teller));
        // Nobody waits any more for a training that was left behind.
        let _ = sender.send(Message::Done(Box::new(model)));
    });
    let mut phase = String::new();
    loop {
        match py.detach(|| hear(&mut receiver, PAUSE)) {
            Ok(Message::Done(model)) => return (*model).map_err(exception),
            Ok(Message::Phase(name)) => phase = name,
            Ok(Message::Epoch(r)) => {
                if let Some(report) = &report {
                    let told = (&*phase, r.epoch, r.of, r.loss, r.train_error, r.valid_error);
                    match report.call1(py, told).and_then(|answer| answer.is_truthy(py)) {
                        Ok(true) => stop.store(true, Ordering::Relaxed),
                        Ok(false) => {}
                        Err(e) => return Err(abandon(py, &stop, &mut receiver, e)),
                    }
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("training broke off; please report this as a bug"));
            }
        }
        if let Err(e) = py.check_signals() {
            return Err(abandon(py, &stop, &mut receiver, e));
        }
    }
}

/// The next message. The receiver is borrowed exclusively, so that it may be used while the interpreter lock is given away.
fn hear<F: Float>(receiver: &mut Receiver<Message<F>>, most: Duration) -> Heard<F> {
    receiver.recv_timeout(most)
}

/// Tells training to end, waits for it a little, and gives the error back.
fn abandon<F: Float>(
    py: Python<'_>,
    stop: &AtomicBool,
    receiver: &mut Receiver<Message<F>>,
    error: PyErr,
) -> PyErr {
    stop.store(true, Ordering::Relaxed);
    py.detach(|| {
        let until = std::time::Instant::now() + GRACE;
        while let Some(left) = until.checked_duration_since(std::time::Instant::now()) {
            if !matches!(hear(receiver, left), Ok(Message::Phase(_) | Message::Epoch(_))) {
                break;
            }
        }
    });
    error
}

/// Passes progress on to the waiting thread.
struct Teller<F: Float> {
    stop: Arc<AtomicBool>,
    sender: Sender<Message<F>>,
    watched: bool,
}

impl<F: Float> Progress for Teller<F> {
    fn phase(&mut self, name: &str) {
        if self.watched {
            let _ = self.sender.send(Message::Phase(name.into()));
        }
    }

    fn epoch(&mut self, report: &Epoch) {
        if self.watched {
            let _ = self.sender.send(Message::Epoch(*report));
        }
    }

    fn cancelled(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
