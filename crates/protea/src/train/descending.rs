//! How parameters are trained: settings, and the optimizer that they ask for.

use crate::optim::{Adam, Alternating, Cg, Gd, Lbfgs, Optimizer, Sgd};
use crate::settings::{named_enum, settings};

named_enum! {
    /// How parameters move.
    pub enum OptimizerKind {
        /// Mini-batch Adam.
        Adam = "adam",
        /// Mini-batch gradient descent with momentum.
        Sgd = "sgd",
        /// Full-batch nonlinear conjugate gradients, as in the NPC paper.
        Cg = "cg",
        /// Full-batch L-BFGS.
        Lbfgs = "lbfgs",
        /// Full-batch gradient descent with a fixed step size, as in the LPD paper.
        Gd = "gd",
        /// Full-batch gradient steps over prototypes and metric in turn, as in the DMPL paper.
        Alternating = "alternating",
    }
}

named_enum! {
    /// How the step size falls over the epochs.
    pub enum Decay {
        /// Half a cosine, to 0.
        Cosine = "cosine",
        /// A straight line, to 0.
        Linear = "linear",
        /// Not at all.
        None = "none",
    }
}

impl Decay {
    /// Factor on the step size after the share `t` of a run.
    pub(crate) fn at(self, t: f64) -> f64 {
        match self {
            Decay::Cosine => 0.5 * (1.0 + (std::f64::consts::PI * t).cos()),
            Decay::Linear => 1.0 - t,
            Decay::None => 1.0,
        }
    }
}

/// Epochs or steps that may be asked for: more would end no sooner than never.
pub(super) const MOST_STEPS: usize = 1_000_000_000;

settings! {
    /// How parameters are trained.
    pub struct Descending {
        Descending {
            /// How the objective is minimised.
            ///
            /// adam and sgd (with momentum) take mini-batches; cg, lbfgs, gd and alternating take the full batch.
            optimizer("optimizer"): OptimizerKind = OptimizerKind::Adam;
            /// Passes over the training samples; none decides by the size of the data.
            epochs("epochs"): Option<usize> = None, |v| v.is_none_or(|n| (1..=MOST_STEPS).contains(&n)), "none or a number from 1 to 1000000000";
            /// Samples per mini-batch.
            batch("batch"): usize = 256, |v| *v > 0, "a number ≥ 1";
            /// Learning rate, in units of the features' global standard deviation.
            ///
            /// Online rules such as lvq1 take it as in their papers.
            rate("rate"): f64 = 0.05, |v| *v > 0.0 && v.is_finite(), "a number > 0";
            /// Learning rate of the metric, as a factor on the learning rate.
            metric_rate("metric-rate"): f64 = 0.03, |v| *v >= 0.0 && v.is_finite(), "a number ≥ 0";
            /// Decay of the learning rate over the epochs.
            decay("decay"): Decay = Decay::Cosine;
            /// Gaussian noise on the samples against overfitting; standard deviation.
            ///
            /// In units of the features' global standard deviation. none means 0.15; for lpd it is chosen from 0.15, 0.4 and
            /// 0.8 on held-out training samples.
            noise("noise"): Option<f64> = None, |v| v.is_none_or(|n| n >= 0.0 && n.is_finite()), "none or a number ≥ 0";
            /// Jitter each sample towards or away from same-class neighbours; standard deviation of the factor.
            vary("vary"): f64 = 0.0, |v| *v >= 0.0 && v.is_finite(), "a number ≥ 0";
            /// Augment images by random shifts, rotations, scalings and shears of this strength.
            ///
            /// 1 means shifts up to a sixteenth of the size, rotations up to 7°, scalings up to 8 % and shears up to 0.15.
            augment("augment"): f64 = 0.0, |v| *v >= 0.0 && v.is_finite(), "a number ≥ 0";
            /// Average the iterates over this share of the steps, at the end of training.
            average("average"): f64 = 0.0, |v| (0.0..=1.0).contains(v), "a share from 0 to 1";
            /// Softness γ of the objective at the start; none calibrates it on the data.
            ///
            /// For soft objectives, calibration picks the γ at which the two largest weights differ by less than 0.5 for 80 %
            /// of the samples.
            gamma("gamma"): Option<f64> = None, |v| v.is_none_or(|g| g > 0.0 && g.is_finite()), "none or a number > 0";
            /// Factor by which γ grows during training.
            anneal("anneal"): f64 = 4.0, |v| *v >= 1.0 && v.is_finite(), "a number ≥ 1";
            /// Number of γ values from calibration to the hard limit, each minimised to convergence.
            gamma_steps("gamma-steps"): usize = 12, |v| *v > 0, "a number ≥ 1";
            /// Most full-batch steps per value of γ.
            max_iter("max-iter"): usize = 1000, |v| (1..=MOST_STEPS).contains(v), "a number from 1 to 1000000000";
            /// Stop when the objective changes by less than this share (full batch; lmnn and nca).
            tol("tol"): f64 = 1e-6, |v| *v >= 0.0, "a number ≥ 0";
            /// Start with this many times the prototypes, then keep the most important and train again.
            prune("prune"): usize = 1, |v| *v > 0, "a number ≥ 1";
            /// Ensemble size: models trained from different starts that decide by their mean distances.
            ///
            /// The prototypes asked for are divided among the members.
            members("members"): usize = 1, |v| *v > 0, "a number ≥ 1";
            /// Keep each prototype within the range of its class, feature by feature.
            ///
            /// Ranges are those of the training samples after scaling and projections. The optimizers cg and lbfgs do not use it.
            inside("inside"): bool = false;
            /// Keep the prototypes where they start and learn the metric alone.
            freeze_prototypes("freeze-prototypes"): bool = false;
        }
    }
}

impl Descending {
    /// The noise where none is given.
    const NOISE: f64 = 0.15;

    /// Standard deviation of the noise, in units of the global one.
    pub(crate) fn noise(&self) -> f64 {
        self.noise.unwrap_or(Self::NOISE)
    }
}

/// The optimizer; `unit` is the global standard deviation of the features, `n` the number of samples.
pub(super) fn optimizer(t: &Descending, unit: f64, n: usize) -> Box<dyn Optimizer> {
    match t.optimizer {
        OptimizerKind::Adam => Box::new(Adam::new(t.rate * unit)),
        // The gradient by a prototype scales with 1/unit, a step with unit.
        OptimizerKind::Sgd => Box::new(Sgd::new(t.rate * unit * unit, 0.9)),
        OptimizerKind::Cg => Box::new(Cg::new(t.tol)),
        OptimizerKind::Lbfgs => Box::new(Lbfgs::new(t.tol)),
        // The paper's steps add up over samples; the objective here is their mean.
        OptimizerKind::Gd => Box::new(Gd::new(t.rate * unit * unit * n as f64, t.tol)),
        OptimizerKind::Alternating => Box::new(Alternating::new(t.rate * unit, t.tol)),
    }
}
