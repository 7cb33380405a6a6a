//! One episode: who is asked, what they send, what is decided, and what follows from it.

use futures::future::join_all;
use gimbal_core::{Acted, Block, Digest, Halt, LaneId, Milli, Rejection, RejectionKind, Stage, ToolCall, Transition};
use gimbal_messages::records::temporal::{
    LayerAsked, LayerCommitted, LayerProposed, LayerReleased, LayerSent, LayerViolated, SubgoalReached,
};
use gimbal_messages::{StageExt, bounded, spaced};
use gimbal_temporal::commitments::{ReleasedBy, last_step};
use gimbal_temporal::contracts::{Kind, Outcome, Plan, Policy, Projected, RollbackAction, Situation};
use gimbal_temporal::{Directive, Layer, Proposal};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

use super::asking::{Said, share};
use super::deciding::refused_idle;
use super::notes::Notes;
use super::state::{Episode, Made, PAST};
use super::turn::Turn;
use super::{Temporal, free};

/// Trials that Institutional is told of.
const TRIALS: usize = 8;
/// Longest text in a record, in characters.
const TEXT: usize = 2_000;
/// How often Reflex is asked in a step before the step is played without it.
const ATTEMPTS: usize = 2;
/// Refusals in a row after which a step is the idle call's.
const MOST_REFUSED: u32 = 3;

impl Temporal {
    /// Plays until the environment ends the episode.
    ///
    /// # Errors
    /// The halt that ended the episode.
    pub(super) async fn play_layers(&self, stage: &dyn Stage) -> Result<(), Halt> {
        let mut episode = Episode::new();
        episode.notes = Notes::with(stage.embedder("hashed"));
        let first = crate::first::observation(&stage.view().await);
        for layer in self.layers().iter().copied().filter(|layer| *layer > Layer::Tactical) {
            episode.ask(layer, "trial_begins");
        }
        loop {
            if let Err(halt) = self.step(stage, &first, &mut episode).await {
                self.remember(stage, &episode);
                return Err(halt);
            }
        }
    }

    /// Keeps the policies of this trial and what they came to, for Institutional in the next one (CTHA-003).
    fn remember(&self, stage: &dyn Stage, episode: &Episode) {
        if episode.policies.is_empty() {
            return;
        }
        let mut past = stage.memory().get(PAST).and_then(|past| past.as_array().cloned()).unwrap_or_default();
        let told: Vec<String> = episode.policies.values().flat_map(Policy::directives).map(|one| one.text).collect();
        past.push(json!({ "trial": stage.trial() + 1, "return": episode.episode_return.to_string(), "policy": told }));
        let from = past.len().saturating_sub(TRIALS);
        stage.memory().set(PAST, Value::Array(past.split_off(from)));
    }

    async fn step(&self, stage: &dyn Stage, first: &Option<Block>, episode: &mut Episode) -> Result<(), Halt> {
        let turn = Turn::of(stage, first, episode.step).await;
        self.expire(&turn, episode).await;
        let active = self.active(episode);
        let mut proposals: Vec<Proposal> = Vec::new();
        if self.parallel && active.len() > 1 {
            let lanes: Vec<LaneId> = active.iter().map(|(layer, _)| stage.lane(layer.name())).collect();
            let asked = active.iter().zip(&lanes).map(|(asked, lane)| {
                let (turn, episode) = (&turn, &*episode);
                async move { self.ask(turn, *lane, (asked.0, asked.1), episode, &[]).await }
            });
            let given = join_all(asked).await;
            stage.join(&lanes).await;
            for (asked, said) in active.iter().zip(given) {
                let (said, seen) = said?;
                self.take(&turn, (asked.0, asked.1), (said, seen), episode, &mut proposals).await?;
            }
        } else {
            for (layer, why) in &active {
                if *layer == Layer::Reflex {
                    self.reflex(&turn, episode, &mut proposals).await?;
                    continue;
                }
                let given = self.ask(&turn, LaneId::MAIN, (*layer, *why), episode, &[]).await?;
                self.take(&turn, (*layer, *why), given, episode, &mut proposals).await?;
            }
        }
        self.sequence(&turn, episode, &mut proposals).await;
        // Parties come with the slowest layer's proposal first, as they were written.
        let layers: Vec<Layer> = active.iter().map(|(layer, _)| *layer).collect();
        let decision = self.decide(&turn, episode, &proposals, &layers).await?;
        let caller = decision.caller;
        if caller.is_none() {
            stage.fallback(LaneId::MAIN, &decision.call, "no layer's action is left").await;
        }
        self.carry_out(&turn, episode, (decision.call, caller)).await
    }

    /// Who is asked in this step, the slowest layer first, and why (Eq. 27).
    fn active(&self, episode: &mut Episode) -> Vec<(Layer, &'static str)> {
        let due = std::mem::take(&mut episode.due);
        let mut active = Vec::new();
        for layer in self.layers().iter().rev().copied() {
            let period = match layer {
                Layer::Reflex => true,
                Layer::Tactical => (episode.step - 1).is_multiple_of(self.tactical_period),
                Layer::Strategic | Layer::Institutional | Layer::Meta => false,
            };
            match due.get(&layer) {
                Some(why) => active.push((layer, *why)),
                None if period => active.push((layer, "period")),
                // A plan that was made now is for Tactical to take up.
                None if layer == Layer::Tactical && active.iter().any(|(slower, _)| *slower == Layer::Strategic) => {
                    active.push((layer, "new_plan"));
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

    /// Takes up what a layer gave: as directives, a sequence, a proposal.
    async fn take(
        &self,
        turn: &Turn<'_>,
        (layer, why): (Layer, &'static str),
        (said, seen): (Said, Digest),
        episode: &mut Episode,
        proposals: &mut Vec<Proposal>,
    ) -> Result<(), Halt> {
        let cached = matches!(said, Said::Same);
        let asked = LayerAsked { step: episode.step, layer: layer.name().to_owned(), why: why.to_owned(), cached };
        turn.stage.record(LaneId::MAIN, &asked).await;
        match said {
            Said::Same => {
                // A sequence is used up step by step; the same state asks for the same again.
                let again = episode.cache.get(&layer).map(|(_, answer)| answer.clone());
                if let (Layer::Tactical, Some(answer)) = (layer, again) {
                    self.take_sequence(turn, episode, &answer).await;
                }
            }
            Said::Nothing => {}
            Said::Message(kind, projected) => self.take_message(turn, episode, layer, (kind, projected, seen)).await,
            Said::Answer(answer) if layer == Layer::Tactical => {
                episode.cache.insert(layer, (seen, answer.clone()));
                self.take_sequence(turn, episode, &answer).await;
                self.take_reached(turn, episode, &answer).await;
                self.report(turn, episode, layer, answer["summary"].as_str().unwrap_or_default()).await;
            }
            Said::Answer(answer) => {
                self.take_action(turn, episode, &answer, proposals).await?;
                self.report(turn, episode, layer, answer["summary"].as_str().unwrap_or_default()).await;
            }
            Said::Remark(text) => {
                episode.cache.insert(layer, (seen, Value::Null));
                self.take_remark(turn, episode, layer, &text, proposals).await?;
            }
        }
        Ok(())
    }

    /// Takes up a plan or a policy.
    async fn take_message(
        &self,
        turn: &Turn<'_>,
        episode: &mut Episode,
        layer: Layer,
        (kind, projected, seen): (Kind, Projected, Digest),
    ) {
        if let Some(value) = self.send(turn, layer, kind, projected, episode.step).await {
            episode.cache.insert(layer, (seen, value.clone()));
            self.bind(turn, episode, layer, kind, &value).await;
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

    /// Asks the planner about a call that needs a plan (CTHA-065, CTHA-098). Without contracts nobody plans.
    async fn escalate(&self, turn: &Turn<'_>, episode: &mut Episode) -> Result<(), Halt> {
        let (layer, why) = (Layer::Strategic, "escalation");
        if !self.contracts || self.seat(layer).is_none() {
            return Ok(());
        }
        let (said, seen) = self.ask(turn, LaneId::MAIN, (layer, why), episode, &[]).await?;
        let cached = matches!(said, Said::Same);
        let asked = LayerAsked { step: episode.step, layer: layer.name().to_owned(), why: why.to_owned(), cached };
        turn.stage.record(LaneId::MAIN, &asked).await;
        if let Said::Message(kind, projected) = said {
            self.take_message(turn, episode, layer, (kind, projected, seen)).await;
        }
        Ok(())
    }

    /// Sends a message to the layers that it is for; what arrives is projected again, since a fault may have altered it.
    async fn send(&self, turn: &Turn<'_>, from: Layer, kind: Kind, projected: Projected, step: u32) -> Option<Value> {
        let to = match kind {
            Kind::Policy => "all".to_owned(),
            Kind::Plan => self.faster(from).map_or_else(String::new, |layer| layer.name().to_owned()),
            Kind::Summary => self.slower(from).map_or_else(String::new, |layer| layer.name().to_owned()),
        };
        let Projected { value, outcome, notes } = projected;
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
        let arrived = turn.stage.send(LaneId::MAIN, from.name(), &to, kind.name(), value.clone()).await;
        let arrived = arrived.map(|arrived| {
            if arrived == value {
                return arrived;
            }
            self.project(turn, from, kind, arrived, from.name()).value
        });
        if arrived.is_none() {
            outcome = "lost";
        }
        let text = spaced(arrived.as_ref().unwrap_or(&value));
        let record = LayerSent {
            step,
            from: from.name().to_owned(),
            to,
            kind: kind.name().to_owned(),
            outcome: outcome.to_owned(),
            changes,
            refusal,
            bytes: text.len() as u64,
            text: bounded(&text, TEXT),
        };
        turn.stage.record(LaneId::MAIN, &record).await;
        arrived
    }

    /// Sends a layer's summary upwards (CTHA-040).
    async fn report(&self, turn: &Turn<'_>, episode: &mut Episode, layer: Layer, said: &str) {
        if self.slower(layer).is_none() {
            return;
        }
        let written = episode.summary(layer, said);
        let projected = self.project(turn, layer, Kind::Summary, written, layer.name());
        if let Some(value) = self.send(turn, layer, Kind::Summary, projected, episode.step).await {
            episode.summaries.insert(layer, value);
        }
    }

    /// Binds faster layers to a plan or a policy.
    async fn bind(&self, turn: &Turn<'_>, episode: &mut Episode, layer: Layer, kind: Kind, value: &Value) {
        let before = episode.table.all().last().map_or(0, |last| last.number);
        match kind {
            Kind::Policy => {
                let policy = Policy::read(value);
                let last = policy.valid_until.map(|until| last_step(until, Milli(1000)));
                episode.table.set_policy(layer, &policy, episode.step, last);
                episode.policies.insert(layer, policy);
                // Plans made before a policy are bound by it too (Eq. 17).
                self.renew_plan(episode);
            }
            Kind::Plan => {
                let plan = Plan::read(value);
                episode.reached.clear();
                episode.sequence.clear();
                episode.plan = Some(Made { plan, layer, step: episode.step });
                self.renew_plan(episode);
            }
            Kind::Summary => {}
        }
        self.record_bound(turn, episode, before).await;
    }

    /// Enters the plan in force anew: as far as policies let it stand, and with the subgoals that are ready now.
    fn renew_plan(&self, episode: &mut Episode) {
        let Some(made) = &mut episode.plan else { return };
        if self.authority {
            for policy in episode.policies.values() {
                made.plan = made.plan.under(policy).plan;
            }
        }
        episode.table.set_plan(made.layer, &made.plan, &episode.reached, made.step, episode.step);
    }

    async fn record_bound(&self, turn: &Turn<'_>, episode: &Episode, before: u64) {
        let new = episode.table.all().iter().filter(|one| one.number > before && one.released.is_none());
        for one in new {
            let record = LayerCommitted {
                step: episode.step,
                number: one.number,
                layer: one.proposal.layer.name().to_owned(),
                subject: one.subject.clone(),
                text: one.proposal.as_directive().map(|directive| directive.text.clone()).unwrap_or_default(),
                until: one.until,
            };
            turn.stage.record(LaneId::MAIN, &record).await;
        }
    }

    async fn take_sequence(&self, turn: &Turn<'_>, episode: &mut Episode, answer: &Value) {
        episode.sequence.clear();
        for text in answer["action_sequence"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            // A step that cannot be read ends the sequence: what comes after it was meant to follow it.
            let Ok(call) = turn.stage.parse(text).await else { break };
            episode.sequence.push_back((turn.stage.render(&call).await, call));
        }
        episode.tactical = (share(answer, "urgency"), share(answer, "confidence"));
        let memory = answer["working_memory_update"].as_str().unwrap_or_default().trim();
        if !memory.is_empty() {
            memory.clone_into(&mut episode.working_memory);
        }
    }

    async fn take_reached(&self, turn: &Turn<'_>, episode: &mut Episode, answer: &Value) {
        let named: Vec<String> =
            answer["reached"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        let Some(made) = &episode.plan else { return };
        let ready: Vec<String> = made.plan.ready(&episode.reached).into_iter().map(|one| one.id.clone()).collect();
        let mut met = false;
        for subgoal in named.into_iter().filter(|name| ready.contains(name)) {
            let record = SubgoalReached { step: episode.step, subgoal: subgoal.clone(), by: "word".to_owned() };
            turn.stage.record(LaneId::MAIN, &record).await;
            met |= episode.reached.insert(subgoal);
        }
        if met {
            self.renew(turn, episode).await;
        }
    }

    /// After a subgoal was met: what is ready now binds, and a plan that is through asks for the next one.
    async fn renew(&self, turn: &Turn<'_>, episode: &mut Episode) {
        let before = episode.table.all().last().map_or(0, |last| last.number);
        self.renew_plan(episode);
        self.record_bound(turn, episode, before).await;
        let through = episode.plan.as_ref().is_some_and(|made| made.plan.ready(&episode.reached).is_empty());
        if through {
            episode.ask(Layer::Strategic, "goal_completion");
        }
    }

    /// Asks Reflex; an action that cannot be read, or that is denied, is asked for once more with the reason.
    async fn reflex(&self, turn: &Turn<'_>, episode: &mut Episode, proposals: &mut Vec<Proposal>) -> Result<(), Halt> {
        let mut refused: Vec<String> = Vec::new();
        for _ in 0..ATTEMPTS {
            let given = self.ask(turn, LaneId::MAIN, (Layer::Reflex, "period"), episode, &refused).await?;
            let before = (proposals.len(), episode.refusals);
            self.take(turn, (Layer::Reflex, "period"), given, episode, proposals).await?;
            if proposals.len() > before.0 || episode.refusals == before.1 {
                break;
            }
            refused = vec![episode.refused_why.clone()];
        }
        Ok(())
    }

    async fn take_action(
        &self,
        turn: &Turn<'_>,
        episode: &mut Episode,
        answer: &Value,
        proposals: &mut Vec<Proposal>,
    ) -> Result<(), Halt> {
        let text = answer["action"].as_str().unwrap_or_default();
        let scores = (share(answer, "urgency"), share(answer, "confidence"));
        let emergency = answer["emergency"].as_bool().unwrap_or(false);
        self.want(turn, episode, (Layer::Reflex, text), scores, emergency, proposals).await
    }

    /// Takes an action text of a layer as its proposal; what stands against it is told and recorded.
    async fn want(
        &self,
        turn: &Turn<'_>,
        episode: &mut Episode,
        (layer, text): (Layer, &str),
        scores: (Milli, Milli),
        emergency: bool,
        proposals: &mut Vec<Proposal>,
    ) -> Result<(), Halt> {
        let read = match turn.stage.parse(text).await {
            Ok(call) if turn.opens(&call).await => Ok(call),
            Ok(call) => Err(Rejection::new(
                RejectionKind::NotNow,
                format!("`{}` cannot be done now", turn.stage.render(&call).await),
            )),
            Err(rejection) => Err(rejection),
        };
        let call = match read {
            Ok(call) => call,
            Err(rejection) => {
                turn.stage.reject(LaneId::MAIN, &rejection, text).await?;
                self.refuse(episode, None, &rejection.message);
                return Ok(());
            }
        };
        let proposal = self.proposal(turn, episode, layer, &call).scored(scores.0, scores.1);
        let proposal = Proposal { emergency, ..proposal };
        let mut objection = self.objection(turn, episode, &proposal);
        if let Some(found) = objection.as_ref().filter(|found| found.kind != "policy") {
            // The planner looks at it now: a step that waits for it would be the idle call's.
            let action = turn.stage.render(&call).await;
            episode.escalated = Some(format!("{action} ({})", found.why));
            self.escalate(turn, episode).await?;
            objection = self.objection(turn, episode, &proposal).or_else(|| {
                episode.escalated = None;
                None
            });
        }
        if let Some(objection) = objection {
            let action = turn.stage.render(&call).await;
            let record = LayerViolated {
                step: episode.step,
                layer: layer.name().to_owned(),
                kind: objection.kind.to_owned(),
                text: action.clone(),
                carried_out: false,
                over: Some(objection.over.name().to_owned()),
                instead: if objection.kind == "policy" { "idle" } else { "escalation" }.to_owned(),
            };
            turn.stage.record(LaneId::MAIN, &record).await;
            if objection.kind == "policy" {
                // What is denied again and again goes to the layer whose policy it is.
                if episode.refusals > 0 {
                    episode.denied = Some(format!("{action}: {}", objection.why));
                    episode.ask(objection.over, "denied");
                }
                let rejection = Rejection::new(RejectionKind::Forbidden, format!("{action}: {}", objection.why));
                turn.stage.reject(LaneId::MAIN, &rejection, &action).await?;
                self.refuse(episode, Some(&call.tool), &rejection.message);
            }
            return Ok(());
        }
        self.propose(turn, episode.step, &proposal).await;
        proposals.push(proposal);
        Ok(())
    }

    fn refuse(&self, episode: &mut Episode, tool: Option<&str>, why: &str) {
        let fired = episode.refused(tool, why);
        why.clone_into(&mut episode.refused_why);
        self.trigger(episode, &fired);
    }

    /// Triggers ask the planner, and Tactical after a refusal; where there is no planner, the next slower layer (CTHA-091).
    fn trigger(&self, episode: &mut Episode, fired: &[&'static str]) {
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

    async fn propose(&self, turn: &Turn<'_>, step: u32, proposal: &Proposal) {
        let (kind, text) = match (proposal.as_call(), proposal.as_directive()) {
            (Some(call), _) => ("call", turn.stage.render(call).await),
            (None, directive) => ("directive", directive.map(|one| one.text.clone()).unwrap_or_default()),
        };
        let record = LayerProposed {
            step,
            layer: proposal.layer.name().to_owned(),
            kind: kind.to_owned(),
            text,
            category: proposal.category.name().to_owned(),
            urgency: proposal.urgency,
            confidence: proposal.confidence,
        };
        turn.stage.record(LaneId::MAIN, &record).await;
    }

    /// The next call of Tactical's sequence is its proposal. It stands before that of Reflex: the slower layer speaks first.
    async fn sequence(&self, turn: &Turn<'_>, episode: &mut Episode, proposals: &mut Vec<Proposal>) {
        let Some((_, call)) = episode.sequence.front().cloned() else { return };
        if !turn.opens(&call).await {
            // What cannot be done now would not be what was meant later.
            episode.sequence.clear();
            return;
        }
        let (urgency, confidence) = episode.tactical;
        let proposal = self.proposal(turn, episode, Layer::Tactical, &call).scored(urgency, confidence);
        if self.objection(turn, episode, &proposal).is_some() {
            episode.sequence.clear();
            return;
        }
        self.propose(turn, episode.step, &proposal).await;
        let at = proposals.iter().position(|one| one.layer < Layer::Tactical).unwrap_or(proposals.len());
        proposals.insert(at, proposal);
    }

    /// Free text goes to all others; its last action is what the layer wants, and what it forbids is watched.
    async fn take_remark(
        &self,
        turn: &Turn<'_>,
        episode: &mut Episode,
        layer: Layer,
        text: &str,
        proposals: &mut Vec<Proposal>,
    ) -> Result<(), Halt> {
        let arrived = turn.stage.send(LaneId::MAIN, layer.name(), "all", "remark", Value::from(text)).await;
        let outcome = if arrived.is_some() { "free" } else { "lost" };
        let record = LayerSent {
            step: episode.step,
            from: layer.name().to_owned(),
            to: "all".to_owned(),
            kind: "remark".to_owned(),
            outcome: outcome.to_owned(),
            changes: BTreeMap::new(),
            refusal: None,
            bytes: text.len() as u64,
            text: bounded(text, TEXT),
        };
        turn.stage.record(LaneId::MAIN, &record).await;
        if let Some(heard) = arrived.as_ref().and_then(Value::as_str) {
            episode.remarks.insert(layer, heard.to_owned());
        }
        let remark = free::read(text, &format!("remark of {layer}"));
        self.hold(turn, episode, layer, remark.directive).await;
        match remark.action {
            Some(action) => {
                self.want(turn, episode, (layer, &action), (Milli(500), Milli(500)), false, proposals).await
            }
            None if layer == Layer::Reflex => {
                let rejection = Rejection::new(RejectionKind::Unreadable, "no line begins with `Do:`");
                turn.stage.reject(LaneId::MAIN, &rejection, text).await?;
                self.refuse(episode, None, &rejection.message);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// What a layer forbids in free text holds until it speaks again.
    async fn hold(&self, turn: &Turn<'_>, episode: &mut Episode, layer: Layer, directive: Option<Directive>) {
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

    /// Makes the call, and takes up what came of it.
    async fn carry_out(
        &self,
        turn: &Turn<'_>,
        episode: &mut Episode,
        (call, caller): (ToolCall, Option<Layer>),
    ) -> Result<(), Halt> {
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
                // Nobody may be asked for ever in one step.
                let idle = &turn.brief.idle;
                stage.fallback(LaneId::MAIN, idle, "attempts").await;
                match stage.act(LaneId::MAIN, idle, None).await? {
                    Acted::Stepped(transition) => transition,
                    Acted::Rejected(rejection) => return Err(refused_idle(&rejection.message)),
                }
            }
            Err(halt) => return Err(halt),
        };
        if episode.sequence.front().is_some_and(|(_, next)| *next == call) {
            episode.sequence.pop_front();
        }
        let fired = episode.took(&action, &transition, turn.brief.thresholds.harm);
        self.trigger(episode, &fired);
        Ok(())
    }
}
