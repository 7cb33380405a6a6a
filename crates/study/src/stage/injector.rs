//! The injector: which calls get a fault, and what the fault makes of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gimbal_core::event::Fault as FaultEvent;
use gimbal_core::{
    Answering, Body, Brief, Completion, Environment, EpisodeStopped, LaneId, ModelError, ModelErrorKind, Observation,
    Rng,
};
use gimbal_messages::records::attack::AttackPlanted;
use serde::Deserialize;
use serde_json::Value;

use super::recorder::Recorder;
use super::recorder::halt_of;
use super::texts::keep;
use crate::attacks::{Attack, Chosen, PLACEHOLDER, choose};
use crate::faults::{CallPlace, Fault, Faults, Site, alter};

/// Observations that a wrong one is taken from, at most.
const REMEMBERED: usize = 16;

/// The injector's side of an episode.
#[derive(Debug, Default)]
pub struct Injector {
    faults: Faults,
    seed: u64,
    /// Rules that had their one effect.
    spent: BTreeSet<usize>,
    /// What the agent might have seen so far, where observations may be wrong.
    seen: Vec<Arc<Observation>>,
}

/// An attack with its text and its call.
#[derive(Debug)]
pub struct ArmedAttack {
    /// The call.
    pub chosen: Chosen,
    /// The text with the call in it.
    pub text: String,
    /// As the journal keeps it.
    pub record: AttackPlanted,
}

/// The injector's side of a lane.
#[derive(Debug, Default)]
pub struct Counts {
    /// Calls so far, by site.
    calls: [u64; Site::ALL.len()],
    /// The last answer to each query, where it may come again.
    pub answers: BTreeMap<String, String>,
}

impl Counts {
    /// The number of the next call at a site, from 0.
    fn next(&mut self, site: Site) -> u64 {
        let calls = &mut self.calls[site.place()];
        *calls += 1;
        *calls - 1
    }
}

/// A fault that is injected into a call.
#[derive(Debug)]
pub struct InjectedFault {
    /// What it does.
    pub fault: Fault,
    /// The text that it plants.
    pub text: Option<Arc<str>>,
    /// The attack whose text it plants.
    pub attack: Option<Attack>,
    /// Place of its rule, where that has its effect once.
    once: Option<usize>,
    /// Number of the call at its site and lane.
    pub index: u64,
    /// Decides the rest.
    pub draws: Rng,
}

impl InjectedFault {
    /// As the journal keeps it, with a planted text among the texts of the run.
    ///
    /// # Errors
    /// When the store failed.
    pub fn event(&self, recorder: &dyn Recorder) -> Result<Body, EpisodeStopped> {
        let (kind, site) = (self.fault.name().to_owned(), self.fault.site().name().to_owned());
        let planted = self.text.as_ref().map(|text| keep(recorder, text, &[])).transpose().map_err(halt_of)?;
        Ok(Body::Fault(FaultEvent { index: self.index, kind, planted, site }))
    }

    /// What the agent gets instead of a completion; `None` where there is nothing to spoil.
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

    /// What the agent is taken to have written instead of its answer; `None` where it cites no fact of `facts` and no figure is in it.
    pub fn misstate(&mut self, completion: &Completion, answering: &Answering, facts: &[String]) -> Option<Completion> {
        let mut calls = completion.calls.clone();
        for call in calls.iter_mut().filter(|call| call.tool == answering.tool) {
            match call.arguments.get_mut(&answering.argument) {
                Some(Value::String(answer)) => {
                    *answer = alter::another_fact(answer, facts, &mut self.draws)
                        .or_else(|| alter::another_figure(answer, &mut self.draws))?;
                    return Some(Completion { calls, ..completion.clone() });
                }
                Some(Value::Array(items)) => {
                    let texts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                    let other = alter::another_fact(&texts.join(" "), facts, &mut self.draws)?;
                    *items = other.split(' ').map(Value::from).collect();
                    return Some(Completion { calls, ..completion.clone() });
                }
                _ => {}
            }
        }
        let text = alter::misstated(&completion.text, answering, facts, &mut self.draws)?.into();
        Some(Completion { text, ..completion.clone() })
    }
}

/// The ids of the facts in the packets of a brief.
pub fn facts_of(brief: &Brief) -> Vec<String> {
    #[derive(Deserialize)]
    struct Packet {
        facts: Vec<Line>,
    }
    #[derive(Deserialize)]
    struct Line {
        fact: Fact,
    }
    #[derive(Deserialize)]
    struct Fact {
        id: String,
    }
    let packets = brief.materials.iter().filter(|material| material.kind == "packet");
    let read = packets.filter_map(|material| serde_json::from_str::<Packet>(&material.text).ok());
    read.flat_map(|packet| packet.facts).map(|line| line.fact.id).collect()
}

impl Injector {
    /// The injector of an episode.
    pub fn new(faults: Faults, seed: u64) -> Self {
        Self { faults, seed, ..Self::default() }
    }

    /// Whether calls at a site may get a fault at all.
    pub fn has_any_at(&self, site: Site) -> bool {
        self.faults.has_any_at(site)
    }

    /// The fault of the next call at a site, if it gets one; `counts` are those of its lane.
    pub fn draw(&self, lane: LaneId, counts: &mut Counts, site: Site, call: &CallPlace<'_>) -> Option<InjectedFault> {
        let index = counts.next(site);
        let (place, draws) = self.faults.draw(self.seed, site, lane, index, call)?;
        let rule = self.faults.rules().get(place).filter(|_| !self.spent.contains(&place))?;
        let text = rule.text.as_ref().map(|text| Arc::clone(&text.text));
        let (attack, once) = (rule.attack.clone(), rule.is_once().then_some(place));
        Some(InjectedFault { fault: rule.fault, text, attack, once, index, draws })
    }

    /// Chooses text and call of an attack from seed and step, and from what is legal now: architectures that come to the same place meet the same
    /// attack, however often they looked before. `None` where the fault is not an attack, or there is no call to ask for.
    pub fn arm(&self, injected: &mut InjectedFault, environment: &dyn Environment, step: u32) -> Option<ArmedAttack> {
        let attack = injected.attack.as_ref()?;
        let mut draws = Rng::stream(self.seed, &format!("attack/{}/{step}", attack.category.name()));
        let (text, aim) = attack.text(&mut draws)?;
        let chosen = choose(environment, aim, &mut draws)?;
        let record = AttackPlanted {
            step,
            suite: attack.suite.name.clone(),
            category: attack.category.name().to_owned(),
            text: text.name.clone(),
            aim: chosen.aim.name().to_owned(),
            call: chosen.text.clone(),
            tool: chosen.call.tool.clone(),
            arguments: chosen.call.arguments.clone(),
            changes: Some(chosen.changes.clone()),
        };
        let text = text.text.replace(PLACEHOLDER, &chosen.text);
        injected.text = Some(text.as_str().into());
        Some(ArmedAttack { chosen, text, record })
    }

    /// What the agent sees with a planted text behind it; `None` where there is no text to plant.
    pub fn plant(&mut self, injected: &InjectedFault, seen: &str) -> Option<String> {
        let text = injected.text.as_deref().filter(|text| !text.is_empty())?;
        self.spent.extend(injected.once);
        Some(if seen.is_empty() { text.to_owned() } else { format!("{seen}\n{text}") })
    }

    /// What the agent sees of a step instead of the truth, if anything else; `latest` is what it saw before.
    pub fn misread(
        &mut self,
        injected: &mut InjectedFault,
        truth: &Arc<Observation>,
        latest: &Arc<Observation>,
    ) -> Option<Arc<Observation>> {
        let other = match injected.fault {
            Fault::Stale => Some(Arc::clone(latest)),
            Fault::Planted => {
                let text = self.plant(injected, &truth.text);
                text.map(|text| Arc::new(Observation { text, data: truth.data.clone() }))
            }
            _ => {
                let unrelated = |seen: &&Arc<Observation>| seen.text != latest.text && seen.text != truth.text;
                let earlier: Vec<&Arc<Observation>> = self.seen.iter().filter(unrelated).collect();
                injected.draws.choose(&earlier).map(|seen| Arc::clone(seen))
            }
        };
        // A change without visible effect does not count as a fault.
        other.filter(|other| other.text != truth.text)
    }

    /// Keeps a true observation for later mistakes.
    pub fn witness(&mut self, truth: &Arc<Observation>) {
        if !self.has_any_at(Site::Tool) {
            return;
        }
        if self.seen.len() == REMEMBERED {
            self.seen.remove(0);
        }
        self.seen.push(Arc::clone(truth));
    }
}
