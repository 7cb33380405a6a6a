//! Who serves remote models, and where.

use gimbal_core::GrammarKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rules::SchemaRules;
use crate::native_calls::NativeCalls;

/// Who serves a remote model: the family of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Provider {
    /// OpenAI.
    OpenAi,
    /// OpenRouter.
    OpenRouter,
    /// Anthropic.
    Anthropic,
    /// Google Gemini.
    Gemini,
    /// A vLLM server.
    Vllm,
    /// An Ollama server.
    Ollama,
    /// llama.cpp's server.
    LlamaCpp,
    /// Any other server that speaks OpenAI's chat completions.
    Compatible,
}

/// The form of requests and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WireFormat {
    /// OpenAI's chat completions.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Gemini's generateContent.
    Gemini,
}

/// How a grammar is sent to a server of OpenAI's wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// `response_format` for JSON Schema in OpenAI's strict subset; a choice is sent as a schema; no expressions.
    Openai,
    /// `response_format` for any JSON Schema; a choice is sent as a schema; no expressions.
    Schema,
    /// As `schema`, and `structured_outputs` for choices and expressions (vLLM).
    Vllm,
    /// As `schema`, and `grammar` for choices and expressions (llama.cpp's server).
    Llamacpp,
    /// No grammar is sent, and none is demanded of answers.
    None,
}

impl Dialect {
    /// The kinds of grammars that such a server enforces.
    #[must_use]
    pub const fn masks(self) -> &'static [GrammarKind] {
        match self {
            Self::Openai | Self::Schema => &[GrammarKind::Schema, GrammarKind::Choice],
            Self::Vllm | Self::Llamacpp => &[GrammarKind::Schema, GrammarKind::Choice, GrammarKind::Regex],
            Self::None => &[],
        }
    }

    /// What such a server enforces of native tool calls.
    #[must_use]
    pub const fn native(self) -> NativeCalls {
        if matches!(self, Self::Openai) { NativeCalls::Strict } else { NativeCalls::None }
    }

    /// What a JSON Schema must be for such a server.
    #[must_use]
    pub const fn rules(self) -> SchemaRules {
        if matches!(self, Self::Openai) { SchemaRules::Openai } else { SchemaRules::Any }
    }
}

impl Provider {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::OpenAi,
        Self::OpenRouter,
        Self::Anthropic,
        Self::Gemini,
        Self::Vllm,
        Self::Ollama,
        Self::LlamaCpp,
        Self::Compatible,
    ];

    /// The family in a model's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::OpenRouter => "openrouter",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Vllm => "vllm",
            Self::Ollama => "ollama",
            Self::LlamaCpp => "llamacpp",
            Self::Compatible => "compatible",
        }
    }

    /// The form of its requests and answers.
    #[must_use]
    pub const fn wire(self) -> WireFormat {
        match self {
            Self::Anthropic => WireFormat::Anthropic,
            Self::Gemini => WireFormat::Gemini,
            _ => WireFormat::OpenAi,
        }
    }

    /// How a grammar is sent.
    #[must_use]
    pub const fn dialect(self) -> Dialect {
        match self {
            Self::OpenAi | Self::OpenRouter => Dialect::Openai,
            Self::Ollama | Self::Compatible => Dialect::Schema,
            Self::Vllm => Dialect::Vllm,
            Self::LlamaCpp => Dialect::Llamacpp,
            // These two have a way of their own, which the wire format knows.
            Self::Anthropic | Self::Gemini => Dialect::None,
        }
    }

    /// Whether the bound of the output holds for hidden reasoning too. Behind the others may be any server.
    #[must_use]
    pub const fn bounds_reasoning(self) -> bool {
        !matches!(self, Self::OpenRouter | Self::Compatible)
    }

    /// The environment variable of its key.
    #[must_use]
    pub const fn key_variable(self) -> &'static str {
        match self {
            Self::OpenAi => "OPENAI_API_KEY",
            Self::OpenRouter => "OPENROUTER_API_KEY",
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::Gemini => "GEMINI_API_KEY",
            Self::Vllm => "VLLM_API_KEY",
            Self::Ollama => "OLLAMA_API_KEY",
            Self::LlamaCpp => "LLAMACPP_API_KEY",
            Self::Compatible => "COMPATIBLE_API_KEY",
        }
    }

    /// Whether the process's environment has a key for it; an empty one is none.
    #[must_use]
    pub fn is_key_set(self) -> bool {
        std::env::var_os(self.key_variable()).is_some_and(|value| !value.is_empty())
    }

    /// Whether it answers without a key: servers of one's own do.
    #[must_use]
    pub const fn needs_key(self) -> bool {
        matches!(self, Self::OpenAi | Self::OpenRouter | Self::Anthropic | Self::Gemini)
    }

    /// The environment variable that sets its base address.
    #[must_use]
    pub const fn base_variable(self) -> &'static str {
        match self {
            Self::OpenAi => "OPENAI_BASE_URL",
            Self::OpenRouter => "OPENROUTER_BASE_URL",
            Self::Anthropic => "ANTHROPIC_BASE_URL",
            Self::Gemini => "GEMINI_BASE_URL",
            Self::Vllm => "VLLM_BASE_URL",
            Self::Ollama => "OLLAMA_BASE_URL",
            Self::LlamaCpp => "LLAMACPP_BASE_URL",
            Self::Compatible => "COMPATIBLE_BASE_URL",
        }
    }

    /// Its published or customary base address.
    #[must_use]
    pub const fn base(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("https://api.openai.com/v1"),
            Self::OpenRouter => Some("https://openrouter.ai/api/v1"),
            Self::Anthropic => Some("https://api.anthropic.com/v1"),
            Self::Gemini => Some("https://generativelanguage.googleapis.com/v1beta"),
            Self::Vllm => Some("http://localhost:8000/v1"),
            Self::Ollama => Some("http://localhost:11434/v1"),
            Self::LlamaCpp => Some("http://localhost:8080/v1"),
            Self::Compatible => None,
        }
    }
}
