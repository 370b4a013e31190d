//! One method with its settings: the number of prototypes where it is `auto`, and a temperature from samples that no prototype has
//! seen. The same trainings tell both.
//!
//! ```text
//! folds = thirds of the samples, held out in turn until 1000 samples are judged
//! number = the best of 1, 2, 4, 8 and 16 on the folds, or the one that was given
//! model = training on all samples;  γ = the one under which the held-out samples are likeliest
//! ```

use super::folds::{Cut, Fold};
use super::race::{Entrant, Race};
use crate::init::PerClass;
use crate::metric::MetricKind;
use crate::model::Model;
use crate::progress::Progress;
use crate::settings::SettingValue;
use crate::train::{Calibration, Trainer};
use crate::{Dataset, Float, Result};

/// Parts that are held out in turn.
const PARTS: usize = 3;
/// Samples that are judged, at least, where there are so many.
const JUDGED: usize = 1000;
/// Samples that the choice of a number looks at, at most.
const SAMPLES: usize = 12_500;
/// Training samples for each parameter of a model from which on these tell as much as held-out ones.
const PER_PARAMETER: usize = 100;

/// Chooses, trains on all samples, and calibrates.
pub(super) fn fit<F: Float>(
    trainer: &Trainer<F>,
    data: &Dataset<F>,
    valid: Option<&Dataset<F>>,
    progress: &mut dyn Progress,
) -> Result<Model<F>> {
    let mut sizes = sizes(trainer, data);
    let calibrates = calibrates(trainer, data, valid);
    if sizes.len() > 1 {
        return chosen(trainer, sizes, data, valid, calibrates, progress);
    }
    let only = sizes.swap_remove(0);
    let model = only.trainer.fit_once(data, valid, progress)?;
    if !calibrates || progress.cancelled() {
        return Ok(model);
    }
    progress.phase("held-out temperature");
    let mut race = Race::new(cut(trainer, usize::MAX).folds(data));
    // A class may be too small to be learned from a part of its samples.
    let judged = race.run(vec![only], progress).ok();
    match judged.and_then(|judged| judged.gamma()).filter(|_| !progress.cancelled()) {
        Some(gamma) => model.with_gamma(gamma),
        None => Ok(model),
    }
}

/// Chooses the number, trains with it on all samples, and calibrates by the same trials.
fn chosen<F: Float>(
    trainer: &Trainer<F>,
    sizes: Vec<Entrant<F>>,
    data: &Dataset<F>,
    valid: Option<&Dataset<F>>,
    calibrates: bool,
    progress: &mut dyn Progress,
) -> Result<Model<F>> {
    let folds = match valid {
        Some(valid) => vec![Fold { train: data.clone(), held: valid.clone() }],
        None => cut(trainer, SAMPLES).folds(data),
    };
    let mut race = Race::new(folds);
    let n = sizes.len();
    let best = race.run(sizes, progress)?;
    let (size, gamma) = (best.trainer.training.start.per_class.show(), best.gamma().filter(|_| calibrates));
    let (folds, judged) = (race.folds.len(), race.samples());
    let noun = if size == "1" { "prototype" } else { "prototypes" };
    let note = format!(
        "{size} {noun} per class: the best of {n} numbers on {judged} samples held out in {folds} folds"
    );
    race.record(&best);
    let model = best.last_training(data, valid, progress)?;
    let model = match gamma {
        Some(gamma) => model.with_gamma(gamma)?,
        None => model,
    };
    Ok(model.with_trials(race.trials(), (folds > 0).then_some(note)))
}

fn cut<F: Float>(trainer: &Trainer<F>, samples: usize) -> Cut<'static> {
    Cut { samples, parts: PARTS, judged: JUDGED, seed: trainer.training.start.seed, purpose: "size" }
}

/// The trainer with each number of prototypes that it is to try, the smallest first; alone where the number is given.
fn sizes<F: Float>(trainer: &Trainer<F>, data: &Dataset<F>) -> Vec<Entrant<F>> {
    let asked = &trainer.training.start.per_class;
    let alone = || vec![Entrant::new(asked.show(), trainer.clone())];
    let free = trainer.start.is_none() && trainer.resumed.is_none() && trainer.reads("per-class");
    if !asked.is_auto() || !free || trainer.facts().keeps_samples {
        return alone();
    }
    let mut entrants: Vec<Entrant<F>> = Vec::new();
    let mut before = Vec::new();
    let doubled = std::iter::successors(Some(1), |n| Some(2 * n)).take_while(|&n| n <= PerClass::MOST);
    for number in doubled.filter(|&n| n >= trainer.training.descending.members) {
        let per_class = PerClass::all(number);
        let counts = per_class.counts(data).expect("one number is for every class");
        // Classes may have fewer samples than the number.
        if counts != before {
            let mut trainer = trainer.clone();
            trainer.training.start.per_class = per_class;
            entrants.push(Entrant::new(format!("{}, per-class {number}", trainer.method().name), trainer));
        }
        before = counts;
    }
    if entrants.is_empty() { alone() } else { entrants }
}

/// Whether the temperature is to come from held-out training samples: not where others are held out, where a model goes on from
/// another, where all samples become prototypes under a metric of their own, where codes decide, and where training samples tell as
/// much.
fn calibrates<F: Float>(trainer: &Trainer<F>, data: &Dataset<F>, valid: Option<&Dataset<F>>) -> bool {
    let (t, facts) = (&trainer.training, trainer.facts());
    let held = valid.is_some() || t.judging.holdout.is_some() || trainer.resumed.is_some();
    let own_metric = facts.keeps_samples && matches!(t.metric.kind, MetricKind::Lmnn | MetricKind::Nca);
    if t.deciding.calibration == Calibration::Training || held || own_metric || facts.codes {
        return false;
    }
    let prototypes: usize = t.start.per_class.counts(data).map_or(1, |counts| counts.iter().sum());
    facts.keeps_samples || data.len() < PER_PARAMETER * prototypes * data.dim()
}

#[cfg(feature = "datasets")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{self, Part};
    use crate::data::holdout;
    use crate::eval::evaluate;
    use crate::progress::Silent;

    fn glass() -> (Dataset<f64>, Dataset<f64>) {
        let all = catalog::load::<f64>("glass", Part::All, None).unwrap();
        let (kept, held) = holdout(&all, 0.33, 1).unwrap();
        (all.select(&kept), all.select(&held))
    }

    fn npc(settings: &[(&str, &str)]) -> Trainer<f64> {
        let quick = Trainer::named("npc").unwrap().set("epochs", "30").unwrap();
        settings.iter().fold(quick, |t, (n, v)| t.set(n, v).unwrap())
    }

    /// Fifteen prototypes a class on 143 samples of six classes: samples that were seen look certain, new ones are not. Members,
    /// too, are calibrated.
    #[test]
    fn new_samples_are_less_surprised() {
        let (train, test) = glass();
        for members in ["1", "3"] {
            let given = [("per-class", "15"), ("members", members)];
            let crossed = npc(&given).fit(&train).unwrap();
            let plain = npc(&given).set("calibration", "training").unwrap().fit(&train).unwrap();
            assert_eq!(plain.prototypes(), crossed.prototypes());
            let (a, b) = (evaluate(&plain, &test).unwrap(), evaluate(&crossed, &test).unwrap());
            assert!(b.log_loss < 0.8 * a.log_loss, "{members}: {} {}", a.log_loss, b.log_loss);
        }
    }

    /// The number is the one with the lowest score on thirds, each trained and judged by hand.
    #[test]
    fn the_number_of_prototypes_is_chosen_on_thirds() {
        let (train, _) = glass();
        let model = npc(&[]).fit(&train).unwrap();
        let chosen = model.provenance().settings["per-class"].clone();
        let trials = &model.provenance().trials;
        let score = |t: &&crate::model::Trial| t.error + t.log_loss;
        let full: Vec<_> = trials.iter().filter(|t| t.folds == PARTS).collect();
        let lowest = full.iter().map(score).fold(f64::INFINITY, f64::min);
        let best = full.iter().find(|t| t.settings == format!("npc, per-class {chosen}")).unwrap();
        assert!(score(best) <= 1.1 * lowest, "{trials:?}");
        let errors: f64 = (cut(&npc(&[]), SAMPLES).folds(&train).iter())
            .map(|f| {
                let model = npc(&[("per-class", &chosen)]).fit_once(&f.train, None, &mut Silent).unwrap();
                model.error(&f.held).unwrap() * f.held.len() as f64
            })
            .sum();
        assert!((errors / train.len() as f64 - best.error).abs() < 1e-9, "{errors} {best:?}");
        assert!(model.provenance().notes[0].starts_with(&format!("{chosen} prototype")));
    }

    #[test]
    fn methods_without_a_number_choose_none() {
        let (train, _) = glass();
        for method in ["knn", "centroid"] {
            let model = Trainer::named(method).unwrap().fit(&train).unwrap();
            assert!(model.provenance().trials.is_empty(), "{method}");
        }
    }
}
