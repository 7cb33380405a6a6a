//! Splits: how many scenarios of which kind, and what is kept apart.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gimbal_triage::corpus::{Corpus, SPLITS};
use gimbal_triage::scenario::{Category, Scenario, Telemetry, Tier};

use super::corpus;

fn by_tier(scenarios: &[&Scenario]) -> [usize; 4] {
    let count = |tier: &Tier| scenarios.iter().filter(|scenario| scenario.tier == *tier).count();
    [count(&Tier::ALL[0]), count(&Tier::ALL[1]), count(&Tier::ALL[2]), count(&Tier::ALL[3])]
}

// covers: ARES-070, ARES-073
#[test]
fn the_published_counts_and_their_history_are_there() {
    let corpus = corpus();
    assert_eq!(by_tier(&corpus.scenarios("ares33")), [5, 8, 11, 9]);
    let ids = |split: &str| corpus.scenarios(split).iter().map(|one| one.id.as_str()).collect::<BTreeSet<_>>();
    let (first, second, third) = (ids("ares12"), ids("ares18"), ids("ares33"));
    assert_eq!((first.len(), second.len(), third.len()), (12, 18, 33));
    assert!(first.is_subset(&second) && second.is_subset(&third));
    assert!(third.is_subset(&ids("test")), "rules are written on `dev`");
    assert!(corpus.scenarios("ares12").iter().all(|scenario| scenario.telemetry.len() == 1));
    assert!(corpus.scenarios("ares18").iter().any(|scenario| scenario.telemetry.len() > 1));
}

// covers: ARES-072, ARES-134
#[test]
fn there_are_a_hundred_scenarios_of_all_kinds_without_outside_data() {
    let corpus = corpus();
    let made: Vec<&Scenario> = ["dev", "test"].iter().flat_map(|split| corpus.scenarios(split)).collect();
    assert!(made.len() >= 100, "{}", made.len());
    for split in ["dev", "test"] {
        let scenarios = corpus.scenarios(split);
        assert!(by_tier(&scenarios).iter().all(|count| *count >= 10), "{split}: {:?}", by_tier(&scenarios));
        for telemetry in Telemetry::ALL {
            assert!(scenarios.iter().any(|scenario| scenario.telemetry == [*telemetry]), "{split}: {telemetry}");
        }
        assert!(scenarios.iter().any(|scenario| scenario.telemetry.len() > 1), "{split}: mixed");
        for category in Category::ALL {
            let families: BTreeSet<&str> =
                made.iter().filter(|one| one.category == *category).map(|one| one.family.as_str()).collect();
            assert!(!families.is_empty(), "{category}");
        }
    }
}

#[test]
fn no_scene_is_in_dev_and_in_test() {
    let corpus = corpus();
    let families = |split: &str| corpus.scenarios(split).iter().map(|one| one.family.as_str()).collect::<BTreeSet<_>>();
    assert_eq!(families("dev").intersection(&families("test")).count(), 0);
    assert_eq!(families("dev").intersection(&families("real")).count(), 0);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let backgrounds = |split: &str| -> BTreeSet<String> {
        let files = files(&folder.join(split));
        let lines = files.iter().flat_map(|text| text.lines()).filter_map(|line| line.split_once("profile: "));
        lines.map(|(_, rest)| rest.split([',', '}']).next().unwrap_or(rest).to_owned()).collect()
    };
    let (dev, test) = (backgrounds("dev"), backgrounds("test"));
    assert!(!dev.is_empty() && dev.is_disjoint(&test), "{dev:?} {test:?}");
}

/// The texts of the scenarios of a folder.
fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path().join("scenario.yaml"));
    entries.map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn the_program_holds_every_file_of_the_folder() {
    let opened = Corpus::open(&Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios")).unwrap();
    let built_in = corpus();
    let ids = |corpus: &Corpus| corpus.all().iter().map(|scenario| scenario.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&opened), ids(built_in));
    for split in SPLITS {
        assert_eq!(opened.digest(split).unwrap(), built_in.digest(split).unwrap(), "{split}");
    }
}

#[test]
fn an_edited_label_is_another_corpus() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("one/scenario.yaml");
    std::fs::create_dir(folder.path().join("one")).unwrap();
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/dev/ssh_guessing/scenario.yaml"))
            .unwrap();
    let digests = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let corpus = Corpus::open(folder.path()).unwrap();
        let ids = corpus.all().iter().map(|one| (one.id.clone(), one.digest().unwrap()));
        ids.collect::<BTreeMap<_, _>>()
    };
    let before = digests(&text);
    assert_eq!(before, digests(&text.replace("Guessing of SSH", "guessing of SSH")), "a title is no label");
    for (from, to) in
        [("label_version: 1", "label_version: 2"), ("count: 310", "count: 311"), ("least: 50", "least: 51")]
    {
        let after = digests(&text.replace(from, to));
        assert!(before.iter().all(|(id, digest)| after[id] != *digest), "{from}");
    }
}
