//! Watching an agent: what it did and what it was shown, for whoever looks back on the trial.

use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use gimbal_agent::Peers;
use gimbal_core::{Acted, EpisodeStopped, LaneId, Milli, Stage, Stop, ToolCall};

use super::memory::{Trial, Verdict};
use crate::shared::reflector::{Account, AttemptStep};

/// What is said where nothing that the agent wrote could be carried out.
const NOTHING_USABLE: &str = "(no usable action was written, and the action that changes nothing was taken)";
/// What is said where the trial ended before any action was carried out.
const NOTHING_READ: &str = "(no usable action was written)";
/// What is said of the action with which the trial ended: nobody is shown what it led to.
const LAST: &str = "(the attempt ended here)";

#[derive(Debug, Default)]
struct AttemptLog {
    account: Account,
    /// The action that is being carried out, and its step.
    open: Option<(String, u32)>,
    /// The step that comes next, as far as it was seen.
    step: u32,
}

/// Watches the calls of one agent.
pub(super) struct Watcher(Mutex<AttemptLog>);

impl Watcher {
    /// At the beginning of a trial.
    pub(super) async fn of(stage: &dyn Stage) -> Self {
        let view = stage.view().await;
        let account = Account {
            attempt: stage.trial() + 1,
            goal: view.brief.goal.clone(),
            first: crate::shared::seen_blocks::text(&view),
            ..Account::default()
        };
        Self(Mutex::new(AttemptLog { account, open: None, step: view.step }))
    }

    fn seen(&self) -> MutexGuard<'_, AttemptLog> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The trial as it ended. What the last step showed nobody saw, and its reward is told only where it judges no answer.
    pub(super) async fn account(&self, stage: &dyn Stage, halt: Option<&EpisodeStopped>) -> Trial {
        let (brief, view) = (stage.brief(), stage.view().await);
        let stop = halt.map_or(Stop::Finished, |halt| halt.stop);
        let returned = stage.episode_return();
        let above = brief.thresholds.success.zip(returned).is_some_and(|(least, returned)| returned > least);
        let verdict = match stop {
            Stop::Solved => Verdict::Reached,
            // Whether an answer is right is judged where no agent sees it.
            Stop::Answered => Verdict::Untold,
            _ if above => Verdict::Reached,
            _ => Verdict::Missed,
        };
        let mut seen = self.seen();
        let none = seen.account.steps.is_empty();
        let last = match seen.open.take() {
            // The scaffolding took the last step.
            None if view.step > seen.step => Some((NOTHING_USABLE.to_owned(), view.step - 1)),
            None if none => Some((NOTHING_READ.to_owned(), view.step)),
            open => open,
        };
        if let Some((action, step)) = last {
            seen.account.push(AttemptStep { step, action, result: LAST.to_owned(), reward: Milli::ZERO });
        }
        seen.account.ended = in_words(stop).to_owned();
        seen.account.returned = returned.filter(|_| verdict != Verdict::Untold);
        Trial { account: seen.account.clone(), verdict }
    }
}

/// How a trial ended, for the reflector.
const fn in_words(stop: Stop) -> &'static str {
    match stop {
        Stop::Solved => "the goal was reached",
        Stop::Answered => "an answer was given",
        Stop::Horizon => "all steps were used up",
        Stop::Failed => "the goal could no longer be reached",
        Stop::Broken => "the environment broke off",
        Stop::ToolBudget => "all actions that were allowed were used up, refused ones too",
        Stop::ModelCallBudget | Stop::TokenBudget | Stop::CostBudget => "the budget of thinking was used up",
        Stop::TimeBudget => "the time was used up",
        Stop::FormatErrors => "too many answers could not be read",
        _ => "it was given up",
    }
}

#[async_trait]
impl Peers for Watcher {
    async fn decided(&self, stage: &dyn Stage, _lane: LaneId, call: &ToolCall) {
        let (action, view) = (stage.render(call).await, stage.view().await);
        let mut seen = self.seen();
        // A step that nobody decided on is one in which the scaffolding acted.
        if view.step > seen.step {
            let (action, result) = (NOTHING_USABLE.to_owned(), view.observation.text.clone());
            seen.account.push(AttemptStep { step: view.step - 1, action, result, reward: Milli::ZERO });
        }
        seen.step = view.step;
        seen.open = Some((action, view.step));
    }

    async fn acted(&self, _stage: &dyn Stage, _lane: LaneId, _call: &ToolCall, acted: &Acted) {
        let mut seen = self.seen();
        let Some((action, step)) = seen.open.take() else { return };
        let step = match acted {
            Acted::Stepped(transition) => {
                seen.step = step + 1;
                let result = transition.observation.text.clone();
                AttemptStep { step, action, result, reward: transition.reward }
            }
            Acted::Rejected(rejection) => {
                let result = format!("(refused: {})", rejection.message);
                AttemptStep { step, action, result, reward: Milli::ZERO }
            }
        };
        seen.account.push(step);
    }
}
