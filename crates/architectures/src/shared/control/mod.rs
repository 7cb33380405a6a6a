//! What the controllers over subtasks share: the making of graphs, segments, memory, analysis (CYC-001..028).
//!
//! Their records are in [`gimbal_messages::records::control`].

mod analysis;
mod candidates;
mod choice;
#[cfg(test)]
mod corpus;
mod family;
mod given;
mod made;
mod maker;
mod memory;
pub mod messages;
mod options;
mod run;
mod settings;
mod shots;
mod shown;
mod summariser;
mod walk;
mod words;

use std::collections::BTreeMap;

use gimbal_agent::{Placed, Team};
use gimbal_core::{BuildError, EpisodeStopped, Files, LaneId, Needs, Stage};
use gimbal_messages::StageExt;
use gimbal_messages::records::control::{self, Decider, MemoryKept};
use serde_json::{Value, json};

pub(crate) use analysis::{Analyzer, Cache, RouteSource, Routed};
pub use family::FamilyPlanner;
pub use made::{FamilyError, Made};
pub(crate) use maker::{Family, Maker, Source};
pub use run::{CALLS_USED, ENDED_IT};
pub(crate) use run::{Run, Workers, spent};
pub(crate) use settings::resolve;

use crate::shared::graph::Ways;
pub use options::{DefaultDecider, Summary};
pub use settings::{GraphFrom, Settings};
pub use shots::write_shots;
pub(crate) use shown::asked;
pub use summariser::{
    CallResult, NoSummary, Summarised, Summariser, SummariserKind, SummariserSettings, Summarising, Won, WorkSegment,
};
pub use walk::Kind;
pub(crate) use walk::Walk;

/// Number of the behaviour: raised whenever the same settings and replies may lead to other messages or actions.
pub(crate) const BEHAVIOUR: u32 = 6;

/// The agents of a setting by their places (`planner`, `executor`, `analyzer`, `verifier`), and the context blocks of the
/// executor: for whoever wants to see the prompts without playing. A planner is among them where one makes the graph,
/// a verifier where a gate comes before final answers.
///
/// # Errors
/// Which key or file is wrong, and what would be right.
pub(crate) fn team<W: Walk>(settings: &Value, files: &dyn Files) -> Result<Team, BuildError> {
    let Controller { maker, workers, analyzer, global, .. } = resolve(W::NAME, W::WAYS, settings, files)?;
    let calls = json!({ "local_calls": workers.local, "global_calls": global });
    let mut agents = Vec::new();
    if let Source::Planner(planner) = maker.source {
        let settings = json!({ "size": maker.size, "shots": maker.shots });
        agents.push(Placed { settings, ..Placed::new(PLANNER, *planner) });
    }
    agents.push(Placed { settings: calls.clone(), ..Placed::new(EXECUTOR, workers.executor) });
    agents.push(Placed { settings: calls, ..Placed::new(ANALYZER, analyzer.agent) });
    agents.extend(workers.gate.map(|gate| Placed::new("verifier", gate.verifier())));
    Ok(Team { agents, context: workers.context })
}

/// The role whose model makes graphs, and the place of the agent.
const PLANNER: &str = "planner";
/// The place of the agent that works on subtasks.
pub(crate) const EXECUTOR: &str = "executor";
/// The place of the agent that analyses segments and, in a graph with ways to choose among, routes.
const ANALYZER: &str = "analyzer";

/// A good name for the file of a graph that a model planned for an environment.
fn file_of(environment: &str, model: &str, ways: Ways) -> String {
    let short = model.rsplit('/').next().unwrap_or(model);
    let short: String = short.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect();
    let kind = if ways == Ways::List { "-list" } else { "" };
    format!("{environment}-by-{short}{kind}")
}

/// A controller: who makes the graph, who works, who analyses.
pub(crate) struct Controller {
    pub maker: Maker,
    pub workers: Workers,
    pub analyzer: Analyzer,
    /// Most tool calls of an episode, never more than the environment's horizon, which holds where none is named (CYC-050).
    pub global: Option<u32>,
    /// How often a subtask of a list may be done again where its calls were used up (CYC-025).
    pub retries: u32,
}

impl Controller {
    pub(crate) fn needs(&self) -> Needs {
        let mut needs =
            Needs { blocks: self.workers.context.clone(), routes: true, messages: true, ..Needs::default() };
        let shown = self.analyzer.context.iter().filter(|block| !self.workers.context.contains(block));
        needs.blocks.extend(shown.cloned());
        let planner = match &self.maker.source {
            Source::Planner(planner) => Some(&**planner),
            Source::File(_) | Source::Family(..) | Source::Planned(_) | Source::Suggested => None,
        };
        for agent in [planner, Some(&self.workers.executor), Some(&self.analyzer.agent)].into_iter().flatten() {
            needs.add_agent(agent.needs());
        }
        if matches!(self.maker.source, Source::Planned(_)) {
            // It was asked before: which model it is decides which graph plays.
            needs.roles.push(PLANNER.to_owned());
        }
        if let Some(gate) = &self.workers.gate {
            gate.add_needs(&mut needs);
        }
        needs
    }

    /// The model of a cell's planner, where it decides which graph plays.
    pub(crate) fn planned_by(&self, models: &BTreeMap<String, String>) -> Option<String> {
        matches!(self.maker.source, Source::Planned(_)).then(|| models.get(PLANNER).cloned()).flatten()
    }

    /// What must be planned before it can be played, and how.
    pub(crate) fn lacks(&self, environment: &str, planned_by: Option<&str>) -> Option<String> {
        let Source::Planned(graphs) = &self.maker.source else { return None };
        let model = planned_by.unwrap_or_default();
        let there = graphs.contains_key(&(environment.to_owned(), model.to_owned()));
        let kind = if self.maker.ways == Ways::List { " --kind list" } else { "" };
        (!there).then(|| {
            format!(
                "`graph: family-planned`: `{model}` has planned no graph for `{environment}` yet; make it once with \
                 `gimbal graph plan {environment} --model {model}{kind} --name {}`",
                file_of(environment, model, self.maker.ways)
            )
        })
    }

    pub(crate) fn resolved(&self, name: &str, planned_by: Option<&str>) -> Value {
        let source = match &self.maker.source {
            Source::File(graph) => json!({ "graph": graph.digest().to_string() }),
            Source::Family(kind, graphs) => {
                let digests: serde_json::Map<String, Value> =
                    graphs.iter().map(|(name, graph)| (name.clone(), graph.digest().to_string().into())).collect();
                json!({ kind.name(): digests })
            }
            Source::Planned(graphs) => {
                let own = graphs.iter().filter(|((_, model), _)| Some(model.as_str()) == planned_by);
                let digests: serde_json::Map<String, Value> =
                    own.map(|((name, _), graph)| (name.clone(), graph.digest().to_string().into())).collect();
                json!({ "family-planned": { "by": planned_by, "graphs": digests } })
            }
            Source::Suggested => json!("suggested"),
            Source::Planner(planner) => json!({ "planner": planner.resolved() }),
        };
        let mut resolved = json!({
            "architecture": name, "behaviour": BEHAVIOUR, "source": source, "ways": self.maker.ways,
            "size": [self.maker.size.0, self.maker.size.1], "shots": self.maker.shots,
            "executor": self.workers.executor.resolved(), "context": self.workers.context,
            "specialist": self.workers.specialist, "local": self.workers.local, "global": self.global,
            "analyzer": self.analyzer.agent.resolved(), "analyzer_context": self.analyzer.context, "candidates": self.analyzer.top,
            "cache": self.analyzer.cached, "retries": self.retries,
        });
        // Absent where they change nothing, so that cells of earlier runs are the same cells.
        if self.analyzer.batch > 1 {
            resolved["batch"] = self.analyzer.batch.into();
        }
        if self.analyzer.otherwise == DefaultDecider::Usual {
            resolved["otherwise"] = "usual".into();
        }
        if self.workers.summary != Summary::default() {
            resolved["summary"] = serde_json::to_value(self.workers.summary).unwrap_or_default();
        }
        if let Some(gate) = &self.workers.gate {
            resolved["gate"] = gate.resolved();
        }
        resolved
    }

    /// The state before the first segment.
    pub(crate) async fn start(&self, stage: &dyn Stage, planned_by: Option<&str>) -> Result<Run, EpisodeStopped> {
        let graph = self.maker.graph(stage, planned_by).await?;
        // A file may be meant for another environment.
        graph
            .check(Some(&stage.tools()))
            .map_err(|error| EpisodeStopped::infrastructure(format!("the graph: {error}")))?;
        let view = stage.view().await;
        Ok(Run::of(graph, view.brief.most_calls(self.global), &view))
    }

    /// Lets a fault divert where control goes, notes it, and goes there.
    pub(crate) async fn enter(&self, stage: &dyn Stage, run: &mut Run, routed: &Routed) {
        let lane = LaneId::MAIN;
        let names = &run.ways.names;
        let wanted = &names[routed.wanted];
        let to = stage.route(lane, wanted, names).await;
        let place = run.graph.place(&to).unwrap_or(routed.wanted);
        stage.record(lane, &MemoryKept { index: run.index, memory: run.memory.clone() }).await;
        if place != routed.wanted {
            // What was decided ahead was decided for another way.
            run.ahead.clear();
        }
        let names = &run.ways.names;
        let wanted = &names[routed.wanted];
        let batched = self.analyzer.batch > 1;
        let decided = (run.graph.ways == Ways::Machine).then_some(match routed.by {
            RouteSource::Rule(number) => (Decider::Rule, Some(number as u64)),
            RouteSource::Usual => (Decider::Usual, None),
            RouteSource::Router | RouteSource::Ahead => (Decider::Router, None),
        });
        let record = control::Routed {
            index: run.index,
            from: run.node().name.clone(),
            wanted: wanted.clone(),
            to: names[place].clone(),
            valid: routed.valid,
            repaired: routed.repaired,
            cached: routed.cached,
            faulted: place != routed.wanted,
            candidates: u32::try_from(routed.candidates).unwrap_or(u32::MAX),
            ahead: batched.then_some(routed.by == RouteSource::Ahead),
            left: batched.then_some(run.ahead.len() as u64),
            by: decided.map(|(by, _)| by),
            rule: decided.map(|(_, rule)| rule),
        };
        stage.record(lane, &record).await;
        if !routed.by.is_blind() {
            run.followed.insert(run.node, routed.wanted);
        }
        run.before = Some(run.node);
        run.node = place;
        run.index += 1;
    }
}
