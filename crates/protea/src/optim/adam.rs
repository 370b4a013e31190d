//! Adam: steps scaled by running moments of the gradient (Kingma & Ba, ICLR 2015, algorithm 1).
//!
//! # Departures
//! The paper adds a tiny constant to the denominator. This adds the largest root mean square gradient that the group of
//! parameters has had so far. A prototype that affects few samples has tiny gradients, and when everything is classified
//! well all gradients are tiny; the paper's rule scales them up to full steps, which move prototypes away from the data.
//! Here steps shrink with the gradient.

use super::{Optimizer, OptimizerState, Outcome, Problem, StepResult};
use crate::Result;
use crate::kernel::parallel::*;
use crate::kernel::{Kernel, simd};

/// Parameters updated by one task.
const CHUNK: usize = 16_384;
const BETA1: f64 = 0.9;
const BETA2: f64 = 0.999;

/// Adam with β₁ = 0.9, β₂ = 0.999.
#[derive(Debug, Clone)]
pub struct Adam {
    rate: f64,
    factor: f64,
    t: i32,
    /// Largest root mean square gradient of each group so far.
    largest: Vec<f64>,
    m: Vec<f64>,
    v: Vec<f64>,
    g: Vec<f64>,
}

impl Adam {
    /// With this step size, in units of the parameters.
    pub fn new(rate: f64) -> Self {
        Adam { rate, factor: 1.0, t: 0, largest: Vec::new(), m: Vec::new(), v: Vec::new(), g: Vec::new() }
    }
}

impl Optimizer for Adam {
    fn stochastic(&self) -> bool {
        true
    }

    fn set_rate(&mut self, factor: f64) {
        self.factor = factor;
    }

    fn reset(&mut self) {
        self.t = 0;
        self.largest.clear();
        self.m.clear();
        self.v.clear();
    }

    fn state(&self) -> OptimizerState {
        OptimizerState::default()
            .scalar("factor", self.factor)
            .scalar("steps", f64::from(self.t))
            .vector("largest", &self.largest)
            .vector("m", &self.m)
            .vector("v", &self.v)
    }

    fn restore(&mut self, state: &OptimizerState) -> Result<()> {
        self.factor = state.get("factor")?;
        self.t = state.get("steps")? as i32;
        self.largest = state.get_vector("largest")?;
        self.m = state.get_vector("m")?;
        self.v = state.get_vector("v")?;
        Ok(())
    }

    fn step(&mut self, problem: &mut dyn Problem, theta: &mut [f64]) -> StepResult {
        self.g.resize(theta.len(), 0.0);
        self.m.resize(theta.len(), 0.0);
        self.v.resize(theta.len(), 0.0);
        let value = problem.evaluate(theta, &mut self.g);
        if !super::finite(value, &self.g) {
            return StepResult { value, outcome: Outcome::Diverged };
        }
        self.t += 1;
        let (c1, c2) = (1.0 - BETA1.powi(self.t), 1.0 - BETA2.powi(self.t));
        let groups = problem.groups();
        self.largest.resize(groups.len(), 0.0);
        for (group, (range, factor)) in groups.into_iter().enumerate() {
            let rate = self.rate * self.factor * factor / c1;
            let unbias = c2.sqrt().recip();
            let mean = self.v[range.clone()].iter().sum::<f64>() / range.len() as f64;
            self.largest[group] = self.largest[group].max(mean.sqrt() * unbias);
            let floor = self.largest[group] + f64::MIN_POSITIVE;
            let chunks =
                theta[range.clone()].par_chunks_mut(CHUNK).zip(self.m[range.clone()].par_chunks_mut(CHUNK));
            chunks
                .zip(self.v[range.clone()].par_chunks_mut(CHUNK))
                .zip(self.g[range].par_chunks(CHUNK))
                .for_each(|(((theta, m), v), g)| simd::run(Update { theta, m, v, g, rate, unbias, floor }));
        }
        problem.project(theta);
        StepResult { value, outcome: Outcome::Moved }
    }
}

/// One step of a stretch of parameters.
struct Update<'a> {
    theta: &'a mut [f64],
    m: &'a mut [f64],
    v: &'a mut [f64],
    g: &'a [f64],
    rate: f64,
    unbias: f64,
    floor: f64,
}

impl Kernel for Update<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (((theta, m), v), &g) in self.theta.iter_mut().zip(self.m).zip(self.v).zip(self.g) {
            *m += (1.0 - BETA1) * (g - *m);
            *v += (1.0 - BETA2) * (g * g - *v);
            *theta -= self.rate * *m / (v.sqrt() * self.unbias + self.floor);
        }
    }
}
