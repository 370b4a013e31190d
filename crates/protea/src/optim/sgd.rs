//! Stochastic gradient descent with momentum.

use super::{Optimizer, OptimizerState, Outcome, Problem, StepResult};
use crate::Result;

/// `v ← μ v − rate · g`, `θ ← θ + v`.
#[derive(Debug, Clone)]
pub struct Sgd {
    rate: f64,
    momentum: f64,
    factor: f64,
    v: Vec<f64>,
    g: Vec<f64>,
}

impl Sgd {
    /// With this step size and momentum (0 for plain descent).
    pub fn new(rate: f64, momentum: f64) -> Self {
        Sgd { rate, momentum, factor: 1.0, v: Vec::new(), g: Vec::new() }
    }
}

impl Optimizer for Sgd {
    fn stochastic(&self) -> bool {
        true
    }

    fn set_rate(&mut self, factor: f64) {
        self.factor = factor;
    }

    fn reset(&mut self) {
        self.v.clear();
    }

    fn state(&self) -> OptimizerState {
        OptimizerState::default().scalar("factor", self.factor).vector("v", &self.v)
    }

    fn restore(&mut self, state: &OptimizerState) -> Result<()> {
        self.factor = state.get("factor")?;
        self.v = state.get_vector("v")?;
        Ok(())
    }

    fn step(&mut self, problem: &mut dyn Problem, theta: &mut [f64]) -> StepResult {
        self.g.resize(theta.len(), 0.0);
        self.v.resize(theta.len(), 0.0);
        let value = problem.evaluate(theta, &mut self.g);
        if !super::finite(value, &self.g) {
            return StepResult { value, outcome: Outcome::Diverged };
        }
        for (range, factor) in problem.groups() {
            let rate = self.rate * self.factor * factor;
            let moving = theta[range.clone()].iter_mut().zip(&mut self.v[range.clone()]);
            for ((theta, v), g) in moving.zip(&self.g[range]) {
                *v = self.momentum * *v - rate * g;
                *theta += *v;
            }
        }
        problem.project(theta);
        StepResult { value, outcome: Outcome::Moved }
    }
}
