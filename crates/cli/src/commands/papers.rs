//! `gimbal papers`: a work's published tables, recomputed.

use gimbal_analysis::papers::{Examined, Tally, report, tally};
use gimbal_core::Files as _;
use gimbal_report::WIDTH;
use gimbal_view::work::Printed;
use serde::Serialize;

use super::{print_json, tables};
use crate::args::{Papers, TableFormat};
use crate::exit::Failure;
use crate::home::Home;
use crate::registry::catalogue;

/// What `--json` says.
#[derive(Serialize)]
struct Summary {
    tables: Vec<Counted>,
    numbers: usize,
    equal: usize,
    rounding: usize,
    ranges: usize,
    missed: usize,
    not_listed: Vec<String>,
    listed_and_no_miss: Vec<String>,
    open: Vec<String>,
    agrees: bool,
}

#[derive(Serialize)]
struct Counted {
    table: String,
    equal: usize,
    rounding: usize,
    ranges: usize,
    missed: usize,
}

/// Recomputes and prints; fails on a mismatch that is not listed, or a listed one that matches.
pub fn papers(home: &Home, options: &Papers) -> Result<(), Failure> {
    let printed = catalogue()
        .printed(&options.work)
        .map_err(|error| Failure::Usage(format!("{error} (known: {})", error.known.join(", "))))?;
    let (text, place) = facts(home, options, &printed)?;
    let (work, examined) = (printed.examine)(&text, &place).map_err(Failure::usage)?;
    let title = format!("Published numbers of {work}, recomputed");
    match options.table.as_deref() {
        Some("summary") => tables::show(&report(&title, &examined.checks), options.format),
        other => {
            let only = other.map(|name| table_name(name, &examined)).transpose()?;
            tables::show(&examined.numbers(&title, only.as_deref()), options.format);
            if options.format == TableFormat::Text && only.is_none() {
                println!("\n{}", report("By table", &examined.checks).to_text(WIDTH));
            }
        }
    }
    if options.json {
        print_json(&summary(&examined))?;
    }
    verdict(&examined)
}

/// The text of the facts, and what messages call it.
fn facts(home: &Home, options: &Papers, printed: &Printed) -> Result<(String, String), Failure> {
    match &options.facts {
        Some(path) => {
            let place = path.display().to_string();
            let text = std::fs::read_to_string(path)
                .map_err(|error| Failure::Usage(format!("--facts: {place}: cannot be read: {error}")))?;
            Ok((text, place))
        }
        None => {
            home.files.read(printed.file).map_err(Failure::usage)?.ok_or_else(|| {
                Failure::Usage(format!("{}: is not there; name a facts file with --facts", printed.file))
            })
        }
    }
}

/// `25` is `Tab. 25`, and `claims` is `Claims`.
fn table_name(asked: &str, examined: &Examined) -> Result<String, Failure> {
    let known: Vec<String> = tally(&examined.checks).into_iter().map(|entry| entry.table).collect();
    let number = |table: &str| table.trim_start_matches("Tab. ").to_owned();
    let wanted = known.iter().find(|table| {
        table.eq_ignore_ascii_case(asked)
            || number(table) == asked.trim_start_matches(['t', 'T']).trim_start_matches("ab. ")
    });
    wanted.cloned().ok_or_else(|| {
        let hint = gimbal_core::nearest::hint(asked, known.iter().map(String::as_str));
        Failure::Usage(format!(
            "--table: no number of `{asked}` follows from others{hint} (known: {}, summary)",
            known.join(", ")
        ))
    })
}

fn summary(examined: &Examined) -> Summary {
    let tables: Vec<Counted> = tally(&examined.checks)
        .into_iter()
        .map(|Tally { table, equal, rounding, ranges, missed }| Counted { table, equal, rounding, ranges, missed })
        .collect();
    let sum = |part: fn(&Counted) -> usize| tables.iter().map(part).sum();
    Summary {
        numbers: examined.checks.len(),
        equal: sum(|one| one.equal),
        rounding: sum(|one| one.rounding),
        ranges: sum(|one| one.ranges),
        missed: sum(|one| one.missed),
        not_listed: examined.unlisted.clone(),
        listed_and_no_miss: examined.stale.clone(),
        open: examined.open.clone(),
        agrees: examined.agrees(),
        tables,
    }
}

fn verdict(examined: &Examined) -> Result<(), Failure> {
    if examined.agrees() {
        return Ok(());
    }
    let mut words = Vec::new();
    if !examined.unlisted.is_empty() {
        words.push(format!(
            "{} printed number(s) do not follow and are not listed: {}",
            examined.unlisted.len(),
            examined.unlisted.join("; ")
        ));
    }
    if !examined.stale.is_empty() {
        words.push(format!(
            "{} listed miss(es) are none any more: {}; take them off `known_misses`",
            examined.stale.len(),
            examined.stale.join("; ")
        ));
    }
    Err(Failure::Check(words.join("\n")))
}
