//! One training, in two halves: everything before the learner, and everything from the learner to the model. What is chosen on
//! held-out samples is chosen between them, by [`crate::select`].

use super::check::{check_classes, check_features, check_range, check_valid};
use super::finish::{Origin, finish};
use super::learner::{Images, Task, check_members, code, settings_of};
use super::prepare::{Represented, represent};
use super::start::first_prototypes;
use super::{OptimizerKind, Trainer, Training};
use crate::init::{Prototypes, select};
use crate::metric::MetricKind;
use crate::metric_learning::LearnedMatrix;
use crate::model::{Model, Provenance};
use crate::progress::{Progress, Stopped};
use crate::represent::{ImageSize, LinearMap, Pipeline};
use crate::settings::Values;
use crate::{Dataset, Error, Float, Result, data};
use ndarray::Array2;
use std::borrow::Cow;

/// Samples after preprocessing and first prototypes, ready for a learner.
pub(crate) struct Prepared<'a, F: Float> {
    pub train: Dataset<F>,
    valid: Option<Dataset<F>>,
    /// Training images before preprocessing, where they are to change.
    raw: Option<(Cow<'a, Array2<F>>, ImageSize)>,
    pipeline: Pipeline<F>,
    /// A metric that was learned on the samples; it is the last step of the pipeline.
    learned: Option<LearnedMatrix<F>>,
    start: Prototypes<F>,
    /// Whether the prototypes are the training samples themselves.
    memorised: bool,
    /// Rows of the training samples that were selected as prototypes.
    selected: Option<Vec<usize>>,
}

impl<F: Float> Trainer<F> {
    /// Checks, splits, preprocesses, and finds first prototypes.
    pub(crate) fn prepare<'a>(
        &self,
        data: &'a Dataset<F>,
        valid: Option<&Dataset<F>>,
        progress: &mut dyn Progress,
    ) -> Result<Prepared<'a, F>> {
        self.check(data, valid)?;
        let t = &self.training;
        let (train, held) = match t.judging.holdout {
            Some(share) if valid.is_none() => {
                let (kept, held) = data::holdout(data, share, t.start.seed)?;
                (Cow::Owned(data.select(&kept)), Some(data.select(&held)))
            }
            _ => (Cow::Borrowed(data), None),
        };
        progress.phase("representation");
        let given = self.dictionary.as_ref().map(|model| code::dictionary(model, &train)).transpose()?;
        let (pipeline, given) = given.map_or((None, None), |(pipeline, atoms)| (Some(pipeline), Some(atoms)));
        let Represented { mut pipeline, x, learned } = self.represented(&train, pipeline, progress)?;
        let mut now = Dataset { x, features: Vec::new(), ..train.clone_labels() };
        let size = if t.descending.augment > 0.0 {
            Some(ImageSize::for_features(t.representing.image, train.dim())?)
        } else {
            None
        };
        let raw = size.map(|size| match train {
            Cow::Borrowed(data) => (Cow::Borrowed(&data.x), size),
            Cow::Owned(data) => (Cow::Owned(data.x), size),
        });
        // A model to go on from has it in its preprocessing.
        if t.metric.common_epochs > 0 && self.resumed.is_none() {
            let images = raw.as_ref().map(|(x, size)| Images { x, size: *size, pipeline: &pipeline });
            let map = self.common_map(&now, images, progress)?;
            now.x = map.apply(now.x.view());
            pipeline.steps.push(Box::new(map));
        }
        now.features = (0..now.dim()).map(|j| format!("z{j}")).collect();
        let valid = valid.or(held.as_ref());
        let valid = valid.map(|v| Dataset { x: pipeline.apply(v.x.clone()), ..v.clone_labels() });
        check_range(now.x.view())?;

        progress.phase("prototypes");
        let memorised = given.is_none() && self.facts().keeps_samples;
        let (start, selected) = self.first(given, &now, &pipeline, progress)?;
        Ok(Prepared { train: now, valid, raw, pipeline, learned, start, memorised, selected })
    }

    fn check(&self, data: &Dataset<F>, valid: Option<&Dataset<F>>) -> Result<()> {
        self.training.check()?;
        self.check_metric()?;
        self.check_common()?;
        self.check_encoding()?;
        match &self.resumed {
            None => check_classes(data)?,
            Some(model) => self.check_resumed(model, data)?,
        }
        check_valid(data, valid)?;
        let given_start = self.start.is_some() || self.resumed.is_some();
        check_members(&self.training, self.facts().descends, given_start, data)
    }

    /// Samples after preprocessing: that of a dictionary, of a model to go on from, one learned before, or learned now.
    fn represented(
        &self,
        train: &Dataset<F>,
        dictionary: Option<Pipeline<F>>,
        progress: &mut dyn Progress,
    ) -> Result<Represented<F>> {
        if let Some(pipeline) = dictionary {
            return Ok(Represented::as_in(&pipeline, train));
        }
        if let Some(model) = &self.resumed {
            return Ok(Represented::as_in(model.pipeline(), train));
        }
        if let Some((pipeline, features)) = &self.represented {
            check_features(*features, train)?;
            return Ok(Represented::as_in(pipeline, train));
        }
        let first = Pipeline { steps: self.steps.clone() };
        represent(&self.training, &self.learners, train, first, self.matrix.as_ref(), self.frozen, progress)
    }

    /// First prototypes, and the rows of the samples that were selected as such.
    fn first(
        &self,
        given: Option<Prototypes<F>>,
        train: &Dataset<F>,
        pipeline: &Pipeline<F>,
        progress: &dyn Progress,
    ) -> Result<(Prototypes<F>, Option<Vec<usize>>)> {
        let (t, facts) = (&self.training, self.facts());
        if let Some(given) = given {
            return Ok((given, None));
        }
        if let Some(model) = &self.resumed {
            return Ok((model.prototypes().clone(), None));
        }
        if facts.keeps_samples {
            // In the order of the samples, so that ties go to the first sample, as everywhere else.
            return Ok((Prototypes { x: train.x.clone(), y: train.y.clone() }, None));
        }
        if self.start.is_none() && facts.keeps_start && t.start.init.selects() {
            let rows = select(t.start.init, train, t.start.seed, &|| progress.cancelled())?;
            let kept = train.select(&rows);
            return Ok((Prototypes { x: kept.x, y: kept.y }, Some(rows)));
        }
        // Only what descends on an objective is pruned later.
        let times = if facts.descends { t.descending.prune } else { 1 };
        let start = first_prototypes(&settings_of(t, 0).start, times, self.start.as_ref(), train, pipeline)?;
        Ok((start, None))
    }

    /// A matrix that is learned with prototypes of its own, one for all classes, as a map of the samples.
    fn common_map(
        &self,
        train: &Dataset<F>,
        images: Option<Images<F>>,
        progress: &mut dyn Progress,
    ) -> Result<LinearMap<F>> {
        check_range(train.x.view())?;
        let mut t = settings_of(&self.training, 0);
        t.metric.kind = MetricKind::Linear;
        t.metric.rank = None;
        t.descending.members = 1;
        t.descending.prune = 1;
        t.descending.optimizer = OptimizerKind::Adam;
        t.descending.epochs = Some(self.training.metric.common_epochs);
        progress.phase("common matrix");
        let start = t.start.prototypes(1, train)?;
        let matrix = self.first_matrix();
        let task = Task { training: &t, train, valid: None, matrix, metric: None, images };
        let learner = self.learner(&self.options)?;
        match F::pick(&*learner).learn(&task, start, progress)?.metric.matrix() {
            Some(matrix) => LinearMap::new(matrix.clone()),
            None => Err(Error::unsupported("the common metric has no matrix")),
        }
    }

    /// Learns with these settings, calibrates, and puts the model together; `data` is what was prepared.
    pub(crate) fn train(
        &self,
        prepared: Prepared<F>,
        (training, options): (Training, Values),
        data: &Dataset<F>,
        progress: &mut dyn Progress,
    ) -> Result<Model<F>> {
        let Prepared { train, valid, raw, pipeline, learned, start, memorised, selected } = prepared;
        let images = raw.as_ref().map(|(x, size)| Images { x, size: *size, pipeline: &pipeline });
        let (matrix, metric) = (self.first_matrix(), self.first_metric());
        let task = Task { training: &training, train: &train, valid: valid.as_ref(), matrix, metric, images };
        let learner = self.learner(&options)?;
        let mut fitted = F::pick(&*learner).learn(&task, start, progress)?;
        if progress.cancelled() && fitted.stopped == Stopped::Finished {
            fitted.stopped = Stopped::Interrupted;
        }
        if let Some(learned) = learned.filter(|_| fitted.history.is_empty()) {
            (fitted.history, fitted.stopped) = (learned.history, learned.stopped);
        }
        progress.phase("calibration");
        let settings = self.settings(&training, options);
        let mut provenance = Provenance::new(self.method.name, settings, training.start.seed, data);
        provenance.given_start = self.start.is_some() || self.resumed.is_some();
        let (classes, features) = (data.classes.clone(), data.features.clone());
        let training = &training;
        let model = finish(
            fitted,
            Origin { training, train, valid, memorised, pipeline, classes, features, provenance },
        )?;
        Ok(match selected {
            Some(rows) => model.with_selected(rows),
            None => model,
        })
    }
}
