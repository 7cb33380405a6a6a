//! The header of a packet: its sources, what was selected, and what was left out. All of it is hashed.

use gimbal_core::Digest;
use serde::{Deserialize, Serialize};

use crate::{Counter, Entity, SourceId, Utc};

/// What the packet was made from, and how. Members in the order of RFC 8785.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// What was observed and is in no fact of its own.
    pub left_out: LeftOut,
    /// Id of the packet: `P-` and twelve digits of the hash of sources and selection.
    pub packet: String,
    /// Names that were replaced before anything was hashed, with what replaced them. Agents never see it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pseudonyms: Vec<Pseudonym>,
    /// What was selected.
    pub selection: Selection,
    /// Raw data, in the order in which they were read.
    pub sources: Vec<Source>,
    /// Records without a time that were taken although [`Selection::since`] or [`Selection::until`] asks for a part of all times; missing
    /// where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undated: Option<Counter>,
    /// Form of the file: `gimbal.packet/1`, or `gimbal.packet/2` where a fact has the clock of its source or the header counts
    /// [`undated`](Self::undated) records.
    pub version: String,
    /// First and last time of the facts, where any has a time (ARES-005).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
}

/// A name that was replaced.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pseudonym {
    /// The name in the raw data.
    pub name: String,
    /// The name in the packet.
    pub replaced_by: String,
}

/// What the selection left out, as a count and a root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// How many facts.
    pub count: Counter,
    /// Merkle root over the leaves of their raw records, in the order in which they were left out.
    pub root: Digest,
}

impl Default for LeftOut {
    fn default() -> Self {
        Self { count: Counter(0), root: crate::merkle::root(&[]) }
    }
}

/// How facts were selected. No opinion enters: time, entity and number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Selection {
    /// A group of facts with the same class, actor, action and object is also counted as one when it has more members.
    pub aggregate_above: Counter,
    /// Only facts about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity: Option<Entity>,
    /// Most facts in the packet.
    pub max_facts: Counter,
    /// Only facts at this time or later, beside those without a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Utc>,
    /// Only facts before this time, beside those without a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Utc>,
}

impl Default for Selection {
    /// 200 facts of any time and entity; groups above 5 are counted.
    fn default() -> Self {
        Self { aggregate_above: Counter(5), entity: None, max_facts: Counter(200), since: None, until: None }
    }
}

/// A source of raw data. It has no file name: names leak labels, and a file, a folder and a pipe give the same packet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Size of the raw data.
    pub bytes: Counter,
    /// Records that could not be read.
    pub damaged: Counter,
    /// Name and version of the extractor.
    pub extractor: String,
    /// Form of the raw data, such as `evtx`.
    pub format: String,
    /// Id in the packet.
    pub id: SourceId,
    /// What kind of source it is (ARES-004).
    pub kind: SourceKind,
    /// Records that were read.
    pub records: Counter,
    /// SHA-256 of the raw data.
    pub sha256: Digest,
    /// Seconds that were added to every time, to bring several sources on one clock; 0 where nothing was added.
    pub shift_seconds: i32,
    /// Year that was supplied for times without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<i16>,
    /// Offset of the zone that was supplied for times without one, in minutes east of UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_minutes: Option<i16>,
}

/// What kind of source facts come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// Windows event logs.
    Windows,
    /// Syslog messages.
    Syslog,
    /// Records of the Linux audit system.
    Auditd,
    /// NetFlow and IPFIX exports.
    Netflow,
    /// Text of flow tools.
    FlowText,
    /// What a person stated.
    Manual,
    /// Detection rules of others, which matched records of other sources.
    Rules,
    /// Neither of these.
    Unknown,
}

/// A time window; both ends are in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// The first time.
    pub first: Utc,
    /// The last time.
    pub last: Utc,
}
