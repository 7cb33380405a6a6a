//! Packets: one spelling, and every change shows.

use std::collections::BTreeMap;

use gimbal_core::{Digest, canonical};
use gimbal_evidence::{
    Aggregate, Class, Counter, Draft, DraftError, Entity, EntityKind, Fact, FactId, Filter, LeftOut, Locator, NewFact,
    Packet, Problem, Proof, ProofError, Pseudonym, Selection, Source, SourceId, Stamp,
};
use proptest::prelude::*;

use crate::support;

fn source() -> Source {
    Source {
        bytes: Counter(u64::MAX),
        extractor: "gimbal-syslog/1".to_owned(),
        records: Counter(3),
        sha256: Digest::of(&0_u32.to_be_bytes()),
        year: Some(2026),
        ..support::source(0)
    }
}

fn fact(line: u32, value: &str) -> NewFact {
    NewFact {
        clock: None,
        class: Class::LogonFailed,
        action: "password refused".to_owned(),
        actor: Entity::new(EntityKind::Address, "192.0.2.7").ok(),
        object: Entity::new(EntityKind::Account, "root").ok(),
        entities: vec![Entity::new(EntityKind::Host, "gate").unwrap()],
        attributes: BTreeMap::from([("text".to_owned(), value.to_owned()), ("Port".to_owned(), "50022".to_owned())]),
        time: Some(Stamp {
            found: format!("Mar 28 09:00:{:02}", line % 60),
            utc: format!("2026-03-28T09:00:{:02}Z", line % 60).parse().unwrap(),
        }),
        locator: Some(Locator { at: format!("line {line}"), source: SourceId::at(0) }),
        raw_sha256: Some(Digest::of(value.as_bytes())),
        aggregate: None,
    }
}

fn packet(values: &[String]) -> Packet {
    let left_out = LeftOut { count: Counter(u64::MAX), root: Digest::of(b"left out") };
    let mut draft = Draft::new(vec![source()], Selection::default())
        .leaving_out(left_out)
        .with_pseudonyms(vec![Pseudonym { name: "corp-gw-1".to_owned(), replaced_by: "gate".to_owned() }]);
    for (line, value) in (0..).zip(values) {
        draft.add(fact(line, value)).unwrap();
    }
    draft.freeze()
}

fn small() -> Packet {
    packet(&["one", "zwei", "три"].map(str::to_owned))
}

// covers: ARES-002, ARES-006, ARES-007
#[test]
fn the_file_of_a_packet_is_frozen() {
    let packet = small();
    let text = String::from_utf8(packet.to_bytes()).unwrap();
    insta::assert_snapshot!(text);
    assert_eq!(Packet::read(text.as_bytes()).unwrap(), packet);
    assert_eq!(packet.material("evidence").digest, packet.head());
    assert_eq!(packet.material("evidence").text, text);
}

// covers: ARES-003, ARES-004
#[test]
fn what_is_hashed_is_canonical() {
    let packet = small();
    let header = serde_json_canonicalizer::to_vec(packet.header()).unwrap();
    assert_eq!(canonical::bytes_of(packet.header()), header);
    for fact in packet.facts() {
        assert_eq!(fact.bytes(), serde_json_canonicalizer::to_vec(fact).unwrap());
    }
    let proof = packet.prove(FactId::at(1)).unwrap();
    assert_eq!(proof.to_bytes(), [serde_json_canonicalizer::to_vec(&proof).unwrap(), vec![b'\n']].concat());
}

// covers: ARES-005
#[test]
fn a_draft_refuses_duplicates_and_what_breaks_a_rule() {
    let mut draft = Draft::new(vec![source()], Selection::default());
    draft.add(fact(1, "one")).unwrap();
    assert!(matches!(draft.add(fact(1, "one")), Err(DraftError::Duplicate { class: Class::LogonFailed, .. })));
    draft.add(fact(2, "one")).unwrap();
    let elsewhere =
        NewFact { locator: Some(Locator { at: "line 1".to_owned(), source: SourceId::at(1) }), ..fact(3, "x") };
    assert!(matches!(draft.add(elsewhere), Err(DraftError::UnknownSource { known: 1, .. })));
    let broken = [
        NewFact { action: String::new(), ..fact(3, "x") },
        NewFact { action: "a\u{1b}[31m".to_owned(), ..fact(3, "x") },
        NewFact { attributes: BTreeMap::from([("naïve".to_owned(), String::new())]), ..fact(3, "x") },
        NewFact { attributes: BTreeMap::from([("long".to_owned(), "x".repeat(40_000))]), ..fact(3, "x") },
        NewFact { locator: None, ..fact(3, "x") },
        NewFact { locator: None, raw_sha256: None, ..fact(3, "x") },
    ];
    for fact in broken {
        assert!(matches!(draft.add(fact.clone()), Err(DraftError::Malformed(_))), "{fact:?}");
    }
    let packet = draft.freeze();
    assert_eq!(packet.facts().len(), 2);
    let window = packet.header().window.unwrap();
    assert_eq!(window.first.to_string(), "2026-03-28T09:00:01.000000Z");
    assert_eq!(window.last.to_string(), "2026-03-28T09:00:02.000000Z");
}

#[test]
fn facts_are_numbered_in_order_of_time_and_those_without_a_time_come_last() {
    let mut draft = Draft::new(vec![source()], Selection::default());
    draft.add(NewFact { time: None, ..fact(9, "without") }).unwrap();
    draft.add(fact(5, "later")).unwrap();
    draft.add(fact(3, "earlier")).unwrap();
    let packet = draft.freeze();
    let texts: Vec<String> = packet.facts().iter().filter_map(|fact| fact.field("text")).collect();
    assert_eq!(texts, ["earlier", "later", "without"]);
}

// covers: ARES-009, ARES-008
#[test]
fn facts_are_found_by_id_entity_field_and_time() {
    let mut draft = Draft::new(vec![source()], Selection::default());
    for line in 1..=4 {
        draft.add(fact(line, &format!("line {line}"))).unwrap();
    }
    let aggregate = Aggregate {
        count: Counter(312),
        first: None,
        formula: "count by class, actor, action and object".to_owned(),
        last: None,
        root: Digest::of(b"members"),
    };
    let counted = NewFact {
        aggregate: Some(aggregate),
        locator: None,
        raw_sha256: None,
        time: None,
        actor: None,
        ..fact(0, "many")
    };
    draft.add(counted).unwrap();
    let packet = draft.freeze();
    let ids = |filter: &Filter| packet.find(filter).map(|fact| fact.id.to_string()).collect::<Vec<_>>();
    let everything = Filter::default();
    assert_eq!(ids(&everything).len(), 5);
    assert_eq!(ids(&Filter { entity: "address:192.0.2.7".parse().ok(), ..everything.clone() }).len(), 4);
    assert_eq!(
        ids(&Filter { field: Some(("count".to_owned(), Some("312".to_owned()))), ..everything.clone() }),
        ["F005"]
    );
    assert_eq!(ids(&Filter { field: Some(("Port".to_owned(), Some("1".to_owned()))), ..everything.clone() }).len(), 0);
    let range = Filter {
        since: "2026-03-28T09:00:02Z".parse().ok(),
        until: "2026-03-28T09:00:04Z".parse().ok(),
        ..everything.clone()
    };
    assert_eq!(ids(&range), ["F002", "F003"]);
    assert_eq!(ids(&Filter { class: Some(Class::Flow), ..everything }).len(), 0);
    assert_eq!(packet.validate(&["F001", "F005"]).unwrap(), [FactId::at(0), FactId::at(4)]);
    let unknown = packet.validate(&["F001", "F006", "F1", "drop table"]).unwrap_err();
    assert_eq!(unknown.to_string(), "the packet has no fact F006, F1, drop table");
    assert_eq!(packet.counts()["logon_failed"], 316);
}

#[test]
fn an_empty_packet_is_a_packet() {
    let packet = Draft::new(Vec::new(), Selection::default()).freeze();
    assert_eq!(Packet::read(&packet.to_bytes()).unwrap(), packet);
    assert_eq!(packet.prove(FactId::at(0)), None);
    let text = String::from_utf8(packet.to_bytes()).unwrap();
    let other = text.replace("\"max_facts\":\"200\"", "\"max_facts\":\"201\"");
    assert_eq!(Packet::read(other.as_bytes()).unwrap_err().problem, Problem::Start);
}

#[test]
fn what_is_no_packet_is_told_with_its_place() {
    let text = String::from_utf8(small().to_bytes()).unwrap();
    let read = |text: &str| Packet::read(text.as_bytes()).unwrap_err();
    assert!(matches!(read("").problem, Problem::Form { .. }));
    assert!(matches!(read("[]").problem, Problem::Form { .. }));
    let form = |from: &str, to: &str| match read(&text.replacen(from, to, 1)) {
        error if matches!(error.problem, Problem::Form { .. }) => error.to_string(),
        other => panic!("{from} as {to}: {other:?}"),
    };
    assert!(form("\"Port\":\"50022\"", "\"Port\":50022").contains("facts[0].fact.attributes"));
    assert!(form("\"class\":\"logon_failed\"", "\"class\":\"logon_faild\"").contains("did you mean `logon_failed`"));
    assert!(form("\"id\":\"F001\"", "\"id\":\"F1\"").starts_with("line 3, column"));
    assert!(form("\"action\":", "\"actions\":").contains("unknown field `actions`"));
    assert!(form("\"class\":\"logon_failed\",", "").contains("missing field `class`"));
    assert!(
        form("\"class\":\"logon_failed\"", "\"class\":\"logon_failed\",\"class\":\"logon\"")
            .contains("duplicate field")
    );
    // Maps take a repeated key without a word; the spelling does not.
    let repeated = read(&text.replacen("\"Port\":\"50022\"", "\"Port\":\"1\",\"Port\":\"50022\"", 1));
    assert!(matches!(repeated.problem, Problem::Spelling(_)), "{repeated}");
    assert!(matches!(read(&format!("{text} ")).problem, Problem::Spelling(_)));
    assert!(matches!(read(&format!("{text}x")).problem, Problem::Form { .. }));
    assert!(matches!(read(text.trim_end()).problem, Problem::Spelling(_)));
    assert!(matches!(read(&text.replacen("три", "\\u0442ри", 1)).problem, Problem::Spelling(_)));
    assert!(matches!(read(&text.replacen("gimbal.packet/1", "gimbal.packet/9", 1)).problem, Problem::Version(_)));
    let other = read(&text.replacen("gimbal.packet/1", "gimbal.packet/2", 1));
    assert!(matches!(other.problem, Problem::OtherVersion { .. }), "{other}");
}

// covers: ARES-006
#[test]
fn a_changed_fact_is_named() {
    let text = String::from_utf8(small().to_bytes()).unwrap();
    let problem = |text: &str| Packet::read(text.as_bytes()).unwrap_err();
    let changed = problem(&text.replacen("zwei", "drei", 1));
    assert_eq!((changed.problem, changed.line), (Problem::Link(FactId::at(1)), 4));
    assert_eq!(problem(&text.replacen("\"one\"", "\"two\"", 1)).problem, Problem::Start);
    let lines: Vec<&str> = text.lines().collect();
    let of = |lines: &[&str]| format!("{}\n", lines.join("\n"));
    let dropped = of(&[lines[0], lines[1], lines[2], lines[4], lines[5], lines[6]]);
    assert!(matches!(problem(&dropped).problem, Problem::Id { .. }));
    let third = lines[3].trim_end_matches(',');
    let cut = of(&[lines[0], lines[1], lines[2], third, lines[5], lines[6]]);
    assert_eq!(problem(&cut).problem, Problem::Head);
    let (second, third) = (lines[3], format!("{},", lines[4]));
    let swapped = of(&[lines[0], lines[1], lines[2], &third, second.trim_end_matches(','), lines[5], lines[6]]);
    assert!(matches!(problem(&swapped).problem, Problem::Id { .. }));
    let root = small().root().to_string();
    let other = Digest::of(b"other").to_string();
    assert_eq!(problem(&text.replacen(&root, &other, 1)).problem, Problem::Root);
}

// covers: ARES-007
#[test]
fn a_proof_shows_one_fact_without_the_others() {
    let packet = small();
    let proof = packet.prove(FactId::at(1)).unwrap();
    let bytes = proof.to_bytes();
    assert_eq!(Proof::read(&bytes).unwrap().root, packet.root());
    let text = String::from_utf8(bytes).unwrap();
    let read = |text: String| Proof::read(text.as_bytes()).unwrap_err();
    assert!(matches!(read(text.replacen("zwei", "drei", 1)), ProofError::Root { .. }));
    assert!(matches!(read(text.replacen("\"id\":\"F002\"", "\"id\":\"F001\"", 1)), ProofError::Root { .. }));
    assert!(matches!(read(text.replacen("{\"fact\"", "{ \"fact\"", 1)), ProofError::Spelling(_)));
    assert!(matches!(read(text.replacen("\"size\":\"3\"", "\"size\":\"1\"", 1)), ProofError::Root { .. }));
    assert!(matches!(read("{}".to_owned()), ProofError::Form(_)));
    // No hash holds the id of the packet: a proof can name another one, if it has the form of an id.
    let id = proof.packet.as_str();
    for wrong in ["Q-0123456789ab", "P-0123456789a", "P-0123456789abc", "P-0123456789AB", ""] {
        assert!(read(text.replacen(id, wrong, 1)).to_string().contains("expected `P-` and 12"), "{wrong}");
    }
}

fn values() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(any::<String>(), 0..7)
}

proptest! {
    // covers: ARES-002, ARES-006
    #[test]
    fn packets_read_back_whatever_their_facts_say(values in values()) {
        let packet = packet(&values);
        prop_assert_eq!(Packet::read(&packet.to_bytes()).unwrap(), packet.clone());
        for fact in packet.facts() {
            prop_assert_eq!(fact.bytes(), serde_json_canonicalizer::to_vec(fact).unwrap());
            let proof = packet.prove(fact.id).unwrap();
            prop_assert_eq!(Proof::read(&proof.to_bytes()).unwrap(), proof);
        }
    }

    // covers: ARES-006, ARES-007
    #[test]
    fn any_flipped_bit_shows(values in values(), place in any::<prop::sample::Index>(), bit in 0..8_u8) {
        let mut bytes = packet(&values).to_bytes();
        let at = place.index(bytes.len());
        bytes[at] ^= 1 << bit;
        prop_assert!(Packet::read(&bytes).is_err());
    }

    // covers: ARES-006, ARES-007
    #[test]
    fn any_cut_insertion_or_reorder_shows(values in values(), place in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let packet = packet(&values);
        let bytes = packet.to_bytes();
        let at = place.index(bytes.len());
        prop_assert!(Packet::read(&bytes[..at]).is_err());
        let inserted = [&bytes[..at], &[byte], &bytes[at..]].concat();
        prop_assert!(Packet::read(&inserted).is_err());
        let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        let line = place.index(lines.len() - 1);
        let mut swapped = lines.clone();
        swapped.swap(line, line + 1);
        if swapped != lines {
            prop_assert!(Packet::read(&swapped.join(&b'\n')).is_err());
        }
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Packet::read(&bytes).is_err());
        prop_assert!(Proof::read(&bytes).is_err());
    }
}

#[test]
fn counts_of_64_bits_stay_exact() {
    let packet = small();
    assert_eq!(packet.header().left_out.count, Counter(u64::MAX));
    assert!(String::from_utf8(packet.to_bytes()).unwrap().contains("\"18446744073709551615\""));
    let _: &[Fact] = packet.facts();
}
