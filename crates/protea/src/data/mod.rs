//! Labelled samples: in memory, split into parts, and from the columns of a table.

mod dataset;
mod encode;
mod label;
mod layout;
mod number;
mod schema;
mod split;
mod table;

pub use dataset::Dataset;
pub use encode::{ColumnKind, ColumnSpec, Missing};
pub use label::{LabelSpec, class_name};
pub use layout::ClassLayout;
pub use schema::{RowClasses, Schema};
pub use split::{holdout, k_folds};
pub use table::{Body, Column, Lines, Table};

pub(crate) use number::{is_missing, number, parse_number};
pub(crate) use split::stratified;
pub(crate) use table::{TextBuilder, default_names};
