//! The page on the corpus shows the corpus as it is.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gimbal_triage::corpus::SPLITS;
use gimbal_triage::scenario::{Scenario, Telemetry, Tier};

use super::corpus;

const PAGE: &str = include_str!("../../../../docs/triage-corpus.md");

/// Counts by split: tiers, types of telemetry, scenes.
fn counts() -> String {
    let mut table = String::from(
        "| split | scenarios | scenes | clear threat | clear benign | ambiguous | mixed signals | only Windows | only syslog | only NetFlow | several types |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for split in SPLITS {
        let scenarios = corpus().scenarios(split);
        let scenes: BTreeMap<&str, ()> = scenarios.iter().map(|one| (one.family.as_str(), ())).collect();
        let of = |takes: &dyn Fn(&Scenario) -> bool| scenarios.iter().filter(|one| takes(one)).count();
        let _ = write!(table, "| `{split}` | {} | {} |", scenarios.len(), scenes.len());
        for tier in Tier::ALL {
            let _ = write!(table, " {} |", of(&|one| one.tier == *tier));
        }
        for telemetry in Telemetry::ALL {
            let _ = write!(table, " {} |", of(&|one| one.telemetry == [*telemetry]));
        }
        let _ = writeln!(table, " {} |", of(&|one| one.telemetry.len() > 1));
    }
    table
}

// covers: ARES-070, ARES-074
#[test]
fn the_page_shows_how_many_scenarios_there_are() {
    let counts = counts();
    println!("{counts}");
    assert!(PAGE.contains(counts.trim_end()), "docs/triage-corpus.md does not hold this table");
}
