//! JSON lines of an agent that forwards logs: one object a line, with a syslog message in a member, or a Windows event.

use std::borrow::Cow;
use std::io::BufRead;

use serde_json::Value;

use super::super::auditd::{self, Event, Record as AuditRecord};
use super::super::clock::{self, Years};
use super::super::fill::{about, about_process, put};
use super::super::lines::Lines;
use super::super::members::{Members, each, find, first, moment};
use super::super::windows;
use super::super::{Details, ExtractError, IssueKind, Observed, ReadOptions, Sink, Stats};
use super::frame::{Frame, When};
use super::reading::{Reading, pairs};
use super::sysmon::{self, Sysmon};
use crate::{EntityKind, NewFact, Utc};

/// Names of the message, of which the first that holds a text counts.
const MESSAGE: &[&str] = &[
    "SyslogMessage",
    "message",
    "Message",
    "msg",
    "MESSAGE",
    "event.original",
    "_raw",
    "full_message",
    "short_message",
    "log",
];
const PROGRAM: &[&str] = &[
    "ProcessName",
    "program",
    "appname",
    "ident",
    "SYSLOG_IDENTIFIER",
    "log.syslog.appname",
    "process.name",
    "app_name",
    "app-name",
    "programname",
    "_COMM",
];
const HOST: &[&str] =
    &["Computer", "HostName", "hostname", "host", "_HOSTNAME", "log.syslog.hostname", "host.hostname", "host.name"];
const PID: &[&str] = &["ProcessID", "procid", "pid", "SYSLOG_PID", "_PID", "log.syslog.procid", "process.pid"];
const TIME: &[&str] = &[
    "TimeGenerated",
    "EventTime",
    "@timestamp",
    "timestamp",
    "time",
    "__REALTIME_TIMESTAMP",
    "_SOURCE_REALTIME_TIMESTAMP",
];
/// Objects around a line of an export, which hold what the agent wrote.
const AROUND: &[&str] = &["_source", "result"];

/// Reads JSON lines with a syslog message in each (of a program, of the audit system, or of Sysmon for Linux, alone or as a whole line of
/// RFC 3164 or RFC 5424), or with a Windows event. A line without any is damaged.
///
/// # Errors
/// When the source cannot be read, or a line is damaged and the extractor is strict.
pub fn read_syslog_json(
    input: impl BufRead,
    options: &ReadOptions,
    sink: &mut dyn Sink,
) -> Result<Stats, ExtractError> {
    let mut reader = windows::Reader::new(options, sink);
    let mut years = Years::new(options.year, options.zone_minutes);
    let mut lines = Lines::new(input);
    while let Some(line) = lines.next()? {
        if !reader.run.takes(&line)? {
            continue;
        }
        let Some(members) = reader.run.object(&line)? else { continue };
        let inner = AROUND.iter().find_map(|name| members.get(*name)?.as_object());
        observe(&mut reader, &mut years, line.number, inner.unwrap_or(&members), line.bytes)?;
    }
    Ok(reader.run.finish())
}

/// Gives the fact of a line.
fn observe(
    reader: &mut windows::Reader<'_>,
    years: &mut Years,
    line: u64,
    members: &Members,
    raw: &[u8],
) -> Result<(), ExtractError> {
    let options = reader.run.options;
    let zone = options.zone_minutes.unwrap_or(0);
    let place = || format!("line {line}");
    match windows::json::read(members, zone) {
        windows::json::Line::Event(event) => return reader.event(&event, raw, &place),
        windows::json::Line::Lacks(what) => return reader.run.damage(place(), IssueKind::Malformed, what, raw),
        windows::json::Line::Other => {}
    }
    let run = &mut reader.run;
    let Some(message) = first(members, MESSAGE) else {
        return run.damage(place(), IssueKind::Malformed, no_message(members), raw);
    };
    run.parsed(1);
    let message = message.trim_end_matches(['\r', '\n']);
    let found = first(members, TIME).unwrap_or_default();
    let time = moment(&found, zone);
    let program = first(members, PROGRAM).unwrap_or_default();
    let mut forwarded = Forwarded { line, members, program: &program, time_found: &found, said: Said::Nothing };
    if let Some(record) = AuditRecord::read(message) {
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
    } else if let Some(event) = sysmon::read(message) {
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
        let frame = if program.is_empty() { Frame::read(message, zone) } else { None };
        let framed = frame.and_then(|frame| of_frame(&frame, years, &options, time));
        let reading = match &frame {
            Some(frame) => super::read(frame.program, frame.message),
            None => super::read(&program, message),
        };
        let record = frame.as_ref().map(|frame| super::Record { line, frame, reading: &reading });
        forwarded.said = match &record {
            Some(record) => Said::Frame(record, framed.is_some()),
            None => Said::Message(&reading),
        };
        run.emit(&Observed {
            class: reading.class,
            action: reading.action,
            actor: reading.actor(),
            object: reading.object(),
            time: framed.or(time),
            raw,
            details: &forwarded,
        });
    }
    Ok(())
}

/// The time of a line within the message. Without a year of its own it has the year that the user gives, else that of the agent's time.
fn of_frame(frame: &Frame<'_>, years: &mut Years, options: &ReadOptions, agent: Option<Utc>) -> Option<Utc> {
    match frame.when {
        When::Unknown => None,
        When::At(time) => Some(time),
        When::YearLess(time) if options.year.is_some() => years.utc(time),
        When::YearLess(time) => clock::last_before(time, agent?, options.zone_minutes.unwrap_or(0)),
    }
}

/// Why a line has no message.
fn no_message(members: &Members) -> String {
    if let Some(name) = MESSAGE.iter().find(|name| matches!(find(members, name), Some(Value::Null))) {
        return format!(
            "`{name}` is null, so that nothing can be read: `journalctl --all -o json` writes long messages too"
        );
    }
    format!(
        "no member that holds a message (known: {}), and no Windows event (EventID, winlog.event_id)",
        MESSAGE.join(", ")
    )
}

/// What the message of a line is.
enum Said<'a> {
    Nothing,
    Audit(&'a AuditRecord<'a>, &'a Event),
    Sysmon(&'a Sysmon<'a>),
    Message(&'a Reading<'a>),
    /// A whole line, and whether its time counts.
    Frame(&'a super::Record<'a>, bool),
}

struct Forwarded<'a> {
    line: u64,
    members: &'a Members,
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
            Said::Frame(record, true) => record.time_found(),
            _ => self.time_found.to_owned(),
        }
    }

    fn fill(&self, fact: &mut NewFact) {
        if let Said::Frame(record, _) = &self.said {
            record.fill(fact);
        }
        let host = first(self.members, HOST).unwrap_or(Cow::Borrowed(""));
        about(fact, EntityKind::Host, host.strip_suffix('.').unwrap_or(&host));
        // What the agent adds of its own; a message that is read in its parts is in the raw record as a whole.
        each(self.members, &mut |name, value| {
            if !MESSAGE.contains(&name) || matches!(self.said, Said::Message(_)) {
                put(fact, name, value);
            }
        });
        match &self.said {
            Said::Nothing | Said::Frame(..) => {}
            Said::Audit(record, event) => auditd::fill(fact, std::slice::from_ref(*record), event),
            Said::Sysmon(event) => event.fill(fact),
            Said::Message(reading) => {
                about_process(fact, self.program, &first(self.members, PID).unwrap_or_default());
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
