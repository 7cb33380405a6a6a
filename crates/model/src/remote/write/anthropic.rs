//! Anthropic's messages.

use gimbal_core::{Message, Speaker};
use serde_json::{Value, json};

use super::Draft;
use crate::remote::mask::Sent;
use crate::remote::native::Choice;

pub(super) fn body(draft: &Draft<'_>) -> Value {
    let request = draft.request;
    let mut body = json!({ "model": draft.id, "stream": false });
    let said = request.messages.iter().filter(|message| message.speaker == Speaker::System);
    let system: Vec<&str> = said.map(|message| &*message.text).collect();
    if !system.is_empty() {
        body["system"] = json!(system.join("\n\n"));
    }
    let (tools, strict) = draft.tools();
    if !tools.is_empty() {
        let tool = |tool: &gimbal_core::ToolSpec| {
            let mut written =
                json!({ "name": tool.name, "input_schema": tool.parameters, "description": tool.description });
            if strict {
                written["strict"] = json!(true);
            }
            written
        };
        body["tools"] = tools.iter().map(tool).collect();
    }
    if let Some(native) = &draft.mask.native {
        body["tool_choice"] = match native.choice {
            Choice::Call => json!({ "type": "any", "disable_parallel_tool_use": true }),
            Choice::Either => json!({ "type": "auto", "disable_parallel_tool_use": true }),
            Choice::Text => json!({ "type": "none" }),
        };
    }
    body["messages"] = messages(&request.messages);
    let (temperature, top_p) = draft.sampling();
    if let Some(temperature) = temperature {
        body["temperature"] = json!(temperature);
    }
    if !draft.stops().is_empty() {
        body["stop_sequences"] = json!(draft.stops());
    }
    body["max_tokens"] = json!(draft.most);
    if let Some(top_p) = top_p {
        body["top_p"] = json!(top_p);
    }
    if let Some(Sent::Schema(schema)) = &draft.mask.sent {
        body["output_config"] = json!({ "format": { "type": "json_schema", "schema": schema } });
    }
    if let Some(effort) = draft.effort() {
        body["output_config"]["effort"] = json!(effort);
    }
    body
}

fn messages(all: &[std::sync::Arc<Message>]) -> Value {
    let mut written: Vec<Value> = Vec::new();
    let mut results = false;
    for message in all.iter().filter(|message| message.speaker != Speaker::System) {
        let text = &*message.text;
        let result = message.answers.as_ref().filter(|_| message.speaker == Speaker::Tool);
        if let Some(id) = result {
            let block = json!({ "type": "tool_result", "content": text, "tool_use_id": id });
            // Results of calls made side by side belong into one turn.
            match written.last_mut().filter(|_| results).and_then(|last| last["content"].as_array_mut()) {
                Some(blocks) => blocks.push(block),
                None => written.push(json!({ "role": "user", "content": [block] })),
            }
        } else if message.speaker == Speaker::Assistant && !message.calls.is_empty() {
            // An empty text beside calls is refused.
            let said = (!text.is_empty()).then(|| json!({ "type": "text", "text": text }));
            let calls = message.calls.iter().map(|call| {
                json!({
                    "type": "tool_use", "id": call.id, "name": call.tool, "input": super::arguments(&call.arguments),
                })
            });
            written.push(json!({ "role": "assistant", "content": said.into_iter().chain(calls).collect::<Vec<_>>() }));
        } else {
            let role = if message.speaker == Speaker::Assistant { "assistant" } else { "user" };
            written.push(json!({ "role": role, "content": text }));
        }
        results = result.is_some();
    }
    written.into()
}
