//! JSON lines of an agent that forwards syslog: one object a line, with the message in a member.

use std::borrow::Cow;
use std::io::BufRead;

use serde_json::{Map, Value};

use super::super::auditd::{self, Event, Record as AuditRecord};
use super::super::fill::{about, about_process, put};
use super::super::lines::Lines;
use super::super::run::Run;
use super::super::{Details, ExtractError, Observed, ReadOptions, Sink, Stats, clock};
use super::reading::{Reading, pairs};
use super::sysmon::{self, Sysmon};
use crate::{EntityKind, NewFact};

const MESSAGE: &[&str] = &["SyslogMessage", "message", "Message", "msg"];
const PROGRAM: &[&str] = &["ProcessName", "program", "appname", "ident"];
const HOST: &[&str] = &["Computer", "HostName", "hostname", "host"];
const PID: &[&str] = &["ProcessID", "procid", "pid"];
const TIME: &[&str] = &["TimeGenerated", "EventTime", "@timestamp", "timestamp", "time"];

/// Reads JSON lines with a syslog message in each: of a program, of the audit system, or of Sysmon for Linux.
///
/// # Errors
/// When the source cannot be read, or a line is damaged and the extractor is strict.
pub fn read_syslog_json(
    input: impl BufRead,
    options: &ReadOptions,
    sink: &mut dyn Sink,
) -> Result<Stats, ExtractError> {
    let mut run = Run::new(options, sink);
    let mut lines = Lines::new(input);
    while let Some(line) = lines.next()? {
        if !run.takes(&line)? {
            continue;
        }
        let Some(members) = run.object(&line)? else { continue };
        run.parsed(1);
        observe(&mut run, line.number, &members, line.bytes);
    }
    Ok(run.finish())
}

/// Gives the fact of a line.
fn observe(run: &mut Run<'_>, line: u64, members: &Map<String, Value>, raw: &[u8]) {
    let (message, program, found) = (first(members, MESSAGE), first(members, PROGRAM), first(members, TIME));
    let time = clock::date_time(&found, run.options.zone_minutes.unwrap_or(0)).or_else(|| clock::epoch(&found));
    let mut forwarded = Forwarded { line, members, program: &program, time_found: &found, said: Said::Nothing };
    if let Some(record) = AuditRecord::read(&message) {
        let event = auditd::single(&record);
        forwarded.said = Said::Audit(&record, &event);
        run.emit(&Observed {
            class: event.class,
            action: &event.action,
            actor: event.actor(),
            object: event.object(),
            time: record.time.or(time),
            raw,
            details: &forwarded,
        });
    } else if let Some(event) = sysmon::read(&message) {
        forwarded.said = Said::Sysmon(&event);
        run.emit(&Observed {
            class: event.class,
            action: event.action,
            actor: event.actor(),
            object: event.object(),
            time: event.time.or(time),
            raw,
            details: &forwarded,
        });
    } else {
        let reading = super::read(&program, &message);
        forwarded.said = Said::Message(&reading);
        run.emit(&Observed {
            class: reading.class,
            action: reading.action,
            actor: reading.actor(),
            object: reading.object(),
            time,
            raw,
            details: &forwarded,
        });
    }
}

/// The first member of these names that holds something.
fn first<'a>(members: &'a Map<String, Value>, names: &[&str]) -> Cow<'a, str> {
    let found = names.iter().filter_map(|name| members.get(*name)).find(|value| !matches!(value, Value::Null));
    found.map(text).unwrap_or_default()
}

fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_string()),
    }
}

/// What the message of a line is.
enum Said<'a> {
    Nothing,
    Audit(&'a AuditRecord<'a>, &'a Event),
    Sysmon(&'a Sysmon<'a>),
    Message(&'a Reading<'a>),
}

struct Forwarded<'a> {
    line: u64,
    members: &'a Map<String, Value>,
    program: &'a str,
    time_found: &'a str,
    said: Said<'a>,
}

impl Details for Forwarded<'_> {
    fn place(&self) -> String {
        format!("line {}", self.line)
    }

    fn time_found(&self) -> String {
        match &self.said {
            Said::Audit(record, _) if record.time.is_some() => record.time_found.to_owned(),
            Said::Sysmon(event) if event.time.is_some() => event.time_found().to_owned(),
            _ => self.time_found.to_owned(),
        }
    }

    fn fill(&self, fact: &mut NewFact) {
        let host = first(self.members, HOST);
        about(fact, EntityKind::Host, host.strip_suffix('.').unwrap_or(&host));
        // What the agent adds of its own; the message is read, and the whole is in the raw record.
        for (name, value) in self.members {
            let is_read = MESSAGE.contains(&name.as_str()) && !matches!(self.said, Said::Message(_));
            if !is_read && !matches!(value, Value::Array(_) | Value::Object(_) | Value::Null) {
                put(fact, name, &text(value));
            }
        }
        match &self.said {
            Said::Nothing => {}
            Said::Audit(record, event) => auditd::fill(fact, std::slice::from_ref(*record), event),
            Said::Sysmon(event) => event.fill(fact),
            Said::Message(reading) => {
                about_process(fact, self.program, &first(self.members, PID));
                for (name, value) in reading.fields() {
                    put(fact, name, value);
                }
                for (name, value) in pairs(reading.pairs) {
                    put(fact, name, value);
                }
            }
        }
    }
}
