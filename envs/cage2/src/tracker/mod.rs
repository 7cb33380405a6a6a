//! A deterministic belief state of the network, built from the agent's own observations and calls only.
//!
//! It holds for every host a baseline (its entry in the first observation), a status, a record of what was done to
//! it, and the decoys that are expected on it; and a log of the episode. It renders three blocks for prompts and
//! answers two read-only queries. It never says what to do: its own words are those of [`words`] (BOG-080 to
//! BOG-090, BOG-100 to BOG-106).
//!
//! | what happens | status of the host |
//! |---|---|
//! | `Restore` | baseline; its decoys are no longer expected |
//! | `Remove` | unknown |
//! | `Analyse` in step n | analysed at step n, whatever it was before and whatever it showed |
//! | an observation shows what the baseline does not hold | changed |
//! | an observation shows the whole baseline and nothing else | baseline |
//! | an observation shows connections, or part of the baseline | as it was |
//!
//! The action of a step takes effect before its observation is compared, as in the environment; only an analysis keeps
//! its mark, and then the comparison is told beside it (BOG-R17).

mod host;
mod query;
mod signature;
pub mod words;

pub use gimbal_env_kit::{JUSTIFICATION_LIMIT, Status};

use std::sync::Arc;

use gimbal_core::{Observation, Rejection, Stepped, ToolCall, ToolSpec, Tracker};
use gimbal_env_kit::{Belief, BeliefTracker, Logged, StepKind, json};
use serde_json::{Map, Value};

use self::host::{Host, Part};
use crate::Names;
use crate::action::Kind;
use crate::facts::{DECOY_KINDS, HOST_COUNT};

/// The argument of tools that names a host.
pub const HOSTNAME: &str = "hostname";

/// Which service a decoy tool makes appear: all that the belief state knows of decoys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecoyTable(Arc<[(String, String)]>);

impl DecoyTable {
    /// A table of pairs of tool and service.
    #[must_use]
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(pairs.into_iter().collect())
    }

    /// The table of the scenario's decoys in these names.
    #[must_use]
    pub fn of(names: &Names) -> Self {
        Self::new(
            DECOY_KINDS
                .into_iter()
                .map(|decoy| (names.kind(Kind::Decoy(decoy)).to_owned(), names.service(decoy).to_owned())),
        )
    }

    fn service(&self, tool: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == tool).map(|(_, service)| service.as_str())
    }
}

/// The tracker of one episode.
pub type HostTracker = BeliefTracker<HostBelief>;

/// What is known of the hosts of one episode.
///
/// # Examples
/// ```
/// use gimbal_cage2::Names;
/// use gimbal_cage2::tracker::{DecoyTable, HostBelief, HostTracker};
/// use gimbal_core::{Observation, Stepped, ToolCall, Tracker};
/// use serde_json::json;
///
/// let mut tracker = HostTracker::new(HostBelief::new(DecoyTable::of(&Names::original())));
/// let first = json!({ "success": "UNKNOWN", "User1": { "Processes": [] }, "User2": { "Processes": [] } });
/// tracker.begin(&Observation { text: first.to_string(), data: first.into() });
/// let seen = json!({ "success": "TRUE", "User2": { "Processes": [{ "PID": 7 }] } });
/// let observation = Observation { text: seen.to_string(), data: seen.into() };
/// let call = ToolCall::bare("Monitor");
/// tracker.update(Stepped { step: 1, call: &call, observation: &observation, justification: None });
/// assert!(tracker.block("status").is_some_and(|text| text.contains(r#""host_name":"User2","current_status":"changed""#)));
/// ```
#[derive(Clone, Debug)]
pub struct HostBelief {
    decoys: DecoyTable,
    /// Sorted by name, so that nothing depends on the order of keys in an observation.
    hosts: Vec<Host>,
}

/// A fresh belief state for an episode in these names.
#[must_use]
pub fn tracker(names: &Names) -> Box<dyn Tracker> {
    Box::new(HostTracker::new(HostBelief::new(DecoyTable::of(names))))
}

impl HostBelief {
    /// A belief state that knows of nothing but decoys; hosts come with the first observation.
    #[must_use]
    pub fn new(decoys: DecoyTable) -> Self {
        Self { decoys, hosts: Vec::new() }
    }

    /// Names of the hosts with their status, in order of name.
    pub fn statuses(&self) -> impl Iterator<Item = (&str, Status)> {
        self.hosts.iter().map(|host| (host.name.as_str(), host.status))
    }

    fn position(&self, name: &str) -> Result<usize, usize> {
        self.hosts.binary_search_by(|host| host.name.as_str().cmp(name))
    }

    /// The host that a call is about, if it names one that is known.
    fn target(&self, call: &ToolCall) -> Option<usize> {
        self.position(call.string(HOSTNAME)?).ok()
    }

    /// Compares what an observation says about each host; gives the hosts with news, in order of name.
    fn observe(&mut self, step: u32, observation: &Value, call: &ToolCall) -> Vec<(String, &'static str)> {
        let mut updates = Vec::new();
        for (name, entry) in entries(observation) {
            let at = self.position(name).unwrap_or_else(|at| {
                self.hosts.insert(at, Host::new(name, None));
                at
            });
            let host = &mut self.hosts[at];
            if call.string(HOSTNAME) == Some(name)
                && let Some(service) = self.decoys.service(&call.tool)
            {
                host.expect_decoy(service, entry);
            }
            match host.observe(step, entry) {
                Some(Status::Baseline) => updates.push((name.to_owned(), words::BASELINE)),
                Some(_) => updates.push((name.to_owned(), words::CHANGED)),
                None => {}
            }
        }
        updates.sort_unstable();
        updates
    }
}

/// The hosts of an observation, each with what is told about it.
fn entries(observation: &Value) -> impl Iterator<Item = (&str, &Map<String, Value>)> {
    let all = observation.as_object().into_iter().flatten();
    all.filter_map(|(name, entry)| Some((name.as_str(), entry.as_object()?)))
}

/// The queries that it answers.
pub(crate) fn queries() -> &'static [ToolSpec] {
    query::specs()
}

impl Belief for HostBelief {
    fn begin(&mut self, first: &Observation) {
        self.hosts.clear();
        let (text, whole) = (first.data.text(), Arc::new(first.data.clone()));
        let members = json::members(&text).filter(|(_, place)| text[place.clone()].starts_with('{'));
        self.hosts.reserve_exact(HOST_COUNT);
        self.hosts
            .extend(members.map(|(name, place)| Host::new(&name, Some(Part { whole: Arc::clone(&whole), place }))));
        self.hosts.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    }

    fn update<'a>(&mut self, step: Stepped<'a>) -> Logged<'a> {
        let Stepped { step, call, observation, .. } = step;
        if let Some(at) = self.target(call) {
            let host = &mut self.hosts[at];
            host.applied.add(&call.tool);
            match call.tool.as_str() {
                "Restore" => host.restored(),
                "Remove" => host.removed(),
                _ => {}
            }
        }
        let updates = self.observe(step, &observation.data.glance(), call);
        if call.tool == "Analyse"
            && let Some(at) = self.target(call)
        {
            self.hosts[at].analysed(step);
        }
        let kind = match call.tool.as_str() {
            "Monitor" | "Sleep" => StepKind::Idle,
            _ => StepKind::Act,
        };
        // As the agent writes it: one form of a command, in the prompt's explanation and in the past.
        let target = call.string(HOSTNAME).filter(|_| kind == StepKind::Act);
        let action =
            target.map_or_else(|| call.tool.as_str().into(), |host| format!("{} {HOSTNAME}={host}", call.tool).into());
        Logged { action, kind, updates }
    }

    fn status(&self, now: u32) -> String {
        let mut out = String::new();
        let hosts = self.hosts.iter().filter(|host| host.status != Status::Baseline);
        let any = json::objects(&mut out, words::STATUS, hosts, |out, host| {
            json::member(out, words::HOST_NAME, &host.name);
            json::member(out, words::CURRENT_STATUS, &host.status.text());
            if host.deviates && host.status != Status::Changed {
                json::member(out, words::COMPARED, words::CHANGED);
            }
            host.applied.write(out, host.appeared == Some(now));
        });
        if any { out } else { words::ALL_BASELINE.to_owned() }
    }

    fn queries(&self) -> &[ToolSpec] {
        query::specs()
    }

    fn query(&self, now: u32, call: &ToolCall) -> Result<String, Rejection> {
        query::answer(&self.hosts, now, call)
    }
}

#[cfg(test)]
mod tests;
