//! Proofs that one fact is in a packet, without the rest of it (RFC 9162).

use gimbal_core::{Digest, canonical, chain};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Packet;
use crate::{Counter, Fact, FactId, merkle};

/// The form that this version writes and reads.
const VERSION: &str = "gimbal.proof/1";

/// A fact with the hashes that lead from it to the root of its packet. Members in the order of RFC 8785.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// The fact.
    pub fact: Fact,
    /// The packet's id, by the proof's own word: no hash on the way to the root holds it.
    pub packet: String,
    /// Hashes beside the way to the root, lowest first.
    pub path: Vec<Digest>,
    /// The packet's root.
    pub root: Digest,
    /// How many facts the packet has. Other numbers can give the same way to the root, so that this is the proof's own word too.
    pub size: Counter,
    /// Form of the proof.
    pub version: String,
}

/// Why a proof does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProofError {
    /// It is not a proof.
    #[error("this is not a proof of a fact: {0}")]
    Form(String),
    /// It is spelled in another way than this program writes it.
    #[error("the proof is spelled in another way from byte {0} on")]
    Spelling(usize),
    /// It leads to another root.
    #[error("{fact} does not lead to the root {root}")]
    Root {
        /// The fact.
        fact: FactId,
        /// The root that the proof names.
        root: Digest,
    },
}

impl Packet {
    /// The proof of a fact; `None` when the packet has no such fact.
    #[must_use]
    pub fn prove(&self, id: FactId) -> Option<Proof> {
        let fact = self.fact(id)?.clone();
        let leaves: Vec<Digest> = self.facts.iter().map(Fact::leaf).collect();
        Some(Proof {
            fact,
            packet: self.header.packet.clone(),
            path: merkle::path(&leaves, id.index())?,
            root: self.root,
            size: Counter(self.facts.len() as u64),
            version: VERSION.to_owned(),
        })
    }
}

impl Proof {
    /// The file of a proof: canonical JSON and a line end.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = canonical::bytes_of(self);
        bytes.push(b'\n');
        bytes
    }

    /// Reads a proof and follows it to its root. Whether that is the root of a certain packet, the caller compares: with the root
    /// in a report or in the packet.
    ///
    /// # Errors
    /// When it is not a proof, is spelled in another way, or does not lead to its root.
    pub fn read(bytes: &[u8]) -> Result<Self, ProofError> {
        let proof: Self = serde_json::from_slice(bytes).map_err(|error| ProofError::Form(error.to_string()))?;
        if proof.version != VERSION {
            let text = format!("version `{}` is unknown; this program reads `{VERSION}`", proof.version);
            return Err(ProofError::Form(text));
        }
        let id = proof.packet.strip_prefix("P-").unwrap_or_default();
        if id.len() != 12 || !id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            let text =
                format!("`packet` is {:?}; expected `P-` and 12 hexadecimal digits in small letters", proof.packet);
            return Err(ProofError::Form(text));
        }
        let written = proof.to_bytes();
        if written != bytes {
            let byte = bytes.iter().zip(&written).take_while(|(found, expected)| found == expected).count();
            return Err(ProofError::Spelling(byte));
        }
        let leaf = chain::leaf(&proof.fact.bytes());
        let reached = merkle::root_of_path(leaf, proof.fact.id.index() as u64, proof.size.0, &proof.path);
        if reached != Some(proof.root) {
            return Err(ProofError::Root { fact: proof.fact.id, root: proof.root });
        }
        Ok(proof)
    }
}
