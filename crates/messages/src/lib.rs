//! What agents say to one another and what controllers record, each as a type that serves the writer, the reader and the table.
//!
//! A **record** is what a controller or an engine writes to the journal about itself ([`Record`]). The records that reports
//! read are in [`records`]; a system that nobody else reads keeps its own beside its code.
//!
//! A **message** is what an agent says to another one in the place of an action ([`Message`]); a **delegate** is the tool by which
//! it asks ([`Delegate`]). Both are seams: the messages themselves belong to the architecture whose agents say them.
//!
//! A message type may also be data: a JSON Schema gives validator, form and rules of repair ([`Contract`]), and a struct reads
//! what follows it ([`typed()`]).
//!
//! *Invariant*: core is the only other room that this one knows.

mod contract;
mod expert;
mod form;
mod message;
pub mod numbers;
pub mod party;
pub mod range;
mod record;
pub mod records;
mod text;
mod tier;
mod typed;
mod within;

pub use contract::{Accepted, Change, ChangeKind, Contract, ContractError, CountTokens, Refused};
pub use expert::{ExpertInput, ExpertMessage, ExpertView, Input};
pub use form::{Bound, Form, Member, escape};
pub use message::{ANY, Allowed, Content, Delegate, Message};
pub use record::{Record, StageExt, kind};
pub use text::{bounded, spaced};
pub use tier::Tier;
pub use typed::{fields, typed};
pub use within::within_json;
