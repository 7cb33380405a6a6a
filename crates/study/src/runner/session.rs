//! One session: its trials in order, each attempted until it is an outcome.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use gimbal_core::event::{Body, Event};
use gimbal_core::{Halt, Stop, TextRef};

use super::Shared;
use super::progress::Progress;
use crate::plan::{Cell, Session};
use crate::run::{EpisodeId, RunError};
use crate::stage::{EpisodeSetup, Outcome, Seen, SessionMemory, Slot, play_episode};

/// Plays the trials of a session that are not finished yet.
///
/// # Errors
/// When the run folder cannot be used any more.
pub async fn play(shared: &Shared, session: &Session, slot: &Arc<Slot>) -> Result<(), RunError> {
    let cell = &shared.plan.cells[session.cell];
    let mut memory = Arc::new(SessionMemory::default());
    for id in &session.trials {
        if restore(shared, id, &memory)? {
            continue;
        }
        let mut attempts = 0;
        loop {
            if shared.cancel.asked() || shared.spend.allow().is_err() || shared.full(cell) {
                return Ok(());
            }
            // A failed attempt must leave no trace in what the trials share.
            let own = Arc::new(memory.copy());
            let (played, hopeless) = attempt(shared, cell, session, id, &own, slot).await?;
            let halt = match played {
                Ok(_) => {
                    memory = own;
                    break;
                }
                Err(halt) => halt,
            };
            if shared.closed(cell) {
                shared.tell_closed(cell);
                return Ok(());
            }
            if halt.stop == Stop::Cancelled || halt.stop.is_limit() {
                shared.tell_full(cell);
                return Ok(());
            }
            attempts += 1;
            shared.counters.errors.fetch_add(1, Ordering::Relaxed);
            let (cell, task, run) = (id.cell.clone(), id.task.clone(), id.run);
            let detail = halt.detail.unwrap_or_default();
            if halt.lasting {
                let mut told = shared.unfilled.lock().unwrap_or_else(PoisonError::into_inner);
                told.entry(cell.clone()).or_insert_with(|| detail.clone());
            }
            if halt.lasting || hopeless || attempts >= shared.attempts {
                let rest = session.trials.iter().filter(|trial| trial.trial >= id.trial).count() as u64;
                shared.counters.given_up.fetch_add(rest, Ordering::Relaxed);
                (shared.progress)(Progress::Failed { cell, task, run, detail });
                return Ok(());
            }
            (shared.progress)(Progress::Retrying { cell, task, run, attempts, detail });
        }
    }
    Ok(())
}

/// One attempt, and whether another one would meet the same failure.
async fn attempt(
    shared: &Shared,
    cell: &Cell,
    session: &Session,
    id: &EpisodeId,
    memory: &Arc<SessionMemory>,
    slot: &Arc<Slot>,
) -> Result<(Result<Outcome, Halt>, bool), RunError> {
    let recorder = shared.store.recorder(id.clone());
    let seen = Arc::new(Seen::default());
    let number = shared.counters.begins(id, &seen);
    let opened = cell.environment.family.open(&cell.environment.options);
    let played = match opened {
        Err(error) => Err(Halt::infrastructure(error.to_string())),
        Ok(environment) => {
            let setup = EpisodeSetup {
                key: id.key,
                task: session.task.clone(),
                seed: id.seed,
                trial: id.trial,
                limits: shared.plan.limits,
                faults: cell.faults.clone(),
                roles: Arc::clone(&shared.roles[session.cell]),
                artefacts: Arc::default(),
                memory: Arc::clone(memory),
                prices: Arc::clone(&shared.prices),
                slot: Some(Arc::clone(slot)),
                seen: Some(seen),
                cancel: shared.cancel.clone(),
                cell_cache: Arc::clone(&shared.cell_cache[session.cell]),
            };
            play_episode(&*cell.architecture, environment, setup, recorder.clone()).await
        }
    };
    shared.counters.ended(number);
    if let Some(error) = shared.store.failure() {
        return Err(error);
    }
    let stored = match &played {
        Ok(outcome) => recorder.finish(outcome.clone()),
        Err(halt) => recorder.fail(halt),
    };
    if let (Err(_), Some(error)) = (stored, shared.store.failure()) {
        return Err(error);
    }
    Ok((played, recorder.is_hopeless()))
}

/// Whether the trial is finished; if so, what it wrote into the memory is taken up from its journal.
fn restore(shared: &Shared, id: &EpisodeId, memory: &SessionMemory) -> Result<bool, RunError> {
    let Some(finished) = shared.finished(&id.key)? else { return Ok(false) };
    // Only sessions of several trials have memory that matters.
    if shared.plan.study.episodes.trials > 1 {
        let mut texts = None;
        for bytes in shared.folder.events(finished.place)? {
            let event: Event = serde_json::from_slice(&bytes).map_err(|error| RunError::Damaged {
                path: shared.folder.root().to_owned(),
                what: format!("an event of {} cannot be read: {error}", id.key.short()),
            })?;
            if let Body::Remembered(change) = event.body {
                let text = text_of(shared, &mut texts, &change.value)?;
                let value = serde_json::from_str(&text).map_err(|error| RunError::Damaged {
                    path: shared.folder.root().to_owned(),
                    what: format!("a remembered value of {} cannot be read: {error}", id.key.short()),
                })?;
                memory.restore(&change.key, value);
            }
        }
    }
    Ok(true)
}

fn text_of(
    shared: &Shared,
    texts: &mut Option<crate::run::texts::Texts>,
    reference: &TextRef,
) -> Result<String, RunError> {
    if let Some(text) = reference.as_inline() {
        return Ok(text.to_owned());
    }
    let digest = reference.as_stored().unwrap_or_default();
    if texts.is_none() {
        *texts = Some(shared.folder.texts()?);
    }
    match texts {
        Some(texts) => texts.get(&digest),
        None => Ok(String::new()),
    }
}
