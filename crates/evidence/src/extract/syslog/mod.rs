//! Syslog: lines of RFC 3164 and RFC 5424 (ARES-012).

mod daemons;
mod forwarded;
mod frame;
mod object;
mod pam;
mod reading;
mod repeated;
mod sshd;
mod sysmon;
mod system;
mod words;

use std::borrow::Cow;
use std::fmt;
use std::io::BufRead;

pub use forwarded::read_syslog_json;

use super::clock::Years;
use super::detect::starts_as_syslog;
use super::direction::direction;
use super::fill::{about, about_process, put, put_some};
use super::lines::{Lines, text_of};
use super::run::Run;
use super::{AttributeValue, Details, ExtractError, Issue, IssueKind, Observed, ReadOptions, Sink, Stats, windows};
use crate::fact::TELLS_OF_A_LOGON;
use crate::{Class, EntityKind, NewFact, Utc};
use frame::{Frame, When};
use object::Around;
use reading::Reading;
use repeated::Last;

/// Reads lines of syslog. Empty lines are dropped; where a record begins behind a carriage return, it is one of its own. A message that is a
/// JSON object is read as what it holds: a Windows event, what an agent forwards, or what a program says in members.
///
/// # Errors
/// When the source cannot be read, or a line is damaged and the extractor is strict.
pub fn read_syslog(input: impl BufRead, options: &ReadOptions, sink: &mut dyn Sink) -> Result<Stats, ExtractError> {
    let mut reader = windows::Reader::new(options, sink);
    let mut years = Years::new(options.year, options.zone_minutes);
    let mut lines = Lines::cut_at_returns(input);
    let mut state = State::default();
    while let Some(line) = lines.next()? {
        if !reader.run.takes(&line)? {
            continue;
        }
        for (part, bytes) in parts(line.bytes).enumerate() {
            let place = Place { line: line.number, part };
            let bytes = without_zeros(&mut reader.run, place, bytes)?;
            read_record(&mut reader, &mut years, &mut state, place, bytes)?;
        }
    }
    Ok(reader.run.finish())
}

/// What is known of the lines before.
#[derive(Debug, Default)]
struct State {
    /// Whether it was said that times have no year.
    noted: bool,
    last: Last,
}

/// Where a record is: in which line, and which part of it, from 0. Lines have one part; more where a record begins behind a carriage return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    line: u64,
    part: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if self.part > 0 { write!(f, " part {}", self.part + 1) } else { Ok(()) }
    }
}

/// Longest beginning of a line that is looked at, in bytes: times are shorter.
const BEGINNING: usize = 64;

/// The records of a line: a carriage return ends one where another one begins behind it. Some forwarders end lines so. Any other carriage
/// return is text of a message.
fn parts(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let all = rest?;
        let ends = memchr::memchr_iter(b'\r', all).find(|end| {
            let behind = all.get(end + 1..).unwrap_or_default();
            starts_as_syslog(behind.get(..BEGINNING).unwrap_or(behind))
        });
        rest = ends.and_then(|end| all.get(end + 1..));
        ends.map_or(Some(all), |end| all.get(..end))
    })
}

/// A record without the zeros before it: a machine that lost power leaves such blocks. They are damage, and the record behind them is read.
fn without_zeros<'a>(run: &mut Run<'_>, place: Place, bytes: &'a [u8]) -> Result<&'a [u8], ExtractError> {
    if bytes.first() != Some(&0) {
        return Ok(bytes);
    }
    let (zeros, rest) = bytes.split_at(bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len()));
    let what = format!("{} bytes of zeros, as a machine that lost power leaves them", zeros.len());
    run.damage(place.to_string(), IssueKind::Malformed, what, zeros)?;
    Ok(rest)
}

/// Gives the fact of a record; one without text gives none.
fn read_record(
    reader: &mut windows::Reader<'_>,
    years: &mut Years,
    state: &mut State,
    place: Place,
    bytes: &[u8],
) -> Result<(), ExtractError> {
    let run = &mut reader.run;
    let options = run.options;
    let zone = options.zone_minutes.unwrap_or(0);
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(());
    }
    let text = text_of(bytes);
    let Some(mut frame) = Frame::read(&text, zone) else {
        return run.damage(place.to_string(), IssueKind::Malformed, "no line of RFC 3164 or RFC 5424", bytes);
    };
    let members = object::members(frame.message);
    let time = match frame.when {
        When::Unknown => None,
        When::At(time) => Some(time),
        When::YearLess(time) => {
            let utc = years.utc(time);
            let has_own = || members.as_ref().is_some_and(|members| object::has_time(members, zone));
            if utc.is_none() && !state.noted && !has_own() {
                state.noted = true;
                let what = options.year.map_or_else(|| YEAR.to_owned(), |year| no_such_day(frame.time_found, year));
                run.note(Issue::new(place.to_string(), IssueKind::Time, what, bytes));
            }
            frame.clock = if utc.is_none() { years.clock(time) } else { None };
            utc
        }
    };
    if let Some(members) = members {
        state.last.forget();
        let around = Around { place, frame: &frame, time, raw: bytes };
        forwarded::observe_within(reader, years, &around, &members)
    } else {
        run.parsed(1);
        observe(run, &state.last, place, &frame, time, bytes);
        state.last.keep(&frame);
        Ok(())
    }
}

const YEAR: &str = "times have no year, so their order is known within this source and not beside others: give the year, as with --year 2026";

/// Said once, of the first line whose day the given year does not have.
fn no_such_day(found: &str, year: i16) -> String {
    format!("{year} has no `{found}`, so this fact has no time: another year may be meant (--year)")
}

/// Gives the fact of a line.
fn observe(run: &mut Run<'_>, last: &Last, place: Place, frame: &Frame<'_>, time: Option<Utc>, raw: &[u8]) {
    let reading = last.read(frame);
    let (class, action) = (reading.class, reading.action);
    let details = Record { place, frame, reading: &reading };
    run.emit(&Observed {
        class,
        action,
        actor: reading.actor(),
        object: reading.object(),
        time,
        raw,
        details: &details,
    });
}

/// What the message of a program says; a message that no grammar knows is what the program logged. `message repeated N times: [ MESSAGE]`, which
/// a syslog daemon writes in the place of equal messages, is that message N times.
fn read<'a>(program: &'a str, message: &'a str) -> Reading<'a> {
    match repeated::inner(message) {
        Some((times, inner)) => repeated::times(read_once(program, inner), times),
        None => read_once(program, message),
    }
}

fn read_once<'a>(program: &'a str, message: &'a str) -> Reading<'a> {
    let name = program.rsplit('/').next().unwrap_or(program);
    let found = match name {
        "sshd" | "sshd-session" | "sshd-auth" => sshd::read(message),
        "dropbear" => daemons::dropbear(message).or_else(|| sshd::read(message)),
        "dovecot" => daemons::dovecot(message),
        "vsftpd" => daemons::vsftpd(message),
        "smtpd" => daemons::postfix(message),
        "kernel" => system::kernel(message),
        "sudo" => system::sudo(message),
        "su" => system::su(message),
        "CRON" | "cron" | "crond" | "crontab" => system::cron(message),
        "systemd" => system::systemd(message),
        "systemd-logind" => system::logind(message),
        "useradd" | "usermod" | "userdel" | "groupadd" | "groupmod" | "groupdel" | "gpasswd" | "passwd" | "chage"
        | "adduser" | "chpasswd" => system::accounts(message),
        _ if message.starts_with("pam_") => pam::read(message),
        _ => None,
    };
    found.unwrap_or_else(|| {
        let action = if words::tell_of_a_logon(message) {
            TELLS_OF_A_LOGON
        } else if words::hold_an_expression(message) {
            "logged an expression"
        } else {
            "logged"
        };
        Reading::new(Class::Message, action).by(super::fill::named(EntityKind::Service, program))
    })
}

/// Where a packet goes that a packet filter logged.
fn direction_of(reading: &Reading<'_>) -> Option<&'static str> {
    let address = |name: Option<(EntityKind, &str)>| name?.1.parse().ok();
    (reading.class == Class::PacketFiltered)
        .then(|| Some(direction(address(reading.actor())?, address(reading.object())?)))?
}

/// A line and what it says.
struct Record<'a> {
    place: Place,
    frame: &'a Frame<'a>,
    reading: &'a Reading<'a>,
}

impl Details for Record<'_> {
    fn place(&self) -> String {
        self.place.to_string()
    }

    fn clock(&self) -> Option<Utc> {
        self.frame.clock
    }

    fn host(&self) -> Option<Cow<'_, str>> {
        let host = self.frame.host.strip_suffix('.').unwrap_or(self.frame.host);
        (!host.is_empty()).then_some(Cow::Borrowed(host))
    }

    fn time_found(&self) -> String {
        self.frame.time_found.to_owned()
    }

    fn repeated(&self) -> u64 {
        self.reading.repeated
    }

    fn of_key(&self, each: &mut dyn FnMut(&str, AttributeValue<'_>)) {
        if let Some(direction) = direction_of(self.reading) {
            each("direction", AttributeValue::Text(direction));
        }
    }

    fn telling(&self, each: &mut dyn FnMut(&str, AttributeValue<'_>)) {
        each("program", AttributeValue::Text(self.frame.program));
        each("message", AttributeValue::Text(self.frame.message));
        for (name, value) in self.reading.fields() {
            each(name, AttributeValue::Text(value));
        }
        for (name, value) in reading::pairs(self.reading.pairs) {
            each(name, AttributeValue::Text(value));
        }
    }

    fn fill(&self, fact: &mut NewFact) {
        let Frame { priority, host, program, pid, message_id, message, .. } = *self.frame;
        about(fact, EntityKind::Host, host.strip_suffix('.').unwrap_or(host));
        about_process(fact, program, pid);
        put_some(fact, "program", program);
        put_some(fact, "pid", pid);
        put_some(fact, "message_id", message_id);
        if let Some(priority) = priority {
            put(fact, "facility", &(priority / 8).to_string());
            put(fact, "severity", &(priority % 8).to_string());
        }
        put(fact, "message", message);
        for (name, value) in self.reading.fields() {
            put(fact, name, value);
        }
        for (name, value) in reading::pairs(self.reading.pairs) {
            put(fact, name, value);
        }
        if let Some(direction) = direction_of(self.reading) {
            put(fact, "direction", direction);
        }
        self.frame.parameters(|name, value| put(fact, name, value));
    }
}
