//! The only place that reads run folders for reports: once for each report.

use gimbal_analysis::detect::Detector;
use gimbal_analysis::profile::TraceFold;
use gimbal_analysis::recovery::Recoveries;
use gimbal_analysis::stored_records::RecordFold;
use gimbal_analysis::work_folds::WorkFolds;
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
    let mut items = ItemFolds::new(source, chosen);
    if needs(chosen).results {
        let mut plans = read::plan_fold(source.stored, source.registry);
        let mut folds = items.list();
        folds.push(&mut plans);
        let Reading { rows, .. } = read::read(source.folder, source.stored, &mut folds)?;
        let analysis = analysed(source, &rows)?.with_plans(&plans.finish());
        return Ok(Inputs { results: Some((rows, analysis)), ..items.finish() });
    }
    Episodes::of(source.folder, source.stored).pass(|_| true, &mut items.list())?;
    Ok(items.finish())
}

/// Reads what the standard report and these items are made from.
pub fn of_report(source: &Source<'_>, chosen: &[Listed]) -> Result<(Inputs, Standard), ReportError> {
    let mut items = ItemFolds::new(source, chosen);
    let mut recoveries = read::recovery_fold(source.stored);
    let mut plans = read::plan_fold(source.stored, source.registry);
    let mut folds = items.list();
    folds.push(&mut recoveries);
    folds.push(&mut plans);
    let Reading { rows, books } = read::read(source.folder, source.stored, &mut folds)?;
    let analysis = analysed(source, &rows)?.with_plans(&plans.finish());
    let standard = Standard { analysis: analysis.clone(), books, recoveries: recoveries.finish() };
    Ok((Inputs { results: Some((rows, analysis)), ..items.finish() }, standard))
}

/// What these items need together.
fn needs(chosen: &[Listed]) -> Needs {
    chosen.iter().fold(Needs::NONE, |needs, listed| needs.and(listed.item.needs))
}

/// The detectors of the works of these items, each work's once.
fn detectors(chosen: &[Listed]) -> Vec<Detector> {
    let mut works: Vec<&'static dyn Work> = Vec::new();
    for listed in chosen.iter().filter(|listed| listed.item.needs.traces) {
        if !works.iter().any(|work| work.name() == listed.work.name()) {
            works.push(listed.work);
        }
    }
    works.into_iter().flat_map(|work| work.detectors()).copied().collect()
}

/// The folds over journals that items need.
struct ItemFolds<'s> {
    traces: Option<TraceFold>,
    works: WorkFolds<'s>,
    records: RecordFold,
}

impl<'s> ItemFolds<'s> {
    fn new(source: &Source<'s>, chosen: &[Listed]) -> Self {
        let (needs, stored, registry) = (needs(chosen), source.stored, source.registry);
        let sources = chosen.iter().filter_map(|listed| listed.item.records);
        let folds = chosen.iter().filter_map(|listed| listed.item.needs.fold);
        Self {
            traces: needs.traces.then(|| {
                read::trace_fold(stored).watched_by(detectors(chosen)).counted_by(source.options.tokenizer.clone())
            }),
            works: WorkFolds::new(folds, &read::run_cells(stored, registry)),
            records: RecordFold::new(sources),
        }
    }

    fn list(&mut self) -> Vec<&mut Fold<'s>> {
        let mut folds: Vec<&mut Fold<'s>> = Vec::new();
        folds.extend(self.traces.as_mut().map(|fold| fold as &mut Fold<'s>));
        folds.push(&mut self.works);
        folds.push(&mut self.records);
        folds
    }

    fn finish(self) -> Inputs {
        Inputs {
            results: None,
            traces: self.traces.map(TraceFold::finish),
            folds: self.works.finish(),
            records: self.records.finish(),
        }
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
