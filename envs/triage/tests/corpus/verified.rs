//! What *verified* means, checked over all scenarios that the project can make without outside data.

use std::collections::BTreeSet;

use gimbal_evidence::judge::Verdict;
use gimbal_evidence::{Fact, Packet};
use gimbal_triage::corpus::{Corpus, PacketOptions};
use gimbal_triage::scenario::{Scenario, Tier};

/// Every scenario without outside data, with its packet.
fn made() -> Vec<(&'static Scenario, Packet)> {
    let corpus = Corpus::built_in().unwrap_or_else(|error| panic!("{error}"));
    let made = corpus.all().iter().filter(|scenario| !scenario.splits.iter().any(|split| split == "real"));
    made.map(|scenario| {
        (scenario, scenario.packet(None, &PacketOptions::default()).unwrap_or_else(|error| panic!("{error}")))
    })
    .collect()
}

// covers: ARES-071
#[test]
fn the_criterion_gives_the_expected_verdict_and_another_one_without_the_facts_that_decide() {
    let mut wrong = Vec::new();
    for (scenario, packet) in made() {
        let found = scenario.criterion.verdict(&packet);
        if found != scenario.expected {
            wrong.push(format!("{}: {found}, expected {}", scenario.id, scenario.expected));
        }
        let decisive: BTreeSet<_> = scenario.decisive(&packet).into_iter().collect();
        if decisive.is_empty() {
            // Nothing suspicious is there, so nothing can be taken away.
            let plain = scenario.tier == Tier::ClearBenign && scenario.criterion.suspicious(&packet).is_empty();
            if !plain {
                wrong.push(format!("{}: no fact decides", scenario.id));
            }
            continue;
        }
        let rest: Vec<&Fact> = packet.facts().iter().filter(|fact| !decisive.contains(&fact.id)).collect();
        if scenario.criterion.verdict_over(&rest) == scenario.expected {
            wrong.push(format!("{}: still {} without {decisive:?}", scenario.id, scenario.expected));
        }
        if scenario.expected == Verdict::ThreatDismissed && scenario.explaining(&packet).is_empty() {
            wrong.push(format!("{}: dismissed without an explanation", scenario.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
