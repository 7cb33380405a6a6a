//! The corpus: every scenario is what its file says.

mod bad_files;
mod caps;
mod leaks;
mod page;
mod pins;
mod real;
mod splits;
mod verified;

use std::sync::OnceLock;

use gimbal_evidence::Packet;
use gimbal_triage::corpus::{Corpus, PacketOptions};
use gimbal_triage::scenario::Scenario;

/// The project's corpus.
fn corpus() -> &'static Corpus {
    Corpus::built_in().unwrap_or_else(|error| panic!("{error}"))
}

/// Every scenario without outside data, with its packet. Made once for all tests.
fn made() -> &'static [(&'static Scenario, Packet)] {
    static MADE: OnceLock<Vec<(&Scenario, Packet)>> = OnceLock::new();
    MADE.get_or_init(|| {
        let made = corpus().all().iter().filter(|scenario| !scenario.splits.iter().any(|split| split == "real"));
        made.map(|scenario| (scenario, packet(scenario))).collect()
    })
}

fn packet(scenario: &Scenario) -> Packet {
    scenario.packet(None, &PacketOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}
