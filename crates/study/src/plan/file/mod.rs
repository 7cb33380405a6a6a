//! Study files as written: parsed low, with the place of everything.

use std::collections::BTreeMap;

use gimbal_core::yaml::{At, Kind, Member, Node};
use gimbal_core::{Decoding, Limits, Milli, RoleSettings, Sampling};
use gimbal_model::{ModelName, replay};
use serde_json::{Value, json};

use super::error::Problem;
use super::faults::{self, FaultSet};
use super::members::{Members, decimal, items, shown, small, string, tree, whole, written};
use super::provider;
use crate::run::StudyLimits;

/// Output tokens of a remote model's answer, at most, where a study sets no bound: the bound of BOG's published code.
const REMOTE_OUTPUT: u32 = 10_000;

/// A study as written.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyFile {
    /// The file as messages name it.
    pub file: String,
    /// Its text.
    pub text: String,
    /// Name of the study and of its run folder.
    pub name: String,
    /// A sentence on what the study asks.
    pub description: Option<String>,
    /// Environments.
    pub environments: Vec<Named>,
    /// Architectures.
    pub architectures: Vec<Variant>,
    /// Who plays which role, one entry a variant.
    pub roles: Vec<RoleSet>,
    /// Injected faults, one entry a variant; empty for none at all.
    pub faults: Vec<FaultSet>,
    /// Which episodes.
    pub episodes: Episodes,
    /// Limits of an episode.
    pub episode_limits: Limits,
    /// Limits of every cell.
    pub cell_limits: StudyLimits,
    /// Limits of the study.
    pub study_limits: StudyLimits,
    /// Label of the cell that paired differences are taken against, and its place.
    pub baseline: Option<(String, At)>,
    /// Base addresses, rates and retries of models.
    pub models: Option<Node>,
}

/// An environment and its options.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// Registry name.
    pub name: String,
    /// Options as written.
    pub options: Value,
    /// Its own tasks, in the place of those that the study names for all.
    pub tasks: Option<Tasks>,
    /// The whole entry.
    pub node: Node,
}

/// Which tasks: those of a split, or by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tasks {
    /// Split of the tasks; none for the first that the environment has.
    pub split: Option<String>,
    /// Tasks by name, instead of a split's.
    pub names: Vec<String>,
    /// At most this many tasks.
    pub limit: Option<u64>,
    /// Where they are named.
    pub at: At,
}

/// An architecture and its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Registry name.
    pub base: String,
    /// Label, where the study gives one.
    pub name: Option<String>,
    /// Axis or group that tables and figures show.
    pub axis: Option<String>,
    /// Settings as written.
    pub settings: Value,
    /// The whole entry.
    pub node: Node,
}

/// Roles and their models.
#[derive(Clone, Debug, PartialEq)]
pub struct RoleSet {
    /// Settings and place by role.
    pub roles: BTreeMap<String, (RoleSettings, At)>,
    /// Its place in the file.
    pub at: At,
}

/// Which episodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Episodes {
    /// Tasks of every environment that names none of its own.
    pub tasks: Tasks,
    /// Runs of every task: in all, or of each instance where there are instances.
    pub runs: u32,
    /// Instances: clusters of runs that analysis keeps together.
    pub instances: Option<u32>,
    /// Other numbers for some cells; later entries go before earlier ones.
    pub extended: Vec<Extended>,
    /// Trials of a session.
    pub trials: u32,
    /// Seed of the study.
    pub seed: u64,
    /// Where runs or trials are numbered.
    pub counted_at: At,
}

/// Another number of episodes for the cells that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extended {
    /// Label of an architecture, and its place.
    pub configuration: Option<(String, At)>,
    /// A model that plays in the cell, and its place.
    pub model: Option<(String, At)>,
    /// Instances, where the entry names them.
    pub instances: Option<u32>,
    /// Runs of each instance where the entry names instances, in all where it does not.
    pub runs: Option<u32>,
    /// Its place in the file.
    pub at: At,
}

/// How often every task of a cell is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Runs of every task.
    pub runs: u32,
    /// Runs of an instance; `None` where the study has no instances.
    pub block: Option<u32>,
}

impl Count {
    fn of(instances: u32, runs: u32) -> Self {
        Self { runs: instances.saturating_mul(runs), block: Some(runs) }
    }
}

impl Episodes {
    /// How often every task is run, where no entry says otherwise.
    #[must_use]
    pub fn count(&self) -> Count {
        match self.instances {
            Some(instances) => Count::of(instances, self.runs),
            None => Count { runs: self.runs, block: None },
        }
    }

    /// The same for the cells that an entry names.
    #[must_use]
    pub fn count_of(&self, entry: &Extended) -> Count {
        match (entry.instances, entry.runs) {
            (Some(instances), runs) => Count::of(instances, runs.unwrap_or(self.runs)),
            // More or fewer runs of the same kind: instances stay as long as they are.
            (None, runs) => Count { runs: runs.unwrap_or(self.runs), ..self.count() },
        }
    }
}

impl Default for Episodes {
    fn default() -> Self {
        let (tasks, extended, counted_at) = (Tasks::default(), Vec::new(), At::default());
        Self { tasks, runs: 1, instances: None, extended, trials: 1, seed: 0, counted_at }
    }
}

/// Most letters of a study's name: file systems take folder names of 255 bytes, tables and pages less.
pub(super) const LONGEST_NAME: usize = 80;

/// Reads a study; `file` is named in complaints.
///
/// # Errors
/// The first thing that is wrong with its form: place, key, and the nearest known key.
pub fn parse(text: &str, file: &str) -> Result<StudyFile, Problem> {
    let empty = || {
        Problem::at(file, At::default(), "the file is empty: a study needs `study`, `environment` and `architectures`")
    };
    if text.trim().is_empty() {
        return Err(empty());
    }
    let root = tree(text, file)?;
    if root.kind == Kind::Scalar(Value::Null) {
        return Err(empty());
    }
    let mut study = Members::of(&root, file, "the study")?;
    let name_node = study.need("study")?;
    let name = written(name_node, file, "`study`")?;
    if name.chars().count() > LONGEST_NAME {
        let what = format!("`study` names a folder: at most {LONGEST_NAME} letters");
        return Err(Problem::at(file, name_node.at, what));
    }
    if !name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter)) || name.starts_with('.') {
        let what = "`study` names a folder: use letters, digits, `-`, `_` and `.` only";
        return Err(Problem::at(file, name_node.at, what));
    }
    let description = study.get("description").map(|node| string(node, file, "`description`")).transpose()?;
    let environments = study.need("environment")?;
    let environments: Vec<Named> =
        items(environments).into_iter().map(|node| environment(node, file)).collect::<Result<_, _>>()?;
    let architectures: Vec<Variant> =
        items(study.need("architectures")?).into_iter().map(|node| variant(node, file)).collect::<Result<_, _>>()?;
    let decoding = study.get("decoding").map(|node| decoding(node, file)).transpose()?.unwrap_or_default();
    let roles = match study.get("roles") {
        Some(node) => items(node).into_iter().map(|node| role_set(node, file, decoding)).collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    let episodes = study.get("episodes").map(|node| episodes(node, file)).transpose()?.unwrap_or_default();
    let limits = study.get("limits").map(|node| limits(node, file)).transpose()?.unwrap_or_default();
    if let Some(node) = study.get("prepare").filter(|node| !items(node).is_empty()) {
        let what = "`prepare`: this version knows no artefacts that are built before episodes; leave the list empty";
        return Err(Problem::at(file, node.at, what));
    }
    let faults = study.get("faults").map(|node| faults::parse(node, file)).transpose()?.unwrap_or_default();
    let baseline = study.get("baseline").map(|node| Ok((string(node, file, "`baseline`")?, node.at))).transpose()?;
    let models = study.get("models").cloned();
    study.finish()?;
    let empty = [("environment", environments.is_empty()), ("architectures", architectures.is_empty())];
    if let Some((key, _)) = empty.iter().find(|(_, empty)| *empty) {
        return Err(Problem::at(file, root.place(key), format!("`{key}` is empty: name at least one")));
    }
    Ok(StudyFile {
        file: file.to_owned(),
        text: text.to_owned(),
        name,
        description,
        environments,
        architectures,
        roles,
        faults,
        episodes,
        episode_limits: limits.episode,
        cell_limits: limits.cell,
        study_limits: limits.study,
        baseline,
        models,
    })
}

fn without(node: &Node, keys: &[&str]) -> Value {
    match &node.kind {
        Kind::Map(members) => Value::Object(
            members
                .iter()
                .filter(|member| !keys.contains(&member.key.as_str()))
                .map(|member| (member.key.clone(), member.value.json()))
                .collect(),
        ),
        _ => Value::Object(serde_json::Map::new()),
    }
}

fn environment(node: &Node, file: &str) -> Result<Named, Problem> {
    if let Kind::Scalar(_) = node.kind {
        let name = string(node, file, "`environment`")?;
        return Ok(Named { name, options: without(node, &[]), tasks: None, node: node.clone() });
    }
    let mut members = Members::of(node, file, "`environment`")?;
    let name = string(members.need("name")?, file, "`name`")?;
    let own = members.get("tasks").map(|node| tasks(node, file)).transpose()?;
    Ok(Named { name, options: without(node, &["name", "tasks"]), tasks: own, node: node.clone() })
}

fn variant(node: &Node, file: &str) -> Result<Variant, Problem> {
    if let Kind::Scalar(_) = node.kind {
        let base = string(node, file, "`architectures`")?;
        return Ok(Variant { base, name: None, axis: None, settings: without(node, &[]), node: node.clone() });
    }
    let mut members = Members::of(node, file, "an architecture")?;
    Ok(Variant {
        base: string(members.need("base")?, file, "`base`")?,
        name: members.get("name").map(|node| shown(node, file, "`name`")).transpose()?,
        axis: members.get("axis").map(|node| shown(node, file, "`axis`")).transpose()?,
        settings: without(node, &["base", "name", "axis"]),
        node: node.clone(),
    })
}

fn decoding(node: &Node, file: &str) -> Result<Decoding, Problem> {
    match string(node, file, "`decoding`")?.as_str() {
        "free" => Ok(Decoding::Free),
        "constrained" => Ok(Decoding::Constrained),
        "constrained_or_free" => Ok(Decoding::ConstrainedOrFree),
        other => {
            let hint = gimbal_core::nearest::hint(other, ["free", "constrained", "constrained_or_free"]);
            let what = format!("`decoding` is `free`, `constrained` or `constrained_or_free`, not `{other}`{hint}");
            Err(Problem::at(file, node.at, what))
        }
    }
}

fn role_set(node: &Node, file: &str, default: Decoding) -> Result<RoleSet, Problem> {
    let members = Members::of(node, file, "an entry of `roles`")?;
    let mut roles = BTreeMap::new();
    let written: Vec<&Member> = members.others().collect();
    for (index, Member { key: role, at, value }) in written.iter().copied().enumerate() {
        if is_null(value) {
            return Err(Problem::at(file, *at, nameless(&written, index)));
        }
        roles.insert(role.clone(), (role_settings(value, file, default)?, *at));
    }
    Ok(RoleSet { roles, at: node.at })
}

fn is_null(node: &Node) -> bool {
    node.kind == Kind::Scalar(Value::Null)
}

/// What is wrong with a role that names no model. Between braces a comma ends a value, so that what follows it in the name
/// of a model looks like a role of its own.
fn nameless(written: &[&Member], index: usize) -> String {
    let role = &written[index].key;
    let before = index.checked_sub(1).map(|before| written[before]).filter(|_| role.contains('='));
    let Some(Member { key: name, value: Node { kind: Kind::Scalar(Value::String(model)), .. }, .. }) = before else {
        return format!("the role `{role}` names no model");
    };
    let torn = written[index..].iter().take_while(|member| is_null(&member.value) && member.key.contains('='));
    let rest: String = torn.map(|member| format!(",{}", member.key)).collect();
    format!(
        "`{role}` is not a role but belongs to the name of a model: between braces a comma ends a value; write the name in \
         quotation marks, `{name}: \"{model}{rest}\"`"
    )
}

fn role_settings(node: &Node, file: &str, default: Decoding) -> Result<RoleSettings, Problem> {
    if let Kind::Scalar(_) = node.kind {
        let model = string(node, file, "the model of a role")?;
        let sampling = sampling_of(&model);
        return Ok(RoleSettings { model, decoding: default, sampling });
    }
    let mut members = Members::of(node, file, "a role")?;
    let model = string(members.need("model")?, file, "`model`")?;
    let decoding = members.get("decoding").map(|node| decoding(node, file)).transpose()?.unwrap_or(default);
    let mut sampling = sampling_of(&model);
    if let Some(node) = members.get("temperature") {
        sampling.temperature = Milli::from_f64(decimal(node, file, "`temperature`", 0.0, 2.0)?);
    }
    if let Some(node) = members.get("top_p") {
        sampling.top_p = Some(Milli::from_f64(decimal(node, file, "`top_p`", 0.0, 1.0)?));
    }
    if let Some(node) = members.get("max_output_tokens") {
        sampling.max_output_tokens = small(node, file, "`max_output_tokens`", 1)?;
    }
    if let Some(node) = members.get("seed") {
        sampling.seed = Some(whole(node, file, "`seed`", 0)?);
    }
    sampling.provider = provider::settings(&mut members, file)?;
    members.finish()?;
    as_recorded(&model, &sampling, node, file)?;
    Ok(RoleSettings { model, decoding, sampling })
}

/// Refuses settings of a role that plays a recording back where nothing was recorded with them: the answers would be
/// shown under settings that they do not have. What the role leaves out is as it was recorded.
fn as_recorded(model: &str, sampling: &Sampling, node: &Node, file: &str) -> Result<(), Problem> {
    let Ok(ModelName::Replay(folder)) = ModelName::parse(model) else { return Ok(()) };
    type Of = fn(&Sampling) -> Value;
    let settings: [(&str, Of); 8] = [
        ("temperature", |sampling| json!(sampling.temperature)),
        ("top_p", |sampling| json!(sampling.top_p)),
        ("max_output_tokens", |sampling| json!(sampling.max_output_tokens)),
        ("seed", |sampling| json!(sampling.seed)),
        ("stop", |sampling| json!(sampling.provider.stop)),
        ("reasoning_effort", |sampling| json!(sampling.provider.reasoning_effort)),
        ("extra_body", |sampling| json!(sampling.provider.extra_body)),
        ("extra_headers", |sampling| json!(sampling.provider.extra_headers)),
    ];
    let Kind::Map(members) = &node.kind else { return Ok(()) };
    let written: Vec<(&str, Of)> =
        settings.into_iter().filter(|(key, _)| members.iter().any(|written| written.key == *key)).collect();
    let agrees = |recorded: &Sampling| written.iter().all(|(_, of)| of(sampling) == of(recorded));
    if written.is_empty() || replay::was_made_with(&folder, agrees) != Some(false) {
        return Ok(());
    }
    let keys: Vec<String> = written.iter().map(|(key, _)| format!("`{key}`")).collect();
    let what = format!(
        "nothing in the recording of `{model}` was made with these settings ({}); drop them: it is played back with those \
         that it was made with",
        keys.join(", ")
    );
    Err(Problem::at(file, node.at, what))
}

/// The decoding settings of a model for which a study sets none (BOG-045): greedy, and 10,000 tokens of output for remote
/// models, which may reason at length before they answer.
pub(super) fn sampling_of(model: &str) -> Sampling {
    match ModelName::parse(model) {
        Ok(ModelName::Remote { .. }) => Sampling { max_output_tokens: REMOTE_OUTPUT, ..Sampling::default() },
        // What was recorded of a remote model was asked with its settings, and is found by them.
        Ok(ModelName::Replay(folder)) if replay::holds_remote(&folder) => {
            Sampling { max_output_tokens: REMOTE_OUTPUT, ..Sampling::default() }
        }
        _ => Sampling::default(),
    }
}

fn tasks(node: &Node, file: &str) -> Result<Tasks, Problem> {
    let Kind::Map(_) = &node.kind else {
        let names = items(node).into_iter().map(|node| string(node, file, "a task")).collect::<Result<_, _>>()?;
        return Ok(Tasks { names, at: node.at, ..Tasks::default() });
    };
    let mut members = Members::of(node, file, "`tasks`")?;
    let split = members.get("split").map(|node| string(node, file, "`split`")).transpose()?;
    let limit = members.get("limit").map(|node| whole(node, file, "`limit`", 1)).transpose()?;
    members.finish()?;
    Ok(Tasks { split, names: Vec::new(), limit, at: node.place("split") })
}

fn episodes(node: &Node, file: &str) -> Result<Episodes, Problem> {
    let mut members = Members::of(node, file, "`episodes`")?;
    let everywhere = Tasks { at: node.at, ..Tasks::default() };
    let mut episodes = Episodes { tasks: everywhere, counted_at: node.at, ..Episodes::default() };
    if let Some(node) = members.get("tasks") {
        episodes.tasks = tasks(node, file)?;
    }
    if let Some(node) = members.get("runs") {
        episodes.runs = small(node, file, "`runs`", 1)?;
        episodes.counted_at = node.at;
    }
    if let Some(node) = members.get("instances") {
        episodes.instances = Some(small(node, file, "`instances`", 1)?);
        episodes.counted_at = node.at;
    }
    if let Some(node) = members.get("extended") {
        episodes.extended = items(node).into_iter().map(|node| extended(node, file)).collect::<Result<_, _>>()?;
    }
    if let Some(node) = members.get("trials") {
        episodes.trials = small(node, file, "`trials`", 1)?;
        if episodes.trials > episodes.runs {
            episodes.counted_at = node.at;
        }
    }
    if let Some(node) = members.get("seed") {
        episodes.seed = whole(node, file, "`seed`", 0)?;
    }
    members.finish()?;
    Ok(episodes)
}

fn extended(node: &Node, file: &str) -> Result<Extended, Problem> {
    let mut members = Members::of(node, file, "an entry of `extended`")?;
    let mut named = |key: &'static str| {
        let found = members.get(key);
        found.map(|node| Ok((string(node, file, &format!("`{key}`"))?, node.at))).transpose()
    };
    let (configuration, model) = (named("configuration")?, named("model")?);
    let mut number = |key: &'static str| {
        let found = members.get(key);
        found.map(|node| small(node, file, &format!("`{key}`"), 1)).transpose()
    };
    let (instances, runs) = (number("instances")?, number("runs")?);
    members.finish()?;
    if configuration.is_none() && model.is_none() {
        let what = "an entry of `extended` names cells: give `configuration`, `model` or both";
        return Err(Problem::at(file, node.at, what));
    }
    if instances.is_none() && runs.is_none() {
        let what = "an entry of `extended` sets a number: give `runs`, or `instances` and `runs`";
        return Err(Problem::at(file, node.at, what));
    }
    Ok(Extended { configuration, model, instances, runs, at: node.at })
}

/// Dollars, in millionths.
fn money(members: &mut Members<'_>, file: &str) -> Result<Option<u64>, Problem> {
    let Some(node) = members.get("cost") else { return Ok(None) };
    let dollars = decimal(node, file, "`cost` (in dollars)", 0.0, 1e9)?;
    Ok(Some((dollars * 1e6).round() as u64))
}

/// Limits on what was billed.
fn billed(node: &Node, file: &str, what: &str) -> Result<StudyLimits, Problem> {
    let mut members = Members::of(node, file, what)?;
    let cost_microdollars = money(&mut members, file)?;
    let tokens = members.get("tokens").map(|node| whole(node, file, "`tokens`", 1)).transpose()?;
    members.finish()?;
    Ok(StudyLimits { cost_microdollars, tokens })
}

/// Everything under `limits`.
#[derive(Default)]
struct AllLimits {
    episode: Limits,
    cell: StudyLimits,
    study: StudyLimits,
}

fn limits(node: &Node, file: &str) -> Result<AllLimits, Problem> {
    let mut members = Members::of(node, file, "`limits`")?;
    let mut episode = Limits::default();
    if let Some(node) = members.get("episode") {
        let mut members = Members::of(node, file, "`limits.episode`")?;
        let fields = [
            ("model_calls", &mut episode.model_calls),
            ("tool_calls", &mut episode.tool_calls),
            ("tokens", &mut episode.tokens),
            ("seconds", &mut episode.seconds),
        ];
        for (key, field) in fields {
            *field = members.get(key).map(|node| whole(node, file, &format!("`{key}`"), 1)).transpose()?;
        }
        episode.cost_microdollars = money(&mut members, file)?;
        members.finish()?;
    }
    let mut of = |key, what| members.get(key).map(|node| billed(node, file, what)).transpose();
    let (cell, study) = (of("cell", "`limits.cell`")?, of("study", "`limits.study`")?);
    members.finish()?;
    Ok(AllLimits { episode, cell: cell.unwrap_or_default(), study: study.unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use gimbal_core::{Milli, Sampling};

    use super::sampling_of;
    use crate::plan::parse;

    // covers: BOG-045, CYC-055
    #[test]
    fn remote_models_may_answer_at_length_unless_the_study_says_otherwise() {
        for (model, bound) in
            [("openai/gpt-5", 10_000), ("vllm/a/b", 10_000), ("local/smollm2-135m", 1024), ("scripted/idle", 1024)]
        {
            let expected = Sampling { temperature: Milli::ZERO, max_output_tokens: bound, ..Sampling::default() };
            assert_eq!(sampling_of(model), expected, "{model}");
        }
        let study = "
study: x
environment: cage2
architectures: [react]
roles:
  - { default: openai/gpt-5, judge: { model: openai/gpt-5, max_output_tokens: 77, top_p: 0.7 }, reader: { model: gemini/x } }
";
        let study = parse(study, "study.yaml").unwrap();
        let bound = |role: &str| study.roles[0].roles[role].0.sampling.max_output_tokens;
        assert_eq!((bound("default"), bound("judge"), bound("reader")), (10_000, 77, 10_000));
        assert_eq!(study.roles[0].roles["judge"].0.sampling.top_p, Some(Milli(700)));
    }
}
