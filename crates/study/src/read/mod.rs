//! Reading run folders: no environment, no model, no network.

mod bill;
mod cycles;
mod of_kind;
mod profile;
mod records;
mod recovery;
mod rows;
mod scan;
mod story;
pub mod trace;
mod verify;

use gimbal_core::Digest;

pub use bill::bill;
pub use cycles::{cycles, cycles_among, has_graphs, results, trajectories, walk_of};
pub use of_kind::{each_record, each_stored_record};
pub(crate) use profile::{LazyTexts, Walk};
pub use profile::{profiles, traces};
pub use recovery::recovery;
pub use rows::{limits, load_rows, past, spending, spending_of_episodes};
pub use verify::{Report, verify};

use crate::run::index::unreadable;
use crate::run::{INDEX, RunError, RunFolder};

/// One hash over (episode key, last chain value) of all finished episodes of the study's cells, sorted by key. Episodes of
/// cells that are no longer in the study take no part: the hash is that of a run of the study as it is.
///
/// Equal for the same seeds on one worker and on eight, after kills and resumes: that is what *identical* means.
///
/// # Errors
/// When the index cannot be read.
pub fn digest(folder: &RunFolder) -> Result<Digest, RunError> {
    let mut bytes = Vec::new();
    let walked = folder.index()?.each(|episode| {
        bytes.extend_from_slice(&episode.id.key.0);
        bytes.extend_from_slice(&episode.outcome.chain.0);
        Ok::<(), rusqlite::Error>(())
    });
    walked.map_err(|error| unreadable(&folder.root().join(INDEX), &error))?;
    Ok(Digest::of_parts(&[b"gimbal/run/v1", &bytes]))
}
