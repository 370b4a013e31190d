//! From a method, settings and samples to a model.
//!
//! One way for all: learn the representation, find first prototypes, and, for methods with an objective, descend with
//! the chosen optimizer while the schedule raises γ. Every part of it can be interrupted and then gives the best model
//! so far.

mod check;
mod extend;
mod finish;
mod first_metric;
mod fit;
mod learner;
mod method;
mod prepare;
mod problem;
mod reads;
mod run;
mod trainer;
mod vary;

pub(crate) use check::{check_classes, check_valid};
pub(crate) use learner::parametric::MARGINS;
pub use learner::parametric::{Machine, Pnn};
pub(crate) use learner::{
    AnyLearner, Code, Descent, Facts, Fitted, Initial, Learner, Memory, Online, Parametric, Task,
};
pub(crate) use method::LearnerKind;
pub use method::{Method, Need, Open, Reads};
pub use problem::{Buffers, Criterion, Partial, Shard, TrainingProblem};
pub use trainer::Trainer;

use crate::init::{Init, KMeans, PerClass};
use crate::metric::MetricKind;
use crate::metric_learning::{Graph, Projection};
use crate::model::{ClassWeights, Posterior, Rule};
use crate::represent::{Components, Encoding, ImageSize, Scale};
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
    /// Which iterate is returned where there are no validation samples.
    pub enum Keep {
        /// The last one.
        Last = "last",
        /// The one with the lowest training error, the latest of equals.
        Best = "best",
    }
}

named_enum! {
    /// What the temperature of the probabilities is fitted to, where no validation samples are given.
    pub enum Calibration {
        /// Training samples that are held out in turn.
        HeldOut = "held-out",
        /// The training samples, with a little noise.
        Training = "training",
    }
}

named_enum! {
    /// What has a matrix of its own under a local linear metric.
    pub enum Locality {
        /// Each class.
        Class = "class",
        /// Each prototype.
        Prototype = "prototype",
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
const MOST_STEPS: usize = 1_000_000_000;

settings! {
    /// Settings that methods share, in groups; [`Method::reads`] says which of them a method uses.
    pub struct Training {
        Start {
            /// Prototypes per class: auto, a number, a share of samples, or a list.
            ///
            /// auto takes the one of 1, 2, 4, 8 and 16 that does best on held-out training samples. A list is by class name; *
            /// stands for all classes that are not named.
            per_class("per-class"): PerClass = PerClass::auto(), |_| true, "auto, 15, 5%, or A=3,B=10,*=5";
            /// How the first prototypes are chosen.
            ///
            /// boundary is k-means with more prototypes near class borders; cnn, enn and drop3 select training samples and
            /// decide how many to keep.
            init("init"): Init = Init::KMeans;
            /// Restarts of k-means in each class; the clustering with the smallest distances is kept.
            ///
            /// Large classes run k-means once.
            starts("starts"): usize = KMeans::default().starts, |v| *v > 0, "a number ≥ 1";
            /// Seed of the random number generator.
            seed("seed"): u64 = 0, |_| true, "a whole number";
        }
        Representing {
            /// How features are scaled.
            ///
            /// raw leaves them alone, none centres them, global divides all by one standard deviation, standard divides each
            /// by its own, minmax maps each to [0, 1], robust uses medians and quartiles and clips outliers; auto picks
            /// global or standard by leave-one-out error on the training samples.
            scale("scale"): Scale = Scale::Auto;
            /// Piecewise-linear encoding of each feature, before scaling; bins after a colon, such as ple:16.
            ///
            /// ple has bins of equally many samples, tree has bins where a small decision tree splits the classes. Without a
            /// number there are 8 to 48 bins, by the number of samples. For tables whose features act by thresholds.
            encode("encode"): Option<Encoding> = None;
            /// Target-encode text columns with more than this many values; none one-hot encodes all of them.
            ///
            /// Such a column becomes how much more often than elsewhere each class occurs with a value, smoothed and
            /// cross-fitted. A value that was not seen in training counts as average.
            target_encode("target-encode"): Option<usize> = None, |_| true, "none or a number like 10";
            /// Principal components to keep: a number, or a share of the variance.
            pca("pca"): Option<Components> = None, |_| true, "none, a number like 80, or a share like 95%";
            /// Supervised projection after scaling and PCA; a number after a colon sets its dimension.
            ///
            /// innlp and lpp keep neighbours together, lda separates classes.
            project("project"): Option<Projection> = None;
            /// What the projection innlp preserves.
            ///
            /// laplacian keeps neighbours together, reconstruction keeps samples as sums of their neighbours.
            graph("graph"): Graph = Graph::Laplacian;
            /// Restrict the neighbours of innlp and lpp to the same class.
            supervised("supervised"): bool = true;
            /// Normalise each sample to length 1, after scaling and projections.
            unit("unit"): bool = false;
            /// Width and height of images; square images are recognised.
            image("image"): Option<ImageSize> = None, |_| true, "none or WIDTHxHEIGHT like 28x28";
            /// Replace images by histograms of oriented gradients (HOG).
            ///
            /// Cells of 4 × 4 pixels, blocks of 2 × 2 cells, 8 directions.
            hog("hog"): bool = false;
            /// Deskew images: remove their slant before anything else.
            deskew("deskew"): bool = false;
        }
        Metric {
            /// Distance between samples and prototypes, fixed or learned.
            ///
            /// euclidean is fixed. Learned together with the prototypes: diagonal (a weight per feature), linear (a matrix),
            /// local (weights per prototype), local-linear (a matrix per class or prototype). Learned beforehand on all
            /// samples: lmnn and nca. cdvw weights features by the standard deviations of each class.
            metric("metric"): MetricKind = MetricKind::Euclidean;
            /// What has a matrix of its own under the metric local-linear.
            locality("locality"): Locality = Locality::Class;
            /// Rows of the learned matrix (low rank); none learns a square matrix.
            rank("rank"): Option<usize> = None, |v| *v != Some(0), "none or a number ≥ 1";
            /// Epochs to learn one matrix shared by all classes before prototypes and metric.
            ///
            /// Samples are then mapped by that matrix, and prototypes and metric are learned from scratch.
            common_epochs("common-epochs"): usize = 0, |v| *v <= MOST_STEPS, "a number from 0 to 1000000000";
        }
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
        Judging {
            /// Share of training samples held out to select the best iterate.
            holdout("holdout"): Option<f64> = None, |v| v.is_none_or(|h| h > 0.0 && h < 1.0), "none or a share like 0.1";
            /// Early stopping: epochs without a better validation error.
            ///
            /// It needs validation samples, given or held out.
            patience("patience"): Option<usize> = None, |v| *v != Some(0), "none or a number ≥ 1";
            /// Iterate to return without validation samples: the last, or the lowest training error.
            keep("keep"): Keep = Keep::Last;
        }
        Deciding {
            /// Decision rule.
            ///
            /// K-np takes a vote of the K nearest prototypes, soft the most probable class, scores the scores that pnn and
            /// epnn learn, code the sum of samples that coders such as inn and src find.
            rule("rule"): Rule = Rule::Nearest(1), |v| *v != Rule::Nearest(0), "1-np, 3-np, …, soft, scores or code";
            /// How distances become class probabilities.
            ///
            /// soft is a soft minimum over all prototypes, nearest one over the nearest prototype of each class, inverse uses
            /// inverse powers of the distances to these.
            posterior("posterior"): Posterior = Posterior::Soft;
            /// Samples that the temperature of the probabilities is fitted to.
            ///
            /// held-out takes samples that training has not seen: each third of the training samples in turn, by a model of the
            /// other two, until 1000 samples are judged. training takes the training samples themselves, which costs nothing and is
            /// too sure where prototypes are many.
            calibration("calibration"): Calibration = Calibration::HeldOut;
            /// Weights of classes when deciding: balanced, or numbers like rare=5,*=1.
            ///
            /// balanced weighs classes as if they were equally frequent. Training stays as it is: probabilities are multiplied by the
            /// weights, and posterior is nearest.
            class_weight("class-weight"): Option<ClassWeights> = None, |_| true, "none, balanced, or weights like A=5,*=1";
        }
    }
}

impl Training {
    /// The noise where none is given.
    const NOISE: f64 = 0.15;

    /// Standard deviation of the noise, in units of the global one.
    pub(crate) fn noise(&self) -> f64 {
        self.noise.unwrap_or(Self::NOISE)
    }
}
