//! Agents by rule on packets that a test makes.

use std::collections::BTreeMap;

use gimbal_core::{Digest, Milli};
use gimbal_evidence::judge::{Judge, Verdict};
use gimbal_evidence::rules::{
    BenignRule, Condition, Decision, Distinct, Explanation, FieldNames, FollowingFact, GroupKey, Pattern, Repeated,
    RuleSet, SkepticKind, ThreatRule, Weight, single_turn,
};
use gimbal_evidence::{Aggregate, Class, Counter, NewFact, Utc};
use serde_json::json;

use crate::support::{packet, seen as observed};

fn seen(class: Class, actor: &str, object: &str, second: i64, text: &str) -> NewFact {
    observed(class, actor, object, Some(second), &[("text", text)])
}

fn rules() -> RuleSet {
    let threat = |name: &str, pattern, when, strength| ThreatRule {
        name: name.to_owned(),
        pattern,
        technique: "T1110".to_owned(),
        source: "https://attack.mitre.org/techniques/T1110/".to_owned(),
        when,
        strength: Milli(strength),
        weight: Weight::Alone,
        excused_by: vec!["test".to_owned()],
    };
    let guessing = Condition {
        class: vec![Class::LogonFailed],
        repeated: Some(Repeated { at_least: 3, by: GroupKey::Actor, within: None }),
        ..Condition::default()
    };
    let guessed = Condition {
        then: Some(FollowingFact { class: vec![Class::Logon], within: 60, ..FollowingFact::default() }),
        ..guessing.clone()
    };
    let scan = Condition {
        class: vec![Class::Flow],
        distinct: Some(Distinct { field: "object".to_owned(), at_least: 3, by: GroupKey::Actor, within: None }),
        ..Condition::default()
    };
    RuleSet {
        version: 1,
        threshold: Milli(300),
        fields: FieldNames::new(),
        threats: vec![
            threat("guessing", Pattern::CredentialAccess, guessing, 400),
            threat("guessed", Pattern::CredentialAccess, guessed, 500),
            threat("scan", Pattern::Scanning, scan, 700),
        ],
        benign: vec![BenignRule {
            name: "cron".to_owned(),
            explanation: Explanation::ScheduledTask,
            source: "https://man7.org/linux/man-pages/man8/cron.8.html".to_owned(),
            when: Condition {
                contains: BTreeMap::from([("any".to_owned(), vec!["CRON".to_owned()])]),
                ..Condition::default()
            },
            strength: Milli(600),
        }],
    }
}

fn guesses() -> Vec<NewFact> {
    (1..=4).map(|second| seen(Class::LogonFailed, "address:192.0.2.7", "account:root", second, "no")).collect()
}

fn verdict(facts: Vec<NewFact>) -> (Verdict, i64) {
    let outcome = single_turn(&packet(facts), &rules(), SkepticKind::Deterministic, Decision::Claims);
    (outcome.verdict, outcome.confidence.0)
}

fn scanner(until: &str) -> NewFact {
    let attributes = [("until", until), ("name", "test of the perimeter")];
    let attributes = attributes.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    NewFact { attributes, ..seen(Class::KnownScanner, "address:192.0.2.7", "", 0, "listed") }
}

// covers: ARES-023, ARES-024
#[test]
fn strengths_of_a_pattern_add_up_and_the_mean_is_weighted_by_facts() {
    let mut facts = guesses();
    let thesis = |facts: &[NewFact]| {
        single_turn(&packet(facts.to_vec()), &rules(), SkepticKind::Rules, Decision::Claims).architect
    };
    assert_eq!((thesis(&facts).confidence, thesis(&facts).assertions.len()), (Milli(400), 1));
    facts.push(seen(Class::Logon, "address:192.0.2.7", "account:root", 30, "yes"));
    assert_eq!(thesis(&facts).confidence, Milli(900));
    assert_eq!(thesis(&facts).cited().len(), 5);
    for host in 1..=3 {
        facts.push(seen(Class::Flow, "address:198.51.100.9", &format!("address:10.0.0.{host}"), 40 + host, "flow"));
    }
    // (900 x 5 + 700 x 3) / 8 and 50 for the second pattern.
    assert_eq!(thesis(&facts).confidence, Milli(875));
    assert_eq!(thesis(&facts[..2]).confidence, Milli(100));
}

// covers: ARES-025
#[test]
fn the_skeptic_without_an_explanation_is_as_unsure_as_the_work_says() {
    let answer =
        |facts: Vec<NewFact>| single_turn(&packet(facts), &rules(), SkepticKind::Rules, Decision::Claims).skeptic;
    assert_eq!(answer(guesses()).confidence, Milli(260));
    let cron = seen(Class::LogonFailed, "address:192.0.2.7", "account:root", 9, "CRON job");
    let explained = answer([guesses(), vec![cron]].concat());
    assert_eq!((explained.confidence, explained.assertions.len()), (Milli(600), 1));
}

// covers: ARES-131, ARES-065
#[test]
fn what_is_stated_explains_what_it_covers_and_no_more() {
    assert_eq!(verdict(guesses()), (Verdict::ThreatConfirmed, 400));
    let known = [guesses(), vec![scanner("1970-01-01T01:00:00Z")]].concat();
    assert_eq!(verdict(known), (Verdict::ThreatDismissed, 700));
    // A sign that decides alone is explained by a statement that names it, and not by any that covers the address.
    let of_another_matter = NewFact { attributes: BTreeMap::new(), ..scanner("") };
    assert_eq!(verdict([guesses(), vec![of_another_matter]].concat()).0, Verdict::ThreatConfirmed);
    let too_early = [guesses(), vec![scanner("1970-01-01T00:00:00Z")]].concat();
    assert_eq!(verdict(too_early).0, Verdict::ThreatConfirmed);
    let nothing = vec![seen(Class::Logon, "account:ann", "host:ws", 1, "morning")];
    assert_eq!(verdict(nothing), (Verdict::ThreatDismissed, 400));
    assert_eq!(verdict(Vec::new()), (Verdict::Inconclusive, 500));
    assert_eq!(verdict(vec![scanner("1970-01-01T01:00:00Z")]).0, Verdict::Inconclusive);
}

#[test]
fn the_same_positions_can_be_judged_by_the_published_judges() {
    let outcome = single_turn(&packet(guesses()), &rules(), SkepticKind::Rules, Decision::Positions(Judge::V2));
    assert_eq!((outcome.verdict, outcome.judge), (Verdict::Inconclusive, "v2"));
}

/// What is asked for to settle the question names whom it is about.
#[test]
fn unknowns_say_what_would_settle_it() {
    let outcome = single_turn(&packet(guesses()), &rules(), SkepticKind::Deterministic, Decision::Claims);
    let open = &outcome.skeptic.unknowns[0];
    assert!(open.text.contains("address:192.0.2.7"), "{open:?}");
    // The facts are those of the assertion that nothing covers.
    assert_eq!(open.facts, outcome.architect.cited(), "{open:?}");
}

#[test]
fn rule_sets_are_checked() {
    assert_eq!(rules().check(), Ok(()));
    let broken = |change: &dyn Fn(&mut RuleSet)| {
        let mut set = rules();
        change(&mut set);
        set.check().unwrap_err().to_string()
    };
    assert!(broken(&|set| set.threats[1].name = "guessing".to_owned()).contains("same name"));
    assert!(broken(&|set| set.threats[0].source = "a blog".to_owned()).contains("`source`"));
    assert!(broken(&|set| set.benign[0].when = Condition::default()).contains("restricts nothing"));
    assert!(broken(&|set| set.threats[0].strength = Milli(0)).contains("`strength`"));
}

// covers: ARES-027
#[test]
fn there_are_eight_patterns_and_eight_explanations_and_no_others() {
    let patterns = [
        "privilege_escalation",
        "suspicious_process",
        "credential_access",
        "lateral_movement",
        "service_abuse",
        "defense_evasion",
        "scanning",
        "exfiltration",
    ];
    let explanations = [
        "maintenance",
        "known_admin",
        "scheduled_task",
        "update",
        "legitimate_remote",
        "security_tool",
        "development",
        "backup",
    ];
    for name in patterns {
        let read: Pattern = serde_json::from_value(json!(name)).unwrap();
        assert_eq!(read.name(), name);
        assert!(serde_json::from_value::<Explanation>(json!(name)).is_err(), "{name}");
    }
    for name in explanations {
        let read: Explanation = serde_json::from_value(json!(name)).unwrap();
        assert_eq!(read.name(), name);
        assert!(serde_json::from_value::<Pattern>(json!(name)).is_err(), "{name}");
    }
}

// covers: ARES-131
#[test]
fn a_list_of_hosts_and_a_note_on_the_past_excuse_nothing_that_is_done_to_them() {
    let on_host = |actor: &str| -> Vec<NewFact> {
        (1..=4).map(|second| seen(Class::LogonFailed, actor, "host:gate", second, "no")).collect()
    };
    let entry = |attributes: &[(&str, &str)]| observed(Class::Inventory, "host:gate", "", Some(0), attributes);
    let listed = || entry(&[("role", "test of passwords")]);
    assert_eq!(verdict([on_host("address:192.0.2.7"), vec![listed()]].concat()).0, Verdict::ThreatConfirmed);
    // What a listed machine does itself is what it is listed for, where the list says what that is.
    assert_eq!(verdict([on_host("host:gate"), vec![listed()]].concat()).0, Verdict::ThreatDismissed);
    let for_nothing = entry(&[("owner", "test bench")]);
    assert_eq!(verdict([on_host("host:gate"), vec![for_nothing]].concat()).0, Verdict::ThreatConfirmed);
    let past = seen(Class::History, "address:192.0.2.7", "", 0, "attacked three customers last week");
    assert_eq!(verdict([guesses(), vec![past]].concat()).0, Verdict::ThreatConfirmed);
}

// covers: ARES-131
#[test]
fn a_window_covers_a_count_only_as_a_whole() {
    let counted = |last: i64| {
        let first = seen(Class::LogonFailed, "address:192.0.2.7", "account:root", 60, "no");
        NewFact {
            aggregate: Some(Aggregate {
                count: Counter(12),
                first: Utc::from_micros(60_000_000),
                formula: "records with the same class, action, actor and object".to_owned(),
                last: Utc::from_micros(1_000_000 * last),
                root: Digest::of(b"members"),
            }),
            locator: None,
            raw_sha256: None,
            ..first
        }
    };
    let window = || scanner("1970-01-01T00:05:00Z");
    assert_eq!(verdict(vec![counted(299), window()]).0, Verdict::ThreatDismissed);
    assert_eq!(
        verdict(vec![counted(301), window()]).0,
        Verdict::ThreatConfirmed,
        "it went on when the window was over"
    );
}
