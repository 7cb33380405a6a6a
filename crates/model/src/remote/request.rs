//! Writes a request for a wire format.

use genai::adapter::AdapterKind;
use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest as Wire, ContentPart, JsonSpec, MessageContent, Tool, ToolCall,
};
use genai::chat::{ChatResponseFormat, ToolResponse};
use gimbal_core::{ChatRequest, Grammar, Message, Speaker};
use serde_json::{Value, json};

use super::provider::{Dialect, Provider, WireFormat};

/// Name under which a schema is sent.
const SCHEMA_NAME: &str = "answer";

/// The library's adapter of a wire format.
pub(super) const fn adapter(format: WireFormat) -> AdapterKind {
    match format {
        WireFormat::OpenAi => AdapterKind::OpenAI,
        WireFormat::Anthropic => AdapterKind::Anthropic,
        WireFormat::Gemini => AdapterKind::Gemini,
    }
}

/// The name that the library is told. It reads settings out of names, so it is never told the real one, but for the mark
/// by which it knows models that want a signature beside the calls of earlier turns.
pub(super) fn neutral_name(id: &str) -> &'static str {
    if id.contains("gemini-3") { "gemini-3.model" } else { "model" }
}

/// Where a request goes.
pub(super) fn url(format: WireFormat, base: &str, id: &str) -> String {
    match format {
        WireFormat::OpenAi => format!("{base}/chat/completions"),
        WireFormat::Anthropic => format!("{base}/messages"),
        WireFormat::Gemini => format!("{base}/models/{id}:generateContent"),
    }
}

/// The headers that carry the key, and the version where one is asked for.
pub(super) fn headers(format: WireFormat, key: Option<&str>) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    match (format, key) {
        (_, None) => {}
        (WireFormat::OpenAi, Some(key)) => headers.push(("authorization".to_owned(), format!("Bearer {key}"))),
        (WireFormat::Anthropic, Some(key)) => headers.push(("x-api-key".to_owned(), key.to_owned())),
        (WireFormat::Gemini, Some(key)) => headers.push(("x-goog-api-key".to_owned(), key.to_owned())),
    }
    if format == WireFormat::Anthropic {
        headers.push(("anthropic-version".to_owned(), "2023-06-01".to_owned()));
    }
    headers
}

/// The conversation and its tools.
pub(super) fn conversation(request: &ChatRequest) -> Wire {
    let wire = Wire::new(request.messages.iter().map(|message| write(message)).collect());
    if request.tools.is_empty() {
        return wire;
    }
    let tools = request.tools.iter().map(|tool| {
        Tool::new(tool.name.clone()).with_description(tool.description.clone()).with_schema(tool.parameters.clone())
    });
    wire.with_tools(tools.collect::<Vec<_>>())
}

fn write(message: &Message) -> ChatMessage {
    let text = message.text.to_string();
    match message.speaker {
        Speaker::System => ChatMessage::system(text),
        Speaker::User => ChatMessage::user(text),
        Speaker::Assistant => {
            let calls = message.calls.iter().map(|call| {
                ContentPart::ToolCall(ToolCall {
                    call_id: call.id.clone(),
                    fn_name: call.tool.clone(),
                    // No provider takes back arguments that are no object; the model still sees what it wrote.
                    fn_arguments: match &call.arguments {
                        Value::Object(_) => call.arguments.clone(),
                        unreadable => json!({ "unreadable": unreadable }),
                    },
                    thought_signatures: None,
                })
            });
            // Providers refuse an empty text beside calls.
            let text = (!text.is_empty() || message.calls.is_empty()).then_some(ContentPart::Text(text));
            ChatMessage::assistant(MessageContent::from_parts(text.into_iter().chain(calls).collect::<Vec<_>>()))
        }
        // A result without its call cannot be told apart from a user's words.
        Speaker::Tool => match &message.answers {
            Some(id) => ChatMessage::tool(ToolResponse::new(id.clone(), text)),
            None => ChatMessage::user(text),
        },
    }
}

/// Decoding settings, and the grammar in the way in which the server takes it.
pub(super) fn options(request: &ChatRequest, provider: Provider, dialect: Dialect, id: &str) -> ChatOptions {
    let options = ChatOptions::default().with_capture_raw_body(true);
    // What stands here goes over what the library writes, member by member.
    match provider.wire() {
        WireFormat::Gemini => options.with_extra_body(json!({ "generationConfig": gemini_settings(request) })),
        WireFormat::Anthropic => {
            let options = common(options, request);
            let options = match request.grammar.as_deref() {
                Some(Grammar::JsonSchema(schema)) => with_schema(options, schema),
                // No way to say it: the answer is checked all the same.
                _ => options,
            };
            options.with_extra_body(json!({ "model": id }))
        }
        WireFormat::OpenAi => {
            let mut extra = json!({ "model": id });
            let mut options = if provider == Provider::OpenAi && is_reasoning(id) {
                // These name the bound otherwise and take no temperature: the provider's least is its default (BOG-045).
                extra["max_completion_tokens"] = json!(request.sampling.max_output_tokens);
                stops(options, request)
            } else {
                common(options, request)
            };
            if let Some(seed) = request.sampling.seed {
                // Servers read it as a signed number.
                options = options.with_seed(seed & (i64::MAX as u64));
            }
            if let Some(grammar) = request.grammar.as_deref() {
                options = mask(options, &mut extra, grammar, dialect);
            }
            options.with_extra_body(extra)
        }
    }
}

fn common(options: ChatOptions, request: &ChatRequest) -> ChatOptions {
    let sampling = &request.sampling;
    let options = options.with_max_tokens(sampling.max_output_tokens).with_temperature(sampling.temperature.to_f64());
    let options = match sampling.top_p {
        Some(top_p) => options.with_top_p(top_p.to_f64()),
        None => options,
    };
    stops(options, request)
}

fn stops(options: ChatOptions, request: &ChatRequest) -> ChatOptions {
    if request.stop.is_empty() { options } else { options.with_stop_sequences(request.stop.clone()) }
}

fn with_schema(options: ChatOptions, schema: &Value) -> ChatOptions {
    options.with_response_format(ChatResponseFormat::JsonSpec(JsonSpec::new(SCHEMA_NAME, schema.clone())))
}

/// Gemini's settings whole, since one member cannot be laid over another's part.
fn gemini_settings(request: &ChatRequest) -> Value {
    let sampling = &request.sampling;
    let mut settings = json!({
        "temperature": sampling.temperature.to_f64(), "maxOutputTokens": sampling.max_output_tokens,
    });
    if let Some(top_p) = sampling.top_p {
        settings["topP"] = json!(top_p.to_f64());
    }
    if let Some(seed) = sampling.seed {
        settings["seed"] = json!(seed & (i32::MAX as u64));
    }
    if !request.stop.is_empty() {
        settings["stopSequences"] = json!(request.stop);
    }
    match request.grammar.as_deref() {
        Some(Grammar::JsonSchema(schema)) => {
            settings["responseMimeType"] = json!("application/json");
            settings["responseJsonSchema"] = schema.clone();
        }
        Some(Grammar::Choice(choices)) => {
            settings["responseMimeType"] = json!("text/x.enum");
            settings["responseSchema"] = json!({ "type": "STRING", "enum": choices });
        }
        Some(Grammar::Regex(_)) | None => {}
    }
    settings
}

fn mask(options: ChatOptions, extra: &mut Value, grammar: &Grammar, dialect: Dialect) -> ChatOptions {
    match (dialect, grammar) {
        (Dialect::Openai, Grammar::JsonSchema(schema)) => return with_schema(options, schema),
        (Dialect::Schema | Dialect::Vllm | Dialect::Llamacpp, Grammar::JsonSchema(schema)) => {
            // As it stands: these servers take any schema, and the library would narrow it.
            extra["response_format"] = json!({
                "type": "json_schema", "json_schema": { "name": SCHEMA_NAME, "strict": true, "schema": schema },
            });
        }
        (Dialect::Vllm, Grammar::Choice(choices)) => extra["structured_outputs"] = json!({ "choice": choices }),
        (Dialect::Vllm, Grammar::Regex(pattern)) => extra["structured_outputs"] = json!({ "regex": pattern }),
        (Dialect::Llamacpp, Grammar::Choice(choices)) => extra["grammar"] = json!(gbnf(choices)),
        // No way to say it: the answer is checked all the same.
        _ => {}
    }
    options
}

/// A choice in llama.cpp's notation of grammars.
fn gbnf(choices: &[String]) -> String {
    let quoted: Vec<String> = choices
        .iter()
        .map(|choice| {
            let escaped: String = choice
                .chars()
                .map(|letter| match letter {
                    '"' => "\\\"".to_owned(),
                    '\\' => "\\\\".to_owned(),
                    '\n' => "\\n".to_owned(),
                    '\r' => "\\r".to_owned(),
                    '\t' => "\\t".to_owned(),
                    letter => letter.to_string(),
                })
                .collect();
            format!("\"{escaped}\"")
        })
        .collect();
    format!("root ::= {}", quoted.join(" | "))
}

/// OpenAI's models that think before they answer.
fn is_reasoning(id: &str) -> bool {
    ["o1", "o3", "o4", "gpt-5", "gpt-6"]
        .iter()
        .any(|family| id.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.'])))
}

#[cfg(test)]
mod tests {
    use super::{gbnf, is_reasoning};

    #[test]
    fn reasoning_models_are_known_by_their_family() {
        assert!(["o1", "o3-mini", "gpt-5.4-nano", "gpt-6"].into_iter().all(is_reasoning));
        assert!(!["gpt-4o", "o11", "gpt-50", "gpt-4.1"].into_iter().any(is_reasoning));
    }

    #[test]
    fn choices_are_quoted_for_llama_cpp() {
        let choices = ["Say \"a\\b\"".to_owned(), "two\nlines".to_owned()];
        assert_eq!(gbnf(&choices), r#"root ::= "Say \"a\\b\"" | "two\nlines""#);
    }
}
