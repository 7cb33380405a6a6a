//! Networks before play: nodes in their order, neighbours in theirs, and the draws that a network asks for.

mod generators;
mod special;

use std::fmt;

use thiserror::Error;

use crate::draws::Fast;
use crate::facts::networks::{NETWORKS, NetworkFact};
pub use crate::facts::parameters::{EntryPreference, HighValuePreference, Parameters};
pub use generators::{GENERATORS, Generator, Numbers};
pub(crate) use special::Special;

/// No network of ours is larger: the adjacency matrix shown to blue grows with the square.
pub const MOST_NODES: usize = 2000;

/// An id of a node: compared as text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uuid([u8; 36]);

impl Uuid {
    /// Reads an id of 36 characters.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes: [u8; 36] = text.as_bytes().try_into().ok()?;
        bytes.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-').then_some(Self(bytes))
    }

    /// A random id (version 4). The original takes them from the operating system; ours come from a stream of their own.
    #[must_use]
    pub fn random(stream: &mut Fast) -> Self {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut bits = (u128::from(stream.next_u64()) << 64) | u128::from(stream.next_u64());
        bits = (bits & !(0xF << 76)) | (4 << 76);
        bits = (bits & !(0b11 << 62)) | (0b10 << 62);
        let mut bytes = [b'-'; 36];
        let mut shift = 128;
        for (at, byte) in bytes.iter_mut().enumerate() {
            if !matches!(at, 8 | 13 | 18 | 23) {
                shift -= 4;
                *byte = DIGITS[(bits >> shift) as usize & 15];
            }
        }
        Self(bytes)
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A node before play.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The name.
    pub name: String,
    /// The id.
    pub uuid: Uuid,
    /// Whether red may come in here.
    pub entry: bool,
    /// Whether it is of high value.
    pub high_value: bool,
    /// The vulnerability.
    pub vulnerability: f64,
    /// The position; play does not use it.
    pub place: (f64, f64),
}

/// Why a network cannot be had.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum NetworkError {
    /// No such stored network or generator.
    #[error("there is no network `{name}`{hint} (known: {known})")]
    Unknown {
        /// The name given.
        name: String,
        /// A guess at what was meant.
        hint: String,
        /// All names.
        known: String,
    },
    /// An argument of a generator that does not exist, or with a wrong value.
    #[error("argument `{argument}` of `{generator}`: {what}")]
    Argument {
        /// The generator.
        generator: &'static str,
        /// The argument.
        argument: String,
        /// What is wrong, and what would be right.
        what: String,
    },
    /// The network cannot be drawn for, as in the original.
    #[error("{0}")]
    Draw(#[from] DrawError),
    /// The network is not one that can be played on.
    #[error("{0}")]
    Unplayable(String),
}

/// What the original raises when a network asks for draws that it does not allow.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum DrawError {
    /// More entry nodes than nodes, or a chance of 0 for some.
    #[error("the entry nodes cannot be drawn: there are fewer nodes than asked for; ask for fewer entry nodes")]
    Entry,
    /// High-value nodes without an entry node.
    #[error("high-value nodes cannot be drawn without an entry node; ask for an entry node, or for no high-value node")]
    NoEntry,
    /// The network hangs in pieces, so that distances are not all known.
    #[error(
        "the furthest nodes cannot be found: too few nodes can be reached from the entry nodes; join the network's pieces"
    )]
    Unreachable,
}

/// A network before play.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// Which draws it asks for.
    pub parameters: Parameters,
    /// The nodes, in node order.
    pub nodes: Vec<Node>,
    /// For each node its neighbours, in order, as positions in `nodes`.
    pub neighbours: Vec<Vec<u16>>,
}

impl Network {
    /// A stored network as it is stored, before its draws.
    ///
    /// # Errors
    /// When there is no such network.
    pub fn stored(name: &str) -> Result<Self, NetworkError> {
        let fact = NETWORKS.iter().find(|fact| fact.name == name);
        fact.map(|fact| Self::of(fact, &mut Fast::new(0))).ok_or_else(|| unknown(name))
    }

    /// A network from its facts; ids that are not stored come from `ids`.
    pub(crate) fn of(fact: &NetworkFact, ids: &mut Fast) -> Self {
        let nodes = fact.nodes.iter().map(|node| Node {
            name: node.name.to_owned(),
            uuid: Uuid::parse(node.uuid).unwrap_or_else(|| Uuid::random(ids)),
            entry: node.entry,
            high_value: node.high_value,
            vulnerability: node.vulnerability,
            place: node.place,
        });
        let mut network = Self { parameters: fact.parameters, nodes: nodes.collect(), neighbours: Vec::new() };
        network.neighbours = vec![Vec::new(); network.nodes.len()];
        for (one, other) in &fact.edges {
            network.join(*one, *other);
        }
        network
    }

    /// Adds an edge; one that exists changes nothing.
    pub fn join(&mut self, one: u16, other: u16) {
        if one != other && !self.neighbours[one as usize].contains(&other) {
            self.neighbours[one as usize].push(other);
            self.neighbours[other as usize].push(one);
        }
    }

    /// The edges in edge order: by nodes, for each by its neighbours, each once.
    pub fn edges(&self) -> impl Iterator<Item = (u16, u16)> {
        self.neighbours.iter().enumerate().flat_map(move |(from, list)| {
            let from = from as u16;
            list.iter().filter(move |to| **to > from).map(move |to| (from, *to))
        })
    }

    /// 1 - exp(-0.1 E / 2n): what blue is shown of how well the network is connected.
    #[must_use]
    pub fn connectivity(&self) -> f64 {
        let edges = self.edges().count() as f64;
        -(-0.1 * (edges / (2.0 * self.nodes.len() as f64))).exp() + 1.0
    }

    /// Checks that the network can be played on.
    ///
    /// # Errors
    /// When it has no nodes or too many, names or ids occur twice, or bounds are out of order.
    pub fn check(&self) -> Result<(), NetworkError> {
        let unplayable = |what: String| Err(NetworkError::Unplayable(what));
        if self.nodes.is_empty() || self.nodes.len() > MOST_NODES {
            return unplayable(format!("a network of {} nodes; make one of 1 to {MOST_NODES}", self.nodes.len()));
        }
        let mut names: Vec<&str> = self.nodes.iter().map(|node| node.name.as_str()).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return unplayable(format!("two nodes are called `{}`; give each a name of its own", twice[0]));
        }
        let mut ids: Vec<Uuid> = self.nodes.iter().map(|node| node.uuid).collect();
        ids.sort_unstable();
        if let Some(twice) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
            return unplayable(format!("two nodes have the id {}; give each an id of its own", twice[0]));
        }
        let Parameters { lower, upper, .. } = self.parameters;
        if !(lower.is_finite() && upper.is_finite() && lower <= upper) {
            return unplayable(format!(
                "vulnerabilities from {lower} to {upper}; give a lower bound below the upper one"
            ));
        }
        Ok(())
    }
}

fn unknown(name: &str) -> NetworkError {
    let names = || NETWORKS.iter().map(|fact| fact.name).chain(GENERATORS);
    NetworkError::Unknown {
        name: name.to_owned(),
        hint: gimbal_core::nearest::hint(name, names()),
        known: names().collect::<Vec<_>>().join(", "),
    }
}
