//! What is in `personas/engine.yaml`, as written: wording that every agent shares, whatever its persona.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::data::Example;
use crate::Protocol;

/// `personas/engine.yaml`: wording that every agent shares.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Gimbal: engine.yaml")]
pub struct Wording {
    /// Says that tags are structure and not to be echoed.
    pub tags_notice: String,
    /// How long texts of an action may be under constrained decoding.
    pub text_bounds: String,
    /// Instructions by protocol.
    pub protocols: Protocols,
    /// The list of tools.
    pub tools: ToolWording,
    /// Head of the knowledge.
    pub knowledge_heading: String,
    /// Before the keys of the context blocks that are explained.
    pub legend_heading: String,
    /// Head of the steps of thought.
    pub chain_of_thought_heading: String,
    /// Head of the worked examples.
    pub examples_heading: String,
    /// What an agent hears when its answer did not do.
    pub feedback: Feedback,
    /// What comes back from a tool that could not be used.
    pub observations: Observations,
    /// The deliberation tools, which every agent inherits (BOG-115).
    pub deliberation: DeliberationWording,
    /// What is said otherwise to an agent that acts many times in one conversation.
    #[serde(default)]
    pub acting: Option<ActingWording>,
    /// In the place of an answer when the turns are used up (BOG-043).
    pub no_answer: String,
}

/// Wording for an agent that acts many times in one conversation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActingWording {
    /// Before the list of its tools.
    pub tools_heading: String,
    /// After the list.
    pub tools_closing: String,
    /// An action was refused: `answer`, `message`.
    pub refused: String,
    /// Follows the result of each action: how many are `left` of the agent's `most`.
    pub actions_left: String,
    /// Before the actions that are possible.
    pub literals_heading: String,
    /// One kind of action among them whose arguments are partly open: `usage`, `name` and `values`, a list.
    pub literals_open: String,
    /// After the list where it was cut: `count`, how many more there are.
    pub literals_more: String,
}

/// Instructions by protocol.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Protocols {
    /// Lines of text.
    pub react_text: ProtocolWording,
    /// The provider's own tool calls.
    pub native_tools: ProtocolWording,
    /// One JSON object a message.
    pub json: ProtocolWording,
}

impl Protocols {
    /// The instructions of one protocol, and the key under which they stand.
    #[must_use]
    pub const fn of(&self, protocol: Protocol) -> &ProtocolWording {
        match protocol {
            Protocol::ReactText => &self.react_text,
            Protocol::NativeTools => &self.native_tools,
            Protocol::Json => &self.json,
        }
    }
}

/// Instructions of one protocol.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProtocolWording {
    /// The loop, for an agent with tools.
    pub loop_with_tools: String,
    /// The loop, for an agent without.
    pub loop_without_tools: String,
    /// Brings the persona's `answer_format`.
    pub answer_notice: String,
    /// After the list of tools: what is not a tool, above all the actions. To an agent whose answer is a message, `tools.closing`
    /// is said instead.
    pub tools_closing: String,
    /// Forbids tool syntax to an agent without tools.
    pub no_tools: String,
    /// Texts at which a reply ends.
    #[serde(default)]
    pub stop: Vec<String>,
    /// What is said otherwise to an agent whose answer is a message and no action.
    #[serde(default)]
    pub adviser: Option<AdviserWording>,
    /// What is said otherwise to an agent that acts many times in one conversation.
    #[serde(default)]
    pub acting: Option<AdviserWording>,
}

/// Instructions of a protocol to an agent whose answer is a message to another agent, or that acts many times.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdviserWording {
    /// The loop, for an agent with tools.
    pub loop_with_tools: String,
    /// The loop, for an agent without.
    pub loop_without_tools: String,
    /// Brings the persona's `answer_format`.
    pub answer_notice: String,
    /// Forbids tool syntax to an agent without tools.
    pub no_tools: String,
}

/// The deliberation tools (BOG-110..112).
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeliberationWording {
    /// A question to oneself.
    pub raise_a_question: QuestionWording,
    /// Criticism of one's own answer.
    pub critique_the_answer: ThoughtWording,
    /// What is made of the criticism.
    pub improve_based_on_critique: ImproveWording,
}

/// Wording of `raise_a_question`; the replies may use `text`, what the agent wrote, and `asks`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuestionWording {
    /// What the tool does.
    pub description: String,
    /// What replaces the input where the call is shown.
    pub input: String,
    /// The reply.
    pub reply: String,
    /// The reply when no question is left (BOG-117).
    pub over_budget: String,
    /// Worked examples, shown with `add_tool_examples` (BOG-055).
    #[serde(default)]
    pub examples: Vec<Example>,
}

/// Wording of `critique_the_answer`; the reply may use `text` and `asks`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ThoughtWording {
    /// What the tool does.
    pub description: String,
    /// What replaces the input where the call is shown.
    pub input: String,
    /// The reply.
    pub reply: String,
    /// Worked examples, shown with `add_tool_examples` (BOG-055).
    #[serde(default)]
    pub examples: Vec<Example>,
}

/// Wording of `improve_based_on_critique`; the replies may use `text` and `asks`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImproveWording {
    /// What the tool does.
    pub description: String,
    /// What replaces the input where the call is shown.
    pub input: String,
    /// The reply with `improve_reply: final_answer`.
    pub final_answer: String,
    /// The reply with `improve_reply: improved_thought`.
    pub improved_thought: String,
    /// Worked examples, shown with `add_tool_examples` (BOG-055).
    #[serde(default)]
    pub examples: Vec<Example>,
}

/// The list of tools.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolWording {
    /// Before the list.
    pub heading: String,
    /// One tool: `name`, `example`, `description`.
    pub entry: String,
    /// Added to a critical tool (BOG-056).
    pub critical: String,
    /// After the list, to an agent whose answer is a message.
    pub closing: String,
}

/// What an agent hears when its answer did not do: `attempt`, `max_attempts`, `answer`, `message`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Feedback {
    /// The answer is not a legal action.
    pub rejected: String,
    /// Instead of `message`, where the answer still holds a placeholder of a usage: `placeholder`, `actions`.
    pub placeholder: String,
    /// The model refused.
    pub refusal: String,
    /// The output bound was reached.
    pub truncated: String,
    /// The shape was missed: `required_form` is what the system prompt says of it.
    pub bad_shape: String,
    /// The `required_form` of an agent that calls its actions natively.
    pub native_form: String,
}

/// What comes back from a tool that could not be used: `tool`, `tools`, `message`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Observations {
    /// No tool has this name.
    pub unknown_tool: String,
    /// The agent has no tools at all.
    pub no_tools: String,
    /// The tool reported an error (BOG-044).
    pub failed: String,
    /// A tool was called where the answer was due (BOG-056).
    pub answer_now: String,
    /// A native call beside the one that the message is judged by.
    pub not_used: String,
    /// Follows the result of a tool after which one turn is left (BOG-043).
    pub last_turn: String,
}
