//! The signs that a thesis is based on, and what the packet explains of them.

use std::collections::BTreeSet;

use super::{RuleSet, ThreatRule, Weight};
use crate::{Entity, Fact, FactId, Packet};

/// A sign: the facts of one rule, or cited facts that no rule takes.
struct Sign<'a> {
    rule: Option<&'a ThreatRule>,
    facts: Vec<FactId>,
    leading: Vec<FactId>,
}

impl Sign<'_> {
    /// Whether a statement is about what the sign is about.
    fn is_excused_by(&self, context: &Fact) -> bool {
        let Some(rule) = self.rule else { return true };
        let words = &rule.excused_by;
        // What decides alone is explained by a statement that names it, not by any that covers the host.
        if words.is_empty() {
            return rule.weight == Weight::Paired;
        }
        let holds = |text: &str| {
            let text = text.to_lowercase();
            words.iter().any(|word| text.contains(word))
        };
        holds(&context.action) || context.attributes.values().any(|value| holds(value))
    }

    fn weight(&self) -> Weight {
        self.rule.map_or(Weight::Alone, |rule| rule.weight)
    }

    fn technique(&self) -> &str {
        self.rule.map_or("", |rule| &rule.technique)
    }
}

/// The signs behind a thesis with what explains them.
pub(super) struct Case<'a> {
    /// Stated facts with the cited facts that they explain, in the order of their ids.
    pub explanations: Vec<(&'a Fact, Vec<FactId>)>,
    /// The cited facts that are explained.
    pub explained: Vec<FactId>,
    /// Facts that follow a beginning that is explained, within the window of what explains it, without an explanation of their own.
    pub following: Vec<FactId>,
    /// Signs of which something is left open.
    open: Vec<OpenSign<'a>>,
}

/// A sign of which something is left open.
struct OpenSign<'a> {
    weight: Weight,
    technique: String,
    /// The facts that are open.
    facts: Vec<FactId>,
    /// Whom and what they are about.
    about: BTreeSet<&'a Entity>,
}

impl OpenSign<'_> {
    /// Whether two signs are two: of different techniques, neither based on the other's facts, and about something that both share.
    fn pairs_with(&self, other: &Self) -> bool {
        let within = |one: &[FactId], other: &[FactId]| one.iter().all(|id| other.contains(id));
        self.technique != other.technique
            && !within(&self.facts, &other.facts)
            && !within(&other.facts, &self.facts)
            && !self.about.is_disjoint(&other.about)
    }
}

impl<'a> Case<'a> {
    /// Looks at the signs that cite one of these facts.
    pub(super) fn new(packet: &'a Packet, rules: &'a RuleSet, cited: &[FactId]) -> Self {
        let signs = signs(packet, rules, cited);
        let excuses = |context: &Fact, id: &FactId| {
            packet.fact(*id).is_some_and(|fact| crate::claim::covers(context, fact))
                && signs.iter().filter(|sign| sign.facts.contains(id)).all(|sign| sign.is_excused_by(context))
        };
        let contexts: Vec<&Fact> = packet.facts().iter().filter(|fact| fact.class.is_context()).collect();
        let is_explained = |id: &FactId| contexts.iter().any(|context| excuses(context, id));
        let explanations = contexts.iter().map(|context| {
            let facts: Vec<FactId> = cited.iter().copied().filter(|id| excuses(context, id)).collect();
            (*context, facts)
        });
        let explanations = explanations.filter(|(_, facts)| !facts.is_empty()).collect();
        let mut case = Self {
            explanations,
            explained: cited.iter().copied().filter(&is_explained).collect(),
            following: Vec::new(),
            open: Vec::new(),
        };
        for sign in &signs {
            let left: Vec<FactId> = sign.facts.iter().copied().filter(|id| !is_explained(id)).collect();
            if left.is_empty() {
                continue;
            }
            let begun = !sign.leading.is_empty() && sign.leading.iter().all(is_explained);
            // A change that is over does not explain what comes after it.
            let goes_on = |id: &FactId| {
                let of_beginning = |context: &&&Fact| sign.leading.iter().any(|lead| excuses(context, lead));
                packet.fact(*id).is_some_and(|fact| {
                    contexts.iter().filter(of_beginning).any(|context| crate::claim::in_window(context, fact))
                })
            };
            let (follows, left): (Vec<FactId>, Vec<FactId>) = left.into_iter().partition(|id| begun && goes_on(id));
            case.following.extend(follows);
            if !left.is_empty() {
                let about = left.iter().filter_map(|id| packet.fact(*id)).flat_map(Fact::about).collect();
                let technique = sign.technique().to_owned();
                case.open.push(OpenSign { weight: sign.weight(), technique, facts: left, about });
            }
        }
        // What ordinary work shows too, and is nothing but the end of a sequence whose beginning is explained, is settled with it: an account was
        // announced, so that its place in a group was.
        case.open
            .retain(|sign| sign.weight != Weight::Paired || !sign.facts.iter().all(|id| case.following.contains(id)));
        // A fact that another sign leaves open is not settled by the beginning of this one.
        let open: Vec<FactId> = case.open.iter().flat_map(|sign| sign.facts.iter().copied()).collect();
        case.following.retain(|id| !open.contains(id));
        case
    }

    /// Whether a fact is left open that the thesis does not cite: it has room for some facts of a sign only.
    pub(super) fn is_open_beyond(&self, cited: &[FactId]) -> bool {
        self.open.iter().any(|sign| sign.facts.iter().all(|id| !cited.contains(id)))
    }

    /// Whether a sign is left open.
    pub(super) const fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Whether what is open decides: a sign that does so alone, or two that make a pair.
    pub(super) fn decides(&self) -> bool {
        self.open.iter().any(|sign| sign.weight == Weight::Alone)
            || self
                .open
                .iter()
                .enumerate()
                .any(|(index, one)| self.open[index + 1..].iter().any(|other| one.pairs_with(other)))
    }
}

fn signs<'a>(packet: &Packet, rules: &'a RuleSet, cited: &[FactId]) -> Vec<Sign<'a>> {
    let mut signs: Vec<Sign<'a>> = Vec::new();
    for rule in &rules.threats {
        let facts = rule.when.find(packet, &rules.fields);
        if facts.iter().any(|id| cited.contains(id)) {
            let leading = rule.when.leading(packet, &rules.fields, &facts);
            let leading = if rule.when.then.is_some() { leading } else { Vec::new() };
            signs.push(Sign { rule: Some(rule), facts, leading });
        }
    }
    let known = |id: &FactId| signs.iter().any(|sign| sign.facts.contains(id));
    let facts: Vec<FactId> = cited.iter().copied().filter(|id| !known(id)).collect();
    if !facts.is_empty() {
        signs.push(Sign { rule: None, facts, leading: Vec::new() });
    }
    signs
}
