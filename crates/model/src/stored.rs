//! Outcomes of calls as they are stored: in the cache and in recordings.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use gimbal_core::chat::{Missed, ProviderFacts};
use gimbal_core::{Completion, Finish, ModelError, ModelErrorKind, RequestedCall, Usage};
use serde::{Deserialize, Serialize};

/// An outcome: a completion, or a failure that is the agent's (refusal, truncation, bad shape).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum StoredOutcome {
    Completed(StoredCompletion),
    Failed(StoredFailure),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoredCompletion {
    text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    calls: Vec<RequestedCall>,
    finish: Finish,
    usage: Usage,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reasoning: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    missed: Vec<Missed>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoredFailure {
    kind: ModelErrorKind,
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    partial: Option<String>,
}

impl StoredOutcome {
    /// What is worth keeping of an outcome: raw bodies and latencies are not, and neither is a failure of the environment.
    pub(crate) fn of(outcome: &Result<Completion, ModelError>) -> Option<Self> {
        match outcome {
            Ok(completion) => Some(Self::Completed(StoredCompletion {
                text: completion.text.to_string(),
                calls: completion.calls.clone(),
                finish: completion.finish,
                usage: completion.usage,
                reasoning: completion.reasoning.as_deref().map(str::to_owned),
                missed: completion.missed.clone(),
                model: completion.provider.model.clone(),
            })),
            Err(error) if !error.kind.is_infrastructure() => Some(Self::Failed(StoredFailure {
                kind: error.kind,
                message: error.message.clone(),
                usage: error.usage,
                partial: error.partial.as_deref().map(str::to_owned),
            })),
            Err(_) => None,
        }
    }

    /// The outcome again, without latency and raw body.
    pub(crate) fn outcome(self) -> Result<Completion, ModelError> {
        match self {
            Self::Completed(stored) => Ok(Completion {
                text: stored.text.into(),
                calls: stored.calls,
                finish: stored.finish,
                usage: stored.usage,
                reasoning: stored.reasoning.map(Arc::from),
                missed: stored.missed,
                latency_us: 0,
                provider: ProviderFacts { model: stored.model, ..ProviderFacts::default() },
            }),
            Self::Failed(stored) => Err(ModelError {
                usage: stored.usage,
                partial: stored.partial.map(Arc::from),
                ..ModelError::new(stored.kind, stored.message)
            }),
        }
    }
}

/// Writes a file so that it is there whole or not at all.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
