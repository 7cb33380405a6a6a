//! Records of the Linux audit system. The records of one event have one number and give one fact (ARES-012).

mod event;
mod record;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::BufRead;

use super::fill::{about, put, put_some};
use super::lines::Lines;
use super::run::Run;
use super::{Details, ExtractError, IssueKind, Observed, ReadOptions, Sink, Stats};
use crate::{EntityKind, NewFact};
pub(super) use event::Event;
pub(super) use record::Record;

/// Most events that wait for further records. Records of one event stand close together.
const OPEN: usize = 64;
/// Most bytes of one event; what goes beyond is a record of its own.
const MAX_EVENT: usize = 1 << 20;

/// Reads records of the audit system.
///
/// # Errors
/// When the source cannot be read, or a record is damaged and the extractor is strict.
pub fn read_auditd(input: impl BufRead, options: &ReadOptions, sink: &mut dyn Sink) -> Result<Stats, ExtractError> {
    let mut run = Run::new(options, sink);
    let mut lines = Lines::new(input);
    let mut open: VecDeque<Group> = VecDeque::new();
    let mut spare: Vec<Group> = Vec::new();
    while let Some(line) = lines.next()? {
        if !run.takes(&line)? {
            continue;
        }
        let text = line.text();
        let Some(record) = Record::read(&text) else {
            run.damage(line.place(), IssueKind::Malformed, "no record of the audit system", line.bytes)?;
            continue;
        };
        run.parsed(1);
        let known = open.iter().rposition(|group| group.is_of(&record) && group.text.len() + text.len() < MAX_EVENT);
        let index = known.unwrap_or_else(|| {
            let mut group = spare.pop().unwrap_or_default();
            group.begin(&record, line.number);
            open.push_back(group);
            open.len() - 1
        });
        let ends = record.kind == "EOE";
        if let Some(group) = open.get_mut(index) {
            group.add(&text, line.number);
        }
        let full = open.len() > OPEN;
        let closed = if ends { open.remove(index) } else { None };
        for group in closed.into_iter().chain(if full { open.pop_front() } else { None }) {
            group.close(&mut run);
            spare.push(group);
        }
    }
    for group in open {
        group.close(&mut run);
    }
    Ok(run.finish())
}

/// Records of one event, as far as they came.
#[derive(Default)]
struct Group {
    key: String,
    /// The records, each with a line end after all but the last.
    text: String,
    first: u64,
    last: u64,
}

impl Group {
    fn is_of(&self, record: &Record<'_>) -> bool {
        // Numbers differ most.
        self.key.strip_suffix(record.event).and_then(|rest| rest.strip_suffix(record.time_found)) == Some(record.node)
    }

    fn begin(&mut self, record: &Record<'_>, line: u64) {
        self.key.clear();
        self.text.clear();
        self.key.extend([record.node, record.time_found, record.event]);
        self.first = line;
    }

    fn add(&mut self, text: &str, line: u64) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text);
        self.last = line;
    }

    fn close(&self, run: &mut Run<'_>) {
        let records: Vec<Record<'_>> = self.text.split('\n').filter_map(Record::read).collect();
        let event = event::read(&records);
        let details = Found { first: self.first, last: self.last, records: &records, event: &event };
        run.emit(&Observed {
            class: event.class,
            action: &event.action,
            actor: event.actor(),
            object: event.object(),
            time: records.first().and_then(|record| record.time),
            raw: self.text.as_bytes(),
            details: &details,
        });
    }
}

/// An event and its records.
struct Found<'a> {
    first: u64,
    last: u64,
    records: &'a [Record<'a>],
    event: &'a Event,
}

impl Details for Found<'_> {
    fn place(&self) -> String {
        if self.first == self.last {
            format!("line {}", self.first)
        } else {
            format!("lines {}-{}", self.first, self.last)
        }
    }

    fn time_found(&self) -> String {
        self.records.first().map(|record| record.time_found.to_owned()).unwrap_or_default()
    }

    fn host(&self) -> Option<Cow<'_, str>> {
        let node = self.records.first().map(|record| record.node)?;
        (!node.is_empty()).then_some(Cow::Borrowed(node))
    }

    fn fill(&self, fact: &mut NewFact) {
        fill(fact, self.records, self.event);
    }
}

/// What an event says of one record by itself, as agents forward it.
pub(super) fn single(record: &Record<'_>) -> Event {
    event::read(std::slice::from_ref(record))
}

/// Adds the fields of an event. Those of its first record keep their names; those of others have the kind of their record before them.
pub(super) fn fill(fact: &mut NewFact, records: &[Record<'_>], event: &Event) {
    let Some(first) = records.first() else { return };
    about(fact, EntityKind::Host, first.node);
    for (kind, name) in event::account(first).into_iter().chain(event::process(first)) {
        about(fact, kind, &name);
    }
    put(fact, "event", first.event);
    for record in records {
        put(fact, "type", record.kind);
    }
    put_some(fact, "command", &event::arguments(records));
    if let Some(port) = event.port {
        put(fact, "port", &port.to_string());
    }
    for (index, record) in records.iter().enumerate() {
        for field in record.fields() {
            if index == 0 {
                put(fact, field.name, &field.decoded());
            } else if record.kind != "EXECVE" {
                put(fact, &format!("{}.{}", record.kind, field.name), &field.decoded());
            }
        }
    }
}
