//! A corpus of answers to controllers: plans, choices of the next subtask, memories. `tests/corpus/control.yaml` holds groups of
//! answers in the same place, collected from embedded models or written after the known habits of large ones, each with the
//! reading that it must have. Answers of agents that act are in the corpus of `gimbal-agent`.

use std::fmt::Write as _;

use gimbal_agent::Protocol;
use gimbal_agent::protocol::ReplyContent;
use gimbal_agent::reading::{keyed, object};
use gimbal_core::ToolSpec;
use gimbal_messages::records::memory::Memory;
use serde::Deserialize;
use serde_json::{Value, json};

use super::candidates::Way;
use super::choice::Choice;
use super::maker::{Maker, Source};
use crate::shared::graph::{Index, Node, TaskGraph, Ways};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    /// Who wrote them: `written`, or the name of a model.
    from: String,
    kind: Kind,
    #[serde(default)]
    protocol: Protocol,
    /// Of planners: the tools of the environment, and the least and most subtasks.
    #[serde(default)]
    tools: Vec<String>,
    #[serde(default)]
    size: (usize, usize),
    /// Of routers: the subtasks that they may choose, the present one first.
    #[serde(default)]
    subtasks: Vec<String>,
    /// Of routers: how many subtasks one answer may decide.
    #[serde(default)]
    batch: Option<usize>,
    answers: Vec<Entry>,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    /// A complete graph.
    Planner,
    /// A list of subtasks.
    ListPlanner,
    /// The next subtask.
    Router,
    /// The memory.
    Analyzer,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    reads: String,
    text: String,
}

/// The reading of an answer that cannot be read.
const NOTHING: &str = "nothing";

/// What the engine passes on of a reply.
fn answer(protocol: Protocol, text: &str) -> String {
    match protocol.read_message(text).content {
        ReplyContent::Answer(text) | ReplyContent::Raw(text) => text,
        ReplyContent::Use(used) => format!("use {}", used.name),
    }
}

fn plan(group: &Group, text: &str) -> String {
    let ways = if group.kind == Kind::Planner { Ways::Complete } else { Ways::List };
    let source = Source::Suggested;
    let maker = Maker { kind: "test", source, file: None, ways, size: group.size, shots: Vec::new() };
    let spec = |name: &String| ToolSpec { name: name.clone(), description: String::new(), parameters: json!({}) };
    let tools: Vec<ToolSpec> = group.tools.iter().map(spec).collect();
    match maker.read(text, &tools) {
        Ok(graph) => {
            let mut read = String::new();
            for node in &graph.nodes {
                let _ = write!(read, "{} [{}], ", node.name, node.tools.join(" "));
            }
            format!("{read}from {}, {} ways", graph.entry, graph.edges.len())
        }
        Err(problem) => format!("wrong: {problem}"),
    }
}

fn choice(group: &Group, text: &str) -> String {
    let node = |name: &String| Node { name: name.clone(), goal: "Do it.".to_owned(), tools: Vec::new() };
    let graph = TaskGraph::complete(group.subtasks.iter().map(node).collect());
    let index = Index::of(&graph);
    let ways: Vec<Way> = (0..graph.nodes.len()).map(|to| Way { to, criterion: String::new(), weight: 1000 }).collect();
    let most = group.batch.unwrap_or(1);
    let choice = Choice { graph: &graph, index: &index, from: 0, ways: &ways, most };
    let read = match object(text) {
        Some((members, _)) => choice.read(&members),
        None => choice.bare(text),
    };
    let names = read.map(|places| places.iter().map(|place| graph.nodes[*place].name.clone()).collect::<Vec<_>>());
    names.map_or_else(|| NOTHING.to_owned(), |names| names.join(", "))
}

fn memory(text: &str) -> String {
    let found = object(text).and_then(|(members, _)| members.get("memory").cloned()).and_then(keyed);
    match found {
        Some(Value::Object(written)) => {
            let memory = Memory::default().updated(&written);
            let lists = [&memory.facts, &memory.attempts, &memory.loops, &memory.needs].map(|list| list.join("; "));
            format!("{} | {} | {} | {}", memory.objective, lists.join(" | "), memory.state, memory.hint)
        }
        _ => NOTHING.to_owned(),
    }
}

// covers: CYC-013, CYC-015, CYC-020, CYC-025
#[test]
fn every_answer_to_a_controller_has_its_reading() {
    let groups: Vec<Group> =
        gimbal_core::yaml::read(include_str!("../../../tests/corpus/control.yaml"), "control.yaml").unwrap();
    let (mut count, mut wrong) = (0, Vec::new());
    for group in &groups {
        for entry in &group.answers {
            let text = answer(group.protocol, &entry.text);
            let read = match group.kind {
                Kind::Planner | Kind::ListPlanner => plan(group, &text),
                Kind::Router => choice(group, &text),
                Kind::Analyzer => memory(&text),
            };
            count += 1;
            if read != entry.reads {
                wrong.push(format!(
                    "{:?} from {}: {:?}\n  reads {read}\n  not   {}",
                    group.kind, group.from, entry.text, entry.reads
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 60, "{count} answers");
}
