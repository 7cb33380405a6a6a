//! Record once, play back.
//!
//! A recording is a folder: `recording.json` says what it is, and `calls/<seed>/<call>-<request>.json` holds one request
//! and its outcome. The place of a call is its seed and number, which do not depend on the model's name, so that a study
//! can be played back with `replay/<folder>` in the place of the model that was recorded. The request must match word
//! for word; the decoding settings are the recording's. Failures of the environment are not recorded: they are not the agent's.

mod compare;
mod player;
mod recorder;

use std::path::{Path, PathBuf};

use gimbal_core::{ChatRequest, Digest, Grammar, Message, Sampling, ToolSpec};
use serde::{Deserialize, Serialize};

use crate::name::ModelName;
use crate::stored::StoredOutcome;

pub use player::{Player, was_made_with};
pub(crate) use recorder::Recorder;

/// Version of the folder's form.
const VERSION: u32 = 1;

/// `recording.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    version: u32,
    /// The models that were recorded, sorted.
    models: Vec<String>,
}

/// One call.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Recorded {
    model: String,
    request: RecordedRequest,
    outcome: StoredOutcome,
}

/// What a provider would have seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordedRequest {
    digest: Digest,
    messages: Vec<Message>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tools: Vec<ToolSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    grammar: Option<Grammar>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    stop: Vec<String>,
    sampling: Sampling,
}

impl RecordedRequest {
    fn of(request: &ChatRequest) -> Self {
        Self {
            digest: request.digest(),
            messages: request.messages.iter().map(|message| (**message).clone()).collect(),
            tools: request.tools.to_vec(),
            grammar: request.grammar.as_deref().cloned(),
            stop: request.stop.clone(),
            sampling: request.sampling.clone(),
        }
    }

    /// Whether it is the same but for its decoding settings.
    fn asks_the_same(&self, other: &Self) -> bool {
        (&self.messages, &self.tools, &self.grammar, &self.stop)
            == (&other.messages, &other.tools, &other.grammar, &other.stop)
    }
}

/// Whether a recording holds answers of remote models, whose default settings are others than those of our own. False
/// where there is no recording: opening it reports that.
#[must_use]
pub fn holds_remote(folder: &Path) -> bool {
    let header =
        std::fs::read(header_path(folder)).ok().and_then(|bytes| serde_json::from_slice::<Header>(&bytes).ok());
    let remote = |name: &String| matches!(ModelName::parse(name), Ok(ModelName::Remote { .. }));
    header.is_some_and(|header| header.models.iter().any(remote))
}

fn header_path(folder: &Path) -> PathBuf {
    folder.join("recording.json")
}

fn place(folder: &Path, seed: u64) -> PathBuf {
    folder.join("calls").join(format!("{seed:016x}"))
}

fn file_name(call: u64, request: &Digest) -> String {
    format!("{call:06}-{}.json", request.short())
}
