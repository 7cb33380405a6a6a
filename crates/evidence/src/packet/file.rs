//! The file of a packet. It has one spelling: a header, a fact on each line with the value of the chain after it, and a seal.

use std::fmt;

use gimbal_core::{Digest, canonical};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::draft::{CLOCK_VERSION, MAX_FACTS, VERSION, check, version_of};
use super::{Header, Packet};
use crate::{Fact, FactId};

/// Largest file that is read.
pub const MAX_PACKET_BYTES: usize = 256 * 1024 * 1024;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    header: Header,
    facts: Vec<Line>,
    seal: Seal,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    fact: Fact,
    link: Digest,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Seal {
    head: Digest,
    root: Digest,
}

/// A file that is not a packet, or one that was changed: where, and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column} (byte {byte}): {problem}")]
pub struct PacketError {
    /// The first bad byte, from 0.
    pub byte: usize,
    /// Its line, from 1.
    pub line: usize,
    /// Its column in bytes, from 1.
    pub column: usize,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    /// It is too large.
    #[error("the file has {0} bytes; a packet has at most {MAX_PACKET_BYTES}")]
    TooLarge(usize),
    /// It is not JSON, or has other members than a packet.
    #[error("{key}{why}")]
    Form {
        /// The key at which it is wrong, with `: ` behind it; empty at the top.
        key: String,
        /// What is wrong.
        why: String,
    },
    /// It says what a packet may say, in another spelling.
    #[error("the packet is spelled in another way from here on: expected {0}")]
    Spelling(Expected),
    /// Its version is another.
    #[error("version `{0}` is unknown; this program reads `{VERSION}` and `{CLOCK_VERSION}`")]
    Version(String),
    /// Its version says that facts have clocks of sources or that its header counts records without a time, and neither holds; or the other
    /// way round.
    #[error(
        "version `{found}` of a packet whose facts are those of `{expected}`: only `{CLOCK_VERSION}` has clocks of sources and a count of records without a time"
    )]
    OtherVersion {
        /// As found.
        found: String,
        /// As its facts are.
        expected: &'static str,
    },
    /// A fact breaks a rule.
    #[error("{0}: {1}")]
    Fact(FactId, String),
    /// A fact has another id than its place gives.
    #[error("the fact is called {found}; the fact in this place is {expected}")]
    Id {
        /// As found.
        found: FactId,
        /// As expected.
        expected: FactId,
    },
    /// A fact was changed, or something before it: the value of the chain does not follow.
    #[error(
        "{0}: the fact was changed, or facts before it were added, removed or reordered (its chain value does not follow)"
    )]
    Link(FactId),
    /// The header was changed: the value of the chain after the first fact does not follow, or the head of an empty packet.
    #[error("the header was changed (the chain does not start from it), or the first fact was")]
    Start,
    /// The head is not the last value of the chain.
    #[error("the head is not the last value of the chain: facts were cut off or appended")]
    Head,
    /// The root does not follow from the facts.
    #[error("the Merkle root does not follow from the facts")]
    Root,
}

/// The bytes that were expected at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected(String);

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { f.write_str("the end of the file") } else { write!(f, "{:?}", self.0) }
    }
}

impl Packet {
    /// The file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = b"{\"header\":".to_vec();
        out.extend(canonical::bytes_of(&self.header));
        out.extend(b",\n\"facts\":[");
        for (index, (fact, link)) in self.facts.iter().zip(self.links()).enumerate() {
            out.extend(if index == 0 { &b"\n"[..] } else { &b",\n"[..] });
            out.extend(b"{\"fact\":");
            out.extend(fact.bytes());
            out.extend(format!(",\"link\":\"{link}\"}}").bytes());
        }
        out.extend(format!("\n],\n\"seal\":{{\"head\":\"{}\",\"root\":\"{}\"}}}}\n", self.head(), self.root()).bytes());
        out
    }

    /// Reads a file and verifies every byte of it (ARES-002, ARES-007).
    ///
    /// # Errors
    /// The first bad byte: no JSON, unknown, missing or repeated members, another spelling, text after the end, or a fact that does not
    /// follow from the chain.
    pub fn read(bytes: &[u8]) -> Result<Self, PacketError> {
        if bytes.len() > MAX_PACKET_BYTES {
            return Err(at(bytes, MAX_PACKET_BYTES, Problem::TooLarge(bytes.len())));
        }
        let file = parse(bytes)?;
        let has_clock = file.facts.iter().any(|line| line.fact.clock.is_some());
        let expected = version_of(has_clock, file.header.undated.is_some());
        match file.header.version.as_str() {
            found if found == expected => {}
            VERSION | CLOCK_VERSION => {
                return Err(at(bytes, 0, Problem::OtherVersion { found: file.header.version, expected }));
            }
            _ => return Err(at(bytes, 0, Problem::Version(file.header.version))),
        }
        if file.facts.len() > MAX_FACTS {
            let why = format!("{} facts; a packet has at most {MAX_FACTS}", file.facts.len());
            return Err(at(bytes, 0, Problem::Form { key: "facts: ".to_owned(), why }));
        }
        let (links, facts): (Vec<Digest>, Vec<Fact>) =
            file.facts.into_iter().map(|line| (line.link, line.fact)).unzip();
        let packet = Self::seal(file.header, facts);
        // The spelling is that of the file's own links and seal, so that a changed value is told from another spelling.
        let claimed = Self { links, root: file.seal.root, ..packet.clone() };
        let written = claimed.written(file.seal.head);
        if written != bytes {
            return Err(spelling(bytes, &written));
        }
        packet.follows(&claimed, file.seal.head, bytes)?;
        Ok(packet)
    }

    /// The file with a head that is claimed.
    fn written(&self, head: Digest) -> Vec<u8> {
        let mut bytes = self.to_bytes();
        let (own, claimed) = (format!("\"head\":\"{}\"", self.head()), format!("\"head\":\"{head}\""));
        // The seal is the last line, and its head has a fixed length.
        if let Some(place) = bytes.len().checked_sub(own.len() + r#","root":""}}"#.len() + 64 + 1) {
            bytes[place..place + claimed.len()].copy_from_slice(claimed.as_bytes());
        }
        bytes
    }

    /// Compares what was computed with what a file claims.
    fn follows(&self, claimed: &Self, head: Digest, bytes: &[u8]) -> Result<(), PacketError> {
        let line_of = |line: usize| {
            bytes.split(|byte| *byte == b'\n').take(line).map(|line| line.len() + 1).sum::<usize>().min(bytes.len())
        };
        for (index, fact) in self.facts.iter().enumerate() {
            let fail = |problem| Err(at(bytes, line_of(index + 2), problem));
            let expected = FactId::at(index as u32);
            if fact.id != expected {
                return fail(Problem::Id { found: fact.id, expected });
            }
            let named = fact.locator.iter().map(|locator| locator.source).chain(fact.clock.map(|clock| clock.source));
            if let Some(source) = named.into_iter().find(|source| source.index() >= self.header.sources.len()) {
                return fail(Problem::Fact(fact.id, format!("the packet has no source {source}")));
            }
            if let Err(wrong) = check(fact) {
                return fail(Problem::Fact(fact.id, wrong.to_string()));
            }
            if self.links[index] != claimed.links[index] {
                if index == 0 {
                    return Err(at(bytes, 0, Problem::Start));
                }
                return fail(Problem::Link(fact.id));
            }
        }
        let last = line_of(self.facts.len() + 3);
        if self.head() != head {
            let problem = if self.facts.is_empty() { Problem::Start } else { Problem::Head };
            return Err(at(bytes, last, problem));
        }
        if self.root != claimed.root {
            return Err(at(bytes, last, Problem::Root));
        }
        Ok(())
    }
}

fn parse(bytes: &[u8]) -> Result<File, PacketError> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let file = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        let key = if path == "." { String::new() } else { format!("{path}: ") };
        form(bytes, key, error.inner())
    })?;
    json.end().map_err(|error| form(bytes, String::new(), &error))?;
    Ok(file)
}

/// An error of the JSON reader at its place.
fn form(bytes: &[u8], key: String, error: &serde_json::Error) -> PacketError {
    let text = error.to_string();
    // The reader appends the place, which this error gives itself.
    let why = text.rsplit_once(" at line ").map_or(text.as_str(), |(why, _)| why).to_owned();
    let before: usize =
        bytes.split(|byte| *byte == b'\n').take(error.line().saturating_sub(1)).map(|line| line.len() + 1).sum();
    let byte = (before + error.column().saturating_sub(1)).min(bytes.len());
    at(bytes, byte, Problem::Form { key, why })
}

/// The first byte at which a file leaves the one spelling.
fn spelling(bytes: &[u8], written: &[u8]) -> PacketError {
    let byte = bytes.iter().zip(written).take_while(|(found, expected)| found == expected).count();
    let expected = &written[byte.min(written.len())..(byte + 16).min(written.len())];
    at(bytes, byte, Problem::Spelling(Expected(String::from_utf8_lossy(expected).into_owned())))
}

fn at(bytes: &[u8], byte: usize, problem: Problem) -> PacketError {
    let before = &bytes[..byte.min(bytes.len())];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
    PacketError { byte, line, column, problem }
}
