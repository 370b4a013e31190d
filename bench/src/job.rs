//! What is run: a definition under a seed.

use crate::{peer, toy};
use anyhow::{Result, bail};
use protea::catalog::{CATALOG, Entry, Files};
use protea::method::method;
use protea::{Model, Trainer, Values};
use serde::{Deserialize, Serialize};

/// Data, method and settings; the same in two tables is one job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// A data set of the catalogue, or a toy (see [`toy`]).
    pub data: String,
    /// Cross-validation in place of the set's own parts.
    pub folds: Option<usize>,
    /// A method of protea, or one of another program (see [`peer`]).
    pub method: String,
    /// Settings as one would type them; the rest has its defaults.
    pub settings: Values,
    /// γ at which the soft rule is measured, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub soft: Vec<f64>,
}

/// Whether this build can run a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// It can.
    Yes,
    /// It has no such method.
    NoMethod,
}

/// A definition under a seed.
#[derive(Debug, Clone)]
pub struct Job {
    /// What.
    pub definition: Definition,
    /// Under which seed.
    pub seed: u64,
}

impl Definition {
    /// The set of the catalogue; none for a toy.
    pub fn set(&self) -> Option<&'static Entry> {
        CATALOG.iter().find(|s| s.name == self.data)
    }

    /// Refuses what could never run; a method that this build lacks is told apart.
    pub fn check(&self) -> Result<Known> {
        match self.set() {
            None if !toy::is_toy(&self.data) => bail!("there is no data set {}", self.data),
            Some(Entry { files: Files::Whole(_), .. }) if self.folds.is_none() => {
                bail!("{} has no test part of its own, expected folds", self.data)
            }
            _ => {}
        }
        if peer::is_peer(&self.method) {
            return Ok(Known::Yes);
        }
        if method(&self.method).is_err() {
            return Ok(Known::NoMethod);
        }
        self.trainer(0)?.check_given()?;
        Ok(Known::Yes)
    }

    /// What it is, as one text: settings that are the defaults anyway tell nothing apart.
    pub fn identity(&self) -> String {
        let (mut plain, defaults) = (self.clone(), self.defaults());
        plain.settings.retain(|name, value| defaults.get(name) != Some(value));
        serde_json::to_string(&plain).expect("names and numbers can be written")
    }

    /// Settings of a model other than the job or the method asked for: those that training chose.
    pub fn chosen(&self, model: &Model<f32>) -> Values {
        let mut asked = self.defaults();
        asked.extend(self.settings.clone());
        let mut chosen = model.provenance().settings.clone();
        chosen.retain(|name, value| name != "seed" && asked.get(name) != Some(value));
        chosen
    }

    /// All settings of the method as they are without any said; none for other programs.
    fn defaults(&self) -> Values {
        let (Ok(method), Ok(trainer)) = (method(&self.method), Trainer::<f32>::named(&self.method)) else {
            return Values::new();
        };
        let mut defaults = trainer.training.values();
        defaults.extend(method.settings.iter().map(|s| (s.name.to_string(), (s.default)())));
        defaults
    }

    /// The trainer under a seed.
    pub fn trainer(&self, seed: u64) -> Result<Trainer<f32>> {
        let trainer = Trainer::named(&self.method)?.set("seed", &seed.to_string())?;
        Ok(self.settings.iter().try_fold(trainer, |t, (name, value)| t.set(name, value))?)
    }

    /// Whether other seeds give other figures.
    pub fn is_random(&self) -> bool {
        let random = method(&self.method).map_or(true, |m| m.is_random(&self.settings));
        self.folds.is_some() || toy::is_toy(&self.data) || (random && !peer::is_peer(&self.method))
    }

    /// As one would type it.
    pub fn title(&self) -> String {
        let start = format!("{} {}", self.data, self.method);
        self.settings.iter().fold(start, |t, (name, value)| format!("{t} --{name} {value}"))
    }
}

impl Job {
    /// All jobs of a definition.
    pub fn of(definition: &Definition, seeds: u64) -> impl Iterator<Item = Job> + '_ {
        let seeds = if definition.is_random() { seeds } else { 1 };
        (0..seeds).map(|seed| Job { definition: definition.clone(), seed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protea::catalog::{self, Part};

    fn on_wine(method: &str, settings: &[(&str, &str)]) -> Definition {
        Definition {
            data: "wine".into(),
            folds: Some(5),
            method: method.into(),
            settings: settings.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect(),
            soft: Vec::new(),
        }
    }

    /// The margin is left open; all else is as asked for or as always.
    #[test]
    fn what_training_chose_is_told_and_nothing_else() {
        let data = catalog::load::<f32>("wine", Part::All, None).unwrap();
        let asked = on_wine("dmpl", &[("per-class", "2"), ("epochs", "3")]);
        let model = asked.trainer(7).unwrap().fit(&data).unwrap();
        let chosen = asked.chosen(&model);
        assert_eq!(chosen.keys().collect::<Vec<_>>(), ["margin"]);
        assert_eq!(chosen["margin"], model.provenance().settings["margin"]);
    }

    #[test]
    fn what_is_the_default_anyway_tells_nothing_apart() {
        let of = |method: &str, name: &str, value: &str| on_wine(method, &[(name, value)]).identity();
        let plain = of("epnn", "learners", "20");
        // Of the method, of the defaults that it has in place of the common ones, and of all methods.
        assert_eq!(plain, of("epnn", "per-class", "40"));
        assert_eq!(plain, of("epnn", "unit", "false"));
        assert_ne!(plain, of("epnn", "learners", "10"));
        assert_ne!(of("npc", "per-class", "40"), of("npc", "unit", "false"));
        assert!(of("sklearn:rbf", "scale", "none").contains("scale"));
    }
}
