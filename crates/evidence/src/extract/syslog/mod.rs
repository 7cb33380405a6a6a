//! Syslog: lines of RFC 3164 and RFC 5424 (ARES-012).

mod forwarded;
mod frame;
mod object;
mod pam;
mod reading;
mod sshd;
mod sysmon;
mod system;

use std::borrow::Cow;
use std::io::BufRead;

pub use forwarded::read_syslog_json;

use super::clock::Years;
use super::fill::{about, about_process, put, put_some};
use super::lines::Lines;
use super::run::Run;
use super::{Details, ExtractError, Issue, IssueKind, Observed, ReadOptions, Sink, Stats, windows};
use crate::{Class, EntityKind, NewFact, Utc};
use frame::{Frame, When};
use object::Around;
use reading::Reading;

/// Reads lines of syslog. Empty lines are dropped. A message that is a JSON object is read as what it holds: a Windows event, what an agent
/// forwards, or what a program says in members.
///
/// # Errors
/// When the source cannot be read, or a line is damaged and the extractor is strict.
pub fn read_syslog(input: impl BufRead, options: &ReadOptions, sink: &mut dyn Sink) -> Result<Stats, ExtractError> {
    let mut reader = windows::Reader::new(options, sink);
    let zone = options.zone_minutes.unwrap_or(0);
    let mut years = Years::new(options.year, options.zone_minutes);
    let mut lines = Lines::new(input);
    let mut noted = false;
    while let Some(line) = lines.next()? {
        let run = &mut reader.run;
        if !run.takes(&line)? {
            continue;
        }
        let number = line.number;
        let at = || line.place();
        let text = line.text();
        let Some(mut frame) = Frame::read(&text, zone) else {
            run.damage(at(), IssueKind::Malformed, "no line of RFC 3164 or RFC 5424", line.bytes)?;
            continue;
        };
        let members = object::members(frame.message);
        let time = match frame.when {
            When::Unknown => None,
            When::At(time) => Some(time),
            When::YearLess(time) => {
                let utc = years.utc(time);
                let has_own = || members.as_ref().is_some_and(|members| object::has_time(members, zone));
                if utc.is_none() && !noted && !has_own() {
                    noted = true;
                    let what = options.year.map_or_else(|| YEAR.to_owned(), |year| no_such_day(frame.time_found, year));
                    run.note(Issue::new(at(), IssueKind::Time, what, line.bytes));
                }
                frame.clock = if utc.is_none() { years.clock(time) } else { None };
                utc
            }
        };
        if let Some(members) = members {
            let around = Around { line: number, frame: &frame, time, raw: line.bytes };
            forwarded::observe_within(&mut reader, &mut years, &around, &members)?;
        } else {
            run.parsed(1);
            observe(run, number, &frame, time, line.bytes);
        }
    }
    Ok(reader.run.finish())
}

const YEAR: &str = "times have no year, so their order is known within this source and not beside others: give the year, as with --year 2026";

/// Said once, of the first line whose day the given year does not have.
fn no_such_day(found: &str, year: i16) -> String {
    format!("{year} has no `{found}`, so this fact has no time: another year may be meant (--year)")
}

/// Gives the fact of a line.
fn observe(run: &mut Run<'_>, line: u64, frame: &Frame<'_>, time: Option<Utc>, raw: &[u8]) {
    let reading = read(frame.program, frame.message);
    let (class, action) = (reading.class, reading.action);
    let details = Record { line, frame, reading: &reading };
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

/// What the message of a program says; a message that no grammar knows is what the program logged.
fn read<'a>(program: &'a str, message: &'a str) -> Reading<'a> {
    let name = program.rsplit('/').next().unwrap_or(program);
    let found = match name {
        "sshd" | "sshd-session" | "sshd-auth" | "dropbear" => sshd::read(message),
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
    found.unwrap_or_else(|| Reading::new(Class::Message, "logged").by(super::fill::named(EntityKind::Service, program)))
}

/// A line and what it says.
struct Record<'a> {
    line: u64,
    frame: &'a Frame<'a>,
    reading: &'a Reading<'a>,
}

impl Details for Record<'_> {
    fn place(&self) -> String {
        format!("line {}", self.line)
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
        self.frame.parameters(|name, value| put(fact, name, value));
    }
}
