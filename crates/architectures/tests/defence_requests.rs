//! What is in the requests of every named configuration, read as a player reads them: nothing contradicts itself, nothing
//! is named that is not there, and every protocol says the same.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::common;

use std::sync::Arc;

use common::{Canned, TestFiles, Workshop};
use gimbal_agent::persona::configurations;
use gimbal_agent::{Agent, sample};
use gimbal_architectures::{hierarchy, kinds, react};
use gimbal_core::{AskRequest, Decoding};
use gimbal_messages::records;
use serde_json::{Value, json};

const PROTOCOLS: [&str; 3] = ["react-text", "native-tools", "json"];
const DELIBERATION: [&str; 3] = ["raise_a_question", "critique_the_answer", "improve_based_on_critique"];

/// Name, settings and agents of every configuration in every protocol.
fn all() -> Vec<(String, Value, Vec<Agent>)> {
    let files = TestFiles::default();
    let mut all = Vec::new();
    // The requests of other architectures are read in tests of their own.
    let read = ["react", "hierarchy"];
    for configuration in configurations(&files).unwrap().into_iter().filter(|one| read.contains(&one.base.as_str())) {
        for protocol in PROTOCOLS {
            let settings = json!({ "configuration": configuration.name, "protocol": protocol });
            let agents = match configuration.base.as_str() {
                "react" => vec![react::agent(&settings, &files).unwrap().0],
                _ => hierarchy::agents(&settings, &files).unwrap().0.into(),
            };
            all.push((format!("{} {protocol}", configuration.name), settings, agents));
        }
    }
    all
}

fn system(agent: &Agent) -> String {
    let actions = if agent.settings().inject_action_list { sample::actions() } else { Vec::new() };
    agent.show(&sample::brief(), &sample::queries(), "Wait", &actions).unwrap().text()
}

/// The text between two tags; `None` if there is no such part.
fn part<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    text.split_once(&format!("\n<{tag}>\n"))?.1.split_once(&format!("\n</{tag}>")).map(|(part, _)| part)
}

// covers: BOG-055, BOG-118, BOG-230
#[test]
fn no_text_names_a_tool_that_the_agent_lacks() {
    for (name, _, agents) in all() {
        for agent in agents {
            let (text, settings) = (system(&agent), agent.settings());
            let on = [
                settings.include_tool_raise_a_question,
                settings.include_tool_critique_the_answer,
                settings.include_tool_improve_based_on_critique,
            ];
            for (tool, on) in DELIBERATION.into_iter().zip(on) {
                assert_eq!(text.contains(tool), on, "{name}, {}: {tool}", agent.role());
            }
        }
    }
}

#[test]
fn a_list_of_tools_does_not_deny_the_actions() {
    for (name, _, agents) in all() {
        for agent in agents {
            let text = system(&agent);
            let Some(tools) = part(&text, "tools") else { continue };
            let acts = agent.persona().core.contract.is_none();
            let closing = tools.lines().last().unwrap();
            let expected = match (acts, name.rsplit(' ').next().unwrap()) {
                (false, _) => "You have no other tools.",
                (true, "native-tools") => "Every other tool that is offered to you is an action.",
                (true, "json") => {
                    "You have no other tools. Actions are not tools: an action is the value of \"action\"."
                }
                (true, _) => "You have no other tools. Actions are not tools: an action is written after \"Answer:\".",
            };
            assert_eq!(closing, expected, "{name}, {}", agent.role());
        }
    }
}

/// In each form of a call the placeholder is the one of that tool, and each worked example has the form of the protocol.
// covers: BOG-055, BOG-058, BOG-063
#[test]
fn calls_are_shown_with_their_own_inputs_and_in_the_form_of_the_protocol() {
    for (name, _, agents) in all() {
        let protocol = name.rsplit(' ').next().unwrap().to_owned();
        for agent in agents {
            let text = system(&agent);
            for line in part(&text, "tools").unwrap_or_default().lines() {
                let Some(call) = line.trim().strip_prefix("how to call it: ") else { continue };
                let input = if DELIBERATION.iter().any(|tool| call.contains(tool)) { "your" } else { "machine" };
                let native = ["question", "answer", "machine"].iter().any(|word| call.contains(word));
                assert!(call.contains(input) || protocol == "native-tools" && native, "{name}: {call}");
                assert_eq!(call.starts_with("Tool: "), protocol == "react-text", "{name}: {call}");
            }
            let examples = part(&text, "examples").unwrap_or_default();
            assert!(protocol == "react-text" || !examples.contains("Tool: "), "{name}: {examples}");
            assert_eq!(
                agent.settings().add_tool_examples && text.contains("<tools>\n"),
                !examples.is_empty(),
                "{name}"
            );
        }
    }
}

/// One term for one thing, and no number that another sentence contradicts.
#[test]
fn the_wording_is_plain_and_of_one_piece() {
    let odd = [
        " mend ",
        "Mend ",
        "nought",
        "somebody else",
        "hearsay",
        "stands between",
        "how things stand",
        "There is news",
    ];
    for (name, _, agents) in all() {
        for agent in agents {
            let mut texts: Vec<String> =
                gimbal_agent::audit::written(agent.persona()).into_iter().map(|part| part.text).collect();
            texts.push(system(&agent));
            for text in &texts {
                for words in odd {
                    assert!(!text.contains(words), "{name}, {}: {words}: {text}", agent.role());
                }
            }
            if !agent.persona().name.ends_with("-strict") {
                let whole = texts.join("\n");
                for wrong in ["the three", "Which three", "three suggestions"] {
                    assert!(!whole.contains(wrong), "{name}, {}: {wrong}", agent.role());
                }
            }
        }
    }
}

async fn first_request(base: &str, settings: &Value, decoding: Decoding) -> AskRequest {
    let kind = kinds().into_iter().find(|kind| kind.name() == base).unwrap();
    let architecture = kind.build(settings, &TestFiles::default()).unwrap();
    let stage = Workshop {
        decoding,
        records: &[records::reading::KINDS, records::hierarchy::KINDS],
        ..Workshop::new([Canned::Says("Thought: t\nAnswer: Wait")])
    };
    let _ = architecture.play(&stage).await;
    let requests = stage.requests.lock().unwrap();
    requests[0].clone()
}

/// The texts that a player reads do not depend on whether its answers are masked, but for a paragraph on what the mask cuts off;
/// native calls describe a tool in the words of the prompt.
// covers: BOG-026, BOG-054
#[tokio::test]
async fn free_and_constrained_players_read_the_same() {
    for (name, settings, agents) in all() {
        let base = if agents.len() == 1 { "react" } else { "hierarchy" };
        let free = first_request(base, &settings, Decoding::Free).await;
        let masked = first_request(base, &settings, Decoding::Constrained).await;
        let texts = |request: &AskRequest| -> Vec<Arc<str>> {
            request.messages.iter().map(|message| Arc::clone(&message.text)).collect()
        };
        let (free_texts, mut masked_texts) = (texts(&free), texts(&masked));
        let (system, bounds) = masked_texts[0].rsplit_once("\n\n").unwrap();
        assert!(bounds.starts_with("The length of what you write is limited"), "{name}: {bounds}");
        masked_texts[0] = system.into();
        assert_eq!(free_texts, masked_texts, "{name}");
        assert!(free.grammar.is_none() && masked.grammar.is_some(), "{name}");
        let system = &free.messages[0].text;
        for tool in free.tools.iter().filter(|tool| part(system, "tools").is_some_and(|list| list.contains(&tool.name)))
        {
            assert!(system.contains(&tool.description), "{name}: {}: {}", tool.name, tool.description);
            assert!(!tool.description.is_empty(), "{name}: {}", tool.name);
        }
    }
}

/// The first axis: who does not see the status does not see it in the history either (BOG-130); the setting says otherwise.
// covers: BOG-104, BOG-130
#[test]
fn verdicts_stand_in_the_history_only_beside_the_status() {
    let files = TestFiles::default();
    let context = |settings: Value| react::agent(&settings, &files).unwrap().1;
    assert_eq!(context(json!({ "configuration": "obs+hist" })), ["observation", "own_history"]);
    assert_eq!(context(json!({ "configuration": "hist+net" })), ["status", "history"]);
    assert_eq!(context(json!({ "configuration": "obs+hist+net" })), ["observation", "status", "history"]);
    assert_eq!(context(json!({ "configuration": "obs+hist", "strict": true })), ["observation", "history"]);
    assert_eq!(context(json!({ "configuration": "obs+hist+verdicts" })), ["observation", "history"]);
    assert_eq!(context(json!({ "configuration": "hist+net", "history_verdicts": false })), ["status", "own_history"]);
    let error =
        react::agent(&json!({ "configuration": "obs", "history_verdicts": true }), &files).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("`history_verdicts` is set, and the context shows no `history`"), "{error}");
}

/// `strict` plays what the work prints; `artefact` sets the switches of its code, and a study's own word goes before them.
// covers: BOG-055, BOG-060, BOG-062, BOG-R02, BOG-R05, BOG-R07, BOG-R08
#[test]
fn presets_of_the_work_and_of_its_artefact() {
    let files = TestFiles::default();
    let (agents, _) = hierarchy::agents(&json!({ "configuration": "hier-delib+strict" }), &files).unwrap();
    let names: Vec<&str> = agents.iter().map(|agent| agent.persona().name.as_str()).collect();
    assert_eq!(names, ["lead-strict", "analyst-strict", "chooser-strict"]);
    let lead = system(&agents[0]);
    assert!(lead.contains("verbatim copy"), "{lead}");
    assert!(!lead.contains("\"any\""), "the work knows no request about any subject");
    let mut brief = sample::brief();
    brief.glossary[1].published = Some("as the work has it".to_owned());
    let text = agents[0].show(&brief, &sample::queries(), "Wait", &[]).unwrap().text();
    assert!(text.contains("as the work has it") && !text.contains("oils one machine"), "{text}");
    let own = react::agent(&json!({ "configuration": "hist+net" }), &files).unwrap().0;
    let text = own.show(&brief, &sample::queries(), "Wait", &[]).unwrap().text();
    assert!(!text.contains("as the work has it") && text.contains("oils one machine"), "{text}");

    let (agents, _) = hierarchy::agents(&json!({ "configuration": "hier-delib+artefact" }), &files).unwrap();
    for agent in &agents {
        let settings = agent.settings();
        assert!(settings.add_tool_examples, "{}", agent.role());
        assert_eq!(settings.improve_reply, gimbal_agent::persona::data::ImproveReply::ImprovedThought);
    }
    let over = json!({ "configuration": "hier-delib+artefact", "flags": { "add_tool_examples": false } });
    let (agents, _) = hierarchy::agents(&over, &files).unwrap();
    assert!(agents.iter().all(|agent| !agent.settings().add_tool_examples));
    let kind = kinds().into_iter().find(|kind| kind.name() == "hierarchy").unwrap();
    let blocks = |settings: Value| kind.build(&settings, &files).unwrap().resolved()["adviser_context"].clone();
    assert_eq!(blocks(json!({ "configuration": "hier-base+artefact" })), json!(["history"]));
    assert_eq!(blocks(json!({ "configuration": "hier-base+strict" })), json!([]));
    assert_eq!(blocks(json!({ "configuration": "hier-base+history" })), json!(["own_history"]));
}
