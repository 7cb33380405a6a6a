//! Sigma rules of others over the records of telemetry, and their hits as facts.
//!
//! A hit says that a pattern matched a record. It is neither an observation nor a verdict, and proves no malice: its fact is of the class
//! `rule_hit`, which agents by rule and judges pass over.
//!
//! A rule is asked about a record only where its log source means such records ([`Tables`]). A record is asked about by the names that rules
//! have for its fields ([`Record`]). Facts of hits name the rule, its **author** and its licence, as the Detection Rule License asks
//! ([`Hits`]). [`comparison`] sets hits beside the verdicts of the program's own rules.
//!
//! What parses and evaluates rules is the library `rsigma`, behind the feature `sigma` (`RuleSet`). Without it the rest of the crate is
//! whole: whatever implements [`Matcher`] can take the engine's place.

pub mod comparison;
mod correlation;
#[cfg(feature = "sigma")]
mod engine;
mod folder;
mod hits;
#[cfg(feature = "sigma")]
mod patterns;
mod record;
mod rule;
#[cfg(feature = "sigma")]
mod set;
#[cfg(feature = "sigma")]
mod several;
mod tables;

pub use correlation::{Condition, Correlated, Correlation, Expression, Grouping, Kind, Remembered};
pub use folder::{FolderError, MAX_RULE_BYTES, RuleFiles, RuleText, Unread};
pub use hits::{Found, Hits, MAX_REMEMBERED};
pub use record::Record;
pub use rule::{Level, LogSource, Matcher, Rule};
#[cfg(feature = "sigma")]
pub use set::{RuleSet, Unused};
pub use tables::{Gate, Tables, TablesError};
