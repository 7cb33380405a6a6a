//! Where an episode's events, texts and calls go: a run folder, or memory in tests.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use gimbal_core::{Completion, Digest, EpisodeStopped, ModelError, Stop, Usage};
use thiserror::Error;

use super::watch::ComponentTime;

/// Why something could not be recorded. Nothing more may happen in the episode then.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RecordError {
    /// The store failed: a full disk, a lost folder.
    #[error("{0}")]
    Store(String),
    /// The run was cancelled, or the model gets no more requests: the request must not leave.
    #[error("{0}")]
    Stopped(String),
    /// A limit of the study or of the cell is reached: the request must not leave, and the episode stops so.
    #[error("{1}")]
    Limit(Stop, String),
}

/// A text that the next one is likely to resemble; a store may keep the next one as a change of it.
#[derive(Clone, Copy, Debug)]
pub struct SimilarText<'a> {
    /// Hash under which it is stored.
    pub digest: Digest,
    /// The text.
    pub text: &'a str,
}

/// Whose call it is.
#[derive(Clone, Copy, Debug)]
pub struct CallFacts<'a> {
    /// Lane.
    pub lane: u32,
    /// Role that is asked.
    pub role: &'a str,
    /// Whether the environment asks, and not the agent.
    pub environment: bool,
    /// Name of the model.
    pub model: &'a str,
    /// Number of the call within its role and lane, from 0.
    pub call: u64,
}

/// An attempt at a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Number, as [`Recorder::sent`] gave it.
    pub number: u64,
    /// Whether the answer comes from our own cache.
    pub cached: bool,
}

/// One episode's side of the store.
pub trait Recorder: Send + Sync {
    /// What the episode is to reach, by its brief ([`gimbal_core::Brief::objective`]). Kept beside the journal: no event holds it.
    fn objective(&self, _objective: &str) {}

    /// Appends an event to the journal: its canonical bytes.
    ///
    /// # Errors
    /// When the store failed.
    fn event(&self, bytes: &[u8]) -> Result<(), RecordError>;

    /// Keeps a text, once per run. `near` names stored texts that it may resemble, the likeliest first.
    ///
    /// # Errors
    /// When the store failed.
    fn text(&self, digest: Digest, text: &str, near: &[SimilarText<'_>]) -> Result<(), RecordError>;

    /// An attempt at a call is about to leave; returns its number.
    ///
    /// # Errors
    /// When the store failed, or no more requests may leave.
    fn sent(&self, call: &CallFacts<'_>, cached: bool) -> Result<u64, RecordError>;

    /// The attempt ended.
    ///
    /// # Errors
    /// When the store failed.
    fn received(
        &self,
        call: &CallFacts<'_>,
        attempt: Attempt,
        outcome: &Result<Completion, ModelError>,
    ) -> Result<(), RecordError>;

    /// A call as the agent or the environment made it, whatever attempts it took.
    ///
    /// # Errors
    /// When the store failed.
    fn called(&self, call: &CallFacts<'_>, outcome: &str, usage: &Usage, latency_us: u64) -> Result<(), RecordError>;

    /// How long the attempt at the episode took, in microseconds, and what the architecture's own work took by component. Volatile.
    fn took(&self, _took_us: u64, _components: Vec<ComponentTime>) {}

    /// The call failed after all its attempts, and not because of the agent. A store may stop asking the model.
    fn failed(&self, _call: &CallFacts<'_>, _error: &ModelError) {}
}

/// A recorder in memory.
#[derive(Debug, Default)]
pub struct MemoryRecorder {
    held: Mutex<Recorded>,
}

/// What a [`MemoryRecorder`] holds.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// What the episode is to reach, where its brief says so.
    pub objective: Option<String>,
    /// Events in order.
    pub events: Vec<Vec<u8>>,
    /// Texts by hash.
    pub texts: BTreeMap<Digest, String>,
    /// Attempts that left, cached ones too.
    pub sent: u64,
    /// Attempts that ended.
    pub received: u64,
    /// Calls as called.
    pub calls: Vec<RecordedCall>,
}

/// A call as called, whatever attempts it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedCall {
    /// The role that was asked.
    pub role: String,
    /// Whether the environment asked.
    pub by_environment: bool,
    /// `completed`, or the kind of failure.
    pub outcome: String,
    /// Tokens.
    pub usage: Usage,
}

impl MemoryRecorder {
    /// A copy of what was recorded so far.
    #[must_use]
    pub fn recorded(&self) -> Recorded {
        self.lock().clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Recorded> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recorder for MemoryRecorder {
    fn objective(&self, objective: &str) {
        self.lock().objective = Some(objective.to_owned());
    }

    fn event(&self, bytes: &[u8]) -> Result<(), RecordError> {
        self.lock().events.push(bytes.to_vec());
        Ok(())
    }

    fn text(&self, digest: Digest, text: &str, _near: &[SimilarText<'_>]) -> Result<(), RecordError> {
        self.lock().texts.entry(digest).or_insert_with(|| text.to_owned());
        Ok(())
    }

    fn sent(&self, _call: &CallFacts<'_>, _cached: bool) -> Result<u64, RecordError> {
        let mut held = self.lock();
        held.sent += 1;
        Ok(held.sent - 1)
    }

    fn received(
        &self,
        _call: &CallFacts<'_>,
        _attempt: Attempt,
        _outcome: &Result<Completion, ModelError>,
    ) -> Result<(), RecordError> {
        self.lock().received += 1;
        Ok(())
    }

    fn called(&self, call: &CallFacts<'_>, outcome: &str, usage: &Usage, _latency_us: u64) -> Result<(), RecordError> {
        self.lock().calls.push(RecordedCall {
            role: call.role.to_owned(),
            by_environment: call.environment,
            outcome: outcome.to_owned(),
            usage: *usage,
        });
        Ok(())
    }
}

/// A store that failed stops the episode, and is not its outcome.
pub fn halt_of(error: RecordError) -> EpisodeStopped {
    match error {
        RecordError::Store(text) => EpisodeStopped::infrastructure(text),
        RecordError::Stopped(text) => EpisodeStopped::because(Stop::Cancelled, text),
        RecordError::Limit(stop, text) => EpisodeStopped::because(stop, text),
    }
}
