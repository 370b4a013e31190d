//! `auto`: what it is; how it searches is [`crate::select`].

use crate::init::Prototypes;
use crate::metric::MetricKind;
use crate::progress::Progress;
use crate::settings::{SettingValue, settings};
use crate::train::{AnyLearner, Facts, Fitted, Learner, LearnerKind, Method, Reads, Task};
use crate::{Error, Float, Result};

/// A number of bytes: `64000`, `64kB`, `1.5MB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bytes(pub usize);

impl SettingValue for Bytes {
    fn parse(text: &str) -> Option<Self> {
        let lower = text.trim().to_lowercase();
        let number = lower.trim_end_matches('b');
        let (number, unit) = match number.strip_suffix('k').map(|n| (n, 1e3)) {
            Some(found) => found,
            None => number.strip_suffix('m').map_or((number, 1.0), |n| (n, 1e6)),
        };
        let bytes = number.trim().parse::<f64>().ok()? * unit;
        (1.0..1e15).contains(&bytes).then_some(Bytes(bytes as usize))
    }

    fn show(&self) -> String {
        self.0.to_string()
    }
}

settings! {
    /// Settings of `auto`.
    pub struct Auto {
        /// Time budget in seconds for search and training together.
        ///
        /// Results then depend on the speed of the machine.
        time("time"): Option<f64> = None, |v| v.is_none_or(|t| t > 0.0 && t.is_finite()), "none or seconds > 0";
        /// Largest model size in bytes; replaces per-class as what limits the number of prototypes.
        size("size"): Option<Bytes> = None, |_| true, "none or bytes like 64kB";
    }
}

/// Stands where others have a learner: a search trains other methods, and cannot be trained itself.
struct Search;

impl AnyLearner for Search {}

impl<F: Float> Learner<F> for Search {
    fn learn(&self, _: &Task<F>, _: Prototypes<F>, _: &mut dyn Progress) -> Result<Fitted<F>> {
        Err(Error::setting("method", AUTO.name, "a method that learns by itself"))
    }
}

/// `auto`.
pub(super) const AUTO: Method = Method {
    name: "auto",
    summary: "objective, metric and noise chosen on held-out training samples",
    reference: "protea",
    settings: Auto::SETTINGS,
    needs: &[],
    reads: Reads::ALL,
    defaults: &[],
    variants: &[],
    page: "auto",
    open: &[],
    metrics: MetricKind::LEARNABLE,
    learner: LearnerKind {
        facts: Facts { name: "search", searches: true, ..Facts::NONE },
        build: |values| {
            Auto::from_values(AUTO.name, values)?;
            Ok(Box::new(Search))
        },
    },
};
