//! `auto`: what protea would do, chosen on training samples that are held out.
//!
//! ```text
//! parts = of five folds of at most 12500 samples as many as have 2500 samples held out (up to 600 samples: twice all five);
//!         at most 5000 of the samples in no fold judge, too
//! score = errors on the parts + logarithmic losses at the best temperature: a count alone says little about few samples
//! best = of the recipes below, each with as many prototypes as asked for and, of few samples, with one of each class (of many
//!        samples, a matrix for each class also with a third of them and with one), the one with the lowest score: each for a
//!        third of its epochs, those that come near for all of them
//! for number of prototypes, variation, noise, number of prototypes again, the other loss or length 1, augmentation, members:
//!     best = the best of the changes, where its score is lower
//! train best on all samples
//! ```
//! Trials are independent, so they run beside each other. Recipes go from plain to rich, and of equals the first stays. What the
//! user sets to anything but its default is never changed. Test samples are never seen; where validation samples are given, they
//! judge in place of the parts.

use super::choose::splits;
use crate::init::PerClass;
use crate::kernel::parallel::*;
use crate::method::{Auto, Bytes, SEARCH_SAMPLES};
use crate::model::{Model, held_out_gamma};
use crate::progress::{Interruptible, Progress, Silent};
use crate::settings::{SettingValue, Values};
use crate::train::{Trainer, Training, batch_size, check_classes, default_epochs};
use crate::{Dataset, Error, Float, Result};
use std::time::Instant;

/// Up to this many samples, two ways of folding judge.
const TWICE: usize = 600;
/// Up to this many samples, recipes begin also with one prototype of each class.
const FEW: usize = 5000;
/// Values (samples × features) that a training sees, at most, where these are enough for [`EPOCHS`].
const VALUES: usize = 100_000_000;
/// Epochs that large sets have, too.
const EPOCHS: usize = 100;
/// From this many features on, samples of length 1 are tried: they are signals, rather than a table.
const MANY: usize = 32;
/// More features than this are reduced, those of images for example. Fewer are not: in a table a weight belongs to a feature.
const TABLE: usize = 200;
/// Principal components to which they are reduced.
const COMPONENTS: usize = 128;
/// Up to this many features, the matrix of a class has full rank.
const WHOLE: usize = 64;
/// Factor between the values of noise that are tried.
const FINER: f64 = 1.5;
/// Strengths of variation that are tried.
const VARIATION: [&str; 4] = ["0.2", "0.35", "0.6", "1"];
/// Variation and noise with which matrices of classes are begun, too.
const STRONG: [(&str, &str); 2] = [("vary", "0.6"), ("noise", "0.3")];
/// Numbers of members that are tried.
const MEMBERS: [usize; 2] = [2, 3];
/// Samples in no fold that judge, at most.
const BESIDE: usize = 5000;
/// Share of the epochs after which recipes are sifted.
const SIFTING: f64 = 1.0 / 3.0;
/// Recipes that are tried in full length, at most.
const FINALISTS: usize = 2;
/// From this many prototypes on, a step is made after [`SHORT`] samples.
const CROWD: usize = 2000;
/// Samples of a mini-batch that moves a crowd of prototypes.
const SHORT: usize = 128;
/// How matrices of classes begin where prototypes are a crowd: from a matrix that all classes share, because each has few samples
/// of its own, and with less noise, because prototypes stand close to each other.
const SHARED: [(&str, &str); 2] = [("common-epochs", "16"), ("noise", "0.1")];
/// Samples of a trial for each prototype, at least, where there are so many.
const EACH: usize = 8;
/// Samples on which the bytes of a model are measured, about.
const SMALL: usize = 500;

/// A method with settings over its defaults.
#[derive(Debug, Clone, PartialEq)]
struct Recipe {
    method: &'static str,
    values: Values,
}

impl Recipe {
    fn new(method: &'static str, values: &[(&str, &str)]) -> Self {
        Recipe { method, values: values.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect() }
    }

    fn with(&self, name: &str, value: String) -> Self {
        let mut changed = self.clone();
        changed.values.insert(name.into(), value);
        changed
    }

    fn noise(&self) -> f64 {
        self.values.get("noise").and_then(|v| v.parse().ok()).unwrap_or(Training::default().noise())
    }

    fn show(&self) -> String {
        let values: Vec<String> = self.values.iter().map(|(n, v)| format!("{n} {v}")).collect();
        format!("{}, {}", self.method, values.join(", "))
    }
}

/// Samples to train on and to judge by.
type Part<F> = (Dataset<F>, Dataset<F>);

/// What came of a trial.
struct Tried<S> {
    score: S,
    /// Samples × epochs of its trainings.
    work: usize,
}

/// What the search knows.
struct Search<'a, F: Float> {
    trainer: &'a Trainer<F>,
    auto: Auto,
    /// Settings that the user has changed.
    given: Values,
    /// All training samples.
    data: &'a Dataset<F>,
    parts: Vec<Part<F>>,
    /// Samples in no part, judged by what the first part trains.
    beside: Dataset<F>,
    begun: Instant,
    /// Seconds of one thread for each sample and epoch of a trial, the largest so far.
    pace: f64,
    /// Seconds of the longest trials.
    longest: f64,
}

/// Searches, then fits on all samples.
pub(super) fn fit<F: Float>(
    trainer: &Trainer<F>,
    data: &Dataset<F>,
    valid: Option<&Dataset<F>>,
    progress: &mut dyn Progress,
) -> Result<Model<F>> {
    let begun = Instant::now();
    let name = trainer.method().name;
    let auto = Auto::from_values(name, &trainer.options)?;
    let own = |name: &str| Auto::SETTINGS.iter().any(|s| s.name == name);
    let mut given = trainer.given.clone();
    given.retain(|name, _| !own(name) && name != "per-class" && name != "seed");
    let parts = parts(data, valid, &trainer.training);
    let beside = beside(data, valid, &trainer.training);
    let mut search = Search { trainer, auto, given, data, parts, beside, begun, pace: 0.0, longest: 0.0 };
    let best = search.best(progress)?;
    progress.phase(&best.show());
    let mut last = search.trainer_for(&best, data, false)?;
    last.training.epochs = Some(search.affordable_epochs(&last.training));
    let model = last.fit_with(data, valid, progress)?;
    Ok(model.named(name, &trainer.options, &[("recipe", best.method)]))
}

impl<F: Float> Search<'_, F> {
    /// The recipe with the lowest score.
    fn best(&mut self, progress: &mut dyn Progress) -> Result<Recipe> {
        let data = self.data;
        let Some(mut best) = self.race(progress)? else {
            return Ok(self.recipes(data.dim()).swap_remove(0));
        };
        let strengths = |search: &Self, recipe: &Recipe, name: &str, values: &[&str]| -> Vec<Recipe> {
            let free = !search.given.contains_key(name);
            values.iter().filter(|_| free).map(|v| recipe.with(name, v.to_string())).collect()
        };
        if self.resizes() {
            let smaller = self.smaller(&best.0);
            self.improve(&mut best, smaller, progress);
        }
        let varied = strengths(self, &best.0, "vary", &VARIATION);
        self.improve(&mut best, varied, progress);
        let noisier = |search: &Self, recipe: &Recipe, factor: f64| {
            let noise = format!("{:.3}", recipe.noise() * factor);
            (!search.given.contains_key("noise")).then(|| recipe.with("noise", noise))
        };
        self.climb(&mut best, [FINER, 1.0 / FINER], noisier, progress);
        if self.resizes() {
            let resized = |search: &Self, recipe: &Recipe, factor: f64| search.resized(recipe, factor);
            self.climb(&mut best, [0.5, 2.0], resized, progress);
        }
        let loss = match best.0.values.get("loss").map(String::as_str) {
            Some("nll") => vec![best.0.with("loss", "exp".into())],
            Some("exp") => vec![best.0.with("loss", "nll".into())],
            _ => Vec::new(),
        };
        let unit = strengths(self, &best.0, "unit", if data.dim() < MANY { &[] } else { &["true"] });
        self.improve(&mut best, loss.into_iter().chain(unit).collect(), progress);
        if self.images() {
            let augmented = strengths(self, &best.0, "augment", &["0.5", "1.5"]);
            self.improve(&mut best, augmented, progress);
        }
        self.join(&mut best, progress);
        Ok(best.0)
    }

    /// The recipe with the lowest score; `None` where nothing was tried. All run for a part of their epochs, which tells
    /// the hopeless ones; whatever lies within two deviations of the best count of errors then runs to its end.
    fn race(&mut self, progress: &mut dyn Progress) -> Result<Option<(Recipe, f64)>> {
        let starts = self.starts();
        let (mut sifted, mut failure) = (Vec::new(), None);
        for (recipe, score) in starts.iter().zip(self.trials(&starts, SIFTING, progress, Self::score)) {
            match score {
                Ok(score) => sifted.push((recipe.clone(), score)),
                Err(e) => {
                    failure.get_or_insert(e);
                }
            }
        }
        sifted.sort_by(|a, b| a.1.total_cmp(&b.1));
        let Some(first) = sifted.first().cloned() else { return failure.map_or(Ok(None), Err) };
        let near = first.1 + 2.0 * first.1.sqrt();
        sifted.retain(|s| s.1 <= near);
        sifted.truncate(FINALISTS);
        let mut best = (first.0.clone(), f64::INFINITY);
        self.improve(&mut best, sifted.into_iter().map(|s| s.0).collect(), progress);
        Ok(Some(if best.1.is_finite() { best } else { first }))
    }

    /// Tries one step both ways, and goes on the better one as long as that helps.
    fn climb(
        &mut self,
        best: &mut (Recipe, f64),
        ways: [f64; 2],
        step: impl Fn(&Self, &Recipe, f64) -> Option<Recipe>,
        progress: &mut dyn Progress,
    ) {
        let steps: Vec<(f64, Recipe)> =
            ways.iter().filter_map(|&way| Some((way, step(self, &best.0, way)?))).collect();
        let both = steps.iter().map(|s| s.1.clone()).collect();
        if !self.improve(best, both, progress) {
            return;
        }
        let Some(&(way, _)) = steps.iter().find(|s| s.1 == best.0) else { return };
        while let Some(next) = step(self, &best.0, way) {
            if !self.improve(best, vec![next], progress) {
                return;
            }
        }
    }

    /// Takes the best of the changes where its score is lower.
    fn improve(
        &mut self,
        best: &mut (Recipe, f64),
        changes: Vec<Recipe>,
        progress: &mut dyn Progress,
    ) -> bool {
        let scores = self.trials(&changes, 1.0, progress, Self::score);
        let scored = changes.into_iter().zip(scores);
        lower(best, scored.filter_map(|(recipe, score)| Some((recipe, score.ok()?))))
    }

    /// Takes members where their score is lower. Where each is as large as the recipe, few of them are the first of many, so that
    /// only these are trained.
    fn join(&mut self, best: &mut (Recipe, f64), progress: &mut dyn Progress) {
        let joined = self.joined(&best.0);
        if self.resized(&best.0, MEMBERS[MEMBERS.len() - 1] as f64).is_none() {
            self.improve(best, joined, progress);
            return;
        }
        let scores = |search: &Self, models: &[Model<F>]| -> Result<Vec<f64>> {
            let of_first = |&n: &usize| {
                let few: Result<Vec<_>> = models.iter().map(|m| m.of_first_members(n)).collect();
                search.score(&few?)
            };
            MEMBERS.iter().map(of_first).collect()
        };
        let most = &joined[joined.len().saturating_sub(1)..];
        match self.trials(most, 1.0, progress, scores).pop() {
            Some(Ok(scores)) => {
                lower(best, joined.into_iter().zip(scores));
            }
            // A class may have prototypes for few members, but not for many.
            Some(Err(_)) => {
                self.improve(best, joined, progress);
            }
            None => {}
        }
    }

    /// The recipe with `factor` times as many prototypes, between one of each class and as many as asked for; `None` where there
    /// is no such number.
    fn resized(&self, recipe: &Recipe, factor: f64) -> Option<Recipe> {
        let asked = &self.trainer.training.per_class;
        let now = match recipe.values.get("per-class") {
            Some(chosen) => PerClass::parse(chosen)?,
            None => asked.clone(),
        };
        let other = now.times(factor);
        let counts = |per_class: &PerClass| per_class.counts(self.data).ok();
        let (before, after, most) = (counts(&now)?, counts(&other)?, counts(asked)?);
        let within = after.iter().zip(&most).all(|(a, most)| a <= most);
        let fits = self.auto.size.is_none() && within && after != before;
        fits.then(|| recipe.with("per-class", other.show()))
    }

    /// The recipe with members, each of them as large as the recipe or, where that would be more prototypes than asked for, as
    /// large as may be.
    fn joined(&self, recipe: &Recipe) -> Vec<Recipe> {
        if self.given.contains_key("members") {
            return Vec::new();
        }
        let joined = MEMBERS.iter().map(|&members| {
            let with = recipe.with("members", members.to_string());
            let larger = self.resized(recipe, members as f64);
            let asked = || self.trainer.training.per_class.show();
            with.with("per-class", larger.map_or_else(asked, |larger| larger.values["per-class"].clone()))
        });
        joined.collect()
    }

    /// Whether the number of prototypes is searched: a few of the samples would tell that a few prototypes are enough.
    fn resizes(&self) -> bool {
        4 * most_samples(&self.trainer.training, self.data) >= 3 * self.data.len()
    }

    /// The recipe with half as many prototypes, a quarter and so on.
    fn smaller(&self, recipe: &Recipe) -> Vec<Recipe> {
        std::iter::successors(self.resized(recipe, 0.5), |r| self.resized(r, 0.5)).collect()
    }

    /// The recipes, each with as many prototypes as asked for and, of few samples, with one of each class: these are often learned
    /// best by few prototypes, whatever is asked for. Where classes have matrices, of many samples also with a third, which leaves
    /// room for three members, and, where their number is searched, with the fewest and strong variation, without which a matrix
    /// for each class may seem to be too much.
    fn starts(&self) -> Vec<Recipe> {
        let mut recipes = self.recipes(self.data.dim());
        if self.auto.size.is_some() {
            return recipes;
        }
        if self.data.len() > FEW {
            let of_classes = |r: &&Recipe| r.values.get("metric").is_some_and(|m| m == "local-linear");
            let Some(matrices) = recipes.iter().find(of_classes).cloned() else { return recipes };
            recipes.extend(self.resized(&matrices, 1.0 / 3.0));
            let fewest = self.smaller(&matrices).pop().filter(|_| self.resizes());
            recipes.extend(fewest.map(|mut fewest| {
                let strong = STRONG.iter().filter(|(name, _)| !self.given.contains_key(*name));
                fewest.values.extend(strong.map(|(name, value)| (name.to_string(), value.to_string())));
                fewest
            }));
            return recipes;
        }
        let several = |counts: Vec<usize>| counts.iter().any(|&n| n > 1);
        if !self.trainer.training.per_class.counts(self.data).is_ok_and(several) {
            return recipes;
        }
        let single: Vec<Recipe> = recipes.iter().map(|r| r.with("per-class", "1".into())).collect();
        recipes.into_iter().chain(single).collect()
    }

    /// What to begin with, from plain to rich, without what contradicts the user.
    fn recipes(&self, dim: usize) -> Vec<Recipe> {
        let reduced = dim > TABLE && !self.given.contains_key("pca") && !self.given.contains_key("hog");
        let crowded = prototypes(&self.trainer.training, self.data) >= CROWD;
        let dim = if reduced { COMPONENTS } else { dim };
        let wide = if dim > 40 { "40" } else { "none" };
        let narrow = if dim > WHOLE { "30" } else { "none" };
        let all = [
            Recipe::new("npc", &[("loss", "exp"), ("noise", "0.3")]),
            Recipe::new(
                "npc",
                &[("metric", "linear"), ("rank", wide), ("loss", "nll"), ("anneal", "10"), ("noise", "0.2")],
            ),
            Recipe::new(
                "npc",
                &[
                    ("metric", "local-linear"),
                    ("rank", narrow),
                    ("loss", "nll"),
                    ("anneal", "10"),
                    ("noise", "0.2"),
                ],
            ),
            Recipe::new(
                "npc",
                &[("metric", "diagonal"), ("loss", "nll"), ("anneal", "10"), ("noise", "0.3")],
            ),
            Recipe::new("lpd", &[("metric", "local"), ("noise", "0.4")]),
        ];
        let mut recipes: Vec<Recipe> = Vec::new();
        for mut recipe in all {
            let metric = recipe.values.get("metric").cloned().unwrap_or("euclidean".into());
            if self.given.get("metric").is_some_and(|given| metric != *given) {
                continue;
            }
            recipe.values.insert("average".into(), "0.25".into());
            if crowded && metric == "local-linear" {
                recipe.values.extend(SHARED.map(|(name, value)| (name.into(), value.into())));
            }
            recipe.values.retain(|name, _| !self.given.contains_key(name));
            if reduced {
                recipe.values.insert("pca".into(), COMPONENTS.to_string());
            }
            if crowded && !self.given.contains_key("batch") {
                recipe.values.insert("batch".into(), SHORT.to_string());
            }
            if self.images() && !self.given.contains_key("augment") {
                recipe.values.insert("augment".into(), "1".into());
            }
            recipes.push(recipe);
        }
        if recipes.is_empty() {
            // A metric that no recipe has.
            recipes.push(Recipe::new("npc", &[("loss", "nll"), ("anneal", "10")]));
        }
        recipes
    }

    /// Whether the samples are images, as the user says.
    fn images(&self) -> bool {
        self.given.contains_key("image")
    }

    /// Scores of recipes after a share of their epochs. As many run beside each other as there are threads, then the clock is
    /// looked at: there are fewer scores than recipes where time is up, and none where there is nothing to judge by.
    fn trials<S: Send>(
        &mut self,
        recipes: &[Recipe],
        share: f64,
        progress: &mut dyn Progress,
        score: impl Fn(&Self, &[Model<F>]) -> Result<S> + Sync,
    ) -> Vec<Result<S>> {
        let mut scores = Vec::new();
        for few in recipes.chunks(current_num_threads()) {
            if self.parts.is_empty() || progress.cancelled() || self.late() {
                break;
            }
            let shown: Vec<String> = few.iter().map(Recipe::show).collect();
            progress.phase(&format!("trying {}", shown.join("; ")));
            let begun = Instant::now();
            let watch: &dyn Progress = progress;
            let tried = |recipe| {
                let (models, work) = self.trial(recipe, share, watch)?;
                Ok(Tried { score: score(self, &models)?, work })
            };
            let found: Vec<Result<Tried<S>>> = few.par_iter().map(tried).collect();
            if progress.cancelled() {
                break;
            }
            let seconds = begun.elapsed().as_secs_f64();
            self.longest = self.longest.max(seconds);
            let beside = (few.len() * self.parts.len()).min(current_num_threads());
            let work: usize = found.iter().flatten().map(|tried| tried.work).sum();
            if work > 0 {
                self.pace = self.pace.max(seconds * beside as f64 / work as f64);
            }
            scores.extend(found.into_iter().map(|tried| Ok(tried?.score)));
        }
        scores
    }

    /// A model of each part by a recipe after a share of its epochs, and their samples × epochs.
    fn trial(&self, recipe: &Recipe, share: f64, watch: &dyn Progress) -> Result<(Vec<Model<F>>, usize)> {
        let fit = |(train, _): &Part<F>| {
            let mut trainer = self.trainer_for(recipe, train, true)?;
            // As long as the last training: short ones prefer too little noise.
            let epochs = (epochs(&trainer.training, self.data) as f64 * share).ceil() as usize;
            trainer.training.epochs = Some(epochs);
            trainer.training.holdout = None;
            let model = trainer.fit_once(train, None, &mut Interruptible(watch))?;
            Ok((model, train.len() * epochs))
        };
        let fitted: Result<Vec<(Model<F>, usize)>> = self.parts.par_iter().map(fit).collect();
        let (models, work): (Vec<_>, Vec<usize>) = fitted?.into_iter().unzip();
        Ok((models, work.iter().sum()))
    }

    /// Errors on the parts, and logarithmic losses, of a model of each.
    fn score(&self, models: &[Model<F>]) -> Result<f64> {
        let beside = models.iter().take(1).map(|m| (m, &self.beside)).filter(|(_, b)| !b.is_empty());
        let judged: Vec<_> =
            models.iter().zip(&self.parts).map(|(m, (_, held))| (m, held)).chain(beside).collect();
        let (_, mut score) = held_out_gamma(&judged);
        for (model, held) in judged {
            score += model.error(held)? * held.len() as f64;
        }
        Ok(score)
    }

    /// Whether more trials would leave less than half of the time to the training itself.
    fn late(&self) -> bool {
        let spent = self.begun.elapsed().as_secs_f64() + self.longest;
        self.auto.time.is_some_and(|time| spent > time / 2.0)
    }

    /// Epochs of the last training: as given, or of those that it should have as many as the time left allows.
    fn affordable_epochs(&self, last: &Training) -> usize {
        let epochs = epochs(last, self.data);
        let measured = self.pace > 0.0 && last.epochs.is_none();
        let Some(time) = self.auto.time.filter(|_| measured) else { return epochs };
        let left = (time - self.begun.elapsed().as_secs_f64()).max(0.0);
        let affordable = (left / (self.pace * self.data.len() as f64)) as usize;
        epochs.min(affordable.max(1))
    }

    /// A trainer of this recipe.
    fn trainer_for(&self, recipe: &Recipe, data: &Dataset<F>, trial: bool) -> Result<Trainer<F>> {
        let mut trainer = Trainer::named(recipe.method)?;
        // Methods differ in the number of prototypes that they have by default; the user's number counts.
        trainer = trainer.set("per-class", &self.trainer.training.per_class.show())?;
        trainer = trainer.set("seed", &self.trainer.training.seed.to_string())?;
        for (name, value) in recipe.values.iter().chain(&self.given) {
            trainer = trainer.set(name, value)?;
        }
        if let Some(Bytes(size)) = self.auto.size {
            let count = fitting(size, &mut trainer, data)?;
            trainer = trainer.set("per-class", &count.to_string())?;
        }
        trainer.start.clone_from(&self.trainer.start);
        trainer.forget_unread();
        trainer.cross_fitted = self.trainer.cross_fitted && !trial;
        Ok(trainer)
    }
}

/// Takes the best of the recipes where its score is lower.
fn lower(best: &mut (Recipe, f64), scored: impl Iterator<Item = (Recipe, f64)>) -> bool {
    match scored.min_by(|a, b| a.1.total_cmp(&b.1)) {
        Some(found) if found.1 < best.1 => {
            *best = found;
            true
        }
        _ => false,
    }
}

/// Prototypes of each class with which a model stays within `size` bytes. Bytes grow by the same amount with each of them, or each
/// for every member, so two small models tell all.
fn fitting<F: Float>(size: usize, trainer: &mut Trainer<F>, data: &Dataset<F>) -> Result<usize> {
    let few = data.sample(SMALL, trainer.training.seed, "size");
    let few = if check_classes(&few).is_ok() { few } else { data.clone() };
    let epochs = trainer.training.epochs.replace(1);
    let members = trainer.training.members;
    let mut bytes = |count: usize| {
        trainer.training.set("per-class", &count.to_string())?;
        Ok::<_, Error>(trainer.fit_once(&few, None, &mut Silent)?.bytes())
    };
    let (one, two): (usize, usize) = (bytes(members)?, bytes(2 * members)?);
    trainer.training.epochs = epochs;
    if one > size {
        return Err(Error::setting("size", size, format!("at least {one} bytes for these samples")));
    }
    Ok(members * (1 + (size - one) / (two - one).max(1)))
}

/// Features that a metric learns from.
fn learned_features(dim: usize) -> usize {
    if dim > TABLE { COMPONENTS } else { dim }
}

/// Prototypes of all classes together, as asked for.
fn prototypes<F: Float>(t: &Training, data: &Dataset<F>) -> usize {
    t.per_class.counts(data).map_or(1, |counts| counts.iter().sum())
}

/// Epochs of a training on these samples: as given, or by their number and that of the prototypes.
fn epochs<F: Float>(t: &Training, data: &Dataset<F>) -> usize {
    if let Some(given) = t.epochs {
        return given;
    }
    let steps = data.len().div_ceil(batch_size(t.batch, data.len()));
    let values = data.len() * learned_features(data.dim());
    let of_a_member = values * prototypes(t, data) / t.members;
    default_epochs(steps, of_a_member).min((VALUES / values.max(1)).max(EPOCHS))
}

/// Samples that the search looks at, at most. With a prototype for every few samples, trials would tell how to learn by heart.
fn most_samples<F: Float>(t: &Training, data: &Dataset<F>) -> usize {
    SEARCH_SAMPLES.max(EACH * prototypes(t, data))
}

/// Pairs of samples to train on and to judge by; none where there are too few.
fn parts<F: Float>(data: &Dataset<F>, valid: Option<&Dataset<F>>, t: &Training) -> Vec<Part<F>> {
    let most = most_samples(t, data);
    if let Some(valid) = valid {
        return vec![(data.sample(most, t.seed, "search"), valid.clone())];
    }
    let mut parts = splits(data, most, t.seed, "search");
    if data.len() <= TWICE {
        parts.extend(splits(data, most, t.seed.wrapping_add(1), "search"));
    }
    parts
}

/// Samples that no part has; none where validation samples judge.
fn beside<F: Float>(data: &Dataset<F>, valid: Option<&Dataset<F>>, t: &Training) -> Dataset<F> {
    let most = if valid.is_some() { 0 } else { BESIDE };
    data.beside_sample(most_samples(t, data), t.seed, "search", most)
}

#[cfg(feature = "datasets")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{self, Part};
    use crate::data::holdout;

    fn glass() -> (Dataset<f64>, Dataset<f64>) {
        let all = catalog::load::<f64>("glass", Part::All, None).unwrap();
        let (kept, held) = holdout(&all, 0.3, 1).unwrap();
        (all.select(&kept), all.select(&held))
    }

    fn quick() -> Trainer<f64> {
        Trainer::named("auto").unwrap().set("epochs", "20").unwrap().set("per-class", "2").unwrap()
    }

    #[test]
    fn the_choice_is_told_and_can_be_made_again_by_hand() {
        let (train, test) = glass();
        let model = quick().fit(&train).unwrap();
        let p = model.provenance();
        assert_eq!(p.method, "auto");
        let mut again = Trainer::named(&p.settings["recipe"]).unwrap();
        let known = |name: &str| Auto::SETTINGS.iter().all(|s| s.name != name) && name != "recipe";
        for (name, value) in p.settings.iter().filter(|(name, _)| known(name)) {
            again = again.set(name, value).unwrap();
        }
        let again = again.fit(&train).unwrap();
        assert_eq!(model.prototypes(), again.prototypes());
        assert_eq!(model.error(&test).unwrap(), again.error(&test).unwrap());
    }

    #[test]
    fn what_the_user_sets_stays() {
        let (train, _) = glass();
        let given = [("metric", "linear"), ("noise", "0.25"), ("rank", "3")];
        let trainer = given.iter().fold(quick(), |t, (n, v)| t.set(n, v).unwrap());
        let model = trainer.fit(&train).unwrap();
        for (name, value) in given {
            assert_eq!(model.provenance().settings[name], value);
        }
        assert_eq!(model.metric().relevance().unwrap().len(), 9);
    }

    #[test]
    fn a_model_is_as_large_as_it_may_be_and_no_larger() {
        let (train, _) = glass();
        let model = quick().set("size", "3kB").unwrap().fit(&train).unwrap();
        let one_more = model.prototypes().x.ncols() * 8 * 2 * train.n_classes();
        assert!(model.bytes() <= 3000 && model.bytes() + one_more > 3000, "{}", model.bytes());
        let error = quick().set("size", "10").unwrap().fit(&train).unwrap_err().to_string();
        assert!(error.contains("at least"), "{error}");
    }

    fn search<'a>(trainer: &'a Trainer<f64>, data: &'a Dataset<f64>, size: Option<Bytes>) -> Search<'a, f64> {
        Search {
            trainer,
            auto: Auto { size, ..Auto::default() },
            given: Values::new(),
            data,
            parts: Vec::new(),
            beside: data.select(&[]),
            begun: Instant::now(),
            pace: 0.0,
            longest: 0.0,
        }
    }

    #[test]
    fn members_are_as_large_as_the_recipe_or_as_may_be() {
        let (train, _) = glass();
        let trainer = quick().set("per-class", "9").unwrap();
        let joined = |per_class: &str| -> Vec<(String, String)> {
            let recipe = Recipe::new("npc", &[("per-class", per_class)]);
            let of = |r: Recipe| (r.values["members"].clone(), r.values["per-class"].clone());
            search(&trainer, &train, None).joined(&recipe).into_iter().map(of).collect()
        };
        let pairs = |a: [&str; 2], b: [&str; 2]| [a, b].map(|[m, p]| (m.to_string(), p.to_string()));
        assert_eq!(joined("3"), pairs(["2", "6"], ["3", "9"]));
        assert_eq!(joined("9"), pairs(["2", "9"], ["3", "9"]));
    }

    /// Samples that judge beside the folds are in none of them.
    #[test]
    fn samples_in_no_fold_judge() {
        let n = SEARCH_SAMPLES + 400;
        let x = ndarray::Array2::from_shape_fn((n, 1), |(i, _)| i as f64);
        let y = (0..n).map(|i| i % 2).collect();
        let data = Dataset::new(x, y, vec!["a".into(), "b".into()]).unwrap();
        let t = Training::default();
        let others = beside(&data, None, &t);
        let (kept, held) = &parts(&data, None, &t)[0];
        assert_eq!(others.len(), 400);
        assert!(others.x.iter().all(|v| !kept.x.iter().chain(&held.x).any(|w| v == w)));
        assert!(beside(&data, Some(&data), &t).is_empty());
    }

    #[test]
    fn numbers_of_prototypes_are_halved_down_to_one() {
        let (train, _) = glass();
        let trainer = quick().set("per-class", "9").unwrap();
        let search = |size: Option<Bytes>| search(&trainer, &train, size);
        let sizes = |of: &Recipe, size| -> Vec<String> {
            search(size).smaller(of).iter().map(|r| r.values["per-class"].clone()).collect()
        };
        let plain = Recipe::new("npc", &[]);
        assert_eq!(sizes(&plain, None), ["4", "2", "1"]);
        assert!(sizes(&plain.with("per-class", "1".into()), None).is_empty());
        assert!(sizes(&plain, Some(Bytes(4000))).is_empty(), "the bytes say how many");
        assert!(search(None).resized(&plain, 2.0).is_none(), "more than asked for");
    }

    /// Two classes of zeros.
    fn zeros(n: usize, dim: usize) -> Dataset<f64> {
        let y = (0..n).map(|i| i % 2).collect();
        Dataset::new(ndarray::Array2::zeros((n, dim)), y, vec!["a".into(), "b".into()]).unwrap()
    }

    #[test]
    fn large_sets_have_fewer_epochs_and_trials_see_samples_for_every_prototype() {
        let t = Training::default();
        assert_eq!(epochs(&t, &zeros(200, 9)), 300);
        assert_eq!(epochs(&t, &zeros(10_000, 50)), 200);
        assert_eq!(epochs(&t, &zeros(10_000, 400)), 100);
        let many = Training { per_class: PerClass::all(2000), ..t.clone() };
        let seen = |t: &Training, n: usize| most_samples(t, &zeros(n, 2));
        assert_eq!((seen(&t, 200), seen(&many, 40_000)), (12_500, 32_000));
    }

    /// With how many prototypes matrices of classes begin, and what all recipes have in common.
    #[test]
    fn recipes_begin_as_the_data_ask_for() {
        let begun = |n: usize, dim: usize, per_class: &str| {
            let (data, trainer) = (zeros(n, dim), quick().set("per-class", per_class).unwrap());
            let starts = search(&trainer, &data, None).starts();
            let of_classes =
                starts.iter().filter(|r| r.values.get("metric").is_some_and(|m| m == "local-linear"));
            let numbers: Vec<String> =
                of_classes.map(|r| r.values.get("per-class").map_or("all", |v| v).to_string()).collect();
            let all = |name: &str| starts.iter().all(|r| r.values.contains_key(name));
            let shared = starts.iter().filter(|r| r.values.contains_key("common-epochs")).count();
            (numbers.join(" "), all("pca"), all("batch"), shared)
        };
        assert_eq!(begun(1000, 200, "15"), ("all 1".into(), false, false, 0));
        assert_eq!(begun(15_000, 201, "15"), ("all 5 1".into(), true, false, 0));
        assert_eq!(begun(60_000, 9, "15"), ("all 5".into(), false, false, 0));
        assert_eq!(begun(60_000, 9, "1000"), ("all 333".into(), false, true, 2));
    }

    #[test]
    fn bytes_are_read_with_their_units() {
        for (text, bytes) in
            [("64kB", 64_000), ("64k", 64_000), ("1.5MB", 1_500_000), ("800", 800), ("20b", 20)]
        {
            assert_eq!(Bytes::parse(text), Some(Bytes(bytes)), "{text}");
        }
        for bad in ["", "kB", "-3", "0", "nan", "1e99", "12q"] {
            assert_eq!(Bytes::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_cannot_be_searched_is_refused() {
        let (train, _) = glass();
        let given = quick().metric_matrix(ndarray::Array2::eye(9), true).fit(&train).unwrap_err().to_string();
        assert!(given.contains("matrix is given"), "{given}");
        let model = Trainer::named("centroid").unwrap().fit(&train).unwrap();
        let resumed = quick().resume(&model).fit(&train).unwrap_err().to_string();
        assert!(resumed.contains("learns from scratch"), "{resumed}");
    }

    /// With too few samples to hold any out, the plainest recipe is trained.
    #[test]
    fn two_samples_are_enough() {
        let (train, _) = glass();
        let of = |class: usize| train.y.iter().position(|&y| y == class).unwrap();
        let mut two = train.select(&[of(0), of(1)]);
        two.classes.truncate(2);
        let model = quick().set("per-class", "1").unwrap().fit(&two).unwrap();
        assert_eq!(model.prototypes().y, [0, 1]);
    }
}
