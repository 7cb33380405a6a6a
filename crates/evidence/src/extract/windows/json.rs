//! Windows events as JSON lines. Each is written as event XML first, so that they have the parser and the table of the other forms.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::Value;

use super::super::members::{Members, each, find, first, moment, text};
use super::named;
use crate::Utc;

/// What a line of JSON is.
pub(in super::super) enum Line {
    /// A Windows event, as event XML.
    Event(String),
    /// A Windows event that lacks what its class depends on.
    Lacks(&'static str),
    /// Something else.
    Other,
}

const ID: &[&str] = &["winlog.event_id", "EventID", "EventId"];
/// Names that other programs have for numbers of their own too.
const WEAK_ID: &[&str] = &["event_id", "Id"];
const PROVIDER: &[&str] = &[
    "winlog.provider_name",
    "SourceName",
    "ProviderName",
    "Provider_Name",
    "EventSourceName",
    "source_name",
    "provider_name",
    "Provider",
];
const CHANNEL: &[&str] = &["winlog.channel", "Channel", "LogName", "log_name"];
const COMPUTER: &[&str] =
    &["winlog.computer_name", "Computer", "Hostname", "MachineName", "computer_name", "host.name"];
const RECORD: &[&str] = &["winlog.record_id", "EventRecordID", "RecordNumber", "RecordId", "record_number"];
const PROCESS: &[&str] = &["winlog.process.pid", "ExecutionProcessID"];
const USER: &[&str] = &["winlog.user.identifier", "UserID"];
const LEVEL: &[&str] = &["winlog.level", "Level"];
const KEYWORDS: &[&str] = &["Keywords"];
const TIME: &[&str] = &[
    "winlog.time_created",
    "TimeCreated",
    "SystemTime",
    "@timestamp",
    "TimeGenerated",
    "EventTime",
    "timestamp",
    "time",
];
const MESSAGE: &[&str] = &["message", "Message"];
/// Objects that hold the fields of the event.
const DATA: &[&str] = &["winlog.event_data", "winlog.user_data", "event_data", "user_data", "EventData", "UserData"];

const LACKS: &str = "a Windows event (EventID) that names no provider and no log: the class of an event depends on them; one of these members is \
                     expected: Channel, ProviderName, SourceName, winlog.channel, winlog.provider_name";

/// Reads a line: an event as Winlogbeat writes it, flat as NXLog and others write it, or event XML as an object (`Event`, `System`).
/// Times without a zone are in the given one, in minutes east of UTC. An event without a time has that of what is `around` it.
pub(in super::super) fn read(members: &Members, zone_minutes: i16, around: Option<Utc>) -> Line {
    let or_around = |found: &str, zone_minutes| match around {
        Some(around) if found.is_empty() => around.to_string(),
        _ => time(found, zone_minutes),
    };
    if let Some(Value::Object(event)) = members.get("Event")
        && let Some(Value::Object(system)) = event.get("System")
    {
        return Line::Event(of_elements(event, system, |found| or_around(found, 0)));
    }
    let number = |names| first(members, names).filter(|id| id.trim().parse::<u32>().is_ok());
    let (strong, provider, channel) = (number(ID), first(members, PROVIDER), first(members, CHANNEL));
    let is_strong = strong.is_some();
    let Some(id) = strong.or_else(|| number(WEAK_ID)) else { return Line::Other };
    let Some(provider) = provider.or_else(|| channel.as_deref().and_then(provider_of).map(Cow::Borrowed)) else {
        return if is_strong && channel.is_none() { Line::Lacks(LACKS) } else { Line::Other };
    };
    let found = first(members, TIME).unwrap_or_default();
    let mut event = Written::head(&provider, &or_around(&found, zone_minutes));
    event.element("EventID", id.trim());
    for (name, names) in [
        ("Level", LEVEL),
        ("Keywords", KEYWORDS),
        ("EventRecordID", RECORD),
        ("Channel", CHANNEL),
        ("Computer", COMPUTER),
    ] {
        event.element(name, &first(members, names).unwrap_or_default());
    }
    event.attribute("Execution", "ProcessID", &first(members, PROCESS).unwrap_or_default());
    event.attribute("Security", "UserID", &first(members, USER).unwrap_or_default());
    event.body();
    let data: Vec<&Members> = DATA.iter().filter_map(|name| find(members, name)?.as_object()).collect();
    for fields in &data {
        event.fields(fields);
    }
    let payload = payload(members).filter(|_| data.is_empty());
    if let Some(payload) = &payload {
        for fields in DATA.iter().filter_map(|name| find(payload, name)?.as_object()) {
            event.fields(fields);
        }
    }
    let number = id.trim().parse().unwrap_or_default();
    let message = named::without_rule(first(members, MESSAGE).unwrap_or_default(), &provider);
    let unnamed = data.is_empty() && payload.is_none();
    let named = if unnamed { named_later(members, &message, &provider, number) } else { Vec::new() };
    for (name, value) in &named {
        event.field(name, value);
    }
    if unnamed && (named.is_empty() || !is_of_powershell(members)) {
        let head = [ID, WEAK_ID, PROVIDER, CHANNEL, COMPUTER, RECORD, PROCESS, USER, LEVEL, KEYWORDS, MESSAGE];
        each(members, &mut |name, value| {
            let is_head = head.iter().any(|names| names.contains(&name)) || (TIME.contains(&name) && value == found);
            if !is_head {
                event.field(name, value);
            }
        });
    }
    Line::Event(event.end(&message))
}

/// The event data that `EvtxECmd` writes as a text of JSON.
fn payload(members: &Members) -> Option<Members> {
    let payload: Members = serde_json::from_str(members.get("Payload")?.as_str()?).ok()?;
    DATA.iter().any(|name| find(&payload, name).is_some()).then_some(payload)
}

/// Whether an event has the head that `Get-WinEvent` gives it: beside the data it has members of the log and none of the event.
fn is_of_powershell(members: &Members) -> bool {
    members.contains_key("Id") && members.contains_key("ProviderName")
}

/// Fields that get their names from the order of their template, or from the text of the event. Empty if the event names one of them itself.
fn named_later(members: &Members, message: &str, provider: &str, id: u32) -> named::Fields {
    let by_position = named::by_position(members, provider, id);
    if !by_position.is_empty() {
        return by_position;
    }
    let by_text = named::by_text(message, provider, id);
    let is_there = |(name, _): &(String, String)| name != "ProcessId" && members.contains_key(name);
    if by_text.iter().any(is_there) { Vec::new() } else { by_text }
}

/// An event whose elements are objects; attributes are in `#attributes`, under names with `@`, or in `NAME_attributes`.
fn of_elements(event: &Members, system: &Members, time: impl Fn(&str) -> String) -> String {
    let of = |element: &str, name: &str| {
        let inner = system.get(element).and_then(Value::as_object);
        let beside = system.get(&format!("{element}_attributes")).and_then(Value::as_object);
        let (hash, at) = (format!("#attributes.{name}"), format!("@{name}"));
        let found = inner.and_then(|inner| first(inner, &[&hash, &at, name])).or_else(|| first(beside?, &[name]));
        found.unwrap_or_default().into_owned()
    };
    let value =
        |element: &str| first(system, &[element, &format!("{element}.#text")]).map(Cow::into_owned).unwrap_or_default();
    let provider = of("Provider", "Name");
    let mut written = Written::head(&provider, &time(&of("TimeCreated", "SystemTime")));
    for name in ["EventID", "Level", "Task", "Opcode", "Keywords", "EventRecordID", "Channel", "Computer"] {
        written.element(name, &value(name));
    }
    written.attribute("Execution", "ProcessID", &of("Execution", "ProcessID"));
    written.attribute("Security", "UserID", &of("Security", "UserID"));
    written.body();
    for (name, value) in event {
        if let Value::Object(fields) = value
            && !matches!(name.as_str(), "System" | "RenderingInfo" | "#attributes")
            && !name.ends_with("_attributes")
        {
            written.fields(fields);
        }
    }
    written.end(&first(event, &["RenderingInfo.Message"]).unwrap_or_default())
}

/// The provider whose events a log holds, where they are of one.
fn provider_of(channel: &str) -> Option<&str> {
    match channel {
        "Security" => Some("Microsoft-Windows-Security-Auditing"),
        // Events of many providers.
        "System" | "Application" | "ForwardedEvents" | "Setup" => None,
        _ => channel.split_once('/').map(|(provider, _)| provider),
    }
}

/// A time in the form of event XML: as it is where it has that form, else in UTC where it can be read.
fn time(found: &str, zone_minutes: i16) -> String {
    if found.parse::<Utc>().is_ok() {
        return found.to_owned();
    }
    // `/Date(1774688401000)/` is what PowerShell writes.
    let digits = found.strip_prefix("/Date(").and_then(|rest| rest.strip_suffix(")/")).unwrap_or(found);
    moment(digits, zone_minutes).map_or_else(|| found.to_owned(), |time| time.to_string())
}

/// Event XML as it is written.
struct Written(String);

impl Written {
    /// The beginning, up to the open System part.
    fn head(provider: &str, time: &str) -> Self {
        let mut written = Self("<Event><System>".to_owned());
        written.attribute("Provider", "Name", provider);
        written.attribute("TimeCreated", "SystemTime", time);
        written
    }

    /// The end of the System part.
    fn body(&mut self) {
        self.0.push_str("</System><EventData>");
    }

    fn end(mut self, message: &str) -> String {
        self.0.push_str("</EventData>");
        if !message.is_empty() {
            self.0.push_str("<RenderingInfo>");
            self.element("Message", message);
            self.0.push_str("</RenderingInfo>");
        }
        self.0.push_str("</Event>");
        self.0
    }

    fn element(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            let _ = write!(self.0, "<{name}>");
            self.escaped(value);
            let _ = write!(self.0, "</{name}>");
        }
    }

    fn attribute(&mut self, element: &str, name: &str, value: &str) {
        if !value.is_empty() {
            let _ = write!(self.0, "<{element} {name}=\"");
            self.escaped(value);
            self.0.push_str("\"/>");
        }
    }

    /// Fields by the innermost name. Values of a list without names have none.
    fn fields(&mut self, fields: &Members) {
        each(fields, &mut |path, value| {
            let name = path.rsplit_once('.').map_or(path, |(_, name)| name);
            self.field(if name == "#text" { "" } else { name }, value);
        });
        for (name, value) in fields {
            let list = match value {
                Value::Array(list) => Some(list),
                Value::Object(inner) => inner.get("#text").and_then(Value::as_array),
                _ => None,
            };
            for value in list.into_iter().flatten() {
                let named = value.as_object();
                let own = named.and_then(|field| first(field, &["@Name", "#attributes.Name", "Name"]));
                let value = named.map_or_else(|| text(value), |field| first(field, &["#text", "Value"]));
                let unnamed = if name == "Data" { "" } else { name };
                self.field(own.as_deref().unwrap_or(unnamed), &value.unwrap_or_default());
            }
        }
    }

    fn field(&mut self, name: &str, value: &str) {
        self.0.push_str("<Data");
        if !name.is_empty() {
            self.0.push_str(" Name=\"");
            self.escaped(name);
            self.0.push('"');
        }
        self.0.push('>');
        self.escaped(value);
        self.0.push_str("</Data>");
    }

    fn escaped(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&apos;"),
                _ if character.is_control() => {
                    let _ = write!(self.0, "&#{};", u32::from(character));
                }
                _ => self.0.push(character),
            }
        }
    }
}
