//! Settings of an agent: those of its persona, some of them overridden by a study.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Persona, Protocol};

/// What a study may override of a persona; what is left out stays as the persona says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Overrides {
    /// How the agent answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<Protocol>,
    /// Answers for one step, the first included (BOG-033).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_attempts: Option<u32>,
    /// Model calls for one answer (BOG-043).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub turns: Option<u32>,
    /// Prompt tokens above which the oldest exchange is dropped (BOG-046).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_guard_tokens: Option<u64>,
    /// Longest thought under constrained decoding, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thought_characters: Option<u32>,
    /// How many legal actions a grammar, a hint or a list of actions may hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub legal_cap: Option<u32>,
    /// Switches (BOG-053).
    pub flags: Flags,
}

/// Switches of a persona that a study may set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Flags {
    /// Deliberation: question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_tool_raise_a_question: Option<bool>,
    /// Deliberation: critique.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_tool_critique_the_answer: Option<bool>,
    /// Deliberation: improvement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_tool_improve_based_on_critique: Option<bool>,
    /// Chain of thought in the system prompt (BOG-113).
    #[serde(rename = "include_COT_instruction", skip_serializing_if = "Option::is_none")]
    pub include_cot_instruction: Option<bool>,
    /// Worked examples of `examples.yaml`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub add_examples: Option<bool>,
    /// Worked examples of `reflection_examples.yaml`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub add_reflection_examples: Option<bool>,
    /// Worked examples of tools (BOG-R07).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub add_tool_examples: Option<bool>,
    /// The list of legal actions in the system prompt (BOG-R09).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inject_action_list: Option<bool>,
}

/// Settings with everything decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Settings {
    /// How the agent answers.
    pub protocol: Protocol,
    /// Answers for one step, the first included.
    pub max_attempts: u32,
    /// Model calls for one answer.
    pub turns: u32,
    /// Prompt tokens above which the oldest exchange is dropped.
    pub context_guard_tokens: u64,
    /// Longest thought under constrained decoding, in characters.
    pub thought_characters: u32,
    /// How many legal actions a grammar, a hint or a list of actions may hold.
    pub legal_cap: u32,
    /// Chain of thought in the system prompt.
    #[serde(rename = "include_COT_instruction")]
    pub include_cot_instruction: bool,
    /// Worked examples of `examples.yaml`.
    pub add_examples: bool,
    /// Worked examples of `reflection_examples.yaml`.
    pub add_reflection_examples: bool,
    /// Worked examples of tools.
    pub add_tool_examples: bool,
    /// The list of legal actions in the system prompt.
    pub inject_action_list: bool,
}

/// Settings that cannot be.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SettingsError {
    /// A number is nought.
    #[error("`{0}` must be at least 1")]
    Nought(&'static str),
    /// A deliberation tool is switched on.
    #[error("`{0}` is on, but this version has no deliberation tools; set it to false")]
    Deliberation(&'static str),
}

impl Settings {
    /// The settings of `persona` with `overrides`.
    ///
    /// # Errors
    /// When a number is nought, or a switch asks for what does not exist.
    pub fn of(persona: &Persona, overrides: &Overrides) -> Result<Self, SettingsError> {
        let (core, flags) = (&persona.core, &overrides.flags);
        let deliberation = [
            (
                "include_tool_raise_a_question",
                flags.include_tool_raise_a_question.unwrap_or(core.include_tool_raise_a_question),
            ),
            (
                "include_tool_critique_the_answer",
                flags.include_tool_critique_the_answer.unwrap_or(core.include_tool_critique_the_answer),
            ),
            (
                "include_tool_improve_based_on_critique",
                flags.include_tool_improve_based_on_critique.unwrap_or(core.include_tool_improve_based_on_critique),
            ),
        ];
        if let Some((flag, _)) = deliberation.into_iter().find(|(_, on)| *on) {
            return Err(SettingsError::Deliberation(flag));
        }
        let settings = Self {
            protocol: overrides.protocol.unwrap_or(core.protocol),
            max_attempts: overrides.max_attempts.unwrap_or(core.max_attempts),
            turns: overrides.turns.unwrap_or(core.turns),
            context_guard_tokens: overrides.context_guard_tokens.unwrap_or(core.context_guard_tokens),
            thought_characters: overrides.thought_characters.unwrap_or(core.thought_characters),
            legal_cap: overrides.legal_cap.unwrap_or(core.legal_cap),
            include_cot_instruction: flags.include_cot_instruction.unwrap_or(core.include_cot_instruction),
            add_examples: flags.add_examples.unwrap_or(core.add_examples),
            add_reflection_examples: flags.add_reflection_examples.unwrap_or(core.add_reflection_examples),
            add_tool_examples: flags.add_tool_examples.unwrap_or(core.add_tool_examples),
            inject_action_list: flags.inject_action_list.unwrap_or(core.inject_action_list),
        };
        let numbers =
            [("max_attempts", settings.max_attempts), ("turns", settings.turns), ("legal_cap", settings.legal_cap)];
        match numbers.into_iter().find(|(_, value)| *value == 0) {
            Some((name, _)) => Err(SettingsError::Nought(name)),
            None => Ok(settings),
        }
    }
}
