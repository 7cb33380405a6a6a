//! Packets before they are frozen.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::{Digest, canonical};
use thiserror::Error;

use super::Packet;
use super::header::{Header, LeftOut, Pseudonym, Selection, Source, Window};
use crate::{Aggregate, Class, Counter, Entity, Fact, FactId, Locator, SourceClock, SourceId, Stamp};

/// The form of packets without [`Fact::clock`] and [`Header::undated`]; readers of this form alone know no such members.
pub(super) const VERSION: &str = "gimbal.packet/1";
/// The form of packets with one of them.
pub(super) const CLOCK_VERSION: &str = "gimbal.packet/2";
/// Longest value of an attribute, in bytes.
pub(crate) const MAX_VALUE: usize = 32 * 1024;
/// Longest name of an attribute, action or place, in bytes.
pub(crate) const MAX_WORD: usize = 128;
/// Most attributes, and most further entities, of a fact.
pub(crate) const MAX_MEMBERS: usize = 256;

/// A fact that has no id yet. See [`Fact`] for its members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFact {
    /// What kind of thing was observed.
    pub class: Class,
    /// What was done, in a word or two.
    pub action: String,
    /// Who did it.
    pub actor: Option<Entity>,
    /// What it was done to.
    pub object: Option<Entity>,
    /// What else it is about.
    pub entities: Vec<Entity>,
    /// Fields with their values.
    pub attributes: BTreeMap<String, String>,
    /// When.
    pub time: Option<Stamp>,
    /// Where the raw record is.
    pub locator: Option<Locator>,
    /// SHA-256 of the raw record.
    pub raw_sha256: Option<Digest>,
    /// Set for a fact that counts others.
    pub aggregate: Option<Aggregate>,
    /// When, by the clock of a source that names no year.
    pub clock: Option<SourceClock>,
}

impl NewFact {
    /// A fact of which nothing but class and action is known yet.
    #[must_use]
    pub fn new(class: Class, action: &str) -> Self {
        Self {
            class,
            action: action.to_owned(),
            actor: None,
            object: None,
            entities: Vec::new(),
            attributes: BTreeMap::new(),
            time: None,
            locator: None,
            raw_sha256: None,
            aggregate: None,
            clock: None,
        }
    }

    /// The fact under an id.
    #[must_use]
    pub fn numbered(self, id: FactId) -> Fact {
        Fact {
            action: self.action,
            actor: self.actor,
            aggregate: self.aggregate,
            attributes: self.attributes,
            class: self.class,
            clock: self.clock,
            entities: self.entities,
            id,
            locator: self.locator,
            object: self.object,
            raw_sha256: self.raw_sha256,
            time: self.time,
        }
    }
}

/// Why a fact was not added, or a packet not frozen.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DraftError {
    /// The same fact is there already.
    #[error("the same fact was added before: {class} at {at}")]
    Duplicate {
        /// Its class.
        class: Class,
        /// Its place, or `no place`.
        at: String,
    },
    /// The fact names a source that the packet does not have.
    #[error("a fact is from source {source_id}, and the packet has {known} source(s)")]
    UnknownSource {
        /// The source.
        source_id: SourceId,
        /// How many there are.
        known: usize,
    },
    /// A member of the fact breaks a rule.
    #[error("{0}")]
    Malformed(Malformed),
    /// More facts than ids.
    #[error("a packet holds at most {MAX_FACTS} facts")]
    TooMany,
}

/// Most facts in a packet.
pub const MAX_FACTS: usize = 1_000_000;

/// What is wrong with a member of a fact.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{member}: {found}; expected {expected}")]
pub struct Malformed {
    /// The member.
    pub member: String,
    /// What was found.
    pub found: String,
    /// What was expected.
    pub expected: &'static str,
}

/// A packet that still takes facts.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    sources: Vec<Source>,
    selection: Selection,
    left_out: LeftOut,
    undated: Option<Counter>,
    pseudonyms: Vec<Pseudonym>,
    facts: Vec<NewFact>,
    seen: BTreeSet<Digest>,
}

impl Draft {
    /// A draft over sources, whose ids must be `S1`, `S2` and so on.
    #[must_use]
    pub fn new(sources: Vec<Source>, selection: Selection) -> Self {
        Self { sources, selection, ..Self::default() }
    }

    /// Records which names were replaced by which, sorted.
    #[must_use]
    pub fn with_pseudonyms(mut self, mut pseudonyms: Vec<Pseudonym>) -> Self {
        pseudonyms.sort();
        self.pseudonyms = pseudonyms;
        self
    }

    /// Records what the selection left out.
    #[must_use]
    pub const fn leaving_out(mut self, left_out: LeftOut) -> Self {
        self.left_out = left_out;
        self
    }

    /// Records how many records without a time were taken whatever the selection says of times; 0 is not written.
    #[must_use]
    pub fn taking_undated(mut self, records: u64) -> Self {
        self.undated = (records > 0).then_some(Counter(records));
        self
    }

    /// Adds a fact (ARES-005).
    ///
    /// # Errors
    /// When the same fact is there already, its source is unknown, or one of its members breaks a rule. The draft is then unchanged.
    pub fn add(&mut self, fact: NewFact) -> Result<(), DraftError> {
        if self.facts.len() >= MAX_FACTS {
            return Err(DraftError::TooMany);
        }
        let named =
            fact.locator.iter().map(|locator| locator.source).chain(fact.clock.iter().map(|clock| clock.source));
        if let Some(source_id) = named.into_iter().find(|source| source.index() >= self.sources.len()) {
            return Err(DraftError::UnknownSource { source_id, known: self.sources.len() });
        }
        let numbered = fact.clone().numbered(FactId::at(0));
        check(&numbered).map_err(DraftError::Malformed)?;
        if !self.seen.insert(numbered.leaf()) {
            let at =
                fact.locator.map_or_else(|| "no place".to_owned(), |place| format!("{} of {}", place.at, place.source));
            return Err(DraftError::Duplicate { class: fact.class, at });
        }
        self.facts.push(fact);
        Ok(())
    }

    /// Numbers the facts in order of time and freezes them: those of UTC, then those of clocks without a year, then those without a time;
    /// equal ones as they were added.
    #[must_use]
    pub fn freeze(mut self) -> Packet {
        self.facts.sort_by_key(|fact| match (&fact.time, fact.clock) {
            (Some(time), _) => (0, time.utc.micros()),
            (None, Some(clock)) => (1, clock.first.micros()),
            (None, None) => (2, 0),
        });
        let has_clock = self.facts.iter().any(|fact| fact.clock.is_some());
        let version = version_of(has_clock, self.undated.is_some());
        let times = || self.facts.iter().filter_map(|fact| fact.time.as_ref()).map(|time| time.utc);
        let window = times().min().zip(times().max()).map(|(first, last)| Window { first, last });
        let identity = Digest::of_parts(&[
            &canonical::bytes_of(&self.sources),
            &canonical::bytes_of(&self.selection),
            &canonical::bytes_of(&self.pseudonyms),
        ]);
        let header = Header {
            left_out: self.left_out,
            packet: format!("P-{}", identity.short()),
            pseudonyms: self.pseudonyms,
            selection: self.selection,
            sources: self.sources,
            undated: self.undated,
            version: version.to_owned(),
            window,
        };
        let facts = (0..).zip(self.facts).map(|(index, fact)| fact.numbered(FactId::at(index))).collect();
        Packet::seal(header, facts)
    }
}

/// The form of a packet, by whether a fact has a clock of its source and whether its header counts records without a time.
pub(super) const fn version_of(has_clock: bool, has_undated: bool) -> &'static str {
    if has_clock || has_undated { CLOCK_VERSION } else { VERSION }
}

/// The rules of a fact's members: bounded, and canonical when they are written plainly.
pub(super) fn check(fact: &Fact) -> Result<(), Malformed> {
    let word = |member: &str, text: &str| {
        let sound = !text.is_empty() && text.len() <= MAX_WORD && !text.chars().any(char::is_control);
        if sound { Ok(()) } else { Err(malformed(member, text, "1 to 128 bytes without control characters")) }
    };
    word("action", &fact.action)?;
    if let Some(locator) = &fact.locator {
        word("locator.at", &locator.at)?;
    }
    if fact.attributes.len() > MAX_MEMBERS || fact.entities.len() > MAX_MEMBERS {
        let found = format!("{} attributes and {} entities", fact.attributes.len(), fact.entities.len());
        return Err(Malformed { member: "fact".to_owned(), found, expected: "at most 256 of each" });
    }
    for (key, value) in &fact.attributes {
        // ASCII keys are in the order of RFC 8785 when they are in the order of their bytes.
        if key.is_empty() || key.len() > MAX_WORD || !key.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
            return Err(malformed("attributes", key, "a name of 1 to 128 printable ASCII characters"));
        }
        if value.len() > MAX_VALUE {
            let found = format!("a value of {} bytes", value.len());
            return Err(Malformed { member: format!("attributes.{key}"), found, expected: "at most 32,768 bytes" });
        }
    }
    if fact.clock.is_some_and(|clock| clock.first > clock.last) {
        return Err(malformed("clock", "a first time after the last", "a first time that is not after the last"));
    }
    if fact.clock.is_some() && fact.span().is_some() {
        return Err(malformed("clock", "a clock beside a time in UTC", "one of them"));
    }
    if fact.aggregate.is_some() == (fact.locator.is_some() || fact.raw_sha256.is_some()) {
        let expected = "either `locator` and `raw_sha256`, or `aggregate`";
        return Err(Malformed { member: "fact".to_owned(), found: "both or neither".to_owned(), expected });
    }
    if fact.locator.is_some() != fact.raw_sha256.is_some() {
        let expected = "both `locator` and `raw_sha256`";
        return Err(Malformed { member: "fact".to_owned(), found: "one without the other".to_owned(), expected });
    }
    Ok(())
}

fn malformed(member: &str, text: &str, expected: &'static str) -> Malformed {
    let shown: String = text.chars().take(40).collect();
    Malformed { member: member.to_owned(), found: format!("{shown:?}"), expected }
}
