//! What may not be wanted now, before anyone wants it: calls on another time scale (Eq. 19), and calls that a policy denies, which are left out of
//! what a mask allows (Eq. 21).

use std::borrow::Cow;

use gimbal_core::{Decoding, LaneId, Milli, ToolCall};
use gimbal_messages::StageExt;
use gimbal_messages::records::temporal::LayerMasked;
use gimbal_temporal::authority::{Decision, Permission};
use gimbal_temporal::contracts::{RuleAction, Situation};
use gimbal_temporal::{Layer, Proposal, pattern};

use super::Temporal;
use super::state::Episode;
use super::turn::Turn;

/// The actions that a layer is held to under a mask.
pub(super) struct Allowed<'a> {
    /// The calls; never empty where any are listed at all.
    pub calls: Cow<'a, [ToolCall]>,
    /// Their action texts.
    pub actions: Cow<'a, [String]>,
    /// How many legal ones were left out.
    pub left_out: usize,
}

impl Temporal {
    /// The layer on whose time scale a call is, where that is not the one that wants it: by the seconds for which the manifest says that such a
    /// call decides. `None` where the call is on the layer's own time, nothing is said of its time, or no layer of this hierarchy has that time.
    pub(super) fn untimely(&self, turn: &Turn<'_>, proposal: &Proposal) -> Option<Layer> {
        let call = proposal.as_call()?;
        let (least, most) = turn.brief.manifest.of(call).seconds?;
        let thousandths = |seconds: u32| Milli(i64::from(seconds) * 1000);
        let span = (thousandths(least), thousandths(most));
        let decision = Decision { span: Some(span), ..Decision::new(proposal.category, &pattern::shown(call)) };
        if self.arbiter.authority.permission(proposal.layer, &decision) != Permission::Untimely {
            return None;
        }
        let timely = |layer: &Layer| (span.0..=span.1).contains(&layer.spec().tau);
        let own = || self.layers().iter().copied().filter(timely);
        // What lasts longer goes to the next slower layer that decides on that time, what is over sooner to the next faster one.
        own().filter(|layer| *layer > proposal.layer).min().or_else(|| own().max())
    }

    /// Whether a policy denies a call, however urgent it were and however sure the layer. The idle call is never denied.
    pub(super) fn denied(&self, turn: &Turn<'_>, episode: &Episode, call: &ToolCall) -> bool {
        if !self.authority || *call == turn.brief.idle {
            return false;
        }
        let numbers = episode.numbers(turn.brief.horizon, &[]);
        let situation = Situation { numbers: Some(&numbers), call: Some(call) };
        episode.policies.values().any(|policy| policy.ruling(&situation).action == RuleAction::Deny)
    }

    /// The legal actions without those that a policy denies now (CTHA-063). Where all are denied, the idle call is left.
    pub(super) async fn allowed<'t>(&self, turn: &'t Turn<'_>, layer: Layer, episode: &Episode) -> Allowed<'t> {
        if layer > Layer::Tactical || !self.authority || episode.policies.is_empty() || turn.actions.is_empty() {
            return Allowed { calls: Cow::Borrowed(&turn.legal), actions: Cow::Borrowed(&turn.actions), left_out: 0 };
        }
        let pairs = turn.legal.iter().zip(&turn.actions).filter(|(call, _)| !self.denied(turn, episode, call));
        let (mut calls, mut actions): (Vec<ToolCall>, Vec<String>) =
            pairs.map(|(call, action)| (call.clone(), action.clone())).unzip();
        let left_out = turn.actions.len() - actions.len();
        if actions.is_empty() {
            actions.push(turn.stage.render(&turn.brief.idle).await);
            calls.push(turn.brief.idle.clone());
        }
        Allowed { calls: Cow::Owned(calls), actions: Cow::Owned(actions), left_out }
    }

    /// Asks the layer whose policy leaves actions out of Reflex's mask to look at it again, where something went wrong in a step. Under a mask nothing is
    /// refused, so that two refusals in a row never ask it.
    pub(super) fn look_again(&self, turn: &Turn<'_>, episode: &mut Episode) {
        if !self.contracts || !self.authority || turn.brief.free_arguments || !self.is_masked(turn, Layer::Reflex) {
            return;
        }
        let numbers = episode.numbers(turn.brief.horizon, &[]);
        let mut wanted = turn.legal.iter().zip(&turn.actions).filter(|(call, _)| **call != turn.brief.idle);
        let found = wanted.find_map(|(call, action)| {
            let situation = Situation { numbers: Some(&numbers), call: Some(call) };
            episode.policies.iter().rev().find_map(|(layer, policy)| {
                let ruling = policy.ruling(&situation);
                (ruling.action == RuleAction::Deny).then(|| (*layer, format!("{action}: {}", not_allowed(&ruling.why))))
            })
        });
        if let Some((layer, denied)) = found {
            episode.denied = Some(denied);
            episode.ask(layer, "denied");
        }
    }

    /// Whether the role of a layer decodes under a mask.
    fn is_masked(&self, turn: &Turn<'_>, layer: Layer) -> bool {
        let role = self.agent_of(layer).and_then(|one| turn.stage.role(one.agent.role()));
        role.is_some_and(|role| role.decoding == Decoding::Constrained)
    }

    /// Records that a layer was asked under a mask that leaves out what policies deny.
    pub(super) async fn masked(&self, turn: &Turn<'_>, lane: LaneId, layer: Layer, role: &str, allowed: &Allowed<'_>) {
        let enforced = turn.stage.role(role).is_some_and(|role| role.decoding == Decoding::Constrained);
        if allowed.left_out == 0 || !enforced || turn.brief.free_arguments {
            return;
        }
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let record = LayerMasked {
            step: turn.step,
            layer: layer.name().to_owned(),
            left_out: count(allowed.left_out),
            left: count(allowed.actions.len()),
        };
        turn.stage.record(lane, &record).await;
    }
}

/// How the reason of a denial begins.
const DENIED: &str = "the policy does not allow it";

/// Why an action is denied, for whoever wanted it and for the layer whose policy it is.
pub(super) fn not_allowed(why: &str) -> String {
    format!("{DENIED}: {why}")
}

/// The action of a refusal, where a policy denied it.
pub(super) fn denied_action(refusal: &str) -> Option<&str> {
    let (action, _) = refusal.split_once(DENIED)?;
    action.strip_suffix(": ")
}
