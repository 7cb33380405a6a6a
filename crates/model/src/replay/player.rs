//! Plays a recording back.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use gimbal_core::{CallContext, ChatModel, ChatRequest, Completion, Digest, ModelError, ModelErrorKind};

use super::{Header, Recorded, RecordedRequest, VERSION, compare, file_name, header_path, place};
use crate::facts::SetupError;

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
            serde_json::from_str(&text).map_err(|error| fail(format!("this is no recording: {error}")))?;
        if header.version != VERSION {
            return Err(fail(format!(
                "version {} is not known here (known: {VERSION}): record it again",
                header.version
            )));
        }
        Ok(Self { folder: folder.to_owned() })
    }

    /// Hash over names and contents of all recorded calls: what the recording stands for in an episode key.
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
        Err(self.not_recorded(&asked, &folder, context))
    }

    fn read(&self, path: &Path) -> Result<Option<Recorded>, ModelError> {
        let text = match std::fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(damaged(path, &error.to_string())),
        };
        serde_json::from_slice(&text).map(Some).map_err(|error| damaged(path, &error.to_string()))
    }

    /// Says what the nearest recorded request of this place has that this one has not.
    fn not_recorded(&self, asked: &RecordedRequest, folder: &Path, context: &CallContext<'_>) -> ModelError {
        let prefix = format!("{:06}-", context.call);
        let here = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix));
        let candidates = sorted(folder).unwrap_or_default().into_iter().filter(here);
        let recorded = candidates.filter_map(|path| self.read(&path).ok().flatten()).map(|recorded| recorded.request);
        let place = format!("{}: call {} of seed {:016x}", self.folder.display(), context.call, context.seed);
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
