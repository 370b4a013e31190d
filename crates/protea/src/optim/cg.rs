//! Nonlinear conjugate gradients, Polak–Ribière, as the NPC paper used them.
//!
//! # Update
//! ```text
//! s_t = −g_t + max(0, g_tᵀ(g_t − g_{t−1}) / g_{t−1}ᵀg_{t−1}) s_{t−1},     restart s = −g every 20 steps
//! ```
//! with the line search of Moré and Thuente (decrease 1e-4, slope 1e-2, at most 20 evaluations). Stops when the relative
//! change of the value is below `tolerance`.

use super::line_search::LineSearch;
use super::{Optimizer, OptimizerState, Outcome, Problem, StepResult, dot, norm};
use crate::Result;

/// Nonlinear conjugate gradients.
#[derive(Debug, Clone)]
pub struct Cg {
    tolerance: f64,
    /// Steps between restarts along the gradient.
    restart: usize,
    state: Option<State>,
}

#[derive(Debug, Clone)]
struct State {
    value: f64,
    g: Vec<f64>,
    s: Vec<f64>,
    step: f64,
    since_restart: usize,
}

impl Default for Cg {
    fn default() -> Self {
        Cg::new(1e-6)
    }
}

impl Cg {
    /// Ends a descent when the relative change of the value is below `tolerance`; restarts every 20 steps.
    pub fn new(tolerance: f64) -> Self {
        Cg { tolerance, restart: 20, state: None }
    }
}

impl Optimizer for Cg {
    fn stochastic(&self) -> bool {
        false
    }

    fn reset(&mut self) {
        self.state = None;
    }

    fn state(&self) -> OptimizerState {
        let state = OptimizerState::default();
        let Some(own) = &self.state else { return state };
        state
            .scalar("value", own.value)
            .scalar("step", own.step)
            .scalar("since-restart", own.since_restart as f64)
            .vector("g", &own.g)
            .vector("s", &own.s)
    }

    fn restore(&mut self, state: &OptimizerState) -> Result<()> {
        self.state = None;
        if state.has("value") {
            self.state = Some(State {
                value: state.get("value")?,
                g: state.get_vector("g")?,
                s: state.get_vector("s")?,
                step: state.get("step")?,
                since_restart: state.get("since-restart")? as usize,
            });
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
                let s = g.iter().map(|g| -g).collect();
                let step = 1.0 / norm(&g).max(1e-300);
                State { value, g, s, step, since_restart: 0 }
            }
        };
        let before = state.value;
        let slope = dot(&state.g, &state.s);
        if slope == 0.0 {
            let value = state.value;
            self.state = Some(state);
            return StepResult { value, outcome: Outcome::Converged };
        }
        let search = LineSearch { decrease: 1e-4, slope: 1e-2, evaluations: 20 };
        let g_old = state.g.clone();
        let found = search.search(problem, theta, &state.s, state.value, &mut state.g, state.step);
        let Some((step, value)) = found else {
            let value = state.value;
            let fresh = state.since_restart == 0;
            state.s.iter_mut().zip(&state.g).for_each(|(s, g)| *s = -g);
            state.since_restart = 0;
            self.state = Some(state);
            if !fresh {
                return self.step(problem, theta); // once more, straight down the gradient
            }
            return StepResult { value, outcome: Outcome::Stuck };
        };
        state.value = value;
        state.since_restart += 1;
        let change: f64 = state.g.iter().zip(&g_old).map(|(g, o)| g * (g - o)).sum();
        let beta = (change / dot(&g_old, &g_old)).max(0.0);
        if state.since_restart >= self.restart {
            state.since_restart = 0;
            state.s.iter_mut().zip(&state.g).for_each(|(s, g)| *s = -g);
        } else {
            state.s.iter_mut().zip(&state.g).for_each(|(s, g)| *s = beta * *s - g);
        }
        if dot(&state.g, &state.s) >= 0.0 {
            state.since_restart = 0;
            state.s.iter_mut().zip(&state.g).for_each(|(s, g)| *s = -g);
        }
        // The next first trial promises the same decrease as this step brought.
        let next_slope = dot(&state.g, &state.s);
        state.step = if next_slope < 0.0 { (step * slope / next_slope).clamp(1e-12, 1e12) } else { step };
        let converged = before - value <= self.tolerance * before.abs().max(1e-300);
        self.state = Some(state);
        StepResult { value, outcome: if converged { Outcome::Converged } else { Outcome::Moved } }
    }
}
