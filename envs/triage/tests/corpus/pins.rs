//! Raw bytes, packets and labels do not change by accident.

use gimbal_evidence::Class;
use gimbal_triage::corpus::PacketOptions;

use super::{corpus, made};

// covers: ARES-071, ARES-R5
#[test]
fn raw_bytes_packets_and_labels_are_frozen() {
    let mut lines = vec!["scenario labels expected raw head".to_owned()];
    for (scenario, packet) in made() {
        let raw: Vec<String> = scenario.raw_sha256().unwrap().iter().map(|digest| digest.short()).collect();
        lines.push(format!(
            "{} v{} {} {} {} {}",
            scenario.id,
            scenario.label_version,
            scenario.digest().unwrap().short(),
            scenario.expected,
            raw.join("+"),
            packet.head().short()
        ));
    }
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn what_is_generated_reads_back_without_damage() {
    for (scenario, packet) in made() {
        for source in &packet.header().sources {
            assert_eq!(source.damaged.0, 0, "{} {}", scenario.id, source.id);
            assert!(source.records.0 > 0, "{} {}", scenario.id, source.id);
        }
        // A line of syslog that no grammar knows would be a message; only the programs of a house write such lines.
        let unread = packet.facts().iter().filter(|fact| fact.class == Class::Message);
        for fact in unread {
            let program = fact.attributes.get("program").map_or("", String::as_str);
            assert!(["builder", "chronyd", "provision", "systemd"].contains(&program), "{} {fact:?}", scenario.id);
        }
    }
}

#[test]
fn twins_differ_in_nothing_but_what_their_file_says() {
    let corpus = corpus();
    let options = PacketOptions::default();
    let of = |id: &str| corpus.scenario(id).unwrap().packet(None, &options).unwrap();
    // One step is left out, and nothing else moves.
    let (whole, without) = (of("SC-025"), of("SC-026"));
    let raw = |packet: &gimbal_evidence::Packet| {
        packet.facts().iter().map(|fact| (fact.class, fact.time.clone(), fact.action.clone())).collect::<Vec<_>>()
    };
    let (whole, without) = (raw(&whole), raw(&without));
    assert_eq!(whole.len(), without.len() + 1);
    assert!(without.iter().all(|fact| whole.contains(fact)));
}

#[test]
fn the_first_source_alone_is_a_smaller_packet() {
    let scenario = corpus().scenario("SC-165").unwrap();
    let single = scenario.packet(None, &PacketOptions { mixed: false, ..PacketOptions::default() }).unwrap();
    assert_eq!(single.header().sources.len(), 1);
    assert_eq!(scenario.packet(None, &PacketOptions::default()).unwrap().header().sources.len(), 3);
    assert_eq!(single.facts().len(), single.facts().iter().filter(|fact| !fact.class.is_context()).count());
}
