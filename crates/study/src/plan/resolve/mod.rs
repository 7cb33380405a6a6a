//! Resolving a study once: every name is looked up, every setting checked, before anything is played.

mod bounds;
mod chosen;
mod combine;
mod named;
mod roles;

use std::sync::Arc;

use gimbal_core::{Files, nearest};

use self::chosen::{check_baseline, check_size, check_trials, choose, count};
use self::combine::cells;
use self::named::{Schemas, architecture, environment, tell_apart};
use self::roles::{check_price, known_roles, role_sets};
use super::artefacts::Loader;
use super::cells::{EnvironmentPart, Plan};
use super::error::{Problem, Problems};
use super::faults;
use super::file::StudyFile;
use super::masks;
use super::options::Options;
use crate::registry::{ModelSource, Registry};

/// Resolves a study into a plan.
///
/// # Errors
/// Everything that is wrong, each with its place and how to fix it.
pub fn resolve(
    mut study: StudyFile,
    options: &Options,
    registry: &Registry,
    models: &dyn ModelSource,
    files: &dyn Files,
) -> Result<Plan, Problems> {
    let mut problems = Problems::default();
    if options.limit == Some(0) {
        let what = "0 sessions of each cell are none: name at least 1, or leave the option out";
        problems.0.push(Problem::new("--limit", what));
    }
    problems.0.extend(faults::read_texts(&mut study.faults, &study.file, files));
    let mut environments = Vec::new();
    for named in &study.environments {
        environments.extend(problems.note(environment(&study, named, registry)).flatten());
    }
    tell_apart(&study, &mut environments);
    let environments: Vec<Arc<EnvironmentPart>> = environments.into_iter().map(Arc::new).collect();
    check_trials(&study, &environments, &mut problems);
    let (mut built, mut schemas) = (Vec::new(), Schemas::new());
    let mut loader = Loader::new(&study, registry, files);
    for variant in &study.architectures {
        built.extend(problems.note(architecture(&study, variant, (registry, files), (&mut loader, &mut schemas))));
    }
    // What an architecture that could not be built asks for is not known.
    if built.len() == study.architectures.len() {
        problems.0.extend(loader.unasked(&built.iter().map(|built| &built.needs).collect::<Vec<_>>()));
        problems.0.extend(bounds::check(&study, &environments, &built));
    }
    let role_sets = role_sets(&study, options);
    let known = known_roles(&built, &environments);
    let mut known_models = masks::Models::default();
    let mut warnings = Vec::new();
    for (set, _) in &role_sets {
        for (role, (settings, at)) in set {
            if !known.contains(role.as_str()) && problems.0.is_empty() {
                let listed: Vec<&str> = known.iter().copied().collect();
                let hint = nearest::hint_among(role, &listed);
                let what = format!("no architecture or environment of this study asks the role `{role}`{hint}");
                problems.0.push(Problem::at(&study.file, *at, what));
            }
            let traits = models.known(&settings.model);
            if let Some(what) = masks::settings(role, settings, traits.as_ref()) {
                problems.0.push(Problem::at(&study.file, *at, what));
            }
            if let Some(traits) = traits {
                let bound = masks::bound(role, settings, &traits);
                if let Some(words) = bound.filter(|words| !warnings.contains(words)) {
                    warnings.push(words);
                }
                known_models.known.insert(settings.model.clone(), traits);
            }
            if known_models.facts.contains_key(&settings.model) {
                continue;
            }
            let described = models.describe(&settings.model);
            let described = described.map_err(|error| Problem::at(&study.file, *at, error.to_string()));
            if let Some(described) = problems.note(described) {
                problems.note(check_price(&study, &described, *at));
                known_models.facts.insert(settings.model.clone(), described);
            }
        }
    }
    problems.none()?;
    let mut cells = cells(&study, &environments, &built, &role_sets, (&known_models, &mut warnings))?;
    count(&study, &mut cells)?;
    let (cells, left_out) = choose(&study, cells, options)?;
    check_baseline(&study, &cells, &left_out)?;
    let mut plan = Plan {
        runs: study.episodes.count().runs.saturating_add(options.add_runs),
        limit: options.limit,
        limits: study.episode_limits,
        models: known_models.facts,
        overrides: Vec::new(),
        warnings,
        study,
        cells,
        left_out,
    };
    for cell in &mut plan.cells {
        cell.count.runs = cell.count.runs.saturating_add(options.add_runs);
    }
    check_size(&plan, options)?;
    let planned: Vec<u64> = plan.cells.iter().map(|cell| plan.episodes_of(cell)).collect();
    for (cell, planned) in plan.cells.iter_mut().zip(planned) {
        cell.info.planned = u32::try_from(planned).unwrap_or(u32::MAX);
    }
    // Cells that the command line left out are planned as the study writes them.
    for cell in &mut plan.left_out {
        cell.info.planned = u32::try_from(cell.episodes()).unwrap_or(u32::MAX);
    }
    Ok(plan)
}
