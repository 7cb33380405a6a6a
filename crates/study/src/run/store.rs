//! The live side of a run folder: recorders of episodes, and the one thread that makes things durable.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use gimbal_core::{Completion, Digest, EpisodeStopped, ModelError, Stop, Usage};

use super::error::RunError;
use super::frame::{FRAME_BYTES, NONE};
use super::health::Health;
use super::index::{EpisodeId, Failed, Finished, Index, Place, unreadable};
use super::journal::Segment;
use super::ledger::{Attempted, Called, Indexed, LedgerFile, Mark, Received, Row, Sent};
use super::presence::Presence;
use super::spend::Spend;
use super::texts::TextPack;
use crate::stage::{Attempt, CallFacts, ComponentTime, Outcome, RecordError, Recorder, SimilarText};

/// Longest time between a write and the order to make it durable.
const SYNC: Duration = Duration::from_millis(100);

/// Longest time between two notes in the index of how far the ledger is durable, while rows are written.
const MARK: Duration = Duration::from_secs(1);

/// Bytes that the journals of all episodes in flight may hold back together.
const HELD: usize = 2 << 20;

/// Smallest frame that is worth writing before an episode ends.
const SMALLEST: usize = 2048;

/// What became durable.
#[derive(Clone, Debug)]
pub enum StoredAttempt {
    /// A finished episode.
    Finished(Finished),
    /// A failed attempt.
    Failed(Failed),
}

/// The files of one process in a run folder.
pub struct Files {
    /// Number of segment, pack and ledger file.
    pub number: u32,
    /// The run folder.
    pub folder: PathBuf,
    /// The ledger file, begun.
    pub ledger: LedgerFile,
    /// The pack of texts.
    pub texts: File,
    /// The segment of journals.
    pub journal: File,
    /// The index.
    pub index: Index,
    /// Whether they are still there.
    pub presence: Presence,
}

/// The live side of a run folder.
pub struct RunStore {
    inner: Arc<Inner>,
    syncer: Option<JoinHandle<()>>,
}

struct Inner {
    number: u32,
    folder: PathBuf,
    ledger: Mutex<LedgerFile>,
    texts: Mutex<TextPack>,
    journal: Mutex<Segment>,
    attempts: AtomicU64,
    in_flight: AtomicUsize,
    queue: Mutex<Queue>,
    wake: Condvar,
    dirty: AtomicBool,
    failed: OnceLock<RunError>,
    presence: Presence,
    spend: Arc<Spend>,
    health: Health,
}

#[derive(Default)]
struct Queue {
    finished: Vec<Finished>,
    failed: Vec<Failed>,
    closing: bool,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RunStore {
    /// Starts the store; `settled` is called for everything that became durable.
    ///
    /// # Errors
    /// When the thread cannot be started or a handle not be doubled.
    pub fn start(
        files: Files,
        spend: Arc<Spend>,
        settled: impl Fn(StoredAttempt) + Send + 'static,
    ) -> Result<Self, RunError> {
        let failed = |error: std::io::Error| RunError::io(&files.folder, "the run cannot be started", &error);
        let (ledger, texts, journal) = (files.ledger, TextPack::new(files.texts), Segment::new(files.journal));
        let handles =
            [texts.handle().map_err(failed)?, journal.handle().map_err(failed)?, ledger.handle().map_err(failed)?];
        let inner = Arc::new(Inner {
            number: files.number,
            folder: files.folder.clone(),
            ledger: Mutex::new(ledger),
            texts: Mutex::new(texts),
            journal: Mutex::new(journal),
            attempts: AtomicU64::new(0),
            in_flight: AtomicUsize::new(0),
            queue: Mutex::default(),
            wake: Condvar::new(),
            dirty: AtomicBool::new(false),
            failed: OnceLock::new(),
            presence: files.presence,
            spend,
            health: Health::default(),
        });
        let (shared, index) = (Arc::clone(&inner), files.index);
        let thread = std::thread::Builder::new().name("sync".to_owned());
        let syncer = thread.spawn(move || sync_loop(&shared, &handles, index, &settled)).map_err(failed)?;
        Ok(Self { inner, syncer: Some(syncer) })
    }

    /// A recorder for an attempt at an episode.
    #[must_use]
    pub fn recorder(&self, id: EpisodeId) -> Arc<EpisodeRecorder> {
        self.inner.in_flight.fetch_add(1, Ordering::Relaxed);
        let attempt = self.inner.attempts.fetch_add(1, Ordering::Relaxed);
        let held = Mutex::new(PendingJournal { bytes: Vec::new(), last: NONE });
        let took = Mutex::default();
        let (hopeless, objective) = (AtomicBool::new(false), OnceLock::new());
        Arc::new(EpisodeRecorder { inner: Arc::clone(&self.inner), id, attempt, held, took, hopeless, objective })
    }

    /// Which models are asked no more.
    #[must_use]
    pub fn health(&self) -> &Health {
        &self.inner.health
    }

    /// Why nothing can be stored any more, if so.
    #[must_use]
    pub fn failure(&self) -> Option<RunError> {
        self.inner.failed.get().cloned()
    }

    /// Makes everything durable and stops the thread.
    ///
    /// # Errors
    /// When something could not be stored, now or before.
    pub fn close(mut self) -> Result<(), RunError> {
        self.stop();
        self.inner.failed.get().cloned().map_or(Ok(()), Err)
    }

    fn stop(&mut self) {
        locked(&self.inner.queue).closing = true;
        self.inner.wake.notify_all();
        if let Some(syncer) = self.syncer.take() {
            // A panic of the thread is a bug of ours; the next run finds what is durable.
            let _ = syncer.join();
        }
    }
}

impl Drop for RunStore {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Inner {
    fn fail(&self, error: RunError) -> RecordError {
        let error = self.failed.get_or_init(|| error);
        RecordError::Store(error.to_string())
    }

    fn fail_io(&self, folder: &str, error: &std::io::Error) -> RecordError {
        self.fail(RunError::io(&self.folder.join(folder), "the run cannot be stored", error))
    }

    fn check(&self) -> Result<(), RecordError> {
        self.failed.get().map_or(Ok(()), |error| Err(RecordError::Store(error.to_string())))
    }

    /// Hands everything that is held back to the operating system and asks it to make it durable. Returns how far the
    /// ledger is durable then.
    fn sync(&self, handles: &[File; 3]) -> Result<Mark, RecordError> {
        locked(&self.texts).flush().map_err(|error| self.fail_io("texts", &error))?;
        let mark = locked(&self.ledger).mark().map_err(|error| self.fail_io("ledger", &error))?;
        for (handle, folder) in handles.iter().zip(["texts", "journals", "ledger"]) {
            handle.sync_data().map_err(|error| self.fail_io(folder, &error))?;
        }
        self.presence.check().map_err(|error| self.fail(error))?;
        Ok(mark)
    }
}

/// Texts and journals first, then rows: an episode is finished only when what it is made of is durable.
fn sync_loop(inner: &Inner, handles: &[File; 3], mut index: Index, settled: &dyn Fn(StoredAttempt)) {
    let mut held = (0, 0);
    let mut marked = Instant::now();
    loop {
        let (finished, failed, closing) = {
            let queue = locked(&inner.queue);
            let (mut queue, _) = inner
                .wake
                .wait_timeout_while(queue, SYNC, |queue| !queue.closing)
                .unwrap_or_else(PoisonError::into_inner);
            (std::mem::take(&mut queue.finished), std::mem::take(&mut queue.failed), queue.closing)
        };
        let changed = inner.dirty.swap(false, Ordering::AcqRel) || !finished.is_empty() || !failed.is_empty();
        if changed
            && inner.failed.get().is_none()
            && let Ok(mark) = inner.sync(handles)
        {
            let ended = !finished.is_empty() || !failed.is_empty();
            let added = index.add(&finished, &failed).and_then(|()| {
                if ended || marked.elapsed() >= MARK {
                    marked = Instant::now();
                    index.mark(inner.number, mark)?;
                }
                Ok(())
            });
            match added {
                Ok(()) => {
                    held = (held.0 + finished.len() as u64, held.1 + failed.len() as u64);
                    if ended {
                        let row = Indexed { at: now(), finished: held.0, failed: held.1 };
                        locked(&inner.ledger).later(&Row::Indexed(row));
                        // What is handed over is made durable with what comes next, or now if nothing does.
                        inner.dirty.store(true, Ordering::Release);
                    }
                    finished.into_iter().for_each(|episode| settled(StoredAttempt::Finished(episode)));
                    failed.into_iter().for_each(|attempt| settled(StoredAttempt::Failed(attempt)));
                }
                Err(error) => {
                    inner.fail(unreadable(&inner.folder.join(super::INDEX), &error));
                }
            }
        }
        if closing {
            if let Err(error) = inner.presence.check() {
                inner.fail(error);
            }
            // The last count proves that the journal is complete, and the last mark that the ledger is.
            if inner.failed.get().is_none()
                && let Ok(mark) = inner.sync(handles)
            {
                let _ = index.mark(inner.number, mark);
            }
            return;
        }
    }
}

/// The recorder of one attempt at an episode.
pub struct EpisodeRecorder {
    inner: Arc<Inner>,
    id: EpisodeId,
    attempt: u64,
    held: Mutex<PendingJournal>,
    /// What the attempt took, once it is over.
    took: Mutex<Option<(u64, Vec<ComponentTime>)>>,
    hopeless: AtomicBool,
    objective: OnceLock<String>,
}

/// The part of the journal that is not written yet.
struct PendingJournal {
    bytes: Vec<u8>,
    last: u64,
}

impl EpisodeRecorder {
    fn write_frames(&self, held: &mut PendingJournal, whole: bool) -> Result<(), RecordError> {
        let mut journal = locked(&self.inner.journal);
        let mut written = 0;
        while held.bytes.len() - written >= FRAME_BYTES || (whole && held.bytes.len() > written) {
            let end = held.bytes.len().min(written + FRAME_BYTES);
            let place = journal.append(self.attempt, held.last, &held.bytes[written..end]);
            held.last = place.map_err(|error| self.inner.fail_io("journals", &error))?;
            written = end;
        }
        held.bytes.drain(..written);
        self.inner.dirty.store(true, Ordering::Release);
        Ok(())
    }

    fn place(&self) -> Result<Place, RecordError> {
        let mut held = locked(&self.held);
        self.write_frames(&mut held, true)?;
        Ok(Place { segment: self.inner.number, attempt: self.attempt, last: held.last })
    }

    fn attempted(&self, stop: gimbal_core::Stop, detail: &str) {
        let (took_us, components) = locked(&self.took).take().unzip();
        let row = Attempted {
            at: now(),
            components: components.unwrap_or_default(),
            detail: detail.to_owned(),
            episode: self.id.key,
            objective: self.objective.get().cloned().unwrap_or_default(),
            stop,
            took_us,
            try_number: self.attempt,
        };
        locked(&self.inner.ledger).later(&Row::Attempted(row));
    }

    /// Whether another attempt at the episode would meet the same failure.
    #[must_use]
    pub fn is_hopeless(&self) -> bool {
        self.hopeless.load(Ordering::Acquire)
    }

    /// Hands a finished episode over; it counts once its row is committed.
    ///
    /// # Errors
    /// When the store failed.
    pub fn finish(&self, outcome: Outcome) -> Result<(), RecordError> {
        self.inner.check()?;
        let place = self.place()?;
        self.attempted(outcome.stop, &outcome.detail);
        let finished = Finished { id: self.id.clone(), place, outcome };
        locked(&self.inner.queue).finished.push(finished);
        Ok(())
    }

    /// Notes a failed attempt.
    ///
    /// # Errors
    /// When the store failed.
    pub fn fail(&self, halt: &EpisodeStopped) -> Result<(), RecordError> {
        self.inner.check()?;
        let place = self.place()?;
        let detail = halt.detail.clone().unwrap_or_default();
        self.attempted(halt.stop, &detail);
        // A cancelled attempt is not evidence about the model.
        if halt.stop == gimbal_core::Stop::Cancelled {
            return Ok(());
        }
        let failed = Failed { id: self.id.clone(), place, stop: halt.stop, detail };
        locked(&self.inner.queue).failed.push(failed);
        Ok(())
    }
}

impl Drop for EpisodeRecorder {
    fn drop(&mut self) {
        self.inner.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Recorder for EpisodeRecorder {
    fn objective(&self, objective: &str) {
        let _ = self.objective.set(objective.to_owned());
    }

    fn event(&self, bytes: &[u8]) -> Result<(), RecordError> {
        let mut held = locked(&self.held);
        let most = (HELD / self.inner.in_flight.load(Ordering::Relaxed).max(1)).clamp(SMALLEST, FRAME_BYTES);
        if !held.bytes.is_empty() && held.bytes.len() + bytes.len() >= most {
            self.inner.check()?;
            self.write_frames(&mut held, true)?;
            held.bytes.shrink_to(most);
        }
        // Exactly what fits: doubling would hold twice as much for every episode in flight.
        let wanted = if held.bytes.capacity() == 0 { SMALLEST } else { bytes.len() + 1 };
        if held.bytes.capacity() - held.bytes.len() < bytes.len() + 1 {
            let more = (held.bytes.len() / 2).clamp(wanted, most.max(wanted));
            held.bytes.reserve_exact(more.max(bytes.len() + 1));
        }
        held.bytes.extend_from_slice(bytes);
        held.bytes.push(b'\n');
        Ok(())
    }

    fn text(&self, digest: Digest, text: &str, near: &[SimilarText<'_>]) -> Result<(), RecordError> {
        self.inner.check()?;
        self.inner.dirty.store(true, Ordering::Release);
        locked(&self.inner.texts).add(digest, text, near).map_err(|error| self.inner.fail_io("texts", &error))
    }

    fn sent(&self, call: &CallFacts<'_>, cached: bool) -> Result<u64, RecordError> {
        self.inner.check()?;
        if !cached {
            self.inner.spend.allow().map_err(|limit| RecordError::Limit(Stop::StudyLimit, limit.to_string()))?;
            let cell = self.inner.spend.allow_cell(&self.id.cell);
            cell.map_err(|limit| RecordError::Limit(Stop::CellLimit, limit.to_string()))?;
            if let Some(why) = self.inner.health.closed(call.model) {
                return Err(RecordError::Stopped(why));
            }
        }
        let mut ledger = locked(&self.inner.ledger);
        let attempt = ledger.number();
        let row = Sent {
            attempt,
            at: now(),
            cached,
            call: call.call,
            episode: self.id.key,
            lane: call.lane,
            model: call.model.to_owned(),
            role: call.role.to_owned(),
            try_number: self.attempt,
        };
        self.inner.dirty.store(true, Ordering::Release);
        ledger.now(&Row::Sent(row)).map_err(|error| self.inner.fail_io("ledger", &error))?;
        Ok(attempt)
    }

    fn received(
        &self,
        call: &CallFacts<'_>,
        attempt: Attempt,
        outcome: &Result<Completion, ModelError>,
    ) -> Result<(), RecordError> {
        let (name, usage, latency_us, provider) = match outcome {
            Ok(completion) => ("completed", Some(completion.usage), completion.latency_us, completion.provider.clone()),
            Err(error) => (error.kind.name(), error.usage, error.latency_us, (*error.provider).clone()),
        };
        if let (false, Some(usage)) = (attempt.cached, &usage) {
            self.inner.spend.add(&self.id.cell, call.model, usage);
        }
        if outcome.is_ok() {
            self.inner.health.answered(call.model);
        }
        let row =
            Received { attempt: attempt.number, at: now(), latency_us, outcome: name.to_owned(), provider, usage };
        self.inner.dirty.store(true, Ordering::Release);
        locked(&self.inner.ledger).now(&Row::Received(row)).map_err(|error| self.inner.fail_io("ledger", &error))
    }

    fn called(&self, call: &CallFacts<'_>, outcome: &str, usage: &Usage, latency_us: u64) -> Result<(), RecordError> {
        let row = Called {
            call: call.call,
            lane: call.lane,
            latency_us,
            model: call.model.to_owned(),
            outcome: outcome.to_owned(),
            role: call.role.to_owned(),
            try_number: self.attempt,
            usage: *usage,
            environment: call.environment,
        };
        locked(&self.inner.ledger).later(&Row::Called(row));
        Ok(())
    }

    fn took(&self, took_us: u64, components: Vec<ComponentTime>) {
        *locked(&self.took) = Some((took_us, components));
    }

    fn failed(&self, call: &CallFacts<'_>, error: &ModelError) {
        if error.lasting || !error.kind.is_transient() {
            self.hopeless.store(true, Ordering::Release);
        }
        self.inner.health.failed(call.model, self.id.key, error);
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

/// Makes a folder's own entries durable.
pub fn sync_folder(folder: &Path) -> Result<(), RunError> {
    let opened = File::open(folder).and_then(|file| file.sync_all());
    opened.map_err(|error| RunError::io(folder, "the folder cannot be made durable", &error))
}
