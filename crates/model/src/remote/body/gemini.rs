//! Gemini's generateContent.

use gimbal_core::RequestedCall;
use serde_json::Value;

use super::{BodyFinish, Read, count, text, usage};

/// Reasons that say that a filter or the model itself held the answer back.
const REFUSALS: [&str; 8] =
    ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "IMAGE_SAFETY", "MODEL_ARMOR"];

pub(super) fn read(body: &Value) -> Read {
    let tokens = body.get("usageMetadata").unwrap_or(&Value::Null);
    let part = |key: &str| count(tokens.get(key));
    let sum = |left: Option<u64>, right: Option<u64>| match (left, right) {
        (None, None) => None,
        (left, right) => Some(left.unwrap_or(0).saturating_add(right.unwrap_or(0))),
    };
    let candidate = body.pointer("/candidates/0");
    let parts = candidate.and_then(|candidate| candidate.pointer("/content/parts")).and_then(Value::as_array);
    let parts: &[Value] = parts.map_or(&[], Vec::as_slice);
    let thought = |part: &&Value| part.get("thought").and_then(Value::as_bool) == Some(true);
    let join = |parts: &mut dyn Iterator<Item = &Value>| {
        parts.filter_map(|part| text(part, "text")).map(str::to_owned).reduce(|all, next| all + &next)
    };
    let content = join(&mut parts.iter().filter(|part| !thought(part)));
    let reasoning = join(&mut parts.iter().filter(thought));
    let calls: Vec<RequestedCall> = parts
        .iter()
        .filter_map(|part| part.get("functionCall"))
        .enumerate()
        .filter_map(|(number, call)| {
            let tool = text(call, "name")?.to_owned();
            Some(RequestedCall {
                // The id that the library makes up for a call without one, so that its answer finds the call again.
                id: text(call, "id").map_or_else(|| format!("call#{tool}#{number}"), str::to_owned),
                tool,
                arguments: call.get("args").cloned().unwrap_or_else(|| Value::Object(serde_json::Map::new())),
            })
        })
        .collect();
    let blocked = body.pointer("/promptFeedback/blockReason").and_then(Value::as_str);
    let end = match candidate.and_then(|candidate| text(candidate, "finishReason")) {
        _ if blocked.is_some() => {
            BodyFinish::Refused(format!("the prompt was blocked: {}", blocked.unwrap_or_default()))
        }
        _ if candidate.is_none() => {
            let error = body.pointer("/error/message").and_then(Value::as_str);
            BodyFinish::Nothing(error.unwrap_or("`candidates` is missing or empty").to_owned())
        }
        Some("MAX_TOKENS") => BodyFinish::Length,
        Some(reason) if REFUSALS.contains(&reason) => {
            let words = candidate.and_then(|candidate| text(candidate, "finishMessage")).unwrap_or(reason);
            BodyFinish::Refused(words.to_owned())
        }
        Some(reason) if content.is_none() && calls.is_empty() => BodyFinish::Nothing(format!("it ended with {reason}")),
        None if content.is_none() && calls.is_empty() => {
            BodyFinish::Nothing("the candidate has neither text nor calls".to_owned())
        }
        _ => BodyFinish::Whole,
    };
    Read {
        text: content.unwrap_or_default(),
        calls,
        reasoning: reasoning.filter(|reasoning| !reasoning.is_empty()),
        end,
        // Thoughts are not among the candidates' tokens, and prompts of built-in tools not among the prompt's.
        usage: usage(
            sum(part("promptTokenCount"), part("toolUsePromptTokenCount")),
            part("cachedContentTokenCount"),
            // 0 is left out.
            sum(part("candidatesTokenCount"), part("thoughtsTokenCount")).or(part("promptTokenCount").map(|_| 0)),
            part("thoughtsTokenCount"),
        ),
        note: None,
        id: text(body, "responseId").map(str::to_owned),
        model: text(body, "modelVersion").map(str::to_owned),
    }
}
