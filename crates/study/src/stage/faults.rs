//! Injected faults: what the agent gets of a call, an observation or an answer. The event of a fault comes right after
//! the event that shows what the agent got.

use std::sync::Arc;

use gimbal_core::{Brief, Environment, EpisodeStopped, LaneId, Observation, Rng, ToolCall, Tracker};

use super::State;
use super::injector::InjectedFault;
use crate::faults::{CallPlace, Fault, Site, alter};

impl State {
    /// Counts a call at a site; the fault that it gets, if any.
    ///
    /// # Errors
    /// When the lane is closed.
    pub fn inject(&mut self, lane: LaneId, site: Site) -> Result<Option<InjectedFault>, EpisodeStopped> {
        self.inject_between(lane, site, ("", ""))
    }

    /// The same of a message that goes from one agent to another.
    ///
    /// # Errors
    /// When the lane is closed.
    pub fn inject_between(
        &mut self,
        lane: LaneId,
        site: Site,
        (from, to): (&str, &str),
    ) -> Result<Option<InjectedFault>, EpisodeStopped> {
        if !self.injector.has_any_at(site) {
            return Ok(None);
        }
        let next = self.steps + 1;
        let step = if lane == LaneId::MAIN { next } else { self.lane(lane)?.step };
        // Taken out so that injector and lane can be borrowed together.
        let mut counts = std::mem::take(&mut self.lane(lane)?.faults);
        let injected = self.injector.draw(lane, &mut counts, site, &CallPlace { from, to, step });
        self.lane(lane)?.faults = counts;
        Ok(injected)
    }

    /// What the agent sees of a step, and the fault that showed it something else.
    ///
    /// # Errors
    /// Never on the main lane, where the environment moves.
    pub fn sight(
        &mut self,
        truth: &Arc<Observation>,
        environment: &dyn Environment,
    ) -> Result<(Arc<Observation>, Option<InjectedFault>), EpisodeStopped> {
        let mut injected = self.inject(LaneId::MAIN, Site::Tool)?;
        let step = self.steps + 1;
        let armed = injected.as_mut().and_then(|injected| self.injector.arm(injected, environment, step));
        let latest = Arc::clone(&self.observation);
        let other =
            injected.and_then(|mut injected| Some((self.injector.misread(&mut injected, truth, &latest)?, injected)));
        if other.is_some() {
            self.armed = armed;
        }
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
    ) -> Result<(String, Vec<InjectedFault>), EpisodeStopped> {
        let mut faults = Vec::new();
        let mut heard = answer.clone();
        if let Some(mut injected) = self.inject(lane, Site::Tool)? {
            let other = match injected.fault {
                Fault::Stale => self.lane(lane)?.faults.answers.get(&call.tool).cloned(),
                // An attack is planted behind what is seen of a step alone: whoever answers a query has no environment at hand.
                Fault::Planted if injected.attack.is_some() => None,
                Fault::Planted => self.injector.plant(&injected, &heard),
                _ => about_another(&*self.tracker, call, brief, &mut injected.draws),
            };
            if let Some(other) = other.filter(|other| *other != heard) {
                heard = other;
                faults.push(injected);
            }
        }
        if let Some(mut injected) = self.inject(lane, Site::Tracker)?
            && let Some(other) = alter::corrupted(&heard, &mut injected.draws)
        {
            heard = other;
            faults.push(injected);
        }
        if self.injector.has_any_at(Site::Tool) {
            self.lane(lane)?.faults.answers.insert(call.tool.clone(), answer);
        }
        Ok((heard, faults))
    }
}

/// The answer to the same question about another subject; `None` where it is about none, or there is no other.
fn about_another(tracker: &dyn Tracker, call: &ToolCall, brief: &Brief, draws: &mut Rng) -> Option<String> {
    let asked = |name: &str| brief.subjects.iter().find(|subject| subject.eq_ignore_ascii_case(name));
    let mut named = call.arguments.iter().filter_map(|(key, value)| Some((key, asked(value.as_str()?)?)));
    let (parameter, subject) = named.next()?;
    let others: Vec<&String> = brief.subjects.iter().filter(|other| *other != subject).collect();
    let mut other = call.clone();
    other.arguments.insert(parameter.clone(), (*draws.choose(&others)?).clone().into());
    tracker.query(&other).ok()
}
