//! What *verified* means, checked over all scenarios that the project can make without outside data.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_evidence::judge::Verdict;
use gimbal_triage::corpus::Corpus;
use gimbal_triage::corpus::verify::faults;
use gimbal_triage::scenario::Tier;

use super::{corpus, made};

// covers: ARES-071
#[test]
fn the_criterion_gives_the_expected_verdict_and_another_one_without_the_facts_that_decide() {
    let mut wrong = Vec::new();
    for (scenario, packet) in made() {
        let family: Vec<_> = corpus().all().iter().filter(|other| other.family == scenario.family).collect();
        wrong.extend(faults(scenario, packet, &family).into_iter().map(|what| format!("{}: {what}", scenario.id)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A scenario over one message and two refused logons.
fn own(expected: &str, decides: &str, line: &str) -> String {
    let tier = if expected == "INCONCLUSIVE" { "AMBIGUOUS" } else { "CLEAR_THREAT" };
    format!(
        "id: MY-1\ntitle: Mine\nfamily: my_scene\nsplits: [dev]\ntier: {tier}\ndifficulty: 1\ncategory: credentials\n\
         expected: {expected}\noperator_truth: unknown\nlabel_version: 1\nrationale: As told.\n\
         sources:\n  - engine: syslog\n    host: web01\n    start: 2026-03-10T02:00:00Z\n    steps:\n\
         \x20     - {{line: 'sshd: Failed password for root from 192.0.2.7 port 4242 ssh2', count: 2, every: 60}}\n\
         \x20     - {{line: '{line}', at: 300}}\n\
         criterion:\n  suspicious:\n    - {{name: failure, facts: {{class: logon_failed}}, decides: {decides}}}\n"
    )
}

// covers: ARES-071, ARES-R5
#[test]
fn each_check_fails_on_a_scenario_that_breaks_it() {
    let plain = "cron: (root) CMD (run-parts)";
    let found = |text: &str| {
        let corpus = Corpus::read(text, "mine.yaml").unwrap_or_else(|error| panic!("{error}"));
        let scenario = &corpus.all()[0];
        let packet = super::packet(scenario);
        faults(scenario, &packet, &corpus.all().iter().collect::<Vec<_>>())
    };
    assert!(
        found(&own("THREAT_CONFIRMED", "alone", plain)).is_empty(),
        "{:?}",
        found(&own("THREAT_CONFIRMED", "alone", plain))
    );
    for (text, expected) in [
        (
            own("THREAT_CONFIRMED", "never", plain),
            "the criterion gives INCONCLUSIVE over the packet; `expected` says THREAT_CONFIRMED",
        ),
        (
            own("INCONCLUSIVE", "never", plain),
            "no scenario of the family `my_scene` is THREAT_CONFIRMED or THREAT_DISMISSED",
        ),
        (own("THREAT_CONFIRMED", "alone", "cron: the attack begins"), "and `attack` in it tells the label"),
        (own("THREAT_CONFIRMED", "alone", "cron: notes on MY-1"), "and `my-1` in it tells the label"),
        (own("THREAT_CONFIRMED", "alone", plain).replace("class: logon_failed", "class: logon"), "no fact decides"),
    ] {
        let faults = found(&text);
        assert!(faults.iter().any(|fault| fault.contains(expected)), "{expected}: {faults:?}");
    }
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
