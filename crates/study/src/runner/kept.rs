//! The study as a run folder keeps it, and whether another version of it may continue the run.

use std::collections::BTreeSet;
use std::path::Path;

use gimbal_analysis::tables;

use crate::plan::{Plan, Stored};
use crate::run::{RunError, RunFolder, Writable};

/// The notice where the study or the program has changed since the run began and no episode is lost; `None` where nothing
/// has changed.
fn changed(before: &Stored, now: &Stored, folder: &RunFolder) -> Option<String> {
    let (mut cells, mut versions) = (Vec::new(), Vec::new());
    for cell in before.gone(now) {
        let found = now.other_versions(cell);
        if !found.is_empty() {
            cells.push(format!("`{}`", cell.info.id));
        }
        versions.extend(found);
    }
    let mut told = Vec::new();
    let changes = before.changes(now);
    if !changes.is_empty() {
        told.push(format!("the study has changed since this run began: {}", changes.join("; ")));
    }
    if !cells.is_empty() {
        let noun = if cells.len() == 1 { "cell" } else { "cells" };
        let names: Vec<&str> = cells.iter().map(String::as_str).collect();
        told.push(format!(
            "another version of the program played the {noun} {} ({})",
            tables::cells_named(&names),
            tables::versions_named(versions.iter().map(String::as_str))
        ));
    }
    if told.is_empty() {
        return None;
    }
    told.push(match unused(before, now, folder) {
        0 => "finished episodes of cells that are no longer in the study are kept and shown apart".to_owned(),
        1 => "1 finished episode is not reused: it is kept and shown apart".to_owned(),
        many => format!("{many} finished episodes are not reused: they are kept and shown apart"),
    });
    Some(told.join("; "))
}

/// Finished episodes of the cells that are gone; 0 where the index is lost.
fn unused(before: &Stored, now: &Stored, folder: &RunFolder) -> u64 {
    let gone: BTreeSet<&str> = before.gone(now).map(|cell| cell.info.id.as_str()).collect();
    let mut episodes = 0;
    if let Ok(index) = folder.index() {
        // What damage there is, is reported where the run opens the index.
        let _ = index.each(|episode| {
            episodes += u64::from(gone.contains(episode.id.cell.as_str()));
            Ok::<(), rusqlite::Error>(())
        });
    }
    episodes
}

/// What a run of this plan would say of what lies in its folder, without touching it: for dry runs. Nothing where the
/// folder is new or holds this very study.
///
/// # Errors
/// Those with which a run would be refused: another study, another run at work, a file in the folder's place.
pub fn fits(plan: &Plan, root: &Path) -> Result<Option<String>, RunError> {
    match std::fs::metadata(root) {
        Ok(found) if found.is_dir() => {}
        Ok(_) => {
            let error = std::io::Error::from(std::io::ErrorKind::NotADirectory);
            return Err(RunError::io(root, "the run folder cannot be made", &error));
        }
        Err(_) => return Ok(None),
    }
    if !root.join(crate::run::STUDY).is_file() {
        return Ok(None);
    }
    let folder = match RunFolder::open(root) {
        // A run rebuilds it and continues.
        Err(lost @ RunError::IndexLost { .. }) => return Ok(Some(lost.to_string())),
        opened => opened?,
    };
    if folder.in_progress() {
        return Err(RunError::Busy { path: root.to_owned() });
    }
    let (before, now) = (Stored::read(&folder)?, Stored::of(plan));
    before.may_become(&now, root)?;
    Ok(changed(&before, &now, &folder))
}

/// Writes the study as resolved, after looking whether an earlier run may go on as this study; with the notice of what has
/// changed.
pub(super) async fn keep_study(plan: &Plan, writable: &Writable) -> Result<(Stored, Option<String>), RunError> {
    let mut now = Stored::of(plan);
    let mut notice = None;
    for cell in &mut now.cells {
        let planned = plan.cells.iter().chain(&plan.left_out).find(|planned| planned.key == cell.key);
        if let Some(planned) = planned {
            (cell.info.thresholds, cell.actions) = planned.environment.brief_facts().await.unwrap_or_default();
        }
    }
    if writable.begun() {
        let before = Stored::read(writable.folder())?;
        before.may_become(&now, writable.folder().root())?;
        let until = writable.folder().segments()?.last().map_or(0, |(number, _)| *number);
        notice = changed(&before, &now, writable.folder());
        now = before.merged(&now, until);
        if now == before {
            return Ok((now, notice));
        }
    }
    writable.write_study(&now.to_text())?;
    Ok((now, notice))
}
