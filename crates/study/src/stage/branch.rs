//! Branches of the present: copies of the environment for architectures that need a simulator, counted, bounded and recorded.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use gimbal_core::stop::EnvironmentStop;
use gimbal_core::{
    Branch, BranchError, Digest, Environment, EpisodeStopped, Expert, Reply, Rng, Stop, ToolCall, Transition,
    legal_calls, seed,
};
use gimbal_messages::records::stage::Branched;

use super::{Cancel, EpisodeSetup};

/// Calls after which a branch lets others on its thread go on: rollouts compute and wait for nothing.
const TURN: u64 = 256;

/// What all branches of an episode share.
#[derive(Debug)]
pub struct Branches {
    made: AtomicU64,
    calls: AtomicU64,
    refused: AtomicU64,
    /// Most calls.
    most: u64,
    /// Seed of the episode.
    seed: u64,
    horizon: u32,
    /// Whether a model of the episode reads hints.
    hints: bool,
    cancel: Cancel,
    deadline: Option<Instant>,
}

impl Branches {
    /// Of an episode that began at `begun`.
    pub fn of(setup: &EpisodeSetup, (horizon, hints): (u32, bool), begun: Instant) -> Self {
        Self {
            made: AtomicU64::new(0),
            calls: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            most: setup.limits.most_branch_calls(),
            seed: setup.seed,
            horizon,
            hints,
            cancel: setup.cancel.clone(),
            deadline: setup.limits.seconds.and_then(|seconds| begun.checked_add(Duration::from_secs(seconds))),
        }
    }

    /// What the journal keeps of them; `None` where there were none.
    pub fn record(&self) -> Option<Branched> {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (of(&self.made) > 0).then(|| Branched {
            branches: of(&self.made),
            calls: of(&self.calls),
            refused: of(&self.refused),
        })
    }

    /// Uses up one call, if there is one left; the number of those before it.
    fn charge(&self) -> Result<u64, BranchError> {
        if self.cancel.asked() {
            return Err(EpisodeStopped::of(Stop::Cancelled).into());
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(EpisodeStopped::of(Stop::TimeBudget).into());
        }
        let more = |calls: u64| (calls < self.most).then(|| calls + 1);
        self.calls.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).map_err(|_| {
            self.refused.fetch_add(1, Ordering::Relaxed);
            BranchError::Spent { most: self.most }
        })
    }

    /// The seed of the future called `future` of a branch that the stage made after `steps` steps. The stream is of its own, so that no future
    /// is that of the episode.
    fn future(&self, steps: u32, future: u64) -> u64 {
        seed::derive(&[b"branch", &self.seed.to_be_bytes(), &steps.to_be_bytes(), &future.to_be_bytes()])
    }
}

/// A branch of the environment as it was at some step.
pub struct PresentBranch {
    branches: Arc<Branches>,
    environment: Box<dyn Environment>,
    /// Steps of the episode when the stage made the branch, or the branch that it is a fork of.
    since: u32,
    /// Steps of the episode and the branch together.
    steps: u32,
    future: u64,
    policies: BTreeMap<String, Rng>,
    /// Why nothing more may happen in it.
    closed: Option<BranchError>,
}

impl PresentBranch {
    /// A branch of `environment` as it is now, after `steps` steps.
    ///
    /// # Errors
    /// When the environment cannot be forked.
    pub fn of(
        branches: &Arc<Branches>,
        environment: &dyn Environment,
        steps: u32,
        future: u64,
    ) -> Result<Self, BranchError> {
        let future = branches.future(steps, future);
        let environment = environment.simulator().ok_or(BranchError::Unsupported)?.fork(future);
        branches.made.fetch_add(1, Ordering::Relaxed);
        let branches = Arc::clone(branches);
        Ok(Self { branches, environment, since: steps, steps, future, policies: BTreeMap::new(), closed: None })
    }

    fn open(&self) -> Result<(), BranchError> {
        self.closed.clone().map_or(Ok(()), Err)
    }

    fn close(&mut self, why: BranchError) -> BranchError {
        self.closed.insert(why).clone()
    }
}

#[async_trait]
impl Branch for PresentBranch {
    async fn act(&mut self, call: &ToolCall) -> Result<Transition, BranchError> {
        self.open()?;
        if self.branches.charge()? % TURN == TURN - 1 {
            tokio::task::yield_now().await;
        }
        let reply = self.environment.call(call).await;
        if let Some(error) = self.environment.failure() {
            let failed = EpisodeStopped::infrastructure(error.to_string()).into();
            return Err(self.close(failed));
        }
        match reply {
            Ok(Reply::Step(mut transition)) => {
                self.steps += 1;
                let horizon = self.branches.horizon;
                let last = (horizon > 0 && self.steps >= horizon).then_some(EnvironmentStop::Horizon);
                transition.done = transition.done.or(last);
                self.closed = transition.done.map(|ending| EpisodeStopped::of(ending.into()).into());
                Ok(transition)
            }
            Ok(Reply::Ask(ask)) => Err(self.close(BranchError::Asks { role: ask.role })),
            Err(rejection) => Err(BranchError::Rejected(rejection)),
        }
    }

    fn legal(&self, cap: usize) -> Vec<ToolCall> {
        legal_calls(&*self.environment, cap)
    }

    fn policy(&mut self, name: &str) -> Result<ToolCall, BranchError> {
        self.open()?;
        if !self.policies.contains_key(name) {
            self.policies.insert(name.to_owned(), Rng::stream(self.future, &format!("policy/{name}")));
        }
        let call = self.policies.get_mut(name).and_then(|draws| self.environment.decide(name, draws));
        call.ok_or_else(|| BranchError::NoPolicy(name.to_owned()))
    }

    fn expert(&self) -> Option<ToolCall> {
        let asked = self.branches.hints && self.closed.is_none();
        asked.then(|| self.environment.expert().and_then(Expert::next_call)).flatten()
    }

    fn state(&self) -> Digest {
        self.environment.state()
    }

    fn fork(&self, future: u64) -> Result<Box<dyn Branch>, BranchError> {
        self.open()?;
        let future = self.branches.future(self.since, future);
        let environment = self.environment.simulator().ok_or(BranchError::Unsupported)?.fork(future);
        self.branches.made.fetch_add(1, Ordering::Relaxed);
        let (branches, since, steps) = (Arc::clone(&self.branches), self.since, self.steps);
        Ok(Box::new(Self { branches, environment, since, steps, future, policies: BTreeMap::new(), closed: None }))
    }
}
