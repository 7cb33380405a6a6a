//! Anthropic's messages.

use gimbal_core::RequestedCall;
use serde_json::Value;

use super::{BodyFinish, Read, count, text, usage};

pub(super) fn read(body: &Value) -> Read {
    let tokens = body.get("usage").unwrap_or(&Value::Null);
    let part = |key: &str| count(tokens.get(key));
    // The three parts of the input are reported side by side; what was read from the cache is one of them.
    let read = part("cache_read_input_tokens").unwrap_or(0);
    let written = part("cache_creation_input_tokens").unwrap_or(0);
    let input = part("input_tokens").map(|fresh| fresh.saturating_add(read).saturating_add(written));
    let blocks: &[Value] = body.get("content").and_then(Value::as_array).map_or(&[], Vec::as_slice);
    let of = |kind: &str, key: &str| {
        let texts =
            blocks.iter().filter(|block| text(block, "type") == Some(kind)).filter_map(|block| text(block, key));
        texts.map(str::to_owned).reduce(|all, next| all + &next)
    };
    let content = of("text", "text");
    let calls: Vec<RequestedCall> = blocks
        .iter()
        .filter(|block| text(block, "type") == Some("tool_use"))
        .enumerate()
        .filter_map(|(number, block)| {
            Some(RequestedCall {
                id: text(block, "id").map_or_else(|| format!("call-{number}"), str::to_owned),
                tool: text(block, "name")?.to_owned(),
                arguments: block.get("input").cloned().unwrap_or_else(|| Value::Object(serde_json::Map::new())),
            })
        })
        .collect();
    let end = match text(body, "stop_reason") {
        _ if text(body, "type") == Some("error") => BodyFinish::Nothing(
            body.pointer("/error/message").and_then(Value::as_str).unwrap_or("it holds an error").to_owned(),
        ),
        Some("refusal") => BodyFinish::Refused(String::new()),
        Some("max_tokens" | "model_context_window_exceeded") => BodyFinish::Length,
        None if body.get("stop_reason").is_some_and(Value::is_null) => BodyFinish::Nothing(
            "it does not say how it ended (`stop_reason` is null), so it may not be whole".to_owned(),
        ),
        _ if content.is_none() && calls.is_empty() => {
            BodyFinish::Nothing("`content` has neither text nor calls".to_owned())
        }
        _ => BodyFinish::Whole,
    };
    Read {
        text: content.unwrap_or_default(),
        calls,
        reasoning: of("thinking", "thinking").filter(|reasoning| !reasoning.is_empty()),
        end,
        usage: usage(
            input,
            Some(read),
            part("output_tokens"),
            count(tokens.pointer("/output_tokens_details/thinking_tokens")),
        ),
        note: None,
        id: text(body, "id").map(str::to_owned),
        model: text(body, "model").map(str::to_owned),
    }
}
