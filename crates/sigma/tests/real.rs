//! The public rules over their own regression events and over real logs, where the data folder is present. What must come out was computed
//! by three other engines over events of another reader (`sigma/README.md` there).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Instant;

use gimbal_evidence::extract::{Observed, ReadOptions, read_evtx};
use gimbal_sigma::{Matcher, Record, RuleFiles, RuleSet, Tables};
use serde_json::Value;

fn reference() -> Option<PathBuf> {
    let folder = std::env::var("GIMBAL_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference").to_owned());
    let folder = PathBuf::from(folder);
    if folder.join("sigma/regression.jsonl").is_file() {
        return Some(folder);
    }
    eprintln!("skipped: no sigma/regression.jsonl in the data folder; set GIMBAL_DATA to compare");
    None
}

struct Loaded {
    tables: Tables,
    set: RuleSet,
}

impl Loaded {
    fn new(folder: &Path, tables: Tables) -> Self {
        let begun = Instant::now();
        let files = RuleFiles::read(&folder.join("sigma")).unwrap();
        let read = begun.elapsed();
        let set = RuleSet::new(&files, &tables);
        println!(
            "{} files read in {:.2} s; {} rules ready after {:.2} s",
            files.texts.len(),
            read.as_secs_f64(),
            set.rules().len(),
            begun.elapsed().as_secs_f64()
        );
        Self { tables, set }
    }

    /// Rules that hit a log, with the number of events, and how many records it has.
    fn hits(&self, log: &Path) -> (BTreeMap<String, u64>, u64) {
        let (mut hits, mut records) = (BTreeMap::new(), 0);
        let mut sink = |observed: &Observed<'_>| {
            let mut record = Record::of(observed.details);
            if record.is_empty() {
                return;
            }
            records += 1;
            self.tables.rename(&mut record);
            for index in self.set.matches(&record) {
                *hits.entry(self.set.rules()[index].id.clone()).or_default() += 1;
            }
        };
        read_evtx(&fs::read(log).unwrap()[..], &ReadOptions::default(), &mut sink).unwrap();
        (hits, records)
    }
}

/// With event 4688 read as process creation.
fn with_maps(folder: &Path) -> &'static Loaded {
    static LOADED: OnceLock<Loaded> = OnceLock::new();
    LOADED.get_or_init(|| Loaded::new(folder, Tables::windows().unwrap()))
}

fn rows(path: &Path) -> Vec<Value> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_public_rules_are_read_and_those_that_need_a_list_are_named() {
    let Some(folder) = reference() else { return };
    let set = &with_maps(&folder).set;
    assert_eq!(set.files(), 3187);
    let unused: Vec<String> = set.unused().iter().map(|unused| format!("{}: {}", unused.path, unused.why)).collect();
    println!("unused: {unused:#?}\nelsewhere: {:#?}", set.elsewhere());
    assert_eq!(unused.len(), 2, "{unused:#?}");
    assert!(unused.iter().all(|unused| unused.contains("`known_cdcs`")), "{unused:#?}");
    let elsewhere: usize = set.elsewhere().values().sum();
    assert_eq!(set.rules().len() + elsewhere + unused.len(), 3187);
    // 2,852 with the log sources of the independent check; its table lacks five services that this one has.
    assert!(set.rules().len() >= 2850, "{}", set.rules().len());
    assert!(set.rules().iter().all(|rule| rule.author != "not stated" && rule.licence == "DRL-1.1"));
    let ids: BTreeSet<&str> = set.rules().iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(ids.len(), set.rules().len());
}

#[test]
fn every_rule_hits_its_own_events_and_no_other_rule_than_it_should() {
    let Some(folder) = reference() else { return };
    let loaded = with_maps(&folder);
    let (mut tests, mut own, mut pairs, mut records, mut differ) = (0, 0, 0, 0, Vec::new());
    for row in rows(&folder.join("sigma/regression.jsonl")) {
        let log = row["evtx"].as_str().unwrap();
        let (hits, read) = loaded.hits(&folder.join("sigma").join(log));
        let rule = row["rule"].as_str().unwrap();
        tests += 1;
        own += u32::from(hits.contains_key(rule));
        pairs += hits.values().sum::<u64>();
        records += read;
        let expected: BTreeMap<String, u64> =
            row["all_rules"].as_object().unwrap().iter().map(|(id, n)| (id.clone(), n.as_u64().unwrap())).collect();
        assert_eq!(hits.get(rule).copied(), row["own"]["tree"].as_u64(), "{log}");
        if hits != expected {
            differ.push(format!("{log}: {hits:?}, expected {expected:?}"));
        }
    }
    println!("{tests} tests, {own} hit their own event, {pairs} pairs over {records} records");
    assert!(differ.is_empty(), "{differ:#?}");
    assert_eq!((tests, own, pairs, records), (159, 159, 276, 190));
}

/// Compares with the hits of the other engines, log by log and rule by rule, and returns the number of pairs.
fn telemetry(folder: &Path, loaded: &Loaded, column: &str) -> u64 {
    let (mut pairs, mut records, mut logs, mut differ) = (0, 0, 0, Vec::new());
    let begun = Instant::now();
    for row in rows(&folder.join("sigma/hits.jsonl")) {
        let log = row["file"].as_str().unwrap();
        let (hits, read) = loaded.hits(&folder.join("telemetry").join(log));
        let hit = |row: &Value| Some((row["rule"].as_str()?.to_owned(), row[column].as_u64().filter(|n| *n > 0)?));
        let expected: BTreeMap<String, u64> = row["hits"].as_array().unwrap().iter().filter_map(hit).collect();
        pairs += hits.values().sum::<u64>();
        records += read;
        logs += 1;
        if hits != expected {
            let only = |one: &BTreeMap<String, u64>, other: &BTreeMap<String, u64>| -> Vec<String> {
                one.iter().filter(|(id, n)| other.get(*id) != Some(n)).map(|(id, n)| format!("{id} {n}")).collect()
            };
            differ.push(format!("{log}: here {:?}, there {:?}", only(&hits, &expected), only(&expected, &hits)));
        }
    }
    println!(
        "{column}: {pairs} pairs over {records} records of {logs} logs in {:.2} s, reading included",
        begun.elapsed().as_secs_f64()
    );
    assert!(differ.is_empty(), "{differ:#?}");
    assert_eq!(logs, 59);
    pairs
}

#[test]
fn hits_on_real_logs_agree_with_other_engines() {
    let Some(folder) = reference() else { return };
    assert_eq!(telemetry(&folder, with_maps(&folder), "events_with_4688"), 316);
    let plain = Loaded::new(&folder, Tables::windows().unwrap().without_maps());
    assert_eq!(telemetry(&folder, &plain, "events"), 263);
}
