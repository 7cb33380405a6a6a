//! Writes a recording.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use gimbal_core::{CallContext, ChatModel, ChatRequest, Completion, ModelError, ModelErrorKind};

use super::{Header, Recorded, RecordedRequest, VERSION, file_name, header_path, place};
use crate::error::SetupError;
use crate::layers::through_inner;
use crate::stored::{self, StoredOutcome};

/// One header at a time, also where several threads open models.
static HEADER: Mutex<()> = Mutex::new(());

/// The layer that records.
pub(crate) struct Recorder {
    inner: Box<dyn ChatModel>,
    folder: PathBuf,
    model: String,
}

impl Recorder {
    /// Opens the folder, or adds the model to one that is there.
    pub(crate) fn open(inner: Box<dyn ChatModel>, folder: PathBuf, model: String) -> Result<Self, SetupError> {
        let path = header_path(&folder);
        let _one = HEADER.lock().unwrap_or_else(PoisonError::into_inner);
        let mut header = match std::fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str::<Header>(&text)
                .ok()
                .filter(|header| header.version == VERSION)
                .ok_or_else(|| {
                    SetupError::Recording(format!(
                        "{}: this is not a recording of version {VERSION}: record into an empty folder",
                        path.display()
                    ))
                })?,
            Err(_) => Header { version: VERSION, models: Vec::new() },
        };
        if let Err(at) = header.models.binary_search(&model) {
            header.models.insert(at, model.clone());
            let bytes = serde_json::to_vec_pretty(&header).unwrap_or_default();
            stored::write_whole(&path, &bytes)
                .map_err(|error| SetupError::Recording(format!("{}: cannot record here: {error}", path.display())))?;
        }
        Ok(Self { inner, folder, model })
    }
}

#[async_trait]
impl ChatModel for Recorder {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        let outcome = self.inner.complete(request, context).await;
        if let Some(stored) = StoredOutcome::of(&outcome) {
            let request = RecordedRequest::of(request);
            let path = place(&self.folder, context.seed).join(file_name(context.call, &request.digest));
            let recorded = Recorded { model: self.model.clone(), request, outcome: stored };
            let written = serde_json::to_vec_pretty(&recorded)
                .map_err(std::io::Error::other)
                .and_then(|bytes| stored::write_whole(&path, &bytes));
            // A recording with holes would be found out only when it is played back: better to stop now.
            written.map_err(|error| {
                let message =
                    format!("{}: this call could not be recorded: {error}; make room and resume", path.display());
                ModelError::new(ModelErrorKind::Transport, message)
            })?;
        }
        outcome
    }

    through_inner!();
}
