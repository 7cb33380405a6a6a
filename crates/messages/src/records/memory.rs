//! The rolling memory that a controller keeps and gives to the next executor as soft guidance (CYC-009, CYC-010).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::bounded;

/// What is known so far. Every part has a bound, so that prompts do not grow with the episode.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// What the episode must reach.
    pub objective: String,
    /// What has been seen to be so.
    pub facts: Vec<String>,
    /// What is at hand, and how things stand.
    pub state: String,
    /// What was tried, with its result.
    pub attempts: Vec<String>,
    /// What was repeated again and again.
    pub loops: Vec<String>,
    /// What is still missing.
    pub needs: Vec<String>,
    /// What to do next.
    pub hint: String,
}

/// Longest text of a part, in characters.
const TEXT: usize = 300;
/// Longest item of a list.
const ITEM: usize = 160;
/// Most items of the lists: facts, attempts, loops, needs.
const ITEMS: [usize; 4] = [12, 8, 4, 6];

impl Memory {
    /// Reads what a router wrote over what was known: parts that it leaves out stay as they are (CYC-010). Lists keep
    /// their latest items, parts that are not text are passed over.
    #[must_use]
    pub fn updated(&self, written: &Map<String, Value>) -> Self {
        let text = |key: &str, before: &str| {
            let found = written.get(key).and_then(Value::as_str).map(|text| bounded(text.trim(), TEXT));
            found.unwrap_or_else(|| before.to_owned())
        };
        let list = |key: &str, before: &[String], most: usize| match written.get(key) {
            Some(Value::Array(items)) => {
                let items: Vec<String> =
                    items.iter().filter_map(Value::as_str).map(|item| bounded(item.trim(), ITEM)).collect();
                items[items.len().saturating_sub(most)..].to_vec()
            }
            Some(Value::String(item)) if !item.trim().is_empty() => vec![bounded(item.trim(), ITEM)],
            _ => before.to_vec(),
        };
        Self {
            objective: text("objective", &self.objective),
            facts: list("facts", &self.facts, ITEMS[0]),
            state: text("state", &self.state),
            attempts: list("attempts", &self.attempts, ITEMS[1]),
            loops: list("loops", &self.loops, ITEMS[2]),
            needs: list("needs", &self.needs, ITEMS[3]),
            hint: text("hint", &self.hint),
        }
    }

    /// With one more attempt, as the controller itself notes it.
    #[must_use]
    pub fn attempted(&self, what: &str) -> Self {
        let mut next = self.clone();
        next.attempts.push(bounded(what, ITEM));
        next.attempts.drain(..next.attempts.len().saturating_sub(ITEMS[1]));
        next
    }

    /// As a message, with every part.
    #[must_use]
    pub fn message(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// As a message to an agent: without the parts of which nothing is known.
    #[must_use]
    pub fn known(&self) -> Value {
        let mut message = self.message();
        let is_empty = |part: &Value| part.as_str() == Some("") || part.as_array().is_some_and(Vec::is_empty);
        if let Some(parts) = message.as_object_mut() {
            parts.retain(|_, part| !is_empty(part));
        }
        message
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{ITEM, ITEMS, Memory, TEXT};

    // covers: CYC-009, CYC-010
    #[test]
    fn what_is_left_out_stays_and_everything_has_a_bound() {
        let first = json!({ "objective": "a door", "facts": ["6 planks"], "hint": "craft" });
        let first = Memory::default().updated(first.as_object().unwrap());
        let many: Vec<String> = (0..90).map(|number| format!("{number} {}", "x".repeat(400))).collect();
        let second = json!({ "facts": many, "state": "y".repeat(4000), "attempts": 7, "needs": "logs" });
        let second = first.updated(second.as_object().unwrap());
        assert_eq!((second.objective.as_str(), second.hint.as_str()), ("a door", "craft"));
        assert_eq!(second.facts.len(), ITEMS[0]);
        assert!(second.facts[ITEMS[0] - 1].starts_with("89 "), "the latest are kept");
        assert!(second.facts.iter().all(|fact| fact.chars().count() <= ITEM));
        assert_eq!(second.state.chars().count(), TEXT);
        assert_eq!(second.attempts, Vec::<String>::new());
        assert_eq!(second.needs, ["logs"]);
    }

    // covers: CYC-010
    #[test]
    fn an_agent_is_shown_no_part_of_which_nothing_is_known() {
        assert_eq!(Memory::default().known(), json!({}));
        let known = json!({ "objective": "a door", "facts": ["6 planks"] });
        assert_eq!(Memory::default().updated(known.as_object().unwrap()).known(), known);
        assert_eq!(
            Memory::default().message().as_object().unwrap().len(),
            7,
            "a memory that is written has every part"
        );
    }
}
