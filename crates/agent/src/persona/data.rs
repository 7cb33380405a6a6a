//! What is in the files of a persona, as written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Protocol;

/// The tool by which an agent that works on a subtask gives control back (CYC-016), by generic name.
pub const FINISH: &str = "finish_subtask";

/// `personas/<name>/core.yaml`: who the agent is and how it works (BOG-050).
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Gimbal persona: core.yaml")]
pub struct Core {
    /// Identity: the first part of the system prompt. A template.
    pub system_message: String,
    /// What the final answer must be, as the end of the sentence "It must be ...". A template.
    pub answer_format: String,
    /// Rules, each a template.
    #[serde(default)]
    pub rules: Vec<String>,
    /// Rules about what a confidence means, shown after the others when `include_calibration` is on. Each is a template.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calibration: Vec<String>,
    /// Steps of thought, shown when `include_COT_instruction` is on (BOG-113). A template.
    #[serde(default, rename = "COT_instruction")]
    pub cot_instruction: String,
    /// How the agent answers.
    #[serde(default)]
    pub protocol: Protocol,
    /// Tools beside the actions of the environment.
    #[serde(default)]
    pub tools: Vec<ToolUse>,
    /// Name of the message that the agent answers with in the place of an action (BOG-072).
    #[serde(default)]
    pub contract: Option<String>,
    /// What is said when an answer is not the message that it should be: one more call, which is counted (BOG-070).
    #[serde(default)]
    pub repair: Option<Repair>,
    /// Questions that the agent may raise for one answer (BOG-117).
    #[serde(default = "three")]
    pub question_budget: u32,
    /// What the tool of improvement asks for (BOG-R08).
    #[serde(default)]
    pub improve_reply: ImproveReply,
    /// Switches.
    #[serde(default)]
    pub include_tool_raise_a_question: bool,
    /// Whether the agent may criticise its own reasoning by a tool.
    #[serde(default)]
    pub include_tool_critique_the_answer: bool,
    /// Whether the agent may improve its reasoning by a tool.
    #[serde(default)]
    pub include_tool_improve_based_on_critique: bool,
    /// Whether the system prompt holds `COT_instruction`.
    #[serde(default, rename = "include_COT_instruction")]
    pub include_cot_instruction: bool,
    /// Whether the system prompt holds the rules of `calibration`.
    #[serde(default = "yes", skip_serializing_if = "is_on")]
    pub include_calibration: bool,
    /// Whether the system prompt holds the worked examples of `examples.yaml`.
    #[serde(default)]
    pub add_examples: bool,
    /// Whether the system prompt holds the worked examples of `reflection_examples.yaml`.
    #[serde(default = "yes")]
    pub add_reflection_examples: bool,
    /// Whether tools show their own worked examples (BOG-R07).
    #[serde(default)]
    pub add_tool_examples: bool,
    /// Whether the system prompt lists every legal action (BOG-R09).
    #[serde(default)]
    pub inject_action_list: bool,
    /// Whether an agent that acts many times in one conversation is told the values that its calls may carry (CYC-036).
    #[serde(default = "yes")]
    pub list_literals: bool,
    /// Model calls for one answer (BOG-043).
    #[serde(default = "ten")]
    #[schemars(range(min = 1))]
    pub turns: u32,
    /// Answers for one step, the first included (BOG-033).
    #[serde(default = "three")]
    #[schemars(range(min = 1))]
    pub max_attempts: u32,
    /// Prompt tokens above which the oldest exchange is dropped (BOG-046).
    #[serde(default = "hundred_thousand")]
    pub context_guard_tokens: u64,
    /// Longest thought under constrained decoding, in characters.
    #[serde(default = "two_hundred")]
    pub thought_characters: u32,
    /// How many legal actions a grammar, a hint or a list of actions may hold.
    #[serde(default = "five_hundred_and_twelve")]
    #[schemars(range(min = 1))]
    pub legal_cap: u32,
}

impl Core {
    /// Whether the agent is asked about something: as an adviser, or for a subtask. Its prompt may then use `target` and
    /// `message`.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.contract.is_some() || self.gives_back()
    }

    /// Whether the agent works on a subtask and gives control back.
    #[must_use]
    pub fn gives_back(&self) -> bool {
        self.tools.iter().any(|tool| tool.delegate.as_deref() == Some(FINISH))
    }
}

const fn yes() -> bool {
    true
}
/// A switch that is on by default is not in the hash of a persona that leaves it on.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_on(switch: &bool) -> bool {
    *switch
}
const fn ten() -> u32 {
    10
}
const fn three() -> u32 {
    3
}
const fn hundred_thousand() -> u64 {
    100_000
}
const fn two_hundred() -> u32 {
    200
}
const fn five_hundred_and_twelve() -> u32 {
    512
}

/// A call that asks for a message again, in the right form.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Repair {
    /// System message. A template.
    pub system: String,
    /// What the user says: a template that may use `answer`, the message as it was written with what is wrong with it, and
    /// `message`, what the agent was asked.
    pub user: String,
}

/// What the tool of improvement asks for (BOG-R08).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImproveReply {
    /// The final answer, at once.
    #[default]
    FinalAnswer,
    /// A better thought, from which the work goes on.
    ImprovedThought,
}

/// A tool that a persona may use: `query` or `delegate`, one of the two.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolUse {
    /// Generic name of a read-only query of the tracker, e.g. `subject_state`.
    #[serde(default)]
    pub query: Option<String>,
    /// Generic name of a tool that asks another agent, e.g. `analyse_subject`.
    #[serde(default)]
    pub delegate: Option<String>,
    /// What it does; by default in the words of the tracker. A template.
    #[serde(default)]
    pub description: Option<String>,
    /// How a call is written; by default made from the parameters. A template.
    #[serde(default)]
    pub example: Option<String>,
    /// Whether the answer must follow its result (BOG-056).
    #[serde(default)]
    pub critical: bool,
    /// Worked examples, shown with `add_tool_examples`.
    #[serde(default)]
    pub examples: Vec<Example>,
}

/// A worked example of a tool: a case in which it is used, or one in which it is not (BOG-055). It is shown in the form of
/// the agent's protocol. All texts are templates.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// What the example shows.
    pub case: String,
    /// What the agent thinks.
    pub thought: String,
    /// What the agent gives to the tool; it answers at once where this is left out.
    #[serde(default)]
    pub input: Option<String>,
}

impl ToolUse {
    /// The generic name, whichever kind of tool it is.
    #[must_use]
    pub fn generic(&self) -> &str {
        self.query.as_deref().or(self.delegate.as_deref()).unwrap_or_default()
    }
}

/// `personas/<name>/prompt.yaml`: what the user says in every step (BOG-061).
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Gimbal persona: prompt.yaml")]
pub struct Prompt {
    /// Before the context blocks. A template.
    pub opening: String,
    /// After the context blocks. A template.
    pub closing: String,
    /// Context blocks where an architecture names none.
    #[serde(default)]
    pub context: Vec<String>,
    /// In what order blocks appear; blocks that are not listed follow as the study orders them.
    #[serde(default)]
    pub order: Vec<String>,
    /// Whether keys in the blocks are explained, where the environment says what they mean ([`Brief::legend`](gimbal_core::Brief::legend)).
    #[serde(default = "yes")]
    pub explain_keys: bool,
}

/// `knowledge.yaml`, `reflection_knowledge.yaml` and `personas/common.yaml` (BOG-050..052).
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Gimbal persona: knowledge.yaml")]
pub struct Knowledge {
    /// Blocks of knowledge, in order.
    #[serde(default)]
    pub entries: Vec<KnowledgeEntry>,
}

/// A block of knowledge (BOG-057).
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KnowledgeEntry {
    /// Head of the block. A template.
    pub header: String,
    /// How the content is written.
    #[serde(rename = "type")]
    pub kind: KnowledgeKind,
    /// The key under which a JSON content stands.
    #[serde(default)]
    pub root: Option<String>,
    /// The content: a template where `type` is `plain`, any value where it is `json`.
    #[serde(default)]
    pub content: Option<Value>,
    /// Takes the content from this variable of the brief instead.
    #[serde(default)]
    pub variable: Option<String>,
}

/// How a block of knowledge is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KnowledgeKind {
    /// Indented JSON under the root key.
    Json,
    /// Text.
    Plain,
}

/// `examples.yaml` and `reflection_examples.yaml` (BOG-052).
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Gimbal persona: examples.yaml")]
pub struct Examples {
    /// Worked examples, each a template.
    #[serde(default)]
    pub examples: Vec<String>,
}

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
    /// Stands behind the result of a tool after which one turn is left (BOG-043).
    pub last_turn: String,
}

/// `personas/configurations.yaml`: named settings of architectures (BOG-130).
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Gimbal: configurations.yaml")]
pub struct Configurations {
    /// The configurations, in order.
    pub configurations: Vec<Configuration>,
}

/// A named setting of an architecture.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Configuration {
    /// Name by which a study takes it up.
    pub name: String,
    /// The architecture.
    pub base: String,
    /// Its settings.
    #[serde(flatten)]
    pub settings: serde_json::Map<String, Value>,
}
