//! Directives as proposals: they go through the arbiter in the step in which they are made, and hold where they are kept (CTHA-070).
//!
//! They are in the table of commitments from the moment in which they arrive, so that faster layers that are asked in the same step read the same as where
//! directives are commitments at once. One that gives way leaves it again.

use gimbal_core::LaneId;
use gimbal_messages::StageExt;
use gimbal_messages::records::temporal::LayerReleased;
use gimbal_temporal::arbiter::{Party, Verdict};
use gimbal_temporal::commitments::{Commitment, ReleasedBy};
use gimbal_temporal::contracts::{Plan, Policy};
use gimbal_temporal::{Layer, Proposal};

use super::Temporal;
use super::settings::DirectiveKind;
use super::state::Episode;
use super::turn::Turn;

/// What takes part in a decision: what is wanted in the step, and what held before it.
pub(super) struct Contending {
    /// Calls, then directives that were made in this step.
    pub proposals: Vec<Proposal>,
    /// Numbers of those directives in the table, in their order.
    fresh: Vec<u64>,
    /// Commitments.
    pub held: Vec<Commitment>,
}

impl Contending {
    /// The number of the directive that is the party at this place; `None` of a call or of what held before.
    fn directive(&self, verdict: &Verdict, place: usize) -> Option<u64> {
        let Party::Proposal(at) = verdict.parties.get(place)? else { return None };
        self.fresh.get(at.checked_sub(self.proposals.len() - self.fresh.len())?).copied()
    }

    fn layer(&self, verdict: &Verdict, place: usize) -> Option<Layer> {
        match verdict.parties.get(place)? {
            Party::Proposal(at) => self.proposals.get(*at).map(|one| one.layer),
            Party::Commitment(number) => {
                self.held.iter().find(|one| one.number == *number).map(|one| one.proposal.layer)
            }
        }
    }

    /// The directives among the proposals that gave way, with the layer of whoever masks them. A policy that is passed over holds on.
    fn lost(&self, verdict: &Verdict) -> Vec<(u64, Layer)> {
        let of = |place: usize, by: usize| {
            let number = self.directive(verdict, place)?;
            (self.layer(verdict, place)? < Layer::Institutional).then_some((number, self.layer(verdict, by)?))
        };
        verdict.masked.iter().filter_map(|one| of(one.place, one.by)).collect()
    }

    /// The directives among the proposals that gave way in this step, also those that hold on.
    pub(super) fn gave_way(&self, verdict: &Verdict) -> Vec<u64> {
        verdict.masked.iter().filter_map(|one| self.directive(verdict, one.place)).collect()
    }
}

impl Temporal {
    /// Whether directives are proposals before they hold.
    pub(super) fn proposes_directives(&self) -> bool {
        self.directives == DirectiveKind::Proposed
    }

    /// Who takes part in the decision of a step.
    pub(super) fn contending(&self, episode: &Episode, calls: &[Proposal]) -> Contending {
        let is_new = |one: &&Commitment| {
            self.proposes_directives() && one.since == episode.step && one.proposal.as_directive().is_some()
        };
        let (fresh, held): (Vec<&Commitment>, Vec<&Commitment>) = episode.table.live(episode.step).partition(is_new);
        let directives = fresh.iter().map(|one| one.proposal.clone());
        Contending {
            proposals: calls.iter().cloned().chain(directives).collect(),
            fresh: fresh.iter().map(|one| one.number).collect(),
            held: held.into_iter().cloned().collect(),
        }
    }

    /// Enters a policy, as commitments or with how urgent each part of it is.
    pub(super) fn enter_policy(&self, episode: &mut Episode, layer: Layer, policy: &Policy, last: Option<u32>) {
        if self.proposes_directives() {
            episode.table.enter(layer, policy.proposals(layer, last), episode.step);
        } else {
            episode.table.set_policy(layer, policy, episode.step, last);
        }
    }

    /// Enters what is ready of a plan, as [`Temporal::enter_policy`].
    pub(super) fn enter_plan(&self, episode: &mut Episode, layer: Layer, plan: &Plan, made: u32) {
        if self.proposes_directives() {
            let wanted = plan.proposals(layer, &episode.reached, made, episode.step);
            episode.table.enter(layer, wanted, episode.step);
        } else {
            episode.table.set_plan(layer, plan, &episode.reached, made, episode.step);
        }
    }

    /// After a decision: directives that were proposed hold or leave the table.
    pub(super) async fn settle(&self, turn: &Turn<'_>, episode: &mut Episode, all: &Contending, verdict: &Verdict) {
        for (number, by) in all.lost(verdict) {
            if episode.table.release(number, episode.step, ReleasedBy::Overruled(by)) {
                let by = "overruled".to_owned();
                turn.stage.record(LaneId::MAIN, &LayerReleased { step: episode.step, number, by }).await;
            }
        }
        for number in &all.fresh {
            // A step that is decided again says it once.
            let new = episode.table.live(episode.step).find(|one| one.number == *number && *number > episode.entered);
            if let Some(new) = new {
                self.record_commitment(turn, episode.step, new).await;
            }
        }
        episode.entered = all.fresh.last().copied().unwrap_or(0).max(episode.entered);
    }
}
