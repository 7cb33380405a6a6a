//! Counts of every real file agree with those of independent extractors, where the data folder is present.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gimbal_evidence::extract::{
    ExtractError, FlowReader, Format, ReadOptions, Sink, Stats, read_argus, read_auditd, read_flow_capture,
    read_nfdump, read_syslog, read_syslog_json, read_zeek, read_zeek_json,
};
use gimbal_evidence::{Class, Utc};
use serde_json::Value;

use super::{Facts, Found, in_year};

fn folder() -> Option<PathBuf> {
    let set = std::env::var_os("GIMBAL_DATA").map(PathBuf::from);
    let data = set.unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference")));
    let folder = data.join("telemetry");
    if folder.join("counts.jsonl").is_file() {
        return Some(folder);
    }
    println!("skipped: no telemetry in {}", folder.display());
    None
}

/// The counts of a kind of files.
fn counts(folder: &Path, kind: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("counts.jsonl")).unwrap();
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.filter(|row| row["kind"] == kind).collect()
}

fn table(value: &Value) -> BTreeMap<String, u64> {
    let members = value.as_object().unwrap().iter();
    members.map(|(key, count)| (key.clone(), count.as_u64().unwrap())).collect()
}

fn name(row: &Value) -> &str {
    row["file"].as_str().unwrap()
}

fn read(format: Format, bytes: &[u8], sink: &mut dyn Sink) -> Result<Stats, ExtractError> {
    let options = in_year(2026);
    match format {
        Format::Syslog => read_syslog(bytes, &options, sink),
        Format::SyslogJson => read_syslog_json(bytes, &options, sink),
        Format::Auditd => read_auditd(bytes, &options, sink),
        Format::FlowCapture => read_flow_capture(bytes, &options, sink),
        Format::Zeek => read_zeek(bytes, &options, sink),
        Format::ZeekJson => read_zeek_json(bytes, &options, sink),
        Format::Argus => read_argus(bytes, &options, sink),
        Format::Nfdump => read_nfdump(bytes, &options, sink),
        other => panic!("{other} is not read here"),
    }
}

fn open(folder: &Path, row: &Value) -> (Format, Found) {
    let bytes = fs::read(folder.join(name(row))).unwrap();
    let format = Format::detect(&bytes[..bytes.len().min(4096)]).unwrap();
    (format, Found::of(|sink| read(format, &bytes, sink)))
}

// covers: ARES-012
#[test]
fn syslog_and_audit_records_are_counted_as_independent_readers_count_them() {
    let Some(folder) = folder() else { return };
    let rows = counts(&folder, "syslog");
    assert_eq!(rows.len(), 15);
    for row in rows {
        let (format, found) = open(&folder, &row);
        let file = name(&row);
        assert_eq!(Some(found.stats.parsed), row["records"].as_u64(), "{file}");
        assert_eq!(Some(found.stats.damaged), row["damaged"].as_u64(), "{file}");
        if let Some(empty) = row["empty_lines"].as_u64() {
            assert_eq!(found.stats.dropped, empty, "{file}");
        }
        let classes = &row["classes"];
        match format {
            Format::Auditd => {
                assert_eq!(Some(found.facts.len() as u64), row["audit_events"].as_u64(), "{file}");
                assert_eq!(found.by("type"), table(&classes["audit_type"]), "{file}");
                let window = (row["first"].as_str().unwrap().to_owned(), row["last"].as_str().unwrap().to_owned());
                assert_eq!(found.window(), Some(window), "{file}");
            }
            Format::SyslogJson => {
                assert_eq!(found.by("ProcessName"), table(&classes["program"]), "{file}");
                let times = || found.facts.iter().map(|fact| fact.attributes["TimeGenerated"].as_str());
                assert_eq!((times().min(), times().max()), (row["first"].as_str(), row["last"].as_str()), "{file}");
                let events = found.by("EventID").into_iter().map(|(id, count)| (format!("sysmon/{id}"), count));
                let records = found.by("type").into_iter().map(|(kind, count)| (format!("type=AUOMS_{kind}"), count));
                assert_eq!(events.chain(records).collect::<BTreeMap<_, _>>(), table(&classes["inner"]), "{file}");
            }
            _ => {
                assert_eq!(format, Format::Syslog, "{file}");
                assert_eq!(found.by("program"), table(&classes["program"]), "{file}");
                let first = &found.facts.first().unwrap().time.as_ref().unwrap().found;
                let last = &found.facts.last().unwrap().time.as_ref().unwrap().found;
                assert_eq!((Some(first.as_str()), Some(last.as_str())), (row["first"].as_str(), row["last"].as_str()));
                let mut hosts = BTreeMap::new();
                for host in found.facts.iter().flat_map(|fact| fact.entities.first()) {
                    *hosts.entry(host.name().to_owned()).or_default() += 1;
                }
                assert_eq!(hosts, table(&row["hosts"]), "{file}");
                if let Some(filter) = row.get("netfilter") {
                    assert_eq!(found.by("PROTO"), table(&filter["protocols"]), "{file}");
                    for (attribute, key) in [("SRC", "sources"), ("DST", "destinations"), ("DPT", "destination_ports")]
                    {
                        assert_eq!(Some(found.by(attribute).len() as u64), filter[key].as_u64(), "{file} {key}");
                    }
                }
                if let Some(messages) = classes.get("sshd_message") {
                    ssh(file, &found, &table(messages));
                }
            }
        }
    }
}

/// Messages of SSH servers, by what our facts say of them.
fn ssh(file: &str, found: &Found, expected: &BTreeMap<String, u64>) {
    let count = |of: &dyn Fn(&str, &BTreeMap<String, String>) -> bool| {
        let facts = found.facts.iter().filter(|fact| fact.attributes["program"] == "sshd");
        facts.filter(|fact| of(&fact.action, &fact.attributes)).count() as u64
    };
    let whole = |attributes: &BTreeMap<String, String>| !attributes.contains_key("repeated");
    let of = |name: &str| expected.get(name).copied().unwrap_or(0);
    let invalid = |attributes: &BTreeMap<String, String>| attributes.contains_key("invalid_user");
    assert_eq!(count(&|action, _| action.ends_with("accepted")), of("accepted"), "{file}");
    let failed = |of_unknown: bool| {
        let of = |fields: &BTreeMap<String, String>| fields.contains_key("method") && invalid(fields) == of_unknown;
        count(&|action, fields| !action.ends_with("accepted") && of(fields) && whole(fields))
    };
    assert_eq!(failed(false), of("failed"), "{file}");
    assert_eq!(failed(true), of("failed_invalid_user"), "{file}");
    let unknown = count(&|action, _| action == "unknown account");
    assert_eq!(unknown, of("invalid_user") + of("input_userauth_invalid"), "{file}");
    assert_eq!(count(&|_, fields| !whole(fields)), of("message_repeated"), "{file}");
    assert_eq!(count(&|action, _| action == "more authentication failures"), of("more_failures"), "{file}");
    assert_eq!(count(&|action, _| action == "no identification"), of("no_identification"), "{file}");
    assert_eq!(count(&|action, _| action == "reverse lookup failed"), of("reverse_mapping"), "{file}");
    assert_eq!(count(&|action, _| action == "connection closed"), of("connection_closed"), "{file}");
    let closed = count(&|action, fields| action == "session closed" && !fields.contains_key("module"));
    assert_eq!(closed, of("close_session"), "{file}");
    assert_eq!(count(&|action, _| action == "negotiation failed"), of("negotiate"), "{file}");
    assert_eq!(count(&|action, _| action == "connection refused"), of("refused"), "{file}");
    // What no grammar knows stays a message; the independent extractor's own remainder is larger.
    let unread = count(&|action, _| action == "logged");
    println!("{file}: {unread} of {} messages stay messages", found.facts.len());
}

// covers: ARES-013
#[test]
fn exports_are_counted_as_independent_readers_count_them() {
    let Some(folder) = folder() else { return };
    let rows = counts(&folder, "netflow");
    assert_eq!(rows.len(), 22);
    for row in rows {
        let (_, found) = open(&folder, &row);
        assert_eq!(Some(found.stats.damaged), row["damaged"].as_u64(), "{}", name(&row));
        flows(name(&row), &found, &row);
    }
}

/// Compares facts of flows with a row of counts.
fn flows(file: &str, found: &Found, row: &Value) {
    let of = |class| found.facts.iter().filter(move |fact| fact.class == class);
    assert_eq!(Some(of(Class::Flow).count() as u64), row["records"].as_u64(), "{file}");
    assert_eq!(Some(of(Class::Message).count() as u64), row["option_records"].as_u64(), "{file}");
    let damaged =
        |is_pending: bool| of(Class::Damaged).filter(|fact| (fact.action == "no_template") == is_pending).count();
    assert_eq!(Some(damaged(false) as u64), row["damaged"].as_u64(), "{file}");
    assert_eq!(Some(damaged(true) as u64), row["data_sets_without_template"].as_u64(), "{file}");
    let only = Found { facts: of(Class::Flow).cloned().collect(), stats: Stats::default() };
    assert_eq!(only.sum("octetDeltaCount").to_string(), row["octets"].as_str().unwrap(), "{file}");
    assert_eq!(only.sum("packetDeltaCount").to_string(), row["packets"].as_str().unwrap(), "{file}");
    let names =
        [("1", "icmp"), ("2", "igmp"), ("6", "tcp"), ("17", "udp"), ("47", "gre"), ("50", "esp"), ("58", "icmp6")];
    let mut protocols: BTreeMap<String, u64> = BTreeMap::new();
    for fact in &only.facts {
        let number = fact.attributes.get("protocolIdentifier").map_or("(no protocol field)", String::as_str);
        let named = names.iter().find(|(known, _)| *known == number).map_or(number, |(_, name)| *name);
        *protocols.entry(named.to_owned()).or_default() += 1;
    }
    assert_eq!(protocols, table(&row["classes"]["proto"]), "{file}");
    let sane = |key: &str| row[key].as_str().filter(|text| *text != "out of range");
    let first = only.facts.iter().filter_map(|fact| fact.attributes.get("start")).min();
    let last = only.facts.iter().filter_map(|fact| fact.attributes.get("end").or(fact.attributes.get("start"))).max();
    // The independent extractor adds seconds as binary floats.
    let agree = |ours: Option<&String>, theirs: Option<&str>| {
        let (Some(ours), Some(theirs)) = (ours, theirs) else { return };
        let of = |text: &str| text.parse::<Utc>().unwrap().micros();
        assert!(of(ours).abs_diff(of(theirs)) <= 1, "{file}: {ours} {theirs}");
    };
    agree(first, sane("first"));
    agree(last, sane("last"));
    // The independent extractor knows no times in fractions of a second since 1900.
    assert!(row["first"].is_null() || first.is_some(), "{file}");
}

/// The part of a file's name that files of one device share.
fn device(file: &str) -> &str {
    let ends = ["_opttpl", "_tpldata", "_tpls", "_tplopt", "_tpl", "_data"].iter().filter_map(|end| file.find(end));
    &file[..ends.min().unwrap_or(file.len())]
}

/// The sum of the counts in the heads of a file of datagrams of version 5.
fn counted_in_heads(mut bytes: &[u8]) -> u64 {
    let mut sum = 0;
    while let [0, 5, high, low, ..] = bytes {
        let count = u16::from_be_bytes([*high, *low]);
        bytes = &bytes[24 + 48 * usize::from(count)..];
        sum += u64::from(count);
    }
    assert!(bytes.is_empty());
    sum
}

// covers: ARES-013
#[test]
fn datagrams_of_devices_are_read_alone_and_after_their_templates() {
    let Some(folder) = folder() else { return };
    let rows = counts(&folder, "netflow_raw");
    assert_eq!(rows.len(), 92);
    let devices = folder.join("netflow/devices");
    let mut files: Vec<String> =
        fs::read_dir(&devices).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    let (mut records, mut options) = (0, 0);
    for row in rows {
        let file = name(&row).rsplit('/').next().unwrap().to_owned();
        let payload = fs::read(devices.join(&file)).unwrap();
        let alone = Found::of(|sink| {
            let mut flows = FlowReader::new(&ReadOptions::default(), sink);
            flows.payload(None, &payload)?;
            flows.finish()
        });
        // One file holds several datagrams, and the independent extractor read the first one.
        let mut found = alone;
        if row["notes"].get("v5 bytes after the records").is_some() {
            assert_eq!((found.stats.parsed, found.stats.damaged), (counted_in_heads(&payload), 0), "{file}");
            found.facts.retain(|fact| fact.locator.as_ref().unwrap().at.starts_with("datagram 1 "));
            assert!(found.stats.parsed > found.facts.len() as u64, "{file}");
        }
        flows(&file, &found, &row);
        if let Some(expected) = row.get("after_templates") {
            let mates: Vec<&String> = files
                .iter()
                .filter(|mate| **mate != file && device(mate) == device(&file) && mate.contains("tpl"))
                .collect();
            let mut facts = Facts::default();
            let mut flows_of = FlowReader::new(&ReadOptions::default(), &mut facts);
            for mate in &mates {
                flows_of.payload(None, &fs::read(devices.join(mate)).unwrap()).unwrap();
            }
            flows_of.payload(None, &payload).unwrap();
            let stats = flows_of.finish().unwrap();
            let place = format!("datagram {}", mates.len() + 1);
            let is_here = |at: &str| at == place || at.starts_with(&format!("{place} "));
            facts.0.retain(|fact| is_here(&fact.locator.as_ref().unwrap().at));
            found = Found { facts: facts.0, stats };
            flows(&file, &found, expected);
        }
        records += found.facts.iter().filter(|fact| fact.class == Class::Flow).count();
        options += found.facts.iter().filter(|fact| fact.class == Class::Message).count();
    }
    assert_eq!((records, options), (510, 42));
}

// covers: ARES-013
#[test]
fn flows_in_text_are_counted_as_independent_readers_count_them() {
    let Some(folder) = folder() else { return };
    let rows = counts(&folder, "flow_text");
    assert_eq!(rows.len(), 4);
    for row in rows {
        let (format, found) = open(&folder, &row);
        let file = name(&row);
        assert_eq!(Some(found.stats.parsed), row["records"].as_u64(), "{file}");
        assert_eq!(Some(found.stats.damaged), row["damaged"].as_u64(), "{file}");
        let classes = &row["classes"];
        let (protocol, state, service) = match format {
            Format::Argus => ("Proto", "State", "service"),
            _ => ("proto", "conn_state", "service"),
        };
        assert_eq!(found.by(protocol), table(&classes["proto"]), "{file}");
        assert_eq!(found.by(state), table(&classes["state"]), "{file}");
        if classes.get("service").is_some() {
            let mut services = table(&classes["service"]);
            services.remove("-");
            assert_eq!(found.by(service), services, "{file}");
        }
        let window = found.window().unwrap();
        let expected = |key: &str| row[key].as_str().unwrap().replace('/', "-").replace(' ', "T");
        assert_eq!(window.0.trim_end_matches('Z'), expected("first").trim_end_matches('Z'), "{file}");
        assert_eq!(window.1.trim_end_matches('Z'), expected("last").trim_end_matches('Z'), "{file}");
        let names = |of: &dyn Fn(&gimbal_evidence::NewFact) -> String| {
            found.facts.iter().map(of).collect::<std::collections::BTreeSet<String>>().len() as u64
        };
        let distinct = &row["distinct"];
        let entity = |entity: &Option<gimbal_evidence::Entity>| entity.as_ref().unwrap().name().to_owned();
        assert_eq!(Some(names(&|fact| entity(&fact.actor))), distinct["sources"].as_u64(), "{file}");
        assert_eq!(Some(names(&|fact| entity(&fact.object))), distinct["destinations"].as_u64(), "{file}");
        // The labels of the publisher give the verdict away; no fact holds them.
        for fact in &found.facts {
            assert!(fact.attributes.keys().all(|key| !key.to_lowercase().contains("label")), "{file}");
            assert!(fact.attributes.values().all(|value| !value.contains("alicious")), "{file}");
        }
    }
}
