//! Datagrams of NetFlow version 5 and 9, in a classic capture of the link between exporter and collector.

use std::net::Ipv4Addr;

use super::{Record, text};
use crate::scenario::Script;

/// Most flows in a datagram.
const FLOWS: usize = 24;
/// How long before the script the exporter started, in milliseconds.
const UPTIME: i64 = 86_400_000;
/// The fields of our template of version 9: addresses, ports, protocol, flags, packets, octets, first and last time in milliseconds.
const FIELDS: [(u16, u16); 10] = [(8, 4), (12, 4), (7, 2), (11, 2), (4, 1), (6, 1), (2, 4), (1, 8), (152, 8), (153, 8)];
/// The number of the template.
const TEMPLATE: u16 = 260;
/// Where the collector listens.
const COLLECTOR: [u8; 4] = [10, 0, 0, 5];
const COLLECTOR_PORT: u16 = 2055;

/// A flow as it is exported.
struct Flow {
    source: [u8; 4],
    target: [u8; 4],
    source_port: u16,
    target_port: u16,
    protocol: u8,
    flags: u8,
    packets: u32,
    octets: u64,
    first: i64,
    last: i64,
}

pub(super) fn render(script: &Script, records: Vec<Record<'_>>, version: u16) -> Result<Vec<u8>, String> {
    let exporter = address(&script.host)?;
    let mut flows = Vec::new();
    for record in records {
        add(record, &mut flows)?;
    }
    // Exporters send a flow when it has ended.
    flows.sort_by_key(|flow| flow.last);
    let mut capture = Capture::new(exporter);
    let mut sequence = 1_000;
    let begun = script.start / 1_000 - UPTIME;
    for (number, flows) in (1_u32..).zip(flows.chunks(FLOWS)) {
        let sent = flows.last().map_or(script.start / 1_000, |flow| flow.last) + 1_000;
        let payload = match version {
            5 => v5(flows, sent, begun, sequence),
            _ => v9(flows, sent, begun, number),
        };
        sequence += u32::try_from(flows.len()).unwrap_or(0);
        capture.add(sent, &payload);
    }
    Ok(capture.bytes)
}

/// The flow of a record, and its way back.
fn add(mut record: Record<'_>, flows: &mut Vec<Flow>) -> Result<(), String> {
    let step = record.step.flow.as_ref().ok_or("a step of a NetFlow source needs `flow`")?;
    let mut fill = |text: &str| record.values.fill(text, &mut record.rng);
    let (source, target) = (address(&fill(&step.from)?)?, address(&fill(&step.to)?)?);
    let port = fill(&step.port)?;
    let source_port =
        step.source_port.as_deref().map(&mut fill).transpose()?.unwrap_or_else(|| "49152-65000".to_owned());
    let rng = &mut record.rng;
    let protocol = match step.protocol.as_str() {
        "icmp" => 1,
        "tcp" => 6,
        "udp" => 17,
        other => return Err(format!("there is no protocol `{other}` (known: icmp, tcp, udp)")),
    };
    let mut small = |text: &str| text::number(text, rng);
    let narrow = |number: u64| u16::try_from(number).unwrap_or(u16::MAX);
    let first = record.micros / 1_000;
    let last = first + i64::try_from(small(&step.millis)?).unwrap_or(0);
    let flags = |number: u64| if protocol == 6 { u8::try_from(number).unwrap_or(u8::MAX) } else { 0 };
    let flow = Flow {
        source,
        target,
        source_port: narrow(small(&source_port)?),
        target_port: narrow(small(&port)?),
        protocol,
        flags: flags(small(&step.flags)?),
        packets: u32::try_from(small(&step.packets)?).unwrap_or(u32::MAX),
        octets: small(&step.octets)?,
        first,
        last,
    };
    if let Some(reply) = &step.reply {
        flows.push(Flow {
            source: flow.target,
            target: flow.source,
            source_port: flow.target_port,
            target_port: flow.source_port,
            flags: flags(small(&reply.flags)?),
            packets: u32::try_from(small(&reply.packets)?).unwrap_or(u32::MAX),
            octets: small(&reply.octets)?,
            first: flow.first + 12,
            last: flow.last + 12,
            ..flow
        });
    }
    flows.push(flow);
    Ok(())
}

fn address(text: &str) -> Result<[u8; 4], String> {
    text.parse::<Ipv4Addr>().map(|address| address.octets()).map_err(|_| format!("`{text}` is not an address of IPv4"))
}

fn v5(flows: &[Flow], sent: i64, begun: i64, sequence: u32) -> Vec<u8> {
    let uptime = |millis: i64| u32::try_from(millis - begun).unwrap_or(0).to_be_bytes();
    let mut bytes = vec![0, 5];
    bytes.extend(u16::try_from(flows.len()).unwrap_or(0).to_be_bytes());
    bytes.extend(uptime(sent));
    bytes.extend(seconds(sent));
    bytes.extend(u32::try_from(sent.rem_euclid(1_000) * 1_000_000).unwrap_or(0).to_be_bytes());
    bytes.extend(sequence.to_be_bytes());
    bytes.extend([0; 4]);
    for flow in flows {
        bytes.extend(flow.source);
        bytes.extend(flow.target);
        bytes.extend([0, 0, 0, 0, 0, 1, 0, 2]);
        bytes.extend(flow.packets.to_be_bytes());
        bytes.extend(u32::try_from(flow.octets).unwrap_or(u32::MAX).to_be_bytes());
        bytes.extend(uptime(flow.first));
        bytes.extend(uptime(flow.last));
        bytes.extend(flow.source_port.to_be_bytes());
        bytes.extend(flow.target_port.to_be_bytes());
        bytes.extend([0, flow.flags, flow.protocol, 0, 0, 0, 0, 0, 24, 24, 0, 0]);
    }
    bytes
}

/// A message of version 9. The first one, and every tenth, carries the template.
fn v9(flows: &[Flow], sent: i64, begun: i64, number: u32) -> Vec<u8> {
    let mut sets = Vec::new();
    let has_template = number % 10 == 1;
    if has_template {
        let mut body = TEMPLATE.to_be_bytes().to_vec();
        body.extend(u16::try_from(FIELDS.len()).unwrap_or(0).to_be_bytes());
        for (field, length) in FIELDS {
            body.extend(field.to_be_bytes());
            body.extend(length.to_be_bytes());
        }
        set(&mut sets, 0, &body);
    }
    let mut body = Vec::new();
    for flow in flows {
        body.extend(flow.source);
        body.extend(flow.target);
        body.extend(flow.source_port.to_be_bytes());
        body.extend(flow.target_port.to_be_bytes());
        body.extend([flow.protocol, flow.flags]);
        body.extend(flow.packets.to_be_bytes());
        body.extend(flow.octets.to_be_bytes());
        body.extend(flow.first.to_be_bytes());
        body.extend(flow.last.to_be_bytes());
    }
    set(&mut sets, TEMPLATE, &body);
    let records = flows.len() + usize::from(has_template);
    let mut bytes = vec![0, 9];
    bytes.extend(u16::try_from(records).unwrap_or(0).to_be_bytes());
    bytes.extend(u32::try_from(sent - begun).unwrap_or(0).to_be_bytes());
    bytes.extend(seconds(sent));
    bytes.extend(number.to_be_bytes());
    bytes.extend([0, 0, 0, 0]);
    bytes.extend(sets);
    bytes
}

fn set(sets: &mut Vec<u8>, id: u16, body: &[u8]) {
    let length = (4 + body.len()).next_multiple_of(4);
    sets.extend(id.to_be_bytes());
    sets.extend(u16::try_from(length).unwrap_or(0).to_be_bytes());
    sets.extend(body);
    sets.resize(sets.len() + length - 4 - body.len(), 0);
}

fn seconds(millis: i64) -> [u8; 4] {
    u32::try_from(millis.div_euclid(1_000)).unwrap_or(0).to_be_bytes()
}

/// A classic capture of Ethernet.
struct Capture {
    bytes: Vec<u8>,
    exporter: [u8; 4],
}

impl Capture {
    fn new(exporter: [u8; 4]) -> Self {
        let bytes = vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 1, 0, 0, 0];
        Self { bytes, exporter }
    }

    fn add(&mut self, millis: i64, payload: &[u8]) {
        let length = u32::try_from(42 + payload.len()).unwrap_or(0);
        let micros = u32::try_from(millis.rem_euclid(1_000) * 1_000).unwrap_or(0);
        self.bytes.extend(u32::try_from(millis.div_euclid(1_000)).unwrap_or(0).to_le_bytes());
        self.bytes.extend(micros.to_le_bytes());
        self.bytes.extend(length.to_le_bytes());
        self.bytes.extend(length.to_le_bytes());
        // Ethernet, IPv4, UDP. Check sums are left to the network card, as captures on the sender show them.
        self.bytes.extend([2, 0, 0, 0, 0, 5, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0]);
        self.bytes.extend(u16::try_from(28 + payload.len()).unwrap_or(0).to_be_bytes());
        self.bytes.extend([0, 1, 0, 0, 64, 17, 0, 0]);
        self.bytes.extend(self.exporter);
        self.bytes.extend(COLLECTOR);
        self.bytes.extend(50_123_u16.to_be_bytes());
        self.bytes.extend(COLLECTOR_PORT.to_be_bytes());
        self.bytes.extend(u16::try_from(8 + payload.len()).unwrap_or(0).to_be_bytes());
        self.bytes.extend([0, 0]);
        self.bytes.extend(payload);
    }
}

#[cfg(test)]
mod tests {
    use netflow_parser::variable_versions::v9::FlowSetBody;
    use netflow_parser::{NetflowPacket, NetflowParser};

    use crate::scenario::{Engine, FlowStep, Frame, Script, Step};

    /// A script of thirty flows.
    fn script(engine: Engine) -> Script {
        let flow = FlowStep {
            from: "10.20.3.21".to_owned(),
            to: "192.0.2.7".to_owned(),
            port: "443".to_owned(),
            source_port: Some("50000".to_owned()),
            protocol: "tcp".to_owned(),
            packets: "9".to_owned(),
            octets: "1400".to_owned(),
            millis: "250".to_owned(),
            flags: "27".to_owned(),
            reply: None,
        };
        let step = Step { flow: Some(flow), jitter: 0.0, ..super::super::step(5.0, 30, 1.0) };
        let (seed, host) = (7, "10.20.0.1".to_owned());
        let start = 1_773_136_800_000_000;
        Script { engine, frame: Frame::Rfc3164, seed, host, start, background: None, steps: vec![step] }
    }

    /// The payloads of a capture: behind its head, each packet has 16 octets of its own head and 42 of the network.
    fn payloads(capture: &[u8]) -> Vec<&[u8]> {
        let (mut rest, mut payloads) = (&capture[24..], Vec::new());
        while !rest.is_empty() {
            let length = u32::from_le_bytes([rest[8], rest[9], rest[10], rest[11]]) as usize;
            payloads.push(&rest[16 + 42..16 + length]);
            rest = &rest[16 + length..];
        }
        payloads
    }

    #[test]
    fn another_reader_of_netflow_reads_the_same_flows() {
        for engine in [Engine::NetflowV5, Engine::NetflowV9] {
            let capture = super::super::render(&script(engine)).unwrap();
            let mut parser = NetflowParser::default();
            let mut flows = 0;
            for payload in payloads(&capture) {
                let parsed = parser.parse_bytes(payload);
                assert!(parsed.error.is_none(), "{:?}", parsed.error);
                for packet in parsed.packets {
                    match packet {
                        NetflowPacket::V5(packet) => {
                            for flow in &packet.flowsets {
                                assert_eq!((flow.dst_addr.to_string().as_str(), flow.dst_port), ("192.0.2.7", 443));
                                assert_eq!((flow.d_pkts, flow.d_octets, flow.last - flow.first), (9, 1400, 250));
                                flows += 1;
                            }
                        }
                        NetflowPacket::V9(packet) => {
                            for set in &packet.flowsets {
                                if let FlowSetBody::Data(data) = &set.body {
                                    flows += data.fields.len();
                                }
                            }
                        }
                        other => panic!("{other:?}"),
                    }
                }
            }
            assert_eq!(flows, 30, "{engine:?}");
        }
    }
}
