//! The only place that reads run folders for reports.

use gimbal_analysis::recovery::Recoveries;
use gimbal_analysis::{Analysis, BaselineChoice, Bill, CellInfo, Options, PastCell, Rows};
use gimbal_study::plan::Stored;
use gimbal_study::read;
use gimbal_view::work::{Inputs, Needs, StoredRecord};

use crate::error::ReportError;
use crate::source::Source;

/// Reads what `needs` names and `inputs` lacks.
pub fn fill(inputs: &mut Inputs, source: &Source<'_>, needs: Needs) -> Result<(), ReportError> {
    if needs.results && inputs.results.is_none() {
        inputs.results = Some(results(source)?);
    }
    if needs.traces && inputs.traces.is_none() {
        inputs.traces = Some(read::traces(source.folder, source.stored)?);
    }
    if needs.cycles && inputs.cycles.is_none() {
        inputs.cycles = Some(read::cycles_among(source.folder, source.stored, source.registry)?);
    }
    Ok(())
}

/// Reads the records of these kinds that `inputs` lacks.
pub fn fill_records(inputs: &mut Inputs, source: &Source<'_>, kinds: &[&'static str]) -> Result<(), ReportError> {
    let missing: Vec<&str> = kinds.iter().copied().filter(|kind| !inputs.records.contains_key(*kind)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    for kind in &missing {
        inputs.records.insert((*kind).to_owned(), Vec::new());
    }
    read::each_stored_record(source.folder, &missing, |id, kind, data| {
        let record = StoredRecord { cell: id.cell.clone(), episode: id.name(), data: data.to_owned() };
        inputs.records.entry(kind.to_owned()).or_default().push(record);
    })?;
    Ok(())
}

/// Rows of episodes and their analysis.
pub fn results(source: &Source<'_>) -> Result<(Rows, Analysis), ReportError> {
    let rows = read::load_rows(source.folder)?;
    let analysis = Analysis::new(&rows, &options(source, &rows)?)?;
    Ok((rows, analysis))
}

/// Whether controllers of this run work on task graphs.
pub fn has_graphs(stored: &Stored) -> bool {
    read::has_graphs(stored)
}

/// What the standard report shows beside rows and their analysis.
pub struct Books {
    /// One hash over all episodes.
    pub digest: String,
    /// Bill of the whole run.
    pub bill: Bill,
    /// What followed the injected faults.
    pub recoveries: Recoveries,
    /// Cells that are no longer in the study.
    pub past: Vec<PastCell>,
    /// Limits of episodes in words, with the number of episodes that were played under each.
    pub limits: Vec<(String, u64)>,
}

impl Books {
    /// Reads them.
    pub fn read(source: &Source<'_>) -> Result<Self, ReportError> {
        let (folder, stored) = (source.folder, source.stored);
        Ok(Self {
            digest: read::digest(folder)?.to_string(),
            bill: read::bill(folder, stored)?,
            recoveries: read::recovery(folder)?,
            past: read::past(folder, stored)?,
            limits: read::limits(folder, stored)?,
        })
    }
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
