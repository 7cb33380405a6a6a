//! Episodes whose executor and router say their lines, on the real stage.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use gimbal_architectures::kinds;
use gimbal_core::event::{Body, Event};
use gimbal_core::{Catalogue, ChatModel, Decoding, Digest, RoleSettings, Sampling, Stop, TaskId};
use gimbal_cyc::cyclic::{Trajectory, walk_of};
use gimbal_study::registry::Library;
use gimbal_study::stage::{EpisodeSetup, MemoryRecorder, Outcome, Recorded, Role, play_episode};
use gimbal_testkit::models::Reciter;
use serde_json::{Value, json};

/// Plays an episode whose executor and router say their lines.
pub async fn recite(
    (family, options, task): (&dyn Catalogue, Value, &str),
    settings: Value,
    executor: Vec<String>,
    router: Vec<String>,
) -> (Outcome, Recorded) {
    let library = Library::new(&[], vec![concat!(env!("CARGO_MANIFEST_DIR"), "/../..").into()]);
    let kinds = kinds();
    let kind = kinds.iter().find(|kind| kind.name() == "cyclic").unwrap();
    let architecture = kind.build(&settings, &library).unwrap();
    let role = |lines: Vec<String>| {
        let settings =
            RoleSettings { model: "recited".to_owned(), decoding: Decoding::Free, sampling: Sampling::default() };
        Role { settings: Arc::new(settings), model: Arc::new(Reciter::of(lines)) as Arc<dyn ChatModel> }
    };
    let roles = BTreeMap::from([("executor".to_owned(), role(executor)), ("router".to_owned(), role(router))]);
    let options = family.resolve(&options).unwrap();
    let setup = EpisodeSetup::new(Digest::of(b"trace"), TaskId(task.to_owned()), 1, Arc::new(roles));
    let recorder = Arc::new(MemoryRecorder::default());
    let outcome = play_episode(&*architecture, family.open(&options).unwrap(), setup, recorder.clone()).await;
    (outcome.unwrap(), recorder.recorded())
}

pub fn text(recorded: &Recorded, reference: &gimbal_core::TextRef) -> String {
    match reference.as_inline() {
        Some(text) => text.to_owned(),
        None => recorded.texts[&reference.as_stored().unwrap()].clone(),
    }
}

pub fn events(recorded: &Recorded) -> Vec<Event> {
    recorded.events.iter().map(|bytes| serde_json::from_slice(bytes).unwrap()).collect()
}

pub fn notes(recorded: &Recorded, kind: &str) -> Vec<Value> {
    let of = |event: Event| match event.body {
        Body::Note(note) if note.kind == kind => Some(serde_json::from_str(&text(recorded, &note.data)).unwrap()),
        _ => None,
    };
    events(recorded).into_iter().filter_map(of).collect()
}

pub fn observations(recorded: &Recorded) -> Vec<String> {
    let of = |event: Event| match event.body {
        Body::Stepped(step) => Some(text(recorded, &step.observation)),
        _ => None,
    };
    events(recorded).into_iter().filter_map(of).collect()
}

pub fn acts(action: &str) -> String {
    format!("Thought: as told\nAnswer: {action}")
}

pub fn to(node: &str, loops: &str) -> String {
    let memory = json!({ "loops": [loops] });
    let answer = json!({ "analysis": "as told", "memory": memory, "next": node, "reason": "as told" });
    format!("Thought: as told\nAnswer: {answer}")
}

/// The executor gives control back.
pub fn done() -> String {
    "Thought: as told\nTool: finish_subtask: as told\nPAUSE".to_owned()
}

/// The episode as a walk over its graph, as reports read it from journals.
pub fn walk(outcome: &Outcome, recorded: &Recorded, task: &str) -> Trajectory {
    let mut read = |reference: &gimbal_core::TextRef| Ok::<_, Infallible>(text(recorded, reference));
    let walk = walk_of(&events(recorded), &mut read, recorded.objective.as_deref(), &[]).unwrap();
    Trajectory {
        task: task.to_owned(),
        won: outcome.stop == Stop::Solved,
        stop: outcome.stop,
        tool_calls: u32::try_from(outcome.spent.tool_calls).unwrap(),
        ..walk
    }
}

/// A complete graph of these subtasks, the first one its entry.
pub fn complete(names: &[&str]) -> Value {
    let nodes: Vec<Value> = names.iter().map(|name| json!({ "name": name, "goal": format!("{name}.") })).collect();
    let way = |from: &&str, to: &&str| json!({ "from": from, "to": to, "criterion": format!("{to} is what is needed after {from}.") });
    let edges: Vec<Value> = names.iter().flat_map(|from| names.iter().map(move |to| way(from, to))).collect();
    json!({ "ways": "complete", "entry": names[0], "nodes": nodes, "edges": edges })
}
