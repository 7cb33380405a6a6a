//! What a dismissal does not cover: records that no side saw, or that no rule asks about.

use crate::rules::RuleSet;
use crate::{Class, FactId, Packet, Utc};

/// What was read, or should have been, and is in no fact that a side could use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// Records in none of the facts, neither by themselves nor counted.
    pub in_no_fact: u64,
    /// Records that could not be read, of all sources.
    pub damaged: u64,
    /// Facts that state what was not collected in the time of the observed facts.
    pub not_collected: Vec<FactId>,
    /// Records of the packet, if none of them is of a class that a rule of the Architect asks about; else 0.
    pub unclassified: u64,
}

impl Gaps {
    /// What is missing in a packet. `rules` are those that the Architect spoke by; `None` if a model spoke, which reads facts of every class.
    #[must_use]
    pub fn of(packet: &Packet, rules: Option<&RuleSet>) -> Self {
        let damaged = packet.header().sources.iter().map(|source| source.damaged.0).sum();
        let unclassified = rules.map_or(0, |rules| unclassified(packet, rules));
        Self { in_no_fact: packet.in_no_fact(), damaged, not_collected: not_collected(packet), unclassified }
    }

    /// Whether nothing is missing.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// What is missing beside the records in no fact, in a sentence; `None` if nothing is.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let mut parts = Vec::new();
        match self.damaged {
            0 => {}
            1 => parts.push("1 record could not be read".to_owned()),
            count => parts.push(format!("{count} records could not be read")),
        }
        if !self.not_collected.is_empty() {
            let ids: Vec<String> = self.not_collected.iter().map(ToString::to_string).collect();
            parts.push(format!("what was not collected in the time of these facts is stated by {}", ids.join(", ")));
        }
        match self.unclassified {
            0 => {}
            1 => parts.push("the only record is of a class that no rule asks about".to_owned()),
            count => parts.push(format!("none of the {count} records is of a class that a rule asks about")),
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

/// Facts that state what was not collected, and whose interval meets that of the observed facts. Where no observed fact has a time, or a
/// bound cannot be read, nothing shows that they do not meet.
fn not_collected(packet: &Packet) -> Vec<FactId> {
    let observed = packet.facts().iter().filter(|fact| !fact.class.is_context() && !fact.class.is_opinion());
    let spans: Vec<(Utc, Utc)> = observed.filter_map(crate::Fact::span).collect();
    let window = spans.iter().map(|(first, _)| *first).min().zip(spans.iter().map(|(_, last)| *last).max());
    let meets = |fact: &&crate::Fact| {
        let bound = |name: &str| fact.attributes.get(name).and_then(|text| text.parse::<Utc>().ok());
        window.is_none_or(|(first, last)| {
            bound("from").is_none_or(|from| from <= last) && bound("until").is_none_or(|until| until >= first)
        })
    };
    let stated = packet.facts().iter().filter(|fact| fact.class == Class::NotCollected);
    stated.filter(meets).map(|fact| fact.id).collect()
}

/// Records that were observed, if no fact is of a class that a rule names. Rules that look for words in facts of any class ask about none.
fn unclassified(packet: &Packet, rules: &RuleSet) -> u64 {
    let asked = |class: Class| {
        rules.threats.iter().any(|rule| {
            let following = rule.when.then.iter().flat_map(|then| &then.class);
            rule.when.class.iter().chain(following).any(|named| *named == class)
        })
    };
    let observed = || {
        let facts = packet.facts().iter();
        facts.filter(|fact| !fact.class.is_context() && !fact.class.is_opinion() && fact.class != Class::Damaged)
    };
    if observed().any(|fact| asked(fact.class)) {
        return 0;
    }
    let sources = packet.header().sources.iter().filter(|source| source.kind != crate::SourceKind::Manual);
    if observed().next().is_none() { 0 } else { sources.map(|source| source.records.0).sum() }
}
