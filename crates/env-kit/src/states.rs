//! A belief state for environments whose observations say in which state each subject is: `data` is an object with a text
//! for every subject that is seen.

use std::sync::LazyLock;

use gimbal_core::{Observation, Rejection, Stepped, ToolCall, ToolSpec};

use crate::query::{self, Nouns, SUBJECT_STATE};
use crate::{Applied, Belief, Logged, Status, StepKind, calls, json, words};

/// The queries that a [`StateBelief`] answers.
pub static QUERIES: LazyLock<[ToolSpec; 2]> = LazyLock::new(|| {
    query::of_subjects(
        "The name of one subject.",
        "What was last seen of one subject.",
        "What was seen of one subject at the start.",
    )
});

const NOUNS: Nouns = Nouns { one: "subject", many: "subjects", argument: "the name of one subject" };

/// What was seen of each subject, at first and last.
#[derive(Clone, Debug, Default)]
pub struct StateBelief {
    subjects: Vec<Subject>,
    /// The tool that does nothing.
    idle: String,
}

#[derive(Clone, Debug)]
struct Subject {
    name: String,
    first: Option<String>,
    last: Option<String>,
    /// The step that it was last seen in.
    seen: u32,
    applied: Applied,
}

impl Subject {
    fn status(&self) -> Status {
        match (&self.first, &self.last) {
            (None, _) | (_, None) => Status::Unknown,
            (first, last) if first == last => Status::Baseline,
            _ => Status::Changed,
        }
    }
}

impl StateBelief {
    /// Nothing is known of these subjects; `idle` is the call that does nothing.
    #[must_use]
    pub fn new(subjects: &[String], idle: &ToolCall) -> Self {
        let subject = |name: &String| Subject {
            name: name.clone(),
            first: None,
            last: None,
            seen: 0,
            applied: Applied::default(),
        };
        Self { subjects: subjects.iter().map(subject).collect(), idle: idle.tool.clone() }
    }

    /// Takes in what is seen; the subjects whose comparison with the baseline changed, with their new status.
    fn see(&mut self, now: u32, observation: &Observation) -> Vec<(String, &'static str)> {
        let mut updates = Vec::new();
        for subject in &mut self.subjects {
            let Some(state) = observation.data.get(&subject.name).and_then(|state| state.as_str()) else { continue };
            let before = subject.status();
            subject.first.get_or_insert_with(|| state.to_owned());
            (subject.last, subject.seen) = (Some(state.to_owned()), now);
            match subject.status() {
                Status::Changed if before != Status::Changed => updates.push((subject.name.clone(), words::CHANGED)),
                Status::Baseline if before == Status::Changed => updates.push((subject.name.clone(), words::BASELINE)),
                _ => {}
            }
        }
        updates
    }
}

impl Belief for StateBelief {
    fn begin(&mut self, first: &Observation) {
        for subject in &mut self.subjects {
            (subject.first, subject.last, subject.applied) = (None, None, Applied::default());
        }
        self.see(0, first);
    }

    fn update<'a>(&mut self, step: Stepped<'a>) -> Logged<'a> {
        for subject in &mut self.subjects {
            if step.call.arguments.values().any(|value| value.as_str() == Some(&subject.name)) {
                subject.applied.add(&step.call.tool);
            }
        }
        let kind = if step.call.tool == self.idle { StepKind::Idle } else { StepKind::Act };
        Logged { action: calls::render(step.call).into(), kind, updates: self.see(step.step, step.observation) }
    }

    fn status(&self, now: u32) -> String {
        let mut out = String::new();
        json::objects(&mut out, "Subjects:", &self.subjects, |out, subject| {
            json::member(out, "subject", &subject.name);
            json::member(out, words::CURRENT_STATUS, &subject.status().text());
            json::member(out, "state", subject.last.as_deref().unwrap_or(words::UNKNOWN));
            subject.applied.write(out, subject.seen == now);
        });
        out
    }

    fn queries(&self) -> &[ToolSpec] {
        &*QUERIES
    }

    fn query(&self, _now: u32, call: &ToolCall) -> Result<String, Rejection> {
        if !QUERIES.iter().any(|query| query.name == call.tool) {
            return Err(query::unknown(call, &*QUERIES));
        }
        let subject = query::subject(call, NOUNS, &self.subjects, |subject| &subject.name)?;
        let state = if call.tool == SUBJECT_STATE { &subject.last } else { &subject.first };
        let mut out = "{".to_owned();
        json::member(&mut out, "subject", &subject.name);
        json::member(&mut out, "state", state.as_deref().unwrap_or(words::UNKNOWN));
        out.push('}');
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use gimbal_core::{RejectionKind, Tracker as _};

    use super::*;
    use crate::BeliefTracker;

    fn seen(data: serde_json::Value) -> Observation {
        Observation { text: String::new(), data: data.into() }
    }

    #[test]
    fn a_subject_is_compared_with_what_was_seen_at_first() {
        let names = ["a".to_owned(), "b".to_owned()];
        let mut tracker = BeliefTracker::new(StateBelief::new(&names, &ToolCall::bare("Wait")));
        tracker.begin(&seen(serde_json::json!({ "a": "dark" })));
        let status = tracker.block("status").unwrap();
        assert!(status.contains(r#"{"subject":"a","current_status":"baseline","state":"dark""#), "{status}");
        assert!(status.contains(r#"{"subject":"b","current_status":"unknown","state":"unknown""#), "{status}");
        let (call, observation) = (ToolCall::with("Light", &[("lamp", "a")]), seen(serde_json::json!({ "a": "lit" })));
        tracker.update(Stepped { step: 1, call: &call, observation: &observation, justification: None });
        let status = tracker.block("status").unwrap();
        assert!(status.contains(r#""current_status":"changed","state":"lit""#), "{status}");
        assert!(status.contains(r#""applied_actions_so_far":"Light""#), "{status}");
        let ask = |query: &str| tracker.query(&ToolCall::with(query, &[("subject", "a")]));
        assert_eq!(ask("subject_state").unwrap(), r#"{"subject":"a","state":"lit"}"#);
        assert_eq!(ask("subject_baseline").unwrap(), r#"{"subject":"a","state":"dark"}"#);
        assert_eq!(ask("subject").unwrap_err().kind, RejectionKind::UnknownTool);
    }
}
