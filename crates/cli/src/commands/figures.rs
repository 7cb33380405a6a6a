//! `gimbal report --figure` and `--all`: the named figures, and every figure and table at once.

use std::path::{Path, PathBuf};

use gimbal_analysis::bog::Grids;
use gimbal_analysis::profile::{Traces, trace_contrast};
use gimbal_analysis::{Analysis, Options, Protocol, Rows, Table, detect, tables};
use gimbal_study::plan::Stored;
use gimbal_study::read;
use gimbal_study::run::RunFolder;
use gimbal_view::figure::bog::{self, FIGURES, Output};
use gimbal_view::figure::cyc;
use gimbal_view::index;

use super::report::{build, options_for};
use super::tables::{TRACES, keys, protocol};
use super::{own_folder, run_failure, run_folder, write_file};
use crate::args::Report;
use crate::exit::Failure;

/// What `--figure` prints instead of a figure.
const LIST: &str = "list";
/// Figures that are drawn from trajectories.
const FROM_TRACES: [&str; 1] = ["f28"];
/// Folder of `--all` within a run.
const FOLDER: &str = "report-all";

/// What figures and tables of a study of three axes are made from.
struct Study {
    rows: Rows,
    analysis: Analysis,
    protocol: Protocol,
}

impl Study {
    fn read(folder: &RunFolder, options: &Report) -> Result<Self, Failure> {
        let rows = read::load_rows(folder).map_err(run_failure)?;
        let (choice, stored): (Options, Option<String>) = options_for(folder, &rows, options.baseline.as_deref())?;
        let protocol = protocol(options.protocol.as_deref(), &rows, &choice, stored.as_deref())?;
        let analysis = Analysis::new(&rows, &choice).map_err(Failure::usage)?;
        Ok(Self { rows, analysis, protocol })
    }

    fn grids(&self) -> Result<Grids<'_>, Failure> {
        Grids::new(&self.rows, &self.analysis, &self.protocol).map_err(Failure::usage)
    }
}

fn traces(folder: &RunFolder) -> Result<Traces, Failure> {
    let stored = Stored::read(folder).map_err(run_failure)?;
    read::traces(folder, &stored).map_err(run_failure)
}

/// Prints or writes the figure that is asked for.
pub fn one(options: &Report, key: &str) -> Result<(), Failure> {
    if key == LIST {
        for (key, title) in named() {
            println!("{key:<7} {title}");
        }
        return Ok(());
    }
    if !named().any(|(known, _)| known.eq_ignore_ascii_case(key)) {
        let hint = gimbal_core::nearest::hint(key, named().map(|(known, _)| known));
        return Err(Failure::Usage(format!(
            "--figure: there is no figure `{key}`{hint}; there are f1 to f{}, cyc-f1 to cyc-f{} and cyc-noise (`--figure list`)",
            FIGURES.len(),
            cyc::FIGURES.len() - 1
        )));
    }
    let folder = run_folder(&options.run)?;
    if cyc::FIGURES.iter().any(|figure| figure.key.eq_ignore_ascii_case(key)) {
        return put(options, &folder, &super::cycles::figure(&folder, key)?);
    }
    let study = Study::read(&folder, options)?;
    let traces =
        if FROM_TRACES.iter().any(|known| known.eq_ignore_ascii_case(key)) { Some(traces(&folder)?) } else { None };
    let outputs = bog::named(key, &study.grids()?, traces.as_ref()).unwrap_or_default();
    put(options, &folder, &outputs)
}

/// Keys and titles of all figures.
fn named() -> impl Iterator<Item = (&'static str, &'static str)> {
    let first = FIGURES.iter().map(|figure| (figure.key, figure.title));
    first.chain(cyc::FIGURES.iter().map(|figure| (figure.key, figure.title)))
}

/// Prints the only drawing, or writes several, or wherever `--out` says.
fn put(options: &Report, folder: &RunFolder, outputs: &[Output]) -> Result<(), Failure> {
    for output in outputs {
        if let Some(missing) = &output.missing {
            eprintln!("gimbal: {}: nothing to draw: {missing}", output.file);
        }
    }
    match (outputs, &options.out) {
        ([only], None) => print!("{}", only.figure.alone),
        (several, out) => {
            let out = out.clone().unwrap_or_else(|| folder.root().join("figures"));
            own_folder(&out)?;
            // A picture of nothing is no figure: it is not written.
            for output in several.iter().filter(|output| output.missing.is_none()) {
                let path = out.join(format!("{}.svg", output.file));
                write_file(&path, &output.figure.alone)?;
                eprintln!("gimbal: {}", path.display());
            }
        }
    }
    Ok(())
}

/// Writes every table and figure, and the page that shows them.
pub fn all(options: &Report) -> Result<(), Failure> {
    let folder = run_folder(&options.run)?;
    let study = Study::read(&folder, options)?;
    let grids = study.grids()?;
    let traces = traces(&folder)?;
    let built = build(&folder, options.baseline.as_deref())?;
    let mut figures = bog::every(&grids, Some(&traces));
    let mut found: Vec<Table> = built.tables.clone();
    found.extend(tables::bog::TABLES.iter().filter_map(|(key, _)| tables::bog::table(key, &grids)));
    found.extend(from_traces(&grids, &traces));
    found.extend([tables::replication(&grids), tables::second_environment(&grids)]);
    let (more_tables, more_figures) = super::cycles::everything(&folder)?;
    found.extend(more_tables);
    figures.extend(more_figures);
    let out = options.out.clone().unwrap_or_else(|| folder.root().join(FOLDER));
    if options.out.is_none() {
        own_folder(&out)?;
    }
    write_tables(&out.join("tables"), &found)?;
    write_figures(&out.join("figures"), &figures)?;
    let page = out.join("index.html");
    write_file(&page, &index(&built.meta, &figures, &found))?;
    let gaps = figures.iter().filter(|output| output.missing.is_some()).count();
    let without = if gaps > 0 { format!(" ({gaps} more have nothing to draw)") } else { String::new() };
    println!("{} tables and {} figures{without} in {}", found.len(), figures.len() - gaps, out.display());
    eprintln!("gimbal: the page is {}", page.display());
    Ok(())
}

fn write_tables(folder: &Path, found: &[Table]) -> Result<(), Failure> {
    own_folder(folder)?;
    let stale = |name: &str| {
        let stem = name.strip_suffix(".csv").or_else(|| name.strip_suffix(".md"));
        stem.is_some_and(|stem| keys().iter().any(|(key, _)| *key == stem))
    };
    forget(folder, stale)?;
    for table in found {
        write_file(&folder.join(format!("{}.csv", table.key)), &table.to_csv())?;
        write_file(&folder.join(format!("{}.md", table.key)), &table.to_markdown())?;
    }
    Ok(())
}

fn write_figures(folder: &Path, figures: &[Output]) -> Result<(), Failure> {
    own_folder(folder)?;
    let stale = |name: &str| {
        name.strip_suffix(".svg").is_some_and(|stem| {
            named().any(|(key, _)| stem.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('-')))
        })
    };
    forget(folder, stale)?;
    for output in figures.iter().filter(|output| output.missing.is_none()) {
        write_file(&folder.join(format!("{}.svg", output.file)), &output.figure.alone)?;
    }
    Ok(())
}

/// Removes files of an earlier report, which may have had other environments and tables; nothing else.
fn forget(folder: &Path, stale: impl Fn(&str) -> bool) -> Result<(), Failure> {
    let unreadable = |error: std::io::Error| Failure::External(format!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if entry.file_name().to_str().is_some_and(&stale) {
            paths.push(entry.path());
        }
    }
    for path in paths {
        std::fs::remove_file(&path)
            .map_err(|error| Failure::External(format!("{}: cannot be removed: {error}", path.display())))?;
    }
    Ok(())
}

/// The tables from trajectories.
fn from_traces(grids: &Grids<'_>, traces: &Traces) -> Vec<Table> {
    TRACES.iter().map(|(key, _)| of_traces(key, grids, traces)).collect()
}

fn of_traces(key: &str, grids: &Grids<'_>, traces: &Traces) -> Table {
    match key {
        "t33" => trace_contrast(grids, traces),
        "cascade" => detect::cascades(grids),
        "contracts" => tables::contracts(grids.analysis, traces),
        "blocks" => tables::blocks(grids.analysis, traces),
        "arbiter" => tables::arbiter(grids, Some(traces)),
        _ => detect::table(grids.analysis, traces),
    }
}

/// A table from trajectories by its key.
pub fn trace_table(folder: &RunFolder, options: &Report, key: &str) -> Result<Table, Failure> {
    let study = Study::read(folder, options)?;
    Ok(of_traces(key, &study.grids()?, &traces(folder)?))
}

/// What trajectories say in the report: nothing where no model plays.
pub fn trace_tables(folder: &RunFolder, options: &Report) -> Result<Vec<Table>, Failure> {
    let study = Study::read(folder, options)?;
    if study.rows.cells.iter().all(|cell| cell.models.is_empty()) {
        return Ok(Vec::new());
    }
    let mut found = from_traces(&study.grids()?, &traces(folder)?);
    found.retain(|table| !table.rows.is_empty());
    Ok(found)
}
