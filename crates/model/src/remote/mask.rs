//! The grammar of a request as a server can be given it, and the grammar by which its answer may be judged.

use std::sync::Arc;

use gimbal_core::{ChatRequest, Grammar};
use serde_json::{Value, json};

use super::gbnf;
use super::native::{Asked, NativeMask};
use super::provider::{Dialect, WireFormat};
use super::rules::SchemaRules;
use crate::native_calls::NativeCalls;
use crate::traits::Known;

/// The member that holds a schema which must not be the root.
const ANSWER: &str = "answer";

/// What is sent of a grammar.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Mask {
    /// Its form in the request; `None` where the server takes no such grammar.
    pub sent: Option<Sent>,
    /// What the mask enforces: the grammar, or a wider one where the provider's rules leave parts out.
    pub judged: Option<Arc<Grammar>>,
    /// Whether the answer is within an object.
    pub wrapped: bool,
    /// Whether members that may be left out were required, and are `null` where the answer has none.
    pub filled: bool,
    /// What is sent of tools.
    pub native: Option<NativeMask>,
    /// Why nothing is sent, or what of it is not enforced.
    pub note: Option<String>,
}

/// A grammar in a server's own way.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Sent {
    /// A JSON Schema.
    Schema(Value),
    /// One of several texts (Gemini).
    Texts(Vec<String>),
    /// Member `structured_outputs` (vLLM).
    Structured(Value),
    /// Member `grammar` (llama.cpp).
    Gbnf(String),
}

impl Mask {
    /// The mask of a request.
    pub fn of(request: &ChatRequest, known: &Known, format: WireFormat, dialect: Dialect) -> Self {
        let Some(grammar) = &request.grammar else { return Self::default() };
        if let (Grammar::JsonSchema(schema), false) = (&**grammar, request.tools.is_empty()) {
            return Self::native(request, schema, known, (format, dialect)).unwrap_or_else(|why| Self::unsent(&why));
        }
        if !known.enforces(grammar.kind()) {
            return Self::unsent(&format!("this server enforces no {}", grammar.kind().words()));
        }
        let whole = |sent| Self { sent: Some(sent), judged: Some(Arc::clone(grammar)), ..Self::default() };
        match (&**grammar, format, dialect) {
            (Grammar::Choice(choices), WireFormat::Gemini, _) => whole(Sent::Texts(choices.clone())),
            (Grammar::Choice(choices), _, Dialect::Vllm) => whole(Sent::Structured(json!({ "choice": choices }))),
            (Grammar::Regex(pattern), _, Dialect::Vllm) => whole(Sent::Structured(json!({ "regex": pattern }))),
            (Grammar::Choice(choices), _, Dialect::Llamacpp) => whole(Sent::Gbnf(gbnf::choice(choices))),
            (Grammar::Regex(pattern), _, Dialect::Llamacpp) => match gbnf::regex(pattern) {
                Some(rules) => whole(Sent::Gbnf(rules)),
                None => Self::unsent("the expression cannot be written as a grammar of llama.cpp"),
            },
            (Grammar::Regex(_), ..) => Self::unsent("there is no way to send a regular expression to this server"),
            (Grammar::Choice(choices), ..) => {
                let schema = known.rules.shaped(&json!({ "type": "string", "enum": choices }));
                if schema.get("enum").is_none() {
                    return Self::unsent(&format!("{} choices are more than the provider takes", choices.len()));
                }
                Self::schema(&schema, Arc::clone(grammar), known, true)
            }
            (Grammar::JsonSchema(asked), ..) => {
                let (relaxed, schema) = (known.rules.relaxed(asked), known.rules.shaped(asked));
                let filled = relaxed != schema;
                let judged =
                    if relaxed == *asked { Arc::clone(grammar) } else { Arc::new(Grammar::JsonSchema(relaxed)) };
                Self { filled, ..Self::schema(&schema, judged, known, !known.rules.takes_as_root(&schema)) }
            }
        }
    }

    fn schema(schema: &Value, judged: Arc<Grammar>, known: &Known, wrapped: bool) -> Self {
        let sent = if wrapped {
            json!({
                "type": "object", "properties": { ANSWER: schema }, "required": [ANSWER], "additionalProperties": false,
            })
        } else {
            schema.clone()
        };
        match known.rules.broken_by(&sent).first() {
            Some(broken) => Self::unsent(&format!("the provider would not accept its schema ({broken})")),
            None => Self { sent: Some(Sent::Schema(sent)), judged: Some(judged), wrapped, ..Self::default() },
        }
    }

    /// The mask of a request that offers tools: calls are held to the schemas of the tools and texts to a schema of their own, since no
    /// provider holds a call to the schema of a text.
    fn native(
        request: &ChatRequest,
        schema: &Value,
        known: &Known,
        (format, dialect): (WireFormat, Dialect),
    ) -> Result<Self, String> {
        let asked = Asked::of(schema);
        match known.native {
            NativeCalls::None => Err("this server enforces nothing of native tool calls".to_owned()),
            NativeCalls::Forced => {
                let native = Some(NativeMask::forced(request, &asked)?);
                let note =
                    "of native tool calls this server enforces only that one is made: tool and arguments are free";
                Ok(Self { native, note: Some(note.to_owned()), ..Self::default() })
            }
            NativeCalls::Strict => {
                let text = asked.text().map(|schema| {
                    let grammar = Some(Arc::new(Grammar::JsonSchema(schema)));
                    Self::of(&ChatRequest { grammar, ..ChatRequest::default() }, known, format, dialect)
                });
                let text = text.unwrap_or_default();
                if let Some(why) = text.note {
                    return Err(why);
                }
                let sent = match &text.sent {
                    Some(Sent::Schema(schema)) => Some(schema),
                    _ => None,
                };
                let native = NativeMask::strict(request, &asked, known.rules, sent)?;
                let judged = Some(text.judged.clone().unwrap_or_else(|| native.grammar()));
                Ok(Self { native: Some(native), judged, ..text })
            }
        }
    }

    fn unsent(why: &str) -> Self {
        Self { note: Some(format!("the grammar was not sent, so the answer is a free one: {why}")), ..Self::default() }
    }

    /// The answer within its object, where there is one, without members that only say that there is nothing; as it is where it cannot be read.
    pub fn unwrapped(&self, text: String) -> String {
        if !self.wrapped && !self.filled {
            return text;
        }
        let Ok(mut answer) = serde_json::from_str::<Value>(text.trim()) else { return text };
        if self.wrapped {
            answer = match answer.as_object_mut().and_then(|members| members.remove(ANSWER)) {
                Some(Value::String(answer)) if matches!(self.judged.as_deref(), Some(Grammar::Choice(_))) => {
                    return answer;
                }
                Some(answer) => answer,
                None => return text,
            };
        }
        if let (true, Some(Grammar::JsonSchema(schema))) = (self.filled, self.judged.as_deref()) {
            SchemaRules::without_nulls(schema, &mut answer);
        }
        answer.to_string()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gimbal_core::{ChatRequest, Grammar};
    use serde_json::json;

    use super::{Mask, Sent};
    use crate::remote::{Dialect, Provider};
    use crate::traits::TraitTable;

    fn mask(name: &str, grammar: Grammar) -> Mask {
        let family = name.split('/').next().unwrap();
        let provider = Provider::ALL.into_iter().find(|provider| provider.name() == family).unwrap();
        let request = ChatRequest { grammar: Some(Arc::new(grammar)), ..ChatRequest::default() };
        Mask::of(&request, &TraitTable::built_in().of(name, None, None), provider.wire(), provider.dialect())
    }

    #[test]
    fn what_a_server_cannot_be_given_is_neither_sent_nor_judged() {
        for (name, grammar) in [
            ("openai/gpt-4o", Grammar::Regex("a+".to_owned())),
            ("anthropic/claude-haiku-4-5", Grammar::Regex("a+".to_owned())),
            ("anthropic/claude-3-haiku", Grammar::Choice(vec!["a".to_owned()])),
            ("ollama/x", Grammar::Regex("a+".to_owned())),
            ("compatible/x", Grammar::JsonSchema(json!({ "type": "object" }))),
            ("openai/gpt-4o", Grammar::JsonSchema(json!({ "type": "object" }))),
            ("openai/gpt-4o", Grammar::Choice((0..2000).map(|number| number.to_string()).collect())),
            ("llamacpp/x", Grammar::Regex(r"\bx".to_owned())),
        ] {
            let mask = mask(name, grammar);
            assert!(mask.sent.is_none() && mask.judged.is_none() && mask.note.is_some(), "{name}: {mask:?}");
        }
    }

    #[test]
    fn alternatives_at_the_root_stand_within_an_object_and_come_out_again() {
        let branch = |key: &str| {
            json!({ "type": "object", "properties": { key: { "type": "string" } }, "required": [key],
                "additionalProperties": false })
        };
        let either = json!({ "anyOf": [branch("action"), branch("tool")] });
        let sent = mask("openai/gpt-4o", Grammar::JsonSchema(either.clone()));
        let Some(Sent::Schema(schema)) = &sent.sent else { panic!("{sent:?}") };
        assert_eq!(schema["properties"]["answer"], either);
        assert_eq!(sent.unwrapped("{\"answer\": {\"tool\": \"x\"}}".to_owned()), "{\"tool\":\"x\"}");
        assert_eq!(sent.unwrapped("not JSON".to_owned()), "not JSON");
        let own = mask("vllm/x", Grammar::JsonSchema(either.clone()));
        assert_eq!((own.sent, own.wrapped), (Some(Sent::Schema(either)), false));
        let choice = mask("anthropic/claude-haiku-4-5", Grammar::Choice(vec!["Wait".to_owned(), "Go".to_owned()]));
        assert_eq!(choice.unwrapped(" {\"answer\": \"Go\"}".to_owned()), "Go");
    }

    /// OpenAI's strict mode wants every member; what may be left out is `null` there, and gone in what is read.
    #[test]
    fn a_member_that_may_be_left_out_is_sent_as_one_that_may_be_null() {
        let search = json!({ "type": "object", "required": ["query"], "additionalProperties": false, "properties": {
            "query": { "type": "string" }, "pages": { "type": "array", "items": { "type": "integer" } },
            "kind": { "type": "string", "enum": ["a", "b"] }, "until": { "type": ["integer", "null"] } } });
        let call = |name: &str, arguments: &serde_json::Value| {
            json!({ "type": "object", "required": ["tool", "arguments"], "additionalProperties": false,
                "properties": { "tool": { "type": "string", "enum": [name] }, "arguments": arguments } })
        };
        let none = json!({ "type": "object", "properties": {}, "required": [], "additionalProperties": false });
        let calls = json!({ "anyOf": [call("wait", &none), call("search", &search)] });
        let sent = mask("openai/gpt-4o", Grammar::JsonSchema(calls.clone()));
        assert_eq!((sent.note.as_deref(), sent.filled), (None, true));
        let Some(Sent::Schema(schema)) = &sent.sent else { panic!("{sent:?}") };
        let arguments = &schema["properties"]["answer"]["anyOf"][1]["properties"]["arguments"];
        assert_eq!(arguments["required"], json!(["query", "pages", "kind", "until"]));
        assert_eq!(
            arguments["properties"]["kind"],
            json!({ "anyOf": [{ "type": "string", "enum": ["a", "b"] }, { "type": "null" }] })
        );
        assert_eq!(
            *sent.judged.clone().unwrap(),
            Grammar::JsonSchema(calls.clone()),
            "nothing is asked for that was not"
        );
        let said =
            r#"{"answer": {"tool": "search", "arguments": {"query": "x", "pages": null, "kind": "a", "until": null}}}"#;
        let read = r#"{"tool":"search","arguments":{"query":"x","kind":"a","until":null}}"#;
        assert_eq!(sent.unwrapped(said.to_owned()), read);
        // Others take an object whose members may be left out.
        for name in ["anthropic/claude-haiku-4-5", "gemini/gemini-3-flash", "vllm/x"] {
            assert!(!mask(name, Grammar::JsonSchema(calls.clone())).filled, "{name}");
        }
    }

    #[test]
    fn an_answer_is_judged_by_what_was_sent() {
        let schema = json!({ "type": "object", "required": ["t"], "additionalProperties": false,
            "properties": { "t": { "type": "string", "pattern": "^a$" } } });
        let judged = |name: &str| mask(name, Grammar::JsonSchema(schema.clone())).judged.unwrap();
        assert_eq!(*judged("openai/gpt-4o"), Grammar::JsonSchema(schema.clone()));
        let Grammar::JsonSchema(wider) = &*judged("anthropic/claude-haiku-4-5") else { panic!() };
        assert_eq!(wider["properties"]["t"], json!({ "type": "string" }));
        let regex = mask("vllm/x", Grammar::Regex("a+".to_owned()));
        assert_eq!(regex.sent, Some(Sent::Structured(json!({ "regex": "a+" }))));
        assert!(matches!(mask("llamacpp/x", Grammar::Regex("a+".to_owned())).sent, Some(Sent::Gbnf(_))));
        assert_eq!(Dialect::Llamacpp.masks().len(), 3);
    }
}
