//! `gimbal report --table`: one table of a run, in any form.

use std::path::Path;

use gimbal_analysis::bog::{Grids, Protocol};
use gimbal_analysis::{Analysis, BaselineChoice, Options, Rows, Table, cyclic, tables};
use gimbal_study::read;
use gimbal_study::run::RunFolder;

use super::report::{WIDTH, build, options_for};
use super::run_failure;
use crate::args::{Report, ReportFormat};
use crate::exit::Failure;

/// What `--table` prints instead of a table.
const LIST: &str = "list";

/// Tables about claims, with their titles.
const CLAIMS: [(&str, &str); 2] = [
    ("replication", "Claims and differences, model by model, with a verdict by majority"),
    ("second-environment", "The two claims that another environment has to settle"),
];

/// Tables from trajectories, with their titles.
pub const TRACES: [(&str, &str); 6] = [
    ("t33", "Trace contrast: hierarchy with and without deliberation"),
    ("cascade", "Deliberation cascade, model by model"),
    ("detectors", "Named failure modes and where they show"),
    ("contracts", "Messages between agents: how they were read, and what was done about them"),
    ("arbiter", "The mediator: what it is worth, and which rules did anything"),
    ("blocks", "What each block of context costs"),
];

/// Every key with its title.
pub fn keys() -> Vec<(&'static str, &'static str)> {
    let standard = tables::STANDARD.into_iter();
    standard.chain(tables::bog::TABLES).chain(TRACES).chain(CLAIMS).chain(cyclic::tables::TABLES).collect()
}

/// Prints the table that is asked for.
pub fn print(options: &Report, key: &str) -> Result<(), Failure> {
    if key == LIST {
        for (key, title) in keys() {
            println!("{key:<15} {title}");
        }
        return Ok(());
    }
    if !keys().iter().any(|(known, _)| *known == key) {
        let keys = keys();
        let hint = gimbal_core::nearest::hint(key, keys.iter().map(|(known, _)| *known));
        let known: Vec<&str> = keys.iter().map(|(known, _)| *known).collect();
        let known = known.join(", ");
        return Err(Failure::Usage(format!("--table: there is no table `{key}`{hint} (known: {known})")));
    }
    let folder = super::run_folder(&options.run)?;
    super::more_to_come(folder.in_progress());
    let table = if tables::KEYS.contains(&key) {
        standard(&folder, options, key)?
    } else if TRACES.iter().any(|(known, _)| *known == key) {
        super::figures::trace_table(&folder, options, key)?
    } else if cyclic::tables::TABLES.iter().any(|(known, _)| *known == key) {
        super::cycles::table(&folder, key)?
    } else {
        of_study(&folder, options, key)?
    };
    show(&table, options.format)
}

/// A table in one of the forms that tables have.
pub fn show(table: &Table, format: ReportFormat) -> Result<(), Failure> {
    match format {
        ReportFormat::Text => print!("{}", table.to_text(WIDTH)),
        ReportFormat::Markdown => print!("{}", table.to_markdown()),
        ReportFormat::Csv => print!("{}", table.to_csv()),
        ReportFormat::Json => println!("{:#}", table.to_json()),
        ReportFormat::Html => {
            return Err(Failure::Usage(
                "--format html: the page holds all tables; print one as text, markdown, csv or json".to_owned(),
            ));
        }
    }
    Ok(())
}

/// A table of the report; one that has nothing to say in this run is named with those that have.
fn standard(folder: &RunFolder, options: &Report, key: &str) -> Result<Table, Failure> {
    let mut built = build(folder, options.baseline.as_deref())?;
    if let Some(prices) = &options.prices {
        super::rescored::add_from(&mut built, prices)?;
    }
    let keys: Vec<&str> = built.tables.iter().map(|table| table.key).collect();
    let keys = keys.join(", ");
    built
        .tables
        .into_iter()
        .find(|table| table.key == key)
        .ok_or_else(|| Failure::Usage(format!("--table: `{key}` has no rows in this run; it has {keys}")))
}

/// A table of a study of three axes.
fn of_study(folder: &RunFolder, options: &Report, key: &str) -> Result<Table, Failure> {
    let rows = read::load_rows(folder).map_err(run_failure)?;
    let (choice, stored) = options_for(folder, &rows, options.baseline.as_deref())?;
    let protocol = protocol(options.protocol.as_deref(), &rows, &choice, stored.as_deref())?;
    let analysis = Analysis::new(&rows, &choice).map_err(Failure::usage)?;
    let grids = Grids::new(&rows, &analysis, &protocol).map_err(Failure::usage)?;
    let table = match key {
        "replication" => Some(tables::replication(&grids)),
        "second-environment" => Some(tables::second_environment(&grids)),
        key => tables::bog::table(key, &grids),
    };
    table.ok_or_else(|| Failure::Usage(format!("--table: there is no table `{key}`")))
}

/// The shipped protocol or the file that is named, with the baseline that is asked for; where its own baseline was not
/// played, the study's takes its place.
pub fn protocol(
    file: Option<&Path>,
    rows: &Rows,
    options: &Options,
    stored: Option<&str>,
) -> Result<Protocol, Failure> {
    let mut protocol = match file {
        None => Protocol::shipped().clone(),
        Some(path) => {
            let place = path.display().to_string();
            let text = std::fs::read_to_string(path)
                .map_err(|error| Failure::Usage(format!("--protocol: {place}: cannot be read: {error}")))?;
            Protocol::parse(&text, &place).map_err(Failure::usage)?
        }
    };
    let played = |name: &str| rows.cells.iter().any(|cell| cell.configuration == name);
    let asked = match &options.baseline {
        Some(BaselineChoice::Configuration(label)) if stored != Some(label.as_str()) => Some(label.clone()),
        Some(BaselineChoice::Configuration(label)) if !played(&protocol.baseline) => Some(label.clone()),
        _ => None,
    };
    if let Some(label) = asked {
        protocol.baseline = label;
    }
    Ok(protocol)
}
