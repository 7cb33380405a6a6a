//! The only place that reads run folders for reports: once for each report.

use gimbal_analysis::profile::TraceFold;
use gimbal_analysis::recovery::Recoveries;
use gimbal_analysis::work_folds::{FoldStates, WorkFolds};
use gimbal_analysis::{Analysis, BaselineChoice, CellInfo, Options, Rows};
use gimbal_study::read::{self, Books, Episodes, Fold, Reading};
use gimbal_view::work::{Inputs, Needs, Work};

use crate::catalogue::Listed;
use crate::error::ReportError;
use crate::source::Source;

/// What the standard report shows beside what items of works are made from.
pub struct Standard {
    /// The numbers behind everything.
    pub analysis: Analysis,
    /// Digest, bill, past cells and limits.
    pub books: Books,
    /// What followed the injected faults.
    pub recoveries: Recoveries,
}

/// Reads what these items are made from. A journal that none needs is not opened.
pub fn of_items(source: &Source<'_>, chosen: &[Listed]) -> Result<Inputs, ReportError> {
    let results = needs(chosen).results;
    let mut items = ItemFolds::new(source, chosen, results);
    if results {
        let Reading { rows, .. } = read::read(source.folder, source.stored, &mut items.list())?;
        let inputs = items.finish();
        let analysis = marked(source, analysed(source, &rows)?, &inputs.folds);
        return Ok(Inputs { results: Some((rows, analysis)), ..inputs });
    }
    Episodes::of(source.folder, source.stored).pass(|_| true, &mut items.list())?;
    Ok(items.finish())
}

/// Reads what the standard report and these items are made from.
pub fn of_report(source: &Source<'_>, chosen: &[Listed]) -> Result<(Inputs, Standard), ReportError> {
    let mut items = ItemFolds::new(source, chosen, true);
    let mut recoveries = read::recovery_fold(source.stored);
    let mut folds = items.list();
    folds.push(&mut recoveries);
    let Reading { rows, books } = read::read(source.folder, source.stored, &mut folds)?;
    let inputs = items.finish();
    let analysis = marked(source, analysed(source, &rows)?, &inputs.folds);
    let standard = Standard { analysis: analysis.clone(), books, recoveries: recoveries.finish() };
    Ok((Inputs { results: Some((rows, analysis)), ..inputs }, standard))
}

/// The analysis with what the works of the catalogue mark cells with.
fn marked(source: &Source<'_>, analysis: Analysis, folds: &FoldStates) -> Analysis {
    let sources = source.catalogue.works().filter_map(|work| work.marks());
    sources.fold(analysis, |analysis, marks| analysis.with_marks(&(marks.of)(folds)))
}

/// What these items need together.
fn needs(chosen: &[Listed]) -> Needs {
    chosen.iter().fold(Needs::NONE, |needs, listed| needs.and(listed.item.needs))
}

/// The works whose items need traces.
fn tracing(chosen: &[Listed]) -> Vec<&'static dyn Work> {
    let mut works: Vec<&'static dyn Work> = Vec::new();
    for listed in chosen.iter().filter(|listed| listed.item.needs.traces) {
        if !works.iter().any(|work| work.name() == listed.work.name()) {
            works.push(listed.work);
        }
    }
    works
}

/// The folds over journals that items need.
struct ItemFolds<'s> {
    traces: Option<TraceFold>,
    works: WorkFolds<'s>,
}

impl<'s> ItemFolds<'s> {
    /// `has_results`: whether rows are analysed too, so that works mark their cells.
    fn new(source: &Source<'s>, chosen: &[Listed], has_results: bool) -> Self {
        let (needs, stored, registry) = (needs(chosen), source.stored, source.registry);
        let marks =
            source.catalogue.works().filter(|_| has_results).filter_map(|work| work.marks()).map(|marks| marks.fold);
        let folds = chosen.iter().filter_map(|listed| listed.item.needs.fold).chain(marks);
        Self {
            traces: needs.traces.then(|| {
                let works = tracing(chosen);
                let detectors = works.iter().flat_map(|work| work.detectors()).copied().collect();
                let measures = works.iter().flat_map(|work| work.measures()).copied().collect();
                read::trace_fold(stored).watched_by(detectors, measures).counted_by(source.options.tokenizer.clone())
            }),
            works: WorkFolds::new(folds, &read::run_cells(stored, registry)),
        }
    }

    fn list(&mut self) -> Vec<&mut Fold<'s>> {
        let mut folds: Vec<&mut Fold<'s>> = Vec::new();
        folds.extend(self.traces.as_mut().map(|fold| fold as &mut Fold<'s>));
        folds.push(&mut self.works);
        folds
    }

    fn finish(self) -> Inputs {
        Inputs { results: None, traces: self.traces.map(TraceFold::finish), folds: self.works.finish() }
    }
}

fn analysed(source: &Source<'_>, rows: &Rows) -> Result<Analysis, ReportError> {
    Ok(Analysis::new(rows, &options(source, rows)?)?)
}

/// How the run is analysed: the baseline is the one that is asked for, else the study's.
fn options(source: &Source<'_>, rows: &Rows) -> Result<Options, ReportError> {
    let asked = source.options.baseline.clone().or_else(|| source.stored.baseline.clone());
    if let Some(label) = &asked {
        let mut known = rows.cells.iter().flat_map(|cell| [cell.configuration.as_str(), cell.id.as_str()]);
        if !known.any(|name| name == label) {
            return Err(ReportError::Baseline(unknown_baseline(label, &rows.cells)));
        }
    }
    let choice = asked.map(|label| match rows.cells.iter().any(|cell| cell.configuration == label) {
        true => BaselineChoice::Configuration(label),
        false => BaselineChoice::Cell(label),
    });
    Ok(Options { baseline: choice, ..Options::default() })
}

/// What to say of a baseline that the run does not have, with those that it has.
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
