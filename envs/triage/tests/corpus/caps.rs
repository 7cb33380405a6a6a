//! What a limit of facts leaves of what decides.

use std::collections::BTreeSet;
use std::path::Path;

use gimbal_core::Digest;
use gimbal_evidence::{Fact, Packet};
use gimbal_triage::corpus::PacketOptions;
use gimbal_triage::scenario::Scenario;

use super::{corpus, made};
use crate::play::with_interval;

/// What a fact is told apart by across packets: its raw record with its place, or the records that it counts.
fn identity(fact: &Fact) -> (Option<Digest>, String) {
    match &fact.aggregate {
        Some(aggregate) => (Some(aggregate.root), fact.class.to_string()),
        None => {
            (fact.raw_sha256, fact.locator.as_ref().map(|at| format!("{} {}", at.source, at.at)).unwrap_or_default())
        }
    }
}

fn decisive(scenario: &Scenario, packet: &Packet) -> BTreeSet<(Option<Digest>, String)> {
    scenario.decisive(packet).into_iter().filter_map(|id| packet.fact(id)).map(identity).collect()
}

/// What each limit keeps: of how many scenarios all decisive facts of the whole packet, and of how many the verdict.
fn kept_by_limit<'a>(
    scenarios: impl Iterator<Item = &'a Scenario> + Clone,
    folder: Option<&Path>,
) -> Vec<(u64, usize, usize)> {
    let packet = |scenario: &Scenario, max_facts: u64| {
        let options = PacketOptions { max_facts, ..PacketOptions::default() };
        scenario.packet(folder, &options).unwrap_or_else(|error| panic!("{error}"))
    };
    let mut rows: Vec<(u64, usize, usize)> = [25, 50, 100, 200, 400].map(|limit| (limit, 0, 0)).to_vec();
    let all = scenarios.clone().count();
    for scenario in scenarios {
        let wanted = decisive(scenario, &packet(scenario, 10_000));
        for (max_facts, kept, same) in &mut rows {
            let packet = packet(scenario, *max_facts);
            let found: BTreeSet<_> = packet.facts().iter().map(identity).collect();
            *kept += usize::from(wanted.is_subset(&found));
            *same += usize::from(scenario.criterion.verdict(&packet) == scenario.expected);
        }
    }
    println!("| limit of facts | all decisive facts kept | verdict kept |\n| ---: | ---: | ---: |");
    for (max_facts, kept, same) in &rows {
        println!("| {max_facts} | {} of {all} | {} of {all} |", with_interval(*kept, all), with_interval(*same, all));
    }
    rows
}

#[test]
fn the_default_limit_keeps_what_decides() {
    let rows = kept_by_limit(made().iter().map(|(scenario, _)| *scenario), None);
    assert!(rows.is_sorted_by_key(|(_, _, same)| *same), "a larger limit keeps more: {rows:?}");
    assert!(rows.iter().filter(|(limit, ..)| *limit >= 200).all(|(_, _, same)| *same == made().len()), "{rows:?}");
}

/// The same over real files, where the data folder is present: their logs are longer, and what decides is a smaller part of them.
#[test]
fn the_default_limit_keeps_the_verdicts_over_real_files() {
    let Some(folder) = super::real::folder() else { return };
    let scenarios = corpus().scenarios("real");
    let rows = kept_by_limit(scenarios.iter().copied(), Some(&folder));
    let of_default = rows.iter().find(|(limit, ..)| *limit == 200).map(|(_, _, same)| *same);
    assert_eq!(of_default, Some(scenarios.len()), "{rows:?}");
}
