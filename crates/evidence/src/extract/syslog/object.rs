//! JSON objects of logs: the names that agents give their members, and the line of syslog that an object can be the message of.

use serde_json::Value;

use super::super::fill::{put, put_some};
use super::super::members::{Members, find, first, moment};
use super::Place;
use super::frame::{COOKIE, Frame};
use crate::{NewFact, Utc};

/// Names of the message, of which the first that holds a text counts.
pub(super) const MESSAGE: &[&str] = &[
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
pub(super) const PROGRAM: &[&str] = &[
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
pub(super) const HOST: &[&str] =
    &["Computer", "HostName", "hostname", "host", "_HOSTNAME", "log.syslog.hostname", "host.hostname", "host.name"];
pub(super) const PID: &[&str] =
    &["ProcessID", "procid", "pid", "SYSLOG_PID", "_PID", "log.syslog.procid", "process.pid"];
pub(super) const TIME: &[&str] = &[
    "TimeGenerated",
    "EventTime",
    "@timestamp",
    "timestamp",
    "time",
    "__REALTIME_TIMESTAMP",
    "_SOURCE_REALTIME_TIMESTAMP",
];
/// Members that agents add to what they forward.
const AGENT: &[&str] = &[
    "agent.type",
    "agent.name",
    "beat.name",
    "beat.hostname",
    "@metadata.beat",
    "log.file.path",
    "log.syslog.appname",
    "_HOSTNAME",
];

/// The members of a message that is an object. A message that only looks like one is a text. It is bounded as its line is (1 MiB), and nested
/// at most as deep as the JSON reader goes (128).
pub(super) fn members(message: &str) -> Option<Members> {
    let text = message.trim_ascii();
    let text = text.strip_prefix(COOKIE).map_or(text, str::trim_ascii_start);
    if text.starts_with('{') { serde_json::from_str(text).ok() } else { None }
}

/// The line around an object.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub place: Place,
    pub frame: &'a Frame<'a>,
    /// When it was written, if that is known.
    pub time: Option<Utc>,
    /// The raw record.
    pub raw: &'a [u8],
}

impl Around<'_> {
    /// Adds its parts. They say who handed the record on and do not become entities: the record names its own host and program.
    pub fn fill(&self, fact: &mut NewFact) {
        let Frame { priority, time_found, host, program, pid, message_id, .. } = *self.frame;
        for (name, value) in [
            ("syslog.host", host),
            ("syslog.message_id", message_id),
            ("syslog.pid", pid),
            ("syslog.program", program),
            ("syslog.time", time_found),
        ] {
            put_some(fact, name, value);
        }
        if let Some(priority) = priority {
            put(fact, "syslog.facility", &(priority / 8).to_string());
            put(fact, "syslog.severity", &(priority % 8).to_string());
        }
        self.frame.parameters(|name, value| put(fact, &format!("syslog.{name}"), value));
    }
}

/// Whether an object has a time of its own that can be read.
pub(super) fn has_time(members: &Members, zone_minutes: i16) -> bool {
    first(members, TIME).is_some_and(|found| moment(&found, zone_minutes).is_some())
}

/// Why a line has no message.
pub(super) fn no_message(members: &Members) -> String {
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

/// Whether an agent forwards what an object holds: it names the program, or has a member that agents add.
pub(super) fn is_forwarded(members: &Members) -> bool {
    first(members, PROGRAM).is_some() || AGENT.iter().any(|name| find(members, name).is_some())
}
