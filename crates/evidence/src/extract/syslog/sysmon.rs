//! Events of Sysmon for Linux, which an agent forwards as XML in a syslog message.

use std::borrow::Cow;

use super::super::clock;
use super::super::fill::{about, about_process, name_of, put};
use crate::{Class, EntityKind, NewFact, Utc};

/// An event, borrowed.
pub(super) struct Sysmon<'a> {
    text: &'a str,
    pub class: Class,
    pub action: &'static str,
    actor: Option<(EntityKind, String)>,
    object: Option<(EntityKind, String)>,
    pub time: Option<Utc>,
}

/// Reads an event; `None` where the text is none.
pub(super) fn read(text: &str) -> Option<Sysmon<'_>> {
    if !text.starts_with("<Event>") && !text.starts_with("<Event ") {
        return None;
    }
    let id = inside(text, "<EventID>", "</EventID>")?;
    let process = || process(text);
    let account = || entity(EntityKind::Account, &data(text, "User"));
    let file = || entity(EntityKind::File, &data(text, "TargetFilename"));
    let (class, action, actor, object) = match id {
        "1" => (Class::ProcessStarted, "process created", account(), process()),
        "3" => (Class::Connection, "connection", process(), entity(EntityKind::Address, &data(text, "DestinationIp"))),
        "5" => (Class::ProcessEnded, "process ended", account(), process()),
        "11" => (Class::FileCreated, "file created", process(), file()),
        "23" => (Class::FileDeleted, "file deleted", process(), file()),
        _ => (Class::Message, "sysmon event", None, None),
    };
    let time = inside(text, "SystemTime=\"", "\"").and_then(|found| clock::date_time(found, 0));
    Some(Sysmon { text, class, action, actor, object, time })
}

impl Sysmon<'_> {
    pub fn actor(&self) -> Option<(EntityKind, &str)> {
        self.actor.as_ref().map(|(kind, name)| (*kind, name.as_str()))
    }

    pub fn object(&self) -> Option<(EntityKind, &str)> {
        self.object.as_ref().map(|(kind, name)| (*kind, name.as_str()))
    }

    /// Adds the fields. The name of a rule is the opinion of whoever configured the sensor, and is left out.
    pub fn fill(&self, fact: &mut NewFact) {
        for name in ["EventID", "EventRecordID", "Channel", "Computer"] {
            if let Some(value) = inside(self.text, &format!("<{name}>"), &format!("</{name}>")) {
                put(fact, name, &unescaped(value));
            }
        }
        let mut rest = self.text;
        while let Some((_, after)) = rest.split_once("<Data Name=\"") {
            let Some((name, after)) = after.split_once("\">") else { break };
            let Some((value, after)) = after.split_once("</Data>") else { break };
            if name != "RuleName" {
                put(fact, name, &unescaped(value));
            }
            rest = after;
        }
        for (kind, name) in process(self.text).into_iter().chain(entity(EntityKind::Account, &data(self.text, "User")))
        {
            about(fact, kind, &name);
        }
        about_process(fact, &said(data(self.text, "ParentImage")), &data(self.text, "ParentProcessId"));
        if let Some((kind, name)) = entity(EntityKind::Address, &data(self.text, "SourceIp")) {
            about(fact, kind, &name);
        }
    }

    /// The time as written.
    pub fn time_found(&self) -> &str {
        inside(self.text, "SystemTime=\"", "\"").unwrap_or_default()
    }
}

fn process(text: &str) -> Option<(EntityKind, String)> {
    let (image, number) = (data(text, "Image"), data(text, "ProcessId"));
    entity(EntityKind::Process, &if number.is_empty() { image.into_owned() } else { format!("{image} ({number})") })
}

/// Sysmon writes `-` for what it does not know.
fn said(text: Cow<'_, str>) -> Cow<'_, str> {
    if text == "-" { Cow::Borrowed("") } else { text }
}

fn entity(kind: EntityKind, name: &str) -> Option<(EntityKind, String)> {
    let name = if name == "-" { "" } else { name };
    match (kind, name.parse::<std::net::IpAddr>()) {
        (EntityKind::Address, Ok(address)) => Some((kind, address.to_string())),
        (EntityKind::Address, Err(_)) => None,
        _ => name_of(name).map(|name| (kind, name.to_owned())),
    }
}

fn inside<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(inside, _)| inside)
}

/// The value of a field of the event's data; empty where it is missing.
fn data<'a>(text: &'a str, name: &str) -> Cow<'a, str> {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("<Data Name=\"") {
        if let Some(value) = after.strip_prefix(name).and_then(|after| after.strip_prefix("\">")) {
            return value.split_once("</Data>").map_or(Cow::Borrowed(""), |(value, _)| unescaped(value));
        }
        rest = after;
    }
    Cow::Borrowed("")
}

fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let plain = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'");
    Cow::Owned(plain.replace("&amp;", "&"))
}
