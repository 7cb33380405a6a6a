//! A packet's facts in order of time, as timeline tools import them.

use gimbal_analysis::{Cell, Column, ColumnKind, Table};
use gimbal_evidence::triage::Triage;

/// What is shown as the class in the row of the verdict.
const VERDICT: &str = "verdict";
/// What is shown as the class in the rows of what is missing, such as records that are in no fact.
const LEFT_OUT: &str = "left_out";
/// The time of these rows, if no fact has one.
const NO_TIME: &str = "1970-01-01T00:00:00Z";

/// A row for each fact, those without a time last; the first three columns are those that timeline tools ask for. Behind the facts a row gives
/// the verdict with the head of the packet, and further rows say what is missing, all at the time of the last fact; if none has a time, at the
/// start of 1970.
#[must_use]
pub fn timeline(triage: &Triage<'_>) -> Table {
    let text = |key, title, help| Column::new(key, title, "fact", ColumnKind::Text, help);
    let columns = vec![
        text("datetime", "Time", "Time of the fact, RFC 3339 in UTC"),
        text("timestamp_desc", "Class", "Class of the fact"),
        text("message", "Fact", "Who did what to what"),
        text("fact", "Id", "Id in the packet"),
        text("cited_by", "Cited by", "Side of the debate that cites it"),
        text("clock", "Clock", "Time by the clock of a source that names no year"),
    ];
    let rows = triage.timeline().into_iter().map(|row| {
        let id = row.fact.to_string();
        [row.datetime.as_str(), &row.timestamp_desc, &row.message, &id, row.cited_by, &row.clock]
            .map(Cell::text)
            .to_vec()
    });
    let mut rows: Vec<Vec<Cell>> = rows.collect();
    let packet = triage.packet;
    let last = packet.header().window.map_or_else(|| NO_TIME.to_owned(), |window| window.last.to_string());
    // Timeline tools drop rows without a time, and these must be seen.
    let mut say = |class: &str, text: &str| {
        rows.push([last.as_str(), class, text, "", "", ""].map(Cell::text).to_vec());
    };
    let (head, outcome) = (packet.head(), triage.outcome);
    let (verdict, confidence) = (outcome.verdict, outcome.confidence);
    let of = format!("packet {}, head {head}, root {}", packet.header().packet, packet.root());
    say(VERDICT, &format!("{verdict}, confidence {confidence}, judge {}; {of}", outcome.judge));
    triage.missing().for_each(|missing| say(LEFT_OUT, &missing));
    let notes = vec![format!("{verdict}, confidence {confidence}; packet head {head}.")];
    Table { key: "timeline", title: "Facts in order of time".to_owned(), columns, rows, notes }
}
