//! One episode, step by step: who is due, what is decided, and what follows from it.

use std::sync::Arc;

use gimbal_core::{Acted, Block, EpisodeStopped, LaneId, Milli, Stage, ToolCall, Transition};
use gimbal_messages::StageExt;
use gimbal_messages::records::temporal::LayerReleased;
use gimbal_temporal::contracts::{RollbackAction, Situation};
use gimbal_temporal::{Layer, Proposal};

use super::Temporal;
use super::answer::Due;
use super::channel::Maps;
use super::deciding::refused_idle;
use super::notes::Notes;
use super::past::Past;
use super::state::Episode;
use super::turn::Turn;

/// Refusals in a row after which a step is the idle call's.
const MOST_REFUSED: u32 = 3;

impl Temporal {
    /// Plays until the environment ends the episode.
    ///
    /// # Errors
    /// What stopped the episode.
    pub(super) async fn play_layers(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        let mut episode = Episode::new();
        episode.notes = Notes::with(self.embedder.as_deref().and_then(|name| stage.embedder(name)));
        episode.past = Past::of(stage, episode.step).await;
        episode.maps = self.maps.kind().map(|kind| Maps::new(kind, self.layers().len()));
        let first = crate::shared::seen_blocks::observation(&stage.view().await);
        for layer in self.layers().iter().copied().filter(|layer| *layer > Layer::Tactical) {
            episode.ask(layer, "trial_begins");
        }
        loop {
            if let Err(halt) = self.step(stage, &first, &mut episode).await {
                episode.past.remember(stage, &episode.policies, halt.stop);
                return Err(halt);
            }
        }
    }

    async fn step(
        &self,
        stage: &dyn Stage,
        first: &Option<Block>,
        episode: &mut Episode,
    ) -> Result<(), EpisodeStopped> {
        let turn = Turn::of(stage, first, episode.step).await;
        self.check(&turn, episode).await;
        self.expire(&turn, episode).await;
        self.map(&turn, episode).await?;
        let active = self.active(episode);
        if let Some(maps) = &mut episode.maps {
            maps.note(active.iter().map(|due| due.layer), episode.step);
        }
        let mut proposals: Vec<Proposal> = Vec::new();
        let mut due = &active[..];
        while let [next, ..] = due {
            // What is read and used is looked at anew after each of them: a plan may have come to whoever is asked next.
            let (group, rest) = due.split_at(self.together(&turn, episode, due));
            due = rest;
            if group.len() > 1 {
                self.side_by_side(&turn, group, episode, &mut proposals).await?;
            } else if next.layer == Layer::Reflex {
                self.reflex(&turn, episode, &mut proposals, None).await?;
            } else {
                let given = self.ask(&turn, LaneId::MAIN, *next, episode, &[]).await?;
                self.take(&turn, *next, given, episode, &mut proposals).await?;
            }
        }
        self.sequence(&turn, episode, &mut proposals).await;
        // Parties come with the slowest layer's proposal first, as they were written.
        let layers: Vec<Layer> = active.iter().map(|due| due.layer).collect();
        let decision = self.decide(&turn, episode, &proposals, &layers).await?;
        let caller = decision.caller;
        if caller.is_none() {
            stage.fallback(LaneId::MAIN, &decision.call, "no layer's action is left").await;
        }
        self.carry_out(&turn, episode, (decision.call, caller)).await
    }

    /// Who is asked in this step, the slowest layer first, and why (Eq. 27).
    fn active(&self, episode: &mut Episode) -> Vec<Due> {
        let due = std::mem::take(&mut episode.due);
        let mut active: Vec<Due> = Vec::new();
        for layer in self.layers().iter().rev().copied() {
            let period = match layer {
                Layer::Reflex => true,
                Layer::Tactical => (episode.step - 1).is_multiple_of(self.tactical_period),
                Layer::Strategic | Layer::Institutional | Layer::Meta => false,
            };
            match due.get(&layer) {
                Some(why) => active.push(Due { layer, why }),
                None if period => active.push(Due { layer, why: "period" }),
                // A plan that was made now is for Tactical to take up.
                None if layer == Layer::Tactical && active.iter().any(|slower| slower.layer == Layer::Strategic) => {
                    active.push(Due { layer, why: "new_plan" });
                }
                None => {}
            }
        }
        active
    }

    /// What is over is taken off the table: commitments, policies, plans.
    async fn expire(&self, turn: &Turn<'_>, episode: &mut Episode) {
        for number in episode.table.expire(episode.step) {
            let by = "expired".to_owned();
            turn.stage.record(LaneId::MAIN, &LayerReleased { step: episode.step, number, by }).await;
        }
        let now = Milli(i64::from(episode.step) * 1000);
        let over: Vec<Layer> =
            episode.policies.iter().filter(|(_, policy)| !policy.is_valid(now)).map(|(layer, _)| *layer).collect();
        for layer in over {
            episode.policies.remove(&layer);
            episode.cache.remove(&layer);
            episode.ask(layer, "policy_expired");
        }
        let Some(made) = &episode.plan else { return };
        let numbers = episode.numbers(turn.brief.horizon, &[]);
        let failed = made.plan.is_over(episode.step.saturating_sub(made.step));
        let action = made.plan.rollback(&Situation { numbers: Some(&numbers), call: None }, Some(failed));
        let layer = made.layer;
        match action {
            Some(RollbackAction::Retry) => {
                episode.reached.clear();
                episode.ask(layer, "rollback");
            }
            Some(action) => {
                self.roll_back(turn, episode, layer, action).await;
                // Abort leaves the goal to the faster layers until something else asks for a plan; escalation asks the planner at once.
                if action == RollbackAction::Escalate {
                    episode.ask(layer, "rollback");
                }
            }
            None if failed => {
                self.roll_back(turn, episode, layer, RollbackAction::Abort).await;
                episode.ask(layer, "deadline");
            }
            None => {}
        }
        if action.is_some() || failed {
            // What was answered before is what failed.
            episode.cache.remove(&layer);
        }
    }

    async fn roll_back(&self, turn: &Turn<'_>, episode: &mut Episode, layer: Layer, action: RollbackAction) {
        for number in episode.table.roll_back(layer, action, episode.step) {
            let by = "rolled_back".to_owned();
            turn.stage.record(LaneId::MAIN, &LayerReleased { step: episode.step, number, by }).await;
        }
        episode.plan = None;
        episode.reached.clear();
    }

    /// Makes the call, and takes up the result.
    async fn carry_out(
        &self,
        turn: &Turn<'_>,
        episode: &mut Episode,
        (call, caller): (ToolCall, Option<Layer>),
    ) -> Result<(), EpisodeStopped> {
        let stage = turn.stage;
        let action = stage.render(&call).await;
        let transition: Arc<Transition> = match stage.act(LaneId::MAIN, &call, caller.map(Layer::name)).await {
            Ok(Acted::Stepped(transition)) => transition,
            Ok(Acted::Rejected(rejection)) => {
                if call == turn.brief.idle {
                    return Err(refused_idle(&rejection.message));
                }
                self.refuse(episode, Some(&call.tool), &rejection.message);
                episode.sequence.clear();
                if episode.refusals < MOST_REFUSED {
                    return Ok(());
                }
                // Nobody may be asked forever in one step.
                self.act_safely(turn, episode, &call).await?
            }
            Err(halt) => return Err(halt),
        };
        if episode.sequence.front().is_some_and(|(_, next)| *next == call) {
            episode.sequence.pop_front();
        }
        let fired = episode.took(&action, &transition, turn.brief.thresholds.harm);
        self.trigger(episode, &fired);
        if !fired.is_empty() {
            self.look_again(turn, episode);
        }
        Ok(())
    }

    pub(super) fn refuse(&self, episode: &mut Episode, tool: Option<&str>, why: &str) {
        let fired = episode.refused(tool, why);
        why.clone_into(&mut episode.refused_why);
        self.trigger(episode, &fired);
    }

    /// Triggers ask the planner, and Tactical after a refusal; where there is no planner, the next slower layer (CTHA-091).
    pub(super) fn trigger(&self, episode: &mut Episode, fired: &[&'static str]) {
        for why in fired {
            let planner = self.layers().iter().copied().find(|layer| *layer == Layer::Strategic);
            if let Some(layer) = planner {
                episode.ask(layer, why);
            }
            if *why == "refused_twice" && self.layers().contains(&Layer::Tactical) {
                episode.ask(Layer::Tactical, why);
            }
        }
    }
}
