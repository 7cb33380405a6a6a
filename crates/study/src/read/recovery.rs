//! What followed the injected faults of a run, read from its journals one episode at a time.

use std::collections::BTreeMap;

use gimbal_analysis::recovery::{Happening, Recoveries};
use gimbal_core::event::{Body, Event};

use crate::plan::Stored;
use crate::run::index::unreadable;
use crate::run::{Finished, INDEX, RunError, RunFolder};

/// Folds the journals of all finished episodes of cells with faults; others are not opened. Memory does not grow with the
/// number of episodes.
///
/// # Errors
/// When index or journals cannot be read.
pub fn recovery(folder: &RunFolder) -> Result<Recoveries, RunError> {
    let stored = Stored::read(folder)?;
    let faulty = stored.cells.iter().filter(|cell| !cell.info.faults.is_empty());
    let asks: BTreeMap<&str, &[String]> = faulty.map(|cell| (cell.info.id.as_str(), &*cell.asks)).collect();
    let mut recoveries = Recoveries::default();
    if asks.is_empty() {
        return Ok(recoveries);
    }
    let mut failed = None;
    let walked = folder.index()?.each(|episode| {
        if let (None, Some(asks)) = (&failed, asks.get(episode.id.cell.as_str()))
            && let Err(error) = add(&mut recoveries, folder, &episode, asks)
        {
            failed = Some(error);
        }
        Ok::<(), rusqlite::Error>(())
    });
    walked.map_err(|error| unreadable(&folder.root().join(INDEX), &error))?;
    failed.map_or(Ok(recoveries), Err)
}

fn add(recoveries: &mut Recoveries, folder: &RunFolder, episode: &Finished, asks: &[String]) -> Result<(), RunError> {
    let mut events = Vec::new();
    for bytes in folder.events(episode.place)? {
        let event: Event = serde_json::from_slice(&bytes).map_err(|error| RunError::Damaged {
            path: folder.segment(episode.place),
            what: format!("an event of {} cannot be read: {error}", episode.id.key.short()),
        })?;
        events.push(event);
    }
    let happenings: Vec<Happening<'_>> = events.iter().filter_map(|event| happening(&event.body, asks)).collect();
    recoveries.add(&episode.id.cell, &happenings);
    Ok(())
}

/// An event as recovery sees it; `asks` are the roles that the environment asks and not the agent.
fn happening<'a>(body: &'a Body, asks: &[String]) -> Option<Happening<'a>> {
    Some(match body {
        Body::Fault(fault) => Happening::Fault { site: &fault.site, kind: &fault.kind },
        Body::ModelCalled(call) if !asks.contains(&call.role) => {
            Happening::Call { tokens: call.prompt_tokens.saturating_add(call.output_tokens) }
        }
        Body::Fallback(_) => Happening::Fallback,
        Body::Rejected(_) => Happening::Rejected,
        Body::Stepped(step) => Happening::Step { reward: step.reward.0 },
        _ => return None,
    })
}
