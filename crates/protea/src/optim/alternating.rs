//! Gradient steps over one group of parameters after the other, each with a step size that adapts itself.
//!
//! As in large-margin metric learning: a step that lowers the value is kept and the group's step size grows by 1 %; a
//! step that does not is undone and the step size halved. Parameters are projected onto their domain before a step is
//! accepted, which makes this projected gradient descent (for the positive semi-definite matrix of a Mahalanobis metric).

use super::{Optimizer, OptimizerState, Outcome, Problem, StepResult, finite, first_evaluation, norm};
use crate::Result;

/// Steps in a row that changed the value by less than the tolerance before the descent has converged.
const QUIET: usize = 3;
/// Halvings of one group's step after which the group is left where it is until the next step.
const HALVINGS: usize = 40;

/// Alternating projected gradient descent.
#[derive(Debug, Clone)]
pub struct Alternating {
    start: f64,
    tolerance: f64,
    rates: Vec<f64>,
    quiet: usize,
    /// Value and gradient at the present point.
    here: Option<(f64, Vec<f64>)>,
    next: Vec<f64>,
    g: Vec<f64>,
}

impl Alternating {
    /// The first step of a group changes it by about `start` (in units of the parameters, times the group's factor); stops
    /// when the relative change falls below `tolerance` three times in a row.
    pub fn new(start: f64, tolerance: f64) -> Self {
        Alternating {
            start,
            tolerance,
            rates: Vec::new(),
            quiet: 0,
            here: None,
            next: Vec::new(),
            g: Vec::new(),
        }
    }
}

impl Optimizer for Alternating {
    fn stochastic(&self) -> bool {
        false
    }

    fn reset(&mut self) {
        self.rates.clear();
        self.here = None;
        self.quiet = 0;
    }

    fn state(&self) -> OptimizerState {
        let state = OptimizerState::default().scalar("quiet", self.quiet as f64).vector("rates", &self.rates);
        match &self.here {
            Some((value, gradient)) => state.scalar("value", *value).vector("gradient", gradient),
            None => state,
        }
    }

    fn restore(&mut self, state: &OptimizerState) -> Result<()> {
        self.quiet = state.get("quiet")? as usize;
        self.rates = state.get_vector("rates")?;
        self.here = match state.has("value") {
            true => Some((state.get("value")?, state.get_vector("gradient")?)),
            false => None,
        };
        Ok(())
    }

    fn step(&mut self, problem: &mut dyn Problem, theta: &mut [f64]) -> StepResult {
        let (before, mut gradient) = match self.here.take() {
            Some(here) => here,
            None => match first_evaluation(problem, theta) {
                Ok(here) => here,
                Err(step) => return step,
            },
        };
        let groups = problem.groups();
        if self.rates.len() != groups.len() {
            let rate = |(range, factor): &(std::ops::Range<usize>, f64)| {
                // The root mean square change of the first step is `start · factor`.
                let rms = norm(&gradient[range.clone()]) / (range.len() as f64).sqrt();
                self.start * factor / rms.max(f64::MIN_POSITIVE)
            };
            self.rates = groups.iter().map(rate).collect();
        }
        self.g.resize(theta.len(), 0.0);
        let mut value = before;
        let mut moved = false;
        for (group, (range, _)) in groups.into_iter().enumerate() {
            if gradient[range.clone()].iter().all(|&g| g == 0.0) {
                continue;
            }
            for _ in 0..HALVINGS {
                self.next.clear();
                self.next.extend_from_slice(theta);
                let steps = self.next[range.clone()].iter_mut().zip(&gradient[range.clone()]);
                steps.for_each(|(t, g)| *t -= self.rates[group] * g);
                problem.project(&mut self.next);
                let tried = problem.evaluate(&self.next, &mut self.g);
                if finite(tried, &self.g) && tried < value {
                    theta.copy_from_slice(&self.next);
                    gradient.copy_from_slice(&self.g);
                    (value, moved) = (tried, true);
                    self.rates[group] *= 1.01;
                    break;
                }
                self.rates[group] *= 0.5;
            }
        }
        self.quiet = if before - value <= self.tolerance * before.abs() { self.quiet + 1 } else { 0 };
        self.here = Some((value, gradient));
        let outcome = match (moved, self.quiet >= QUIET) {
            (false, _) => Outcome::Stuck,
            (true, true) => Outcome::Converged,
            (true, false) => Outcome::Moved,
        };
        StepResult { value, outcome }
    }
}
