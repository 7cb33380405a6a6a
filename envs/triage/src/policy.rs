//! Baselines that need no model: what a verdict costs nothing to guess (ARES-075).

use std::sync::LazyLock;

use gimbal_core::{Milli, yaml};
use gimbal_evidence::judge::Verdict;
use gimbal_evidence::rules::{Decision, RuleSet, SkepticKind, single_turn};
use gimbal_evidence::{FactId, Packet};

use crate::tools::{Conclusion, MOST_CITED};

/// The policy that plays by the criterion: it sees the environment.
pub const EXPERT: &str = "expert";
/// Names of the policies.
pub const POLICIES: [&str; 6] = ["inconclusive", "majority", "keyword", "rule_hits", "rules", EXPERT];

/// The verdict that most scenarios of the split `dev` have; a test counts them.
pub const MAJORITY: Verdict = Verdict::ThreatConfirmed;

/// Words that a list of alarms would have. A packet with one of them is a threat for the policy `keyword`.
const KEYWORDS: [&str; 18] = [
    "mimikatz",
    "psexec",
    "powershell",
    "encodedcommand",
    "lsass",
    "certutil",
    "whoami",
    "base64",
    "netcat",
    "nmap",
    "invalid user",
    "failed password",
    "authentication failure",
    "rundll32",
    "vssadmin",
    "wevtutil",
    "schtasks",
    "net user",
];

/// The rules of the agents by rule.
static RULES: LazyLock<Option<RuleSet>> =
    LazyLock::new(|| yaml::read(include_str!("../../../rules/triage.yaml"), "rules/triage.yaml").ok());

/// What a policy concludes of a packet; `None` where there is no such policy.
#[must_use]
pub fn decide(policy: &str, packet: &Packet) -> Option<Conclusion> {
    match policy {
        "inconclusive" => Some(half(Verdict::Inconclusive, Vec::new())),
        "majority" => Some(half(MAJORITY, first(packet))),
        "keyword" => Some(keyword(packet)),
        "rule_hits" => RULES.as_ref().map(|rules| rule_hits(packet, rules)),
        "rules" => RULES.as_ref().map(|rules| by_rule(packet, rules)),
        _ => None,
    }
}

fn half(verdict: Verdict, facts: Vec<FactId>) -> Conclusion {
    Conclusion { verdict, confidence: Milli(500), facts }
}

fn first(packet: &Packet) -> Vec<FactId> {
    packet.facts().iter().take(1).map(|fact| fact.id).collect()
}

/// A threat where a fact holds one of the words, else none.
fn keyword(packet: &Packet) -> Conclusion {
    let says = |text: &str| {
        let text = text.to_lowercase();
        KEYWORDS.iter().any(|word| text.contains(word))
    };
    let found = packet.facts().iter().filter(|fact| {
        says(&fact.action)
            || fact.attributes.values().any(|value| says(value))
            || fact.about().any(|entity| says(entity.name()))
    });
    let facts: Vec<FactId> = found.map(|fact| fact.id).take(MOST_CITED).collect();
    let verdict = if facts.is_empty() { Verdict::ThreatDismissed } else { Verdict::ThreatConfirmed };
    half(verdict, facts)
}

/// By the number of patterns that the rules of threats find, without any that speaks against them: none, one, or more.
fn rule_hits(packet: &Packet, rules: &RuleSet) -> Conclusion {
    let outcome = single_turn(packet, rules, SkepticKind::Deterministic, Decision::Claims);
    let verdict = match outcome.architect.assertions.len() {
        0 => Verdict::ThreatDismissed,
        1 => Verdict::Inconclusive,
        _ => Verdict::ThreatConfirmed,
    };
    half(verdict, bounded(outcome.architect.cited()))
}

/// The single turn by rule, judged over claims.
fn by_rule(packet: &Packet, rules: &RuleSet) -> Conclusion {
    let outcome = single_turn(packet, rules, SkepticKind::Deterministic, Decision::Claims);
    let side = match outcome.verdict {
        Verdict::ThreatDismissed => outcome.skeptic.cited(),
        Verdict::ThreatConfirmed | Verdict::Inconclusive => outcome.architect.cited(),
    };
    Conclusion { verdict: outcome.verdict, confidence: outcome.confidence, facts: bounded(side) }
}

fn bounded(mut facts: Vec<FactId>) -> Vec<FactId> {
    facts.truncate(MOST_CITED);
    facts
}
