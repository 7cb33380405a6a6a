//! The shipped rules over real telemetry, beside what its publisher says of it, where the data folder is present.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_evidence::extract::{Extraction, Format, ReadOptions};
use gimbal_evidence::judge::Verdict;
use gimbal_evidence::rules::{Decision, SkepticKind, single_turn};
use gimbal_evidence::{Packet, Selection};

use crate::support::{labelled, shipped_rules, with_interval};

// covers: ARES-023, ARES-025
#[test]
fn the_shipped_rules_are_sound() {
    let rules = shipped_rules();
    assert_eq!(rules.check(), Ok(()));
    assert!(rules.threats.len() >= 30 && rules.benign.len() >= 4);
}

fn packet(path: &std::path::Path) -> Packet {
    let options = ReadOptions { year: Some(2024), ..ReadOptions::default() };
    let mut extraction = Extraction::new(Selection::default(), options);
    extraction.read(std::fs::File::open(path).unwrap(), None, 0).unwrap();
    extraction.finish().unwrap()
}

/// Prints the table of verdicts by label. The rules were not written on these files, and no rate is claimed: what is tested is that each
/// packet is built, bounded, verified, and built again byte for byte.
// covers: ARES-010
#[test]
fn verdicts_on_real_files_beside_their_labels() {
    let Some(folder) = labelled() else { return };
    let rules = shipped_rules();
    let mut labels = csv::Reader::from_path(folder.join("labels.csv")).unwrap();
    let mut table: BTreeMap<(String, String), BTreeMap<&str, u32>> = BTreeMap::new();
    let mut read = 0;
    for row in labels.records() {
        let row = row.unwrap();
        let (file, kind, label, strength) = (&row[0], &row[1], &row[2], &row[5]);
        if label == "none" {
            continue;
        }
        let packet = packet(&folder.join(file));
        assert!(packet.facts().len() <= 200, "{file}");
        let bytes = packet.to_bytes();
        assert_eq!(Packet::read(&bytes).unwrap(), packet, "{file}");
        assert_eq!(self::packet(&folder.join(file)).to_bytes(), bytes, "{file}");
        let outcome = single_turn(&packet, &rules, SkepticKind::Deterministic, Decision::Claims);
        *table
            .entry((label.to_owned(), strength.to_owned()))
            .or_default()
            .entry(outcome.verdict.name())
            .or_default() += 1;
        let techniques = outcome.architect.techniques.join(" ");
        println!("{file},{kind},{label},{strength},{},{},{techniques}", outcome.verdict, outcome.confidence);
        read += 1;
    }
    assert!(read >= 90, "{read} labelled files");
    for ((label, strength), counts) in table {
        let of = counts.values().sum::<u32>() as usize;
        let count = |verdict: &Verdict| counts.get(verdict.name()).copied().unwrap_or(0) as usize;
        let row: Vec<String> = Verdict::ALL.iter().map(|verdict| with_interval(count(verdict), of)).collect();
        println!("| {label} ({strength}) | {of} | {} |", row.join(" | "));
    }
}

/// A row of the labelled Zeek log, as this test reads it: who with whom, how the connection ended, and the label.
struct Labelled {
    pair: (String, String),
    is_refused: bool,
    label: String,
}

fn labelled_rows(text: &str) -> Vec<Labelled> {
    let names: Vec<&str> = text.lines().find_map(|line| line.strip_prefix("#fields\t")).unwrap().split('\t').collect();
    let rows = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    rows.map(|row| {
        let values: Vec<&str> = row.split('\t').collect();
        let of = |name: &str| values[names.iter().position(|known| *known == name).unwrap()].to_owned();
        Labelled {
            pair: (of("id.orig_h"), of("id.resp_h")),
            is_refused: of("conn_state") == "REJ" && of("orig_bytes") == "0" && of("resp_bytes") == "0",
            label: of("label"),
        }
    })
    .collect()
}

/// What the rules cite of a log whose rows an expert labelled one by one. No extractor reads the label.
// covers: ARES-010
#[test]
fn a_labelled_log_of_flows_beside_what_is_cited_of_it() {
    let Some(folder) = labelled() else { return };
    let path = folder.join("netflow/text/zeek_ctu_sme11_remcos.conn.log.labeled");
    let packet = packet(&path);
    let outcome = single_turn(&packet, &shipped_rules(), SkepticKind::Deterministic, Decision::Claims);
    let cited: BTreeSet<(String, String)> = [outcome.architect.cited(), outcome.skeptic.cited()]
        .concat()
        .into_iter()
        .filter_map(|id| packet.fact(id))
        .filter_map(|fact| Some((fact.actor.as_ref()?.name().to_owned(), fact.object.as_ref()?.name().to_owned())))
        .collect();
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let rows = labelled_rows(&std::fs::read_to_string(&path).unwrap());
    for row in &rows {
        let of = counts.entry(&row.label).or_default();
        if cited.contains(&row.pair) {
            of.0 += 1;
        } else {
            of.1 += 1;
        }
    }
    println!("{}, ATT&CK {}; cited: {cited:?}", outcome.verdict, outcome.architect.techniques.join(" "));
    for (label, (cited, not)) in &counts {
        println!("{label}: {cited} rows cited, {not} not");
    }
    let refused = rows.iter().filter(|row| row.label == "Malicious" && row.is_refused).count();
    println!("refused connections without a byte among the malicious rows: {refused}");
    assert_eq!(counts, BTreeMap::from([("Benign", (0, 44)), ("Malicious", (719, 0)), ("Unknown", (0, 3))]));
    assert_eq!(refused, 718);
    assert_eq!(outcome.verdict, Verdict::Inconclusive);
}

/// Every real file gives the same format as its name says.
#[test]
fn formats_of_real_files_are_told_by_their_first_bytes() {
    let Some(folder) = labelled() else { return };
    for (file, format) in [
        ("windows/attack/ID10-Mimikatz_LSASS_process_dump.evtx", Format::Evtx),
        ("netflow/ctu_ssh_bruteforce.v9.pcap", Format::FlowCapture),
        ("syslog/ssh-bf.log", Format::Syslog),
    ] {
        let bytes = std::fs::read(folder.join(file)).unwrap();
        assert_eq!(Format::detect(&bytes[..bytes.len().min(4096)]), Some(format), "{file}");
    }
}
