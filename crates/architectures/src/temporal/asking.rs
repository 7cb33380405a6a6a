//! What a layer is told, and what it gives: a message under its contract, or free text.

use gimbal_agent::prompt::Question;
use gimbal_agent::{Advice, Agent, Alone, Consultation, ReplySpec, idle_is_offered};
use gimbal_core::{Block, Decoding, Digest, EpisodeStopped, Hint, LaneId, Milli};
use gimbal_messages::{Form, StageExt, bounded, spaced, typed};
use gimbal_temporal::Layer;
use gimbal_temporal::contracts::{Envelope, Kind, Outcome, Projected, Refusal, Subgoal};
use serde_json::{Value, json};

use super::Temporal;
use super::allowed::Allowed;
use super::answer::{Due, Given, LayerAnswer};
use super::expert::{Expert, Spoken};
use super::held::HeldAbove;
use super::state::Episode;
use super::turn::Turn;
use super::{checks, forms};
use crate::shared::asking::{MessageRequest, Shape};

/// How much of an answer that cannot be used goes back to the model, in characters.
const BROKEN: usize = 2_000;
/// Least and most of the actions that Tactical may order at once; within them, as many as there are steps until it is asked again.
const SEQUENCE: (u32, u32) = (3, 8);
/// Longest remark that others read, in characters.
const REMARK: usize = 600;

/// A request to a layer.
struct LayerRequest<'a> {
    turn: &'a Turn<'a>,
    lane: LaneId,
    layer: Layer,
    agent: &'a Agent,
    /// Context blocks of its prompt.
    blocks: &'a [Block],
    /// What it is told beside them.
    message: &'a str,
}

impl Temporal {
    /// What a layer is told, beside context blocks.
    pub(super) fn request(
        &self,
        turn: &Turn<'_>,
        layer: Layer,
        why: &str,
        episode: &Episode,
        refused: &[String],
    ) -> Value {
        let horizon = turn.brief.horizon;
        let mut told = json!({ "step": episode.step, "steps_left": horizon.saturating_sub(episode.step - 1) });
        let mut put = |key: &str, value: Value| {
            let empty = value.is_null()
                || value.as_array().is_some_and(Vec::is_empty)
                || value.as_str().is_some_and(str::is_empty);
            if !empty {
                told[key] = value;
            }
        };
        if layer > Layer::Reflex {
            put("why", json!(why));
        }
        let faster = self.faster(layer).and_then(|faster| episode.summaries.get(&faster)).cloned();
        put("summary", faster.map(told_summary).unwrap_or_default());
        if !self.contracts {
            let others = episode.remarks.iter().rev().filter(|(other, _)| **other != layer);
            put("remarks", others.map(|(other, text)| json!({ "from": other.name(), "text": text })).collect());
        }
        let bound = self.contracts;
        if bound && layer > Layer::Tactical {
            put("harm", turn.brief.thresholds.harm.map_or(Value::Null, |harm| json!(harm.to_f64())));
        }
        match layer {
            Layer::Institutional | Layer::Meta => {
                put("trial", json!(turn.stage.trial() + 1));
                put("past", episode.past.told());
                put("policy", if bound { held(episode, Layer::Institutional) } else { Value::Null });
                put("denied", json!(episode.denied));
            }
            Layer::Strategic => {
                if bound {
                    put("policy", held(episode, Layer::Institutional));
                    put("plan", held(episode, Layer::Strategic));
                    put("escalated", json!(episode.escalated));
                    put("reached", episode.reached.iter().map(String::as_str).collect());
                }
                put("notes", episode.notes.find(&about(turn, why, episode)));
            }
            Layer::Tactical => {
                if bound {
                    let held = HeldAbove::of(episode);
                    put("constraints", json!(held.constraints));
                    put("subgoals", ready(episode));
                    put("advice", json!(held.advice));
                    put("memory", json!(episode.working_memory));
                }
                put("recent", episode.recent());
                if bound {
                    put("most_actions", json!(self.most_actions(turn)));
                }
            }
            Layer::Reflex if bound => {
                let held = HeldAbove::of(episode);
                put("constraints", json!(held.constraints));
                put("subgoals", json!(held.subgoals));
                put("advice", json!(held.advice));
                put("next", episode.sequence.front().map(|(action, _)| json!(action)).unwrap_or_default());
                put("then", episode.sequence.iter().skip(1).map(|(action, _)| action.as_str()).collect());
            }
            Layer::Reflex => {}
        }
        if layer <= Layer::Tactical {
            put("refused", json!(refused));
        }
        told
    }

    /// Most actions that Tactical may order at once: what its mask lets through, and what it is told.
    pub(super) fn most_actions(&self, turn: &Turn<'_>) -> usize {
        // Free text is long: one such action is as much as a mask holds.
        if turn.brief.free_arguments { 1 } else { self.tactical_period.clamp(SEQUENCE.0, SEQUENCE.1) as usize }
    }

    fn ready_names(episode: &Episode) -> Vec<String> {
        let ready = episode.plan.as_ref().map(|made| made.plan.ready(&episode.reached)).unwrap_or_default();
        ready.into_iter().map(|subgoal| subgoal.id.clone()).collect()
    }

    /// What an expert in the layer's place would say: under a mask nothing that the mask leaves out.
    fn expert(
        &self,
        turn: &Turn<'_>,
        episode: &Episode,
        layer: Layer,
        role: &str,
        allowed: &Allowed<'_>,
    ) -> Option<Hint> {
        let (call, action) = turn.expert.as_ref()?;
        let about = turn.brief.subject_of(call).unwrap_or("the goal").to_owned();
        let idle = &turn.brief.idle.tool;
        let held = turn.stage.role(role).is_some_and(|role| role.decoding == Decoding::Constrained);
        let masked = held && allowed.left_out > 0 && !turn.brief.free_arguments;
        let actions: &[String] = if masked { &allowed.actions } else { &turn.actions };
        let action = match actions.first() {
            // What is allowed may be listed with other amounts.
            Some(first) if masked && self.denied(turn, episode, call) => first,
            _ => action,
        };
        let spoken = match self.experts {
            Some(experts) => {
                let mut rng = turn.stage.rng(&format!("expert/{}/{}", layer.name(), turn.step));
                Spoken::drawn(experts, &turn.legal, call, idle, &mut rng)
            }
            None => Spoken::default(),
        };
        let expert = Expert { call, action, actions, about: &about, idle, spoken };
        Some(if self.contracts { expert.answer(layer) } else { expert.remark(layer) })
    }

    /// Asks a layer; what it would see decides whether it is asked again (Eq. 29).
    ///
    /// # Errors
    /// What stopped the episode.
    pub(super) async fn ask(
        &self,
        turn: &Turn<'_>,
        lane: LaneId,
        Due { layer, why }: Due,
        episode: &Episode,
        refused: &[String],
    ) -> Result<Given, EpisodeStopped> {
        let Some(one) = self.agent_of(layer) else {
            return Ok(Given { answer: LayerAnswer::Nothing, seen: Digest::of(b"") });
        };
        let mut told = self.request(turn, layer, why, episode, refused);
        if self.contracts && layer == Layer::Strategic {
            let checks = checks::offered(turn, lane).await;
            if checks.as_array().is_some_and(|checks| !checks.is_empty()) {
                told["checks"] = checks;
            }
        }
        let trimmed = self.fit(turn, layer, episode, &mut told);
        let mut blocks = turn.blocks(lane, &one.context).await?;
        // Where literals are all there is and change, nobody can act who is not shown them (CYC-036).
        if layer <= Layer::Tactical && crate::shared::seen_blocks::told_once(&turn.brief) {
            let possible = one.agent.session(turn.stage).await?.possible_actions(turn.stage).await?;
            blocks.extend(possible.map(crate::shared::seen_blocks::possible));
        }
        let state = seen(&told, &blocks);
        let known =
            episode.cache.get(&layer).filter(|(digest, _)| self.cache && layer > Layer::Reflex && *digest == state);
        if known.is_some() {
            return Ok(Given { answer: LayerAnswer::Same, seen: state });
        }
        if let Some(trimmed) = trimmed {
            turn.stage.record(lane, &trimmed).await;
        }
        let ready = Self::ready_names(episode);
        let allowed = self.allowed(turn, layer, episode).await;
        let hint = self.expert(turn, episode, layer, one.agent.role(), &allowed);
        let message = spaced(&told);
        let request = LayerRequest { turn, lane, layer, agent: &one.agent, blocks: &blocks, message: &message };
        let answer = if self.contracts {
            self.masked(turn, lane, layer, one.agent.role(), &allowed).await;
            let form = self.form(&request, &allowed, &ready).await?;
            self.message(&request, hint, form).await?
        } else {
            remark(&request, hint).await?
        };
        Ok(Given { answer, seen: state })
    }

    /// The form of a layer's answer. Actions are what the agent could write if it acted itself: an expert, which sees the environment, keeps all of
    /// them, and nobody else is offered a name that the request does not show.
    async fn form(
        &self,
        &LayerRequest { turn, layer, agent, blocks, message, .. }: &LayerRequest<'_>,
        allowed: &Allowed<'_>,
        ready: &[String],
    ) -> Result<Form, EpisodeStopped> {
        let horizon = turn.brief.horizon;
        let action = || async {
            let shown: Vec<&str> = blocks.iter().map(|block| &*block.text).chain([message]).collect();
            let shown = turn.expert.is_none().then_some(&shown[..]);
            Ok::<_, EpisodeStopped>(agent.session(turn.stage).await?.action_form(
                &allowed.calls,
                &allowed.actions,
                shown,
            ))
        };
        Ok(match layer {
            Layer::Reflex => {
                let idle = match idle_is_offered(&turn.brief) {
                    true => Some(turn.stage.render(&turn.brief.idle).await),
                    false => None,
                };
                forms::reflex(&self.reading.reflex, action().await?, idle.as_deref())
            }
            Layer::Tactical => {
                forms::tactical(&self.reading.tactical, &action().await?, self.most_actions(turn), ready)
            }
            Layer::Strategic => forms::plan(self.reading.between.get(Kind::Plan), horizon),
            Layer::Institutional | Layer::Meta => forms::policy(self.reading.between.get(Kind::Policy), horizon),
        })
    }

    async fn message(
        &self,
        &LayerRequest { turn, lane, layer, agent, blocks, message }: &LayerRequest<'_>,
        expert: Option<Hint>,
        form: Form,
    ) -> Result<LayerAnswer, EpisodeStopped> {
        let shape = match layer {
            Layer::Reflex => Shape::Contract(&self.reading.reflex),
            Layer::Tactical => Shape::Contract(&self.reading.tactical),
            Layer::Strategic => Shape::Object(Kind::Plan.name()),
            Layer::Institutional | Layer::Meta => Shape::Object(Kind::Policy.name()),
        };
        let asked = MessageRequest {
            agent,
            lane,
            blocks,
            who: layer.name(),
            target: "",
            message,
            shape,
            form,
            expert,
            longest: BROKEN,
            mask: true,
        };
        let kind = match layer {
            Layer::Reflex => {
                let answer = asked.ask(turn.stage, typed).await?;
                return Ok(answer.map_or(LayerAnswer::Nothing, LayerAnswer::Reflex));
            }
            Layer::Tactical => {
                let answer = asked.ask(turn.stage, typed).await?;
                return Ok(answer.map_or(LayerAnswer::Nothing, LayerAnswer::Tactical));
            }
            Layer::Strategic => Kind::Plan,
            Layer::Institutional | Layer::Meta => Kind::Policy,
        };
        let projected = asked.ask(turn.stage, |value| {
            let projected = self.project(turn, layer, kind, value, agent.role());
            match &projected.outcome {
                Outcome::Default(refusal) => Err(refusal.to_string()),
                Outcome::AsWritten | Outcome::ByRule => Ok(projected),
            }
        });
        Ok(LayerAnswer::Message(
            kind,
            match projected.await? {
                Ok(projected) => projected,
                Err(problem) => {
                    let now = Milli(i64::from(turn.step) * 1000);
                    Projected::refused(kind, layer, now, Refusal::Schema(problem), Vec::new())
                }
            },
        ))
    }

    /// The projection of what a layer wrote onto a kind of message, within its budget of tokens (Eq. 15).
    pub(super) fn project(&self, turn: &Turn<'_>, sender: Layer, kind: Kind, value: Value, role: &str) -> Projected {
        let receiver = self.faster(sender).unwrap_or(sender);
        let now = Milli(i64::from(turn.step) * 1000);
        let measure = |text: &str| turn.stage.tokens(role, text).tokens;
        let envelope = Envelope { measure: &measure, ..Envelope::new(sender, receiver, now) };
        let mut watch = turn.stage.stopwatch();
        let projected = self.reading.between.project(kind, value, &envelope);
        watch.lap("projection");
        projected
    }
}

async fn remark(
    &LayerRequest { turn, lane, agent, blocks, message, .. }: &LayerRequest<'_>,
    expert: Option<Hint>,
) -> Result<LayerAnswer, EpisodeStopped> {
    let session = agent.session(turn.stage).await?;
    let reply_spec = ReplySpec { form: forms::remark(), expert, mask: false };
    let question = Question { target: "", message };
    let asked = Consultation { blocks, question, reply_spec: Some(&reply_spec) };
    Ok(match session.consult(turn.stage, lane, asked, &Alone).await? {
        Advice::Text(text) => LayerAnswer::Remark(bounded(text.trim(), REMARK)),
        Advice::None(_) => LayerAnswer::Nothing,
    })
}

/// A summary as the next layer is told it: who sent it, when, and the hash of what was seen are for programs.
fn told_summary(mut summary: Value) -> Value {
    if let Some(members) = summary.as_object_mut() {
        for own in ["layer_id", "timestamp", "state_digest"] {
            members.remove(own);
        }
    }
    summary
}

/// The texts of what Strategic holds, or Institutional and slower layers.
fn held(episode: &Episode, from: Layer) -> Value {
    let held = episode.table.live(episode.step).filter(|one| {
        let layer = one.proposal.layer;
        if from == Layer::Strategic { layer == from } else { layer >= from }
    });
    held.filter_map(|one| one.proposal.as_directive()).map(|directive| json!(directive.text)).collect()
}

/// What notes are searched for: the goal, why Strategic is asked, the action that waits for it, and what its plan is at.
fn about(turn: &Turn<'_>, why: &str, episode: &Episode) -> String {
    let mut about = vec![turn.brief.goal.as_str(), why];
    about.extend(episode.escalated.as_deref());
    let ready = episode.plan.as_ref().map(|made| made.plan.ready(&episode.reached)).unwrap_or_default();
    about.extend(ready.iter().map(|subgoal| subgoal.description.as_str()));
    about.join(" ")
}

/// The subgoals that are ready, as Tactical is told.
fn ready(episode: &Episode) -> Value {
    let Some(made) = &episode.plan else { return Value::Null };
    let told = |subgoal: &Subgoal| json!({ "id": subgoal.id, "description": subgoal.description, "success_criteria": subgoal.success_criteria });
    made.plan.ready(&episode.reached).into_iter().map(told).collect()
}

/// Hash of what a layer would see, but for the time: a clock that moves on is not a change of state.
fn seen(told: &Value, blocks: &[Block]) -> Digest {
    let mut told = told.clone();
    if let Some(members) = told.as_object_mut() {
        // What is known of subjects is in the blocks; the examples of checks are none of it.
        for clock in ["step", "steps_left", "why", "checks"] {
            members.remove(clock);
        }
    }
    let texts: Vec<&[u8]> = blocks.iter().map(|block| block.text.as_bytes()).collect();
    let told = spaced(&told);
    let parts: Vec<&[u8]> = std::iter::once(told.as_bytes()).chain(texts).collect();
    Digest::of_parts(&parts)
}
