//! Which of the settings a trainer reads: what nothing would read is refused rather than recorded.
//!
//! A method lists the groups and single settings that it reads ([`Reads`](super::Reads)). On top of that, a few settings matter
//! under some values of others only: a rank needs a matrix, restarts need k-means.

use super::{OptimizerKind, Trainer, Training};
use crate::init::Init;
use crate::metric::MetricKind;
use crate::metric_learning::{Lmnn, Map, Nca};
use crate::settings::{Setting, SettingValue, Values};
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
        let (t, facts) = (&self.training, self.facts());
        let descends = facts.descends || facts.searches;
        // A search tries several metrics unless one is given.
        let any_metric = facts.searches && !self.given.contains_key("metric");
        let matrix = matches!(
            t.metric.kind,
            MetricKind::Linear | MetricKind::LocalLinear | MetricKind::Lmnn | MetricKind::Nca
        );
        let before = matches!(t.metric.kind, MetricKind::Lmnn | MetricKind::Nca);
        let own = self.own_metric.is_some();
        let learned = own || MetricKind::LEARNED.contains(&t.metric.kind) || t.metric.common_epochs > 0;
        let full_batch =
            descends && !matches!(t.descending.optimizer, OptimizerKind::Adam | OptimizerKind::Sgd);
        // A matrix for all classes is learned with mini-batches, whatever the optimizer.
        let batches = !full_batch || t.metric.common_epochs > 0;
        let map = t.representing.project.map(|p| p.map);
        let init = || format!("the initialiser is {}", t.start.init.show());
        let metric = |lacks: &str| format!("the metric {} {lacks}", t.metric.kind.show());
        let optimizer = |takes: &str| format!("the optimizer {} {takes}", t.descending.optimizer.show());
        let unless = |read: bool, reason: String| (!read).then_some(reason);
        match name {
            "per-class" | "init" | "starts" if self.start.is_some() && t.descending.prune == 1 => {
                Some("the first prototypes are given".into())
            }
            "per-class" => unless(
                !t.start.init.selects() || t.descending.prune > 1,
                init() + ", which decides their number",
            ),
            "starts" => {
                let clusters = matches!(t.start.init, Init::KMeans | Init::Boundary);
                unless(clusters, init() + ", which runs no k-means")
            }
            "graph" => unless(map == Some(Map::Innlp), "it belongs to the projection innlp".into()),
            "supervised" => {
                let neighbours = matches!(map, Some(Map::Innlp | Map::Lpp));
                unless(neighbours, "it belongs to the projections innlp and lpp".into())
            }
            "rank" => unless(matrix || any_metric, metric("has no matrix")),
            "locality" => {
                let local = t.metric.kind == MetricKind::LocalLinear || any_metric;
                unless(local, metric("has one matrix at most"))
            }
            "common-epochs" => unless(descends, self.method.reads.because.into()),
            "metric-rate" => unless(learned || any_metric, metric("is not learned with the prototypes")),
            "epochs" | "batch" | "decay" | "vary" | "augment" | "average" => {
                unless(batches, optimizer("takes the full batch"))
            }
            "rate" => {
                let searches = matches!(t.descending.optimizer, OptimizerKind::Cg | OptimizerKind::Lbfgs);
                unless(batches || !searches, optimizer("searches its own step size"))
            }
            "anneal" => unless(batches || !self.softens(), optimizer("takes γ to the hard limit")),
            "gamma-steps" => {
                let several = self.softens() || t.descending.anneal > 1.0;
                unless(
                    full_batch && several,
                    match full_batch {
                        true => "γ stays as it is".into(),
                        false => optimizer("raises γ with every mini-batch"),
                    },
                )
            }
            "inside" => {
                let projects = !matches!(t.descending.optimizer, OptimizerKind::Cg | OptimizerKind::Lbfgs);
                unless(projects, optimizer("moves prototypes freely"))
            }
            "max-iter" => unless(full_batch, optimizer("runs for a number of epochs")),
            "tol" if descends => unless(full_batch || before, optimizer("runs for a number of epochs")),
            "tol" => unless(before, metric("is not learned")),
            _ => None,
        }
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
