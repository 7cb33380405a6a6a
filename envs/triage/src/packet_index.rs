//! A packet as an agent sees it: what its tools show, as text and as the facts that were shown.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use gimbal_core::nearest;
use gimbal_evidence::graph::{Edge, EdgeKind, Graph};
use gimbal_evidence::listing::{Listing, clock, named, quoted};
use gimbal_evidence::{Class, Entity, Fact, FactId, Packet, SourceKind};

use crate::tools::{self, PAGE};

/// Facts and characters that the first observation lists at most, beside those that people stated.
const FIRST: (usize, usize) = (40, 8000);
/// Stated facts that it lists at most.
const STATED: usize = 40;
/// Entities that the overview lists at most.
const ENTITIES: usize = 24;
/// Longest name of an entity that a reply repeats, in characters.
const ECHO: usize = 80;

/// What a tool shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The text, without a line break at its end.
    pub text: String,
    /// The facts in it.
    pub facts: Vec<FactId>,
    /// Whether nothing was found: the text says why.
    pub failed: bool,
}

impl Shown {
    fn nothing(text: String) -> Self {
        Self { text, facts: Vec::new(), failed: true }
    }
}

/// A packet with everything that its tools need.
#[derive(Clone, Debug)]
pub struct PacketIndex {
    packet: Packet,
    /// The line of each fact.
    lines: Vec<String>,
    graph: Graph,
    /// The entities with the facts about them, those with most facts first.
    entities: Vec<(Entity, Vec<FactId>)>,
}

impl PacketIndex {
    /// The index of a packet.
    #[must_use]
    pub fn new(packet: Packet) -> Self {
        let mut about: BTreeMap<&Entity, BTreeSet<FactId>> = BTreeMap::new();
        for fact in packet.facts() {
            for entity in fact.about() {
                about.entry(entity).or_default().insert(fact.id);
            }
        }
        let mut entities: Vec<(Entity, Vec<FactId>)> =
            about.into_iter().map(|(entity, facts)| (entity.clone(), facts.into_iter().collect())).collect();
        entities.sort_by_key(|(_, facts)| std::cmp::Reverse(facts.len()));
        Self { lines: Listing::SHORT.lines(&packet), graph: Graph::of(&packet), entities, packet }
    }

    /// The packet.
    #[must_use]
    pub const fn packet(&self) -> &Packet {
        &self.packet
    }

    /// The line of a fact; `None` where the packet does not have it.
    #[must_use]
    pub fn line(&self, id: FactId) -> Option<&str> {
        self.lines.get(id.index()).map(String::as_str)
    }

    /// The lines of all facts.
    #[must_use]
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// The entities, those with most facts first, each with the facts about it.
    #[must_use]
    pub fn entities(&self) -> &[(Entity, Vec<FactId>)] {
        &self.entities
    }

    /// The facts about an entity.
    #[must_use]
    pub fn about(&self, entity: &Entity) -> &[FactId] {
        self.entities.iter().find(|(known, _)| known == entity).map_or(&[], |(_, facts)| facts)
    }

    /// What an agent sees first.
    #[must_use]
    pub fn first(&self) -> Shown {
        let mut out = self.head();
        let mut shown = Vec::new();
        let (stated, others): (Vec<&Fact>, Vec<&Fact>) =
            self.packet.facts().iter().partition(|fact| fact.class.is_context());
        if !stated.is_empty() {
            out.push_str("\n\nStated by people, beside the records:");
            self.list(&mut out, stated.iter().take(STATED).map(|fact| fact.id), &mut shown);
        }
        let mut characters = 0;
        let fits = |fact: &&&Fact| {
            characters += self.line(fact.id).map_or(0, str::len);
            characters <= FIRST.1
        };
        let listed: Vec<FactId> = others.iter().take(FIRST.0).take_while(fits).map(|fact| fact.id).collect();
        if listed.is_empty() {
            out.push_str("\n\nNo record is in it.");
        } else if listed.len() == others.len() {
            out.push_str("\n\nThe facts from the records, in order of time:");
        } else {
            let _ = write!(
                out,
                "\n\nThe first {} of {} facts from the records, in order of time:",
                listed.len(),
                others.len()
            );
        }
        self.list(&mut out, listed.into_iter(), &mut shown);
        if shown.len() < self.packet.facts().len() {
            let _ = write!(
                out,
                "\n{} facts are not listed here; list_facts lists them.",
                self.packet.facts().len() - shown.len()
            );
        }
        Shown { text: out, facts: shown, failed: false }
    }

    /// Sources, counts by class, and entities.
    #[must_use]
    pub fn overview(&self) -> Shown {
        let mut out = self.head();
        let _ = write!(out, "\nEntities, those with most facts first:");
        for (entity, facts) in self.entities.iter().take(ENTITIES) {
            let _ = write!(out, "\n{}: {}", named(entity), counted(facts.len() as u64, "fact"));
        }
        more(&mut out, self.entities.len().saturating_sub(ENTITIES), "entities");
        Shown { text: out, facts: Vec::new(), failed: false }
    }

    fn head(&self) -> String {
        let header = self.packet.header();
        let mut out = format!("Evidence packet with {}", counted(self.packet.facts().len() as u64, "fact"));
        if let Some(window) = header.window {
            let _ = write!(out, ", from {} to {}", clock(window.first), clock(window.last));
        }
        out.push_str(".\nSources: ");
        let sources = header.sources.iter().map(|source| {
            let damaged = match source.damaged.0 {
                0 => String::new(),
                damaged => format!(", {damaged} of them damaged"),
            };
            format!("{} {}, {}{damaged}", source.id, kind(source.kind), counted(source.records.0, "record"))
        });
        out.push_str(&sources.collect::<Vec<_>>().join("; "));
        out.push_str(".\nFacts by class: ");
        out.push_str(&self.classes().join(", "));
        out.push('.');
        if header.left_out.count.0 > 0 {
            let _ = write!(
                out,
                "\n{} of the records have no fact of their own: a fact counts them, or the packet has no room for them.",
                header.left_out.count
            );
        }
        if self.packet.facts().iter().any(|fact| fact.aggregate.is_some()) {
            out.push_str("\nA fact with a number of records counts records that are alike; some of them are also facts of their own.");
        }
        out
    }

    /// The classes of the packet with their numbers of facts.
    fn classes(&self) -> Vec<String> {
        let mut counts: BTreeMap<Class, usize> = BTreeMap::new();
        for fact in self.packet.facts() {
            *counts.entry(fact.class).or_default() += 1;
        }
        counts.into_iter().map(|(class, count)| format!("{class} {count}")).collect()
    }

    /// A page of the facts of a class.
    #[must_use]
    pub fn page(&self, class: &str, page: usize) -> Shown {
        let facts: Vec<FactId> = match class {
            "all" => self.packet.facts().iter().map(|fact| fact.id).collect(),
            name => self.packet.facts().iter().filter(|fact| fact.class.name() == name).map(|fact| fact.id).collect(),
        };
        if facts.is_empty() {
            let known: Vec<&str> = self.packet.counts().into_keys().collect();
            let near = nearest::nearest(class, known.iter().copied());
            let near = near.map(|near| format!(" The nearest is {near}.")).unwrap_or_default();
            let class = quoted(class, ECHO);
            return Shown::nothing(format!(
                "The packet has no facts of the class {class}. Its classes: {}.{near}",
                known.join(", ")
            ));
        }
        let pages = facts.len().div_ceil(PAGE);
        let Some(chosen) = facts.chunks(PAGE).nth(page - 1) else {
            return Shown::nothing(format!(
                "There is no page {page}: {} of the class {class} fill {}.",
                counted(facts.len() as u64, "fact"),
                counted(pages as u64, "page")
            ));
        };
        let first = (page - 1) * PAGE + 1;
        let mut out = format!(
            "Class {class}, facts {first} to {} of {}, page {page} of {pages}:",
            first + chosen.len() - 1,
            facts.len()
        );
        let mut shown = Vec::new();
        self.list(&mut out, chosen.iter().copied(), &mut shown);
        Shown { text: out, facts: shown, failed: false }
    }

    /// One fact in full.
    #[must_use]
    pub fn fact(&self, written: &str) -> Shown {
        let Some(fact) = tools::id(written, &self.packet).and_then(|id| self.packet.fact(id)) else {
            return Shown::nothing(format!(
                "The packet has no fact {}; {}.",
                quoted(written, ECHO),
                tools::range(&self.packet)
            ));
        };
        let mut out = Listing::FULL.line(fact);
        match (&fact.locator, &fact.aggregate) {
            (Some(locator), _) => {
                let _ = write!(out, "\nRecorded in {}, {}.", locator.source, quoted(&locator.at, ECHO));
            }
            (None, Some(aggregate)) => {
                let _ = write!(out, "\nCounted over {} records: {}.", aggregate.count, quoted(&aggregate.formula, 300));
            }
            (None, None) => {}
        }
        Shown { text: out, facts: vec![fact.id], failed: false }
    }

    /// The facts about an entity.
    #[must_use]
    pub fn entity(&self, written: &str) -> Shown {
        let entity = match self.find(written) {
            Ok(entity) => entity,
            Err(why) => return Shown::nothing(why),
        };
        let facts = self.about(entity);
        let mut out = format!("{}: {}", named(entity), counted(facts.len() as u64, "fact"));
        let mut shown = Vec::new();
        self.list(&mut out, facts.iter().take(PAGE).copied(), &mut shown);
        more(&mut out, facts.len().saturating_sub(PAGE), "facts");
        Shown { text: out, facts: shown, failed: false }
    }

    /// The shortest way from one entity to another.
    #[must_use]
    pub fn path(&self, from: &str, to: &str) -> Shown {
        let (from, to) = match (self.find(from), self.find(to)) {
            (Ok(from), Ok(to)) => (from, to),
            (Err(why), _) | (_, Err(why)) => return Shown::nothing(why),
        };
        let ends = format!("{} and {}", named(from), named(to));
        let Some(edges) = self.graph.path(from, to) else {
            return Shown { text: format!("No fact connects {ends}."), ..Shown::default() };
        };
        if edges.is_empty() {
            return Shown::nothing(format!("{ends} are the same entity."));
        }
        let mut out = format!("Between {ends}:");
        let mut shown = Vec::new();
        for edge in edges {
            let Edge { from, to, kind, fact, .. } = edge;
            let how = if *kind == EdgeKind::Hosts { "in one record" } else { kind.name() };
            let _ = write!(out, "\n{} - {} ({how}):", named(from), named(to));
            self.list(&mut out, std::iter::once(*fact), &mut shown);
        }
        Shown { text: out, facts: shown, failed: false }
    }

    /// Lists facts that were not listed before, a line each.
    fn list(&self, out: &mut String, facts: impl Iterator<Item = FactId>, shown: &mut Vec<FactId>) {
        for id in facts {
            if let Some(line) = self.line(id) {
                out.push('\n');
                out.push_str(line);
                if !shown.contains(&id) {
                    shown.push(id);
                }
            }
        }
    }

    /// The entity that a text names: as facts show it, in any case of letters, or by its name alone where only one has it.
    fn find(&self, written: &str) -> Result<&Entity, String> {
        let bare = written.trim().trim_matches(['"', '\'', '`']);
        let single = bare.replace("\\\\", "\\");
        for text in [bare, &single] {
            let exact = self.entities.iter().find(|(entity, _)| entity.to_string() == text);
            if let Some((entity, _)) = exact {
                return Ok(entity);
            }
            let alike: Vec<&Entity> = self
                .entities
                .iter()
                .map(|(entity, _)| entity)
                .filter(|entity| {
                    entity.to_string().eq_ignore_ascii_case(text) || entity.name().eq_ignore_ascii_case(text)
                })
                .collect();
            match alike.as_slice() {
                [] => {}
                [only] => return Ok(only),
                several => {
                    let names: Vec<String> = several.iter().take(5).map(|entity| named(entity)).collect();
                    return Err(format!(
                        "{} may be one of: {}. Write one of them.",
                        quoted(bare, ECHO),
                        names.join(", ")
                    ));
                }
            }
        }
        let names: Vec<String> = self.entities.iter().map(|(entity, _)| named(entity)).collect();
        let near = nearest::nearest(bare, names.iter().map(String::as_str));
        let near = near.map_or_else(
            || "The overview lists those that most facts are about.".to_owned(),
            |near| format!("The nearest name is {near}."),
        );
        Err(format!("No fact is about {}. {near}", quoted(bare, ECHO)))
    }
}

const fn kind(kind: SourceKind) -> &'static str {
    match kind {
        SourceKind::Windows => "Windows event log",
        SourceKind::Syslog => "syslog",
        SourceKind::Auditd => "Linux audit log",
        SourceKind::Netflow => "flow records",
        SourceKind::FlowText => "flow records as text",
        SourceKind::Manual => "statements of people",
        SourceKind::Rules => "detection rules",
        SourceKind::Unknown => "unknown",
    }
}

fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn more(out: &mut String, count: usize, nouns: &str) {
    if count > 0 {
        let _ = write!(out, "\n{count} further {nouns} are not listed.");
    }
}
