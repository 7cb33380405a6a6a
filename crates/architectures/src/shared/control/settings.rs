//! Settings of the controllers.

use std::collections::BTreeMap;
use std::sync::Arc;

use gimbal_agent::Overrides;
use gimbal_agent::persona::data::FINISH;
use gimbal_agent::tool::Finish;
use gimbal_core::{BuildError, Files};
use gimbal_messages::Message;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::messages;
use super::options::{DefaultDecider, Summary};
use super::{Analyzer, Controller, Family, Maker, Source, Workers};
use crate::shared::gate::{Gate, GateKind};
use crate::shared::graph::{GraphFileError, TaskGraph, Ways, named};
use crate::shared::member::{Member, Place};

/// Settings of `cyclic` and `dag`. What is left out is as the personas say.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Settings {
    /// Name of a setting in `personas/configurations.yaml` to start from; every other key overrides it.
    pub configuration: Option<String>,
    /// Where the graph comes from: `planner` (made anew for each episode), `family` (the file of the environment's name,
    /// `graphs/ENVIRONMENT.yaml`, of a list `graphs/ENVIRONMENT-list.yaml`), `family-sparse` and `family-machine` (those that `gimbal graph distil` makes of it,
    /// `graphs/ENVIRONMENT-sparse.yaml` and `-machine.yaml`), `family-planned` (the one that the model of the cell's role
    /// `planner` made for the environment with `gimbal graph plan`), `suggested` (the environment's classes of action), the
    /// name of a file `graphs/NAME.yaml`, or a graph written out.
    pub graph: GraphFrom,
    /// Least and most subtasks of a planner's graph.
    pub size: (usize, usize),
    /// `generalist` (all tools) or `specialist` (those of the subtask, CYC-027).
    pub exposure: Exposure,
    /// Most tool calls of a segment (CYC-006); the environment's own bound where it is left out (CYC-051), or 5.
    #[schemars(range(min = 1))]
    pub local_calls: Option<u32>,
    /// Most tool calls of an episode (CYC-050), never more than the environment's horizon, which holds where it is left out.
    pub global_calls: Option<u32>,
    /// How often a subtask of a list may be done again where its calls were used up (CYC-025).
    pub retries: u32,
    /// What is checked before a final answer: `none`, or `evidence`: each figure must be based on a stored text (CYC-095).
    pub gate: GateKind,
    /// How often the gate holds an answer back before it lets it through all the same; 2 where it is left out.
    pub gate_refusals: Option<u32>,
    /// Context blocks of the executor.
    pub context: Option<Vec<String>>,
    /// How much of a segment its analyzer is shown (CYC-008).
    pub summary: Summary,
    /// Most ways that the router is shown (CYC-092); all where it is left out.
    pub candidates: Option<usize>,
    /// Whether a routing decision in the same situation is used again (CYC-097).
    pub cache_routes: bool,
    /// Most subtasks that one call of the router decides (CYC-097): the later ones are begun without a call, as long as each
    /// gives control back.
    #[schemars(range(min = 1, max = 16))]
    pub batch: usize,
    /// Of a state machine: who decides where no rule fits (CYC-093).
    pub otherwise: DefaultDecider,
    /// Name of a file `shots/NAME.yaml`: summaries of won episodes for the planner (CYC-023).
    pub shots: Option<String>,
    /// How many of those summaries the planner sees; all where it is left out.
    pub shots_shown: Option<usize>,
    /// The one that makes the graph; role `planner`.
    pub planner: Member,
    /// The one that works on a subtask; persona and role `executor`.
    pub executor: Member,
    /// The one that analyses segments and, in a graph with ways to choose among, routes.
    pub analyzer: Member,
    /// The one that the gate asks about figures that code does not find; persona and role `verifier`.
    pub verifier: Member,
    /// Overrides of all personas.
    #[serde(flatten)]
    pub agent: Overrides,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            configuration: None,
            graph: GraphFrom::default(),
            size: (2, 12),
            exposure: Exposure::Generalist,
            local_calls: None,
            global_calls: None,
            retries: 0,
            gate: GateKind::None,
            gate_refusals: None,
            context: None,
            summary: Summary::default(),
            candidates: None,
            cache_routes: false,
            batch: 1,
            otherwise: DefaultDecider::Router,
            shots: None,
            shots_shown: None,
            planner: Member::default(),
            executor: Member::default(),
            analyzer: Member::default(),
            verifier: Member::default(),
            agent: Overrides::default(),
        }
    }
}

/// Where a graph comes from.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum GraphFrom {
    /// `planner`, `family`, `suggested`, or the name of a file.
    Named(String),
    /// The graph itself.
    Written(TaskGraph),
}

impl Default for GraphFrom {
    fn default() -> Self {
        Self::Named("planner".to_owned())
    }
}

/// Which tools an executor has (CYC-027).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Exposure {
    /// All.
    #[default]
    Generalist,
    /// Those of its subtask.
    Specialist,
}

/// A file of summaries.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shots {
    /// Summaries of won episodes, each a text.
    shots: Vec<String>,
    /// Who wrote them, and of what: for people. The planner is not told.
    #[serde(default, rename = "made")]
    _made: BTreeMap<String, String>,
}

/// The controller that the settings describe; `ways` are those of its graphs.
pub(crate) fn resolve(
    name: &'static str,
    ways: Ways,
    settings: &Value,
    files: &dyn Files,
) -> Result<Controller, BuildError> {
    resolve_for(false, name, ways, settings, files)
}

/// The controller that the settings describe; with `family`, its planner plans for a whole family and no task (CYC-021).
pub(crate) fn resolve_for(
    family: bool,
    name: &'static str,
    ways: Ways,
    settings: &Value,
    files: &dyn Files,
) -> Result<Controller, BuildError> {
    let error = |key: &str, error: &dyn std::fmt::Display| BuildError::new(format!("{name}: {error}")).at(key);
    let settings: Settings = crate::shared::configuration::read(name, settings, files)?;
    let (least, most) = settings.size;
    if least == 0 || least > most || most > crate::shared::graph::MOST_NODES {
        return Err(error(
            "size",
            &format!(
                "size: [{least}, {most}] is not a range; least and most subtasks, from 1 to {}",
                crate::shared::graph::MOST_NODES
            ),
        ));
    }
    let at_least_one = [
        ("local_calls", settings.local_calls == Some(0)),
        ("global_calls", settings.global_calls == Some(0)),
        ("candidates", settings.candidates == Some(0)),
    ];
    if let Some((key, _)) = at_least_one.into_iter().find(|(_, is_zero)| *is_zero) {
        return Err(error(key, &"local_calls, global_calls and candidates must be at least 1"));
    }
    let summary = settings.summary.check().map_err(|problem| error("summary", &problem))?;
    let list = ways == Ways::List;
    if !(1..=MOST_AHEAD).contains(&settings.batch) {
        return Err(error(
            "batch",
            &format!("batch: {} is not a number of subtasks; from 1 to {MOST_AHEAD}", settings.batch),
        ));
    }
    if list && (settings.batch > 1 || settings.otherwise != DefaultDecider::Router) {
        let key = if settings.batch > 1 { "batch" } else { "otherwise" };
        return Err(error(key, &"batch and otherwise belong to `cyclic`: nobody chooses the way through a list"));
    }
    let common = &settings.agent;
    let member = |place: Place<'_>, member: &Member| place.agent(name, (member, common), files);
    let mut named_file = None;
    let source = match settings.graph {
        GraphFrom::Named(from) => match from.as_str() {
            "planner" => {
                let (persona, message): (_, &'static dyn Message) = match (list, family) {
                    (true, false) => ("list-planner", &messages::SUBTASKS),
                    (true, true) => (FAMILY_LIST_PLANNER, &messages::SUBTASKS),
                    (false, false) => ("graph-planner", &messages::GRAPH),
                    (false, true) => (FAMILY_PLANNER, &messages::GRAPH),
                };
                let place = Place { name: "planner", persona, message: Some(message), delegates: &[] };
                Source::Planner(Box::new(member(place, &settings.planner)?))
            }
            "suggested" => Source::Suggested,
            "family" | "family-sparse" | "family-machine" => {
                let kind = match from.as_str() {
                    "family-sparse" => Family::Sparse,
                    "family-machine" => Family::Machine,
                    _ => Family::Whole,
                };
                if list && kind != Family::Whole {
                    return Err(error(
                        "graph",
                        &format!("graph: `{from}` has ways to choose among; dag needs `family`"),
                    ));
                }
                Source::Family(kind, families(list, kind, files).map_err(|problem| error("graph", &problem))?)
            }
            "family-planned" => Source::Planned(planned(list, files).map_err(|problem| error("graph", &problem))?),
            file => {
                named_file = Some(file.to_owned());
                Source::File(named(file, files).map_err(|problem| error("graph", &problem))?)
            }
        },
        GraphFrom::Written(graph) => {
            graph.check(None).map_err(|problem| error("graph", &format!("graph: {problem}")))?;
            Source::File(Arc::new(graph))
        }
    };
    if let Source::File(graph) = &source
        && (graph.ways == Ways::List) != list
    {
        let (is, must) = if list {
            ("ways to choose among", "`ways: list`")
        } else {
            ("a list", "`ways: complete`, `sparse` or `machine`")
        };
        return Err(error("graph", &format!("the graph is {is}; {name} needs {must}")));
    }
    if settings.shots.is_some() && !matches!(source, Source::Planner(_)) {
        return Err(error(
            "shots",
            &"shots: nobody plans here, since the graph is given; take `shots` out, or set `graph: planner`. A graph of a family is \
              planned with them by `gimbal graph plan --shots NAME`",
        ));
    }
    // What this controller does not use makes no cell of its own: the size of a graph that is given, routes through a list, attempts
    // beside a list, and who decides where a graph has no rules.
    let size = if matches!(source, Source::Planner(_)) { settings.size } else { Settings::default().size };
    let has_rules = match &source {
        Source::File(graph) => graph.ways == Ways::Machine,
        Source::Family(_, graphs) => graphs.values().any(|graph| graph.ways == Ways::Machine),
        Source::Planned(graphs) => graphs.values().any(|graph| graph.ways == Ways::Machine),
        Source::Suggested | Source::Planner(_) => false,
    };
    let otherwise = if has_rules { settings.otherwise } else { DefaultDecider::Router };
    let (candidates, cached, retries) = match list {
        true => (None, false, settings.retries),
        false => (settings.candidates, settings.cache_routes, 0),
    };
    let mut shots = match &settings.shots {
        Some(shots) => read_shots(shots, files).map_err(|problem| error("shots", &problem))?,
        None => Vec::new(),
    };
    if let Some(shown) = settings.shots_shown {
        shots.truncate(shown);
    }
    let executor = Place { name: "executor", persona: "executor", message: None, delegates: &[&Finish] };
    let executor = member(executor, &settings.executor)?;
    if !executor.persona().core.is_asked() {
        let persona = &executor.persona().name;
        return Err(error(
            "executor.persona",
            &format!(
                "executor: the persona `{persona}` has no way to give control back; list the tool `{FINISH}` among its \
                 `tools`"
            ),
        ));
    }
    let place = if list {
        Place { name: "analyzer", persona: "analyzer", message: Some(&messages::GUIDANCE), delegates: &[] }
    } else {
        Place { name: "router", persona: "router", message: Some(&messages::ROUTING), delegates: &[] }
    };
    let agent = member(place, &settings.analyzer)?;
    let shown = crate::shared::settings::context(name, agent.persona(), None)?;
    let gate = Gate::of(name, (settings.gate, settings.gate_refusals), (&settings.verifier, common), files)?;
    let context = crate::shared::settings::context(name, executor.persona(), settings.context)?;
    Ok(Controller {
        maker: Maker { kind: name, source, file: named_file, ways, size, shots },
        workers: Workers {
            executor,
            context,
            specialist: settings.exposure == Exposure::Specialist,
            local: settings.local_calls,
            summary,
            gate,
        },
        analyzer: Analyzer {
            agent,
            context: shown,
            top: candidates,
            cached,
            batch: settings.batch,
            otherwise,
            unseen: summary.segments,
        },
        global: settings.global_calls,
        retries,
    })
}

/// The persona that plans a graph for a family of tasks.
pub(super) const FAMILY_PLANNER: &str = "family-planner";
/// The persona that plans a list for a family of tasks.
pub(super) const FAMILY_LIST_PLANNER: &str = "family-list-planner";

/// Most subtasks that one call of the router may decide.
const MOST_AHEAD: usize = 16;

/// The graphs of families, by the name of the environment.
fn families(list: bool, kind: Family, files: &dyn Files) -> Result<BTreeMap<String, Arc<TaskGraph>>, GraphFileError> {
    let mut graphs = BTreeMap::new();
    for path in files.list("graphs") {
        let Some(name) = path.rsplit('/').next().and_then(|file| file.strip_suffix(".yaml")) else { continue };
        let suffix = if list { "-list" } else { kind.suffix() };
        let others = ["-list", Family::Sparse.suffix(), Family::Machine.suffix()];
        let family = match name.strip_suffix(suffix) {
            Some(family) if !suffix.is_empty() || !others.iter().any(|other| name.ends_with(other)) => family,
            _ => continue,
        };
        let graph = named(name, files)?;
        if (graph.ways == Ways::List) == list {
            graphs.insert(family.to_owned(), graph);
        }
    }
    Ok(graphs)
}

/// The graphs that models planned for families, by environment and model, as their files say under `made`.
fn planned(list: bool, files: &dyn Files) -> Result<BTreeMap<(String, String), Arc<TaskGraph>>, String> {
    let mut graphs = BTreeMap::new();
    let mut places: BTreeMap<(String, String), String> = BTreeMap::new();
    for path in files.list("graphs") {
        let Some(name) = path.rsplit('/').next().and_then(|file| file.strip_suffix(".yaml")) else { continue };
        let graph = named(name, files).map_err(|error| error.to_string())?;
        // What was distilled of a planned graph is another experiment.
        let whole = if list { graph.ways == Ways::List } else { graph.ways == Ways::Complete };
        let (Some(environment), Some(model)) = (graph.made.get("environment"), graph.made.get("model")) else {
            continue;
        };
        if !whole {
            continue;
        }
        let key = (environment.clone(), model.clone());
        if let Some(other) = places.insert(key.clone(), name.to_owned()) {
            return Err(format!(
                "graph: `family-planned`: graphs/{other}.yaml and graphs/{name}.yaml were both planned for `{}` by `{}`; \
                 keep one, or name the file that is to play under `graph`",
                key.0, key.1
            ));
        }
        graphs.insert(key, graph);
    }
    Ok(graphs)
}

fn read_shots(name: &str, files: &dyn Files) -> Result<Vec<String>, String> {
    let path = format!("shots/{name}.yaml");
    match files.read(&path).map_err(|error| error.to_string())? {
        Some((text, place)) => {
            let Shots { shots, .. } = gimbal_core::yaml::read(&text, &place).map_err(|error| error.to_string())?;
            Ok(shots)
        }
        None => Err(format!("shots: there is no file {path}; `gimbal graph shots RUN` writes one")),
    }
}
