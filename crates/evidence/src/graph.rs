//! The evidence graph: what facts are about as nodes, what was done as edges in time (ARES-015).

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;

use serde::Serialize;

use crate::{Class, Entity, EntityKind, Fact, FactId, Packet, Utc};

/// Kinds of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// Logs on to, opens or closes a session of.
    Authenticates,
    /// Starts, runs or ends.
    Executes,
    /// Reads, opens, writes or deletes.
    Accesses,
    /// Gets, gives or changes privileges, accounts or groups.
    Escalates,
    /// Sends traffic to.
    Communicates,
    /// Installs or changes services, tasks, software, policies or logs.
    Configures,
    /// Is reported by a security product.
    Detects,
    /// Is stated about by a person.
    States,
    /// Is on: the host that logged a fact.
    Hosts,
}

impl EdgeKind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Authenticates,
        Self::Executes,
        Self::Accesses,
        Self::Escalates,
        Self::Communicates,
        Self::Configures,
        Self::Detects,
        Self::States,
        Self::Hosts,
    ];

    /// The word in drawings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Authenticates => "authenticates",
            Self::Executes => "executes",
            Self::Accesses => "accesses",
            Self::Escalates => "escalates",
            Self::Communicates => "communicates",
            Self::Configures => "configures",
            Self::Detects => "detects",
            Self::States => "states",
            Self::Hosts => "hosts",
        }
    }

    /// The kind of edge that a fact of this class is.
    #[must_use]
    pub const fn of(class: Class) -> Self {
        use Class as C;
        match class {
            C::Logon
            | C::LogonFailed
            | C::Logoff
            | C::ExplicitLogon
            | C::SessionOpened
            | C::SessionClosed
            | C::TicketRequested
            | C::RemoteDesktop
            | C::SshEvent => Self::Authenticates,
            C::ProcessStarted
            | C::ProcessEnded
            | C::ScriptRun
            | C::CommandAsOther
            | C::TaskRun
            | C::Syscall
            | C::Wmi => Self::Executes,
            C::PrivilegesAssigned
            | C::AccountCreated
            | C::AccountChanged
            | C::AccountDeleted
            | C::PasswordChanged
            | C::GroupChanged => Self::Escalates,
            C::Connection | C::Flow | C::PacketFiltered | C::DnsQuery | C::HttpRequest => Self::Communicates,
            C::ServiceInstalled
            | C::ServiceChanged
            | C::TaskCreated
            | C::TaskChanged
            | C::TaskDeleted
            | C::PolicyChanged
            | C::LogCleared
            | C::LogStarted
            | C::SystemStarted
            | C::SystemStopped
            | C::ClockChanged
            | C::Software
            | C::RegistryChanged => Self::Configures,
            C::SecurityProduct | C::RuleHit => Self::Detects,
            C::Inventory | C::ChangeWindow | C::KnownScanner | C::KnownAccount | C::History | C::NotCollected => {
                Self::States
            }
            C::ProcessAccessed
            | C::ModuleLoaded
            | C::FileCreated
            | C::FileAccessed
            | C::FileChanged
            | C::FileDeleted
            | C::DirectoryAccessed
            | C::ShareAccessed
            | C::Message
            | C::Damaged
            | C::Other => Self::Accesses,
        }
    }

    /// The word of the work's artefact for it (ARES-015). Its kinds about agents (hypothesizes, debates, challenges, synthesizes) are
    /// messages here and no edges.
    #[must_use]
    pub const fn published(self) -> &'static str {
        match self {
            Self::Authenticates | Self::Accesses | Self::Configures => "accesses",
            Self::Executes => "executes",
            Self::Escalates => "escalates",
            Self::Communicates => "communicates",
            Self::Detects => "detects",
            Self::States | Self::Hosts => "observes",
        }
    }
}

/// An edge: what one entity did to another, and the fact that says so.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// When it began, where the fact has a time.
    pub time: Option<Utc>,
    /// From.
    pub from: Entity,
    /// To.
    pub to: Entity,
    /// What it is.
    pub kind: EdgeKind,
    /// The fact.
    pub fact: FactId,
    /// How many records the fact represents.
    pub count: u64,
}

/// The graph of a packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    edges: Vec<Edge>,
    nodes: BTreeSet<Entity>,
}

impl Graph {
    /// The graph of a packet. An actor and an object give an edge of the class's kind; each of them is also on the hosts that the fact
    /// names.
    #[must_use]
    pub fn of(packet: &Packet) -> Self {
        let mut graph = Self::default();
        for fact in packet.facts() {
            graph.nodes.extend(fact.about().cloned());
            if let (Some(actor), Some(object)) = (&fact.actor, &fact.object) {
                graph.edges.push(edge(fact, actor, object, EdgeKind::of(fact.class)));
            }
            for host in fact.entities.iter().filter(|entity| entity.kind() == EntityKind::Host) {
                for entity in fact.actor.iter().chain(&fact.object).filter(|entity| *entity != host) {
                    graph.edges.push(edge(fact, host, entity, EdgeKind::Hosts));
                }
            }
        }
        graph.edges.sort();
        graph
    }

    /// Everything that facts are about.
    pub fn nodes(&self) -> impl Iterator<Item = &Entity> {
        self.nodes.iter()
    }

    /// The edges in order of time, those without one first.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The edges at an entity, in order of time.
    pub fn at<'a>(&'a self, entity: &'a Entity) -> impl Iterator<Item = &'a Edge> {
        self.edges.iter().filter(move |edge| edge.from == *entity || edge.to == *entity)
    }

    /// The part of the graph within so many edges of an entity.
    #[must_use]
    pub fn around(&self, entity: &Entity, distance: usize) -> Self {
        let near = self.distances(entity, distance);
        Self {
            edges: self
                .edges
                .iter()
                .filter(|edge| near.contains_key(&edge.from) && near.contains_key(&edge.to))
                .cloned()
                .collect(),
            nodes: near.into_keys().cloned().collect(),
        }
    }

    /// The shortest way from one entity to another, as edges in either direction; `None` when there is none. Of equal ways the one whose edges
    /// come first.
    #[must_use]
    pub fn path(&self, from: &Entity, to: &Entity) -> Option<Vec<&Edge>> {
        let (from, to) = (self.nodes.get(from)?, self.nodes.get(to)?);
        if from == to {
            return Some(Vec::new());
        }
        let beside = self.beside();
        let mut reached: BTreeMap<&Entity, &Edge> = BTreeMap::new();
        let mut waiting = VecDeque::from([from]);
        while let Some(entity) = waiting.pop_front() {
            for edge in beside.get(entity).into_iter().flatten() {
                let next = if edge.from == *entity { &edge.to } else { &edge.from };
                if next == from || reached.contains_key(next) {
                    continue;
                }
                reached.insert(next, edge);
                if next == to {
                    return Some(walk_back(&reached, from, to));
                }
                waiting.push_back(next);
            }
        }
        None
    }

    /// The graph in the language of Mermaid; edges between the same two entities are one arrow with their number of records.
    #[must_use]
    pub fn mermaid(&self) -> String {
        let numbers: BTreeMap<&Entity, usize> = self.nodes.iter().zip(0..).collect();
        let mut out = "flowchart LR\n".to_owned();
        for (entity, number) in &numbers {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "  n{number}[\"{}\"]", quoted(&entity.to_string()));
        }
        let mut arrows: BTreeMap<(usize, usize, EdgeKind), (u64, BTreeSet<FactId>)> = BTreeMap::new();
        for edge in &self.edges {
            if let (Some(from), Some(to)) = (numbers.get(&edge.from), numbers.get(&edge.to)) {
                let arrow = arrows.entry((*from, *to, edge.kind)).or_default();
                arrow.0 += edge.count;
                arrow.1.insert(edge.fact);
            }
        }
        for ((from, to, kind), (count, facts)) in arrows {
            let first = facts.first().map(ToString::to_string).unwrap_or_default();
            let times = if count > 1 { format!(" x{count}") } else { String::new() };
            let _ = writeln!(out, "  n{from} -->|\"{}{times} {first}\"| n{to}", kind.name());
        }
        out
    }

    /// Entities within a distance.
    fn distances<'a>(&'a self, entity: &'a Entity, most: usize) -> BTreeMap<&'a Entity, usize> {
        let mut near = BTreeMap::new();
        if !self.nodes.contains(entity) {
            return near;
        }
        let beside = self.beside();
        near.insert(entity, 0);
        let mut waiting = VecDeque::from([(entity, 0)]);
        while let Some((entity, distance)) = waiting.pop_front() {
            if distance == most {
                continue;
            }
            for edge in beside.get(entity).into_iter().flatten() {
                let next = if edge.from == *entity { &edge.to } else { &edge.from };
                if !near.contains_key(next) {
                    near.insert(next, distance + 1);
                    waiting.push_back((next, distance + 1));
                }
            }
        }
        near
    }

    /// The edges at each entity.
    fn beside(&self) -> BTreeMap<&Entity, Vec<&Edge>> {
        let mut beside: BTreeMap<&Entity, Vec<&Edge>> = BTreeMap::new();
        for edge in &self.edges {
            beside.entry(&edge.from).or_default().push(edge);
            beside.entry(&edge.to).or_default().push(edge);
        }
        beside
    }
}

fn walk_back<'a>(reached: &BTreeMap<&'a Entity, &'a Edge>, from: &Entity, to: &'a Entity) -> Vec<&'a Edge> {
    let mut way = Vec::new();
    let mut at = to;
    while at != from {
        let Some(edge) = reached.get(at) else { break };
        way.push(*edge);
        at = if edge.to == *at { &edge.from } else { &edge.to };
    }
    way.reverse();
    way
}

fn edge(fact: &Fact, from: &Entity, to: &Entity, kind: EdgeKind) -> Edge {
    Edge {
        time: fact.time.as_ref().map(|time| time.utc),
        from: from.clone(),
        to: to.clone(),
        kind,
        fact: fact.id,
        count: fact.count(),
    }
}

/// A text within quotation marks of Mermaid.
fn quoted(text: &str) -> String {
    text.chars()
        .flat_map(|character| match character {
            '"' => "#quot;".chars().collect::<Vec<_>>(),
            '#' => "#35;".chars().collect(),
            '<' => "#lt;".chars().collect(),
            '>' => "#gt;".chars().collect(),
            character if character.is_control() => vec![' '],
            character => vec![character],
        })
        .collect()
}
