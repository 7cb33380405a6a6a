//! What an agent is told about its actions and what its mask lets through are the same, in every environment and protocol: each kind
//! of action in its glossary can be written, and nothing else.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use gimbal_agent::prompt::Question;
use gimbal_agent::tool::Finish;
use gimbal_agent::{Agent, Alone, Overrides, Partners, Persona, Protocol};
use gimbal_core::{Architecture, Brief, EpisodeStopped, Grammar, LaneId, Needs, Stage, ToolCall, ToolSpec};
use regex::Regex;
use serde_json::{Value, json};

use crate::common::{self, Asked, Cell};
use crate::requests::{Place, Reach, all};

/// A way to write a call: the call, and its text.
#[derive(Clone)]
struct Written {
    call: ToolCall,
    text: String,
}

/// What an agent with some of the tools was told, and what the environment takes.
#[derive(Clone)]
struct Disclosed {
    only: Option<String>,
    brief: Arc<Brief>,
    tools: Arc<[ToolSpec]>,
    legal: Vec<Written>,
}

/// Lets an agent make one call: with all tools, or as the specialist of one.
struct OneCall {
    agent: Agent,
    only: Option<String>,
    /// What the agent is told about its subtask, where it has one.
    subtask: Option<&'static str>,
    told: Mutex<Option<Disclosed>>,
}

#[async_trait]
impl Architecture for OneCall {
    fn needs(&self) -> Needs {
        let mut needs = Needs::default();
        needs.add_agent(self.agent.needs());
        needs
    }

    fn resolved(&self) -> Value {
        self.agent.resolved()
    }

    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        let tools = stage.tools();
        let mut legal = Vec::new();
        for call in stage.legal(usize::MAX).await.iter() {
            legal.push(Written { call: call.clone(), text: stage.render(call).await });
        }
        // Free texts are listed as far as the environment has examples.
        let listed: Vec<String> = legal.iter().map(|known| known.call.tool.clone()).collect();
        let free = tools.iter().filter(|tool| stage.brief().free_arguments && !listed.contains(&tool.name));
        for tool in free {
            let mut call = ToolCall::bare(&tool.name);
            for name in tool.required() {
                let examples = &tool.parameters["properties"][name]["examples"];
                let value = examples.get(0).cloned().unwrap_or_else(|| "net sales {{a}}".into());
                call.arguments.insert(name.to_owned(), value);
            }
            legal.push(Written { text: stage.render(&call).await, call });
        }
        let told = Disclosed { only: self.only.clone(), brief: stage.brief(), tools: Arc::clone(&tools), legal };
        *self.told.lock().unwrap() = Some(told);
        let own: Option<Vec<String>> = self.only.clone().map(|name| vec![name]);
        let session = self.agent.session_with(stage, own.as_deref()).await?;
        let question = self.subtask.map(|message| Question { target: "WORK", message });
        session.segment(stage, LaneId::MAIN, &[], question, (&Alone, 1)).await?;
        Ok(())
    }
}

fn agent(protocol: &str) -> Agent {
    let overrides: Overrides = serde_json::from_value(json!({ "protocol": protocol })).unwrap();
    let persona = Persona::load("solver", &common::files()).unwrap();
    Agent::new(Arc::new(persona), "default", &overrides).unwrap().acting_often(&overrides)
}

/// A mask, to try texts on.
enum Mask {
    Text(Regex),
    Schema(jsonschema::Validator),
}

impl Mask {
    fn of(asked: &Asked) -> Self {
        match asked.request.grammar.as_deref() {
            Some(Grammar::Regex(pattern)) => {
                let regex = regex::RegexBuilder::new(&format!("^(?:{pattern})$")).size_limit(1 << 28).build();
                Self::Text(regex.unwrap())
            }
            Some(Grammar::JsonSchema(schema)) => {
                let patterns = jsonschema::PatternOptions::regex().size_limit(1 << 28);
                Self::Schema(jsonschema::options().with_pattern_options(patterns).build(schema).unwrap())
            }
            other => panic!("{other:?}"),
        }
    }

    fn lets_through(&self, text: &str) -> bool {
        match self {
            Self::Text(regex) => regex.is_match(text),
            Self::Schema(schema) => serde_json::from_str(text).is_ok_and(|value| schema.is_valid(&value)),
        }
    }
}

/// Whether the prompt or the native tools explain a tool.
fn is_told(asked: &Asked, told: &Disclosed, tool: &str) -> bool {
    let system = &asked.request.messages[0].text;
    let usage = told.brief.entry_of(tool).map(|entry| Value::from(entry.usage.as_str()).to_string());
    usage.is_some_and(|usage| system.contains(&usage)) || asked.request.tools.iter().any(|known| known.name == tool)
}

async fn disagreements(place: &Place, options: &Value) -> Vec<String> {
    let mut out = BTreeSet::new();
    for protocol in common::PROTOCOLS {
        let cell = Cell { player: place.player, ..Cell::new("react", json!({}), protocol, true) };
        let written: Protocol = serde_json::from_value(json!(protocol)).unwrap();
        let mut agents = vec![None];
        let mut next = 0;
        while next < agents.len() {
            let architecture =
                OneCall { agent: agent(protocol), only: agents[next].clone(), subtask: None, told: Mutex::default() };
            let (_, asked) =
                cell.requests_of(&architecture, &*place.family, options, (&place.task(None), 4), false).await;
            let asked = asked.iter().find(|asked| asked.role == "default").unwrap();
            let told = architecture.told.lock().unwrap().clone().unwrap();
            // One tool is all tools.
            if next == 0 && told.tools.len() > 1 {
                // A tool that no prompt explains makes no specialist.
                let explained = told.tools.iter().filter(|tool| is_told(asked, &told, &tool.name));
                agents.extend(explained.map(|tool| Some(tool.name.clone())));
            }
            next += 1;
            let mask = Mask::of(asked);
            for tool in told.tools.iter() {
                let own = told.only.as_ref().is_none_or(|only| *only == tool.name);
                let is_told = is_told(asked, &told, &tool.name);
                let mut calls = told.legal.iter().filter(|known| known.call.tool == tool.name);
                let known = calls.clone().next().is_some();
                let fits = calls.any(|known| mask.lets_through(&written.write("t", &known.call, &known.text)));
                // Another tool of the agent may be written in the same words.
                let shared = |known: &Written| {
                    let same = |other: &&Written| other.text == known.text && other.call.tool != known.call.tool;
                    told.legal.iter().any(|other| same(&other))
                };
                let only_own =
                    told.legal.iter().filter(|known| known.call.tool == tool.name).all(|known| !shared(known));
                let agent = told.only.as_deref().unwrap_or("all tools");
                // What is not possible now cannot be written now.
                if own && is_told && known && !fits {
                    out.insert(format!(
                        "{} {protocol}, {agent}: `{}` is told and cannot be written",
                        place.name, tool.name
                    ));
                }
                // A specialist that can do nothing now, and to nobody gives control back, must write something.
                let own = |known: &Written| told.only.as_ref().is_none_or(|only| *only == known.call.tool);
                if fits && !is_told && only_own && told.legal.iter().any(own) {
                    out.insert(format!(
                        "{} {protocol}, {agent}: `{}` can be written and is not told",
                        place.name, tool.name
                    ));
                }
            }
            let none = ToolCall::with("dance", &[("how", "well")]);
            let own = |known: &Written| told.only.as_ref().is_none_or(|only| *only == known.call.tool);
            if told.legal.iter().any(own) && mask.lets_through(&written.write("t", &none, "dance how=well")) {
                let agent = told.only.as_deref().unwrap_or("all tools");
                out.insert(format!("{} {protocol}, {agent}: the mask lets any action through", place.name));
            }
        }
    }
    out.into_iter().collect()
}

// covers: CYC-036, BOG-062
#[tokio::test]
async fn every_kind_of_action_that_is_told_can_be_written_under_the_mask_and_no_other() {
    let mut found = Vec::new();
    for place in all() {
        let mut options = place.options.clone();
        if place.reach == Reach::Horizon {
            options["horizon"] = 40.into();
        }
        found.extend(disagreements(&place, &options).await);
    }
    for (name, offers) in [("textcraft", ["all", "separate", "unified"]), ("alfworld", ["all", "select", "split"])] {
        for offered in offers {
            let place = all().into_iter().find(|place| place.name == name).unwrap();
            found.extend(disagreements(&place, &json!({ "tools": offered })).await);
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// An agent of a subtask, who can give control back.
fn executor(protocol: &str) -> Agent {
    let overrides: Overrides = serde_json::from_value(json!({ "protocol": protocol })).unwrap();
    let persona = Persona::load("executor", &common::files()).unwrap();
    let partners = Partners { message: None, delegates: &[&Finish] };
    Agent::among(Arc::new(persona), "default", &overrides, partners).unwrap().acting_often(&overrides)
}

// covers: CYC-027, CYC-036
#[tokio::test]
async fn a_specialist_that_can_do_nothing_now_can_only_give_control_back() {
    // What no admissible command needs, and what no prompt explains.
    for (name, tool) in [("alfworld", "manipulate_object"), ("cage2", "Sleep")] {
        let place = all().into_iter().find(|place| place.name == name).unwrap();
        for protocol in common::PROTOCOLS {
            let cell = Cell::new("react", json!({}), protocol, true);
            let written: Protocol = serde_json::from_value(json!(protocol)).unwrap();
            let subtask = Some(r#"{"subtask": {"name": "WORK", "goal": "Do what is left to do."}, "calls_left": 3}"#);
            let (only, told) = (Some(tool.to_owned()), Mutex::default());
            let architecture = OneCall { agent: executor(protocol), only, subtask, told };
            let (_, asked) =
                cell.requests_of(&architecture, &*place.family, &place.options, (&place.task(None), 4), false).await;
            let mask = Mask::of(asked.iter().find(|asked| asked.role == "default").unwrap());
            let dance = written.write("t", &ToolCall::with("dance", &[("how", "well")]), "dance how=well");
            assert!(!mask.lets_through(&dance), "{name} {protocol}");
            let call = ToolCall::bare(tool);
            assert!(!mask.lets_through(&written.write("t", &call, tool)), "{name} {protocol}");
            let finish = written.write_use("t", "finish_subtask", "nothing to do", false);
            assert!(mask.lets_through(&finish), "{name} {protocol}: {finish}");
        }
    }
}

/// The list holds the numbers of the crafting commands; an honest player works out another one.
// covers: CYC-027, CYC-031
#[tokio::test]
async fn a_specialist_of_written_commands_may_get_any_number_of_an_item() {
    let place = all().into_iter().find(|place| place.name == "textcraft").unwrap();
    let tool = "textcraft_select_command";
    for protocol in common::PROTOCOLS {
        let cell = Cell::new("react", json!({}), protocol, true);
        let written: Protocol = serde_json::from_value(json!(protocol)).unwrap();
        let subtask = Some(r#"{"subtask": {"name": "WORK", "goal": "Get the raw items."}, "calls_left": 3}"#);
        let (only, told) = (Some(tool.to_owned()), Mutex::default());
        let architecture = OneCall { agent: executor(protocol), only, subtask, told };
        let (_, asked) =
            cell.requests_of(&architecture, &*place.family, &place.options, (&place.task(None), 4), false).await;
        let mask = Mask::of(asked.iter().find(|asked| asked.role == "default").unwrap());
        let told = architecture.told.lock().unwrap().clone().unwrap();
        let item = told.brief.subjects[0].clone();
        let fits = |command: &str| {
            let call = ToolCall::with(tool, &[("command", command)]);
            mask.lets_through(&written.write("t", &call, &format!("{tool}: {command}")))
        };
        for number in [1, 7, 37, 640] {
            assert!(fits(&format!("get {number} {item}")), "{protocol}: {number}");
        }
        for command in [format!("get 0 {item}"), format!("get 07 {item}"), "get 7 nothing at all".to_owned()] {
            assert!(!fits(&command), "{protocol}: {command}");
        }
    }
}
