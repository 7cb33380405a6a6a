//! A model file on a thread of its own, with a queue before it.

use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::{Arc, OnceLock, mpsc as sync_mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::JoinHandle;

use gimbal_core::Digest;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use serde::Serialize;
use tokio::sync::{mpsc, oneshot};

use super::error::EmbeddedError;
use super::generation::{GenerateRequest, Generation, Prompt};
use super::grammar::Grammars;
use super::settings::{EngineSettings, Mode};
use super::template::ChatTemplate;
use super::vocabulary::Vocabulary;
use super::worker::{Parts, Worker, prompt_tokens};

/// The binding that computes, with its version.
const LIBRARY: &str = "llama-cpp-2 0.1.160";

/// What decides, beside the request, which tokens come out; kept in the trace (`model sha256, threads, chunk, build`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EngineInfo {
    /// Name that the file gives its model.
    pub name: String,
    /// Architecture that the file names, such as `llama` or `qwen2`.
    pub architecture: String,
    /// SHA-256 of the file.
    pub sha256: Digest,
    /// Number of weights.
    pub parameters: u64,
    /// Number of tokens in the vocabulary.
    pub vocabulary: u32,
    /// Tokens that prompt and answer may hold together.
    pub context: u32,
    /// How conversations are written: `chatml`, `jinja` or `none`.
    pub template: &'static str,
    /// Threads of the matrix products.
    pub threads: u32,
    /// Tokens of a prefill chunk.
    pub chunk: u32,
    /// How the cache is used.
    pub mode: Mode,
    /// Binding and version.
    pub library: &'static str,
    /// Machine that the binary was built for, with the vector instructions that change the sums.
    pub target: String,
}

/// A job for the thread.
struct Job {
    request: GenerateRequest,
    reply: oneshot::Sender<Result<Generation, EmbeddedError>>,
}

/// An opened model. Calls queue and run one at a time; a caller that goes away (its future is dropped) calls its job
/// off between two tokens. Closing waits for the current token.
pub struct Engine {
    jobs: Option<mpsc::UnboundedSender<Job>>,
    thread: Option<JoinHandle<()>>,
    info: EngineInfo,
    vocabulary: Vocabulary,
    template: Arc<ChatTemplate>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("info", &self.info).finish_non_exhaustive()
    }
}

/// What the thread reports once it is ready.
struct Ready {
    info: EngineInfo,
    vocabulary: Vocabulary,
    template: Arc<ChatTemplate>,
}

impl Engine {
    /// Opens `path`, whose SHA-256 is `sha256` (see [`locate`](crate::weights::locate)). Blocks for a second or so.
    ///
    /// # Errors
    /// [`EmbeddedError::Open`] when the library cannot read the file as a model, [`EmbeddedError::Settings`] when the
    /// settings do not fit it.
    pub fn open(path: &Path, sha256: Digest, settings: &EngineSettings) -> Result<Self, EmbeddedError> {
        settings.check()?;
        check_header(path)?;
        let backend = backend()?;
        let (jobs, queue) = mpsc::unbounded_channel();
        let (ready_sender, ready) = sync_mpsc::channel();
        let (file, settings) = (path.to_path_buf(), settings.clone());
        let thread = std::thread::Builder::new()
            .name("embedded-model".to_owned())
            .spawn(move || run(backend, &file, sha256, &settings, &ready_sender, queue))
            .map_err(|error| EmbeddedError::Settings(format!("no thread for the model could be started: {error}")))?;
        let ready = ready.recv().map_err(|_| EmbeddedError::Closed)??;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
            info: ready.info,
            vocabulary: ready.vocabulary,
            template: ready.template,
        })
    }

    /// What decides which tokens come out.
    #[must_use]
    pub fn info(&self) -> &EngineInfo {
        &self.info
    }

    /// Tokens of a prompt as the model reads it, control tokens included.
    ///
    /// # Errors
    /// [`EmbeddedError::Template`] or [`EmbeddedError::Request`] when the prompt cannot be written.
    pub fn tokenize(&self, prompt: &Prompt) -> Result<Vec<u32>, EmbeddedError> {
        prompt_tokens(&self.vocabulary, &self.template, prompt)
    }

    /// How many tokens a text has by itself, without a frame around it; words that spell a control token count as words.
    ///
    /// # Errors
    /// [`EmbeddedError::Request`] when the text is too long to be cut at once.
    pub fn count(&self, text: &str) -> Result<u64, EmbeddedError> {
        self.vocabulary.tokenize(text, false).map(|tokens| tokens.len() as u64)
    }

    /// The text of tokens; control tokens have none.
    #[must_use]
    pub fn detokenize(&self, tokens: &[u32]) -> String {
        let bytes: Vec<u8> = tokens.iter().flat_map(|token| self.vocabulary.bytes(*token)).copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Computes an answer. Dropping the future calls the job off.
    ///
    /// # Errors
    /// See [`EmbeddedError`].
    pub async fn generate(&self, request: GenerateRequest) -> Result<Generation, EmbeddedError> {
        self.submit(request)?.await.map_err(|_| EmbeddedError::Closed)?
    }

    /// The same for callers that may block their thread. Inside an asynchronous runtime that thread serves others as
    /// well: call it there from a blocking task.
    ///
    /// # Errors
    /// See [`EmbeddedError`].
    pub fn generate_blocking(&self, request: GenerateRequest) -> Result<Generation, EmbeddedError> {
        wait(self.submit(request)?).map_err(|_| EmbeddedError::Closed)?
    }

    fn submit(
        &self,
        request: GenerateRequest,
    ) -> Result<oneshot::Receiver<Result<Generation, EmbeddedError>>, EmbeddedError> {
        let (reply, answer) = oneshot::channel();
        let jobs = self.jobs.as_ref().ok_or(EmbeddedError::Closed)?;
        jobs.send(Job { request, reply }).map_err(|_| EmbeddedError::Closed)?;
        Ok(answer)
    }
}

/// Parks this thread until `future` is done. The runtime's own way to wait panics on a thread of the runtime, where
/// waiting is slow for others and no more than that.
fn wait<F: Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the worker has already been seen by its caller as `Closed`.
            let _ = thread.join();
        }
    }
}

/// The thread: opens the model, reports that, works until every sender is dropped.
fn run(
    backend: &'static LlamaBackend,
    path: &Path,
    sha256: Digest,
    settings: &EngineSettings,
    ready: &sync_mpsc::Sender<Result<Ready, EmbeddedError>>,
    mut queue: mpsc::UnboundedReceiver<Job>,
) {
    let opened =
        LlamaModel::load_from_file(backend, path, &LlamaModelParams::default()).map_err(|error| EmbeddedError::Open {
            path: path.to_path_buf(),
            why: format!("{error}; the file is damaged, or of an architecture that {LIBRARY} does not know"),
        });
    let model = match opened {
        Ok(model) => Arc::new(model),
        Err(error) => return drop(ready.send(Err(error))),
    };
    let prepared = prepare(&model, sha256, settings)
        .and_then(|(parts, told)| Worker::new(backend, &model, parts).map(|worker| (worker, told)));
    let mut worker = match prepared {
        Ok((worker, told)) => {
            if ready.send(Ok(told)).is_err() {
                return;
            }
            worker
        }
        Err(error) => return drop(ready.send(Err(error))),
    };
    while let Some(Job { request, reply }) = queue.blocking_recv() {
        if reply.is_closed() {
            continue;
        }
        let answer = worker.generate(&request, &|| reply.is_closed());
        // A caller that went away needs no answer.
        let _ = reply.send(answer);
    }
}

fn prepare(
    model: &Arc<LlamaModel>,
    sha256: Digest,
    settings: &EngineSettings,
) -> Result<(Parts, Ready), EmbeddedError> {
    let meta = |key: &str| model.meta_val_str(key).unwrap_or_default();
    let vocabulary = Vocabulary::read(Arc::clone(model))?;
    let grammars = Grammars::new(&vocabulary)?;
    let written = model.chat_template(None).ok().and_then(|template| template.to_string().ok());
    let template = Arc::new(ChatTemplate::choose(written, vocabulary.controls()));
    let trained = model.n_ctx_train();
    let capacity = if trained == 0 { settings.context } else { settings.context.min(trained) };
    let info = EngineInfo {
        name: meta("general.name"),
        architecture: meta("general.architecture"),
        sha256,
        parameters: model.n_params(),
        vocabulary: vocabulary.size() as u32,
        context: capacity,
        template: template.name(),
        threads: settings.threads,
        chunk: settings.chunk,
        mode: settings.mode,
        library: LIBRARY,
        target: target(),
    };
    let ready = Ready { info, vocabulary: vocabulary.clone(), template: Arc::clone(&template) };
    Ok((Parts { vocabulary, template, grammars, settings: settings.clone(), capacity }, ready))
}

/// Machine and vector instructions of the build.
fn target() -> String {
    let mut name = format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS);
    for (feature, there) in [
        ("avx2", cfg!(target_feature = "avx2")),
        ("fma", cfg!(target_feature = "fma")),
        ("f16c", cfg!(target_feature = "f16c")),
        ("avx512f", cfg!(target_feature = "avx512f")),
        ("neon", cfg!(target_feature = "neon")),
    ] {
        if there {
            name.push('+');
            name.push_str(feature);
        }
    }
    name
}

/// The library, started once and silent: standard output and error belong to the program.
pub(crate) fn backend() -> Result<&'static LlamaBackend, EmbeddedError> {
    static BACKEND: OnceLock<Result<LlamaBackend, String>> = OnceLock::new();
    let started = BACKEND.get_or_init(|| {
        let mut backend = LlamaBackend::init().map_err(|error| error.to_string())?;
        backend.void_logs();
        Ok(backend)
    });
    started.as_ref().map_err(|error| EmbeddedError::Settings(format!("{LIBRARY} could not be started: {error}")))
}

/// Refuses an invalid GGUF file before the library reads it: its own messages go nowhere, and it ends the program on
/// some damage.
pub(crate) fn check_header(path: &Path) -> Result<(), EmbeddedError> {
    let fail = |why: String| Err(EmbeddedError::Open { path: PathBuf::from(path), why });
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return fail("it is not a regular file; name the file of the weights itself".to_owned());
    }
    let mut header = [0u8; 8];
    let read = std::fs::File::open(path).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut header));
    if let Err(error) = read {
        return fail(format!("{error}; check the path, or fetch the weights with `gimbal model pull`"));
    }
    if &header[..4] != b"GGUF" {
        return fail("it does not begin with `GGUF`; give a GGUF file of an instruct model".to_owned());
    }
    match u32::from_le_bytes([header[4], header[5], header[6], header[7]]) {
        2 | 3 => crate::gguf::check(path).map(drop).or_else(|error| fail(error.to_string())),
        version => fail(format!("GGUF version {version} is not one of those read here (2 and 3)")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_version_is_the_pinned_one() {
        let manifest = include_str!("../../../../Cargo.toml");
        let pinned = manifest.lines().find(|line| line.starts_with("llama-cpp-2 = ")).unwrap();
        let version = LIBRARY.split(' ').nth(1).unwrap();
        assert!(pinned.contains(&format!("\"={version}\"")), "{pinned}");
    }

    #[test]
    fn what_is_no_model_is_refused_with_a_reason() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.gguf");
        let open = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            Engine::open(&path, Digest::default(), &EngineSettings::default()).unwrap_err().to_string()
        };
        assert!(open(b"not a model at all").contains("does not begin with `GGUF`"));
        assert!(open(b"GG").contains("check the path"));
        assert!(open(b"GGUF\x01\0\0\0").contains("version 1"));
        let broken = open(b"GGUF\x03\0\0\0then nothing that could be read");
        assert!(broken.contains("damaged") && broken.contains("model.gguf"), "{broken}");
        std::fs::remove_file(&path).unwrap();
        let gone = Engine::open(&path, Digest::default(), &EngineSettings::default()).unwrap_err().to_string();
        assert!(gone.contains("gimbal model pull"), "{gone}");
    }
}
