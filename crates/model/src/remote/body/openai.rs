//! OpenAI's chat completions, and what its many relatives make of them.

use gimbal_core::RequestedCall;
use serde_json::Value;

use super::{BodyFinish, Read, count, text, usage};

pub(super) fn read(body: &Value) -> Read {
    let tokens = body.get("usage").unwrap_or(&Value::Null);
    let details = |group: &str, key: &str| count(tokens.get(group).and_then(|group| group.get(key)));
    let choice = body.pointer("/choices/0");
    let message = choice.and_then(|choice| choice.get("message"));
    let empty = Value::Null;
    let message = message.unwrap_or(&empty);
    let (content, thought) = content(message.get("content"));
    let reasoning = text(message, "reasoning_content").or_else(|| text(message, "reasoning")).map(str::to_owned);
    let calls = calls(message.get("tool_calls"));
    let refusal = text(message, "refusal").filter(|refusal| !refusal.is_empty());
    let finish = choice.and_then(|choice| text(choice, "finish_reason"));
    let end = match (finish, refusal) {
        // OpenRouter reports a failure behind it inside an answer of status 200.
        _ if body.get("error").is_some_and(|error| !error.is_null()) && choice.is_none() => BodyFinish::Nothing(
            body.pointer("/error/message").and_then(Value::as_str).unwrap_or("it holds an error").to_owned(),
        ),
        _ if choice.is_none() => BodyFinish::Nothing("`choices` is missing or empty".to_owned()),
        (_, Some(refusal)) => BodyFinish::Refused(refusal.to_owned()),
        (Some("content_filter"), _) => BodyFinish::Refused(String::new()),
        (Some("length"), _) => BodyFinish::Length,
        // Without a finish reason the answer may have been cut anywhere.
        (None, _) if choice.is_some_and(|choice| choice.get("finish_reason").is_some_and(Value::is_null)) => {
            BodyFinish::Nothing(
                "it does not say how it ended (`finish_reason` is null), so it may not be whole".to_owned(),
            )
        }
        (Some("error"), _) => BodyFinish::Nothing("it ended with an error of the provider".to_owned()),
        _ if content.is_none() && calls.is_empty() => {
            BodyFinish::Nothing("the message has neither text nor calls".to_owned())
        }
        _ => BodyFinish::Whole,
    };
    Read {
        text: content.unwrap_or_default(),
        calls,
        reasoning: reasoning.or(thought).filter(|reasoning| !reasoning.is_empty()),
        end,
        usage: usage(
            count(tokens.get("prompt_tokens")),
            details("prompt_tokens_details", "cached_tokens"),
            completed(tokens),
            details("completion_tokens_details", "reasoning_tokens"),
        ),
        note: None,
        id: text(body, "id").map(str::to_owned),
        model: text(body, "model").map(str::to_owned),
    }
}

/// Output tokens. Some servers do not count reasoning among them; their total shows that.
fn completed(tokens: &Value) -> Option<u64> {
    let reasoning = count(tokens.pointer("/completion_tokens_details/reasoning_tokens")).unwrap_or(0);
    let written = count(tokens.get("completion_tokens"))?;
    let beside = written.saturating_add(reasoning);
    let all = count(tokens.get("prompt_tokens"))?.saturating_add(beside);
    Some(if reasoning > 0 && count(tokens.get("total_tokens")) == Some(all) { beside } else { written })
}

/// Text and reasoning of a content: a string, or a list of typed parts.
fn content(content: Option<&Value>) -> (Option<String>, Option<String>) {
    match content {
        Some(Value::String(content)) => (Some(content.clone()), None),
        Some(Value::Array(parts)) => {
            let of = |kind: &str, key: &str| {
                let texts =
                    parts.iter().filter(|part| text(part, "type") == Some(kind)).filter_map(|part| text(part, key));
                texts.map(str::to_owned).reduce(|all, next| all + &next)
            };
            (of("text", "text"), of("thinking", "thinking"))
        }
        _ => (None, None),
    }
}

fn calls(calls: Option<&Value>) -> Vec<RequestedCall> {
    let calls = calls.and_then(Value::as_array).into_iter().flatten();
    calls
        .enumerate()
        .filter_map(|(number, call)| {
            let function = call.get("function")?;
            Some(RequestedCall {
                id: text(call, "id").map_or_else(|| format!("call-{number}"), str::to_owned),
                tool: text(function, "name")?.to_owned(),
                // Arguments that are not JSON stay the text of the model: the agent reads that, and the call is not lost.
                arguments: match function.get("arguments") {
                    Some(Value::String(written)) if written.trim().is_empty() => Value::Object(serde_json::Map::new()),
                    Some(Value::String(written)) => {
                        serde_json::from_str(written).unwrap_or_else(|_| Value::String(written.clone()))
                    }
                    Some(arguments) => arguments.clone(),
                    None => Value::Object(serde_json::Map::new()),
                },
            })
        })
        .collect()
}
