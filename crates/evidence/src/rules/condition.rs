//! Conditions of rules over facts.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::Milli;
use serde::{Deserialize, Serialize};

use crate::fact::records;
use crate::{Class, Entity, Fact, FactId, Packet, SourceId};

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
    /// Each field is a whole number, and at least this.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub at_least: BTreeMap<String, u64>,
    /// So many records that belong together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeated: Option<Repeated>,
    /// A field that sums up to so much over facts that belong together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sum: Option<Sum>,
    /// Facts that belong together and follow one another in equal steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady: Option<Steady>,
    /// So many different values among facts that belong together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distinct: Option<Distinct>,
    /// A fact of another class must follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<FollowingFact>,
}

/// What makes facts belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupKey {
    /// The same actor.
    Actor,
    /// The same object.
    Object,
    /// The same actor and the same object.
    Pair,
}

/// So many records that belong together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeated {
    /// Least number of records.
    pub at_least: u64,
    /// What they share.
    pub by: GroupKey,
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
    pub by: GroupKey,
}

/// A field that sums up to so much over facts that belong together. Facts without the field, as counts of others are, add nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sum {
    /// The field: a whole number.
    pub field: String,
    /// Least sum.
    pub at_least: u64,
    /// What the facts share.
    pub by: GroupKey,
}

/// Facts that belong together and follow one another in equal steps: four of five steps differ from the median step by no more than
/// a share of it. Steps of less than a second are part of one call and count as none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Steady {
    /// Least number of facts. Facts that count others have no times of their own and do not count.
    pub at_least: usize,
    /// The share, in thousandths of the median step.
    pub within: Milli,
    /// What the facts share.
    pub by: GroupKey,
}

/// Which entity of a fact is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntityRole {
    /// Who acted.
    #[default]
    Actor,
    /// What was acted on.
    Object,
}

impl EntityRole {
    fn of(self, fact: &Fact) -> Option<&Entity> {
        match self {
            Self::Actor => fact.actor.as_ref(),
            Self::Object => fact.object.as_ref(),
        }
    }
}

/// A fact of another class that follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FollowingFact {
    /// One of these classes.
    pub class: Vec<Class>,
    /// At most so many seconds after the last of the others.
    pub within: u64,
    /// The entity of the earlier facts that both share.
    #[serde(default)]
    pub from: EntityRole,
    /// The entity of the later fact that is the same one.
    #[serde(default)]
    pub to: EntityRole,
}

impl Condition {
    /// Whether it restricts nothing about single facts.
    pub(super) fn is_open(&self) -> bool {
        self.class.is_empty()
            && self.is.is_empty()
            && self.ends.is_empty()
            && self.contains.is_empty()
            && self.at_least.is_empty()
    }

    /// Those of the facts found that a sequence begins with: all of them where nothing must follow.
    pub(super) fn leading(&self, packet: &Packet, found: &[FactId]) -> Vec<FactId> {
        let taker = Taker::of(self);
        let leads = |id: &FactId| self.then.is_none() || packet.fact(*id).is_some_and(|fact| taker.takes(fact));
        found.iter().copied().filter(leads).collect()
    }

    /// Those of the facts found that a sequence ends with, in the order of their ids; empty if nothing must follow.
    pub(super) fn following(&self, packet: &Packet, found: &[FactId]) -> Vec<FactId> {
        let taker = Taker::of(self);
        let follows = |id: &FactId| self.then.is_some() && packet.fact(*id).is_some_and(|fact| !taker.takes(fact));
        found.iter().copied().filter(follows).collect()
    }

    /// The facts that it takes, in the order of their ids.
    pub(super) fn find(&self, packet: &Packet) -> Vec<FactId> {
        let taker = Taker::of(self);
        let taken: Vec<&Fact> = packet.facts().iter().filter(|fact| taker.takes(fact)).collect();
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
        let taken = match &self.sum {
            Some(sum) => grouped(&taken, sum.by, |group| {
                let numbers = group.iter().filter_map(|fact| number(fact, &sum.field));
                numbers.fold(0, u64::saturating_add) >= sum.at_least
            }),
            None => taken,
        };
        let taken = match &self.steady {
            Some(steady) => grouped(&taken, steady.by, |group| is_steady(group, steady)),
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
}

/// Names of fields, each with texts in small letters.
type Fields<'a> = Vec<(&'a str, Vec<Cow<'a, str>>)>;

/// A condition about single facts, its texts in small letters: made once for all facts of a packet.
struct Taker<'a> {
    condition: &'a Condition,
    is: Fields<'a>,
    ends: Fields<'a>,
    contains: Fields<'a>,
    without: Fields<'a>,
}

impl<'a> Taker<'a> {
    fn of(condition: &'a Condition) -> Self {
        let fields = |fields: &'a BTreeMap<String, Vec<String>>| {
            let texts = |texts: &'a [String]| texts.iter().map(|text| lowered(text)).collect();
            fields.iter().map(|(name, all)| (name.as_str(), texts(all))).collect()
        };
        let Condition { is, ends, contains, without, .. } = condition;
        Self { condition, is: fields(is), ends: fields(ends), contains: fields(contains), without: fields(without) }
    }

    fn takes(&self, fact: &Fact) -> bool {
        let field = |(name, texts): &(&str, Vec<Cow<'_, str>>), test: fn(&str, &str) -> bool| {
            let fits = |value: &str| {
                let value = lowered(value);
                texts.iter().any(|text| test(&value, text))
            };
            match *name {
                "any" => fact.attributes.values().any(|value| fits(value)),
                name => fact.field(name).is_some_and(|value| fits(&value)),
            }
        };
        let Condition { class, at_least, .. } = self.condition;
        !fact.class.is_context()
            && !fact.class.is_opinion()
            && (class.is_empty() || class.contains(&fact.class))
            && self.is.iter().all(|one| field(one, |value, text| value == text))
            && self.ends.iter().all(|one| field(one, |value, text| value.ends_with(text)))
            && self.contains.iter().all(|one| field(one, |value, text| value.contains(text)))
            && at_least.iter().all(|(name, least)| number(fact, name).is_some_and(|value| value >= *least))
            && !self.without.iter().any(|one| field(one, |value, text| value.contains(text)))
    }
}

/// A text in small letters; most texts of rules and many of facts are written so.
fn lowered(text: &str) -> Cow<'_, str> {
    let is_low = text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    if is_low { Cow::Borrowed(text) } else { Cow::Owned(text.to_lowercase()) }
}

/// A field as a whole number.
fn number(fact: &Fact, field: &str) -> Option<u64> {
    fact.field(field)?.parse().ok()
}

/// Whether facts follow one another in equal steps, by one clock.
fn is_steady(group: &[&Fact], steady: &Steady) -> bool {
    let mut by_clock: BTreeMap<Option<SourceId>, Vec<i64>> = BTreeMap::new();
    for interval in group.iter().filter(|fact| fact.aggregate.is_none()).filter_map(|fact| fact.interval()) {
        by_clock.entry(interval.clock).or_default().push(interval.first.micros());
    }
    by_clock.into_values().any(|times| are_steady(times, steady))
}

fn are_steady(mut times: Vec<i64>, steady: &Steady) -> bool {
    times.sort_unstable();
    let mut steps: Vec<i64> =
        times.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step >= 1_000_000).collect();
    if steps.len() + 1 < steady.at_least || steps.is_empty() {
        return false;
    }
    steps.sort_unstable();
    let median = steps[steps.len() / 2];
    let near =
        |step: &&i64| i128::from((**step - median).abs()) * 1000 <= i128::from(median) * i128::from(steady.within.0);
    5 * steps.iter().filter(near).count() >= 4 * steps.len()
}

/// The facts of all groups that pass a test.
fn grouped<'a>(facts: &[&'a Fact], by: GroupKey, test: impl Fn(&[&Fact]) -> bool) -> Vec<&'a Fact> {
    let mut groups: BTreeMap<(Option<&Entity>, Option<&Entity>), Vec<&'a Fact>> = BTreeMap::new();
    for fact in facts {
        let (actor, object) = (fact.actor.as_ref(), fact.object.as_ref());
        let key = match by {
            GroupKey::Actor => actor.map(|actor| (Some(actor), None)),
            GroupKey::Object => object.map(|object| (None, Some(object))),
            GroupKey::Pair => actor.zip(object).map(|(actor, object)| (Some(actor), Some(object))),
        };
        if let Some(key) = key {
            groups.entry(key).or_default().push(fact);
        }
    }
    groups.into_values().filter(|group| test(group)).flatten().collect()
}

/// The facts with those that follow them, where any does. Times are compared where they are of one clock.
fn followed(facts: &[&Fact], packet: &Packet, then: &FollowingFact) -> Vec<FactId> {
    let mut ids = Vec::new();
    for follower in packet.facts().iter().filter(|fact| !fact.class.is_opinion() && then.class.contains(&fact.class)) {
        let Some(time) = follower.interval() else { continue };
        let Some(who) = then.to.of(follower) else { continue };
        let earlier = facts.iter().filter(|fact| fact.id != follower.id && then.from.of(fact) == Some(who));
        let before = earlier.filter(|fact| {
            fact.interval().filter(|before| before.clock == time.clock).is_some_and(|before| {
                let limit = i64::try_from(then.within.saturating_mul(1_000_000)).unwrap_or(i64::MAX);
                // A follower that counts others has members at its first and its last time, and others in between.
                [time.first, time.last].iter().any(|time| {
                    // Aggregates end with their last member, which can be after the follower: its own time then counts.
                    let begin = time.micros() - before.first.micros();
                    let after = time.micros() - before.last.micros();
                    begin >= 0 && after <= limit
                })
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
