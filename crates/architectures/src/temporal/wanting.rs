//! What layers want of a step, from what they gave: sequences, proposals, and the objections to them.

use gimbal_core::{EpisodeStopped, LaneId, Milli, Rejection, RejectionKind};
use gimbal_messages::records::temporal::{LayerAsked, LayerProposed, LayerViolated, SubgoalReached};
use gimbal_messages::{StageExt, party};
use gimbal_temporal::{Layer, Proposal};
use serde_json::Value;

use super::answer::{Due, Given, LayerAnswer};
use super::messages::{ReflexAction, TacticalAction};
use super::sending::sent;
use super::state::Episode;
use super::turn::Turn;
use super::{Temporal, free};

/// How often Reflex is asked in a step before the step is played without it.
const ATTEMPTS: usize = 2;

impl Temporal {
    /// Takes up what a layer gave: as directives, a sequence, a proposal.
    pub(super) async fn take(
        &self,
        turn: &Turn<'_>,
        due: Due,
        Given { answer, seen }: Given,
        episode: &mut Episode,
        proposals: &mut Vec<Proposal>,
    ) -> Result<(), EpisodeStopped> {
        let layer = due.layer;
        asked(turn, episode.step, due, matches!(answer, LayerAnswer::Same)).await;
        match answer {
            LayerAnswer::Same => {
                // A sequence is used up step by step; the same state asks for the same again.
                let again = episode.cache.get(&layer).and_then(|(_, answer)| answer.clone());
                if let Some(answer) = again {
                    self.take_sequence(turn, episode, &answer).await;
                }
            }
            LayerAnswer::Nothing => {}
            LayerAnswer::Message(kind, projected) => {
                self.take_message(turn, episode, layer, kind, projected, seen).await
            }
            LayerAnswer::Tactical(answer) => {
                episode.cache.insert(layer, (seen, Some(answer.clone())));
                self.take_sequence(turn, episode, &answer).await;
                self.take_reached(turn, episode, &answer.reached).await;
                self.report(turn, episode, layer, &answer.summary).await;
            }
            LayerAnswer::Reflex(answer) => {
                self.take_action(turn, episode, &answer, proposals).await?;
                self.report(turn, episode, layer, &answer.summary).await;
            }
            LayerAnswer::Remark(text) => {
                episode.cache.insert(layer, (seen, None));
                self.take_remark(turn, episode, layer, &text, proposals).await?;
            }
        }
        Ok(())
    }

    /// Asks the planner about a call that needs a plan (CTHA-065, CTHA-098). Without contracts nobody plans.
    async fn escalate(&self, turn: &Turn<'_>, episode: &mut Episode) -> Result<(), EpisodeStopped> {
        let due = Due { layer: Layer::Strategic, why: "escalation" };
        if !self.contracts || self.agent_of(due.layer).is_none() {
            return Ok(());
        }
        let Given { answer, seen } = self.ask(turn, LaneId::MAIN, due, episode, &[]).await?;
        asked(turn, episode.step, due, matches!(answer, LayerAnswer::Same)).await;
        if let LayerAnswer::Message(kind, projected) = answer {
            self.take_message(turn, episode, due.layer, kind, projected, seen).await;
        }
        Ok(())
    }

    /// Asks Reflex, unless it was asked already (`given`); an action that cannot be read, or that is denied, is asked for once more with the reason.
    pub(super) async fn reflex(
        &self,
        turn: &Turn<'_>,
        episode: &mut Episode,
        proposals: &mut Vec<Proposal>,
        mut given: Option<Given>,
    ) -> Result<(), EpisodeStopped> {
        let due = Due { layer: Layer::Reflex, why: "period" };
        let mut refused: Vec<String> = Vec::new();
        for _ in 0..ATTEMPTS {
            let given = match given.take() {
                Some(given) => given,
                None => self.ask(turn, LaneId::MAIN, due, episode, &refused).await?,
            };
            let before = (proposals.len(), episode.refusals);
            self.take(turn, due, given, episode, proposals).await?;
            if proposals.len() > before.0 || episode.refusals == before.1 {
                break;
            }
            refused = vec![episode.refused_why.clone()];
        }
        Ok(())
    }

    async fn take_sequence(&self, turn: &Turn<'_>, episode: &mut Episode, answer: &TacticalAction) {
        episode.sequence.clear();
        for text in answer.action_sequence.iter().take(self.most_actions(turn)) {
            // A step that cannot be read ends the sequence: what comes after it was meant to follow it.
            let Ok(call) = turn.stage.parse(text).await else { break };
            episode.sequence.push_back((turn.stage.render(&call).await, call));
        }
        episode.tactical = (answer.urgency, answer.confidence);
        let memory = answer.working_memory_update.trim();
        if !memory.is_empty() {
            memory.clone_into(&mut episode.working_memory);
        }
    }

    async fn take_reached(&self, turn: &Turn<'_>, episode: &mut Episode, named: &[String]) {
        let Some(made) = &episode.plan else { return };
        let ready: Vec<String> = made.plan.ready(&episode.reached).into_iter().map(|one| one.id.clone()).collect();
        let mut met = false;
        for subgoal in named.iter().filter(|name| ready.contains(name)) {
            if self.contradicted(turn, episode, subgoal).await {
                continue;
            }
            let record = SubgoalReached { step: episode.step, subgoal: subgoal.clone(), by: "word".to_owned() };
            turn.stage.record(LaneId::MAIN, &record).await;
            met |= episode.reached.insert(subgoal.clone());
        }
        if met {
            self.renew(turn, episode).await;
        }
    }

    async fn take_action(
        &self,
        turn: &Turn<'_>,
        episode: &mut Episode,
        ReflexAction { action, urgency, confidence, emergency, .. }: &ReflexAction,
        proposals: &mut Vec<Proposal>,
    ) -> Result<(), EpisodeStopped> {
        self.want(turn, episode, (Layer::Reflex, action), (*urgency, *confidence), *emergency, proposals).await
    }

    /// Free text goes to all others; its last action is what the layer wants, and what it forbids is watched.
    async fn take_remark(
        &self,
        turn: &Turn<'_>,
        episode: &mut Episode,
        layer: Layer,
        text: &str,
        proposals: &mut Vec<Proposal>,
    ) -> Result<(), EpisodeStopped> {
        let mut watch = turn.stage.stopwatch();
        let arrived = turn.stage.send(LaneId::MAIN, layer.name(), party::ALL, "remark", Value::from(text)).await;
        watch.lap("messages");
        let outcome = if arrived.is_some() { "free" } else { "lost" };
        let record = sent(episode.step, layer, party::ALL, "remark", outcome, text);
        turn.stage.record(LaneId::MAIN, &record).await;
        if let Some(heard) = arrived.as_ref().and_then(Value::as_str) {
            episode.remarks.insert(layer, heard.to_owned());
        }
        if layer > Layer::Strategic {
            episode.denied = None;
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

    /// Takes an action text of a layer as its proposal; an objection to it is told and recorded.
    async fn want(
        &self,
        turn: &Turn<'_>,
        episode: &mut Episode,
        (layer, text): (Layer, &str),
        scores: (Milli, Milli),
        emergency: bool,
        proposals: &mut Vec<Proposal>,
    ) -> Result<(), EpisodeStopped> {
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
        if objection.as_ref().is_some_and(|found| found.over == Layer::Tactical) {
            episode.ask(Layer::Tactical, "escalation");
        }
        if let Some(found) = objection.as_ref().filter(|found| found.kind != "policy" && found.over > Layer::Tactical) {
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

    pub(super) async fn propose(&self, turn: &Turn<'_>, step: u32, proposal: &Proposal) {
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

    /// The next call of Tactical's sequence is its proposal. It comes before that of Reflex: the slower layer speaks first.
    pub(super) async fn sequence(&self, turn: &Turn<'_>, episode: &mut Episode, proposals: &mut Vec<Proposal>) {
        let Some((_, call)) = episode.sequence.front().cloned() else { return };
        if !turn.opens(&call).await {
            // What cannot be done now would not be what was meant later.
            episode.sequence.clear();
            return;
        }
        let (urgency, confidence) = episode.tactical;
        let proposal = self.proposal(turn, episode, Layer::Tactical, &call).scored(urgency, confidence);
        if let Some(objection) = self.objection(turn, episode, &proposal) {
            // What is for a faster layer to take stays in its sight as the next action.
            if objection.over >= Layer::Tactical {
                episode.sequence.clear();
                let record = LayerViolated {
                    step: episode.step,
                    layer: Layer::Tactical.name().to_owned(),
                    kind: objection.kind.to_owned(),
                    text: turn.stage.render(&call).await,
                    carried_out: false,
                    over: Some(objection.over.name().to_owned()),
                    instead: "dropped".to_owned(),
                };
                turn.stage.record(LaneId::MAIN, &record).await;
            }
            return;
        }
        self.propose(turn, episode.step, &proposal).await;
        let at = proposals.iter().position(|one| one.layer < Layer::Tactical).unwrap_or(proposals.len());
        proposals.insert(at, proposal);
    }
}

/// Records that a layer was due, and why.
async fn asked(turn: &Turn<'_>, step: u32, Due { layer, why }: Due, cached: bool) {
    let record = LayerAsked { step, layer: layer.name().to_owned(), why: why.to_owned(), cached };
    turn.stage.record(LaneId::MAIN, &record).await;
}
