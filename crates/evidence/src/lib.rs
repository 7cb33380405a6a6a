//! Evidence: what was observed, frozen so that every change shows, and verdicts that are arithmetic over it.
//!
//! A **fact** is one observed statement with its place in the raw data ([`Fact`]). A **packet** is a frozen list of facts with
//! a hash chain and a Merkle root ([`Packet`]); what is not in the packet does not exist (ARES-001). A **judge** computes a verdict from
//! confidences and counts ([`judge`]); no model takes part (ARES-062).
//!
//! *Invariant*: nothing here reads a file, a clock or the network. Extractors of telemetry are behind the feature `extract`.

pub mod claim;
mod class;
mod counter;
mod entity;
#[cfg(feature = "extract")]
pub mod extract;
mod fact;
pub mod graph;
pub mod judge;
pub mod listing;
mod marking;
pub mod merkle;
mod packet;
mod query;
pub mod rules;
mod text;
mod time;
pub mod triage;

pub use class::{Class, UnknownClass};
pub use counter::{Counter, NotACounter};
pub use entity::{Entity, EntityKind, NotAnEntity};
pub use fact::{
    Aggregate, Fact, FactId, Interval, Locator, NotAFactId, NotASourceId, SUM_OF, SourceClock, SourceId, records,
};
pub use marking::Marking;
pub use packet::{
    Draft, DraftError, Header, LeftOut, MAX_PACKET_BYTES, NewFact, Packet, PacketError, Problem, Proof, ProofError,
    Pseudonym, Selection, Source, SourceKind, VerifiedPacket, VerifiedProof, Window,
};
pub use query::{Filter, UnknownFacts};
pub use time::{NotATime, Stamp, Utc};
