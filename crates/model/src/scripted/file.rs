//! Scripts as they are written in YAML.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_saphyr::Spanned;

/// A script: rules that are tried in their order; the first that holds answers.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScriptFile {
    /// What the script is for.
    #[serde(default)]
    #[expect(dead_code, reason = "read by people and editors only")]
    pub description: Option<String>,
    /// The rules.
    #[schemars(with = "Vec<RuleFile>")]
    pub rules: Vec<Spanned<RuleFile>>,
}

/// A rule: when it holds, and what it answers (one of `say`, `calls`, `pick`, `fail`; `say` may be used together with `calls`).
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuleFile {
    /// When the rule holds; always, if left out.
    #[serde(default)]
    pub when: WhenFile,
    /// The answer, or several that take turns by the number of the call. `$1` and `${name}` are groups of the
    /// regular expression in `when`, `$$` for a dollar sign.
    #[serde(default)]
    pub say: Option<Texts>,
    /// Native tool calls to make.
    #[serde(default)]
    pub calls: Vec<CallFile>,
    /// Takes what the grammar of the request allows; the rule does not hold where there is none.
    #[serde(default)]
    pub pick: Option<Pick>,
    /// Fails instead of answering: `timeout`, `refusal`, `truncated`, `rate_limited`, ...
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub fail: Option<gimbal_core::ModelErrorKind>,
}

/// Conditions that must all hold.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct WhenFile {
    /// A regular expression that is found in the last user message.
    #[schemars(with = "Option<String>")]
    pub last: Option<Spanned<String>>,
    /// A regular expression that is found in any message.
    #[schemars(with = "Option<String>")]
    pub any: Option<Spanned<String>>,
    /// Numbers of the call within its role, from 0.
    pub call: Option<Numbers>,
}

/// A native tool call.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallFile {
    /// Name of the tool.
    pub tool: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: std::collections::BTreeMap<String, Value>,
}

/// Which of the allowed answers is taken.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Pick {
    /// The first.
    First,
}

/// One text or several.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "the variants describe the schema")]
enum TextsForm {
    One(String),
    Several(Vec<String>),
}

/// One text, or several that take turns.
#[derive(Debug, JsonSchema)]
#[schemars(transparent)]
pub(crate) struct Texts(#[schemars(with = "TextsForm")] pub Vec<String>);

/// One number or several.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "the variants describe the schema")]
enum NumbersForm {
    One(u64),
    Several(Vec<u64>),
}

/// One number, or several.
#[derive(Debug, JsonSchema)]
#[schemars(transparent)]
pub(crate) struct Numbers(#[schemars(with = "NumbersForm")] pub Vec<u64>);

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Vec<String>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, or a list of texts")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(vec![text.to_owned()])
            }

            fn visit_bool<E: serde::de::Error>(self, _: bool) -> Result<Self::Value, E> {
                Err(E::custom("YAML reads this word as true or false: write the text in quotes"))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                let mut texts = Vec::new();
                while let Some(text) = items.next_element()? {
                    texts.push(text);
                }
                Ok(texts)
            }
        }
        deserializer.deserialize_any(Reader).map(Self)
    }
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Vec<u64>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the number of a call, from 0, or a list of such numbers")
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Self::Value, E> {
                Ok(vec![number])
            }

            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Self::Value, E> {
                u64::try_from(number)
                    .map(|number| vec![number])
                    .map_err(|_| E::invalid_value(serde::de::Unexpected::Signed(number), &self))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                let mut numbers = Vec::new();
                while let Some(number) = items.next_element()? {
                    numbers.push(number);
                }
                Ok(numbers)
            }
        }
        deserializer.deserialize_any(Reader).map(Self)
    }
}
