//! Telemetry in real formats, made in memory.

/// A flow of NetFlow version 5.
#[derive(Clone, Copy)]
pub struct V5 {
    pub source: [u8; 4],
    pub target: [u8; 4],
    pub target_port: u16,
    pub packets: u32,
    pub octets: u32,
    pub protocol: u8,
}

/// A datagram of version 5. The exporter started 100 seconds before it was sent, and each flow took from second 10 to second 20.
pub fn v5(sent: u32, flows: &[V5]) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend_from_slice(&[0, 5]);
    bytes.extend_from_slice(&u16::try_from(flows.len()).unwrap().to_be_bytes());
    bytes.extend_from_slice(&100_000_u32.to_be_bytes());
    bytes.extend_from_slice(&sent.to_be_bytes());
    bytes.extend_from_slice(&[0; 12]);
    for flow in flows {
        bytes.extend_from_slice(&flow.source);
        bytes.extend_from_slice(&flow.target);
        bytes.extend_from_slice(&[0; 8]);
        bytes.extend_from_slice(&flow.packets.to_be_bytes());
        bytes.extend_from_slice(&flow.octets.to_be_bytes());
        bytes.extend_from_slice(&10_000_u32.to_be_bytes());
        bytes.extend_from_slice(&20_000_u32.to_be_bytes());
        bytes.extend_from_slice(&50_000_u16.to_be_bytes());
        bytes.extend_from_slice(&flow.target_port.to_be_bytes());
        bytes.extend_from_slice(&[0, 2, flow.protocol, 0, 0, 0, 0, 0, 24, 24, 0, 0]);
    }
    bytes
}

/// A message of version 9 (`version` 9) or of IPFIX (10) with these sets.
pub fn message(version: u16, sent: u32, domain: u32, sets: &[Vec<u8>]) -> Vec<u8> {
    let body: Vec<u8> = sets.concat();
    let mut bytes = version.to_be_bytes().to_vec();
    if version == 9 {
        bytes.extend_from_slice(&u16::try_from(sets.len()).unwrap().to_be_bytes());
        bytes.extend_from_slice(&100_000_u32.to_be_bytes());
    } else {
        bytes.extend_from_slice(&u16::try_from(16 + body.len()).unwrap().to_be_bytes());
    }
    bytes.extend_from_slice(&sent.to_be_bytes());
    bytes.extend_from_slice(&7_u32.to_be_bytes());
    bytes.extend_from_slice(&domain.to_be_bytes());
    bytes.extend_from_slice(&body);
    bytes
}

/// A set.
pub fn set(id: u16, body: &[u8]) -> Vec<u8> {
    let padding = (4 - body.len() % 4) % 4;
    let mut bytes = id.to_be_bytes().to_vec();
    bytes.extend_from_slice(&u16::try_from(4 + body.len() + padding).unwrap().to_be_bytes());
    bytes.extend_from_slice(body);
    bytes.resize(bytes.len() + padding, 0);
    bytes
}

/// The body of a set of one template.
pub fn template(id: u16, fields: &[(u16, u16)]) -> Vec<u8> {
    let mut bytes = id.to_be_bytes().to_vec();
    bytes.extend_from_slice(&u16::try_from(fields.len()).unwrap().to_be_bytes());
    for (number, length) in fields {
        bytes.extend_from_slice(&number.to_be_bytes());
        bytes.extend_from_slice(&length.to_be_bytes());
    }
    bytes
}

/// Addresses, ports, protocol, packets, octets, start in milliseconds.
pub const FIELDS: [(u16, u16); 8] = [(8, 4), (12, 4), (7, 2), (11, 2), (4, 1), (2, 8), (1, 8), (152, 8)];

/// A record of [`FIELDS`].
pub fn record(target: [u8; 4], target_port: u16, octets: u64, start: u64) -> Vec<u8> {
    let mut bytes = vec![10, 0, 0, 7];
    bytes.extend_from_slice(&target);
    bytes.extend_from_slice(&50_000_u16.to_be_bytes());
    bytes.extend_from_slice(&target_port.to_be_bytes());
    bytes.push(6);
    bytes.extend_from_slice(&3_u64.to_be_bytes());
    bytes.extend_from_slice(&octets.to_be_bytes());
    bytes.extend_from_slice(&start.to_be_bytes());
    bytes
}

/// A packet of Ethernet, version 4 and UDP.
pub fn packet(exporter: [u8; 4], port: u16, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; 12];
    bytes.extend_from_slice(&[8, 0, 0x45, 0]);
    bytes.extend_from_slice(&u16::try_from(28 + payload.len()).unwrap().to_be_bytes());
    bytes.extend_from_slice(&[0, 1, 0, 0, 64, 17, 0, 0]);
    bytes.extend_from_slice(&exporter);
    bytes.extend_from_slice(&[192, 0, 2, 2]);
    bytes.extend_from_slice(&port.to_be_bytes());
    bytes.extend_from_slice(&2055_u16.to_be_bytes());
    bytes.extend_from_slice(&u16::try_from(8 + payload.len()).unwrap().to_be_bytes());
    bytes.extend_from_slice(&[0, 0]);
    bytes.extend_from_slice(payload);
    bytes
}

/// A classic capture.
pub fn pcap(packets: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 1, 0, 0, 0];
    for packet in packets {
        let length = u32::try_from(packet.len()).unwrap().to_le_bytes();
        bytes.extend_from_slice(&[0; 8]);
        bytes.extend_from_slice(&length);
        bytes.extend_from_slice(&length);
        bytes.extend_from_slice(packet);
    }
    bytes
}

/// A capture in blocks (pcapng), with one interface.
pub fn pcapng(packets: &[Vec<u8>]) -> Vec<u8> {
    let block = |kind: u32, body: &[u8]| {
        let length = u32::try_from(12 + body.len()).unwrap().to_le_bytes();
        [&kind.to_le_bytes()[..], &length[..], body, &length[..]].concat()
    };
    let mut head = 0x1a2b_3c4d_u32.to_le_bytes().to_vec();
    head.extend_from_slice(&[1, 0, 0, 0]);
    head.extend_from_slice(&[0xff; 8]);
    let mut bytes = block(0x0a0d_0d0a, &head);
    bytes.extend(block(1, &[1, 0, 0, 0, 0, 0, 4, 0]));
    for packet in packets {
        let mut body = vec![0; 12];
        let length = u32::try_from(packet.len()).unwrap().to_le_bytes();
        body.extend_from_slice(&length);
        body.extend_from_slice(&length);
        body.extend_from_slice(packet);
        body.resize(body.len().next_multiple_of(4), 0xee);
        bytes.extend(block(6, &body));
    }
    bytes
}
