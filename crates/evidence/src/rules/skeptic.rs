//! Skeptics by rule: one of keyword rules (ARES-025), one of queries over what the packet states (ARES-131).

use std::collections::BTreeMap;

use gimbal_core::Milli;

use super::architect::{MOST_FACTS, stated, union};
use super::signs::Case;
use super::{Explanation, Position, RuleSet, Unknown, combined};
use crate::claim::{Assertion, AssertionKind, Predicate};
use crate::listing::named;
use crate::{Class, Entity, EntityKind, Fact, FactId, Packet};

/// What a stated fact adds to the explanation that it is, in thousandths: it covers what the Architect cites.
const STATED: Milli = Milli(700);

/// Confidence that there is no threat where something was observed and no rule of the Architect holds. It is low: rules know what they
/// were written for, and on real attacks that nobody wrote them for they are silent about every second one.
const UNSUSPICIOUS: Milli = Milli(400);

/// The Skeptic of rules: stated facts that cover cited ones, and rules over observed facts. Without any explanation its confidence is 0.3 minus a
/// tenth of the Architect's, at least 0.1.
pub(super) fn by_rule(packet: &Packet, rules: &RuleSet, thesis: &Position) -> Position {
    let mut found: BTreeMap<Explanation, (i64, Vec<FactId>, Vec<String>)> = BTreeMap::new();
    for (context, covered) in covering(packet, thesis) {
        let entry = found.entry(of(context)).or_default();
        entry.0 += STATED.0;
        entry.1.push(context.id);
        entry.1.extend(covered);
        entry.2.push(format!("{} states it", context.id));
    }
    for rule in &rules.benign {
        let facts = rule.when.find(packet, &rules.fields);
        if !facts.is_empty() {
            let entry = found.entry(rule.explanation).or_default();
            entry.0 += rule.strength.0;
            entry.1.extend(facts);
            entry.2.push(rule.name.clone());
        }
    }
    let mut assertions = Vec::new();
    let mut kinds = Vec::new();
    for (explanation, (strength, facts, names)) in found {
        let strength = Milli(strength.min(1000));
        if strength < rules.threshold {
            continue;
        }
        let facts = union(std::iter::once(&facts));
        kinds.push((strength, facts.len()));
        let interpretation = format!("{}: {}", explanation.name(), names.join(", "));
        assertions.push(stated(packet, AssertionKind::Alt, facts, &[], strength, interpretation));
    }
    let confidence = combined(&kinds).unwrap_or(Milli((300 - thesis.confidence.0 / 10).max(100)));
    Position { assertions, confidence, unknowns: unknowns(packet, thesis, &[]), techniques: Vec::new() }
}

/// The Skeptic of queries. It asks of each sign that the thesis is based on which of its facts the packet explains, and what is left.
///
/// - A stated fact that covers cited ones, and holds a word that excuses each sign they belong to, is an explanation.
/// - What follows a beginning that is explained belongs to it, as long as it lies in the window of what explains the beginning.
/// - Where a sign is open in facts for which the thesis had no room, its explanations of the others decide nothing.
/// - Where no sign is left open that decides, but one of those that ordinary work shows too, it says so with the confidence of the thesis:
///   the judge is left without a decision.
///
/// Confidence that there is no threat, in thousandths:
///
/// - nothing was asserted and something was observed: 400;
/// - nothing was observed: 500, since what was not collected decides nothing;
/// - signs are open, and they do not decide: that of the thesis;
/// - else 500, minus 200 times the confidence of the thesis, plus 400 times the share of cited facts that are explained, and 100 more when
///   no sign is open.
pub(super) fn deterministic(packet: &Packet, rules: &RuleSet, thesis: &Position) -> Position {
    let observed = packet.facts().iter().any(|fact| is_observed(fact) && fact.class != Class::Damaged);
    let cited = observed_of(packet, thesis);
    if cited.is_empty() {
        return unopposed(packet, thesis, observed);
    }
    let case = Case::new(packet, rules, &cited);
    let mut assertions = Vec::new();
    let beyond = case.is_open_beyond(&cited);
    let stated = if beyond { Milli::ZERO } else { STATED };
    for (context, facts) in &case.explanations {
        let rest = if beyond { ", and not all of the sign" } else { "" };
        let interpretation = format!("{}: {} covers what is cited{rest}", of(context).name(), context.id);
        // An assertion has room for some facts only, and what it leaves out would stay open.
        for some in facts.chunks(MOST_FACTS - 1) {
            let both = [some, &[context.id]].concat();
            assertions.push(alternative(Predicate::Explained, both, stated, interpretation.clone()));
        }
    }
    let (open, decides) = (case.is_open(), case.decides());
    for assertion in &thesis.assertions {
        let left = |id: &FactId| cited.contains(id) && !case.explained.contains(id);
        let left: Vec<FactId> = assertion.facts.iter().copied().filter(left).collect();
        let (follows, other): (Vec<FactId>, Vec<FactId>) = left.into_iter().partition(|id| case.following.contains(id));
        if !follows.is_empty() {
            // Beside an open sign it weighs as much as the thesis gives it; else it is cited with the beginning that is explained.
            let beginning = assertion.facts.iter().copied().filter(|id| !open && case.explained.contains(id));
            let mut follows: Vec<FactId> = follows.into_iter().chain(beginning).collect();
            follows.sort_unstable();
            let confidence = if open { assertion.confidence } else { stated };
            let means = Predicate::Means("it belongs to what a statement of the packet explains".to_owned());
            let interpretation = "it follows a beginning that is explained".to_owned();
            assertions.push(alternative(means, follows, confidence, interpretation));
        }
        if open && !decides && !other.is_empty() {
            let means = Predicate::Means("ordinary work looks like this too".to_owned());
            let interpretation = "a sign that decides only beside another one, in other facts".to_owned();
            assertions.push(alternative(means, other, assertion.confidence, interpretation));
        }
    }
    let confidence = if open && !decides {
        thesis.confidence
    } else {
        let share = 400 * case.explained.len() as i64 / cited.len() as i64;
        let all = if open { 0 } else { 100 };
        Milli((500 - thesis.confidence.0 / 5 + share + all).clamp(0, 1000))
    };
    let unknowns = unknowns(packet, thesis, &case.explained);
    Position { assertions, confidence, unknowns, techniques: Vec::new() }
}

/// The answer to a thesis that cites nothing observed.
fn unopposed(packet: &Packet, thesis: &Position, observed: bool) -> Position {
    let mut assertions = Vec::new();
    if observed {
        let facts = packet.facts().iter().filter(|fact| is_observed(fact)).map(|fact| fact.id);
        let facts = facts.take(MOST_FACTS).collect();
        let means = Predicate::Means("nothing that the rules know as a sign of a threat".to_owned());
        let interpretation = "no rule of the Architect holds over what was observed".to_owned();
        assertions.push(alternative(means, facts, UNSUSPICIOUS, interpretation));
    }
    let confidence = if observed { UNSUSPICIOUS } else { Milli(500) };
    Position { assertions, confidence, unknowns: unknowns(packet, thesis, &[]), techniques: Vec::new() }
}

fn alternative(predicate: Predicate, facts: Vec<FactId>, confidence: Milli, interpretation: String) -> Assertion {
    Assertion { kind: AssertionKind::Alt, predicate, facts, confidence, interpretation }
}

/// The observed facts that the thesis cites: what a person stated needs no explanation.
fn observed_of(packet: &Packet, thesis: &Position) -> Vec<FactId> {
    let observed = |id: &FactId| packet.fact(*id).is_some_and(is_observed);
    thesis.cited().into_iter().filter(observed).collect()
}

/// Whether a sensor saw it: neither a person nor someone else's rule said it.
fn is_observed(fact: &Fact) -> bool {
    !fact.class.is_context() && !fact.class.is_opinion()
}

/// Stated facts with the cited facts that they cover, in the order of their ids.
fn covering<'a>(packet: &'a Packet, thesis: &Position) -> Vec<(&'a Fact, Vec<FactId>)> {
    let cited = observed_of(packet, thesis);
    let contexts = packet.facts().iter().filter(|fact| fact.class.is_context());
    let with = contexts.map(|context| {
        let covers = |id: &&FactId| packet.fact(**id).is_some_and(|fact| crate::claim::covers(context, fact));
        (context, cited.iter().filter(covers).copied().collect::<Vec<FactId>>())
    });
    with.filter(|(_, covered)| !covered.is_empty()).collect()
}

/// The explanation that a stated fact gives.
fn of(context: &Fact) -> Explanation {
    let says = |word: &str| {
        context.action.to_lowercase().contains(word)
            || context.attributes.values().any(|value| value.to_lowercase().contains(word))
    };
    match context.class {
        Class::ChangeWindow if says("backup") => Explanation::Backup,
        Class::ChangeWindow if says("update") || says("patch") => Explanation::Update,
        Class::ChangeWindow => Explanation::Maintenance,
        Class::KnownScanner => Explanation::SecurityTool,
        Class::KnownAccount if says("develop") => Explanation::Development,
        Class::KnownAccount => Explanation::KnownAdmin,
        _ if says("backup") => Explanation::Backup,
        _ => Explanation::LegitimateRemote,
    }
}

/// The host that a fact is of.
fn host_of(fact: &Fact) -> Option<&Entity> {
    fact.about().find(|entity| entity.kind() == EntityKind::Host)
}

/// What would settle the question: of each assertion that nothing covers, a statement about whom it is about; sources that were not
/// collected. Each is about the facts that it follows from.
fn unknowns(packet: &Packet, thesis: &Position, covered: &[FactId]) -> Vec<Unknown> {
    let mut unknowns: Vec<Unknown> = Vec::new();
    for assertion in &thesis.assertions {
        let open = || assertion.facts.iter().filter(|id| !covered.contains(id)).filter_map(|id| packet.fact(*id));
        if let Some(actor) = open().find_map(|fact| fact.actor.as_ref()) {
            let text = format!(
                "whether {} was expected to do this: an inventory entry, a change or a known account",
                named(actor)
            );
            let own = open().filter(|fact| fact.actor.as_ref() == Some(actor));
            unknowns.push(Unknown { text, facts: own.map(|fact| fact.id).collect() });
        } else if let Some(about) = open().find_map(|fact| fact.object.as_ref().or_else(|| host_of(fact))) {
            let is_about = |fact: &&Fact| fact.object.as_ref().or_else(|| host_of(fact)) == Some(about);
            let host = open().find(is_about).and_then(host_of).filter(|host| *host != about);
            let at = host.map(|host| format!(" at {}", named(host))).unwrap_or_default();
            let text =
                format!("who did this to {}{at}, and whether it was announced: a change that covers it", named(about));
            unknowns.push(Unknown { text, facts: open().filter(is_about).map(|fact| fact.id).collect() });
        }
    }
    for fact in packet.facts().iter().filter(|fact| fact.class == Class::NotCollected) {
        let text = format!("what {} says was not collected ({})", fact.id, fact.action);
        unknowns.push(Unknown { text, facts: vec![fact.id] });
    }
    unknowns.dedup_by(|next, kept| {
        let same = next.text == kept.text;
        if same {
            kept.facts.append(&mut next.facts);
            kept.facts.sort_unstable();
            kept.facts.dedup();
        }
        same
    });
    unknowns.truncate(5);
    unknowns
}
