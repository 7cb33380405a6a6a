//! The public rules over their own regression events and over real logs, where the data folder is present. What must come out was computed
//! by three other engines over events of another reader (`sigma/README.md` there).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Instant;

use gimbal_evidence::extract::{Extraction, Observed, ReadOptions, read_evtx};
use gimbal_evidence::rules::{Decision, RuleSet as OwnRules, SkepticKind, single_turn};
use gimbal_evidence::{Class, Packet, Selection};
use gimbal_sigma::comparison::{Compared, Labels, by_label, hits, test};
use gimbal_sigma::{Hits, Level, Matcher, Record, RuleFiles, RuleSet, Tables};
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
    fn hits(&self, log: &Path, reader: Reader) -> (BTreeMap<String, u64>, u64) {
        let (mut hits, mut records, mut broken) = (BTreeMap::new(), 0, BTreeSet::new());
        let mut sink = |observed: &Observed<'_>| {
            let chunk = chunk(&observed.details.place());
            if observed.class == Class::Damaged {
                broken.insert(chunk);
            }
            let mut record = Record::of(observed.details);
            if record.is_empty() || (reader == Reader::Other && broken.contains(&chunk)) {
                return;
            }
            records += 1;
            if reader == Reader::Other {
                pad(&mut record);
            }
            self.tables.rename(&mut record);
            for index in self.set.matches(&record) {
                *hits.entry(self.set.rules()[index].id.clone()).or_default() += 1;
            }
        };
        read_evtx(&fs::read(log).unwrap()[..], &ReadOptions::default(), &mut sink).unwrap();
        (hits, records)
    }
}

/// Who renders events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    /// The reader of this program.
    Own,
    /// The reader of the independent check (libevtx), as far as rules see a difference: it ends a chunk at its first damaged record, and
    /// writes hexadecimal numbers with all digits of their type (`0x00000017`), where Windows and this program write `0x17`.
    Other,
}

/// The chunk of a place such as `record 17 at byte 5120`.
fn chunk(place: &str) -> Option<u64> {
    place.rsplit(' ').next()?.parse::<u64>().ok()?.checked_sub(4096).map(|byte| byte / 65_536)
}

/// Writes hexadecimal numbers with all digits: 16 for ids of logons, else 8.
fn pad(record: &mut Record) {
    let is_digits = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let padded: Vec<(String, String)> = record
        .fields()
        .filter_map(|(name, value)| {
            let digits = value.strip_prefix("0x").filter(|digits| is_digits(digits))?;
            let width = if name.to_ascii_lowercase().ends_with("logonid") { 16 } else { 8 };
            Some((name.to_owned(), format!("0x{digits:0>width$}")))
        })
        .collect();
    padded.iter().for_each(|(name, value)| record.set(name, value));
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

/// What is not the same in two counts of hits.
fn differing(one: &BTreeMap<String, u64>, other: &BTreeMap<String, u64>) -> Vec<String> {
    one.iter().filter(|(id, n)| other.get(*id) != Some(n)).map(|(id, n)| format!("{id} {n}")).collect()
}

#[test]
fn every_rule_hits_its_own_events_and_no_other_rule_than_it_should() {
    let Some(folder) = reference() else { return };
    let loaded = with_maps(&folder);
    let (mut tests, mut own, mut pairs, mut pairs_there, mut records) = (0, 0, 0, 0, 0);
    for row in rows(&folder.join("sigma/regression.jsonl")) {
        let log = row["evtx"].as_str().unwrap();
        let path = folder.join("sigma").join(log);
        let (hits, read) = loaded.hits(&path, Reader::Own);
        let rule = row["rule"].as_str().unwrap();
        tests += 1;
        own += u32::from(hits.contains_key(rule));
        pairs += hits.values().sum::<u64>();
        records += read;
        assert_eq!(hits.get(rule).copied(), row["own"]["tree"].as_u64(), "{log}");
        let expected: BTreeMap<String, u64> =
            row["all_rules"].as_object().unwrap().iter().map(|(id, n)| (id.clone(), n.as_u64().unwrap())).collect();
        let (there, _) = loaded.hits(&path, Reader::Other);
        pairs_there += there.values().sum::<u64>();
        assert_eq!(there, expected, "{log}");
        if hits != expected {
            println!("{log}: here {:?}, there {:?}", differing(&hits, &expected), differing(&expected, &hits));
        }
    }
    println!(
        "{tests} tests, {own} hit their own event, {pairs} pairs ({pairs_there} as the other reader renders) over {records} records"
    );
    assert_eq!((tests, own, pairs_there, records), (159, 159, 276, 190));
    // `GrantedAccess` 0x1fffff, as the publisher's own text of the event has it, and not 0x001fffff.
    assert_eq!(pairs, 277);
}

/// Compares with the hits of the other engines, log by log and rule by rule, and returns the number of pairs, with events as the other
/// reader renders them, and as they are rendered here.
fn telemetry(folder: &Path, loaded: &Loaded, column: &str) -> (u64, u64) {
    let (mut pairs, mut pairs_there, mut records, mut records_there, mut logs, mut hit_logs) = (0, 0, 0, 0, 0, 0);
    let begun = Instant::now();
    for row in rows(&folder.join("sigma/hits.jsonl")) {
        let log = row["file"].as_str().unwrap();
        let path = folder.join("telemetry").join(log);
        let hit = |row: &Value| Some((row["rule"].as_str()?.to_owned(), row[column].as_u64().filter(|n| *n > 0)?));
        let expected: BTreeMap<String, u64> = row["hits"].as_array().unwrap().iter().filter_map(hit).collect();
        let (there, read_there) = loaded.hits(&path, Reader::Other);
        assert_eq!(there, expected, "{log}");
        assert_eq!(Some(read_there), row["records"].as_u64(), "{log}");
        let (hits, read) = loaded.hits(&path, Reader::Own);
        pairs += hits.values().sum::<u64>();
        pairs_there += there.values().sum::<u64>();
        records += read;
        records_there += read_there;
        logs += 1;
        hit_logs += u32::from(!hits.is_empty());
        if hits != there {
            println!("{log}: here {:?}, there {:?}", differing(&hits, &there), differing(&there, &hits));
        }
        // Every hit of the other reader is one here too.
        assert!(there.iter().all(|(id, n)| hits.get(id) >= Some(n)), "{log}");
    }
    println!(
        "{column}: {pairs} pairs over {records} records of {logs} logs, {hit_logs} with a hit; {pairs_there} over {records_there} as the \
         other reader renders; {:.2} s for both",
        begun.elapsed().as_secs_f64()
    );
    assert_eq!((logs, records_there, records), (59, 9308, 9453));
    (pairs_there, pairs)
}

#[test]
fn hits_on_real_logs_agree_with_other_engines() {
    let Some(folder) = reference() else { return };
    assert_eq!(telemetry(&folder, with_maps(&folder), "events_with_4688"), (316, 325));
    let plain = Loaded::new(&folder, Tables::windows().unwrap().without_maps());
    assert_eq!(telemetry(&folder, &plain, "events"), (263, 272));
}

/// Prints the tables of the comparison over the real event logs. No rate is claimed: ten harmless logs are too few for one.
#[test]
fn hits_beside_the_own_verdicts_by_label() {
    let Some(folder) = reference() else { return };
    let loaded = with_maps(&folder);
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/../../rules/triage.yaml");
    let own: OwnRules = gimbal_core::yaml::read(&fs::read_to_string(rules).unwrap(), "rules/triage.yaml").unwrap();
    let labels = fs::read_to_string(folder.join("telemetry/labels.csv")).unwrap();
    let labels = Labels::read(&labels, "labels.csv").unwrap();
    let selection = Selection::default();
    let mut compared = Vec::new();
    for row in rows(&folder.join("sigma/hits.jsonl")) {
        let file = row["file"].as_str().unwrap();
        let mut hits = Hits::new(&loaded.set, &loaded.tables, &selection);
        let mut extraction = Extraction::new(selection.clone(), ReadOptions::default());
        let opened = fs::File::open(folder.join("telemetry").join(file)).unwrap();
        extraction.read_watched(opened, None, 0, Some(&mut hits)).unwrap();
        let found = hits.found();
        let (records, matched) = (hits.asked(), hits.matched());
        let source = hits.source(loaded.set.bytes(), loaded.set.sha256());
        let (facts, _) = hits.into_facts();
        extraction.add(source, facts);
        let packet = extraction.finish().unwrap();
        assert_eq!(Packet::read(&packet.to_bytes()).unwrap(), packet, "{file}");
        // The packet holds the hits, and its verdict is that of a packet without them.
        let verdict = single_turn(&packet, &own, SkepticKind::Deterministic, Decision::Claims);
        let mut extraction = Extraction::new(selection.clone(), ReadOptions::default());
        extraction.read(fs::File::open(folder.join("telemetry").join(file)).unwrap(), None, 0).unwrap();
        let plain = single_turn(&extraction.finish().unwrap(), &own, SkepticKind::Deterministic, Decision::Claims);
        assert_eq!((verdict.verdict, verdict.confidence), (plain.verdict, plain.confidence), "{file}");
        assert_eq!(verdict.architect.techniques, plain.architect.techniques, "{file}");
        let label = labels.of(file).map(str::to_owned);
        compared.push(Compared { file: file.to_owned(), label, verdict: plain.verdict, records, matched, found });
    }
    println!("{}\n{}", by_label(&compared).to_markdown(), test(&compared).to_markdown());
    let with_hits = |label: &str, least: Option<Level>| {
        compared.iter().filter(|file| file.label.as_deref() == Some(label) && file.is_hit(least)).count()
    };
    let files = |label: &str| compared.iter().filter(|file| file.label.as_deref() == Some(label)).count();
    let known = ["malicious", "ambiguous", "benign", "background"];
    assert_eq!(known.map(files), [32, 17, 2, 8]);
    // At least the logs of the independent check.
    let least = [(None, [23, 10, 1, 5]), (Some(Level::Medium), [21, 7, 1, 4]), (Some(Level::High), [18, 3, 0, 1])];
    for (level, there) in least {
        let here = known.map(|label| with_hits(label, level));
        assert!(here.iter().zip(there).all(|(here, there)| *here >= there), "{level:?}: {here:?}, there {there:?}");
    }
    assert_eq!(hits(&compared).rows.len(), compared.iter().map(|file| file.found.len()).sum::<usize>());
}
