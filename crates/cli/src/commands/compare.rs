//! `gimbal compare`: two cells, or two episodes, against each other.

use gimbal_report::comparison::{
    CellPair, Comparer, Comparison, ComparisonError, NamedCells, listed, matched, setting,
};
use gimbal_study::plan::{Stored, StoredCell};
use gimbal_study::read;
use gimbal_study::run::{EpisodeId, RunFolder};

use super::{more_to_come, print_json, run_failure, run_folder};
use crate::args::Compare;
use crate::exit::Failure;
use crate::registry::catalogue;

/// What is compared.
enum Side<'a> {
    /// Cells of one name: one, or several that differ in model, environment or faults.
    Cells(Vec<&'a StoredCell>),
    Episode(EpisodeId),
}

/// Prints the comparison, or one after another where the names mean several cells.
pub fn compare(options: &Compare) -> Result<(), Failure> {
    let folder = run_folder(&options.run)?;
    more_to_come(folder.in_progress());
    let stored = Stored::read(&folder).map_err(run_failure)?;
    let agents = catalogue().works().find_map(|work| work.agents()).unwrap_or_default();
    let comparer = Comparer { folder: &folder, stored: &stored, agents };
    let sides = (side(&folder, &stored, &options.first)?, side(&folder, &stored, &options.second)?);
    match sides {
        (Side::Cells(first), Side::Cells(second)) => {
            let one = NamedCells { name: &options.first, cells: &first };
            let other = NamedCells { name: &options.second, cells: &second };
            let pairs = matched(one, other, options.model.as_deref()).map_err(failed)?;
            for (index, pair) in pairs.iter().copied().enumerate() {
                let comparison = comparer.cells(pair, options.pair.as_deref()).map_err(failed)?;
                if !options.json && pairs.len() > 1 {
                    let gap = if index > 0 { "\n" } else { "" };
                    println!("{gap}=== {}", setting(pair));
                }
                show(&comparison, Some(pair), options)?;
            }
            Ok(())
        }
        (Side::Episode(first), Side::Episode(second)) => {
            let comparison = comparer.episodes(&first, &second).map_err(failed)?;
            if !comparison.has_one_seed() {
                eprintln!("gimbal: the two episodes played different seeds: what differs is not the design alone");
            }
            show(&comparison, None, options)
        }
        _ => Err(Failure::Usage(format!(
            "`{}` and `{}`: one is a cell and the other an episode; name two cells, or two episodes",
            options.first, options.second
        ))),
    }
}

fn failed(error: ComparisonError) -> Failure {
    match error {
        ComparisonError::Run(error) => run_failure(error),
        ComparisonError::Missing(what) => Failure::Usage(what),
    }
}

fn show(comparison: &Comparison, cells: Option<CellPair<'_>>, options: &Compare) -> Result<(), Failure> {
    if options.json {
        return print_json(&comparison.json(options.pairs, cells));
    }
    print!("{}", comparison.text(options.pairs));
    Ok(())
}

/// What `wanted` names.
fn side<'a>(folder: &RunFolder, stored: &'a Stored, wanted: &str) -> Result<Side<'a>, Failure> {
    let cells = &stored.cells;
    if let Some(cell) = cells.iter().find(|cell| cell.info.id == wanted) {
        return Ok(Side::Cells(vec![cell]));
    }
    // A number or a whole name is an episode's, though it may be part of a cell's id too.
    if let Ok(episode) = read::trace::find(folder, wanted)
        && (wanted.parse::<usize>().is_ok() || episode.name() == wanted)
    {
        return Ok(Side::Episode(episode.id));
    }
    let labelled: Vec<&StoredCell> = cells.iter().filter(|cell| cell.info.configuration == wanted).collect();
    if !labelled.is_empty() {
        return Ok(Side::Cells(labelled));
    }
    let parts: Vec<&StoredCell> = cells.iter().filter(|cell| cell.info.id.contains(wanted)).collect();
    match parts.as_slice() {
        [_] => return Ok(Side::Cells(parts)),
        [] => {}
        several => {
            return Err(Failure::Usage(format!(
                "`{wanted}` names several cells; write the id of one: {}",
                listed(several)
            )));
        }
    }
    match read::trace::find(folder, wanted) {
        Ok(episode) => Ok(Side::Episode(episode.id)),
        Err(_) => {
            let known = cells.iter().flat_map(|cell| [cell.info.configuration.as_str(), cell.info.id.as_str()]);
            let hint = gimbal_core::nearest::hint(wanted, known);
            let example = cells.first().map_or("cell", |cell| cell.info.id.as_str());
            Err(Failure::Usage(format!(
                "there is no cell or episode `{wanted}` in this run{hint} (`{example}` is a cell, and `gimbal trace RUN` lists the \
                 episodes, such as `{example}/TASK/RUN`)"
            )))
        }
    }
}
