//! What signs decide, and what a statement of the packet explains of them.

use std::collections::BTreeMap;

use gimbal_core::Milli;
use gimbal_evidence::judge::{Judge, Verdict};
use gimbal_evidence::rules::{
    Condition, Decision, Distinct, EntityRole, FieldNames, FollowingFact, GroupKey, Pattern, Repeated, RuleSet,
    SharedEntity, SkepticKind, Steady, Sum, ThreatRule, Weight, single_turn,
};
use gimbal_evidence::{Class, NewFact};

use crate::support::{packet, seen};

fn sign(name: &str, technique: &str, when: Condition) -> ThreatRule {
    ThreatRule {
        name: name.to_owned(),
        pattern: Pattern::ServiceAbuse,
        technique: technique.to_owned(),
        source: "https://attack.mitre.org/".to_owned(),
        when,
        strength: Milli(400),
        weight: Weight::Paired,
        excused_by: Vec::new(),
    }
}

fn of(class: Class) -> Condition {
    Condition { class: vec![class], ..Condition::default() }
}

fn verdict_by(decision: Decision, threats: Vec<ThreatRule>, facts: Vec<NewFact>) -> Verdict {
    verdict_with(FieldNames::new(), decision, threats, facts)
}

fn verdict_with(fields: FieldNames, decision: Decision, threats: Vec<ThreatRule>, facts: Vec<NewFact>) -> Verdict {
    let rules = RuleSet { version: 1, threshold: Milli(300), threats, fields, benign: Vec::new() };
    assert_eq!(rules.check(), Ok(()));
    single_turn(&packet(facts), &rules, SkepticKind::Deterministic, decision).verdict
}

fn verdict(threats: Vec<ThreatRule>, facts: Vec<NewFact>) -> Verdict {
    verdict_by(Decision::Claims, threats, facts)
}

fn installed() -> NewFact {
    seen(Class::ServiceInstalled, "account:ann", "service:helper", Some(10), &[])
}

fn cleared() -> NewFact {
    seen(Class::LogCleared, "account:ann", "host:ws", Some(40), &[])
}

fn window(covers: &str, note: &str) -> NewFact {
    seen(Class::ChangeWindow, covers, "", Some(0), &[("note", note)])
}

// covers: ARES-131, ARES-065
#[test]
fn a_sign_of_ordinary_work_decides_beside_another_and_leaves_the_case_open_without_one() {
    let rules =
        || vec![sign("service", "T1543", of(Class::ServiceInstalled)), sign("log", "T1070", of(Class::LogCleared))];
    assert_eq!(verdict(rules(), vec![installed()]), Verdict::Inconclusive);
    assert_eq!(verdict(rules(), vec![installed(), cleared()]), Verdict::ThreatConfirmed);
    assert_eq!(
        verdict(rules(), vec![seen(Class::Logon, "account:ann", "host:ws", Some(1), &[])]),
        Verdict::ThreatDismissed
    );
    // The published judge sees the same confidence on both sides, and does not decide either.
    assert_eq!(verdict_by(Decision::Positions(Judge::V2), rules(), vec![installed()]), Verdict::Inconclusive);
    let alone = || vec![ThreatRule { weight: Weight::Alone, ..sign("service", "T1543", of(Class::ServiceInstalled)) }];
    assert_eq!(verdict(alone(), vec![installed()]), Verdict::ThreatConfirmed);
}

// covers: ARES-131
#[test]
fn two_signs_count_as_two_only_by_another_technique_and_in_other_facts() {
    let twice = |technique: &str| {
        let named = Condition {
            contains: BTreeMap::from([("object".to_owned(), vec!["helper".to_owned()])]),
            ..Condition::default()
        };
        vec![sign("service", "T1543", of(Class::ServiceInstalled)), sign("helper", technique, named)]
    };
    assert_eq!(verdict(twice("T1569"), vec![installed()]), Verdict::Inconclusive, "the same fact is seen twice");
    let other = seen(Class::ProcessStarted, "account:ann", "process:helper", Some(20), &[]);
    let third = || seen(Class::ServiceInstalled, "account:ann", "service:other", Some(30), &[]);
    assert_eq!(verdict(twice("T1569"), vec![third(), other.clone()]), Verdict::ThreatConfirmed);
    assert_eq!(verdict(twice("T1543"), vec![third(), other]), Verdict::Inconclusive, "the same technique");
}

// covers: ARES-131
#[test]
fn a_statement_explains_a_sign_only_where_it_speaks_of_it() {
    let rules = || {
        let log = ThreatRule {
            weight: Weight::Alone,
            excused_by: vec!["log".to_owned()],
            ..sign("log", "T1070", of(Class::LogCleared))
        };
        vec![sign("service", "T1543", of(Class::ServiceInstalled)), log]
    };
    let both = |note: &str| vec![installed(), cleared(), window("account:ann", note)];
    assert_eq!(verdict(rules(), both("a new service")), Verdict::ThreatConfirmed);
    assert_eq!(verdict(rules(), both("logs are cleared, a new service")), Verdict::ThreatDismissed);
    // What is explained weighs nothing for the other side while a threat is open beside it.
    let many: Vec<NewFact> = (1..=9)
        .map(|second| seen(Class::ServiceInstalled, "account:ann", &format!("service:{second}"), Some(second), &[]))
        .collect();
    let facts = [many, vec![cleared(), window("account:ann", "new services")]].concat();
    assert_eq!(verdict(rules(), facts), Verdict::ThreatConfirmed);
}

// covers: ARES-131
#[test]
fn what_follows_an_explained_beginning_belongs_to_it() {
    let made = || seen(Class::AccountCreated, "account:ann", "account:new", Some(10), &[]);
    let raised = || seen(Class::GroupChanged, "account:ann", "account:administrators", Some(20), &[]);
    let then = FollowingFact { class: vec![Class::GroupChanged], within: 60, ..FollowingFact::default() };
    let rules = || {
        let sequence = Condition { then: Some(then.clone()), ..of(Class::AccountCreated) };
        vec![ThreatRule {
            weight: Weight::Alone,
            excused_by: vec!["account".to_owned()],
            ..sign("raised", "T1136", sequence)
        }]
    };
    assert_eq!(verdict(rules(), vec![made(), raised()]), Verdict::ThreatConfirmed);
    let asked = window("account:new", "a new account for administration");
    assert_eq!(verdict(rules(), vec![made(), raised(), asked]), Verdict::ThreatDismissed);
    assert_eq!(verdict(rules(), vec![made(), raised(), window("account:other", "")]), Verdict::ThreatConfirmed);
}

/// More facts than one assertion has room for are explained in several.
#[test]
fn a_statement_explains_all_facts_that_it_covers() {
    let many: Vec<NewFact> = (1..=30)
        .map(|second| seen(Class::ServiceInstalled, "account:ann", &format!("service:{second}"), Some(second), &[]))
        .collect();
    let cleared: Vec<NewFact> = (1..=9)
        .map(|second| seen(Class::LogCleared, "account:ann", &format!("host:{second}"), Some(second), &[]))
        .collect();
    let rules = vec![
        sign("service", "T1543", of(Class::ServiceInstalled)),
        ThreatRule { pattern: Pattern::DefenseEvasion, ..sign("log", "T1070", of(Class::LogCleared)) },
    ];
    let facts = [many, cleared, vec![window("account:ann", "")]].concat();
    assert_eq!(verdict(rules, facts), Verdict::ThreatDismissed);
}

/// A later fact can be linked by what the earlier one was done to.
#[test]
fn a_sequence_names_which_entity_both_share() {
    let then = FollowingFact {
        class: vec![Class::AccountDeleted],
        within: 60,
        from: EntityRole::Object,
        to: EntityRole::Object,
        ..FollowingFact::default()
    };
    let rules = || vec![sign("short", "T1070", Condition { then: Some(then.clone()), ..of(Class::AccountCreated) })];
    let made = || seen(Class::AccountCreated, "account:ann", "account:new", Some(10), &[]);
    let gone = |object: &str, second: i64| seen(Class::AccountDeleted, "account:bob", object, Some(second), &[]);
    assert_eq!(verdict(rules(), vec![made(), gone("account:new", 30)]), Verdict::Inconclusive);
    assert_eq!(verdict(rules(), vec![made(), gone("account:old", 30)]), Verdict::ThreatDismissed);
    assert_eq!(verdict(rules(), vec![made(), gone("account:new", 300)]), Verdict::ThreatDismissed);
    assert_eq!(verdict(rules(), vec![made(), gone("account:new", 5)]), Verdict::ThreatDismissed, "it came before");
}

fn flow(from: &str, to: &str, second: i64, octets: &str) -> NewFact {
    seen(Class::Flow, from, to, Some(second), &[("octets", octets)])
}

/// Numbers of a field, their sum over a pair, and steps in time.
#[test]
fn conditions_over_numbers_and_steps_take_what_they_name() {
    let at_least = Condition { at_least: BTreeMap::from([("octets".to_owned(), 100)]), ..of(Class::Flow) };
    let sum = Sum { field: "octets".to_owned(), at_least: 100, by: GroupKey::Pair };
    let steady = Steady { at_least: 5, within: Milli(200), by: GroupKey::Pair, among: Vec::new() };
    let (here, there) = ("address:10.0.0.1", "address:192.0.2.1");
    let takes = |when: Condition, facts: Vec<NewFact>| {
        verdict(vec![sign("flow", "T1048", when)], facts) != Verdict::ThreatDismissed
    };
    assert!(takes(at_least.clone(), vec![flow(here, there, 1, "100")]));
    assert!(!takes(at_least.clone(), vec![flow(here, there, 1, "99"), flow(here, there, 2, "99")]));
    assert!(!takes(at_least, vec![flow(here, there, 1, "many")]));
    let summed = || Condition { sum: Some(sum.clone()), ..of(Class::Flow) };
    assert!(takes(summed(), vec![flow(here, there, 1, "60"), flow(here, there, 2, "60")]));
    assert!(!takes(summed(), vec![flow(here, there, 1, "60"), flow(here, "address:192.0.2.2", 2, "60")]));
    let calls = |seconds: &[i64]| seconds.iter().map(|second| flow(here, there, *second, "1")).collect::<Vec<_>>();
    let regular = || Condition { steady: Some(steady.clone()), ..of(Class::Flow) };
    assert!(takes(regular(), calls(&[0, 60, 121, 180, 239, 300])));
    assert!(!takes(regular(), calls(&[0, 60, 121, 180])), "too few");
    assert!(!takes(regular(), calls(&[0, 10, 121, 125, 239, 300])), "at any time");
}

/// Steady calls are found between others to the same address, by what they have of their own: a port, or a size at a port that others use too.
#[test]
fn steady_calls_are_found_between_others_of_their_pair() {
    let call = |second: i64, port: &str, bytes: &str| {
        let attributes = [("dp", port), ("bytes", bytes)];
        seen(Class::Flow, "address:10.0.0.1", "address:192.0.2.1", Some(second), &attributes)
    };
    let calls = |port: &'static str, bytes: &'static str| (0..6).map(move |number| call(60 * number, port, bytes));
    let others =
        || [3, 17, 71, 72, 130, 190, 202, 263].into_iter().map(|second| call(second, "443", &format!("9{second}")));
    let names = FieldNames::from([("port".to_owned(), vec!["dp".to_owned()])]);
    let takes = |among: &[&str], facts: Vec<NewFact>| {
        let among = among.iter().map(|field| (*field).to_owned()).collect();
        let steady = Steady { at_least: 5, within: Milli(200), by: GroupKey::Pair, among };
        let when = Condition { steady: Some(steady), ..of(Class::Flow) };
        let threats = vec![sign("calls", "T1071", when)];
        verdict_with(names.clone(), Decision::Claims, threats, facts) != Verdict::ThreatDismissed
    };
    let apart = || calls("8443", "310").chain(others()).collect::<Vec<_>>();
    let beside = || calls("443", "310").chain(others()).collect::<Vec<_>>();
    assert!(takes(&["port"], calls("443", "310").collect()), "alone");
    assert!(!takes(&[], apart()));
    assert!(takes(&["port"], apart()));
    assert!(!takes(&["port"], beside()));
    assert!(takes(&["port", "bytes"], beside()));
    assert!(!takes(&["port", "bytes"], others().collect()), "at any time");
}

// covers: ARES-131
#[test]
fn a_statement_that_names_addresses_explains_what_goes_there() {
    let rules = || vec![sign("flow", "T1048", of(Class::Flow))];
    let (desk, store, other) = ("address:10.0.0.5", "address:192.0.2.240", "address:192.0.2.241");
    let listed = |note: &str, role: &str| seen(Class::Inventory, desk, "", None, &[("note", note), ("role", role)]);
    let says = |facts: Vec<NewFact>| verdict(rules(), facts);
    let named = || listed("synchronises with 192.0.2.240.", "design");
    assert_eq!(says(vec![flow(desk, store, 1, "1"), named()]), Verdict::ThreatDismissed);
    assert_eq!(says(vec![flow(desk, other, 1, "1"), named()]), Verdict::Inconclusive);
    assert_eq!(says(vec![flow(store, desk, 1, "1"), named()]), Verdict::ThreatDismissed, "the named one acts");
    assert_eq!(says(vec![flow(desk, other, 1, "1"), listed("a desk", "design")]), Verdict::ThreatDismissed);
    // Copies go to a host that takes backups, and to no other listed one.
    assert_eq!(
        says(vec![flow("address:10.0.0.9", desk, 1, "1"), listed("", "backup server")]),
        Verdict::ThreatDismissed
    );
    assert_eq!(says(vec![flow("address:10.0.0.9", desk, 1, "1"), listed("", "file server")]), Verdict::Inconclusive);
}

/// Facts of a group are counted together within so many seconds, a fact that counts others as if its records were spread evenly.
#[test]
fn conditions_over_groups_keep_to_their_window() {
    let within = |within: Option<u64>| Condition {
        repeated: Some(Repeated { at_least: 4, by: GroupKey::Actor, within }),
        ..of(Class::LogonFailed)
    };
    let takes = |when: Condition, facts: Vec<NewFact>| {
        verdict(vec![sign("refused", "T1110", when)], facts) != Verdict::ThreatDismissed
    };
    let refused = |seconds: &[i64]| -> Vec<NewFact> {
        let one = |second: &i64| seen(Class::LogonFailed, "address:192.0.2.7", "account:root", Some(*second), &[]);
        seconds.iter().map(one).collect()
    };
    assert!(takes(within(Some(60)), refused(&[0, 20, 40, 60])));
    assert!(!takes(within(Some(59)), refused(&[0, 20, 40, 60])));
    assert!(takes(within(None), refused(&[0, 20, 40, 6000])));
    let accounts = |within: Option<u64>| Condition {
        distinct: Some(Distinct { field: "object".to_owned(), at_least: 3, by: GroupKey::Actor, within }),
        ..of(Class::LogonFailed)
    };
    let tried = |seconds: &[i64]| -> Vec<NewFact> {
        let one = |(place, second): (usize, &i64)| {
            seen(Class::LogonFailed, "address:192.0.2.7", &format!("account:u{place}"), Some(*second), &[])
        };
        seconds.iter().enumerate().map(one).collect()
    };
    assert!(takes(accounts(Some(60)), tried(&[0, 30, 60])));
    assert!(!takes(accounts(Some(60)), tried(&[0, 30, 61])));
    // A logon long after the window of the guesses does not follow them, though one more failure lies before it.
    let then = FollowingFact { class: vec![Class::Logon], within: 30, ..FollowingFact::default() };
    let guessed = || Condition { then: Some(then.clone()), ..within(Some(60)) };
    let logon = |second: i64| seen(Class::Logon, "address:192.0.2.7", "account:root", Some(second), &[]);
    assert!(takes(guessed(), [refused(&[0, 20, 40, 60]), vec![logon(80)]].concat()));
    assert!(!takes(guessed(), [refused(&[0, 20, 40, 60, 7000]), vec![logon(7010)]].concat()));
}

/// Two signs that share nobody and nothing do not count as a pair: they are about different things in one log.
#[test]
fn signs_about_different_things_make_no_pair() {
    let rules =
        || vec![sign("service", "T1543", of(Class::ServiceInstalled)), sign("log", "T1070", of(Class::LogCleared))];
    let elsewhere = || seen(Class::LogCleared, "account:bob", "host:other", Some(9), &[]);
    assert_eq!(verdict(rules(), vec![installed(), cleared()]), Verdict::ThreatConfirmed);
    assert_eq!(verdict(rules(), vec![installed(), elsewhere()]), Verdict::Inconclusive);
}

/// A fact that follows has to say what the rule asks of it, and a second entity can have to be the same.
#[test]
fn what_follows_is_asked_about_too() {
    let then = FollowingFact {
        class: vec![Class::GroupChanged],
        within: 60,
        contains: BTreeMap::from([("object".to_owned(), vec!["sudo".to_owned()])]),
        ..FollowingFact::default()
    };
    let rules = |then: &FollowingFact| {
        vec![sign("raised", "T1136", Condition { then: Some(then.clone()), ..of(Class::AccountCreated) })]
    };
    let made = || seen(Class::AccountCreated, "account:ann", "account:new", Some(10), &[]);
    let put = |group: &str| seen(Class::GroupChanged, "account:ann", group, Some(20), &[]);
    assert_eq!(verdict(rules(&then), vec![made(), put("account:sudo")]), Verdict::Inconclusive);
    assert_eq!(verdict(rules(&then), vec![made(), put("account:sales")]), Verdict::ThreatDismissed);
    let same = SharedEntity { from: EntityRole::Object, to: EntityRole::Object };
    let also = FollowingFact { also: Some(same), contains: BTreeMap::new(), ..then };
    assert_eq!(verdict(rules(&also), vec![made(), put("account:sales")]), Verdict::ThreatDismissed);
    assert_eq!(verdict(rules(&also), vec![made(), put("account:new")]), Verdict::Inconclusive);
}
