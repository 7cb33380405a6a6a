//! Evidence packets: facts frozen under a hash chain and a Merkle root (ARES-002, ARES-005 to ARES-007).
//!
//! A [`Draft`] takes facts and refuses duplicates; [`Draft::freeze`] numbers them and gives a [`Packet`], which nothing changes
//! any more. The file of a packet has one spelling: what it says is read, written again, and compared byte by byte.

mod draft;
mod file;
mod header;
mod proof;
mod verified;

use std::collections::BTreeMap;

use gimbal_core::chain::{self, Chain};
use gimbal_core::{Digest, Material, canonical};

pub use draft::{Draft, DraftError, NewFact};
#[cfg(feature = "extract")]
pub(crate) use draft::{MAX_MEMBERS, MAX_VALUE, MAX_WORD};
pub use file::{MAX_PACKET_BYTES, PacketError, Problem};
pub use header::{Header, LeftOut, Pseudonym, Selection, Source, SourceKind, Window};
pub use proof::{Proof, ProofError};
pub use verified::{VerifiedPacket, VerifiedProof};

use crate::{Fact, FactId, merkle};

/// The kind of the chain and of the material.
const KIND: &str = "packet";

/// A frozen packet. It has no method that changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    header: Header,
    facts: Vec<Fact>,
    /// The value of the chain after each fact.
    links: Vec<Digest>,
    /// The value of the chain before the first fact.
    start: Digest,
    root: Digest,
}

impl Packet {
    /// Freezes facts that are numbered already.
    fn seal(header: Header, facts: Vec<Fact>) -> Self {
        let mut chain = Chain::start(KIND, &canonical::bytes_of(&header));
        let start = chain.value();
        let mut tree = merkle::Frontier::default();
        let mut links = Vec::with_capacity(facts.len());
        for fact in &facts {
            let bytes = fact.bytes();
            links.push(chain.push(&bytes));
            tree.push(chain::leaf(&bytes));
        }
        Self { header, facts, links, start, root: tree.root() }
    }

    /// What the packet was made from, and how.
    #[must_use]
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// The facts in the order of their ids.
    #[must_use]
    pub fn facts(&self) -> &[Fact] {
        &self.facts
    }

    /// The fact with this id.
    #[must_use]
    pub fn fact(&self, id: FactId) -> Option<&Fact> {
        self.facts.get(id.index())
    }

    /// The value of the chain after the last fact: it identifies the whole packet. A report prints it.
    #[must_use]
    pub fn head(&self) -> Digest {
        self.links.last().copied().unwrap_or(self.start)
    }

    /// The Merkle root over the facts.
    #[must_use]
    pub const fn root(&self) -> Digest {
        self.root
    }

    /// The values of the chain after each fact.
    pub(crate) fn links(&self) -> &[Digest] {
        &self.links
    }

    /// The packet as a material of a brief: its digest is the head, its text the packet's file.
    #[must_use]
    pub fn material(&self, name: &str) -> Material {
        Material {
            name: name.to_owned(),
            kind: KIND.to_owned(),
            digest: self.head(),
            text: String::from_utf8_lossy(&self.to_bytes()).into_owned(),
        }
    }

    /// How many facts there are of each class, by the name of the class.
    #[must_use]
    pub fn counts(&self) -> BTreeMap<&'static str, u64> {
        let mut counts = BTreeMap::new();
        for fact in &self.facts {
            *counts.entry(fact.class.name()).or_default() += fact.count();
        }
        counts
    }
}
