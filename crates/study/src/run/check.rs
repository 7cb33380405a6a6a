//! Whether a finished episode is whole: what `gimbal verify` reports and what makes `gimbal run` play it again.

use gimbal_core::Digest;
use gimbal_core::chain::Chain;
use gimbal_core::event::{Body, Event};
use serde_json::Value;

use super::INDEX;
use super::error::RunError;
use super::folder::RunFolder;
use super::index::{Finished, Index, unreadable};
use super::texts::Texts;
use super::writable::Writable;

/// The events of a finished episode, held against its row: frames, chain, end and outcome.
///
/// # Errors
/// [`RunError::Damaged`] when they do not hold; [`RunError::Io`] when they could not be looked at.
pub fn events(folder: &RunFolder, episode: &Finished) -> Result<Vec<Vec<u8>>, RunError> {
    let (id, outcome) = (&episode.id, &episode.outcome);
    let damaged = |what: &str| RunError::Damaged { path: folder.segment(episode.place), what: what.to_owned() };
    let events = folder.events(episode.place)?;
    let mut chain = Chain::start("journal", id.key.to_string().as_bytes());
    for bytes in &events {
        chain.push(bytes);
    }
    if chain.value() != outcome.chain || chain.links() != outcome.events {
        return Err(damaged("the chain does not end where the index says"));
    }
    let last = events.last().and_then(|bytes| serde_json::from_slice::<Event>(bytes).ok());
    let Some(Body::Ended(ended)) = last.map(|event| event.body) else {
        return Err(damaged("the journal does not end"));
    };
    let spent = &outcome.spent;
    let told = (ended.stop, ended.episode_return, ended.steps, ended.model_calls, ended.tool_calls, ended.state);
    let indexed =
        (outcome.stop, outcome.episode_return, outcome.steps, spent.model_calls, spent.tool_calls, outcome.state);
    if told != indexed {
        return Err(damaged("index and journal have different outcomes"));
    }
    Ok(events)
}

/// Whether the journal of a finished episode holds, and every text that it refers to is there and undamaged.
pub(super) fn is_whole(folder: &RunFolder, episode: &Finished, texts: &mut Texts) -> Result<bool, RunError> {
    let events = match events(folder, episode) {
        Ok(events) => events,
        Err(RunError::Damaged { .. }) => return Ok(false),
        Err(error) => return Err(error),
    };
    for digest in events.iter().flat_map(|event| references(event)) {
        if !texts.holds(&digest)? {
            return Ok(false);
        }
    }
    for event in events.iter().filter(|event| event.starts_with(REMEMBERED)) {
        if !is_readable(event, texts)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// How an event begins that changes the session's memory.
const REMEMBERED: &[u8] = br#"{"body":{"remembered":"#;

/// Whether the value that an event puts into the session's memory can be taken up again.
fn is_readable(event: &[u8], texts: &mut Texts) -> Result<bool, RunError> {
    let Ok(Event { body: Body::Remembered(change), .. }) = serde_json::from_slice(event) else { return Ok(false) };
    let text = match change.value.as_stored() {
        None => change.value.as_inline().unwrap_or_default().to_owned(),
        Some(digest) => texts.get(&digest)?,
    };
    Ok(remembered(&change.key, &text).is_ok())
}

/// The value that a change of the session's memory sets, from its text.
///
/// # Errors
/// When it is not JSON.
pub fn remembered(key: &str, text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("the value that it remembered as `{key}` is not JSON: {error}"))
}

impl Writable {
    /// Takes back episodes whose journals or texts are gone or damaged, so that they are played again. Returns how many.
    /// What they cost stays in the ledger.
    ///
    /// # Errors
    /// When the index is gone (see [`Writable::rebuild_lost_index`]) or cannot be read or written, or when a journal or
    /// text could not be looked at.
    pub fn forget_lost(&self) -> Result<u64, RunError> {
        let path = self.folder().root().join(INDEX);
        if !Index::begun(&path)? && self.folder().was_played()? {
            return Err(RunError::IndexLost { path });
        }
        let mut index = Index::create(&path)?;
        let mut texts = self.folder().texts()?;
        let mut lost: Vec<Digest> = Vec::new();
        let mut failed = None;
        let walked = index.each(|episode| {
            if failed.is_none() {
                match is_whole(self.folder(), &episode, &mut texts) {
                    Ok(true) => {}
                    Ok(false) => lost.push(episode.id.key),
                    Err(error) => failed = Some(error),
                }
            }
            Ok::<(), rusqlite::Error>(())
        });
        walked.map_err(|error| unreadable(&path, &error))?;
        if let Some(error) = failed {
            return Err(error);
        }
        index.forget(&lost).map_err(|error| unreadable(&path, &error))?;
        Ok(lost.len() as u64)
    }
}

/// The stored texts that an event refers to, without reading it as JSON: strings of `#` and 64 hexadecimal digits.
pub fn references(event: &[u8]) -> impl Iterator<Item = Digest> + '_ {
    const DIGITS: usize = 64;
    memchr::memmem::find_iter(event, b"\"#").filter_map(move |at| {
        // An escaped quotation mark is within a text, and begins none.
        if at > 0 && event[at - 1] == b'\\' {
            return None;
        }
        let digits = event.get(at + 2..at + 2 + DIGITS)?;
        let closed = event.get(at + 2 + DIGITS) == Some(&b'"');
        std::str::from_utf8(digits).ok().filter(|_| closed)?.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_found_in_whole_strings_only() {
        let digest = Digest::of(b"a text");
        let found = |text: String| references(text.as_bytes()).collect::<Vec<_>>();
        assert_eq!(found(format!(r##"{{"a":"#{digest}","b":["#{digest}"]}}"##)), [digest, digest]);
        assert_eq!(found(format!(r##"{{"a":"=said \"#{digest}\" once"}}"##)), []);
        assert_eq!(found(format!(r##"{{"a":"#{digest}0"}}"##)), []);
        assert_eq!(found(format!(r##"{{"a":"#{digest}"##)), []);
        assert_eq!(found(r##"{"a":"#short"}"##.to_owned()), []);
    }
}
