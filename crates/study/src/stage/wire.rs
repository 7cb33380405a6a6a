//! The ledger's side of one call.

use std::sync::Mutex;

use gimbal_core::{ChatRequest, Completion, ModelError, ModelErrorKind, Wire};

use super::recorder::{Attempt, CallFacts, RecordError, Recorder};

/// Reports the attempts of one call.
pub struct CallWire<'a> {
    pub recorder: &'a dyn Recorder,
    pub call: CallFacts<'a>,
    /// Why the store refused, if it did: told apart from what a provider may say.
    pub refused: Mutex<Option<RecordError>>,
    /// Attempts that our own cache answered.
    pub cached: Mutex<Vec<u64>>,
}

impl CallWire<'_> {
    fn refuse(&self, error: RecordError) -> ModelError {
        let text = error.to_string();
        if let Ok(mut refused) = self.refused.lock() {
            *refused = Some(error);
        }
        ModelError::new(ModelErrorKind::Cancelled, text)
    }
}

impl Wire for CallWire<'_> {
    fn sent(&self, _request: &ChatRequest, cached: bool) -> Result<u64, ModelError> {
        let number = self.recorder.sent(&self.call, cached).map_err(|error| self.refuse(error))?;
        if let (true, Ok(mut numbers)) = (cached, self.cached.lock()) {
            numbers.push(number);
        }
        Ok(number)
    }

    fn received(&self, attempt: u64, outcome: &Result<Completion, ModelError>) -> Result<(), ModelError> {
        let cached = self.cached.lock().is_ok_and(|numbers| numbers.contains(&attempt));
        let attempt = Attempt { number: attempt, cached };
        self.recorder.received(&self.call, attempt, outcome).map_err(|error| self.refuse(error))
    }
}
