//! Members of an ensemble: models that are trained from different starts and decide together, by the mean of their distances.
//!
//! ```text
//! for l = 1 … members:   p_l, metric_l = one training with 1/members of the prototypes and a seed of its own
//! class of x = argmin_c  mean_l min_{j of c in l} d_l(x, p_lj)
//! ```
//! What one training gets wrong by chance, others get right: the mean has the same bias and less variance.

use super::super::Training;
use super::Fitted;
use crate::init::Prototypes;
use crate::metric::FittedMetric;
use crate::model::decide::Members;
use crate::progress::Progress;
use crate::{Dataset, Error, Float, Result};
use ndarray::{Axis, concatenate};

/// Settings of one member: its share of the prototypes, and a seed of its own. The first has that of the whole.
pub(crate) fn settings_of(t: &Training, member: usize) -> Training {
    let mut own = t.clone();
    own.start.per_class = t.start.per_class.times(1.0 / t.descending.members as f64);
    own.start.seed = t.start.seed.wrapping_add((member as u64) << 32);
    own
}

/// Refuses members where they have no starts of their own, and more of them than prototypes of a class.
pub(crate) fn check<F: Float>(
    t: &Training,
    descends: bool,
    given_start: bool,
    data: &Dataset<F>,
) -> Result<()> {
    if t.descending.members == 1 {
        return Ok(());
    }
    let refused = |expected: &str| Err(Error::setting("members", t.descending.members, expected));
    if !descends {
        return refused("1 for methods without an objective");
    }
    if given_start {
        return refused("1, where prototypes to start from are given");
    }
    if t.start.init.selects() {
        return refused("1, where the initialisation selects samples");
    }
    let counts = t.start.per_class.counts(data)?;
    match (0..counts.len()).min_by_key(|&c| counts[c]) {
        Some(c) if counts[c] < t.descending.members => {
            refused(&format!("at most {}, the prototypes of class {:?}", counts[c], data.classes[c]))
        }
        _ => Ok(()),
    }
}

/// Trains the members one after the other; interrupted, those that began.
pub(crate) fn learn<F: Float>(
    t: &Training,
    classes: usize,
    progress: &mut dyn Progress,
    mut one: impl FnMut(usize, &mut dyn Progress) -> Result<Fitted<F>>,
) -> Result<Fitted<F>> {
    let first = one(0, progress)?;
    if t.descending.members == 1 {
        return Ok(first);
    }
    let mut members = vec![first];
    while members.len() < t.descending.members && !progress.cancelled() {
        progress.phase(&format!("member {} of {}", members.len() + 1, t.descending.members));
        members.push(one(members.len(), progress)?);
    }
    join(members, classes)
}

/// One after the other: prototypes, metrics, histories.
fn join<F: Float>(members: Vec<Fitted<F>>, classes: usize) -> Result<Fitted<F>> {
    let shape = Error::from;
    let x: Vec<_> = members.iter().map(|m| m.prototypes.x.view()).collect();
    let x = concatenate(Axis(0), &x).map_err(shape)?;
    let y: Vec<usize> = members.iter().flat_map(|m| m.prototypes.y.iter().copied()).collect();
    let sizes: Vec<usize> = members.iter().map(|m| m.prototypes.y.len()).collect();
    let ends = sizes.iter().scan(0, |end, n| {
        *end += n;
        Some(*end)
    });
    let decision = Members { ends: ends.collect(), biases: vec![F::zero(); classes] };
    let metrics: Vec<(&dyn FittedMetric<F>, usize)> = members.iter().map(|m| &*m.metric).zip(sizes).collect();
    let metric = metrics[0].0.join(&metrics)?;
    let kept_start = members.iter().all(|m| m.kept_start);
    let stopped = members[members.len() - 1].stopped;
    let history = members.into_iter().flat_map(|m| m.history).collect();
    Ok(Fitted {
        decision: Some(Box::new(decision)),
        history,
        stopped,
        kept_start,
        ..Fitted::as_is(Prototypes { x, y }, metric)
    })
}

#[cfg(feature = "datasets")]
#[cfg(test)]
mod tests {
    use crate::catalog::{self, Part};
    use crate::model::Labels;
    use crate::model::decide::{Decision, Members};
    use crate::{Dataset, Model, Trainer};

    fn wine() -> Dataset<f64> {
        catalog::load("wine", Part::All, None).unwrap()
    }

    fn trainer(settings: &[(&str, &str)]) -> Trainer<f64> {
        let plain = Trainer::named("npc").unwrap().set("epochs", "10").unwrap();
        settings.iter().fold(plain, |t, (n, v)| t.set(n, v).unwrap())
    }

    /// The class whose distances have the smallest mean, by a loop over members trained alone; each metric joins in its own way.
    #[test]
    fn members_decide_by_the_mean_of_the_distances_that_they_have_alone() {
        let data = wine();
        for metric in ["euclidean", "diagonal", "linear", "local", "local-linear"] {
            let together =
                trainer(&[("metric", metric), ("members", "2"), ("per-class", "4")]).fit(&data).unwrap();
            let alone = |seed: u64| -> Model<f64> {
                let seed = seed.to_string();
                trainer(&[("metric", metric), ("per-class", "2"), ("seed", &seed)]).fit(&data).unwrap()
            };
            let alone = [alone(0), alone(1 << 32)];
            let nearest = |model: &Model<f64>, i: usize, c: usize| {
                let d = model.distances(data.x.view());
                let own = d.row(i).to_vec().into_iter().zip(&model.prototypes().y).filter(|(_, y)| **y == c);
                own.map(|(d, _)| d).fold(f64::INFINITY, f64::min)
            };
            let answers = together.predict(data.x.view()).unwrap();
            for i in (0..data.len()).step_by(13) {
                let mean = |c: usize| alone.iter().map(|m| nearest(m, i, c)).sum::<f64>() / 2.0;
                let best = (0..3).min_by(|&a, &b| mean(a).total_cmp(&mean(b))).unwrap();
                assert_eq!(answers[i], best, "{metric}, sample {i}");
            }
        }
    }

    #[test]
    fn a_model_with_members_is_saved_with_them_and_damaged_ones_are_refused() {
        let data = wine();
        let model =
            trainer(&[("members", "3"), ("per-class", "7"), ("metric", "linear")]).fit(&data).unwrap();
        // Seven prototypes for three members: two for each.
        assert_eq!(model.prototypes().y.len(), 3 * 3 * 2);
        let again = Model::<f64>::from_bytes(&model.to_bytes().unwrap(), "memory").unwrap();
        assert_eq!(again.decision(), model.decision());
        assert_eq!(again.predict(data.x.view()).unwrap(), model.predict(data.x.view()).unwrap());
        assert_eq!(model.decision().members(), 3);
        for wrong in [vec![], vec![6, 6, 18], vec![6, 12, 17], vec![18, 12, 6]] {
            let members = Members { ends: wrong.clone(), biases: vec![0.0; 3] };
            assert!(!members.fits(Labels { of: &[0; 18], classes: 3 }), "{wrong:?}");
        }
    }

    #[test]
    fn members_are_refused_where_there_can_be_none() {
        let data = wine();
        let refusal = |t: Trainer<f64>| t.fit(&data).unwrap_err().to_string();
        let few = refusal(trainer(&[("members", "3"), ("per-class", "2")]));
        assert!(few.contains("members = 3") && few.contains("at most 2"), "{few}");
        let rule = Trainer::named("lvq1").unwrap().set("members", "2").unwrap();
        assert!(refusal(rule).contains("without an objective"));
        let model = trainer(&[("members", "2"), ("per-class", "2")]).fit(&data).unwrap();
        assert!(refusal(trainer(&[("per-class", "2")]).resume(&model)).contains("members"));
    }
}
