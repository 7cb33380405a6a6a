//! What a decision is worth: the ways in which a conflict can be resolved, played out in copies of the environment (the label study).
//!
//! [`Choices`] are all that Algorithm 1 and composition could leave of a conflict: one call, and the directives that hold after it. Each is
//! worth what is earned when its call is made and a stated policy plays on, whose calls are projected onto what the directives allow while they
//! last ([`value`]). The best in the mean is the label ([`Labelled`]), with the regret of every rule.
//!
//! *Invariant*: values come from the true state, features of parties ([`Features`]) from what the layers said and from what was seen.

mod choices;
mod features;
mod interval;
mod labelled;
mod named;
mod record;
mod resolution;
mod rules;
mod scored;
mod value;

pub use choices::{Candidate, Choices, Contenders, Held};
pub use features::{COLUMNS, Features, Recent};
pub use interval::{Paired, paired};
pub use labelled::{CandidateValue, Labelled};
pub use named::{ACTIONS, Named, action};
pub use record::{LayerLabelled, SecondLabel};
pub use resolution::{ConflictCause, Resolution};
pub use rules::{Rule, by_layer};
pub use scored::{chosen, row};
pub use value::{Replacement, Rollout, RolloutError, nearest, value};
