//! Flows: what exporters count (ARES-013).

mod address;
mod capture;
mod export;
mod printed;
mod record;
mod table;
mod template;
mod text;
mod zeek;

use std::io::Read;

pub use capture::read_flow_capture;
pub use export::{FlowReader, MAX_PAYLOAD};
pub(super) use text::is_table;
pub use text::{read_argus, read_nfdump};
pub use zeek::{read_zeek, read_zeek_json};

use super::{ExtractError, ReadOptions, Sink, Stats};

/// Reads payloads of NetFlow or IPFIX, one after another, from a source of any length. Templates of another file are known to a [`FlowReader`]
/// only. Bytes behind a payload that are not another one are a damaged record.
///
/// # Errors
/// When the source cannot be read, or a payload is damaged and the extractor is strict.
pub fn read_flow_datagram(input: impl Read, options: &ReadOptions, sink: &mut dyn Sink) -> Result<Stats, ExtractError> {
    let mut flows = FlowReader::new(options, sink);
    flows.datagrams(input)?;
    flows.finish()
}
