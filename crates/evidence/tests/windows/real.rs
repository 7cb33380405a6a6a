//! Real event logs, where the folder of reference data is at hand.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use gimbal_core::Digest;
use gimbal_evidence::{Class, Draft, NewFact, Selection};
use serde_json::Value;

use super::{facts_of_log, facts_of_xml, reference};

/// Logs with damaged records. The independent count ends a chunk at its first damaged record; this extractor goes on with the next
/// sound record that the chunk's header covers, and finds so many more.
const MORE: [(&str, u64); 2] = [
    ("windows/benign/sample-with-zero-data-size-event.evtx", 114),
    ("windows/benign/sample_with_a_bad_chunk_magic.evtx", 31),
];

fn table<'a>(facts: impl Iterator<Item = &'a NewFact>, key: impl Fn(&NewFact) -> String) -> Value {
    let mut counts = BTreeMap::<String, u64>::new();
    facts.for_each(|fact| *counts.entry(key(fact)).or_default() += 1);
    serde_json::to_value(counts).unwrap()
}

fn attribute(fact: &NewFact, name: &str) -> String {
    fact.attributes.get(name).cloned().unwrap_or_default()
}

/// The number of the chunk in a place such as `record 17 at byte 5120`.
fn chunk(fact: &NewFact) -> u64 {
    let place = &fact.locator.as_ref().unwrap().at;
    let byte: u64 = place.rsplit(' ').next().unwrap_or_default().parse().unwrap();
    (byte - 4096) / 65_536
}

/// The events of a log up to the first damaged record of each chunk, and how many come after one.
fn before_damage(facts: &[NewFact]) -> (Vec<&NewFact>, u64) {
    let (mut broken, mut before, mut after) = (BTreeSet::new(), Vec::new(), 0);
    for fact in facts {
        if fact.class == Class::Damaged {
            broken.insert(chunk(fact));
        } else if broken.contains(&chunk(fact)) {
            after += 1;
        } else {
            before.push(fact);
        }
    }
    (before, after)
}

/// A log that was cut at the border of a chunk, and one whose chunks were zeroed, do not pass as whole; whole ones do.
// covers: ARES-011, ARES-014
#[test]
fn a_log_without_chunks_that_its_header_counts_is_damaged() {
    let Some(folder) = reference() else { return };
    let log = |name: &str| fs::read(folder.join("telemetry/windows/benign").join(name)).unwrap();
    let damaged = |bytes: &[u8]| {
        let found = facts_of_log(bytes).1.into_iter().filter(|fact| fact.class == Class::Damaged);
        found.map(|fact| fact.locator.unwrap().at).collect::<Vec<_>>()
    };
    let system = log("system.evtx");
    assert_eq!(damaged(&system), Vec::<String>::new(), "its header counts fewer chunks than there are");
    assert_eq!(damaged(&system[..69_632]), ["end of file at byte 69632"]);
    let mut zeroed = log("security.evtx");
    assert_eq!(damaged(&zeroed), Vec::<String>::new());
    zeroed[69_632..135_168].fill(0);
    assert_eq!(damaged(&zeroed), ["chunk at byte 69632"]);
    // A chunk that was taken out leaves a gap in the numbers of records.
    let mut without = log("security.evtx");
    without.drain(69_632..135_168);
    assert_eq!(damaged(&without)[0], "chunk at byte 69632");
}

// covers: ARES-011, ARES-014
#[test]
fn counts_of_real_logs_agree_with_independent_readers() {
    let Some(folder) = reference() else { return };
    let telemetry = folder.join("telemetry");
    let counts = fs::read_to_string(telemetry.join("counts.jsonl")).unwrap();
    let rows = counts.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let rows: Vec<Value> = rows.filter(|row| row["kind"] == "windows_evtx").collect();
    assert_eq!(rows.len(), 59);
    let mut total = 0;
    for row in rows {
        let file = row["file"].as_str().unwrap();
        let bytes = fs::read(telemetry.join(file)).unwrap();
        let (stats, facts) = facts_of_log(&bytes);
        let stats = stats.unwrap();
        let (events, after) = before_damage(&facts);
        assert_eq!(events.len() as u64, row["records"].as_u64().unwrap(), "{file}");
        assert_eq!(stats.parsed, events.len() as u64 + after, "{file}");
        total += events.len();
        let more = MORE.iter().find(|(name, _)| *name == file).map_or(0, |(_, more)| *more);
        // The independent count passes over chunks of zeros that the file header counts.
        let zeroed = if file.ends_with("sample_with_a_bad_chunk_magic.evtx") { 10 } else { 0 };
        let damaged = row["damaged"].as_u64().unwrap() + row["walk"]["chunks_bad_magic"].as_u64().unwrap() + zeroed;
        assert_eq!((after, stats.damaged), (more, damaged), "{file}: {:?}", stats.issues);
        let time = |fact: &&NewFact| fact.time.as_ref().map(|time| time.utc.to_string());
        assert_eq!(events.iter().filter_map(time).min().as_deref(), row["first"].as_str(), "{file}");
        assert_eq!(events.iter().filter_map(time).max().as_deref(), row["last"].as_str(), "{file}");
        let classes = &row["classes"];
        let counted = |key: &dyn Fn(&NewFact) -> String| table(events.iter().copied(), key);
        assert_eq!(counted(&|fact| attribute(fact, "EventID")), classes["event_id"], "{file}");
        assert_eq!(counted(&|fact| attribute(fact, "Channel")), classes["channel"], "{file}");
        let named = |fact: &NewFact| format!("{}/{}", attribute(fact, "Provider"), attribute(fact, "EventID"));
        assert_eq!(counted(&named), classes["provider_event_id"], "{file}");
        let computers: BTreeSet<String> = events.iter().map(|fact| attribute(fact, "Computer")).collect();
        assert_eq!(computers.len() as u64, row["computers"].as_u64().unwrap(), "{file}");
        // The raw record of each fact is where its place says.
        for fact in &facts {
            let at = &fact.locator.as_ref().unwrap().at;
            let Some((_, byte)) = at.split_once(" at byte ").filter(|_| fact.class != Class::Damaged) else { continue };
            let start: usize = byte.parse().unwrap();
            let size = u32::from_le_bytes(bytes[start + 4..start + 8].try_into().unwrap()) as usize;
            assert_eq!(fact.raw_sha256, Some(Digest::of(&bytes[start..start + size])), "{file} {at}");
        }
        // Each fact keeps the rules of a packet, and no two are the same.
        let mut draft = Draft::new(vec![crate::support::source(0)], Selection::default());
        for fact in facts {
            draft.add(fact).unwrap_or_else(|error| panic!("{file}: {error}"));
        }
    }
    assert_eq!(total, 9308);
}

// covers: ARES-011
#[test]
fn the_regression_logs_of_the_rules_are_read_whole() {
    let Some(folder) = reference() else { return };
    let sigma = folder.join("sigma");
    let tests = fs::read_to_string(sigma.join("regression.jsonl")).unwrap();
    let (mut logs, mut records) = (0, 0);
    for line in tests.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let path = row["evtx"].as_str().unwrap();
        let (stats, facts) = facts_of_log(&fs::read(sigma.join(path)).unwrap());
        let stats = stats.unwrap();
        assert_eq!((stats.damaged, Some(stats.parsed)), (0, row["records"].as_u64()), "{path}");
        assert!(facts.iter().all(|fact| fact.class != Class::Message && fact.time.is_some()), "{path}");
        logs += 1;
        records += stats.parsed;
    }
    assert_eq!((logs, records), (159, 190));
}

// covers: ARES-011
#[test]
fn a_log_and_its_xml_give_the_same_facts() {
    let Some(folder) = reference() else { return };
    for name in ["attack/ID7045-4697-SMBexec_service_registration.evtx", "benign/new-user-security.evtx"] {
        let bytes = fs::read(folder.join("telemetry/windows").join(name)).unwrap();
        let mut parser = evtx::EvtxParser::from_buffer(bytes.clone()).unwrap();
        parser = parser.with_configuration(evtx::ParserSettings::default().indent(true));
        let xml: String = parser.records().map(|record| record.unwrap().data).collect();
        let (_, of_log) = facts_of_log(&bytes);
        let (stats, of_xml) = facts_of_xml(xml.as_bytes());
        assert_eq!(stats.unwrap().damaged, 0);
        let plain = |mut fact: NewFact| {
            (fact.locator, fact.raw_sha256) = (None, None);
            fact
        };
        let (of_log, of_xml): (Vec<_>, Vec<_>) =
            (of_log.into_iter().map(plain).collect(), of_xml.into_iter().map(plain).collect());
        assert_eq!(of_log, of_xml, "{name}");
    }
}

// covers: ARES-010
#[test]
fn no_fact_of_a_real_log_names_a_technique() {
    let Some(folder) = reference() else { return };
    let mut read = 0_usize;
    for entry in fs::read_dir(folder.join("telemetry/windows/attack")).unwrap() {
        let (_, facts) = facts_of_log(&fs::read(entry.unwrap().path()).unwrap());
        for fact in facts {
            assert!(!fact.attributes.values().any(|value| value.contains("technique_id=")), "{fact:?}");
            read += 1;
        }
    }
    assert!(read > 500, "{read}");
}

// covers: ARES-014
#[test]
fn changed_bytes_of_a_real_log_are_read_or_named() {
    let Some(folder) = reference() else { return };
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = |below: usize| {
        // xorshift64: the same changes in every run.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    for name in ["ID4103-4104-Payload_download_via_PowerShell", "ID1-LSASS_dump_with_LSASSY_SYSMON"] {
        let sound = fs::read(folder.join(format!("telemetry/windows/attack/{name}.evtx"))).unwrap();
        for _ in 0..60 {
            let mut bytes = sound.clone();
            for _ in 0..=draw(20) {
                // Records and templates are at the start of the chunk.
                let at = 4096 + draw(16_384);
                bytes[at] = u8::try_from(draw(256)).unwrap();
            }
            bytes.truncate(if draw(3) == 0 { 4096 + draw(65_536) } else { usize::MAX });
            let (stats, facts) = facts_of_log(&bytes);
            let stats = stats.unwrap();
            assert_eq!(stats.seen, stats.parsed + stats.damaged);
            assert_eq!(stats.emitted, facts.len() as u64);
        }
    }
}
