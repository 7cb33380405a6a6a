//! Answers kept on disk, so that a study that is repeated need not be paid for again.
//!
//! An answer is kept under model, episode, place of the call (seed and number) and request, so that the repeats of a
//! study stay independent draws. A file that is damaged counts as absent, and is reported.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use gimbal_core::{CallContext, ChatModel, ChatRequest, Completion, Digest, ModelError};
use serde::{Deserialize, Serialize};

use crate::stored::{self, StoredOutcome};

/// Problems that are kept for the report; more than these say nothing new.
const KEPT_PROBLEMS: usize = 100;

/// A file of the cache that could not be used or written; the call went on without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheProblem {
    /// The file.
    pub path: PathBuf,
    /// What is wrong and how to fix it.
    pub message: String,
}

/// Problems of all caches of a run.
pub(crate) type Problems = Arc<Mutex<Vec<CacheProblem>>>;

/// The cache of one model.
pub(crate) struct Cache {
    inner: Box<dyn ChatModel>,
    folder: PathBuf,
    model: String,
    problems: Problems,
}

/// A file: the outcome's text, and its hash.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    check: Digest,
    outcome: String,
}

impl Cache {
    pub(crate) fn new(inner: Box<dyn ChatModel>, folder: PathBuf, model: String, problems: Problems) -> Self {
        Self { inner, folder, model, problems }
    }

    fn path(&self, request: &ChatRequest, context: &CallContext<'_>) -> PathBuf {
        let key = Digest::of_parts(&[
            b"gimbal/cache/v1",
            self.model.as_bytes(),
            &context.episode.0,
            &context.seed.to_be_bytes(),
            &context.call.to_be_bytes(),
            &request.digest().0,
        ])
        .to_string();
        self.folder.join(&key[..2]).join(format!("{key}.json"))
    }

    fn tell(&self, path: &Path, message: String) {
        let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        if problems.len() < KEPT_PROBLEMS {
            problems.push(CacheProblem { path: path.to_owned(), message });
        }
    }

    fn read(&self, path: &Path) -> Option<Completion> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
            Err(error) => {
                self.tell(path, format!("this cached answer cannot be read ({error}); the model was asked instead"));
                return None;
            }
        };
        let read = || {
            let entry: Entry = serde_json::from_slice(&bytes).ok()?;
            let whole = Digest::of(entry.outcome.as_bytes()) == entry.check;
            whole.then(|| serde_json::from_str::<StoredOutcome>(&entry.outcome).ok()).flatten()
        };
        let found = read().and_then(|stored| stored.outcome().ok());
        if found.is_none() {
            self.tell(
                path,
                "this cached answer is damaged; the model was asked instead and the file replaced".to_owned(),
            );
        }
        found
    }

    fn write(&self, path: &Path, completion: &Completion) {
        let Some(stored) = StoredOutcome::of(&Ok(completion.clone())) else { return };
        let written = serde_json::to_string(&stored)
            .and_then(|outcome| serde_json::to_vec(&Entry { check: Digest::of(outcome.as_bytes()), outcome }))
            .map_err(std::io::Error::other)
            .and_then(|bytes| stored::write_whole(path, &bytes));
        if let Err(error) = written {
            self.tell(path, format!("this answer could not be kept ({error}); make room or switch the cache off"));
        }
    }
}

#[async_trait]
impl ChatModel for Cache {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        let path = self.path(request, context);
        if let Some(completion) = self.read(&path) {
            let attempt = context.wire.sent(request, true)?;
            let outcome = Ok(completion);
            context.wire.received(attempt, &outcome)?;
            return outcome;
        }
        let completion = self.inner.complete(request, context).await?;
        self.write(&path, &completion);
        Ok(completion)
    }

    through_inner!();
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::{Arc, Mutex};

    use async_trait::async_trait;
    use gimbal_core::{CallContext, ChatModel, ChatRequest, Completion, Digest, Finish, ModelError, Sampling};

    use super::{Cache, Problems};
    use crate::answer;
    use crate::layers::{Attempt, Meter, Totals};
    use crate::testing::{NoWire, ask, context};

    /// Answers with the number of times that it was asked.
    struct Counter(Arc<AtomicU64>);

    #[async_trait]
    impl ChatModel for Counter {
        async fn complete(&self, request: &ChatRequest, _: &CallContext<'_>) -> Result<Completion, ModelError> {
            let number = self.0.fetch_add(1, Ordering::SeqCst);
            Ok(answer::plain(request, &format!("answer {number}"), Vec::new(), Finish::Stop))
        }
    }

    struct Bench {
        model: Meter,
        totals: Arc<Mutex<Totals>>,
        problems: Problems,
        folder: tempfile::TempDir,
    }

    fn bench() -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let problems = Problems::default();
        let inner = Box::new(Attempt::new(Counter(Arc::default())));
        let cache = Cache::new(inner, folder.path().to_owned(), "a/model".to_owned(), Arc::clone(&problems));
        let totals = Arc::new(Mutex::default());
        Bench { model: Meter::new(Box::new(cache), Arc::clone(&totals)), totals, problems, folder }
    }

    fn text(bench: &Bench, episode: &str, seed: u64, call: u64, tokens: u32) -> String {
        let sampling = Sampling { max_output_tokens: tokens, ..Sampling::default() };
        let request = ChatRequest { sampling, ..ChatRequest::default() };
        let context = CallContext { episode: Digest::of(episode.as_bytes()), ..context(&NoWire, seed, call) };
        ask(&bench.model, &request, &context).unwrap().text.to_string()
    }

    // covers: SH-01
    #[test]
    fn an_answer_is_kept_for_its_own_place_alone() {
        let bench = bench();
        assert_eq!(text(&bench, "first", 0, 0, 9), "answer 0");
        assert_eq!(text(&bench, "first", 0, 0, 9), "answer 0");
        // Another episode, seed, call or request is another draw.
        assert_eq!(text(&bench, "second", 0, 0, 9), "answer 1");
        assert_eq!(text(&bench, "first", 1, 0, 9), "answer 2");
        assert_eq!(text(&bench, "first", 0, 1, 9), "answer 3");
        assert_eq!(text(&bench, "first", 0, 0, 10), "answer 4");
        assert_eq!(text(&bench, "first", 0, 0, 10), "answer 4");
        let totals = *bench.totals.lock().unwrap();
        assert_eq!((totals.calls, totals.attempts, totals.cached), (7, 5, 2));
        assert_eq!(totals.output_tokens, 5 * 2, "cached answers cost nothing");
        assert!(bench.problems.lock().unwrap().is_empty());
    }

    #[test]
    fn damaged_files_count_as_absent_and_are_told() {
        let bench = bench();
        assert_eq!(text(&bench, "first", 0, 0, 9), "answer 0");
        let folder = std::fs::read_dir(bench.folder.path()).unwrap().next().unwrap().unwrap().path();
        let file = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
        let whole = std::fs::read_to_string(&file).unwrap();
        for (number, damaged) in [&whole[..whole.len() / 2], &whole.replace("answer", "Answer"), ""].iter().enumerate()
        {
            std::fs::write(&file, damaged).unwrap();
            let expected = format!("answer {}", number + 1);
            assert_eq!(text(&bench, "first", 0, 0, 9), expected);
            assert_eq!(text(&bench, "first", 0, 0, 9), expected, "the file was replaced");
        }
        let problems = bench.problems.lock().unwrap();
        assert_eq!(problems.len(), 3);
        assert!(problems.iter().all(|problem| problem.path == file && problem.message.contains("damaged")));
    }
}
