//! What a person states: inventory, changes, scanners, accounts, history, and what was not collected.

use std::io::{BufRead, Read as _};

use gimbal_core::yaml::{Kind, Location, Member, Node, YamlError};

use super::fill::{about, named, put};
use super::run::Run;
use super::{Details, ExtractError, Format, Observed, ReadOptions, Sink, Stats};
use crate::{Class, Entity, EntityKind, NewFact, NotAnEntity, Utc};

/// A list of the file: its key, the class of its entries, the key that must be there, and the others.
struct Section {
    key: &'static str,
    class: Class,
    action: &'static str,
    subject: &'static str,
    kind: Option<EntityKind>,
    others: &'static [&'static str],
}

const SECTIONS: [Section; 6] = [
    Section {
        key: "inventory",
        class: Class::Inventory,
        action: "listed",
        subject: "host",
        kind: Some(EntityKind::Host),
        others: &["addresses", "services", "owner", "role", "note"],
    },
    Section {
        key: "change_windows",
        class: Class::ChangeWindow,
        action: "announced",
        subject: "ticket",
        kind: None,
        others: &["from", "until", "covers", "owner", "note"],
    },
    Section {
        key: "known_scanners",
        class: Class::KnownScanner,
        action: "known",
        subject: "address",
        kind: Some(EntityKind::Address),
        others: &["name", "owner", "ports", "from", "until", "note"],
    },
    Section {
        key: "known_accounts",
        class: Class::KnownAccount,
        action: "known",
        subject: "account",
        kind: Some(EntityKind::Account),
        others: &["name", "owner", "role", "hosts", "note"],
    },
    Section {
        key: "history",
        class: Class::History,
        action: "stated",
        subject: "statement",
        kind: None,
        others: &["about", "from", "until", "note"],
    },
    Section {
        key: "not_collected",
        class: Class::NotCollected,
        action: "not collected",
        subject: "source",
        kind: None,
        others: &["from", "until", "about", "note"],
    },
];

/// Largest file, in bytes: a person wrote it.
const MAX_FILE: u64 = 16 << 20;

/// Reads a file of context, in YAML: lists under `inventory`, `change_windows`, `known_scanners`, `known_accounts`, `history` and
/// `not_collected`. Each entry is one fact; its time is the start of its interval, where it has one.
///
/// # Errors
/// When the source cannot be read, and [`ExtractError::Context`] with line and column when it is not in this form. A person wrote it
/// and can fix it, so every mistake stops the extractor, strict or not.
pub fn read_context(input: impl BufRead, options: &ReadOptions, sink: &mut dyn Sink) -> Result<Stats, ExtractError> {
    let wrong_file = |what: &str| ExtractError::Format { format: Format::Context, what: what.to_owned() };
    let mut bytes = Vec::new();
    input.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(wrong_file("it has more than 16 MiB"));
    }
    let text = String::from_utf8(bytes).map_err(|_| wrong_file("it is not encoded as UTF-8"))?;
    let text = text.as_str();
    let mut run = Run::new(options, sink);
    let file = Node::parse(text, PLACE)?;
    let Kind::Map(members) = &file.kind else {
        let keys: Vec<&str> = SECTIONS.iter().map(|section| section.key).collect();
        return Err(wrong(file.at, format!("a map is expected here, with the keys {}", keys.join(", "))).into());
    };
    let mut found = Vec::new();
    for member in members {
        let known = SECTIONS.iter().map(|section| section.key);
        let Some(section) = SECTIONS.iter().find(|section| section.key == member.key) else {
            return Err(unknown(member, known).into());
        };
        let Kind::List(entries) = &member.value.kind else {
            return Err(wrong(member.value.at, format!("`{}` is a list of entries", section.key)).into());
        };
        for node in entries {
            found.push(Entry::read(section, node)?);
        }
    }
    let starts: Vec<u64> =
        members.iter().map(|member| member.at.line).chain(found.iter().map(|entry| entry.line)).collect();
    for entry in &found {
        let next = starts.iter().copied().filter(|line| *line > entry.line).min().unwrap_or(u64::MAX);
        run.parsed(1);
        entry.observe(&mut run, lines(text, entry.line, next).as_bytes());
    }
    Ok(run.finish())
}

/// How errors name the file; whoever opened it knows its path.
const PLACE: &str = "context";

fn wrong(at: Location, message: impl Into<String>) -> YamlError {
    YamlError { place: PLACE.to_owned(), line: at.line, column: at.column, message: message.into() }
}

fn unknown<'k>(member: &Member, known: impl Iterator<Item = &'k str>) -> YamlError {
    let known: Vec<&str> = known.collect();
    let hint = gimbal_core::nearest::hint(&member.key, known.iter().copied());
    wrong(member.at, format!("unknown key `{}`{hint} (known: {})", member.key, known.join(", ")))
}

/// The lines from one to before another, without blanks at the end.
fn lines(text: &str, from: u64, to: u64) -> &str {
    let start = |line: u64| {
        let before = usize::try_from(line.saturating_sub(1)).unwrap_or(usize::MAX);
        text.split_inclusive('\n').take(before).map(str::len).sum::<usize>()
    };
    text.get(start(from)..start(to)).unwrap_or_default().trim_end()
}

/// An entry of the file.
struct Entry<'a> {
    section: &'a Section,
    line: u64,
    subject: String,
    /// Fields in the order of the file, lists joined by commas.
    fields: Vec<(&'a str, String)>,
    entities: Vec<Entity>,
    from: Option<(String, Utc)>,
}

impl<'a> Entry<'a> {
    fn read(section: &'a Section, node: &'a Node) -> Result<Self, YamlError> {
        let Kind::Map(members) = &node.kind else {
            return Err(wrong(
                node.at,
                format!("an entry of `{}` is a map with the key `{}`", section.key, section.subject),
            ));
        };
        let known = || std::iter::once(section.subject).chain(section.others.iter().copied());
        let mut entry = Self {
            section,
            line: node.at.line,
            subject: String::new(),
            fields: Vec::new(),
            entities: Vec::new(),
            from: None,
        };
        let mut until = None;
        for member in members {
            let key = member.key.as_str();
            if !known().any(|known| known == key) {
                return Err(unknown(member, known()));
            }
            let values = texts(&member.value)?;
            match key {
                "from" | "until" => {
                    let text = values.join(", ");
                    let time: Utc = text.parse().map_err(|error| wrong(member.value.at, format!("{error}")))?;
                    if key == "from" {
                        entry.from = Some((text.clone(), time));
                    } else {
                        until = Some((time, member.value.at));
                    }
                }
                "addresses" | "services" | "hosts" => {
                    let kind = match key {
                        "addresses" => EntityKind::Address,
                        "services" => EntityKind::Service,
                        _ => EntityKind::Host,
                    };
                    for value in &values {
                        entry.entities.push(entity(kind, value, member.value.at)?);
                    }
                }
                "covers" => {
                    for (value, at) in values.iter().zip(places(&member.value)) {
                        let entity = value.parse().map_err(|error: NotAnEntity| wrong(at, error.to_string()))?;
                        entry.entities.push(entity);
                    }
                }
                "about" => {
                    for (value, at) in values.iter().zip(places(&member.value)) {
                        match value.parse::<Entity>() {
                            Ok(entity) => entry.entities.push(entity),
                            // An entity, such as `host:web01`, or a text for people.
                            Err(error) if is_like_an_entity(value) => return Err(wrong(at, error.to_string())),
                            Err(_) => {}
                        }
                    }
                }
                _ => {}
            }
            if key == section.subject {
                entry.subject = values.join(", ");
                if let Some(kind) = section.kind {
                    entry.subject = entity(kind, &entry.subject, member.value.at)?.name().to_owned();
                }
            }
            entry.fields.push((key, values.join(", ")));
        }
        if entry.subject.is_empty() {
            return Err(wrong(node.at, format!("the key `{}` is missing", section.subject)));
        }
        if let (Some((_, from)), Some((until, at))) = (&entry.from, until)
            && until < *from
        {
            return Err(wrong(at, "`until` lies before `from`"));
        }
        if matches!(section.class, Class::ChangeWindow | Class::NotCollected)
            && (entry.from.is_none() || until.is_none())
        {
            return Err(wrong(node.at, format!("an entry of `{}` needs `from` and `until`", section.key)));
        }
        Ok(entry)
    }

    fn observe(&self, run: &mut Run<'_>, raw: &[u8]) {
        let object = self.section.kind.and_then(|kind| named(kind, &self.subject));
        run.emit(&Observed {
            class: self.section.class,
            action: self.section.action,
            actor: None,
            object: object.as_ref().map(|(kind, name)| (*kind, name.as_ref())),
            time: self.from.as_ref().map(|(_, time)| *time),
            raw,
            details: self,
        });
    }
}

fn entity(kind: EntityKind, text: &str, at: Location) -> Result<Entity, YamlError> {
    let name = match kind {
        EntityKind::Address => text.parse::<std::net::IpAddr>().map(|address| address.to_string()).map_err(|_| {
            wrong(at, format!("`{text}` is not an address: expected one such as 192.0.2.7 or 2001:db8::7"))
        })?,
        EntityKind::Host => text.strip_suffix('.').unwrap_or(text).to_owned(),
        _ => text.to_owned(),
    };
    Entity::new(kind, name).map_err(|error| wrong(at, error.to_string()))
}

/// Whether a text would be an entity if its kind were known: one word, a colon, and a name without blanks.
fn is_like_an_entity(text: &str) -> bool {
    text.split_once(':').is_some_and(|(kind, name)| {
        !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_alphabetic()) && !name.starts_with(' ')
    })
}

/// Where the values of [`texts`] are.
fn places(node: &Node) -> Vec<Location> {
    match &node.kind {
        Kind::List(items) => items.iter().map(|item| item.at).collect(),
        _ => vec![node.at],
    }
}

/// A text, number or boolean, or a list of them.
fn texts(node: &Node) -> Result<Vec<String>, YamlError> {
    match &node.kind {
        Kind::Scalar(serde_json::Value::String(text)) => Ok(vec![text.clone()]),
        Kind::Scalar(serde_json::Value::Null) => Err(wrong(node.at, "a text is expected here, and nothing is there")),
        Kind::Scalar(value) => Ok(vec![value.to_string()]),
        Kind::List(items) if items.iter().all(|item| matches!(item.kind, Kind::Scalar(_))) => {
            items.iter().map(|item| texts(item).map(|texts| texts.join(", "))).collect()
        }
        Kind::List(_) | Kind::Map(_) => Err(wrong(node.at, "a text or a list of texts is expected here")),
    }
}

impl Details for Entry<'_> {
    fn place(&self) -> String {
        format!("line {}", self.line)
    }

    fn time_found(&self) -> String {
        self.from.as_ref().map(|(text, _)| text.clone()).unwrap_or_default()
    }

    fn fill(&self, fact: &mut NewFact) {
        for entity in &self.entities {
            about(fact, entity.kind(), entity.name());
        }
        for (name, value) in &self.fields {
            put(fact, name, value);
        }
    }
}
