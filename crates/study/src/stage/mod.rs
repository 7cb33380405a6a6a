//! The stage: plays one episode of an environment and lets nothing pass unmetered or unjournaled.

mod act;
mod ask;
mod branch;
mod cancel;
mod cell_cache;
mod door;
mod faults;
mod injector;
mod lanes;
mod learned;
mod legal;
mod memory;
mod outcome;
mod recorder;
mod request;
mod seen;
mod slot;
mod state;
mod texts;
mod watch;
mod wire;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use gimbal_core::chain::Chain;
use gimbal_core::event::{EVENT_VERSION, Ended, MaterialUsed, Started};
use gimbal_core::{
    Acted, Architecture, Artefact, Body, Brief, ChatModel, Digest, Environment, EpisodeStopped, LaneId, Limits,
    Material, Milli, RoleSettings, Spent, Stop, TaskId, ToolSpec,
};
use gimbal_messages::StageExt;
use gimbal_messages::records::stage::Left;
use gimbal_model::Price;

use crate::faults::Faults;

pub use cancel::Cancel;
pub use cell_cache::CellCache;
pub use learned::LearnedParts;
pub use memory::SessionMemory;
pub use outcome::Outcome;
pub use recorder::{Attempt, CallFacts, MemoryRecorder, RecordError, Recorded, RecordedCall, Recorder, SimilarText};
pub use seen::EpisodeProgress;
pub use slot::Slot;
pub use watch::ComponentTime;

use branch::Branches;
use injector::Injector;
use lanes::Lane;
use memory::StageMemory;
use recorder::halt_of;
use state::State;
use texts::RequestCache;
use watch::Times;

/// A role and the model that plays it.
#[derive(Clone)]
pub struct Role {
    /// Settings as the study names them.
    pub settings: Arc<RoleSettings>,
    /// The model.
    pub model: Arc<dyn ChatModel>,
}

/// Everything that decides an episode, except for the environment and the architecture.
#[derive(Clone)]
pub struct EpisodeSetup {
    /// Key of the episode.
    pub key: Digest,
    /// Task.
    pub task: TaskId,
    /// Seed.
    pub seed: u64,
    /// Trial of the session, from 0.
    pub trial: u32,
    /// Upper bounds.
    pub limits: Limits,
    /// Injected faults.
    pub faults: Faults,
    /// Roles by name; `default` for those that are not named.
    pub roles: Arc<BTreeMap<String, Role>>,
    /// Things built before the episode, by name.
    pub artefacts: Arc<BTreeMap<String, Arc<Artefact>>>,
    /// Scorers and embedders, by name.
    pub learned: Arc<LearnedParts>,
    /// What the trials of the session share.
    pub memory: Arc<SessionMemory>,
    /// Prices by model, for limits on money.
    pub prices: Arc<BTreeMap<String, Price>>,
    /// The episode's place among the sessions of a run, given back while a provider makes it wait; none in memory.
    pub slot: Option<Arc<Slot>>,
    /// Where the stage writes how far the episode has come, for displays of progress.
    pub seen: Option<Arc<EpisodeProgress>>,
    /// Calls the run off.
    pub cancel: Cancel,
    /// What the episodes of the cell have in common; of one run only, since texts are kept once for it.
    pub cell_cache: Arc<CellCache>,
}

impl EpisodeSetup {
    /// An episode without limits, faults, artefacts or earlier trials.
    #[must_use]
    pub fn new(key: Digest, task: TaskId, seed: u64, roles: Arc<BTreeMap<String, Role>>) -> Self {
        Self {
            key,
            task,
            seed,
            trial: 0,
            limits: Limits::default(),
            faults: Faults::default(),
            roles,
            artefacts: Arc::default(),
            learned: Arc::default(),
            memory: Arc::default(),
            prices: Arc::default(),
            slot: None,
            seen: None,
            cancel: Cancel::default(),
            cell_cache: Arc::default(),
        }
    }
}

/// The stage of one episode.
pub struct EpisodeStage {
    setup: EpisodeSetup,
    environment: tokio::sync::Mutex<Box<dyn Environment>>,
    state: Arc<Mutex<State>>,
    recorder: Arc<dyn Recorder>,
    brief: Arc<Brief>,
    tools: Arc<[ToolSpec]>,
    queries: Arc<[ToolSpec]>,
    memory: StageMemory,
    branches: Arc<Branches>,
    times: Times,
    wants_hints: bool,
    begun: Instant,
}

/// Begins, plays and ends an episode.
///
/// # Errors
/// The stop when the episode could not be begun or its end not be recorded: never an outcome.
pub async fn play_episode(
    architecture: &dyn Architecture,
    environment: Box<dyn Environment>,
    setup: EpisodeSetup,
    recorder: Arc<dyn Recorder>,
) -> Result<Outcome, EpisodeStopped> {
    let stage = EpisodeStage::begin(environment, setup, recorder).await?;
    let played = architecture.play(&stage).await;
    stage.wait_out(&played).await;
    stage.finish(played).await
}

/// The materials of a brief, with their content kept among the texts of the run.
fn materials(recorder: &dyn Recorder, brief: &Brief) -> Result<Vec<MaterialUsed>, EpisodeStopped> {
    let used = |material: &Material| {
        Ok(MaterialUsed {
            digest: material.digest,
            kind: material.kind.clone(),
            name: material.name.clone(),
            text: texts::keep(recorder, &material.text, &[]).map_err(halt_of)?,
        })
    };
    brief.materials.iter().map(used).collect()
}

impl EpisodeStage {
    /// Resets the environment and begins the journal.
    ///
    /// # Errors
    /// When the environment cannot be reset or the journal not be written.
    pub async fn begin(
        mut environment: Box<dyn Environment>,
        setup: EpisodeSetup,
        recorder: Arc<dyn Recorder>,
    ) -> Result<Self, EpisodeStopped> {
        let first = environment.reset(&setup.task, setup.seed).await;
        let first = Arc::new(first.map_err(|error| EpisodeStopped::infrastructure(error.to_string()))?);
        let brief = setup.cell_cache.brief(environment.brief());
        if let Some(objective) = &brief.objective {
            recorder.objective(objective);
        }
        let (tools, tools_reference) = setup.cell_cache.tools(&*recorder, environment.tools()).map_err(halt_of)?;
        let mut tracker = environment.tracker();
        tracker.begin(&first);
        let queries = setup.cell_cache.queries(tracker.queries());
        let mut state = State {
            recorder: Arc::clone(&recorder),
            limits: setup.limits,
            chain: Chain::start("journal", setup.key.to_string().as_bytes()),
            calls: 0,
            steps: 0,
            episode_return: Milli::ZERO,
            rejected: 0,
            fallbacks: 0,
            observation: Arc::clone(&first),
            observed: None,
            tracker,
            main: Lane::default(),
            lanes: BTreeMap::new(),
            next_lane: 1,
            blocks: BTreeMap::new(),
            request_cache: RequestCache::default(),
            policies: BTreeMap::new(),
            expert: None,
            injector: Injector::new(setup.faults.clone(), setup.seed),
            armed: None,
            watch: None,
            situations: std::iter::once(environment.situation()).collect(),
            ended: None,
        };
        state.injector.witness(&first);
        let started = Started {
            key: setup.key,
            materials: materials(&*recorder, &brief)?,
            observation: state.begin(first, &setup.cell_cache)?,
            seed: format!("{:016x}", setup.seed),
            state: environment.state(),
            task: setup.task.0.clone(),
            tools: tools_reference,
            trial: setup.trial,
            version: EVENT_VERSION,
        };
        state.push(LaneId::MAIN, Body::Started(started))?;
        let state = Arc::new(Mutex::new(state));
        let memory = StageMemory { session: Arc::clone(&setup.memory), state: Arc::clone(&state) };
        let wants_hints = setup.roles.values().any(|role| role.model.wants_hints());
        let environment = tokio::sync::Mutex::new(environment);
        let begun = Instant::now();
        let branches = Arc::new(Branches::of(&setup, (brief.horizon, wants_hints), begun));
        let times = Times::default();
        Ok(Self {
            setup,
            environment,
            state,
            recorder,
            brief,
            tools,
            queries,
            memory,
            branches,
            times,
            wants_hints,
            begun,
        })
    }

    /// Lets an environment that runs on go to its end where an architecture left it early, having done all it would: what is left is
    /// played with the idle call, and the note `left` says from which step on.
    async fn wait_out(&self, played: &Result<(), EpisodeStopped>) {
        let early = match played {
            Ok(()) => true,
            Err(halt) => matches!(halt.stop, Stop::Finished | Stop::Horizon),
        };
        let from = {
            let state = self.lock();
            (early && self.brief.runs_on && state.ended.is_none()).then_some(state.steps)
        };
        let Some(from) = from else { return };
        self.record(LaneId::MAIN, &Left { step: from, horizon: self.brief.horizon }).await;
        // An environment that refuses its own idle call would be asked forever.
        for _ in from..self.brief.horizon {
            let Ok(Acted::Stepped(_)) = self.act_on_main(&self.brief.idle, None).await else { break };
        }
    }

    /// Ends the episode with what the architecture came back with.
    ///
    /// # Errors
    /// The stop of an episode without an outcome: a failure of infrastructure, or a cancelled run.
    pub async fn finish(self, played: Result<(), EpisodeStopped>) -> Result<Outcome, EpisodeStopped> {
        let state_hash = self.environment.lock().await.state();
        let took_us = u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.recorder.took(took_us, self.times.components());
        let mut state = self.lock();
        let open: Vec<LaneId> = state.lanes.keys().map(|id| LaneId(*id)).collect();
        state.join(&open)?;
        let fallback = played.err().unwrap_or(EpisodeStopped::of(Stop::Finished));
        let halt = state.end(fallback);
        if !halt.stop.is_outcome() {
            return Err(halt);
        }
        let detail = halt.detail.clone().unwrap_or_default();
        if let Some(branched) = self.branches.record() {
            state.note(LaneId::MAIN, &branched)?;
        }
        // The cost does not belong to the outcome: it is in the ledger.
        let spent = Spent { cost_exact: 0, ..state.main.spent };
        let ended = Ended {
            detail: detail.clone(),
            model_calls: spent.model_calls,
            output_tokens: spent.output_tokens,
            prompt_tokens: spent.input_tokens,
            episode_return: state.episode_return,
            situations: u32::try_from(state.situations.len()).unwrap_or(u32::MAX),
            state: state_hash,
            steps: state.steps,
            stop: halt.stop,
            tool_calls: spent.tool_calls,
        };
        state.push(LaneId::MAIN, Body::Ended(ended))?;
        let (chain, events) = state.last();
        Ok(Outcome {
            stop: halt.stop,
            detail,
            episode_return: state.episode_return,
            steps: state.steps,
            spent,
            rejected: state.rejected,
            fallbacks: state.fallbacks,
            state: state_hash,
            chain,
            events,
            critical_path_us: state.main.path_us,
            total_latency_us: state.main.total_us,
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The stop that bars anything further, if there is one.
    fn barred(&self, state: &mut State) -> Option<EpisodeStopped> {
        if let Some(ended) = &state.ended {
            return Some(ended.clone());
        }
        if self.setup.cancel.asked() {
            return Some(state.end(EpisodeStopped::of(Stop::Cancelled)));
        }
        let late = self.setup.limits.seconds.is_some_and(|seconds| self.begun.elapsed().as_secs() >= seconds);
        late.then(|| state.end(EpisodeStopped::of(Stop::TimeBudget)))
    }
}
