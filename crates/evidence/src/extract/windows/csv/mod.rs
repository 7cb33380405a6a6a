//! Windows events as delimited text: what Event Viewer saves, and what `Get-WinEvent | Export-Csv` writes. Each row becomes the members that JSON of
//! the same event has, so that both have one reading.

mod date;
mod head;
mod rows;

use std::io::{BufRead, Cursor, Read};

use serde_json::Value;

use super::super::fill::put;
use super::super::members::Members;
use super::super::{ExtractError, Format, Issue, IssueKind, ReadOptions, Sink, Stats};
use super::{MAX_EVENT, Reader, json};
use date::{Date, Numbers, Order};
use rows::{Fault, Row, Rows};

pub(in super::super) use head::{Head, is_of_windows, is_type};

/// Names of the columns of the time.
const TIMES: [&str; 2] = ["TimeCreated", "TimeGenerated"];
/// Most bytes of rows that wait for a date which tells the order of day and month.
const MAX_WAITING: usize = 4 * MAX_EVENT;
/// Lines before the head that are looked at: a mark of PowerShell, and empty ones.
const MAX_BEFORE: usize = 8;

const ORDER: &str = "no date tells whether its day or its month is first (none has a number above 12 in one of the two places), so these records have no \
                     time: save the log as XML (`wevtutil qe LOG /f:XML`), or write the year first, as in 2026-03-28 09:00:01";

/// Reads events as delimited text: as Event Viewer saves them, with the message behind the columns that its first line names, or as `Export-Csv`
/// writes the events of `Get-WinEvent`. Columns of Event Viewer in another language than English are read by their places. Each row gives one fact,
/// with the place `row N at line L`; its hash is taken over its bytes.
///
/// Dates in the form of a locale are read in the order that a date of the source tells, by a number above 12. At most 4 MiB of rows wait for
/// one; without it they have no time, which an issue says once.
///
/// # Errors
/// When the source cannot be read or has no such first line, or a row is damaged and the extractor is strict.
pub fn read_windows_csv(
    mut input: impl BufRead,
    options: &ReadOptions,
    sink: &mut dyn Sink,
) -> Result<Stats, ExtractError> {
    let mut reader = Reader::new(options, sink);
    let (mut line, mut next) = (Vec::new(), Vec::new());
    let mut number = 0;
    let head = loop {
        line.clear();
        let read = input.by_ref().take(MAX_EVENT as u64).read_until(b'\n', &mut line)?;
        number += 1;
        let text = String::from_utf8_lossy(&line);
        let is_before = is_type(&text) || text.trim_matches(['\u{feff}', '\r', '\n', ' ']).is_empty();
        let mut head = Head::read(&text);
        if head.is_none() && !is_before {
            input.by_ref().take(MAX_EVENT as u64).read_until(b'\n', &mut next)?;
            head = Head::by_place(&text, &String::from_utf8_lossy(&next));
        }
        if let Some(head) = head {
            reader.run.dropped();
            break head;
        }
        if read == 0 || !is_before || number > MAX_BEFORE {
            let what = "its first line names no columns of Windows events, such as `Level,Date and Time,Source,Event ID,Task Category` or \
                        `\"Message\",\"Id\",\"ProviderName\",\"TimeCreated\"`, and the second has no time and no number in the places of these";
            return Err(ExtractError::Format { format: Format::WindowsCsv, what: what.to_owned() });
        }
        reader.run.dropped();
    };
    // The line that was looked at first.
    let mut rows = Rows::new(Cursor::new(next).chain(input), head.delimiter, number as u64 + 1);
    let mut events = Events { reader, head, order: None, waiting: Vec::new(), bytes: 0, has_noted: false };
    while let Some(row) = rows.next()? {
        events.row(&row)?;
    }
    events.release()?;
    Ok(events.reader.run.finish())
}

/// A row that is observed once the rows before it are.
struct Waiting {
    members: Members,
    /// A date of the row that has no order yet, and how it is written.
    date: Option<(Numbers, String)>,
    raw: Vec<u8>,
    place: String,
}

struct Events<'s> {
    reader: Reader<'s>,
    head: Head,
    /// The order of day and month, once a date told it.
    order: Option<Order>,
    waiting: Vec<Waiting>,
    /// Bytes of the rows that wait.
    bytes: usize,
    has_noted: bool,
}

impl Events<'_> {
    fn row(&mut self, row: &Row<'_>) -> Result<(), ExtractError> {
        let damage = |kind, what: &str| (kind, what.to_owned());
        let fault = row.fault.map(|fault| match fault {
            Fault::TooLarge => damage(IssueKind::TooLarge, "a row of more than 1 MiB, or of more than 256 cells"),
            Fault::Open => damage(IssueKind::Truncated, "a quotation mark is not closed"),
            Fault::Behind => damage(IssueKind::Malformed, "text behind a quotation mark that closes a cell"),
        });
        let cells = if fault.is_none() { row.cells() } else { Vec::new() };
        let (least, most) = (self.head.len(), self.head.len() + usize::from(self.head.message_follows));
        let fault = fault.or_else(|| {
            let what = || format!("{} cells; expected {most}", cells.len());
            (!(least..=most).contains(&cells.len())).then(|| (IssueKind::Malformed, what()))
        });
        if let Some((kind, what)) = fault {
            return self.reader.run.damage(row.place(), kind, what, row.raw);
        }
        let zone_minutes = self.reader.run.options.zone_minutes.unwrap_or(0);
        let mut members = self.members(cells);
        let found = TIMES.iter().find_map(|name| Some((*name, members.get(*name)?.as_str()?.to_owned())));
        let mut date = None;
        if let Some((name, found)) = found {
            match Date::read(&found, zone_minutes) {
                Date::Known(time) => _ = members.insert(name.to_owned(), Value::String(time.to_string())),
                // The parser of events names what cannot be read.
                Date::Unknown => {}
                Date::Numbers(numbers) => {
                    members.remove(name);
                    date = Some((numbers, found));
                }
            }
        }
        if self.order.is_none()
            && let Some(order) = date.as_ref().and_then(|(numbers, _)| numbers.order())
        {
            self.order = Some(order);
            self.release()?;
        }
        let waiting = Waiting { members, date, raw: row.raw.to_vec(), place: row.place() };
        let must_wait = self.order.is_none() && !self.has_noted;
        if !must_wait || (self.waiting.is_empty() && waiting.date.is_none()) {
            return self.give(waiting);
        }
        self.bytes += waiting.raw.len();
        self.waiting.push(waiting);
        if self.bytes > MAX_WAITING { self.release() } else { Ok(()) }
    }

    /// Observes what waits, with its times where the order is known by now.
    fn release(&mut self) -> Result<(), ExtractError> {
        if self.order.is_none()
            && !self.has_noted
            && let Some(first) = self.waiting.first()
        {
            self.has_noted = true;
            let issue = Issue::new(first.place.clone(), IssueKind::Time, ORDER, &first.raw);
            self.reader.run.note(issue);
        }
        std::mem::take(&mut self.waiting).into_iter().try_for_each(|row| self.give(row))
    }

    fn give(&mut self, row: Waiting) -> Result<(), ExtractError> {
        let Waiting { mut members, date, raw, place } = row;
        let Some((numbers, found)) = date else { return self.observe(&members, &raw, &place, None) };
        let Some(order) = self.order else { return self.observe(&members, &raw, &place, Some(&found)) };
        // A day that the calendar does not have in this order is named by the parser of events.
        let time = numbers.utc(order).map_or(found, |time| time.to_string());
        members.insert("TimeCreated".to_owned(), Value::String(time));
        self.observe(&members, &raw, &place, None)
    }

    /// Observes an event. `found` is a time that cannot be read in one way only.
    fn observe(&mut self, members: &Members, raw: &[u8], place: &str, found: Option<&str>) -> Result<(), ExtractError> {
        let at = || place.to_owned();
        match json::read(members, 0, None) {
            json::Line::Event(event) => self.reader.event_within(&event, raw, &at, &|fact| {
                if let Some(found) = found {
                    put(fact, "TimeCreated", found);
                }
            }),
            json::Line::Lacks(what) => self.reader.run.damage(at(), IssueKind::Malformed, what, raw),
            json::Line::Other => {
                let what = "no Windows event: its number or its source is missing";
                self.reader.run.damage(at(), IssueKind::Malformed, what, raw)
            }
        }
    }

    /// The members that JSON of the same event has. Of columns with one name the first that holds a text counts.
    fn members(&self, cells: Vec<String>) -> Members {
        let mut members = Members::new();
        let names = self.head.names.iter().map(String::as_str).chain(["Message"]);
        for (name, cell) in names.zip(cells) {
            if !name.is_empty() && !cell.is_empty() && !is_type_name(&cell) && !members.contains_key(name) {
                members.insert(name.to_owned(), Value::String(cell));
            }
        }
        members
    }
}

/// Whether a cell holds the name of a type where PowerShell has no text for a value.
fn is_type_name(cell: &str) -> bool {
    cell.starts_with("System.")
        && !cell.contains(char::is_whitespace)
        && (cell.contains('`') || cell.ends_with("[]") || cell.ends_with("EventBookmark"))
}
