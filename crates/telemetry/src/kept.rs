//! Packets that are kept in files.

use std::io;
use std::path::{Path, PathBuf};

use gimbal_evidence::{Fact, FactId, MAX_PACKET_BYTES, Packet};
use thiserror::Error;

/// What the file of a packet begins with.
const PACKET: &[u8] = b"{\"hea";
/// What the file of a proof begins with.
const PROOF: &[u8] = b"{\"fac";

/// Why a kept packet cannot be used.
#[derive(Debug, Error)]
pub enum KeptError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {error}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The file is longer than a packet can be.
    #[error("{}: has {size} bytes; a packet has at most {MAX_PACKET_BYTES}", .path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its bytes.
        size: u64,
    },
    /// The file is not a packet, or not as it was written.
    #[error("{}: {what}", .path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// What was found.
        what: String,
    },
    /// The text names no fact.
    #[error("{0}")]
    NoFact(String),
}

impl KeptError {
    /// Whether the bytes did not verify, and not the request is wrong.
    #[must_use]
    pub const fn is_failed_check(&self) -> bool {
        matches!(self, Self::Changed { .. })
    }
}

/// The bytes of a file that should be a packet, a proof or a stream. A longer file is not read.
///
/// # Errors
/// When it cannot be read, or is longer than a packet can be.
pub fn kept_bytes(path: &Path) -> Result<Vec<u8>, KeptError> {
    let unreadable = |error| KeptError::Unreadable { path: path.to_path_buf(), error };
    let size = std::fs::metadata(path).map_err(unreadable)?.len();
    if size > MAX_PACKET_BYTES as u64 {
        return Err(KeptError::TooLarge { path: path.to_path_buf(), size });
    }
    std::fs::read(path).map_err(unreadable)
}

/// The packet of a file, with every byte verified.
///
/// # Errors
/// When the file cannot be read, or is not a packet as it was written.
pub fn read_packet(path: &Path) -> Result<Packet, KeptError> {
    packet_in(path, &kept_bytes(path)?)
}

/// The packet of these bytes, which are those of the file `path`.
///
/// # Errors
/// When they are not a packet as it was written; a proof is named as such.
pub fn packet_in(path: &Path, bytes: &[u8]) -> Result<Packet, KeptError> {
    Packet::read(bytes).map_err(|error| {
        let what = if bytes.starts_with(PACKET) {
            error.to_string()
        } else if bytes.starts_with(PROOF) {
            format!("is a proof of one fact and no packet: {error}")
        } else {
            format!(
                "is not a packet, which begins with `{{\"header\"`; `gimbal evidence extract FILE... -o PACKET` makes one: {error}"
            )
        };
        KeptError::Changed { path: path.to_path_buf(), what }
    })
}

/// The fact that a text names, such as `F0012`.
///
/// # Errors
/// When the text is not the id of a fact, or the packet has no such fact.
pub fn fact_of<'p>(packet: &'p Packet, text: &str) -> Result<&'p Fact, KeptError> {
    let id: FactId = text.parse().map_err(|error| KeptError::NoFact(format!("{error}")))?;
    packet.fact(id).ok_or_else(|| {
        let (name, facts) = (&packet.header().packet, packet.facts().len());
        KeptError::NoFact(format!("packet {name} has no fact {id}; it has {facts}"))
    })
}
