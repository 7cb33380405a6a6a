//! Connections that Zeek logged, as tab separated text and as JSON lines. Labels that someone added are not observations, and are left
//! out.

use std::io::BufRead;

use serde_json::{Map, Value};

use super::super::fill::{machine, put_some};
use super::super::lines::Lines;
use super::super::run::Run;
use super::super::{Details, ExtractError, Format, IssueKind, ReadOptions, Sink, Stats, clock};
use super::address::protocol;
use super::table::{Columns, Role, Row, cut, give, put_direction, role};
use crate::NewFact;

/// Reads tab separated connections. Lines that begin with `#` say what the columns are.
///
/// # Errors
/// When the source cannot be read or is a log of other things, or a row is damaged and the extractor is strict.
pub fn read_zeek(input: impl BufRead, options: &ReadOptions, sink: &mut dyn Sink) -> Result<Stats, ExtractError> {
    let mut run = Run::new(options, sink);
    let mut lines = Lines::new(input);
    let mut columns: Option<Columns> = None;
    let (mut separator, mut unset) = (b'\t', "-".to_owned());
    let mut cells = Vec::new();
    while let Some(line) = lines.next()? {
        if !run.takes(&line)? {
            continue;
        }
        let at = || line.place();
        let text = line.text();
        if let Some(head) = text.strip_prefix('#') {
            run.dropped();
            let (word, rest) = head.split_once([' ', char::from(separator)]).unwrap_or((head, ""));
            match word {
                "separator" => separator = separator_of(rest),
                "unset_field" => rest.clone_into(&mut unset),
                "path" if !rest.starts_with("conn") => {
                    let what = format!("it is a log of `{rest}`; only logs of connections (`conn`) are read");
                    return Err(ExtractError::Format { format: Format::Zeek, what });
                }
                "fields" => columns = Columns::new(rest.split(char::from(separator))),
                _ => {}
            }
            continue;
        }
        let Some(columns) = &columns else {
            run.damage(at(), IssueKind::Malformed, "no line `#fields` with two addresses came before it", line.bytes)?;
            continue;
        };
        cut(&text, separator, &mut cells);
        if cells.len() != columns.len() {
            let what = format!("{} columns; expected {}", cells.len(), columns.len());
            run.damage(at(), IssueKind::Malformed, what, line.bytes)?;
            continue;
        }
        let row = Row { line: line.number, columns, text: &text, cells: &cells, unset: &unset, zone_minutes: 0 };
        row.observe(&mut run, line.bytes);
    }
    Ok(run.finish())
}

/// `\x09` is a tabulator.
fn separator_of(text: &str) -> u8 {
    let code = text.trim().strip_prefix("\\x").and_then(|code| u8::from_str_radix(code, 16).ok());
    code.or_else(|| text.bytes().next()).filter(u8::is_ascii).unwrap_or(b'\t')
}

/// Reads JSON lines of connections.
///
/// # Errors
/// When the source cannot be read, or a line is damaged and the extractor is strict.
pub fn read_zeek_json(input: impl BufRead, options: &ReadOptions, sink: &mut dyn Sink) -> Result<Stats, ExtractError> {
    let mut run = Run::new(options, sink);
    let mut lines = Lines::new(input);
    while let Some(line) = lines.next()? {
        if !run.takes(&line)? {
            continue;
        }
        let at = || line.place();
        let Some(members) = run.object(&line)? else { continue };
        let connection = Connection::new(line.number, &members);
        let Connection { source, target, found, .. } = &connection;
        if source.is_empty() || target.is_empty() {
            run.damage(at(), IssueKind::Malformed, "it names no two addresses (`id.orig_h`, `id.resp_h`)", line.bytes)?;
            continue;
        }
        let time = clock::epoch(found).or_else(|| clock::date_time(found, 0));
        let number = protocol(&connection.protocol);
        run.parsed(1);
        give(&mut run, number, machine(source), machine(target), time, line.bytes, &connection);
    }
    Ok(run.finish())
}

/// A line of JSON.
struct Connection<'a> {
    line: u64,
    members: &'a Map<String, Value>,
    source: String,
    target: String,
    protocol: String,
    found: String,
}

impl<'a> Connection<'a> {
    fn new(line: u64, members: &'a Map<String, Value>) -> Self {
        let none = String::new;
        let mut connection = Self { line, members, source: none(), target: none(), protocol: none(), found: none() };
        for (name, value) in members {
            let place = match role(name) {
                Some(Role::Source) => &mut connection.source,
                Some(Role::Target) => &mut connection.target,
                Some(Role::Protocol) => &mut connection.protocol,
                Some(Role::Start) => &mut connection.found,
                _ => continue,
            };
            if place.is_empty() {
                *place = text(value);
            }
        }
        connection
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

impl Details for Connection<'_> {
    fn place(&self) -> String {
        format!("line {}", self.line)
    }

    fn time_found(&self) -> String {
        self.found.clone()
    }

    fn amount(&self) -> Option<(&str, u64)> {
        let (name, value) = self.members.iter().find(|(name, _)| role(name) == Some(Role::Bytes))?;
        Some((name, value.as_u64()?))
    }

    fn fill(&self, fact: &mut NewFact) {
        for (name, value) in self.members {
            if role(name) != Some(Role::Label) {
                put_some(fact, name, &text(value));
            }
        }
        put_direction(fact, &self.source, &self.target);
    }
}
