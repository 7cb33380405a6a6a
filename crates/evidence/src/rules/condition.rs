//! Conditions of rules over facts.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::fact::records;
use crate::{Class, Fact, FactId, Packet};

/// Which facts a rule takes. What is not set restricts nothing; texts are compared without regard to capital letters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Condition {
    /// One of these classes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub class: Vec<Class>,
    /// Each field has one of its values; see [`Fact::field`] for names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub is: BTreeMap<String, Vec<String>>,
    /// Each field ends with one of its texts.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub ends: BTreeMap<String, Vec<String>>,
    /// Each field contains one of its texts; the name `any` stands for all attributes.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub contains: BTreeMap<String, Vec<String>>,
    /// None of these fields contains one of its texts.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub without: BTreeMap<String, Vec<String>>,
    /// So many records that belong together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeated: Option<Repeated>,
    /// So many different values among facts that belong together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distinct: Option<Distinct>,
    /// A fact of another class must follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<Then>,
}

/// What makes facts belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The same actor.
    Actor,
    /// The same object.
    Object,
}

/// So many records that belong together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeated {
    /// Least number of records.
    pub at_least: u64,
    /// What they share.
    pub by: By,
}

/// So many different values of a field among facts that belong together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Distinct {
    /// The field.
    pub field: String,
    /// Least number of values.
    pub at_least: usize,
    /// What the facts share.
    pub by: By,
}

/// A fact of another class that follows, from the same actor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Then {
    /// One of these classes.
    pub class: Vec<Class>,
    /// At most so many seconds after the last of the others.
    pub within: u64,
}

impl Condition {
    /// Whether it restricts nothing about single facts.
    pub(super) fn is_open(&self) -> bool {
        self.class.is_empty() && self.is.is_empty() && self.ends.is_empty() && self.contains.is_empty()
    }

    /// The facts that it takes, in the order of their ids.
    pub(super) fn find(&self, packet: &Packet) -> Vec<FactId> {
        let taken: Vec<&Fact> = packet.facts().iter().filter(|fact| self.takes(fact)).collect();
        let taken = match &self.repeated {
            Some(repeated) => grouped(&taken, repeated.by, |group| records(group) >= repeated.at_least),
            None => taken,
        };
        let taken = match &self.distinct {
            Some(distinct) => grouped(&taken, distinct.by, |group| {
                group.iter().filter_map(|fact| fact.field(&distinct.field)).collect::<BTreeSet<_>>().len()
                    >= distinct.at_least
            }),
            None => taken,
        };
        let mut ids: Vec<FactId> = match &self.then {
            Some(then) => followed(&taken, packet, then),
            None => taken.iter().map(|fact| fact.id).collect(),
        };
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    fn takes(&self, fact: &Fact) -> bool {
        let any = |texts: &[String], test: &dyn Fn(&str) -> bool| texts.iter().any(|text| test(&text.to_lowercase()));
        let field = |name: &str, texts: &[String], test: fn(&str, &str) -> bool| {
            if name == "any" {
                return fact.attributes.values().any(|value| {
                    let value = value.to_lowercase();
                    any(texts, &|text| test(&value, text))
                });
            }
            fact.field(name).is_some_and(|value| {
                let value = value.to_lowercase();
                any(texts, &|text| test(&value, text))
            })
        };
        !fact.class.is_context()
            && !fact.class.is_opinion()
            && (self.class.is_empty() || self.class.contains(&fact.class))
            && self.is.iter().all(|(name, texts)| field(name, texts, |value, text| value == text))
            && self.ends.iter().all(|(name, texts)| field(name, texts, |value, text| value.ends_with(text)))
            && self.contains.iter().all(|(name, texts)| field(name, texts, |value, text| value.contains(text)))
            && !self.without.iter().any(|(name, texts)| field(name, texts, |value, text| value.contains(text)))
    }
}

/// The facts of all groups that pass a test.
fn grouped<'a>(facts: &[&'a Fact], by: By, test: impl Fn(&[&Fact]) -> bool) -> Vec<&'a Fact> {
    let mut groups: BTreeMap<&crate::Entity, Vec<&'a Fact>> = BTreeMap::new();
    for fact in facts {
        let entity = match by {
            By::Actor => fact.actor.as_ref(),
            By::Object => fact.object.as_ref(),
        };
        if let Some(entity) = entity {
            groups.entry(entity).or_default().push(fact);
        }
    }
    groups.into_values().filter(|group| test(group)).flatten().collect()
}

/// The facts with those that follow them, where any does.
fn followed(facts: &[&Fact], packet: &Packet, then: &Then) -> Vec<FactId> {
    let end = |fact: &Fact| fact.span().map(|(_, last)| last);
    let mut ids = Vec::new();
    for follower in packet.facts().iter().filter(|fact| !fact.class.is_opinion() && then.class.contains(&fact.class)) {
        let Some(time) = follower.time.as_ref().map(|time| time.utc.micros()) else { continue };
        let before = facts.iter().filter(|fact| fact.actor.is_some() && fact.actor == follower.actor).filter(|fact| {
            end(fact).is_some_and(|end| {
                let after = time - end.micros();
                // Aggregates end with their last member, which can be after the follower: its own time then counts.
                let begin = fact.time.as_ref().map_or(after, |begin| time - begin.utc.micros());
                let limit = i64::try_from(then.within.saturating_mul(1_000_000)).unwrap_or(i64::MAX);
                begin >= 0 && after <= limit
            })
        });
        let matched: Vec<FactId> = before.map(|fact| fact.id).collect();
        if !matched.is_empty() {
            ids.extend(matched);
            ids.push(follower.id);
        }
    }
    ids
}
