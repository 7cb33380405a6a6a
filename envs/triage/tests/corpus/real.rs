//! Scenarios over real files, where the data folder is present.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gimbal_triage::corpus::verify::faults;
use gimbal_triage::corpus::{CorpusError, PacketOptions};

use super::corpus;

/// The folder of telemetry, where it is at hand.
pub fn folder() -> Option<PathBuf> {
    let folder = std::env::var("GIMBAL_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference").to_owned());
    let folder = PathBuf::from(folder).join("telemetry");
    if folder.join("manifest.jsonl").is_file() {
        return Some(folder);
    }
    eprintln!("skipped: no telemetry/manifest.jsonl in the data folder; set GIMBAL_DATA to compare");
    None
}

#[test]
fn a_scenario_over_real_files_asks_for_their_folder() {
    let scenario = corpus().scenario("SC-201").unwrap();
    let error = scenario.packet(None, &PacketOptions::default()).unwrap_err();
    assert!(matches!(error, CorpusError::NeedsData { .. }) && error.to_string().contains("data"), "{error}");
    // The digest needs no file: the hash of each is in the scenario.
    assert!(scenario.digest().is_ok());
}

// covers: ARES-071
#[test]
fn real_scenarios_have_the_verdict_that_their_files_support() {
    let Some(folder) = folder() else { return };
    let (mut wrong, mut composed) = (Vec::new(), 0);
    for scenario in corpus().scenarios("real") {
        let packet =
            scenario.packet(Some(&folder), &PacketOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        composed += usize::from(packet.header().sources.iter().filter(|source| source.format != "context").count() > 1);
        let found = scenario.criterion.verdict(&packet);
        if found != scenario.expected {
            wrong.push(format!("{}: {found}, expected {}", scenario.id, scenario.expected));
        }
        let decisive = scenario.decisive(&packet);
        let rest: Vec<_> = packet.facts().iter().filter(|fact| !decisive.contains(&fact.id)).collect();
        if !decisive.is_empty() && scenario.criterion.verdict_over(&rest) == scenario.expected {
            wrong.push(format!("{}: still {} without {decisive:?}", scenario.id, scenario.expected));
        }
        assert!(scenario.origins()[0].starts_with("file "), "{}: {:?}", scenario.id, scenario.origins());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(composed >= 60, "{composed}");
}

/// What `evaluate --policy expert` checks, for every scenario: an open case is settled each way by a twin, and no text tells the label. One
/// packet is excepted: the name of the tool is its evidence.
#[test]
fn real_scenarios_are_verified_but_for_one_whose_evidence_is_a_name() {
    let Some(folder) = folder() else { return };
    let scenarios = corpus().scenarios("real");
    let mut wrong = Vec::new();
    for scenario in &scenarios {
        let packet =
            scenario.packet(Some(&folder), &PacketOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        let family: Vec<_> = scenarios.iter().copied().filter(|other| other.family == scenario.family).collect();
        wrong.extend(faults(scenario, &packet, &family).into_iter().map(|what| format!("{}: {what}", scenario.id)));
    }
    let is_known = |what: &String| what.starts_with("SC-245: ") && what.contains("`mimikatz` in it tells the label");
    assert!(wrong.iter().all(is_known), "{}", wrong.join("\n"));
    assert_eq!(wrong.len(), 2, "two installations of the driver");
}

#[test]
fn composed_cases_lie_over_several_backgrounds() {
    let mut over: BTreeMap<String, usize> = BTreeMap::new();
    for scenario in corpus().scenarios("real") {
        // The first source is the case itself.
        for origin in scenario.origins().into_iter().skip(1).filter(|origin| origin.contains("windows/benign/")) {
            *over.entry(origin).or_default() += 1;
        }
    }
    assert!(over.len() == 4 && over.values().sum::<usize>() == 64, "{over:#?}");
}

/// The best label for each pair of more than one source and of a statement, chosen on the very scenarios that it is counted on.
// covers: ARES-071
#[test]
fn the_number_of_sources_and_the_presence_of_a_statement_do_not_tell_the_label() {
    let scenarios = corpus().scenarios("real");
    let mut pairs: BTreeMap<(bool, bool), BTreeMap<&str, usize>> = BTreeMap::new();
    for scenario in &scenarios {
        let is_stated = |origin: &&String| origin.as_str() == "statements";
        let origins = scenario.origins();
        let stated = origins.iter().filter(is_stated).count();
        let pair = pairs.entry((origins.len() - stated > 1, stated > 0)).or_default();
        *pair.entry(scenario.expected.name()).or_default() += 1;
    }
    println!("{pairs:#?}");
    let right: usize = pairs.values().filter_map(|labels| labels.values().max()).sum();
    assert!(2 * right < scenarios.len(), "{right} of {}: {pairs:#?}", scenarios.len());
    // With two sources and a statement every label is as frequent as the others.
    assert!(pairs[&(true, true)].len() == 3 && pairs[&(false, true)].len() == 3, "{pairs:#?}");
}

#[test]
fn the_sources_of_a_composed_scenario_are_on_one_clock_and_one_host() {
    let Some(folder) = folder() else { return };
    for (id, seconds) in [("SC-208", 120), ("SC-209", 3_600), ("SC-211", 60)] {
        let scenario = corpus().scenario(id).unwrap();
        let packet = scenario.packet(Some(&folder), &PacketOptions::default()).unwrap();
        let window = packet.header().window.unwrap();
        let length = (window.last.micros() - window.first.micros()) / 1_000_000;
        assert!(length <= seconds, "{id}: {length} s");
        assert!(packet.header().sources.len() >= 2, "{id}");
    }
}

/// Names that tell where the data were made, and what with.
const LABORATORY: [&str; 9] =
    ["offsec", "admmig", "fs03vuln", "hacker", "hijack", "impacket", "vulnapp", "lambda-user", "gentilkiwi"];

#[test]
fn names_of_laboratories_are_not_in_facts_unless_asked_for() {
    let Some(folder) = folder() else { return };
    for scenario in corpus().scenarios("real") {
        let text = |pseudonyms: bool| {
            let options = PacketOptions { pseudonyms, ..PacketOptions::default() };
            let packet = scenario.packet(Some(&folder), &options).unwrap_or_else(|error| panic!("{error}"));
            packet.facts().iter().map(|fact| format!("{fact:?}")).collect::<String>().to_lowercase()
        };
        let shown = text(true);
        // The driver of SC-245 is known by its name, and the tier says so.
        let by_name = if scenario.id == "SC-245" { None } else { Some("mimikatz") };
        for name in LABORATORY.into_iter().chain(by_name) {
            assert!(!shown.contains(name), "{}: {name}", scenario.id);
        }
        if scenario.id == "SC-201" {
            assert!(text(false).contains("offsec") && text(false).contains("mimikatz") && !shown.contains("mimikatz"));
        }
    }
}

#[test]
fn a_file_of_the_folder_that_was_changed_is_refused() {
    let Some(folder) = folder() else { return };
    let copy = tempfile::tempdir().unwrap();
    let place = copy.path().join("syslog");
    std::fs::create_dir(&place).unwrap();
    let scenario = corpus().scenario("SC-212").unwrap();
    let missing = scenario.packet(Some(copy.path()), &PacketOptions::default()).unwrap_err();
    assert!(matches!(missing, CorpusError::Io { .. }), "{missing}");
    let mut bytes = std::fs::read(folder.join("syslog/auditd-base64-exec.log")).unwrap();
    bytes.push(b'\n');
    std::fs::write(place.join("auditd-base64-exec.log"), bytes).unwrap();
    let changed = scenario.packet(Some(copy.path()), &PacketOptions::default()).unwrap_err();
    assert!(matches!(changed, CorpusError::OtherFile { .. }), "{changed}");
}
