//! The call of a step in which no layer's call is left.
//!
//! It is the idle call of the environment where whoever acts may make that on its own. Where the idle call ends the task or binds it, such as a
//! verdict, it is outside the authority of the layers that act. Then it is a legal call within their authority, and the idle call where there is none:
//! a default that ends an episode is not a safe one.

use std::sync::Arc;

use gimbal_core::{Acted, EpisodeStopped, LaneId, Scope, ToolCall, Transition};
use gimbal_temporal::rollout::nearest;
use gimbal_temporal::{Layer, Proposal};

use super::Temporal;
use super::allowed::denied_action;
use super::deciding::refused_idle;
use super::state::Episode;
use super::turn::Turn;

impl Temporal {
    /// The call of a step in which none of these proposals is left: nearest to the one that was wanted last (a proposal that gave way, or an action that a
    /// policy denied), by the distance of Eq. 20; the first legal one elsewhere.
    pub(super) async fn safe_default(&self, turn: &Turn<'_>, episode: &Episode, proposals: &[Proposal]) -> ToolCall {
        if self.may_idle(turn) {
            return turn.brief.idle.clone();
        }
        let proposed = proposals.iter().rev().find_map(Proposal::as_call).cloned();
        let wanted = match proposed {
            Some(call) => Some(call),
            None => denied(turn, episode).await,
        };
        self.nearest_safe(turn, episode, wanted.as_ref(), None)
    }

    /// Makes the call of a step whose call the environment refused again and again (`refused`), and the idle call where that one is refused too.
    ///
    /// # Errors
    /// What stopped the episode; an infrastructure fault where the environment refuses its own idle call.
    pub(super) async fn act_safely(
        &self,
        turn: &Turn<'_>,
        episode: &Episode,
        refused: &ToolCall,
    ) -> Result<Arc<Transition>, EpisodeStopped> {
        let idle = &turn.brief.idle;
        let mut call = match self.may_idle(turn) {
            true => idle.clone(),
            false => self.nearest_safe(turn, episode, Some(refused), Some(refused)),
        };
        loop {
            turn.stage.fallback(LaneId::MAIN, &call, "attempts").await;
            match turn.stage.act(LaneId::MAIN, &call, None).await? {
                Acted::Stepped(transition) => return Ok(transition),
                Acted::Rejected(rejection) if call == *idle => return Err(refused_idle(&rejection.message)),
                Acted::Rejected(_) => call = idle.clone(),
            }
        }
    }

    /// Whether the idle call is within the authority of whoever acts: it neither binds the task nor decides for longer than Reflex does.
    fn may_idle(&self, turn: &Turn<'_>) -> bool {
        let idle = &turn.brief.idle;
        let untimely = || self.contracts && self.untimely(turn, &Proposal::call(Layer::Reflex, idle.clone())).is_some();
        !self.authority || (turn.brief.manifest.of(idle).scope == Scope::Act && !untimely())
    }

    fn nearest_safe(
        &self,
        turn: &Turn<'_>,
        episode: &Episode,
        wanted: Option<&ToolCall>,
        but: Option<&ToolCall>,
    ) -> ToolCall {
        let safe = |call: &&ToolCall| Some(*call) != but && self.is_safe(turn, episode, call);
        let within: Vec<&ToolCall> = turn.legal.iter().filter(safe).collect();
        let near = wanted.and_then(|wanted| nearest(wanted, &within));
        near.or_else(|| within.first().copied()).unwrap_or(&turn.brief.idle).clone()
    }

    /// Whether a legal call may take the place of a decision: it ends and binds nothing, nothing that holds excludes it, and Reflex may make it.
    fn is_safe(&self, turn: &Turn<'_>, episode: &Episode, call: &ToolCall) -> bool {
        let answers = turn.brief.answer.as_ref().is_some_and(|answer| answer.tool == call.tool);
        let proposal = self.proposal(turn, episode, Layer::Reflex, call);
        *call != turn.brief.idle
            && !answers
            && turn.brief.manifest.of(call).scope == Scope::Act
            && episode
                .table
                .live(episode.step)
                .all(|one| one.proposal.as_directive().is_none_or(|held| held.allows(call)))
            && self.objected(turn, episode, &proposal).is_none()
    }
}

/// The action that a policy denied last in this step: it did not become a proposal.
async fn denied(turn: &Turn<'_>, episode: &Episode) -> Option<ToolCall> {
    let denied = denied_action(&episode.refused_why).filter(|_| episode.refusals > 0)?;
    turn.stage.parse(denied).await.ok()
}
