//! Telemetry from files, folders and standard input: read into a packet, and found again behind a fact of it.
//!
//! `gimbal-evidence` reads bytes that its caller gives it and opens no file. Here are the files: which of a folder are read and in
//! which order, which are passed over and why, how far their times are shifted, and how a kept packet is read again.
//!
//! *Invariant*: the packet of several files depends neither on their names nor on the order in which they were named.

mod error;
mod folder;
mod kept;
mod notice;
mod pseudonyms;
mod raw;
mod reading;
mod shift;

pub use error::TelemetryError;
pub use folder::{files_below, is_same};
pub use kept::{KeptError, fact_of, kept_bytes, packet_in, read_packet};
pub use notice::Notice;
pub use pseudonyms::read_pseudonyms;
pub use raw::{RawError, RawFound, RawSearch};
pub use reading::{Extracted, Reading, SourceFile, Sources, read_file};
pub use shift::Shifts;
