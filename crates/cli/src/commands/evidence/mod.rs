//! `gimbal evidence`.

mod history;

use std::path::Path;

use gimbal_ares::history::{History, VerifiedHistory};
use gimbal_core::Digest;
use gimbal_evidence::graph::Graph;
use gimbal_evidence::{Entity, Fact, Filter, Packet, Proof, VerifiedPacket, VerifiedProof};
use gimbal_telemetry::{
    KeptError, RawError, RawFound, RawSearch, fact_of, is_same, kept_bytes, packet_in, read_packet,
};

use super::sources::{bounds, parsed};
use super::{print_json, sources, write_file};
use crate::args::{EvidenceShow, EvidenceVerb, Sources};
use crate::exit::Failure;
use crate::home::Home;
use crate::stdio::{self, message};

/// The verbs of `gimbal evidence`.
pub fn evidence(home: &Home, verb: &EvidenceVerb) -> Result<(), Failure> {
    match verb {
        EvidenceVerb::Extract { sources, out } => extract(sources, out.as_deref()),
        EvidenceVerb::Verify { file, root, head, json } => verify(file, root.as_ref(), head.as_ref(), *json),
        EvidenceVerb::Show(options) => show(options),
        EvidenceVerb::Graph { packet, around, within } => graph(packet, around.as_ref(), *within),
        EvidenceVerb::Raw { fact, packet, files, most } => raw(fact, packet, files, *most),
        EvidenceVerb::Rules(asked) => super::rules::compare(home, asked),
        EvidenceVerb::Prove { fact, packet, out } => prove(fact, packet, out.as_deref()),
        EvidenceVerb::History(asked) => history::history(asked),
    }
}

fn extract(sources: &Sources, out: Option<&Path>) -> Result<(), Failure> {
    if let Some(out) = out {
        sources::spared("-o", out, sources)?;
    }
    let packet = sources::extract(sources)?.packet;
    // The file of a packet is JSON, which is text.
    let text = String::from_utf8_lossy(&packet.to_bytes()).into_owned();
    match out {
        None => print!("{text}"),
        Some(out) => {
            write_file(out, &text)?;
            println!("{}: packet {}, {} facts", out.display(), packet.header().packet, packet.facts().len());
            println!("head  {}\nroot  {}", packet.head(), packet.root());
        }
    }
    Ok(())
}

fn verify(file: &Path, root: Option<&String>, head: Option<&String>, json: bool) -> Result<(), Failure> {
    let bytes = kept_bytes(file)?;
    let (root, head): (Option<Digest>, Option<Digest>) = (parsed("--root", root)?, parsed("--head", head)?);
    if bytes.starts_with(b"{\"fact\"") {
        if head.is_some() {
            return Err(Failure::Usage("--head: a proof has a root and no head; give --root".to_owned()));
        }
        let proof = Proof::read(&bytes).map_err(|error| changed(file, &error))?;
        same(file, "root", proof.root, root)?;
        if json {
            return print_json(&VerifiedProof::from(&proof));
        }
        println!("{}: {} leads to the root\nroot  {}", file.display(), proof.fact.id, proof.root);
        println!("By the proof's own word, which no hash holds: packet {}, {} facts.", proof.packet, proof.size.0);
        if root.is_none() {
            println!(
                "Compare the root with the packet's, which `gimbal evidence verify PACKET` and every report print."
            );
        }
        return Ok(());
    }
    if bytes.starts_with(b"{\"record\":\"history\"") {
        return verify_history(file, &bytes, head, json);
    }
    let packet = packet_in(file, &bytes)?;
    same(file, "head", packet.head(), head)?;
    same(file, "root", packet.root(), root)?;
    if json {
        return print_json(&VerifiedPacket::from(&packet));
    }
    println!(
        "{}: packet {}, {} facts, every byte verified",
        file.display(),
        packet.header().packet,
        packet.facts().len()
    );
    println!("head  {}\nroot  {}", packet.head(), packet.root());
    Ok(())
}

/// Verifies a kept stream of verdicts.
fn verify_history(file: &Path, bytes: &[u8], head: Option<Digest>, json: bool) -> Result<(), Failure> {
    let text = std::str::from_utf8(bytes).map_err(|error| changed(file, &error))?;
    let history = History::verify(text).map_err(|error| changed(file, &error))?;
    same(file, "head", history.head, head)?;
    if json {
        return print_json(&VerifiedHistory::from(&history));
    }
    println!("{}: {} verdicts, every link verified", file.display(), history.rows.len());
    println!("head  {}", history.head);
    Ok(())
}

fn show(options: &EvidenceShow) -> Result<(), Failure> {
    let packet = read_packet(&options.packet)?;
    if let Some(text) = &options.fact {
        let fact = fact_of(&packet, text)?;
        if options.json {
            return print_json(fact);
        }
        in_full(&packet, fact);
        return Ok(());
    }
    let filter = filter(options)?;
    if options.json {
        return packet.find(&filter).try_for_each(print_json);
    }
    let header = packet.header();
    println!("packet {}  {} facts  head {}", header.packet, packet.facts().len(), packet.head());
    for source in &header.sources {
        println!(
            "{}  {}  {} records, {} damaged, {} bytes, sha256 {}",
            source.id, source.format, source.records, source.damaged, source.bytes, source.sha256
        );
    }
    if header.left_out.count.0 > 0 {
        println!(
            "{} without a fact of their own; facts that give a count include them",
            stdio::count(header.left_out.count.0, "record", "records")
        );
    }
    if let Some(records) = header.undated {
        let records = stdio::count(records.0, "record", "records");
        println!("{records} without a time, taken whatever --since and --until say");
    }
    println!();
    for fact in packet.find(&filter) {
        println!("{}", in_short(fact));
    }
    if packet.find(&filter).next().is_none() {
        message("no fact of this packet is like that");
    }
    Ok(())
}

/// A fact on one line.
fn in_short(fact: &Fact) -> String {
    let time = gimbal_evidence::triage::time(fact).unwrap_or_else(|| "-".to_owned());
    let name = |entity: &Option<Entity>| entity.as_ref().map_or("-".to_owned(), ToString::to_string);
    let count = fact.aggregate.as_ref().map(|aggregate| format!("  x {}", aggregate.count)).unwrap_or_default();
    let (actor, object) = (name(&fact.actor), name(&fact.object));
    format!("{}  {time:<27}  {}: {actor} -> {object}  {}{count}", fact.id, fact.class, fact.action)
}

fn in_full(packet: &Packet, fact: &Fact) {
    println!("{} of packet {}", fact.id, packet.header().packet);
    let line = |name: &str, value: String| println!("  {name:<12}  {value}");
    line("class", format!("{} ({})", fact.class, fact.class.meaning()));
    line("action", fact.action.clone());
    for (name, entity) in [("actor", &fact.actor), ("object", &fact.object)] {
        if let Some(entity) = entity {
            line(name, entity.to_string());
        }
    }
    for entity in &fact.entities {
        line("about", entity.to_string());
    }
    if let Some(time) = &fact.time {
        line("time", format!("{} (found: {})", time.utc, time.found));
    }
    if let Some(clock) = &fact.clock {
        line("clock", format!("{} to {}, of source {}, which names no year", clock.first, clock.last, clock.source));
    }
    if let Some(aggregate) = &fact.aggregate {
        line("count", aggregate.count.to_string());
        line("formula", aggregate.formula.clone());
        if let (Some(first), Some(last)) = (aggregate.first, aggregate.last) {
            line("window", format!("{first} to {last}"));
        }
        line("members", format!("Merkle root {}", aggregate.root));
    }
    for (name, value) in &fact.attributes {
        line(name, value.clone());
    }
    if let (Some(locator), Some(raw)) = (&fact.locator, fact.raw_sha256) {
        line("raw record", format!("{} of source {}, sha256 {raw}", locator.at, locator.source));
        if let Some(source) = packet.header().sources.get(locator.source.index()) {
            line("source", format!("{}, sha256 {}", source.format, source.sha256));
        }
    }
    line("leaf", fact.leaf().to_string());
}

fn filter(options: &EvidenceShow) -> Result<Filter, Failure> {
    let (since, until) = bounds(options.since.as_ref(), options.until.as_ref())?;
    Ok(Filter {
        class: parsed("--class", options.class.as_ref())?,
        entity: parsed("--entity", options.entity.as_ref())?,
        field: options.field.as_ref().map(|text| match text.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (text.clone(), None),
        }),
        since,
        until,
    })
}

fn graph(file: &Path, around: Option<&String>, within: usize) -> Result<(), Failure> {
    let graph = Graph::of(&read_packet(file)?);
    let part = match parsed::<Entity>("--around", around)? {
        None => graph,
        Some(entity) => {
            if !graph.nodes().any(|node| *node == entity) {
                let names: Vec<String> = graph.nodes().map(ToString::to_string).collect();
                let hint = gimbal_core::nearest::hint(&entity.to_string(), names.iter().map(String::as_str));
                return Err(Failure::Usage(format!("--around: no fact is about {entity}{hint}")));
            }
            graph.around(&entity, within)
        }
    };
    print!("{}", part.mermaid());
    Ok(())
}

fn prove(fact: &str, file: &Path, out: Option<&Path>) -> Result<(), Failure> {
    let packet = read_packet(file)?;
    let id = fact_of(&packet, fact)?.id;
    let proof = packet.prove(id).ok_or_else(|| Failure::Usage(format!("{}: has no fact {id}", file.display())))?;
    let text = String::from_utf8_lossy(&proof.to_bytes()).into_owned();
    match out {
        Some(out) if is_same(out, file) => Err(Failure::Usage(format!(
            "-o: {} is the packet itself, which the proof would replace; name another file",
            out.display()
        ))),
        Some(out) => write_file(out, &text),
        None => {
            print!("{text}");
            Ok(())
        }
    }
}

/// Prints the raw records behind a fact: those whose hash is that of the fact, and says where one differs.
fn raw(fact: &str, packet: &Path, files: &[std::path::PathBuf], most: usize) -> Result<(), Failure> {
    let packet = read_packet(packet)?;
    let fact = fact_of(&packet, fact)?;
    let search = RawSearch { packet: &packet, fact, most };
    let met = search.records(files, std::io::stdin(), &mut |found| match found {
        RawFound::NotASource { place, sha256 } => {
            message(&format!("{place}: is not a source of this packet (sha256 {sha256}); passed over"));
        }
        RawFound::Record { place, source, record } => {
            println!("{} of {place} ({source}), sha256 {}", record.at, record.sha256);
            printed(&record.bytes);
        }
    })?;
    if let Some(counted) = fact.aggregate.as_ref().filter(|_| fact.class.is_opinion()) {
        let hits = search.located();
        message(&format!(
            "{} counts {} records that a rule matched; which ones they are the rule alone says. The first {} are facts of their own: {}",
            fact.id,
            counted.count,
            hits.len(),
            hits.iter().map(|fact| fact.id.to_string()).collect::<Vec<_>>().join(", ")
        ));
    }
    if met > 0 { Ok(()) } else { Err(search.elsewhere().into()) }
}

/// Prints a raw record: as text where it is one, else in hexadecimal digits.
fn printed(bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(text) => println!("{}", gimbal_analysis::printable_lines(text.trim_end())),
        Err(_) => bytes.chunks(16).enumerate().for_each(|(row, bytes)| println!("{}", hex_line(row, bytes))),
    }
}

/// Sixteen bytes in hexadecimal digits, and as ASCII where they can be printed.
fn hex_line(row: usize, bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let letters: String =
        bytes.iter().map(|byte| if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '.' }).collect();
    format!("{:08x}  {:<47}  {letters}", row * 16, digits.join(" "))
}

/// A packet or proof that does not verify is a failed check.
fn changed(file: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::Check(format!("{}: {error}", file.display()))
}

fn same(file: &Path, what: &str, found: Digest, expected: Option<Digest>) -> Result<(), Failure> {
    match expected {
        Some(expected) if expected != found => {
            Err(Failure::Check(format!("{}: the {what} is {found}, and {expected} was expected", file.display())))
        }
        _ => Ok(()),
    }
}

impl From<KeptError> for Failure {
    fn from(error: KeptError) -> Self {
        if error.is_failed_check() { Self::Check(error.to_string()) } else { Self::usage(error) }
    }
}

impl From<RawError> for Failure {
    fn from(error: RawError) -> Self {
        match error {
            RawError::Telemetry(error) => error.into(),
            RawError::Unkept(_) => Self::external(error),
            RawError::Changed { .. } => Self::Check(error.to_string()),
            RawError::Source { .. } | RawError::Elsewhere { .. } => Self::usage(error),
        }
    }
}
