//! A packet's facts in order of time, as timeline tools import them.

use gimbal_analysis::{Cell, Column, ColumnKind, Table};
use gimbal_evidence::triage::Triage;

/// What is shown as the class in the row of records that are in no fact.
const LEFT_OUT: &str = "left_out";
/// The time of that row, if the packet has none.
const NO_TIME: &str = "1970-01-01T00:00:00Z";

/// A row for each fact with a time; the first three columns are those that timeline tools ask for. Where records are in no fact, the last row
/// says how many, at the time of the last fact; if none has a time, at the start of 1970.
#[must_use]
pub fn timeline(triage: &Triage<'_>) -> Table {
    let text = |key, title, help| Column::new(key, title, "fact", ColumnKind::Text, help);
    let columns = vec![
        text("datetime", "Time", "Time of the fact, RFC 3339 in UTC"),
        text("timestamp_desc", "Class", "Class of the fact"),
        text("message", "Fact", "Who did what to what"),
        text("fact", "Id", "Id in the packet"),
        text("cited_by", "Cited by", "Side of the debate that cites it"),
    ];
    let rows = triage.timeline().into_iter().map(|row| {
        let id = row.fact.to_string();
        [row.datetime.as_str(), &row.timestamp_desc, &row.message, &id, row.cited_by].map(Cell::text).to_vec()
    });
    let mut rows: Vec<Vec<Cell>> = rows.collect();
    // Timeline tools drop rows without a time, and this one must be seen.
    for missing in triage.missing() {
        let last = triage.timeline().last().map(|row| row.datetime.clone());
        let last = last.or_else(|| triage.packet.header().window.map(|window| window.last.to_string()));
        let last = last.unwrap_or_else(|| NO_TIME.to_owned());
        rows.push([last.as_str(), LEFT_OUT, &missing, "", ""].map(Cell::text).to_vec());
    }
    let head = triage.packet.head();
    let notes =
        vec![format!("{}, confidence {}; packet head {head}.", triage.outcome.verdict, triage.outcome.confidence)];
    Table { key: "timeline", title: "Facts in order of time".to_owned(), columns, rows, notes }
}
