//! Events: the interface of the program. Progress, JSON lines, page, metrics and replay all read them.
//!
//! Deterministic by definition: an event holds only what the seed decides. Times, latencies, provider ids and
//! cache hits live in the ledger. Fields are in the order of RFC 8785 and hold strings, integers and lists
//! only, so that the plain serialisation is the canonical form.

use serde::{Deserialize, Serialize};

use crate::{Digest, Milli, TextRef};

/// Version of the stored form.
pub const EVENT_VERSION: u32 = 2;

/// Something that happened in an episode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// What happened.
    pub body: Body,
    /// Number of the lane, 0 for the main lane.
    pub lane: u32,
    /// Number of the step under way, from 1.
    pub step: u32,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// The episode began.
    Started(Started),
    /// Context blocks were rendered.
    ContextBuilt(ContextBuilt),
    /// A model was asked and answered, or failed as the agent's outcome.
    ModelCalled(ModelCalled),
    /// The agent called a tool of the environment.
    ToolCalled(ToolCalled),
    /// A call or an unreadable answer was refused; nothing changed.
    Rejected(Rejected),
    /// The environment moved a step.
    Stepped(StepTaken),
    /// The tracker answered a query.
    Queried(Queried),
    /// The scaffolding acts in the agent's place.
    Fallback(Fallback),
    /// A fault was injected.
    Fault(Fault),
    /// A message passed between agents.
    Sent(Sent),
    /// The session's memory changed.
    Remembered(Remembered),
    /// Something of the architecture's own.
    Note(Note),
    /// The episode ended.
    Ended(Ended),
}

/// The episode began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    /// Key of the episode.
    pub key: Digest,
    /// What the episode is about, such as an evidence packet; left out where there is nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub materials: Vec<MaterialUsed>,
    /// The first observation.
    pub observation: TextRef,
    /// Seed, in hexadecimal.
    pub seed: String,
    /// Hash of the true state after the reset.
    pub state: Digest,
    /// Task.
    pub task: String,
    /// The environment's tools as JSON.
    pub tools: TextRef,
    /// Trial of the session, from 0.
    pub trial: u32,
    /// Version of the stored form.
    pub version: u32,
}

/// A material of the brief ([`crate::Material`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaterialUsed {
    /// Hash of the content, as the kind defines it: of a packet its head.
    pub digest: Digest,
    /// Kind, e.g. `packet`.
    pub kind: String,
    /// Name, unique in the brief.
    pub name: String,
    /// The content.
    pub text: TextRef,
}

/// Context blocks were rendered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextBuilt {
    /// The blocks, in order.
    pub blocks: Vec<BlockUsed>,
}

/// One block of a context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockUsed {
    /// Length in bytes.
    pub bytes: u64,
    /// Name.
    pub name: String,
    /// Text.
    pub text: TextRef,
}

/// A model was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelCalled {
    /// Number of the call in the episode, from 0 in order of the journal.
    pub call: u64,
    /// The call of the same lane and role whose conversation this one extends, if any (as a list of at most one).
    pub extends: Vec<u64>,
    /// Grammar as canonical JSON, empty if none was enforced.
    pub grammar: TextRef,
    /// How many messages are kept of the conversation that is extended.
    pub kept: u64,
    /// The messages after the kept ones.
    pub messages: Vec<MessageUsed>,
    /// `completed`, or the kind of failure.
    pub outcome: String,
    /// Output tokens as called.
    pub output_tokens: u64,
    /// Input tokens as called.
    pub prompt_tokens: u64,
    /// The completion (with native calls in its JSON form); of a failure the partial text.
    pub reply: TextRef,
    /// Role that was asked.
    pub role: String,
    /// Sampling settings and stop texts as canonical JSON.
    pub sampling: TextRef,
    /// Tools offered natively, as JSON; empty if none.
    pub tools: TextRef,
}

/// One message of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageUsed {
    /// Speaker.
    pub speaker: String,
    /// Text; with native calls its JSON form.
    pub text: TextRef,
}

/// The agent called a tool of the environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCalled {
    /// Arguments as canonical JSON.
    pub arguments: TextRef,
    /// The agent's own reason; empty if none.
    pub justification: TextRef,
    /// Name of the tool.
    pub tool: String,
}

/// A call or an unreadable answer was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejected {
    /// What was wrong and what would be right.
    pub message: TextRef,
    /// Why, for counting.
    pub reason: String,
    /// What was refused, as written.
    pub text: TextRef,
}

/// The environment moved a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepTaken {
    /// What the agent sees now.
    pub observation: TextRef,
    /// Reward in thousandths.
    pub reward: Milli,
    /// Hash of the true state.
    pub state: Digest,
}

/// The tracker answered a query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queried {
    /// Arguments as canonical JSON.
    pub arguments: TextRef,
    /// `answered`, or why it was refused.
    pub outcome: String,
    /// The answer.
    pub reply: TextRef,
    /// Name of the query.
    pub tool: String,
}

/// The scaffolding acts in the agent's place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fallback {
    /// Why.
    pub reason: String,
    /// The call that it makes.
    pub tool: String,
}

/// A fault was injected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Number of the call at the site.
    pub index: u64,
    /// What kind.
    pub kind: String,
    /// The text that was put into what the agent saw; left out where none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planted: Option<TextRef>,
    /// Where.
    pub site: String,
}

/// A message passed between agents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// Contract.
    pub contract: String,
    /// From whom.
    pub from: String,
    /// The message as canonical JSON.
    pub message: TextRef,
    /// To whom.
    pub to: String,
}

/// The session's memory changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remembered {
    /// Under which key.
    pub key: String,
    /// The value as canonical JSON.
    pub value: TextRef,
}

/// Something of the architecture's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Canonical JSON.
    pub data: TextRef,
    /// Kind, as the architecture registers it.
    pub kind: String,
}

/// The episode ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// More, where the stop reason alone is not enough.
    pub detail: String,
    /// Model calls.
    pub model_calls: u64,
    /// Output tokens as called.
    pub output_tokens: u64,
    /// Input tokens as called.
    pub prompt_tokens: u64,
    /// Sum of rewards in thousandths.
    #[serde(rename = "return")]
    pub episode_return: Milli,
    /// How many different situations the agent was in, the first included (CYC-067); 0 in journals of version 1.
    #[serde(default)]
    pub situations: u32,
    /// Hash of the true state.
    pub state: Digest,
    /// Environment steps.
    pub steps: u32,
    /// How it stopped.
    pub stop: crate::Stop,
    /// Calls to the environment, rejected ones too.
    pub tool_calls: u64,
}

impl Event {
    /// The canonical bytes that are hashed and stored.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        crate::canonical::bytes_of(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stop;

    fn one_of_each() -> Vec<Body> {
        let text = || TextRef::to("é \"quoted\"\n").0;
        let digest = Digest::of(b"state");
        vec![
            Body::Started(Started {
                key: digest,
                materials: vec![MaterialUsed {
                    digest,
                    kind: "packet".to_owned(),
                    name: "packet".to_owned(),
                    text: text(),
                }],
                observation: text(),
                seed: "00ff".to_owned(),
                state: digest,
                task: "scenario2".to_owned(),
                tools: text(),
                trial: 0,
                version: EVENT_VERSION,
            }),
            Body::ContextBuilt(ContextBuilt {
                blocks: vec![BlockUsed { bytes: 3, name: "status".to_owned(), text: text() }],
            }),
            Body::ModelCalled(ModelCalled {
                call: 1,
                extends: vec![0],
                grammar: text(),
                kept: 2,
                messages: vec![MessageUsed { speaker: "user".to_owned(), text: text() }],
                outcome: "completed".to_owned(),
                output_tokens: 7,
                prompt_tokens: 9,
                reply: text(),
                role: "default".to_owned(),
                sampling: text(),
                tools: text(),
            }),
            Body::ToolCalled(ToolCalled { arguments: text(), justification: text(), tool: "Monitor".to_owned() }),
            Body::Rejected(Rejected { message: text(), reason: "bad_value".to_owned(), text: text() }),
            Body::Stepped(StepTaken { observation: text(), reward: Milli(-13_100), state: digest }),
            Body::Queried(Queried {
                arguments: text(),
                outcome: "answered".to_owned(),
                reply: text(),
                tool: "subject_state".to_owned(),
            }),
            Body::Fallback(Fallback { reason: "attempts".to_owned(), tool: "Monitor".to_owned() }),
            Body::Fault(Fault { index: 3, kind: "malformed".to_owned(), planted: None, site: "model".to_owned() }),
            Body::Fault(Fault { index: 3, kind: "planted".to_owned(), planted: Some(text()), site: "tool".to_owned() }),
            Body::Sent(Sent {
                contract: "suggestion".to_owned(),
                from: "planner".to_owned(),
                message: text(),
                to: "chooser".to_owned(),
            }),
            Body::Remembered(Remembered { key: "lessons".to_owned(), value: text() }),
            Body::Note(Note { data: text(), kind: "routed".to_owned() }),
            Body::Ended(Ended {
                detail: String::new(),
                model_calls: 1,
                output_tokens: 7,
                prompt_tokens: 9,
                episode_return: Milli(-100),
                situations: 2,
                state: digest,
                steps: 1,
                stop: Stop::Horizon,
                tool_calls: 1,
            }),
        ]
    }

    // covers: SH-05
    #[test]
    fn plain_serialisation_is_the_canonical_form() {
        for body in one_of_each() {
            let event = Event { body, lane: 0, step: 1 };
            let plain = String::from_utf8(event.bytes()).unwrap();
            assert_eq!(plain, serde_json_canonicalizer::to_string(&event).unwrap());
            assert_eq!(serde_json::from_str::<Event>(&plain).unwrap(), event);
        }
    }
}
