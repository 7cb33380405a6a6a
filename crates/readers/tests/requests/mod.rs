//! Every request of an episode, in every environment, architecture and protocol, read as a player reads it: all that is needed
//! is there, and nothing contradicts itself.
//!
//! `GIMBAL_REQUESTS=FOLDER cargo test -p gimbal-readers --test all requests::` also writes the requests there, for a person to read.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;
mod rules;

use std::path::PathBuf;

use common::{Asked, Cell, Played, controllers, solver};
use gimbal_agent::persona::configurations;
use gimbal_architectures::control::{Deed, Stretch, Summariser, Won};
use gimbal_core::event::Body;
use gimbal_core::{Catalogue, Grammar, TaskId, ToolCall, ToolSpec};
use rules::{Broken, Scene};
use serde_json::{Value, json};

/// An environment with one task to play.
pub struct Place {
    pub name: &'static str,
    pub family: Box<dyn Catalogue>,
    pub options: Value,
    split: &'static str,
}

impl Place {
    pub fn task(&self) -> TaskId {
        self.family.tasks(self.split, &self.options).unwrap().remove(0)
    }
}

pub fn defences() -> [Place; 2] {
    [
        Place {
            name: "cage2",
            family: Box::new(gimbal_cage2::environment::Cage2),
            options: json!({ "red": "b_line", "horizon": 10 }),
            split: "train",
        },
        Place {
            name: "yawning_titan",
            family: Box::new(gimbal_yawning_titan::environment::YawningTitan),
            options: json!({ "horizon": 10 }),
            split: "train",
        },
    ]
}

pub fn tasks() -> [Place; 5] {
    [
        Place {
            name: "textcraft",
            family: Box::new(gimbal_textcraft::environment::TextCraft),
            options: Value::Null,
            split: "depth-3-test",
        },
        Place {
            name: "alfworld",
            family: Box::new(gimbal_alfworld::Alfworld::over(None)),
            options: json!({ "tools": "split" }),
            split: "generated",
        },
        Place {
            name: "alfworld-2.1.1",
            family: Box::new(gimbal_alfworld::Alfworld::over(None)),
            options: json!({ "wording": "2.1.1" }),
            split: "generated",
        },
        Place { name: "triage", family: Box::new(gimbal_triage::Triage), options: json!({}), split: "dev" },
        Place {
            name: "finance_agent",
            family: Box::new(gimbal_finance_agent::FinanceAgent),
            options: json!({}),
            split: "synthetic",
        },
    ]
}

/// Those who work on a task: one agent, and the controllers, each with a name for files.
fn workers() -> Vec<(String, &'static str, Value)> {
    let mut all = vec![("solver".to_owned(), "react", solver())];
    all.extend(controllers().into_iter().map(|(name, base, settings)| (name.replace(' ', "-"), base, settings)));
    all.push(("Gen-Cyc-ahead".to_owned(), "cyclic", json!({ "graph": "family", "batch": 3 })));
    all
}

/// The named configurations: one planner, alone or with advisers.
fn configured() -> Vec<(String, &'static str, Value)> {
    configurations(&common::files())
        .unwrap()
        .into_iter()
        // Sides of a debate and members of a panel are asked for messages over a packet, and not for actions.
        .filter(|known| !["debate", "panel", "temporal", "reflexion", "lats"].contains(&known.base.as_str()))
        .map(|known| {
            let base = if known.base == "react" { "react" } else { "hierarchy" };
            (known.name.replace('+', "_"), base, json!({ "configuration": known.name }))
        })
        .collect()
}

/// Writes the requests of an episode where a folder for them is named.
pub fn keep(place: &str, cell: &str, asked: &[Asked]) {
    let Some(folder) = std::env::var_os("GIMBAL_REQUESTS").map(PathBuf::from) else { return };
    let folder = folder.join(place);
    std::fs::create_dir_all(&folder).unwrap();
    let mut out = String::new();
    for (number, Asked { role, request, answer }) in asked.iter().enumerate() {
        out.push_str(&format!("################ request {number} to {role}\n"));
        for message in &request.messages {
            let answers = message.answers.as_deref().map(|id| format!(" answers {id}")).unwrap_or_default();
            out.push_str(&format!("-------- {}{answers}\n{}\n", message.speaker.name(), message.text));
            for call in &message.calls {
                out.push_str(&format!("call {} {} {}\n", call.id, call.tool, call.arguments));
            }
        }
        for tool in request.tools.iter() {
            out.push_str(&format!("-------- tool {}: {}\n{}\n", tool.name, tool.description, tool.parameters));
        }
        if let Some(grammar) = &request.grammar {
            let text = match &**grammar {
                Grammar::JsonSchema(schema) => schema.to_string(),
                Grammar::Choice(texts) => texts.join(" | "),
                Grammar::Regex(regex) => regex.clone(),
            };
            out.push_str(&format!("-------- grammar\n{text}\n"));
        }
        out.push_str(&format!("-------- answer\n{answer}\n"));
    }
    std::fs::write(folder.join(format!("{cell}.txt")), out).unwrap();
}

/// Looks at the requests of an episode with every rule.
async fn look(
    place: &Place,
    (cell, file): (&Cell, &str),
    (task, seed): (&TaskId, u64),
    (played, asked): (&Played, &[Asked]),
    broken: &mut Broken,
) {
    let first = played.events().iter().find_map(|event| match &event.body {
        Body::Started(started) => Some(played.text(&started.observation)),
        _ => None,
    });
    let mut environment = place.family.open(&place.options).unwrap();
    environment.reset(task, seed).await.unwrap();
    let brief = environment.brief();
    let listed = |tool: &ToolSpec, name: &str| {
        let schema = &tool.parameters["properties"][name];
        schema.get("enum").is_some() || (brief.literals_change && environment.choices(&tool.name, name).is_some())
    };
    let closed = |tool: &&ToolSpec| tool.required().any(|name| listed(tool, name));
    let scene = Scene {
        place: place.name,
        cell: file,
        protocol: cell.protocol,
        first: first.as_deref().unwrap_or_default().trim(),
        goal: brief.goal.clone(),
        published: brief.tool_names.values().cloned().collect(),
        subjects: brief.subjects.clone(),
        tools: environment.tools().iter().map(|tool| tool.name.clone()).collect(),
        closed: environment.tools().iter().filter(closed).map(|tool| tool.name.clone()).collect(),
    };
    for one in asked {
        rules::check(&scene, one, broken);
    }
}

/// Plays one episode of each cell in every form, and gives what is wrong with its requests.
async fn read(place: &Place, cells: &[(String, &'static str, Value)]) -> Vec<String> {
    let mut broken = Broken::default();
    let mut requests = 0;
    for (name, base, settings) in cells {
        for spoilt in [false, true] {
            // A mask changes no text: requests to try again are read once.
            for cell in Cell::all(base, settings).into_iter().filter(|cell| !(spoilt && cell.constrained)) {
                let seed = 4;
                let task = place.task();
                let (played, asked) = cell.requests(&*place.family, &place.options, (&task, seed), spoilt).await;
                let mask = if cell.constrained { "constrained" } else { "free" };
                let spoiled = if spoilt { "-spoilt" } else { "" };
                let file = format!("{name}-{}-{mask}{spoiled}", cell.protocol);
                keep(place.name, &file, &asked);
                assert!(!asked.is_empty(), "{}: {file}: nothing was asked", place.name);
                requests += asked.len();
                look(place, (&cell, &file), (&task, seed), (&played, &asked), &mut broken).await;
            }
        }
    }
    println!("{}: {requests} requests of {} cells", place.name, cells.len() * 9);
    broken.lines()
}

fn no_stumbles(broken: &[String]) {
    assert!(broken.is_empty(), "{} stumbles:\n{}", broken.len(), broken.join("\n"));
}

// covers: CYC-027, CYC-036, CYC-010
#[tokio::test]
async fn solvers_and_controllers_of_tasks_can_play_from_their_requests() {
    let mut broken = Vec::new();
    for place in tasks() {
        broken.extend(read(&place, &workers()).await);
    }
    no_stumbles(&broken);
}

// covers: BOG-054, BOG-055, BOG-061, BOG-130
#[tokio::test]
async fn defenders_in_every_configuration_can_play_from_their_requests() {
    let mut broken = Vec::new();
    for place in defences() {
        broken.extend(read(&place, &configured()).await);
    }
    no_stumbles(&broken);
}

#[tokio::test]
async fn controllers_of_a_defence_can_play_from_their_requests() {
    let mut broken = Vec::new();
    for place in defences() {
        broken.extend(read(&place, &workers()).await);
    }
    no_stumbles(&broken);
}

#[tokio::test]
async fn configurations_on_tasks_can_be_played_from() {
    let mut broken = Vec::new();
    let chosen = ["obs", "hist_net", "_COT", "hier-base", "hier-delib"];
    let cells: Vec<_> = configured().into_iter().filter(|(name, ..)| chosen.contains(&name.as_str())).collect();
    for mut place in tasks() {
        // The player of a defence's seat has no plan for a task: a few steps show what it is told.
        let mut options = place.options.as_object().cloned().unwrap_or_default();
        options.insert("max_calls".to_owned(), 6.into());
        place.options = options.into();
        broken.extend(read(&place, &cells).await);
    }
    no_stumbles(&broken);
}

/// Answers that ask for a final check of their figures, and the one who checks.
#[tokio::test]
async fn a_verifier_can_answer_from_its_requests() {
    let gated = [
        ("solver-gate".to_owned(), "react", {
            let mut settings = solver();
            settings["gate"] = "evidence".into();
            settings
        }),
        ("cyclic-gate".to_owned(), "cyclic", json!({ "graph": "family", "gate": "evidence" })),
    ];
    let place = tasks().into_iter().last().unwrap();
    no_stumbles(&read(&place, &gated).await);
}

/// An episode as a summariser is told it.
fn won(played: &Played) -> Won {
    let (mut won, mut open, mut deeds) = (Won::default(), None, Vec::new());
    let (mut goals, mut at) = (Value::Null, Value::Null);
    let stretch = |goals: &Value, at: &Value, deeds: Vec<Deed>, ended: &str| {
        let node = goals.as_array().unwrap().iter().find(|node| node["name"] == *at).unwrap();
        let text = |key: &str| node[key].as_str().unwrap().to_owned();
        Stretch { subtask: text("name"), goal: text("goal"), deeds, ended: ended.to_owned() }
    };
    for event in played.events() {
        match &event.body {
            Body::ToolCalled(call) => {
                let arguments = serde_json::from_str(&played.text(&call.arguments)).unwrap();
                open = Some(ToolCall { tool: call.tool.clone(), arguments });
            }
            Body::Stepped(step) => {
                deeds.extend(open.take().map(|call| Deed { call, result: played.text(&step.observation) }));
            }
            Body::Rejected(refusal) => {
                deeds.extend(open.take().map(|call| Deed { call, result: played.text(&refusal.message) }));
            }
            Body::Note(note) if ["graph", "segment", "routed"].contains(&note.kind.as_str()) => {
                let data: Value = serde_json::from_str(&played.text(&note.data)).unwrap();
                match note.kind.as_str() {
                    "graph" => (goals, at) = (data["nodes"].clone(), data["entry"].clone()),
                    "routed" => at = data["to"].clone(),
                    _ => {
                        let done = std::mem::take(&mut deeds);
                        won.stretches.push(stretch(&goals, &at, done, data["ended"].as_str().unwrap()));
                    }
                }
            }
            _ => {}
        }
    }
    // The call that ended the episode may stand behind the last note.
    if !deeds.is_empty() {
        won.stretches.push(stretch(&goals, &at, deeds, "over"));
    }
    won
}

/// A reader sums up an episode that a reader won, in every form of answers, at once and after an answer that nobody can use.
// covers: CYC-023
#[tokio::test]
async fn a_summariser_can_answer_from_its_requests() {
    let mut broken = Broken::default();
    for place in tasks() {
        let (task, seed) = (place.task(), 4);
        let worker = &Cell::all("cyclic", &json!({ "graph": "family" }))[0];
        let worked = worker.play(&*place.family, &place.options, &task, seed).await;
        assert!(worked.won(), "{}", place.name);
        let won = won(&worked);
        let names: Vec<String> = won.stretches.iter().map(|stretch| stretch.subtask.clone()).collect();
        let mut said = Vec::new();
        for cell in Cell::all("cyclic", &json!({})) {
            let summariser = Summariser::new(&json!({ "protocol": cell.protocol }), &common::files()).unwrap();
            for spoilt in [false, true] {
                let work = summariser.of(won.clone());
                let (played, asked) =
                    cell.requests_of(&work, &*place.family, &place.options, (&task, seed), spoilt).await;
                let mask = if cell.constrained { "constrained" } else { "free" };
                let file = format!("summariser-{}-{mask}{}", cell.protocol, if spoilt { "-spoilt" } else { "" });
                keep(place.name, &file, &asked);
                assert_eq!(asked.len(), 1 + usize::from(spoilt), "{}: {file}", place.name);
                assert!(asked.iter().all(|one| one.role == "summariser"));
                assert!(played.notes("prompt_lacks").is_empty(), "{}: {file}", played.story());
                look(&place, (&cell, &file), (&task, seed), (&played, &asked), &mut broken).await;
                let made = work.made().unwrap();
                assert_eq!(made.problems.len(), usize::from(spoilt), "{}: {file}: {made:?}", place.name);
                said.push(made.into_summary().unwrap());
            }
        }
        assert!(names.iter().all(|name| said[0].contains(name.as_str())), "{names:?}: {}", said[0]);
        said.dedup();
        assert_eq!(said.len(), 1, "the same in every form");
    }
    no_stumbles(&broken.lines());
}
