//! What the trials of a session share, and its journal.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use gimbal_core::event::Remembered;
use gimbal_core::{Body, EpisodeStopped, LaneId, Memory, canonical};
use serde_json::Value;

use super::recorder::halt_of;
use super::state::State;
use super::texts::keep;

/// What the trials of one session share.
#[derive(Debug, Default)]
pub struct SessionMemory(Mutex<BTreeMap<String, Value>>);

impl SessionMemory {
    /// A copy of its own.
    #[must_use]
    pub fn copy(&self) -> Self {
        Self(Mutex::new(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()))
    }

    /// Takes up a value that an earlier trial left, without a note in the journal.
    pub fn restore(&self, key: &str, value: Value) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned(), value);
    }
}

/// The session's memory as an episode sees it.
pub struct StageMemory {
    pub session: Arc<SessionMemory>,
    pub state: Arc<Mutex<State>>,
}

impl Memory for StageMemory {
    fn get(&self, key: &str) -> Option<Value> {
        self.session.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    fn set(&self, key: &str, value: Value) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let recorder = Arc::clone(&state.recorder);
        // Later trials of this process have the very value that one which resumes the session reads: integers above 2^53 are
        // rounded, and 1.0 is 1.
        let text = canonical::text(&value);
        let value: Value = match serde_json::from_str(&text) {
            Ok(value) => value,
            Err(error) => {
                let what =
                    format!("the value to remember as `{key}` could not be read again ({error}): nest it less deeply");
                return drop(state.end(EpisodeStopped::infrastructure(what)));
            }
        };
        let noted = keep(&*recorder, &text, &[])
            .map_err(halt_of)
            .and_then(|value| state.push(LaneId::MAIN, Body::Remembered(Remembered { key: key.to_owned(), value })));
        match noted {
            Ok(()) => self.session.restore(key, value),
            Err(halt) => drop(state.end(halt)),
        }
    }

    fn keys(&self) -> Vec<String> {
        self.session.0.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }
}
