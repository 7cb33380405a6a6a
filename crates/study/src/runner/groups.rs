//! Groups of cells that wait for the same models, and their sessions.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use gimbal_model::facts::UNLIMITED;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::session::play;
use super::{Progress, Shared};
use crate::plan::{Plan, Session};
use crate::run::RunError;
use crate::stage::Slot;

/// Sessions at once of models that would take any number, unless `jobs` says otherwise. A declared number is kept.
const UNHURRIED: usize = 8;

/// Cells that wait for the same models.
pub(super) struct Group {
    pub(super) cells: Vec<usize>,
    at_once: usize,
}

/// Cells by the models that they ask, so that a provider that pauses holds up its own cells only.
pub(super) fn groups(plan: &Plan, jobs: Option<usize>) -> (Vec<Group>, usize) {
    let mut by_models: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
    for (place, cell) in plan.cells.iter().enumerate() {
        let mut names: Vec<&str> = cell.roles.values().map(|settings| settings.model.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        by_models.entry(names).or_default().push(place);
    }
    let most = jobs.unwrap_or(Semaphore::MAX_PERMITS).clamp(1, Semaphore::MAX_PERMITS);
    let mut groups = Vec::new();
    for (names, cells) in by_models {
        let concurrency = names.iter().filter_map(|name| plan.models.get(*name)).map(|facts| facts.concurrency).min();
        let declared = concurrency.filter(|concurrency| *concurrency < UNLIMITED);
        let at_once = declared.unwrap_or_else(|| jobs.unwrap_or(UNHURRIED));
        groups.push(Group { cells, at_once: at_once.clamp(1, most) });
    }
    let all = groups.iter().fold(0_usize, |all, group| all.saturating_add(group.at_once));
    let all = all.clamp(1, Semaphore::MAX_PERMITS);
    (groups, jobs.map_or(all, |jobs| all.min(jobs.max(1))))
}

/// Plays all groups side by side while a ticker reports the state.
pub(super) async fn play_groups(shared: &Arc<Shared>, groups: Vec<Group>, jobs: usize) -> Result<(), RunError> {
    let total = Arc::new(Semaphore::new(jobs));
    let mut feeders = JoinSet::new();
    for group in groups {
        feeders.spawn(feed(Arc::clone(shared), group, Arc::clone(&total)));
    }
    let mut tick = tokio::time::interval(Duration::from_millis(500));
    // After a stall, one tick and not all that were missed.
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut outcome = Ok(());
    loop {
        tokio::select! {
            fed = feeders.join_next() => match fed {
                None => return outcome,
                Some(Ok(Ok(()))) => {}
                Some(Ok(Err(error))) => outcome = outcome.and(Err(error)),
                Some(Err(panicked)) => outcome = outcome.and(Err(bug(shared, &panicked))),
            },
            _ = tick.tick() => {
                (shared.progress)(Progress::Tick(shared.counters.run_status(&shared.spend)));
                let episodes = shared.counters.playing();
                if !episodes.is_empty() {
                    (shared.progress)(Progress::Playing { episodes });
                }
            }
        }
    }
}

/// Starts the sessions of a group as places become free.
async fn feed(shared: Arc<Shared>, group: Group, total: Arc<Semaphore>) -> Result<(), RunError> {
    let own = Arc::new(Semaphore::new(group.at_once));
    let mut playing: JoinSet<Result<(), RunError>> = JoinSet::new();
    let plan = Arc::clone(&shared.plan);
    let mut outcome = Ok(());
    for session in plan.sessions().filter(|session| group.cells.contains(&session.cell)) {
        if shared.cancel.asked() || outcome.is_err() || shared.spend.allow().is_err() {
            break;
        }
        if all_done(&shared, &session)? {
            continue;
        }
        let cell = &shared.plan.cells[session.cell];
        if shared.full(cell) {
            shared.tell_full(cell);
            continue;
        }
        // All cells of the group ask the same models.
        if shared.closed(&shared.plan.cells[session.cell]) {
            break;
        }
        let places = async { (Arc::clone(&own).acquire_owned().await, Arc::clone(&total).acquire_owned().await) };
        let places = tokio::select! {
            places = places => places,
            () = shared.cancel.reached(1) => break,
        };
        while let Some(ended) = playing.try_join_next() {
            outcome = outcome.and(ended.map_err(|error| bug(&shared, &error)).and_then(|ended| ended));
        }
        let (Ok(own_place), Ok(place)) = places else { break };
        let (shared, total) = (Arc::clone(&shared), Arc::clone(&total));
        playing.spawn(async move {
            let _own_place = own_place;
            let slot = Arc::new(Slot::new(total, place));
            shared.counters.in_flight.fetch_add(1, Ordering::Relaxed);
            let ended = play(&shared, &session, &slot).await;
            shared.counters.in_flight.fetch_sub(1, Ordering::Relaxed);
            ended
        });
    }
    while let Some(ended) = playing.join_next().await {
        outcome = outcome.and(ended.map_err(|error| bug(&shared, &error)).and_then(|ended| ended));
    }
    outcome
}

/// Whether nothing of a session is left to play.
fn all_done(shared: &Shared, session: &Session) -> Result<bool, RunError> {
    for id in &session.trials {
        if shared.finished(&id.key)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

fn bug(shared: &Shared, error: &tokio::task::JoinError) -> RunError {
    RunError::other(shared.folder.root(), "a session ended by a bug of this program", error)
}
