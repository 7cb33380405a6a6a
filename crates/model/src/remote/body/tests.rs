use gimbal_core::{Finish, ModelErrorKind, Usage, UsageSource};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{BodyFinish, read};
use crate::remote::WireFormat;

const FORMATS: [WireFormat; 3] = [WireFormat::OpenAi, WireFormat::Anthropic, WireFormat::Gemini];

fn usage(input: u64, cached_input: u64, output: u64, reasoning: u64) -> Usage {
    Usage { input, cached_input, output, reasoning, source: UsageSource::Reported }
}

// covers: SH-01, BOG-149
#[test]
fn usage_is_read_as_each_provider_reports_it() {
    let openai = json!({ "usage": {
        "prompt_tokens": 100, "completion_tokens": 50, "prompt_tokens_details": { "cached_tokens": 64 },
        "completion_tokens_details": { "reasoning_tokens": 32 }
    } });
    assert_eq!(read(WireFormat::OpenAi, &openai).usage, usage(100, 64, 50, 32));
    let anthropic = json!({ "usage": {
        "input_tokens": 10, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 30, "output_tokens": 50,
        "output_tokens_details": { "thinking_tokens": 32 }
    } });
    assert_eq!(read(WireFormat::Anthropic, &anthropic).usage, usage(100, 60, 50, 32));
    let gemini = json!({ "usageMetadata": {
        "promptTokenCount": 90, "toolUsePromptTokenCount": 10, "cachedContentTokenCount": 64,
        "candidatesTokenCount": 18, "thoughtsTokenCount": 32, "totalTokenCount": 150
    } });
    assert_eq!(read(WireFormat::Gemini, &gemini).usage, usage(100, 64, 50, 32));
}

#[test]
fn what_is_not_reported_is_missing_and_not_zero() {
    for format in FORMATS {
        for body in [json!({}), json!(null), json!([1]), json!({ "usage": null, "usageMetadata": [] })] {
            assert_eq!(read(format, &body).usage.source, UsageSource::Missing, "{format:?} {body}");
        }
    }
    let odd = json!({ "usage": { "prompt_tokens": "7", "completion_tokens": -1 } });
    assert_eq!(read(WireFormat::OpenAi, &odd).usage.source, UsageSource::Missing);
    // One count of the two is half a report, and a count beyond all bounds, or below 0, is none.
    let most = 1_u64 << 40;
    for (input, output, believed) in [
        (json!(7), json!(null), false),
        (json!(-5), json!(7), false),
        (json!(7), json!(1e30), false),
        (json!(7), json!(0.5), false),
        (json!(u64::MAX), json!(u64::MAX), false),
        (json!(most + 1), json!(7), false),
        (json!(most), json!(7.0), true),
    ] {
        let openai = json!({ "usage": { "prompt_tokens": input, "completion_tokens": output } });
        let anthropic = json!({ "usage": {
            "input_tokens": input, "cache_read_input_tokens": 0, "output_tokens": output
        } });
        let mut bodies = vec![(WireFormat::OpenAi, openai), (WireFormat::Anthropic, anthropic)];
        if !output.is_null() {
            let gemini = json!({ "usageMetadata": { "promptTokenCount": input, "candidatesTokenCount": output } });
            bodies.push((WireFormat::Gemini, gemini));
        }
        for (format, body) in bodies {
            let found = read(format, &body);
            let expected = if believed {
                usage(most, 0, 7, 0)
            } else {
                Usage { source: UsageSource::Missing, ..usage(0, 0, 0, 0) }
            };
            assert_eq!((found.usage, found.note.is_some()), (expected, !believed), "{format:?} {body}");
        }
    }
}

#[test]
fn texts_are_kept_word_for_word() {
    let openai = json!({ "choices": [{ "finish_reason": "stop", "message": { "content": "  a\n " } }] });
    let anthropic = json!({ "stop_reason": "end_turn", "content": [
        { "type": "thinking", "thinking": "hm", "signature": "s" }, { "type": "text", "text": "  a" },
        { "type": "text", "text": "\n " }
    ] });
    let gemini = json!({ "candidates": [{ "finishReason": "STOP", "content": { "parts": [
        { "text": "hm", "thought": true }, { "text": "  a" }, { "text": "\n " }
    ] } }] });
    for (format, body) in FORMATS.into_iter().zip([openai, anthropic, gemini]) {
        let found = read(format, &body);
        assert_eq!((found.text.as_str(), &found.end), ("  a\n ", &BodyFinish::Whole), "{format:?}");
        assert_eq!(found.reasoning.is_some(), format != WireFormat::OpenAi);
    }
}

#[test]
fn calls_are_read_and_broken_arguments_are_kept() {
    let call = |arguments: Value| {
        json!({ "choices": [{ "finish_reason": "tool_calls", "message": {
        "content": null, "tool_calls": [{ "id": "c1", "type": "function", "function": { "name": "Analyse", "arguments": arguments } }]
    } }] })
    };
    let arguments = |written: Value| read(WireFormat::OpenAi, &call(written)).calls.remove(0).arguments;
    assert_eq!(arguments(json!("{\"host\": \"User1\"}")), json!({ "host": "User1" }));
    assert_eq!(arguments(json!("{\"host\": ")), json!("{\"host\": "));
    assert_eq!(arguments(json!("")), json!({}));
    let completion = read(WireFormat::OpenAi, &call(json!("{}"))).outcome(String::new(), 5).unwrap();
    assert_eq!((completion.finish, completion.latency_us), (Finish::Calls, 5));
    let anthropic = json!({ "stop_reason": "tool_use", "content": [
        { "type": "tool_use", "id": "t1", "name": "Analyse", "input": { "host": "User1" } }
    ] });
    let gemini = json!({ "candidates": [{ "finishReason": "STOP", "content": { "parts": [
        { "functionCall": { "name": "Analyse", "args": { "host": "User1" } } }
    ] } }] });
    for (format, body, id) in [(WireFormat::Anthropic, anthropic, "t1"), (WireFormat::Gemini, gemini, "call#Analyse#0")]
    {
        let call = read(format, &body).calls.remove(0);
        assert_eq!((call.id.as_str(), call.tool.as_str(), call.arguments), (id, "Analyse", json!({ "host": "User1" })));
    }
}

// covers: BOG-047
#[test]
fn only_a_whole_answer_is_a_completion() {
    let openai = |finish: &str, message: Value| json!({ "choices": [{ "finish_reason": finish, "message": message }] });
    let anthropic = |stop: &str| json!({ "stop_reason": stop, "content": [{ "type": "text", "text": "half" }] });
    let gemini = |finish: &str| json!({ "candidates": [{ "finishReason": finish, "content": { "parts": [{ "text": "half" }] } }] });
    let half = json!({ "content": "half" });
    let cases = [
        (WireFormat::OpenAi, openai("length", half.clone()), ModelErrorKind::Truncated),
        (WireFormat::OpenAi, openai("content_filter", half), ModelErrorKind::Refusal),
        (WireFormat::OpenAi, openai("stop", json!({ "content": null, "refusal": "half" })), ModelErrorKind::Refusal),
        (WireFormat::OpenAi, openai("stop", json!({ "content": null })), ModelErrorKind::BadResponse),
        (
            WireFormat::OpenAi,
            json!({ "choices": [{ "finish_reason": null, "message": { "content": "half" } }] }),
            ModelErrorKind::BadResponse,
        ),
        (
            WireFormat::Anthropic,
            json!({ "stop_reason": null, "content": [{ "type": "text", "text": "half" }] }),
            ModelErrorKind::BadResponse,
        ),
        (WireFormat::OpenAi, json!({ "choices": [] }), ModelErrorKind::BadResponse),
        (WireFormat::OpenAi, json!({ "error": { "message": "behind me" } }), ModelErrorKind::BadResponse),
        (WireFormat::Anthropic, anthropic("max_tokens"), ModelErrorKind::Truncated),
        (WireFormat::Anthropic, anthropic("refusal"), ModelErrorKind::Refusal),
        (WireFormat::Anthropic, json!({ "content": [], "stop_reason": "end_turn" }), ModelErrorKind::BadResponse),
        (WireFormat::Gemini, gemini("MAX_TOKENS"), ModelErrorKind::Truncated),
        (WireFormat::Gemini, gemini("SAFETY"), ModelErrorKind::Refusal),
        (WireFormat::Gemini, json!({ "promptFeedback": { "blockReason": "OTHER" } }), ModelErrorKind::Refusal),
        (WireFormat::Gemini, json!({ "candidates": [] }), ModelErrorKind::BadResponse),
        (
            WireFormat::Gemini,
            json!({ "candidates": [{ "finishReason": "MALFORMED_FUNCTION_CALL" }] }),
            ModelErrorKind::BadResponse,
        ),
    ];
    for (format, body, kind) in cases {
        let error = read(format, &body).outcome(body.to_string(), 0).unwrap_err();
        assert_eq!(error.kind, kind, "{body}");
        assert!(error.usage.is_some(), "{body}");
        assert_eq!(error.provider.raw.as_deref(), Some(body.to_string().as_str()));
        if kind != ModelErrorKind::BadResponse && body.pointer("/promptFeedback").is_none() {
            assert!(error.partial.is_some(), "{body}");
        }
    }
}

/// Bodies that resemble an answer, with anything anywhere.
fn almost() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        "[a-zA-Z_]{0,12}".prop_map(Value::from),
    ];
    let keys = prop::sample::select(vec![
        "choices",
        "message",
        "content",
        "parts",
        "candidates",
        "usage",
        "usageMetadata",
        "prompt_tokens",
        "text",
        "type",
        "finish_reason",
        "finishReason",
        "stop_reason",
        "tool_calls",
        "function",
        "arguments",
        "name",
        "functionCall",
        "args",
        "input_tokens",
        "cache_read_input_tokens",
        "promptTokenCount",
        "thoughtsTokenCount",
        "error",
        "refusal",
        "thought",
    ]);
    leaf.prop_recursive(6, 64, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(keys.clone().prop_map(str::to_owned), inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn no_body_makes_a_reader_panic(body in almost()) {
        for format in FORMATS {
            let _ = read(format, &body).outcome(String::new(), 0);
        }
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(body) = serde_json::from_slice::<Value>(&bytes) {
            for format in FORMATS {
                let _ = read(format, &body).outcome(String::new(), 0);
            }
        }
    }
}
