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
    /// The key that holds a JSON content.
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
