//! Which of the settings a trainer reads: what nothing would read is refused rather than recorded.
//!
//! A method lists the groups and single settings that it reads ([`Reads`](super::Reads)). On top of that, a few settings matter
//! under some values of others only: a rank needs a matrix, restarts need k-means.

use super::{OptimizerKind, Trainer, Training};
use crate::init::Init;
use crate::metric::MetricKind;
use crate::metric_learning::{Lmnn, Map, Nca};
use crate::settings::{Group, Setting, SettingValue, Values};
use crate::{Error, Float, Result};

impl<F: Float> Trainer<F> {
    /// Whether training reads the setting, of the method or shared, under the other settings as they are.
    ///
    /// ```
    /// use protea::Trainer;
    /// let npc = Trainer::<f32>::named("npc")?;
    /// assert!(npc.reads("gamma") && !npc.reads("rank"));
    /// assert!(npc.set("metric", "linear")?.reads("rank"));
    /// # Ok::<(), protea::Error>(())
    /// ```
    pub fn reads(&self, name: &str) -> bool {
        self.unread(name).is_none()
    }

    /// Refuses settings that were given and that nothing would read.
    pub fn check_given(&self) -> Result<()> {
        self.given.iter().try_for_each(|(name, value)| {
            let reason = self.unread(name).or_else(|| self.fixed_otherwise(name, value));
            reason.map_or(Ok(()), |reason| {
                let (method, name) = (self.method.name.into(), name.clone());
                Err(Error::UnusedSetting { method, name, reason })
            })
        })
    }

    /// The shared settings that the method reads under some values of the others, after its own.
    pub(super) fn known_settings(&self) -> Vec<Setting> {
        let shared = Training::SETTINGS.iter().filter(|s| self.method.reads.setting(s));
        self.method.settings.iter().chain(shared).copied().collect()
    }

    /// Why the number of prototypes that makes the method what it is cannot be another one.
    fn fixed_otherwise(&self, name: &str, value: &str) -> Option<String> {
        let mut fixed =
            self.method.defaults.iter().filter(|_| name == "per-class" && self.facts().keeps_start);
        let (_, own) = fixed.find(|(n, _)| *n == name)?;
        (*own != value).then(|| format!("it is always {own}"))
    }

    /// Why nothing reads the setting; none where something does.
    fn unread(&self, name: &str) -> Option<String> {
        if self.method.settings.iter().any(|s| s.name == name) {
            return self.unread_own(name);
        }
        let metric = self.training.metric.kind;
        for (learned, settings) in [(MetricKind::Lmnn, Lmnn::SETTINGS), (MetricKind::Nca, Nca::SETTINGS)] {
            if settings.iter().any(|s| s.name == name) {
                let reason = || format!("the metric is {}, not {}", metric.show(), learned.show());
                return (metric != learned).then(reason);
            }
        }
        let known = Training::SETTINGS.iter().find(|s| s.name == name);
        match known {
            Some(s) if self.method.reads.setting(s) => self.unread_shared(name),
            Some(_) => Some(self.method.reads.because.into()),
            None => Some("there is no such setting".into()),
        }
    }

    /// Why no value of another setting of the method makes use of this one.
    fn unread_own(&self, name: &str) -> Option<String> {
        let need = self.method.needs.iter().find(|n| n.name == name)?;
        let default = || self.method.settings.iter().find(|s| s.name == need.other).map(|s| (s.default)());
        let now = self.options.get(need.other).cloned().or_else(default)?;
        (!need.values.contains(&now.as_str())).then(|| format!("{} is {now}", need.other))
    }

    /// Why the other settings leave a shared one without effect.
    fn unread_shared(&self, name: &str) -> Option<String> {
        let group = Training::SETTINGS.iter().find(|s| s.name == name)?.group;
        match group {
            Group::Start => self.unread_start(name),
            Group::Representing => self.unread_representation(name),
            Group::Metric => self.unread_metric(name),
            Group::Descending => self.unread_descent(name),
            Group::Judging | Group::Deciding | Group::Own => None,
        }
    }

    fn unread_start(&self, name: &str) -> Option<String> {
        let t = &self.training;
        let (init, prunes) = (t.start.init, t.descending.prune > 1);
        let found = || format!("the initialiser is {}", init.show());
        match name {
            "per-class" | "init" | "starts" if self.start.is_some() && !prunes => {
                Some("the first prototypes are given".into())
            }
            "per-class" => unless(!init.selects() || prunes, || found() + ", which decides their number"),
            "starts" => {
                let clusters = matches!(init, Init::KMeans | Init::Boundary);
                unless(clusters, || found() + ", which runs no k-means")
            }
            _ => None,
        }
    }

    fn unread_representation(&self, name: &str) -> Option<String> {
        // Images are changed before preprocessing, whoever has learned that.
        let lent = self.dictionary.is_some() || self.resumed.is_some();
        if lent && name != "image" {
            return Some("preprocessing is that of the given model".into());
        }
        let map = self.training.representing.project.map(|p| p.map);
        match name {
            "graph" => unless(map == Some(Map::Innlp), || "it belongs to the projection innlp".into()),
            "supervised" => {
                let neighbours = matches!(map, Some(Map::Innlp | Map::Lpp));
                unless(neighbours, || "it belongs to the projections innlp and lpp".into())
            }
            _ => None,
        }
    }

    fn unread_metric(&self, name: &str) -> Option<String> {
        let kind = self.training.metric.kind;
        let matrix = [MetricKind::Linear, MetricKind::LocalLinear, MetricKind::Lmnn, MetricKind::Nca];
        let any = self.any_metric();
        match name {
            "rank" => unless(matrix.contains(&kind) || any, || self.metric_that("has no matrix")),
            "locality" => {
                unless(kind == MetricKind::LocalLinear || any, || self.metric_that("has one matrix at most"))
            }
            "common-epochs" => unless(self.descends(), || self.method.reads.because.into()),
            _ => None,
        }
    }

    fn unread_descent(&self, name: &str) -> Option<String> {
        let t = &self.training;
        let (kind, common, how) = (t.metric.kind, t.metric.common_epochs > 0, t.descending.optimizer);
        let optimizer = |takes: &str| format!("the optimizer {} {takes}", how.show());
        let searches_steps = matches!(how, OptimizerKind::Cg | OptimizerKind::Lbfgs);
        let full_batch = self.descends() && !matches!(how, OptimizerKind::Adam | OptimizerKind::Sgd);
        // A matrix for all classes is learned with mini-batches, whatever the optimizer.
        let batches = !full_batch || common;
        let before = matches!(kind, MetricKind::Lmnn | MetricKind::Nca);
        match name {
            "metric-rate" => {
                let learned = self.own_metric.is_some() || MetricKind::LEARNED.contains(&kind) || common;
                let reason = || self.metric_that("is not learned with the prototypes");
                unless(learned || self.any_metric(), reason)
            }
            "epochs" | "batch" | "decay" | "vary" | "augment" | "average" => {
                unless(batches, || optimizer("takes the full batch"))
            }
            "rate" => unless(batches || !searches_steps, || optimizer("searches its own step size")),
            "anneal" => unless(batches || !self.softens(), || optimizer("takes γ to the hard limit")),
            "gamma-steps" if !full_batch => Some(optimizer("raises γ with every mini-batch")),
            "gamma-steps" => {
                unless(self.softens() || t.descending.anneal > 1.0, || "γ stays as it is".into())
            }
            "inside" => unless(!searches_steps, || optimizer("moves prototypes freely")),
            "max-iter" => unless(full_batch, || optimizer("runs for a number of epochs")),
            "tol" if self.descends() => {
                unless(full_batch || before, || optimizer("runs for a number of epochs"))
            }
            "tol" => unless(before, || self.metric_that("is not learned")),
            _ => None,
        }
    }

    /// Whether an objective is minimised, by the method or by those that it searches.
    fn descends(&self) -> bool {
        self.facts().descends || self.facts().searches
    }

    /// Whether several metrics are tried: a search does so unless one is given.
    fn any_metric(&self) -> bool {
        self.facts().searches && !self.given.contains_key("metric")
    }

    fn metric_that(&self, lacks: &str) -> String {
        format!("the metric {} {lacks}", self.training.metric.kind.show())
    }

    /// Whether γ is the inverse temperature of a soft minimum; a search tries objectives of both kinds.
    fn softens(&self) -> bool {
        self.learner(&self.options).is_ok_and(|learner| F::pick(&*learner).softens())
    }

    /// Forgets given settings that nothing would read.
    pub(crate) fn forget_unread(&mut self) {
        let read: Values =
            self.given.iter().filter(|(n, _)| self.reads(n)).map(|(n, v)| (n.clone(), v.clone())).collect();
        self.given = read;
    }
}

/// The reason, unless the setting is read.
fn unless(read: bool, reason: impl FnOnce() -> String) -> Option<String> {
    (!read).then(reason)
}
