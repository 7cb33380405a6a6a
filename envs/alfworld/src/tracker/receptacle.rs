//! What is held to be true of one receptacle.

use gimbal_env_kit::{Applied, Status, json};

use super::words;

/// A status in the log, where the step of a look is that of the line.
pub(super) const fn logged(status: Status) -> &'static str {
    match status {
        Status::Baseline => words::BASELINE,
        Status::Changed => words::CHANGED,
        Status::Unknown => words::UNKNOWN,
        Status::Analysed(_) => words::SEEN,
    }
}

/// The belief about one receptacle.
#[derive(Clone, Debug)]
pub(super) struct Receptacle {
    pub name: String,
    pub status: Status,
    /// What it held when it was first seen.
    pub baseline: Option<Vec<String>>,
    /// What it is held to contain now.
    pub holds: Option<Vec<String>>,
    /// `open`, `closed` or `plain`, as last seen.
    pub door: Option<String>,
    /// The step of the last observation that told of it.
    pub appeared: Option<u32>,
    /// What was done there (BOG-083).
    pub applied: Applied,
}

impl Receptacle {
    pub fn new(name: &str) -> Self {
        let name = name.to_owned();
        let (baseline, holds, door, appeared) = (None, None, None, None);
        Self { name, status: Status::Baseline, baseline, holds, door, appeared, applied: Applied::default() }
    }

    /// The state of its door was seen.
    pub fn seen_door(&mut self, step: u32, door: &str) {
        self.appeared = Some(step);
        self.door = Some(door.to_owned());
        if door == "closed" && self.status == Status::Baseline {
            self.status = Status::Unknown;
        }
    }

    /// What it holds was seen.
    pub fn seen(&mut self, step: u32, holds: Vec<String>) {
        self.appeared = Some(step);
        let differs = self.holds.as_ref().is_some_and(|known| !same(known, &holds));
        self.status = match self.status {
            Status::Changed => Status::Changed,
            _ if differs => Status::Changed,
            // Seen again and still the same: no news.
            known @ Status::Analysed(_) => known,
            _ => Status::Analysed(step),
        };
        self.baseline.get_or_insert_with(|| holds.clone());
        self.holds = Some(holds);
    }

    /// The agent took a thing from it.
    pub fn took(&mut self, step: u32, object: &str) {
        self.appeared = Some(step);
        self.status = Status::Changed;
        if let Some(holds) = &mut self.holds {
            holds.retain(|known| known != object);
        }
    }

    /// The agent put a thing there.
    pub fn put(&mut self, step: u32, object: &str) {
        self.appeared = Some(step);
        self.status = Status::Changed;
        self.holds.get_or_insert_default().push(object.to_owned());
    }

    /// Appends what is known of its state.
    pub fn write(&self, out: &mut String) {
        if let Some(door) = &self.door {
            json::member(out, words::DOOR, door);
        }
        match &self.holds {
            Some(holds) => json::member(out, words::HOLDS, &listed(holds)),
            None if self.door.as_deref() == Some("closed") => json::member(out, words::NOTICE, words::CLOSED),
            None => json::member(out, words::NOTICE, words::NO_EVIDENCE),
        }
    }
}

/// Whether two lists hold the same things in any order.
fn same(one: &[String], other: &[String]) -> bool {
    one.len() == other.len() && one.iter().all(|name| other.contains(name))
}

/// A list as a text.
pub(super) fn listed(names: &[String]) -> String {
    if names.is_empty() { words::NONE.to_owned() } else { names.join(", ") }
}
