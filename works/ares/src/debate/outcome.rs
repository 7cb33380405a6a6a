//! From the records of a debate to the verdict that reports of triage show.

use gimbal_core::Milli;
use gimbal_evidence::claim::{Assertion, AssertionKind};
use gimbal_evidence::judge::{Judge, Verdict};
use gimbal_evidence::rules::{Decision, Outcome, Position, RuleSet, SkepticKind, architect, skeptic};
use gimbal_evidence::{FactId, Packet};
use gimbal_messages::records::debate::Asserted;

use super::Debate;
use crate::cases::Side;
use crate::weighing::weighing;

/// Why records give no verdict.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoOutcome {
    /// No verdict was concluded.
    #[error("the debate ended without a verdict")]
    NoVerdict,
    /// A record says what cannot be.
    #[error("a record of the debate cannot be read: {0}")]
    Record(String),
}

impl Debate {
    /// The concluded verdict with the last position of each side. A model names no technique and no rule says what it left open, so both are of
    /// the rules: the techniques of patterns whose facts the Architect cites, and what the deterministic Skeptic finds unanswered.
    ///
    /// # Errors
    /// When no verdict was concluded, or a record names a predicate, fact or judge that does not exist.
    pub fn outcome(&self, packet: &Packet, rules: &RuleSet) -> Result<Outcome, NoOutcome> {
        let concluded = self.concluded().ok_or(NoOutcome::NoVerdict)?;
        let wrong = |what: String| NoOutcome::Record(what);
        let verdict = Verdict::ALL.into_iter().find(|verdict| verdict.name() == concluded.verdict);
        let verdict = verdict.ok_or_else(|| wrong(format!("`{}` is not a verdict", concluded.verdict)))?;
        let judge = judge(&concluded.judge).ok_or_else(|| wrong(format!("`{}` is not a judge", concluded.judge)))?;
        let mut thesis = self.position(Side::Architect)?;
        let mut answer = self.position(Side::Skeptic)?;
        thesis.techniques = techniques(packet, rules, &thesis.cited());
        answer.unknowns = skeptic(packet, rules, SkepticKind::Deterministic, &thesis).unknowns;
        let is_weighed = judge == Decision::Claims.name();
        let balance = weighing(concluded).filter(|_| is_weighed).map(|weighing| weighing.balance);
        Ok(Outcome { architect: thesis, skeptic: answer, verdict, confidence: concluded.certainty, balance, judge })
    }

    fn position(&self, side: Side) -> Result<Position, NoOutcome> {
        let Some(stand) = self.last(side) else {
            return Ok(Position {
                assertions: Vec::new(),
                confidence: Milli::ZERO,
                unknowns: Vec::new(),
                techniques: Vec::new(),
            });
        };
        let claims = self.claims(side, stand.round, stand.vote).filter(|claim| !self.is_struck(claim));
        let assertions = claims.map(assertion).collect::<Result<Vec<_>, _>>()?;
        Ok(Position { assertions, confidence: stand.confidence, unknowns: Vec::new(), techniques: Vec::new() })
    }
}

/// Techniques of the rules that hold over a packet and take one of these facts.
fn techniques(packet: &Packet, rules: &RuleSet, cited: &[FactId]) -> Vec<String> {
    let mut found = Vec::new();
    for rule in &rules.threats {
        let alone = RuleSet { threats: vec![rule.clone()], threshold: Milli(1), ..rules.clone() };
        let holds = architect(packet, &alone).cited().iter().any(|fact| cited.contains(fact));
        if holds && !found.contains(&rule.technique) {
            found.push(rule.technique.clone());
        }
    }
    found.sort();
    found
}

fn assertion(claim: &Asserted) -> Result<Assertion, NoOutcome> {
    let wrong = |what: &dyn std::fmt::Display| NoOutcome::Record(format!("claim {}: {what}", claim.claim));
    let kinds = [AssertionKind::Assert, AssertionKind::Link, AssertionKind::Alt];
    let kind = kinds.into_iter().find(|kind| kind.name() == claim.kind);
    let facts: Result<Vec<FactId>, _> = claim.facts.iter().map(|fact| fact.parse()).collect();
    Ok(Assertion {
        kind: kind.ok_or_else(|| wrong(&format!("`{}` is not a kind of assertion", claim.kind)))?,
        predicate: claim.predicate.parse().map_err(|error| wrong(&error))?,
        facts: facts.map_err(|error| wrong(&error))?,
        confidence: claim.confidence,
        interpretation: claim.interpretation.clone(),
    })
}

/// The name of a judge, as long as the program runs.
fn judge(name: &str) -> Option<&'static str> {
    Judge::NAMES.into_iter().chain([Decision::Claims.name()]).find(|known| *known == name)
}
