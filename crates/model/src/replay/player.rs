//! Plays a recording back.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use gimbal_core::{CallContext, ChatModel, ChatRequest, Completion, Digest, ModelError, ModelErrorKind, Sampling};

use super::{Header, Recorded, RecordedRequest, VERSION, compare, file_name, header_path, place};
use crate::error::SetupError;

/// A recorded model.
#[derive(Debug)]
pub struct Player {
    folder: PathBuf,
}

impl Player {
    /// Opens a recording.
    ///
    /// # Errors
    /// [`SetupError::Recording`] when the folder holds none.
    pub fn open(folder: &Path) -> Result<Self, SetupError> {
        let path = header_path(folder);
        let fail = |why: String| SetupError::Recording(format!("{}: {why}", path.display()));
        let text = std::fs::read_to_string(&path).map_err(|error| {
            fail(format!("there is no recording here ({error}): record one first, then name its folder"))
        })?;
        let header: Header =
            serde_json::from_str(&text).map_err(|error| fail(format!("this is not a recording: {error}")))?;
        if header.version != VERSION {
            return Err(fail(format!(
                "version {} is not known here (known: {VERSION}): record it again",
                header.version
            )));
        }
        Ok(Self { folder: folder.to_owned() })
    }

    /// Hash over names and contents of all recorded calls: its identity in an episode key.
    ///
    /// # Errors
    /// [`SetupError::Recording`] when a file cannot be read.
    pub fn digest(&self) -> Result<Digest, SetupError> {
        let calls = self.folder.join("calls");
        let fail = |error: std::io::Error| SetupError::Recording(format!("{}: {error}", calls.display()));
        let mut parts: Vec<Vec<u8>> = Vec::new();
        for folder in sorted(&calls).map_err(fail)? {
            for file in sorted(&folder).map_err(fail)? {
                let name = file.strip_prefix(&calls).unwrap_or(&file).to_string_lossy().replace('\\', "/");
                parts.push(name.into_bytes());
                parts.push(Digest::of(&std::fs::read(&file).map_err(fail)?).0.to_vec());
            }
        }
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        Ok(Digest::of_parts(&parts))
    }

    fn find(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        let folder = place(&self.folder, context.seed);
        let asked = RecordedRequest::of(request);
        let exact = folder.join(file_name(context.call, &asked.digest));
        if let Some(recorded) = self.read(&exact)?
            && recorded.request.digest == asked.digest
        {
            return recorded.outcome.outcome();
        }
        let here = self.recorded_at(&folder, context.call);
        // Playback does not need the settings of the recording.
        let mut alike = here.iter().filter(|recorded| recorded.request.asks_the_same(&asked));
        match (alike.next(), alike.next()) {
            (Some(recorded), None) => recorded.outcome.clone().outcome(),
            (Some(_), Some(_)) => Err(self.ambiguous(context)),
            (None, _) => Err(self.not_recorded(&asked, here, context)),
        }
    }

    /// Everything that is recorded of a call.
    fn recorded_at(&self, folder: &Path, call: u64) -> Vec<Recorded> {
        let prefix = format!("{call:06}-");
        let here = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix));
        let files = sorted(folder).unwrap_or_default().into_iter().filter(here);
        files.filter_map(|path| self.read(&path).ok().flatten()).collect()
    }

    fn read(&self, path: &Path) -> Result<Option<Recorded>, ModelError> {
        let text = match std::fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(damaged(path, &error.to_string())),
        };
        serde_json::from_slice(&text).map(Some).map_err(|error| damaged(path, &error.to_string()))
    }

    fn place(&self, context: &CallContext<'_>) -> String {
        format!("{}: call {} of seed {:016x}", self.folder.display(), context.call, context.seed)
    }

    /// Says that one request was recorded with several settings, of which the role names none.
    fn ambiguous(&self, context: &CallContext<'_>) -> ModelError {
        let message = format!(
            "{} was recorded with several decoding settings: give the role those of one of them (`temperature`, \
             `max_output_tokens` and the like), all that were set",
            self.place(context)
        );
        ModelError::new(ModelErrorKind::NotRecorded, message)
    }

    /// Says what the nearest recorded request of this place has that this one has not.
    fn not_recorded(&self, asked: &RecordedRequest, here: Vec<Recorded>, context: &CallContext<'_>) -> ModelError {
        let recorded = here.into_iter().map(|recorded| recorded.request);
        let place = self.place(context);
        let message = match recorded.max_by_key(|recorded| compare::common(asked, recorded)) {
            None => format!("{place} is not recorded: record this study with the same seed and settings first"),
            Some(recorded) => format!(
                "{place} was recorded with another request: {}; play back with the settings of the recording, or record \
                 again",
                compare::first_difference(asked, &recorded)
            ),
        };
        ModelError::new(ModelErrorKind::NotRecorded, message)
    }
}

/// Whether any call of a recording was made with such settings; `None` where no call can be read.
#[must_use]
pub fn was_made_with(folder: &Path, such: impl Fn(&Sampling) -> bool) -> Option<bool> {
    let seeds = sorted(&folder.join("calls")).unwrap_or_default();
    let mut files = seeds.iter().flat_map(|seed| sorted(seed).unwrap_or_default());
    let sampling = |path: PathBuf| {
        let bytes = std::fs::read(path).ok()?;
        Some(serde_json::from_slice::<Recorded>(&bytes).ok()?.request.sampling)
    };
    let first = files.find_map(sampling)?;
    Some(such(&first) || files.filter_map(sampling).any(|sampling| such(&sampling)))
}

fn damaged(path: &Path, why: &str) -> ModelError {
    let message = format!("{}: this recorded call cannot be read ({why}): record again", path.display());
    ModelError::new(ModelErrorKind::NotRecorded, message)
}

fn sorted(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut paths =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    Ok(paths)
}

#[async_trait]
impl ChatModel for Player {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        self.find(request, context)
    }
}
