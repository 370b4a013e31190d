//! L-BFGS: quasi-Newton steps from the last few changes of gradient (Nocedal, Math. Comp. 35, 1980).
//!
//! The product with the inverse Hessian is the two-loop recursion; steps come from the line search of Moré and Thuente
//! (decrease 1e-4, slope 0.9), so every pair has positive curvature.

use super::line_search::LineSearch;
use super::{Optimizer, OptimizerState, Outcome, Problem, StepResult, dot, norm};
use crate::{Error, Result};
use std::collections::VecDeque;

/// Limited-memory BFGS.
#[derive(Debug, Clone)]
pub struct Lbfgs {
    tolerance: f64,
    /// Pairs remembered.
    memory: usize,
    state: Option<State>,
}

#[derive(Debug, Clone)]
struct State {
    value: f64,
    g: Vec<f64>,
    /// Changes of θ and of g with 1 / yᵀs, oldest first.
    pairs: VecDeque<(Vec<f64>, Vec<f64>, f64)>,
}

impl Default for Lbfgs {
    fn default() -> Self {
        Lbfgs::new(1e-6)
    }
}

impl Lbfgs {
    /// Ends a descent when the relative change of the value is below `tolerance`; remembers ten pairs.
    pub fn new(tolerance: f64) -> Self {
        Lbfgs { tolerance, memory: 10, state: None }
    }
}

impl State {
    /// −H g by the two-loop recursion.
    fn direction(&self) -> Vec<f64> {
        let mut q = self.g.clone();
        let mut alphas = Vec::with_capacity(self.pairs.len());
        for (s, y, rho) in self.pairs.iter().rev() {
            let alpha = rho * dot(s, &q);
            q.iter_mut().zip(y).for_each(|(q, y)| *q -= alpha * y);
            alphas.push(alpha);
        }
        if let Some((_, y, rho)) = self.pairs.back() {
            let scale = 1.0 / (rho * dot(y, y));
            q.iter_mut().for_each(|q| *q *= scale);
        }
        for ((s, y, rho), alpha) in self.pairs.iter().zip(alphas.into_iter().rev()) {
            let beta = rho * dot(y, &q);
            q.iter_mut().zip(s).for_each(|(q, s)| *q += (alpha - beta) * s);
        }
        q.iter_mut().for_each(|q| *q = -*q);
        q
    }
}

impl Optimizer for Lbfgs {
    fn stochastic(&self) -> bool {
        false
    }

    fn reset(&mut self) {
        self.state = None;
    }

    fn state(&self) -> OptimizerState {
        let state = OptimizerState::default();
        let Some(own) = &self.state else { return state };
        let pairs = || own.pairs.iter();
        state
            .scalar("value", own.value)
            .vector("g", &own.g)
            .vector("s", &pairs().flat_map(|p| p.0.iter().copied()).collect::<Vec<_>>())
            .vector("y", &pairs().flat_map(|p| p.1.iter().copied()).collect::<Vec<_>>())
            .vector("rho", &pairs().map(|p| p.2).collect::<Vec<_>>())
    }

    fn restore(&mut self, state: &OptimizerState) -> Result<()> {
        self.state = None;
        if state.has("value") {
            let (g, rho) = (state.get_vector("g")?, state.get_vector("rho")?);
            let (s, y) = (state.get_vector("s")?, state.get_vector("y")?);
            if s.len() != rho.len() * g.len() || y.len() != s.len() {
                return Err(Error::data("the saved pairs of L-BFGS do not have the length of its gradient"));
            }
            let rows = s.chunks_exact(g.len().max(1)).zip(y.chunks_exact(g.len().max(1)));
            let pairs = rows.zip(rho).map(|((s, y), rho)| (s.to_vec(), y.to_vec(), rho)).collect();
            self.state = Some(State { value: state.get("value")?, g, pairs });
        }
        Ok(())
    }

    fn step(&mut self, problem: &mut dyn Problem, theta: &mut [f64]) -> StepResult {
        let mut state = match self.state.take() {
            Some(state) => state,
            None => {
                let (value, g) = match super::first_evaluation(problem, theta) {
                    Ok(first) => first,
                    Err(diverged) => return diverged,
                };
                State { value, g, pairs: VecDeque::new() }
            }
        };
        let before = state.value;
        let size = norm(&state.g);
        if size == 0.0 {
            self.state = Some(state);
            return StepResult { value: before, outcome: Outcome::Converged };
        }
        let s = state.direction();
        let first = if state.pairs.is_empty() { 1.0 / size } else { 1.0 };
        let (theta_old, g_old) = (theta.to_vec(), state.g.clone());
        let search = LineSearch { decrease: 1e-4, slope: 0.9, evaluations: 20 };
        let Some((_, value)) = search.search(problem, theta, &s, state.value, &mut state.g, first) else {
            let fresh = state.pairs.is_empty();
            state.pairs.clear();
            self.state = Some(state);
            if !fresh {
                return self.step(problem, theta); // once more, straight down the gradient
            }
            return StepResult { value: before, outcome: Outcome::Stuck };
        };
        state.value = value;
        let s: Vec<f64> = theta.iter().zip(&theta_old).map(|(a, b)| a - b).collect();
        let y: Vec<f64> = state.g.iter().zip(&g_old).map(|(a, b)| a - b).collect();
        let sy = dot(&s, &y);
        if sy > 1e-12 * norm(&s) * norm(&y) {
            if state.pairs.len() == self.memory {
                state.pairs.pop_front();
            }
            state.pairs.push_back((s, y, 1.0 / sy));
        }
        let converged = before - value <= self.tolerance * before.abs().max(1e-300);
        self.state = Some(state);
        StepResult { value, outcome: if converged { Outcome::Converged } else { Outcome::Moved } }
    }
}
