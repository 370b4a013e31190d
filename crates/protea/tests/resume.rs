//! A run that was saved between any two of its steps goes on, bit for bit, as if it had never been interrupted.

use crate::common;

use common::{clouds, narrow, uniform};
use protea::data::ClassLayout;
use protea::method::method;
use protea::metric::{Linear, Metric};
use protea::objective::AnyObjective;
use protea::optim::{
    Adam, Alternating, Batches, Cg, Gd, Judge, Lbfgs, Minimizer, Optimizer, Run, RunResult, RunState,
    Schedule, Sgd,
};
use protea::progress::{Progress, Silent, Stopped};
use protea::train::TrainingProblem;
use protea::{Dataset, Float, Values};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Interrupts before the step of this number, counted from 0.
struct After(AtomicUsize);

impl Progress for After {
    fn cancelled(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

const LABELS: [usize; 6] = [0, 0, 1, 1, 2, 2];
const DIM: usize = 3;

/// What a run is made with, so that it can be made again.
struct Setting {
    optimizer: &'static str,
    objective: Box<dyn AnyObjective>,
    data: Dataset<f32>,
    valid: Dataset<f32>,
    classes: ClassLayout,
}

impl Setting {
    fn new(optimizer: &'static str, name: &str) -> Self {
        Setting {
            optimizer,
            objective: method(name).unwrap().objective(&Values::new()).unwrap().unwrap(),
            data: narrow(&clouds(40, DIM, 3, 1)),
            valid: narrow(&clouds(30, DIM, 3, 2)),
            classes: ClassLayout::new(&LABELS, 3),
        }
    }

    fn optimizer(&self) -> Box<dyn Optimizer> {
        match self.optimizer {
            "adam" => Box::new(Adam::new(0.05)),
            "sgd" => Box::new(Sgd::new(0.05, 0.9)),
            "cg" => Box::new(Cg::new(1e-5)),
            "lbfgs" => Box::new(Lbfgs::new(1e-5)),
            "gd" => Box::new(Gd::new(0.3, 1e-5)),
            _ => Box::new(Alternating::new(0.05, 1e-5)),
        }
    }

    fn problem(&self) -> TrainingProblem<'_, f32> {
        let metric: Box<dyn Metric<f32>> = Box::new(Linear::diagonal(&[1.0, 0.8, 1.2]));
        let objective = f32::pick(&*self.objective);
        TrainingProblem::new(self.data.x.view(), &self.data.y, None, &self.classes, objective, metric)
            .with_metric_rate(0.3)
            .with_noise(0.1, 3)
            .with_variation(0.2, 4)
    }

    /// Three epochs of four mini-batches, or three values of γ.
    fn schedule(&self, stochastic: bool) -> Schedule {
        match stochastic {
            true => Schedule::Batches(Batches {
                items: self.data.len(),
                size: 32,
                epochs: 3,
                gamma: 1.0,
                growth: 4.0,
                decay: Box::new(|t| 1.0 - t),
                average: 0.4,
                seed: 5,
            }),
            false => Schedule::ladder(vec![1.0, 3.0, 9.0], 8),
        }
    }

    /// Error of the nearest prototype on the validation samples, without the metric.
    fn judge(&self) -> Judge<'_> {
        let error = |theta: &[f64]| {
            let apart = |i: usize, j: usize| {
                let p = &theta[j * DIM..(j + 1) * DIM];
                self.valid.x.row(i).iter().zip(p).map(|(&x, p)| (f64::from(x) - p).powi(2)).sum::<f64>()
            };
            let nearest = |i: usize| (0..6).min_by(|&a, &b| apart(i, a).total_cmp(&apart(i, b))).unwrap();
            let wrong = (0..self.valid.len()).filter(|&i| LABELS[nearest(i)] != self.valid.y[i]).count();
            wrong as f64 / self.valid.len() as f64
        };
        Judge {
            error: Box::new(error),
            on_training: false,
            keeps_lowest: true,
            renews_on_ties: false,
            patience: None,
        }
    }

    /// Goes on from a state, or from the beginning, until `progress` interrupts.
    fn go(&self, state: Option<RunState>, progress: &mut dyn Progress) -> (Stopped, RunState, RunResult) {
        let (mut problem, mut optimizer) = (self.problem(), self.optimizer());
        let start: Vec<f32> = uniform(LABELS.len() * DIM, 6).into_iter().map(|v| v as f32).collect();
        let theta = problem.pack(&start);
        let schedule = self.schedule(optimizer.stochastic());
        let minimizer = Minimizer::new(&mut problem, &mut *optimizer);
        let mut run = match state {
            Some(state) => Run::from_state(minimizer, schedule, Some(self.judge()), state).unwrap(),
            None => Run::new(minimizer, schedule, Some(self.judge()), theta),
        };
        let stopped = run.go(progress);
        (stopped, run.state(), run.finish())
    }
}

#[test]
fn a_saved_run_goes_on_as_if_it_had_never_been_interrupted() {
    for optimizer in ["adam", "sgd", "cg", "lbfgs", "gd", "alternating"] {
        for method in ["npc", "glvq"] {
            let setting = Setting::new(optimizer, method);
            let (stopped, end, whole) = setting.go(None, &mut Silent);
            assert_ne!(stopped, Stopped::Interrupted);
            let steps = whole.history.len() * if setting.optimizer().stochastic() { 4 } else { 1 };
            // At the beginning, within an epoch or a value of γ, at their ends, and just before the last step.
            for k in [0, 1, 2, 4, 5, 8, 9, 11, steps - 1].into_iter().filter(|&k| k < steps) {
                let (stopped, half, _) = setting.go(None, &mut After(k.into()));
                assert_eq!(stopped, Stopped::Interrupted, "{optimizer} {method} after {k} steps");
                let text = serde_json::to_string(&half).unwrap();
                let half: RunState = serde_json::from_str(&text).unwrap();
                let (_, other_end, other) = setting.go(Some(half), &mut Silent);
                assert_eq!(other, whole, "{optimizer} {method} after {k} steps");
                assert_eq!(other_end, end, "{optimizer} {method} after {k} steps");
            }
        }
    }
}

#[test]
fn a_run_may_be_saved_after_every_single_step() {
    for optimizer in ["adam", "lbfgs"] {
        let setting = Setting::new(optimizer, "npc");
        let (_, end, whole) = setting.go(None, &mut Silent);
        let mut state = None;
        loop {
            let (stopped, next, result) = setting.go(state.take(), &mut After(1.into()));
            if stopped != Stopped::Interrupted {
                assert_eq!((next, result), (end, whole), "{optimizer}");
                break;
            }
            state = Some(serde_json::from_str(&serde_json::to_string(&next).unwrap()).unwrap());
        }
    }
}

#[test]
fn a_state_that_does_not_fit_is_refused() {
    let setting = Setting::new("adam", "npc");
    let (_, half, _) = setting.go(None, &mut After(5.into()));
    let refusal = |change: &dyn Fn(&mut RunState)| {
        let mut state = half.clone();
        change(&mut state);
        let (mut problem, mut optimizer) = (setting.problem(), setting.optimizer());
        let minimizer = Minimizer::new(&mut problem, &mut *optimizer);
        let run = Run::from_state(minimizer, setting.schedule(true), None, state);
        run.map(|_| ()).unwrap_err().to_string()
    };
    assert!(refusal(&|s| s.theta.truncate(4)).contains("21 parameters"));
    assert!(refusal(&|s| s.order.truncate(4)).contains("120 items"));
    assert!(refusal(&|s| s.position.step = 4).contains("a step that the schedule does not have"));
    assert!(
        refusal(&|s| s.stepper.optimizer.vectors.retain(|name, _| name != "m")).contains("no vector \"m\"")
    );
    assert!(refusal(&|s| s.stepper.problem.random.retain(|name, _| name != "vary")).contains("\"vary\""));
}
