//! The study as a run folder keeps it, and whether another version of it may continue the run.

use std::path::Path;

use crate::plan::{Plan, Stored};
use crate::run::{RunError, RunFolder, Writable};

/// The notice where the study has changed since the run began and no episode is lost.
pub(super) fn changed(changes: &[String]) -> String {
    format!(
        "the study has changed since this run began: {}; finished episodes of cells that are no longer in it are kept and \
         shown apart",
        changes.join("; ")
    )
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
    let changes = before.changes(&now);
    Ok((!changes.is_empty()).then(|| changed(&changes)))
}

/// Writes the study as resolved, after looking whether an earlier run may go on as this study; with what has changed.
pub(super) async fn keep_study(plan: &Plan, writable: &Writable) -> Result<(Stored, Vec<String>), RunError> {
    let mut now = Stored::of(plan);
    let mut changes = Vec::new();
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
        changes = before.changes(&now);
        now = before.merged(&now, until);
        if now == before {
            return Ok((now, changes));
        }
    }
    writable.write_study(&now.to_text())?;
    Ok((now, changes))
}
