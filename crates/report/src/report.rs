//! The report of a run, and the files that it becomes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gimbal_analysis::rescore::{self, TokenPrice};
use gimbal_analysis::{Analysis, Rows, Table, printable_lines, tables};
use gimbal_model::Price;
use gimbal_study::read;
use gimbal_view::work::Item;
use gimbal_view::{Figure, Report as Document};

use crate::catalogue::Listed;
use crate::error::ReportError;
use crate::files::{self, FileFailure};
use crate::inputs::{self, Standard};
use crate::make::{Made, make};
use crate::meta::meta;
use crate::source::{Source, applies};

/// Columns of tables on a terminal.
pub const WIDTH: usize = 120;

/// Key of the table of scores with tokens weighted by price.
const RESCORED: &str = "rescored";

/// A run in tables, figures and one sentence.
#[derive(Clone, Debug)]
pub struct Report {
    document: Document,
    /// Rows of episodes, for the logs among the files.
    rows: Rows,
    /// The study file as it was written.
    study: String,
}

impl Report {
    /// The report with the tables of works that have rows in this run.
    ///
    /// # Errors
    /// When the run cannot be read, or the baseline is not in it.
    pub fn build(source: &Source<'_>) -> Result<Self, ReportError> {
        let models = source.stored.cells.iter().any(|cell| !cell.info.models.is_empty());
        let cells = read::run_cells(source.stored, source.registry);
        // A run without models has no traces of agents, and folds of works know what they are about: other journals are not opened.
        let wanted = |item: &Item| item.in_report && (models || !item.needs.traces);
        let chosen = source.chosen(|item| wanted(item) && applies(item, &cells));
        let (mut report, made) = with_items(source, &chosen)?;
        report.document = report.document.with_tables(made.tables.into_iter().filter(|table| !table.rows.is_empty()));
        Ok(report)
    }

    /// The report with the tables that every run has, without those of works.
    ///
    /// # Errors
    /// Those of [`Report::build`].
    pub fn standard(source: &Source<'_>) -> Result<Self, ReportError> {
        Ok(with_items(source, &[])?.0)
    }

    /// What the run can and cannot tell, in one sentence.
    #[must_use]
    pub fn sentence(&self) -> &str {
        &self.document.sentence
    }

    /// Tables in reading order; the first is the main one.
    #[must_use]
    pub fn tables(&self) -> &[Table] {
        &self.document.tables
    }

    /// Figures in reading order.
    #[must_use]
    pub fn figures(&self) -> &[Figure] {
        &self.document.figures
    }

    /// One self-contained HTML page.
    #[must_use]
    pub fn page(&self) -> String {
        self.document.html()
    }

    /// The same as text, Markdown, CSV and JSON.
    #[must_use]
    pub const fn document(&self) -> &Document {
        &self.document
    }

    /// Writes every form into a folder; returns the page.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, out: &Path) -> Result<PathBuf, FileFailure> {
        let built = &self.document;
        files::folder(out)?;
        // The study as the user wrote it is beside its results (BOG-146).
        files::write(&out.join("study-as-written.yaml"), &self.study)?;
        let page = out.join("report.html");
        files::write(&page, &built.html())?;
        files::write(&out.join("report.md"), &built.markdown())?;
        files::write(&out.join("report.csv"), &built.csv())?;
        // The main table is report.csv; a table of an earlier report that has no rows any more must not stay.
        for key in tables::KEYS.iter().skip(1) {
            let file = out.join(format!("report-{key}.csv"));
            match built.csv_of(key) {
                Some(text) => files::write(&file, &text)?,
                None => files::remove(&file)?,
            }
        }
        // What every instance and episode left, as files alone (BOG-146).
        let (instances, tokens) = (tables::instances(&self.rows), tables::token_log(&self.rows));
        files::write(&out.join(format!("report-{}.csv", instances.key)), &instances.to_csv())?;
        files::write(&out.join(format!("report-{}.csv", tokens.key)), &tokens.to_csv())?;
        files::write(&out.join("report.json"), &printable_lines(&format!("{:#}\n", built.json())))?;
        files::write(&out.join("report.txt"), &built.text(WIDTH))?;
        for figure in &built.figures {
            files::write(&out.join(format!("figure-{}.svg", figure.name)), &figure.alone)?;
        }
        Ok(page)
    }
}

/// The standard report with items of works, which are in the order of the catalogue. The run folder is read once for both.
pub fn with_items(source: &Source<'_>, chosen: &[Listed]) -> Result<(Report, Made), ReportError> {
    let (inputs, Standard { analysis, books, recoveries }) = inputs::of_report(source, chosen)?;
    let made = make(source, &inputs, chosen)?;
    let rows = inputs.results.map(|(rows, _)| rows).unwrap_or_default();
    let meta = meta(source.folder, source.stored, &books);
    let prices = source.options.prices.as_ref().unwrap_or(&source.stored.prices);
    let rescored = rescored(&analysis, prices);
    let document = Document::of(analysis, meta)
        .with_faults(&rows, &recoveries)
        .with_past(&books.past)
        .with_unbilled(books.unbilled)
        .with_tables(rescored)
        .with_bill(&books.bill);
    Ok((Report { document, rows, study: source.stored.text.clone() }, made))
}

/// Scores with tokens weighted by price; `None` where prices are unknown.
fn rescored(analysis: &Analysis, prices: &BTreeMap<String, Price>) -> Option<Table> {
    let prices: BTreeMap<String, TokenPrice> = prices
        .iter()
        .filter_map(|(name, price)| {
            let band = price.bands.first()?;
            Some((name.clone(), TokenPrice { input: band.input as f64, output: band.output as f64 }))
        })
        .collect();
    let table = rescore::table(analysis, &prices);
    debug_assert!(table.as_ref().is_none_or(|table| table.key == RESCORED));
    table
}
