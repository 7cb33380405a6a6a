//! The ledger's side of one call.

use std::pin::Pin;
use std::sync::Mutex;

use gimbal_core::{ChatRequest, Completion, ModelError, ModelErrorKind, Wire};

use gimbal_model::estimate;

use super::recorder::{Attempt, CallFacts, RecordError, Recorder};
use super::slot::Slot;

/// Reports the attempts of one call.
pub struct CallWire<'a> {
    pub recorder: &'a dyn Recorder,
    pub call: CallFacts<'a>,
    /// Why the store refused, if it did: kept separate from what a provider may say.
    pub refused: Mutex<Option<RecordError>>,
    /// Attempts that our own cache answered.
    pub cached: Mutex<Vec<u64>>,
    /// The attempt that is under way.
    pub open: Mutex<Option<u64>>,
    /// The session's place, given back while the call waits.
    pub slot: Option<&'a Slot>,
}

impl CallWire<'_> {
    /// Notes what became of an attempt that was under way when the call was dropped: it may have to be paid for, so its
    /// prompt counts against the limits.
    pub fn dropped(&self, request: &ChatRequest, kind: ModelErrorKind, latency_us: u64) -> Result<(), RecordError> {
        let Some(number) = self.open.lock().ok().and_then(|mut open| open.take()) else { return Ok(()) };
        let usage = Some(estimate::unanswered(request));
        let error = ModelError { usage, latency_us, ..ModelError::new(kind, "nobody waited for the answer any more") };
        self.recorder.received(&self.call, Attempt { number, cached: false }, &Err(error))
    }

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
        if let (false, Ok(mut open)) = (cached, self.open.lock()) {
            *open = Some(number);
        }
        Ok(number)
    }

    fn received(&self, attempt: u64, outcome: &Result<Completion, ModelError>) -> Result<(), ModelError> {
        if let Ok(mut open) = self.open.lock() {
            open.take_if(|open| *open == attempt);
        }
        let cached = self.cached.lock().is_ok_and(|numbers| numbers.contains(&attempt));
        let attempt = Attempt { number: attempt, cached };
        self.recorder.received(&self.call, attempt, outcome).map_err(|error| self.refuse(error))
    }

    fn pause(&self) {
        if let Some(slot) = self.slot {
            slot.leave();
        }
    }

    fn resume(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async {
            if let Some(slot) = self.slot {
                slot.enter().await;
            }
        })
    }
}
