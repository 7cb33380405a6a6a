//! Cells: every environment with every architecture, role set and fault set, each combination once.

use std::collections::BTreeMap;
use std::sync::Arc;

use gimbal_analysis::{self as row, CellInfo, RoleModel};
use gimbal_core::yaml::Location;
use gimbal_core::{Architecture, Digest, RoleSettings};
use gimbal_model::{ModelFacts, ModelKind};
use serde_json::{Value, json};

use super::named::Built;
use super::roles::RoleMap;
use crate::plan::alone::{self, Merged};
use crate::plan::cells::{Cell, EnvironmentPart};
use crate::plan::error::{Problem, Problems};
use crate::plan::faults::FaultSet;
use crate::plan::file::{Count, StudyFile, Trials};
use crate::plan::hashed::Hashed;
use crate::plan::labels;
use crate::plan::masks::{self, Decided};

pub(super) fn cells(
    study: &StudyFile,
    environments: &[Arc<EnvironmentPart>],
    built: &[Built],
    role_sets: &[(RoleMap, Location)],
    (models, warnings): (&masks::Models, &mut Vec<String>),
) -> Result<Vec<Cell>, Problems> {
    let mut problems = Problems::default();
    let mut cells: Vec<Cell> = Vec::new();
    // By what decides the episodes: the place of the cell, and its entries: environment, architecture, who answers.
    let mut by_play: BTreeMap<Digest, (usize, (usize, usize, String))> = BTreeMap::new();
    let mut by_id: BTreeMap<String, usize> = BTreeMap::new();
    let several = (environments.len() > 1, role_sets.len() > 1);
    let no_faults = [FaultSet::default()];
    let fault_sets = if study.faults.is_empty() { &no_faults[..] } else { &study.faults };
    for (part, environment) in environments.iter().enumerate() {
        let offers = environment.family.offers();
        for (number, built) in built.iter().enumerate() {
            let unmet = built.needs.unmet(&offers);
            if !unmet.is_empty() {
                let what = format!("`{}` does not fit `{}`: {}", built.label, environment.label, unmet.join("; "));
                problems.0.push(Problem::at(&study.file, built.variant.node.at, what));
                continue;
            }
            let asked: Vec<&String> = built.needs.roles.iter().chain(&offers.asks).collect();
            let no_roles: [(RoleMap, Location); 1] = [(BTreeMap::new(), built.variant.node.at)];
            let sets = if asked.is_empty() { &no_roles[..] } else { role_sets };
            if sets.is_empty() {
                let what = format!(
                    "`{}` asks a model: name one under `roles`, e.g. `- {{ default: local/smollm2-135m }}`",
                    built.label
                );
                problems.0.push(Problem::at(&study.file, built.variant.node.at, what));
            }
            let mut merged = Merged::default();
            for (roles, at) in sets {
                if let Some(role) =
                    asked.iter().find(|role| !roles.contains_key(role.as_str()) && !roles.contains_key("default"))
                {
                    let what = format!(
                        "`{}` in `{}` asks the role `{role}`, and this entry names no model for it; add `{role}` or `default`",
                        built.label, environment.label
                    );
                    problems.0.push(Problem::at(&study.file, *at, what));
                    continue;
                }
                let settings: BTreeMap<String, RoleSettings> =
                    roles.iter().map(|(role, (settings, _))| (role.clone(), settings.clone())).collect();
                let settings = alone::used(&settings, &asked);
                let (label, grammars, by_environment) = (&built.label, &built.needs.grammars, &offers.asks);
                let masked = masks::Asked { label, grammars, by_environment, native: &built.needs.native };
                let Decided { roles: played, problems: mut refused, warnings: own_warnings } =
                    masks::decided(&settings, &masked, models);
                refused.extend(masks::native(label, &built.needs.native, &settings, models));
                let refused = refused.into_iter().map(|what| Problem::at(&study.file, *at, what));
                problems.0.extend(refused.filter(|problem| !problems.0.contains(problem)).collect::<Vec<_>>());
                for words in own_warnings {
                    if !warnings.contains(&words) {
                        warnings.push(words);
                    }
                }
                let entry = (part, number, alone::answered(&played, &asked));
                let own = built.architecture.for_models(&by_role(&played, &asked));
                let settings = own
                    .as_ref()
                    .map_or_else(|| Arc::clone(&built.settings), |own| Arc::new(Hashed::new(own.resolved())));
                let architecture = own.unwrap_or_else(|| Arc::clone(&built.architecture));
                if let Some(what) = misfit(environment, built, &*architecture) {
                    let problem = Problem::at(&study.file, built.variant.node.place("graph"), what);
                    if !problems.0.contains(&problem) {
                        problems.0.push(problem);
                    }
                    continue;
                }
                for written in fault_sets {
                    let possible = alone::possible(&written.faults, &built.needs, &offers);
                    let idle = possible.is_none() && !written.faults.is_none();
                    if idle {
                        merged.idle(written, &built.needs, &offers);
                    }
                    let faults = if idle { &no_faults[0] } else { written };
                    let trials = study.episodes.trials;
                    let architecture = (&architecture, &settings);
                    let parts = Parts { environment, built, architecture, roles: &played, faults, trials };
                    let mut cell = cell(&parts, &models.facts, several);
                    cell.place = cells.len();
                    let answering = alone::answering(&cell.identities, &asked);
                    // What decides the episodes of a cell, whatever names it was written under.
                    let play = cell.hash_with(&answering, &possible);
                    if by_play.get(&play).is_some_and(|(_, of)| *of == entry) {
                        merged.same(!idle);
                        continue;
                    }
                    merged.own();
                    if let Some(twin) = by_id.get(&cell.info.id).map(|twin| &cells[*twin]) {
                        let what = if twin.key == cell.key {
                            format!("duplicate cell `{}` in the study; drop one", cell.info.id)
                        } else {
                            format!("two cells would be called `{}`; give one architecture a `name`", cell.info.id)
                        };
                        problems.0.push(Problem::at(&study.file, built.variant.node.at, what));
                        continue;
                    }
                    if let Some(twin) = by_play.get(&play).map(|(twin, _)| &cells[*twin]) {
                        let what = format!(
                            "the cells `{}` and `{}` differ in their names only, so that their episodes would be the \
                             same; drop one",
                            twin.info.id, cell.info.id
                        );
                        problems.0.push(Problem::at(&study.file, built.variant.node.at, what));
                        continue;
                    }
                    by_id.insert(cell.info.id.clone(), cells.len());
                    by_play.insert(play, (cells.len(), entry.clone()));
                    cells.push(cell);
                }
            }
            warnings.extend(merged.words(&built.label, &environment.label, &asked));
        }
    }
    problems.none()?;
    Ok(cells)
}

/// Why an architecture cannot be played with the tools of an environment, and what to change; `None` if it can. An environment that cannot be
/// opened is for the run to report.
fn misfit(environment: &EnvironmentPart, built: &Built, architecture: &dyn Architecture) -> Option<String> {
    let (family, options) = (&environment.family, &environment.options);
    let tools = || Some(Arc::clone(family.open(options).ok()?.tools()));
    let what = architecture.misfit(family.name(), &tools)?;
    let tools = options.get(TOOLS).map(|value| format!(", or change `{TOOLS}: {value}` of the environment"));
    Some(format!("`{}` does not fit `{}`: {what}{}", built.label, environment.label, tools.unwrap_or_default()))
}

/// The option by which environments change their tools.
const TOOLS: &str = "tools";

/// The model that answers each role that is asked.
fn by_role(roles: &BTreeMap<String, RoleSettings>, asked: &[&String]) -> BTreeMap<String, String> {
    let model = |role: &str| roles.get(role).or_else(|| roles.get("default")).map(|own| own.model.clone());
    asked.iter().filter_map(|role| Some(((*role).clone(), model(role)?))).collect()
}

/// What a cell combines.
struct Parts<'a> {
    environment: &'a Arc<EnvironmentPart>,
    built: &'a Built,
    /// With what it resolved.
    architecture: (&'a Arc<dyn Architecture>, &'a Arc<Hashed>),
    roles: &'a BTreeMap<String, RoleSettings>,
    faults: &'a FaultSet,
    trials: Trials,
}

fn cell(
    parts: &Parts<'_>,
    facts: &BTreeMap<String, ModelFacts>,
    (several_environments, several_roles): (bool, bool),
) -> Cell {
    let Parts { environment, built, architecture: (architecture, settings), faults, .. } = *parts;
    let roles = parts.roles.clone();
    let mut id = built.label.clone();
    if several_environments {
        id = format!("{} | {id}", environment.label);
    }
    if several_roles && !roles.is_empty() {
        id = format!("{id} | {}", labels::roles(&roles));
    }
    // A cell with faults never has the name of the one without.
    if !faults.label.is_empty() {
        id = format!("{id} | {}", faults.label);
    }
    let identities: serde_json::Map<String, Value> = roles
        .iter()
        .map(|(role, settings)| {
            let identity = facts.get(&settings.model).map_or(Value::Null, |facts| facts.identity.clone());
            // A seed may not fit a double, and canonical numbers are doubles.
            let seed = settings.sampling.seed.map(|seed| seed.to_string());
            let mut sampling = json!({
                "max_output_tokens": settings.sampling.max_output_tokens, "seed": seed,
                "temperature": settings.sampling.temperature, "top_p": settings.sampling.top_p,
            });
            let provider = &settings.sampling.provider;
            if !provider.is_default() {
                // As text: a body of one's own may hold numbers that canonical JSON has no room for.
                sampling["provider"] = json!({
                    "extra_body": Value::Object(provider.extra_body.clone()).to_string(),
                    "extra_headers": provider.extra_headers, "reasoning_effort": provider.reasoning_effort,
                    "stop": provider.stop,
                });
            }
            (role.clone(), json!({ "decoding": settings.decoding, "model": identity, "sampling": sampling }))
        })
        .collect();
    let info = CellInfo {
        id,
        environment: environment.label.clone(),
        configuration: built.label.clone(),
        axis: built.variant.axis.clone(),
        models: roles
            .iter()
            .map(|(role, settings)| RoleModel { role: role.clone(), model: settings.model.clone() })
            .collect(),
        decoding: row::CellDecoding::of(roles.values().map(|settings| settings.decoding)),
        kind: kind(&roles, facts),
        plumbing: roles.values().find_map(|settings| facts.get(&settings.model)?.plumbing.clone()),
        planned: 0,
        thresholds: row::Thresholds::default(),
        faults: faults.label.clone(),
        simulator: built.needs.simulator,
        acts_by_messages: architecture.acts_by_messages(),
    };
    let mut cell = Cell {
        place: 0,
        info,
        key: Default::default(),
        environment: Arc::clone(environment),
        base: built.variant.base.clone(),
        architecture: Arc::clone(architecture),
        settings: Arc::clone(settings),
        roles,
        identities: Value::Object(identities),
        faults: faults.faults.clone(),
        artefacts: built.artefacts.clone(),
        count: Count { runs: 1, block: None },
        trials: parts.trials,
    };
    cell.key = cell.hash_with(&cell.identities, &cell.faults);
    cell
}

/// The kind of player: of several roles, the one that is furthest from a language model decides.
fn kind(roles: &BTreeMap<String, RoleSettings>, facts: &BTreeMap<String, ModelFacts>) -> row::Kind {
    let kinds = roles.values().filter_map(|settings| facts.get(&settings.model)).map(|facts| match facts.kind {
        ModelKind::Scripted => (0, row::Kind::Scripted),
        ModelKind::Noisy => (1, row::Kind::NoisyExpert),
        ModelKind::Reader => (2, row::Kind::Reader),
        ModelKind::Replayed => (3, row::Kind::Replayed),
        ModelKind::Embedded => (4, row::Kind::Embedded),
        ModelKind::Remote => (5, row::Kind::Remote),
    });
    kinds.min_by_key(|(rank, _)| *rank).map_or(row::Kind::Baseline, |(_, kind)| kind)
}
