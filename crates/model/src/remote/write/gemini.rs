//! Gemini's generateContent.

use std::collections::BTreeMap;

use gimbal_core::{Message, Speaker};
use serde_json::{Value, json};

use super::Draft;
use crate::remote::mask::Sent;
use crate::remote::native::Choice;

/// Sent in place of a signature that a third-generation model requires with the calls of earlier turns.
const UNSIGNED: &str = "skip_thought_signature_validator";

pub(super) fn body(draft: &Draft<'_>) -> Value {
    let request = draft.request;
    let mut body = json!({});
    let said = request.messages.iter().filter(|message| message.speaker == Speaker::System);
    let system: Vec<&str> = said.map(|message| &*message.text).collect();
    if !system.is_empty() {
        body["systemInstruction"] = json!({ "parts": [{ "text": system.join("\n") }] });
    }
    let (tools, _) = draft.tools();
    if !tools.is_empty() {
        let tool = |tool: &gimbal_core::ToolSpec| json!({ "name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters });
        body["tools"] = json!([{ "functionDeclarations": tools.iter().map(tool).collect::<Vec<_>>() }]);
    }
    if let Some(native) = &draft.mask.native {
        let mode = match native.choice {
            Choice::Call => "ANY",
            Choice::Either => "AUTO",
            Choice::Text => "NONE",
        };
        body["toolConfig"] = json!({ "functionCallingConfig": { "mode": mode } });
    }
    body["contents"] = contents(&request.messages, draft.id.contains("gemini-3"));
    body["generationConfig"] = settings(draft);
    body
}

fn settings(draft: &Draft<'_>) -> Value {
    let mut settings = json!({});
    let (temperature, top_p) = draft.sampling();
    if let Some(temperature) = temperature {
        settings["temperature"] = json!(temperature);
    }
    settings["maxOutputTokens"] = json!(draft.most);
    if let Some(top_p) = top_p {
        settings["topP"] = json!(top_p);
    }
    if let Some(seed) = draft.request.sampling.seed.filter(|_| draft.known.seed) {
        settings["seed"] = json!(seed & (i32::MAX as u64));
    }
    if !draft.stops().is_empty() {
        settings["stopSequences"] = json!(draft.stops());
    }
    if let Some(effort) = draft.effort() {
        settings["thinkingConfig"] = json!({ "thinkingLevel": effort });
    }
    match &draft.mask.sent {
        Some(Sent::Schema(schema)) => {
            settings["responseMimeType"] = json!("application/json");
            settings["responseJsonSchema"] = schema.clone();
        }
        Some(Sent::Texts(choices)) => {
            settings["responseMimeType"] = json!("text/x.enum");
            settings["responseSchema"] = json!({ "type": "STRING", "enum": choices });
        }
        Some(Sent::Structured(_) | Sent::Gbnf(_)) | None => {}
    }
    settings
}

fn contents(all: &[std::sync::Arc<Message>], signed: bool) -> Value {
    let mut written: Vec<Value> = Vec::new();
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    let mut results = false;
    for message in all.iter().filter(|message| message.speaker != Speaker::System) {
        let text = &*message.text;
        let result = message.answers.as_deref().filter(|_| message.speaker == Speaker::Tool);
        if let Some(id) = result {
            let name = names.get(id).copied().unwrap_or(id);
            let response = json!({ "name": name, "response": { "name": name, "content": text } });
            let part = json!({ "functionResponse": with_id(response, id) });
            // Results of calls made side by side belong into one turn.
            match written.last_mut().filter(|_| results).and_then(|last| last["parts"].as_array_mut()) {
                Some(parts) => parts.push(part),
                None => written.push(json!({ "role": "user", "parts": [part] })),
            }
        } else if message.speaker == Speaker::Assistant {
            let mut parts: Vec<Value> = Vec::new();
            if !text.is_empty() || message.calls.is_empty() {
                parts.push(json!({ "text": text }));
            }
            for (number, call) in message.calls.iter().enumerate() {
                names.insert(&call.id, &call.tool);
                let arguments = super::arguments(&call.arguments);
                let mut part = json!({ "functionCall": with_id(json!({}), &call.id) });
                part["functionCall"]["name"] = json!(call.tool);
                part["functionCall"]["args"] = arguments;
                if signed && number == 0 {
                    part["thoughtSignature"] = json!(UNSIGNED);
                }
                parts.push(part);
            }
            written.push(json!({ "role": "model", "parts": parts }));
        } else {
            written.push(json!({ "role": "user", "parts": [{ "text": text }] }));
        }
        results = result.is_some();
    }
    written.into()
}

/// A call or its result with the provider's id; those that were made up for calls without one stay here.
fn with_id(mut part: Value, id: &str) -> Value {
    if !id.starts_with("call#") {
        part["id"] = json!(id);
    }
    part
}
