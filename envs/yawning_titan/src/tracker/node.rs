//! What is held to be true of one node.

use gimbal_env_kit::{Applied, Status};
use serde_json::{Map, Value};

/// The field that reports an intrusion; all others change by the agent's own actions only.
const COMPROMISED: &str = "compromised";

/// The belief about one node.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub name: String,
    pub status: Status,
    /// What is expected of it: its entry in the first observation, with what the agent's own actions made of it.
    pub baseline: Map<String, Value>,
    /// What was seen of it last that was news, and when.
    pub seen: Option<(u32, Map<String, Value>)>,
    /// The step of the last observation that it appeared in.
    pub appeared: Option<u32>,
    /// What was done to it (BOG-083).
    pub applied: Applied,
}

impl Node {
    pub fn new(name: &str, baseline: Map<String, Value>) -> Self {
        Self {
            name: name.to_owned(),
            status: Status::Baseline,
            baseline,
            seen: None,
            appeared: None,
            applied: Applied::default(),
        }
    }

    /// Cleared, which always works (BOG-085).
    pub fn cleared(&mut self) {
        self.status = Status::Baseline;
        self.seen = None;
    }

    /// Takes in what an observation says about the node. Gives the status that the comparison led to, if it gave news
    /// (BOG-086).
    pub fn observe(&mut self, step: u32, entry: &Map<String, Value>) -> Option<Status> {
        self.appeared = Some(step);
        let expected = self.baseline.get(COMPROMISED).cloned();
        for (key, value) in entry.iter().filter(|(key, _)| *key != COMPROMISED) {
            self.baseline.insert(key.clone(), value.clone());
        }
        let deviates = entry.get(COMPROMISED).is_some_and(|shown| Some(shown) != expected.as_ref());
        if deviates {
            return self.change(step, Some(entry));
        }
        // Only a mark that was seen can be seen to be gone; what an attack from the node told stays.
        if self.seen.take().is_some() && self.status == Status::Changed {
            self.status = Status::Baseline;
            return Some(Status::Baseline);
        }
        None
    }

    /// Something was seen that the baseline does not hold.
    pub fn change(&mut self, step: u32, entry: Option<&Map<String, Value>>) -> Option<Status> {
        let news = self.status != Status::Changed;
        if let Some(entry) = entry
            && self.seen.as_ref().is_none_or(|(_, seen)| seen != entry)
        {
            self.seen = Some((step, entry.clone()));
        }
        self.status = Status::Changed;
        news.then_some(Status::Changed)
    }

    /// An attack on it was noticed.
    pub fn attacked(&mut self) -> Option<Status> {
        match self.status {
            Status::Baseline | Status::Analysed(_) => {
                self.status = Status::Unknown;
                Some(Status::Unknown)
            }
            Status::Changed | Status::Unknown => None,
        }
    }

    /// The whole network was looked over.
    pub fn scanned(&mut self, step: u32) {
        if matches!(self.status, Status::Unknown | Status::Analysed(_)) {
            self.status = Status::Analysed(step);
        }
    }
}
