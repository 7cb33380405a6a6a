//! What finished trials left in the memory of their session, taken up from their journals.

use gimbal_core::event::{Body, Event};

use super::Shared;
use crate::run::check::remembered;
use crate::run::{EpisodeId, RunError, texts::Texts};
use crate::stage::SessionMemory;

/// Whether the trial is finished; if so, what it wrote into the memory is taken up from its journal.
///
/// # Errors
/// [`RunError::Memory`] when that cannot be read; others when the run folder cannot be used.
pub(super) fn restore(shared: &Shared, id: &EpisodeId, memory: Option<&SessionMemory>) -> Result<bool, RunError> {
    let Some(finished) = shared.finished(&id.key)? else { return Ok(false) };
    let Some(memory) = memory else { return Ok(true) };
    let folder = &shared.folder;
    let damaged = |what: String| RunError::Memory { path: folder.root().to_owned(), episode: id.name(), what };
    // What a sound disk will not give is not a damage of the run.
    let of = |error: RunError| match error {
        RunError::Damaged { path, what } => damaged(format!("{}: {what}", path.display())),
        other => other,
    };
    let mut texts = None;
    for bytes in folder.events(finished.place).map_err(of)? {
        let event: Event =
            serde_json::from_slice(&bytes).map_err(|error| damaged(format!("an event cannot be read: {error}")))?;
        let Body::Remembered(change) = event.body else { continue };
        let text = match change.value.as_stored() {
            None => change.value.as_inline().unwrap_or_default().to_owned(),
            Some(digest) => {
                let texts: &mut Texts = match &mut texts {
                    Some(texts) => texts,
                    none => none.insert(folder.texts().map_err(of)?),
                };
                texts.get(&digest).map_err(of)?
            }
        };
        let value = remembered(&change.key, &text).map_err(damaged)?;
        memory.restore(&change.key, value);
    }
    Ok(true)
}
