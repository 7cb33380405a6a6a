//! The messages between a planner and its advisers.
//!
//! | message | from, to | form |
//! |---|---|---|
//! | `analysis_request` | planner, analyst | `{subject}` |
//! | `analysis` | analyst, planner | list of [`Finding`]s (BOG-065) |
//! | `situation` | planner, chooser | [`Situation`] (BOG-059) |
//! | `suggestions` | chooser, planner | list of at most three [`Suggestion`]s (BOG-067) |
//!
//! What goes in is strict: a message that does not have its form is refused with the reason. What a model wrote is read in
//! tiers (BOG-070): as it is, normalised, after one repair, else the default; the tier is recorded.
//!
//! What cannot be read is never replaced by a value that could have been stated: `unknown` ([`UNKNOWN`]) replaces it, and the
//! member `unread` holds it as it was written.

mod analysis;
mod situation;
mod suggestions;
mod written;

use gimbal_agent::protocol::plain;
use gimbal_agent::reading::bare;
use gimbal_core::{Brief, ToolCall, ToolSpec};
use gimbal_messages::{Delegate, ExpertInput, Form, Input, bounded};
use serde_json::Value;

pub use analysis::{Analysis, Finding, Findings, Focus, Status};
pub use situation::{Severity, Situation, SituationError, SuggestAction};
pub use suggestions::{MAX_SUGGESTIONS, Menu, Suggestion, Suggestions};

/// Replaces a value that could not be read.
pub const UNKNOWN: &str = "unknown";

/// Longest quoted part of something unread, in characters.
const TOLD: usize = 80;

/// Longest quoted answer that could not be read at all, in characters.
const ANSWER: usize = 600;

/// Something unread, as a message quotes it.
fn told(key: &str, written: Option<&Value>) -> String {
    let written = match written {
        None => "missing".to_owned(),
        Some(Value::Null) => "null".to_owned(),
        Some(written) => plain(written),
    };
    let written = bounded(written.trim(), TOLD);
    format!("{key}: {}", if written.is_empty() { "(empty)" } else { written.as_str() })
}

/// An answer that could not be read at all, as a message quotes it: without thoughts, on one line, and its beginning where it is long. None if
/// nothing is left.
#[must_use]
pub fn unread_answer(written: &str) -> Option<String> {
    let line = bare(written).split_whitespace().collect::<Vec<_>>().join(" ");
    let cut = bounded(&line, ANSWER);
    let more = if cut.len() < line.len() { "…" } else { "" };
    (!line.is_empty()).then(|| format!("answer: {cut}{more}"))
}

/// The tools by which the planner asks its advisers.
pub const DELEGATES: [&dyn Delegate; 2] = [&AnalyseSubject, &SuggestAction];

/// The class of an expert's call, as the glossary of the environment has it.
fn class(brief: &Brief, call: &ToolCall) -> String {
    brief.entry_of(&call.tool).map(|entry| entry.kind.to_lowercase()).unwrap_or_default()
}

/// How grave an expert who would make this call finds the situation.
fn severity(brief: &Brief, call: &ToolCall) -> Severity {
    match class(brief, call).as_str() {
        "reactive" => Severity::High,
        "proactive" => Severity::Low,
        _ => Severity::Medium,
    }
}

/// The tool by which the planner asks the analyst.
#[derive(Debug)]
pub struct AnalyseSubject;

impl Delegate for AnalyseSubject {
    fn name(&self) -> &'static str {
        "analyse_subject"
    }

    fn spec(&self, brief: &Brief) -> ToolSpec {
        let subject = if brief.subject.is_empty() { "subject" } else { &brief.subject };
        let about = format!("Name of the one {subject} to analyse.");
        let description = format!("Asks a specialist to analyse one {subject}.");
        ToolSpec::of_strings(self.name(), &description, &[(subject, &about)])
    }

    fn form(&self, brief: &Brief) -> Option<Form> {
        (!brief.subjects.is_empty()).then(|| Form::one_of(&brief.subjects))
    }

    fn expert(&self) -> Option<&dyn ExpertInput> {
        Some(self)
    }
}

impl ExpertInput for AnalyseSubject {
    fn input(&self, _brief: &Brief, _call: &ToolCall, target: &str) -> Input {
        Input::Text(target.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use gimbal_agent::sample;
    use gimbal_messages::{Delegate, Form, Message, Tier};

    use super::{ANSWER, Analysis, Finding, SuggestAction, Suggestion, Suggestions, told, unread_answer};

    // covers: BOG-070
    #[test]
    fn what_is_unread_is_quoted_and_bounded() {
        for (written, quoted) in [("null", "null"), ("\"\"", "(empty)"), ("7", "7"), ("\" x \"", "x")] {
            assert_eq!(told("a", Some(&serde_json::from_str(written).unwrap())), format!("a: {quoted}"));
        }
        assert_eq!(unread_answer("<think>hm</think>\nI would\n  wait."), Some("answer: I would wait.".to_owned()));
        assert_eq!(unread_answer(" \n<think>hm</think>"), None);
        let long = unread_answer(&"ä".repeat(9 * ANSWER)).unwrap();
        assert!(long.chars().count() < ANSWER + 20 && long.ends_with('…'), "{long}");
    }

    fn fits(form: &Form, text: &str) -> bool {
        let regex = regex::Regex::new(&format!("^(?:{})$", form.regex)).unwrap().is_match(text);
        let schema = jsonschema::validator_for(&form.schema).unwrap();
        assert_eq!(regex, serde_json::from_str(text).is_ok_and(|value| schema.is_valid(&value)), "{text}");
        regex
    }

    // covers: BOG-059, BOG-065, BOG-067
    #[test]
    fn what_fits_a_form_is_read_directly() {
        let (brief, actions) = (sample::brief(), sample::actions());
        let form = Suggestions.form(&brief, Some(&Form::word(&actions)));
        let good = r#"[{"action": "Oil machine=lathe", "confidence": 0.45}, {"action": "Wait", "confidence": 0.2}]"#;
        assert!(fits(&form, good));
        assert_eq!(Suggestion::read(good).unwrap().1, Tier::Direct);
        assert!(good.len() <= form.longest);
        assert!(!fits(&form, r#"[{"action": "Oil machine=mill", "confidence": 0.45}]"#));
        let form = Analysis.form(&brief, None);
        let good = r#"[{"machine": "lathe", "status": "changed", "severity": "high", "anomalies": ["hot"], "suspected_c2": [], "recommended_focus": "containment", "rationale": "hot"}]"#;
        assert!(fits(&form, good));
        assert_eq!(Finding::read(good, &brief).unwrap().1, Tier::Direct);
        let form = SuggestAction.form(&brief).unwrap();
        assert!(fits(&form, r#"{"target_machine": "press", "situation": "x", "severity": "low", "context": ""}"#));
        assert!(!fits(&form, r#"{"target_machine": "mill", "situation": "x", "severity": "low", "context": ""}"#));
    }
}
