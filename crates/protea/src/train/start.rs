//! Where prototypes start, and how many there are.

use crate::init::{Init, KMeans, PerClass, Prototypes, initialise};
use crate::represent::Pipeline;
use crate::settings::settings;
use crate::{Dataset, Error, Float, Result};

settings! {
    /// Where prototypes start, and how many there are.
    pub struct Start {
        Start {
            /// Prototypes per class: auto, a number, a share of samples, or a list.
            ///
            /// auto takes the one of 1, 2, 4, 8 and 16 that does best on held-out training samples. A list is by class name; *
            /// stands for all classes that are not named.
            per_class("per-class"): PerClass = PerClass::auto(), |_| true, "auto, 15, 5%, or A=3,B=10,*=5";
            /// How the first prototypes are chosen.
            ///
            /// boundary is k-means with more prototypes near class borders; cnn, enn and drop3 select training samples and
            /// decide how many to keep.
            init("init"): Init = Init::KMeans;
            /// Restarts of k-means in each class; the clustering with the smallest distances is kept.
            ///
            /// Large classes run k-means once.
            starts("starts"): usize = KMeans::default().starts, |v| *v > 0, "a number ≥ 1";
            /// Seed of the random number generator.
            seed("seed"): u64 = 0, |_| true, "a whole number";
        }
    }
}

impl Start {
    /// First prototypes, as these settings find them, `times` as many.
    pub(crate) fn prototypes<F: Float>(&self, times: usize, train: &Dataset<F>) -> Result<Prototypes<F>> {
        initialise(self.init, self.starts, train, &self.per_class.times(times as f64), self.seed)
    }
}

/// The given prototypes in the space of the training samples, or those that the initialiser finds, `times` as many.
pub(super) fn first_prototypes<F: Float>(
    settings: &Start,
    times: usize,
    given: Option<&Prototypes<F>>,
    train: &Dataset<F>,
    pipeline: &Pipeline<F>,
) -> Result<Prototypes<F>> {
    let Some(given) = given else {
        return settings.prototypes(times, train);
    };
    if let Some(class) = (0..train.n_classes()).find(|c| !given.y.contains(c)) {
        return Err(Error::class(&train.classes[class], "has no given prototype"));
    }
    let x = pipeline.apply(given.x.clone());
    if x.ncols() != train.dim() {
        let (expected, found) = (train.dim(), x.ncols());
        return Err(Error::Features { source_name: "the given prototypes".into(), expected, found });
    }
    Prototypes::new(x.view(), &given.y)
}
