//! Plain full-batch gradient descent with a fixed step size, as in the LPD paper.

use super::{Optimizer, OptimizerState, Outcome, Problem, StepResult};
use crate::Result;

/// Gradient descent that stops when the value hardly changes.
#[derive(Debug, Clone)]
pub struct Gd {
    rate: f64,
    factor: f64,
    tolerance: f64,
    /// Value before the last step; infinite before the first.
    last: f64,
    g: Vec<f64>,
}

impl Gd {
    /// With this step size; stops when the relative change of the value falls below `tolerance`.
    pub fn new(rate: f64, tolerance: f64) -> Self {
        Gd { rate, factor: 1.0, tolerance, last: f64::INFINITY, g: Vec::new() }
    }
}

impl Optimizer for Gd {
    fn stochastic(&self) -> bool {
        false
    }

    fn set_rate(&mut self, factor: f64) {
        self.factor = factor;
    }

    fn reset(&mut self) {
        self.last = f64::INFINITY;
    }

    fn state(&self) -> OptimizerState {
        let state = OptimizerState::default().scalar("factor", self.factor);
        if self.last.is_finite() { state.scalar("last", self.last) } else { state }
    }

    fn restore(&mut self, state: &OptimizerState) -> Result<()> {
        self.factor = state.get("factor")?;
        self.last = if state.has("last") { state.get("last")? } else { f64::INFINITY };
        Ok(())
    }

    fn step(&mut self, problem: &mut dyn Problem, theta: &mut [f64]) -> StepResult {
        self.g.resize(theta.len(), 0.0);
        let value = problem.evaluate(theta, &mut self.g);
        if !super::finite(value, &self.g) {
            return StepResult { value, outcome: Outcome::Diverged };
        }
        let converged = (self.last - value).abs() < self.tolerance * value.abs();
        self.last = value;
        if converged {
            return StepResult { value, outcome: Outcome::Converged };
        }
        for (range, factor) in problem.groups() {
            let rate = self.rate * self.factor * factor;
            theta[range.clone()].iter_mut().zip(&self.g[range]).for_each(|(t, g)| *t -= rate * g);
        }
        problem.project(theta);
        StepResult { value, outcome: Outcome::Moved }
    }
}
