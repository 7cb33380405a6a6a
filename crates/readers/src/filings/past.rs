//! What a page shows of the agent's own past: calls as they were written.

use serde_json::{Map, Value};

use super::{ResearchState, mark};
use crate::kit::PastStep;

/// Reads `name key="value", other=["a"]`.
pub(super) fn written(text: &str) -> Option<(String, Map<String, Value>)> {
    let (name, mut rest) = text.trim().split_once(' ')?;
    let mut arguments = Map::new();
    while let Some((key, after)) = rest.split_once('=') {
        let mut values = serde_json::Deserializer::from_str(after).into_iter::<Value>();
        let value = values.next()?.ok()?;
        arguments.insert(key.trim().trim_start_matches(',').trim().to_owned(), value);
        rest = &after[values.byte_offset()..];
    }
    Some((name.to_owned(), arguments))
}

impl ResearchState {
    /// Takes in the agent's own past, where the page shows it: searches that need not be made again.
    pub(super) fn recall(&mut self, text: &str) {
        for step in text.lines().filter_map(PastStep::of) {
            match written(&step.action) {
                Some((name, arguments)) if name.contains("search") => self.searched.push(mark(&arguments)),
                _ => {}
            }
        }
    }
}
