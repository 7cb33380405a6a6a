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
    walk(folder, &[R::KIND], |place, id, _, data| {
        each(id, place.read(data)?);
        Ok(())
    })
}

/// Passes the records of these kinds to `each` as they are stored: episode, kind, JSON text. Order and errors are those of
/// [`each_record`], except that the form of a record is not checked.
///
/// # Errors
/// When the index, a journal or a text cannot be read.
pub fn each_stored_record(
    folder: &RunFolder,
    kinds: &[&str],
    mut each: impl FnMut(&EpisodeId, &str, &str),
) -> Result<(), RunError> {
    walk(folder, kinds, |_, id, kind, data| {
        each(id, kind, data);
        Ok(())
    })
}

fn walk(
    folder: &RunFolder,
    kinds: &[&str],
    mut each: impl FnMut(&RecordPlace, &EpisodeId, &str, &str) -> Result<(), RunError>,
) -> Result<(), RunError> {
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
                && kinds.contains(&note.kind.as_str())
            {
                let data = texts.get(&note.data)?;
                each(&place, &episode.id, &note.kind, &data)?;
            }
        }
        Ok(())
    });
    read.map_err(|error| match error {
        Walk::Run(error) => *error,
        Walk::Index(error) => unreadable(&folder.root().join(INDEX), &error),
    })
}
