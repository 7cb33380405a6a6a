//! A belief state that serves every throw-away environment: what was seen and done, line by line.

use gimbal_core::{Observation, Rejection, RejectionKind, Stepped, ToolCall, ToolSpec, Tracker};

/// Blocks `observation`, `history`, `own_history` (the same) and `status`; the query `subject_state`.
#[derive(Debug, Default)]
pub struct LogTracker {
    subjects: Vec<String>,
    queries: Vec<ToolSpec>,
    observation: String,
    history: String,
    steps: u32,
}

impl LogTracker {
    /// A tracker that answers queries about these subjects.
    #[must_use]
    pub fn new(subjects: &[String]) -> Self {
        Self {
            subjects: subjects.to_vec(),
            queries: vec![ToolSpec::of_strings(
                "subject_state",
                "What was last seen of a subject.",
                &[("subject", "Its name.")],
            )],
            ..Self::default()
        }
    }
}

impl Tracker for LogTracker {
    fn begin(&mut self, first: &Observation) {
        self.observation.clone_from(&first.text);
        self.history.clear();
        self.steps = 0;
    }

    fn update(&mut self, step: Stepped<'_>) {
        self.observation.clone_from(&step.observation.text);
        self.steps = step.step;
        let reason = step.justification.unwrap_or("none");
        let arguments = step.call.canonical_arguments();
        self.history.push_str(&format!("step {}: {} {arguments}; reason: {reason}\n", step.step, step.call.tool));
    }

    fn blocks(&self) -> &[&'static str] {
        &["observation", "history", "own_history", "status"]
    }

    fn block(&self, name: &str) -> Option<String> {
        match name {
            "observation" => Some(self.observation.clone()),
            "history" | "own_history" => Some(self.history.clone()),
            "status" => Some(format!("{} steps taken", self.steps)),
            _ => None,
        }
    }

    fn queries(&self) -> &[ToolSpec] {
        &self.queries
    }

    fn query(&self, call: &ToolCall) -> Result<String, Rejection> {
        let subject = call.string("subject").unwrap_or_default();
        if call.tool != "subject_state" || !self.subjects.iter().any(|known| known == subject) {
            return Err(Rejection::new(RejectionKind::BadValue, format!("there is no subject `{subject}`")));
        }
        Ok(serde_json::json!({ "last_seen": self.observation, "subject": subject }).to_string())
    }
}
