//! What can be chosen for a method under given settings: the number of prototypes, and whether the seed matters.

use super::Method;
use crate::Result;
use crate::init::Init;
use crate::objective::AnyObjective;
use crate::settings::{Setting, SettingValue, Values};
use crate::train::Training;

impl Method {
    /// How it learns: `objective`, `online`, `parametric`, `initial`, `memory`, `code` or `search`.
    pub fn learns_by(&self) -> &'static str {
        self.learner.facts.name
    }

    /// The objective under these settings, where the method descends on one; refuses settings that it does not have.
    pub fn objective(&self, settings: &Values) -> Result<Option<Box<dyn AnyObjective>>> {
        Ok((self.learner.build)(settings)?.into_objective())
    }

    /// Whether the setting makes a method that learns no prototypes the method that it is, so that it cannot be set.
    pub fn is_fixed(&self, name: &str) -> bool {
        let facts = self.learner.facts;
        (facts.keeps_start || (facts.keeps_samples && !facts.codes))
            && self.defaults.iter().any(|(n, _)| *n == name)
    }

    /// The settings that a user can change: its own, then the shared ones that it reads under some values of the others.
    pub fn changeable(&self) -> Vec<Setting> {
        let own = |name: &str| self.settings.iter().any(|s| s.name == name);
        let clusters = |init| matches!(init, Init::KMeans | Init::Boundary);
        let shared = Training::SETTINGS.iter().filter(|s| match s.name {
            name if own(name) || self.is_fixed(name) || !self.reads.setting(s) => false,
            "per-class" => self.has_size(&Values::new()),
            "starts" => !self.is_fixed("init") || self.init(&Values::new()).is_none_or(clusters),
            _ => true,
        });
        self.settings.iter().chain(shared).copied().collect()
    }

    /// Whether the number of prototypes can be chosen under these settings.
    pub fn has_size(&self, settings: &Values) -> bool {
        let selects = self.init(settings).is_some_and(Init::selects);
        !self.learner.facts.keeps_samples && !self.is_fixed("per-class") && !selects
    }

    /// Whether the seed matters, data apart.
    pub fn is_random(&self, settings: &Values) -> bool {
        let visits_in_random_order = self.init(settings) == Some(Init::Cnn);
        let facts = self.learner.facts;
        let learns = !facts.keeps_start && !facts.keeps_samples;
        self.has_size(settings) || visits_in_random_order || learns
    }

    /// The initialiser, where it is not the common default.
    fn init(&self, settings: &Values) -> Option<Init> {
        let own = || self.defaults.iter().find(|(name, _)| *name == "init").map(|(_, value)| *value);
        let given = settings.get("init").map(String::as_str).filter(|_| !self.is_fixed("init"));
        given.or_else(own).and_then(Init::parse)
    }
}
