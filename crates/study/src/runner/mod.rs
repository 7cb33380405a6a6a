//! Runs a plan: what is not played yet, many sessions at once, each episode until it has an outcome.

mod counters;
mod groups;
mod kept;
mod progress;
mod restore;
mod session;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use gimbal_core::Digest;
use gimbal_model::{ModelKind, Price, Rate};
use serde::Serialize;

pub use kept::fits;
pub use progress::{Playing, Progress, RunStatus};

use crate::plan::{Cell, Plan, Stored, fillable};
use crate::read::{spending, spending_of_episodes};
use crate::registry::ModelSource;
use crate::run::{
    Finished, Index, LimitReached, RunError, RunFolder, RunStore, Spend, Spending, StoredAttempt, StudyLimits, Writable,
};
use crate::stage::{Cancel, CellCache, Role};
use counters::{Counters, Work};
use groups::{Group, groups, play_groups};
use kept::keep_study;

/// How a plan is run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The run folder.
    pub folder: PathBuf,
    /// Sessions at once, at most; by default as many as the models take.
    pub jobs: Option<usize>,
    /// Attempts at an episode before this call abandons it.
    pub attempts: u32,
}

impl Settings {
    /// A run into this folder with three attempts an episode.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), jobs: None, attempts: 3 }
    }
}

/// Why a run stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStop {
    /// Every episode is finished.
    Done,
    /// Some episodes could not be played; the same command tries them again.
    Incomplete,
    /// A limit of the study was reached: which, and how to go on.
    Limit(LimitReached),
    /// The run was cancelled.
    Interrupted,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The run folder.
    pub folder: PathBuf,
    /// Why it stopped.
    pub ended: RunStop,
    /// Episodes finished before this call.
    pub already: u64,
    /// Episodes finished in this call.
    pub finished: u64,
    /// Episodes that this call abandoned.
    pub given_up: u64,
    /// Episodes whose journals were found lost and which were wanted again.
    pub lost: u64,
    /// Models that were asked no more, each with the provider's reason, and cells whose prompts could not be made.
    pub closed: Vec<(String, String)>,
    /// Models of which calls went without an answer or were refused, each with how many, the kind of failure and the words of the last one.
    pub unanswered: Vec<(String, String)>,
    /// The state at the end.
    pub run_status: RunStatus,
}

impl Summary {
    /// The program's exit code: 0 done, 3 the environment is in the way, 130 interrupted.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self.ended {
            RunStop::Done => 0,
            RunStop::Incomplete | RunStop::Limit(_) => 3,
            RunStop::Interrupted => 130,
        }
    }
}

/// What the sessions of a run share.
struct Shared {
    plan: Arc<Plan>,
    roles: Vec<Arc<BTreeMap<String, Role>>>,
    cell_cache: Vec<Arc<CellCache>>,
    store: RunStore,
    folder: RunFolder,
    index: Mutex<Index>,
    spend: Arc<Spend>,
    prices: Arc<BTreeMap<String, Price>>,
    /// Cells that reached their own limits, where this was reported.
    full: Mutex<BTreeSet<String>>,
    /// Cells whose prompts could not be made, and why.
    unfilled: Mutex<BTreeMap<String, String>>,
    /// The first session whose memory could not be restored.
    forgotten: Mutex<Option<RunError>>,
    counters: Arc<Counters>,
    cancel: Cancel,
    attempts: u32,
    progress: Arc<dyn Fn(Progress) + Send + Sync>,
}

impl Shared {
    fn finished(&self, key: &Digest) -> Result<Option<Finished>, RunError> {
        let index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        index
            .get(key)
            .map_err(|error| crate::run::index::unreadable(&self.folder.root().join(crate::run::INDEX), &error))
    }

    /// Whether a model of this cell gets no more requests.
    fn closed(&self, cell: &Cell) -> bool {
        cell.roles.values().any(|settings| self.store.health().closed(&settings.model).is_some())
    }

    /// Whether a cell reached its own limit.
    fn full(&self, cell: &Cell) -> bool {
        self.spend.allow_cell(&cell.info.id).is_err()
    }

    /// Reports that a cell reached its limit, once.
    fn tell_full(&self, cell: &Cell) {
        let Err(limit) = self.spend.allow_cell(&cell.info.id) else { return };
        let cell = cell.info.id.clone();
        if self.full.lock().unwrap_or_else(PoisonError::into_inner).insert(cell.clone()) {
            (self.progress)(Progress::Full { cell, detail: limit.to_string() });
        }
    }

    /// Reports that a model gets no more requests, once.
    fn tell_closed(&self, cell: &Cell) {
        for settings in cell.roles.values() {
            if let Some(detail) = self.store.health().news(&settings.model) {
                self.counters.errors.fetch_add(1, Ordering::Relaxed);
                (self.progress)(Progress::Closed { model: settings.model.clone(), detail });
            }
        }
    }
}

/// Runs what of a plan is not done yet. To resume is to call it again.
///
/// # Errors
/// When the run folder is not ours to write, belongs to another study, or fails under way. What was finished stays.
pub async fn run(
    plan: Arc<Plan>,
    models: Arc<dyn ModelSource>,
    settings: Settings,
    cancel: Cancel,
    progress: impl Fn(Progress) + Send + Sync + 'static,
) -> Result<Summary, RunError> {
    let progress: Arc<dyn Fn(Progress) + Send + Sync> = Arc::new(progress);
    // What cannot be opened must not leave a run folder behind.
    let roles = open_roles(&plan, &*models)?;
    fillable(&plan).await.map_err(|problems| RunError::Prompts(problems.to_string()))?;
    let writable = Writable::take(&settings.folder)?;
    let (stored, notice) = keep_study(&plan, &writable).await?;
    if let Some(text) = notice {
        progress(Progress::Warning { text });
    }
    let rebuilt = writable.rebuild_lost_index(&stored)?;
    if let Some(rebuilt) = rebuilt {
        progress(Progress::IndexRebuilt(rebuilt));
    }
    if writable.folder().index_begun()? {
        writable.arrange(|id| stored.cell_of(id))?;
    }
    let lost = writable.forget_lost()? + rebuilt.map_or(0, |rebuilt| rebuilt.lost);
    let recovered = writable.recover(&stored)?;
    if recovered > 0 {
        writable.arrange(|id| stored.cell_of(id))?;
        let text = format!(
            "{recovered} episode(s) had ended before the last run was cut off and were not in the index: taken up from \
             their journals"
        );
        progress(Progress::Warning { text });
    }
    let folder = writable.folder().clone();
    let (spent, complaints) = spending(&folder, &stored)?;
    complaints.into_iter().for_each(|text| progress(Progress::Warning { text }));
    let cells = spent_by_cell(&plan, &folder, &stored)?;
    let spend = Spend::new(stored.prices.clone(), plan.study.study_limits, spent);
    let spend = Arc::new(spend.with_cells(plan.study.cell_limits, cells));
    let prices = Arc::new(stored.prices.clone());
    let (groups, jobs) = groups(&plan, settings.jobs);
    let held = already(&plan, &folder)?;
    let already = held.iter().sum();
    let works = groups.iter().map(|group| work(&plan, group, &held)).collect();
    let counters = Arc::new(Counters::new(plan.episodes(), already, works));
    let store = start_store(&writable, &spend, &counters, &progress)?;
    progress(Progress::Started {
        study: plan.study.name.clone(),
        folder: folder.root().display().to_string(),
        cells: plan.cells.len(),
        planned: plan.episodes(),
        already,
        lost,
        jobs,
    });
    surveyed(&plan, &*models, settings.jobs, &progress).await;
    let index = Mutex::new(folder.index()?);
    let cell_cache = plan.cells.iter().map(|_| Arc::default()).collect();
    let shared = Arc::new(Shared {
        cell_cache,
        plan,
        roles,
        store,
        folder,
        index,
        spend,
        prices,
        full: Mutex::default(),
        unfilled: Mutex::default(),
        forgotten: Mutex::default(),
        counters,
        cancel,
        attempts: settings.attempts.max(1),
        progress,
    });
    let played = play_groups(&shared, groups, jobs).await;
    for text in models.remarks() {
        (shared.progress)(Progress::Note { text });
    }
    finish(shared, writable, lost, played)
}

/// Reports how many requests may be under way at once and why, and asks the servers of remote models for their context.
async fn surveyed(
    plan: &Plan,
    models: &dyn ModelSource,
    jobs: Option<usize>,
    progress: &Arc<dyn Fn(Progress) + Send + Sync>,
) {
    let roles = || plan.cells.iter().flat_map(|cell| cell.roles.values());
    for facts in plan.models.values().filter(|facts| facts.kind == ModelKind::Remote) {
        let Some(asked) =
            roles().filter(|role| role.model == facts.name).map(|role| role.sampling.max_output_tokens).max()
        else {
            continue;
        };
        let (name, most) = (&facts.name, facts.concurrency);
        let (most, bound) = match jobs.map(|jobs| jobs.max(1)) {
            Some(jobs) if jobs <= most => (jobs, "`--jobs`"),
            _ if most == Rate::MOST => (most, "the program's own bound: `--jobs` or `models.rates` set another"),
            _ => (most, "`models.rates`"),
        };
        let requests = if most == 1 { "request" } else { "requests" };
        let text = format!(
            "`{name}`: at most {most} {requests} at once ({bound}); one at first, more while it answers well, fewer when it \
             asks for fewer or grows slow"
        );
        progress(Progress::Note { text });
        if let Some(context) = models.survey(name).await.filter(|context| *context < u64::from(asked)) {
            let text = format!(
                "`{name}`: its server holds {context} tokens of prompt and output, and `max_output_tokens` is {asked}: it is \
                 cut to what fits, call by call"
            );
            progress(Progress::Warning { text });
        }
    }
}

/// What cells have spent of their limits; reads nothing where there are no limits.
fn spent_by_cell(plan: &Plan, folder: &RunFolder, stored: &Stored) -> Result<BTreeMap<String, Spending>, RunError> {
    let mut cells: BTreeMap<String, Spending> = BTreeMap::new();
    if plan.study.cell_limits == StudyLimits::default() {
        return Ok(cells);
    }
    let episodes = spending_of_episodes(folder, stored)?;
    for id in plan.sessions().flat_map(|session| session.trials) {
        if let Some(spent) = episodes.get(&id.key) {
            cells.entry(id.cell).or_default().join(spent);
        }
    }
    Ok(cells)
}

/// Planned episodes that are finished, cell by cell; others of the folder are none of this call's.
fn already(plan: &Plan, folder: &RunFolder) -> Result<Vec<u64>, RunError> {
    let index = folder.index()?;
    let mut counts = vec![0; plan.cells.len()];
    for session in plan.sessions() {
        for id in &session.trials {
            let held = index.holds(&id.key);
            let failed = |error| crate::run::index::unreadable(&folder.root().join(crate::run::INDEX), &error);
            counts[session.cell] += u64::from(held.map_err(failed)?);
        }
    }
    Ok(counts)
}

/// The sessions of a group that must be played.
fn work(plan: &Plan, group: &Group, held: &[u64]) -> Work {
    let cells: Vec<String> = group.cells.iter().map(|cell| plan.cells[*cell].info.id.clone()).collect();
    let left = |cell: &usize| plan.episodes_of(&plan.cells[*cell]).saturating_sub(held[*cell]);
    Work::new(cells, group.cells.iter().map(left).sum())
}

fn start_store(
    writable: &Writable,
    spend: &Arc<Spend>,
    counters: &Arc<Counters>,
    progress: &Arc<dyn Fn(Progress) + Send + Sync>,
) -> Result<RunStore, RunError> {
    let (counters, progress) = (Arc::clone(counters), Arc::clone(progress));
    RunStore::start(writable.files()?, Arc::clone(spend), move |settled| {
        if let StoredAttempt::Finished(Finished { id, outcome, .. }) = settled {
            counters.finished(&id.cell);
            progress(Progress::Finished {
                cell: id.cell,
                task: id.task,
                run: id.run,
                trial: id.trial,
                return_thousandths: outcome.episode_return.0,
                steps: outcome.steps,
                stop: outcome.stop.name(),
                tokens: outcome.spent.tokens(),
            });
        }
    })
}

fn open_roles(plan: &Plan, models: &dyn ModelSource) -> Result<Vec<Arc<BTreeMap<String, Role>>>, RunError> {
    let mut cells = Vec::with_capacity(plan.cells.len());
    for cell in &plan.cells {
        let mut roles = BTreeMap::new();
        for (role, settings) in &cell.roles {
            let model = models.open(&settings.model).map_err(|error| RunError::Changed(error.to_string()))?;
            roles.insert(role.clone(), Role { settings: Arc::new(settings.clone()), model });
        }
        cells.push(Arc::new(roles));
    }
    Ok(cells)
}

/// The limit of the study that was reached, or those of its cells.
fn limit_reached(spend: &Spend, full: &Mutex<BTreeSet<String>>) -> Option<LimitReached> {
    if let Err(limit) = spend.allow() {
        return Some(limit);
    }
    let told = full.lock().unwrap_or_else(PoisonError::into_inner);
    let mut limits = told.iter().filter_map(|cell| spend.allow_cell(cell).err());
    let first = limits.next()?;
    let others = limits.count();
    Some(if others == 0 { first } else { first.remarked(&format!(" (and so in {others} other cell(s))")) })
}

fn finish(
    shared: Arc<Shared>,
    writable: Writable,
    lost: u64,
    played: Result<(), RunError>,
) -> Result<Summary, RunError> {
    let folder = shared.folder.root().to_owned();
    // All tasks have ended, so that this is the only owner of the run.
    let Ok(shared) = Arc::try_unwrap(shared) else {
        return Err(RunError::other(&folder, "the run cannot be closed", &"a session is still under way"));
    };
    let (mut refused, unanswered) = (shared.store.health().all_closed(), shared.store.health().unanswered());
    refused.extend(shared.unfilled.lock().unwrap_or_else(PoisonError::into_inner).clone());
    let closed = shared.store.close();
    drop(writable);
    played.and(closed)?;
    if let Some(error) = shared.forgotten.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let run_status = shared.counters.run_status(&shared.spend);
    let count = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
    let ended = if run_status.done >= run_status.planned {
        RunStop::Done
    } else if shared.cancel.asked() {
        RunStop::Interrupted
    } else if let Some(limit) = limit_reached(&shared.spend, &shared.full) {
        // A limit below the need of one episode is a mistake that no number of runs fixes.
        let too_low = if run_status.done == 0 { " (it is lower than what one episode takes)" } else { "" };
        RunStop::Limit(limit.remarked(too_low))
    } else {
        RunStop::Incomplete
    };
    let how = match &ended {
        RunStop::Done => "done",
        RunStop::Incomplete => "incomplete",
        RunStop::Limit(_) => "limit",
        RunStop::Interrupted => "interrupted",
    };
    (shared.progress)(Progress::Ended { how, run_status });
    Ok(Summary {
        folder,
        ended,
        already: shared.counters.already,
        finished: count(&shared.counters.finished),
        given_up: count(&shared.counters.given_up),
        lost,
        closed: refused,
        unanswered,
        run_status,
    })
}
