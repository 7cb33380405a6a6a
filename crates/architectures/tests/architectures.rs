//! `baseline` and `react`: settings, what they need, how they are keyed, how they play.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::common;

use std::sync::Arc;

use common::{Canned, TestFiles, Workshop};
use gimbal_architectures::kinds;
use gimbal_core::{Architecture, ArchitectureKind, Stop};
use serde_json::{Value, json};

fn kind(name: &str) -> Arc<dyn ArchitectureKind> {
    kinds().into_iter().find(|kind| kind.name() == name).unwrap()
}

fn build(name: &str, settings: Value) -> Arc<dyn Architecture> {
    kind(name).build(&settings, &TestFiles::default()).unwrap()
}

fn refused(name: &str, settings: Value) -> String {
    kind(name).build(&settings, &TestFiles::default()).err().unwrap().to_string()
}

#[test]
fn a_wrong_value_is_named_by_its_whole_path() {
    let at = |name: &str, settings: Value| {
        let error = kind(name).build(&settings, &TestFiles::default()).err().unwrap();
        (error.key.clone(), error.to_string())
    };
    let (key, message) = at("baseline", json!({ "policy": 3 }));
    assert_eq!((key.as_str(), message.as_str()), ("policy", "baseline: `policy` is 3; give a text"));
    // `turns` is a flattened setting, alone and inside of one agent; `max_attempts` beside it is right.
    let (key, message) = at("react", json!({ "max_attempts": 2, "turns": "many" }));
    assert_eq!(key, "turns", "{message}");
    assert!(message.starts_with("react: `turns` is \"many\"; give a whole number"), "{message}");
    let (key, message) = at("hierarchy", json!({ "turns": 3, "planner": { "role": "p", "turns": -1 } }));
    assert_eq!(key, "planner.turns", "{message}");
    assert!(message.starts_with("hierarchy: `planner.turns` is -1; give a whole number"), "{message}");
    let (key, message) = at("hierarchy", json!({ "planner": { "flags": { "inject_action_list": "yes" } } }));
    assert_eq!(key, "planner.flags.inject_action_list", "{message}");
    let (key, message) = at("react", json!({ "context": ["status", 4] }));
    assert_eq!(key, "context[1]", "{message}");
    assert!(message.starts_with("react: `context[1]` is 4; give a text"), "{message}");
}

#[test]
fn unknown_settings_are_named_with_the_nearest_known_one() {
    let message = refused("baseline", json!({ "policy": "wait", "polcy": 1 }));
    assert_eq!(message, "baseline: unknown setting `polcy`; did you mean `policy`? (known: policy)");
    let missing = "baseline: the setting `policy` is missing (Name of the policy, as the environment lists it)";
    assert_eq!(refused("baseline", json!({})), missing);
    assert_eq!(refused("baseline", Value::Null), missing);
    let message = refused("react", json!({ "contxt": ["status"] }));
    assert!(
        message.starts_with("react: unknown setting `contxt`; did you mean `context`? (known: configuration, "),
        "{message}"
    );
    let message = refused("react", json!({ "flags": { "inject_actions_list": true } }));
    assert!(
        message.contains("unknown setting `flags.inject_actions_list`; did you mean `inject_action_list`?"),
        "{message}"
    );
    let message = refused("react", json!({ "turns": "ten" }));
    assert!(message.starts_with("react: `turns` is \"ten\"; give a whole number"), "{message}");
    let message = refused("react", json!({ "protocol": "native" }));
    assert!(message.starts_with("react: `protocol` is \"native\"; did you mean `native-tools`?"), "{message}");
    assert_eq!(refused("react", json!({ "turns": 0 })), "react: `turns` must be at least 1");
    assert!(refused("react", json!([])).starts_with("react: expected a map of settings"));
    assert!(refused("react", json!({ "persona": "plannr" })).contains("did you mean `planner`?"));
    assert_eq!(
        refused("react", json!({ "context": ["status", "status"] })),
        "react: context: the block `status` is named twice"
    );
    let message = refused("react", json!({ "configuration": "obs+his" }));
    assert!(message.starts_with("react: there is no configuration `obs+his`; did you mean `obs+hist`?"), "{message}");
    let message = refused("dag", json!({ "configuration": "y" }));
    let words = "dag: this architecture has no named configurations: write its settings here";
    assert!(message.starts_with(words), "{message}");
    let message = refused("react", json!({ "persona": "lead" }));
    assert!(message.contains("an agent on its own has nobody to ask"), "{message}");
    for (persona, answer) in [("analyst", "analysis"), ("chooser", "suggestions")] {
        assert_eq!(
            refused("react", json!({ "persona": persona })),
            format!(
                "react: the persona `{persona}` answers with the message `{answer}`, and an agent on its own must answer with an action"
            )
        );
    }
    let message = refused("hierarchy", json!({ "planner": { "persona": "planer" } }));
    assert!(
        message.starts_with("hierarchy: planner: there is no persona `planer`; did you mean `planner`?"),
        "{message}"
    );
    let message = refused("hierarchy", json!({ "chooser": { "persona": "analyst" } }));
    assert!(
        message.contains("answers with the message `analysis`, and the chooser must answer with the message"),
        "{message}"
    );
    let message = refused("hierarchy", json!({ "analyst": { "flags": { "include_tool_raise_a_qestion": true } } }));
    assert!(
        message.contains("unknown setting `analyst.flags.include_tool_raise_a_qestion`; did you mean"),
        "{message}"
    );
    let message = refused("hierarchy", json!({ "arbiter": { "gate": 1.5 } }));
    assert_eq!(message, "hierarchy: arbiter: `gate` is 1.5; it must be from 0 to 1");
    let message = refused("react", json!({ "configuration": "hier-base" }));
    assert_eq!(message, "react: configuration `hier-base` is one of `hierarchy`, not of `react`");
}

#[test]
fn schemas_accept_what_is_built_and_refuse_what_is_not() {
    for (name, good, bad) in [
        ("baseline", json!({ "policy": "wait" }), json!({ "policy": "wait", "x": 1 })),
        ("react", json!({ "context": ["status"], "flags": { "add_examples": true } }), json!({ "contxt": [] })),
        ("react", json!({ "configuration": "obs", "protocol": "json", "turns": 2 }), json!({ "protocol": "xml" })),
        ("react", json!({}), json!({ "flags": { "x": true } })),
        ("hierarchy", json!({ "planner": { "turns": 3 } }), json!({ "planer": {} })),
        ("hierarchy", json!({ "arbiter": { "gate": 0.2, "urgency": 0.9 } }), json!({ "arbiter": { "gate": "x" } })),
    ] {
        let schema = kind(name).schema();
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert!(validator.is_valid(&good), "{name} {good}: {schema:#}");
        assert!(!validator.is_valid(&bad), "{name} {bad}: {schema:#}");
        assert!(kind(name).build(&good, &TestFiles::default()).is_ok());
        assert!(kind(name).build(&bad, &TestFiles::default()).is_err());
    }
}

// covers: BOG-130, BOG-023
#[test]
fn the_six_contexts_and_a_seventh_differ_by_data_alone() {
    let blocks = |settings: Value| build("react", settings).needs().blocks;
    for (name, context) in [
        ("obs", vec!["observation"]),
        ("obs+hist", vec!["observation", "own_history"]),
        ("obs+hist+net", vec!["observation", "status", "history"]),
        ("obs+net", vec!["observation", "status"]),
        ("network", vec!["status"]),
        ("hist+net", vec!["status", "history"]),
    ] {
        assert_eq!(blocks(json!({ "configuration": name })), context, "{name}");
        let mut reversed = context.clone();
        reversed.reverse();
        assert_eq!(
            build("react", json!({ "context": reversed })).resolved(),
            build("react", json!({ "configuration": name })).resolved(),
            "{name}: named or written out in any order, it is the same design"
        );
    }
    assert_eq!(
        blocks(json!({ "context": ["evidence", "history", "observation"] })),
        ["observation", "own_history", "evidence"]
    );
    assert_eq!(blocks(json!({})), ["status", "history"], "the persona's own");
    let seventh = "configurations:\n  - { name: seventh, base: react, context: [history], turns: 4, flags: { add_examples: true } }";
    let files = TestFiles::with("personas/configurations.yaml", "configurations:", seventh);
    let built = kind("react")
        .build(&json!({ "configuration": "seventh", "flags": { "include_COT_instruction": true } }), &files);
    let resolved = built.unwrap().resolved();
    assert_eq!(resolved["context"], json!(["own_history"]));
    let settings = &resolved["agent"]["settings"];
    assert_eq!((&settings["turns"], &settings["add_examples"]), (&json!(4), &json!(true)));
    assert_eq!(settings["include_COT_instruction"], true);
}

#[test]
fn needs_say_what_the_environment_must_offer() {
    let needs = build("react", json!({ "role": "player" })).needs();
    assert_eq!((needs.roles, needs.queries), (vec!["player".to_owned()], Vec::new()));
    let needs = build("baseline", json!({ "policy": "wait" })).needs();
    assert_eq!((needs.policies, needs.roles, needs.blocks), (vec!["wait".to_owned()], Vec::new(), Vec::new()));
    let tools = TestFiles::with("personas/planner/core.yaml", "tools: []", "tools:\n  - query: subject_state");
    assert_eq!(kind("react").build(&json!({}), &tools).unwrap().needs().queries, ["subject_state"]);
}

#[test]
fn the_key_holds_every_default_and_the_persona_by_content() {
    let mut resolved = build("react", json!({})).resolved();
    let digest = resolved["agent"]["persona_digest"].take();
    assert_eq!(digest.as_str().unwrap().len(), 64);
    insta::assert_snapshot!("resolved", format!("{resolved:#}"));
    let changed = TestFiles::with("personas/planner/core.yaml", "You can act only once", "You act just once");
    let changed = kind("react").build(&json!({}), &changed).unwrap().resolved();
    assert_ne!(changed["agent"]["persona_digest"], digest);
    assert_eq!(
        build("baseline", json!({ "policy": "wait" })).resolved(),
        json!({ "architecture": "baseline", "policy": "wait" })
    );
}

// covers: BOG-030, BOG-031
#[tokio::test]
async fn react_plays_to_the_end() {
    let stage =
        Workshop { horizon: 3, ..Workshop::new(["a", "b", "c"].map(|_| Canned::Says("Thought: t\nAnswer: Wait"))) };
    let halt = build("react", json!({ "configuration": "obs" })).play(&stage).await.unwrap_err();
    assert_eq!(halt.stop, Stop::Horizon);
    assert_eq!(stage.log(), ["act Wait because t"; 3]);
    let requests = stage.requests.lock().unwrap();
    assert!(requests[2].messages[1].text.contains("[observation before step 3]"));
    assert!(!requests[2].messages[1].text.contains("[status"));
}

// covers: BOG-034
#[tokio::test]
async fn react_goes_on_after_a_fallback() {
    let replies = ["?", "?", "?", "Thought: t\nAnswer: Wait"].map(Canned::Says);
    let stage = Workshop { horizon: 2, ..Workshop::new(replies) };
    assert_eq!(build("react", json!({})).play(&stage).await.unwrap_err().stop, Stop::Horizon);
    assert_eq!(stage.log()[3..], ["fallback Wait attempts", "act Wait because -", "act Wait because t"]);
}

#[tokio::test]
async fn baseline_asks_no_model() {
    let stage = Workshop { horizon: 4, ..Workshop::new([]) };
    let halt = build("baseline", json!({ "policy": "wait" })).play(&stage).await.unwrap_err();
    assert_eq!(halt.stop, Stop::Horizon);
    assert_eq!(stage.log().len(), 4);
    assert!(stage.requests.lock().unwrap().is_empty());
    let stage = Workshop::new([]);
    let halt = build("baseline", json!({ "policy": "broken" })).play(&stage).await.unwrap_err();
    assert_eq!(halt.stop, Stop::Infrastructure);
    assert!(halt.detail.unwrap().contains("refused its own policy `broken`"));
}
