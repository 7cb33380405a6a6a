//! What is held to be true of one host.

use std::ops::Range;
use std::sync::Arc;

use gimbal_core::Data;
use gimbal_env_kit::{Applied, Status};
use serde_json::{Map, Value};

use super::signature::{self, Verdict};

/// What an observation of a host is a change against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Previous {
    /// The baseline with its expected decoys.
    Baseline,
    /// What was seen last.
    Seen,
    /// Nothing is held to be known.
    Nothing,
}

/// What was seen of a host, and when.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub step: u32,
    /// As JSON: a tree of a host under a scan is large.
    text: Box<str>,
}

impl Seen {
    fn new(step: u32, entry: &Map<String, Value>) -> Self {
        // A tree of JSON always has a text.
        Self { step, text: serde_json::to_string(entry).unwrap_or_default().into() }
    }

    /// The host's entry.
    pub fn entry(&self) -> Map<String, Value> {
        serde_json::from_str(&self.text).unwrap_or_default()
    }

    /// Whether the entry is the same, in whatever order of keys.
    fn is(&self, other: &Self) -> bool {
        // Another order of keys does not change the length.
        self.text.len() == other.text.len() && (self.text == other.text || self.entry() == other.entry())
    }
}

/// The belief about one host.
#[derive(Clone, Debug)]
pub(super) struct Host {
    pub name: String,
    pub status: Status,
    /// Whether something was seen that the baseline does not hold, since the host was last set back or its state was
    /// lost sight of. Kept beside the status, which may tell of an action instead (BOG-R17).
    pub deviates: bool,
    /// The last observation that was a change.
    pub seen: Option<Seen>,
    /// The step of the last observation that the host appeared in.
    pub appeared: Option<u32>,
    /// What was done to the host (BOG-083).
    pub applied: Applied,
    previous: Previous,
    /// Baseline as text, read again when it is needed: hosts are rarely compared, and with a thousand episodes in flight
    /// their trees would be most of the memory. None if the first observation did not name the host.
    text: Option<Part>,
    /// Processes of decoys, expected besides the baseline (BOG-087).
    decoys: Vec<Value>,
}

impl Host {
    /// A host with what the first observation told of it; with nothing if the observation did not name it.
    pub fn new(name: &str, baseline: Option<Part>) -> Self {
        Self {
            name: name.to_owned(),
            status: Status::Baseline,
            deviates: false,
            seen: None,
            appeared: None,
            applied: Applied::default(),
            previous: Previous::Baseline,
            text: baseline,
            decoys: Vec::new(),
        }
    }

    /// Back to the baseline, without decoys (BOG-085, BOG-088).
    pub fn restored(&mut self) {
        self.status = Status::Baseline;
        self.deviates = false;
        self.seen = None;
        self.previous = Previous::Baseline;
        self.decoys.clear();
    }

    /// Processes may or may not have gone (BOG-085).
    pub fn removed(&mut self) {
        self.status = Status::Unknown;
        self.deviates = false;
        self.previous = Previous::Nothing;
    }

    /// Looked into, whatever the status was (BOG-085, BOG-R17). To be called after [`Host::observe`], so that what
    /// the analysis showed does not hide that it was made.
    pub const fn analysed(&mut self, step: u32) {
        self.status = Status::Analysed(step);
    }

    /// Takes the processes of a decoy just laid into the baseline: those of the expected service that were not
    /// there before (BOG-087).
    pub fn expect_decoy(&mut self, service: &str, entry: &Map<String, Value>) {
        for item in signature::items(entry.get(signature::PROCESSES)) {
            if item.get(SERVICE).and_then(Value::as_str) == Some(service) {
                let baseline = self.baseline();
                let listed = |entry: Option<&Map<String, Value>>| {
                    let list = signature::items(entry.and_then(|entry| entry.get(signature::PROCESSES)));
                    signature::count(list.iter(), item) > 0
                };
                let present = listed(Some(&baseline))
                    || listed(self.seen.as_ref().map(Seen::entry).as_ref())
                    || signature::count(self.decoys.iter(), item) > 0;
                if !present {
                    self.decoys.push(signature::stable_part(item));
                }
            }
        }
    }

    /// Takes in what an observation says about the host. Gives the status that the comparison led to, if the
    /// comparison gave news (BOG-086).
    pub fn observe(&mut self, step: u32, entry: &Map<String, Value>) -> Option<Status> {
        self.appeared = Some(step);
        let now = Seen::new(step, entry);
        if self.previous == Previous::Seen && self.seen.as_ref().is_some_and(|seen| seen.is(&now)) {
            return None;
        }
        let verdict = signature::compare(entry, &self.baseline(), &self.decoys);
        if self.previous == Previous::Baseline && verdict == Verdict::Equal {
            return None;
        }
        self.seen = Some(now);
        self.previous = Previous::Seen;
        match verdict {
            Verdict::Consistent => None,
            Verdict::Deviates => {
                self.deviates = true;
                self.status = Status::Changed;
                Some(Status::Changed)
            }
            Verdict::Equal => {
                self.deviates = false;
                let news = self.status != Status::Baseline;
                self.status = Status::Baseline;
                news.then_some(Status::Baseline)
            }
        }
    }

    /// The baseline with the processes of expected decoys (BOG-066).
    pub fn effective_baseline(&self) -> Value {
        let mut tree = self.baseline();
        if !self.decoys.is_empty() {
            let list = tree.entry(signature::PROCESSES).or_insert_with(|| Value::Array(Vec::new()));
            if let Some(list) = list.as_array_mut() {
                list.extend(self.decoys.iter().cloned());
            }
        }
        Value::Object(tree)
    }

    /// Services of the expected decoys, in the order in which they were laid.
    pub fn decoy_services(&self) -> impl Iterator<Item = &str> {
        self.decoys.iter().filter_map(|decoy| decoy.get(SERVICE).and_then(Value::as_str))
    }

    fn baseline(&self) -> Map<String, Value> {
        self.text.as_ref().map(Part::read).unwrap_or_default()
    }
}

const SERVICE: &str = "Service Name";

/// The part of the first observation that is about one host.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub whole: Arc<Data>,
    pub place: Range<usize>,
}

impl Part {
    fn read(&self) -> Map<String, Value> {
        match self.whole.part(self.place.clone()) {
            Value::Object(entry) => entry,
            _ => Map::new(),
        }
    }
}
