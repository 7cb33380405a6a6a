//! What *verified* means, checked over all scenarios that the project can make without outside data.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_evidence::Fact;
use gimbal_evidence::judge::Verdict;
use gimbal_triage::scenario::Tier;

use super::{corpus, made};

// covers: ARES-071
#[test]
fn the_criterion_gives_the_expected_verdict_and_another_one_without_the_facts_that_decide() {
    let mut wrong = Vec::new();
    for (scenario, packet) in made() {
        let found = scenario.criterion.verdict(packet);
        if found != scenario.expected {
            wrong.push(format!("{}: {found}, expected {}", scenario.id, scenario.expected));
        }
        let decisive: BTreeSet<_> = scenario.decisive(packet).into_iter().collect();
        if decisive.is_empty() {
            // Nothing suspicious is there, so nothing can be taken away.
            let plain = scenario.tier == Tier::ClearBenign && scenario.criterion.suspicious(packet).is_empty();
            if !plain {
                wrong.push(format!("{}: no fact decides", scenario.id));
            }
            continue;
        }
        let rest: Vec<&Fact> = packet.facts().iter().filter(|fact| !decisive.contains(&fact.id)).collect();
        if scenario.criterion.verdict_over(&rest) == scenario.expected {
            wrong.push(format!("{}: still {} without {decisive:?}", scenario.id, scenario.expected));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

// covers: ARES-071
#[test]
fn every_open_case_has_a_twin_that_settles_it_each_way() {
    let mut verdicts: BTreeMap<&str, BTreeSet<Verdict>> = BTreeMap::new();
    for scenario in corpus().all() {
        verdicts.entry(&scenario.family).or_default().insert(scenario.expected);
    }
    for (scenario, _) in made().iter().filter(|(scenario, _)| scenario.tier == Tier::Ambiguous) {
        let family = &verdicts[scenario.family.as_str()];
        assert!(family.contains(&Verdict::ThreatConfirmed), "{}", scenario.id);
        assert!(family.contains(&Verdict::ThreatDismissed), "{}", scenario.id);
    }
}

// covers: ARES-R5, ARES-R11
#[test]
fn tiers_hold_the_verdicts_that_they_stand_for_and_nobody_is_said_to_have_reviewed() {
    for scenario in corpus().all() {
        assert!(
            scenario.tier.allows(scenario.expected),
            "{}: {} and {}",
            scenario.id,
            scenario.tier,
            scenario.expected
        );
        assert!(scenario.review.is_empty(), "{}", scenario.id);
        assert!((1..=4).contains(&scenario.difficulty) && scenario.label_version >= 1, "{}", scenario.id);
    }
}
