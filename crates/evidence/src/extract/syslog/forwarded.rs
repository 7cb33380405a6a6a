//! JSON lines of an agent that forwards logs: one object a line, with a syslog message in a member, or a Windows event.

use std::borrow::Cow;
use std::io::BufRead;

use super::super::auditd::{self, Event, Record as AuditRecord};
use super::super::clock::{self, Years};
use super::super::fill::{about, about_process, put};
use super::super::lines::Lines;
use super::super::members::{Members, each, first, moment};
use super::super::windows;
use super::super::{Details, ExtractError, Issue, IssueKind, Observed, ReadOptions, Sink, Stats};
use super::Place;
use super::frame::{Frame, When};
use super::object::{self, Around, HOST, MESSAGE, PID, PROGRAM, TIME, is_forwarded, no_message};
use super::reading::{Reading, pairs};
use super::sysmon::{self, Sysmon};
use crate::{EntityKind, NewFact, Utc};

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
        let members = inner.unwrap_or(&members);
        let place = || line.place();
        match windows::json::read(members, options.zone_minutes.unwrap_or(0), None) {
            windows::json::Line::Event(event) => reader.event(&event, line.bytes, &place)?,
            windows::json::Line::Lacks(what) => reader.run.damage(place(), IssueKind::Malformed, what, line.bytes)?,
            windows::json::Line::Other => match first(members, MESSAGE) {
                Some(message) => {
                    let place = Place { line: line.number, part: 0 };
                    observe(&mut reader, &mut years, place, members, &message, line.bytes, None)?;
                }
                None => reader.run.damage(place(), IssueKind::Malformed, no_message(members), line.bytes)?,
            },
        }
    }
    Ok(reader.run.finish())
}

/// Gives the fact of an object: a Windows event; what an agent forwards (it names the program itself, or has a member that agents add);
/// else what the program of the line says, whose members are attributes.
pub(super) fn observe_within(
    reader: &mut windows::Reader<'_>,
    years: &mut Years,
    around: &Around<'_>,
    members: &Members,
) -> Result<(), ExtractError> {
    let zone = reader.run.options.zone_minutes.unwrap_or(0);
    let place = || around.place.to_string();
    match windows::json::read(members, zone, around.time) {
        windows::json::Line::Event(event) => {
            return reader.event_within(&event, around.raw, &place, &|fact| around.fill(fact));
        }
        // The line itself is sound.
        windows::json::Line::Lacks(what) => {
            reader.run.note(Issue::new(place(), IssueKind::Malformed, what, around.raw));
        }
        windows::json::Line::Other => {}
    }
    let message = first(members, MESSAGE);
    if let Some(message) = &message
        && is_forwarded(members)
    {
        return observe(reader, years, around.place, members, message, around.raw, Some(around));
    }
    let frame = Frame { message: message.as_deref().unwrap_or(around.frame.message), ..*around.frame };
    let reading = super::read(frame.program, frame.message);
    let own_time = first(members, TIME).filter(|found| around.time.is_none() && moment(found, zone).is_some());
    let time = around.time.or_else(|| moment(own_time.as_deref()?, zone));
    let record = super::Record { place: around.place, frame: &frame, reading: &reading };
    let own = Own { record, members, time_found: own_time.as_deref().unwrap_or(frame.time_found) };
    reader.run.parsed(1);
    reader.run.emit(&Observed {
        class: reading.class,
        action: reading.action,
        actor: reading.actor(),
        object: reading.object(),
        time,
        raw: around.raw,
        details: &own,
    });
    Ok(())
}

/// Gives the fact of what an agent forwards: an object that is a line, or within one.
fn observe(
    reader: &mut windows::Reader<'_>,
    years: &mut Years,
    place: Place,
    members: &Members,
    message: &str,
    raw: &[u8],
    around: Option<&Around<'_>>,
) -> Result<(), ExtractError> {
    let options = reader.run.options;
    let zone = options.zone_minutes.unwrap_or(0);
    let message = message.trim_end_matches(['\r', '\n']);
    let mut found = first(members, TIME).unwrap_or_default();
    let mut time = moment(&found, zone);
    if let (None, Some(around)) = (time, around) {
        (found, time) = (Cow::Borrowed(around.frame.time_found), around.time);
    }
    let program = first(members, PROGRAM).unwrap_or_default();
    let mut forwarded =
        Forwarded { place, members, program: &program, time_found: &found, said: Said::Nothing, around };
    if let Some(record) = AuditRecord::read(message) {
        reader.run.parsed(1);
        let event = auditd::single(&record);
        forwarded.said = Said::Audit(&record, &event);
        reader.run.emit(&Observed {
            class: event.class,
            action: &event.action,
            actor: event.actor(),
            object: event.object(),
            time: record.time.or(time),
            raw,
            details: &forwarded,
        });
    } else if let Some(event) = sysmon::read(message) {
        reader.run.parsed(1);
        forwarded.said = Said::Sysmon(&event);
        reader.run.emit(&Observed {
            class: event.class,
            action: event.action,
            actor: event.actor(),
            object: event.object(),
            time: event.time.or(time),
            raw,
            details: &forwarded,
        });
    } else {
        let mut frame = if program.is_empty() { Frame::read(message, zone) } else { None };
        let framed = frame.and_then(|frame| of_frame(&frame, years, &options, time));
        if let (None, Some(frame)) = (framed.or(time), &mut frame)
            && let When::YearLess(time) = frame.when
        {
            frame.clock = years.utc(time).map_or_else(|| years.clock(time), |_| None);
        }
        // An object within the line within the object; there it ends.
        if let (Some(frame), None) = (&frame, around)
            && let Some(inner) = object::members(frame.message)
        {
            return observe_within(reader, years, &Around { place, frame, time: framed.or(time), raw }, &inner);
        }
        reader.run.parsed(1);
        let reading = match &frame {
            Some(frame) => super::read(frame.program, frame.message),
            None => super::read(&program, message),
        };
        let record = frame.as_ref().map(|frame| super::Record { place, frame, reading: &reading });
        forwarded.said = match &record {
            Some(record) => Said::Frame(record, framed.is_some()),
            None => Said::Message(&reading),
        };
        reader.run.emit(&Observed {
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
    place: Place,
    members: &'a Members,
    program: &'a str,
    time_found: &'a str,
    said: Said<'a>,
    /// The line that the object is the message of, where it is one.
    around: Option<&'a Around<'a>>,
}

impl Forwarded<'_> {
    /// The host that the agent names. Who handed the line on is its host only where nothing else names one.
    fn agent_host(&self) -> Cow<'_, str> {
        let around = match (&self.said, self.around) {
            (Said::Frame(record, _), _) if !record.frame.host.is_empty() => "",
            (_, around) => around.map_or("", |around| around.frame.host),
        };
        match first(self.members, HOST).unwrap_or(Cow::Borrowed(around)) {
            Cow::Borrowed(host) => Cow::Borrowed(host.strip_suffix('.').unwrap_or(host)),
            Cow::Owned(host) => Cow::Owned(host.strip_suffix('.').map_or(host.clone(), ToOwned::to_owned)),
        }
    }
}

impl Details for Forwarded<'_> {
    fn place(&self) -> String {
        self.place.to_string()
    }

    fn time_found(&self) -> String {
        match &self.said {
            Said::Audit(record, _) if record.time.is_some() => record.time_found.to_owned(),
            Said::Sysmon(event) if event.time.is_some() => event.time_found().to_owned(),
            Said::Frame(record, true) => record.time_found(),
            _ => self.time_found.to_owned(),
        }
    }

    fn repeated(&self) -> u64 {
        match &self.said {
            Said::Message(reading) => reading.repeated,
            Said::Frame(record, _) => record.repeated(),
            Said::Nothing | Said::Audit(..) | Said::Sysmon(_) => 1,
        }
    }

    fn clock(&self) -> Option<Utc> {
        let own = match &self.said {
            Said::Frame(record, _) => record.clock(),
            _ => None,
        };
        own.or_else(|| self.around.and_then(|around| around.frame.clock))
    }

    fn host(&self) -> Option<Cow<'_, str>> {
        let own = match &self.said {
            Said::Frame(record, _) => record.host(),
            _ => None,
        };
        let host = own.unwrap_or_else(|| self.agent_host());
        (!host.is_empty()).then_some(host)
    }

    fn fill(&self, fact: &mut NewFact) {
        if let Said::Frame(record, _) = &self.said {
            record.fill(fact);
        }
        about(fact, EntityKind::Host, &self.agent_host());
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
        if let Some(around) = self.around {
            around.fill(fact);
        }
    }
}

/// What a program says of itself.
struct Own<'a> {
    record: super::Record<'a>,
    members: &'a Members,
    /// The time of the line, else that of the object.
    time_found: &'a str,
}

impl Details for Own<'_> {
    fn place(&self) -> String {
        self.record.place()
    }

    fn time_found(&self) -> String {
        self.time_found.to_owned()
    }

    fn repeated(&self) -> u64 {
        self.record.repeated()
    }

    fn clock(&self) -> Option<Utc> {
        self.record.clock()
    }

    fn host(&self) -> Option<Cow<'_, str>> {
        self.record.host()
    }

    fn fill(&self, fact: &mut NewFact) {
        self.record.fill(fact);
        each(self.members, &mut |name, value| {
            // The message is there already.
            if value != self.record.frame.message {
                put(fact, name, value);
            }
        });
    }
}
