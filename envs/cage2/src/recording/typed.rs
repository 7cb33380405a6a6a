//! From the plain JSON of a recording to typed observations: which texts are addresses and enumerations.

use std::net::Ipv4Addr;

use super::Json;
use crate::view::{Node, Symbol};

/// CybORG's enumerations, by the key under which their members are in an observation.
const SYMBOLS: [(&str, &[Symbol]); 10] = [
    (
        "success",
        &[
            Symbol::new("TrinaryEnum", "TRUE", 1),
            Symbol::new("TrinaryEnum", "UNKNOWN", 2),
            Symbol::new("TrinaryEnum", "FALSE", 3),
        ],
    ),
    ("OSType", &[Symbol::new("OperatingSystemType", "WINDOWS", 2), Symbol::new("OperatingSystemType", "LINUX", 3)]),
    (
        "OSDistribution",
        &[
            Symbol::new("OperatingSystemDistribution", "WINDOWS_SVR_2008", 4),
            Symbol::new("OperatingSystemDistribution", "UBUNTU", 8),
        ],
    ),
    (
        "OSVersion",
        &[Symbol::new("OperatingSystemVersion", "U18_04_3", 6), Symbol::new("OperatingSystemVersion", "W6_1_7601", 13)],
    ),
    ("Architecture", &[Symbol::new("Architecture", "x64", 2)]),
    (
        "Type",
        &[
            Symbol::new("SessionType", "SSH", 2),
            Symbol::new("SessionType", "VELOCIRAPTOR_CLIENT", 7),
            Symbol::new("SessionType", "VELOCIRAPTOR_SERVER", 8),
            Symbol::new("SessionType", "RED_ABSTRACT_SESSION", 10),
            Symbol::new("SessionType", "RED_REVERSE_SHELL", 11),
        ],
    ),
    ("Known Path", &[Symbol::new("Path", "TEMP", 5)]),
    ("Known File", &[Symbol::new("FileType", "UNKNOWN", 1)]),
    ("Status", &[Symbol::new("ProcessState", "OPEN", 2)]),
    (
        "Process Type",
        &[
            Symbol::new("ProcessType", "REVERSE_SESSION_HANDLER", 0),
            Symbol::new("ProcessType", "REVERSE_SESSION", 0),
            Symbol::new("ProcessType", "SSH", 0),
            Symbol::new("ProcessType", "RDP", 0),
            Symbol::new("ProcessType", "SMB", 0),
            Symbol::new("ProcessType", "WEBSERVER", 0),
            Symbol::new("ProcessType", "FEMITTER", 0),
            Symbol::new("ProcessType", "MYSQL", 0),
            Symbol::new("ProcessType", "SMTP", 0),
        ],
    ),
];

/// The typed observation that a recorded one represents; texts without a known type stay texts.
#[must_use]
pub fn node_from_json(json: &Json) -> Node {
    typed("", json)
}

fn typed(key: &str, json: &Json) -> Node {
    match json {
        Json::Null => Node::Null,
        Json::Bool(value) => Node::Boolean(*value),
        Json::Whole(value) => Node::Int(i64::try_from(*value).unwrap_or_default()),
        Json::Real(value) => Node::Real(*value),
        Json::List(items) => Node::List(items.iter().map(|item| typed(key, item)).collect()),
        Json::Map(entries) => Node::Map(entries.iter().map(|(key, value)| (key.clone(), typed(key, value))).collect()),
        Json::Text(text) => typed_text(key, text),
    }
}

fn typed_text(key: &str, text: &str) -> Node {
    let plain = || Node::Text(text.to_owned());
    match key {
        "IP Address" | "local_address" | "remote_address" => {
            text.parse::<Ipv4Addr>().map_or_else(|_| plain(), Node::Address)
        }
        "Subnet" => match text.strip_suffix("/28").map(str::parse::<Ipv4Addr>) {
            Some(Ok(base)) => Node::Network(base),
            _ => plain(),
        },
        _ => SYMBOLS
            .iter()
            .find(|(known, _)| *known == key)
            .and_then(|(_, members)| members.iter().find(|member| member.name == text))
            .map_or_else(plain, |member| Node::Symbol(*member)),
    }
}
