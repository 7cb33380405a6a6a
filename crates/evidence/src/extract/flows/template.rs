//! Templates: which fields the records of a set have, and where the ones are that a record is classified by.

use netflow_parser::{FieldDataType, IpfixField, V9Field};

/// A field of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    /// The number of the organisation; 0 for the fields of the internet registry.
    pub enterprise: u32,
    pub id: u16,
    /// Bytes; [`VARIABLE`] where each record says it.
    pub length: u16,
}

/// The length of a field whose length is in each record.
const VARIABLE: u16 = u16::MAX;

/// The number of octets that carry nothing.
const PADDING: u16 = 210;

/// Where a field is in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub at: usize,
    pub length: usize,
}

/// How a time is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Milliseconds since the exporter started.
    Uptime,
    /// Seconds since 1970.
    Seconds,
    /// Milliseconds since 1970.
    Millis,
    /// Seconds since 1900, and the fraction of one, in 32 bits each.
    Fraction,
}

/// A pair of fields for start and end. The numbers are those of the registry; the first pair whose start is there counts.
const TIMES: [(Unit, u16, u16); 7] = [
    (Unit::Millis, 152, 153),
    (Unit::Seconds, 150, 151),
    (Unit::Fraction, 154, 155),
    (Unit::Fraction, 156, 157),
    (Unit::Uptime, 22, 21),
    (Unit::Millis, 323, 323),
    (Unit::Seconds, 322, 322),
];

/// Indices of the fields that every record is classified by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Keys {
    pub source_v4: Option<usize>,
    pub source_v6: Option<usize>,
    pub target_v4: Option<usize>,
    pub target_v6: Option<usize>,
    pub protocol: Option<usize>,
    pub source_port: Option<usize>,
    pub target_port: Option<usize>,
    pub bytes: Option<usize>,
    pub start: Option<(Unit, usize)>,
    pub end: Option<(Unit, usize)>,
    /// When the exporter started, where records say it.
    pub system_start: Option<usize>,
}

/// A template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template {
    pub fields: Vec<Field>,
    /// Whether its records are about the exporter and not about traffic, and how many of their fields name what they are about.
    pub scopes: Option<usize>,
    /// Bytes of the shortest record.
    pub shortest: usize,
    pub keys: Keys,
    /// Where each field is, where all records have the same length.
    spans: Option<Vec<Span>>,
}

impl Template {
    pub fn new(fields: Vec<Field>, scopes: Option<usize>) -> Self {
        let first = |id| fields.iter().position(|field| field.enterprise == 0 && field.id == id);
        let time = TIMES.iter().find_map(|(unit, start, end)| first(*start).map(|start| (*unit, start, first(*end))));
        let keys = Keys {
            source_v4: first(8),
            source_v6: first(27),
            target_v4: first(12),
            target_v6: first(28),
            protocol: first(4),
            source_port: first(7),
            target_port: first(11),
            bytes: first(1),
            start: time.map(|(unit, start, _)| (unit, start)),
            end: time.and_then(|(unit, _, end)| end.map(|end| (unit, end))),
            system_start: first(160),
        };
        let mut at = 0;
        let spans = fields.iter().map(|field| {
            let length = if field.length == VARIABLE { 1 } else { usize::from(field.length) };
            at += length;
            Span { at: at - length, length }
        });
        let spans: Vec<Span> = spans.collect();
        let is_fixed = fields.iter().all(|field| field.length != VARIABLE);
        Self { keys, scopes, shortest: at, spans: is_fixed.then_some(spans), fields }
    }

    /// The fields of the record at the start of `bytes`, and its length; `None` where it does not end there.
    #[inline]
    pub fn record<'s>(&'s self, bytes: &[u8], scratch: &'s mut Vec<Span>) -> Option<(&'s [Span], usize)> {
        if let Some(spans) = &self.spans {
            return (bytes.len() >= self.shortest).then_some((spans.as_slice(), self.shortest));
        }
        scratch.clear();
        let mut at = 0;
        for field in &self.fields {
            let mut length = usize::from(field.length);
            if field.length == VARIABLE {
                length = usize::from(*bytes.get(at)?);
                at += 1;
                if length == 255 {
                    length = usize::from(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
                    at += 2;
                }
            }
            if at + length > bytes.len() {
                return None;
            }
            scratch.push(Span { at, length });
            at += length;
        }
        Some((scratch, at))
    }
}

/// The record of version 5, or of version 7, which names a router more. Their other fields agree.
pub(super) fn fixed(version: u16) -> Template {
    let fields: [(u16, u16); 21] = [
        (8, 4),
        (12, 4),
        (15, 4),
        (10, 2),
        (14, 2),
        (2, 4),
        (1, 4),
        (22, 4),
        (21, 4),
        (7, 2),
        (11, 2),
        (PADDING, 1),
        (6, 1),
        (4, 1),
        (5, 1),
        (16, 2),
        (17, 2),
        (9, 1),
        (13, 1),
        (PADDING, 2),
        (43, 4),
    ];
    let count = if version == 7 { 21 } else { 20 };
    let fields = fields.into_iter().take(count).map(|(id, length)| Field { enterprise: 0, id, length });
    Template::new(fields.collect(), None)
}

/// The name of a field in the registry's spelling, and the type of its values; no name for padding. What no registry knows is named
/// by its numbers.
pub(super) fn describe(field: Field, version: u16) -> Option<(String, FieldDataType)> {
    if field.enterprise == 0 && field.id == PADDING {
        return None;
    }
    let enterprise = (field.enterprise != 0).then_some(field.enterprise);
    let known = IpfixField::new(field.id, enterprise);
    if let Some(name) = spelled(&format!("{known:?}")) {
        return Some((name, known.into()));
    }
    // Numbers beyond the registry's belong to a vendor's version 9.
    let vendors = V9Field::from(field.id);
    if version == 9
        && enterprise.is_none()
        && let Some(name) = spelled(&format!("{vendors:?}"))
    {
        return Some((name, vendors.into()));
    }
    let name = match enterprise {
        Some(enterprise) => format!("element {enterprise}.{}", field.id),
        None => format!("element {}", field.id),
    };
    Some((name, FieldDataType::Unknown))
}

/// The scopes of options of version 9 have numbers of their own.
pub(super) fn scope(id: u16) -> String {
    match id {
        1 => "scope.system".to_owned(),
        2 => "scope.interface".to_owned(),
        3 => "scope.lineCard".to_owned(),
        4 => "scope.cache".to_owned(),
        5 => "scope.template".to_owned(),
        id => format!("scope.{id}"),
    }
}

/// `IANA(SourceIpv4address)` as the registry spells it: `sourceIPv4Address`. `None` for an unknown field.
fn spelled(debug: &str) -> Option<String> {
    let name = debug.rsplit_once('(').map_or(debug, |(_, inner)| inner).trim_end_matches(')');
    if debug.contains("Unknown") || name.contains('{') {
        return None;
    }
    let mut letters = name.chars();
    let name: String = letters.next()?.to_lowercase().chain(letters).collect();
    let parts = [
        ("pv4address", "Pv4Address"),
        ("pv6address", "Pv6Address"),
        ("pv4prefix", "Pv4Prefix"),
        ("pv6prefix", "Pv6Prefix"),
        ("Macaddress", "MacAddress"),
    ];
    Some(parts.iter().fold(name, |name, (from, to)| name.replace(from, to)))
}

#[cfg(test)]
mod tests {
    use netflow_parser::FieldDataType;

    use super::{Field, describe, fixed};

    #[test]
    fn fields_have_the_names_of_the_registry() {
        let name = |id, enterprise| describe(Field { enterprise, id, length: 4 }, 10).unwrap().0;
        let known: Vec<String> = [8, 12, 1, 4, 7, 152, 15, 9, 56].map(|id| name(id, 0)).to_vec();
        assert_eq!(
            known,
            [
                "sourceIPv4Address",
                "destinationIPv4Address",
                "octetDeltaCount",
                "protocolIdentifier",
                "sourceTransportPort",
                "flowStartMilliseconds",
                "ipNextHopIPv4Address",
                "sourceIPv4PrefixLength",
                "sourceMacAddress"
            ]
        );
        assert_eq!(name(7, 4242), "element 4242.7");
        assert_eq!(describe(Field { enterprise: 0, id: 8, length: 4 }, 9).unwrap().1, FieldDataType::Ip4Addr);
    }

    #[test]
    fn records_of_the_fixed_versions_have_their_length() {
        assert_eq!((fixed(5).shortest, fixed(7).shortest), (48, 52));
    }
}
