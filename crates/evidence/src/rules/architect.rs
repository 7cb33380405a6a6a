//! The Architect by rule (ARES-023, ARES-024).

use std::collections::BTreeMap;

use gimbal_core::Milli;

use super::{Pattern, Position, RuleSet, ThreatRule, combined};
use crate::claim::{Assertion, AssertionKind, Predicate};
use crate::{Fact, FactId, Packet};

/// Most facts that an assertion cites.
pub(super) const MOST_FACTS: usize = 12;
/// Confidence when no pattern is found.
const NOTHING: Milli = Milli(100);

/// What the rules find in the packet.
pub(super) fn act(packet: &Packet, rules: &RuleSet) -> Position {
    let mut patterns: BTreeMap<Pattern, Vec<(&ThreatRule, Vec<FactId>)>> = BTreeMap::new();
    for rule in &rules.threats {
        let facts = rule.when.find(packet, &rules.fields);
        if !facts.is_empty() {
            patterns.entry(rule.pattern).or_default().push((rule, facts));
        }
    }
    let mut assertions = Vec::new();
    let mut kinds = Vec::new();
    let mut techniques = Vec::new();
    for (pattern, hits) in patterns {
        let strength = Milli(hits.iter().map(|(rule, _)| rule.strength.0).sum::<i64>().min(1000));
        if strength < rules.threshold {
            continue;
        }
        let facts = union(hits.iter().map(|(_, facts)| facts));
        kinds.push((strength, facts.len()));
        techniques.extend(hits.iter().map(|(rule, _)| rule.technique.clone()));
        let names: Vec<String> = hits.iter().map(|(rule, _)| format!("{} ({})", rule.name, rule.technique)).collect();
        let interpretation = format!("{}: {}", pattern.name(), names.join(", "));
        // The step that makes a sequence what it is: guesses are one thing, and the one that is accepted another.
        let last = |(rule, facts): &(&ThreatRule, Vec<FactId>)| rule.when.following(packet, &rules.fields, facts);
        let last: Vec<FactId> = hits.iter().flat_map(last).collect();
        assertions.push(stated(packet, AssertionKind::Assert, facts, &last, strength, interpretation));
    }
    assertions.sort_by(|one, other| other.confidence.cmp(&one.confidence).then(one.facts.cmp(&other.facts)));
    techniques.sort();
    techniques.dedup();
    Position { assertions, confidence: combined(&kinds).unwrap_or(NOTHING), unknowns: Vec::new(), techniques }
}

/// All facts of several lists, each once, in the order of their ids.
pub(super) fn union<'a>(lists: impl Iterator<Item = &'a Vec<FactId>>) -> Vec<FactId> {
    let mut all: Vec<FactId> = lists.flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// An assertion with the strongest predicate that code can check: how many records, or of which class. Where there are too many facts, those
/// that decide are cited first (`last`: the last steps of sequences), then those that count others, then the rest in the order of their ids.
pub(super) fn stated(
    packet: &Packet,
    kind: AssertionKind,
    mut facts: Vec<FactId>,
    last: &[FactId],
    confidence: Milli,
    interpretation: String,
) -> Assertion {
    let counts = |id: &FactId| packet.fact(*id).is_some_and(|fact| fact.aggregate.is_some());
    // A sequence with many last steps leaves room for what they follow.
    let decides: Vec<FactId> = last.iter().copied().take(MOST_FACTS / 2).collect();
    facts.sort_by_key(|id| (!decides.contains(id), !counts(id), *id));
    facts.truncate(MOST_FACTS);
    facts.sort_unstable();
    let cited: Vec<&Fact> = facts.iter().filter_map(|id| packet.fact(*id)).collect();
    let counted: u64 = cited.iter().filter(|fact| fact.aggregate.is_some()).map(|fact| fact.count()).sum();
    let class = cited.first().map(|fact| fact.class).filter(|class| cited.iter().all(|fact| fact.class == *class));
    let predicate = match (counted, class) {
        (0, Some(class)) => Predicate::Class(class),
        (0, None) => Predicate::Count(cited.len() as u64),
        (counted, _) => Predicate::Count(counted),
    };
    Assertion { kind, predicate, facts, confidence, interpretation }
}
