//! The stage's side of the seam.

use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::event::{BlockUsed, ContextBuilt, Fallback, Note, Queried, Sent};
use gimbal_core::{
    Acted, Artefact, AskError, AskRequest, Block, Body, Branch, BranchError, Brief, ChatRequest, Completion, Embedder,
    EpisodeStopped, Expert, Grammar, LaneId, Memory, Milli, Rejection, Rng, RoleSettings, Scorer, Stage, Stopwatch,
    TokenCount, ToolCall, ToolSpec, View, canonical,
};
use serde_json::Value;

use super::act::arguments_of;
use super::ask::Asker;
use super::branch::PresentBranch;
use super::injector::InjectedFault;
use super::recorder::SimilarText;
use super::recorder::halt_of;
use super::texts::{keep, keep_hashed};
use super::{EpisodeStage, Lane};
use crate::faults::{Fault, Site, alter};

impl EpisodeStage {
    /// Notes something that cannot fail in the architecture's eyes: a store that fails ends the episode instead.
    fn noted(&self, lane: LaneId, body: impl FnOnce(&dyn super::Recorder) -> Result<Body, EpisodeStopped>) {
        let mut state = self.lock();
        let recorder = Arc::clone(&state.recorder);
        if let Err(halt) = body(&*recorder).and_then(|body| state.push(lane, body)) {
            state.end(halt);
        }
    }
}

#[async_trait]
impl Stage for EpisodeStage {
    fn brief(&self) -> Arc<Brief> {
        Arc::clone(&self.brief)
    }

    fn tools(&self) -> Arc<[ToolSpec]> {
        Arc::clone(&self.tools)
    }

    fn queries(&self) -> Arc<[ToolSpec]> {
        Arc::clone(&self.queries)
    }

    fn role(&self, role: &str) -> Option<Arc<RoleSettings>> {
        self.find_role(role).map(|role| Arc::clone(&role.settings))
    }

    fn tokens(&self, role: &str, text: &str) -> TokenCount {
        let counted = self.find_role(role).and_then(|role| role.model.tokens(text));
        counted.map_or_else(|| TokenCount::estimated(text), |tokens| TokenCount { tokens, exact: true })
    }

    async fn view(&self) -> View {
        let state = self.lock();
        View { step: state.steps + 1, brief: Arc::clone(&self.brief), observation: Arc::clone(&state.observation) }
    }

    fn episode_return(&self) -> Option<Milli> {
        Some(self.lock().episode_return)
    }

    async fn expert(&self) -> Option<ToolCall> {
        if !self.wants_hints {
            return None;
        }
        let environment = self.environment.lock().await;
        let mut state = self.lock();
        let steps = state.steps;
        if state.expert.as_ref().is_none_or(|(at, _)| *at != steps) {
            let known = environment.expert().and_then(Expert::next_call);
            state.expert = Some((steps, known));
        }
        state.expert.as_ref().and_then(|(_, call)| call.clone())
    }

    async fn choices(&self, tool: &str, parameter: &str) -> Option<Vec<String>> {
        let environment = self.environment.lock().await;
        environment
            .choices(tool, parameter)
            .map(|choices| choices.into_iter().map(|choice| choice.into_owned()).collect())
    }

    async fn legal(&self, cap: usize) -> Arc<[ToolCall]> {
        let environment = self.environment.lock().await;
        self.setup.cell_cache.legal(&**environment, cap)
    }

    async fn parse(&self, text: &str) -> Result<ToolCall, Rejection> {
        self.environment.lock().await.parse(text)
    }

    async fn render(&self, call: &ToolCall) -> String {
        self.environment.lock().await.render(call)
    }

    async fn context(&self, lane: LaneId, names: &[String]) -> Result<Vec<Block>, EpisodeStopped> {
        let mut state = self.lock();
        let mut blocks = Vec::with_capacity(names.len());
        let mut used = Vec::with_capacity(names.len());
        let mut injected: Vec<InjectedFault> = Vec::new();
        for name in names {
            let Some(known) = state.block(name) else {
                let known = state.tracker.blocks().join(", ");
                let detail = format!("there is no context block `{name}`; this environment has: {known}");
                return Err(state.end(EpisodeStopped::infrastructure(detail)));
            };
            let known = known.map_err(|error| state.end(halt_of(error)))?;
            let (mut text, mut reference) = (known.text, known.reference);
            if let Some(mut fault) = state.inject(lane, Site::Tracker)?
                && let Some(spoilt) = alter::corrupted(&text, &mut fault.draws)
            {
                let near: Vec<_> = known.digest.map(|digest| SimilarText { digest, text: &text }).into_iter().collect();
                let kept = keep_hashed(&*self.recorder, &spoilt, &near);
                (reference, _) = kept.map_err(|error| state.end(halt_of(error)))?;
                text = spoilt.into();
                injected.push(fault);
            }
            used.push(BlockUsed { bytes: text.len() as u64, name: name.clone(), text: reference });
            blocks.push(Block { name: name.clone(), text });
        }
        state.push(lane, Body::ContextBuilt(ContextBuilt { blocks: used }))?;
        for fault in injected {
            state.push(lane, fault.event(&*self.recorder)?)?;
        }
        Ok(blocks)
    }

    async fn ask(&self, lane: LaneId, role: &str, request: AskRequest) -> Result<Completion, AskError> {
        let known = self.find_role(role);
        let mut sampling = known.map(|role| role.settings.sampling.clone()).unwrap_or_default();
        if let Some(bound) = request.max_output_tokens {
            // The bound of a call is that of its answer. Where hidden reasoning counts against it too, what the role allows is
            // left for that.
            let reasoning = known.is_some_and(|role| role.model.reasons_within_bound());
            let hidden = if reasoning { sampling.max_output_tokens } else { 0 };
            sampling.max_output_tokens = bound.saturating_add(hidden);
        }
        if let Some(temperature) = request.temperature {
            sampling.temperature = temperature;
        }
        let asked = ChatRequest {
            messages: request.messages,
            tools: request.tools,
            grammar: request.grammar,
            stop: request.stop,
            sampling,
        };
        self.ask_role(lane, role, asked, Asker::Architecture { hint: request.hint, mask: request.mask }).await
    }

    fn can_mask(&self, role: &str, grammar: &Arc<Grammar>) -> bool {
        let request = ChatRequest { grammar: Some(Arc::clone(grammar)), ..ChatRequest::default() };
        self.find_role(role).is_some_and(|role| role.model.enforced(&request).is_some())
    }

    async fn branch(&self, future: u64) -> Result<Box<dyn Branch>, BranchError> {
        let environment = self.environment.lock().await;
        let steps = {
            let mut state = self.lock();
            match self.barred(&mut state) {
                Some(halt) => return Err(halt.into()),
                None => state.steps,
            }
        };
        let branch = PresentBranch::of(&self.branches, &**environment, steps, future)?;
        Ok(Box::new(branch))
    }

    async fn act(&self, lane: LaneId, call: &ToolCall, justification: Option<&str>) -> Result<Acted, EpisodeStopped> {
        if lane != LaneId::MAIN {
            let detail =
                format!("the architecture acted on lane {}; only the main lane may act on the environment", lane.0);
            return Err(self.lock().end(EpisodeStopped::infrastructure(detail)));
        }
        self.act_on_main(call, justification).await
    }

    async fn reject(&self, lane: LaneId, rejection: &Rejection, text: &str) -> Result<(), EpisodeStopped> {
        let mut state = self.lock();
        self.charge_tool_call(&mut state, lane)?;
        self.rejected(&mut state, lane, rejection, text)
    }

    async fn fallback(&self, lane: LaneId, call: &ToolCall, reason: &str) {
        self.lock().fallbacks += 1;
        self.noted(lane, |_| Ok(Body::Fallback(Fallback { reason: reason.to_owned(), tool: call.tool.clone() })));
    }

    async fn query(&self, lane: LaneId, call: &ToolCall) -> Result<String, Rejection> {
        let (answer, injected) = {
            let mut state = self.lock();
            let answer = state.tracker.query(call);
            // A refusal is the scaffolding's and arrives as it is.
            match answer.map(|answer| state.hearing(lane, call, answer, &self.brief)) {
                Ok(Ok((heard, injected))) => (Ok(heard), injected),
                Ok(Err(halt)) => {
                    let text = state.end(halt).to_string();
                    (Err(Rejection::new(gimbal_core::RejectionKind::NotNow, text)), Vec::new())
                }
                Err(rejection) => (Err(rejection), Vec::new()),
            }
        };
        let (outcome, reply) = match &answer {
            Ok(text) => ("answered", text),
            Err(rejection) => (rejection.kind.name(), &rejection.message),
        };
        self.noted(lane, |recorder| {
            Ok(Body::Queried(Queried {
                arguments: arguments_of(call, recorder)?,
                outcome: outcome.to_owned(),
                reply: keep(recorder, reply, &[]).map_err(halt_of)?,
                tool: call.tool.clone(),
            }))
        });
        for fault in injected {
            self.noted(lane, |recorder| fault.event(recorder));
        }
        answer
    }

    async fn send(&self, lane: LaneId, from: &str, to: &str, contract: &str, message: Value) -> Option<Value> {
        let mut message = message;
        let injected = {
            let mut state = self.lock();
            state.inject_between(lane, Site::Message, (from, to)).unwrap_or_else(|halt| {
                state.end(halt);
                None
            })
        };
        let injected = injected.map(|mut fault| {
            if fault.fault == Fault::Altered {
                message = alter::altered(&message, &self.brief.subjects, &mut fault.draws);
            }
            fault
        });
        // Of a lost message the journal keeps what was sent, of any other what arrived.
        self.noted(lane, |recorder| {
            Ok(Body::Sent(Sent {
                contract: contract.to_owned(),
                from: from.to_owned(),
                message: keep(recorder, &canonical::text(&message), &[]).map_err(halt_of)?,
                to: to.to_owned(),
            }))
        });
        let lost = injected.as_ref().is_some_and(|fault| fault.fault == Fault::Lost);
        if let Some(fault) = injected {
            self.noted(lane, |recorder| fault.event(recorder));
        }
        (!lost).then_some(message)
    }

    async fn route(&self, lane: LaneId, wanted: &str, options: &[String]) -> String {
        let others: Vec<&String> = options.iter().filter(|option| *option != wanted).collect();
        if others.is_empty() {
            return wanted.to_owned();
        }
        let injected = {
            let mut state = self.lock();
            state.inject(lane, Site::Routing).unwrap_or_else(|halt| {
                state.end(halt);
                None
            })
        };
        let Some(mut fault) = injected else { return wanted.to_owned() };
        let to = fault.draws.choose(&others).map_or(wanted, |other| other.as_str()).to_owned();
        self.noted(lane, |recorder| fault.event(recorder));
        to
    }

    async fn note(&self, lane: LaneId, kind: &str, data: Value) {
        self.noted(lane, |recorder| {
            let data = keep(recorder, &canonical::text(&data), &[]).map_err(halt_of)?;
            Ok(Body::Note(Note { data, kind: kind.to_owned() }))
        });
    }

    fn lane(&self, _name: &str) -> LaneId {
        let mut state = self.lock();
        let (id, step) = (state.next_lane, state.steps + 1);
        state.next_lane += 1;
        state.lanes.insert(id, Lane { step, ..Lane::default() });
        LaneId(id)
    }

    async fn join(&self, lanes: &[LaneId]) {
        let mut state = self.lock();
        if let Err(halt) = state.join(lanes) {
            state.end(halt);
        }
    }

    fn artefact(&self, name: &str) -> Option<Arc<Artefact>> {
        self.setup.artefacts.get(name).cloned()
    }

    fn scorer(&self, name: &str) -> Option<Arc<dyn Scorer>> {
        self.setup.learned.scorers.get(name).cloned()
    }

    fn embedder(&self, name: &str) -> Option<Arc<dyn Embedder>> {
        self.setup.learned.embedders.get(name).cloned()
    }

    fn memory(&self) -> &dyn Memory {
        &self.memory
    }

    fn trial(&self) -> u32 {
        self.setup.trial
    }

    fn rng(&self, stream: &str) -> Rng {
        Rng::stream(self.setup.seed, &format!("architecture/{stream}"))
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        self.times.watch()
    }

    async fn policy(&self, name: &str) -> Result<ToolCall, EpisodeStopped> {
        let mut environment = self.environment.lock().await;
        let known = self.lock().policies.remove(name);
        let mut draws = known.unwrap_or_else(|| Rng::stream(self.setup.seed, &format!("policy/{name}")));
        let call = environment.decide(name, &mut draws);
        let mut state = self.lock();
        state.policies.insert(name.to_owned(), draws);
        call.ok_or_else(|| {
            let known = environment.policies().join(", ");
            state.end(EpisodeStopped::infrastructure(format!(
                "there is no policy `{name}`; this environment has: {known}"
            )))
        })
    }
}
