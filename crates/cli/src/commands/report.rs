//! `gimbal report`.

use std::path::{Path, PathBuf};

use gimbal_analysis::{BaselineChoice, CellInfo, Options, Rows, tables};
use gimbal_study::plan::Stored;
use gimbal_study::read;
use gimbal_study::run::RunFolder;
use gimbal_view::{Meta, Price, PriceTable, Report as Built};

use super::{run_failure, run_folder, write_file};
use crate::args::{Report, ReportFormat};
use crate::exit::Failure;

/// Columns of a terminal's tables.
pub const WIDTH: usize = 120;

/// Builds a report, writes its files and prints one form of it; or prints one table and writes nothing.
pub fn report(options: &Report) -> Result<(), Failure> {
    if let Some(key) = &options.table {
        return super::tables::print(options, key);
    }
    if let Some(key) = &options.figure {
        return super::figures::one(options, key);
    }
    if options.all {
        return super::figures::all(options);
    }
    let folder = run_folder(&options.run)?;
    let mut built =
        build(&folder, options.baseline.as_deref())?.with_tables(super::figures::trace_tables(&folder, options)?);
    built = built.with_tables(super::cycles::report_tables(&folder)?);
    if let Some(prices) = &options.prices {
        super::rescored::add_from(&mut built, prices)?;
    }
    match options.format {
        ReportFormat::Text => print!("{}", built.brief(WIDTH)),
        ReportFormat::Markdown => print!("{}", built.markdown()),
        ReportFormat::Csv => print!("{}", built.csv()),
        ReportFormat::Json => println!("{:#}", built.json()),
        ReportFormat::Html => print!("{}", built.html()),
    }
    if options.no_files {
        return Ok(());
    }
    // What was asked for stands on standard output already, whatever the disk says.
    let out = options.out.clone().unwrap_or_else(|| folder.root().to_path_buf());
    let made = std::fs::create_dir_all(&out)
        .map_err(|error| Failure::External(format!("{}: cannot be made: {error}", out.display())));
    let page = made.and_then(|()| write_all(&built, &folder, &out)).map_err(|failure| {
        Failure::External(format!("{failure}; write the files elsewhere with `--out DIR`, or none with `--no-files`"))
    })?;
    eprintln!("gimbal: the page is {}", page.display());
    Ok(())
}

/// How to analyse a run: its baseline is the one that is asked for, else the study's, which comes back too.
pub fn options_for(
    folder: &RunFolder,
    rows: &Rows,
    baseline: Option<&str>,
) -> Result<(Options, Option<String>), Failure> {
    let stored = Stored::read(folder).map_err(run_failure)?.baseline;
    let asked = baseline.map(str::to_owned).or_else(|| stored.clone());
    if let Some(label) = &asked {
        let known = || rows.cells.iter().flat_map(|cell| [cell.configuration.as_str(), cell.id.as_str()]);
        if !known().any(|name| name == label) {
            return Err(Failure::Usage(unknown_baseline(label, &rows.cells)));
        }
    }
    let choice = asked.map(|label| match rows.cells.iter().any(|cell| cell.configuration == label) {
        true => BaselineChoice::Configuration(label),
        false => BaselineChoice::Cell(label),
    });
    Ok((Options { baseline: choice, ..Options::default() }, stored))
}

/// The report of a run.
pub fn build(folder: &RunFolder, baseline: Option<&str>) -> Result<Built, Failure> {
    let stored = Stored::read(folder).map_err(run_failure)?;
    let rows = read::load_rows(folder).map_err(run_failure)?;
    let digest = read::digest(folder).map_err(run_failure)?;
    let (options, _) = options_for(folder, &rows, baseline)?;
    let bill = read::bill(folder, &stored).map_err(run_failure)?;
    let recoveries = read::recovery(folder).map_err(run_failure)?;
    let mut meta = meta(folder, &stored, &digest.to_string());
    let limits = read::limits(folder, &stored).map_err(run_failure)?;
    if !stored.overrides.is_empty() {
        meta.facts.push(("Files of the user's folder".to_owned(), stored.overrides.join(", ")));
    }
    for (limits, episodes) in limits {
        meta.facts.push((format!("Episodes under the limits {limits}"), episodes.to_string()));
    }
    if !bill.lines.is_empty() {
        meta.facts.push(("billed in all".to_owned(), bill.total().words()));
    }
    let built = Built::build(&rows, meta, &options).map_err(Failure::usage)?;
    let apart = tables::apart(&read::past(folder, &stored).map_err(run_failure)?);
    let mut built = built.with_faults(&rows, &recoveries).with_tables(apart).with_bill(&bill);
    super::rescored::add(&mut built, &stored.prices);
    Ok(built)
}

/// What to say of a baseline that is no cell, with those that there are.
fn unknown_baseline(label: &str, cells: &[CellInfo]) -> String {
    const SHOWN: usize = 12;
    let known = cells.iter().flat_map(|cell| [cell.configuration.as_str(), cell.id.as_str()]);
    let hint = gimbal_core::nearest::hint(label, known);
    let mut names: Vec<String> = Vec::new();
    for cell in cells {
        let name = format!("`{}`", cell.configuration);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let separator = if hint.is_empty() { "; " } else { " " };
    format!("--baseline: no cell of this run is called `{label}`{hint}{separator}there are {}{more}", names.join(", "))
}

fn meta(folder: &RunFolder, stored: &Stored, digest: &str) -> Meta {
    let dollars = |microdollars: u64| microdollars as f64 / 1e6;
    let models: Vec<Price> = stored
        .prices
        .iter()
        .filter(|(_, price)| !price.seen.is_empty())
        .map(|(name, price)| {
            let band = price.bands.first();
            Price {
                model: name.clone(),
                input: band.map(|band| dollars(band.input)),
                cached_input: band.and_then(|band| band.cached).map(dollars),
                output: band.map(|band| dollars(band.output)),
            }
        })
        .collect();
    let sources: Vec<String> = stored
        .prices
        .values()
        .filter(|price| !price.seen.is_empty())
        .map(|price| format!("{} ({})", price.source, price.seen))
        .collect();
    let date = stored.prices.values().map(|price| price.seen.clone()).max().unwrap_or_default();
    let root = folder.root().display();
    let prices = (!models.is_empty()).then(|| PriceTable { date, source: sources.join("; "), models });
    let several = stored.cells.windows(2).any(|pair| pair[0].info.planned != pair[1].info.planned);
    let runs = if several { "runs of every task, at most" } else { "runs of every task" };
    let mut facts = vec![(runs.to_owned(), stored.runs.to_string())];
    for cell in &stored.cells {
        let environment = &cell.identity["environment"];
        let fact = (
            environment["name"].as_str().unwrap_or_default().to_owned() + " behaviour",
            environment["behaviour"].to_string(),
        );
        if !facts.contains(&fact) {
            facts.push(fact);
        }
    }
    Meta {
        study: stored.study.clone(),
        question: stored.description.clone(),
        in_progress: folder.in_progress(),
        program_version: stored.program.clone(),
        study_hash: Some(stored.file_hash.to_string()),
        digest: Some(digest.to_owned()),
        facts,
        prices,
        commands: vec![format!("gimbal verify {root}"), format!("gimbal report {root}")],
    }
}

fn remove_file(path: &Path) -> Result<(), Failure> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::External(format!("{}: cannot be removed: {error}", path.display())))
        }
        _ => Ok(()),
    }
}

/// Writes every form of a report; returns the page.
pub fn write_all(built: &Built, folder: &RunFolder, out: &Path) -> Result<PathBuf, Failure> {
    // The study as the user wrote it stands beside what came of it (BOG-146).
    write_file(&out.join("study-as-written.yaml"), &Stored::read(folder).map_err(run_failure)?.text)?;
    let page = out.join("report.html");
    write_file(&page, &built.html())?;
    write_file(&out.join("report.md"), &built.markdown())?;
    write_file(&out.join("report.csv"), &built.csv())?;
    // The main table is report.csv; a table of an earlier report that has no rows any more must not stay.
    for key in tables::KEYS.iter().skip(1) {
        let file = out.join(format!("report-{key}.csv"));
        match built.csv_of(key) {
            Some(text) => write_file(&file, &text)?,
            None => remove_file(&file)?,
        }
    }
    for log in &built.logs {
        write_file(&out.join(format!("report-{}.csv", log.key)), &log.to_csv())?;
    }
    write_file(&out.join("report.json"), &gimbal_analysis::printable_lines(&format!("{:#}\n", built.json())))?;
    write_file(&out.join("report.txt"), &built.text(WIDTH))?;
    for figure in &built.figures {
        write_file(&out.join(format!("figure-{}.svg", figure.name)), &figure.alone)?;
    }
    Ok(page)
}
