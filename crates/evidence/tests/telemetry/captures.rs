//! Captures of exports, classic and in blocks.

use gimbal_evidence::Class;
use gimbal_evidence::extract::{ExtractError, Format, IssueKind, ReadOptions, read_flow_capture};

use super::made::{FIELDS, V5, message, packet, pcap, pcapng, record, set, template, v5};
use super::{Facts, Found};

fn read(bytes: &[u8]) -> Found {
    Found::of(|sink| read_flow_capture(bytes, &ReadOptions::default(), sink))
}

/// Gives at most a few bytes at once, as a pipe may.
struct Drops<'a>(&'a [u8]);

impl std::io::Read for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = buffer.len().min(self.0.len()).min(7);
        buffer[..length].copy_from_slice(&self.0[..length]);
        self.0 = &self.0[length..];
        Ok(length)
    }
}

fn packets() -> Vec<Vec<u8>> {
    let flow =
        V5 { source: [10, 0, 0, 7], target: [10, 0, 0, 8], target_port: 80, packets: 1, octets: 40, protocol: 17 };
    let learn = message(10, 1, 0, &[set(2, &template(256, &FIELDS))]);
    let data = message(10, 1, 0, &[set(256, &record([10, 0, 0, 8], 22, 1, 1))]);
    vec![
        packet([192, 0, 2, 1], 1000, &v5(1_700_000_000, &[flow; 30])),
        packet([192, 0, 2, 1], 53, b"no export"),
        packet([192, 0, 2, 1], 1000, &learn),
        // The same domain of another exporter.
        packet([192, 0, 2, 9], 1000, &data),
        packet([192, 0, 2, 1], 1000, &data),
    ]
}

// covers: ARES-013
#[test]
fn both_forms_of_captures_give_the_same_facts_in_any_pieces() {
    let packets = packets();
    let classic = read(&pcap(&packets));
    let of = |class| classic.facts.iter().filter(|fact| fact.class == class).count();
    assert_eq!((of(Class::Flow), of(Class::Damaged)), (31, 1));
    assert_eq!(classic.stats.issues[0].kind, IssueKind::NoTemplate);
    // One packet is not an export, and one template is not an observation.
    assert_eq!(classic.stats.dropped, 2);
    assert_eq!(read(&pcapng(&packets)).facts, classic.facts);
    let bytes = pcap(&packets);
    let slow = Found::of(|sink| read_flow_capture(Drops(&bytes), &ReadOptions::default(), sink));
    assert_eq!(slow.facts, classic.facts);
    assert_eq!(classic.facts[0].entities[0].to_string(), "address:192.0.2.1");
}

#[test]
fn a_capture_that_ends_too_early_keeps_its_beginning() {
    for bytes in [pcap(&packets()), pcapng(&packets())] {
        let found = read(&bytes[..bytes.len() - 20]);
        assert_eq!(found.stats.issues[0].kind, IssueKind::Truncated, "{:?}", found.stats.issues);
        assert!(found.facts.len() >= 30);
    }
    for wrong in [&b""[..], b"not a capture at all, but some longer text", &[0xd4, 0xc3, 0xb2, 0xa1]] {
        let refused = read_flow_capture(wrong, &ReadOptions::default(), &mut Facts::default()).unwrap_err();
        assert!(matches!(refused, ExtractError::Format { format: Format::FlowCapture, .. }), "{refused}");
    }
}

#[test]
fn large_captures_are_read_through_a_small_buffer() {
    let flow =
        V5 { source: [10, 0, 0, 7], target: [10, 0, 0, 8], target_port: 80, packets: 1, octets: 40, protocol: 17 };
    let one = packet([192, 0, 2, 1], 1000, &v5(1_700_000_000, &[flow; 30]));
    for bytes in [pcap(&vec![one.clone(); 500]), pcapng(&vec![one; 500])] {
        assert_eq!(read(&bytes).stats.parsed, 15_000);
    }
}
