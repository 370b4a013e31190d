//! From a method, settings and samples to a model.
//!
//! One way for all: learn the representation, find first prototypes, and, for methods with an objective, descend with
//! the chosen optimizer while the schedule raises γ. Every part of it can be interrupted and then gives the best model
//! so far.

mod check;
mod descending;
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
mod start;
mod trainer;
mod vary;

pub(crate) use check::{check_classes, check_valid};
pub use descending::{Decay, Descending, OptimizerKind};
pub use finish::{Calibration, Deciding};
pub use first_metric::{Locality, MetricChoice};
pub(crate) use learner::parametric::MARGINS;
pub use learner::parametric::{Machine, Pnn};
pub(crate) use learner::{
    AnyLearner, Code, Descent, Facts, Fitted, Initial, Learner, Memory, Online, Parametric, Task,
};
pub(crate) use method::LearnerKind;
pub use method::{Method, Need, Open, Reads};
pub use prepare::Representing;
pub use problem::{Buffers, Criterion, Partial, Shard, TrainingProblem};
pub use run::{Judging, Keep};
pub use start::Start;
pub use trainer::Trainer;

use crate::settings::composed_settings;

composed_settings! {
    /// Settings that methods share, in groups; [`Method::reads`] says which of them a method uses.
    pub struct Training {
        /// Where prototypes start, and how many there are.
        start: Start,
        /// What samples look like before distances are measured.
        representing: Representing,
        /// What distances are measured with.
        metric: MetricChoice,
        /// How parameters are trained.
        descending: Descending,
        /// Which iterate is kept, and when training stops early.
        judging: Judging,
        /// How the model decides.
        deciding: Deciding,
    }
}
