//! Queries over a packet: by id, entity, field and time (ARES-009).

use std::collections::HashMap;

use thiserror::Error;

use crate::{Class, Entity, Fact, FactId, Packet, Utc};

/// Which facts are asked for; what is not set restricts nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of this class.
    pub class: Option<Class>,
    /// About this entity.
    pub entity: Option<Entity>,
    /// With this field, and this value where one is given. See [`Fact::field`] for names.
    pub field: Option<(String, Option<String>)>,
    /// At this time or later.
    pub since: Option<Utc>,
    /// Before this time.
    pub until: Option<Utc>,
}

impl Filter {
    /// Whether a fact is asked for. A fact without a time is in no range of times.
    #[must_use]
    pub fn takes(&self, fact: &Fact) -> bool {
        let time = fact.time.as_ref().map(|time| time.utc);
        self.class.is_none_or(|class| fact.class == class)
            && self.entity.as_ref().is_none_or(|entity| fact.about().any(|about| about == entity))
            && self.field.as_ref().is_none_or(|(name, value)| {
                fact.field(name).is_some_and(|found| value.as_ref().is_none_or(|value| found == *value))
            })
            && self.since.is_none_or(|since| time.is_some_and(|time| time >= since))
            && self.until.is_none_or(|until| time.is_some_and(|time| time < until))
    }
}

/// Ids that the packet does not have: a citation that was made up (ARES-008).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the packet has no fact {}", .0.join(", "))]
pub struct UnknownFacts(pub Vec<String>);

/// What records are counted by.
type GroupOf<'f> = (Class, &'f str, Option<&'f Entity>, Option<&'f Entity>);

fn group_of(fact: &Fact) -> GroupOf<'_> {
    (fact.class, fact.action.as_str(), fact.actor.as_ref(), fact.object.as_ref())
}

impl Packet {
    /// The facts that are asked for, in the order of their ids.
    pub fn find<'a>(&'a self, filter: &'a Filter) -> impl Iterator<Item = &'a Fact> {
        self.facts().iter().filter(|fact| filter.takes(fact))
    }

    /// How many records that the selection took are in no fact: they have none of their own, and none counts them. Facts are then as many as the
    /// selection allows.
    #[must_use]
    pub fn in_no_fact(&self) -> u64 {
        let mut alone: HashMap<GroupOf<'_>, u64> = HashMap::new();
        for fact in self.facts().iter().filter(|fact| fact.aggregate.is_none()) {
            *alone.entry(group_of(fact)).or_default() += fact.repeated();
        }
        let counted = self.facts().iter().filter(|fact| !fact.class.is_opinion()).filter_map(|fact| {
            let count = fact.aggregate.as_ref()?.count.0;
            Some(count.saturating_sub(alone.get(&group_of(fact)).copied().unwrap_or(0)))
        });
        self.header().left_out.count.0.saturating_sub(counted.sum())
    }

    /// Reads a list of cited ids.
    ///
    /// # Errors
    /// All texts that are not ids of facts in this packet.
    pub fn validate<T: AsRef<str>>(&self, ids: &[T]) -> Result<Vec<FactId>, UnknownFacts> {
        let mut known = Vec::with_capacity(ids.len());
        let mut unknown = Vec::new();
        for text in ids.iter().map(AsRef::as_ref) {
            match text.parse::<FactId>().ok().filter(|id| self.fact(*id).is_some()) {
                Some(id) => known.push(id),
                None => unknown.push(text.to_owned()),
            }
        }
        if unknown.is_empty() { Ok(known) } else { Err(UnknownFacts(unknown)) }
    }
}
