//! Whether a finished episode is whole: what `gimbal verify` reports and what makes `gimbal run` play it again.

use gimbal_core::Digest;
use gimbal_core::chain::Chain;
use gimbal_core::event::{Body, Event};

use super::error::RunError;
use super::folder::RunFolder;
use super::index::Finished;

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
        return Err(damaged("index and journal tell different outcomes"));
    }
    Ok(events)
}

/// The stored texts that an event refers to, without reading it as JSON: strings of `#` and 64 hexadecimal digits.
pub fn references(event: &[u8]) -> impl Iterator<Item = Digest> + '_ {
    const DIGITS: usize = 64;
    memchr::memmem::find_iter(event, b"\"#").filter_map(move |at| {
        // An escaped quotation mark stands within a text, and begins none.
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
