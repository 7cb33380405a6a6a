//! The one door through which requests leave.

use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::{CallContext, ChatModel, ChatRequest, Completion, ModelError, Usage, UsageSource};

use crate::estimate;
use crate::layers::gate::Gate;
use crate::shape::Shapes;

/// Writes the ledger's row before a request leaves and another when its answer is there, and only then looks at the
/// shape of the answer.
pub(crate) struct Attempt<M> {
    inner: M,
    /// Whether answers are judged here; those of a recording were judged when they were recorded.
    judges: bool,
    /// Whose number of requests at once goes into the ledger.
    gate: Option<Arc<Gate>>,
}

impl<M> Attempt<M> {
    pub(crate) fn new(inner: M) -> Self {
        Self { inner, judges: true, gate: None }
    }

    /// Takes answers as they are: they were judged before.
    pub(crate) fn unjudged(inner: M) -> Self {
        Self { judges: false, ..Self::new(inner) }
    }

    /// Notes the changes of a gate.
    pub(crate) fn noting(self, gate: Arc<Gate>) -> Self {
        Self { gate: Some(gate), ..self }
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for Attempt<M> {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        let attempt = context.wire.sent(request, false)?;
        let mut outcome = accounted(request, self.inner.complete(request, context).await);
        let at_once = self.gate.as_ref().and_then(|gate| gate.news());
        match &mut outcome {
            Ok(completion) => completion.provider.at_once = at_once,
            Err(error) => error.provider.at_once = at_once,
        }
        context.wire.received(attempt, &outcome)?;
        // By what a mask enforced: an answer that no mask shaped is a free one, and its reader says what it is worth.
        let grammar = self.inner.enforced(request).filter(|_| self.judges);
        Shapes::shared().check(grammar.as_ref(), outcome?)
    }

    through_inner!();
}

/// The outcome with a count of tokens wherever something may have to be paid. Words without a usage report are counted by
/// their length, and marked so; of a request whose answer never came whole the prompt is counted, and its cost stays
/// unknown. Otherwise a provider that reports nothing would switch every limit off.
fn accounted(request: &ChatRequest, outcome: Result<Completion, ModelError>) -> Result<Completion, ModelError> {
    let reported = |usage: &Usage| usage.source != UsageSource::Missing;
    match outcome {
        Ok(mut completion) => {
            if !reported(&completion.usage) {
                completion.usage = estimate::usage(request, &completion.text, &completion.calls);
                let thought = estimate::tokens(completion.reasoning.as_deref().unwrap_or_default().len());
                completion.usage.reasoning = thought;
                completion.usage.output += thought;
            }
            Ok(completion)
        }
        Err(mut error) => {
            error.usage = match error.usage {
                Some(usage) if reported(&usage) => Some(usage),
                _ if !error.kind.is_infrastructure() => {
                    Some(estimate::usage(request, error.partial.as_deref().unwrap_or_default(), &[]))
                }
                _ if error.kind.may_be_billed() => Some(estimate::unanswered(request)),
                _ => None,
            };
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use gimbal_core::{ChatRequest, Completion, Grammar, ModelError, ModelErrorKind, Wire};

    use super::Attempt;
    use crate::config::NoFiles;
    use crate::scripted::Script;
    use crate::testing::{ask, context};

    /// Notes the order of things, and refuses rows when it is full.
    #[derive(Default)]
    struct Log(Mutex<Vec<String>>, bool);

    impl Wire for Log {
        fn sent(&self, _: &ChatRequest, cached: bool) -> Result<u64, ModelError> {
            if self.1 {
                return Err(ModelError::new(ModelErrorKind::Transport, "the ledger is full"));
            }
            self.0.lock().unwrap().push(format!("sent cached={cached}"));
            Ok(41)
        }

        fn received(&self, attempt: u64, outcome: &Result<Completion, ModelError>) -> Result<(), ModelError> {
            let outcome = outcome.as_ref().map(|completion| completion.text.to_string()).map_err(|error| error.kind);
            self.0.lock().unwrap().push(format!("received {attempt} {outcome:?}"));
            Ok(())
        }
    }

    // covers: BOG-047
    #[test]
    fn the_row_is_written_before_the_shape_is_looked_at() {
        let model = Attempt::new(Script::find("idle", &NoFiles).unwrap());
        let grammar = Some(Arc::new(Grammar::Choice(vec!["Monitor".to_owned()])));
        let request = ChatRequest { grammar, ..ChatRequest::default() };
        let log = Log::default();
        let error = ask(&model, &request, &context(&log, 0, 0)).unwrap_err();
        assert_eq!(error.kind, ModelErrorKind::BadShape);
        let rows = log.0.into_inner().unwrap();
        assert_eq!(rows.len(), 2);
        assert!(rows[0] == "sent cached=false" && rows[1].starts_with("received 41 Ok("), "{rows:?}");
    }

    #[test]
    fn nothing_leaves_without_a_row() {
        struct Never;
        #[async_trait::async_trait]
        impl gimbal_core::ChatModel for Never {
            async fn complete(
                &self,
                _: &ChatRequest,
                _: &gimbal_core::CallContext<'_>,
            ) -> Result<Completion, ModelError> {
                panic!("a request left without a row");
            }
        }
        let log = Log(Mutex::default(), true);
        let error = ask(&Attempt::new(Never), &ChatRequest::default(), &context(&log, 0, 0)).unwrap_err();
        assert_eq!(error.message, "the ledger is full");
    }
}
