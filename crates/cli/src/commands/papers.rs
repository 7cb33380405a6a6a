//! `gimbal papers`: a work's published tables, recomputed.

use gimbal_analysis::AnalysisError;
use gimbal_analysis::papers::cyc::{self, CycFacts};
use gimbal_analysis::papers::{BogFacts, Examined, examine, report, tally};
use gimbal_core::Files as _;
use serde::Serialize;

use super::{print_json, tables};
use crate::args::{Papers, ReportFormat};
use crate::exit::Failure;
use crate::home::Home;

/// Reads facts (`place` is what messages call them) and recomputes them; gives the work's name with it.
type Examine = fn(text: &str, place: &str) -> Result<(String, Examined), AnalysisError>;

/// Works with facts, where these are, and how they are examined.
const WORKS: [(&str, &str, Examine); 2] =
    [("bog", "papers/bog.yaml", bog_facts), ("cyc", "papers/cyc.yaml", cyc_facts)];

fn bog_facts(text: &str, place: &str) -> Result<(String, Examined), AnalysisError> {
    let facts = BogFacts::parse(text, place)?;
    let examined = examine(&facts).map_err(|error| within(place, error))?;
    Ok((facts.work, examined))
}

fn cyc_facts(text: &str, place: &str) -> Result<(String, Examined), AnalysisError> {
    let facts = CycFacts::parse(text, place)?;
    let examined = cyc::examine(&facts).map_err(|error| within(place, error))?;
    Ok((facts.work, examined))
}

/// The same error with the file in front of the place.
fn within(file: &str, error: AnalysisError) -> AnalysisError {
    match error {
        AnalysisError::Facts { place, what } => AnalysisError::Facts { place: format!("{file}: {place}"), what },
        other => other,
    }
}

/// What `--json` says.
#[derive(Serialize)]
struct Summary {
    tables: Vec<Counted>,
    numbers: usize,
    equal: usize,
    rounding: usize,
    missed: usize,
    not_listed: Vec<String>,
    listed_and_no_miss: Vec<String>,
    agrees: bool,
}

#[derive(Serialize)]
struct Counted {
    table: String,
    equal: usize,
    rounding: usize,
    missed: usize,
}

/// Recomputes, prints, and fails on a miss that is not listed or a listed one that is none.
pub fn papers(home: &Home, options: &Papers) -> Result<(), Failure> {
    let (text, place, examine) = facts(home, options)?;
    let (work, examined) = examine(&text, &place).map_err(Failure::usage)?;
    let title = format!("Published numbers of {work}, recomputed");
    match options.table.as_deref() {
        Some("summary") => tables::show(&report(&title, &examined.checks), options.format)?,
        other => {
            let only = other.map(|name| table_name(name, &examined)).transpose()?;
            tables::show(&examined.numbers(&title, only.as_deref()), options.format)?;
            if options.format == ReportFormat::Text && only.is_none() {
                println!("\n{}", report("By table", &examined.checks).to_text(super::report::WIDTH));
            }
        }
    }
    if options.json {
        print_json(&summary(&examined))?;
    }
    verdict(&examined)
}

fn facts(home: &Home, options: &Papers) -> Result<(String, String, Examine), Failure> {
    let Some((_, built_in, examine)) = WORKS.iter().find(|(name, _, _)| *name == options.work) else {
        let hint = gimbal_core::nearest::hint(&options.work, WORKS.iter().map(|(name, _, _)| *name));
        let known: Vec<&str> = WORKS.iter().map(|(name, _, _)| *name).collect();
        return Err(Failure::Usage(format!("there is no work `{}`{hint} (known: {})", options.work, known.join(", "))));
    };
    let (text, place) = match &options.facts {
        Some(path) => {
            let place = path.display().to_string();
            let text = std::fs::read_to_string(path)
                .map_err(|error| Failure::Usage(format!("--facts: {place}: cannot be read: {error}")))?;
            (text, place)
        }
        None => home
            .files
            .read(built_in)
            .map_err(Failure::usage)?
            .ok_or_else(|| Failure::Usage(format!("{built_in}: is not there; name a facts file with --facts")))?,
    };
    Ok((text, place, *examine))
}

/// `25` is `Tab. 25`, and `claims` is `Claims`.
fn table_name(asked: &str, examined: &Examined) -> Result<String, Failure> {
    let known: Vec<String> = tally(&examined.checks).into_iter().map(|entry| entry.0).collect();
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
        .map(|(table, equal, rounding, missed)| Counted { table, equal, rounding, missed })
        .collect();
    let sum = |part: fn(&Counted) -> usize| tables.iter().map(part).sum();
    Summary {
        numbers: examined.checks.len(),
        equal: sum(|one| one.equal),
        rounding: sum(|one| one.rounding),
        missed: sum(|one| one.missed),
        not_listed: examined.unlisted.clone(),
        listed_and_no_miss: examined.stale.clone(),
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
