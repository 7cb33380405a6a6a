//! One record of a set: what it says of traffic, or of its exporter.

use std::fmt::Write as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use netflow_parser::FieldDataType;

use super::super::direction::direction;
use super::super::fill::{about, put};
use super::super::run::Run;
use super::super::{AttributeValue, Details, Observed};
use super::address::{AddressText, action};
use super::template::{Span, Template, Unit, describe, scope};
use crate::{Class, EntityKind, NewFact, Utc};

/// What the head of a message says of its records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// The number of the payload in the source, from 1.
    pub datagram: u64,
    pub exporter: Option<SocketAddr>,
    pub version: u16,
    pub domain: u32,
    /// When the message was sent, in microseconds since 1970.
    pub exported: i64,
    /// When the exporter started, in microseconds since 1970, where the head says it.
    pub started: Option<i64>,
}

/// A record in its set.
pub(super) struct FlowRecord<'a> {
    head: &'a Head,
    template: &'a Template,
    bytes: &'a [u8],
    spans: &'a [Span],
    /// The number of its set in the message, and its own in the set, from 1; sets of the fixed versions have no number.
    set: u32,
    number: u32,
    source: Option<IpAddr>,
    target: Option<IpAddr>,
    start: Option<i64>,
}

/// Gives the facts of the records of a set; the bytes after the last one are padding. Returns what is wrong with the set.
pub(super) fn observe_set(
    run: &mut Run<'_>,
    head: &Head,
    template: &Template,
    set: u32,
    body: &[u8],
    scratch: &mut Vec<Span>,
) -> Result<(), &'static str> {
    if template.shortest == 0 {
        return Err("a template of no length");
    }
    let (mut at, mut number) = (0, 0);
    while let Some(rest) = body.get(at..).filter(|rest| rest.len() >= template.shortest) {
        let (spans, length) = template.record(rest, scratch).ok_or("a record goes beyond the end of its set")?;
        let bytes = rest.get(..length).unwrap_or(rest);
        number += 1;
        run.parsed(1);
        FlowRecord::new(head, template, bytes, spans, set, number).observe(run);
        at += length;
    }
    Ok(())
}

impl<'a> FlowRecord<'a> {
    fn new(head: &'a Head, template: &'a Template, bytes: &'a [u8], spans: &'a [Span], set: u32, number: u32) -> Self {
        let mut record = Self { head, template, bytes, spans, set, number, source: None, target: None, start: None };
        let keys = &template.keys;
        if template.scopes.is_none() {
            record.source = record.address(keys.source_v4, keys.source_v6);
            record.target = record.address(keys.target_v4, keys.target_v6);
            record.start = keys.start.and_then(|(unit, index)| record.time(unit, index));
        }
        record
    }

    fn observe(&self, run: &mut Run<'_>) {
        if self.template.scopes.is_some() {
            let exporter = self.head.exporter.map(|exporter| AddressText::of(exporter.ip()));
            run.emit(&Observed {
                class: Class::Message,
                action: "exporter options",
                actor: exporter.as_ref().map(|text| (EntityKind::Address, text.as_str())),
                object: None,
                time: Utc::from_micros(self.head.exported),
                raw: self.bytes,
                details: self,
            });
            return;
        }
        let (source, target) = (self.source.map(AddressText::of), self.target.map(AddressText::of));
        let protocol = self.template.keys.protocol.and_then(|index| self.number(index));
        run.emit(&Observed {
            class: Class::Flow,
            action: action(protocol.and_then(|number| u8::try_from(number).ok())),
            actor: source.as_ref().map(|text| (EntityKind::Address, text.as_str())),
            object: target.as_ref().map(|text| (EntityKind::Address, text.as_str())),
            time: self.start.and_then(Utc::from_micros),
            raw: self.bytes,
            details: self,
        });
    }

    fn field(&self, index: usize) -> Option<&'a [u8]> {
        let span = self.spans.get(index)?;
        self.bytes.get(span.at..span.at + span.length)
    }

    /// A number of up to eight bytes.
    fn number(&self, index: usize) -> Option<u64> {
        self.field(index).and_then(unsigned)
    }

    /// The address of version 4, unless it is zero and there is one of version 6.
    fn address(&self, v4: Option<usize>, v6: Option<usize>) -> Option<IpAddr> {
        let v4 = v4.and_then(|index| self.field(index)).and_then(|bytes| <[u8; 4]>::try_from(bytes).ok());
        let v6 = v6.and_then(|index| self.field(index)).and_then(|bytes| <[u8; 16]>::try_from(bytes).ok());
        match (v4, v6) {
            (Some(v4), None) => Some(IpAddr::V4(Ipv4Addr::from(v4))),
            (Some(v4), Some(_)) if v4 != [0; 4] => Some(IpAddr::V4(Ipv4Addr::from(v4))),
            (_, Some(v6)) => Some(IpAddr::V6(Ipv6Addr::from(v6))),
            (None, None) => None,
        }
    }

    /// A time in microseconds since 1970.
    fn time(&self, unit: Unit, index: usize) -> Option<i64> {
        let number = i64::try_from(self.number(index)?).ok();
        match unit {
            Unit::Millis => number?.checked_mul(1_000),
            Unit::Seconds => number?.checked_mul(1_000_000),
            Unit::Uptime => {
                let started = match self.template.keys.system_start.and_then(|index| self.number(index)) {
                    Some(millis) => i64::try_from(millis).ok()?.checked_mul(1_000)?,
                    None => self.head.started?,
                };
                number?.checked_mul(1_000)?.checked_add(started)
            }
            Unit::Fraction => {
                let bytes = <[u8; 8]>::try_from(self.field(index)?).ok()?;
                let [s1, s2, s3, s4, f1, f2, f3, f4] = bytes;
                let (seconds, part) = (u32::from_be_bytes([s1, s2, s3, s4]), u32::from_be_bytes([f1, f2, f3, f4]));
                // From 1900 to 1970.
                let seconds = i64::from(seconds) - 2_208_988_800;
                Some(seconds * 1_000_000 + ((i64::from(part) * 1_000_000) >> 32))
            }
        }
    }
}

impl Details for FlowRecord<'_> {
    fn place(&self) -> String {
        match self.set {
            0 => format!("datagram {} record {}", self.head.datagram, self.number),
            set => format!("datagram {} set {set} record {}", self.head.datagram, self.number),
        }
    }

    fn time_found(&self) -> String {
        if self.template.scopes.is_some() {
            return (self.head.exported / 1_000_000).to_string();
        }
        let found = self.template.keys.start.and_then(|(unit, index)| Some((unit, self.number(index)?)));
        found
            .map(|(unit, number)| if unit == Unit::Uptime { format!("uptime {number}") } else { number.to_string() })
            .unwrap_or_default()
    }

    fn telling(&self, each: &mut dyn FnMut(&str, AttributeValue<'_>)) {
        let keys = &self.template.keys;
        if self.template.scopes.is_some() {
            return;
        }
        for (name, index) in [("sourceTransportPort", keys.source_port), ("destinationTransportPort", keys.target_port)]
        {
            if let Some(port) = index.and_then(|index| self.number(index)) {
                each(name, AttributeValue::Number(port));
            }
        }
    }

    fn of_key(&self, each: &mut dyn FnMut(&str, AttributeValue<'_>)) {
        if let (Some(source), Some(target)) = (self.source, self.target) {
            each("direction", AttributeValue::Text(direction(source, target)));
        }
    }

    fn amount(&self) -> Option<(&str, u64)> {
        let index = self.template.keys.bytes.filter(|_| self.template.scopes.is_none())?;
        Some(("octetDeltaCount", self.number(index)?))
    }

    fn fill(&self, fact: &mut NewFact) {
        if let Some(exporter) = self.head.exporter {
            about(fact, EntityKind::Address, &exporter.ip().to_string());
            put(fact, "exporter", &exporter.to_string());
        }
        put(fact, "version", &self.head.version.to_string());
        if self.head.version > 8 {
            put(fact, "domain", &self.head.domain.to_string());
        }
        if let Some(exported) = Utc::from_micros(self.head.exported) {
            put(fact, "exported", &exported.to_string());
        }
        for (index, field) in self.template.fields.iter().enumerate() {
            let Some(bytes) = self.field(index) else { continue };
            if self.head.version == 9 && self.template.scopes.is_some_and(|scopes| index < scopes) {
                put(fact, &scope(field.id), &value(FieldDataType::UnsignedDataNumber, bytes));
            } else if let Some((name, data)) = describe(*field, self.head.version) {
                put(fact, &name, &value(data, bytes));
            }
        }
        let is_flow = self.template.scopes.is_none();
        let end = self.template.keys.end.filter(|_| is_flow).and_then(|(unit, index)| self.time(unit, index));
        for (name, time) in [("start", self.start), ("end", end)] {
            if let Some(time) = time.and_then(Utc::from_micros) {
                put(fact, name, &time.to_string());
            }
        }
        if let (Some(source), Some(target)) = (self.source, self.target) {
            put(fact, "direction", direction(source, target));
        }
    }
}

fn unsigned(bytes: &[u8]) -> Option<u64> {
    (bytes.len() <= 8).then(|| bytes.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}

/// A value as text: addresses and texts as such, numbers in decimal digits, everything else in hexadecimal ones.
fn value(data: FieldDataType, bytes: &[u8]) -> String {
    match data {
        FieldDataType::Ip4Addr | FieldDataType::Ip6Addr => {
            if let Ok(address) = <[u8; 4]>::try_from(bytes) {
                return Ipv4Addr::from(address).to_string();
            }
            if let Ok(address) = <[u8; 16]>::try_from(bytes) {
                return Ipv6Addr::from(address).to_string();
            }
            hex(bytes, "")
        }
        FieldDataType::MacAddr => hex(bytes, ":"),
        FieldDataType::String => String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned(),
        FieldDataType::SignedDataNumber if (1..=8).contains(&bytes.len()) => {
            let unused = 64 - 8 * u32::try_from(bytes.len()).unwrap_or(8);
            let number = unsigned(bytes).unwrap_or(0).cast_signed();
            ((number << unused) >> unused).to_string()
        }
        FieldDataType::Vec | FieldDataType::Unknown => hex(bytes, ""),
        _ => unsigned(bytes).map_or_else(|| hex(bytes, ""), |number| number.to_string()),
    }
}

fn hex(bytes: &[u8], between: &str) -> String {
    let mut text = String::with_capacity(bytes.len() * 3);
    for (index, byte) in bytes.iter().enumerate() {
        if index > 0 {
            text.push_str(between);
        }
        let _ = write!(text, "{byte:02x}");
    }
    text
}
