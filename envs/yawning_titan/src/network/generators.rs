//! The networks that the original makes in code.
//!
//! All work on an adjacency matrix, whose rows then decide the order of nodes and neighbours (SPEC 2.2). Ids are new
//! with every making and come from a stream of their own.

use serde_json::{Map, Value};

use super::{Network, NetworkError, Node, Parameters, Uuid};
use crate::draws::Fast;
use crate::facts::networks::FIXED;
use gimbal_core::nearest;
use gimbal_parity::Mersenne;

/// The draws that generators make, as Python's functions.
pub trait Numbers {
    /// `random.randint`, both ends included.
    fn randint(&mut self, low: i64, high: i64) -> i64;

    /// `random.choice` over `count` things: an index.
    fn choice(&mut self, count: u32) -> u32;

    /// `random.random`.
    fn unit(&mut self) -> f64;
}

impl Numbers for Mersenne {
    fn randint(&mut self, low: i64, high: i64) -> i64 {
        low + i64::from(self.below((high - low + 1) as u32))
    }

    fn choice(&mut self, count: u32) -> u32 {
        self.below(count)
    }

    fn unit(&mut self) -> f64 {
        Self::unit(self)
    }
}

impl Numbers for Fast {
    fn randint(&mut self, low: i64, high: i64) -> i64 {
        low + i64::from(self.below((high - low + 1) as u32))
    }

    fn choice(&mut self, count: u32) -> u32 {
        self.below(count)
    }

    fn unit(&mut self) -> f64 {
        Self::unit(self)
    }
}

/// The names of the generators.
pub const GENERATORS: [&str; 7] = [
    "create_mesh",
    "create_star",
    "create_p2p",
    "create_ring",
    "gnp_random_connected_graph",
    "get_18_node_network_mesh",
    "dcbo_base_network",
];

/// A generator with its arguments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Generator {
    /// Each pair of nodes is joined with a chance.
    Mesh {
        /// Nodes.
        size: u32,
        /// The chance.
        connectivity: f64,
    },
    /// Groups around a centre.
    Star {
        /// Groups.
        groups: u32,
        /// Nodes of a group.
        size: u32,
        /// The chance that a pair of a group is joined.
        connectivity: f64,
    },
    /// Two groups.
    PeerToPeer {
        /// Nodes of a group, about.
        size: u32,
        /// Edges between the groups, by the number of nodes.
        between: f64,
        /// The chance that a pair of a group is joined.
        connectivity: f64,
    },
    /// A ring with gaps.
    Ring {
        /// The chance of a gap.
        broken: f64,
        /// Nodes.
        size: u32,
    },
    /// A connected random graph.
    Connected {
        /// Nodes.
        size: u32,
        /// The chance of an edge.
        probability: f64,
    },
    /// The 18-node network, without stored ids.
    Eighteen,
    /// The dcbo network with all of its edges.
    Dcbo,
}

struct Arguments<'a> {
    generator: &'static str,
    given: &'a Map<String, Value>,
    known: Vec<&'static str>,
}

impl Arguments<'_> {
    fn error(&self, argument: &str, what: String) -> NetworkError {
        NetworkError::Argument { generator: self.generator, argument: argument.to_owned(), what }
    }

    fn size(&mut self, name: &'static str, default: Option<u32>, most: u64) -> Result<u32, NetworkError> {
        self.known.push(name);
        match (self.given.get(name), default) {
            (None, Some(default)) => Ok(default),
            (None, None) => Err(self.error(name, format!("is missing; give a whole number from 1 to {most}"))),
            (Some(value), _) => value
                .as_u64()
                .filter(|value| (1..=most).contains(value))
                .map(|value| value as u32)
                .ok_or_else(|| self.error(name, format!("is {value}; give a whole number from 1 to {most}"))),
        }
    }

    fn real(&mut self, name: &'static str, default: Option<f64>) -> Result<f64, NetworkError> {
        self.known.push(name);
        match (self.given.get(name), default) {
            (None, Some(default)) => Ok(default),
            (None, None) => Err(self.error(name, "is missing; give a number from 0 to 1".to_owned())),
            (Some(value), _) => value
                .as_f64()
                .filter(|value| (0.0..=1.0).contains(value))
                .ok_or_else(|| self.error(name, format!("is {value}; give a number from 0 to 1"))),
        }
    }

    fn end(self) -> Result<(), NetworkError> {
        match self.given.keys().find(|name| !self.known.contains(&name.as_str())) {
            None => Ok(()),
            Some(other) => {
                let hint = nearest::hint(other, self.known.iter().copied());
                let known = if self.known.is_empty() { "none".to_owned() } else { self.known.join(", ") };
                Err(self.error(other, format!("there is no such argument{hint} (known: {known})")))
            }
        }
    }
}

impl Generator {
    /// The generator of that name with these arguments; those that are left out take the original's defaults.
    ///
    /// # Errors
    /// When there is no such generator or argument, or a value is of no use.
    pub fn read(name: &str, given: &Map<String, Value>) -> Result<Self, NetworkError> {
        let known = GENERATORS.iter().position(|known| *known == name).ok_or_else(|| super::unknown(name))?;
        let mut arguments = Arguments { generator: GENERATORS[known], given, known: Vec::new() };
        let most = super::MOST_NODES as u64;
        let generator = match known {
            0 => Self::Mesh {
                size: arguments.size("size", Some(100), most)?,
                connectivity: arguments.real("connectivity", Some(0.7))?,
            },
            1 => Self::Star {
                groups: arguments.size("first_layer_size", Some(8), 100)?,
                size: arguments.size("group_size", Some(5), most / 101)?,
                connectivity: arguments.real("group_connectivity", Some(0.5))?,
            },
            2 => Self::PeerToPeer {
                size: arguments.size("group_size", Some(5), most / 3)?,
                between: arguments.real("inter_group_connectivity", Some(0.1))?,
                connectivity: arguments.real("group_connectivity", Some(1.0))?,
            },
            3 => Self::Ring {
                broken: arguments.real("break_probability", Some(0.3))?,
                size: arguments.size("ring_size", Some(60), most)?,
            },
            4 => {
                let size = arguments.size("n_nodes", None, most)?;
                let probability = arguments.real("probability_of_edge", None)?;
                // QUIRK: at the ends of the range the original gives nothing, or a graph that is not a network.
                if probability <= 0.0 || probability >= 1.0 {
                    let what = format!("is {probability}; give a number above 0 and below 1");
                    return Err(arguments.error("probability_of_edge", what));
                }
                Self::Connected { size, probability }
            }
            5 => Self::Eighteen,
            _ => Self::Dcbo,
        };
        arguments.end()?;
        Ok(generator)
    }

    /// Makes a network. `ids` gives the ids of its nodes.
    pub fn make(&self, numbers: &mut impl Numbers, ids: &mut Fast) -> Network {
        let mut matrix;
        match *self {
            Self::Eighteen => return Network::of(&FIXED[0], ids),
            Self::Dcbo => return Network::of(&FIXED[1], ids),
            Self::Mesh { size, connectivity } => {
                matrix = Matrix::new(size as usize);
                matrix.inside(0, size as usize, connectivity, numbers);
            }
            Self::Star { groups, size, connectivity } => {
                let (groups, size) = (groups as usize, size as usize);
                matrix = Matrix::new(1 + groups * size);
                for group in 0..groups {
                    matrix.inside(1 + group * size, size, connectivity, numbers);
                }
                for group in 0..groups {
                    let member = numbers.randint(0, size as i64 - 1) as usize;
                    matrix.join(0, 1 + group * size + member);
                }
            }
            Self::PeerToPeer { size, between, connectivity } => {
                let wanted = i64::from(size);
                let mut group = || (wanted + numbers.randint(0, wanted / 2) - wanted / 4).max(0) as usize;
                let (first, second) = (group(), group());
                matrix = Matrix::new(first + second);
                matrix.inside(0, first, connectivity, numbers);
                matrix.inside(first, second, connectivity, numbers);
                let edges = (between * (first + second) as f64).ceil() as usize;
                for _ in 0..edges {
                    let one = numbers.randint(0, first as i64 - 1) as usize;
                    let other = numbers.randint(first as i64, (first + second) as i64 - 1) as usize;
                    matrix.join(one, other);
                }
            }
            Self::Ring { broken, size } => {
                let size = size as usize;
                matrix = Matrix::new(size);
                for at in 0..size {
                    if numbers.randint(1, 99) as f64 > broken * 100.0 {
                        matrix.join(at, (at + 1) % size);
                    }
                }
            }
            Self::Connected { size, probability } => {
                let size = size as usize;
                matrix = Matrix::new(size);
                for at in 0..size.saturating_sub(1) {
                    let other = at + 1 + numbers.choice((size - at - 1) as u32) as usize;
                    matrix.join(at, other);
                    for other in at + 1..size {
                        if numbers.unit() < probability {
                            matrix.join(at, other);
                        }
                    }
                }
            }
        }
        matrix.network(numbers, ids)
    }
}

struct Matrix {
    size: usize,
    joined: Vec<bool>,
}

impl Matrix {
    fn new(size: usize) -> Self {
        Self { size, joined: vec![false; size * size] }
    }

    fn join(&mut self, one: usize, other: usize) {
        if one != other {
            self.joined[one * self.size + other] = true;
            self.joined[other * self.size + one] = true;
        }
    }

    /// Joins each pair of `count` nodes from `first` on with a chance.
    fn inside(&mut self, first: usize, count: usize, chance: f64, numbers: &mut impl Numbers) {
        for one in first..first + count {
            for other in one + 1..first + count {
                if (numbers.randint(0, 99) as f64) < chance * 100.0 {
                    self.join(one, other);
                }
            }
        }
    }

    fn row(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.size).filter(move |column| self.joined[row * self.size + column])
    }

    fn network(&self, numbers: &mut impl Numbers, ids: &mut Fast) -> Network {
        let places = places(self.size, numbers);
        // QUIRK: nodes come in as rows and their neighbours mention them.
        let mut order: Vec<usize> = Vec::with_capacity(self.size);
        let mut column = vec![usize::MAX; self.size];
        for row in 0..self.size {
            for node in std::iter::once(row).chain(self.row(row)) {
                if column[node] == usize::MAX {
                    column[node] = order.len();
                    order.push(node);
                }
            }
        }
        let nodes = order.iter().map(|node| Node {
            name: node.to_string(),
            uuid: Uuid::random(ids),
            entry: false,
            high_value: false,
            vulnerability: 0.01,
            place: places[*node],
        });
        let nodes: Vec<Node> = nodes.collect();
        let neighbours = order.iter().map(|node| self.row(*node).map(|other| column[other] as u16).collect());
        Network { parameters: Parameters::NONE, nodes, neighbours: neighbours.collect() }
    }
}

fn places(count: usize, numbers: &mut impl Numbers) -> Vec<(f64, f64)> {
    let most = 4 * count as i64;
    let mut placed: Vec<(i64, i64)> = Vec::with_capacity(count);
    for _ in 0..count {
        let mut draw = || (numbers.randint(0, most), numbers.randint(0, most));
        let (mut distance, mut failures) = (5, 0);
        let mut place = draw();
        while placed.iter().any(|(x, y)| (x - place.0).abs() <= distance && (y - place.1).abs() <= distance) {
            failures += 1;
            if failures % 10 == 0 && distance > 0 {
                distance -= 1;
            }
            place = draw();
        }
        placed.push(place);
    }
    placed.into_iter().map(|(x, y)| (x as f64, y as f64)).collect()
}
