//! Agents by rule: an Architect that looks for patterns of threats, and a Skeptic that looks for explanations (ARES-023 to ARES-027,
//! ARES-131). Rules are data, and each names a public source. They read facts of a packet and nothing else.

mod architect;
mod condition;
mod confidence;
mod counted;
mod signs;
mod skeptic;

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::Milli;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use condition::{
    Condition, Distinct, EntityRole, FieldNames, FollowingFact, GroupKey, Repeated, SharedEntity, Steady, Sum,
};
use confidence::combined;
pub use counted::counted_only;

use crate::claim::{Assertion, Entailment, Predicate};
use crate::judge::{Arithmetic, Certainty, ClaimScore, Judge, Positions, Side, Verdict, Weighing, judge_claims};
use crate::{FactId, Packet};

/// Patterns of threats (ARES-027).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// More privileges than before.
    PrivilegeEscalation,
    /// A process that is rarely ordinary.
    SuspiciousProcess,
    /// Passwords, hashes or tickets are read or guessed.
    CredentialAccess,
    /// From one host to the next.
    LateralMovement,
    /// A service, task or account that stays.
    ServiceAbuse,
    /// Logs, audit or protection are switched off.
    DefenseEvasion,
    /// Hosts, ports or names are probed.
    Scanning,
    /// Data leaves.
    Exfiltration,
}

impl Pattern {
    /// The word in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PrivilegeEscalation => "privilege_escalation",
            Self::SuspiciousProcess => "suspicious_process",
            Self::CredentialAccess => "credential_access",
            Self::LateralMovement => "lateral_movement",
            Self::ServiceAbuse => "service_abuse",
            Self::DefenseEvasion => "defense_evasion",
            Self::Scanning => "scanning",
            Self::Exfiltration => "exfiltration",
        }
    }
}

/// Explanations without a threat (ARES-025, ARES-027).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Explanation {
    /// A change that was announced.
    Maintenance,
    /// An administrator who is known to do this.
    KnownAdmin,
    /// A task that runs by plan.
    ScheduledTask,
    /// An update of software.
    Update,
    /// Remote access that is expected.
    LegitimateRemote,
    /// A tool of the defenders, such as a scanner.
    SecurityTool,
    /// Work of developers.
    Development,
    /// A backup.
    Backup,
}

impl Explanation {
    /// The word in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Maintenance => "maintenance",
            Self::KnownAdmin => "known_admin",
            Self::ScheduledTask => "scheduled_task",
            Self::Update => "update",
            Self::LegitimateRemote => "legitimate_remote",
            Self::SecurityTool => "security_tool",
            Self::Development => "development",
            Self::Backup => "backup",
        }
    }
}

/// What a sign decides where nothing explains it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// It decides by itself: ordinary work rarely looks like this.
    #[default]
    Alone,
    /// Ordinary work looks like this too. It decides beside another sign of another technique, in other facts.
    Paired,
}

/// A rule of the Architect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThreatRule {
    /// Name, unique in the set.
    pub name: String,
    /// The pattern that it is a sign of.
    pub pattern: Pattern,
    /// The technique of MITRE ATT&CK.
    pub technique: String,
    /// Where the detection is published.
    pub source: String,
    /// Which facts it takes.
    pub when: Condition,
    /// What it adds to the pattern's strength, in thousandths.
    pub strength: Milli,
    /// What it decides where nothing explains it.
    #[serde(default)]
    pub weight: Weight,
    /// Words of which a statement must hold one to explain this sign, in small letters: a night on duty explains no second
    /// superuser. Empty: any statement that covers the facts explains a sign of [`Weight::Paired`], and none a sign of [`Weight::Alone`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excused_by: Vec<String>,
}

/// A rule of the Skeptic over observed facts. Stated facts need none: they explain what they cover.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BenignRule {
    /// Name, unique in the set.
    pub name: String,
    /// The explanation that it is a sign of.
    pub explanation: Explanation,
    /// Where it is documented that this is ordinary.
    pub source: String,
    /// Which facts it takes.
    pub when: Condition,
    /// What it adds to the explanation's strength, in thousandths.
    pub strength: Milli,
}

/// Rules of both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleSet {
    /// Raised when a rule changes: results name it.
    pub version: u32,
    /// Least strength at which a pattern or explanation is asserted, in thousandths.
    pub threshold: Milli,
    /// Names of fields that sources call differently.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: FieldNames,
    /// Rules of the Architect.
    pub threats: Vec<ThreatRule>,
    /// Rules of the Skeptic.
    pub benign: Vec<BenignRule>,
}

/// A rule that breaks a rule about rules.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("rule `{rule}`: {what}")]
pub struct RuleError {
    /// The rule.
    pub rule: String,
    /// What is wrong, and what is expected.
    pub what: String,
}

impl RuleSet {
    /// Checks the set: names are unique, sources are addresses, strengths are from 0 to 1, conditions restrict something.
    ///
    /// # Errors
    /// The first rule that fails.
    pub fn check(&self) -> Result<(), RuleError> {
        let mut names = BTreeSet::new();
        if let Some((name, _)) = self.fields.iter().find(|(_, attributes)| attributes.is_empty()) {
            return Err(RuleError {
                rule: name.clone(),
                what: "the list of its attributes in `fields` is empty".to_owned(),
            });
        }
        let hidden = |field: &str| {
            !self.fields.contains_key(field) && self.fields.values().flatten().any(|attribute| attribute == field)
        };
        let threats = self.threats.iter().map(|rule| (&rule.name, &rule.source, &rule.when, rule.strength));
        let benign = self.benign.iter().map(|rule| (&rule.name, &rule.source, &rule.when, rule.strength));
        for (name, source, when, strength) in threats.chain(benign) {
            let wrong = |what: &str| Err(RuleError { rule: name.clone(), what: what.to_owned() });
            if !names.insert(name) {
                return wrong("another rule has the same name");
            }
            if !source.starts_with("https://") {
                return wrong("`source` must be an address that begins with https://");
            }
            if !(1..=1000).contains(&strength.0) {
                return wrong("`strength` must be from 1 to 1000 thousandths");
            }
            if when.is_open() {
                return wrong("`when` restricts nothing: name a class, a field or a text");
            }
            if when.fields().any(hidden) {
                return wrong("`when` names an attribute that `fields` has a name for: write that name");
            }
        }
        Ok(())
    }
}

/// A question that would settle the case, with the facts that it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unknown {
    /// The question.
    pub text: String,
    /// The facts that it is about, in the order of their ids; none if a model asked it.
    pub facts: Vec<FactId>,
}

impl From<String> for Unknown {
    fn from(text: String) -> Self {
        Self { text, facts: Vec::new() }
    }
}

impl Unknown {
    /// The questions alone.
    pub fn texts(unknowns: &[Self]) -> Vec<String> {
        unknowns.iter().map(|unknown| unknown.text.clone()).collect()
    }
}

/// What one side says of a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Assertions, the surest first.
    pub assertions: Vec<Assertion>,
    /// Confidence of the side, from 0 to 1.
    pub confidence: Milli,
    /// What would settle the question.
    pub unknowns: Vec<Unknown>,
    /// Techniques of MITRE ATT&CK that assertions are about.
    pub techniques: Vec<String>,
}

impl Position {
    /// The facts that are cited, each once, in the order of their ids.
    #[must_use]
    pub fn cited(&self) -> Vec<FactId> {
        let mut facts: Vec<FactId> =
            self.assertions.iter().flat_map(|assertion| assertion.facts.iter().copied()).collect();
        facts.sort_unstable();
        facts.dedup();
        facts
    }
}

/// Which Skeptic answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkepticKind {
    /// By rules of the same form as the Architect's (ARES-025).
    Rules,
    /// By queries over the packet: what is stated there, and whether it covers what the Architect cites (ARES-131).
    #[default]
    Deterministic,
}

/// How the verdict is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decision {
    /// Over the claims that survive (ARES-065): code checks each against its facts, and facts that a stated one covers weigh
    /// nothing for a threat.
    #[default]
    Claims,
    /// Over the two confidences.
    Positions(Judge),
}

impl Decision {
    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Claims => "claims",
            Self::Positions(judge) => judge.name(),
        }
    }
}

/// A verdict with everything that it follows from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What the Architect says.
    pub architect: Position,
    /// What the Skeptic says.
    pub skeptic: Position,
    /// The judge's verdict.
    pub verdict: Verdict,
    /// How sure the judge is of the verdict (ARES-049).
    pub confidence: Milli,
    /// The balance of the claims from -1 (benign) to 1 (threat); `None` under a judge over confidences.
    pub balance: Option<Milli>,
    /// Name of the judge, or `claims`.
    pub judge: &'static str,
}

/// What the Architect by rule says of a packet (ARES-023, ARES-024).
#[must_use]
pub fn architect(packet: &Packet, rules: &RuleSet) -> Position {
    architect::act(packet, rules)
}

/// What a Skeptic by rule says to a thesis (ARES-025, ARES-131).
#[must_use]
pub fn skeptic(packet: &Packet, rules: &RuleSet, kind: SkepticKind, thesis: &Position) -> Position {
    match kind {
        SkepticKind::Rules => skeptic::by_rule(packet, rules, thesis),
        SkepticKind::Deterministic => skeptic::deterministic(packet, rules, thesis),
    }
}

/// A single turn by rule: both sides see the packet once, and the judge decides (ARES-040).
#[must_use]
pub fn single_turn(packet: &Packet, rules: &RuleSet, kind: SkepticKind, decision: Decision) -> Outcome {
    let thesis = architect(packet, rules);
    let answer = skeptic(packet, rules, kind, &thesis);
    let (verdict, confidence, balance) = match decision {
        Decision::Claims => {
            let Weighing { verdict, balance, confidence } = judge_claims(&scores(packet, &thesis, &answer));
            (verdict, confidence, Some(balance))
        }
        Decision::Positions(judge) => {
            let facts = |position: &Position| u32::try_from(position.cited().len()).unwrap_or(u32::MAX);
            let positions = Positions {
                architect: thesis.confidence,
                skeptic: answer.confidence,
                architect_facts: facts(&thesis),
                skeptic_facts: facts(&answer),
            };
            let verdict = judge.verdict(&positions, Arithmetic::Exact);
            (verdict, Certainty::Winner.of_given(verdict, &positions), None)
        }
    };
    Outcome { architect: thesis, skeptic: answer, verdict, confidence, balance, judge: decision.name() }
}

/// The claims of both sides as the judge over claims sees them, those of the Architect first. Each speaks for the side that makes it. One
/// that its facts contradict does not survive. Facts that an entailed explanation of the Skeptic covers, and hits of rules of others, weigh
/// nothing for a threat; and the explanation, which says nothing of other facts, weighs nothing for the other side while a threat is open
/// beside it.
#[must_use]
pub fn scores(packet: &Packet, architect: &Position, skeptic: &Position) -> Vec<ClaimScore> {
    let stands = |assertion: &Assertion| packet.entails(assertion) != Entailment::Contradicted;
    let explained: BTreeSet<FactId> = skeptic
        .assertions
        .iter()
        .filter(|assertion| assertion.predicate == Predicate::Explained && stands(assertion))
        .flat_map(|assertion| assertion.facts.iter().copied())
        .collect();
    let is_opinion = |id: &FactId| packet.fact(*id).is_some_and(|fact| fact.class.is_opinion());
    let mut scores: Vec<ClaimScore> = architect
        .assertions
        .iter()
        .map(|assertion| {
            let open = assertion.facts.iter().filter(|id| !explained.contains(id) && !is_opinion(id)).count();
            let facts = u32::try_from(open).unwrap_or(u32::MAX);
            ClaimScore { side: Side::Threat, facts, ..assertion.score(stands(assertion)) }
        })
        .collect();
    let open = scores.iter().any(|claim| claim.survives && claim.facts > 0);
    let others = skeptic.assertions.iter().map(|assertion| {
        let score = ClaimScore { side: Side::Benign, ..assertion.score(stands(assertion)) };
        let facts = if open && assertion.predicate == Predicate::Explained { 0 } else { score.facts };
        ClaimScore { facts, ..score }
    });
    scores.extend(others);
    scores
}
