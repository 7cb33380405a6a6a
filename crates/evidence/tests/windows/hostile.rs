//! Damaged and hostile input.

use std::io::{BufReader, Cursor, Read};

use gimbal_evidence::extract::{ExtractError, IssueKind, Observed, ReadOptions, read_evtx, read_xml};
use gimbal_evidence::{Class, NewFact};
use proptest::prelude::*;

use super::{STRICT, data, event, facts_of_log, facts_of_xml, security};

fn one() -> String {
    security(4624, &[("TargetUserName", "bob"), ("IpAddress", "192.0.2.1"), ("Note", "a &amp; b > c")])
}

fn kinds(facts: &[NewFact]) -> Vec<&'static str> {
    facts.iter().map(|fact| fact.class.name()).collect()
}

// covers: ARES-011, ARES-014
#[test]
fn many_events_are_read_with_or_without_an_element_around_them() {
    let event = one();
    let plain = format!("{event}\r\n{event}{event}");
    let wrapped = format!("\u{feff}<?xml version=\"1.0\"?>\n<!-- > --><Events>\n{event}{event}\n{event}</Events>\n");
    for text in [plain, wrapped] {
        let (stats, facts) = facts_of_xml(text.as_bytes());
        let stats = stats.unwrap();
        assert_eq!((stats.seen, stats.parsed, stats.damaged, stats.emitted), (3, 3, 0, 3), "{text}");
        let places: Vec<_> = facts.iter().map(|fact| fact.locator.as_ref().unwrap().at.clone()).collect();
        for (number, place) in (1..).zip(places) {
            let (event, byte) = place.split_once(" at byte ").unwrap();
            assert_eq!(event, format!("event {number}"));
            assert!(text[byte.parse().unwrap()..].starts_with(&one()), "{place}");
        }
        assert_eq!(facts[0].raw_sha256, Some(gimbal_core::Digest::of(event.as_bytes())));
        assert_eq!(facts[0].attributes["Note"], "a & b > c");
    }
}

// covers: ARES-014
#[test]
fn a_damaged_event_is_a_fact_and_the_next_one_is_read() {
    let sound = one();
    for (broken, kind) in [
        ("<Event><System><EventID>1</EventID></System>", IssueKind::Truncated),
        ("<Event><System></Wrong></Event>", IssueKind::Malformed),
        ("<Event><System/><EventData><Data>&bomb;</Data></EventData></Event>", IssueKind::Malformed),
        ("<Event><EventData/></Event>", IssueKind::Malformed),
        ("<Event><System><TimeCreated SystemTime='soon'/></System></Event>", IssueKind::Time),
        ("noise", IssueKind::Malformed),
    ] {
        let text = format!("{sound}{broken}{sound}");
        let (stats, facts) = facts_of_xml(text.as_bytes());
        let stats = stats.unwrap();
        assert_eq!(kinds(&facts), ["logon", "damaged", "logon"], "{broken}");
        assert_eq!((stats.seen, stats.damaged, stats.issues[0].kind), (3, 1, kind), "{broken}");
        assert_eq!(facts[1].action, kind.name());
        let strict = read_xml(text.as_bytes(), &STRICT, &mut |_: &Observed<'_>| {}).unwrap_err();
        assert!(matches!(strict, ExtractError::Record(issue) if issue.kind == kind), "{broken}");
    }
}

// covers: ARES-011
#[test]
fn entities_cannot_be_declared_and_nesting_is_bounded() {
    let bomb = format!("<?xml version=\"1.0\"?><!DOCTYPE x [<!ENTITY a \"b\">]>{}", one());
    let external = format!("<!DOCTYPE x SYSTEM \"file:///etc/passwd\">{}", one());
    for text in [bomb, external] {
        let (stats, facts) = facts_of_xml(text.as_bytes());
        assert!(matches!(stats, Err(ExtractError::Format { .. })) && facts.is_empty());
    }
    let deep = format!("<EventData>{}{}</EventData>", "<a>".repeat(10_000), "</a>".repeat(10_000));
    let (stats, facts) = facts_of_xml(event("p", "1", &deep).as_bytes());
    assert_eq!((stats.unwrap().damaged, kinds(&facts)), (1, vec!["damaged"]));
    for text in ["\u{1}PNG", "hello <Event/>", "{\"a\": 1}"] {
        assert!(matches!(facts_of_xml(text.as_bytes()).0, Err(ExtractError::Format { .. })), "{text}");
    }
}

// covers: ARES-011
#[test]
fn events_in_utf_16_are_read_with_the_places_and_hashes_of_their_own_bytes() {
    let event = security(4624, &[("TargetUserName", "b\u{f6}b \u{1f600}"), ("IpAddress", "192.0.2.1")]);
    let text = format!("\u{feff}{event}\r\n{event}");
    for order in [u16::to_le_bytes, u16::to_be_bytes] {
        let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(order).collect() };
        let bytes = wide(&text);
        let (stats, facts) = facts_of_xml(&bytes);
        let stats = stats.unwrap();
        assert_eq!((stats.parsed, stats.damaged), (2, 0));
        let narrow = facts_of_xml(event.as_bytes()).1.remove(0);
        let raw = wide(&event);
        for (number, fact) in (1..).zip(&facts) {
            assert_eq!(
                (&fact.attributes, &fact.object, fact.class),
                (&narrow.attributes, &narrow.object, narrow.class)
            );
            assert_eq!(fact.raw_sha256, Some(gimbal_core::Digest::of(&raw)));
            let place = &fact.locator.as_ref().unwrap().at;
            let (event, byte) = place.split_once(" at byte ").unwrap();
            assert_eq!(event, format!("event {number}"));
            assert!(bytes[byte.parse().unwrap()..].starts_with(&raw), "{place}");
        }
        // Half of a pair is damage of its event, and no end of the source.
        let mut broken = wide("\u{feff}<Event><System/>");
        broken.extend(order(0xd83d));
        broken.extend(wide(&format!("</Event>{event}")));
        let (stats, facts) = facts_of_xml(&broken);
        assert_eq!((kinds(&facts), stats.unwrap().issues[0].kind), (vec!["damaged", "logon"], IssueKind::Encoding));
    }
}

// covers: ARES-011
#[test]
fn data_cannot_forge_an_event() {
    let forged = format!("<![CDATA[</Data></EventData></Event>{}]]>", security(1102, &[]));
    let commented = format!("<!-- </Event>{} -->", one());
    let quoted = "<EventData><Data Name=\"&lt;/Event&gt;></Event>\">x</Data></EventData>";
    let text = format!(
        "{}{}{}",
        security(4688, &[("CommandLine", &forged)]),
        event("p", "1", &format!("<EventData>{commented}</EventData>")),
        event("p", "2", quoted)
    );
    let (stats, facts) = facts_of_xml(text.as_bytes());
    assert_eq!(stats.unwrap().damaged, 0);
    assert_eq!(kinds(&facts), ["process_started", "message", "message"]);
    assert!(facts[0].attributes["CommandLine"].starts_with("</Data>"));
}

// covers: ARES-014
#[test]
fn an_event_of_any_length_needs_little_memory() {
    // 64 MiB of data in one event, then a sound one.
    let (head, tail) = ("<Event><System/><EventData><Data>", "</Data></EventData></Event>");
    let long = head.as_bytes().chain(std::io::repeat(b'x').take(64 << 20)).chain(tail.as_bytes());
    let sound = one();
    let mut facts = Vec::new();
    let input = BufReader::new(long.chain(sound.as_bytes()));
    let stats = read_xml(input, &ReadOptions::default(), &mut |observed: &Observed<'_>| {
        assert!(observed.raw.len() <= 2 << 20);
        facts.push(observed.class);
    });
    assert_eq!(facts, [Class::Damaged, Class::Logon]);
    assert_eq!(stats.unwrap().issues[0].kind, IssueKind::TooLarge);
}

/// A log with one chunk of records, whose contents are as given.
fn log(contents: &[Vec<u8>]) -> Vec<u8> {
    let mut records = Vec::new();
    let mut last = 512;
    for (id, content) in (1_u64..).zip(contents) {
        let size = (24 + content.len() + 4) as u32;
        last = 512 + records.len();
        records.extend_from_slice(b"\x2a\x2a\0\0");
        records.extend_from_slice(&size.to_le_bytes());
        records.extend_from_slice(&id.to_le_bytes());
        records.extend_from_slice(&0_u64.to_le_bytes());
        records.extend_from_slice(content);
        records.extend_from_slice(&size.to_le_bytes());
    }
    let mut chunk = vec![0_u8; 65_536];
    chunk[..8].copy_from_slice(b"ElfChnk\0");
    let count = contents.len() as u64;
    for (at, value) in [(8, 1), (16, count), (24, 1), (32, count)] {
        chunk[at..at + 8].copy_from_slice(&u64::to_le_bytes(value));
    }
    // No checksums: flag 4.
    for (at, value) in [(40, 128), (44, last as u32), (48, (512 + records.len()) as u32), (120, 4)] {
        chunk[at..at + 4].copy_from_slice(&u32::to_le_bytes(value));
    }
    chunk[512..512 + records.len()].copy_from_slice(&records);
    let mut file = vec![0_u8; 4096];
    file[..8].copy_from_slice(b"ElfFile\0");
    file.extend_from_slice(&chunk);
    file
}

// covers: ARES-014
#[test]
fn damaged_logs_are_named_and_other_files_are_refused() {
    let junk = log(&[vec![0xff; 40], vec![0x0f, 1, 1, 0, 0]]);
    let (stats, facts) = facts_of_log(&junk);
    assert_eq!((stats.unwrap().seen, kinds(&facts)), (2, vec!["damaged", "damaged"]));
    assert_eq!(facts[0].locator.as_ref().unwrap().at, "record 1 at byte 4608");
    let error = read_evtx(Cursor::new(&junk), &STRICT, &mut |_: &Observed<'_>| {}).unwrap_err();
    assert!(matches!(error, ExtractError::Record(_)));

    let (stats, facts) = facts_of_log(&junk[..4096 + 700]);
    assert_eq!(stats.unwrap().issues[0].kind, IssueKind::Truncated);
    assert_eq!(facts.len(), 3);
    let mut unmarked = junk;
    unmarked[4096] = 0;
    assert_eq!(facts_of_log(&unmarked).1[0].locator.as_ref().unwrap().at, "chunk at byte 4096");

    assert!(matches!(facts_of_log(b"<Event/>").0, Err(ExtractError::Format { .. })));
    assert_eq!(facts_of_log(b"").0.unwrap().seen, 0);
    assert_eq!(facts_of_log(b"ElfFile\0").0.unwrap().damaged, 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    // covers: ARES-014
    #[test]
    fn no_bytes_stop_the_readers(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let _ = facts_of_xml(&bytes);
        let _ = facts_of_xml(&[b"<Event ".as_slice(), &bytes].concat());
        let contents: Vec<Vec<u8>> = bytes.chunks(300).map(<[u8]>::to_vec).collect();
        let (stats, facts) = facts_of_log(&log(&contents));
        let stats = stats.unwrap();
        prop_assert_eq!(stats.seen, stats.parsed + stats.damaged);
        prop_assert_eq!(stats.emitted, facts.len() as u64);
        let _ = facts_of_log(&bytes);
    }

    // covers: ARES-014
    #[test]
    fn a_cut_or_changed_event_is_read_or_damaged(at in 0_usize..700, byte in any::<u8>(), cut in any::<bool>()) {
        let mut text = one().into_bytes();
        let at = at.min(text.len() - 1);
        if cut {
            text.truncate(at);
        } else {
            text[at] = byte;
        }
        text.extend_from_slice(event("p", "9", &data(&[("a", "b")])).as_bytes());
        if let (Ok(stats), facts) = facts_of_xml(&text) {
            prop_assert!(!facts.is_empty());
            prop_assert_eq!(stats.emitted, facts.len() as u64);
            prop_assert_eq!(stats.seen, stats.parsed + stats.damaged);
        }
    }
}
