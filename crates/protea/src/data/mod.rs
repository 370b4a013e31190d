//! Labelled samples: in memory, split into parts, and from the columns of a table.

mod dataset;
mod date;
mod decide;
mod encode;
mod facts;
mod findings;
mod label;
mod layout;
mod leak;
mod learn;
mod number;
mod options;
mod profile;
mod schema;
mod split;
mod table;

pub use dataset::Dataset;
pub use date::{DateOrder, DatePart};
pub use decide::ColumnUse;
pub use encode::{ColumnKind, ColumnSpec};
pub use findings::{ClassCount, ColumnFinding, Findings, LabelFinding};
pub use label::{LabelFrom, LabelSpec, class_name};
pub use layout::ClassLayout;
pub use learn::{Learned, learn};
pub use number::{Decimal, Spelling};
pub use options::{Missing, SchemaOptions, Unknown};
pub use profile::{Profile, profiles};
pub use schema::{FittingRows, RowClasses, RowProblem, Schema};
pub use split::{holdout, k_folds};
pub use table::{Body, Column, Lines, Table, Written};

pub(crate) use number::{is_missing, is_rounded, looks_numeric, number, parse_number};
pub(crate) use split::stratified;
pub(crate) use table::{TextBuilder, default_names};
