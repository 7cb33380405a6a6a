//! Acting on the environment.

use std::sync::Arc;

use gimbal_core::event::{Rejected, StepTaken, ToolCalled};
use gimbal_core::stop::EnvironmentStop;
use gimbal_core::{
    Acted, Ask, AskError, Body, ChatRequest, Environment, EpisodeStopped, LaneId, Rejection, Reply, Stepped, TextRef,
    ToolCall, Transition,
};

use super::ask::Asker;
use super::recorder::halt_of;
use super::texts::keep;
use super::{EpisodeStage, State};

/// Questions that one call of the environment may lead to before we call the environment broken: a rubric of sixty items, each asked
/// twice, and some more.
const QUESTIONS: usize = 160;

impl EpisodeStage {
    /// One tool call, with whatever questions the environment has on the way.
    pub(super) async fn act_on_main(
        &self,
        call: &ToolCall,
        justification: Option<&str>,
    ) -> Result<Acted, EpisodeStopped> {
        let mut environment = self.environment.lock().await;
        {
            let mut state = self.lock();
            self.charge_tool_call(&mut state, LaneId::MAIN)?;
            let recorder = Arc::clone(&state.recorder);
            let called = ToolCalled {
                arguments: arguments_of(call, &*recorder)?,
                justification: keep(&*recorder, justification.unwrap_or_default(), &[]).map_err(halt_of)?,
                tool: call.tool.clone(),
            };
            state.push(LaneId::MAIN, Body::ToolCalled(called))?;
        }
        let mut reply = environment.call(call).await;
        for _ in 0..QUESTIONS {
            // A service of the environment that failed is not an outcome of the agent.
            if let Some(error) = environment.failure() {
                return Err(self.lock().end(EpisodeStopped::infrastructure(error.to_string())));
            }
            match reply {
                Ok(Reply::Ask(ask)) => reply = self.ask_for_environment(&mut **environment, ask).await?,
                Ok(Reply::Step(transition)) => {
                    let (hash, situation) = (environment.state(), environment.situation());
                    self.lock().situations.insert(situation);
                    return self.stepped(call, justification, (transition, hash), &**environment);
                }
                Err(rejection) => {
                    let mut state = self.lock();
                    self.rejected(&mut state, LaneId::MAIN, &rejection, &environment.render(call))?;
                    return Ok(Acted::Rejected(rejection));
                }
            }
        }
        let detail = format!("the environment asked more than {QUESTIONS} questions in one call of `{}`", call.tool);
        Err(self.lock().end(EpisodeStopped::infrastructure(detail)))
    }

    /// Puts a question of the environment to the role of that name, and the answer to the environment.
    async fn ask_for_environment(
        &self,
        environment: &mut dyn Environment,
        ask: Ask,
    ) -> Result<Result<Reply, Rejection>, EpisodeStopped> {
        let Some(player) = self.find_role(&ask.role) else {
            let detail = format!("the environment asks the role `{}`, and no model is named for it", ask.role);
            return Err(self.lock().end(EpisodeStopped::infrastructure(detail)));
        };
        let request = ChatRequest {
            messages: ask.messages.into_iter().map(Arc::new).collect(),
            grammar: ask.grammar.map(Arc::new),
            sampling: player.settings.sampling.clone(),
            ..ChatRequest::default()
        };
        match self.ask_role(LaneId::MAIN, &ask.role, request, Asker::Environment).await {
            Ok(completion) => Ok(environment.answer(&completion.text).await),
            Err(AskError::EpisodeStopped(halt)) => Err(halt),
            Err(AskError::Model(error)) => Ok(environment.unanswered(&ask.role, error.kind.name()).await),
        }
    }

    fn stepped(
        &self,
        call: &ToolCall,
        justification: Option<&str>,
        (mut transition, hash): (Transition, gimbal_core::Digest),
        environment: &dyn Environment,
    ) -> Result<Acted, EpisodeStopped> {
        let mut state = self.lock();
        let horizon = self.brief.horizon;
        let ending =
            transition.done.or((horizon > 0 && state.steps + 1 >= horizon).then_some(EnvironmentStop::Horizon));
        let mut injected = None;
        // Nobody acts on what comes last.
        if ending.is_none() {
            let (seen, fault) = state.sight(&transition.observation, environment)?;
            (transition.observation, injected) = (seen, fault);
        }
        let transition = Arc::new(transition);
        let observation = Arc::clone(&transition.observation);
        let reference = state.observe(Arc::clone(&observation))?;
        let taken = StepTaken { observation: reference, reward: transition.reward, state: hash };
        state.push(LaneId::MAIN, Body::Stepped(taken))?;
        state.steps += 1;
        state.episode_return += transition.reward;
        let step = state.steps;
        if let Some(seen) = &self.setup.seen {
            seen.stepped(step, horizon, transition.reward, state.episode_return);
        }
        state.tracker.update(Stepped { step, call, observation: &observation, justification });
        if let Some(injected) = injected {
            let event = injected.event(&*self.recorder)?;
            state.push(LaneId::MAIN, event)?;
        }
        state.attacked(call, step)?;
        match ending {
            Some(ending) => Err(state.end(EpisodeStopped::of(ending.into()))),
            None => Ok(Acted::Stepped(transition)),
        }
    }

    /// Uses up one tool call, if there is one left.
    pub(super) fn charge_tool_call(&self, state: &mut State, lane: LaneId) -> Result<(), EpisodeStopped> {
        if let Some(halt) = self.barred(state) {
            return Err(halt);
        }
        let (spent, limits) = state.budget(lane)?;
        if let Some(stop) = spent.bars_tool_call(&limits) {
            let halt = EpisodeStopped::of(stop);
            return Err(if lane == LaneId::MAIN { state.end(halt) } else { halt });
        }
        state.lane(lane)?.spent.tool_calls += 1;
        Ok(())
    }

    /// Notes a refusal.
    pub(super) fn rejected(
        &self,
        state: &mut State,
        lane: LaneId,
        rejection: &Rejection,
        text: &str,
    ) -> Result<(), EpisodeStopped> {
        state.rejected += 1;
        let recorder = Arc::clone(&state.recorder);
        let rejected = Rejected {
            message: keep(&*recorder, &rejection.message, &[]).map_err(halt_of)?,
            reason: rejection.kind.name().to_owned(),
            text: keep(&*recorder, text, &[]).map_err(halt_of)?,
        };
        state.push(lane, Body::Rejected(rejected))
    }
}

/// A call's arguments as the journal keeps them.
pub(super) fn arguments_of(call: &ToolCall, recorder: &dyn super::Recorder) -> Result<TextRef, EpisodeStopped> {
    if call.arguments.is_empty() {
        return Ok(TextRef::inline("{}"));
    }
    keep(recorder, &call.canonical_arguments(), &[]).map_err(halt_of)
}
