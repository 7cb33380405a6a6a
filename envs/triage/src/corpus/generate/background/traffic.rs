//! Flows: names, time, mail, the web, file shares.

use super::{Around, step};
use crate::scenario::{FlowStep, Reply, Step};

/// What a kind of traffic looks like: protocol, port, packets and octets out, packets and octets back.
struct Kind {
    protocol: &'static str,
    port: &'static str,
    out: (&'static str, &'static str),
    back: (&'static str, &'static str),
    millis: &'static str,
}

const NAMES: Kind = Kind { protocol: "udp", port: "53", out: ("1", "58-84"), back: ("1", "90-240"), millis: "0-40" };
const TIME: Kind = Kind { protocol: "udp", port: "123", out: ("1", "76"), back: ("1", "76"), millis: "0-20" };
const WEB: Kind = Kind {
    protocol: "tcp",
    port: "443",
    out: ("9-60", "1400-9000"),
    back: ("12-140", "8000-160000"),
    millis: "300-40000",
};
const SHARE: Kind = Kind {
    protocol: "tcp",
    port: "445",
    out: ("20-90", "4000-30000"),
    back: ("20-120", "6000-90000"),
    millis: "900-60000",
};
const MAIL: Kind =
    Kind { protocol: "tcp", port: "993", out: ("8-20", "900-3000"), back: ("8-30", "1500-20000"), millis: "200-9000" };

fn flow(at: f64, count: u32, every: f64, from: &str, to: &str, kind: &Kind) -> Step {
    let flow = FlowStep {
        from: from.to_owned(),
        to: to.to_owned(),
        port: kind.port.to_owned(),
        source_port: None,
        protocol: kind.protocol.to_owned(),
        packets: kind.out.0.to_owned(),
        octets: kind.out.1.to_owned(),
        millis: kind.millis.to_owned(),
        flags: "27".to_owned(),
        reply: Some(Reply { packets: kind.back.0.to_owned(), octets: kind.back.1.to_owned(), flags: "27".to_owned() }),
    };
    Step { flow: Some(flow), ..step(at, count, every) }
}

/// A branch office with a dozen desks.
pub(super) fn branch(around: &mut Around<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    for desk in 0..4 {
        let from = format!("10.20.3.{}", 21 + 7 * desk);
        let at = around.moment(0.3);
        let count = |around: &Around<'_>, every: f64, most: u32| around.times(every).min(most);
        steps.push(flow(at, count(around, 240.0, 5), 240.0, &from, "10.20.0.2", &NAMES));
        let site = format!("192.0.2.{}", 60 + around.rng.below(30));
        steps.push(flow(at + 9.0, count(around, 500.0, 3), 500.0, &from, &site, &WEB));
        steps.push(flow(at + 70.0, count(around, 900.0, 2), 900.0, &from, "10.20.0.12", &SHARE));
    }
    steps.push(flow(33.0, around.times(1_000.0).min(4), 1_000.0, "10.20.0.12", "10.20.0.1", &TIME));
    steps
}

/// A campus with lecture rooms.
pub(super) fn campus(around: &mut Around<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    for room in 0..5 {
        let from = format!("172.20.{}.{}", 16 + room, 31 + 3 * room);
        let at = around.moment(0.4);
        steps.push(flow(at, around.times(300.0).min(5), 300.0, &from, "172.20.0.53", &NAMES));
        let site = format!("192.0.2.{}", 120 + around.rng.below(60));
        steps.push(flow(at + 5.0, around.times(420.0).min(3), 420.0, &from, &site, &WEB));
        steps.push(flow(at + 25.0, around.times(800.0).min(2), 800.0, &from, "172.20.0.25", &MAIL));
    }
    steps
}
