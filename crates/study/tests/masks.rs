//! Which roles decode under constraint: decided by the plan, from what the servers of their models enforce.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use gimbal_core::{
    CallContext, ChatModel, ChatRequest, Completion, Decoding, Finish, Grammar, ModelError, ToolSpec, Usage,
    UsageSource,
};
use gimbal_model::remote::SchemaRules;
use gimbal_model::{ModelFacts, ModelKind, Models, ModelsConfig, Price, SetupError};
use gimbal_study::plan::{self, Options, Plan, Problems};
use gimbal_study::registry::{Library, ModelSource, Registry};
use gimbal_study::runner::{self, Settings};
use gimbal_study::stage::Cancel;
use serde_json::{Value, json};

fn registry() -> Registry {
    Registry {
        environments: vec![Arc::new(gimbal_cage2::environment::Cage2)],
        architectures: gimbal_architectures::kinds(),
        learned: None,
    }
}

fn files() -> Library {
    Library::new(&[], vec![Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).to_owned()])
}

fn resolved(role: &str, protocol: &str, models: &str) -> Result<Plan, Problems> {
    let text = format!(
        "study: masks\nenvironment: {{ name: cage2, red: b_line, horizon: 3 }}\n\
         architectures: [{{ base: react, configuration: obs, protocol: {protocol} }}]\n\
         roles: [{{ default: {role} }}]\n{models}"
    );
    let study = plan::parse(&text, "study.yaml")?;
    let section = plan::models_section(&study)?;
    plan::resolve(
        study,
        &Options::default(),
        &registry(),
        &Models::new(section.over(ModelsConfig::default())),
        &files(),
    )
}

#[test]
fn a_role_that_asks_for_more_than_its_server_enforces_is_refused_or_plays_free() {
    let role = |model: &str, decoding: &str| format!("{{ model: {model}, decoding: {decoding} }}");
    let refused = resolved(&role("openai/gpt-4o", "constrained"), "react-text", "").err().unwrap().to_string();
    for part in
        ["study.yaml:4:", "regular expressions", "`protocol: json`", "constrained_or_free", "structured-outputs"]
    {
        assert!(refused.contains(part), "{part}: {refused}");
    }
    for model in ["openai/gpt-4", "openai/gpt-4o-2024-05-13", "openai/chatgpt-4o-latest", "openai/o1-mini"] {
        let refused = resolved(&role(model, "constrained"), "json", "").err().unwrap_or_else(|| panic!("{model}"));
        assert!(refused.to_string().contains("JSON Schemas"), "{refused}");
    }
    let refused = resolved(&role("compatible/x", "constrained"), "json", "").err().unwrap().to_string();
    assert!(refused.contains("JSON Schemas") && !refused.contains("`protocol: json`"), "{refused}");
    for (model, decoding, protocol, models, played) in [
        ("openai/gpt-4o", "constrained_or_free", "react-text", "", Decoding::Free),
        ("openai/gpt-4o", "constrained_or_free", "json", "", Decoding::Constrained),
        ("openai/gpt-4o", "constrained", "native-tools", "", Decoding::Constrained),
        ("vllm/x", "constrained", "react-text", "", Decoding::Constrained),
        ("llamacpp/x", "constrained", "react-text", "", Decoding::Constrained),
        ("scripted/idle", "constrained_or_free", "react-text", "", Decoding::Constrained),
        (
            "compatible/x",
            "constrained",
            "json",
            "models: { facts: { compatible/x: { masks: [schema] } } }",
            Decoding::Constrained,
        ),
        (
            "compatible/x",
            "constrained",
            "react-text",
            "models: { endpoints: { compatible: { base: 'http://h/v1', grammar: vllm } } }",
            Decoding::Constrained,
        ),
    ] {
        let plan = resolved(&role(model, decoding), protocol, models).unwrap_or_else(|problems| panic!("{problems}"));
        let cell = &plan.cells[0];
        assert_eq!(cell.roles["default"].decoding, played, "{model} {decoding} {protocol}");
        let told = plan.warnings.iter().any(|words| words.contains("plays free"));
        assert_eq!(told, played == Decoding::Free, "{:?}", plan.warnings);
        let shown = if played == Decoding::Free { "free" } else { "constrained" };
        assert_eq!(cell.info.decoding.label(), shown, "what tables and pages show");
        assert_eq!(cell.identities["default"]["decoding"], json!(shown));
    }
}

#[test]
fn settings_of_a_role_are_in_the_key_and_checked() {
    let key =
        |role: &str| resolved(role, "react-text", "").unwrap_or_else(|problems| panic!("{problems}")).cells[0].key;
    let plain = key("vllm/x");
    assert_eq!(plain, key("{ model: vllm/x }"));
    let others = [
        "{ model: vllm/x, stop: false }",
        "{ model: vllm/x, reasoning_effort: low }",
        "{ model: vllm/x, extra_body: { top_k: 0.5 } }",
        "{ model: vllm/x, extra_headers: { X-Title: a } }",
    ];
    let mut keys: Vec<_> = others.iter().map(|role| key(role)).collect();
    keys.push(plain);
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 5);
    let facts = "models: { facts: { vllm/x: { sampling: false } } }";
    assert_ne!(
        resolved("vllm/x", "react-text", facts).unwrap_or_else(|problems| panic!("{problems}")).cells[0].key,
        plain
    );
    for (role, part) in [
        ("{ model: openai/gpt-4o, reasoning_effort: low }", "takes no reasoning effort"),
        ("{ model: scripted/idle, stop: false }", "over the network"),
        ("{ model: vllm/x, stop: [a] }", "`true` or `false`"),
        ("{ model: vllm/x, extra_headers: { Authorization: x } }", "keys come from the environment"),
        ("{ model: vllm/x, extra_headers: { x-a: sk-0123456789abcdef } }", "without a key"),
        ("{ model: vllm/x, extra_body: { messages: [] } }", "the conversation's own"),
        ("{ model: vllm/x, extra_body: 3 }", "a map"),
        ("{ model: openai/gpt-4o-mini, extra_body: { model: gpt-5-pro, n: 8 } }", "must not set `model`"),
        ("{ model: openai/gpt-4o-mini, extra_body: { n: 8 } }", "must not set `n`"),
        ("{ model: vllm/x, decoding: constrained, extra_body: { response_format: null } }", "`response_format`"),
        ("{ model: vllm/x, extra_body: { structured_outputs: { regex: a } } }", "`structured_outputs`"),
        ("{ model: vllm/x, extra_body: { guided_json: {} } }", "answers are judged by it"),
        ("{ model: vllm/x, extra_body: { max_tokens: null } }", "`max_output_tokens`"),
        ("{ model: gemini/x, extra_body: { generationConfig: { topP: 1, topK: 1 } } }", "`generationConfig.topP`"),
        ("{ model: vllm/x, extra_body: { metadata: { key: sk-proj-0123456789abcdef } } }", "must hold no key"),
        ("{ model: vllm/x, extra_body: { metadata: [{ a: [Bearer 0123456789abcdef] }] } }", "must hold no key"),
        ("{ model: vllm/x, extra_body: { metadata: { sk-proj-0123456789abcdef: 1 } } }", "must hold no key"),
        ("{ model: vllm/x, extra_headers: { Transfer-Encoding: chunked } }", "must not set `Transfer-Encoding`"),
        ("{ model: vllm/x, extra_headers: { connection: close } }", "must not set `connection`"),
        ("{ model: vllm/x, reasoning_effort: \"x\\u202ey\" }", "letters, digits"),
        ("{ model: vllm/x, reasoning_effort: \"x\\u0007y\" }", "letters, digits"),
        ("{ model: vllm/x, reasoning_effort: low effort }", "letters, digits"),
        ("{ model: vllm/x, decoding: masked }", "constrained_or_free"),
    ] {
        let error = resolved(role, "react-text", "").err().unwrap_or_else(|| panic!("{role}")).to_string();
        assert!(error.starts_with("study.yaml:4:") && error.contains(part), "{role}: {error}");
        assert!(!error.contains("0123456789abcdef"), "{error}");
    }
    let facts = |facts: &str| resolved("vllm/x", "react-text", &format!("models: {{ facts: {{ vllm/x: {facts} }} }}"));
    for (written, part) in [
        ("{ masks: [schemas] }", "did you mean `schema`"),
        ("{ rules: openia }", "did you mean `openai`"),
        ("{ stop: maybe }", "`true` or `false`"),
        ("{ contxt: 5 }", "did you mean `context`"),
    ] {
        let error = facts(written).err().unwrap_or_else(|| panic!("{written}")).to_string();
        assert!(error.contains(part), "{written}: {error}");
    }
    let small = facts("{ context: 4096 }").unwrap_or_else(|problems| panic!("{problems}"));
    assert!(
        small.warnings.iter().any(|words| words.contains("4096") && words.contains("10000")),
        "{:?}",
        small.warnings
    );
}

/// What a server enforces of native tool calls decides before anything is played.
#[test]
fn native_calls_under_a_mask_need_a_server_that_enforces_them() {
    let role = |model: &str, decoding: &str| format!("{{ model: {model}, decoding: {decoding} }}");
    for (model, by_json) in [("vllm/x", true), ("llamacpp/x", true), ("ollama/x", true), ("compatible/x", false)] {
        let refused =
            resolved(&role(model, "constrained"), "native-tools", "").err().unwrap_or_else(|| panic!("{model}"));
        let refused = refused.to_string();
        let named = format!("`{model}`");
        for part in [
            "study.yaml:4:",
            "the role `default`",
            &named,
            "`protocol: native-tools`",
            "constrained_or_free",
            "`native: strict`",
        ] {
            assert!(refused.contains(part), "{part}: {refused}");
        }
        assert_eq!(refused.contains("set `protocol: json`"), by_json, "{refused}");
        assert!(resolved(&role(model, "free"), "native-tools", "").is_ok(), "{model}");
    }
    let thinking =
        "{ model: anthropic/claude-haiku-4-5, decoding: constrained, extra_body: { thinking: { type: enabled } } }";
    let refused = resolved(thinking, "native-tools", "").err().unwrap().to_string();
    assert!(refused.contains("`thinking`") && refused.contains("set `protocol: json`"), "{refused}");
    let stated = "models: { facts: { vllm/x: { native: strict } } }";
    for (model, decoding, models, played, shown) in [
        ("openai/gpt-4o", "constrained", "", Decoding::Constrained, "constrained"),
        ("anthropic/claude-haiku-4-5", "constrained_or_free", "", Decoding::Constrained, "constrained"),
        ("vllm/x", "constrained_or_free", "", Decoding::Free, "free"),
        ("vllm/x", "constrained", stated, Decoding::Constrained, "constrained"),
        ("gemini/gemini-3-flash", "constrained", "", Decoding::Forced, "forced"),
        ("gemini/gemini-3-flash", "constrained_or_free", "", Decoding::Forced, "forced"),
        ("gemini/gemini-3-flash", "free", "", Decoding::Free, "free"),
        ("scripted/idle", "constrained", "", Decoding::Constrained, "constrained"),
    ] {
        let plan =
            resolved(&role(model, decoding), "native-tools", models).unwrap_or_else(|problems| panic!("{problems}"));
        let cell = &plan.cells[0];
        assert_eq!((cell.roles["default"].decoding, cell.info.decoding.label()), (played, shown), "{model} {decoding}");
        let warned =
            |part: &str| plan.warnings.iter().any(|words| words.contains(part) && words.contains("native-tools"));
        assert_eq!(warned("plays free"), played == Decoding::Free && decoding != "free", "{:?}", plan.warnings);
        assert_eq!(warned("tables show `forced`"), played == Decoding::Forced, "{:?}", plan.warnings);
    }
    let refused = resolved(&role("vllm/x", "constrained"), "json", "models: { facts: { vllm/x: { native: strikt } } }");
    assert!(refused.err().unwrap().to_string().contains("did you mean `strict`"));
    let refused = resolved(&role("vllm/x", "forced"), "native-tools", "");
    assert!(refused.is_err(), "the plan decides on it, and no study");
}

/// Answers nothing of use, and keeps every grammar that it is asked by, and what the tools beside it take.
struct Collects(Mutex<Vec<(Value, Vec<ToolSpec>)>>);

struct One(Arc<Collects>);

#[async_trait]
impl ChatModel for One {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        if let Some(Grammar::JsonSchema(schema)) = request.grammar.as_deref() {
            self.0.0.lock().unwrap().push((schema.clone(), request.tools.to_vec()));
        }
        let attempt = context.wire.sent(request, false)?;
        let usage = Usage { input: 1, output: 1, source: UsageSource::Reported, ..Usage::default() };
        let outcome = Ok(Completion {
            text: "{}".into(),
            calls: Vec::new(),
            finish: Finish::Stop,
            reasoning: None,
            usage,
            latency_us: 1,
            missed: Vec::new(),
            provider: gimbal_core::chat::ProviderFacts::default(),
        });
        context.wire.received(attempt, &outcome)?;
        outcome
    }
}

struct Source(Arc<Collects>);

impl ModelSource for Source {
    fn describe(&self, name: &str) -> Result<ModelFacts, SetupError> {
        Ok(ModelFacts {
            name: name.to_owned(),
            kind: ModelKind::Scripted,
            plumbing: None,
            weights: None,
            key_variable: None,
            key_present: true,
            price: Some(Price::free()),
            concurrency: 4,
            wants_hints: false,
            tools: true,
            identity: json!({ "model": name }),
        })
    }
    fn ready(&self, _: &str) -> Result<(), SetupError> {
        Ok(())
    }
    fn open(&self, _: &str) -> Result<Arc<dyn ChatModel>, SetupError> {
        Ok(Arc::new(One(Arc::clone(&self.0))))
    }
}

/// The schemas of six cells of CAGE-2, as a run asks by them, are accepted by the published rules of every provider.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn schemas_that_a_run_asks_by_keep_to_the_published_rules() {
    let text = "study: shapes\nenvironment: { name: cage2, red: b_line, horizon: 2 }\narchitectures:\n\
         \x20 - { base: react, configuration: obs, protocol: json, name: a }\n\
         \x20 - { base: react, configuration: +question, protocol: json, name: b }\n\
         \x20 - { base: react, configuration: obs, protocol: native-tools, name: c }\n\
         \x20 - { base: hierarchy, configuration: hier-delib, protocol: json, name: d }\n\
         \x20 - { base: hierarchy, configuration: hier-delib, protocol: native-tools, name: e }\n\
         \x20 - { base: temporal, configuration: ctha, embedder: none, protocol: json, name: f }\n\
         decoding: constrained\nroles: [{ default: x }]\nepisodes: { runs: 1, tasks: { limit: 1 } }\n";
    let source = Source(Arc::new(Collects(Mutex::default())));
    let kept = Arc::clone(&source.0);
    let study = plan::parse(text, "study.yaml").unwrap();
    let plan = plan::resolve(study, &Options::default(), &registry(), &source, &files());
    let plan = Arc::new(plan.unwrap_or_else(|problems| panic!("{problems}")));
    let folder = tempfile::tempdir().unwrap();
    runner::run(plan, Arc::new(source), Settings::new(folder.path().join("run")), Cancel::default(), |_| {})
        .await
        .unwrap();
    let asked = kept.0.lock().unwrap().clone();
    for tool in asked.iter().flat_map(|(_, tools)| tools) {
        for rules in [SchemaRules::Openai, SchemaRules::Anthropic] {
            assert_eq!(rules.broken_by(&rules.shaped(&tool.parameters)), Vec::<String>::new(), "{rules:?}: {tool:?}");
        }
    }
    assert!(asked.iter().any(|(_, tools)| !tools.is_empty() && tools.len() <= 20));
    let schemas: Vec<Value> = asked.into_iter().map(|(schema, _)| schema).collect();
    assert!(schemas.len() >= 5 && schemas.iter().any(|schema| schema.get("anyOf").is_some()), "{}", schemas.len());
    // A list that must be empty says what it would hold: a strict mode refuses one without `items`.
    let empty = r#""reached":{"type":"array","items":{"type":"string"},"maxItems":0}"#;
    assert!(schemas.iter().any(|schema| schema.to_string().contains(empty)), "no subgoal is ready at first");
    for schema in &schemas {
        for rules in SchemaRules::ALL {
            let shaped = rules.shaped(schema);
            let sent = if rules.takes_as_root(&shaped) {
                shaped
            } else {
                json!({ "type": "object", "properties": { "answer": shaped }, "required": ["answer"],
                    "additionalProperties": false })
            };
            assert_eq!(rules.broken_by(&sent), Vec::<String>::new(), "{rules:?}: {sent}");
        }
    }
}
