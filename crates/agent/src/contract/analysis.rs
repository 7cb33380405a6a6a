//! What the analyst answers (BOG-065).

use gimbal_core::Brief;
use serde_json::{Value, json};

use super::{Severity, Tier, array, bounded};

/// How a subject stands to its baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// As at the beginning, or as expected since.
    Baseline,
    /// Otherwise.
    Changed,
    /// It cannot be told.
    Unknown,
}

impl Status {
    /// All.
    pub const ALL: [Self; 3] = [Self::Baseline, Self::Changed, Self::Unknown];

    /// The word in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Changed => "changed",
            Self::Unknown => "unknown",
        }
    }
}

/// What an analyst would look at next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Focus {
    /// Stop it.
    Containment,
    /// Look closer.
    Investigation,
    /// Wait and see.
    Monitor,
}

impl Focus {
    /// All.
    pub const ALL: [Self; 3] = [Self::Containment, Self::Investigation, Self::Monitor];

    /// The word in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Containment => "containment",
            Self::Investigation => "investigation",
            Self::Monitor => "monitor",
        }
    }
}

/// How many findings count, and how many anomalies of each; the rest is passed over.
const ITEMS: usize = 16;
/// Longest text.
const BOUND: usize = 1_000;

/// What an analyst found about one subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The subject.
    pub subject: String,
    /// How it stands to its baseline.
    pub status: Status,
    /// How grave it is.
    pub severity: Severity,
    /// What differs.
    pub anomalies: Vec<String>,
    /// What may be an attacker's channel.
    pub suspected_c2: Vec<String>,
    /// What should come next.
    pub recommended_focus: Focus,
    /// Why.
    pub rationale: String,
}

impl Finding {
    /// What stands in the place of an analysis that did not come.
    #[must_use]
    pub fn default_of(subject: &str) -> Self {
        Self {
            subject: subject.to_owned(),
            status: Status::Unknown,
            severity: Severity::Low,
            anomalies: Vec::new(),
            suspected_c2: Vec::new(),
            recommended_focus: Focus::Investigation,
            rationale: "no analysis could be had".to_owned(),
        }
    }

    /// Reads what an analyst wrote. The key of the subject is what the brief calls one; status, severity and focus must
    /// be words that exist. None if no finding is whole.
    #[must_use]
    pub fn read(text: &str, brief: &Brief) -> Option<(Vec<Self>, Tier)> {
        let (items, tier) = array(text)?;
        let found: Vec<Self> = items.iter().filter_map(|item| Self::of(item, brief)).take(ITEMS).collect();
        (!found.is_empty()).then_some((found, tier))
    }

    fn of(item: &Value, brief: &Brief) -> Option<Self> {
        let text = |key: &str| item.get(key).and_then(Value::as_str).map(str::trim);
        let named = |key: &str, names: &[&str]| {
            let word = text(key)?;
            names.iter().position(|name| name.eq_ignore_ascii_case(word))
        };
        let texts = |key: &str| match item.get(key) {
            Some(Value::Array(items)) => {
                items.iter().take(ITEMS).map(|item| bounded(&crate::protocol::plain(item), BOUND)).collect()
            }
            Some(Value::String(text)) if !text.trim().is_empty() => vec![bounded(text, BOUND)],
            _ => Vec::new(),
        };
        let written = text(&brief.subject).or_else(|| text("subject"))?;
        let subject = brief.subjects.iter().find(|name| name.eq_ignore_ascii_case(written))?;
        Some(Self {
            subject: subject.clone(),
            status: Status::ALL[named("status", &Status::ALL.map(Status::name))?],
            severity: Severity::read(text("severity")?)?,
            anomalies: texts("anomalies"),
            suspected_c2: texts("suspected_c2"),
            recommended_focus: Focus::ALL[named("recommended_focus", &Focus::ALL.map(Focus::name))?],
            rationale: bounded(text("rationale").unwrap_or_default(), BOUND),
        })
    }

    /// The message of findings.
    #[must_use]
    pub fn message(findings: &[Self], brief: &Brief) -> Value {
        let subject = if brief.subject.is_empty() { "subject" } else { &brief.subject };
        findings
            .iter()
            .map(|one| {
                json!({
                    subject: one.subject,
                    "status": one.status.name(),
                    "severity": one.severity.name(),
                    "anomalies": one.anomalies,
                    "suspected_c2": one.suspected_c2,
                    "recommended_focus": one.recommended_focus.name(),
                    "rationale": one.rationale,
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Finding, Focus, Status, Tier};
    use crate::contract::Severity;
    use crate::sample;

    // covers: BOG-065
    #[test]
    fn a_finding_is_read_as_it_is_written() {
        let brief = sample::brief();
        let finding = Finding {
            subject: "lathe".to_owned(),
            status: Status::Changed,
            severity: Severity::Critical,
            anomalies: vec!["a new noise".to_owned()],
            suspected_c2: Vec::new(),
            recommended_focus: Focus::Containment,
            rationale: "it is hot".to_owned(),
        };
        let message = Finding::message(std::slice::from_ref(&finding), &brief);
        assert_eq!(message[0]["machine"], "lathe");
        assert_eq!(Finding::read(&message.to_string(), &brief), Some((vec![finding], Tier::Direct)));
        for bad in [
            json!([{ "machine": "lathe", "status": "odd", "severity": "low", "recommended_focus": "monitor" }]),
            json!([{ "machine": "mill", "status": "changed", "severity": "low", "recommended_focus": "monitor" }]),
            json!([{ "status": "changed", "severity": "low", "recommended_focus": "monitor" }]),
            json!(["lathe"]),
        ] {
            assert_eq!(Finding::read(&bad.to_string(), &brief), None, "{bad}");
        }
    }
}
