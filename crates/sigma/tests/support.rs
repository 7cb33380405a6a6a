//! Events, rules and matchers that tests make.

use gimbal_core::Digest;
use gimbal_evidence::extract::{Extraction, Format, Observed, ReadOptions, Watcher, read_xml};
use gimbal_evidence::{Packet, Selection};
use gimbal_sigma::{Hits, Level, Matcher, Record, Rule, Tables};

/// An event as event XML.
pub fn event(channel: &str, id: u32, body: &str) -> String {
    let provider =
        if channel == "Security" { "Microsoft-Windows-Security-Auditing" } else { "Microsoft-Windows-Sysmon" };
    format!(
        "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider Name='{provider}'/>\
         <EventID>{id}</EventID><Level>4</Level><Task>3</Task><Opcode>0</Opcode><Keywords>0x8000000000000000</Keywords>\
         <TimeCreated SystemTime='2026-03-28T09:00:01.5Z'/><EventRecordID>7</EventRecordID><Channel>{channel}</Channel>\
         <Computer>ws01.example</Computer><Security UserID='S-1-5-18'/></System>{body}</Event>"
    )
}

/// The data of an event with named fields.
pub fn data(fields: &[(&str, &str)]) -> String {
    let escaped = |value: &str| value.replace('&', "&amp;").replace('<', "&lt;");
    let fields: String =
        fields.iter().map(|(name, value)| format!("<Data Name='{name}'>{}</Data>", escaped(value))).collect();
    format!("<EventData>{fields}</EventData>")
}

pub const SYSMON: &str = "Microsoft-Windows-Sysmon/Operational";

/// A start of a process as Sysmon logs it.
pub fn started(image: &str, command: &str) -> String {
    event(SYSMON, 1, &data(&[("RuleName", "-"), ("ProcessId", "4711"), ("Image", image), ("CommandLine", command)]))
}

/// A start of a process as the Security log has it.
pub fn started_4688(image: &str, command: &str) -> String {
    event("Security", 4688, &data(&[("SubjectUserName", "eve"), ("NewProcessName", image), ("CommandLine", command)]))
}

/// The records of events, as rules see them.
pub fn records(xml: &str, tables: &Tables) -> Vec<Record> {
    let mut records = Vec::new();
    let mut sink = |observed: &Observed<'_>| {
        let mut record = Record::of(observed.details);
        tables.rename(&mut record);
        records.push(record);
    };
    read_xml(xml.as_bytes(), &ReadOptions::default(), &mut sink).unwrap();
    records
}

/// The one record of an event.
pub fn record(xml: &str) -> Record {
    let mut records = records(xml, &Tables::windows().unwrap());
    assert_eq!(records.len(), 1);
    records.remove(0)
}

/// A rule by title.
pub fn rule(title: &str, level: Option<Level>) -> Rule {
    Rule {
        id: format!("id of {title}"),
        title: title.to_owned(),
        level,
        author: "A. Author, B. Author".to_owned(),
        licence: "DRL-1.1".to_owned(),
        path: format!("rules/{title}.yml"),
        sha256: Digest::of(title.as_bytes()),
    }
}

/// Rules that match where the command line holds their title.
pub struct ByTitle(pub Vec<Rule>);

impl Matcher for ByTitle {
    fn rules(&self) -> &[Rule] {
        &self.0
    }

    fn matches(&self, record: &Record) -> Vec<usize> {
        let command = record.get("CommandLine").unwrap_or_default();
        (0..self.0.len()).filter(|index| command.contains(&self.0[*index].title)).collect()
    }
}

/// A packet of events with the hits of a matcher; without one, as if no rules were there.
pub fn packet(xml: &str, matcher: Option<&dyn Matcher>, selection: &Selection) -> (Packet, u64) {
    let tables = Tables::windows().unwrap();
    let mut hits = matcher.map(|matcher| Hits::new(matcher, &tables, selection));
    let mut extraction = Extraction::new(selection.clone(), ReadOptions::default());
    let watcher = hits.as_mut().map(|hits| hits as &mut dyn Watcher);
    extraction.read_watched(xml.as_bytes(), Some(Format::WindowsXml), 0, watcher).unwrap();
    let mut left_out = 0;
    if let Some(hits) = hits {
        let source = hits.source(12, Digest::of(b"rules"));
        let (facts, left) = hits.into_facts();
        left_out = left;
        extraction.add(source, facts);
    }
    (extraction.finish().unwrap(), left_out)
}
