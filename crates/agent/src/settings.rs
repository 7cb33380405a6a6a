//! Settings of an agent: those of its persona, some of them overridden by a study.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::persona::data::ImproveReply;
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
    /// Questions that the agent may raise for one answer (BOG-117).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question_budget: Option<u32>,
    /// What the tool of improvement asks for (BOG-R08).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub improve_reply: Option<ImproveReply>,
    /// Switches (BOG-053).
    pub flags: Flags,
}

impl Overrides {
    /// These overrides with those of `over` before them.
    #[must_use]
    pub fn with(&self, over: &Self) -> Self {
        Self {
            protocol: over.protocol.or(self.protocol),
            max_attempts: over.max_attempts.or(self.max_attempts),
            turns: over.turns.or(self.turns),
            context_guard_tokens: over.context_guard_tokens.or(self.context_guard_tokens),
            thought_characters: over.thought_characters.or(self.thought_characters),
            legal_cap: over.legal_cap.or(self.legal_cap),
            question_budget: over.question_budget.or(self.question_budget),
            improve_reply: over.improve_reply.or(self.improve_reply),
            flags: self.flags.with(&over.flags),
        }
    }
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
    /// Rules about what a confidence means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_calibration: Option<bool>,
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
    /// The values that calls may carry, told to an agent that acts many times in one conversation (CYC-036).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list_literals: Option<bool>,
}

impl Flags {
    fn with(&self, over: &Self) -> Self {
        Self {
            include_tool_raise_a_question: over.include_tool_raise_a_question.or(self.include_tool_raise_a_question),
            include_tool_critique_the_answer: over
                .include_tool_critique_the_answer
                .or(self.include_tool_critique_the_answer),
            include_tool_improve_based_on_critique: over
                .include_tool_improve_based_on_critique
                .or(self.include_tool_improve_based_on_critique),
            include_cot_instruction: over.include_cot_instruction.or(self.include_cot_instruction),
            include_calibration: over.include_calibration.or(self.include_calibration),
            add_examples: over.add_examples.or(self.add_examples),
            add_reflection_examples: over.add_reflection_examples.or(self.add_reflection_examples),
            add_tool_examples: over.add_tool_examples.or(self.add_tool_examples),
            inject_action_list: over.inject_action_list.or(self.inject_action_list),
            list_literals: over.list_literals.or(self.list_literals),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_on(switch: &bool) -> bool {
    *switch
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
    /// Questions that the agent may raise for one answer.
    pub question_budget: u32,
    /// What the tool of improvement asks for.
    pub improve_reply: ImproveReply,
    /// The tool that raises a question (BOG-110).
    pub include_tool_raise_a_question: bool,
    /// The tool that criticises an answer (BOG-111).
    pub include_tool_critique_the_answer: bool,
    /// The tool that improves on criticism (BOG-112).
    pub include_tool_improve_based_on_critique: bool,
    /// Chain of thought in the system prompt (BOG-113).
    #[serde(rename = "include_COT_instruction")]
    pub include_cot_instruction: bool,
    /// Rules about what a confidence means; written where it is off.
    #[serde(skip_serializing_if = "is_on")]
    pub include_calibration: bool,
    /// Worked examples of `examples.yaml`.
    pub add_examples: bool,
    /// Worked examples of `reflection_examples.yaml`.
    pub add_reflection_examples: bool,
    /// Worked examples of tools.
    pub add_tool_examples: bool,
    /// The list of legal actions in the system prompt.
    pub inject_action_list: bool,
    /// Of an agent that acts many times in one conversation; none of one that acts once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acting: Option<Acting>,
}

/// Settings of an agent that acts many times in one conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Acting {
    /// Whether it is told the values that its calls may carry (CYC-036).
    pub list_literals: bool,
}

/// Settings that cannot be.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SettingsError {
    /// A number is nought.
    #[error("`{0}` must be at least 1")]
    Nought(&'static str),
    /// The persona answers with another message than its partners read.
    #[error("the persona `{persona}` answers {is}, and must answer {must} here")]
    Message {
        /// The persona.
        persona: String,
        /// What it answers with.
        is: String,
        /// What it must answer with.
        must: String,
    },
    /// A tool asks an agent that is not there.
    #[error(
        "the persona `{persona}` has the tool `{tool}`, which asks another agent{hint}; {there}. Take the tool out of its \
         `core.yaml`, or play it in an architecture that has such an agent"
    )]
    Delegate {
        /// The persona.
        persona: String,
        /// Generic name of the tool.
        tool: String,
        /// `; did you mean ...?`, or nothing.
        hint: String,
        /// Which there are.
        there: String,
    },
}

impl SettingsError {
    /// The setting at fault.
    #[must_use]
    pub const fn key(&self) -> &'static str {
        match self {
            Self::Nought(key) => key,
            Self::Message { .. } | Self::Delegate { .. } => "persona",
        }
    }
}

impl Acting {
    /// The settings of `persona` with `overrides`.
    pub(crate) fn of(persona: &Persona, overrides: &Overrides) -> Self {
        Self { list_literals: overrides.flags.list_literals.unwrap_or(persona.core.list_literals) }
    }
}

impl Settings {
    /// Every switch on: what can be rendered at all is rendered with these.
    pub(crate) const fn everything() -> Self {
        Self {
            protocol: Protocol::ReactText,
            max_attempts: 1,
            turns: 1,
            context_guard_tokens: 0,
            thought_characters: 0,
            legal_cap: 1,
            question_budget: 1,
            improve_reply: ImproveReply::FinalAnswer,
            include_tool_raise_a_question: true,
            include_tool_critique_the_answer: true,
            include_tool_improve_based_on_critique: true,
            include_cot_instruction: true,
            include_calibration: true,
            add_examples: true,
            add_reflection_examples: true,
            add_tool_examples: true,
            inject_action_list: true,
            acting: None,
        }
    }

    /// The settings of `persona` with `overrides`.
    ///
    /// # Errors
    /// When a number is nought, or a switch asks for what does not exist.
    pub fn of(persona: &Persona, overrides: &Overrides) -> Result<Self, SettingsError> {
        let (core, flags) = (&persona.core, &overrides.flags);
        let settings = Self {
            protocol: overrides.protocol.unwrap_or(core.protocol),
            max_attempts: overrides.max_attempts.unwrap_or(core.max_attempts),
            turns: overrides.turns.unwrap_or(core.turns),
            context_guard_tokens: overrides.context_guard_tokens.unwrap_or(core.context_guard_tokens),
            thought_characters: overrides.thought_characters.unwrap_or(core.thought_characters),
            legal_cap: overrides.legal_cap.unwrap_or(core.legal_cap),
            question_budget: overrides.question_budget.unwrap_or(core.question_budget),
            improve_reply: overrides.improve_reply.unwrap_or(core.improve_reply),
            include_tool_raise_a_question: flags
                .include_tool_raise_a_question
                .unwrap_or(core.include_tool_raise_a_question),
            include_tool_critique_the_answer: flags
                .include_tool_critique_the_answer
                .unwrap_or(core.include_tool_critique_the_answer),
            include_tool_improve_based_on_critique: flags
                .include_tool_improve_based_on_critique
                .unwrap_or(core.include_tool_improve_based_on_critique),
            include_cot_instruction: flags.include_cot_instruction.unwrap_or(core.include_cot_instruction),
            include_calibration: flags.include_calibration.unwrap_or(core.include_calibration),
            add_examples: flags.add_examples.unwrap_or(core.add_examples),
            add_reflection_examples: flags.add_reflection_examples.unwrap_or(core.add_reflection_examples),
            add_tool_examples: flags.add_tool_examples.unwrap_or(core.add_tool_examples),
            inject_action_list: flags.inject_action_list.unwrap_or(core.inject_action_list),
            acting: core.gives_back().then(|| Acting::of(persona, overrides)),
        };
        let numbers =
            [("max_attempts", settings.max_attempts), ("turns", settings.turns), ("legal_cap", settings.legal_cap)];
        match numbers.into_iter().find(|(_, value)| *value == 0) {
            Some((name, _)) => Err(SettingsError::Nought(name)),
            None => Ok(settings),
        }
    }
}
