//! Telemetry.

use std::path::PathBuf;

use gimbal_evidence::extract::{ExtractError, Observed, ReadOptions, Stats, read_evtx, read_windows_csv, read_xml};
use gimbal_evidence::{NewFact, Stamp};

use super::owned;

const EVENT: &str = "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider \
Name='Microsoft-Windows-Security-Auditing'/><EventID>4624</EventID><TimeCreated SystemTime='2026-03-28T09:00:01.1234567Z'/>\
<EventRecordID>77</EventRecordID><Execution ProcessID='4'/><Channel>Security</Channel><Computer>ws01.example</Computer></System>\
<EventData><Data Name='TargetUserName'>bob</Data><Data Name='IpAddress'>::ffff:192.0.2.7</Data><Data>a &amp; b</Data></EventData>\
<!-- > --><UserData><a b='c'><![CDATA[</Event>]]></a></UserData></Event>";

/// An extractor counts what it gives, and every fact can be filled.
fn hold(read: impl FnOnce(&mut dyn FnMut(&Observed<'_>)) -> Result<Stats, ExtractError>) {
    let mut given = 0;
    let stats = read(&mut |observed| {
        given += 1;
        let mut fact = NewFact {
            time: observed.time.map(|utc| Stamp { found: observed.details.time_found(), utc }),
            ..NewFact::new(observed.class, observed.action)
        };
        observed.details.fill(&mut fact);
        assert!(fact.attributes.len() <= 256 && fact.entities.len() <= 256);
        assert!(fact.attributes.iter().all(|(key, value)| key.len() <= 128 && value.len() <= 32 * 1024));
    });
    if let Ok(stats) = stats {
        assert_eq!(stats.emitted, given);
        assert_eq!(stats.seen, stats.parsed + stats.damaged + stats.dropped);
    }
}

/// Event logs of the folder of reference data, where it is at hand: no log can be written here.
pub fn logs() -> Vec<Vec<u8>> {
    let set = std::env::var_os("GIMBAL_DATA").map(PathBuf::from);
    let data = set.unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference")));
    let mut paths: Vec<PathBuf> = std::fs::read_dir(data.join("telemetry/windows/attack"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    let mut logs: Vec<Vec<u8>> = paths.iter().take(12).filter_map(|path| std::fs::read(path).ok()).collect();
    logs.push(b"ElfFile\0".to_vec());
    logs
}

pub fn log(bytes: &[u8]) {
    hold(|sink| read_evtx(bytes, &ReadOptions::default(), &mut |observed: &Observed<'_>| sink(observed)));
}

pub fn events() -> Vec<Vec<u8>> {
    owned(&[EVENT, &format!("<?xml version='1.0'?><Events>{EVENT}\n{EVENT}</Events>")])
}

pub fn event(bytes: &[u8]) {
    hold(|sink| read_xml(bytes, &ReadOptions::default(), &mut |observed: &Observed<'_>| sink(observed)));
}

/// Exports of Event Viewer and of PowerShell, with and without a date that tells the order of day and month.
pub fn exports() -> Vec<Vec<u8>> {
    owned(&[
        "Level,Date and Time,Source,Event ID,Task Category\r\nInformation,3/28/2026 9:00:01 AM,Service Control Manager,7045,None,\"A service\r\n\
         Service Name:  a \"\"b\"\"\"\r\nError,4/3/2026 12:00:00 PM,Other,1,(2),text\r\n",
        "Keywords;Date and Time;Source;Event ID;Task Category\r\nAudit Success;03.04.2026 09:00:01;Microsoft-Windows-Security-Auditing;4624;Logon;\"a\"\r\n",
        "#TYPE System.Diagnostics.Eventing.Reader.EventLogRecord\n\"Message\",\"Id\",\"ProviderName\",\"TimeCreated\",\"Properties\"\n\
         \"x\",\"1\",\"Other\",\"04/03/2026 09:00:01\",\"System.Object[]\"\n",
        "RecordNumber,TimeCreated,EventId,Channel,Payload\n1,2026-03-28 09:00:01.5,4625,Security,\"{\"\"EventData\"\":{\"\"Data\"\":\"\"a\"\"}}\"\n",
    ])
}

pub fn export(bytes: &[u8]) {
    hold(|sink| read_windows_csv(bytes, &ReadOptions::default(), &mut |observed: &Observed<'_>| sink(observed)));
}
