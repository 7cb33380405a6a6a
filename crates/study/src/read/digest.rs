//! The hash by which two runs are compared.

use gimbal_core::Digest;

use crate::run::index::unreadable;
use crate::run::{Finished, INDEX, RunError, RunFolder};

/// One hash over (episode key, last chain value) of all finished episodes of the study's cells, sorted by key. Episodes of
/// cells that are no longer in the study take no part: the hash is that of a run of the study as it is.
///
/// Equal for the same seeds on one worker and on eight, after kills and resumes: that is what *identical* means.
///
/// # Errors
/// When the index cannot be read.
pub fn digest(folder: &RunFolder) -> Result<Digest, RunError> {
    let mut digest = RunDigest::default();
    let walked = folder.index()?.each(|episode| {
        digest.add(&episode);
        Ok::<(), rusqlite::Error>(())
    });
    walked.map_err(|error| unreadable(&folder.root().join(INDEX), &error))?;
    Ok(digest.finish())
}

/// The hash under way.
#[derive(Debug, Default)]
pub(super) struct RunDigest(Vec<u8>);

impl RunDigest {
    /// Takes in a finished episode; they come in the order of their keys.
    pub(super) fn add(&mut self, episode: &Finished) {
        self.0.extend_from_slice(&episode.id.key.0);
        self.0.extend_from_slice(&episode.outcome.chain.0);
    }

    pub(super) fn finish(self) -> Digest {
        Digest::of_parts(&[b"gimbal/run/v1", &self.0])
    }
}
