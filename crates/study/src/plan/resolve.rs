//! Resolving a study once: every name is looked up, every setting checked, before anything is played.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gimbal_analysis::{self as row, CellInfo, RoleModel};
use gimbal_core::yaml::{At, Node};
use gimbal_core::{Architecture, Decoding, Digest, EnvError, Files, Needs, RoleSettings, TaskId, nearest};
use gimbal_model::{ModelFacts, ModelKind};
use serde_json::{Value, json};

use super::alone::{self, Merged};
use super::cells::{Cell, EnvironmentPart, Plan};
use super::error::{Problem, Problems};
use super::faults::FaultSet;
use super::file::{Count, Extended, Named, StudyFile, Tasks, Variant, sampling_of};
use super::labels;
use super::masks::{self, Decided};
use super::members::unknown;
use super::options::Options;
use crate::registry::{ModelSource, Registry};

struct Built {
    variant: Variant,
    label: String,
    architecture: Arc<dyn Architecture>,
    needs: Needs,
}

/// Resolves a study into a plan.
///
/// # Errors
/// Everything that is wrong, each with its place and how to fix it.
pub fn resolve(
    study: StudyFile,
    options: &Options,
    registry: &Registry,
    models: &dyn ModelSource,
    files: &dyn Files,
) -> Result<Plan, Problems> {
    let mut problems = Problems::default();
    if options.limit == Some(0) {
        let what = "0 sessions of each cell are none: name at least 1, or leave the option out";
        problems.0.push(Problem { place: "--limit".to_owned(), what: what.to_owned() });
    }
    let mut environments = Vec::new();
    for named in &study.environments {
        environments.extend(problems.note(environment(&study, named, registry)).flatten());
    }
    tell_apart(&study, &mut environments);
    let environments: Vec<Arc<EnvironmentPart>> = environments.into_iter().map(Arc::new).collect();
    let mut built = Vec::new();
    for variant in &study.architectures {
        built.extend(problems.note(architecture(&study, variant, registry, files)));
    }
    let role_sets = role_sets(&study, options);
    let known = known_roles(&built, &environments);
    let mut known_models = masks::Models::default();
    let mut warnings = Vec::new();
    for (set, _) in &role_sets {
        for (role, (settings, at)) in set {
            if !known.contains(role.as_str()) && problems.0.is_empty() {
                let listed: Vec<&str> = known.iter().copied().collect();
                let hint = nearest::hint(role, listed.iter().copied());
                let hint = if hint.is_empty() { format!("; roles here: {}", listed.join(", ")) } else { hint };
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
    // What the command line left out is planned as the study says.
    let trials = u64::from(plan.study.episodes.trials);
    for cell in &mut plan.left_out {
        let planned = u64::from(cell.count.runs) * trials * cell.environment.tasks.len() as u64;
        cell.info.planned = u32::try_from(planned).unwrap_or(u32::MAX);
    }
    Ok(plan)
}

fn environment(study: &StudyFile, named: &Named, registry: &Registry) -> Result<Option<EnvironmentPart>, Problem> {
    let file = &study.file;
    let Some(family) = registry.environment(&named.name) else {
        let known: Vec<&str> = registry.environments.iter().map(|family| family.name()).collect();
        let hint = nearest::hint(&named.name, known.iter().copied());
        let hint = if hint.is_empty() { format!("; there are: {}", known.join(", ")) } else { hint };
        let what = format!("there is no environment `{}`{hint}", named.name);
        return Err(Problem::at(file, named.node.place("name"), what));
    };
    let schema = family.schema();
    check_keys(
        file,
        &named.node,
        &named.options,
        &schema,
        &["name", "tasks"],
        &format!("the options of `{}`", named.name),
    )?;
    let options = family.resolve(&named.options).map_err(|error| {
        let at = match &error {
            EnvError::Option { key, .. } => named.node.place(key.split('.').next().unwrap_or_default()),
            other => place_in(&named.node, &other.to_string()),
        };
        Problem::at(file, at, error.to_string())
    })?;
    let wanted = named.tasks.as_ref().unwrap_or(&study.episodes.tasks);
    let splits = family.splits();
    let split = wanted.split.clone().or_else(|| splits.first().map(|split| (*split).to_owned())).unwrap_or_default();
    let tasks = family.tasks(&split, &options).map_err(|error| {
        let hint = nearest::hint(&split, splits.iter().copied());
        Problem::at(file, wanted.at, format!("{error}{hint}"))
    })?;
    let tasks = if wanted.names.is_empty() { tasks } else { named_tasks(file, &**family, &options, wanted)? };
    let most = wanted.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let tasks: Vec<TaskId> = tasks.into_iter().take(most).collect();
    if tasks.is_empty() {
        return Err(Problem::at(file, wanted.at, format!("`{}` has no tasks in the split `{split}`", named.name)));
    }
    Ok(Some(EnvironmentPart::new(Arc::clone(family), options, labels::environment(named), tasks)))
}

/// Entries that play one environment with the same options on different splits are parts of their own: each bears its
/// split in its name and in the keys of its cells.
fn tell_apart(study: &StudyFile, environments: &mut [EnvironmentPart]) {
    // What could not be resolved is no part of the plan, and the study is refused.
    if environments.len() != study.environments.len() {
        return;
    }
    let split = |named: &Named| named.tasks.as_ref().unwrap_or(&study.episodes.tasks).split.clone();
    let splits: Vec<Option<String>> = study.environments.iter().map(split).collect();
    let identities: Vec<Value> = environments.iter().map(EnvironmentPart::identity).collect();
    for (place, part) in environments.iter_mut().enumerate() {
        let alike = |other: usize| other != place && identities[other] == identities[place];
        if (0..splits.len()).any(|other| alike(other) && splits[other] != splits[place]) {
            let split = splits[place].clone().unwrap_or_else(|| "all tasks".to_owned());
            part.label = format!("{} {split}", part.label);
            part.split = Some(split);
        }
    }
}

fn named_tasks(
    file: &str,
    family: &dyn gimbal_core::Catalogue,
    options: &Value,
    wanted: &Tasks,
) -> Result<Vec<TaskId>, Problem> {
    let mut known = Vec::new();
    let mut absent = String::new();
    for split in family.splits() {
        match family.tasks(split, options) {
            Ok(tasks) => known.extend(tasks),
            // A split whose data are missing must not keep others from being played.
            Err(EnvError::Data(why)) => absent = format!(" ({why})"),
            Err(error) => return Err(Problem::at(file, wanted.at, error.to_string())),
        }
    }
    for name in &wanted.names {
        if !known.iter().any(|task| task.0 == *name) {
            let hint = nearest::hint(name, known.iter().map(|task| task.0.as_str()));
            let what = format!("`{}` has no task `{name}`{hint}{absent}", family.name());
            return Err(Problem::at(file, wanted.at, what));
        }
    }
    Ok(wanted.names.iter().cloned().map(TaskId).collect())
}

/// Refuses keys that the schema does not name, with their line.
fn check_keys(
    file: &str,
    node: &Node,
    given: &Value,
    schema: &Value,
    beside: &[&str],
    what: &str,
) -> Result<(), Problem> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Ok(()) };
    if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        return Ok(());
    }
    for key in given.as_object().into_iter().flatten().map(|(key, _)| key) {
        if !properties.contains_key(key) {
            let known: Vec<&str> = properties.keys().map(String::as_str).chain(beside.iter().copied()).collect();
            return Err(unknown(file, node.place(key), key, what, &known));
        }
    }
    Ok(())
}

/// The place of the key that a message quotes first, or of the whole entry.
fn place_in(node: &Node, message: &str) -> At {
    let quoted = message.split('`').skip(1).step_by(2);
    quoted.map(|key| node.place(key)).find(|at| *at != node.at).unwrap_or(node.at)
}

fn architecture(
    study: &StudyFile,
    variant: &Variant,
    registry: &Registry,
    files: &dyn Files,
) -> Result<Built, Problem> {
    let file = &study.file;
    let Some(kind) = registry.architecture(&variant.base) else {
        let known: Vec<&str> = registry.architectures.iter().map(|kind| kind.name()).collect();
        let hint = nearest::hint(&variant.base, known.iter().copied());
        let hint = if hint.is_empty() { format!("; there are: {}", known.join(", ")) } else { hint };
        let what = format!("there is no architecture `{}`{hint}", variant.base);
        return Err(Problem::at(file, variant.node.place("base"), what));
    };
    let what = format!("the settings of `{}`", variant.base);
    check_keys(file, &variant.node, &variant.settings, &kind.schema(), &["base", "name", "axis"], &what)?;
    let architecture = kind.build(&variant.settings, files).map_err(|error| {
        let lists_policies = error.is_missing && error.key == "policy";
        let offered = if lists_policies { policies(study, registry) } else { String::new() };
        Problem::at(file, place_of_setting(&variant.node, &error.key), format!("{}{offered}", error.message))
    })?;
    let needs = architecture.needs();
    Ok(Built { variant: variant.clone(), label: labels::architecture(variant), architecture, needs })
}

/// The place of a setting. Settings of all agents may be written in the place of those of one.
fn place_of_setting(node: &Node, path: &str) -> At {
    let own = path.rsplit('.').next().unwrap_or(path);
    if node.place_of(path) == node.at { node.place(own) } else { node.place_of(path) }
}

/// What policies the environments of a study have, as the end of a sentence.
fn policies(study: &StudyFile, registry: &Registry) -> String {
    let families = study.environments.iter().filter_map(|named| registry.environment(&named.name));
    let names: BTreeSet<String> = families.flat_map(|family| family.offers().policies).collect();
    if names.is_empty() {
        return String::new();
    }
    format!("; there are: {}", names.into_iter().collect::<Vec<_>>().join(", "))
}

type RoleMap = BTreeMap<String, (RoleSettings, At)>;

/// The study's role sets, with the command line's model in place of every other. Equal sets count once.
fn role_sets(study: &StudyFile, options: &Options) -> Vec<(RoleMap, At)> {
    let mut sets: Vec<(RoleMap, At)> = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    for set in &study.roles {
        let mut roles = set.roles.clone();
        if let Some(model) = &options.model {
            for (settings, _) in roles.values_mut() {
                // What the study left to the model before is left to the new one.
                let bound = &mut settings.sampling.max_output_tokens;
                if *bound == sampling_of(&settings.model).max_output_tokens {
                    *bound = sampling_of(model).max_output_tokens;
                }
                settings.model.clone_from(model);
            }
        }
        // Everything but places: equal sets are written alike.
        let plain: Vec<(&String, &RoleSettings)> = roles.iter().map(|(role, (settings, _))| (role, settings)).collect();
        if known.insert(format!("{plain:?}")) {
            sets.push((roles, set.at));
        }
    }
    if let (true, Some(model)) = (sets.is_empty(), &options.model) {
        let settings = RoleSettings { model: model.clone(), decoding: Decoding::Free, sampling: sampling_of(model) };
        sets.push((BTreeMap::from([("default".to_owned(), (settings, At::default()))]), At::default()));
    }
    sets
}

fn known_roles<'a>(built: &'a [Built], environments: &'a [Arc<EnvironmentPart>]) -> BTreeSet<&'a str> {
    let mut known = BTreeSet::from(["default"]);
    known.extend(built.iter().flat_map(|built| built.needs.roles.iter().map(String::as_str)));
    // Environments are asked once more for every role set: their offers are owned values.
    for environment in environments {
        for role in environment.family.offers().asks {
            if let Some(name) = WORLD_ROLES.iter().find(|known| **known == role) {
                known.insert(name);
            }
        }
    }
    known
}

/// Roles that environments may ask.
const WORLD_ROLES: [&str; 3] = ["judge", "reader", "user"];

fn check_price(study: &StudyFile, facts: &ModelFacts, at: At) -> Result<(), Problem> {
    let limits = [
        ("study", study.study_limits.cost_microdollars),
        ("cell", study.cell_limits.cost_microdollars),
        ("episode", study.episode_limits.cost_microdollars),
    ];
    let limit = limits.iter().find(|(_, limit)| limit.is_some()).filter(|_| facts.price.is_none());
    if let Some((whose, _)) = limit {
        let what = format!(
            "the price of `{}` is not known, and `limits.{whose}.cost` is set: add it to prices.yaml, or drop the limit",
            facts.name
        );
        return Err(Problem::at(&study.file, at, what));
    }
    Ok(())
}

fn cells(
    study: &StudyFile,
    environments: &[Arc<EnvironmentPart>],
    built: &[Built],
    role_sets: &[(RoleMap, At)],
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
            let no_roles: [(RoleMap, At); 1] = [(BTreeMap::new(), built.variant.node.at)];
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
                let masked = masks::Asked { label, grammars, by_environment };
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
                let architecture = own.unwrap_or_else(|| Arc::clone(&built.architecture));
                for written in fault_sets {
                    let possible = alone::possible(&written.faults, &built.needs, &offers);
                    let idle = possible.is_none() && !written.faults.is_none();
                    if idle {
                        merged.idle(written, &built.needs, &offers);
                    }
                    let faults = if idle { &no_faults[0] } else { written };
                    let parts = Parts { environment, built, architecture: &architecture, roles: &played, faults };
                    let mut cell = cell(&parts, &models.facts, several);
                    cell.place = cells.len();
                    let answering = alone::answering(&cell.identities, &asked);
                    let play = Cell::hash(&alone::decides(&cell.identity(), answering, &possible));
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
                            "the cells `{}` and `{}` are the same but for their names: their episodes could not be told \
                             apart; drop one",
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

/// The model that answers each role that is asked.
fn by_role(roles: &BTreeMap<String, RoleSettings>, asked: &[&String]) -> BTreeMap<String, String> {
    let model = |role: &str| roles.get(role).or_else(|| roles.get("default")).map(|own| own.model.clone());
    asked.iter().filter_map(|role| Some(((*role).clone(), model(role)?))).collect()
}

/// What a cell combines.
struct Parts<'a> {
    environment: &'a Arc<EnvironmentPart>,
    built: &'a Built,
    architecture: &'a Arc<dyn Architecture>,
    roles: &'a BTreeMap<String, RoleSettings>,
    faults: &'a FaultSet,
}

fn cell(
    parts: &Parts<'_>,
    facts: &BTreeMap<String, ModelFacts>,
    (several_environments, several_roles): (bool, bool),
) -> Cell {
    let Parts { environment, built, architecture, faults, .. } = *parts;
    let roles = parts.roles.clone();
    let mut id = built.label.clone();
    if several_environments {
        id = format!("{} | {id}", environment.label);
    }
    if several_roles && !roles.is_empty() {
        id = format!("{id} | {}", labels::roles(&roles));
    }
    // A cell with faults never goes by the name of the one without.
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
    };
    let mut cell = Cell {
        place: 0,
        info,
        key: Default::default(),
        environment: Arc::clone(environment),
        base: built.variant.base.clone(),
        architecture: Arc::clone(architecture),
        roles,
        identities: Value::Object(identities),
        faults: faults.faults.clone(),
        count: Count { runs: 1, block: None },
    };
    cell.key = Cell::hash(&cell.identity());
    cell
}

/// Says how often each cell's tasks are run. An entry that names no cell is a mistake.
fn count(study: &StudyFile, cells: &mut [Cell]) -> Result<(), Problems> {
    let mut problems = Problems::default();
    cells.iter_mut().for_each(|cell| cell.count = study.episodes.count());
    // Models that the command line put others in the place of: what the study says of them holds for nobody.
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
                let hint = nearest::hint(name, known.iter().copied());
                let listed = known.into_iter().collect::<Vec<_>>().join(", ");
                let hint = if hint.is_empty() { format!("; there are: {listed}") } else { hint };
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
    let one_of = |named: &Option<(String, At)>, of: Vec<&str>| {
        named.as_ref().is_none_or(|(name, _)| of.contains(&name.as_str()))
    };
    one_of(&entry.configuration, configurations(cell)) && one_of(&entry.model, models_of(cell))
}

/// What plays: of several roles the one that is least of a language model decides.
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

/// Most episodes of a study: more is a slip of the pen, and would be walked over for hours before anyone notices.
const MOST_EPISODES: u64 = 10_000_000;

fn check_size(plan: &Plan, options: &Options) -> Result<(), Problems> {
    let (file, counts) = (&plan.study.file, &plan.study.episodes);
    let all = || plan.cells.iter().chain(&plan.left_out);
    let sessions: u64 = all().map(|cell| cell.environment.tasks.len() as u64).sum();
    let asked = all().map(|cell| u64::from(cell.count.runs).saturating_mul(cell.environment.tasks.len() as u64));
    let asked = asked.fold(0, u64::saturating_add).saturating_mul(u64::from(counts.trials));
    if asked <= MOST_EPISODES {
        return Ok(());
    }
    let (runs, trials) = (plan.runs, counts.trials);
    let what = format!(
        "{runs} runs x {trials} trials x {sessions} tasks of all cells are {asked} episodes, and a study has at most \
         {MOST_EPISODES}: lower `runs` or `trials`, or split the study"
    );
    if options.add_runs > counts.count().runs {
        return Err(Problem { place: "--add-runs".to_owned(), what }.into());
    }
    Err(Problem::at(file, counts.counted_at, what).into())
}

fn choose(study: &StudyFile, cells: Vec<Cell>, options: &Options) -> Result<(Vec<Cell>, Vec<Cell>), Problems> {
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
            let hint = nearest::hint(name, ids.iter().copied());
            let hint = if hint.is_empty() { format!("; cells: {}", ids.join(", ")) } else { hint };
            let what = format!("`{}` has no cell `{name}`{hint}", study.name);
            return Err(Problem { place: "--only".to_owned(), what }.into());
        }
    }
    let wanted: Vec<bool> = cells.iter().map(|cell| options.only.iter().any(|name| named(cell, name))).collect();
    let mut wanted = wanted.into_iter();
    Ok(cells.into_iter().partition(|_| wanted.next().unwrap_or(false)))
}

fn check_baseline(study: &StudyFile, cells: &[Cell], left_out: &[Cell]) -> Result<(), Problems> {
    let Some((label, at)) = &study.baseline else { return Ok(()) };
    let all =
        || cells.iter().chain(left_out).flat_map(|cell| [cell.info.id.as_str(), cell.info.configuration.as_str()]);
    if all().any(|known| known == label) {
        return Ok(());
    }
    let hint = nearest::hint(label, all());
    let listed: BTreeSet<&str> = all().collect();
    let listed = listed.into_iter().collect::<Vec<_>>().join(", ");
    let hint = if hint.is_empty() { format!("; cells: {listed}") } else { hint };
    Err(Problem::at(&study.file, *at, format!("`baseline`: there is no cell `{label}`{hint}")).into())
}
