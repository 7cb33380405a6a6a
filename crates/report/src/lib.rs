//! Reports of runs: tables, figures and pages, read from a run folder.
//!
//! A [`Catalogue`] lists what can be asked for: the standard tables and whatever the registered works add
//! ([`gimbal_view::work::Work`]). A [`Source`] is a run with the choices of the user; from it come the report
//! ([`Report`]), everything at once ([`Everything`]), or one [`table`] or [`figure`]. All reading of run folders is in one
//! module, `inputs`; no environment, model or network is needed.

mod catalogue;
pub mod comparison;
mod error;
mod everything;
pub mod files;
mod inputs;
mod make;
mod meta;
pub mod planned;
mod report;
mod single;
mod source;

pub use catalogue::{Catalogue, Chosen, Listed, UnknownKey};
pub use error::ReportError;
pub use everything::Everything;
pub use report::{Report, WIDTH};
pub use single::{figure, keys, table};
pub use source::{Options, Source};
