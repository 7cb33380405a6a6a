//! Conditions of rules over facts.

mod groups;
mod matching;

use std::collections::BTreeMap;

use gimbal_core::Milli;
use serde::{Deserialize, Serialize};

use matching::Matcher;

use crate::{Class, Entity, Fact, FactId, Packet};

/// Names for fields that sources call differently, each with the attributes that it means: `destination_port` for
/// `destinationTransportPort` of NetFlow, `id.resp_p` of Zeek and so on. A condition about such a name holds where it holds for one of the
/// attributes; its number is that of the first one that has a number.
pub type FieldNames = BTreeMap<String, Vec<String>>;

/// Which facts a rule takes. What is not set restricts nothing; texts are compared without regard to capital letters, and several blanks
/// in a row count as one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Condition {
    /// One of these classes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub class: Vec<Class>,
    /// Each field has one of its values; see [`Fact::field`] and [`FieldNames`] for names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub is: BTreeMap<String, Vec<String>>,
    /// None of these fields has one of its values.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub is_not: BTreeMap<String, Vec<String>>,
    /// Each field ends with one of its texts.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub ends: BTreeMap<String, Vec<String>>,
    /// Each field contains one of its texts; the name `any` means all attributes. A text that begins or ends with a blank is found at the
    /// beginning or the end of a value too, and `*` in a text matches anything: `net user * /add`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub contains: BTreeMap<String, Vec<String>>,
    /// None of these fields contains one of its texts.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub without: BTreeMap<String, Vec<String>>,
    /// The fact has none of these fields.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<String>,
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
    /// A fact that must not follow: facts that one follows are not taken. A service that starts again was not put out of use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unless: Option<FollowingFact>,
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
    /// At most so many seconds from the first to the last of them; any time if it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<u64>,
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
    /// At most so many seconds from the first to the last of them; any time if it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<u64>,
}

/// A field that sums up to so much over facts that belong together. Facts that count others add the sum that they keep; facts without the
/// field add nothing.
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
    /// Fields that part facts which are not steady as a whole: by the values of the first, then by those of the first and the second, and so on.
    /// Calls of a program can be hidden between others to the same address, and have a port or a size of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub among: Vec<String>,
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// A second entity that both share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub also: Option<SharedEntity>,
    /// Each field of the later fact has one of its values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub is: BTreeMap<String, Vec<String>>,
    /// Each field of the later fact contains one of its texts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub contains: BTreeMap<String, Vec<String>>,
}

/// An entity that an earlier and a later fact share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharedEntity {
    /// Its role in the earlier fact.
    pub from: EntityRole,
    /// Its role in the later one.
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

    /// The names of fields that it uses.
    pub(super) fn fields(&self) -> impl Iterator<Item = &str> {
        let Self { is, is_not, ends, contains, without, at_least, .. } = self;
        let texts = [is, is_not, ends, contains, without].into_iter().flat_map(BTreeMap::keys);
        let then = self.then.iter().chain(&self.unless);
        let then = then.flat_map(|then| then.is.keys().chain(then.contains.keys()));
        let then = then.chain(&self.lacks);
        let numbers = at_least.keys().chain(self.sum.iter().map(|sum| &sum.field));
        texts.chain(then).chain(numbers).chain(self.distinct.iter().map(|distinct| &distinct.field)).map(String::as_str)
    }

    /// Those of the facts found that a sequence begins with: all of them where nothing must follow.
    pub(super) fn leading(&self, packet: &Packet, names: &FieldNames, found: &[FactId]) -> Vec<FactId> {
        let matcher = Matcher::of(self, names);
        let leads = |id: &FactId| self.then.is_none() || packet.fact(*id).is_some_and(|fact| matcher.takes(fact));
        found.iter().copied().filter(leads).collect()
    }

    /// Those of the facts found that a sequence ends with, in the order of their ids; empty if nothing must follow.
    pub(super) fn following(&self, packet: &Packet, names: &FieldNames, found: &[FactId]) -> Vec<FactId> {
        let matcher = Matcher::of(self, names);
        let follows = |id: &FactId| self.then.is_some() && packet.fact(*id).is_some_and(|fact| !matcher.takes(fact));
        found.iter().copied().filter(follows).collect()
    }

    /// Whether it could hold of a record that is only counted: it names the class of the fact that counts it, nothing that the fact says
    /// speaks against it, and it asks for something in which the counted records differ. `shown` are facts of records of the same group.
    pub(super) fn could_hold_of_counted(&self, counted: &Fact, shown: &[&Fact], names: &FieldNames) -> bool {
        // All records of one pair are in one group.
        let are_enough = self
            .repeated
            .as_ref()
            .is_none_or(|repeated| repeated.by != GroupKey::Pair || counted.count() >= repeated.at_least);
        are_enough && self.class.contains(&counted.class) && Matcher::of(self, names).could_take_counted(counted, shown)
    }

    /// The facts that it takes, in the order of their ids.
    pub(super) fn find(&self, packet: &Packet, names: &FieldNames) -> Vec<FactId> {
        let matcher = Matcher::of(self, names);
        let mut taken: Vec<&Fact> = packet.facts().iter().filter(|fact| matcher.takes(fact)).collect();
        if let Some(unless) = &self.unless {
            taken.retain(|fact| groups::followed(&[fact], packet, unless, names).is_empty());
        }
        let taken = match &self.repeated {
            Some(repeated) => groups::repeated(&taken, repeated),
            None => taken,
        };
        let taken = match &self.distinct {
            Some(distinct) => groups::distinct(&taken, distinct, names),
            None => taken,
        };
        let taken = match &self.sum {
            Some(sum) => groups::sum(&taken, sum, names),
            None => taken,
        };
        let taken = match &self.steady {
            Some(steady) => groups::steady(&taken, steady, names),
            None => taken,
        };
        let mut ids: Vec<FactId> = match &self.then {
            Some(then) => groups::followed(&taken, packet, then, names),
            None => taken.iter().map(|fact| fact.id).collect(),
        };
        ids.sort_unstable();
        ids.dedup();
        ids
    }
}
