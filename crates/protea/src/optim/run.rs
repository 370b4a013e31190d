//! The one loop of learning: steps under a schedule, with everything that it needs to go on under a name.
//!
//! ```text
//! while the schedule has a next step, and nobody interrupts:
//!     step; diverged? end
//!     add θ to the mean, at the end of the schedule
//!     at the end of an epoch (mini-batches) or after every step (full batch):
//!         judge the iterate, keep the best, report; patience exhausted? end
//!     go on to the next step, epoch or value of γ
//! ```
//! [`Run::state`] between any two steps and [`Run::from_state`] give the same final θ, bit for bit, as a run that was never
//! interrupted. The loop sees no data: a mini-batch is a list of item numbers that the [`Stepper`] understands.

use super::{Optimizer, OptimizerState, Outcome, Problem, StepResult};
use crate::progress::{Epoch, Progress, Stopped};
use crate::{Error, Result, rng};
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A random number generator whose state can be saved.
pub type Random = Xoshiro256PlusPlus;

/// When γ and the step size change, what a step sees, and when a run ends.
pub enum Schedule {
    /// Epochs of shuffled mini-batches.
    Batches(Batches),
    /// A list of γ: at each, full-batch steps until the optimizer has converged.
    Ladder {
        /// The values.
        gammas: Vec<f64>,
        /// Most steps at each.
        most: usize,
        /// Steps planned, as reports tell them.
        of: usize,
    },
}

/// Mini-batches: γ grows geometrically while the step size decays.
pub struct Batches {
    /// Items of an epoch.
    pub items: usize,
    /// Items of a mini-batch.
    pub size: usize,
    /// Passes over the items.
    pub epochs: usize,
    /// First γ.
    pub gamma: f64,
    /// Last γ, as a factor on the first.
    pub growth: f64,
    /// Factor on the step size, by the share of the schedule that is done.
    pub decay: Box<dyn Fn(f64) -> f64>,
    /// Share of the steps, at the end, whose iterates are averaged.
    pub average: f64,
    /// Seed of the shuffling.
    pub seed: u64,
}

impl Schedule {
    /// Each of these γ, for this many steps at most.
    pub fn ladder(gammas: Vec<f64>, most: usize) -> Self {
        let of = gammas.len() * most;
        Schedule::Ladder { gammas, most, of }
    }

    /// One descent of this many steps at most.
    pub fn plain(most: usize) -> Self {
        Schedule::ladder(vec![1.0], most)
    }

    fn is_empty(&self) -> bool {
        match self {
            Schedule::Batches(b) => b.items == 0 || b.epochs == 0,
            Schedule::Ladder { gammas, most, .. } => gammas.is_empty() || *most == 0,
        }
    }

    /// Whether a run can be there.
    fn contains(&self, at: Position) -> bool {
        match self {
            Schedule::Batches(b) => at.round < b.epochs && at.step < b.steps(),
            Schedule::Ladder { gammas, most, .. } => at.round < gammas.len() && at.step < *most,
        }
    }

    /// Epochs or steps planned.
    fn of(&self) -> usize {
        match self {
            Schedule::Batches(b) => b.epochs,
            Schedule::Ladder { of, .. } => *of,
        }
    }

    fn moment<'a>(&'a self, at: Position, order: &'a [usize]) -> Moment<'a> {
        match self {
            Schedule::Batches(b) => b.moment(at, order),
            Schedule::Ladder { gammas, .. } => Moment {
                gamma: gammas[at.round],
                items: None,
                fresh: at.step == 0,
                reports: true,
                averages: false,
                rate: 1.0,
                within: None,
            },
        }
    }

    /// The position after a step, or why the run ends with it.
    fn after(&self, at: Position, outcome: Outcome) -> std::result::Result<Position, Stopped> {
        let (rounds, steps) = match self {
            Schedule::Batches(b) => (b.epochs, b.steps()),
            Schedule::Ladder { gammas, most, .. } => (gammas.len(), *most),
        };
        let ladder = matches!(self, Schedule::Ladder { .. });
        let converged = ladder && outcome != Outcome::Moved;
        let next = if converged || at.step + 1 == steps {
            Position { round: at.round + 1, step: 0 }
        } else {
            Position { step: at.step + 1, ..at }
        };
        match next.round < rounds {
            true => Ok(next),
            false if ladder && !converged => Err(Stopped::Unconverged),
            false => Err(Stopped::Finished),
        }
    }
}

impl Batches {
    /// Mini-batches of an epoch.
    fn steps(&self) -> usize {
        self.items.div_ceil(self.size)
    }

    fn moment<'a>(&'a self, at: Position, order: &'a [usize]) -> Moment<'a> {
        let (steps, first) = (self.steps(), at.step * self.size);
        let t = (at.round * steps + at.step) as f64 / (self.epochs * steps) as f64;
        Moment {
            gamma: self.gamma * self.growth.powf(t),
            items: Some(&order[first..(first + self.size).min(order.len())]),
            fresh: false,
            reports: at.step + 1 == steps,
            averages: t >= 1.0 - self.average,
            rate: (self.decay)(t),
            within: Some((self, at.round * self.items + first)),
        }
    }
}

/// What the schedule says to one step.
pub struct Moment<'a> {
    /// γ of this step.
    pub gamma: f64,
    /// Factor on the step size.
    pub rate: f64,
    /// The mini-batch, in the order in which to see its items; none means all items.
    pub items: Option<&'a [usize]>,
    /// Whether this is the first step at another function, of which nothing is known yet.
    pub fresh: bool,
    /// Whether the iterate is judged and reported after this step.
    pub reports: bool,
    averages: bool,
    /// The mini-batches, and the items seen before this one since the run began.
    within: Option<(&'a Batches, usize)>,
}

impl Moment<'_> {
    /// Factor on the step size for the `k`-th item of the mini-batch, for those that step after every item.
    pub fn rate_at(&self, k: usize) -> f64 {
        match self.within {
            Some((b, before)) => (b.decay)((before + k) as f64 / (b.epochs * b.items) as f64),
            None => self.rate,
        }
    }
}

/// What moves θ, one step at a time.
pub trait Stepper {
    /// Length of θ.
    fn parameters(&self) -> usize;

    /// Moves `theta`.
    fn step(&mut self, theta: &mut [f64], moment: &Moment) -> StepResult;

    /// Mean loss and share of mistakes in the steps since it was last asked.
    fn take_seen(&mut self) -> (f64, f64);

    /// What the next step depends on besides θ and the schedule.
    fn state(&self) -> StepperState;

    /// Goes on from a saved state.
    ///
    /// # Errors
    /// When the state lacks something.
    fn restore(&mut self, state: &StepperState) -> Result<()>;
}

/// What a [`Stepper`] remembers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StepperState {
    /// Of the optimizer, or of the rule that moves θ.
    pub optimizer: OptimizerState,
    /// Of what it is applied to.
    pub problem: ProblemState,
    /// Sum of the loss over `items`, since it was last reported.
    pub loss: f64,
    /// Items in that sum.
    pub items: f64,
}

/// What a problem remembers between evaluations.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ProblemState {
    /// Weight of the mistakes since they were last reported.
    pub wrong: f64,
    /// Weight of all items seen since.
    pub weight: f64,
    /// Random generators by purpose.
    pub random: BTreeMap<String, Random>,
}

impl ProblemState {
    /// The generator of this purpose.
    ///
    /// # Errors
    /// When there is none.
    pub fn random(&self, purpose: &str) -> Result<Random> {
        let found = self.random.get(purpose).cloned();
        found.ok_or_else(|| Error::data(format!("the saved state has no random numbers for {purpose:?}")))
    }
}

/// A problem that takes part in a schedule.
pub trait Scheduled: Problem {
    /// Sets the inverse temperature.
    fn set_gamma(&mut self, _gamma: f64) {}

    /// From here on evaluates over these items only.
    fn set_items(&mut self, _items: &[usize]) {}

    /// Share of mistakes in the evaluations since it was last asked.
    fn take_error(&mut self) -> f64 {
        0.0
    }

    /// What it remembers between evaluations.
    fn state(&self) -> ProblemState {
        ProblemState::default()
    }

    /// Goes on from a saved state.
    ///
    /// # Errors
    /// When the state lacks something.
    fn restore(&mut self, _state: &ProblemState) -> Result<()> {
        Ok(())
    }
}

/// Steps of an optimizer on a problem.
pub struct Minimizer<'a, P> {
    problem: &'a mut P,
    optimizer: &'a mut dyn Optimizer,
    /// Sum of the loss over items, and their number, since it was last reported.
    loss: (f64, f64),
}

impl<'a, P: Scheduled> Minimizer<'a, P> {
    /// Minimises `problem` by `optimizer`.
    pub fn new(problem: &'a mut P, optimizer: &'a mut dyn Optimizer) -> Self {
        Minimizer { problem, optimizer, loss: (0.0, 0.0) }
    }
}

impl<P: Scheduled> Stepper for Minimizer<'_, P> {
    fn parameters(&self) -> usize {
        self.problem.groups().last().map_or(0, |(range, _)| range.end)
    }

    fn step(&mut self, theta: &mut [f64], moment: &Moment) -> StepResult {
        self.problem.set_gamma(moment.gamma);
        if moment.fresh {
            self.optimizer.reset();
        }
        if let Some(items) = moment.items {
            self.optimizer.set_rate(moment.rate);
            self.problem.set_items(items);
        }
        let result = self.optimizer.step(self.problem, theta);
        if result.outcome != Outcome::Diverged {
            let items = moment.items.map_or(1.0, |items| items.len() as f64);
            self.loss.0 += result.value * items;
            self.loss.1 += items;
        }
        result
    }

    fn take_seen(&mut self) -> (f64, f64) {
        let (loss, items) = std::mem::take(&mut self.loss);
        (loss / items, self.problem.take_error())
    }

    fn state(&self) -> StepperState {
        let (loss, items) = self.loss;
        StepperState { optimizer: self.optimizer.state(), problem: self.problem.state(), loss, items }
    }

    fn restore(&mut self, state: &StepperState) -> Result<()> {
        self.loss = (state.loss, state.items);
        self.optimizer.restore(&state.optimizer)?;
        self.problem.restore(&state.problem)
    }
}

/// An error as a function of θ.
pub type ErrorOf<'a> = dyn FnMut(&[f64]) -> f64 + 'a;

/// What judges iterates.
pub struct Judge<'a> {
    /// Error as a function of θ.
    pub error: Box<ErrorOf<'a>>,
    /// Whether that is the error on the training samples themselves; otherwise it is a validation error.
    pub on_training: bool,
    /// Whether the iterate with the lowest error is returned; otherwise the last.
    pub keeps_lowest: bool,
    /// Whether an error equal to the lowest ends the wait for a better one.
    pub renews_on_ties: bool,
    /// Reports without a lower validation error after which the run ends.
    pub patience: Option<usize>,
}

/// The iterate to return: the one with the lowest error by the judge (the latest of several), or the last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Best {
    /// The iterate.
    pub theta: Vec<f64>,
    /// Lowest error so far; none without a judge.
    pub error: Option<f64>,
    /// Reports since the error was lowered.
    pub age: usize,
}

impl Best {
    fn new(theta: &[f64], judge: Option<&mut Judge>) -> Self {
        let error = judge.map(|j| (j.error)(theta)).filter(|e| e.is_finite());
        Best { theta: theta.to_vec(), error, age: 0 }
    }

    /// Takes the iterate into account and gives its error.
    fn offer(&mut self, theta: &[f64], judge: Option<&mut Judge>) -> Option<f64> {
        let Some(judge) = judge else {
            self.theta.copy_from_slice(theta);
            return None;
        };
        let error = (judge.error)(theta);
        let lowest = self.error.unwrap_or(f64::INFINITY);
        let renewed = error < lowest || (error == lowest && judge.renews_on_ties);
        self.age = if renewed { 0 } else { self.age + 1 };
        if error <= lowest || !judge.keeps_lowest {
            self.theta.copy_from_slice(theta);
        }
        if error < lowest {
            self.error = Some(error);
        }
        Some(error)
    }
}

/// Mean of the iterates added so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    /// The mean; empty before the first.
    pub theta: Vec<f64>,
    /// How many.
    pub n: f64,
}

impl Mean {
    fn add(&mut self, theta: &[f64]) {
        self.theta.resize(theta.len(), 0.0);
        self.n += 1.0;
        self.theta.iter_mut().zip(theta).for_each(|(mean, t)| *mean += (t - *mean) / self.n);
    }

    /// The mean, or `theta` before the first was added.
    fn or<'a>(&'a self, theta: &'a [f64]) -> &'a [f64] {
        if self.n > 0.0 { &self.theta } else { theta }
    }
}

/// The next step of a schedule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// Epoch, or which γ of the ladder, from 0.
    pub round: usize,
    /// Mini-batch of the epoch, or step at this γ, from 0.
    pub step: usize,
}

/// Everything that a run needs to go on, besides what it was made with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    /// The present iterate.
    pub theta: Vec<f64>,
    /// The next step.
    pub position: Position,
    /// Items in the order of this epoch; empty for full-batch schedules.
    pub order: Vec<usize>,
    /// What shuffles them.
    pub shuffle: Random,
    /// The iterate to return.
    pub best: Best,
    /// Mean of the last iterates.
    pub mean: Mean,
    /// Reports so far.
    pub history: Vec<Epoch>,
    /// Why the run ended; none while it goes on.
    pub stopped: Option<Stopped>,
    /// Optimizer and problem.
    pub stepper: StepperState,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    /// The best iterate by the judge, or the last.
    pub theta: Vec<f64>,
    /// Reports.
    pub history: Vec<Epoch>,
    /// Why it ended.
    pub stopped: Stopped,
    /// The value at which it diverged.
    pub diverged: Option<f64>,
}

impl RunResult {
    /// Refuses a run that diverged before its first report: there is nothing to return.
    ///
    /// # Errors
    /// [`Error::Diverged`].
    pub fn with_report(self) -> Result<Self> {
        match self.diverged {
            Some(value) if self.history.is_empty() => Err(Error::Diverged { epoch: 1, value }),
            _ => Ok(self),
        }
    }
}

/// A run of steps under a schedule.
pub struct Run<'a, S> {
    stepper: S,
    schedule: Schedule,
    judge: Option<Judge<'a>>,
    /// Its part `stepper` is filled in when the state is asked for.
    now: RunState,
    diverged: Option<f64>,
}

impl<'a, S: Stepper> Run<'a, S> {
    /// From `theta` on. A judge sees it first: it is the first candidate.
    pub fn new(stepper: S, schedule: Schedule, mut judge: Option<Judge<'a>>, theta: Vec<f64>) -> Self {
        let (items, seed) = match &schedule {
            Schedule::Batches(b) => (b.items, b.seed),
            Schedule::Ladder { .. } => (0, 0),
        };
        let now = RunState {
            position: Position::default(),
            order: (0..items).collect(),
            shuffle: rng(seed, "batches"),
            best: Best::new(&theta, judge.as_mut()),
            mean: Mean::default(),
            history: Vec::new(),
            stopped: schedule.is_empty().then_some(Stopped::Finished),
            stepper: StepperState::default(),
            theta,
        };
        Run { stepper, schedule, judge, now, diverged: None }
    }

    /// Goes on after these reports of earlier runs.
    pub fn after(mut self, history: Vec<Epoch>) -> Self {
        self.now.history = history;
        self
    }

    /// Continues a saved run. Stepper, schedule and judge must be made as they were for that run. A run that was interrupted
    /// can go on.
    ///
    /// # Errors
    /// When the state does not fit them.
    pub fn from_state(
        mut stepper: S,
        schedule: Schedule,
        judge: Option<Judge<'a>>,
        mut state: RunState,
    ) -> Result<Self> {
        let (n, items) =
            (stepper.parameters(), if let Schedule::Batches(b) = &schedule { b.items } else { 0 });
        let lengths = [state.theta.len(), state.best.theta.len()];
        if lengths != [n; 2] || (state.mean.n > 0.0 && state.mean.theta.len() != n) {
            return Err(Error::data(format!(
                "the saved run does not have {n} parameters, as the problem does"
            )));
        }
        if state.order.len() != items || state.order.iter().any(|&i| i >= items) {
            return Err(Error::data(format!(
                "the saved run does not have {items} items, as the problem does"
            )));
        }
        state.stopped = state.stopped.filter(|s| *s != Stopped::Interrupted);
        if state.stopped.is_none() && !schedule.contains(state.position) {
            return Err(Error::data("the saved run is at a step that the schedule does not have"));
        }
        stepper.restore(&state.stepper)?;
        Ok(Run { stepper, schedule, judge, now: state, diverged: None })
    }

    /// Everything needed to go on from here.
    pub fn state(&self) -> RunState {
        RunState { stepper: self.stepper.state(), ..self.now.clone() }
    }

    /// Steps until the run ends or is interrupted.
    pub fn go(&mut self, progress: &mut dyn Progress) -> Stopped {
        loop {
            if let Some(stopped) = self.now.stopped {
                return stopped;
            }
            self.now.stopped =
                if progress.cancelled() { Some(Stopped::Interrupted) } else { self.step(progress) };
        }
    }

    /// The iterate to return; that of an interrupted run may be its present one.
    pub fn finish(mut self) -> RunResult {
        let stopped = self.now.stopped.unwrap_or(Stopped::Interrupted);
        if stopped == Stopped::Interrupted {
            self.judged();
        }
        let RunState { best, history, .. } = self.now;
        RunResult { theta: best.theta, history, stopped, diverged: self.diverged }
    }

    /// One step, and why the run ends with it.
    fn step(&mut self, progress: &mut dyn Progress) -> Option<Stopped> {
        let now = &mut self.now;
        if now.position.step == 0 {
            now.order.shuffle(&mut now.shuffle);
        }
        let moment = self.schedule.moment(now.position, &now.order);
        let (gamma, reports) = (moment.gamma, moment.reports);
        let result = self.stepper.step(&mut now.theta, &moment);
        if result.outcome == Outcome::Diverged {
            self.diverged = Some(result.value);
            return Some(Stopped::Diverged);
        }
        if moment.averages {
            now.mean.add(&now.theta);
        }
        if reports && self.report(gamma, progress) {
            return Some(Stopped::Early);
        }
        match self.schedule.after(self.now.position, result.outcome) {
            Ok(next) => self.now.position = next,
            Err(stopped) => return Some(stopped),
        }
        None
    }

    /// Judges and reports the present iterate; returns whether patience is exhausted.
    fn report(&mut self, gamma: f64, progress: &mut dyn Progress) -> bool {
        let (loss, passing) = self.stepper.take_seen();
        let error = self.judged();
        let (train_error, valid_error) = match &self.judge {
            Some(judge) if judge.on_training => (error.unwrap_or(passing), None),
            _ => (passing, error),
        };
        let (epoch, of) = (self.now.history.len() + 1, self.schedule.of());
        let report = Epoch { epoch, of, gamma, loss, train_error, valid_error };
        progress.epoch(&report);
        self.now.history.push(report);
        let patience = self.judge.as_ref().and_then(|j| j.patience);
        valid_error.is_some() && patience.is_some_and(|p| self.now.best.age >= p)
    }

    /// Offers the present iterate, or the mean, and gives its error.
    fn judged(&mut self) -> Option<f64> {
        let RunState { theta, best, mean, .. } = &mut self.now;
        best.offer(mean.or(theta), self.judge.as_mut())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Gd;
    use super::*;
    use crate::progress::Silent;
    use std::ops::Range;

    /// `γ (θ − 1)²`, which tells what it was asked.
    #[derive(Default)]
    struct Bowl {
        gamma: f64,
        items: Vec<Vec<usize>>,
        gammas: Vec<f64>,
    }

    impl Problem for Bowl {
        fn evaluate(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
            self.gammas.push(self.gamma);
            gradient[0] = 2.0 * self.gamma * (theta[0] - 1.0);
            self.gamma * (theta[0] - 1.0).powi(2)
        }

        fn groups(&self) -> Vec<(Range<usize>, f64)> {
            vec![(0..1, 1.0)]
        }
    }

    impl Scheduled for Bowl {
        fn set_gamma(&mut self, gamma: f64) {
            self.gamma = gamma;
        }

        fn set_items(&mut self, items: &[usize]) {
            self.items.push(items.to_vec());
        }
    }

    fn batches(epochs: usize, average: f64) -> Schedule {
        let decay = Box::new(|t| 1.0 - t);
        Schedule::Batches(Batches {
            items: 5,
            size: 2,
            epochs,
            gamma: 1.0,
            growth: 64.0,
            decay,
            average,
            seed: 1,
        })
    }

    fn run(schedule: Schedule, judge: Option<Judge>, rate: f64) -> (Bowl, RunResult) {
        let (mut bowl, mut gd) = (Bowl::default(), Gd::new(rate, 1e-3));
        let mut run = Run::new(Minimizer::new(&mut bowl, &mut gd), schedule, judge, vec![0.0]);
        run.go(&mut Silent);
        let result = run.finish();
        (bowl, result)
    }

    #[test]
    fn every_epoch_sees_every_item_once_in_another_order_while_gamma_grows() {
        let (bowl, result) = run(batches(2, 0.0), None, 1e-3);
        assert_eq!(bowl.items.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 1, 2, 2, 1]);
        let epoch = |range: Range<usize>| bowl.items[range].concat();
        let (first, second) = (epoch(0..3), epoch(3..6));
        assert_ne!(first, second);
        for mut items in [first, second] {
            items.sort_unstable();
            assert_eq!(items, [0, 1, 2, 3, 4]);
        }
        // 64^(k/6) = 2^k.
        bowl.gammas.iter().zip([1.0, 2.0, 4.0, 8.0, 16.0, 32.0]).for_each(|(a, b)| {
            assert!((a - b).abs() < 1e-12, "{:?}", bowl.gammas);
        });
        assert_eq!((result.history.len(), result.stopped), (2, Stopped::Finished));
        assert_eq!((result.history[1].epoch, result.history[1].of), (2, 2));
    }

    #[test]
    fn a_ladder_leaves_a_gamma_when_it_has_converged_and_says_whether_it_has_at_the_last() {
        let (bowl, result) = run(Schedule::ladder(vec![1.0, 2.0], 1000), None, 0.1);
        assert!((result.theta[0] - 1.0).abs() < 0.1 && result.stopped == Stopped::Finished);
        assert_eq!(result.history.len(), bowl.gammas.len());
        let at = |gamma| bowl.gammas.iter().filter(|g| **g == gamma).count();
        assert!(at(1.0) > 10 && at(1.0) < 1000 && at(1.0) + at(2.0) == bowl.gammas.len());
        assert_eq!(run(Schedule::plain(3), None, 0.1).1.stopped, Stopped::Unconverged);
        assert!(run(Schedule::plain(0), None, 0.1).1.history.is_empty());
    }

    #[test]
    fn the_mean_is_over_the_last_share_of_the_steps() {
        // θ of the steps: each goes from θ to θ − 2 rate γ (1 − t)(θ − 1); the last three of six are averaged.
        let (mut theta, mut sum) = (0.0_f64, 0.0);
        for k in 0..6 {
            let t = f64::from(k) / 6.0;
            theta -= 2e-3 * 64.0_f64.powf(t) * (1.0 - t) * (theta - 1.0);
            sum += if k >= 3 { theta } else { 0.0 };
        }
        let found = run(batches(2, 0.5), None, 1e-3).1.theta[0];
        assert!((found - sum / 3.0).abs() < 1e-12, "{found} in place of {}", sum / 3.0);
    }

    /// A judge that gives these errors, the first to the start.
    fn judge(errors: &'static [f64], keeps_lowest: bool, renews_on_ties: bool) -> Option<Judge<'static>> {
        let mut errors = errors.iter().copied();
        let error = Box::new(move |_: &[f64]| errors.next().unwrap_or(1.0));
        Some(Judge { error, on_training: false, keeps_lowest, renews_on_ties, patience: Some(2) })
    }

    #[test]
    fn the_judge_chooses_the_iterate_and_ends_the_wait() {
        let by = |errors, lowest, ties| run(batches(9, 0.0), judge(errors, lowest, ties), 1e-3).1;
        // The lowest is that of epoch 2; two epochs without a lower one end the run.
        let early = by(&[0.5, 0.4, 0.3, 0.3, 0.6], true, false);
        assert_eq!((early.history.len(), early.stopped), (4, Stopped::Early));
        // A tie ends the wait where the judge says so.
        assert_eq!(by(&[0.5, 0.4, 0.3, 0.3, 0.6, 0.3, 0.6, 0.6], true, true).history.len(), 7);
        assert_eq!(early.history[2].valid_error, Some(0.3));
    }

    #[test]
    fn the_latest_of_the_lowest_is_kept_or_the_last() {
        let run = |keeps_lowest| {
            let judge = judge(&[0.5, 0.4, 0.3, 0.3, 0.6], keeps_lowest, true);
            let mut run = Run::new(Count(0), batches(4, 0.0), judge, vec![0.0]);
            run.go(&mut Silent);
            run.finish().theta
        };
        // Three steps to an epoch.
        assert_eq!((run(true), run(false)), (vec![9.0], vec![12.0]));
    }

    /// θ counts the steps.
    struct Count(usize);

    impl Stepper for Count {
        fn parameters(&self) -> usize {
            1
        }

        fn step(&mut self, theta: &mut [f64], _: &Moment) -> StepResult {
            self.0 += 1;
            theta[0] = self.0 as f64;
            StepResult { value: 0.0, outcome: if self.0 == 20 { Outcome::Diverged } else { Outcome::Moved } }
        }

        fn take_seen(&mut self) -> (f64, f64) {
            (0.0, 0.0)
        }

        fn state(&self) -> StepperState {
            StepperState::default()
        }

        fn restore(&mut self, _: &StepperState) -> Result<()> {
            Ok(())
        }
    }

    /// Interrupts after so many steps.
    struct Until(std::sync::atomic::AtomicUsize);

    impl Progress for Until {
        fn cancelled(&self) -> bool {
            let relaxed = std::sync::atomic::Ordering::Relaxed;
            self.0.fetch_update(relaxed, relaxed, |left| left.checked_sub(1)).is_err()
        }
    }

    #[test]
    fn a_run_that_diverges_returns_what_it_had_reported() {
        let mut run = Run::new(Count(0), batches(9, 0.0), None, vec![0.0]);
        assert_eq!(run.go(&mut Silent), Stopped::Diverged);
        let result = run.finish();
        assert_eq!((&result.theta[..], result.history.len(), result.diverged), (&[18.0][..], 6, Some(0.0)));
        assert!(result.with_report().is_ok());
        let mut run = Run::new(Count(19), batches(9, 0.0), None, vec![0.0]);
        run.go(&mut Silent);
        assert!(matches!(run.finish().with_report(), Err(Error::Diverged { epoch: 1, .. })));
    }

    #[test]
    fn an_interrupted_run_returns_the_iterate_that_it_had_come_to() {
        let mut run = Run::new(Count(0), batches(9, 0.0), None, vec![0.0]);
        assert_eq!(run.go(&mut Until(std::sync::atomic::AtomicUsize::new(7))), Stopped::Interrupted);
        // The state is not touched by what is returned.
        assert_eq!(run.state().best.theta, [6.0]);
        assert_eq!(run.finish().theta, [7.0]);
    }
}
