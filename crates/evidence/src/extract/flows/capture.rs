//! Captures of exports: the payloads of UDP in classic pcap files and in pcapng files.

use std::io::{Cursor, Read};
use std::net::{IpAddr, SocketAddr};

use etherparse::{IpNumber, LaxNetSlice, LaxSlicedPacket, TransportSlice};
use pcap_parser::{Block, Linktype, PcapBlockOwned, PcapError, create_reader};

use super::super::{ExtractError, Format, IssueKind, ReadOptions, Sink, Stats};
use super::export::FlowReader;

/// Bytes of the first buffer, and of the largest one: a packet of a capture must fit.
const BUFFER: usize = 1 << 16;
const MAX_BUFFER: usize = 1 << 21;

/// Reads a capture. Each socket that sends is an exporter of its own; packets that are not exports are dropped.
///
/// # Errors
/// When the source cannot be read or is not a capture, or a record is damaged and the extractor is strict.
pub fn read_flow_capture(
    mut input: impl Read + Send,
    options: &ReadOptions,
    sink: &mut dyn Sink,
) -> Result<Stats, ExtractError> {
    // The extractor judges the format by one read, which a pipe may give in small pieces.
    let mut head = Vec::new();
    input.by_ref().take(4096).read_to_end(&mut head)?;
    let wrong = |what: String| ExtractError::Format { format: Format::FlowCapture, what };
    let mut blocks = create_reader(BUFFER, Cursor::new(head).chain(input))
        .map_err(|error| wrong(format!("its head cannot be read ({})", reason(&error))))?;
    let mut flows = FlowReader::new(options, sink);
    let mut links: Vec<Linktype> = Vec::new();
    let mut size = BUFFER;
    let mut packet = 0_u64;
    loop {
        let stopped = match blocks.next() {
            Ok((length, block)) => {
                if let Some((link, data)) = packet_of(&block, &mut links) {
                    packet += 1;
                    read_packet(&mut flows, packet, link, data)?;
                }
                blocks.consume(length);
                continue;
            }
            Err(PcapError::Eof) => return flows.finish(),
            Err(PcapError::Incomplete(_)) => None,
            Err(PcapError::BufferTooSmall) if size < MAX_BUFFER => {
                size = (size * 2).min(MAX_BUFFER);
                blocks.grow(size);
                None
            }
            Err(error) => Some((kind(&error), reason(&error))),
        };
        let stopped = match stopped {
            Some(stopped) => stopped,
            None if blocks.reader_exhausted() => (IssueKind::Truncated, "it ends in a block"),
            None => {
                let before = blocks.data().len();
                let refilled = match blocks.refill() {
                    Ok(()) => Ok(()),
                    Err(PcapError::ReadError) => return Err(std::io::Error::other("the capture cannot be read").into()),
                    Err(error) => Err((kind(&error), reason(&error))),
                };
                match refilled {
                    Err(failed) => failed,
                    Ok(()) if blocks.reader_exhausted() || blocks.data().len() > before => continue,
                    // The buffer is full.
                    Ok(()) if size < MAX_BUFFER => {
                        size = (size * 2).min(MAX_BUFFER);
                        blocks.grow(size);
                        continue;
                    }
                    Ok(()) => (IssueKind::TooLarge, "a block is too large"),
                }
            }
        };
        let raw: Vec<u8> = blocks.data().iter().take(4096).copied().collect();
        let what = format!("the rest of the capture cannot be read ({})", stopped.1);
        flows.damaged(format!("packet {}", packet + 1), stopped.0, &what, &raw)?;
        return flows.finish();
    }
}

/// The packet of a block and the link that it was seen on; other blocks say which links there are.
fn packet_of<'b>(block: &PcapBlockOwned<'b>, links: &mut Vec<Linktype>) -> Option<(Option<Linktype>, &'b [u8])> {
    match block {
        PcapBlockOwned::LegacyHeader(header) => *links = vec![header.network],
        PcapBlockOwned::Legacy(block) => return Some((links.first().copied(), block.data)),
        PcapBlockOwned::NG(Block::SectionHeader(_)) => links.clear(),
        // More interfaces than any machine has would only take memory.
        PcapBlockOwned::NG(Block::InterfaceDescription(interface)) if links.len() < 65_536 => {
            links.push(interface.linktype);
        }
        PcapBlockOwned::NG(Block::EnhancedPacket(block)) => {
            let link = usize::try_from(block.if_id).ok().and_then(|index| links.get(index)).copied();
            return Some((link, without_padding(block.data, block.caplen)));
        }
        PcapBlockOwned::NG(Block::SimplePacket(block)) => {
            return Some((links.first().copied(), without_padding(block.data, block.origlen)));
        }
        PcapBlockOwned::NG(_) => {}
    }
    None
}

fn without_padding(data: &[u8], length: u32) -> &[u8] {
    usize::try_from(length).ok().and_then(|length| data.get(..length)).unwrap_or(data)
}

fn kind(error: &PcapError<&[u8]>) -> IssueKind {
    match error {
        PcapError::Incomplete(_) | PcapError::UnexpectedEof => IssueKind::Truncated,
        PcapError::BufferTooSmall => IssueKind::TooLarge,
        _ => IssueKind::Malformed,
    }
}

fn reason(error: &PcapError<&[u8]>) -> &'static str {
    match error {
        PcapError::Eof => "it is empty",
        PcapError::BufferTooSmall => "a block is too large",
        PcapError::UnexpectedEof | PcapError::Incomplete(_) => "it ends in a block",
        PcapError::ReadError => "reading failed",
        PcapError::HeaderNotRecognized => "neither pcap nor pcapng",
        PcapError::NomError(..) | PcapError::OwnedNomError(..) => "a block is malformed",
    }
}

/// Reads the payload of a packet, if it is an export.
fn read_packet(
    flows: &mut FlowReader<'_>,
    number: u64,
    link: Option<Linktype>,
    data: &[u8],
) -> Result<(), ExtractError> {
    let at = || format!("packet {number}");
    let sliced = match link {
        Some(Linktype::ETHERNET) => LaxSlicedPacket::from_ethernet(data).ok(),
        Some(Linktype::RAW | Linktype::IPV4 | Linktype::IPV6) => LaxSlicedPacket::from_ip(data).ok(),
        Some(Linktype::NULL | Linktype::LOOP) => data.get(4..).and_then(|rest| LaxSlicedPacket::from_ip(rest).ok()),
        Some(Linktype::LINUX_SLL) => data.get(16..).and_then(|rest| LaxSlicedPacket::from_ip(rest).ok()),
        Some(Linktype::LINUX_SLL2) => data.get(20..).and_then(|rest| LaxSlicedPacket::from_ip(rest).ok()),
        Some(other) => {
            let what = format!("link type {}; expected Ethernet, raw addresses, loopback or Linux cooked", other.0);
            return flows.damaged(at(), IssueKind::Malformed, &what, data);
        }
        None => return flows.damaged(at(), IssueKind::Malformed, "an interface that was not described", data),
    };
    let Some(sliced) = sliced else {
        flows.dropped();
        return Ok(());
    };
    let (source, fragment) = match &sliced.net {
        Some(LaxNetSlice::Ipv4(slice)) => {
            let payload = slice.payload();
            (IpAddr::V4(slice.header().source_addr()), payload.fragmented && payload.ip_number == IpNumber::UDP)
        }
        Some(LaxNetSlice::Ipv6(slice)) => {
            let payload = slice.payload();
            (IpAddr::V6(slice.header().source_addr()), payload.fragmented && payload.ip_number == IpNumber::UDP)
        }
        _ => {
            flows.dropped();
            return Ok(());
        }
    };
    match &sliced.transport {
        Some(TransportSlice::Udp(datagram)) if matches!(datagram.payload(), [0, 5 | 7 | 9 | 10, ..]) => {
            flows.payload(Some(SocketAddr::new(source, datagram.source_port())), datagram.payload())
        }
        _ if fragment => {
            flows.damaged(at(), IssueKind::Truncated, "a fragment: its datagram is not put together", data)
        }
        _ => {
            flows.dropped();
            Ok(())
        }
    }
}
