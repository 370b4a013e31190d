//! What can be chosen for a method under given settings: the number of prototypes, and whether the seed matters.

use super::{Learner, Method};
use crate::init::Init;
use crate::settings::{SettingValue, Values};

impl Method {
    /// Whether the setting makes a method that learns no prototypes the method that it is, so that it cannot be set.
    pub fn is_fixed(&self, name: &str) -> bool {
        matches!(self.learner, Learner::Initialiser | Learner::Samples)
            && self.defaults.iter().any(|(n, _)| *n == name)
    }

    /// Whether the number of prototypes can be chosen under these settings.
    pub fn has_size(&self, settings: &Values) -> bool {
        let selects = self.init(settings).is_some_and(Init::selects);
        !matches!(self.learner, Learner::Samples | Learner::Coder(_))
            && !self.is_fixed("per-class")
            && !selects
    }

    /// Whether the seed matters, data apart.
    pub fn is_random(&self, settings: &Values) -> bool {
        let visits_in_random_order = self.init(settings) == Some(Init::Cnn);
        let learns = !matches!(self.learner, Learner::Initialiser | Learner::Samples | Learner::Coder(_));
        self.has_size(settings) || visits_in_random_order || learns
    }

    /// The initialiser, where it is not the common default.
    fn init(&self, settings: &Values) -> Option<Init> {
        let own = || self.defaults.iter().find(|(name, _)| *name == "init").map(|(_, value)| *value);
        let given = settings.get("init").map(String::as_str).filter(|_| !self.is_fixed("init"));
        given.or_else(own).and_then(Init::parse)
    }
}
