//! What changes while an episode is played, under one lock.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gimbal_core::chain::Chain;
use gimbal_core::chat::Missed;
use gimbal_core::event::{Event, MessageUsed, ModelCalled, Note};
use gimbal_core::{
    Body, ChatRequest, Digest, EpisodeStopped, LaneId, Limits, Milli, Observation, Rng, Spent, ToolCall, Tracker,
    Usage, canonical,
};

use gimbal_messages::Record;
use gimbal_messages::records::attack::{AttackCarriedOut, AttackRead};
use gimbal_messages::records::stage::PromptLacks;

use crate::attacks::PlantedWatch;

use super::cell_cache::CellCache;
use super::injector::{ArmedAttack, Injector};
use super::lanes::{Lane, renumber, shares, sum};
use super::recorder::{RecordError, Recorder, SimilarText, halt_of};
use super::texts::{Known, RequestCache, keep, keep_hashed};

/// What changes while an episode is played.
pub struct State {
    pub recorder: Arc<dyn Recorder>,
    pub limits: Limits,
    pub chain: Chain,
    pub calls: u64,
    pub steps: u32,
    pub episode_return: Milli,
    pub rejected: u64,
    pub fallbacks: u64,
    pub observation: Arc<Observation>,
    /// Hash of the observation's text, where it is stored.
    pub observed: Option<Digest>,
    pub tracker: Box<dyn Tracker>,
    pub main: Lane,
    pub lanes: BTreeMap<u32, Lane>,
    pub next_lane: u32,
    pub blocks: BTreeMap<String, Known>,
    pub request_cache: RequestCache,
    pub policies: BTreeMap<String, Rng>,
    pub expert: Option<(u32, Option<ToolCall>)>,
    pub injector: Injector,
    /// An attack that was planted in this step and is not on record yet.
    pub armed: Option<ArmedAttack>,
    /// The attack that was planted in this episode.
    pub watch: Option<PlantedWatch>,
    /// The situations that the agent was in (CYC-067).
    pub situations: BTreeSet<Digest>,
    pub ended: Option<EpisodeStopped>,
}

/// The outcome of a call, as the journal stores it.
pub struct Answered<'a> {
    pub outcome: &'a str,
    pub reply: &'a str,
    pub usage: &'a Usage,
    pub latency_us: u64,
    /// Millionths of a millionth of a dollar.
    pub cost: u128,
}

impl State {
    /// Notes an event; lanes hold theirs back until the join.
    pub fn push(&mut self, lane: LaneId, body: Body) -> Result<(), EpisodeStopped> {
        if lane == LaneId::MAIN {
            let event = Event { body, lane: 0, step: self.steps + 1 };
            return self.append(&event);
        }
        if let Some(open) = self.lanes.get_mut(&lane.0) {
            open.events.push(Event { body, lane: lane.0, step: open.step });
            return Ok(());
        }
        Err(EpisodeStopped::infrastructure(format!("the architecture used lane {} after it was joined", lane.0)))
    }

    fn append(&mut self, event: &Event) -> Result<(), EpisodeStopped> {
        let bytes = event.bytes();
        self.chain.push(&bytes);
        self.recorder.event(&bytes).map_err(halt_of)
    }

    /// Appends the events of lanes in the order in which they were opened.
    pub fn join(&mut self, lanes: &[LaneId]) -> Result<(), EpisodeStopped> {
        let mut ids: Vec<u32> = lanes.iter().map(|lane| lane.0).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut longest = 0;
        for id in ids {
            let Some(lane) = self.lanes.remove(&id) else { continue };
            let mut numbers = Vec::new();
            for mut event in lane.events {
                renumber(&mut event.body, &mut numbers, &mut self.calls);
                self.append(&event)?;
            }
            self.main.spent = sum(&self.main.spent, &lane.spent);
            self.main.total_us += lane.total_us;
            longest = longest.max(lane.path_us);
        }
        self.main.path_us += longest;
        Ok(())
    }

    /// The lane called `id`, or the main lane.
    pub fn lane(&mut self, id: LaneId) -> Result<&mut Lane, EpisodeStopped> {
        if id == LaneId::MAIN {
            return Ok(&mut self.main);
        }
        let text = || format!("the architecture used lane {} after it was joined", id.0);
        self.lanes.get_mut(&id.0).ok_or_else(|| EpisodeStopped::infrastructure(text()))
    }

    /// What a lane has used and may use. The first call of a lane reserves the shares of all lanes that are open.
    pub fn budget(&mut self, id: LaneId) -> Result<(Spent, Limits), EpisodeStopped> {
        let promised = self.lanes.values().filter_map(|lane| lane.share.map(|share| as_spent(&share)));
        let taken = promised.fold(self.main.spent, |total, share| sum(&total, &share));
        if id == LaneId::MAIN {
            return Ok((taken, self.limits));
        }
        let waiting = self.lanes.values().filter(|lane| lane.share.is_none()).count() as u64;
        let share = shares(&self.limits, &taken, waiting);
        let limits = self.limits;
        if self.lane(id)?.share.is_none() {
            for lane in self.lanes.values_mut().filter(|lane| lane.share.is_none()) {
                lane.share = Some(share);
            }
        }
        let lane = self.lane(id)?;
        Ok((lane.spent, lane.share.unwrap_or(limits)))
    }

    /// Ends the episode; the first end counts.
    pub fn end(&mut self, halt: EpisodeStopped) -> EpisodeStopped {
        self.ended.get_or_insert(halt).clone()
    }

    /// Keeps the first observation as a change of another episode's.
    pub fn begin(
        &mut self,
        first: Arc<Observation>,
        cell_cache: &CellCache,
    ) -> Result<gimbal_core::TextRef, EpisodeStopped> {
        let other = cell_cache.first();
        let near = other.as_ref().map(|(digest, other)| SimilarText { digest: *digest, text: &other.text });
        let (reference, digest) = keep_hashed(&*self.recorder, &first.text, near.as_slice()).map_err(halt_of)?;
        if let (None, Some(digest)) = (&other, digest) {
            cell_cache.begun(digest, &first);
        }
        self.observed = digest;
        self.observation = first;
        Ok(reference)
    }

    /// Keeps an observation as a change of the one before.
    pub fn observe(&mut self, observation: Arc<Observation>) -> Result<gimbal_core::TextRef, EpisodeStopped> {
        let near: Vec<SimilarText<'_>> = self.near_observation().into_iter().collect();
        let (reference, digest) = keep_hashed(&*self.recorder, &observation.text, &near).map_err(halt_of)?;
        self.observed = digest;
        self.observation = observation;
        Ok(reference)
    }

    fn near_observation(&self) -> Option<SimilarText<'_>> {
        self.observed.map(|digest| SimilarText { digest, text: &self.observation.text })
    }

    /// A block as it is now; the same text is hashed once.
    pub fn block(&mut self, name: &str) -> Option<Result<Known, RecordError>> {
        let text = self.tracker.block(name)?;
        let before = self.blocks.get(name);
        if let Some(known) = before.filter(|known| *known.text == *text) {
            return Some(Ok(known.clone()));
        }
        let near = before.and_then(Known::near).into_iter().chain(self.near_observation());
        let near: Vec<SimilarText<'_>> = near.collect();
        let kept = keep_hashed(&*self.recorder, &text, &near);
        Some(kept.map(|(reference, digest)| {
            let known = Known { text: text.into(), reference, digest };
            self.blocks.insert(name.to_owned(), known.clone());
            known
        }))
    }

    /// Journals a call of a model.
    pub fn model_called(
        &mut self,
        lane: LaneId,
        role: &str,
        request: &ChatRequest,
        answered: &Answered<'_>,
    ) -> Result<(), EpisodeStopped> {
        let recorder = Arc::clone(&self.recorder);
        let recorder = &*recorder;
        let grammar = self.request_cache.grammar(recorder, request.grammar.as_ref()).map_err(halt_of)?;
        let sampling = self.request_cache.sampling(recorder, &request.sampling, &request.stop).map_err(halt_of)?;
        let tools = self.request_cache.tools(recorder, &request.tools).map_err(halt_of)?;
        let reply = keep(recorder, answered.reply, &[]).map_err(halt_of)?;
        let (main, next) = (lane == LaneId::MAIN, self.calls);
        let blocks = std::mem::take(&mut self.blocks);
        let extended = self.lane(lane).and_then(|lane| {
            let call = if main { next } else { lane.calls };
            lane.calls += 1;
            lane.spent.add_model_call(answered.usage);
            lane.spent.add_cost(answered.cost);
            lane.path_us += answered.latency_us;
            lane.total_us += answered.latency_us;
            let extension = lane.conversations.extend(recorder, role, &request.messages, call, &blocks);
            extension.map(|extension| (call, extension)).map_err(halt_of)
        });
        self.blocks = blocks;
        let (call, extension) = extended?;
        if main {
            self.calls += 1;
        }
        let messages = extension.messages.into_iter();
        let body = ModelCalled {
            call,
            extends: extension.extends.into_iter().collect(),
            grammar,
            kept: extension.kept,
            messages: messages.map(|(speaker, text)| MessageUsed { speaker: speaker.to_owned(), text }).collect(),
            outcome: answered.outcome.to_owned(),
            output_tokens: answered.usage.output,
            prompt_tokens: answered.usage.input,
            reply,
            role: role.to_owned(),
            sampling,
            tools,
        };
        self.push(lane, Body::ModelCalled(body))?;
        let step = if main { self.steps + 1 } else { self.lane(lane)?.step };
        match self.watch.as_mut().and_then(|watch| watch.reads(lane, role, request)) {
            Some(whole) => self.note(lane, &AttackRead { step, role: role.to_owned(), whole }),
            None => Ok(()),
        }
    }

    /// Records, behind a step, that the call of an attack was carried out, and the attack that was planted behind it.
    pub fn attacked(&mut self, call: &ToolCall, step: u32) -> Result<(), EpisodeStopped> {
        if self.watch.as_ref().is_some_and(|watch| watch.call == *call) {
            self.note(LaneId::MAIN, &AttackCarriedOut { step })?;
        }
        if let Some(ArmedAttack { chosen, text, record }) = self.armed.take() {
            self.note(LaneId::MAIN, &record)?;
            self.watch = Some(PlantedWatch::new(chosen.call, &chosen.text, &text));
        }
        Ok(())
    }

    /// Notes what a reader missed in the prompt of the call before (`prompt_lacks`).
    pub fn missed(&mut self, lane: LaneId, missed: &[Missed]) -> Result<(), EpisodeStopped> {
        if missed.is_empty() {
            return Ok(());
        }
        let lacks: Vec<String> =
            missed.iter().map(|missed| format!("{}: {}", missed.lack.name(), missed.words)).collect();
        self.note(lane, &PromptLacks { missed: lacks })
    }

    /// Writes a record of the stage's own.
    pub fn note<R: Record>(&mut self, lane: LaneId, record: &R) -> Result<(), EpisodeStopped> {
        let data = keep(&*self.recorder, &canonical::text(&record.data()), &[]).map_err(halt_of)?;
        self.push(lane, Body::Note(Note { data, kind: R::KIND.to_owned() }))
    }

    /// The chain's last value.
    pub fn last(&self) -> (Digest, u64) {
        (self.chain.value(), self.chain.links())
    }
}

fn as_spent(share: &Limits) -> Spent {
    Spent {
        model_calls: share.model_calls.unwrap_or_default(),
        tool_calls: share.tool_calls.unwrap_or_default(),
        input_tokens: share.tokens.unwrap_or_default(),
        output_tokens: 0,
        cost_exact: share.cost_microdollars.unwrap_or_default().saturating_mul(1_000_000),
    }
}
