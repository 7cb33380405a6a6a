//! The embedded model behind the seam.

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use gimbal_core::chat::ProviderFacts;
use gimbal_core::{CallContext, ChatModel, ChatRequest, Completion, Finish, ModelError, ModelErrorKind, RequestedCall};
use serde_json::Value;

use super::engine::Engine;
use super::error::EmbeddedError;
use super::generation::{GenerateRequest, Prompt};
use super::settings::EngineSettings;
use crate::weights::Located;

/// An [`Engine`] as a [`ChatModel`]. It writes no ledger rows: the layer around it does.
#[derive(Debug, Clone)]
pub struct EmbeddedModel {
    engine: Arc<Engine>,
}

impl EmbeddedModel {
    /// The model on an opened engine; several may share one.
    #[must_use]
    pub fn new(engine: impl Into<Arc<Engine>>) -> Self {
        Self { engine: engine.into() }
    }

    /// Opens weights that [`locate`](crate::weights::locate) found. Blocks for a second or so.
    ///
    /// # Errors
    /// As [`Engine::open`].
    pub fn open(located: &Located, settings: &EngineSettings) -> Result<Self, EmbeddedError> {
        Ok(Self::new(Engine::open(&located.path, located.sha256, settings)?))
    }

    /// The engine.
    #[must_use]
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }
}

#[async_trait]
impl ChatModel for EmbeddedModel {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        let started = Instant::now();
        let asked = GenerateRequest {
            prompt: Prompt::Chat { messages: request.messages.clone(), tools: Arc::clone(&request.tools) },
            grammar: request.grammar.clone(),
            sampling: request.sampling.clone(),
            seed: context.seed,
            stop: request.stop.clone(),
            to_the_bound: false,
        };
        let outcome = self.engine.generate(asked).await;
        let latency_us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
        let info = self.engine.info();
        let provider =
            ProviderFacts { model: Some(format!("{} {}", info.name, info.sha256.short())), ..ProviderFacts::default() };
        let failed = |mut error: ModelError, provider| {
            error.latency_us = latency_us;
            error.provider = Box::new(provider);
            error
        };
        let answer = match outcome {
            Ok(answer) => answer,
            Err(error) => return Err(failed(error.into(), provider)),
        };
        let usage = answer.counts.usage();
        let native = !request.tools.is_empty() && request.grammar.is_none();
        let (text, calls) = match native.then(|| split_calls(&answer.text)).transpose() {
            Ok(split) => split.unwrap_or_else(|| (answer.text.clone(), Vec::new())),
            Err(why) => {
                let mut error = ModelError::new(ModelErrorKind::BadShape, why);
                error.usage = Some(usage);
                error.partial = Some(answer.text.into());
                return Err(failed(error, provider));
            }
        };
        let finish = if calls.is_empty() { Finish::Stop } else { Finish::Calls };
        Ok(Completion {
            text: text.into(),
            calls,
            finish,
            usage,
            reasoning: None,
            missed: Vec::new(),
            latency_us,
            provider,
        })
    }

    fn tokens(&self, text: &str) -> Option<u64> {
        self.engine.count(text).ok()
    }
}

/// Takes the native calls out of a text, as templates of the Hermes kind teach models to write them:
/// `<tool_call>{"name": …, "arguments": {…}}</tool_call>`.
fn split_calls(text: &str) -> Result<(String, Vec<RequestedCall>), String> {
    const OPEN: &str = "<tool_call>";
    const CLOSE: &str = "</tool_call>";
    let (mut plain, mut calls, mut rest) = (String::new(), Vec::new(), text);
    while let Some((before, after)) = rest.split_once(OPEN) {
        plain.push_str(before);
        let (body, following) =
            after.split_once(CLOSE).ok_or_else(|| format!("the answer opens `{OPEN}` and never closes it"))?;
        let call: Value = serde_json::from_str(body.trim())
            .map_err(|error| format!("native tool call {} is not JSON: {error}", calls.len() + 1))?;
        let name = call.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
        let Some(name) = name else {
            return Err(format!("native tool call {} names no tool", calls.len() + 1));
        };
        calls.push(RequestedCall {
            id: format!("call_{}", calls.len()),
            tool: name.to_owned(),
            arguments: call.get("arguments").cloned().unwrap_or_else(|| Value::Object(serde_json::Map::new())),
        });
        rest = following;
    }
    plain.push_str(rest);
    Ok((plain.trim().to_owned(), calls))
}

#[cfg(test)]
mod tests {
    use super::split_calls;

    #[test]
    fn native_calls_are_taken_out_of_the_text() {
        let text = "Look.\n<tool_call>\n{\"name\": \"look\", \"arguments\": {\"at\": 1}}\n</tool_call>\n<tool_call>{\"name\":\"go\"}</tool_call>";
        let (plain, calls) = split_calls(text).unwrap();
        assert_eq!(plain, "Look.");
        assert_eq!(
            (calls[0].tool.as_str(), calls[0].arguments["at"].as_u64(), calls[0].id.as_str()),
            ("look", Some(1), "call_0")
        );
        assert_eq!((calls[1].tool.as_str(), calls[1].arguments.to_string().as_str()), ("go", "{}"));
        assert_eq!(split_calls("no call").unwrap(), ("no call".to_owned(), Vec::new()));
    }

    // covers: BOG-047
    #[test]
    fn broken_native_calls_are_errors() {
        for broken in
            ["<tool_call>{\"name\":\"x\"}", "<tool_call>{x}</tool_call>", "<tool_call>{\"arguments\":{}}</tool_call>"]
        {
            assert!(split_calls(broken).is_err(), "{broken}");
        }
    }
}
