//! One session: its trials in order, each attempted until it is an outcome.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use gimbal_core::{EpisodeStopped, Stop, TaskId};

use super::Shared;
use super::progress::Progress;
use super::restore::restore;
use crate::plan::{Cell, Session};
use crate::run::{EpisodeId, RunError};
use crate::stage::{EpisodeProgress, EpisodeSetup, Outcome, SessionMemory, Slot, play_episode};

/// Plays the trials of a session that are not finished yet.
///
/// # Errors
/// When the run folder cannot be used any more.
pub async fn play(shared: &Shared, session: &Session, slot: &Arc<Slot>) -> Result<(), RunError> {
    let cell = &shared.plan.cells[session.cell];
    let mut memory = Arc::new(SessionMemory::default());
    for id in &session.trials {
        // Sessions of one trial have no memory that matters.
        match restore(shared, id, (session.trials.len() > 1).then_some(&*memory)) {
            Ok(true) => continue,
            Ok(false) => {}
            // The other sessions of the run are sound.
            Err(error @ RunError::Memory { .. }) => {
                given_up(shared, session, id, error.to_string());
                shared.forgotten.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                return Ok(());
            }
            Err(error) => return Err(error),
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
            let detail = halt.detail.unwrap_or_default();
            if halt.lasting {
                let mut told = shared.unfilled.lock().unwrap_or_else(PoisonError::into_inner);
                told.entry(id.cell.clone()).or_insert_with(|| detail.clone());
            }
            if halt.lasting || hopeless || attempts >= shared.attempts {
                given_up(shared, session, id, detail);
                return Ok(());
            }
            let (cell, task, run) = (id.cell.clone(), id.task.clone(), id.run);
            (shared.progress)(Progress::Retrying { cell, task, run, attempts, detail });
        }
    }
    Ok(())
}

/// Gives up a session from this trial on: the trials after it would miss what it leaves in the memory.
fn given_up(shared: &Shared, session: &Session, id: &EpisodeId, detail: String) {
    let rest = session.trials.iter().filter(|trial| trial.trial >= id.trial).count() as u64;
    shared.counters.given_up.fetch_add(rest, Ordering::Relaxed);
    (shared.progress)(Progress::Failed { cell: id.cell.clone(), task: id.task.clone(), run: id.run, detail });
}

/// One attempt, and whether another one would meet the same failure.
async fn attempt(
    shared: &Shared,
    cell: &Cell,
    session: &Session,
    id: &EpisodeId,
    memory: &Arc<SessionMemory>,
    slot: &Arc<Slot>,
) -> Result<(Result<Outcome, EpisodeStopped>, bool), RunError> {
    let recorder = shared.store.recorder(id.clone());
    let seen = Arc::new(EpisodeProgress::default());
    let number = shared.counters.begins(id, &seen);
    let opened = cell.environment.family.open(&cell.environment.options);
    let played = match opened {
        Err(error) => Err(EpisodeStopped::infrastructure(error.to_string())),
        Ok(environment) => {
            let setup = EpisodeSetup {
                key: id.key,
                task: TaskId(id.task.clone()),
                seed: id.seed,
                trial: id.trial,
                limits: shared.plan.limits,
                faults: cell.faults.clone(),
                roles: Arc::clone(&shared.roles[session.cell]),
                artefacts: Arc::clone(&cell.artefacts.given),
                learned: Arc::clone(&cell.artefacts.learned),
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
