//! Members of a request's body that a study must not lay over it: those that the program writes itself, and others that
//! would take their place. Plan, price, mask and tables go by what the program writes.

use serde_json::{Map, Value};

const MODEL: &str = "the model is the one that the role names: price, limits and tables go by it";
const CONVERSATION: &str = "it is the conversation's own";
const ANSWERS: &str = "one answer is asked for, and one is read";
const TOOLS: &str = "tools are the architecture's";
const MASK: &str = "`decoding` decides on the mask, and answers are judged by it";
const BOUND: &str = "write `max_output_tokens` beside the model of the role";
const TEMPERATURE: &str = "write `temperature` beside the model of the role";
const TOP_P: &str = "write `top_p` beside the model of the role";
const SEED: &str = "write `seed` beside the model of the role";
const EFFORT: &str = "write `reasoning_effort` beside the model of the role";
const STOP: &str = "stop texts are the protocol's: `stop: false` beside the model of the role sends none";
const WITHIN: &str = "the program writes some of its members: give an object with others";

/// Names as [`plain`] writes them, and why they are refused.
const OWN: &[(&[&str], &str)] = &[
    (&["model", "models", "preset"], MODEL),
    (
        &["messages", "contents", "system", "systeminstruction", "prompt", "input", "stream", "streamoptions"],
        CONVERSATION,
    ),
    (&["n", "bestof", "candidatecount"], ANSWERS),
    (&["tools", "toolchoice", "toolconfig", "functions", "functioncall"], TOOLS),
    (
        &[
            "responseformat",
            "structuredoutputs",
            "structuraltag",
            "jsonschema",
            "format",
            "outputformat",
            "regex",
            "ebnf",
            "responsemimetype",
            "responseschema",
            "responsejsonschema",
        ],
        MASK,
    ),
    (&["maxtokens", "maxcompletiontokens", "maxoutputtokens", "maxnewtokens", "npredict", "numpredict"], BOUND),
    (&["temperature"], TEMPERATURE),
    (&["topp"], TOP_P),
    (&["seed"], SEED),
    (&["reasoningeffort", "effort", "thinkinglevel"], EFFORT),
    (&["stop", "stopsequences"], STOP),
];

/// Beginnings of names of masks: `guided_json` of vLLM, `grammar_lazy` of llama.cpp.
const MASKS: [&str; 2] = ["guided", "grammar"];

/// Objects of which the program writes some members and a study may write others.
const SHARED: [&str; 3] = ["generationconfig", "outputconfig", "thinkingconfig"];

/// The first member that must not be set, by its path (`generationConfig.maxOutputTokens`), and why.
#[must_use]
pub fn reserved(extra: &Map<String, Value>) -> Option<(String, &'static str)> {
    extra.iter().find_map(|(name, value)| {
        let plain = plain(name);
        if SHARED.contains(&plain.as_str()) {
            let Value::Object(members) = value else { return Some((name.clone(), WITHIN)) };
            return reserved(members).map(|(inner, why)| (format!("{name}.{inner}"), why));
        }
        why(&plain).map(|why| (name.clone(), why))
    })
}

fn why(plain: &str) -> Option<&'static str> {
    let masks = MASKS.iter().any(|start| plain.starts_with(start));
    let named = || OWN.iter().find(|(names, _)| names.contains(&plain)).map(|(_, why)| *why);
    if masks { Some(MASK) } else { named() }
}

/// A name as the most lenient server reads it: some take `maxOutputTokens` and `max_output_tokens` for the same, some do
/// not tell small letters from capital ones.
fn plain(name: &str) -> String {
    name.chars().filter(|letter| !"_-".contains(*letter)).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gimbal_core::{ChatRequest, Grammar, Message, Milli, ProviderSettings, Sampling, Speaker, ToolSpec};
    use serde_json::{Map, Value, json};

    use super::{SHARED, plain, reserved};
    use crate::native_calls::NativeCalls;
    use crate::remote::mask::{Mask, Sent};
    use crate::remote::provider::Provider;
    use crate::remote::write::Draft;
    use crate::traits::{Bound, Known, TraitTable};

    fn alone(name: &str, value: &Value) -> Map<String, Value> {
        Map::from_iter([(name.to_owned(), value.clone())])
    }

    /// Whatever the program writes into a body, with any settings, a study cannot lay over it.
    // covers: SH-01
    #[test]
    fn every_member_that_is_written_is_reserved() {
        let request = ChatRequest {
            messages: [Speaker::System, Speaker::User].map(|speaker| Arc::new(Message::new(speaker, "x"))).into(),
            tools: vec![ToolSpec::of_strings("look", "Looks.", &[])].into(),
            stop: vec!["Observation:".to_owned()],
            sampling: Sampling {
                top_p: Some(Milli(700)),
                seed: Some(1),
                provider: ProviderSettings { reasoning_effort: Some("low".to_owned()), ..ProviderSettings::default() },
                ..Sampling::default()
            },
            ..ChatRequest::default()
        };
        let all = Known { stop: true, sampling: true, seed: true, ..TraitTable::built_in().of("vllm/x", None, None) };
        let masks = [
            Sent::Schema(json!({ "type": "object" })),
            Sent::Texts(vec!["a".to_owned()]),
            Sent::Structured(json!({ "regex": "a" })),
            Sent::Gbnf("root ::= \"a\"".to_owned()),
        ];
        let grammar = json!({ "type": "object", "properties": { "tool": { "enum": ["look"] } } });
        let calling = ChatRequest { grammar: Some(Arc::new(Grammar::JsonSchema(grammar))), ..request.clone() };
        let strict = Known { native: NativeCalls::Strict, parallel: false, ..all.clone() };
        let mut seen = 0;
        for provider in [Provider::OpenAi, Provider::Anthropic, Provider::Gemini] {
            for (sent, bound) in masks.iter().zip([Bound::MaxTokens, Bound::MaxCompletionTokens].iter().cycle()) {
                let known = Known { bound: *bound, ..strict.clone() };
                let mut mask = Mask::of(&calling, &strict, provider.wire(), provider.dialect());
                assert!(mask.native.is_some());
                mask.sent = Some(sent.clone());
                let draft = Draft { request: &request, provider, id: "m", known: &known, mask: &mask, most: 9 };
                let Value::Object(body) = draft.body() else { panic!() };
                for (name, value) in &body {
                    let written = value.as_object().filter(|_| SHARED.contains(&plain(name).as_str()));
                    let Some(written) = written else {
                        assert!(reserved(&alone(name, value)).is_some(), "{name}");
                        seen += 1;
                        continue;
                    };
                    for (inner, value) in written {
                        let found = reserved(&alone(name, &Value::Object(alone(inner, value))));
                        assert!(found.is_some(), "{name}.{inner}");
                        seen += 1;
                    }
                }
            }
        }
        assert!(seen > 60, "{seen}");
    }

    #[test]
    fn what_would_take_their_place_is_reserved_and_the_rest_is_not() {
        for extra in [
            json!({ "model": "gpt-5-pro" }),
            json!({ "Models": ["a"] }),
            json!({ "n": 8 }),
            json!({ "response_format": null }),
            json!({ "guided_json": {} }),
            json!({ "grammar_lazy": true }),
            json!({ "max_new_tokens": 1 }),
            json!({ "tool_choice": "none" }),
            json!({ "generationConfig": null }),
            json!({ "generation_config": { "max_output_tokens": 1 } }),
            json!({ "generationConfig": { "thinkingConfig": { "thinkingLevel": "high" } } }),
            json!({ "output_config": { "format": null } }),
        ] {
            let Value::Object(members) = &extra else { panic!() };
            assert!(reserved(members).is_some(), "{extra}");
        }
        let Value::Object(free) = json!({
            "top_k": 20, "min_p": 0.1, "service_tier": "flex", "thinking": { "type": "enabled", "budget_tokens": 2000 },
            "provider": { "order": ["a"] }, "reasoning": { "exclude": true }, "chat_template_kwargs": { "thinking": false },
            "generationConfig": { "topK": 3, "thinkingConfig": { "thinkingBudget": 0 } }, "metadata": { "model": "x" },
            "logit_bias": {}, "parallel_tool_calls": false, "safetySettings": [],
        }) else {
            panic!()
        };
        assert_eq!(reserved(&free), None);
    }
}
