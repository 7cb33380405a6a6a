//! What *verified* means: what code checks of a scenario and its packet, without a person (ARES-071, ARES-R5).

use std::collections::BTreeSet;

use gimbal_evidence::judge::Verdict;
use gimbal_evidence::{Fact, Packet};

use crate::scenario::{Scenario, Tier};

/// Words that would tell the label of a packet.
pub const TELLING: [&str; 16] = [
    "malicious",
    "benign",
    "attack",
    "intruder",
    "hacker",
    "evil",
    "suspicious",
    "legitimate",
    "scenario",
    "mimikatz",
    "threat_confirmed",
    "threat_dismissed",
    "inconclusive",
    "ambiguous",
    "operator_truth",
    "exfil",
];

/// The verdicts that twins of an open case settle it by.
const SETTLED: [Verdict; 2] = [Verdict::ThreatConfirmed, Verdict::ThreatDismissed];

/// All texts of a fact that an agent may see.
#[must_use]
pub fn texts(fact: &Fact) -> Vec<String> {
    let mut texts = vec![fact.action.clone()];
    texts.extend(fact.about().map(|entity| entity.name().to_owned()));
    texts.extend(fact.attributes.values().cloned());
    texts
}

/// What is wrong with a scenario, a sentence each; nothing where it is verified. `family` are the scenarios of its family, itself among
/// them.
///
/// A scenario is verified when its criterion gives the expected verdict over the packet and another one over the packet without the
/// facts that decide, when a case of the tier [`Tier::Ambiguous`] has twins that settle it each way, and when no text of the packet tells
/// the label.
#[must_use]
pub fn faults(scenario: &Scenario, packet: &Packet, family: &[&Scenario]) -> Vec<String> {
    let mut faults = Vec::new();
    faults.extend(verdict(scenario, packet));
    faults.extend(twins(scenario, family));
    faults.extend(leaks(scenario, packet));
    faults
}

/// The criterion against the label.
fn verdict(scenario: &Scenario, packet: &Packet) -> Vec<String> {
    let (criterion, expected) = (&scenario.criterion, scenario.expected);
    let mut faults = Vec::new();
    let found = criterion.verdict(packet);
    if found != expected {
        faults.push(format!("the criterion gives {found} over the packet; `expected` says {expected}"));
    }
    let decisive: BTreeSet<_> = scenario.decisive(packet).into_iter().collect();
    if decisive.is_empty() {
        // Nothing suspicious is there, so nothing can be taken away.
        let plain = scenario.tier == Tier::ClearBenign && criterion.suspicious(packet).is_empty();
        if !plain {
            faults.push(format!(
                "no fact decides; only a scenario of the tier {} without a suspicious fact needs none",
                Tier::ClearBenign
            ));
        }
        return faults;
    }
    let rest: Vec<&Fact> = packet.facts().iter().filter(|fact| !decisive.contains(&fact.id)).collect();
    if criterion.verdict_over(&rest) == expected {
        let ids: Vec<String> = decisive.iter().map(ToString::to_string).collect();
        faults.push(format!("without the facts that decide ({}) the verdict is still {expected}", ids.join(", ")));
    }
    faults
}

/// The twins of an open case.
fn twins(scenario: &Scenario, family: &[&Scenario]) -> Option<String> {
    let missing: Vec<&str> = SETTLED
        .into_iter()
        .filter(|verdict| !family.iter().any(|twin| twin.expected == *verdict))
        .map(Verdict::name)
        .collect();
    let open = scenario.tier == Tier::Ambiguous && !missing.is_empty();
    open.then(|| {
        format!(
            "an open case has a twin that settles it each way; no scenario of the family `{}` is {}",
            scenario.family,
            missing.join(" or ")
        )
    })
}

/// Texts that tell the label: the first of each fact.
fn leaks(scenario: &Scenario, packet: &Packet) -> Vec<String> {
    let own = [scenario.id.to_lowercase(), scenario.family.to_lowercase()];
    let mut faults = Vec::new();
    for fact in packet.facts() {
        let telling = texts(fact).into_iter().find_map(|text| {
            let lower = text.to_lowercase();
            let word = TELLING.into_iter().chain(own.iter().map(String::as_str)).find(|word| lower.contains(word))?;
            Some((text, word.to_owned()))
        });
        if let Some((text, word)) = telling {
            let shown: String = text.chars().take(80).collect();
            faults.push(format!("{} shows `{shown}` to agents, and `{word}` in it tells the label", fact.id));
        }
    }
    faults
}
