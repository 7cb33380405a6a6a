//! Assertions and what code says of them.

use gimbal_core::{Digest, Milli};
use gimbal_evidence::claim::{Assertion, AssertionKind, Entailment, Predicate};
use gimbal_evidence::judge::Side;
use gimbal_evidence::{Aggregate, Class, Counter, FactId, NewFact, Packet};

use crate::support::{packet, seen};

fn new(class: Class, actor: &str, second: Option<i64>, attributes: &[(&str, &str)]) -> NewFact {
    seen(class, actor, "account:root", second, attributes)
}

fn said(packet: &Packet, predicate: &str, facts: &[u32]) -> Entailment {
    packet.entails(&Assertion {
        kind: AssertionKind::Assert,
        predicate: predicate.parse().unwrap(),
        facts: facts.iter().map(|number| FactId::at(number - 1)).collect(),
        confidence: Milli(900),
        interpretation: String::new(),
    })
}

fn case() -> Packet {
    let counted = NewFact {
        aggregate: Some(Aggregate {
            count: Counter(312),
            first: None,
            formula: "f".to_owned(),
            last: None,
            root: Digest::of(b"m"),
        }),
        locator: None,
        raw_sha256: None,
        ..new(Class::LogonFailed, "address:192.0.2.7", Some(4), &[])
    };
    packet(vec![
        new(Class::LogonFailed, "address:192.0.2.7", Some(1), &[("EventID", "4625"), ("text", "Failed PASSWORD")]),
        new(Class::LogonFailed, "address:192.0.2.7", Some(3), &[("EventID", "4625")]),
        counted,
        new(Class::Logon, "address:192.0.2.7", Some(63), &[("EventID", "4624")]),
        new(Class::KnownScanner, "address:192.0.2.7", None, &[("until", "1970-01-01T00:00:10Z")]),
    ])
}

// covers: ARES-028
#[test]
fn what_code_can_check_is_checked() {
    use Entailment::{Contradicted, Entailed, Unchecked};
    let packet = case();
    let cases: &[(&str, &[u32], Entailment)] = &[
        ("class logon_failed", &[1, 2, 3], Entailed),
        ("class logon_failed", &[1, 4], Contradicted),
        ("count 312", &[1, 2, 3], Entailed),
        ("count 313", &[1, 2, 3], Contradicted),
        ("field EventID=4625", &[1, 2], Entailed),
        ("field EventID=4625", &[1, 4], Contradicted),
        ("mentions failed password", &[1], Entailed),
        ("mentions failed password", &[2], Contradicted),
        ("about address:192.0.2.7", &[1, 4], Entailed),
        ("about host:gate", &[1], Contradicted),
        ("same_actor", &[1, 2, 4], Entailed),
        ("same_object", &[1, 2], Entailed),
        ("in_order", &[1, 4], Entailed),
        ("in_order", &[4, 1], Contradicted),
        ("in_order", &[1, 5], Unchecked),
        ("within 2", &[1, 2], Entailed),
        ("within 2", &[1, 4], Contradicted),
        ("absent service_installed", &[1], Entailed),
        ("absent logon", &[1], Contradicted),
        ("explained", &[1, 2, 5], Entailed),
        ("explained", &[1, 4, 5], Contradicted),
        ("explained", &[5], Contradicted),
        ("explained", &[1, 2], Contradicted),
        ("means an attack", &[1], Unchecked),
        ("class logon", &[], Contradicted),
        ("means an attack", &[9], Contradicted),
    ];
    for (predicate, facts, expected) in cases {
        assert_eq!(said(&packet, predicate, facts), *expected, "{predicate} {facts:?}");
    }
}

// covers: ARES-028, ARES-030
#[test]
fn predicates_have_a_written_form_and_no_others_exist() {
    for text in [
        "class flow",
        "count 20",
        "field a=b",
        "field a=",
        "mentions x y",
        "about host:a",
        "same_actor",
        "within 0",
        "explained",
    ] {
        assert_eq!(text.parse::<Predicate>().unwrap().to_string(), text);
    }
    for text in
        ["", "klass flow", "class flows", "count many", "count -1", "field x", "same_actor now", "about mars", "means"]
    {
        assert!(text.parse::<Predicate>().is_err(), "{text}");
    }
    let text = "classs flow".parse::<Predicate>().unwrap_err().to_string();
    assert!(text.contains("known: class CLASS"), "{text}");
}

// covers: ARES-065
#[test]
fn an_assertion_weighs_as_many_facts_as_it_cites() {
    let assertion = Assertion {
        kind: AssertionKind::Alt,
        predicate: Predicate::Explained,
        facts: vec![FactId::at(0), FactId::at(1)],
        confidence: Milli(700),
        interpretation: "a scan that is known".to_owned(),
    };
    let score = assertion.score(true);
    assert_eq!((score.side, score.facts, score.confidence), (Side::Benign, 2, Milli(700)));
}
