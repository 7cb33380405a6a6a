//! Whether the cited facts entail what an assertion states of them: by code, where code can tell.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Assertion, Predicate};
use crate::fact::records;
use crate::{Class, Entity, EntityKind, Fact, Packet, Utc};

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

/// Whether a stated fact explains an observed one: it names what the observed one is about ([`names`]), and all that was observed lies in
/// its window ([`in_window`]).
pub(crate) fn covers(context: &Fact, fact: &Fact) -> bool {
    names(context, fact) && in_window(context, fact)
}

/// Whether a statement names what an observed fact is about. A statement explains what it names, and no more:
///
/// - An inventory explains only what its entry does itself, where the entry says what it is for (`role` or `note`), or what is done by an address that it names, or to a host whose role is to take
///   backups: that a host is listed excuses nothing that is done to it.
/// - A known account explains what the account does, on the hosts that the statement names, if it names any; and nothing that is done to it.
/// - A known scanner explains what its address does, and the traffic between it and others.
/// - A change explains what is about an entity that it covers. Of an account that is what the account does, and what administration does to
///   it; a guess at its password is not a change.
/// - Where the statement names addresses beside its own, the observed fact is about one of them.
///
/// What was observed earlier, and what was not collected, explain nothing by themselves.
fn names(context: &Fact, fact: &Fact) -> bool {
    let named = named_addresses(context);
    let is_named = |entity: &Entity| named.contains(entity.name());
    let is_own = |entity: &Entity| context.about().any(|own| own == entity);
    let keeps_to_named = || named.is_empty() || fact.about().any(is_named);
    match context.class {
        Class::Inventory => {
            let takes_backups =
                context.attributes.get("role").is_some_and(|role| role.to_lowercase().contains("backup"));
            // That a host is listed says nothing of what it is there for.
            let says_what_for = context.attributes.contains_key("role") || context.attributes.contains_key("note");
            fact.actor.as_ref().is_some_and(|actor| says_what_for && is_own(actor) && keeps_to_named())
                || fact.actor.as_ref().is_some_and(is_named)
                || takes_backups && fact.object.as_ref().is_some_and(is_own)
        }
        Class::KnownAccount => {
            let acts = context.object.as_ref().is_some_and(|account| is_act_of(fact, account));
            acts && is_on_hosts(context, fact) && keeps_to_named()
        }
        Class::KnownScanner => {
            let acts = fact.actor.as_ref().is_some_and(is_own);
            let answers = fact.class == Class::Flow && fact.object.as_ref().is_some_and(is_own);
            (acts || answers) && keeps_to_named()
        }
        Class::ChangeWindow => {
            let is_covered = |entity: &Entity| match entity.kind() {
                EntityKind::Account => is_act_of(fact, entity) || is_administration_of(fact, entity),
                _ => true,
            };
            fact.about().any(|entity| is_own(entity) && is_covered(entity)) && keeps_to_named()
        }
        _ => false,
    }
}

/// Whether all of an observed fact lies in the window of a statement (attributes `from` and `until`). A statement without a window
/// holds at any time. A fact without a time lies in no window, and a bound that cannot be read holds nothing.
pub(crate) fn in_window(context: &Fact, fact: &Fact) -> bool {
    let bound = |name: &str| context.attributes.get(name).map(|text| text.parse::<Utc>());
    match (bound("from"), bound("until")) {
        (None, None) => true,
        (from, until) => fact.span().is_some_and(|(first, last)| {
            from.is_none_or(|from| from.is_ok_and(|from| first >= from))
                && until.is_none_or(|until| until.is_ok_and(|until| last <= until))
        }),
    }
}

/// Fields of a record that name the account under which a process acted.
const DOERS: [&str; 8] = ["SubjectUserName", "User", "SourceUser", "ModifyingUser", "UserId", "UID", "user", "uid"];

/// Whether an observed fact is what an account did: it is the actor, it logged on, or a process acted under it.
fn is_act_of(fact: &Fact, account: &Entity) -> bool {
    let is_object = fact.object.as_ref() == Some(account);
    match fact.class {
        Class::Logon | Class::Logoff | Class::SessionOpened | Class::SessionClosed if is_object => return true,
        // Someone asks for a ticket of the account, uses its credentials or fails to: whether it was the account itself is the question.
        Class::LogonFailed | Class::TicketRequested | Class::ExplicitLogon if is_object => return false,
        _ => {}
    }
    let actor = fact.actor.as_ref();
    if actor == Some(account) {
        return true;
    }
    let by_process = actor.is_some_and(|actor| actor.kind() != EntityKind::Account);
    // Records write it without its domain, or without the mark of a number.
    let plain = account.name().rsplit(['\\', '#']).next().unwrap_or(account.name());
    let is_doer =
        |field: &str| fact.attributes.get(field).is_some_and(|value| value == account.name() || value == plain);
    by_process && !is_object && fact.entities.contains(account) && DOERS.into_iter().any(is_doer)
}

/// Whether an observed fact is what administration does to an account.
fn is_administration_of(fact: &Fact, account: &Entity) -> bool {
    let administers = matches!(
        fact.class,
        Class::AccountCreated
            | Class::AccountChanged
            | Class::AccountDeleted
            | Class::PasswordChanged
            | Class::GroupChanged
            | Class::RemoteDesktop
    );
    administers && fact.about().any(|entity| entity == account)
}

/// Whether an observed fact is on one of the hosts that a statement names; every fact where it names none.
fn is_on_hosts(context: &Fact, fact: &Fact) -> bool {
    let Some(hosts) = context.attributes.get("hosts") else { return true };
    let is_listed = |name: &str| hosts.split(", ").any(|host| host.trim_end_matches('.').eq_ignore_ascii_case(name));
    fact.about()
        .any(|entity| matches!(entity.kind(), EntityKind::Host | EntityKind::Address) && is_listed(entity.name()))
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
