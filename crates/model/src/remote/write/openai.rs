//! OpenAI's chat completions.

use gimbal_core::{Message, Speaker};
use serde_json::{Value, json};

use super::Draft;
use crate::remote::mask::Sent;
use crate::remote::native::Choice;
use crate::traits::Bound;

/// Name under which a schema is sent.
const SCHEMA_NAME: &str = "answer";

pub(super) fn body(draft: &Draft<'_>) -> Value {
    let request = draft.request;
    let mut body = json!({ "model": draft.id, "stream": false });
    let (tools, strict) = draft.tools();
    if !tools.is_empty() {
        let tool = |tool: &gimbal_core::ToolSpec| {
            json!({ "type": "function", "function": {
                "name": tool.name, "description": tool.description, "parameters": tool.parameters, "strict": strict,
            } })
        };
        body["tools"] = tools.iter().map(tool).collect();
    }
    if let Some(native) = &draft.mask.native {
        body["tool_choice"] = match native.choice {
            Choice::Call => json!("required"),
            Choice::Either => json!("auto"),
            Choice::Text => json!("none"),
        };
    }
    body["messages"] = request.messages.iter().map(|message| write(message)).collect();
    let (temperature, top_p) = draft.sampling();
    if let Some(temperature) = temperature {
        body["temperature"] = json!(temperature);
    }
    if !draft.stops().is_empty() {
        body["stop"] = json!(draft.stops());
    }
    let bound = match draft.known.bound {
        Bound::MaxTokens => "max_tokens",
        Bound::MaxCompletionTokens => "max_completion_tokens",
    };
    body[bound] = json!(draft.most);
    if let Some(top_p) = top_p {
        body["top_p"] = json!(top_p);
    }
    if let Some(seed) = request.sampling.seed.filter(|_| draft.known.seed) {
        // Servers read it as a signed number.
        body["seed"] = json!(seed & (i64::MAX as u64));
    }
    if let Some(effort) = draft.effort() {
        body["reasoning_effort"] = json!(effort);
    }
    match &draft.mask.sent {
        Some(Sent::Schema(schema)) => {
            body["response_format"] = json!({
                "type": "json_schema", "json_schema": { "name": SCHEMA_NAME, "strict": true, "schema": schema },
            });
        }
        Some(Sent::Structured(rule)) => body["structured_outputs"] = rule.clone(),
        Some(Sent::Gbnf(rules)) => body["grammar"] = json!(rules),
        Some(Sent::Texts(_)) | None => {}
    }
    body
}

fn write(message: &Message) -> Value {
    let (role, text) = (message.speaker.name(), &*message.text);
    match (message.speaker, &message.answers) {
        (Speaker::Assistant, _) if !message.calls.is_empty() => {
            let calls = message.calls.iter().map(|call| {
                let arguments = super::arguments(&call.arguments).to_string();
                json!({ "type": "function", "id": call.id, "function": { "name": call.tool, "arguments": arguments } })
            });
            json!({ "role": role, "content": text, "tool_calls": calls.collect::<Vec<_>>() })
        }
        (Speaker::Tool, Some(id)) => json!({ "role": role, "content": text, "tool_call_id": id }),
        // A result without its call cannot be distinguished from a user's words.
        (Speaker::Tool, None) => json!({ "role": "user", "content": text }),
        _ => json!({ "role": role, "content": text }),
    }
}
