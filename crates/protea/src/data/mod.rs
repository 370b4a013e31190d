//! Labelled samples: in memory, split into parts, and the sets that ship with the crate.

pub mod catalog;
mod dataset;
mod encode;
mod label;
mod schema;
mod split;
mod table;

pub use dataset::Dataset;
pub use encode::{ColumnSpec, Kind, Missing};
pub use label::{LabelSpec, class_name};
pub use schema::{RowClasses, Schema};
pub use split::{holdout, k_folds};
pub use table::{Body, Column, Lines, Table};

pub(crate) use split::stratified;
pub(crate) use table::{TextBuilder, default_names};
