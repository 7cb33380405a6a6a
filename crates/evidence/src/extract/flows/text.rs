//! Flows separated by commas: Argus, nfdump, and tables of twelve columns (ARES-013).

use std::io::BufRead;

use super::super::lines::Lines;
use super::super::run::Run;
use super::super::{ExtractError, Format, IssueKind, ReadOptions, Sink, Stats, clock};
use super::printed;
use super::table::{Columns, Row, cut};

/// The columns of a table without a head.
const TWELVE: [&str; 12] = [
    "start",
    "end",
    "duration",
    "source",
    "destination",
    "source_port",
    "destination_port",
    "protocol",
    "packets",
    "bytes",
    "flags",
    "tos",
];

/// Reads flows of Argus, as comma separated text with a head. A label is not an observation and is left out.
///
/// # Errors
/// When the source cannot be read or has no such head, or a row is damaged and the extractor is strict.
pub fn read_argus(input: impl BufRead, options: &ReadOptions, sink: &mut dyn Sink) -> Result<Stats, ExtractError> {
    read(input, options, sink, Format::Argus)
}

/// Reads flows of nfdump (`-o csv`, and `line`, `long` and `extended`, which it prints for people), of any table whose head names two addresses, and of tables of twelve columns without a head:
/// start, end, duration, two addresses, two ports, protocol, packets, bytes, flags, type of service.
///
/// # Errors
/// When the source cannot be read or is not such a table, or a row is damaged and the extractor is strict.
pub fn read_nfdump(input: impl BufRead, options: &ReadOptions, sink: &mut dyn Sink) -> Result<Stats, ExtractError> {
    read(input, options, sink, Format::Nfdump)
}

fn read(
    input: impl BufRead,
    options: &ReadOptions,
    sink: &mut dyn Sink,
    format: Format,
) -> Result<Stats, ExtractError> {
    let mut run = Run::new(options, sink);
    let mut lines = Lines::new(input);
    let mut columns: Option<Columns> = None;
    let mut cells = Vec::new();
    // A table for people, and its last row as cells.
    let mut printed: Option<printed::Head> = None;
    let mut row_cells = String::new();
    let mut is_summary = false;
    let zone_minutes = options.zone_minutes.unwrap_or(0);
    while let Some(line) = lines.next()? {
        if is_summary {
            run.dropped();
            continue;
        }
        if !run.takes(&line)? {
            continue;
        }
        let at = || line.place();
        let text = line.text();
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        if columns.is_none() {
            if format == Format::Nfdump
                && let Some(head) = printed::Head::read(text)
            {
                columns = Columns::new(head.names());
                printed = Some(head);
                run.dropped();
                continue;
            }
            if let Some(named) = Columns::new(text.split(',')) {
                columns = Some(named);
                run.dropped();
                continue;
            }
            if format == Format::Nfdump && is_twelve(text) {
                columns = Columns::new(TWELVE.into_iter());
            }
        }
        let Some(columns) = &columns else {
            let what = "its first line names no columns of two addresses, such as `ts,te,td,sa,da,sp,dp,pr`".to_owned();
            return Err(ExtractError::Format { format, what });
        };
        // nfdump ends its output with totals.
        if matches!(text.trim(), "Summary" | "Summary:") || text.starts_with("Summary: ") {
            is_summary = true;
            run.dropped();
            continue;
        }
        let text = match &printed {
            None => text,
            Some(head) => match head.row(text, &mut row_cells) {
                Ok(()) => row_cells.as_str(),
                Err(what) => {
                    run.damage(at(), IssueKind::Malformed, what, line.bytes)?;
                    continue;
                }
            },
        };
        cut(text, b',', &mut cells);
        if cells.len() != columns.len() {
            let what = format!("{} columns; expected {}", cells.len(), columns.len());
            run.damage(at(), IssueKind::Malformed, what, line.bytes)?;
            continue;
        }
        let row = Row { line: line.number, columns, text, cells: &cells, unset: "", zone_minutes };
        row.observe(&mut run, line.bytes);
    }
    Ok(run.finish())
}

/// Whether a line is the head of a table of flows, with commas or for people, or a row of twelve columns.
pub(in super::super) fn is_table(line: &str) -> bool {
    Columns::new(line.split(',')).is_some() || is_twelve(line) || printed::Head::read(line).is_some()
}

/// Whether a line is a row of twelve columns that begins with a time.
fn is_twelve(line: &str) -> bool {
    let first = line.split(',').next().unwrap_or_default().trim().trim_matches('"');
    let is_time = clock::epoch(first).or_else(|| clock::date_time(first, 0)).is_some();
    is_time && line.split(',').count() == TWELVE.len()
}
