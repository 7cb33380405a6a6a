//! Asking a model.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use gimbal_core::{
    Answering, AskError, CallContext, ChatRequest, Completion, Decoding, EpisodeStopped, Hint, LaneId, ModelError,
    ModelErrorKind, Stop, Usage, UsageSource, seed,
};

use super::injector::{InjectedFault, facts_of};
use super::recorder::CallFacts;
use super::recorder::halt_of;
use super::state::Answered;
use super::texts::reply_text;
use super::wire::CallWire;
use super::{EpisodeStage, Role};
use crate::faults::{Fault, Site};

/// Who asks a role.
pub(super) enum Asker {
    /// The architecture, with what an expert would answer, and whether it wants the grammar enforced though the role decodes freely.
    Architecture { hint: Option<Hint>, mask: bool },
    /// The environment: what it asks belongs to its true state.
    Environment,
}

impl EpisodeStage {
    /// The role called `name`, or `default`.
    pub(super) fn find_role(&self, name: &str) -> Option<&Role> {
        self.setup.roles.get(name).or_else(|| self.setup.roles.get("default"))
    }

    /// Asks a role.
    pub(super) async fn ask_role(
        &self,
        lane: LaneId,
        role: &str,
        mut request: ChatRequest,
        asker: Asker,
    ) -> Result<Completion, AskError> {
        let environment = matches!(asker, Asker::Environment);
        let Some(player) = self.find_role(role) else {
            return Err(EpisodeStopped::infrastructure(format!(
                "no model is named for the role `{role}`; name it in `roles`"
            ))
            .into());
        };
        let masked =
            matches!(asker, Asker::Architecture { mask: true, .. }) && player.model.enforced(&request).is_some();
        if player.settings.decoding == Decoding::Free && !masked {
            request.grammar = None;
        }
        let hint = match &asker {
            Asker::Architecture { hint, .. } => hint.as_ref().filter(|_| player.model.wants_hints()),
            Asker::Environment => None,
        };
        let (number, mut injected) = {
            let mut state = self.lock();
            if let Some(halt) = self.barred(&mut state) {
                return Err(halt.into());
            }
            let (spent, limits) = state.budget(lane)?;
            if let Some(stop) = spent.bars_model_call(&limits) {
                let halt = EpisodeStopped::of(stop);
                // A lane whose share is used up stops alone: that the others go on must not depend on who was faster.
                return Err(if lane == LaneId::MAIN { state.end(halt) } else { halt }.into());
            }
            // What the environment asks belongs to its true state.
            let injected = if environment { None } else { state.inject(lane, Site::Model)? };
            (state.lane(lane)?.conversations.count(role), injected)
        };
        let facts = CallFacts { lane: lane.0, role, environment, model: &player.settings.model, call: number };
        let wire = CallWire {
            recorder: &*self.recorder,
            call: facts,
            refused: Mutex::default(),
            cached: Mutex::default(),
            open: Mutex::default(),
            slot: self.setup.slot.as_deref(),
        };
        let parts: [&[u8]; 5] =
            [b"model", &self.setup.seed.to_be_bytes(), &lane.0.to_be_bytes(), role.as_bytes(), &number.to_be_bytes()];
        let seed = seed::derive(&parts);
        let context = CallContext { wire: &wire, episode: self.setup.key, call: number, seed, hint };
        let asked = Instant::now();
        let outage = injected.as_ref().is_some_and(|injected| injected.fault == Fault::Transport);
        let outcome = match if outage { lose_attempt(&request, &context) } else { Ok(()) } {
            Ok(()) => self.complete(player, &request, &context).await,
            Err(error) => Err(NoCompletion::Model(error)),
        };
        let dropped = match &outcome {
            Err(NoCompletion::Late) => Some(ModelErrorKind::Timeout),
            Err(NoCompletion::Aborted) => Some(ModelErrorKind::Cancelled),
            Ok(_) | Err(NoCompletion::Model(_)) => None,
        };
        if let Some(kind) = dropped {
            let latency_us = u64::try_from(asked.elapsed().as_micros()).unwrap_or(u64::MAX);
            wire.dropped(&request, kind, latency_us).map_err(|error| self.lock().end(halt_of(error)))?;
        }
        if let Some(refused) = wire.refused.lock().ok().and_then(|mut refused| refused.take()) {
            let halt = self.lock().end(halt_of(refused));
            return Err(halt.into());
        }
        let outcome = match (outcome, injected.as_mut()) {
            // What failed by itself has nothing to spoil.
            (Ok(completion), Some(fault)) if !outage => match fault.spoil(&completion) {
                Some(spoilt) => spoilt.map_err(NoCompletion::Model),
                None => {
                    injected = None;
                    Ok(completion)
                }
            },
            (Err(error), Some(_)) if !outage => {
                injected = None;
                Err(error)
            }
            (outcome, _) => outcome,
        };
        let mut injected: Vec<InjectedFault> = injected.into_iter().collect();
        let outcome = match (outcome, &self.brief.answer) {
            (Ok(completion), Some(answering)) if !environment => {
                let completion = self.misstated(lane, completion, answering, &mut injected)?;
                Ok(completion)
            }
            (outcome, _) => outcome,
        };
        if player.model.enforced(&request).is_none() {
            // The journal names the grammar that was enforced, and no other.
            request.grammar = None;
        }
        self.answered(lane, role, &request, &facts, (outcome, injected))
    }

    /// A completion with another cited fact or another figure in its answer, where a fault is injected there.
    fn misstated(
        &self,
        lane: LaneId,
        completion: Completion,
        answering: &Answering,
        injected: &mut Vec<InjectedFault>,
    ) -> Result<Completion, EpisodeStopped> {
        let answers = completion.text.contains(&answering.tool)
            || completion.calls.iter().any(|call| call.tool == answering.tool);
        let fault = if answers { self.lock().inject(lane, Site::Answer)? } else { None };
        let Some(mut fault) = fault else { return Ok(completion) };
        Ok(match fault.misstate(&completion, answering, &facts_of(&self.brief)) {
            Some(other) => {
                injected.push(fault);
                other
            }
            None => completion,
        })
    }

    /// What a call costs as called, in millionths of a millionth of a dollar.
    fn cost(&self, model: &str, usage: &Usage) -> u128 {
        let price = self.setup.prices.get(model).filter(|_| usage.source != UsageSource::Missing);
        price.map_or(0, |price| price.cost_exact(usage))
    }

    async fn complete(
        &self,
        player: &Role,
        request: &ChatRequest,
        context: &CallContext<'_>,
    ) -> Result<Completion, NoCompletion> {
        let asking = player.model.complete(request, context);
        let left =
            self.setup.limits.seconds.map(|seconds| Duration::from_secs(seconds).saturating_sub(self.begun.elapsed()));
        let timed = async {
            match left {
                None => asking.await.map_err(NoCompletion::Model),
                Some(left) => match tokio::time::timeout(left, asking).await {
                    Ok(outcome) => outcome.map_err(NoCompletion::Model),
                    Err(_) => Err(NoCompletion::Late),
                },
            }
        };
        tokio::select! {
            biased;
            outcome = timed => outcome,
            () = self.setup.cancel.reached(2) => Err(NoCompletion::Aborted),
        }
    }

    fn answered(
        &self,
        lane: LaneId,
        role: &str,
        request: &ChatRequest,
        facts: &CallFacts<'_>,
        (outcome, injected): (Result<Completion, NoCompletion>, Vec<InjectedFault>),
    ) -> Result<Completion, AskError> {
        let mut state = self.lock();
        let note = |state: &mut super::State| {
            injected.iter().try_for_each(|injected| state.push(lane, injected.event(&*self.recorder)?))
        };
        let error = match outcome {
            Ok(completion) => {
                self.recorder.called(facts, "completed", &completion.usage, completion.latency_us).map_err(halt_of)?;
                let answered = Answered {
                    outcome: "completed",
                    reply: &reply_text(&completion),
                    usage: &completion.usage,
                    latency_us: completion.latency_us,
                    cost: self.cost(facts.model, &completion.usage),
                };
                state.model_called(lane, role, request, &answered)?;
                note(&mut state)?;
                state.missed(lane, &completion.missed)?;
                return Ok(completion);
            }
            Err(NoCompletion::Late) => return Err(state.end(EpisodeStopped::of(Stop::TimeBudget)).into()),
            Err(NoCompletion::Aborted) => return Err(state.end(EpisodeStopped::of(Stop::Cancelled)).into()),
            Err(NoCompletion::Model(error)) => error,
        };
        // The prompt of a request of unknown cost counts against limits, by its attempt, but not as tokens of a call.
        let known = error.usage.filter(|usage| usage.source != UsageSource::Missing);
        let usage = known.unwrap_or(Usage { source: UsageSource::Missing, ..Usage::default() });
        self.recorder.called(facts, error.kind.name(), &usage, error.latency_us).map_err(halt_of)?;
        if error.kind.is_infrastructure() {
            self.recorder.failed(facts, &error);
            let halt = match error.kind {
                ModelErrorKind::Cancelled => EpisodeStopped::because(Stop::Cancelled, error.message),
                // Most models say who they are.
                _ if error.message.starts_with(facts.model) => EpisodeStopped::infrastructure(error.message),
                _ => EpisodeStopped::infrastructure(format!("{}: {}", facts.model, error.message)),
            };
            return Err(state.end(halt).into());
        }
        let answered = Answered {
            outcome: error.kind.name(),
            reply: error.partial.as_deref().unwrap_or_default(),
            usage: &usage,
            latency_us: error.latency_us,
            cost: self.cost(facts.model, &usage),
        };
        state.model_called(lane, role, request, &answered)?;
        note(&mut state)?;
        Err(AskError::Model(error))
    }
}

/// An injected outage: an attempt that leaves and never arrives. It is on record as any outage is, it is never text, and
/// the request is sent again at once; it reached no server, so that it costs nothing.
fn lose_attempt(request: &ChatRequest, context: &CallContext<'_>) -> Result<(), ModelError> {
    let attempt = context.wire.sent(request, false)?;
    let error = ModelError::new(ModelErrorKind::Transport, "the request did not arrive (an injected fault)");
    context.wire.received(attempt, &Err(error))
}

/// Why there is no completion.
enum NoCompletion {
    Model(ModelError),
    Late,
    Aborted,
}
