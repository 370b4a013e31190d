//! Prototype-based classification: a labelled training set becomes a few labelled prototypes and, if wanted, a learned
//! metric, so that classifying is one nearest-prototype look-up.
//!
//! ```
//! # #[cfg(feature = "datasets")] {
//! use protea::catalog::{self, Part};
//! use protea::objective::{Loss, Npc};
//!
//! let train = catalog::load::<f32>("satimage", Part::Train, None)?;
//! let test = catalog::load::<f32>("satimage", Part::Test, None)?;
//! let model = Npc { loss: Loss::Nll, ..Npc::default() }.trainer().prototypes(5).epochs(10).fit(&train)?;
//! assert_eq!(model.prototypes().y.len(), 30);
//! assert!(model.error(&test)? < 0.14); // 1-NN over all 4435 samples: 0.105
//! # }
//! # Ok::<(), protea::Error>(())
//! ```
//!
//! An array and labels of your own become a [`Dataset`] by [`Dataset::from_labels`]. [`Trainer::named`] opens the same room by
//! names and texts, as the command line, Python and files do: `Trainer::named("npc")?.set("loss", "nll")?`.
//!
//! Modules use each other in one direction, those of a line only the lines above it and, within the line, along its arrows; a test
//! reads this picture.
//!
//! ```text
//! error -> settings -> progress  float  random    what everything may use
//! kernel                                          rows, blocks, products, soft minima: numbers without meaning
//! store                                           what parts of a model write of themselves
//! plan                                            a model as a list of operations: what exports write
//! data -> io -> catalog                           samples and tables; readers; named data sets
//! represent                                       steps before distances: scaling, components, edges, straightening
//! metric  objective -> rule  optim                distances; criteria and rules; ways to descend
//! init  coding -> metric_learning  svm            what learns or selects by itself
//! model                                           prototypes, decisions, calibration, files
//! train                                           from samples to a model, with all settings given
//! method                                          the one list of all methods
//! select                                          what is chosen on held-out samples
//! certify  eval -> export -> report               what is done with models: trust, measure, ship, show
//! ```
//!
//! Three blindnesses keep the parts small: an [`objective`] never sees coordinates, only distances and classes; a
//! [`metric`] never sees labels; an [`optim`]izer never sees data, only a flat vector and its gradient. They meet in
//! [`train::TrainingProblem`]. [`coding`] (sparse representations) and [`svm`] (linear machines, used by `epnn`) are independent of
//! this pipeline.
//!
//! Methods are listed once, in [`method::METHODS`]; settings are declared once, where they are used. Results do not depend
//! on the number of threads, and everything random has a seed.
//!
//! Features, all on by default: `datasets` (the small sets of [`catalog`], inside the crate), `parquet` (its reader, which they need),
//! `rayon` (threads; the same bits without) and `report` (pages and figures).

mod error;
mod float;
mod kernel;
mod random;
mod settings;

pub mod catalog;
pub mod certify;
pub mod coding;
pub mod data;
pub mod eval;
pub mod export;
pub mod init;
pub mod io;
pub mod method;
pub mod metric;
pub mod metric_learning;
pub mod model;
pub mod objective;
pub mod optim;
pub mod plan;
pub mod progress;
#[cfg(feature = "report")]
pub mod report;
pub mod represent;
pub mod rule;
mod select;
pub mod store;
pub mod svm;
pub mod train;

pub use data::Dataset;
pub use error::{Cause, Error, Result};
pub use float::Float;
pub use model::{AnyModel, Model};
pub use ndarray;
pub(crate) use random::{normal_pair, rng};
pub use settings::{Group, Setting, SettingValue, Values};
pub use train::Trainer;
