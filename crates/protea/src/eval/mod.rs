//! How good a model is.
//!
//! | question | answer |
//! |---|---|
//! | how often is it wrong, and what does it confuse? | [`evaluate`] |
//! | what if it may refuse to answer when in doubt? | [`refusal()`] |
//! | is this sample of the class that is claimed? | [`verification()`] |
//! | which prototypes earn their place? | [`prototype_uses`] |
//! | is it better than another, or was that chance? | [`mcnemar()`] |
//! | and a method, over splits and seeds? | [`Protocol`] |
//!
//! [`Answers`] asks the model once for several of these.

mod answers;
mod decisions;
mod mcnemar;
mod prototypes;
mod refusal;
mod steps;
mod trial;
mod verification;

pub use answers::Answers;
pub use decisions::{ClassMeasures, Evaluation, evaluate};
pub use mcnemar::{McNemar, mcnemar};
pub use prototypes::{PrototypeUse, prototype_uses};
pub use refusal::{Certainty, RefusalCurve, RefusalPoint, refusal};
pub use trial::{Protocol, Trial, micros_per_query};
pub use verification::{Rates, Verification, verification};
