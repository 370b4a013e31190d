//! From what was learned to a model: probabilities that can be trusted, importance of prototypes, provenance.

use super::Training;
use super::learner::descent::deviation;
use super::learner::{Fitted, code};
use crate::metric::Space;
use crate::model::{
    CALIBRATION_SAMPLES, Decision, Judged, Model, Parts, Posterior, Provenance, Rule, gamma_start,
    likeliest_gamma,
};
use crate::represent::Pipeline;
use crate::{Dataset, Float, Result, normal_pair, rng};

/// What a model is made from, besides what was learned.
pub(super) struct Origin<'a, F: Float> {
    pub training: &'a Training,
    /// Samples after preprocessing.
    pub train: Dataset<F>,
    pub valid: Option<Dataset<F>>,
    /// Whether the prototypes are the training samples themselves.
    pub memorised: bool,
    pub pipeline: Pipeline<F>,
    pub classes: Vec<String>,
    pub features: Vec<String>,
    pub provenance: Provenance,
}

/// Calibrates probabilities, measures importance, and puts the model together.
pub(super) fn finish<F: Float>(fitted: Fitted<F>, from: Origin<F>) -> Result<Model<F>> {
    let Fitted { prototypes, metric, head, coding, history, stopped, kept_start } = fitted;
    let Origin { training: t, train, valid, memorised, pipeline, classes, features, mut provenance } = from;
    let space = Space::new(&metric, prototypes.x.view());
    // Scores that were learned and codes decide, unless another rule was asked for.
    let rule = match t.rule {
        Rule::Nearest(1) if head.is_some() => Rule::Scores,
        Rule::Nearest(1) if coding.is_some() => Rule::Code,
        rule => rule,
    };
    let labels = &prototypes.y;
    let decision =
        Decision { rule, posterior: t.posterior, head: head.as_ref(), labels, n_classes: classes.len() };

    let few = |data: &Dataset<F>, most| data.sample(most, t.seed, "calibration");
    let queries = |data: &Dataset<F>| jitter(few(data, CALIBRATION_SAMPLES), t.noise().max(0.1), t.seed);
    let gamma = if let Some(coding) = &coding {
        let given = match &valid {
            Some(valid) => Some(few(valid, CALIBRATION_SAMPLES)),
            None if memorised => None,
            None => Some(queries(&train)),
        };
        code::temperature_of_codes(coding, &prototypes, &train, given, t.seed)?
    } else if memorised {
        // Every training sample is its own prototype: nothing can be learned from its distance 0.
        match t.posterior {
            Posterior::Soft | Posterior::Nearest => {
                gamma_start(space.distances(few(&train, 200).x.view()).view(), 0.5, 0.8)
            }
            Posterior::Inverse => train.dim() as f64,
        }
    } else {
        // Without validation samples, training samples under the noise of training stand in for them.
        let few = match &valid {
            Some(valid) => few(valid, CALIBRATION_SAMPLES),
            None => queries(&train),
        };
        let d = space.distances(few.x.view());
        likeliest_gamma(&[Judged { decision: &decision, d, y: &few.y }])
    };

    let m = prototypes.y.len();
    let importance = if memorised {
        vec![1.0 / m as f64; m]
    } else {
        // The soft minimum has a temperature of its own where probabilities are made in another way.
        let softness = match (&head, t.posterior) {
            (None, Posterior::Soft) if coding.is_none() => gamma,
            _ => gamma_start(space.distances(few(&train, CALIBRATION_SAMPLES).x.view()).view(), 0.5, 0.8),
        };
        space.importance(train.x.view(), train.weights.as_deref(), softness)
    };
    provenance.train_error = (!memorised && coding.is_none()).then(|| {
        let decided = space.map(train.x.view(), |_, d| decision.decide(d, gamma));
        let wrong = decided.iter().zip(&train.y).filter(|(a, b)| a != b).count();
        wrong as f64 / train.len() as f64
    });
    provenance.kept_start = kept_start;
    provenance.stopped = stopped;
    provenance.history = history;
    let posterior = t.posterior;
    Model::new(Parts {
        prototypes,
        metric,
        head,
        coding,
        pipeline,
        classes,
        features,
        rule,
        posterior,
        gamma,
        importance,
        provenance,
    })
}

/// The samples with normal noise, `noise` in units of the global standard deviation.
fn jitter<F: Float>(mut data: Dataset<F>, noise: f64, seed: u64) -> Dataset<F> {
    let deviation = noise * deviation(data.x.view());
    let mut rng = rng(seed, "jitter");
    data.x.mapv_inplace(|v| v + F::of(deviation * normal_pair(&mut rng)[0]));
    data
}
