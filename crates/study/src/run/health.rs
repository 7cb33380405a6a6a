//! Which models are asked no more in this run: asking again what cannot succeed costs time, money and goodwill.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gimbal_core::{Digest, ModelError, ModelErrorKind};
use gimbal_model::remote::held_by_filter;

/// Episodes in a row that a model may turn down as bad requests. A single one may be too long for it; several without a
/// success in between are a mistake of the study or the endpoint. What a filter held back for its content is not counted.
const PATIENCE: usize = 3;

/// What is known of the models of a run that failed.
#[derive(Debug, Default)]
pub struct Health {
    /// Whether any model failed at all: calls that succeed look no further.
    troubled: AtomicBool,
    models: Mutex<BTreeMap<String, ModelFailures>>,
}

/// What went wrong with one model.
#[derive(Debug, Default)]
struct ModelFailures {
    /// Episodes whose requests it refused since its last answer.
    refused: BTreeSet<Digest>,
    /// Why it gets no more requests.
    closed: Option<String>,
    told: bool,
    /// Calls without an answer that may succeed when they are made again, and refused ones that close nothing, by the kind of the failure.
    passing: BTreeMap<&'static str, Unanswered>,
}

/// Calls that failed for one kind of reason.
#[derive(Debug, Default)]
struct Unanswered {
    calls: u64,
    /// The words of the last failure.
    last: String,
}

impl Health {
    fn models(&self) -> MutexGuard<'_, BTreeMap<String, ModelFailures>> {
        self.models.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call failed after all its attempts.
    pub fn failed(&self, model: &str, episode: Digest, error: &ModelError) {
        let refused = error.kind == ModelErrorKind::BadRequest;
        let without_answer = error.kind.is_infrastructure() && error.kind != ModelErrorKind::Cancelled;
        if !(refused || without_answer || error.lasting) {
            return;
        }
        let mut models = self.models();
        let trouble = models.entry(model.to_owned()).or_default();
        if !error.lasting {
            let unanswered = trouble.passing.entry(error.kind.name()).or_default();
            unanswered.calls += 1;
            unanswered.last.clone_from(&error.message);
        }
        if !(error.lasting || (refused && !held_by_filter(error))) {
            return;
        }
        trouble.refused.insert(episode);
        if trouble.closed.is_none() && (error.lasting || trouble.refused.len() >= PATIENCE) {
            trouble.closed = Some(error.message.clone());
        }
        self.troubled.store(true, Ordering::Release);
    }

    /// A call succeeded.
    pub fn answered(&self, model: &str) {
        if self.troubled.load(Ordering::Acquire)
            && let Some(trouble) = self.models().get_mut(model)
        {
            trouble.refused.clear();
        }
    }

    /// Why a model is asked no more in this run, if so.
    #[must_use]
    pub fn closed(&self, model: &str) -> Option<String> {
        if !self.troubled.load(Ordering::Acquire) {
            return None;
        }
        self.models().get(model).and_then(|trouble| trouble.closed.clone())
    }

    /// The models that are asked no more in this run, each with the reason.
    #[must_use]
    pub fn all_closed(&self) -> Vec<(String, String)> {
        let models = self.models();
        models.iter().filter_map(|(model, trouble)| Some((model.clone(), trouble.closed.clone()?))).collect()
    }

    /// The models of which calls went without an answer in this run, for reasons that may pass or that concern these requests alone: each with how
    /// many calls, the kind, and the words of the last failure.
    #[must_use]
    pub fn unanswered(&self) -> Vec<(String, String)> {
        let models = self.models();
        let of_model = models.iter().filter(|(_, trouble)| trouble.closed.is_none());
        let all = of_model.flat_map(|(model, trouble)| {
            trouble.passing.iter().map(move |(kind, Unanswered { calls, last })| {
                let last = last.strip_prefix(model.as_str()).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(last);
                let refused = *kind == ModelErrorKind::BadRequest.name();
                let what = if refused { "refused" } else { "without an answer" };
                (model.clone(), format!("{calls} call(s) {what} ({kind}), the last one: {last}"))
            })
        });
        all.collect()
    }

    /// Why a model is asked no more, for telling the user: once.
    #[must_use]
    pub fn news(&self, model: &str) -> Option<String> {
        let mut models = self.models();
        let trouble = models.get_mut(model).filter(|trouble| trouble.closed.is_some() && !trouble.told)?;
        trouble.told = true;
        trouble.closed.clone()
    }
}

#[cfg(test)]
mod tests {
    use gimbal_core::{Digest, ModelError, ModelErrorKind};

    use super::{Health, PATIENCE};

    fn error(kind: ModelErrorKind, lasting: bool) -> ModelError {
        ModelError { lasting, ..ModelError::new(kind, "x/y: no") }
    }

    #[test]
    fn what_lasts_closes_a_model_at_once_and_is_told_once() {
        let health = Health::default();
        health.failed("a/b", Digest::of(b"1"), &error(ModelErrorKind::Unavailable, false));
        assert_eq!(health.closed("a/b"), None);
        health.failed("a/b", Digest::of(b"1"), &error(ModelErrorKind::Denied, true));
        assert_eq!((health.closed("a/b").as_deref(), health.closed("a/c")), (Some("x/y: no"), None));
        assert_eq!((health.news("a/b").is_some(), health.news("a/b"), health.news("a/c")), (true, None, None));
        health.answered("a/b");
        assert!(health.closed("a/b").is_some());
        assert_eq!(health.all_closed(), [("a/b".to_owned(), "x/y: no".to_owned())]);
    }

    #[test]
    fn calls_without_an_answer_are_counted_by_kind_with_the_last_words() {
        let health = Health::default();
        let said = |status: u16| {
            ModelError::new(
                ModelErrorKind::Unavailable,
                format!("a/b: the provider answered with status {status}: busy"),
            )
        };
        health.failed("a/b", Digest::of(b"1"), &said(500));
        health.failed("a/b", Digest::of(b"2"), &said(503));
        health.failed("a/b", Digest::of(b"2"), &ModelError::new(ModelErrorKind::Truncated, "a/b: cut"));
        let told =
            "2 call(s) without an answer (unavailable), the last one: the provider answered with status 503: busy";
        assert_eq!(health.unanswered(), [("a/b".to_owned(), told.to_owned())]);
        // Why a model is asked no more is said in its place.
        health.failed("a/b", Digest::of(b"3"), &error(ModelErrorKind::Denied, true));
        assert_eq!((health.unanswered().len(), health.all_closed().len()), (0, 1));
    }

    #[test]
    fn what_a_filter_held_back_closes_nothing() {
        let health = Health::default();
        let mut filtered = error(ModelErrorKind::BadRequest, false);
        let body = r#"{"error": {"message": "The response was filtered", "code": "content_filter"}}"#;
        filtered.provider.raw = Some(body.to_owned());
        for number in 0..9_u64 {
            health.failed("a/b", Digest::of(&number.to_be_bytes()), &filtered);
        }
        assert_eq!(health.closed("a/b"), None);
        // What could not be played has the provider's words beside it all the same.
        assert_eq!(
            health.unanswered(),
            [("a/b".to_owned(), "9 call(s) refused (bad_request), the last one: x/y: no".to_owned())]
        );
    }

    #[test]
    fn bad_requests_of_several_episodes_in_a_row_close_a_model() {
        let health = Health::default();
        let bad = error(ModelErrorKind::BadRequest, false);
        for _ in 0..9 {
            health.failed("a/b", Digest::of(b"the same episode"), &bad);
        }
        for number in 1..PATIENCE as u64 - 1 {
            health.failed("a/b", Digest::of(&number.to_be_bytes()), &bad);
        }
        assert_eq!(health.closed("a/b"), None);
        health.answered("a/b");
        for number in 0..PATIENCE as u64 {
            assert_eq!(health.closed("a/b"), None);
            health.failed("a/b", Digest::of(&number.to_be_bytes()), &bad);
        }
        assert!(health.closed("a/b").is_some());
    }
}
