//! Learning by online rules, which move prototypes after every sample.
//!
//! Prototypes are kept in panels of [`STRETCH`], each transposed (`dim × STRETCH`), so that the distances of a sample to all of
//! them are one pass over contiguous numbers; a move writes one column of a panel.

use super::super::Training;
use super::super::check::check_range;
use super::super::problem::Noise;
use super::descent::deviation;
use super::{AnyLearner, Facts, Fitted, Learner, Task};
use crate::data::ClassLayout;
use crate::init::Prototypes;
use crate::kernel::{Kernel, simd, smallest};
use crate::metric::{Plain, Space};
use crate::model::nearest_error;
use crate::objective::Sample;
use crate::optim::{
    Batches, Judge, Moment, OptimizerState, Outcome, ProblemState, Run, RunResult, Schedule, StepResult,
    Stepper, StepperState,
};
use crate::progress::{Progress, Stopped};
use crate::rule::{AnyRule, OnlineRule};
use crate::{Dataset, Float, Result};
use ndarray::Array2;
use rand::RngExt;

/// Passes over the samples that online rules make unless told otherwise: enough to move every prototype many times, few
/// enough that rules without an objective do not run away.
const EPOCHS: usize = 30;
/// Samples between two checks for cancellation.
const BETWEEN_POLLS: usize = 1024;

/// Moves prototypes by a rule.
pub(crate) struct Online(pub Box<dyn AnyRule>);

impl Online {
    /// What is known of it.
    pub const FACTS: Facts = Facts { name: "online", resumes: true, ..Facts::NONE };
}

impl AnyLearner for Online {}

impl<F: Float> Learner<F> for Online {
    fn learn(&self, task: &Task<F>, start: Prototypes<F>, progress: &mut dyn Progress) -> Result<Fitted<F>> {
        run(task, F::pick_mut(&mut *self.0.copy()), start, progress)
    }
}

/// Runs a rule over shuffled samples, epoch by epoch.
fn run<F: Float>(
    task: &Task<F>,
    rule: &mut dyn OnlineRule<F>,
    start: Prototypes<F>,
    progress: &mut dyn Progress,
) -> Result<Fitted<F>> {
    progress.phase("training");
    let Task { training: t, train, .. } = *task;
    let stepper = Steps::new(Moving::new(train, &start, t), rule, t.descending.rate);
    let theta = start.x.iter().map(|v| v.f64()).collect();
    let mut run = Run::new(stepper, schedule(t, train.len()), Some(judge(task, &start)), theta);
    run.go(progress);
    Ok(settle(task, start, run.finish().with_report()?))
}

/// Epochs over `n` shuffled samples.
fn schedule(t: &Training, n: usize) -> Schedule {
    let decay = t.descending.decay;
    Schedule::Batches(Batches {
        items: n,
        size: BETWEEN_POLLS,
        epochs: t.descending.epochs.unwrap_or(EPOCHS),
        gamma: 1.0,
        growth: 1.0,
        decay: Box::new(move |done| decay.at(done)),
        average: 0.0,
        seed: t.start.seed,
    })
}

/// Judges iterates by the validation error and keeps the lowest; without validation samples, reports the training error
/// and keeps the last iterate.
fn judge<'a, F: Float>(task: &Task<'a, F>, start: &Prototypes<F>) -> Judge<'a> {
    let (data, valid, like) = (task.valid.unwrap_or(task.train), task.valid.is_some(), start.clone());
    let error = move |theta: &[f64]| unflatten(theta, &like).map_or(f64::INFINITY, |p| error_on(data, &p));
    Judge {
        error: Box::new(error),
        on_training: !valid,
        keeps_lowest: valid,
        renews_on_ties: true,
        patience: task.training.judging.patience,
    }
}

fn error_on<F: Float>(data: &Dataset<F>, p: &Prototypes<F>) -> f64 {
    nearest_error(&Space::euclidean(p.x.view()), &p.y, data)
}

/// The iterate with the lowest validation error; without validation samples the last, or the start if that has the lower
/// training error.
fn settle<F: Float>(task: &Task<F>, start: Prototypes<F>, result: RunResult) -> Fitted<F> {
    let RunResult { theta, history, stopped, .. } = result;
    let better = |found: &Prototypes<F>| {
        task.valid.is_some()
            || (stopped != Stopped::Diverged && error_on(task.train, found) <= error_on(task.train, &start))
    };
    let (prototypes, kept_start) = match unflatten(&theta, &start).filter(better) {
        Some(found) => {
            let same = task.valid.is_some() && found == start;
            (found, same)
        }
        None => (start, true),
    };
    Fitted { history, stopped, kept_start, ..Fitted::as_is(prototypes, Box::new(Plain)) }
}

/// Prototypes at `theta` with the labels of others; none if distances to them would overflow.
fn unflatten<F: Float>(theta: &[f64], like: &Prototypes<F>) -> Option<Prototypes<F>> {
    let x = Array2::from_shape_vec(like.x.dim(), theta.iter().map(|&v| F::of(v)).collect()).ok()?;
    sound(&x).then(|| Prototypes { x, y: like.y.clone() })
}

/// Whether squared distances to these prototypes are finite numbers.
fn sound<F: Float>(x: &Array2<F>) -> bool {
    x.iter().all(|v| v.f64().is_finite()) && check_range(x.view()).is_ok()
}

/// Steps of an online rule: each goes through the samples of one mini-batch.
struct Steps<'a, F: Float> {
    moving: Moving<'a, F>,
    rule: &'a mut dyn OnlineRule<F>,
    rate: f64,
    /// Samples that had been nearer to another class, and all that were seen, since the last report.
    wrong: usize,
    seen: usize,
}

impl<'a, F: Float> Steps<'a, F> {
    fn new(moving: Moving<'a, F>, rule: &'a mut dyn OnlineRule<F>, rate: f64) -> Self {
        Steps { moving, rule, rate, wrong: 0, seen: 0 }
    }
}

impl<F: Float> Stepper for Steps<'_, F> {
    fn parameters(&self) -> usize {
        self.moving.m * self.moving.train.dim()
    }

    fn step(&mut self, theta: &mut [f64], moment: &Moment) -> StepResult {
        self.moving.set(theta);
        let items = moment.items.unwrap_or_default();
        for (k, &i) in items.iter().enumerate() {
            self.moving.see(i, self.rule, self.rate * moment.rate_at(k));
            self.wrong += usize::from(self.moving.was_wrong(i));
        }
        self.seen += items.len();
        let x = self.moving.coordinates();
        theta.iter_mut().zip(&x).for_each(|(t, v)| *t = v.f64());
        // Prototypes may leave the range and come back within an epoch: what counts is where they are at its end.
        if moment.reports && !sound(&x) {
            return StepResult { value: f64::INFINITY, outcome: Outcome::Diverged };
        }
        StepResult { value: self.wrong as f64 / self.seen as f64, outcome: Outcome::Moved }
    }

    /// The loss of a rule is its share of mistakes.
    fn take_seen(&mut self) -> (f64, f64) {
        let passing = self.wrong as f64 / self.seen as f64;
        (self.wrong, self.seen) = (0, 0);
        (passing, passing)
    }

    fn state(&self) -> StepperState {
        let noise = self.moving.noise.as_ref().map(|n| ("noise".to_string(), n.rng.clone()));
        let (wrong, weight) = (self.wrong as f64, self.seen as f64);
        StepperState {
            optimizer: OptimizerState::default().vector("rates", &self.rule.state()),
            problem: ProblemState { wrong, weight, random: noise.into_iter().collect() },
            loss: wrong,
            items: weight,
        }
    }

    fn restore(&mut self, state: &StepperState) -> Result<()> {
        (self.wrong, self.seen) = (state.problem.wrong as usize, state.problem.weight as usize);
        self.rule.restore(&state.optimizer.get_vector("rates")?);
        if let Some(noise) = &mut self.moving.noise {
            noise.rng = state.problem.random("noise")?;
        }
        Ok(())
    }
}

/// Prototypes that are being moved.
pub(super) struct Moving<'a, F: Float> {
    train: &'a Dataset<F>,
    classes: ClassLayout,
    noise: Option<Noise<F>>,
    mean_weight: f64,
    /// Panels of `dim × STRETCH`, the last one filled up with zeros.
    panels: Vec<F>,
    m: usize,
    /// Distances of the sample that was seen last, those to the filling included.
    d: Vec<F>,
    x: Vec<F>,
}

impl<'a, F: Float> Moving<'a, F> {
    pub fn new(train: &'a Dataset<F>, start: &Prototypes<F>, t: &Training) -> Self {
        let (m, dim) = start.x.dim();
        let deviation =
            if t.descending.noise() > 0.0 { t.descending.noise() * deviation(train.x.view()) } else { 0.0 };
        let weights = train.weights.as_ref().map_or(train.len() as f64, |w| w.iter().sum());
        let mut moving = Moving {
            train,
            classes: ClassLayout::new(&start.y, train.n_classes()),
            noise: (deviation > 0.0).then(|| Noise::new(deviation, train.len(), dim, t.start.seed)),
            mean_weight: weights / train.len() as f64,
            panels: vec![F::zero(); m.next_multiple_of(STRETCH) * dim],
            m,
            d: vec![F::zero(); m.next_multiple_of(STRETCH)],
            x: Vec::new(),
        };
        for (j, row) in start.x.rows().into_iter().enumerate() {
            column(&mut moving.panels, j, dim).zip(row).for_each(|(p, &v)| *p = v);
        }
        moving
    }

    /// Puts the prototypes where `theta` has them, row by row.
    fn set(&mut self, theta: &[f64]) {
        let dim = self.train.dim();
        for (j, row) in theta.chunks_exact(dim).enumerate() {
            column(&mut self.panels, j, dim).zip(row).for_each(|(p, &v)| *p = F::of(v));
        }
    }

    /// The prototypes as they are, even if they have diverged.
    fn coordinates(&self) -> Array2<F> {
        let dim = self.train.dim();
        Array2::from_shape_fn((self.m, dim), |(j, f)| self.panels[place(j, dim) + f * STRETCH])
    }

    /// Whether the sample that was learned last, the `i`-th, had been nearer to another class.
    fn was_wrong(&self, i: usize) -> bool {
        let d = &self.d[..self.m];
        smallest(d) < smallest(&d[self.classes.range(self.train.y[i])])
    }

    /// Learns one sample.
    fn see(&mut self, i: usize, rule: &mut dyn OnlineRule<F>, rate: f64) {
        let weight = self.train.weight(i) / self.mean_weight;
        self.x.clear();
        match self.train.x.row(i).as_slice() {
            Some(row) => self.x.extend_from_slice(row),
            None => self.x.extend(self.train.x.row(i)),
        }
        if let Some(noise) = &mut self.noise {
            let dim = self.x.len();
            self.x.iter_mut().zip(noise.row(dim)).for_each(|(x, &e)| *x += e);
        }
        let (dim, y) = (self.x.len(), self.train.y[i]);
        simd::run(Distances { x: &self.x, panels: &self.panels, d: &mut self.d });
        let sample = Sample { d: &self.d[..self.m], y, classes: &self.classes, gamma: F::one() };
        for step in rule.moves(&sample, rate).into_iter().flatten() {
            // A heavy sample counts like several light ones, but a step never passes the sample.
            let share = F::of((step.step * weight).clamp(-1.0, 1.0));
            for (&x, p) in self.x.iter().zip(column(&mut self.panels, step.prototype, dim)) {
                *p += share * (x - *p);
            }
        }
    }

    /// Learns `draws` samples drawn with replacement; returns early when `cancelled`.
    pub fn draw(
        &mut self,
        draws: usize,
        rule: &mut dyn OnlineRule<F>,
        rate: impl Fn(f64) -> f64,
        rng: &mut impl rand::Rng,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) {
        for s in 0..draws {
            if s % BETWEEN_POLLS == 0 && cancelled() {
                return;
            }
            let i = rng.random_range(0..self.train.len());
            self.see(i, rule, rate(s as f64 / draws as f64));
        }
    }

    /// The prototypes as they are; none if distances to them would overflow.
    pub fn prototypes(&self) -> Option<Prototypes<F>> {
        let x = self.coordinates();
        sound(&x).then(|| Prototypes { x, y: self.classes.of().to_vec() })
    }
}

/// Prototypes whose distances are summed together: enough sums that they do not wait for each other, few enough that they stay in
/// registers and that little is filled up.
const STRETCH: usize = 32;

/// Index of a prototype's first feature in the panels; the others follow at steps of [`STRETCH`].
fn place(prototype: usize, dim: usize) -> usize {
    prototype / STRETCH * STRETCH * dim + prototype % STRETCH
}

/// The features of a prototype.
fn column<F>(panels: &mut [F], prototype: usize, dim: usize) -> impl Iterator<Item = &mut F> {
    panels[place(prototype, dim)..].iter_mut().step_by(STRETCH).take(dim)
}

/// Squared distances of one sample to prototypes that are stored in panels.
struct Distances<'a, F> {
    x: &'a [F],
    panels: &'a [F],
    d: &'a mut [F],
}

impl<F: Float> Kernel for Distances<'_, F> {
    type Output = ();

    /// Squares of differences, not products, which would lose small distances by cancellation. Products are about as fast at 16
    /// features, but took up to a third less at 256.
    #[inline(always)]
    fn run(self) {
        let panels = self.panels.chunks_exact(self.x.len() * STRETCH);
        for (panel, d) in panels.zip(self.d.chunks_exact_mut(STRETCH)) {
            // The sums stay in registers while the features go by.
            let mut sums = [F::zero(); STRETCH];
            for (&x, p) in self.x.iter().zip(panel.chunks_exact(STRETCH)) {
                for (s, &p) in sums.iter_mut().zip(p) {
                    let t = x - p;
                    *s = t.fused(t, *s);
                }
            }
            d.copy_from_slice(&sums);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Descending;
    use super::*;
    use crate::optim::RunState;
    use crate::progress::Silent;
    use crate::rule::{Lvq3, MarginRule, Olvq1};
    use ndarray::Array1;

    /// Panels that are full, and one that is not: distances are those of a plain loop, and prototypes come back as they were.
    #[test]
    fn panels_hold_the_prototypes_and_give_their_distances() {
        for m in [1, 31, 32, 33, 70] {
            let x = Array2::from_shape_fn((m, 3), |(j, f)| (j * 7 + f * 5) as f64 % 11.0);
            let start = Prototypes { x, y: vec![0; m] };
            let train = Dataset::new(ndarray::array![[1.0, -2.0, 0.5]], vec![0], vec!["a".into()]).unwrap();
            let t = Training::default();
            let mut online = Moving::new(&train, &start, &t);
            assert_eq!(online.prototypes().unwrap(), start);
            let x: Array1<f64> = ndarray::array![1.0, -2.0, 0.5];
            simd::run(Distances { x: &x.to_vec(), panels: &online.panels, d: &mut online.d });
            let plain = start.x.rows().into_iter().map(|p| (&x - &p).mapv(|v| v * v).sum());
            assert_eq!(online.d[..m], plain.collect::<Vec<_>>());
        }
    }

    /// Interrupts after so many mini-batches.
    struct After(std::sync::atomic::AtomicUsize);

    impl Progress for After {
        fn cancelled(&self) -> bool {
            let relaxed = std::sync::atomic::Ordering::Relaxed;
            self.0.fetch_update(relaxed, relaxed, |left| left.checked_sub(1)).is_err()
        }
    }

    /// Between epochs and within them, with noise, for rules that remember something and those that do not.
    #[test]
    fn a_saved_run_of_a_rule_goes_on_as_if_it_had_never_been_interrupted() {
        let n = 2 * BETWEEN_POLLS + 100;
        let y: Vec<usize> = (0..n).map(|i| i % 3).collect();
        let x = Array2::from_shape_fn((n, 3), |(i, f)| ((i * 17 + f * 5) as f32).sin() + (y[i] * f) as f32);
        let train = Dataset::new(x, y, ["a", "b", "c"].map(String::from).into()).unwrap();
        let start =
            Prototypes { x: train.x.slice(ndarray::s![..6, ..]).to_owned(), y: vec![0, 0, 1, 1, 2, 2] };
        let descending = Descending { epochs: Some(3), noise: Some(0.2), ..Descending::default() };
        let t = Training { descending, ..Training::default() };
        let task =
            Task { training: &t, train: &train, valid: None, matrix: None, metric: None, images: None };
        let rules: [Box<dyn AnyRule>; 3] =
            [Box::new(Olvq1::default()), Box::new(Lvq3::default()), Box::new(MarginRule::within(0.5))];
        for (number, rule) in rules.iter().enumerate() {
            let go = |state: Option<RunState>, progress: &mut dyn Progress| {
                let mut rule = rule.copy();
                let stepper =
                    Steps::new(Moving::new(&train, &start, &t), f32::pick_mut(&mut *rule), t.descending.rate);
                let (schedule, judge) = (schedule(&t, n), Some(judge(&task, &start)));
                let mut run = match state {
                    Some(state) => Run::from_state(stepper, schedule, judge, state).unwrap(),
                    None => {
                        Run::new(stepper, schedule, judge, start.x.iter().map(|&v| f64::from(v)).collect())
                    }
                };
                run.go(progress);
                (run.state(), run.finish())
            };
            let whole = go(None, &mut Silent);
            assert_eq!((whole.1.history.len(), whole.1.stopped), (3, Stopped::Finished));
            assert_ne!(whole.1.theta, go(None, &mut After(8.into())).1.theta);
            for steps in [0, 1, 2, 3, 4, 8] {
                let half = go(None, &mut After(steps.into())).0;
                assert_eq!(half.stopped, Some(Stopped::Interrupted));
                let half: RunState = serde_json::from_str(&serde_json::to_string(&half).unwrap()).unwrap();
                assert!(go(Some(half), &mut Silent) == whole, "rule {number} after {steps} mini-batches");
            }
        }
    }
}
