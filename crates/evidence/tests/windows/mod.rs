//! Extractors of Windows events.

mod csv;
mod events;
mod hostile;
mod real;

use std::io::Cursor;
use std::path::PathBuf;

use gimbal_evidence::extract::{ExtractError, Observed, ReadOptions, Stats, read_evtx, read_xml};
use gimbal_evidence::{Class, Entity, NewFact};

use crate::support;

/// The options of a strict extractor.
const STRICT: ReadOptions = ReadOptions { strict: true, year: None, zone_minutes: None };

fn facts_of_xml(text: &[u8]) -> (Result<Stats, ExtractError>, Vec<NewFact>) {
    let mut facts = Vec::new();
    let stats =
        read_xml(text, &ReadOptions::default(), &mut |observed: &Observed<'_>| facts.push(support::fact_of(observed)));
    (stats, facts)
}

fn facts_of_log(bytes: &[u8]) -> (Result<Stats, ExtractError>, Vec<NewFact>) {
    let mut facts = Vec::new();
    let options = ReadOptions::default();
    let stats =
        read_evtx(Cursor::new(bytes), &options, &mut |observed: &Observed<'_>| facts.push(support::fact_of(observed)));
    (stats, facts)
}

/// The one fact of an event.
fn only(text: &str) -> NewFact {
    let (stats, mut facts) = facts_of_xml(text.as_bytes());
    let stats = stats.unwrap();
    assert_eq!((stats.seen, stats.emitted, facts.len()), (1, 1, 1), "{text}");
    facts.remove(0)
}

/// An event as `wevtutil` prints it, with the body behind its System part.
fn event(provider: &str, id: &str, body: &str) -> String {
    format!(
        "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider Name='{provider}' \
         Guid='{{00000000-0000-0000-0000-000000000000}}'/><EventID>{id}</EventID><Version>1</Version><Level>0</Level>\
         <Task>1</Task><Opcode>0</Opcode><Keywords>0x8020000000000000</Keywords>\
         <TimeCreated SystemTime='2026-03-28T09:00:01.1234567Z'/><EventRecordID>77</EventRecordID><Correlation/>\
         <Execution ProcessID='4' ThreadID='8'/><Channel>Security</Channel><Computer>ws01.example.</Computer>\
         <Security UserID='S-1-5-18'/></System>{body}</Event>"
    )
}

/// The data of an event with named fields.
fn data(fields: &[(&str, &str)]) -> String {
    let fields: String = fields.iter().map(|(name, value)| format!("<Data Name='{name}'>{value}</Data>")).collect();
    format!("<EventData>{fields}</EventData>")
}

/// An event of the Security log.
fn security(id: u32, fields: &[(&str, &str)]) -> String {
    event("Microsoft-Windows-Security-Auditing", &id.to_string(), &data(fields))
}

/// An event of Sysmon.
fn sysmon(id: u32, fields: &[(&str, &str)]) -> String {
    event("Microsoft-Windows-Sysmon", &id.to_string(), &data(fields))
}

/// The names of all that a fact is about, as `kind:name`.
fn about(fact: &NewFact) -> Vec<String> {
    fact.actor.iter().chain(&fact.object).chain(&fact.entities).map(Entity::to_string).collect()
}

/// Class, action, actor and object as words.
fn words(fact: &NewFact) -> (Class, &str, String, String) {
    let named = |entity: &Option<Entity>| entity.as_ref().map_or_else(|| "nobody".to_owned(), Entity::to_string);
    (fact.class, fact.action.as_str(), named(&fact.actor), named(&fact.object))
}

/// The folder of reference data, if it is at hand.
fn reference() -> Option<PathBuf> {
    let set = std::env::var_os("GIMBAL_DATA").map(PathBuf::from);
    let data = set.unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference")));
    if data.join("telemetry/counts.jsonl").is_file() {
        return Some(data);
    }
    println!("skipped: no reference data; set GIMBAL_DATA to the folder that holds telemetry/");
    None
}
