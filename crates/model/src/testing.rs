//! Helpers of this crate's own unit tests.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use gimbal_core::{CallContext, ChatModel, ChatRequest, Completion, Digest, ModelError, Wire};

/// A ledger that writes nothing.
pub(crate) struct NoWire;

impl Wire for NoWire {
    fn sent(&self, _: &ChatRequest, _: bool) -> Result<u64, ModelError> {
        Ok(0)
    }

    fn received(&self, _: u64, _: &Result<Completion, ModelError>) -> Result<(), ModelError> {
        Ok(())
    }
}

/// The context of a call.
pub(crate) fn context(wire: &dyn Wire, seed: u64, call: u64) -> CallContext<'_> {
    CallContext { wire, episode: Digest::of(b"episode"), call, seed, hint: None }
}

/// Asks a model that never waits.
pub(crate) fn ask(
    model: &dyn ChatModel,
    request: &ChatRequest,
    context: &CallContext<'_>,
) -> Result<Completion, ModelError> {
    now(model.complete(request, context))
}

/// The outcome of a future that never waits.
pub(crate) fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => panic!("this future was not to wait"),
    }
}
