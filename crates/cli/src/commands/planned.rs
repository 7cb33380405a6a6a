//! What a plan holds, in words: for `gimbal plan` and dry runs.

use std::collections::BTreeMap;

use gimbal_study::plan::{Plan, StoredArtefact, TrialChange};

use crate::stdio;

/// Cells and episodes, and sessions where they have several trials.
pub(super) fn counted(plan: &Plan) -> String {
    let (cells, episodes) =
        (stdio::count(plan.cells.len(), "cell", "cells"), stdio::count(plan.episodes(), "episode", "episodes"));
    let most = plan.cells.iter().map(|cell| cell.trials_of_session()).max().unwrap_or_default();
    let over = plan.study.episodes.trials.over;
    if most <= 1 && over == TrialChange::Same {
        return format!("{cells}, {episodes}");
    }
    let sessions: u64 = plan.cells.iter().map(|cell| plan.sessions_of(cell)).sum();
    let sessions = stdio::count(sessions, "session", "sessions");
    let fewest = plan.cells.iter().map(|cell| cell.trials_of_session()).min().unwrap_or_default();
    let trials =
        if fewest == most { stdio::count(most, "trial", "trials") } else { format!("{fewest} to {most} trials") };
    let over = match over {
        TrialChange::Same => "of the same episode",
        TrialChange::Seeds => "over seeds",
        TrialChange::Tasks => "over tasks",
    };
    format!("{cells}, {episodes} in {sessions} of {trials} {over}")
}

/// A line for each artefact, with the configurations that it is given to.
pub(super) fn artefacts(plan: &Plan) -> Vec<String> {
    let mut given: BTreeMap<(String, String), (StoredArtefact, Vec<&str>)> = BTreeMap::new();
    for cell in &plan.cells {
        for artefact in cell.artefacts.stored() {
            let (_, to) =
                given.entry((artefact.name.clone(), artefact.file.clone())).or_insert_with(|| (artefact, Vec::new()));
            if !to.contains(&cell.info.configuration.as_str()) {
                to.push(&cell.info.configuration);
            }
        }
    }
    let line = |(artefact, to): (StoredArtefact, Vec<&str>)| {
        let StoredArtefact { name, file, digest, bytes } = artefact;
        format!("artefact `{name}` for {}: {file}, {bytes} bytes, SHA-256 {}", to.join(", "), digest.short())
    };
    given.into_values().map(line).collect()
}
