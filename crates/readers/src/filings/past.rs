//! What a page shows of the agent's own past: calls as they were written.

use serde_json::{Map, Value};

use super::{ResearchState, mark};

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
        for line in text.lines().filter(|line| line.starts_with("Step ")) {
            let step = line.split_once(": ").and_then(|(_, body)| serde_json::from_str::<Value>(body).ok());
            let action = step.as_ref().and_then(|step| step.get("action")).and_then(Value::as_str);
            match action.and_then(written) {
                Some((name, arguments)) if name.contains("search") => self.searched.push(mark(&arguments)),
                _ => {}
            }
        }
    }
}
