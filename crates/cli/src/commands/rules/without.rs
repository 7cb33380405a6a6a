//! A program without the engine.

use std::path::Path;

use gimbal_evidence::extract::{Extraction, Observed, Watcher};
use gimbal_evidence::{Selection, SourceId, Utc};

use super::Reading;
use crate::args::RulesArgs;
use crate::exit::Failure;
use crate::home::Home;

/// Rules that cannot be there.
pub enum Rules {}

/// Hits that cannot be there.
pub enum NoHits {}

impl Rules {
    /// Says how to build a program that can.
    pub fn load(_folder: &Path, _reading: Reading) -> Result<Self, Failure> {
        Err(missing("--rules"))
    }

    pub fn hits(&self, _selection: &Selection) -> NoHits {
        match *self {}
    }

    pub fn add(&self, _hits: NoHits, _extraction: &mut Extraction) {
        match *self {}
    }
}

impl Watcher for NoHits {
    fn watch(&mut self, _source: SourceId, _time: Option<Utc>, _observed: &Observed<'_>) {
        match *self {}
    }
}

/// Says how to build a program that can.
pub fn compare(_home: &Home, _asked: &RulesArgs) -> Result<(), Failure> {
    Err(missing("evidence rules"))
}

fn missing(what: &str) -> Failure {
    Failure::Usage(format!(
        "{what}: this program was built without the engine of Sigma rules; build one with it: \
         cargo build --release -p gimbal --features sigma"
    ))
}
