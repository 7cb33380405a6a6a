//! Every table and figure of a run, and the page that shows them.

use std::path::{Path, PathBuf};

use gimbal_analysis::Table;
use gimbal_study::read;
use gimbal_view::{Meta, Output, index};

use crate::catalogue::Catalogue;
use crate::error::ReportError;
use crate::files::{self, FileFailure};
use crate::report::with_items;
use crate::source::{Source, applies};

/// Every table and figure of a run.
#[derive(Clone, Debug)]
pub struct Everything {
    /// Facts of the run.
    pub meta: Meta,
    /// The standard tables, then those of the works; those with rows.
    pub tables: Vec<Table>,
    /// Keys of the works' tables without rows in this run.
    pub empty: Vec<&'static str>,
    /// Every figure of the works, those with nothing to draw too.
    pub figures: Vec<Output>,
}

impl Everything {
    /// Makes all of it. Items whose fold has nothing to read in this run are left out.
    ///
    /// # Errors
    /// When the run cannot be read, or the baseline is not in it.
    pub fn build(source: &Source<'_>) -> Result<Self, ReportError> {
        let cells = read::run_cells(source.stored, source.registry);
        let (report, made) = with_items(source, &source.chosen(|item| applies(item, &cells)))?;
        let document = report.document();
        let (filled, bare): (Vec<Table>, Vec<Table>) =
            made.tables.into_iter().partition(|table| !table.rows.is_empty());
        let tables = report.tables().iter().cloned().chain(filled).collect();
        let empty = bare.iter().map(|table| table.key).collect();
        Ok(Self { meta: document.meta.clone(), tables, empty, figures: made.figures })
    }

    /// How many figures have nothing to draw.
    #[must_use]
    pub fn gaps(&self) -> usize {
        self.figures.iter().filter(|output| output.missing.is_some()).count()
    }

    /// Writes `tables/*.csv`, `tables/*.md`, `figures/*.svg` and the page into a folder; returns the page. Tables and
    /// figures of an earlier report with keys of the catalogue are removed.
    ///
    /// # Errors
    /// When a file cannot be written or removed.
    pub fn write(&self, catalogue: &Catalogue, out: &Path) -> Result<PathBuf, FileFailure> {
        self.write_tables(catalogue, &out.join("tables"))?;
        self.write_figures(catalogue, &out.join("figures"))?;
        let page = out.join("index.html");
        files::write(&page, &index(&self.meta, &self.figures, &self.tables))?;
        Ok(page)
    }

    fn write_tables(&self, catalogue: &Catalogue, folder: &Path) -> Result<(), FileFailure> {
        files::own_folder(folder)?;
        let known = catalogue.tables();
        let stale = |name: &str| {
            let stem = name.strip_suffix(".csv").or_else(|| name.strip_suffix(".md"));
            stem.is_some_and(|stem| known.iter().any(|(key, _)| *key == stem))
        };
        files::remove_stale(folder, stale)?;
        for table in &self.tables {
            files::write(&folder.join(format!("{}.csv", table.key)), &table.to_csv())?;
            files::write(&folder.join(format!("{}.md", table.key)), &table.to_markdown())?;
        }
        Ok(())
    }

    fn write_figures(&self, catalogue: &Catalogue, folder: &Path) -> Result<(), FileFailure> {
        files::own_folder(folder)?;
        let known = catalogue.figures();
        let is_own =
            |stem: &str, key: &str| stem.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
        let stale =
            |name: &str| name.strip_suffix(".svg").is_some_and(|stem| known.iter().any(|(key, _)| is_own(stem, key)));
        files::remove_stale(folder, stale)?;
        for output in self.figures.iter().filter(|output| output.missing.is_none()) {
            files::write(&folder.join(format!("{}.svg", output.file)), &output.figure.alone)?;
        }
        Ok(())
    }
}
