//! The injector: what of what passes through the door is lost or spoilt. The event of a fault stands right behind the
//! event that shows what the agent got.

use std::collections::BTreeMap;
use std::sync::Arc;

use gimbal_core::event::Fault as FaultEvent;
use gimbal_core::{
    Answering, Body, Brief, Completion, Halt, LaneId, ModelError, ModelErrorKind, Observation, Rng, ToolCall, Tracker,
};

use serde_json::Value;

use super::State;
use crate::faults::{Fault, Faults, Site, alter};

/// Observations that a wrong one is taken from, at most.
const REMEMBERED: usize = 16;

/// The injector's side of an episode.
#[derive(Debug, Default)]
pub struct Injector {
    rates: Faults,
    seed: u64,
    /// What the agent might have seen so far, where observations may be wrong.
    seen: Vec<Arc<Observation>>,
}

/// The injector's side of a lane.
#[derive(Debug, Default)]
pub struct Counts {
    /// Calls so far, by site.
    calls: [u64; Site::ALL.len()],
    /// The last answer to each query, where it may come again.
    answers: BTreeMap<String, String>,
}

/// A fault that strikes a call.
#[derive(Debug)]
pub struct InjectedFault {
    /// What it does.
    pub fault: Fault,
    /// Number of the call at its site and lane.
    pub index: u64,
    /// Decides the rest.
    pub draws: Rng,
}

impl InjectedFault {
    /// As the journal keeps it.
    pub fn event(&self) -> Body {
        let (kind, site) = (self.fault.name().to_owned(), self.fault.site().name().to_owned());
        Body::Fault(FaultEvent { index: self.index, kind, site })
    }

    /// What the agent gets instead of a completion; none where there is nothing to spoil.
    pub fn spoil(&mut self, completion: &Completion) -> Option<Result<Completion, ModelError>> {
        let whole = super::texts::reply_text(completion);
        match self.fault {
            Fault::Malformed => {
                let text = alter::broken(&whole, &mut self.draws)?.into();
                let (calls, finish) = (Vec::new(), gimbal_core::Finish::Stop);
                Some(Ok(Completion { text, calls, finish, ..completion.clone() }))
            }
            Fault::Truncated => {
                let partial = alter::cut(&whole, &mut self.draws)?;
                let error = ModelError::new(ModelErrorKind::Truncated, "the answer was cut off (an injected fault)");
                Some(Err(ModelError {
                    usage: Some(completion.usage),
                    partial: Some(partial.into()),
                    latency_us: completion.latency_us,
                    ..error
                }))
            }
            _ => None,
        }
    }

    /// What the agent is taken to have written instead of its answer; none where no figure is in it.
    pub fn misstate(&mut self, completion: &Completion, answering: &Answering) -> Option<Completion> {
        let mut calls = completion.calls.clone();
        for call in calls.iter_mut().filter(|call| call.tool == answering.tool) {
            if let Some(Value::String(answer)) = call.arguments.get_mut(&answering.argument) {
                *answer = alter::another_figure(answer, &mut self.draws)?;
                return Some(Completion { calls, ..completion.clone() });
            }
        }
        let text = alter::misstated(&completion.text, answering, &mut self.draws)?.into();
        Some(Completion { text, ..completion.clone() })
    }
}

impl Injector {
    /// The injector of an episode.
    pub fn new(rates: Faults, seed: u64) -> Self {
        Self { rates, seed, seen: Vec::new() }
    }

    /// What the agent sees of a step instead of the truth, if anything else; `latest` is what it saw before.
    fn misread(
        &mut self,
        injected: &mut InjectedFault,
        truth: &Arc<Observation>,
        latest: &Arc<Observation>,
    ) -> Option<Arc<Observation>> {
        let other = match injected.fault {
            Fault::Stale => Some(Arc::clone(latest)),
            _ => {
                let unrelated = |seen: &&Arc<Observation>| seen.text != latest.text && seen.text != truth.text;
                let earlier: Vec<&Arc<Observation>> = self.seen.iter().filter(unrelated).collect();
                injected.draws.choose(&earlier).map(|seen| Arc::clone(seen))
            }
        };
        // What looks the same is no fault.
        other.filter(|other| other.text != truth.text)
    }

    /// Keeps a true observation for later mistakes.
    pub fn witness(&mut self, truth: &Arc<Observation>) {
        if !self.rates.strike(Site::Tool) {
            return;
        }
        if self.seen.len() == REMEMBERED {
            self.seen.remove(0);
        }
        self.seen.push(Arc::clone(truth));
    }
}

impl State {
    /// Counts a call at a site; what strikes it, if anything.
    ///
    /// # Errors
    /// When the lane is closed.
    pub fn strike(&mut self, lane: LaneId, site: Site) -> Result<Option<InjectedFault>, Halt> {
        if !self.injector.rates.strike(site) {
            return Ok(None);
        }
        let calls = &mut self.lane(lane)?.faults.calls[site.place()];
        let index = *calls;
        *calls += 1;
        let injected = self.injector.rates.draw(self.injector.seed, site, lane, index);
        Ok(injected.map(|(fault, draws)| InjectedFault { fault, index, draws }))
    }

    /// What the agent sees of a step, and the fault that showed it something else.
    ///
    /// # Errors
    /// Never on the main lane, where the environment moves.
    pub fn sight(&mut self, truth: &Arc<Observation>) -> Result<(Arc<Observation>, Option<InjectedFault>), Halt> {
        let injected = self.strike(LaneId::MAIN, Site::Tool)?;
        let latest = Arc::clone(&self.observation);
        let other =
            injected.and_then(|mut injected| Some((self.injector.misread(&mut injected, truth, &latest)?, injected)));
        self.injector.witness(truth);
        Ok(other.map_or_else(|| (Arc::clone(truth), None), |(other, injected)| (other, Some(injected))))
    }

    /// What the agent sees of an answer to a query, and the faults that showed it something else.
    ///
    /// # Errors
    /// When the lane is closed.
    pub fn hearing(
        &mut self,
        lane: LaneId,
        call: &ToolCall,
        answer: String,
        brief: &Brief,
    ) -> Result<(String, Vec<InjectedFault>), Halt> {
        let mut faults = Vec::new();
        let mut heard = answer.clone();
        if let Some(mut injected) = self.strike(lane, Site::Tool)? {
            let other = match injected.fault {
                Fault::Stale => self.lane(lane)?.faults.answers.get(&call.tool).cloned(),
                _ => about_another(&*self.tracker, call, brief, &mut injected.draws),
            };
            if let Some(other) = other.filter(|other| *other != heard) {
                heard = other;
                faults.push(injected);
            }
        }
        if let Some(mut injected) = self.strike(lane, Site::Tracker)?
            && let Some(other) = alter::corrupted(&heard, &mut injected.draws)
        {
            heard = other;
            faults.push(injected);
        }
        if self.injector.rates.strike(Site::Tool) {
            self.lane(lane)?.faults.answers.insert(call.tool.clone(), answer);
        }
        Ok((heard, faults))
    }
}

/// The answer to the same question about another subject; none where it is about none, or there is no other.
fn about_another(tracker: &dyn Tracker, call: &ToolCall, brief: &Brief, draws: &mut Rng) -> Option<String> {
    let asked = |name: &str| brief.subjects.iter().find(|subject| subject.eq_ignore_ascii_case(name));
    let mut named = call.arguments.iter().filter_map(|(key, value)| Some((key, asked(value.as_str()?)?)));
    let (parameter, subject) = named.next()?;
    let others: Vec<&String> = brief.subjects.iter().filter(|other| *other != subject).collect();
    let mut other = call.clone();
    other.arguments.insert(parameter.clone(), (*draws.choose(&others)?).clone().into());
    tracker.query(&other).ok()
}
