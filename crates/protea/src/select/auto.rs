//! `auto`: what protea would do, chosen on training samples that are held out.
//!
//! ```text
//! folds = as many of five parts of at most 12500 samples as judge 2500 samples (up to 300 samples: twice all five)
//! best = the winner among the families of [`super::space`]
//! for every axis: best = the winner among best and its variants along the axis
//! train best on all samples, with the temperature that suits the held-out samples
//! ```
//! How winners are found is [`super::race`]. What the user sets is never changed. Test samples are never seen; where validation
//! samples are given, they judge in place of the folds.

use super::folds::{Cut, Fold};
use super::race::{Entrant, Race};
use super::space::{AXES, Recipe, Space};
use crate::init::PerClass;
use crate::method::SEARCH_SAMPLES;
use crate::model::Model;
use crate::progress::Progress;
use crate::train::Trainer;
use crate::{Dataset, Float, Result};

/// Parts that the samples are cut into.
const PARTS: usize = 5;
/// Samples that are judged, at least, where there are so many.
const JUDGED: usize = 2500;
/// Up to this many samples are cut in two ways.
const CUT_TWICE: usize = 300;
/// Samples of a trial for each prototype, at least, where there are so many.
const PER_PROTOTYPE: usize = 8;

/// Multiplications of all trials together, where no time is given: about a minute on two cores.
const WORK: f64 = 1e12;

/// Searches, then fits on all samples.
pub(super) fn fit<F: Float>(
    trainer: &Trainer<F>,
    data: &Dataset<F>,
    valid: Option<&Dataset<F>>,
    progress: &mut dyn Progress,
) -> Result<Model<F>> {
    let space = Space::new(trainer, data)?;
    let times = if valid.is_none() && data.len() <= CUT_TWICE { 2 } else { 1 };
    let mut race = Race::new(folds(data, valid, trainer)).judging(times).within(space.time(), WORK);
    let (recipe, mut best) = search(&space, &mut race, progress)?;
    race.record(&best);
    let (gamma, shown) = (best.gamma(), best.name.clone());
    let last = last_trainer(&space, &race, &recipe, &best, data)?;
    let held = valid.is_some() || last.training.judging.holdout.is_some();
    best.trainer = last;
    let model = best.last_training(data, valid, progress)?;
    let model = match gamma.filter(|_| !held) {
        Some(gamma) => model.with_gamma(gamma)?,
        None => model,
    };
    let (folds, judged) = (race.folds.len(), race.samples());
    let note = format!("chosen on {judged} samples held out in {folds} folds: {shown}");
    let model = model.named(trainer.method().name, &trainer.options, &[("recipe", recipe.method)]);
    Ok(model.with_trials(race.trials(), (folds > 0).then_some(note)))
}

/// The winner of all races.
fn search<F: Float>(
    space: &Space<F>,
    race: &mut Race<F>,
    progress: &mut dyn Progress,
) -> Result<(Recipe, Entrant<F>)> {
    let mut recipes = space.families()?;
    let entrants = recipes.iter().map(|r| space.entrant(r)).collect::<Result<Vec<_>>>()?;
    let mut best = race.run(entrants, progress)?;
    for axis in AXES {
        if race.folds.is_empty() || race.late() || progress.cancelled() {
            break;
        }
        let recipe = found(&recipes, &best);
        let others = space.along(axis, &recipe);
        if others.is_empty() {
            continue;
        }
        let mut entrants = vec![best];
        for other in &others {
            entrants.push(space.entrant(other)?);
        }
        recipes.extend(others);
        best = race.run(entrants, progress)?;
    }
    Ok((found(&recipes, &best), best))
}

/// The recipe of an entrant.
fn found<F: Float>(recipes: &[Recipe], entrant: &Entrant<F>) -> Recipe {
    let named = recipes.iter().find(|r| r.show() == entrant.name);
    named.or(recipes.first()).cloned().expect("an entrant has a recipe")
}

/// The trainer of the last training, with as many epochs as the time that is left allows.
fn last_trainer<F: Float>(
    space: &Space<F>,
    race: &Race<F>,
    recipe: &Recipe,
    best: &Entrant<F>,
    data: &Dataset<F>,
) -> Result<Trainer<F>> {
    let mut trainer = space.trainer_of(recipe)?;
    let epochs = space.epochs(&trainer.training);
    let of_a_fold = race.folds.iter().map(|f| f.train.len()).max().unwrap_or(data.len());
    let seconds = best.longest() * data.len() as f64 / of_a_fold as f64;
    let affordable = match race.left() {
        Some(left) if seconds > left && trainer.training.descending.epochs.is_none() => left / seconds,
        _ => 1.0,
    };
    trainer.training.descending.epochs = Some(((epochs as f64 * affordable) as usize).max(1));
    Ok(trainer)
}

/// Folds to judge by, or the validation samples.
fn folds<F: Float>(data: &Dataset<F>, valid: Option<&Dataset<F>>, trainer: &Trainer<F>) -> Vec<Fold<F>> {
    let t = &trainer.training;
    let asked: usize = t.start.per_class.counts(data).map_or(PerClass::MOST, |counts| counts.iter().sum());
    let samples = SEARCH_SAMPLES.max(PER_PROTOTYPE * asked);
    if let Some(valid) = valid {
        return vec![Fold { train: data.sample(samples, t.start.seed, "search"), held: valid.clone() }];
    }
    let cut = Cut { samples, parts: PARTS, judged: JUDGED, seed: t.start.seed, purpose: "search" };
    let mut folds = cut.folds(data);
    if data.len() <= CUT_TWICE {
        folds.extend(Cut { seed: t.start.seed.wrapping_add(1), ..cut }.folds(data));
    }
    folds
}

#[cfg(feature = "datasets")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{self, Part};
    use crate::data::holdout;
    use crate::method::Auto;
    use crate::progress::Stopped;

    fn glass() -> (Dataset<f64>, Dataset<f64>) {
        let all = catalog::load::<f64>("glass", Part::All, None).unwrap();
        let (kept, held) = holdout(&all, 0.3, 1).unwrap();
        (all.select(&kept), all.select(&held))
    }

    fn quick() -> Trainer<f64> {
        Trainer::named("auto").unwrap().set("epochs", "10").unwrap().set("per-class", "2").unwrap()
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

    /// Of the settings that were tried on all folds, none is clearly better than the choice, which is the last in the record.
    #[test]
    fn the_choice_is_among_the_best_of_what_was_tried() {
        let (train, _) = glass();
        let model = quick().fit(&train).unwrap();
        let trials = &model.provenance().trials;
        let most = trials.iter().map(|t| t.folds).max().unwrap();
        let score = |t: &crate::model::Trial| t.error + t.log_loss;
        let last = trials.last().unwrap();
        assert!(trials.len() > 10 && last.folds == most);
        assert!(trials.iter().filter(|t| t.folds == most).all(|t| score(t) >= 0.9 * score(last)));
        assert!(model.provenance().notes[0].contains(&last.settings));
    }

    #[test]
    fn what_the_user_sets_stays() {
        let (train, _) = glass();
        let given = [("metric", "linear"), ("noise", "0.25"), ("rank", "3"), ("encode", "none")];
        let trainer = given.iter().fold(quick(), |t, (n, v)| t.set(n, v).unwrap());
        let model = trainer.fit(&train).unwrap();
        for (name, value) in given {
            assert_eq!(model.provenance().settings[name], value);
        }
        assert_eq!(model.metric().relevance().unwrap().len(), 9);
    }

    #[test]
    fn a_model_is_no_larger_than_it_may_be() {
        let (train, _) = glass();
        let model = quick().set("size", "3kB").unwrap().fit(&train).unwrap();
        assert!(model.bytes() <= 3000, "{}", model.bytes());
        let error = quick().set("size", "10").unwrap().fit(&train).unwrap_err().to_string();
        assert!(error.contains("at least"), "{error}");
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

    /// Two prototypes of a class at most, whatever is tried; members share them.
    #[test]
    fn the_number_of_prototypes_is_a_bound() {
        let (train, _) = glass();
        let model = quick().fit(&train).unwrap();
        let of = |c: usize| model.prototypes().y.iter().filter(|&&y| y == c).count();
        assert!((0..train.n_classes()).all(|c| (1..=2).contains(&of(c))));
    }

    /// Interrupts when it is asked for the n-th time.
    struct Stop(std::sync::atomic::AtomicUsize);

    impl Progress for Stop {
        fn cancelled(&self) -> bool {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 30
        }
    }

    #[test]
    fn an_interrupted_search_gives_a_model() {
        let (train, test) = glass();
        let model = quick().fit_with(&train, None, &mut Stop(0.into())).unwrap();
        assert_eq!(model.provenance().stopped, Stopped::Interrupted);
        assert!(model.error(&test).unwrap() < 0.7);
    }
}
