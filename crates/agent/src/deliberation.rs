//! The deliberation tools (BOG-110..118): an agent questions itself, criticises its answer, improves on the criticism.
//!
//! They answer with words that ask the agent to go on thinking; no model is asked and nothing outlives the answer that
//! the agent is working on (BOG-116). That criticism comes after a question and improvement after criticism is said in
//! their descriptions and not enforced (BOG-118).

use gimbal_core::ToolSpec;

use crate::persona::data::ImproveReply;
use crate::persona::{DeliberationTexts, Sourced};
use crate::protocol::{Input, plain};
use crate::{Persona, Settings};

/// One of the three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Deliberation {
    /// `raise_a_question` (BOG-110).
    Question,
    /// `critique_the_answer` (BOG-111).
    Critique,
    /// `improve_based_on_critique` (BOG-112).
    Improve,
}

impl Deliberation {
    /// All, in the order of their use.
    pub const ALL: [Self; 3] = [Self::Question, Self::Critique, Self::Improve];

    /// The name under which it is offered.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Question => "raise_a_question",
            Self::Critique => "critique_the_answer",
            Self::Improve => "improve_based_on_critique",
        }
    }

    /// Whether the settings offer it.
    #[must_use]
    pub const fn is_on(self, settings: &Settings) -> bool {
        match self {
            Self::Question => settings.include_tool_raise_a_question,
            Self::Critique => settings.include_tool_critique_the_answer,
            Self::Improve => settings.include_tool_improve_based_on_critique,
        }
    }

    const fn parameter(self) -> &'static str {
        match self {
            Self::Question => "question",
            Self::Critique => "answer",
            Self::Improve => "revised_answer",
        }
    }

    /// The specification for native calls; its description is filled in with the persona's text.
    pub(crate) fn spec(self, persona: &Persona) -> ToolSpec {
        let wording = &persona.wording.deliberation;
        let input = match self {
            Self::Question => &wording.raise_a_question.input,
            Self::Critique => &wording.critique_the_answer.input,
            Self::Improve => &wording.improve_based_on_critique.input,
        };
        ToolSpec::of_strings(self.name(), "", &[(self.parameter(), input.trim_end())])
    }

    pub(crate) const fn texts(self, persona: &Persona) -> &DeliberationTexts {
        let [question, critique, improve] = &persona.texts.engine.deliberation;
        match self {
            Self::Question => question,
            Self::Critique => critique,
            Self::Improve => improve,
        }
    }

    /// The text of the reply to the use number `used` (from 0) of this tool for the answer at hand, and whether it is over
    /// the budget.
    pub(crate) fn reply<'a>(self, persona: &'a Persona, settings: &Settings, used: u32) -> (&'a Sourced, bool) {
        let texts = self.texts(persona);
        match self {
            Self::Question if used >= settings.question_budget => (texts.other.as_ref().unwrap_or(&texts.reply), true),
            Self::Improve if settings.improve_reply == ImproveReply::ImprovedThought => {
                (texts.other.as_ref().unwrap_or(&texts.reply), false)
            }
            _ => (&texts.reply, false),
        }
    }

    /// What the agent wrote: the text, or the parameter of the tool, or the only text among the arguments.
    pub(crate) fn input(self, input: &Input) -> String {
        let of = |arguments: &serde_json::Map<String, serde_json::Value>| {
            let named = arguments.get(self.parameter());
            named.or_else(|| arguments.values().find(|value| value.is_string())).map(plain).unwrap_or_default()
        };
        match input {
            Input::Arguments(arguments) | Input::Beside(arguments) => of(arguments),
            Input::Text(text) => match serde_json::from_str(text) {
                Ok(serde_json::Value::Object(arguments)) => of(&arguments),
                _ => text.trim().to_owned(),
            },
        }
    }
}
