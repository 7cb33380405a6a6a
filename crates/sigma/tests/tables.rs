//! Gates and names of fields. No engine is needed.

use gimbal_sigma::{LogSource, Record, Tables, TablesError};

use crate::support::{SYSMON, event, records, started, started_4688};

fn source(product: &str, category: &str, service: &str) -> LogSource {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    LogSource { product: some(product), category: some(category), service: some(service) }
}

fn takes(tables: &Tables, log_source: &LogSource, xml: &str) -> bool {
    tables.gate(log_source).unwrap().takes(&records(xml, tables)[0])
}

#[test]
fn a_category_means_events_of_its_sensor_and_not_every_record_with_its_fields() {
    let tables = Tables::windows().unwrap();
    let starts = source("windows", "process_creation", "");
    assert!(takes(&tables, &starts, &started("C:\\a.exe", "a")));
    assert!(takes(&tables, &starts, &started_4688("C:\\a.exe", "a")));
    // Event 3 of Sysmon has an image too, and a Security event of another number a command line.
    assert!(!takes(&tables, &starts, &event(SYSMON, 3, "<EventData><Data Name='Image'>C:\\a.exe</Data></EventData>")));
    assert!(!takes(
        &tables,
        &starts,
        &event("Security", 4624, "<EventData><Data Name='CommandLine'>a</Data></EventData>")
    ));
    // Event 1 of another channel is something else.
    assert!(!takes(&tables, &starts, &event("System", 1, "<EventData/>")));
    let keys = source("windows", "registry_event", "");
    assert!([12, 13, 14].iter().all(|id| takes(&tables, &keys, &event(SYSMON, *id, "<EventData/>"))));
    assert!(!takes(&tables, &source("windows", "registry_set", ""), &event(SYSMON, 12, "<EventData/>")));
}

#[test]
fn a_service_means_its_channels_and_a_category_decides_alone() {
    let tables = Tables::windows().unwrap();
    let powershell = source("windows", "", "powershell");
    for channel in ["Microsoft-Windows-PowerShell/Operational", "PowerShellCore/Operational"] {
        assert!(takes(&tables, &powershell, &event(channel, 4104, "<EventData/>")));
    }
    assert!(!takes(&tables, &powershell, &event("Windows PowerShell", 400, "<EventData/>")));
    assert!(takes(&tables, &source("windows", "", "security"), &event("Security", 4625, "<EventData/>")));
    let both = source("windows", "ps_script", "security");
    assert!(takes(&tables, &both, &event("PowerShellCore/Operational", 4104, "<EventData/>")));
    assert!(!takes(&tables, &both, &event("Security", 4104, "<EventData/>")));
    for unknown in [
        source("linux", "process_creation", ""),
        source("", "process_creation", ""),
        source("windows", "antivirus", ""),
        source("windows", "antivirus", "security"),
        source("windows", "", ""),
        source("windows", "", "no such log"),
    ] {
        assert!(tables.gate(&unknown).is_none(), "{unknown:?}");
    }
}

#[test]
fn fields_of_event_4688_get_the_names_of_process_creation_and_keep_their_own() {
    let tables = Tables::windows().unwrap();
    let xml = event(
        "Security",
        4688,
        "<EventData><Data Name='SubjectUserName'>eve</Data><Data Name='SubjectLogonId'>0x3e7</Data>\
         <Data Name='NewProcessName'>C:\\Windows\\cmd.exe</Data><Data Name='ParentProcessName'>C:\\p.exe</Data>\
         <Data Name='MandatoryLabel'>S-1-16-12288</Data><Data Name='User'>kept</Data></EventData>",
    );
    let record = &records(&xml, &tables)[0];
    let get = |name: &str| record.get(name).unwrap();
    assert_eq!((get("Image"), get("NewProcessName")), ("C:\\Windows\\cmd.exe", "C:\\Windows\\cmd.exe"));
    assert_eq!((get("ParentImage"), get("IntegrityLevel"), get("LogonId")), ("C:\\p.exe", "S-1-16-12288", "0x3e7"));
    assert_eq!(get("User"), "kept", "a field that is there keeps its value");
    assert!(record.get("OriginalFileName").is_none() && record.get("Hashes").is_none());

    let plain = tables.without_maps();
    let record = &records(&xml, &plain)[0];
    assert!(record.get("Image").is_none());
    assert!(!plain.gate(&source("windows", "process_creation", "")).unwrap().takes(record));
    assert!(takes(&plain, &source("windows", "process_creation", ""), &started("C:\\a.exe", "a")));
}

#[test]
fn fields_of_defender_are_known_without_their_spaces_too() {
    let tables = Tables::windows().unwrap();
    let body = "<EventData><Data Name='Threat Name'>X</Data><Data Name='Source Name'>%%2</Data></EventData>";
    let record = &records(&event("Microsoft-Windows-Windows Defender/Operational", 1116, body), &tables)[0];
    assert_eq!((record.get("Threat Name"), record.get("ThreatName")), (Some("X"), Some("X")));
    assert_eq!(record.get("SourceName"), Some("%%2"));
    let record = &records(&event("Application", 1, body), &tables)[0];
    assert!(record.get("ThreatName").is_none());
}

#[test]
fn an_event_without_a_number_passes_no_gate_of_numbers() {
    let tables = Tables::windows().unwrap();
    let gate = tables.gate(&source("windows", "process_creation", "")).unwrap();
    let of = |id: &str| [("Channel", SYSMON), ("EventID", id)].into_iter().collect::<Record>();
    assert!(gate.takes(&of(" 1 ")));
    assert!(!gate.takes(&of("")) && !gate.takes(&of("one")) && !gate.takes(&of("4294967297")));
    assert!(!gate.takes(&Record::default()));
}

#[test]
fn tables_that_do_not_hold_are_refused_with_their_place() {
    let base = "sources: []\nproduct: windows\nchannels: {a: [A]}\nservices: {}\nwithout_spaces: []\n";
    let read = |rest: &str| Tables::read(&format!("{base}{rest}"), "mine.yaml");
    assert!(read("categories: {c: {a: [1]}}\nmaps: []\n").is_ok());
    let wrong = read("categories: {c: {b: [1]}}\nmaps: []\n").unwrap_err();
    assert!(
        matches!(wrong, TablesError::Channel { .. }) && wrong.to_string().starts_with("mine.yaml: category `c`"),
        "{wrong}"
    );
    let map = "maps: [{category: d, channel: A, event: 4, fields: {}}]\n";
    let wrong = read(&format!("categories: {{c: {{a: [1]}}}}\n{map}")).unwrap_err();
    assert!(matches!(wrong, TablesError::Category { .. }), "{wrong}");
    let wrong = read("categories: {}\nmaps: []\nmpas: []\n").unwrap_err();
    assert!(wrong.to_string().starts_with("mine.yaml:8:"), "{wrong}");
}
