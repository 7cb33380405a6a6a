//! Names that facts do not show.

use gimbal_core::Digest;
use gimbal_evidence::extract::{Extraction, Format, Pseudonyms, ReadOptions};
use gimbal_evidence::{Packet, Pseudonym, Selection};

const LOG: &str = "Mar 28 09:00:01 labgate sshd[7]: Failed password for eve from 192.0.2.7 port 4242 ssh2\n\
                   Mar 28 09:00:02 labgate2 sshd[8]: Failed password for eve from 192.0.2.7 port 4243 ssh2\n\
                   Mar 28 09:00:03 labgate sudo:   eve : TTY=pts/0 ; PWD=/home/eve ; USER=root ; COMMAND=/bin/bash\n";

fn packet(names: &[(&str, &str)]) -> Packet {
    let names = names.iter().map(|(name, by)| Pseudonym { name: (*name).to_owned(), replaced_by: (*by).to_owned() });
    let options = ReadOptions { year: Some(2026), ..ReadOptions::default() };
    let names = Pseudonyms::new(names.collect()).unwrap();
    let mut extraction = Extraction::new(Selection::default(), options).with_pseudonyms(names);
    extraction.read(LOG.as_bytes(), Some(Format::Syslog), 0).unwrap();
    extraction.finish().unwrap()
}

// covers: ARES-002, ARES-004
#[test]
fn names_are_replaced_in_facts_and_the_raw_data_are_hashed_unchanged() {
    let plain = packet(&[]);
    let renamed = packet(&[("labgate", "gate"), ("labgate2", "gate"), ("eve", "person1")]);
    let text = |packet: &Packet| packet.facts().iter().map(|fact| format!("{fact:?}")).collect::<String>();
    assert!(text(&plain).contains("eve") && text(&plain).contains("labgate2"));
    assert!(!text(&renamed).contains("eve") && !text(&renamed).contains("labgate"), "{}", text(&renamed));
    assert!(text(&renamed).contains("/home/person1"), "paths and commands too");
    let raw = |packet: &Packet| packet.facts().iter().map(|fact| fact.raw_sha256).collect::<Vec<_>>();
    assert_eq!(raw(&plain), raw(&renamed));
    assert_eq!(renamed.header().sources[0].sha256, Digest::of(LOG.as_bytes()));
    assert_ne!(plain.head(), renamed.head());
}

#[test]
fn the_map_is_in_the_header_and_part_of_what_is_hashed() {
    let renamed = packet(&[("eve", "person1")]);
    let recorded = &renamed.header().pseudonyms;
    assert_eq!((recorded[0].name.as_str(), recorded[0].replaced_by.as_str()), ("eve", "person1"));
    // A name that does not occur is recorded as well, and gives another packet.
    let other = packet(&[("eve", "person1"), ("mallory", "person2")]);
    assert_ne!(renamed.head(), other.head());
    assert_eq!(Packet::read(&renamed.to_bytes()).unwrap(), renamed);
}

#[test]
fn records_are_grouped_by_the_names_that_facts_show() {
    let log: String = (0..8)
        .map(|number| {
            format!("Mar 28 09:00:0{number} gate sshd[7]: Failed password for eve from 192.0.2.{number} port 1 ssh2\n")
        })
        .collect();
    let names =
        (0..8).map(|number| Pseudonym { name: format!("192.0.2.{number}"), replaced_by: "198.51.100.9".to_owned() });
    let options = ReadOptions { year: Some(2026), ..ReadOptions::default() };
    let mut extraction =
        Extraction::new(Selection::default(), options).with_pseudonyms(Pseudonyms::new(names.collect()).unwrap());
    extraction.read(log.as_bytes(), Some(Format::Syslog), 0).unwrap();
    let packet = extraction.finish().unwrap();
    let counted = packet.facts().iter().find(|fact| fact.aggregate.is_some()).unwrap();
    assert_eq!((counted.count(), counted.actor.as_ref().unwrap().name()), (8, "198.51.100.9"));
}
