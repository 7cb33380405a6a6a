//! What is asked of a model: the conversation, tools, a shape, settings.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::grammar::Grammar;
use super::message::Message;
use crate::{Digest, Milli, ToolSpec};

/// Decoding settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sampling {
    /// Temperature in thousandths; 0 is greedy (BOG-045).
    pub temperature: Milli,
    /// Nucleus mass in thousandths; none leaves the provider's default.
    pub top_p: Option<Milli>,
    /// Upper bound of the output, in tokens.
    pub max_output_tokens: u32,
    /// Seed, where the provider takes one.
    pub seed: Option<u64>,
    /// Further settings of the provider.
    #[serde(skip_serializing_if = "ProviderSettings::is_default")]
    pub provider: ProviderSettings,
}

/// What a role sends to its provider in addition to the usual settings. It decides answers, so it is in the key of an episode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProviderSettings {
    /// Whether stop texts are sent; none sends them to models that take them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<bool>,
    /// How much a reasoning model should think, in the provider's words: `low`, `high`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<String>,
    /// Members of the request's body that go over what would be written otherwise.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub extra_body: serde_json::Map<String, Value>,
    /// Headers of the request; never keys.
    #[serde(skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub extra_headers: std::collections::BTreeMap<String, String>,
}

impl ProviderSettings {
    /// Whether nothing is set.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Default for Sampling {
    /// Greedy with at most 1,024 tokens of output.
    fn default() -> Self {
        Self {
            temperature: Milli::ZERO,
            top_p: None,
            max_output_tokens: 1024,
            seed: None,
            provider: ProviderSettings::default(),
        }
    }
}

/// What is asked of a model.
#[derive(Clone, Debug, Default)]
pub struct ChatRequest {
    /// The conversation so far.
    pub messages: Vec<Arc<Message>>,
    /// Tools that the model may call natively.
    pub tools: Arc<[ToolSpec]>,
    /// The shape that the completion must have.
    pub grammar: Option<Arc<Grammar>>,
    /// Texts at which the completion ends (not part of it).
    pub stop: Vec<String>,
    /// Decoding settings.
    pub sampling: Sampling,
}

impl ChatRequest {
    /// Hash of the request: of everything that a provider would see.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut parts: Vec<Vec<u8>> = self.messages.iter().map(|message| message.digest().0.to_vec()).collect();
        let value = serde_json::json!({
            "grammar": self.grammar.as_deref(), "sampling": self.sampling, "stop": self.stop, "tools": &*self.tools,
        });
        parts.push(crate::canonical::text(&value).into_bytes());
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        Digest::of_parts(&parts)
    }
}
