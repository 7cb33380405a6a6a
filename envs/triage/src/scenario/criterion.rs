//! Criteria: what is suspicious, what explains it, and the verdict that follows. Code evaluates them; no one judges.
//!
//! - `THREAT_CONFIRMED`: nothing explains a suspicion that decides alone, or two that decide together and come from
//!   different steps of a technique or from different sources.
//! - `THREAT_DISMISSED`: every suspicion in the packet is explained by a fact of the packet, or there is none.
//! - `INCONCLUSIVE`: a suspicion has no explanation, and decides nothing.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_evidence::judge::Verdict;
use gimbal_evidence::{Fact, FactId, Packet, SourceId, Utc, records};
use serde::{Deserialize, Serialize};

use super::matcher::Matcher;

/// A criterion (evidence that is not named is neither suspicious nor an explanation).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Criterion {
    /// Facts that can explain, by name.
    #[serde(default)]
    pub explanations: BTreeMap<String, Matcher>,
    /// What is suspicious.
    #[serde(default)]
    pub suspicious: Vec<Suspicion>,
}

/// Something suspicious.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suspicion {
    /// What it decides where nothing explains it.
    pub decides: Decides,
    /// Explanations by name; one that is in the packet is enough.
    #[serde(default)]
    pub explained_by: Vec<String>,
    /// The facts.
    pub facts: Matcher,
    /// Its name.
    pub name: String,
    /// The step of a technique that it shows; a pair must show two, or come from two sources.
    #[serde(default)]
    pub step: String,
}

/// What a suspicion without an explanation decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decides {
    /// It has no harmless reading: alone it confirms.
    Alone,
    /// Together with another one it confirms.
    Paired,
    /// It has two readings and never confirms.
    Never,
}

/// A suspicion that is in a packet.
struct FoundSuspicion<'c, 'f> {
    suspicion: &'c Suspicion,
    facts: Vec<&'f Fact>,
    explaining: Vec<&'f Fact>,
}

impl FoundSuspicion<'_, '_> {
    fn is_open(&self) -> bool {
        self.explaining.is_empty()
    }

    fn sources(&self) -> BTreeSet<SourceId> {
        self.facts.iter().filter_map(|fact| fact.locator.as_ref()).map(|locator| locator.source).collect()
    }
}

impl Criterion {
    /// The verdict over a packet.
    #[must_use]
    pub fn verdict(&self, packet: &Packet) -> Verdict {
        self.verdict_over(&packet.facts().iter().collect::<Vec<_>>())
    }

    /// The verdict over some facts: a packet without certain ones, for example.
    #[must_use]
    pub fn verdict_over(&self, facts: &[&Fact]) -> Verdict {
        verdict(&self.found(facts))
    }

    /// The facts on which the verdict rests: of a threat and of an open case the suspicious facts without an explanation, of a dismissed
    /// one those that explain.
    #[must_use]
    pub fn decisive(&self, packet: &Packet) -> Vec<FactId> {
        let facts: Vec<&Fact> = packet.facts().iter().collect();
        let found = self.found(&facts);
        let verdict = verdict(&found);
        let chosen = found.iter().flat_map(|one| match verdict {
            Verdict::ThreatConfirmed if one.is_open() && one.suspicion.decides != Decides::Never => one.facts.clone(),
            Verdict::Inconclusive if one.is_open() => one.facts.clone(),
            Verdict::ThreatDismissed => one.explaining.clone(),
            _ => Vec::new(),
        });
        ids(chosen)
    }

    /// The facts that explain suspicious ones.
    #[must_use]
    pub fn explaining(&self, packet: &Packet) -> Vec<FactId> {
        let facts: Vec<&Fact> = packet.facts().iter().collect();
        ids(self.found(&facts).into_iter().flat_map(|one| one.explaining))
    }

    /// All suspicious facts, explained or not.
    #[must_use]
    pub fn suspicious(&self, packet: &Packet) -> Vec<FactId> {
        let facts: Vec<&Fact> = packet.facts().iter().collect();
        ids(self.found(&facts).into_iter().flat_map(|one| one.facts))
    }

    /// Names that are used and not there, and names that are used twice.
    ///
    /// # Errors
    /// The first mistake, in words.
    pub fn check(&self) -> Result<(), String> {
        let mut names = BTreeSet::new();
        for suspicion in &self.suspicious {
            if !names.insert(suspicion.name.as_str()) {
                return Err(format!("two suspicions are called `{}`", suspicion.name));
            }
            if let Some(missing) = suspicion.explained_by.iter().find(|name| !self.explanations.contains_key(*name)) {
                return Err(format!("`{}` is explained by `{missing}`, which is not an explanation", suspicion.name));
            }
        }
        let used: BTreeSet<&str> =
            self.suspicious.iter().flat_map(|one| &one.explained_by).map(String::as_str).collect();
        if let Some(idle) = self.explanations.keys().find(|name| !used.contains(name.as_str())) {
            return Err(format!("`{idle}` explains nothing"));
        }
        let matchers = self.suspicious.iter().map(|one| &one.facts).chain(self.explanations.values());
        for matcher in matchers {
            if let Some(after) = matcher.after.as_ref().filter(|after| !names.contains(after.as_str())) {
                return Err(format!("`after` names `{after}`, which is not a suspicion"));
            }
            if let Some(pattern) = matcher.broken_pattern() {
                return Err(format!("`{pattern}`: `*` matches anything at the ends of a pattern, and not within it"));
            }
            if matcher.within_seconds.is_some() && matcher.after.is_none() {
                return Err("`within_seconds` needs `after`".to_owned());
            }
        }
        Ok(())
    }

    /// What is suspicious in these facts, with what explains it.
    fn found<'f>(&self, facts: &[&'f Fact]) -> Vec<FoundSuspicion<'_, 'f>> {
        let found = self.suspicious.iter().filter_map(|suspicion| {
            let matched = self.matched(&suspicion.facts, facts);
            if matched.is_empty() {
                return None;
            }
            let explaining = suspicion.explained_by.iter().filter_map(|name| self.explanations.get(name));
            let explaining = explaining.flat_map(|matcher| self.matched(matcher, facts));
            let explaining = explaining.filter(|explanation| covers(explanation, &matched)).collect();
            Some(FoundSuspicion { suspicion, facts: matched, explaining })
        });
        found.collect()
    }

    /// The facts that a matcher selects; `None` if they stand for too few records.
    fn matched<'f>(&self, matcher: &Matcher, facts: &[&'f Fact]) -> Vec<&'f Fact> {
        let mut matched: Vec<&Fact> = facts.iter().copied().filter(|fact| matcher.takes(fact)).collect();
        if let Some(name) = &matcher.after {
            let before = self.suspicious.iter().find(|suspicion| suspicion.name == *name);
            let before: Vec<(Utc, Utc)> = before
                .map(|before| {
                    facts.iter().filter(|fact| before.facts.takes(fact)).filter_map(|fact| fact.span()).collect()
                })
                .unwrap_or_default();
            let within = matcher.within_seconds.map(i64::from);
            matched.retain(|fact| {
                fact.span().is_some_and(|(first, last)| {
                    before.iter().any(|(begun, ended)| {
                        last >= *begun
                            && within.is_none_or(|within| ended.shifted(within).is_none_or(|until| first <= until))
                    })
                })
            });
        }
        if records(&matched) < u64::from(matcher.least) { Vec::new() } else { matched }
    }
}

/// The verdict over what was found.
fn verdict(found: &[FoundSuspicion<'_, '_>]) -> Verdict {
    let open: Vec<&FoundSuspicion<'_, '_>> = found.iter().filter(|one| one.is_open()).collect();
    if open.is_empty() {
        return Verdict::ThreatDismissed;
    }
    let alone = open.iter().any(|one| one.suspicion.decides == Decides::Alone);
    let paired: Vec<_> = open.iter().filter(|one| one.suspicion.decides == Decides::Paired).collect();
    let independent = paired.iter().enumerate().any(|(index, one)| {
        paired.iter().skip(index + 1).any(|other| {
            let (these, those) = (one.sources(), other.sources());
            let apart = !these.is_empty() && !those.is_empty() && these.is_disjoint(&those);
            apart || one.suspicion.step != other.suspicion.step
        })
    });
    if alone || independent { Verdict::ThreatConfirmed } else { Verdict::Inconclusive }
}

/// Whether an explanation with an interval covers all facts; one without an interval always does.
fn covers(explanation: &Fact, facts: &[&Fact]) -> bool {
    let end = |name: &str| explanation.attributes.get(name).and_then(|text| text.parse::<Utc>().ok());
    let (from, until) = (end("from"), end("until"));
    facts
        .iter()
        .filter_map(|fact| fact.span())
        .all(|(first, last)| from.is_none_or(|from| first >= from) && until.is_none_or(|until| last <= until))
}

fn ids<'f>(facts: impl Iterator<Item = &'f Fact>) -> Vec<FactId> {
    facts.map(|fact| fact.id).collect::<BTreeSet<_>>().into_iter().collect()
}
