//! Requests of agents, as `gimbal run` made them (readers played the episodes): react-text free and under a regular expression, JSON with a
//! schema, native tools, several turns, stop texts.

use std::sync::Arc;

use gimbal_core::{
    CallContext, ChatRequest, Completion, Digest, Grammar, Message, ModelErrorKind, Sampling, Speaker, ToolSpec,
    UsageSource,
};
use gimbal_model::{Models, ModelsConfig};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Rows, ask, endpoints};

/// Tokens of an answer: small models fill whatever they get.
const MOST: u32 = 200;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    messages: Vec<Message>,
    #[serde(default)]
    tools: Vec<ToolSpec>,
    grammar: Option<Grammar>,
    #[serde(default)]
    stop: Vec<String>,
}

impl Written {
    fn request(&self) -> ChatRequest {
        ChatRequest {
            messages: self.messages.iter().cloned().map(Arc::new).collect(),
            tools: self.tools.clone().into(),
            grammar: self.grammar.clone().map(Arc::new),
            stop: self.stop.clone(),
            sampling: Sampling { max_output_tokens: MOST, seed: Some(1), ..Sampling::default() },
        }
    }

    /// The messages and tools as the chat endpoint takes them.
    fn body(&self) -> Value {
        let message = |message: &Message| {
            let mut own = json!({ "role": message.speaker.name(), "content": &*message.text });
            if !message.calls.is_empty() {
                let call = |call: &gimbal_core::RequestedCall| {
                    let function = json!({ "name": call.tool, "arguments": call.arguments.to_string() });
                    json!({ "type": "function", "id": call.id, "function": function })
                };
                own["tool_calls"] = message.calls.iter().map(call).collect();
            }
            if let Some(id) = &message.answers {
                own["tool_call_id"] = id.as_str().into();
            }
            own
        };
        let tool = |tool: &ToolSpec| json!({ "type": "function", "function": tool });
        let mut body = json!({ "messages": self.messages.iter().map(message).collect::<Vec<_>>() });
        if !self.tools.is_empty() {
            body["tools"] = self.tools.iter().map(tool).collect();
        }
        body
    }
}

fn written() -> Vec<Written> {
    serde_json::from_str(include_str!("agents.json")).unwrap()
}

/// Tokens of a request as the server writes and cuts it; `None` where it offers no such count.
async fn counted(base: &str, written: &Written) -> Option<u64> {
    let prompt = ask(base, "/apply-template", written.body()).await?["prompt"].as_str()?.to_owned();
    let body = json!({ "content": prompt, "add_special": true, "parse_special": true });
    ask(base, "/tokenize", body).await?["tokens"].as_array().map(|tokens| tokens.len() as u64)
}

/// What an answer must be by its request.
fn check(written: &Written, answer: &Completion) {
    let (name, text) = (&written.name, &*answer.text);
    // Where nothing is enforced, a small model may end its turn at once: an empty answer is its own.
    if written.grammar.is_some() {
        assert!(!text.trim().is_empty() || !answer.calls.is_empty(), "{name}: an empty answer");
    }
    for stop in &written.stop {
        assert!(!text.contains(stop.as_str()), "{name}: the answer goes on behind its stop text: {text}");
    }
    match &written.grammar {
        Some(Grammar::Regex(pattern)) => {
            assert!(regex::Regex::new(&format!("^(?:{pattern})$")).unwrap().is_match(text), "{name}: {text}");
        }
        Some(Grammar::JsonSchema(schema)) => {
            let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}: {text}"));
            assert!(jsonschema::is_valid(schema, &value), "{name}: {text}");
        }
        Some(Grammar::Choice(choices)) => assert!(choices.iter().any(|choice| choice == text), "{name}: {text}"),
        None => {}
    }
    for call in &answer.calls {
        assert!(written.tools.iter().any(|tool| tool.name == call.tool), "{name}: there is no tool {}", call.tool);
    }
}

/// What is sent to a server below covers the forms in which agents ask.
#[test]
fn the_requests_of_agents_cover_every_form() {
    let all = written();
    let count = |holds: fn(&Written) -> bool| all.iter().filter(|written| holds(written)).count();
    let several =
        |written: &Written| written.messages.iter().filter(|one| one.speaker == Speaker::Assistant).count() > 1;
    assert!((6..=10).contains(&all.len()));
    assert!(count(several) >= 3);
    assert!(count(|written| !written.tools.is_empty()) >= 2);
    assert!(count(|written| written.messages.iter().any(|one| one.answers.is_some())) >= 1, "results of native calls");
    assert!(count(|written| matches!(written.grammar, Some(Grammar::Regex(_)))) >= 2);
    assert!(count(|written| matches!(written.grammar, Some(Grammar::JsonSchema(_)))) >= 2);
    assert!(count(|written| !written.stop.is_empty()) >= 2);
    assert!(all.iter().all(|written| written.messages.iter().map(|one| one.text.len()).sum::<usize>() > 1_000));
}

#[tokio::test]
async fn requests_of_agents_come_back_in_shape_and_are_counted_alike() {
    let Ok(base) = std::env::var("GIMBAL_REAL_SERVER") else {
        println!("skipped: GIMBAL_REAL_SERVER is not set; `scripts/real-server` starts a server and sets it");
        return;
    };
    let models = Models::new(ModelsConfig { endpoints: endpoints(&base), ..ModelsConfig::default() });
    models.survey("llamacpp/served").await;
    let model = models.open("llamacpp/served").unwrap();
    let (rows, ours) = (Rows::default(), Ours::open());
    for (number, written) in written().iter().enumerate() {
        let request = written.request();
        let context =
            CallContext { wire: &rows, episode: Digest::of(b"agents"), call: number as u64, seed: 1, hint: None };
        let (server, own) = (counted(&base, written).await, ours.count(&request));
        let name = &written.name;
        match model.complete(&request, &context).await {
            Ok(answer) => {
                println!(
                    "{name}: input reported {}, server {server:?}, ours {own:?}; {:?} {:?}",
                    answer.usage.input, answer.text, answer.calls
                );
                assert_eq!(answer.usage.source, UsageSource::Reported, "{name}");
                assert!(
                    server.is_none_or(|server| server == answer.usage.input),
                    "{name}: {server:?}, {:?}",
                    answer.usage
                );
                assert!(own.is_none_or(|own| own == answer.usage.input), "{name}: {own:?}, {:?}", answer.usage);
                check(written, &answer);
            }
            // A small model writes until its bound; the bound is part of the shape.
            Err(error) if error.kind == ModelErrorKind::Truncated => {
                println!("{name}: cut at {MOST} tokens; server {server:?}, ours {own:?}");
                assert!(own.zip(server).is_none_or(|(own, server)| own == server), "{name}: {own:?}, {server:?}");
            }
            Err(error) => panic!("{name}: {error:?}"),
        }
    }
}

/// The same weights in the program, for their tokenizer and chat template.
struct Ours {
    #[cfg(feature = "embedded")]
    engine: Option<gimbal_model::embedded::Engine>,
}

#[cfg(feature = "embedded")]
impl Ours {
    fn open() -> Self {
        use gimbal_model::embedded::{Engine, EngineSettings};
        let weights = std::env::var("GIMBAL_REAL_WEIGHTS").ok();
        let engine = weights.map(|path| {
            let path = std::path::PathBuf::from(path);
            Engine::open(&path, Digest::of(b"weights"), &EngineSettings::default()).unwrap()
        });
        Self { engine }
    }

    /// Tokens of a request; `None` where our chat template has no place for its tools.
    fn count(&self, request: &ChatRequest) -> Option<u64> {
        let (messages, tools) = (request.messages.clone(), Arc::clone(&request.tools));
        let prompt = gimbal_model::embedded::Prompt::Chat { messages, tools };
        self.engine.as_ref()?.tokenize(&prompt).ok().map(|tokens| tokens.len() as u64)
    }
}

#[cfg(not(feature = "embedded"))]
impl Ours {
    const fn open() -> Self {
        Self {}
    }

    const fn count(&self, _: &ChatRequest) -> Option<u64> {
        None
    }
}
