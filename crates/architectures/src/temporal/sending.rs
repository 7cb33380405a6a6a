//! Messages between layers, and what they bind.

use std::collections::BTreeMap;

use gimbal_core::{Digest, LaneId, Milli};
use gimbal_messages::records::temporal::{LayerCommitted, LayerSent};
use gimbal_messages::{StageExt, bounded, party, spaced};
use gimbal_temporal::commitments::{Commitment, ReleasedBy, last_step};
use gimbal_temporal::contracts::{Kind, Message, Outcome, Projected};
use gimbal_temporal::{Directive, Layer, Proposal};
use serde_json::Value;

use super::Temporal;
use super::state::{Episode, Made};
use super::turn::Turn;

/// Longest text in a record, in characters.
const TEXT: usize = 2_000;

/// A message as it arrived.
pub(super) struct Arrived {
    /// As it was sent, for whoever reads it.
    value: Value,
    /// As plain code reads it.
    message: Message,
}

impl Temporal {
    /// Takes up a plan or a policy.
    pub(super) async fn take_message(
        &self,
        turn: &Turn<'_>,
        episode: &mut Episode,
        layer: Layer,
        kind: Kind,
        projected: Projected,
        seen: Digest,
    ) {
        if let Some(arrived) = self.send(turn, layer, kind, projected, episode.step).await {
            episode.cache.insert(layer, (seen, None));
            self.bind(turn, episode, layer, arrived.message).await;
        }
        if layer > Layer::Strategic {
            episode.denied = None;
        }
        if layer == Layer::Strategic {
            episode.escalated = None;
            episode.anomalies.clear();
            let said = episode.plan.as_ref().map(|made| format!("plan {}", made.plan.goal_id)).unwrap_or_default();
            self.report(turn, episode, layer, &said).await;
        }
    }

    /// Sends a message to the layers that it is for; what arrives is projected again, since a fault may have altered it.
    pub(super) async fn send(
        &self,
        turn: &Turn<'_>,
        from: Layer,
        kind: Kind,
        projected: Projected,
        step: u32,
    ) -> Option<Arrived> {
        let to = match kind {
            Kind::Policy => party::ALL.to_owned(),
            Kind::Plan => self.faster(from).map_or_else(String::new, |layer| layer.name().to_owned()),
            Kind::Summary => self.slower(from).map_or_else(String::new, |layer| layer.name().to_owned()),
        };
        let Projected { value, message, outcome, notes } = projected;
        let mut changes: BTreeMap<String, u32> = BTreeMap::new();
        for note in &notes {
            let name = serde_json::to_value(note.cause).ok().and_then(|name| name.as_str().map(str::to_owned));
            *changes.entry(name.unwrap_or_default()).or_default() += 1;
        }
        let (mut outcome, refusal) = match outcome {
            Outcome::AsWritten => ("as_written", None),
            Outcome::ByRule => ("by_rule", None),
            Outcome::Default(refusal) => ("default", Some(bounded(&refusal.to_string(), TEXT))),
        };
        let mut watch = turn.stage.stopwatch();
        let arrived = turn.stage.send(LaneId::MAIN, from.name(), &to, kind.name(), value.clone()).await;
        watch.lap("messages");
        let arrived = arrived.map(|arrived| {
            if arrived == value {
                return Arrived { value: arrived, message };
            }
            let Projected { value, message, .. } = self.project(turn, from, kind, arrived, from.name());
            Arrived { value, message }
        });
        if arrived.is_none() {
            outcome = "lost";
        }
        let text = spaced(arrived.as_ref().map_or(&value, |arrived| &arrived.value));
        let record = LayerSent { changes, refusal, ..sent(step, from, &to, kind.name(), outcome, &text) };
        turn.stage.record(LaneId::MAIN, &record).await;
        arrived
    }

    /// Sends a layer's summary upwards (CTHA-040).
    pub(super) async fn report(&self, turn: &Turn<'_>, episode: &mut Episode, layer: Layer, said: &str) {
        if self.slower(layer).is_none() {
            return;
        }
        let most = u64::from(layer.spec().message_tokens);
        let fits = |value: &Value| turn.stage.tokens(layer.name(), &spaced(value)).tokens <= most;
        let written = episode.summary(layer, said, &fits);
        let projected = self.project(turn, layer, Kind::Summary, written, layer.name());
        if let Some(arrived) = self.send(turn, layer, Kind::Summary, projected, episode.step).await {
            episode.summaries.insert(layer, arrived.value);
        }
    }

    /// Binds faster layers to a plan or a policy.
    pub(super) async fn bind(&self, turn: &Turn<'_>, episode: &mut Episode, layer: Layer, message: Message) {
        let before = episode.table.all().last().map_or(0, |last| last.number);
        match message {
            Message::Policy(policy) => {
                let last = policy.valid_until.map(|until| last_step(until, Milli(1000)));
                self.enter_policy(episode, layer, &policy, last);
                episode.policies.insert(layer, policy);
                // Plans made before a policy are bound by it too (Eq. 17).
                self.renew_plan(episode);
            }
            Message::Plan(plan) => {
                episode.reached.clear();
                episode.sequence.clear();
                episode.plan = Some(Made { plan, layer, step: episode.step });
                self.renew_plan(episode);
            }
            Message::Summary(_) => {}
        }
        self.record_bound(turn, episode, before).await;
    }

    /// Enters the plan in force anew: as far as policies let it stand, and with the subgoals that are ready now.
    pub(super) fn renew_plan(&self, episode: &mut Episode) {
        let Some(made) = &mut episode.plan else { return };
        if self.authority {
            for policy in episode.policies.values() {
                made.plan = made.plan.under(policy).plan;
            }
        }
        let Made { plan, layer, step } = made.clone();
        self.enter_plan(episode, layer, &plan, step);
    }

    pub(super) async fn record_bound(&self, turn: &Turn<'_>, episode: &Episode, before: u64) {
        let new = episode.table.all().iter().filter(|one| one.number > before && one.released.is_none());
        for one in new {
            if self.proposes_directives() {
                self.propose(turn, episode.step, &one.proposal).await;
            } else {
                self.record_commitment(turn, episode.step, one).await;
            }
        }
    }

    pub(super) async fn record_commitment(&self, turn: &Turn<'_>, step: u32, one: &Commitment) {
        let record = LayerCommitted {
            step,
            number: one.number,
            layer: one.proposal.layer.name().to_owned(),
            subject: one.subject.clone(),
            text: one.proposal.as_directive().map(|directive| directive.text.clone()).unwrap_or_default(),
            until: one.until,
        };
        turn.stage.record(LaneId::MAIN, &record).await;
    }

    /// After a subgoal was met: what is ready now binds, and a plan that is through asks for the next one.
    pub(super) async fn renew(&self, turn: &Turn<'_>, episode: &mut Episode) {
        let before = episode.table.all().last().map_or(0, |last| last.number);
        self.renew_plan(episode);
        self.record_bound(turn, episode, before).await;
        let through = episode.plan.as_ref().is_some_and(|made| made.plan.ready(&episode.reached).is_empty());
        if through {
            episode.ask(Layer::Strategic, "goal_completion");
        }
    }

    /// What a layer forbids in free text holds until it speaks again.
    pub(super) async fn hold(
        &self,
        turn: &Turn<'_>,
        episode: &mut Episode,
        layer: Layer,
        directive: Option<Directive>,
    ) {
        let own: Vec<u64> =
            episode.table.live(episode.step).filter(|one| one.proposal.layer == layer).map(|one| one.number).collect();
        let before = episode.table.all().last().map_or(0, |last| last.number);
        for number in own {
            episode.table.release(number, episode.step, ReleasedBy::Superseded(before + 1));
        }
        if let Some(directive) = directive {
            let proposal = Proposal::directive(layer, directive);
            episode.table.commit(&proposal, episode.step);
            self.record_bound(turn, episode, before).await;
        }
    }
}

/// The record of a message as it arrived.
pub(super) fn sent(step: u32, from: Layer, to: &str, kind: &str, outcome: &str, text: &str) -> LayerSent {
    LayerSent {
        step,
        from: from.name().to_owned(),
        to: to.to_owned(),
        kind: kind.to_owned(),
        outcome: outcome.to_owned(),
        changes: BTreeMap::new(),
        refusal: None,
        bytes: text.len() as u64,
        text: bounded(text, TEXT),
    }
}
