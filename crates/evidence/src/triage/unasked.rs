//! Records that were read and that no rule can judge: those of classes that no rule asks about, messages that tell of logons in words that no
//! grammar knows, and Windows events without their data.

use std::collections::{BTreeMap, BTreeSet};

use super::authenticators;
use crate::fact::{TELLS_OF_A_LOGON, records};
use crate::rules::RuleSet;
use crate::{Class, Fact, FactId, Locator, Packet, SourceId, SourceKind};

/// Records of the sources of which no fact is of a class that a rule names. Rules that look for words in facts of any class ask about none.
pub(super) fn unclassified(packet: &Packet, rules: &RuleSet) -> u64 {
    let asked = |class: Class| {
        rules.threats.iter().any(|rule| {
            let following = rule.when.then.iter().flat_map(|then| &then.class);
            rule.when.class.iter().chain(following).any(|named| *named == class)
        })
    };
    let mut sources: BTreeMap<SourceId, bool> = BTreeMap::new();
    for fact in packet.facts().iter().filter(|fact| is_observed(fact)) {
        if let Some(locator) = &fact.locator {
            *sources.entry(locator.source).or_default() |= asked(fact.class);
        }
    }
    let unasked = |id: SourceId| sources.get(&id).is_some_and(|is_asked| !is_asked);
    let header = packet.header().sources.iter();
    header.filter(|source| source.kind != SourceKind::Manual && unasked(source.id)).map(|source| source.records.0).sum()
}

/// Messages that tell of logons and that no grammar knows: how many, and which programs wrote them. Messages of programs that log people on
/// are such messages in whatever words they are, unless they are known to tell of none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnreadLogons {
    /// How many there are.
    pub count: u64,
    /// How many of them are such messages only because of the program that wrote them: nothing is known of their words.
    pub in_unknown_words: u64,
    /// The first of them that is a fact of its own, with its place.
    pub example: Option<(FactId, Locator)>,
    /// The programs, as they call themselves.
    pub programs: BTreeSet<String>,
}

/// The messages of a packet that tell of logons and that no grammar knows.
pub(super) fn unread_logons(packet: &Packet) -> UnreadLogons {
    let mut groups: BTreeMap<(&str, &str), Vec<&Fact>> = BTreeMap::new();
    for fact in packet.facts().iter().filter(|fact| fact.class == Class::Message) {
        let program = fact.actor.as_ref().map_or("", |actor| actor.name());
        groups.entry((program, fact.action.as_str())).or_default().push(fact);
    }
    let mut found = UnreadLogons::default();
    for ((program, action), facts) in groups {
        let told = action == TELLS_OF_A_LOGON;
        let unread = if told { facts.clone() } else { unread_of(&facts) };
        if unread.is_empty() {
            continue;
        }
        let is_own = |fact: &&&Fact| fact.aggregate.is_none();
        let (own, own_unread) = (facts.iter().filter(is_own).count(), unread.iter().filter(is_own).count());
        // A fact that counts messages counts those that are shown too, of which some are known.
        let count = records(&unread).saturating_sub((own - own_unread) as u64).max(own_unread as u64);
        found.count += count;
        found.in_unknown_words += if told { 0 } else { count };
        if !program.is_empty() {
            found.programs.insert(program.to_owned());
        }
        let own = unread.iter().filter_map(|fact| Some((fact.id, fact.locator.clone()?)));
        found.example = found.example.into_iter().chain(own).min_by_key(|(id, _)| *id);
    }
    found
}

/// The facts of a group of messages of a program, of which neither a grammar nor a list knows what they say. A program writes in one language:
/// a fact that counts messages which differ is one of them if a message that is shown is, or none is shown.
fn unread_of<'a>(facts: &[&'a Fact]) -> Vec<&'a Fact> {
    let is_unread = |fact: &Fact| authenticators::is_unread(fact) == Some(true);
    let shown: Vec<&Fact> = facts.iter().copied().filter(|fact| fact.aggregate.is_none()).collect();
    let is_known = !shown.is_empty() && !shown.iter().any(|fact| is_unread(fact));
    if is_known { Vec::new() } else { facts.iter().copied().filter(|fact| is_unread(fact)).collect() }
}

/// Classes of Windows events that are about someone: a fact of them that names nobody and nothing was read without its data.
const ABOUT_SOMEONE: [Class; 17] = [
    Class::Logon,
    Class::LogonFailed,
    Class::ExplicitLogon,
    Class::PrivilegesAssigned,
    Class::TicketRequested,
    Class::ProcessStarted,
    Class::ProcessAccessed,
    Class::ServiceInstalled,
    Class::TaskCreated,
    Class::TaskChanged,
    Class::AccountCreated,
    Class::AccountChanged,
    Class::AccountDeleted,
    Class::PasswordChanged,
    Class::GroupChanged,
    Class::ShareAccessed,
    Class::ScriptRun,
];

/// Fields that such events have, whoever they name.
const DATA: [&str; 9] = [
    "CommandLine",
    "Data",
    "IpAddress",
    "LogonType",
    "ScriptBlockText",
    "ServiceSid",
    "Status",
    "SubjectLogonId",
    "TargetSid",
];

/// Windows events that name nobody and nothing and have no data, though events of their class do: an export left them out.
pub(super) fn without_data(packet: &Packet) -> u64 {
    let names_nothing =
        |fact: &&Fact| fact.actor.is_none() && fact.object.is_none() && ABOUT_SOMEONE.contains(&fact.class);
    let mut groups: BTreeMap<(Class, &str), Vec<&Fact>> = BTreeMap::new();
    for fact in packet.facts().iter().filter(names_nothing) {
        groups.entry((fact.class, fact.action.as_str())).or_default().push(fact);
    }
    // Facts that count others have no fields: those beside them say what they are.
    let lacks = |fact: &&Fact| {
        fact.attributes.contains_key("EventID") && !DATA.iter().any(|name| fact.attributes.contains_key(*name))
    };
    groups.values().filter(|facts| facts.iter().any(lacks)).map(|facts| records(facts)).sum()
}

/// Whether a record was read and says something: no person stated it, and no rule.
pub(super) fn is_observed(fact: &Fact) -> bool {
    !fact.class.is_context() && !fact.class.is_opinion() && fact.class != Class::Damaged
}
