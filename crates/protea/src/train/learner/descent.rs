//! Learning by descent on an objective.

use super::super::check::check_range;
use super::super::descending::optimizer;
use super::super::first_metric::first_metric;
use super::super::problem::TrainingProblem;
use super::super::run;
use super::super::{Keep, OptimizerKind};
use super::{AnyLearner, Facts, Fitted, Learner, Task, members, settings_of};
use crate::data::ClassLayout;
use crate::init::Prototypes;
use crate::metric::{Metric, MetricKind, Space};
use crate::model::{CALIBRATION_SAMPLES, fair_error, gamma_end, gamma_start};
use crate::objective::{AnyObjective, Objective, Power, Unit};
use crate::optim::{Judge, RunResult, Schedule};
use crate::progress::Progress;
use crate::represent::{Augment, ImageSize, Pipeline, Scale, Scaling};
use crate::{Dataset, Error, Float, Result};
use ndarray::{Array2, ArrayView2, Axis};

/// Minimises an objective over prototypes and metric.
pub(crate) struct Descent(pub Box<dyn AnyObjective>);

impl Descent {
    /// What is known of it.
    pub const FACTS: Facts = Facts { name: "objective", descends: true, resumes: true, ..Facts::NONE };
}

impl AnyLearner for Descent {
    fn into_objective(self: Box<Self>) -> Option<Box<dyn AnyObjective>> {
        Some(self.0)
    }
}

impl<F: Float> Learner<F> for Descent {
    fn softens(&self) -> bool {
        let objective: &dyn Objective<F> = F::pick(&*self.0);
        objective.unit() == Unit::Softness
    }

    /// Trains as many members as asked for, the first from `start`.
    fn learn(&self, task: &Task<F>, start: Prototypes<F>, progress: &mut dyn Progress) -> Result<Fitted<F>> {
        let t = task.training;
        members::learn(t, task.train.n_classes(), progress, |member, progress| {
            let training = &settings_of(t, member);
            let start = match member {
                0 => start.clone(),
                _ => training.start.prototypes(t.descending.prune, task.train)?,
            };
            Minimisation { objective: F::pick(&*self.0), task: &Task { training, ..*task } }
                .learn(start, progress)
        })
    }
}

/// An objective and the task that it is minimised on.
struct Minimisation<'a, F: Float> {
    objective: &'a dyn Objective<F>,
    task: &'a Task<'a, F>,
}

/// Training images before preprocessing.
#[derive(Clone, Copy)]
pub(crate) struct Images<'a, F: Float> {
    pub x: &'a Array2<F>,
    pub size: ImageSize,
    pub pipeline: &'a Pipeline<F>,
}

impl<F: Float> Minimisation<'_, F> {
    /// Minimises the objective, starting at `start`; with `prune`, twice.
    fn learn(&self, start: Prototypes<F>, progress: &mut dyn Progress) -> Result<Fitted<F>> {
        let Task { training, train, matrix, metric, .. } = *self.task;
        let metric = match metric {
            // How a matrix is learned depends on the optimizer.
            Some(given) if training.metric.kind == MetricKind::Linear => {
                first_metric(training, given.matrix(), &start, train)?
            }
            Some(given) => {
                given.check(start.x.nrows(), start.x.ncols())?;
                given.trainable(start.x.ncols())
            }
            None => first_metric(training, matrix, &start, train)?,
        };
        progress.phase("training");
        let large = self.descend(start, metric, progress)?;
        if training.descending.prune == 1 || progress.cancelled() {
            return Ok(large);
        }
        progress.phase("training what is left");
        let (kept, metric) = self.prune(&large)?;
        let small = self.descend(kept, metric, progress)?;
        let history = large.history.into_iter().chain(small.history.iter().copied()).collect();
        Ok(Fitted { history, ..small })
    }

    /// The most important prototypes of each class, as many as were asked for, with their part of the metric.
    fn prune(&self, fitted: &Fitted<F>) -> Result<(Prototypes<F>, Box<dyn Metric<F>>)> {
        let space = Space::new(&*fitted.metric, fitted.prototypes.x.view());
        let d = space.distances(self.sample().x.view());
        let Task { training, train, .. } = *self.task;
        let weights = train.weights.as_deref();
        let importance = space.importance(train.x.view(), weights, gamma_end(d.view(), 1e-3));
        let counts = training.start.per_class.counts(train)?;
        let classes = ClassLayout::new(&fitted.prototypes.y, train.n_classes());
        let mut kept: Vec<usize> = Vec::new();
        for (range, count) in classes.ranges().iter().zip(counts) {
            let mut best: Vec<usize> = range.clone().collect();
            best.sort_by(|a, b| importance[*b].total_cmp(&importance[*a]));
            best.truncate(count);
            best.sort_unstable();
            kept.extend(best);
        }
        let x = fitted.prototypes.x.select(Axis(0), &kept);
        let y: Vec<usize> = kept.iter().map(|&j| fitted.prototypes.y[j]).collect();
        let metric = fitted.metric.select(&kept).trainable(x.ncols());
        Ok((Prototypes { x, y }, metric))
    }

    fn sample(&self) -> Dataset<F> {
        self.task.train.sample(CALIBRATION_SAMPLES, self.task.training.start.seed, "calibration")
    }

    /// One descent, starting at `start`.
    fn descend(
        &self,
        start: Prototypes<F>,
        mut metric: Box<dyn Metric<F>>,
        progress: &mut dyn Progress,
    ) -> Result<Fitted<F>> {
        let Task { training: t, train, .. } = *self.task;
        let classes = ClassLayout::new(&start.y, train.n_classes());
        let p = start.x.as_slice().expect("prototypes are row-major");
        metric.set(p, &metric.params());
        let space = Space::of(metric.clone(), start.y.len());
        let few = self.sample();
        let mut d = space.distances(few.x.view());
        self.objective.power().of(d.as_slice_mut().expect("distances are row-major"));
        let gamma = self.gamma(d.view(), &few.y, &classes);

        let unit = deviation(train.x.view());
        let mut problem = self.problem(&classes, metric.clone(), unit);
        let theta = problem.pack(p);
        if t.descending.freeze_prototypes && theta.len() == p.len() {
            return Err(Error::setting("freeze-prototypes", true, "false, where no metric is learned"));
        }
        let judge = self.judge(&start.y, metric.clone());
        // With a judge, the start is already a candidate.
        let start_error = if judge.is_some() { 1.0 } else { fair_error(&space, &start.y, train) };
        let mut optimizer = optimizer(&t.descending, unit, train.len());
        let schedule = if optimizer.stochastic() {
            run::mini_batches(t, train.len(), theta.len(), gamma)
        } else {
            Schedule::ladder(self.gammas(gamma, d.view()), t.descending.max_iter)
        };
        let descent = run::descend(&mut problem, &mut *optimizer, theta, schedule, judge, progress)?;
        drop(problem);
        better(start, metric, start_error, descent, train)
    }

    /// The first γ: as given, or by the distances `d` of samples of classes `y`.
    fn gamma(&self, d: ArrayView2<F>, y: &[usize], classes: &ClassLayout) -> f64 {
        self.task.training.descending.gamma.unwrap_or_else(|| match self.objective.unit() {
            Unit::Softness => gamma_start(d, 0.5, 0.8),
            Unit::OwnDistance => one_over_mean_own_distance(d, y, classes),
            Unit::None => 1.0,
        })
    }

    /// All γ of a full-batch descent.
    fn gammas(&self, first: f64, d: ArrayView2<F>) -> Vec<f64> {
        let Task { training: t, train, .. } = *self.task;
        match self.objective.unit() {
            Unit::Softness => {
                ladder(first, hard_limit(d, train, self.objective.power()), t.descending.gamma_steps)
            }
            _ if t.descending.anneal > 1.0 => {
                ladder(first, first * t.descending.anneal, t.descending.gamma_steps)
            }
            _ => vec![first],
        }
    }

    /// The problem over the training samples; `unit` is the global standard deviation of their features.
    fn problem<'b>(
        &'b self,
        classes: &'b ClassLayout,
        metric: Box<dyn Metric<F>>,
        unit: f64,
    ) -> TrainingProblem<'b, F> {
        let Task { training: t, train, images, .. } = *self.task;
        // Parameters of the metric have no unit, so the unit in the optimizer's step size is taken out again.
        let metric_unit = match t.descending.optimizer {
            OptimizerKind::Sgd | OptimizerKind::Gd => 1.0 / (unit * unit),
            _ => 1.0 / unit,
        };
        let weights = train.weights.as_deref();
        TrainingProblem::new(train.x.view(), &train.y, weights, classes, self.objective, metric)
            .with_metric_rate(t.descending.metric_rate * metric_unit)
            .with_frozen_prototypes(t.descending.freeze_prototypes)
            .with_prototypes_inside(t.descending.inside)
            .with_noise(t.descending.noise() * unit, t.start.seed)
            .with_variation(t.descending.vary, t.start.seed)
            .with_augmentation(
                images.map(|i| {
                    Augment::new(i.x.view(), i.size, i.pipeline, t.descending.augment, t.start.seed)
                }),
            )
    }

    /// What judges iterates: the validation samples if there are any, the training samples if the settings ask for it.
    fn judge(&self, labels: &[usize], metric: Box<dyn Metric<F>>) -> Option<Judge<'_>> {
        let Task { training: t, train, valid, .. } = *self.task;
        match (valid, t.judging.keep) {
            (Some(valid), _) => Some(run::judge(valid, labels, metric, false, t.judging.patience)),
            (None, Keep::Best) => Some(run::judge(train, labels, metric, true, None)),
            (None, Keep::Last) => None,
        }
    }
}

/// The result of a descent, or the start if that has the lower training error; ties count half, so that where prototypes of several
/// classes coincide their order does not decide.
fn better<F: Float>(
    start: Prototypes<F>,
    mut metric: Box<dyn Metric<F>>,
    start_error: f64,
    descent: RunResult,
    train: &Dataset<F>,
) -> Result<Fitted<F>> {
    let RunResult { theta, history, stopped, .. } = descent;
    let dim = start.x.ncols();
    let first = metric.fitted();
    let theta: Vec<F> = theta.into_iter().map(F::of).collect();
    let (p, params) = theta.split_at(start.x.len());
    let sound = theta.iter().all(|v| v.f64().is_finite())
        && check_range(ArrayView2::from_shape((p.len() / dim, dim), p).map_err(shape)?).is_ok();
    let found = sound && {
        metric.set(p, params);
        let space = Space::of(metric.clone(), start.y.len());
        fair_error(&space, &start.y, train) <= start_error
    };
    let (x, metric) = if found {
        (Array2::from_shape_vec(start.x.dim(), p.to_vec()).map_err(shape)?, metric.fitted())
    } else {
        (start.x, first)
    };
    let prototypes = Prototypes { x, y: start.y };
    Ok(Fitted { history, stopped, kept_start: !found, ..Fitted::as_is(prototypes, metric) })
}

fn shape(e: ndarray::ShapeError) -> Error {
    Error::from(e)
}

/// One over the mean distance of samples to the nearest prototype of their class.
pub(crate) fn one_over_mean_own_distance<F: Float>(
    d: ArrayView2<F>,
    y: &[usize],
    classes: &ClassLayout,
) -> f64 {
    let own = |(row, &y): (ndarray::ArrayView1<F>, &usize)| {
        row.iter()
            .skip(classes.range(y).start)
            .take(classes.range(y).len())
            .fold(f64::INFINITY, |a, b| a.min(b.f64()))
    };
    let mean = d.rows().into_iter().zip(y).map(own).sum::<f64>() / y.len() as f64;
    if mean > 0.0 && mean.is_finite() { 1.0 / mean } else { 1.0 }
}

/// γ of the hard limit, capped where rounding of the distances would become noise in the weights.
fn hard_limit<F: Float>(d: ArrayView2<F>, train: &Dataset<F>, power: Power) -> f64 {
    let largest =
        train.x.rows().into_iter().map(|r| r.iter().map(|v| v.f64() * v.f64()).sum()).fold(0.0, f64::max);
    let mut rounding = [(10.0 * F::EPS * largest).max(f64::MIN_POSITIVE)];
    power.of(&mut rounding);
    gamma_end(d, 1e-3).min(0.1 / rounding[0])
}

/// `n` values from `low` to `high`, log-spaced.
fn ladder(low: f64, high: f64, n: usize) -> Vec<f64> {
    let ratio = (high / low).max(1.0);
    (0..n).map(|i| low * ratio.powf(i as f64 / (n - 1).max(1) as f64)).collect()
}

/// Root of the mean variance of the features; 1 when all are constant.
pub(crate) fn deviation<F: Float>(x: ArrayView2<F>) -> f64 {
    1.0 / Scaling::learn(Scale::Global, x).factor[0].f64()
}
