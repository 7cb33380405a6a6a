//! Figures as SVG, and the report of a run as text, Markdown, CSV, JSON and one self-contained HTML page.
//!
//! Architecture invariant: this crate sees rows and a few facts that are handed to it ([`gimbal_analysis::Rows`],
//! [`Meta`]), never an environment, a model, a network or a clock. The same rows give the same bytes. Every name in
//! them is untrusted text and is escaped where it is shown.

pub mod escape;
pub mod figure;
mod index;
pub mod kit;
mod meta;
mod page;
mod report;
mod sentence;
mod side_by_side;
pub mod work;

pub use index::index;
pub use kit::picture::{Figure, Output};
pub use meta::{Meta, Price, PriceTable};
pub use report::{Report, wrapped};
pub use sentence::sentence;
pub use side_by_side::side_by_side;
