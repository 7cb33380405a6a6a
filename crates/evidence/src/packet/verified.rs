//! What `gimbal evidence verify --json` says of a packet or proof that holds. What does not hold is an error and has no such record.

use gimbal_core::Digest;
use serde::Serialize;

use super::{Packet, Proof};
use crate::FactId;

/// A packet, every byte of which was verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VerifiedPacket {
    /// Its id.
    pub packet: String,
    /// How many facts it has.
    pub facts: usize,
    /// The value of its chain after the last fact.
    pub head: Digest,
    /// The Merkle root over its facts.
    pub root: Digest,
    /// Always true.
    pub holds: bool,
}

impl From<&Packet> for VerifiedPacket {
    fn from(packet: &Packet) -> Self {
        Self {
            packet: packet.header().packet.clone(),
            facts: packet.facts().len(),
            head: packet.head(),
            root: packet.root(),
            holds: true,
        }
    }
}

/// A proof that leads to its root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VerifiedProof {
    /// Id of the fact that is proved.
    pub proof: FactId,
    /// Id of the packet, by the proof's own word.
    pub packet: String,
    /// The root that the proof leads to.
    pub root: Digest,
    /// Always true.
    pub holds: bool,
}

impl From<&Proof> for VerifiedProof {
    fn from(proof: &Proof) -> Self {
        Self { proof: proof.fact.id, packet: proof.packet.clone(), root: proof.root, holds: true }
    }
}
