//! The configurations as data: one snapshot each, of everything that decides what its agents are told.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::common;

use common::TestFiles;
use gimbal_agent::persona::configurations;
use gimbal_agent::{Agent, sample};
use gimbal_architectures::{hierarchy, react};
use serde_json::{Value, json};

/// The twelve of the work, by axis (BOG-130..132).
const TWELVE: [&str; 12] = [
    "obs",
    "obs+hist",
    "obs+hist+net",
    "obs+net",
    "network",
    "hist+net",
    "+question",
    "+critique",
    "+improve",
    "+COT",
    "hier-base",
    "hier-delib",
];

/// What lies beyond them.
const MORE: [&str; 19] = [
    "only-question",
    "only-critique",
    "only-improve",
    "only-COT",
    "hier-planner-delib",
    "hier-analyst-only",
    "hier-chooser-only",
    "hier-delib+arbiter",
    "hier-base+arbiter",
    "hier-base+history",
    "hist+net+list",
    "obs+hist+verdicts",
    "flat",
    "no-COT",
    "hist+net+strict",
    "hier-base+strict",
    "hier-delib+strict",
    "hier-base+artefact",
    "hier-delib+artefact",
];

fn described(agent: &Agent) -> String {
    let actions = if agent.settings().inject_action_list { sample::actions() } else { Vec::new() };
    let prompt = agent.show(&sample::brief(), &sample::queries(), "Wait", &actions).unwrap();
    let parts: Vec<&str> = prompt.parts.iter().map(|part| part.name).collect();
    let tools = prompt.parts.iter().find(|part| part.name == "tools").map(|part| {
        let lines = part.text.lines().filter_map(|line| line.trim().strip_prefix("how to call it: "));
        lines.map(|line| format!("\n    {line}")).collect::<String>()
    });
    let settings = serde_json::to_string(agent.settings()).unwrap();
    let persona = &agent.persona().name;
    let tools = tools.unwrap_or_else(|| " none".to_owned());
    format!(
        "{}: persona {persona}\n  settings: {settings}\n  parts: {}\n  tools:{tools}\n",
        agent.role(),
        parts.join(" ")
    )
}

fn whole(name: &str) -> String {
    let files = TestFiles::default();
    let all = configurations(&files).unwrap();
    let configuration = all.iter().find(|configuration| configuration.name == name).unwrap();
    let settings = json!({ "configuration": name });
    let (agents, context, more) = match configuration.base.as_str() {
        "react" => {
            let (agent, context) = react::agent(&settings, &files).unwrap();
            (vec![agent], context, Value::Null)
        }
        _ => {
            let (agents, context) = hierarchy::agents(&settings, &files).unwrap();
            (agents.into(), context, configuration.settings.get("arbiter").cloned().unwrap_or_default())
        }
    };
    let agents: String = agents.iter().map(described).collect();
    format!("{} of {}\ncontext: {}\narbiter: {more}\n{agents}", name, configuration.base, context.join(", "))
}

// covers: BOG-130, BOG-131, BOG-132, BOG-133, BOG-134, BOG-135, BOG-114, BOG-R01, BOG-043
#[test]
fn one_snapshot_each() {
    for name in TWELVE.into_iter().chain(MORE) {
        insta::assert_snapshot!(name.replace('+', "_plus_"), whole(name));
    }
}

// covers: BOG-130, BOG-131, BOG-132
#[test]
fn the_shipped_file_holds_the_twelve_and_what_is_beyond_them() {
    let all = configurations(&TestFiles::default()).unwrap();
    let names: Vec<&str> = all
        .iter()
        .filter(|one| ["react", "hierarchy"].contains(&one.base.as_str()))
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(names, TWELVE.iter().chain(&MORE).copied().collect::<Vec<_>>());
}

// covers: ARES-040, ARES-042, ARES-046, ARES-048, ARES-130
#[test]
fn every_configuration_of_a_debate_can_be_built_and_no_two_are_the_same() {
    let all = configurations(&TestFiles::default()).unwrap();
    let kinds = gimbal_architectures::kinds();
    let debate = kinds.iter().find(|kind| kind.name() == "debate").unwrap();
    let mut resolved = Vec::new();
    for one in all.iter().filter(|one| one.base == "debate") {
        let built = debate.build(&json!({ "configuration": one.name }), &TestFiles::default());
        resolved.push(built.unwrap_or_else(|error| panic!("{}: {error}", one.name)).resolved());
    }
    assert_eq!(resolved.len(), 23);
    for (at, one) in resolved.iter().enumerate() {
        assert!(!resolved[..at].contains(one), "{one}");
    }
}

// covers: BOG-114, BOG-131, BOG-133
#[test]
fn levels_are_cumulative_on_the_anchor() {
    let settings = |name: &str| {
        let (agent, context) = react::agent(&json!({ "configuration": name }), &TestFiles::default()).unwrap();
        let settings = agent.settings();
        assert_eq!(context, ["status", "history"], "{name}");
        [
            settings.include_tool_raise_a_question,
            settings.include_tool_critique_the_answer,
            settings.include_tool_improve_based_on_critique,
            settings.include_cot_instruction,
        ]
    };
    assert_eq!(settings("hist+net"), [false; 4]);
    assert_eq!(settings("+question"), [true, false, false, false]);
    assert_eq!(settings("+critique"), [true, true, false, false]);
    assert_eq!(settings("+improve"), [true, true, true, false]);
    assert_eq!(settings("+COT"), [true; 4]);
}
