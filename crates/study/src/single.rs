//! A run of one episode: whether it is finished, and what its journal says.

use std::path::Path;

use gimbal_core::Digest;
use gimbal_core::event::{Body, Ended, Event};

use crate::plan::Plan;
use crate::read::trace::{Reader, find};
use crate::run::{RunError, RunFolder};

/// The one episode of a run, finished.
pub struct SingleEpisode {
    /// Its events and texts.
    pub reader: Reader,
    /// How it ended.
    pub ended: Ended,
    /// The last value of its chain.
    pub chain: Digest,
}

/// The run folder below `root`, where the first episode of the plan is finished in it.
#[must_use]
pub fn concluded(root: &Path, plan: &Plan) -> Option<RunFolder> {
    let cell = plan.cells.first()?;
    let episode = plan.episode(cell, cell.environment.tasks.first()?, 0, 0);
    let folder = RunFolder::open(root).ok()?;
    let finished = folder.index().ok()?.get(&episode.key).ok()?;
    finished.map(|_| folder)
}

impl SingleEpisode {
    /// Reads the episode of a run, which must be about a material with this hash.
    ///
    /// # Errors
    /// When it cannot be read, is not finished, or is about something else.
    pub fn read(folder: &RunFolder, material: Digest) -> Result<Self, RunError> {
        let damaged = |what: &str| RunError::Damaged { path: folder.root().to_owned(), what: what.to_owned() };
        let readable = find(folder, "0")?;
        let finished = folder.index()?.get(&readable.id.key);
        let chain = finished.ok().flatten().map(|finished| finished.outcome.chain);
        let chain = chain.ok_or_else(|| damaged("the index has no finished episode"))?;
        let reader = Reader::open(folder, &readable)?;
        let is_about = |event: &Event| match &event.body {
            Body::Started(started) => started.materials.iter().any(|used| used.digest == material),
            _ => false,
        };
        if !reader.events().iter().any(is_about) {
            return Err(damaged("its journal is about another packet"));
        }
        let ended = reader.events().iter().rev().find_map(|event| match &event.body {
            Body::Ended(ended) => Some(ended.clone()),
            _ => None,
        });
        let ended = ended.ok_or_else(|| damaged("its journal has no end"))?;
        Ok(Self { reader, ended, chain })
    }
}
