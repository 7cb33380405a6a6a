//! Sentences of reports: facts, what code checked of an assertion, and what a confidence is of. Names and texts of telemetry are quoted where
//! they hold more than plain letters, so that none of them reads like a word of ours.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::Triage;
use crate::claim::{Assertion, Entailment};
use crate::judge::Verdict;
use crate::listing::{named, quoted};
use crate::rules::Unknown;
use crate::{Entity, EntityKind, Fact};

/// Most characters of a text of telemetry in a sentence.
const MOST: usize = 200;
/// Most hosts that a sentence names.
const MOST_HOSTS: usize = 3;
/// Fields that hold what was run or installed, the most telling first; else the text of the record says most.
const COMMANDS: [&str; 7] =
    ["CommandLine", "command", "ScriptBlockText", "ImagePath", "ServiceFileName", "TaskContent", "message"];

/// A fact in a line: id, time, class, where, who did what to what, what was run, how often.
#[must_use]
pub fn line(fact: &Fact) -> String {
    let mut out = format!("{} ", fact.id);
    // Writing to a string cannot fail.
    if let Some(time) = time(fact) {
        let _ = write!(out, "{time} ");
    }
    let _ = write!(out, "{}: {}", fact.class, fact.action);
    out.push_str(&of_rule(fact).unwrap_or_default());
    if let Some(actor) = &fact.actor {
        let _ = write!(out, ", by {}", named(actor));
    }
    if let Some(object) = &fact.object {
        let _ = write!(out, ", on {}", named(object));
    }
    let own = [&fact.actor, &fact.object];
    if let Some(host) = host(fact).filter(|host| !own.iter().any(|named| named.as_ref() == Some(*host))) {
        let _ = write!(out, ", at {}", named(host));
    }
    let said = COMMANDS.iter().find_map(|name| Some((*name, fact.attributes.get(*name)?)));
    if let Some((name, text)) = said.filter(|(_, text)| !text.is_empty() && !fact.class.is_context()) {
        let _ = write!(out, ", {} {}", if name == "message" { "message" } else { "command" }, quoted(text, MOST));
    }
    if fact.class.is_context() {
        for name in ["from", "until", "note"] {
            if let Some(text) = fact.attributes.get(name) {
                let _ = write!(out, ", {name} {}", quoted(text, MOST));
            }
        }
    }
    if let Some(aggregate) = &fact.aggregate {
        let _ = write!(out, ", {} times", aggregate.count);
        if let Some(last) = aggregate.last {
            let _ = write!(out, " until {last}");
        } else if let Some(clock) = fact.clock {
            let _ = write!(out, " until {}", without_year(clock.last));
        }
    }
    out
}

/// The time of a fact, as people read it; one whose source names no year has marks in the place of the year.
#[must_use]
pub fn time(fact: &Fact) -> Option<String> {
    let utc = fact.time.as_ref().map(|time| time.utc.to_string());
    utc.or_else(|| fact.clock.map(|clock| without_year(clock.first)))
}

fn without_year(time: crate::Utc) -> String {
    let text = time.to_string();
    format!("????{}", text.get(4..19).unwrap_or_default())
}

/// What a line of a hit says of its rule: title, level, id, author and licence, which the Detection Rule License asks to stand with each hit.
fn of_rule(fact: &Fact) -> Option<String> {
    let said = |name: &str| fact.attributes.get(name).map_or("not stated", String::as_str);
    fact.class.is_opinion().then(|| {
        format!(
            ", \"{}\" (level {}, rule {}, by {}, {})",
            said("rule_title"),
            said("rule_level"),
            said("rule_id"),
            said("rule_author"),
            said("rule_license")
        )
    })
}

/// The host that a fact is of.
fn host(fact: &Fact) -> Option<&Entity> {
    fact.about().find(|entity| entity.kind() == EntityKind::Host)
}

/// An open question with the facts that it is about.
pub(super) fn question(unknown: &Unknown) -> String {
    if unknown.facts.is_empty() {
        return unknown.text.clone();
    }
    let facts: Vec<String> = unknown.facts.iter().map(ToString::to_string).collect();
    format!("{} [{}]", unknown.text, facts.join(" "))
}

impl Triage<'_> {
    /// A sentence with the facts behind it.
    pub(super) fn sentence(&self, assertion: &Assertion) -> String {
        let facts: Vec<String> = assertion.facts.iter().map(ToString::to_string).collect();
        let (_, check) = self.check(assertion);
        format!("{} {}{} [{}] ({check})", assertion.kind, assertion.interpretation, self.at(assertion), facts.join(" "))
    }

    /// The hosts that the cited facts are of.
    pub(super) fn at(&self, assertion: &Assertion) -> String {
        let cited = assertion.facts.iter().filter_map(|id| self.packet.fact(*id));
        let hosts: BTreeSet<String> = cited.filter_map(host).map(named).collect();
        if hosts.is_empty() {
            return String::new();
        }
        let shown: Vec<&str> = hosts.iter().take(MOST_HOSTS).map(String::as_str).collect();
        let more = hosts.len().saturating_sub(MOST_HOSTS);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!(", at {}{more}", shown.join(", "))
    }

    /// What code checked of an assertion: its predicate, and not what the speaker takes the facts for. With a word for the style of pages.
    pub(super) fn check(&self, assertion: &Assertion) -> (&'static str, String) {
        let (predicate, confidence) = (&assertion.predicate, assertion.confidence);
        match self.packet.entails(assertion) {
            Entailment::Entailed => {
                ("check", format!("code checked that the facts entail `{predicate}`; confidence {confidence}"))
            }
            Entailment::Contradicted => {
                ("wrong", format!("THE FACTS CONTRADICT `{predicate}`; confidence {confidence}"))
            }
            Entailment::Unchecked => ("check", format!("code cannot check `{predicate}`; confidence {confidence}")),
        }
    }

    /// The confidence with what it is of. That of an inconclusive verdict does not measure danger or safety.
    pub(super) fn confidence(&self) -> String {
        let confidence = self.outcome.confidence;
        match (self.outcome.verdict, self.outcome.balance) {
            (Verdict::Inconclusive, Some(_)) => format!(
                "{confidence} that these facts do not decide it (1 where both sides weigh the same; it does not say how dangerous or harmless the case is)"
            ),
            (Verdict::Inconclusive, None) => {
                format!("{confidence}, the mean of both sides (it does not say how dangerous or harmless the case is)")
            }
            _ => confidence.to_string(),
        }
    }
}
