//! How good a model is.
//!
//! | question | answer |
//! |---|---|
//! | how often is it wrong, also against the majority class, and what does it confuse? | [`evaluate`] |
//! | what if it may refuse to answer when in doubt? | [`refusal()`] |
//! | is this sample of the class that is claimed? | [`verification()`] |
//! | which prototypes earn their place? | [`prototype_uses`] |
//! | is it better than another, or was that chance? | [`mcnemar()`] |
//! | what changed from one model to another? | [`prototype_changes`], [`answer_changes`] |
//! | and a method, over splits and seeds? | [`Protocol`] |
//!
//! [`Answers`] asks the model once for several of these.

mod answers;
mod assignment;
mod auc;
mod decisions;
mod diff;
mod mcnemar;
mod prototypes;
mod refusal;
mod steps;
mod trial;
mod verification;

pub use answers::Answers;
pub use decisions::{ClassMeasures, Evaluation, Majority, evaluate};
pub use diff::{
    AnswerChange, AnswerChanges, ErrorChange, MovedPrototype, PrototypeChanges, PrototypeSet, answer_changes,
    prototype_changes,
};
pub use mcnemar::{McNemar, mcnemar};
pub use prototypes::{PrototypeUse, prototype_uses};
pub use refusal::{Certainty, RefusalCurve, RefusalPoint, refusal};
pub use trial::{Protocol, TestRun, micros_per_query};
pub use verification::{Rates, Verification, verification};
