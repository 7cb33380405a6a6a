//! The agent's own past, as a page lists it step by step.

use serde_json::Value;

/// A step that an agent took before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastStep {
    /// The action as it was written.
    pub action: String,
    /// Why it was taken, as the agent said then; empty where it said nothing.
    pub reason: String,
}

impl PastStep {
    /// Reads a line such as `Step 3: {"action": "look", "justification": "..."}`; `None` for a line of another form.
    #[must_use]
    pub fn of(line: &str) -> Option<Self> {
        let (_, body) = line.strip_prefix("Step ")?.split_once(": ")?;
        let step: Value = serde_json::from_str(body).ok()?;
        let text = |key: &str| step.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        step.is_object().then(|| Self { action: text("action"), reason: text("justification") })
    }
}

/// The steps of the agent's past, in order. Quiet steps have no reason, and each of their commands is named once.
#[must_use]
pub fn past_steps(text: &str) -> Vec<PastStep> {
    let mut found = Vec::new();
    for line in text.lines().filter(|line| line.starts_with("Step ") || line.starts_with("Steps ")) {
        if let Some(step) = PastStep::of(line) {
            found.push(step);
            continue;
        }
        let Some((_, quiet)) = line.split_once(": ") else { continue };
        let commands = quiet.trim_end_matches(" (no status change)").split(", ");
        found.extend(commands.map(|command| PastStep { action: command.to_owned(), reason: String::new() }));
    }
    found
}
