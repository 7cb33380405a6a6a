//! Sigma rules: tables of log sources, events as rules see them, labels, and with the feature `sigma` rules themselves.

use gimbal_evidence::extract::{Observed, ReadOptions, read_xml};
use gimbal_sigma::comparison::Labels;
use gimbal_sigma::{LogSource, Record, Tables};

use super::{owned, text};

pub fn tables() -> Vec<Vec<u8>> {
    owned(&[
        "sources: []\nproduct: windows\nchannels: {s: [Security]}\ncategories: {process_creation: {s: [1]}}\nservices: {security: [Security]}\n\
         maps: [{category: process_creation, channel: Security, event: 4688, fields: {a: b, b: a}}]\nwithout_spaces: [Security]\n",
    ])
}

/// Tables of any kind give gates, and names that are added once are added for good.
pub fn table(bytes: &[u8]) {
    let Some(tables) = text(bytes).and_then(|text| Tables::read(text, "input").ok()) else { return };
    let fields = [("Channel", "Security"), ("EventID", "4688"), ("a", "1"), ("b c", "2")];
    let mut record: Record = fields.into_iter().collect();
    tables.rename(&mut record);
    let renamed = record.clone();
    tables.rename(&mut record);
    assert_eq!(record, renamed);
    let source =
        LogSource { category: Some("process_creation".to_owned()), product: Some("windows".to_owned()), service: None };
    let with = tables.gate(&source).is_some_and(|gate| gate.takes(&record));
    let tables = tables.without_maps();
    // Without maps a gate never lets more through.
    assert!(with || !tables.gate(&source).is_some_and(|gate| gate.takes(&record)));
}

pub fn records() -> Vec<Vec<u8>> {
    super::windows_events::events()
}

/// Any event is a record whose names can be added.
pub fn record(bytes: &[u8]) {
    let Ok(tables) = Tables::windows() else { return };
    let mut look = |observed: &Observed<'_>| {
        let mut record = Record::of(observed.details);
        let before = record.fields().count();
        tables.rename(&mut record);
        assert!(record.fields().count() >= before);
        assert!(record.fields().all(|(name, value)| record.get(name) == Some(value)));
    };
    let _ = read_xml(bytes, &ReadOptions::default(), &mut look);
}

pub fn labels() -> Vec<Vec<u8>> {
    owned(&["file,label\nwindows/a.evtx,malicious\n\"b,c\",benign\n"])
}

pub fn label(bytes: &[u8]) {
    if let Some(labels) = text(bytes).and_then(|text| Labels::read(text, "input").ok()) {
        let _ = labels.of("windows/a.evtx");
    }
}

#[cfg(feature = "sigma")]
pub fn rules() -> Vec<Vec<u8>> {
    owned(&[
        "title: a\nid: b\nauthor: c\nlevel: high\nlogsource:\n    product: windows\n    category: process_creation\ndetection:\n    s:\n        \
         Image|endswith: '\\cmd.exe'\n        CommandLine|contains|all: [whoami, '*a?b']\n    f_1:\n        User|re: 'a+b'\n    \
         condition: s and not 1 of f_*\n",
        "title: a\nlogsource: {product: windows, service: security}\ndetection:\n    words: [lsass, 'x*y']\n    \
         n:\n        EventID: 4688\n        Data|base64offset|contains: secret\n        IpAddress|cidr: 10.0.0.0/8\n        \
         P|gte: 5\n        N: null\n        C|windash|contains: ' -a'\n    condition: words or (n and not words)\n",
        "action: global\ntitle: a\nlogsource: {product: windows, category: dns_query}\n---\nid: b\ndetection: {s: {a|exists: true}, condition: s}\n",
    ])
}

/// Rules of any kind are asked or named, and asking returns.
#[cfg(feature = "sigma")]
pub fn rule(bytes: &[u8]) {
    use gimbal_sigma::{Matcher as _, RuleFiles, RuleSet, RuleText};
    let Some(text) = text(bytes) else { return };
    let Ok(tables) = Tables::windows() else { return };
    let text = RuleText { path: "input.yml".to_owned(), text: text.to_owned() };
    let set = RuleSet::new(&RuleFiles { texts: vec![text], ..RuleFiles::default() }, &tables);
    for fields in [
        [
            ("Channel", "Microsoft-Windows-Sysmon/Operational"),
            ("EventID", "1"),
            ("CommandLine", "whoami /all aXb"),
            ("Image", "C:\\cmd.exe"),
        ],
        [("Channel", "Security"), ("EventID", "4688"), ("Data", "c2VjcmV0 lsass \u{e4}"), ("IpAddress", "10.1.2.3")],
    ] {
        let record: Record = fields.into_iter().collect();
        let found = set.matches(&record);
        assert!(found.is_sorted() && found.iter().all(|index| *index < set.rules().len()));
    }
}
