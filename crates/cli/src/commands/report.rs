//! `gimbal report`: its arguments, and what goes to standard output.

use std::any::Any;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gimbal_analysis::Table;
use gimbal_analysis::profile::Tokenizer;
use gimbal_bog::Protocol;
use gimbal_model::PriceTable;
use gimbal_report::{Catalogue, Everything, Options, Report, ReportError, Source, WIDTH, figure, keys, table};
use gimbal_study::plan::{Stored, StoredCell};
use gimbal_study::registry::Registry;
use gimbal_study::run::RunFolder;
use gimbal_view::Output;
use serde_json::Value;

use super::{more_to_come, own_folder, run_failure, run_folder, tables, write_file};
use crate::args::{Report as Arguments, ReportFormat, TableFormat};
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
fn report_failure(error: ReportError) -> Failure {
    if error.exit_code() == 2 { Failure::usage(error) } else { Failure::external(error) }
}

/// A run, opened for its report.
struct Opened {
    folder: RunFolder,
    stored: Stored,
    registry: Registry,
    catalogue: Catalogue,
    options: Options,
}

impl Opened {
    fn new(folder: RunFolder, options: Options) -> Result<Self, Failure> {
        let stored = Stored::read(&folder).map_err(run_failure)?;
        Ok(Self { folder, stored, registry: registry(), catalogue: catalogue(), options })
    }

    /// The run that the arguments name, with the user's choices.
    fn of(arguments: &Arguments) -> Result<Self, Failure> {
        let folder = run_folder(&arguments.run)?;
        let options = Options {
            baseline: arguments.baseline.clone(),
            protocol: arguments
                .protocol
                .as_deref()
                .map(protocol)
                .transpose()?
                .map(|read| Arc::new(read) as Arc<dyn Any + Send + Sync>),
            prices: arguments.prices.as_deref().map(prices).transpose()?.map(|table| table.models),
            tokenizer: arguments.tokenizer.as_deref().map(tokenizer).transpose()?,
        };
        Self::new(folder, options)
    }

    fn source(&self) -> Source<'_> {
        Source {
            folder: &self.folder,
            stored: &self.stored,
            registry: &self.registry,
            catalogue: &self.catalogue,
            options: &self.options,
        }
    }

    /// The folder that `--out` names, else one within the run folder, which must not be a symbolic link.
    fn out(&self, arguments: &Arguments, within: &str) -> Result<PathBuf, Failure> {
        if let Some(out) = &arguments.out {
            return Ok(out.clone());
        }
        let out = self.folder.root().join(within);
        own_folder(&out)?;
        Ok(out)
    }
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

/// The tokenizer of weights on this machine: nothing is fetched, and nothing but the vocabulary is loaded.
#[cfg(feature = "embedded")]
fn tokenizer(model: &str) -> Result<Tokenizer, Failure> {
    use gimbal_model::weights::{self, Cache};
    let what = model.strip_prefix("local/").unwrap_or(model);
    if what == model && model.contains('/') && !std::path::Path::new(model).exists() {
        return Err(Failure::Usage(format!(
            "--tokenizer: `{model}` has no tokenizer here; name local weights, such as `local/smollm2-135m`"
        )));
    }
    let failed = |error: &dyn std::fmt::Display| {
        Failure::Usage(format!("--tokenizer: {error}; name weights that are here, as `gimbal model list` shows them"))
    };
    let cache = Cache::from_environment().map_err(Failure::external)?;
    let located = weights::locate(what, &cache).map_err(|error| failed(&error))?;
    let opened = gimbal_model::embedded::Tokenizer::open(&located.path).map_err(|error| failed(&error))?;
    Ok(Tokenizer { name: model.to_owned(), count: std::sync::Arc::new(move |text: &str| opened.count(text).ok()) })
}

#[cfg(not(feature = "embedded"))]
fn tokenizer(_model: &str) -> Result<Tokenizer, Failure> {
    Err(Failure::Usage(
        "--tokenizer: this program was built without the embedded model (feature `embedded`)".to_owned(),
    ))
}

fn whole(arguments: &Arguments) -> Result<(), Failure> {
    let opened = Opened::of(arguments)?;
    let built = Report::build(&opened.source()).map_err(report_failure)?;
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
    let out = arguments.out.as_deref().unwrap_or_else(|| opened.folder.root());
    let page = built.write(out).map_err(|error| {
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
    let Some(format) = arguments.format.of_table() else {
        return Err(Failure::Usage(
            "--format html: the page holds all tables; print one as text, markdown, csv or json".to_owned(),
        ));
    };
    show_table(&Opened::of(arguments)?, key, format)
}

/// A table of a run, and the bases of the run's architectures, each once.
pub fn table_of(run: &Path, key: &str) -> Result<(Table, BTreeSet<String>), Failure> {
    let opened = Opened::new(run_folder(run)?, Options::default())?;
    let base =
        |cell: &StoredCell| cell.identity.pointer("/architecture/base").and_then(Value::as_str).map(str::to_owned);
    Ok((made(&opened, key)?, opened.stored.cells.iter().filter_map(base).collect()))
}

fn show_table(opened: &Opened, key: &str, format: TableFormat) -> Result<(), Failure> {
    tables::show(&made(opened, key)?, format);
    Ok(())
}

fn made(opened: &Opened, key: &str) -> Result<Table, Failure> {
    let chosen = opened.catalogue.table(key).map_err(|error| {
        // Of a run that cannot be read, its own failure says more than the wrong key.
        keys(&opened.source()).map_or_else(report_failure, |known| {
            Failure::Usage(format!("--table: {error}; this run has {} (`--table list`: all)", known.join(", ")))
        })
    })?;
    more_to_come(opened.folder.in_progress());
    table(&opened.source(), chosen).map_err(|error| match error {
        ReportError::NoRows { .. } => Failure::Usage(format!("--table: {error}")),
        other => report_failure(other),
    })
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
    let opened = Opened::of(arguments)?;
    let outputs = figure(&opened.source(), chosen).map_err(report_failure)?;
    put(arguments, &opened, &outputs)
}

/// Prints the only drawing; writes several, or where `--out` says.
fn put(arguments: &Arguments, opened: &Opened, outputs: &[Output]) -> Result<(), Failure> {
    for output in outputs {
        if let Some(missing) = &output.missing {
            eprintln!("gimbal: {}: nothing to draw: {missing}", output.file);
        }
    }
    if let ([only], None) = (outputs, &arguments.out) {
        print!("{}", only.figure.alone);
        return Ok(());
    }
    let out = opened.out(arguments, "figures")?;
    own_folder(&out)?;
    // An empty figure is not written.
    for output in outputs.iter().filter(|output| output.missing.is_none()) {
        let path = out.join(format!("{}.svg", output.file));
        write_file(&path, &output.figure.alone)?;
        eprintln!("gimbal: {}", path.display());
    }
    Ok(())
}

/// Writes every table and figure, and the page that shows them.
fn everything(arguments: &Arguments) -> Result<(), Failure> {
    let opened = Opened::of(arguments)?;
    let built = Everything::build(&opened.source()).map_err(report_failure)?;
    let out = opened.out(arguments, FOLDER)?;
    let page = built.write(&opened.catalogue, &out).map_err(Failure::external)?;
    let gaps = built.gaps();
    let without = if gaps > 0 { format!(" ({gaps} more have nothing to draw)") } else { String::new() };
    let (tables, figures) = (built.tables.len(), built.figures.len() - gaps);
    println!("{tables} tables and {figures} figures{without} in {}", out.display());
    if !built.empty.is_empty() {
        println!("Not written, since they have no rows in this run: {}", built.empty.join(", "));
    }
    eprintln!("gimbal: the page is {}", page.display());
    Ok(())
}

/// The standard report of a run that has just ended: writes its files; returns the page and the text.
pub fn after_run(folder: RunFolder) -> Result<(PathBuf, String), Failure> {
    let opened = Opened::new(folder, Options::default())?;
    let built = Report::standard(&opened.source()).map_err(report_failure)?;
    let page = built.write(opened.folder.root()).map_err(Failure::external)?;
    Ok((page, built.document().brief(WIDTH)))
}
