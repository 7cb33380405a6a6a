//! `gimbal schema` gives valid JSON Schemas, which agree with what the program takes.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "tests")]

use crate::common;

use std::path::{Path, PathBuf};

use common::Place;
use jsonschema::Validator;
use serde_json::Value;

fn schema(kind: &str) -> Validator {
    let text = Place::new().gimbal(&["schema", kind]).good().out;
    let schema: Value = serde_json::from_str(&text).unwrap();
    assert!(jsonschema::meta::is_valid(&schema), "{kind}");
    // References that point at nothing are refused here.
    jsonschema::draft202012::new(&schema).unwrap_or_else(|error| panic!("{kind}: {error}"))
}

fn yaml(text: &str) -> Value {
    gimbal_core::yaml::read(text, "file.yaml").unwrap()
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub const FULL: &str = "\
study: full
description: Every key once.
environment: { name: cage2, red: b_line, green: sleep, horizon: 5, names: original, validation: full, draws: fast }
architectures:
  - base: react
    name: all
    axis: context
    persona: planner
    role: default
    context: [status]
    protocol: json
    max_attempts: 2
    turns: 2
    context_guard_tokens: 1000
    thought_characters: 100
    legal_cap: 9
    flags: { inject_action_list: true, include_COT_instruction: false }
  - { base: baseline, policy: sleep }
decoding: free
roles:
  - default: { model: scripted/react-monitor, decoding: free, temperature: 0.5, top_p: 0.5, max_output_tokens: 9, seed: 1 }
episodes: { tasks: { split: test, limit: 1 }, runs: 1, trials: { number: 1, over: same }, seed: 1 }
artefacts: {}
limits: { episode: { model_calls: 9, tool_calls: 9, tokens: 9, seconds: 9 }, study: { cost: 1.5, tokens: 9 } }
baseline: all
models:
  endpoints: { compatible: { base: 'http://localhost:8000/v1', key_variable: MY_KEY, grammar: vllm } }
  rates: { openai/gpt-4o-mini: { requests_per_minute: 9, concurrency: 2 } }
  facts: { openai/gpt-4o-mini: { masks: [schema], rules: openai, native: strict, parallel: true, stop: true, sampling: true, seed: true, effort: false, bound: max_tokens, context: 9, output: 9 } }
  retry: { attempts: 2, first_ms: 1, longest_ms: 2, patience_ms: 3 }
  timeouts: { connect_ms: 1, whole_ms: 2 }
  cache: cache
  record: record
prepare: []
faults:
  - none
  - name: noisy
    model.transport: 0.1
    model.malformed: 0.1
    model.truncated: 0.1
    tool.wrong: 0.1
    tool.stale: 0.1
    message.lost: 0
    message.altered: 1
    tracker.corrupted: 0.5
";

// covers: SH-06
#[test]
fn shipped_files_are_valid_by_their_schemas() {
    let study = schema("study");
    let mut seen = 0;
    for entry in std::fs::read_dir(root().join("studies")).unwrap().flatten() {
        let text = std::fs::read_to_string(entry.path()).unwrap();
        gimbal_study::plan::parse(&text, "study.yaml").unwrap();
        let value = yaml(&text);
        assert!(study.is_valid(&value), "{}: {:?}", entry.path().display(), study.validate(&value));
        seen += 1;
    }
    assert!(seen >= 4);
    for (kind, file) in [
        ("prices", "prices.yaml"),
        ("attacks", "attacks/suite.yaml"),
        ("engine", "personas/engine.yaml"),
        ("configurations", "personas/configurations.yaml"),
        ("persona-core", "personas/planner/core.yaml"),
        ("persona-prompt", "personas/planner/prompt.yaml"),
        ("persona-knowledge", "personas/planner/knowledge.yaml"),
        ("persona-examples", "personas/planner/examples.yaml"),
    ] {
        let validator = schema(kind);
        let mut value = yaml(&std::fs::read_to_string(root().join(file)).unwrap());
        assert!(validator.is_valid(&value), "{file}: {:?}", validator.validate(&value));
        value.as_object_mut().unwrap().insert("zzunknown".to_owned(), Value::from(1));
        assert!(!validator.is_valid(&value), "{file}");
    }
    schema("script");
}

/// Pointers to all maps whose keys are given (not chosen by the user).
fn maps(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            found.push(path.to_owned());
            for (key, member) in members {
                maps(member, &format!("{path}/{}", key.replace('/', "~1")), found);
            }
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| maps(item, &format!("{path}/{index}"), found));
        }
        _ => {}
    }
}

#[test]
fn schema_and_program_refuse_a_misspelt_key_at_every_level() {
    let study = schema("study");
    let full = yaml(FULL);
    assert!(study.is_valid(&full), "{:?}", study.validate(&full).map_err(|error| error.to_string()));
    let place = Place::new();
    place.write("full.yaml", FULL);
    place.gimbal(&["run", "full.yaml", "--dry-run"]).good();
    let mut found = Vec::new();
    maps(&full, "", &mut found);
    assert!(found.len() >= 21, "{found:?}");
    for path in found {
        let mut value = full.clone();
        value.pointer_mut(&path).unwrap().as_object_mut().unwrap().insert("zzunknown".to_owned(), Value::from(1));
        // Roles and artefacts are named by architectures: the schema cannot know them.
        if path != "/roles/0" && !path.ends_with("/artefacts") {
            assert!(!study.is_valid(&value), "the schema takes an unknown key in `{path}`");
        }
        place.write("full.yaml", &value.to_string());
        let said = place.gimbal(&["run", "full.yaml", "--dry-run"]);
        assert!(said.code == 2 && said.err.contains("zzunknown"), "`{path}`: {} {}", said.code, said.err);
        assert!(said.err.starts_with("gimbal: full.yaml:1:"), "`{path}` without place: {}", said.err);
    }
}

#[test]
fn schema_and_program_agree_on_values() {
    let study = schema("study");
    let place = Place::new();
    for (from, to, good) in [
        ("study: full", &*format!("study: {}", "a".repeat(80)), true),
        ("study: full", &*format!("study: {}", "a".repeat(81)), false),
        ("study: full", "study: .hidden", false),
        ("study: full", "study: a/b", false),
        ("horizon: 5", "horizon: 0", false),
        ("persona: planner", "persona: [planner]", false),
        ("flags: { inject_action_list: true", "flags: { inject_action_list: 3", false),
        ("temperature: 0.5", "temperature: 2.5", false),
        ("runs: 1", "runs: 0", false),
        ("runs: 1", "runs: 4294967296", false),
        ("episodes: { tasks: { split: test, limit: 1 }", "episodes: { tasks: { split: test, limit: 0 }", false),
        ("decoding: free\n", "decoding: loose\n", false),
        ("compatible: {", "compatble: {", false),
        ("compatible: {", "compatible/a/b: {", true),
        ("openai/gpt-4o-mini: {", "openia/gpt-4o-mini: {", false),
        ("key_variable: MY_KEY", "key_variable: sk-abc", false),
        ("grammar: vllm", "grammar: vlm", false),
        ("'http://localhost:8000/v1'", "localhost", false),
        ("attempts: 2", "attempts: 0", false),
        ("concurrency: 2", "concurrency: 0", false),
        ("masks: [schema]", "masks: [schemas]", false),
        ("rules: openai", "rules: openia", false),
        ("context: 9", "context: 0", false),
        ("decoding: free\n", "decoding: constrained_or_free\n", true),
        ("requests_per_minute: 9", "requests_per_minute: 0", false),
        ("connect_ms: 1", "connect_ms: 0", false),
        ("connect_ms: 1", "connect_ms: soon", false),
        ("prepare: []", "prepare: [1]", false),
        ("trials: { number: 1, over: same }", "trials: 2", true),
        ("trials: { number: 1, over: same }", "trials: { number: 2 }", true),
        ("trials: { number: 1, over: same }", "trials: { number: 2, over: seeds }", true),
        ("trials: { number: 1, over: same }", "trials: { over: tasks }", true),
        ("trials: { number: 1, over: same }", "trials: 0", false),
        ("trials: { number: 1, over: same }", "trials: { number: 0 }", false),
        ("trials: { number: 1, over: same }", "trials: { over: seeds }", false),
        ("trials: { number: 1, over: same }", "trials: {}", false),
        ("over: same", "over: task", false),
        ("artefacts: {}", "artefacts: { advice: [1] }", false),
        ("artefacts: {}", "artefacts: [advice]", false),
        ("name: all", "name: all\n    artefacts: {}", true),
    ] {
        assert!(FULL.contains(from), "{from}");
        let text = FULL.replacen(from, to, 1);
        let valid = study.is_valid(&yaml(&text));
        place.write("full.yaml", &text);
        let said = place.gimbal(&["run", "full.yaml", "--dry-run"]);
        assert_eq!((valid, said.code == 0), (good, good), "{to}: {}", said.err);
        assert!(good || said.err.contains("full.yaml:"), "{to}: {}", said.err);
    }
}

/// The schema is written by hand: whatever it says of a changed protocol, the reader must say too.
#[test]
fn protocols_are_described_as_they_are_read() {
    let schema = schema("protocol");
    let shipped = std::fs::read_to_string(root().join("papers/protocol.yaml")).unwrap();
    let page = std::fs::read_to_string(root().join("docs/protocol.md")).unwrap();
    let example = page.split_once("```yaml\n").unwrap().1.split_once("```").unwrap().0.to_owned();
    let read = |value: &Value| gimbal_bog::Protocol::parse(&value.to_string(), "protocol").is_ok();
    for text in [shipped, example] {
        let whole = yaml(&text);
        assert!(schema.is_valid(&whole) && read(&whole), "{:?}", schema.iter_errors(&whole).next());
        let mut tried = 0;
        for pointer in pointers(&whole, "") {
            let mut changed = whole.clone();
            match changed.pointer_mut(&pointer).unwrap() {
                Value::Object(members) => {
                    // A side is one of several forms, of which the reader takes the first that fits.
                    let side = members.contains_key("best_of");
                    members.insert("mispelt".to_owned(), true.into());
                    assert!(side || (!schema.is_valid(&changed) && !read(&changed)), "{pointer}: another key");
                    let keys: Vec<String> =
                        whole.pointer(&pointer).unwrap().as_object().unwrap().keys().cloned().collect();
                    for key in keys {
                        let mut less = whole.clone();
                        less.pointer_mut(&pointer).unwrap().as_object_mut().unwrap().remove(&key);
                        // Without its flags a configuration names some that are not defined, which the schema does not check.
                        if key != "flags" {
                            assert_eq!(schema.is_valid(&less), read(&less), "{pointer}: without `{key}`");
                        }
                        tried += 1;
                    }
                }
                leaf @ (Value::String(_) | Value::Bool(_) | Value::Number(_)) => {
                    *leaf = Value::Array(vec![Value::Array(Vec::new())]);
                    assert!(!schema.is_valid(&changed) && !read(&changed), "{pointer}: a list");
                }
                _ => {}
            }
        }
        assert!(tried > 10);
    }
}

/// All places of a value.
pub fn pointers(value: &Value, at: &str) -> Vec<String> {
    let below: Vec<(String, &Value)> = match value {
        Value::Object(members) => {
            members.iter().map(|(key, value)| (key.replace('~', "~0").replace('/', "~1"), value)).collect()
        }
        Value::Array(items) => items.iter().enumerate().map(|(index, item)| (index.to_string(), item)).collect(),
        _ => Vec::new(),
    };
    let mut all = vec![at.to_owned()];
    for (key, value) in below {
        all.extend(pointers(value, &format!("{at}/{key}")));
    }
    all
}
