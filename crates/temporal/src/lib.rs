//! The temporal hierarchy without models: what its layers may say, decide and hold, and how their proposals become one call.
//!
//! Four **layers** act on four time scales ([`layer`]). What they say to one another follows **contracts** ([`contracts`]); what they may
//! decide is their **authority** ([`authority`]). A **proposal** is what a layer wants of a step ([`proposal`]); what it wanted and got is a
//! **commitment** ([`commitments`]). Where proposals exclude one another there is a **conflict** ([`conflict`]), and the **arbiter** leaves
//! one call and the directives that hold after it ([`arbiter`]). What each way to resolve a conflict is worth is found by playing it out in copies of
//! the environment ([`rollout`]). The **mathematics** of the hierarchy are in [`mathematics`]; a **channel**
//! has their maps in play ([`channel`]).
//!
//! *Invariant*: nothing here reads a file, a clock or the network, and no model is asked. Scores are compared in thousandths. The same input
//! gives the same output.

pub mod arbiter;
pub mod authority;
pub mod channel;
pub mod commitments;
pub mod conflict;
pub mod contracts;
pub mod layer;
pub mod mathematics;
pub mod pattern;
pub mod proposal;
pub mod rollout;

pub use layer::Layer;
pub use pattern::Pattern;
pub use proposal::{Content, Directive, Effect, Proposal, Use};
