//! Optimizers over a flat parameter vector, and the one loop that runs them: they know values and gradients, never data.
//!
//! An [`Optimizer`] moves θ once; a [`Run`] repeats that under a [`Schedule`], keeps the best iterate, the mean and the
//! history, and can be saved and resumed at every step.

mod adam;
mod alternating;
mod cg;
mod gd;
mod lbfgs;
mod line_search;
mod run;
mod sgd;
mod state;

pub use adam::Adam;
pub use alternating::Alternating;
pub use cg::Cg;
pub use gd::Gd;
pub use lbfgs::Lbfgs;
pub use run::{
    Batches, Best, ErrorOf, Judge, Mean, Minimizer, Moment, Position, ProblemState, Random, Run, RunResult,
    RunState, Schedule, Scheduled, Stepper, StepperState,
};
pub use sgd::Sgd;
pub use state::OptimizerState;

use crate::Result;
use std::ops::Range;

/// What an optimizer minimises.
pub trait Problem {
    /// Value at `theta`; writes the gradient.
    fn evaluate(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64;

    /// Parts of `theta` with their factors on the step size, for rules that have one.
    fn groups(&self) -> Vec<(Range<usize>, f64)>;

    /// Brings parameters that left their domain back to its nearest point; for rules without a line search.
    fn project(&self, _theta: &mut [f64]) {}
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// `theta` moved; for full-batch rules the value is lower than before.
    Moved,
    /// Nothing is left to gain by this rule's own test.
    Converged,
    /// No acceptable step was found; `theta` is where it was.
    Stuck,
    /// Value or gradient is not a finite number; `theta` is where it was.
    Diverged,
}

/// Result of one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepResult {
    /// Value after the step (full batch) or before it (stochastic rules).
    pub value: f64,
    /// How it ended.
    pub outcome: Outcome,
}

/// An update rule.
pub trait Optimizer: Send {
    /// Whether each step should see a fresh mini-batch.
    fn stochastic(&self) -> bool;

    /// Scales the step size from here on; the schedule's decay. Rules with a line search ignore it.
    fn set_rate(&mut self, _factor: f64) {}

    /// Forgets what was learned of the curvature: the function has changed.
    fn reset(&mut self);

    /// Moves `theta` once; may evaluate several times.
    fn step(&mut self, problem: &mut dyn Problem, theta: &mut [f64]) -> StepResult;

    /// What it has learned so far, and what its next step depends on.
    fn state(&self) -> OptimizerState;

    /// Goes on from a saved state as if it had made those steps itself. Settings such as the step size are not part of a
    /// state: they are those that this optimizer was made with.
    ///
    /// # Errors
    /// When the state lacks something, such as that of another optimizer.
    fn restore(&mut self, state: &OptimizerState) -> Result<()>;
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// Value and gradient where a descent begins, or the step that says that there are none.
fn first_evaluation(
    problem: &mut dyn Problem,
    theta: &[f64],
) -> std::result::Result<(f64, Vec<f64>), StepResult> {
    let mut g = vec![0.0; theta.len()];
    let value = problem.evaluate(theta, &mut g);
    if finite(value, &g) { Ok((value, g)) } else { Err(StepResult { value, outcome: Outcome::Diverged }) }
}

fn finite(value: f64, gradient: &[f64]) -> bool {
    value.is_finite() && gradient.iter().all(|g| g.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rosenbrock's valley in `n` dimensions, minimum 0 at (1, …, 1).
    struct Rosenbrock(usize);

    impl Problem for Rosenbrock {
        fn evaluate(&mut self, t: &[f64], g: &mut [f64]) -> f64 {
            g.fill(0.0);
            let mut f = 0.0;
            for i in 0..self.0 - 1 {
                let (a, b) = (1.0 - t[i], t[i + 1] - t[i] * t[i]);
                f += a * a + 100.0 * b * b;
                g[i] += -2.0 * a - 400.0 * t[i] * b;
                g[i + 1] += 200.0 * b;
            }
            f
        }

        fn groups(&self) -> Vec<(Range<usize>, f64)> {
            vec![(0..self.0, 1.0)]
        }
    }

    #[test]
    fn full_batch_rules_descend_to_the_minimum_and_never_rise() {
        let rules: [Box<dyn Optimizer>; 3] =
            [Box::new(Cg::default()), Box::new(Lbfgs::default()), Box::new(Alternating::new(1e-3, 0.0))];
        for (n, mut rule) in rules.into_iter().enumerate() {
            let mut theta = vec![-1.2, 1.0, -0.5, 2.0];
            let mut last = f64::INFINITY;
            for _ in 0..if n == 2 { 200_000 } else { 2000 } {
                let step = rule.step(&mut Rosenbrock(4), &mut theta);
                assert!(step.value <= last, "rose from {last} to {}", step.value);
                last = step.value;
                if step.outcome != Outcome::Moved {
                    break;
                }
            }
            assert!(theta.iter().all(|t| (t - 1.0).abs() < 1e-3), "{theta:?} {last}");
        }
    }

    type Make = fn() -> Box<dyn Optimizer>;

    /// Every optimizer, as a test makes it.
    fn all() -> [(&'static str, Make); 6] {
        [
            ("adam", || Box::new(Adam::new(0.01))),
            ("sgd", || Box::new(Sgd::new(1e-4, 0.9))),
            ("gd", || Box::new(Gd::new(1e-4, 0.0))),
            ("cg", || Box::new(Cg::default())),
            ("lbfgs", || Box::new(Lbfgs::default())),
            ("alternating", || Box::new(Alternating::new(1e-3, 0.0))),
        ]
    }

    #[test]
    fn a_saved_optimizer_goes_on_as_if_it_had_never_stopped() {
        for (name, new) in all() {
            let start = vec![-1.2, 1.0, -0.5, 2.0];
            let steps = |rule: &mut dyn Optimizer, theta: &mut [f64], range: Range<usize>| {
                for k in range {
                    rule.set_rate(1.0 - k as f64 / 20.0);
                    rule.step(&mut Rosenbrock(4), theta);
                }
            };
            let (mut whole, mut expected) = (new(), start.clone());
            steps(&mut *whole, &mut expected, 0..14);

            let (mut first, mut theta) = (new(), start.clone());
            steps(&mut *first, &mut theta, 0..7);
            let text = serde_json::to_string(&first.state()).unwrap();
            let mut second = new();
            second.restore(&serde_json::from_str(&text).unwrap()).unwrap();
            assert_eq!(second.state(), first.state(), "{name}");
            steps(&mut *second, &mut theta, 7..14);
            assert_eq!(theta, expected, "{name}");
            assert_eq!(second.state(), whole.state(), "{name}");

            // What it remembers matters: without it, the same steps lead elsewhere. Gradient descent remembers the last
            // value alone, which decides when it ends but not where it goes.
            let (mut forgetful, mut elsewhere) = (new(), start.clone());
            steps(&mut *forgetful, &mut elsewhere, 0..7);
            steps(&mut *new(), &mut elsewhere, 7..14);
            assert_eq!(elsewhere == expected, name == "gd", "{name}");
        }
    }

    #[test]
    fn a_state_of_another_optimizer_is_refused() {
        let state = OptimizerState::default().scalar("factor", 1.0);
        let refusal = Adam::new(0.1).restore(&state).unwrap_err().to_string();
        assert!(refusal.contains("\"steps\""), "{refusal}");
        let pairs = OptimizerState::default().scalar("value", 1.0).vector("g", &[1.0, 2.0]);
        let pairs = pairs.vector("rho", &[1.0]).vector("s", &[1.0]).vector("y", &[1.0]);
        assert!(Lbfgs::default().restore(&pairs).is_err());
    }

    #[test]
    fn stochastic_rules_find_the_minimum_of_a_bowl() {
        struct Bowl;
        impl Problem for Bowl {
            fn evaluate(&mut self, t: &[f64], g: &mut [f64]) -> f64 {
                g.copy_from_slice(&[2.0 * (t[0] - 3.0), 20.0 * (t[1] + 1.0)]);
                (t[0] - 3.0).powi(2) + 10.0 * (t[1] + 1.0).powi(2)
            }
            fn groups(&self) -> Vec<(Range<usize>, f64)> {
                vec![(0..1, 1.0), (1..2, 0.5)]
            }
        }
        let rules: [Box<dyn Optimizer>; 3] =
            [Box::new(Adam::new(0.1)), Box::new(Sgd::new(0.05, 0.5)), Box::new(Gd::new(0.05, 0.0))];
        for mut rule in rules {
            let mut theta = vec![0.0, 0.0];
            for t in 0..2000 {
                rule.set_rate(1.0 - t as f64 / 2000.0);
                rule.step(&mut Bowl, &mut theta);
            }
            assert!((theta[0] - 3.0).abs() < 1e-3 && (theta[1] + 1.0).abs() < 1e-3, "{theta:?}");
        }
    }

    #[test]
    fn a_value_that_is_no_number_stops_every_rule_where_it_was() {
        struct Nan;
        impl Problem for Nan {
            fn evaluate(&mut self, _: &[f64], g: &mut [f64]) -> f64 {
                g.fill(f64::NAN);
                f64::NAN
            }
            fn groups(&self) -> Vec<(Range<usize>, f64)> {
                vec![(0..2, 1.0)]
            }
        }
        let rules: [Box<dyn Optimizer>; 6] = [
            Box::new(Gd::new(0.1, 0.0)),
            Box::new(Alternating::new(0.1, 0.0)),
            Box::new(Adam::new(0.1)),
            Box::new(Sgd::new(0.1, 0.9)),
            Box::new(Cg::default()),
            Box::new(Lbfgs::default()),
        ];
        for mut rule in rules {
            let mut theta = vec![1.0, 2.0];
            assert_eq!(rule.step(&mut Nan, &mut theta).outcome, Outcome::Diverged);
            assert_eq!(theta, [1.0, 2.0]);
        }
    }
}
