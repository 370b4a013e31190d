//! Learning of parametric nearest neighbours: prototypes by mistakes, class weights by a convex problem, and an ensemble of
//! them joined by a linear machine.

use super::choose::splits;
use super::finish::{CALIBRATION_SAMPLES, Fitted};
use super::learn::one_over_mean_own_distance;
use super::online::Online;
use super::progress::Interruptible;
use super::{Progress, Report, Stopped, Training};
use crate::init::Prototypes;
use crate::metric::Form;
use crate::model::{Head, Space, class_minima, encode, largest};
use crate::objective::{ClassLayout, Machine, MarginRule, Pnn};
use crate::optim::{Lbfgs, Optimizer, Outcome, Problem};
use crate::svm::{self, COSTS, Labelled, Rows, Svm, choose_c};
use crate::watch::watched;
use crate::{Dataset, Error, Float, Result, rng};
use ndarray::Array2;
use rayon::prelude::*;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Penalty on the squared class weights, against the mean squared hinge.
const LAMBDA: f64 = 1e-3;
/// Steps of the convex problem in the class weights.
const STEPS: usize = 500;
/// Violation of the conditions of optimality that the machine is left with: codes are close to separable, so it is solved more
/// closely than usual, but for trials the usual will do: they only compare margins.
const CLOSE: f64 = 1e-3;
const USUAL: f64 = 1e-2;
/// Share of the training samples on which the penalty of the machine is chosen.
const HELD_OUT: f64 = 0.2;

/// Margins that are tried where none is given.
const MARGINS: [f64; 3] = [1.0, 0.3, 0.0];
/// Learners of a trial, at most: enough to tell how well they complement each other.
const TRIED: usize = 4;
/// Draws of a trial for each of its samples, at most, and never more than half of those of the training.
const DRAWS: usize = 20;

/// One learner after its last round.
struct Base<F> {
    prototypes: Prototypes<F>,
    /// `w` and `b`, where they were learned.
    classes: Option<(Vec<f64>, Vec<f64>)>,
}

/// Trains all learners, from `start` and from first prototypes of their own, and joins them.
pub(super) fn learn<F: Float>(
    t: &Training,
    pnn: &Pnn,
    train: &Dataset<F>,
    start: Prototypes<F>,
    progress: &mut dyn Progress,
) -> Result<Fitted<F>> {
    learn_from(t, pnn, train, starts(t, pnn.learners, train, start)?, CLOSE, progress)
}

/// First prototypes of each learner, `start` being those of the first.
fn starts<F: Float>(
    t: &Training,
    learners: usize,
    train: &Dataset<F>,
    start: Prototypes<F>,
) -> Result<Vec<Prototypes<F>>> {
    let own = |l: u64| Training { seed: t.seed.wrapping_add(l << 32), ..t.clone() }.start(train);
    std::iter::once(Ok(start)).chain((1..learners as u64).map(own)).collect()
}

/// Trains one learner from each start and joins them by a machine of this tolerance.
fn learn_from<F: Float>(
    t: &Training,
    pnn: &Pnn,
    train: &Dataset<F>,
    starts: Vec<Prototypes<F>>,
    tolerance: f64,
    progress: &mut dyn Progress,
) -> Result<Fitted<F>> {
    progress.phase("training");
    let first = starts[0].clone();
    let done = Mutex::new(Vec::new());
    let watcher =
        Watcher { progress: RefCell::new(progress), done: &done, told: Cell::new(0), of: pnn.learners };
    let bases: Vec<Option<Base<F>>> = watched(&|| watcher.poll(), |stop| {
        let learn = |(l, start)| {
            let base = base(t, pnn, train, start, l, stop);
            let error = base.as_ref().map_or(1.0, |b| training_error(&b.prototypes, train));
            done.lock().unwrap_or_else(PoisonError::into_inner).push(error);
            base
        };
        starts.into_par_iter().enumerate().with_max_len(1).map(learn).collect()
    });
    watcher.poll();
    let progress = watcher.progress.into_inner();
    let stopped = if progress.cancelled() { Stopped::Interrupted } else { Stopped::Finished };
    let mut bases: Vec<Base<F>> =
        bases.into_iter().collect::<Option<_>>().ok_or(Error::Diverged { epoch: 1, value: f64::INFINITY })?;

    if pnn.learners == 1 {
        let base = bases.remove(0);
        let head = base.classes.map(|(w, b)| Head::Affine {
            weights: w.into_iter().map(F::of).collect(),
            biases: b.into_iter().map(F::of).collect(),
        });
        return Ok(alone(base.prototypes, head, stopped, first, train));
    }
    progress.phase("joining the learners");
    let (prototypes, learner) = join(bases)?;
    let head = machine(t, pnn, train, (&prototypes, learner), tolerance, progress)?;
    let stopped = if progress.cancelled() { Stopped::Interrupted } else { stopped };
    let metric = Form::Euclidean;
    Ok(Fitted { head: Some(head), stopped, ..Fitted::as_is(prototypes, metric) })
}

/// The margin: as given, or one of [`MARGINS`], [`chosen`] by the errors of a small ensemble on held-out samples. Wide margins make
/// better learners, narrow ones learners that err on different samples; which is worth more depends on the data.
pub(super) fn margin<F: Float>(
    t: &Training,
    pnn: &Pnn,
    train: &Dataset<F>,
    progress: &mut dyn Progress,
) -> Result<f64> {
    if let Some(given) = pnn.margin {
        return Ok(given);
    }
    // Of all samples: fewer ask for a wider margin.
    let parts = splits(train, train.len(), t.seed, "margin");
    if !parts.is_empty() {
        progress.phase("choosing the margin");
    }
    let learners = pnn.learners.min(TRIED);
    let mut firsts = Vec::with_capacity(parts.len());
    for (kept, _) in &parts {
        firsts.push(starts(t, learners, kept, t.start(kept)?)?);
    }
    let mut tried = Vec::with_capacity(MARGINS.len());
    for margin in MARGINS {
        let mut errors = 0.0;
        for ((kept, held), starts) in parts.iter().zip(&firsts) {
            let draws = pnn.draws.div_ceil(2).min(DRAWS * kept.len());
            let trial = Pnn { margin: Some(margin), learners, draws, ..pnn.clone() };
            let fitted = learn_from(t, &trial, kept, starts.clone(), USUAL, &mut Interruptible(progress));
            errors += fitted.map_or(f64::INFINITY, |fitted| held_out_errors(&fitted, held));
        }
        if progress.cancelled() {
            break;
        }
        tried.push((margin, errors));
    }
    // Without samples to judge by, all margins are equal, and the first is taken.
    Ok(if parts.is_empty() { MARGINS[0] } else { chosen(&tried, pnn.learners > learners) })
}

/// Of margins with their held-out errors: the one with the fewest, the widest of equals. Where more learners will be joined than
/// were tried, the narrowest of those within one standard deviation of the fewest, the square root of a count: the more learners
/// there are, the more is gained where they err on different samples.
fn chosen(tried: &[(f64, f64)], more: bool) -> f64 {
    let fewest = tried.iter().fold(f64::INFINITY, |least, t| least.min(t.1));
    let bound = if more { fewest + fewest.sqrt() } else { fewest };
    let good = tried.iter().filter(|t| t.1.is_finite() && t.1 <= bound).map(|t| t.0);
    let one = if more { good.reduce(f64::min) } else { good.reduce(f64::max) };
    one.unwrap_or(MARGINS[0])
}

/// Samples on which prototypes, with what stands behind them, err.
fn held_out_errors<F: Float>(fitted: &Fitted<F>, held: &Dataset<F>) -> f64 {
    let p = &fitted.prototypes;
    let space = Space::new(&Form::Euclidean, p.x.view());
    let Some(head) = &fitted.head else { return space.error(held, &p.y) * held.len() as f64 };
    let n_classes = held.n_classes();
    let answers = space.map_all(held.x.view(), |d| largest(&head.scores(d, &p.y, n_classes)));
    answers.iter().zip(&held.y).filter(|(a, y)| a != y).count() as f64
}

/// A single learner, or its start where that has the lower training error and no scores were learned.
fn alone<F: Float>(
    prototypes: Prototypes<F>,
    head: Option<Head<F>>,
    stopped: Stopped,
    start: Prototypes<F>,
    train: &Dataset<F>,
) -> Fitted<F> {
    let kept_start = head.is_none() && training_error(&prototypes, train) > training_error(&start, train);
    let prototypes = if kept_start { start } else { prototypes };
    Fitted { head, stopped, kept_start, ..Fitted::as_is(prototypes, Form::Euclidean) }
}

fn training_error<F: Float>(p: &Prototypes<F>, train: &Dataset<F>) -> f64 {
    Space::new(&Form::Euclidean, p.x.view()).error(train, &p.y)
}

/// Tells of finished learners and asks whether to go on, from the thread that the progress belongs to.
struct Watcher<'a> {
    progress: RefCell<&'a mut dyn Progress>,
    /// Training error of each learner that is done.
    done: &'a Mutex<Vec<f64>>,
    told: Cell<usize>,
    of: usize,
}

impl Watcher<'_> {
    fn poll(&self) -> bool {
        let mut progress = self.progress.borrow_mut();
        let errors = self.done.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let told = self.told.replace(errors.len());
        if let Some(&error) = errors.last().filter(|_| errors.len() > told) {
            progress.report(&Report {
                epoch: errors.len(),
                of: self.of,
                gamma: 1.0,
                loss: error,
                train_error: errors.iter().sum::<f64>() / errors.len() as f64,
                valid_error: None,
            });
        }
        progress.cancelled()
    }
}

/// One learner: rounds of prototypes and class weights. None where prototypes left the numbers.
fn base<F: Float>(
    t: &Training,
    pnn: &Pnn,
    train: &Dataset<F>,
    start: Prototypes<F>,
    number: usize,
    stop: &AtomicBool,
) -> Option<Base<F>> {
    let mut random = rng(t.seed, &format!("draws {number}"));
    let cancelled = || stop.load(Ordering::Relaxed);
    let few = train.sample(CALIBRATION_SAMPLES, t.seed, "calibration");
    let layout = ClassLayout::new(&start.y, train.n_classes());
    let d = Space::new(&Form::Euclidean, start.x.view()).distances(few.x.view());
    let gamma = one_over_mean_own_distance(d.view(), &few.y, &layout);
    let mut rule = MarginRule::within(pnn.margin.unwrap_or(MARGINS[0]) / gamma);
    let mut online = Online::new(train, &start, t);
    let mut classes = None;
    for _ in 0..pnn.rounds {
        online.draw(pnn.draws, &mut rule, |done| t.rate * t.decay.at(done), &mut random, &cancelled);
        if pnn.rounds > 1 {
            let (w, b) = class_weights(train, &online.prototypes()?, gamma);
            rule = MarginRule::weighted(1.0, &w, &b);
            classes = Some((w, b));
        }
        if cancelled() {
            break;
        }
    }
    Some(Base { prototypes: online.prototypes()?, classes })
}

/// `w` and `b` of the convex problem `(λ/2)‖w‖² + mean max(0, 1 + score_y − min_{c≠y} score_c)²`, `w ≥ 0`.
fn class_weights<F: Float>(train: &Dataset<F>, p: &Prototypes<F>, gamma: f64) -> (Vec<f64>, Vec<f64>) {
    let n_classes = train.n_classes();
    let space = Space::new(&Form::Euclidean, p.x.view());
    let nearest: Vec<Vec<F>> = space.map_all(train.x.view(), |d| class_minima(d, &p.y, n_classes));
    let d: Vec<f64> = nearest.iter().flatten().map(|d| d.f64() * gamma).collect();
    let mut theta = vec![0.0; 2 * n_classes];
    theta[..n_classes].fill(1.0);
    let mut problem = ClassWeights { d: &d, y: &train.y, n_classes };
    let mut optimizer = Lbfgs::new(1e-9);
    for _ in 0..STEPS {
        if optimizer.step(&mut problem, &mut theta).outcome != Outcome::Moved {
            break;
        }
    }
    let (u, b) = theta.split_at(n_classes);
    (u.iter().map(|u| u * u * gamma).collect(), b.to_vec())
}

/// The problem in the class weights, with `w = u²` so that they cannot be negative; distances to the nearest prototype of
/// each class are given.
struct ClassWeights<'a> {
    d: &'a [f64],
    y: &'a [usize],
    n_classes: usize,
}

impl Problem for ClassWeights<'_> {
    fn evaluate(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        let n = self.n_classes;
        let (u, b) = theta.split_at(n);
        let w: Vec<f64> = u.iter().map(|u| u * u).collect();
        gradient.fill(0.0);
        let mut loss = 0.0;
        for (d, &y) in self.d.chunks_exact(n).zip(self.y) {
            let score = |c: usize| w[c] * d[c] + b[c];
            let rival = (0..n).filter(|&c| c != y).min_by(|&a, &b| score(a).total_cmp(&score(b)));
            let Some(c) = rival else { continue };
            let hinge = 1.0 + score(y) - score(c);
            if hinge > 0.0 {
                loss += hinge * hinge;
                gradient[y] += 2.0 * hinge * d[y];
                gradient[n + y] += 2.0 * hinge;
                gradient[c] -= 2.0 * hinge * d[c];
                gradient[n + c] -= 2.0 * hinge;
            }
        }
        let samples = self.y.len() as f64;
        gradient.iter_mut().for_each(|g| *g /= samples);
        gradient[..n].iter_mut().zip(u).zip(&w).for_each(|((g, u), w)| *g = (*g + LAMBDA * w) * 2.0 * u);
        loss / samples + 0.5 * LAMBDA * w.iter().map(|w| w * w).sum::<f64>()
    }

    fn groups(&self) -> Vec<(Range<usize>, f64)> {
        vec![(0..2 * self.n_classes, 1.0)]
    }
}

/// All prototypes in class order, and the learner of each.
fn join<F: Float>(bases: Vec<Base<F>>) -> Result<(Prototypes<F>, Vec<usize>)> {
    let dim = bases[0].prototypes.x.ncols();
    let mut order: Vec<(usize, usize, usize)> = bases
        .iter()
        .enumerate()
        .flat_map(|(l, base)| base.prototypes.y.iter().enumerate().map(move |(j, &c)| (c, l, j)))
        .collect();
    order.sort_unstable();
    let mut x = Vec::with_capacity(order.len() * dim);
    order.iter().for_each(|&(_, l, j)| x.extend(bases[l].prototypes.x.row(j)));
    let x = Array2::from_shape_vec((order.len(), dim), x).map_err(|e| Error::data(e.to_string()))?;
    let y = order.iter().map(|o| o.0).collect();
    Ok((Prototypes { x, y }, order.iter().map(|o| o.1).collect()))
}

/// The linear machine over the codes of the training samples.
fn machine<F: Float>(
    t: &Training,
    pnn: &Pnn,
    train: &Dataset<F>,
    (prototypes, learner): (&Prototypes<F>, Vec<usize>),
    tolerance: f64,
    progress: &mut dyn Progress,
) -> Result<Head<F>> {
    let n_classes = train.n_classes();
    let space = Space::new(&Form::Euclidean, prototypes.x.view());
    let codes = space.map_all(train.x.view(), |d| encode(pnn.code, d, &prototypes.y, &learner, n_classes));
    let mut rows = Rows::new(pnn.learners * n_classes);
    for code in codes {
        rows.push(code.into_iter().map(|(at, v)| (at as u32, v)))?;
    }
    let loss = match pnn.machine {
        Machine::CrammerSinger => svm::Loss::CrammerSinger,
        Machine::OneVsRest => svm::Loss::SquaredHinge,
    };
    let samples =
        Labelled { rows: &rows, y: &train.y, classes: n_classes, weights: train.weights.as_deref() };
    let svm = Svm { loss, seed: t.seed, tolerance, ..Svm::default() };
    let cancelled = || progress.cancelled();
    let svm = match pnn.penalty {
        Some(c) => Svm { c, ..svm }.fit(&samples, &cancelled)?,
        None => choose_c(&svm, &COSTS, HELD_OUT, &samples, &cancelled)?,
    };
    Ok(Head::Ensemble {
        code: pnn.code,
        learner,
        weights: svm.weights.mapv(F::of),
        biases: svm.bias.into_iter().map(F::of).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::catalog::{self, Part};
    use crate::{Trainer, train::Silent};

    fn glass() -> Dataset<f64> {
        catalog::load("glass", Part::All, None).unwrap()
    }

    /// The margin that was chosen is one of those tried, stands in the model, and gives the same model when it is set.
    #[test]
    fn a_margin_is_chosen_and_told() {
        for method in ["pnn", "epnn"] {
            let trainer = |margin: &str| {
                let mut trainer = Trainer::<f64>::new(method).unwrap();
                for (name, value) in [("per-class", "2"), ("draws", "500"), ("margin", margin)] {
                    trainer = trainer.set(name, value).unwrap();
                }
                if method == "epnn" { trainer.set("learners", "3").unwrap() } else { trainer }
            };
            let model = trainer("none").fit(&glass()).unwrap();
            let chosen = &model.provenance().settings["margin"];
            assert!(MARGINS.contains(&chosen.parse().unwrap()), "{chosen}");
            assert_eq!(trainer(chosen).fit(&glass()).unwrap().prototypes(), model.prototypes());
        }
    }

    #[test]
    fn many_learners_take_the_narrowest_margin_that_is_not_clearly_worse() {
        let tried = [(1.0, 100.0), (0.3, 110.0), (0.0, 111.0)];
        assert_eq!((chosen(&tried, false), chosen(&tried, true)), (1.0, 0.3));
        let equal = [(1.0, 9.0), (0.3, 9.0), (0.0, 13.0)];
        assert_eq!((chosen(&equal, false), chosen(&equal, true)), (1.0, 0.3));
        // Trials that failed say nothing, and an interrupt may come before the first.
        let failed = MARGINS.map(|margin| (margin, f64::INFINITY));
        assert_eq!((chosen(&failed, true), chosen(&[], true)), (1.0, 1.0));
    }

    #[test]
    fn the_margin_with_fewer_errors_is_chosen() {
        let (t, data) = (Training::default(), glass());
        let pnn = Pnn { learners: 1, draws: 500, ..Pnn::default() };
        let errors = |margin: f64| -> f64 {
            let of = |(kept, held): (Dataset<f64>, Dataset<f64>)| {
                let start = t.start(&kept).unwrap();
                let trial = Pnn { margin: Some(margin), draws: 250, ..pnn.clone() };
                held_out_errors(&learn(&t, &trial, &kept, start, &mut Silent).unwrap(), &held)
            };
            splits(&data, data.len(), t.seed, "margin").into_iter().map(of).sum()
        };
        let chosen = margin(&t, &pnn, &data, &mut Silent).unwrap();
        let best = MARGINS.map(errors).into_iter().fold(f64::INFINITY, f64::min);
        assert_eq!(errors(chosen), best);
        let given = Pnn { margin: Some(0.7), ..pnn.clone() };
        assert_eq!(margin(&t, &given, &data, &mut Silent).unwrap(), 0.7);
    }

    /// An ensemble errs where the model made of it does.
    #[test]
    fn held_out_errors_are_those_of_the_model() {
        let data = glass();
        let t = Training { scale: crate::represent::Scale::Raw, ..Training::default() };
        let pnn = Pnn { learners: 3, draws: 500, margin: Some(1.0), ..Pnn::default() };
        let start = t.start(&data).unwrap();
        let fitted = learn(&t, &pnn, &data, start, &mut Silent).unwrap();
        let mut trainer = Trainer::<f64>::new("epnn").unwrap();
        for (name, value) in [("learners", "3"), ("draws", "500"), ("margin", "1")] {
            trainer = trainer.set(name, value).unwrap();
        }
        trainer.training = t;
        let model = trainer.fit(&data).unwrap();
        assert_eq!(
            held_out_errors(&fitted, &data),
            (model.error(&data).unwrap() * data.len() as f64).round()
        );
    }
}
