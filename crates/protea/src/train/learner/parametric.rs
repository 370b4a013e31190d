//! P-NN and EP-NN: parametric nearest neighbours, alone and as an ensemble; decision surface mapping is their first pass.
//!
//! # Model
//! ```text
//! score_c(x) = w_c min_{u ∈ U_c} ‖x − u‖² + b_c,    the smallest decides
//! ```
//!
//! # Loss
//! `(λ/2)‖w‖² + mean_i max(0, m + score_y − min_{c≠y} score_c)`; where the hinge is active, one step of gradient descent moves the
//! nearest prototype of the sample's class towards it and the nearest of the rival class away from it, by `η w` of the
//! class:
//! ```text
//! u_{j*} += η w_y (x − u_{j*}),    u_{k*} −= η w_ĉ (x − u_{k*})
//! ```
//! The published first pass sets `b = 0` and `w` to the largest number there is: then the hinge is active on mistakes alone and
//! the rule is decision surface mapping, `dsm`. A second round would solve the convex problem in `(w, b)` and go on with
//! those; `--rounds` says how many there are, one being the published two-stage way.
//!
//! # Symbols
//! | paper | here | meaning |
//! |---|---|---|
//! | u, U_c | prototypes | of class c |
//! | w, b | [`Affine`] | weight and bias of a class |
//! | η | `rate` | step size |
//! | ξ | hinge | of a sample |
//!
//! # Reference
//! Zhang, Sturgess, Sengupta, Crook, Torr: "Efficient Discriminative Learning of Parametric Nearest Neighbor Classifiers", CVPR
//! 2012 (algorithm 1 and its two-stage implementation). Geva & Sitte: "Adaptive nearest neighbor pattern classification", IEEE
//! Trans. Neural Networks 1991.
//!
//! # Departures
//! The convex problem in `(w, b)` has the squared hinge, so that it is smooth. The margin of the first pass, 0 in the paper, is a
//! setting, in units of the mean distance of samples to the nearest prototype of their class, and is chosen on held-out samples; steps are
//! `η w_c / w̄`, so that the step size means the same in every round.

use super::super::{Start, Training};
use super::descent::one_over_mean_own_distance;
use super::online::Moving;
use super::{AnyLearner, Facts, Fitted, Learner, Task};
use crate::data::ClassLayout;
use crate::init::Prototypes;
use crate::kernel::parallel::*;
use crate::metric::{Plain, Space};
use crate::model::decide::{Affine, Ensemble};
use crate::model::{CALIBRATION_SAMPLES, Decision, Labels, LearnerCode, class_minima, encode, nearest_error};
use crate::optim::{Lbfgs, Minimizer, Problem, Run, Schedule, Scheduled};
use crate::progress::{Epoch, Progress, Silent, Stop, Stopped, watched_run};
use crate::rule::MarginRule;
use crate::settings::{named_enum, settings};
use crate::svm::{self, COSTS, Labelled, Rows, Svm, choose_c};
use crate::{Dataset, Error, Float, Result, rng};
use ndarray::Array2;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

named_enum! {
    /// Multi-class linear support vector machine of the second stage.
    pub enum Machine {
        /// One problem for all classes.
        CrammerSinger = "crammer-singer",
        /// One problem for each class.
        OneVsRest = "one-vs-rest",
    }
}

settings! {
    /// Settings of P-NN and EP-NN.
    pub struct Pnn {
        /// Base learners in the ensemble, joined by a linear SVM over their codes.
        learners("learners"): usize = 20, |v| *v > 0, "a number ≥ 1";
        /// Training samples that each learner draws, with replacement.
        draws("draws"): usize = 400_000, |v| *v > 0, "a number ≥ 1";
        /// Margin of the prototype pass; none chooses it on held-out training samples.
        ///
        /// In units of the mean distance to the nearest prototype of the same class; the candidates are 1, 0.3 and 0.
        margin("margin"): Option<f64> = None, |v| v.is_none_or(|m| m >= 0.0 && m.is_finite()), "none or a number ≥ 0";
        /// Alternating rounds of learning prototypes and class weights; 1 learns prototypes alone.
        rounds("rounds"): usize = 1, |v| *v > 0, "a number ≥ 1";
        /// Features of the SVM: the winner's distance alone (sparse), or that of every class (dense).
        code("code"): LearnerCode = LearnerCode::Sparse;
        /// Linear SVM over the codes.
        machine("machine"): Machine = Machine::CrammerSinger;
        /// Penalty C of the SVM; none chooses 0.1, 1, 10 or 100 on held-out training samples.
        penalty("penalty"): Option<f64> = None, |v| v.is_none_or(|c| c > 0.0 && c.is_finite()), "none or a number > 0";
    }
}

/// Penalty on the squared class weights, against the mean squared hinge.
const LAMBDA: f64 = 1e-3;
/// Steps of the convex problem in the class weights.
const STEPS: usize = 500;
/// Tolerance of the machine, as violation of the optimality conditions. Codes are close to separable, so the tolerance is
/// smaller than usual; trials only compare margins, and use the usual one.
const CLOSE: f64 = 1e-3;
const USUAL: f64 = 1e-2;
/// Share of the training samples on which the penalty of the machine is chosen.
const HELD_OUT: f64 = 0.2;

/// Margins to try if none is given, widest first.
pub(crate) const MARGINS: &[&str] = &["1", "0.3", "0"];
/// The margin where there are no samples to choose it on.
const WIDEST: f64 = 1.0;
/// Learners of a trial, at most: enough to tell how well they complement each other.
const TRIAL_LEARNERS: usize = 4;
/// Draws of a trial for each of its samples, at most, and never more than half of those of the training.
const TRIAL_DRAWS: usize = 20;

/// One learner after its last round.
struct Base<F> {
    prototypes: Prototypes<F>,
    /// `w` and `b`, where they were learned.
    classes: Option<(Vec<f64>, Vec<f64>)>,
}

/// Parametric nearest neighbours, one or several.
#[derive(Debug, Clone)]
pub(crate) struct Parametric {
    settings: Pnn,
    /// Tolerance of the machine, as violation of the optimality conditions.
    tolerance: f64,
    /// Whether more learners will be joined than this one trains.
    more: bool,
}

impl Parametric {
    /// What is known of it.
    pub const FACTS: Facts = Facts { name: "parametric", ..Facts::NONE };

    pub fn new(settings: Pnn) -> Self {
        Parametric { settings, tolerance: CLOSE, more: false }
    }
}

impl AnyLearner for Parametric {}

impl<F: Float> Learner<F> for Parametric {
    /// Trains all learners, from `start` and from first prototypes of their own, and joins them.
    fn learn(&self, task: &Task<F>, start: Prototypes<F>, progress: &mut dyn Progress) -> Result<Fitted<F>> {
        let Task { training, train, .. } = *task;
        let starts = starts(training, self.settings.learners, train, start)?;
        learn_from(training, &self.settings, train, starts, self.tolerance, progress)
    }

    /// A few learners with fewer draws, and a machine that is solved less closely: trials only compare margins.
    fn trial(&self, samples: usize) -> Option<Box<dyn AnyLearner>> {
        let learners = self.settings.learners.min(TRIAL_LEARNERS);
        let draws = self.settings.draws.div_ceil(2).min(TRIAL_DRAWS * samples);
        let settings = Pnn { learners, draws, ..self.settings.clone() };
        Some(Box::new(Parametric { settings, tolerance: USUAL, more: self.settings.learners > learners }))
    }

    /// The margin with the fewest errors, and the widest of those in a tie. If more learners will be joined than were tried, the
    /// narrowest margin within one standard deviation of the fewest errors (the square root of a count). Wide margins make
    /// better learners, narrow margins more diverse ones, and diversity is worth more the more learners there are.
    fn pick(&self, errors: &[f64]) -> usize {
        let fewest = errors.iter().copied().fold(f64::INFINITY, f64::min);
        let bound = if self.more { fewest + fewest.sqrt() } else { fewest };
        let mut good = (0..errors.len()).filter(|&k| errors[k].is_finite() && errors[k] <= bound);
        let one = if self.more { good.next_back() } else { good.next() };
        one.unwrap_or(0)
    }
}

/// First prototypes of each learner, `start` being those of the first.
fn starts<F: Float>(
    t: &Training,
    learners: usize,
    train: &Dataset<F>,
    start: Prototypes<F>,
) -> Result<Vec<Prototypes<F>>> {
    let own = |l: u64| {
        let seed = t.start.seed.wrapping_add(l << 32);
        Start { seed, ..t.start.clone() }.prototypes(1, train)
    };
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
    let errors = Mutex::new(Vec::new());
    let bases: Vec<Option<Base<F>>> = watched_run(progress, |progress, stop| {
        let progress = Mutex::new(progress);
        let learn = |(l, start)| {
            let base = base(t, pnn, train, start, l, stop);
            let error = base.as_ref().map_or(1.0, |b| training_error(&b.prototypes, train));
            let mut errors = errors.lock().unwrap_or_else(PoisonError::into_inner);
            errors.push(error);
            progress.lock().unwrap_or_else(PoisonError::into_inner).epoch(&learned(&errors, pnn.learners));
            base
        };
        starts.into_par_iter().enumerate().with_max_len(1).map(learn).collect()
    });
    let stopped = if progress.cancelled() { Stopped::Interrupted } else { Stopped::Finished };
    let mut bases: Vec<Base<F>> =
        bases.into_iter().collect::<Option<_>>().ok_or(Error::Diverged { epoch: 1, value: f64::INFINITY })?;

    if pnn.learners == 1 {
        let base = bases.remove(0);
        let decision = base.classes.map(|(w, b)| -> Box<dyn Decision<F>> {
            let (weights, biases) = (w.into_iter().map(F::of).collect(), b.into_iter().map(F::of).collect());
            Box::new(Affine { weights, biases })
        });
        return Ok(alone(base.prototypes, decision, stopped, first, train));
    }
    progress.phase("joining the learners");
    let (prototypes, learner) = join(bases)?;
    let ensemble = machine(t, pnn, train, (&prototypes, learner), tolerance, progress)?;
    let stopped = if progress.cancelled() { Stopped::Interrupted } else { stopped };
    Ok(Fitted { decision: Some(Box::new(ensemble)), stopped, ..Fitted::as_is(prototypes, Box::new(Plain)) })
}

/// A single learner, or its start where that has the lower training error and no scores were learned.
fn alone<F: Float>(
    prototypes: Prototypes<F>,
    decision: Option<Box<dyn Decision<F>>>,
    stopped: Stopped,
    start: Prototypes<F>,
    train: &Dataset<F>,
) -> Fitted<F> {
    let kept_start = decision.is_none() && training_error(&prototypes, train) > training_error(&start, train);
    let prototypes = if kept_start { start } else { prototypes };
    Fitted { decision, stopped, kept_start, ..Fitted::as_is(prototypes, Box::new(Plain)) }
}

fn training_error<F: Float>(p: &Prototypes<F>, train: &Dataset<F>) -> f64 {
    nearest_error(&Space::euclidean(p.x.view()), &p.y, train)
}

/// What is told when one more of the learners is done; `errors` are their training errors, the latest last.
fn learned(errors: &[f64], of: usize) -> Epoch {
    let n = errors.len();
    let train_error = errors.iter().sum::<f64>() / n as f64;
    Epoch { epoch: n, of, gamma: 1.0, loss: errors[n - 1], train_error, valid_error: None }
}

/// One learner: rounds of prototypes and class weights. None where prototypes left the numbers.
fn base<F: Float>(
    t: &Training,
    pnn: &Pnn,
    train: &Dataset<F>,
    start: Prototypes<F>,
    number: usize,
    stop: Stop,
) -> Option<Base<F>> {
    let mut random = rng(t.start.seed, &format!("draws {number}"));
    let cancelled = || stop.raised();
    let few = train.sample(CALIBRATION_SAMPLES, t.start.seed, "calibration");
    let layout = ClassLayout::new(&start.y, train.n_classes());
    let d = Space::euclidean(start.x.view()).distances(few.x.view());
    let gamma = one_over_mean_own_distance(d.view(), &few.y, &layout);
    let mut rule = MarginRule::within(pnn.margin.unwrap_or(WIDEST) / gamma);
    let mut online = Moving::new(train, &start, t);
    let mut classes = None;
    for _ in 0..pnn.rounds {
        online.draw(
            pnn.draws,
            &mut rule,
            |done| t.descending.rate * t.descending.decay.at(done),
            &mut random,
            &cancelled,
        );
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
    let space = Space::euclidean(p.x.view());
    let labels = Labels { of: &p.y, classes: n_classes };
    let nearest: Vec<Vec<F>> = space.map(train.x.view(), |_, d| class_minima(d, labels));
    let d: Vec<f64> = nearest.iter().flatten().map(|d| d.f64() * gamma).collect();
    let mut theta = vec![0.0; 2 * n_classes];
    theta[..n_classes].fill(1.0);
    let mut problem = ClassWeights { d: &d, y: &train.y, n_classes };
    let mut optimizer = Lbfgs::new(1e-9);
    let minimizer = Minimizer::new(&mut problem, &mut optimizer);
    let mut run = Run::new(minimizer, Schedule::plain(STEPS), None, theta);
    run.go(&mut Silent);
    let theta = run.finish().theta;
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

impl Scheduled for ClassWeights<'_> {}

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
    let x = Array2::from_shape_vec((order.len(), dim), x)?;
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
) -> Result<Ensemble<F>> {
    let n_classes = train.n_classes();
    let space = Space::euclidean(prototypes.x.view());
    let labels = Labels { of: &prototypes.y, classes: n_classes };
    let codes = space.map(train.x.view(), |_, d| encode(pnn.code, d, labels, &learner));
    let mut rows = Rows::new(pnn.learners * n_classes);
    for code in codes {
        rows.push(code.into_iter().map(|(at, v)| (at as u32, v)))?;
    }
    let loss = match pnn.machine {
        Machine::CrammerSinger => svm::SvmLoss::CrammerSinger,
        Machine::OneVsRest => svm::SvmLoss::SquaredHinge,
    };
    let samples =
        Labelled { rows: &rows, y: &train.y, classes: n_classes, weights: train.weights.as_deref() };
    let svm = Svm { loss, seed: t.start.seed, tolerance, ..Svm::default() };
    let cancelled = || progress.cancelled();
    let svm = match pnn.penalty {
        Some(c) => Svm { c, ..svm }.fit(&samples, &cancelled)?,
        None => choose_c(&svm, &COSTS, HELD_OUT, &samples, &cancelled)?,
    };
    Ok(Ensemble {
        code: pnn.code,
        learner,
        weights: svm.weights.mapv(F::of),
        biases: svm.bias.into_iter().map(F::of).collect(),
    })
}

#[cfg(feature = "datasets")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::Trainer;
    use crate::catalog::{self, Part};

    fn glass() -> Dataset<f64> {
        catalog::load("glass", Part::All, None).unwrap()
    }

    /// The margin that was chosen is one of those tried, is recorded in the model, and gives the same model when it is set.
    #[test]
    fn a_margin_is_chosen_and_told() {
        for method in ["pnn", "epnn"] {
            let trainer = |margin: &str| {
                let mut trainer = Trainer::<f64>::named(method).unwrap();
                for (name, value) in [("per-class", "2"), ("draws", "500"), ("margin", margin)] {
                    trainer = trainer.set(name, value).unwrap();
                }
                if method == "epnn" { trainer.set("learners", "3").unwrap() } else { trainer }
            };
            let model = trainer("none").fit(&glass()).unwrap();
            let chosen = &model.provenance().settings["margin"];
            assert!(MARGINS.contains(&chosen.as_str()), "{chosen}");
            assert_eq!(trainer(chosen).fit(&glass()).unwrap().prototypes(), model.prototypes());
        }
    }

    #[test]
    fn many_learners_take_the_narrowest_margin_that_is_not_clearly_worse() {
        let pick = |errors: &[f64], more| {
            let learner = Parametric { more, ..Parametric::new(Pnn::default()) };
            Learner::<f64>::pick(&learner, errors)
        };
        assert_eq!((pick(&[100.0, 110.0, 111.0], false), pick(&[100.0, 110.0, 111.0], true)), (0, 1));
        assert_eq!((pick(&[9.0, 9.0, 13.0], false), pick(&[9.0, 9.0, 13.0], true)), (0, 1));
        // Trials that failed say nothing, and an interrupt may come before the first.
        assert_eq!((pick(&[f64::INFINITY; 3], true), pick(&[], true)), (0, 0));
    }
}
