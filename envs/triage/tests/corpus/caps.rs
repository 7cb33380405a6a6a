//! What a limit of facts leaves of what decides.

use std::collections::BTreeSet;

use gimbal_core::Digest;
use gimbal_evidence::{Fact, Packet};
use gimbal_triage::corpus::PacketOptions;
use gimbal_triage::scenario::Scenario;

use super::made;

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

#[test]
fn the_default_limit_keeps_what_decides() {
    let packet = |scenario: &Scenario, max_facts: u64| {
        scenario.packet(None, &PacketOptions { max_facts, ..PacketOptions::default() }).unwrap()
    };
    let packets = made();
    let whole: Vec<Packet> = packets.iter().map(|(scenario, _)| packet(scenario, 10_000)).collect();
    println!("| limit | all decisive facts kept | verdict kept |\n|---:|---:|---:|");
    let mut last = 0;
    for max_facts in [25, 50, 100, 200, 400] {
        let (mut kept, mut same) = (0, 0);
        for ((scenario, standard), whole) in packets.iter().zip(&whole) {
            let packet = if max_facts == 200 { standard.clone() } else { packet(scenario, max_facts) };
            let all: BTreeSet<_> = packet.facts().iter().map(identity).collect();
            kept += usize::from(decisive(scenario, whole).is_subset(&all));
            same += usize::from(scenario.criterion.verdict(&packet) == scenario.expected);
        }
        println!("| {max_facts} | {kept} of {0} | {same} of {0} |", packets.len());
        assert!(same >= last, "a larger limit keeps more");
        last = same;
    }
    assert_eq!(last, packets.len());
}
