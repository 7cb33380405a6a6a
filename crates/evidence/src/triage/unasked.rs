//! Records that were read and that no rule can judge: those of classes that no rule asks about, messages that tell of logons in words that no
//! grammar knows, and Windows events without their data.

use std::collections::{BTreeMap, BTreeSet};

use crate::fact::{TELLS_OF_A_LOGON, records};
use crate::rules::RuleSet;
use crate::{Class, Fact, Packet, SourceId, SourceKind};

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

/// Messages that tell of logons and that no grammar knows: how many, and which programs wrote them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnreadLogons {
    /// How many there are.
    pub count: u64,
    /// The programs, as they call themselves.
    pub programs: BTreeSet<String>,
}

/// The messages of a packet that tell of logons and that no grammar knows.
pub(super) fn unread_logons(packet: &Packet) -> UnreadLogons {
    let mut by_program: BTreeMap<&str, Vec<&Fact>> = BTreeMap::new();
    for fact in packet.facts().iter().filter(|fact| fact.class == Class::Message && fact.action == TELLS_OF_A_LOGON) {
        let program = fact.actor.as_ref().map_or("", |actor| actor.name());
        by_program.entry(program).or_default().push(fact);
    }
    UnreadLogons {
        count: by_program.values().map(|facts| records(facts)).sum(),
        programs: by_program
            .keys()
            .filter(|program| !program.is_empty())
            .map(|program| (*program).to_owned())
            .collect(),
    }
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
