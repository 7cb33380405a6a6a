//! Facts: one observed statement each, with its place in the raw data.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use gimbal_core::{Digest, canonical, chain};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::text::as_text;
use crate::{Class, Counter, Entity, Stamp, Utc};

/// The id of a fact in its packet: `F001` for the first one. What agents cite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FactId(u32);

/// A text that is not an id of a fact.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no id of a fact: expected F and at least three digits, such as F012")]
pub struct NotAFactId(pub String);

impl FactId {
    /// The id of the fact at an index of its packet.
    #[must_use]
    pub const fn at(index: u32) -> Self {
        Self(index.saturating_add(1))
    }

    /// The index in the packet.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize - 1
    }
}

impl fmt::Display for FactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("F{:03}", self.0))
    }
}

impl FromStr for FactId {
    type Err = NotAFactId;

    /// Reads the one spelling that [`Display`](fmt::Display) writes.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || NotAFactId(text.to_owned());
        let digits = text.strip_prefix('F').filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let id = Self(digits.and_then(|digits| digits.parse().ok()).filter(|id| *id > 0).ok_or_else(wrong)?);
        if id.to_string() == text { Ok(id) } else { Err(wrong()) }
    }
}

as_text!(FactId);

/// The id of a source in its packet: `S1` for the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(u32);

impl SourceId {
    /// The id of the source at an index of the header.
    #[must_use]
    pub const fn at(index: u32) -> Self {
        Self(index.saturating_add(1))
    }

    /// The index in the header.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize - 1
    }
}

impl fmt::Display for SourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S{}", self.0)
    }
}

/// A text that is not an id of a source.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no id of a source: expected S1, S2 and so on")]
pub struct NotASourceId(String);

impl FromStr for SourceId {
    type Err = NotASourceId;

    /// Reads the one spelling that [`Display`](fmt::Display) writes.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text.strip_prefix('S').and_then(|digits| digits.parse().ok()).filter(|number| *number > 0);
        number.map(Self).filter(|id| id.to_string() == text).ok_or_else(|| NotASourceId(text.to_owned()))
    }
}

as_text!(SourceId);

/// Where the raw record of a fact is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Locator {
    /// The place in the source, such as `record 17`, `line 12` or `datagram 3 flow 5`.
    pub at: String,
    /// The source.
    pub source: SourceId,
}

/// The beginning of the name of an attribute of a fact that counts others: the sum of the attribute whose name follows, over all that it
/// counts.
pub const SUM_OF: &str = "sum_of_";

/// Many facts of one class, actor, action and object, counted as one. The fact has the attributes in which all of them agree.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Aggregate {
    /// How many.
    pub count: Counter,
    /// The first one's time, where all of them have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Utc>,
    /// How the fact was computed.
    pub formula: String,
    /// The last one's time, where all of them have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Utc>,
    /// Merkle root over the leaves of the members' raw records, in the order in which they were read.
    pub root: Digest,
}

/// When something happened by the clock of one source whose times name no year. The days and times of day are those of the source; the year
/// counts from [`SourceClock::FIRST_YEAR`], which is the year that the source begins in. So the order and the distance of two such times of one
/// source are known, and nothing beside other sources. Members in the order of RFC 8785.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceClock {
    /// The first time of what the fact represents.
    pub first: Utc,
    /// The last one.
    pub last: Utc,
    /// The source.
    pub source: SourceId,
}

impl SourceClock {
    /// The year that a source begins in. It is a leap year, and no year of a log.
    pub const FIRST_YEAR: i16 = 4;
}

/// A first and a last time, and whose clock they are of: `None` for UTC, else the source that names no year. Times of different clocks
/// cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Whose clock it is.
    pub clock: Option<SourceId>,
    /// The first time.
    pub first: Utc,
    /// The last time.
    pub last: Utc,
}

/// One observed statement (ARES-003, ARES-004). Its members are in the order of RFC 8785, and hold texts only, so that its
/// plain serialisation is canonical.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// What was done, in a word or two.
    pub action: String,
    /// Who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<Entity>,
    /// Set for a fact that counts others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aggregate: Option<Aggregate>,
    /// Fields of the record with their values as found; the keys are ASCII. Counters of 64 bits are decimal texts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
    /// What kind of thing was observed.
    pub class: Class,
    /// When it happened by the clock of its source, where the source names no year and none was supplied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<SourceClock>,
    /// What else the fact is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<Entity>,
    /// The id in the packet.
    pub id: FactId,
    /// Where the raw record is; missing for a fact that counts others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locator: Option<Locator>,
    /// What it was done to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<Entity>,
    /// SHA-256 of the raw record; missing for a fact that counts others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_sha256: Option<Digest>,
    /// When it happened, where the record says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Stamp>,
}

/// The action of a message that no grammar knows, and whose words tell how a logon ended.
pub(crate) const TELLS_OF_A_LOGON: &str = "told of a logon";

impl Fact {
    /// The first and the last time of what the fact represents: those of its members where it counts others, else its own twice.
    #[must_use]
    pub fn span(&self) -> Option<(Utc, Utc)> {
        let counted = self.aggregate.as_ref().and_then(|aggregate| aggregate.first.zip(aggregate.last));
        counted.or_else(|| self.time.as_ref().map(|time| (time.utc, time.utc)))
    }

    /// The same by whatever clock there is: UTC, else that of the source.
    #[must_use]
    pub fn interval(&self) -> Option<Interval> {
        let utc = self.span().map(|(first, last)| Interval { clock: None, first, last });
        utc.or_else(|| {
            self.clock.map(|SourceClock { first, last, source }| Interval { clock: Some(source), first, last })
        })
    }

    /// The bytes that are hashed: canonical JSON.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        canonical::bytes_of(self)
    }

    /// The hash of the fact alone: a leaf of the packet's tree.
    #[must_use]
    pub fn leaf(&self) -> Digest {
        chain::leaf(&self.bytes())
    }

    /// Everything that the fact is about: actor, object, then the others.
    pub fn about(&self) -> impl Iterator<Item = &Entity> {
        self.actor.iter().chain(&self.object).chain(&self.entities)
    }

    /// The value of a field, by the name that a person reads: `class`, `action`, `actor`, `object`, `time`, `count`, or an
    /// attribute.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<String> {
        match name {
            "class" => Some(self.class.to_string()),
            "action" => Some(self.action.clone()),
            "actor" => self.actor.as_ref().map(Entity::to_string),
            "object" => self.object.as_ref().map(Entity::to_string),
            "time" => self.time.as_ref().map(|time| time.utc.to_string()),
            "count" => self.aggregate.as_ref().map(|aggregate| aggregate.count.to_string()),
            name => self.attributes.get(name).cloned(),
        }
    }

    /// How many records the record of the fact represents, as its source says (`repeated`, of a message that was repeated); 1 where it says
    /// nothing. A fact that counts others counts it so often.
    #[must_use]
    pub fn repeated(&self) -> u64 {
        self.attributes.get("repeated").and_then(|times| times.parse().ok()).filter(|times| *times > 0).unwrap_or(1)
    }

    /// How many observed statements the fact is: 1, or the count of an aggregate.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.aggregate.as_ref().map_or(1, |aggregate| aggregate.count.0)
    }
}

/// How many records facts stand for, at least. The same record can be behind a fact of its own and behind one that counts it, so that the
/// larger of the two sums is sure.
#[must_use]
pub fn records(facts: &[&Fact]) -> u64 {
    let sum = |counted: bool| -> u64 {
        facts.iter().filter(|fact| fact.aggregate.is_some() == counted).map(|fact| fact.count()).sum()
    };
    sum(true).max(sum(false))
}

#[cfg(test)]
mod tests {
    use super::FactId;

    #[test]
    fn ids_have_one_spelling() {
        assert_eq!(FactId::at(11).to_string(), "F012");
        assert_eq!(FactId::at(1233).to_string(), "F1234");
        for text in ["F012", "F1234", "F001"] {
            assert_eq!(text.parse::<FactId>().unwrap().to_string(), text);
        }
        for text in ["F12", "F0012", "F000", "f012", "F+12", "12", "F99999999999", ""] {
            assert!(text.parse::<FactId>().is_err(), "{text}");
        }
    }
}
