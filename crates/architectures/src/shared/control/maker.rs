//! Where a controller's graph comes from: a file, the environment's own classes of action, or a planner (CYC-020..025).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gimbal_agent::prompt::Question;
use gimbal_agent::reading::{array, object};
use gimbal_agent::{Agent, ReplySpec};
use gimbal_core::{Brief, Decoding, EpisodeStopped, Hint, LaneId, Stage, ToolSpec};
use gimbal_messages::records::control::{GraphChosen, GraphEdge, GraphNode, Planned};
use gimbal_messages::{Form, StageExt, bounded, party, spaced};
use serde_json::{Value, json};

use super::made::Made;
use crate::shared::asking::TextRequest;
use crate::shared::graph::{Edge, GraphError, Node, TaskGraph, Ways, check};
use crate::shared::seen_blocks;

/// Where graphs come from.
pub(crate) enum Source {
    /// One that is in a file or in the study: built once, reused (Gen-Cyc, CYC-021).
    File(Arc<TaskGraph>),
    /// The one that was made for the family of the environment: `graphs/ENVIRONMENT.yaml`, a list's
    /// `graphs/ENVIRONMENT-list.yaml` (CYC-021). The environment's classes of action where there is none.
    Family(Family, BTreeMap<String, Arc<TaskGraph>>),
    /// The one that the planner's model of the cell planned for the family of the environment, by environment and model
    /// (`graph: family-planned`, CYC-021): each tier of planner plays its own graph.
    Planned(BTreeMap<(String, String), Arc<TaskGraph>>),
    /// The subtasks that the environment suggests by its classes of action.
    Suggested,
    /// A planner makes one for each episode (Spec-Cyc, CYC-020).
    Planner(Box<Agent>),
}

impl Source {
    /// The name that journals use.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::File(_) => "file",
            Self::Family(kind, _) => kind.name(),
            Self::Planned(_) => Family::Whole.name(),
            Self::Suggested => "suggested",
            Self::Planner(_) => "planner",
        }
    }
}

/// Which of the graphs that were made for a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// The one that was planned or written: complete, or a list.
    Whole,
    /// What runs of it left (CYC-092).
    Sparse,
    /// The machine that was learned from runs of it (CYC-093).
    Machine,
}

impl Family {
    /// The name that settings and journals use.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Whole => "family",
            Self::Sparse => "family-sparse",
            Self::Machine => "family-machine",
        }
    }

    /// What follows the environment in the file's name.
    pub(crate) const fn suffix(self) -> &'static str {
        match self {
            Self::Whole => "",
            Self::Sparse => "-sparse",
            Self::Machine => "-machine",
        }
    }
}

/// Makes graphs of one kind.
pub(crate) struct Maker {
    /// The name of the controller that plays the graphs: their kind in journals.
    pub kind: &'static str,
    pub source: Source,
    /// The name of the graph's file, where the settings name one.
    pub file: Option<String>,
    /// Complete, or a list; a file may be sparse.
    pub ways: Ways,
    /// Least and most subtasks of a planner's graph.
    pub size: (usize, usize),
    /// Summaries of won episodes, which the planner alone sees (CYC-023).
    pub shots: Vec<String>,
}

/// The source that journals name where a planner gave no graph and the one that the environment suggests is used instead.
const FALLBACK: &str = "fallback";
/// What the file of a graph names as its maker where no model made it.
const BY_HAND: &str = "hand";
/// Most subtasks of a planned graph where its form is enforced: a complete graph of more takes too long to write.
const ENFORCED: usize = 6;
/// Longest goal or criterion that is taken from a planner, in characters.
const WORDS: usize = 400;
/// Longest name of a subtask where the form of a graph is enforced, in characters: the longest that a graph may hold.
const NAME: usize = 48;
/// Longest goal and longest criterion there: a planner is asked for criteria of up to 33 words.
const SENTENCE: usize = 200;
/// The class of actions that only look: between two others an agent has to look again.
const PASSIVE: &str = "passive";
/// How much of what is not a graph goes back to the planner, in characters: two hundred subtasks fill a context.
const BROKEN: usize = 12_000;

impl Maker {
    /// The graph of an episode; what it is and where it came from is noted.
    pub(crate) async fn graph(
        &self,
        stage: &dyn Stage,
        planned_by: Option<&str>,
    ) -> Result<Arc<TaskGraph>, EpisodeStopped> {
        let suggested = || (Arc::new(self.suggested(&stage.brief(), &stage.tools())), "suggested");
        let (graph, source) = match &self.source {
            Source::File(graph) => (Arc::clone(graph), self.source.name()),
            Source::Family(kind, graphs) => match graphs.get(&stage.brief().environment) {
                Some(graph) => (Arc::clone(graph), self.source.name()),
                None if *kind == Family::Whole => suggested(),
                // Another graph would be another experiment.
                None => {
                    let name = format!("{}{}", stage.brief().environment, kind.suffix());
                    return Err(EpisodeStopped::infrastructure(format!(
                        "there is no graph `{name}`; `gimbal graph distil RUN --out graphs/{name}.yaml` makes it of a run"
                    )));
                }
            },
            Source::Planned(graphs) => {
                let model = planned_by.unwrap_or_default().to_owned();
                match graphs.get(&(stage.brief().environment.clone(), model)) {
                    Some(graph) => (Arc::clone(graph), self.source.name()),
                    // Only an estimate comes here: no run begins before the graph is there. Whoever reads it sees it.
                    None => (suggested().0, FALLBACK),
                }
            }
            Source::Suggested => suggested(),
            Source::Planner(planner) => {
                let view = stage.view().await;
                let brief = stage.brief();
                let first = seen_blocks::text(&view);
                let task = Some((brief.goal.as_str(), first.as_deref()));
                let request = request(&brief, &stage.tools(), self.bounds(stage, planner), task, &self.shots);
                match self.planned(stage, planner, request).await?.graph {
                    Some(graph) => (Arc::new(graph), self.source.name()),
                    // What was planned is not a graph: another one plays, and tables say so.
                    None => (suggested().0, FALLBACK),
                }
            }
        };
        // Who made a graph that nobody planned in this episode, as far as its file says.
        let made = |key: &str| graph.made.get(key).cloned();
        let rules = || graph.rules.iter().map(|rule| serde_json::to_value(rule).unwrap_or_default()).collect();
        let record = GraphChosen {
            id: graph.id(),
            kind: self.kind.to_owned(),
            source: source.to_owned(),
            ways: graph.ways.name().to_owned(),
            entry: graph.entry.clone(),
            nodes: graph.nodes.iter().map(recorded_node).collect(),
            edges: graph.edges.iter().map(recorded_edge).collect(),
            planner: made("model").or_else(|| made("by").filter(|by| by == BY_HAND)),
            shots: made("shots"),
            rules: (graph.ways == Ways::Machine).then(rules),
        };
        stage.record(LaneId::MAIN, &record).await;
        Ok(graph)
    }

    fn suggested(&self, brief: &Brief, tools: &[ToolSpec]) -> TaskGraph {
        let nodes = TaskGraph::suggested(brief, tools);
        if self.ways == Ways::List { TaskGraph::list(nodes) } else { TaskGraph::complete(nodes) }
    }

    /// The graph of a planner that is shown `request`, after at most one repair; none if that is not a graph either.
    pub(crate) async fn planned(
        &self,
        stage: &dyn Stage,
        planner: &Agent,
        request: Value,
    ) -> Result<Made, EpisodeStopped> {
        let (brief, tools, lane) = (stage.brief(), stage.tools(), LaneId::MAIN);
        let has_expert = stage.expert().await.is_some();
        let message =
            stage.send(lane, party::CONTROLLER, planner.role(), "planning", request).await.unwrap_or_default();
        let text = spaced(&message);
        let session = planner.session(stage).await?;
        let named = message.get("task").and_then(Value::as_str);
        let reply_spec = self.reply_spec(&brief, &tools, (self.bounds(stage, planner), named), has_expert);
        let question = Question { target: "", message: &text };
        let ask = TextRequest {
            session: &session,
            lane,
            blocks: &[],
            who: "planner",
            question,
            reply_spec: &reply_spec,
            longest: BROKEN,
        };
        let (graph, problems) = ask.once_and_again(stage, |text| self.read(text, &tools)).await?;
        let attempts = problems.len() + usize::from(graph.is_some());
        let attempts = u32::try_from(attempts).unwrap_or(u32::MAX);
        stage.record(lane, &Planned { attempts, valid: graph.is_some(), problems: problems.clone() }).await;
        Ok(Made { graph, problems })
    }

    /// The graph that a planner wrote, or what is wrong with it.
    pub(crate) fn read(&self, text: &str, tools: &[ToolSpec]) -> Result<TaskGraph, String> {
        let graph = if self.ways == Ways::List {
            let (items, _) = array(text).ok_or("this holds no JSON array of subtasks")?;
            TaskGraph::list(items.iter().filter_map(|item| node(item, tools)).collect())
        } else {
            let (members, _) = object(text).ok_or("this holds no JSON object with nodes and edges")?;
            let items = |key: &str| members.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
            let nodes: Vec<Node> = items("nodes").iter().filter_map(|item| node(item, tools)).collect();
            let entry = members.get("entry").and_then(Value::as_str).map(str::trim).unwrap_or_default().to_owned();
            let entry = match nodes.first() {
                // The first subtask is the entry where the planner marks none (CYC-014).
                Some(first) if entry.is_empty() => first.name.clone(),
                _ => entry,
            };
            let mut edges: Vec<Edge> = items("edges").iter().filter_map(edge).collect();
            // The same words again say nothing new.
            let mut written = BTreeSet::new();
            edges.retain(|edge| written.insert((edge.from.clone(), edge.to.clone(), edge.criterion.clone())));
            TaskGraph { ways: Ways::Complete, entry, nodes, edges, ..TaskGraph::default() }
        };
        let (least, most) = self.size;
        if !(least..=most).contains(&graph.nodes.len()) {
            return Err(GraphError::Size { found: graph.nodes.len(), least, most }.to_string());
        }
        let problems = graph.problems(Some(tools));
        if problems.is_empty() { Ok(graph) } else { Err(check::listed(&problems)) }
    }

    /// Least and most subtasks that a planner is told and held to.
    pub(crate) fn bounds(&self, stage: &dyn Stage, planner: &Agent) -> (usize, usize) {
        let enforced = stage.role(planner.role()).is_some_and(|role| role.decoding == Decoding::Constrained);
        if enforced { self::enforced(self.size) } else { self.size }
    }

    fn reply_spec(
        &self,
        brief: &Brief,
        tools: &[ToolSpec],
        ((least, most), task): ((usize, usize), Option<&str>),
        hints: bool,
    ) -> ReplySpec {
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        let node = Form::object(&[
            ("name", Form::name(NAME)),
            ("goal", Form::text(1, SENTENCE)),
            ("tools", Form::array(&Form::word(&names), 0, names.len().max(1))),
        ]);
        // Whoever writes freely may write more; a form of that length is never asked for.
        let most = most.min(ENFORCED).max(least);
        let form = if self.ways == Ways::List {
            Form::array(&node, least, most)
        } else {
            let edge = [("from", Form::name(NAME)), ("to", Form::name(NAME)), ("criterion", Form::text(1, SENTENCE))];
            Form::object(&[
                ("nodes", Form::array(&node, least, most)),
                ("entry", Form::name(NAME)),
                ("edges", Form::array(&Form::object(&edge), least * least, most.pow(2))),
            ])
        };
        let expert = hints.then(|| {
            let mut right = match self.ways {
                Ways::List => TaskGraph::list(in_turns(TaskGraph::suggested(brief, tools), most)),
                _ => self.suggested(brief, tools),
            };
            if let Some(task) = task {
                right.name_task(&last_line(task));
            }
            let turned: Vec<Node> = right.nodes.iter().rev().cloned().collect();
            // What goes wrong with graphs: the order, the size, a way that is missing.
            let wrong = [
                if self.ways == Ways::List { TaskGraph::list(turned) } else { TaskGraph::complete(turned) },
                TaskGraph { nodes: right.nodes.iter().take(1).cloned().collect(), edges: Vec::new(), ..right.clone() },
                TaskGraph { edges: right.edges.iter().skip(1).cloned().collect(), ..right.clone() },
            ];
            Hint { answer: self.text(&right), alternatives: wrong.iter().map(|graph| self.text(graph)).collect() }
        });
        ReplySpec { form, expert, mask: false }
    }

    /// A graph as a planner writes it, within the bounds of the form.
    fn text(&self, graph: &TaskGraph) -> String {
        let sentence = |text: &str| bounded(text, SENTENCE);
        let nodes: Vec<Value> = graph
            .nodes
            .iter()
            .map(|node| json!({ "name": node.name, "goal": sentence(&node.goal), "tools": node.tools }))
            .collect();
        if self.ways == Ways::List {
            return spaced(&Value::from(nodes));
        }
        let edges: Vec<Value> = graph
            .edges
            .iter()
            .map(|edge| json!({ "from": edge.from, "to": edge.to, "criterion": sentence(&edge.criterion) }))
            .collect();
        spaced(&json!({ "nodes": nodes, "entry": graph.entry, "edges": edges }))
    }
}

/// The list of an expert planner of at most so many subtasks: after each class of action the agent looks again before the
/// next one, and the classes come round again. One pass over them ends before most tasks do: in a house one goes to a
/// thing, takes it, goes to what prepares it, prepares it, goes to where it belongs and puts it down.
fn in_turns(nodes: Vec<Node>, most: usize) -> Vec<Node> {
    let (looks, acts): (Vec<Node>, Vec<Node>) = nodes.into_iter().partition(|node| node.name == PASSIVE);
    let (Some(look), false) = (looks.first(), acts.is_empty()) else { return looks.into_iter().chain(acts).collect() };
    let turns = acts.iter().cycle().flat_map(|act| [look, act]);
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let named = turns.take(most).map(|node| {
        let time = seen.entry(node.name.as_str()).or_default();
        *time += 1;
        let name = if *time == 1 { node.name.clone() } else { format!("{} {time}", node.name) };
        Node { name, ..node.clone() }
    });
    named.collect()
}

fn recorded_node(node: &Node) -> GraphNode {
    GraphNode { name: node.name.clone(), goal: node.goal.clone(), tools: node.tools.clone() }
}

fn recorded_edge(edge: &Edge) -> GraphEdge {
    let Edge { from, to, criterion, weight } = edge.clone();
    GraphEdge { from, to, criterion, weight: Some(weight).filter(|weight| *weight != Edge::NEUTRAL) }
}

/// The line of a task that says what is wanted, short and in the letters of a form.
fn last_line(task: &str) -> String {
    let last = task.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
    let letters =
        last.chars().map(|letter| if letter.is_ascii_graphic() && !"\"\\".contains(letter) { letter } else { ' ' });
    bounded(&letters.collect::<String>(), 60)
}

/// Least and most subtasks of a planner's graph where its form is enforced.
pub(crate) fn enforced((least, most): (usize, usize)) -> (usize, usize) {
    (least, most.min(ENFORCED).max(least))
}

/// What a planner is told: the environment, its tools, how many subtasks it may name, what won before, and, for one task
/// alone, its goal and what the agent sees first (CYC-020..022).
pub(crate) fn request(
    brief: &Brief,
    tools: &[ToolSpec],
    (least, most): (usize, usize),
    task: Option<(&str, Option<&str>)>,
    shots: &[String],
) -> Value {
    let tools: Vec<Value> =
        tools.iter().map(|tool| json!({ "name": tool.name, "description": tool.description })).collect();
    let mut message = json!({ "environment": brief.role, "tools": tools, "size": { "least": least, "most": most } });
    if let Some((goal, first)) = task {
        message["task"] = goal.into();
        if let Some(first) = first {
            message["first_observation"] = first.into();
        }
    }
    if !shots.is_empty() {
        message["won_before"] = shots.to_vec().into();
    }
    message
}

/// A subtask as a planner wrote it; tools that there are not are left out.
fn node(item: &Value, tools: &[ToolSpec]) -> Option<Node> {
    let text = |key: &str| item.get(key).and_then(Value::as_str).map(str::trim).unwrap_or_default();
    let goal = [text("goal"), text("description"), text("objective")].into_iter().find(|text| !text.is_empty());
    let listed = match item.get("tools") {
        Some(Value::Array(names)) => names.as_slice(),
        Some(name) => std::slice::from_ref(name),
        None => &[],
    };
    let named = listed.iter().filter_map(Value::as_str);
    let tools = named.filter(|name| tools.iter().any(|tool| tool.name == *name)).map(str::to_owned).collect();
    item.is_object().then(|| Node {
        name: text("name").to_owned(),
        goal: bounded(goal.unwrap_or_default(), WORDS),
        tools,
    })
}

fn edge(item: &Value) -> Option<Edge> {
    let text = |key: &str| item.get(key).and_then(Value::as_str).map(|text| text.trim().to_owned());
    let criterion = bounded(&text("criterion").or_else(|| text("condition")).unwrap_or_default(), WORDS);
    Some(Edge { from: text("from")?, to: text("to")?, criterion, weight: 1000 })
}
