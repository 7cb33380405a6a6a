//! Which verdicts are listed.

use gimbal_core::nearest;
use gimbal_evidence::Utc;
use gimbal_evidence::judge::Verdict;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Found;

/// What ids of packets begin with.
const ID: &str = "P-";

/// Which verdicts are listed. Its bytes begin the chain of a stream, so that another choice is another stream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    /// The first digits of the head of the packet, or its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packet: Option<String>,
    /// At this time or later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Utc>,
    /// Only this verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
}

/// A choice that names nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FilterError {
    /// There is no such verdict.
    #[error("there is no verdict `{name}`{hint} (known: {})", Verdict::ALL.map(Verdict::name).join(", "))]
    Verdict {
        /// What was asked for.
        name: String,
        /// The nearest verdict as a question, or empty.
        hint: String,
    },
    /// What is neither a head nor an id of a packet.
    #[error(
        "`{0}` is neither a head (4 to 64 hexadecimal digits in small letters) nor an id (`{ID}` and 12 of them), as reports print both"
    )]
    Packet(String),
}

impl FilterError {
    /// The member that is wrong.
    #[must_use]
    pub const fn member(&self) -> &'static str {
        match self {
            Self::Verdict { .. } => "verdict",
            Self::Packet(_) => "packet",
        }
    }
}

impl Filter {
    /// The choice of these members. A verdict may be in small letters, with hyphens, and without its first word.
    ///
    /// # Errors
    /// When there is no such verdict, or the packet is neither a head nor an id.
    pub fn new(packet: Option<&str>, since: Option<Utc>, verdict: Option<&str>) -> Result<Self, FilterError> {
        if let Some(wrong) = packet.filter(|text| !names_a_packet(text)) {
            return Err(FilterError::Packet(wrong.to_owned()));
        }
        Ok(Self { packet: packet.map(str::to_owned), since, verdict: verdict.map(named).transpose()? })
    }

    /// Whether packets are chosen by their ids, which only the packets themselves hold.
    #[must_use]
    pub fn wants_ids(&self) -> bool {
        self.packet.as_ref().is_some_and(|wanted| wanted.starts_with(ID))
    }

    pub(super) fn takes(&self, Found { entry, packet_id, .. }: &Found) -> bool {
        let is_of = |wanted: &String| {
            entry.packet.to_string().starts_with(wanted.as_str()) || packet_id.as_ref() == Some(wanted)
        };
        self.packet.as_ref().is_none_or(is_of)
            && self.since.is_none_or(|since| entry.time >= since)
            && self.verdict.is_none_or(|verdict| entry.verdict == verdict)
    }
}

fn named(name: &str) -> Result<Verdict, FilterError> {
    let wanted = name.to_uppercase().replace('-', "_");
    let is_it =
        |verdict: &Verdict| verdict.name() == wanted || verdict.name().strip_prefix("THREAT_") == Some(wanted.as_str());
    Verdict::ALL.into_iter().find(is_it).ok_or_else(|| FilterError::Verdict {
        name: name.to_owned(),
        hint: nearest::hint(&wanted, Verdict::ALL.map(Verdict::name)),
    })
}

fn names_a_packet(text: &str) -> bool {
    let is_hex = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    match text.strip_prefix(ID) {
        Some(id) => id.len() == 12 && is_hex(id),
        None => (4..=64).contains(&text.len()) && is_hex(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_and_packets_are_chosen_by_name() {
        let verdict = |name: &str| Filter::new(None, None, Some(name)).map(|filter| filter.verdict);
        assert_eq!(verdict("confirmed"), Ok(Some(Verdict::ThreatConfirmed)));
        assert_eq!(verdict("threat-dismissed"), Ok(Some(Verdict::ThreatDismissed)));
        let error = verdict("confirmd").unwrap_err();
        assert!(error.member() == "verdict" && error.to_string().contains("there is no verdict `confirmd`"), "{error}");
        let packet = |text: &str| Filter::new(Some(text), None, None);
        assert!(packet("0a1b").is_ok_and(|filter| !filter.wants_ids()));
        assert!(packet("P-3f9a12cd45ef").is_ok_and(|filter| filter.wants_ids()));
        for wrong in ["0a1", "0A1B", "P-3f9a", "xyzw"] {
            assert_eq!(packet(wrong), Err(FilterError::Packet(wrong.to_owned())));
        }
    }
}
