//! From a method, settings and samples to a model.
//!
//! One way for all: learn the representation, find first prototypes, and, for methods with an objective, descend with
//! the chosen optimizer while the schedule raises γ. Every part of it can be interrupted and then gives the best model
//! so far.

mod check;
mod finish;
mod first_metric;
mod fit;
mod learner;
mod method;
mod prepare;
mod problem;
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
pub use method::{Method, Open};
pub use problem::{Buffers, Criterion, Partial, Shard, TrainingProblem};
pub(crate) use run::{batch_size, default_epochs};
pub use trainer::Trainer;

use crate::init::{Init, KMeans, PerClass};
use crate::metric::MetricKind;
use crate::metric_learning::{Graph, Projection};
use crate::model::{Posterior, Rule};
use crate::represent::{Components, ImageSize, Scale};
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

settings! {
    /// Settings that all methods share.
    pub struct Training {
        /// Prototypes of each class: a number, a share of its samples, or a list by class name (rest with *).
        per_class("per-class"): PerClass = PerClass::all(15), |_| true, "15, 5%, or A=3,B=10,*=5";
        /// Where prototypes start; boundary is k-means that stands closer at the borders; cnn, enn and drop3 select samples and their number.
        init("init"): Init = Init::KMeans, |_| true, "kmeans, sample, mean, boundary, cnn, enn or drop3";
        /// Starts of k-means in each class, of which the one with the smallest distances is kept; large classes have one.
        starts("starts"): usize = KMeans::default().starts, |v| *v > 0, "a number ≥ 1";
        /// Distance: euclidean; learned with the prototypes as a weight of each feature (diagonal), a matrix (linear), weights of each prototype (local) or a matrix of each class or prototype (local-linear); a matrix learned before them on all samples (lmnn, nca); or deviations of the classes (cdvw).
        metric("metric"): MetricKind = MetricKind::Euclidean, |_| true, "euclidean, diagonal, linear, local, local-linear, lmnn, nca or cdvw";
        /// What has a matrix of its own under the metric local-linear.
        locality("locality"): Locality = Locality::Class, |_| true, "class or prototype";
        /// Rows of the learned matrix; none for a square one.
        rank("rank"): Option<usize> = None, |v| *v != Some(0), "none or a number ≥ 1";
        /// Epochs in which one matrix for all classes is learned first; samples are then seen through it, and prototypes and metric are learned anew (methods with an objective).
        common_epochs("common-epochs"): usize = 0, |_| true, "a number ≥ 0";
        /// Scaling of features; raw does not even centre them; auto is global or standard, whichever has the lower leave-one-out error in training.
        scale("scale"): Scale = Scale::Auto, |_| true, "raw, none, global, standard, minmax or auto";
        /// Principal components to keep: a number or a share of the variance.
        pca("pca"): Option<Components> = None, |_| true, "none, a number like 80, or a share like 95%";
        /// Projection learned after scaling and principal components: innlp and lpp keep neighbours together, lda separates classes; a number after a colon is how many components.
        project("project"): Option<Projection> = None, |_| true, "none, innlp, lpp or lda, such as innlp:40";
        /// What the projection innlp keeps: neighbours together, or samples as sums of their neighbours.
        graph("graph"): Graph = Graph::Laplacian, |_| true, "laplacian or reconstruction";
        /// Whether neighbours of the projections innlp and lpp must be of the same class.
        supervised("supervised"): bool = true, |_| true, "true or false";
        /// Bring every sample to length 1, after scaling and projections.
        unit("unit"): bool = false, |_| true, "true or false";
        /// Width and height of images; square ones are recognised.
        image("image"): Option<ImageSize> = None, |_| true, "none or WIDTHxHEIGHT like 28x28";
        /// Replace images by histograms of the directions of their edges: cells of 4 × 4 pixels, blocks of 2 × 2 cells, 8 directions.
        hog("hog"): bool = false, |_| true, "true or false";
        /// Straighten slanted images first.
        deskew("deskew"): bool = false, |_| true, "true or false";
        /// Learn the metric alone.
        freeze_prototypes("freeze-prototypes"): bool = false, |_| true, "true or false";
        /// Times as many prototypes to start with; after a first training the most important ones of each class are kept and trained again (methods with an objective).
        prune("prune"): usize = 1, |v| *v > 0, "a number ≥ 1";
        /// Models that are trained from different starts and decide together, by the mean of their distances; the prototypes are shared out among them (methods with an objective).
        members("members"): usize = 1, |v| *v > 0, "a number ≥ 1";
        /// How the objective is minimised.
        optimizer("optimizer"): OptimizerKind = OptimizerKind::Adam, |_| true, "adam, sgd, cg, lbfgs, gd or alternating";
        /// Passes over the training samples (adam, sgd, online rules); none lets the size of the data decide.
        epochs("epochs"): Option<usize> = None, |v| *v != Some(0), "none or a number ≥ 1";
        /// Samples of a mini-batch (adam, sgd).
        batch("batch"): usize = 256, |v| *v > 0, "a number ≥ 1";
        /// Step size in units of the features' global standard deviation (adam, sgd, alternating), or as the rule has it.
        rate("rate"): f64 = 0.05, |v| *v > 0.0 && v.is_finite(), "a number > 0";
        /// Step size of the metric, as a factor on the rate.
        metric_rate("metric-rate"): f64 = 0.03, |v| *v >= 0.0 && v.is_finite(), "a number ≥ 0";
        /// Fall of the step size over the epochs.
        decay("decay"): Decay = Decay::Cosine, |_| true, "cosine, linear or none";
        /// Standard deviation of noise added to the samples of each mini-batch, in units of the global standard deviation; none is 0.15, and for lpd 0.15, 0.4 or 0.8, chosen on a part of the training samples.
        noise("noise"): Option<f64> = None, |v| v.is_none_or(|n| n >= 0.0 && n.is_finite()), "none or a number ≥ 0";
        /// Differences to near samples of its class, times a normal number of this deviation, are added to each sample of a mini-batch (adam, sgd).
        vary("vary"): f64 = 0.0, |v| *v >= 0.0 && v.is_finite(), "a number ≥ 0";
        /// Strength of random shifts, turns, scales and slants of the images of each mini-batch; 1 is up to a sixteenth of the size, 7°, 8 % and 0.15 (adam, sgd).
        augment("augment"): f64 = 0.0, |v| *v >= 0.0 && v.is_finite(), "a number ≥ 0";
        /// Share of the steps, at the end, over which the iterates are averaged (adam, sgd).
        average("average"): f64 = 0.0, |v| (0.0..=1.0).contains(v), "a share from 0 to 1";
        /// First γ; none calibrates it on the data: soft objectives so that for 80 % of the samples the two largest weights differ by less than 0.5.
        gamma("gamma"): Option<f64> = None, |v| v.is_none_or(|g| g > 0.0 && g.is_finite()), "none or a number > 0";
        /// Growth of γ over a run of mini-batches (adam, sgd).
        anneal("anneal"): f64 = 4.0, |v| *v >= 1.0 && v.is_finite(), "a number ≥ 1";
        /// Values of γ from calibration to the hard limit, each minimised to the end (full batch).
        gamma_steps("gamma-steps"): usize = 12, |v| *v > 0, "a number ≥ 1";
        /// Most steps at each γ (cg, lbfgs, gd, alternating).
        max_iter("max-iter"): usize = 1000, |v| *v > 0, "a number ≥ 1";
        /// Relative change of the objective that ends a descent (cg, lbfgs, gd, alternating; lmnn, nca).
        tol("tol"): f64 = 1e-6, |v| *v >= 0.0, "a number ≥ 0";
        /// Share of the training samples to hold out for choosing the best iterate.
        holdout("holdout"): Option<f64> = None, |v| v.is_none_or(|h| h > 0.0 && h < 1.0), "none or a share like 0.1";
        /// Epochs without a better validation error before stopping; needs validation samples.
        patience("patience"): Option<usize> = None, |v| *v != Some(0), "none or a number ≥ 1";
        /// Iterate that is returned where there are no validation samples: the last, or the one with the lowest training error.
        keep("keep"): Keep = Keep::Last, |_| true, "last or best";
        /// Decision: K-np votes among the K nearest prototypes, soft takes the most probable class, scores what pnn and epnn learn behind them, code a sum of samples (inn, src, crc …).
        rule("rule"): Rule = Rule::Nearest(1), |v| *v != Rule::Nearest(0), "1-np, 3-np, …, soft, scores or code";
        /// Probabilities: by a soft minimum over all prototypes (soft) or over the nearest of each class (nearest), or by inverse powers of the distances to the nearest of each class (inverse).
        posterior("posterior"): Posterior = Posterior::Soft, |_| true, "soft, nearest or inverse";
        /// Seed of all randomness.
        seed("seed"): u64 = 0, |_| true, "a whole number";
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
