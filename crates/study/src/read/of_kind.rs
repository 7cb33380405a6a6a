//! The records of one kind, for a system that reads what only it writes.

use gimbal_core::event::{Body, Event};
use gimbal_messages::Record;

use super::profile::{LazyTexts, Walk};
use super::records::RecordPlace;
use crate::run::index::unreadable;
use crate::run::{EpisodeId, Finished, INDEX, RunError, RunFolder};

/// Passes the records of one kind to `each`: those of every finished episode in the order of keys, and within it in the order of
/// the journal. So a system reads what only it writes.
///
/// # Errors
/// When the index, a journal or a text cannot be read, or a record does not have the form of its kind.
pub fn each_record<R: Record>(folder: &RunFolder, mut each: impl FnMut(&EpisodeId, R)) -> Result<(), RunError> {
    let mut texts = LazyTexts::new(folder);
    let read = folder.index()?.each(|episode: Finished| -> Result<(), Walk> {
        let mut place = RecordPlace { run: folder.root().to_owned(), episode: episode.id.name(), event: 0 };
        for (number, bytes) in (0..).zip(folder.events(episode.place)?) {
            place.event = number;
            let event: Event = serde_json::from_slice(&bytes).map_err(|error| RunError::Damaged {
                path: folder.root().to_owned(),
                what: format!("event {number} of {} cannot be read: {error}", place.episode),
            })?;
            if let Body::Note(note) = event.body
                && note.kind == R::KIND
            {
                let data = texts.get(&note.data)?;
                each(&episode.id, place.read(&data)?);
            }
        }
        Ok(())
    });
    read.map_err(|error| match error {
        Walk::Run(error) => *error,
        Walk::Index(error) => unreadable(&folder.root().join(INDEX), &error),
    })
}
