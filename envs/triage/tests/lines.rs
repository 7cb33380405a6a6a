//! Lines of facts: what a criterion asks is what an agent can see.

use gimbal_evidence::listing::Listing;
use gimbal_evidence::{Fact, Packet};
use gimbal_triage::corpus::{Corpus, PacketOptions};

/// A fact with no other fields than its line shows, by their own or in the words of the record.
fn as_shown(fact: &Fact) -> Fact {
    let listing = if fact.class.is_context() { Listing { repeats: false, ..Listing::FULL } } else { Listing::SHORT };
    let line = listing.line(fact);
    let shown = listing.fields(fact);
    let mut seen = fact.clone();
    seen.attributes.retain(|name, value| {
        let said = fact.about().any(|entity| entity.name() == value) || line.contains(value.as_str());
        said || shown.iter().any(|(known, _)| known == name)
    });
    seen
}

fn packets() -> Vec<(&'static gimbal_triage::scenario::Scenario, Packet)> {
    let corpus = Corpus::built_in().unwrap_or_else(|error| panic!("{error}"));
    let made = corpus.all().iter().filter(|scenario| !scenario.splits.iter().any(|split| split == "real"));
    made.map(|scenario| (scenario, scenario.packet(None, &PacketOptions::default()).unwrap())).collect()
}

// covers: ARES-071
#[test]
fn the_criterion_gives_the_expected_verdict_over_what_the_lines_show() {
    let mut wrong = Vec::new();
    let (mut longest, mut characters, mut facts) = (0, 0, 0);
    for (scenario, packet) in packets() {
        let seen: Vec<Fact> = packet.facts().iter().map(as_shown).collect();
        let found = scenario.criterion.verdict_over(&seen.iter().collect::<Vec<_>>());
        if found != scenario.expected {
            wrong.push(format!("{}: {found} over the lines, expected {}", scenario.id, scenario.expected));
        }
        let lines = Listing::SHORT.lines(&packet);
        longest = longest.max(lines.iter().map(|line| line.chars().count()).max().unwrap_or(0));
        characters += lines.iter().map(|line| line.chars().count()).sum::<usize>();
        facts += lines.len();
    }
    println!("{facts} lines, {} characters each on average, {longest} the longest", characters / facts.max(1));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(longest < 2500, "{longest}");
}
