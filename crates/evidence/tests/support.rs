//! Facts and packets that tests make.

use std::collections::BTreeMap;

use gimbal_core::Digest;
use gimbal_evidence::{
    Class, Counter, Draft, Locator, NewFact, Packet, Selection, Source, SourceId, SourceKind, Stamp, Utc,
};

/// The source at an index.
pub fn source(index: u32) -> Source {
    Source {
        bytes: Counter(0),
        damaged: Counter(0),
        format: "syslog".to_owned(),
        id: SourceId::at(index),
        kind: SourceKind::Syslog,
        extractor: "test/1".to_owned(),
        records: Counter(0),
        sha256: Digest::of(b""),
        shift_seconds: 0,
        year: None,
        zone_minutes: None,
    }
}

/// A fact of the one source of [`packet`], at a place of its own. Texts that are not entities give none.
pub fn seen(class: Class, actor: &str, object: &str, second: Option<i64>, attributes: &[(&str, &str)]) -> NewFact {
    let about = format!("{class} {actor} {object} {second:?} {attributes:?}");
    let digest = Digest::of(about.as_bytes());
    let attributes = attributes.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    NewFact {
        actor: actor.parse().ok(),
        object: object.parse().ok(),
        attributes: attributes.collect::<BTreeMap<_, _>>(),
        time: second
            .map(|second| Stamp { found: second.to_string(), utc: Utc::from_micros(1_000_000 * second).unwrap() }),
        locator: Some(Locator { at: format!("record {}", digest.short()), source: SourceId::at(0) }),
        raw_sha256: Some(digest),
        ..NewFact::new(class, "did")
    }
}

/// A packet of one source.
pub fn packet(facts: Vec<NewFact>) -> Packet {
    let mut draft = Draft::new(vec![source(0)], Selection::default());
    facts.into_iter().for_each(|fact| draft.add(fact).unwrap());
    draft.freeze()
}

/// The fact of what an extractor observed, with everything that is made on demand.
#[cfg(feature = "extract")]
pub fn fact_of(observed: &gimbal_evidence::extract::Observed<'_>) -> NewFact {
    let entity =
        |named: Option<_>| named.map(|(kind, name): (_, &str)| gimbal_evidence::Entity::new(kind, name).unwrap());
    let mut fact = NewFact {
        actor: entity(observed.actor),
        object: entity(observed.object),
        time: observed.time.map(|utc| Stamp { found: observed.details.time_found(), utc }),
        locator: Some(Locator { at: observed.details.place(), source: SourceId::at(0) }),
        raw_sha256: Some(Digest::of(observed.raw)),
        ..NewFact::new(observed.class, observed.action)
    };
    observed.details.fill(&mut fact);
    fact
}

/// The folder of real telemetry with its table of labels, where it is at hand.
#[cfg(feature = "extract")]
pub fn labelled() -> Option<std::path::PathBuf> {
    let folder = std::env::var("GIMBAL_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference").to_owned());
    let folder = std::path::PathBuf::from(folder).join("telemetry");
    if folder.join("labels.csv").is_file() {
        return Some(folder);
    }
    eprintln!("skipped: no telemetry/labels.csv in the data folder; set GIMBAL_DATA to compare");
    None
}

/// The rules that the program has.
#[cfg(feature = "extract")]
pub fn shipped_rules() -> gimbal_evidence::rules::RuleSet {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../rules/triage.yaml");
    gimbal_core::yaml::read(&std::fs::read_to_string(path).unwrap(), "rules/triage.yaml").unwrap()
}

/// A count with its share and the 95% interval of Wilson's score, as tables print it: `34 (62%, 49 to 73)`.
#[cfg(feature = "extract")]
pub fn with_interval(count: usize, of: usize) -> String {
    if of == 0 {
        return "0 of 0".to_owned();
    }
    let (count_f, n, z) = (count as f64, of as f64, 1.959_964_f64);
    let (share, square) = (count_f / n, z * z);
    let middle = (share + square / (2.0 * n)) / (1.0 + square / n);
    let half = z * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt() / (1.0 + square / n);
    let percent = |value: f64| (100.0 * value).round().clamp(0.0, 100.0) + 0.0;
    format!("{count} ({}%, {} to {})", percent(share), percent(middle - half), percent(middle + half))
}

/// The packet of a source of this year, in a format that its first bytes tell.
#[cfg(feature = "extract")]
pub fn packet_of(source: &str) -> Packet {
    use gimbal_evidence::extract::{Extraction, ReadOptions};
    let options = ReadOptions { year: Some(2026), ..ReadOptions::default() };
    let mut extraction = Extraction::new(Selection::default(), options);
    extraction.read(source.as_bytes(), None, 0).unwrap();
    extraction.finish().unwrap()
}

/// What the shipped rules say of it.
#[cfg(feature = "extract")]
pub fn verdict_of(source: &str) -> gimbal_evidence::judge::Verdict {
    use gimbal_evidence::rules::{Decision, SkepticKind, single_turn};
    single_turn(&packet_of(source), &shipped_rules(), SkepticKind::Deterministic, Decision::Claims).verdict
}
