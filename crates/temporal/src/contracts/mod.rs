//! Messages between layers: three kinds, their contracts, and what they make the hierarchy do (Sec. 4.3; CTHA-040 to 054).
//!
//! Whatever a layer writes becomes a message of its kind by projection ([`Contracts::project`]): it is sanitized, truncated to the sender's
//! budget and validated (Eq. 6, Eq. 15), and where that fails the default of the kind replaces it (Eq. 18). Projecting a message again changes
//! nothing. It comes out as a [`Message`]: a [`Plan`], a [`Policy`] or a
//! [`Summary`], read once.

mod condition;
mod criterion;
mod envelope;
mod kind;
mod message;
mod note;
mod plan;
mod policy;
mod project;
mod sanitize;
mod settle;
mod summary;
mod truncate;

pub use condition::{Condition, NotACondition, Operator, Situation};
pub use criterion::{Check, Comparison, Criterion, NotACriterion};
pub use envelope::Envelope;
pub use kind::{Contracts, Kind};
pub use message::Message;
pub use note::{Cause, Note, Outcome, Refusal, Tally};
pub use plan::{Overridden, Plan, Rollback, RollbackAction, Subgoal};
pub use policy::{Policy, Rule, RuleAction, Ruling};
pub use project::Projected;
pub use summary::{Anomaly, AnomalyKind, Resources, Summary};
