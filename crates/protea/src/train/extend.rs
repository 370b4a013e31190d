//! New classes for a model that exists: prototypes for them where it has none, so that training can go on.

use crate::init::{Init, KMeans, PerClass, Prototypes, initialise};
use crate::metric::Embedding;
use crate::model::{Model, Parts};
use crate::{Dataset, Error, Float, Result};
use ndarray::{Axis, concatenate};

impl<F: Float> Model<F> {
    /// The same model with prototypes, by k-means in its space, for the classes of `data` that it lacks. The classes of `data` are
    /// those of the model, in its order, and others after them.
    ///
    /// Models with scores, codes or a metric of each prototype are refused: their parts depend on all classes.
    pub fn with_new_classes(&self, data: &Dataset<F>, per_class: &PerClass, seed: u64) -> Result<Self> {
        let known = self.classes().len();
        if data.classes.get(..known) != Some(self.classes()) {
            return Err(Error::different_classes("the samples", "the model"));
        }
        if data.classes.len() == known {
            return Ok(self.clone());
        }
        if self.decision().adds().is_some() {
            return Err(Error::unsupported(
                "a model with scores or codes takes no new classes; train it anew",
            ));
        }
        if self.metric().embedding() == Embedding::None {
            let metric = self.metric().tag();
            let problem = format!("a model with a {metric} metric takes no new classes; train it anew");
            return Err(Error::unsupported(problem));
        }
        let rows: Vec<usize> = (0..data.len()).filter(|&i| data.y[i] >= known).collect();
        let x = self.transform(data.x.select(Axis(0), &rows).view())?;
        let y = rows.iter().map(|&i| data.y[i] - known).collect();
        let new = Dataset::new(x, y, data.classes[known..].to_vec())?;
        let more = initialise(Init::KMeans, KMeans::default().starts, &new, per_class, seed)?;
        self.joined(data.classes.clone(), more)
    }

    /// The model with more prototypes, of classes after its own.
    fn joined(&self, classes: Vec<String>, more: Prototypes<F>) -> Result<Self> {
        let (known, old) = (self.classes().len(), self.prototypes());
        let x = concatenate![Axis(0), old.x, more.x];
        let y: Vec<usize> = old.y.iter().copied().chain(more.y.iter().map(|c| c + known)).collect();
        // New ones count as much as an old one does on average, until training has seen them.
        let (m, all) = (old.y.len() as f64, y.len() as f64);
        let importance = self.importance().iter().map(|share| share * m / all);
        let importance = importance.chain(more.y.iter().map(|_| 1.0 / all)).collect();
        let parts = Parts {
            prototypes: Prototypes { x, y },
            classes: classes.clone(),
            importance,
            ..self.parts().clone()
        };
        let model = Model::new(parts)?;
        match self.schema().cloned() {
            Some(mut schema) => {
                schema.classes = classes;
                model.with_schema(schema)
            }
            None => Ok(model),
        }
    }
}

#[cfg(feature = "datasets")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::Trainer;
    use crate::catalog::{self, Part};

    /// A model of two kinds of wine learns the third without forgetting the others.
    #[test]
    fn a_class_is_added_and_trained_on() {
        let wine = catalog::load::<f64>("wine", Part::All, None).unwrap();
        let two: Vec<usize> = (0..wine.len()).filter(|&i| wine.y[i] < 2).collect();
        let first = wine.select(&two);
        let first = Dataset::new(first.x, first.y, wine.classes[..2].to_vec()).unwrap();
        let first = first.with_features(wine.features.clone()).unwrap();
        for metric in ["euclidean", "linear"] {
            let trainer = || {
                let t = Trainer::named("npc").unwrap().set("metric", metric).unwrap();
                t.set("per-class", "2").unwrap().set("epochs", "20").unwrap()
            };
            let model = trainer().fit(&first).unwrap();
            let wider = model.with_new_classes(&wine, &PerClass::all(2), 0).unwrap();
            assert_eq!((wider.classes().len(), wider.prototypes().y.len()), (3, 6));
            assert!((wider.importance().iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let updated = trainer().resume(&wider).fit(&wine).unwrap();
            assert!(updated.error(&wine).unwrap() < 0.05, "{metric}");
            assert_eq!(
                model.with_new_classes(&first, &PerClass::all(2), 0).unwrap().prototypes(),
                model.prototypes()
            );
            assert!(model.with_new_classes(&first.select(&[0, 1]), &PerClass::all(2), 0).is_ok());
        }
        let local = Trainer::named("lpd").unwrap().set("epochs", "2").unwrap().fit(&first).unwrap();
        let error = local.with_new_classes(&wine, &PerClass::all(1), 0).unwrap_err().to_string();
        assert!(error.contains("local metric takes no new classes"), "{error}");
    }
}
