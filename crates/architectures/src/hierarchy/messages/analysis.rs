//! What the analyst answers (BOG-065).

use gimbal_agent::protocol::plain;
use gimbal_agent::reading::{array, words};
use gimbal_core::{Brief, Hint, ToolCall};
use gimbal_messages::{Allowed, Content, ExpertMessage, ExpertView, Form, Message, Tier, bounded, spaced};
use serde_json::{Value, json};

use super::{Severity, UNKNOWN, class, severity, told};

/// How a subject compares with its baseline.
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
    /// It could not be read.
    Unknown,
}

impl Focus {
    /// All that can be stated.
    pub const ALL: [Self; 3] = [Self::Containment, Self::Investigation, Self::Monitor];

    /// The word in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Containment => "containment",
            Self::Investigation => "investigation",
            Self::Monitor => "monitor",
            Self::Unknown => UNKNOWN,
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
    /// How it compares with its baseline.
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
    /// What could not be read, as it was written: `severity: purple`. `unknown` takes its place.
    pub unread: Vec<String>,
    /// What was asked about, where the finding is about another subject.
    pub asked: Option<String>,
}

impl Finding {
    /// What replaces an analysis that did not come.
    #[must_use]
    pub fn default_of(subject: &str) -> Self {
        Self {
            subject: subject.to_owned(),
            status: Status::Unknown,
            severity: Severity::Unknown,
            anomalies: Vec::new(),
            suspected_c2: Vec::new(),
            recommended_focus: Focus::Unknown,
            rationale: "no analysis could be had".to_owned(),
            unread: Vec::new(),
            asked: None,
        }
    }

    /// Reads what an analyst wrote. The key of the subject is what the brief calls one. Status, severity and focus may be
    /// written in other words (`reading/words.yaml`); one that cannot be read is told in `unread` and leaves the rest of the
    /// finding as it is. Two findings on one subject are one: what they state differently is unread. None if no finding names
    /// a subject and one of the three.
    #[must_use]
    pub fn read(text: &str, brief: &Brief) -> Option<(Vec<Self>, Tier)> {
        let (items, tier) = array(text)?;
        let mut found: Vec<Self> = Vec::new();
        for finding in items.iter().filter_map(|item| Self::of(item, brief)).take(ITEMS) {
            match found.iter_mut().find(|known| known.subject == finding.subject) {
                Some(known) => known.join(finding),
                None => found.push(finding),
            }
        }
        let whole = found.iter().all(|finding| finding.unread.is_empty());
        let tier = if whole { tier } else { tier.max(Tier::Normalised) };
        (!found.is_empty()).then_some((found, tier))
    }

    fn of(item: &Value, brief: &Brief) -> Option<Self> {
        let text = |key: &str| item.get(key).and_then(Value::as_str).map(str::trim);
        let texts = |key: &str| match item.get(key) {
            Some(Value::Array(items)) => items.iter().take(ITEMS).map(|item| bounded(&plain(item), BOUND)).collect(),
            Some(Value::String(text)) if !says_none(text) => vec![bounded(text, BOUND)],
            _ => Vec::new(),
        };
        let own = brief.subject.to_lowercase().replace(' ', "_");
        let written = [own.as_str(), "subject", "name", "target"].iter().find_map(|key| text(key))?;
        let subject = brief.subjects.iter().find(|name| name.eq_ignore_ascii_case(written))?;
        let status = text("status").and_then(|word| words().status(word));
        let status = status.and_then(|word| Status::ALL.into_iter().find(|status| status.name() == word));
        let severity = text("severity").and_then(Severity::read);
        let focus = text("recommended_focus").or_else(|| text("focus")).and_then(|word| words().focus(word));
        let focus = focus.and_then(|word| Focus::ALL.into_iter().find(|focus| focus.name() == word));
        if status.is_none() && severity.is_none() && focus.is_none() {
            return None;
        }
        let mut unread = texts("unread");
        let odd =
            [("status", status.is_none()), ("severity", severity.is_none()), ("recommended_focus", focus.is_none())];
        for (key, _) in odd.iter().filter(|(_, odd)| *odd) {
            // A message that is passed on has told it already.
            if !unread.iter().any(|known| known.starts_with(&format!("{key}: "))) {
                let focus = item.get("focus").filter(|_| *key == "recommended_focus");
                unread.push(told(key, item.get(*key).or(focus)));
            }
        }
        let default = Self::default_of(subject);
        Some(Self {
            status: status.unwrap_or(default.status),
            severity: severity.unwrap_or(default.severity),
            anomalies: texts("anomalies"),
            suspected_c2: texts("suspected_c2"),
            recommended_focus: focus.unwrap_or(default.recommended_focus),
            rationale: bounded(text("rationale").unwrap_or_default(), BOUND),
            unread,
            asked: text("asked_about").map(|asked| bounded(asked, BOUND)),
            ..default
        })
    }

    /// Takes in another finding on the same subject. Neither is the one that is meant where they differ.
    fn join(&mut self, other: Self) {
        let mut differ = |key: &str, own: &str, other: &str| {
            let differs = own != other;
            if differs {
                self.unread.push(format!("{key}: {own} and {other}"));
            }
            differs
        };
        if differ("status", self.status.name(), other.status.name()) {
            self.status = Status::Unknown;
        }
        if differ("severity", self.severity.name(), other.severity.name()) {
            self.severity = Severity::Unknown;
        }
        if differ("recommended_focus", self.recommended_focus.name(), other.recommended_focus.name()) {
            self.recommended_focus = Focus::Unknown;
        }
        for (own, others) in [
            (&mut self.anomalies, other.anomalies),
            (&mut self.suspected_c2, other.suspected_c2),
            (&mut self.unread, other.unread),
        ] {
            let new: Vec<String> = others.into_iter().filter(|text| !own.contains(text)).collect();
            own.extend(new);
            own.truncate(ITEMS);
        }
        if !other.rationale.is_empty() && self.rationale != other.rationale {
            self.rationale = bounded(format!("{} {}", self.rationale, other.rationale).trim(), BOUND);
        }
    }

    /// The message of findings.
    #[must_use]
    pub fn message(findings: &[Self], brief: &Brief) -> Value {
        let subject = if brief.subject.is_empty() { "subject" } else { &brief.subject };
        let message = |one: &Self| {
            let mut message = json!({
                subject: one.subject,
                "status": one.status.name(),
                "severity": one.severity.name(),
                "anomalies": one.anomalies,
                "suspected_c2": one.suspected_c2,
                "recommended_focus": one.recommended_focus.name(),
                "rationale": one.rationale,
            });
            if !one.unread.is_empty() {
                message["unread"] = one.unread.clone().into();
            }
            if let Some(asked) = &one.asked {
                message["asked_about"] = asked.as_str().into();
            }
            message
        };
        findings.iter().map(message).collect()
    }

    /// What the three words of a finding may be, for whoever is asked to write one again.
    #[must_use]
    pub fn allowed(brief: &Brief) -> String {
        let of = |names: &[&str]| names.join(", ");
        let subject = if brief.subject.is_empty() { "subject" } else { &brief.subject };
        format!(
            "\"{subject}\": {}\n\"status\": {}\n\"severity\": {}\n\"recommended_focus\": {}",
            brief.subjects.join(", "),
            of(&Status::ALL.map(Status::name)),
            of(&Severity::ALL.map(Severity::name)),
            of(&Focus::ALL.map(Focus::name)),
        )
    }
}

/// The message `analysis`.
#[derive(Debug)]
pub struct Analysis;

impl Message for Analysis {
    fn name(&self) -> &'static str {
        "analysis"
    }

    fn form(&self, brief: &Brief, _action: Option<&Form>) -> Form {
        let finding = Form::object(&[
            (&brief.subject, Form::word(&brief.subjects)),
            ("status", Form::word(&Status::ALL.map(Status::name))),
            ("severity", Form::word(&Severity::ALL.map(Severity::name))),
            ("anomalies", Form::array(&Form::text(1, 60), 0, 3)),
            ("suspected_c2", Form::array(&Form::text(1, 60), 0, 1)),
            ("recommended_focus", Form::word(&Focus::ALL.map(Focus::name))),
            ("rationale", Form::text(1, 160)),
        ]);
        Form::array(&finding, 1, 1)
    }

    fn allowed(&self, brief: &Brief) -> Allowed {
        Allowed::Text(Finding::allowed(brief))
    }

    fn expert(&self) -> Option<&dyn ExpertMessage> {
        Some(self)
    }

    fn request(&self, _brief: &Brief, target: &str) -> Value {
        json!({ "subject": target })
    }
}

impl ExpertMessage for Analysis {
    /// Looks at both states, and finds a change where the expert would act.
    fn say(&self, view: &ExpertView<'_>) -> Hint {
        let ExpertView { brief, call, .. } = *view;
        let target = view.target.unwrap_or_default();
        let finding = |(status, severity, recommended_focus)| {
            let finding = Finding {
                status,
                severity,
                recommended_focus,
                rationale: "As both states show.".to_owned(),
                ..Finding::default_of(target)
            };
            spaced(&Finding::message(&[finding], brief))
        };
        let right = if brief.subject_of(call) == Some(target) {
            (Status::Changed, severity(brief, call), focus(brief, call))
        } else {
            (Status::Baseline, Severity::Low, Focus::Monitor)
        };
        let all = [
            (Status::Baseline, Severity::Low, Focus::Monitor),
            (Status::Unknown, Severity::Medium, Focus::Investigation),
            (Status::Changed, Severity::High, Focus::Containment),
        ];
        let alternatives = all.into_iter().filter(|other| *other != right).map(finding).collect();
        Hint { answer: finding(right), alternatives }
    }
}

/// What an expert who would make this call looks at next.
fn focus(brief: &Brief, call: &ToolCall) -> Focus {
    match class(brief, call).as_str() {
        "reactive" => Focus::Containment,
        "passive" => Focus::Investigation,
        _ => Focus::Monitor,
    }
}

/// The findings of one answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Findings(pub Vec<Finding>);

impl Content for Findings {
    fn read(text: &str, brief: &Brief) -> Option<(Self, Tier)> {
        Finding::read(text, brief).map(|(found, tier)| (Self(found), tier))
    }

    fn default_of(target: &str) -> Self {
        Self(vec![Finding::default_of(target)])
    }

    fn unread(&self) -> usize {
        self.0.iter().map(|finding| finding.unread.len()).sum()
    }
}

/// Whether a text says that there is nothing.
fn says_none(text: &str) -> bool {
    matches!(text.trim().to_ascii_lowercase().as_str(), "" | "none" | "n/a" | "no" | "nothing" | "none observed")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use gimbal_agent::sample;

    use super::{Finding, Focus, Severity, Status, Tier};

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
            unread: Vec::new(),
            asked: None,
        };
        let message = Finding::message(std::slice::from_ref(&finding), &brief);
        assert_eq!(message[0]["machine"], "lathe");
        assert_eq!(Finding::read(&message.to_string(), &brief), Some((vec![finding], Tier::Direct)));
        for bad in [
            json!([{ "machine": "mill", "status": "changed", "severity": "low", "recommended_focus": "monitor" }]),
            json!([{ "status": "changed", "severity": "low", "recommended_focus": "monitor" }]),
            json!([{ "machine": "lathe", "status": "odd" }]),
            json!(["lathe"]),
        ] {
            assert_eq!(Finding::read(&bad.to_string(), &brief), None, "{bad}");
        }
    }

    // covers: BOG-065, BOG-070
    #[test]
    fn one_odd_word_is_told_and_the_rest_is_kept() {
        let brief = sample::brief();
        let read = |item: serde_json::Value| Finding::read(&json!([item]).to_string(), &brief).unwrap();
        let (findings, tier) = read(json!({
            "machine": "lathe", "status": "Compromised", "severity": "purple", "anomalies": "none", "recommended_focus": "isolate"
        }));
        let finding = &findings[0];
        assert_eq!((finding.status, finding.recommended_focus), (Status::Changed, Focus::Containment));
        assert_eq!((finding.severity, tier), (Severity::Unknown, Tier::Normalised));
        assert_eq!(finding.unread, ["severity: purple"]);
        assert!(finding.anomalies.is_empty());
        // Passed on, it says the same.
        let message = Finding::message(&findings, &brief);
        assert_eq!(message[0]["severity"], "unknown");
        assert_eq!(Finding::read(&message.to_string(), &brief).unwrap().0, findings);
        let (findings, _) = read(json!({ "machine": "lathe", "status": "changed" }));
        assert_eq!(findings[0].unread, ["severity: missing", "recommended_focus: missing"]);
        assert_eq!(Finding::message(&findings, &brief)[0]["recommended_focus"], "unknown");
        assert!(Finding::allowed(&brief).contains("\"severity\": low, medium, high, critical\n"));
        assert!(Finding::allowed(&brief).ends_with("containment, investigation, monitor"));
    }

    // covers: BOG-065, BOG-070
    #[test]
    fn a_severity_is_read_where_it_is_stated_and_is_unknown_else() {
        let brief = sample::brief();
        for (written, severity) in [
            (json!("High risk"), Severity::High),
            (json!("critical severity"), Severity::Critical),
            (json!("Low-risk"), Severity::Low),
            (json!("moderate risk"), Severity::Medium),
            (json!("9/10"), Severity::Unknown),
            (json!(0.9), Severity::Unknown),
            (json!("unknown"), Severity::Unknown),
            (json!("no high risk"), Severity::Unknown),
        ] {
            let text = json!([{ "Machine": "lathe", "Status": "changed", "Severity": written, "Recommended Focus": "monitor" }]);
            let (findings, tier) = Finding::read(&text.to_string(), &brief).unwrap();
            assert_eq!((findings[0].severity, tier), (severity, Tier::Normalised), "{written}");
            assert_eq!(findings[0].unread.is_empty(), severity != Severity::Unknown, "{written}");
        }
    }

    // covers: BOG-065
    #[test]
    fn findings_that_contradict_each_other_state_what_they_agree_on() {
        let brief = sample::brief();
        let one = |severity: &str, why: &str| {
            json!({ "machine": "lathe", "status": "changed", "severity": severity, "anomalies": [why],
                "recommended_focus": "monitor", "rationale": why })
        };
        let read = |items: serde_json::Value| Finding::read(&items.to_string(), &brief).unwrap();
        let (findings, tier) = read(json!([one("low", "quiet"), one("critical", "loud")]));
        assert_eq!((findings.len(), tier), (1, Tier::Normalised));
        let finding = &findings[0];
        assert_eq!((finding.status, finding.severity), (Status::Changed, Severity::Unknown));
        assert_eq!(finding.unread, ["severity: low and critical"]);
        assert_eq!((finding.anomalies.join(" "), finding.rationale.as_str()), ("quiet loud".to_owned(), "quiet loud"));
        assert_eq!(read(Finding::message(&findings, &brief)).0, findings);
        assert_eq!(read(json!([one("low", "quiet"), one("low", "quiet")])), read(json!([one("low", "quiet")])));
        // A finding on another subject says what was asked about, wherever it is passed on to.
        let mut other = findings;
        other[0].asked = Some("press".to_owned());
        let message = Finding::message(&other, &brief);
        assert_eq!(message[0]["asked_about"], "press");
        assert_eq!(read(message).0, other);
    }
}
