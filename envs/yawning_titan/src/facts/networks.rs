//! The stored networks, and the two that the original makes without draws. They are listed in `facts/networks.txt`.

use std::sync::LazyLock;

use super::parameters::{EntryPreference, HighValuePreference, Parameters};
use super::read::{Section, sections};

/// A stored node.
#[derive(Clone, Copy, Debug)]
pub struct NodeFact {
    /// The name.
    pub name: &'static str,
    /// The id; empty where it is new with every making.
    pub uuid: &'static str,
    /// Whether it is an entry node.
    pub entry: bool,
    /// Whether it is a high-value node.
    pub high_value: bool,
    /// The vulnerability.
    pub vulnerability: f64,
    /// The position, which play does not use.
    pub place: (f64, f64),
}

/// A stored network.
#[derive(Clone, Debug)]
pub struct NetworkFact {
    /// The name in options.
    pub name: &'static str,
    /// The original's title.
    pub title: &'static str,
    /// The original's id; empty for a network that is made in code.
    pub uuid: &'static str,
    /// Which draws are made when it is loaded, and within which bounds.
    pub parameters: Parameters,
    /// The nodes, in node order.
    pub nodes: Vec<NodeFact>,
    /// The edges in the order in which they are added, as positions in `nodes`.
    pub edges: Vec<(u16, u16)>,
}

/// The mark of a network that is made in code.
const MADE: &str = "made in code";

/// The stored networks; the first two ship with the original.
pub static NETWORKS: LazyLock<Vec<NetworkFact>> = LazyLock::new(|| of_file(false));

/// The networks that the original makes in code without draws.
pub static FIXED: LazyLock<Vec<NetworkFact>> = LazyLock::new(|| of_file(true));

fn of_file(made: bool) -> Vec<NetworkFact> {
    let all = read(include_str!("../../facts/networks.txt")).unwrap_or_default();
    all.into_iter().filter(|network| network.uuid.is_empty() == made).collect()
}

/// Reads a file of networks.
fn read(text: &'static str) -> Result<Vec<NetworkFact>, String> {
    sections(text)?.into_iter().map(network).collect()
}

fn network(section: Section) -> Result<NetworkFact, String> {
    let Section { name, title, mark, lines } = section;
    let uuid = if mark == MADE { "" } else { mark };
    let mut fact =
        NetworkFact { name, title, uuid, parameters: Parameters::NONE, nodes: Vec::new(), edges: Vec::new() };
    for line in lines {
        let read = if let Some(rest) = line.strip_prefix("node ") {
            node(rest).map(|node| fact.nodes.push(node))
        } else if let Some(rest) = line.strip_prefix("edges:") {
            edges(rest).map(|edges| fact.edges.extend(edges))
        } else {
            line.split_once(" = ").and_then(|(key, value)| set(&mut fact.parameters, key, value))
        };
        read.ok_or_else(|| format!("network `{name}`: `{line}` is not a node, a list of edges or a parameter"))?;
    }
    Ok(fact)
}

fn node(line: &'static str) -> Option<NodeFact> {
    let mut parts = line.split(" | ");
    let [name, uuid, kinds, vulnerability, place] = std::array::from_fn(|_| parts.next().unwrap_or_default());
    let (x, y) = place.split_once(' ')?;
    Some(NodeFact {
        name,
        uuid: if uuid == "-" { "" } else { uuid },
        entry: kinds.split(' ').any(|kind| kind == "entry"),
        high_value: kinds.split(' ').any(|kind| kind == "high_value"),
        vulnerability: vulnerability.parse().ok()?,
        place: (x.parse().ok()?, y.parse().ok()?),
    })
}

fn edges(line: &str) -> Option<Vec<(u16, u16)>> {
    let edge = |edge: &str| {
        let (one, other) = edge.split_once('-')?;
        Some((one.parse().ok()?, other.parse().ok()?))
    };
    line.split_whitespace().map(edge).collect()
}

fn set(parameters: &mut Parameters, key: &str, value: &str) -> Option<()> {
    match key {
        "random_entry" => parameters.random_entry = value.parse().ok()?,
        "entry_count" => parameters.entry_count = value.parse().ok()?,
        "entry_preference" => {
            let known = [EntryPreference::None, EntryPreference::Central, EntryPreference::Edge];
            parameters.entry_preference = named(&known, value)?;
        }
        "random_high_value" => parameters.random_high_value = value.parse().ok()?,
        "high_value_count" => parameters.high_value_count = value.parse().ok()?,
        "high_value_preference" => {
            let known = [HighValuePreference::None, HighValuePreference::FurthestFromEntry];
            parameters.high_value_preference = named(&known, value)?;
        }
        "random_vulnerabilities" => parameters.random_vulnerabilities = value.parse().ok()?,
        "lower" => parameters.lower = value.parse().ok()?,
        "upper" => parameters.upper = value.parse().ok()?,
        _ => return None,
    }
    Some(())
}

/// The value that options write so.
fn named<T: Copy + serde::Serialize>(known: &[T], name: &str) -> Option<T> {
    known.iter().copied().find(|value| serde_json::to_value(value).is_ok_and(|value| value == name))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use gimbal_core::Digest;

    use super::*;

    /// What was read from the original; another digest is another environment.
    const DIGEST: &str = "fc1b40686a8742d31e30dac6a636c151322a6bf228c1cba9c23eaf89d131bb08";

    #[test]
    fn the_networks_are_those_of_the_original() {
        let mut text = String::new();
        let networks = read(include_str!("../../facts/networks.txt")).unwrap();
        for network in &networks {
            writeln!(text, "{}|{}|{}", network.name, network.title, network.uuid).unwrap();
            let drawn = &network.parameters;
            let name = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
            writeln!(
                text,
                "{},{},{},{},{},{},{},{:?},{:?}",
                drawn.random_entry,
                drawn.entry_count,
                name(serde_json::to_value(drawn.entry_preference).unwrap()),
                drawn.random_high_value,
                drawn.high_value_count,
                name(serde_json::to_value(drawn.high_value_preference).unwrap()),
                drawn.random_vulnerabilities,
                drawn.lower,
                drawn.upper
            )
            .unwrap();
            for node in &network.nodes {
                let (x, y) = node.place;
                let (entry, high_value) = (node.entry, node.high_value);
                writeln!(text, "{}|{}|{entry}|{high_value}|{:?}|{x:?}|{y:?}", node.name, node.uuid, node.vulnerability)
                    .unwrap();
            }
            let edges: Vec<String> = network.edges.iter().map(|(one, other)| format!("{one}-{other}")).collect();
            writeln!(text, "{}", edges.join(" ")).unwrap();
        }
        assert_eq!((NETWORKS.len(), FIXED.len()), (6, 2));
        assert_eq!(Digest::of(text.as_bytes()).to_string(), DIGEST);
    }

    #[test]
    fn a_line_that_cannot_be_read_is_named() {
        for line in ["node 1 | - | - | x | 0 0", "edges: 1-x", "entry_preference = MIDDLE", "colour = red"] {
            let text: &'static str = Box::leak(format!("[n] N | {MADE}\n{line}").into_boxed_str());
            assert_eq!(
                read(text).unwrap_err(),
                format!("network `n`: `{line}` is not a node, a list of edges or a parameter")
            );
        }
    }
}
