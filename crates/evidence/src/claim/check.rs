//! Whether the cited facts entail what an assertion states of them: by code, where code can tell.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Assertion, Predicate};
use crate::fact::records;
use crate::{Class, Entity, Fact, Packet, Utc};

/// What code says of an assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entailment {
    /// The cited facts entail it.
    Entailed,
    /// The facts say otherwise.
    Contradicted,
    /// Code cannot tell.
    Unchecked,
}

impl Entailment {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Entailed => "entailed",
            Self::Contradicted => "contradicted",
            Self::Unchecked => "unchecked",
        }
    }

    const fn of(holds: bool) -> Self {
        if holds { Self::Entailed } else { Self::Contradicted }
    }
}

impl Packet {
    /// Whether the cited facts entail an assertion. One that cites no fact, or one that the packet lacks, is contradicted: what is not in the
    /// packet does not exist (ARES-001).
    #[must_use]
    pub fn entails(&self, assertion: &Assertion) -> Entailment {
        let cited: Option<Vec<&Fact>> = assertion.facts.iter().map(|id| self.fact(*id)).collect();
        let Some(cited) = cited.filter(|cited| !cited.is_empty()) else { return Entailment::Contradicted };
        let each = |test: &dyn Fn(&Fact) -> bool| Entailment::of(cited.iter().all(|fact| test(fact)));
        match &assertion.predicate {
            Predicate::Class(class) => each(&|fact| fact.class == *class),
            Predicate::Count(number) => Entailment::of(records(&cited) >= *number),
            Predicate::Field { name, value } => each(&|fact| fact.field(name).as_deref() == Some(value)),
            Predicate::Mentions(text) => {
                let text = text.to_lowercase();
                each(&|fact| fact.attributes.values().any(|value| value.to_lowercase().contains(&text)))
            }
            Predicate::About(entity) => each(&|fact| fact.about().any(|about| about == entity)),
            Predicate::SameActor => one_and_the_same(cited.iter().map(|fact| fact.actor.as_ref())),
            Predicate::SameObject => one_and_the_same(cited.iter().map(|fact| fact.object.as_ref())),
            Predicate::InOrder => timed(&cited, |spans| spans.is_sorted_by(|one, next| one.1 <= next.0)),
            Predicate::Within(seconds) => timed(&cited, |spans| {
                let first = spans.iter().map(|span| span.0.micros()).min();
                let last = spans.iter().map(|span| span.1.micros()).max();
                let span = last.zip(first).map_or(0, |(last, first)| last - first);
                u64::try_from(span / 1_000_000).unwrap_or(0) <= *seconds
            }),
            Predicate::Absent(class) => {
                let about: BTreeSet<&Entity> = cited.iter().flat_map(|fact| fact.about()).collect();
                let present = self
                    .facts()
                    .iter()
                    .any(|fact| fact.class == *class && fact.about().any(|entity| about.contains(entity)));
                Entailment::of(!present)
            }
            Predicate::Explained => explained(&cited),
            Predicate::Means(_) => Entailment::Unchecked,
        }
    }
}

fn one_and_the_same<'a>(entities: impl Iterator<Item = Option<&'a Entity>>) -> Entailment {
    let found: BTreeSet<Option<&Entity>> = entities.collect();
    Entailment::of(found.len() == 1 && !found.contains(&None))
}

/// A statement about times: unchecked where a fact has none.
fn timed(cited: &[&Fact], test: impl Fn(&[(Utc, Utc)]) -> bool) -> Entailment {
    let spans: Option<Vec<(Utc, Utc)>> = cited.iter().map(|fact| fact.span()).collect();
    spans.map_or(Entailment::Unchecked, |spans| Entailment::of(test(&spans)))
}

/// Whether the facts that a person stated cover the observed ones among those cited.
fn explained(cited: &[&Fact]) -> Entailment {
    let (stated, observed): (Vec<&Fact>, Vec<&Fact>) = cited.iter().copied().partition(|fact| fact.class.is_context());
    if stated.is_empty() || observed.is_empty() {
        return Entailment::Contradicted;
    }
    Entailment::of(observed.iter().all(|fact| stated.iter().any(|context| covers(context, fact))))
}

/// Whether a stated fact explains an observed one. What must hold:
///
/// - Both are about one entity. An inventory explains only what its entry does itself, or what is done by an address that it names, or to a
///   host whose role is to take backups: that a host is listed excuses nothing that is done to it.
/// - Where the statement names addresses beside its own, the observed fact is about one of them.
/// - All that was observed lies in the window of the stated one, where it names one (attributes `from` and `until`).
///
/// What was observed earlier, and what was not collected, explain nothing by themselves.
pub(crate) fn covers(context: &Fact, fact: &Fact) -> bool {
    let named = named_addresses(context);
    let is_named = |entity: &Entity| named.contains(entity.name());
    let is_own = |entity: &Entity| context.about().any(|own| own == entity);
    let shares = match context.class {
        Class::History | Class::NotCollected => false,
        Class::Inventory => {
            let takes_backups =
                context.attributes.get("role").is_some_and(|role| role.to_lowercase().contains("backup"));
            fact.actor.as_ref().is_some_and(|actor| is_own(actor) && (named.is_empty() || fact.about().any(is_named)))
                || fact.actor.as_ref().is_some_and(is_named)
                || takes_backups && fact.object.as_ref().is_some_and(is_own)
        }
        _ => fact.about().any(is_own) && (named.is_empty() || fact.about().any(is_named)),
    };
    let bound = |name: &str| context.attributes.get(name).map(|text| text.parse::<Utc>());
    let within = match (bound("from"), bound("until")) {
        (None, None) => true,
        (from, until) => fact.span().is_some_and(|(first, last)| {
            // A bound that cannot be read covers nothing.
            from.is_none_or(|from| from.is_ok_and(|from| first >= from))
                && until.is_none_or(|until| until.is_ok_and(|until| last <= until))
        }),
    };
    shares && within
}

/// Addresses in the text of a statement, beside those that it is about.
fn named_addresses(context: &Fact) -> BTreeSet<&str> {
    // What these hold is what the statement is about, or its window.
    const ABOUT: [&str; 6] = ["address", "addresses", "covers", "about", "from", "until"];
    let texts = context.attributes.iter().filter(|(name, _)| !ABOUT.contains(&name.as_str()));
    let words = texts.flat_map(|(_, text)| text.split(|sign: char| !(sign.is_ascii_hexdigit() || ".:".contains(sign))));
    let addresses =
        words.map(|word| word.trim_matches([':', '.'])).filter(|word| word.parse::<std::net::IpAddr>().is_ok());
    addresses.filter(|word| !context.about().any(|own| own.name() == *word)).collect()
}
