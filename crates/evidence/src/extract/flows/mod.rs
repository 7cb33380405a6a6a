//! Flows: what exporters count (ARES-013).

mod address;
mod capture;
mod direction;
mod export;
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

use super::{ExtractError, Format, ReadOptions, Sink, Stats};

/// Reads one payload of NetFlow or IPFIX. Templates of another file are known to a [`FlowReader`] only.
///
/// # Errors
/// When the source cannot be read or is larger than a datagram, or the payload is damaged and the extractor is strict.
pub fn read_flow_datagram(input: impl Read, options: &ReadOptions, sink: &mut dyn Sink) -> Result<Stats, ExtractError> {
    let mut payload = Vec::new();
    input.take(MAX_PAYLOAD as u64 + 1).read_to_end(&mut payload)?;
    if payload.len() > MAX_PAYLOAD {
        let what = format!("it has more than {MAX_PAYLOAD} bytes, which no datagram has");
        return Err(ExtractError::Format { format: Format::FlowDatagram, what });
    }
    let mut flows = FlowReader::new(options, sink);
    flows.payload(None, &payload)?;
    flows.finish()
}
