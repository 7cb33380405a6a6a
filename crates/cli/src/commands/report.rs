//! `gimbal report`: its arguments, and what goes to standard output.

use std::path::Path;

use gimbal_analysis::Protocol;
use gimbal_model::PriceTable;
use gimbal_report::{Everything, Options, Report, ReportError, Source, WIDTH, figure, table};
use gimbal_study::plan::Stored;
use gimbal_view::Output;

use super::{more_to_come, own_folder, run_failure, run_folder, tables, write_file};
use crate::args::{Report as Arguments, ReportFormat};
use crate::exit::Failure;
use crate::registry::{catalogue, registry};

/// What `--table` and `--figure` print instead of a table or figure.
const LIST: &str = "list";
/// Folder of `--all` within a run.
const FOLDER: &str = "report-all";

/// Builds a report, writes its files and prints one form of it; or prints one table or figure; or writes everything.
pub fn report(arguments: &Arguments) -> Result<(), Failure> {
    match (&arguments.table, &arguments.figure) {
        (Some(key), _) => one_table(arguments, key),
        (None, Some(key)) => one_figure(arguments, key),
        (None, None) if arguments.all => everything(arguments),
        (None, None) => whole(arguments),
    }
}

/// A failure of a report with its exit code.
pub fn report_failure(error: ReportError) -> Failure {
    if error.exit_code() == 2 { Failure::usage(error) } else { Failure::external(error) }
}

/// Opens the run and hands it to `make` with the user's choices.
fn with_source<T>(
    arguments: &Arguments,
    make: impl FnOnce(&Source<'_>) -> Result<T, ReportError>,
) -> Result<T, Failure> {
    let folder = run_folder(&arguments.run)?;
    if arguments.table.is_some() {
        more_to_come(folder.in_progress());
    }
    let stored = Stored::read(&folder).map_err(run_failure)?;
    let options = Options {
        baseline: arguments.baseline.clone(),
        protocol: arguments.protocol.as_deref().map(protocol).transpose()?,
        prices: arguments.prices.as_deref().map(prices).transpose()?.map(|table| table.models),
    };
    let (registry, catalogue) = (registry(), catalogue());
    let source =
        Source { folder: &folder, stored: &stored, registry: &registry, catalogue: &catalogue, options: &options };
    make(&source).map_err(report_failure)
}

/// Reads a file that an option names.
fn read(option: &str, path: &Path, expected: &str) -> Result<(String, String), Failure> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::Usage(format!("{option}: {name}: cannot be read: {error}{expected}")))?;
    Ok((text, name))
}

fn protocol(path: &Path) -> Result<Protocol, Failure> {
    let (text, name) = read("--protocol", path, "")?;
    Protocol::parse(&text, &name).map_err(Failure::usage)
}

fn prices(path: &Path) -> Result<PriceTable, Failure> {
    let (text, name) = read("--prices", path, "; name a file like prices.yaml")?;
    PriceTable::parse(&text, &name).map_err(Failure::usage)
}

fn whole(arguments: &Arguments) -> Result<(), Failure> {
    let built = with_source(arguments, Report::build)?;
    let document = built.document();
    match arguments.format {
        ReportFormat::Text => print!("{}", document.brief(WIDTH)),
        ReportFormat::Markdown => print!("{}", document.markdown()),
        ReportFormat::Csv => print!("{}", document.csv()),
        ReportFormat::Json => println!("{:#}", document.json()),
        ReportFormat::Html => print!("{}", built.page()),
    }
    if arguments.no_files {
        return Ok(());
    }
    // The text is on standard output already, whatever happens on the disk.
    let out = match &arguments.out {
        Some(out) => out.clone(),
        None => run_folder(&arguments.run)?.root().to_path_buf(),
    };
    let page = built.write(&out).map_err(|error| {
        Failure::External(format!("{error}; write the files elsewhere with `--out DIR`, or none with `--no-files`"))
    })?;
    eprintln!("gimbal: the page is {}", page.display());
    Ok(())
}

fn list(items: &[(&'static str, &'static str)], width: usize) {
    for (key, title) in items {
        println!("{key:<width$} {title}");
    }
}

fn one_table(arguments: &Arguments, key: &str) -> Result<(), Failure> {
    let catalogue = catalogue();
    if key == LIST {
        list(&catalogue.tables(), 15);
        return Ok(());
    }
    let chosen = catalogue
        .table(key)
        .map_err(|error| Failure::Usage(format!("--table: {error} (known: {})", error.known.join(", "))))?;
    let made = with_source(arguments, |source| table(source, chosen));
    let made = made.map_err(|failure| match failure {
        Failure::Usage(words) if words.starts_with('`') => Failure::Usage(format!("--table: {words}")),
        other => other,
    })?;
    tables::show(&made, arguments.format)
}

fn one_figure(arguments: &Arguments, key: &str) -> Result<(), Failure> {
    let catalogue = catalogue();
    if key == LIST {
        list(&catalogue.figures(), 7);
        return Ok(());
    }
    let chosen = catalogue.figure(key).map_err(|error| {
        Failure::Usage(format!("--figure: {error}; there are {} (`--figure list`)", error.series()))
    })?;
    let outputs = with_source(arguments, |source| figure(source, chosen))?;
    put(arguments, &outputs)
}

/// Prints the only drawing; writes several, or where `--out` says.
fn put(arguments: &Arguments, outputs: &[Output]) -> Result<(), Failure> {
    for output in outputs {
        if let Some(missing) = &output.missing {
            eprintln!("gimbal: {}: nothing to draw: {missing}", output.file);
        }
    }
    match (outputs, &arguments.out) {
        ([only], None) => print!("{}", only.figure.alone),
        (several, out) => {
            let out = match out {
                Some(out) => out.clone(),
                None => run_folder(&arguments.run)?.root().join("figures"),
            };
            own_folder(&out)?;
            // A drawing of nothing is not written.
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
fn everything(arguments: &Arguments) -> Result<(), Failure> {
    let built = with_source(arguments, Everything::build)?;
    let out = match &arguments.out {
        Some(out) => out.clone(),
        None => {
            let out = run_folder(&arguments.run)?.root().join(FOLDER);
            own_folder(&out)?;
            out
        }
    };
    let page = built.write(&catalogue(), &out).map_err(Failure::external)?;
    let gaps = built.gaps();
    let without = if gaps > 0 { format!(" ({gaps} more have nothing to draw)") } else { String::new() };
    let (tables, figures) = (built.tables.len(), built.figures.len() - gaps);
    println!("{tables} tables and {figures} figures{without} in {}", out.display());
    eprintln!("gimbal: the page is {}", page.display());
    Ok(())
}

/// The standard report of a run that has just ended: its files, and its text.
pub fn after_run(folder: &gimbal_study::run::RunFolder) -> Result<(std::path::PathBuf, String), Failure> {
    let stored = Stored::read(folder).map_err(run_failure)?;
    let (registry, catalogue, options) = (registry(), catalogue(), Options::default());
    let source = Source { folder, stored: &stored, registry: &registry, catalogue: &catalogue, options: &options };
    let built = Report::standard(&source).map_err(report_failure)?;
    let page = built.write(folder.root()).map_err(Failure::external)?;
    Ok((page, built.document().brief(WIDTH)))
}
