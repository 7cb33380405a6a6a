//! How often each cell is played, which cells the command line chooses, and the bounds of a plan.

use std::collections::BTreeSet;
use std::sync::Arc;

use gimbal_core::nearest;
use gimbal_core::yaml::Location;

use crate::plan::cells::{Cell, EnvironmentPart, Plan};
use crate::plan::error::{Problem, Problems};
use crate::plan::file::{Extended, StudyFile, TrialChange, Trials};
use crate::plan::options::Options;

/// Says how often each cell's tasks are run. An entry that names no cell is a mistake.
pub(super) fn count(study: &StudyFile, cells: &mut [Cell]) -> Result<(), Problems> {
    let mut problems = Problems::default();
    cells.iter_mut().for_each(|cell| cell.count = study.episodes.count());
    // Models that the command line replaced: entries for them apply to no cell.
    let written = study.roles.iter().flat_map(|set| set.roles.values()).map(|(settings, _)| settings.model.as_str());
    let gone: BTreeSet<&str> =
        written.filter(|name| !cells.iter().any(|cell| models_of(cell).contains(name))).collect();
    for entry in &study.episodes.extended {
        if entry.model.as_ref().is_some_and(|(name, _)| gone.contains(name.as_str())) {
            continue;
        }
        let before = problems.0.len();
        for (named, of, word) in [
            (&entry.configuration, configurations as fn(&Cell) -> Vec<&str>, "configuration"),
            (&entry.model, models_of, "model"),
        ] {
            let Some((name, at)) = named else { continue };
            let known: BTreeSet<&str> = cells.iter().flat_map(of).collect();
            if !known.contains(name.as_str()) {
                let hint = nearest::hint_among(name, &known.into_iter().collect::<Vec<_>>());
                let what = format!("`extended`: no cell of this study has the {word} `{name}`{hint}");
                problems.0.push(Problem::at(&study.file, *at, what));
            }
        }
        let mut found = false;
        for cell in cells.iter_mut().filter(|cell| names(entry, cell)) {
            (cell.count, found) = (study.episodes.count_of(entry), true);
        }
        if !found && problems.0.len() == before {
            let what = "`extended`: no cell of this study has both this configuration and this model";
            problems.0.push(Problem::at(&study.file, entry.at, what));
        }
    }
    problems.none()
}

fn configurations(cell: &Cell) -> Vec<&str> {
    vec![&cell.info.configuration]
}

fn models_of(cell: &Cell) -> Vec<&str> {
    cell.roles.values().map(|settings| settings.model.as_str()).collect()
}

fn names(entry: &Extended, cell: &Cell) -> bool {
    let one_of = |named: &Option<(String, Location)>, of: Vec<&str>| {
        named.as_ref().is_none_or(|(name, _)| of.contains(&name.as_str()))
    };
    one_of(&entry.configuration, configurations(cell)) && one_of(&entry.model, models_of(cell))
}

/// Refuses sessions that go over more tasks than an environment has.
pub(super) fn check_trials(study: &StudyFile, environments: &[Arc<EnvironmentPart>], problems: &mut Problems) {
    let Trials { number: Some(number), over: TrialChange::Tasks } = study.episodes.trials else { return };
    for part in environments {
        let tasks = part.tasks.len();
        if number as usize > tasks {
            let what = format!(
                "`trials` has the number {number}, and a session goes over each task of `{}` once, which are {tasks} here: \
                 lower the number, or leave it out for all tasks",
                part.label
            );
            problems.0.push(Problem::at(&study.file, study.episodes.counted_at, what));
        }
    }
}

/// Most episodes of a study: a larger number is taken for a typing mistake, which would cost hours.
const MOST_EPISODES: u64 = 10_000_000;

pub(super) fn check_size(plan: &Plan, options: &Options) -> Result<(), Problems> {
    let (file, counts) = (&plan.study.file, &plan.study.episodes);
    let all = || plan.cells.iter().chain(&plan.left_out);
    let asked = all().map(Cell::episodes).fold(0, u64::saturating_add);
    if asked <= MOST_EPISODES {
        return Ok(());
    }
    let runs = plan.runs;
    let of_a_run = match counts.trials {
        Trials { number: Some(trials), over: TrialChange::Same | TrialChange::Seeds } => {
            let tasks: u64 = all().map(|cell| cell.environment.tasks.len() as u64).sum();
            format!("{trials} trials x {tasks} tasks of all cells")
        }
        _ => format!("{} tasks of all cells", all().map(|cell| u64::from(cell.trials_of_session())).sum::<u64>()),
    };
    let what = format!(
        "{runs} runs x {of_a_run} are {asked} episodes, and a study has at most {MOST_EPISODES}: lower `runs` or `trials`, \
         or split the study"
    );
    if options.add_runs > counts.count().runs {
        return Err(Problem::new("--add-runs", what).into());
    }
    Err(Problem::at(file, counts.counted_at, what).into())
}

pub(super) fn choose(
    study: &StudyFile,
    cells: Vec<Cell>,
    options: &Options,
) -> Result<(Vec<Cell>, Vec<Cell>), Problems> {
    if options.only.is_empty() {
        return Ok((cells, Vec::new()));
    }
    // A whole name counts before a part of one: `obs` is not `obs+hist` where both exist.
    let whole = |cell: &Cell, name: &str| cell.info.id == name || cell.info.configuration == name;
    let named = |cell: &Cell, name: &String| {
        if cells.iter().any(|cell| whole(cell, name)) { whole(cell, name) } else { cell.info.id.contains(name) }
    };
    for name in &options.only {
        if !cells.iter().any(|cell| named(cell, name)) {
            let ids: Vec<&str> = cells.iter().map(|cell| cell.info.id.as_str()).collect();
            let hint = nearest::hint_among(name, &ids);
            let what = format!("`{}` has no cell `{name}`{hint}", study.name);
            return Err(Problem::new("--only", what).into());
        }
    }
    let wanted: Vec<bool> = cells.iter().map(|cell| options.only.iter().any(|name| named(cell, name))).collect();
    let mut wanted = wanted.into_iter();
    Ok(cells.into_iter().partition(|_| wanted.next().unwrap_or(false)))
}

pub(super) fn check_baseline(study: &StudyFile, cells: &[Cell], left_out: &[Cell]) -> Result<(), Problems> {
    let Some((label, at)) = &study.baseline else { return Ok(()) };
    let all =
        || cells.iter().chain(left_out).flat_map(|cell| [cell.info.id.as_str(), cell.info.configuration.as_str()]);
    if all().any(|known| known == label) {
        return Ok(());
    }
    let known: BTreeSet<&str> = all().collect();
    let hint = nearest::hint_among(label, &known.into_iter().collect::<Vec<_>>());
    Err(Problem::at(&study.file, *at, format!("`baseline`: there is no cell `{label}`{hint}")).into())
}
