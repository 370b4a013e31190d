//! What `auto` searches: families to begin with, and axes along which the best of them is refined. The space is data; [`Space`]
//! makes trainers of it.

use super::race::Entrant;
use crate::init::PerClass;
use crate::method::{Auto, Bytes};
use crate::metric::MetricKind;
use crate::progress::Silent;
use crate::settings::{SettingValue, Values};
use crate::train::{Trainer, Training, check_classes};
use crate::{Dataset, Error, Float, Result};
use ndarray::ArrayView1;

/// A way to begin: a method with a metric, and numbers of prototypes as shares of the most that are asked for.
struct Family {
    method: &'static str,
    settings: &'static [(&'static str, &'static str)],
    /// Rows of the matrix, at most.
    rank: Option<usize>,
    sizes: &'static [Size],
}

/// A number of prototypes.
#[derive(Clone, Copy)]
enum Size {
    /// One of each class.
    One,
    /// This share of the most that are asked for.
    Share(f64),
}

/// From plain to rich: of families that do equally well, the first is taken.
const FAMILIES: &[Family] = &[
    // One prototype of each class and the log loss: the decision of logistic regression.
    Family {
        method: "npc",
        settings: &[("metric", "euclidean"), ("loss", "nll"), ("anneal", "1"), ("noise", "0.3")],
        rank: None,
        sizes: &[Size::One],
    },
    Family {
        method: "npc",
        settings: &[("metric", "euclidean"), ("loss", "nll"), ("anneal", "10"), ("noise", "0.15")],
        rank: None,
        sizes: &[Size::Share(0.25), Size::Share(1.0)],
    },
    // With one prototype, a sum of one curve for each feature: a generalised additive model.
    Family {
        method: "npc",
        settings: &[
            ("metric", "euclidean"),
            ("loss", "nll"),
            ("anneal", "10"),
            ("noise", "0.15"),
            ("encode", "ple"),
        ],
        rank: None,
        sizes: &[Size::One, Size::Share(0.25), Size::Share(1.0)],
    },
    Family {
        method: "npc",
        settings: &[("metric", "linear"), ("loss", "nll"), ("anneal", "10"), ("noise", "0.15")],
        rank: Some(40),
        sizes: &[Size::Share(0.25), Size::Share(1.0)],
    },
    Family {
        method: "lpd",
        settings: &[("metric", "local"), ("noise", "0.3")],
        rank: None,
        sizes: &[Size::Share(0.25), Size::Share(1.0)],
    },
    // A matrix for each class with one prototype: the decision of quadratic discriminant analysis.
    Family {
        method: "npc",
        settings: &[("metric", "local-linear"), ("loss", "nll"), ("anneal", "10"), ("noise", "0.15")],
        rank: Some(64),
        sizes: &[Size::One, Size::Share(0.25)],
    },
    Family {
        method: "npc",
        settings: &[
            ("metric", "linear"),
            ("loss", "nll"),
            ("anneal", "10"),
            ("noise", "0.15"),
            ("encode", "ple"),
        ],
        rank: Some(40),
        sizes: &[Size::Share(0.25)],
    },
];

/// Settings of every family, and more of them for tables.
const SHARED: &[(&str, &str)] = &[("average", "0.25")];
const TABLES: &[(&str, &str)] = &[("scale", "standard"), ("inside", "true")];

/// A setting and the values of it that are tried, where it is free and the data allow it.
pub(super) struct Axis {
    pub name: &'static str,
    values: &'static [&'static str],
    allowed: fn(&Recipe, &Facts) -> bool,
}

/// What decides whether an axis is tried.
pub(super) struct Facts {
    features: usize,
    images: bool,
    /// Whether single features mean something, as pixels do not.
    table: bool,
    /// Whether some of a table's features are measurements, which an encoding could cut into bins.
    measured: bool,
}

/// Refinements, in the order in which they are tried. Sizes and members are shares and parts of what is asked for.
pub(super) const AXES: &[Axis] = &[
    Axis { name: "per-class", values: &["0.0625", "0.125", "0.25", "0.5", "1"], allowed: |_, _| true },
    Axis { name: "noise", values: &["0.05", "0.15", "0.3", "0.6"], allowed: |_, _| true },
    Axis { name: "anneal", values: &["1", "4", "10"], allowed: |r, _| r.method == "npc" },
    Axis { name: "encode", values: &["none", "ple", "tree"], allowed: |_, facts| facts.measured },
    Axis { name: "vary", values: &["0", "0.25", "0.6"], allowed: |r, _| r.method == "npc" },
    Axis { name: "loss", values: &["exp", "nll"], allowed: |r, _| r.method == "npc" },
    Axis { name: "unit", values: &["false", "true"], allowed: |_, facts| facts.features >= 32 },
    Axis { name: "augment", values: &["0.5", "1", "1.5"], allowed: |_, facts| facts.images },
    Axis { name: "scale", values: &["standard", "global"], allowed: |_, facts| facts.table },
    Axis { name: "inside", values: &["true", "false"], allowed: |_, facts| facts.table },
    Axis { name: "members", values: &["1", "2", "3"], allowed: |_, _| true },
];

/// More features than this are reduced to [`COMPONENTS`] principal components, those of images for example. Fewer are not: in a
/// table a weight belongs to a feature.
const REDUCED: usize = 200;
const COMPONENTS: usize = 128;
/// Epochs of a training, at least and at most: one for each hundred samples in between.
const EPOCHS: (usize, usize) = (40, 100);
/// Draws of samples in all epochs together that small sets have, at least: few samples make few steps an epoch.
const FEW_DRAWS: usize = 50_000;
/// Samples on which the bytes of a model are measured, about.
const MEASURED: usize = 500;

/// A method with settings over its defaults.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Recipe {
    pub method: &'static str,
    pub values: Values,
}

impl Recipe {
    fn with(&self, name: &str, value: &str) -> Self {
        let mut changed = self.clone();
        changed.values.insert(name.into(), value.into());
        changed
    }

    pub fn show(&self) -> String {
        let values: Vec<String> = self.values.iter().map(|(n, v)| format!("{n} {v}")).collect();
        format!("{}, {}", self.method, values.join(", "))
    }
}

/// The space over given samples, without what a user has decided.
pub(super) struct Space<'a, F: Float> {
    trainer: &'a Trainer<F>,
    data: &'a Dataset<F>,
    auto: Auto,
    given: Values,
}

impl<'a, F: Float> Space<'a, F> {
    pub fn new(trainer: &'a Trainer<F>, data: &'a Dataset<F>) -> Result<Self> {
        let auto = Auto::from_values(trainer.method().name, &trainer.options)?;
        let own = |name: &str| Auto::SETTINGS.iter().any(|s| s.name == name);
        let mut given = trainer.given.clone();
        given.retain(|name, _| !own(name) && name != "per-class" && name != "seed");
        Ok(Space { trainer, data, auto, given })
    }

    /// Seconds for search and training.
    pub fn time(&self) -> Option<f64> {
        self.auto.time
    }

    /// The families with each of their numbers of prototypes, without what contradicts the user.
    pub fn families(&self) -> Result<Vec<Recipe>> {
        let (mut recipes, mut too_large): (Vec<Recipe>, Option<Error>) = (Vec::new(), None);
        let fits = |f: &&Family| {
            let metric = f.settings.iter().find(|(name, _)| *name == "metric");
            self.given.get("metric").is_none_or(|given| metric.is_some_and(|(_, m)| m == given))
        };
        let measured = self.facts().measured;
        let encodes = |f: &&Family| f.settings.iter().any(|(name, _)| *name == "encode");
        for family in FAMILIES.iter().filter(fits).filter(|f| measured || !encodes(f)) {
            let recipe = self.recipe(family);
            let most = match self.most(&recipe) {
                Ok(most) => most,
                // One prototype of each class may be too large already.
                Err(error) => {
                    too_large.get_or_insert(error);
                    continue;
                }
            };
            for size in family.sizes {
                let per_class = match size {
                    Size::One => PerClass::all(1),
                    Size::Share(share) => most.times(*share),
                };
                let sized = recipe.with("per-class", &self.within(&per_class, &most));
                if !recipes.contains(&sized) {
                    recipes.push(sized);
                }
            }
        }
        if let Some(error) = too_large.filter(|_| recipes.is_empty()) {
            return Err(error);
        }
        if recipes.is_empty() {
            // A metric that no family has.
            let recipe = Recipe { method: "npc", values: pairs(&[("loss", "nll"), ("anneal", "10")]) };
            recipes.push(recipe.with("per-class", &self.most(&recipe)?.show()));
        }
        Ok(recipes)
    }

    /// The recipe with each other value of an axis.
    pub fn along(&self, axis: &Axis, recipe: &Recipe) -> Vec<Recipe> {
        if self.given.contains_key(axis.name) || !(axis.allowed)(recipe, &self.facts()) {
            return Vec::new();
        }
        let mut others: Vec<Recipe> = Vec::new();
        for value in axis.values {
            let other = match axis.name {
                "per-class" => self.resized(recipe, value.parse().unwrap_or(1.0)),
                "members" => self.joined(recipe, value.parse().unwrap_or(1)),
                name => self.bounded(recipe.with(name, value)),
            };
            // What cannot be small enough is not tried.
            let Ok(other) = other else { continue };
            if !self.same(&other, recipe) && !others.iter().any(|o| self.same(o, &other)) {
                others.push(other);
            }
        }
        others
    }

    fn facts(&self) -> Facts {
        let images = ["image", "hog", "deskew", "augment"].iter().any(|name| self.given.contains_key(*name));
        let several = |column: ArrayView1<F>| {
            let first = column.iter().find(|v| **v != column[0]);
            first.is_some_and(|second| column.iter().any(|v| *v != column[0] && v != second))
        };
        let features = self.data.dim();
        let table = !images && features <= REDUCED;
        Facts { features, images, table, measured: table && self.data.x.columns().into_iter().any(several) }
    }

    /// Whether two recipes are the same settings.
    fn same(&self, a: &Recipe, b: &Recipe) -> bool {
        let values = |r: &Recipe| self.trainer_of(r).map(|t| (t.training, t.options)).ok();
        a == b || (a.method == b.method && values(a) == values(b))
    }

    /// The recipe with fewer prototypes where its bytes ask for that.
    fn bounded(&self, recipe: Recipe) -> Result<Recipe> {
        let size = recipe.values.get("per-class").and_then(|v| PerClass::parse(v));
        match size.filter(|_| self.auto.size.is_some()) {
            Some(size) => Ok(recipe.with("per-class", &self.within(&size, &self.most(&recipe)?))),
            None => Ok(recipe),
        }
    }

    /// A share of the most prototypes.
    fn resized(&self, recipe: &Recipe, share: f64) -> Result<Recipe> {
        Ok(recipe.with("per-class", &self.most(recipe)?.times(share).show()))
    }

    /// Members, each as large as the recipe or, where that would be more prototypes than asked for, as large as may be.
    fn joined(&self, recipe: &Recipe, members: usize) -> Result<Recipe> {
        let now: usize = recipe.values.get("members").and_then(|m| m.parse().ok()).unwrap_or(1);
        let with = recipe.with("members", &members.to_string());
        let most = self.most(&with)?;
        let size =
            recipe.values.get("per-class").and_then(|v| PerClass::parse(v)).unwrap_or_else(|| most.clone());
        Ok(with.with("per-class", &self.within(&size.times(members as f64 / now as f64), &most)))
    }

    /// The number, or the most where it is larger for some class.
    fn within(&self, size: &PerClass, most: &PerClass) -> String {
        let counts = |per_class: &PerClass| per_class.counts(self.data).unwrap_or_default();
        let fits = counts(size).iter().zip(&counts(most)).all(|(a, b)| a <= b);
        if fits { size.show() } else { most.show() }
    }

    /// The most prototypes: as asked for, or as many as fit into the bytes.
    fn most(&self, recipe: &Recipe) -> Result<PerClass> {
        match self.auto.size {
            Some(Bytes(size)) => Ok(PerClass::all(self.fitting(size, recipe)?)),
            // Times one: a number that is still to be chosen counts as the most that it may be.
            None => Ok(self.trainer.training.start.per_class.times(1.0)),
        }
    }

    /// Principal components: no more than half the samples, of which folds have fewer.
    fn components(&self) -> usize {
        COMPONENTS.min(self.data.len() / 2).max(1)
    }

    fn recipe(&self, family: &Family) -> Recipe {
        let mut values = pairs(family.settings);
        values.extend(pairs(SHARED));
        if self.facts().table {
            values.extend(pairs(TABLES));
        }
        let reduced = self.data.dim() > REDUCED && !self.given.contains_key("hog");
        if reduced {
            values.insert("pca".into(), self.components().to_string());
        }
        let features = if reduced { self.components() } else { self.data.dim() };
        if let Some(rank) = family.rank.filter(|&rank| rank < features) {
            values.insert("rank".into(), rank.to_string());
        }
        if self.given.contains_key("image") {
            values.insert("augment".into(), "1".into());
        }
        values.retain(|name, _| !self.given.contains_key(name));
        Recipe { method: family.method, values }
    }

    /// An entrant for a race: trials are as long as the last training, because short ones prefer too little noise.
    pub fn entrant(&self, recipe: &Recipe) -> Result<Entrant<F>> {
        let mut trainer = self.trainer_of(recipe)?;
        trainer.training.descending.epochs = Some(self.epochs(&trainer.training));
        trainer.training.judging.holdout = None;
        let work = self.work(&trainer.training);
        Ok(Entrant::new(recipe.show(), trainer).with_work(work))
    }

    /// Multiplications of a training for each of its samples: distances, gradients of prototypes and of the metric.
    fn work(&self, t: &Training) -> f64 {
        let prototypes: usize = t.start.per_class.counts(self.data).map_or(1, |counts| counts.iter().sum());
        let features = if self.data.dim() > REDUCED { self.components() } else { self.data.dim() };
        let bins = ((self.data.len() as f64).sqrt() / 4.0).clamp(8.0, 48.0) as usize;
        let features = if t.representing.encode.is_some() { features * bins } else { features };
        let rank = t.metric.rank.unwrap_or(features);
        let matrices = match t.metric.kind {
            MetricKind::Linear => 1,
            MetricKind::LocalLinear => self.data.n_classes(),
            _ => 0,
        };
        (3 * t.descending.epochs.unwrap_or(1) * (prototypes * rank + matrices * features * rank)) as f64
    }

    /// A trainer of this recipe, with what the user has given.
    pub fn trainer_of(&self, recipe: &Recipe) -> Result<Trainer<F>> {
        let mut trainer = Trainer::named(recipe.method)?;
        trainer = trainer.set("seed", &self.trainer.training.start.seed.to_string())?;
        for (name, value) in recipe.values.iter().chain(&self.given) {
            trainer = trainer.set(name, value)?;
        }
        trainer.start.clone_from(&self.trainer.start);
        trainer.forget_unread();
        Ok(trainer)
    }

    /// Epochs of a training on all samples: as given, or by their number.
    pub fn epochs(&self, t: &Training) -> usize {
        let data = self.data;
        if let Some(given) = t.descending.epochs {
            return given;
        }
        (data.len() / 100).max(FEW_DRAWS / data.len().max(1)).clamp(EPOCHS.0, EPOCHS.1)
    }

    /// Prototypes of each class with which a model stays within `size` bytes. Bytes grow by the same amount with each of them, or
    /// each for every member, so two small models tell all.
    fn fitting(&self, size: usize, recipe: &Recipe) -> Result<usize> {
        let mut trainer = self.trainer_of(recipe)?;
        let few = self.data.sample(MEASURED, trainer.training.start.seed, "size");
        let few = if check_classes(&few).is_ok() { few } else { self.data.clone() };
        trainer.training.descending.epochs = Some(1);
        let members = trainer.training.descending.members;
        let mut bytes = |count: usize| {
            trainer.training.start.per_class = PerClass::all(count);
            Ok::<_, Error>(trainer.fit_once(&few, None, &mut Silent)?.bytes())
        };
        let (one, two): (usize, usize) = (bytes(members)?, bytes(2 * members)?);
        if one > size {
            return Err(Error::setting("size", size, format!("at least {one} bytes for these samples")));
        }
        Ok(members * (1 + (size - one) / (two - one).max(1)))
    }
}

fn pairs(settings: &[(&str, &str)]) -> Values {
    settings.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::Trainer;

    /// Two classes of zeros.
    fn zeros(n: usize, dim: usize) -> Dataset<f64> {
        let y = (0..n).map(|i| i % 2).collect();
        Dataset::new(ndarray::Array2::zeros((n, dim)), y, vec!["a".into(), "b".into()]).unwrap()
    }

    fn auto(settings: &[(&str, &str)]) -> Trainer<f64> {
        settings.iter().fold(Trainer::named("auto").unwrap(), |t, (n, v)| t.set(n, v).unwrap())
    }

    fn values(recipes: &[Recipe], name: &str) -> Vec<String> {
        recipes.iter().filter_map(|r| r.values.get(name).cloned()).collect()
    }

    #[test]
    fn families_keep_to_what_is_given_and_to_the_bound() {
        let (data, trainer) = (zeros(400, 9), auto(&[("metric", "linear"), ("per-class", "8")]));
        let space = Space::new(&trainer, &data).unwrap();
        let families = space.families().unwrap();
        assert_eq!(values(&families, "per-class"), ["2", "8"]);
        assert!(values(&families, "metric").is_empty() && values(&families, "rank").is_empty());
        let wide = zeros(400, 300);
        let space = Space::new(&trainer, &wide).unwrap();
        assert!(
            space.families().unwrap().iter().all(|r| r.values["pca"] == "128" && r.values["rank"] == "40")
        );
    }

    #[test]
    fn axes_give_every_other_value_once() {
        let (data, trainer) = (zeros(400, 9), auto(&[("per-class", "8")]));
        let space = Space::new(&trainer, &data).unwrap();
        let recipe = space.families().unwrap().swap_remove(0);
        let along = |name: &str, recipe: &Recipe| {
            let axis = AXES.iter().find(|a| a.name == name).unwrap();
            values(&space.along(axis, recipe), name)
        };
        assert_eq!(along("per-class", &recipe), ["2", "4", "8"]);
        let mut noises = vec!["0.05", "0.15", "0.3", "0.6"];
        noises.retain(|noise| recipe.values["noise"] != **noise);
        assert_eq!(along("noise", &recipe), noises);
        assert!(along("unit", &recipe).is_empty() && along("augment", &recipe).is_empty());
        assert_eq!(along("vary", &recipe), ["0.25", "0.6"]);
        let given = auto(&[("noise", "0.4")]);
        let space = Space::new(&given, &data).unwrap();
        assert!(space.along(&AXES[1], &recipe).is_empty());
    }

    #[test]
    fn members_are_as_large_as_the_recipe_or_as_may_be() {
        let (data, trainer) = (zeros(400, 9), auto(&[("per-class", "9")]));
        let space = Space::new(&trainer, &data).unwrap();
        let joined = |size: &str| {
            let recipe = Recipe { method: "npc", values: pairs(&[("per-class", size)]) };
            [2, 3].map(|n| space.joined(&recipe, n).unwrap().values["per-class"].clone())
        };
        assert_eq!((joined("3"), joined("9")), (["6", "9"].map(String::from), ["9", "9"].map(String::from)));
    }

    #[test]
    fn small_and_large_sets_have_more_epochs() {
        let epochs = |n: usize| {
            let (data, trainer) = (zeros(n, 2), auto(&[]));
            Space::new(&trainer, &data).unwrap().epochs(&Training::default())
        };
        assert_eq!([200, 1000, 2000, 7000, 20_000].map(epochs), [100, 50, 40, 70, 100]);
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
}
