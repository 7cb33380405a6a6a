//! Names of nodes, as an agent writes them.

use crate::draws::{Draws, Fast, Purpose, Site};

/// The names of all nodes that there can be, by node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    nodes: Vec<String>,
    /// The nodes in the order in which agents are shown them.
    order: Vec<u16>,
}

impl Names {
    /// `node_0`, `node_1`, ... in node order, and `decoy_0`, ... for deceptive nodes.
    #[must_use]
    pub fn ordered(base: usize, deceptive: usize) -> Self {
        Self::of((0..base as u16).collect(), deceptive)
    }

    /// The same, with the numbers of nodes dealt out by a seed.
    #[must_use]
    pub fn shuffled(base: usize, deceptive: usize, seed: u64) -> Self {
        let mut numbers: Vec<u16> = (0..base as u16).collect();
        let mut stream = Fast::new(Fast::new(seed ^ 0x6E61_6D65_735F_7974).next_u64());
        stream.shuffle(Site::new(Purpose::Push), &mut numbers);
        Self::of(numbers, deceptive)
    }

    fn of(numbers: Vec<u16>, deceptive: usize) -> Self {
        let base = numbers.len() as u16;
        let mut order: Vec<u16> = (0..base).collect();
        order.sort_unstable_by_key(|node| numbers[*node as usize]);
        order.extend(base..base + deceptive as u16);
        let nodes = numbers.iter().map(|number| format!("node_{number}"));
        Self { nodes: nodes.chain((0..deceptive).map(|number| format!("decoy_{number}"))).collect(), order }
    }

    /// The name of a node.
    #[must_use]
    pub fn node(&self, node: u16) -> &str {
        self.nodes.get(node as usize).map_or("", String::as_str)
    }

    /// The nodes in the order in which agents are shown them.
    #[must_use]
    pub fn order(&self) -> &[u16] {
        &self.order
    }

    /// The node of a name, whatever its case and what parts the number from the word (`Node1` is `node_1`); a bare number is
    /// one of the network's nodes.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<u16> {
        let wanted = name.trim();
        let same = |known: &String| {
            let Some((word, number)) = known.split_once('_') else { return false };
            let head = wanted.get(..word.len()).filter(|head| head.eq_ignore_ascii_case(word));
            match head {
                Some(head) => wanted[head.len()..].trim_start_matches(['_', '-', ' ']) == number,
                None => word == "node" && wanted == number,
            }
        };
        self.nodes.iter().position(same).map(|node| node as u16)
    }

    /// All names.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.order.iter().map(|node| self.node(*node))
    }

    /// The name of an edge.
    #[must_use]
    pub fn edge(&self, (one, other): (u16, u16)) -> String {
        format!("{}-{}", self.node(one), self.node(other))
    }
}
